import { SchedError, type JobId, type JobSpec, type LaneId, type NodeId, type Observer, type Seconds, type TaskEnd, type TaskId } from '@sched/core'
import { SwfNumbers, swfResultHeader, swfRows, writeSwf, type HeaderFields, type Machine, type SwfRow } from '@sched/workload'
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writing } from './output-file.js'
import { fileNameOf, partOf, type RunsByPolicy, type SharedPlace } from './run-parts.js'

/** What a log of results says of itself. */
export interface SwfOrigin {
  readonly header?: HeaderFields | undefined
  readonly machine?: Machine | undefined
  readonly note: string
}

interface Written {
  readonly row: SwfRow
  readonly submit: Seconds
  start?: Seconds
  end?: Seconds
}

/**
 * The jobs of one run in the Standard Workload Format, in order of submission, with the waits and run times of the run;
 * jobs that did not end are written with what is known. None where a job cannot be written so, for example a gang.
 */
export class SwfFile implements Observer {
  readonly #origin: SwfOrigin
  readonly #numbers = new SwfNumbers()
  readonly #rowOf: (job: JobSpec) => SwfRow
  readonly #jobs: Written[] = []
  readonly #ofJob: number[] = []
  #isPossible = true

  constructor(origin: SwfOrigin) {
    this.#origin = origin
    this.#rowOf = swfRows({ numbers: this.#numbers, machine: origin.machine })
  }

  onSubmit(job: JobId, spec: JobSpec, now: Seconds): void {
    const row = this.#isPossible ? this.#row(spec) : undefined
    if (row !== undefined) this.#ofJob[job] = this.#jobs.push({ row, submit: now }) - 1
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
    if (!this.#isPossible) return
    const header = swfResultHeader({ ...this.#origin, names: this.#numbers.names() })
    writing(directory, () => writeFileSync(partOf(place, run, ENDING), [...writeSwf(this.#rows(), { header })].join('')))
  }

  /** The row of a job, made when it comes, since that takes less memory than the job. After one that has none there is no log, and nothing is kept. */
  #row(spec: JobSpec): SwfRow | undefined {
    try {
      return this.#rowOf(spec)
    } catch (error) {
      if (!(error instanceof SchedError && error.code === 'BAD_INPUT')) throw error
      this.#isPossible = false
      this.#jobs.length = 0
      return undefined
    }
  }

  *#rows(): Generator<SwfRow> {
    for (const { row, submit, start, end } of this.#jobs)
      yield { ...row, submit, wait: start === undefined ? undefined : start - submit, runtime: start === undefined || end === undefined ? undefined : end - start }
  }
}

/**
 * Names the logs of runs after their policies, and their seeds where there are several: `jobs-easy.swf`, `jobs-easy-seed-2.swf`. Throws `IO`.
 */
export function nameSwfFiles({ place, directory }: SharedPlace, runs: RunsByPolicy, seeds: readonly number[]): void {
  const policies = [...runs.keys()]
  writing(directory, () => {
    for (const [policy, numbers] of runs)
      numbers.forEach((run, i) => {
        const part = partOf(place, run, ENDING)
        const seed = numbers.length === 1 ? '' : `-seed-${seeds[i] ?? i}`
        if (existsSync(part)) renameSync(part, join(place, fileNameOf('jobs', policy, policies, `${seed}.swf`)))
      })
  })
}

const ENDING = 'swf'
