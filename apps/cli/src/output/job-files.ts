import { csvLine } from '@sched/report'
import type { JobRow } from '@sched/metrics'
import { closeSync, openSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../version.js'
import { writing } from './output-file.js'
import { jsonLine, writeParquet, type Columns } from './parquet-file.js'

const types = {
  seed: 'INT64', id: 'STRING', label: 'STRING', user: 'STRING', queue: 'STRING', submit: 'DOUBLE', start: 'DOUBLE', end: 'DOUBLE', wait: 'DOUBLE', response: 'DOUBLE', tasks: 'INT32',
} as const satisfies Columns
const columns = Object.keys(types)
/** Amount x seconds that a job held of a resource. */
const secondsOf = (resource: string) => `${resource}_seconds`
const PIECE = 1 << 16 // a write per line would cost more than the line

/** Where any thread may put the jobs of a run. */
export interface SharedPlace {
  readonly place: string
  /** What the directory will be called: for messages. */
  readonly directory: string
  /** Whether to write which nodes or processors jobs held, too. */
  readonly schedule?: boolean
  /** Whether tables of jobs and schedules become Parquet, and not CSV. */
  readonly parquet?: boolean
}

/** What tables are made of: lines of CSV, or of JSON, from which Parquet is made. */
export const lineFor = ({ parquet = false }: Pick<SharedPlace, 'parquet'>): typeof csvLine => (parquet ? jsonLine : csvLine)

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
    this.#descriptor = writing(shared.directory, () => openSync(partOf(shared.place, run), 'wx'))
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

/** One file of finished jobs per policy, from the files of its runs, which go. `runs`: their numbers by policy. Throws `IO`. */
export async function joinJobFiles(shared: SharedPlace, runs: ReadonlyMap<string, readonly number[]>, seeds: readonly number[], resources: readonly string[]): Promise<void> {
  const { place, directory, parquet = false } = shared
  const all: Columns = { ...types, ...Object.fromEntries(resources.map((name) => [secondsOf(name), 'DOUBLE' as const])) }
  const policies = [...runs.keys()]
  if (parquet) {
    for (const [policy, numbers] of runs) await joinParquet(shared, all, numbers.map((run) => partOf(place, run)), 'jobs', { policy, policies, seeds })
    return
  }
  writing(directory, () => {
    for (const [policy, numbers] of runs) {
      const file = openSync(join(place, jobFileName(policy, policies)), 'wx')
      try {
        writeFileSync(file, csvLine(Object.keys(all)))
        for (const run of numbers) append(file, partOf(place, run))
      } finally {
        closeSync(file)
      }
    }
  })
}

/** One table in Parquet from files of lines of JSON, which go. */
export async function joinParquet(
  { place, directory }: SharedPlace,
  columns: Columns,
  parts: readonly string[],
  what: string,
  { policy, policies, seeds }: { readonly policy: string; readonly policies: readonly string[]; readonly seeds: readonly number[] },
): Promise<void> {
  await writeParquet(join(place, fileNameOf(what, policy, policies, '.parquet')), columns, parts, { version, policy, seeds: seeds.join() }, directory)
  writing(directory, () => parts.forEach((path) => void rmSync(path)))
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
