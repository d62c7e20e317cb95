import { csvLine } from '@sched/report'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../version.js'
import { writing } from './output-file.js'
import { jsonLine, writeParquet, type Columns } from './parquet-file.js'

/** Where any thread may put what it writes of a run: a file for each kind and run, of which one for each policy is made at the end. */
export interface SharedPlace {
  readonly place: string
  /** What the directory will be called: for messages. */
  readonly directory: string
  /** Whether to write which nodes or processors jobs held, too. */
  readonly schedule?: boolean
  /** Whether tables of jobs and schedules become Parquet, and not CSV. */
  readonly parquet?: boolean
}

/** Numbers of the runs of each policy, ascending by seed. */
export type RunsByPolicy = ReadonlyMap<string, readonly number[]>

/** The file of one kind, which the ending tells, of one run. */
export const partOf = (place: string, run: number, ending: string): string => join(place, `.run-${run}.${ending}`)

/** `jobs-delay.csv`; signs that file systems dislike become `-`, and a number tells names apart that then are the same. */
export function fileNameOf(what: string, policy: string, policies: readonly string[], ending: string): string {
  const plain = (name: string) => name.replace(/[^\w.-]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60) || 'policy'
  const same = policies.filter((each) => plain(each).toLowerCase() === plain(policy).toLowerCase())
  return `${what}-${plain(policy)}${same.length === 1 ? '' : `-${same.indexOf(policy) + 1}`}${ending}`
}

/** What tables are made of: lines of CSV, or of JSON, from which Parquet is made. */
export const lineFor = ({ parquet = false }: Pick<SharedPlace, 'parquet'>): typeof csvLine => (parquet ? jsonLine : csvLine)

/** One table in Parquet from files of lines of JSON, which go. Throws `IO`. */
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
