import type { Observer } from '@sched/core'
import { scheduleRows } from '@sched/metrics'
import { csvLine } from '@sched/report'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writing } from './output-file.js'
import type { Columns } from './parquet-file.js'
import { fileNameOf, joinParquet, lineFor, partOf, type RunsByPolicy, type SharedPlace } from './run-parts.js'

const types = {
  seed: 'INT64', id: 'STRING', user: 'STRING', submit: 'DOUBLE', start: 'DOUBLE', end: 'DOUBLE', how: 'STRING', tasks: 'INT32',
  nodes: 'STRING', units: 'STRING',
} as const satisfies Columns
const columns = Object.keys(types)

/** Which nodes or processors the jobs of one run held and when, as lines of a table. */
export class ScheduleFile {
  readonly observer: Observer
  readonly #lines: string[] = []

  constructor(shared: SharedPlace, seed: number) {
    const line = lineFor(shared)
    this.observer = scheduleRows((row) => this.#lines.push(line([seed, ...columns.slice(1).map((column) => row[column as keyof typeof row])])))
  }

  /** Writes what has been seen. Throws `IO`. */
  write({ place, directory }: SharedPlace, run: number): void {
    writing(directory, () => writeFileSync(partOf(place, run, ENDING), this.#lines.join('')))
  }
}

const ENDING = 'schedule.csv'

/** One schedule per policy, `schedule-easy.csv`, from those of its runs, which go. Throws `IO`. */
export async function joinScheduleFiles(shared: SharedPlace, runs: RunsByPolicy, seeds: readonly number[]): Promise<void> {
  const { place, directory, parquet = false } = shared
  const policies = [...runs.keys()]
  for (const [policy, numbers] of runs) {
    const parts = numbers.map((run) => partOf(place, run, ENDING)).filter((path) => existsSync(path))
    if (parts.length === 0) continue
    if (parquet) await joinParquet(shared, types, parts, 'schedule', { policy, policies, seeds })
    else
      writing(directory, () => {
        writeFileSync(join(place, fileNameOf('schedule', policy, policies, '.csv')), [csvLine(columns), ...parts.map((path) => readFileSync(path, 'utf8'))].join(''))
        for (const path of parts) rmSync(path)
      })
  }
}
