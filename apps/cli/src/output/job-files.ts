import { csvLine } from '@sched/report'
import type { JobRow } from '@sched/metrics'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writing } from './output-file.js'

const columns = ['seed', 'id', 'label', 'user', 'queue', 'submit', 'start', 'end', 'wait', 'response', 'tasks'] as const
const PIECE = 1 << 16 // a write per line would cost more than the line

interface JobFile {
  readonly descriptor: number
  pending: string
}

/** One CSV file of finished jobs per policy, written while runs go on. Throws `IO`. */
export class JobFiles {
  /** What the directory will be called: for messages. */
  readonly #directory: string
  readonly #files = new Map<string, JobFile>()

  constructor(place: string, directory: string, policies: readonly string[]) {
    this.#directory = directory
    for (const policy of policies) {
      const descriptor = writing(directory, () => openSync(join(place, jobFileName(policy, policies)), 'wx'))
      this.#files.set(policy, { descriptor, pending: csvLine(columns) })
    }
  }

  add(policy: string, seed: number, row: JobRow): void {
    const file = this.#files.get(policy)
    if (file === undefined) return
    file.pending += csvLine([seed, ...columns.slice(1).map((column) => row[column as keyof JobRow])])
    if (file.pending.length >= PIECE) this.#flush(file)
  }

  close(): void {
    for (const file of this.#files.values()) {
      this.#flush(file)
      closeSync(file.descriptor)
    }
    this.#files.clear()
  }

  #flush(file: JobFile): void {
    writing(this.#directory, () => writeFileSync(file.descriptor, file.pending))
    file.pending = ''
  }
}

/** `jobs-delay.csv`; signs that file systems dislike become `-`, and a number tells names apart that then are the same. */
export function jobFileName(policy: string, policies: readonly string[]): string {
  const plain = (name: string) => name.replace(/[^\w.-]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60) || 'policy'
  const same = policies.filter((each) => plain(each).toLowerCase() === plain(policy).toLowerCase())
  return same.length === 1 ? `jobs-${plain(policy)}.csv` : `jobs-${plain(policy)}-${same.indexOf(policy) + 1}.csv`
}
