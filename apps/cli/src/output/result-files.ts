import { SchedError, type JobId, type JobSpec, type LaneId, type NodeId, type Observer, type Seconds, type TaskEnd, type TaskId } from '@sched/core'
import { scheduleRows } from '@sched/metrics'
import { csvLine } from '@sched/report'
import { swfResultHeader, swfRows, writeSwf, type HeaderFields, type Machine, type SwfRow } from '@sched/workload'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileNameOf, joinParquet, lineFor, type SharedPlace } from './job-files.js'
import { writing } from './output-file.js'

/** What a log of results says of itself. */
export interface SwfOrigin {
  readonly header?: HeaderFields | undefined
  readonly machine?: Machine | undefined
  readonly note: string
}

/**
 * The jobs of one run in the Standard Workload Format, in order of submission, with the waits and run times of the run;
 * jobs that did not end are written with what is known. None where a job cannot be written so, for example a gang.
 */
export class SwfFile implements Observer {
  readonly #origin: SwfOrigin
  readonly #jobs: { readonly spec: JobSpec; readonly submit: Seconds; start?: Seconds; end?: Seconds }[] = []
  readonly #ofJob: number[] = []

  constructor(origin: SwfOrigin) {
    this.#origin = origin
  }

  onSubmit(job: JobId, spec: JobSpec, now: Seconds): void {
    this.#ofJob[job] = this.#jobs.push({ spec, submit: now }) - 1
  }

  onTaskStart(_task: TaskId, job: JobId, _lane: LaneId, _node: NodeId, _level: number, now: Seconds): void {
    const found = this.#jobs[this.#ofJob[job] as number]
    if (found !== undefined) found.start ??= now
  }

  onTaskEnd(_task: TaskId, job: JobId, _lane: LaneId, _node: NodeId, _how: TaskEnd, _started: Seconds, stopped: Seconds): void {
    const found = this.#jobs[this.#ofJob[job] as number]
    if (found !== undefined) found.end = stopped
  }

  /** Writes what has been seen. Throws `IO`. */
  write({ place, directory }: SharedPlace, run: number): void {
    const rows = this.#rows()
    if (rows === undefined) return
    const header = swfResultHeader({ ...this.#origin })
    writing(directory, () => writeFileSync(partOf(place, run, 'swf'), [...writeSwf(rows, { header })].join('')))
  }

  #rows(): SwfRow[] | undefined {
    const rowOf = swfRows()
    try {
      return this.#jobs.map(({ spec, submit, start, end }) => {
        const row = rowOf(spec, { wait: start === undefined ? undefined : start - submit })
        return { ...row, submit, runtime: start === undefined || end === undefined ? undefined : end - start }
      })
    } catch (error) {
      if (error instanceof SchedError && error.code === 'BAD_INPUT') return undefined
      throw error
    }
  }
}

const scheduleTypes = {
  seed: 'INT64', id: 'STRING', user: 'STRING', submit: 'DOUBLE', start: 'DOUBLE', end: 'DOUBLE', how: 'STRING', tasks: 'INT32',
  nodes: 'STRING', units: 'STRING',
} as const
const scheduleColumns = Object.keys(scheduleTypes)

/** Which nodes or processors the jobs of one run held and when, as lines of a table. */
export class ScheduleFile {
  readonly observer: Observer
  readonly #lines: string[] = []

  constructor(shared: SharedPlace, seed: number) {
    const line = lineFor(shared)
    this.observer = scheduleRows((row) => this.#lines.push(line([seed, ...scheduleColumns.slice(1).map((column) => row[column as keyof typeof row])])))
  }

  write({ place, directory }: SharedPlace, run: number): void {
    writing(directory, () => writeFileSync(partOf(place, run, 'schedule.csv'), this.#lines.join('')))
  }
}

/**
 * Names what runs have written after their policies, and their seeds where there are several: `jobs-easy.swf`,
 * `jobs-easy-seed-2.swf`; schedules of a policy come into one file. `runs`: numbers by policy, ascending by seed.
 */
export async function nameResultFiles(shared: SharedPlace, runs: ReadonlyMap<string, readonly number[]>, seeds: readonly number[]): Promise<void> {
  const { place, directory, parquet = false } = shared
  const policies = [...runs.keys()]
  const schedules = (numbers: readonly number[]) => numbers.map((run) => partOf(place, run, 'schedule.csv')).filter((path) => existsSync(path))
  if (parquet)
    for (const [policy, numbers] of runs) if (schedules(numbers).length > 0) await joinParquet(shared, scheduleTypes, schedules(numbers), 'schedule', { policy, policies, seeds })
  writing(directory, () => {
    for (const [policy, numbers] of runs) {
      numbers.forEach((run, i) => {
        const seed = numbers.length === 1 ? '' : `-seed-${seeds[i] ?? i}`
        moved(partOf(place, run, 'swf'), join(place, fileNameOf('jobs', policy, policies, `${seed}.swf`)))
      })
      const parts = schedules(numbers)
      if (parts.length === 0) continue
      writeFileSync(join(place, fileNameOf('schedule', policy, policies, '.csv')), [csvLine(scheduleColumns), ...parts.map((path) => readFileSync(path, 'utf8'))].join(''))
      for (const path of parts) rmSync(path)
    }
  })
}

const partOf = (place: string, run: number, ending: string) => join(place, `.run-${run}.${ending}`)

function moved(from: string, to: string): void {
  if (existsSync(from)) renameSync(from, to)
}
