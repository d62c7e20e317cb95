import { csvLine } from '@sched/report'
import type { JobRow } from '@sched/metrics'
import { closeSync, openSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { writing } from './output-file.js'
import type { Columns } from './parquet-file.js'
import { fileNameOf, joinParquet, lineFor, partOf, type RunsByPolicy, type SharedPlace } from './run-parts.js'

const types = {
  seed: 'INT64', id: 'STRING', label: 'STRING', user: 'STRING', queue: 'STRING', submit: 'DOUBLE', start: 'DOUBLE', end: 'DOUBLE', wait: 'DOUBLE', response: 'DOUBLE', tasks: 'INT32',
} as const satisfies Columns
const columns = Object.keys(types)
/** Amount x seconds that a job held of a resource. */
const secondsOf = (resource: string) => `${resource}_seconds`
const ENDING = 'csv'
const PIECE = 1 << 16 // a write per line would cost more than the line

/** The finished jobs of one run as lines of a table, written while it goes on. Throws `IO`. */
export class JobFile {
  readonly #directory: string
  readonly #descriptor: number
  readonly #line: typeof csvLine
  readonly #resources: readonly string[]
  #pending = ''

  constructor(shared: SharedPlace, run: number, resources: readonly string[]) {
    this.#resources = resources
    this.#directory = shared.directory
    this.#line = lineFor(shared)
    this.#descriptor = writing(shared.directory, () => openSync(partOf(shared.place, run, ENDING), 'wx'))
  }

  add(seed: number, row: JobRow): void {
    this.#pending += this.#line([seed, ...columns.slice(1).map((column) => row[column as keyof Omit<JobRow, 'held'>]), ...this.#resources.map((name) => row.held[name])])
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

/** One file of finished jobs per policy, `jobs-delay.csv`, from those of its runs, which go. Throws `IO`. */
export async function joinJobFiles(shared: SharedPlace, runs: RunsByPolicy, seeds: readonly number[], resources: readonly string[]): Promise<void> {
  const { place, directory, parquet = false } = shared
  const all: Columns = { ...types, ...Object.fromEntries(resources.map((name) => [secondsOf(name), 'DOUBLE' as const])) }
  const policies = [...runs.keys()]
  if (parquet) {
    for (const [policy, numbers] of runs) await joinParquet(shared, all, numbers.map((run) => partOf(place, run, ENDING)), 'jobs', { policy, policies, seeds })
    return
  }
  writing(directory, () => {
    for (const [policy, numbers] of runs) {
      const file = openSync(join(place, fileNameOf('jobs', policy, policies, '.csv')), 'wx')
      try {
        writeFileSync(file, csvLine(Object.keys(all)))
        for (const run of numbers) append(file, partOf(place, run, ENDING))
      } finally {
        closeSync(file)
      }
    }
  })
}

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
