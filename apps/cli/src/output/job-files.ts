import { csvLine } from '@sched/report'
import type { JobRow } from '@sched/metrics'
import { closeSync, openSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { writing } from './output-file.js'

const columns = ['seed', 'id', 'label', 'user', 'queue', 'submit', 'start', 'end', 'wait', 'response', 'tasks'] as const
const PIECE = 1 << 16 // a write per line would cost more than the line

/** Where any thread may put the jobs of a run. */
export interface SharedPlace {
  readonly place: string
  /** What the directory will be called: for messages. */
  readonly directory: string
  /** Whether to write which nodes or processors jobs held, too. */
  readonly schedule?: boolean
}

/** The finished jobs of one run as lines of CSV, written while it goes on. Throws `IO`. */
export class JobFile {
  readonly #directory: string
  readonly #descriptor: number
  #pending = ''

  constructor({ place, directory }: SharedPlace, run: number) {
    this.#directory = directory
    this.#descriptor = writing(directory, () => openSync(partOf(place, run), 'wx'))
  }

  add(seed: number, row: JobRow): void {
    this.#pending += csvLine([seed, ...columns.slice(1).map((column) => row[column as keyof JobRow])])
    if (this.#pending.length >= PIECE) this.#flush()
  }

  close(): void {
    try {
      this.#flush()
    } finally {
      closeSync(this.#descriptor)
    }
  }

  #flush(): void {
    writing(this.#directory, () => writeFileSync(this.#descriptor, this.#pending))
    this.#pending = ''
  }
}

/** One CSV file of finished jobs per policy, from the files of its runs, which go. `runs`: their numbers by policy. Throws `IO`. */
export function joinJobFiles({ place, directory }: SharedPlace, runs: ReadonlyMap<string, readonly number[]>): void {
  const policies = [...runs.keys()]
  writing(directory, () => {
    for (const [policy, numbers] of runs) {
      const file = openSync(join(place, jobFileName(policy, policies)), 'wx')
      try {
        writeFileSync(file, csvLine(columns))
        for (const run of numbers) append(file, partOf(place, run))
      } finally {
        closeSync(file)
      }
    }
  })
}

const partOf = (place: string, run: number) => join(place, `.run-${run}.csv`)

function append(to: number, path: string): void {
  const from = openSync(path, 'r')
  try {
    const piece = new Uint8Array(16 * PIECE)
    for (let read = readSync(from, piece); read > 0; read = readSync(from, piece)) for (let at = 0; at < read; ) at += writeSync(to, piece, at, read - at)
  } finally {
    closeSync(from)
  }
  rmSync(path)
}

/** `jobs-delay.csv`; signs that file systems dislike become `-`, and a number tells names apart that then are the same. */
export const jobFileName = (policy: string, policies: readonly string[]): string => fileNameOf('jobs', policy, policies, '.csv')

export function fileNameOf(what: string, policy: string, policies: readonly string[], ending: string): string {
  const plain = (name: string) => name.replace(/[^\w.-]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60) || 'policy'
  const same = policies.filter((each) => plain(each).toLowerCase() === plain(policy).toLowerCase())
  return `${what}-${plain(policy)}${same.length === 1 ? '' : `-${same.indexOf(policy) + 1}`}${ending}`
}
