import type { JobSpec, Seconds, StageSpec } from '@sched/core'
import { RigidStages } from '../rigid/stages.js'
import type { RuleCount } from '../trace/facts.js'
import { statusNames } from './fields.js'
import type { SwfRules } from './options.js'
import { resourcesOf } from './options.js'

/**
 * Positions of a job's numbers among its cells, after the rules were applied; -1 means unknown. The amounts of resources follow, and then what the
 * job used.
 */
export const Cell = {
  job: 0, submit: 1, wait: 2, runtime: 3, estimate: 4,
  /** The run time in the log, if the rules changed it. */
  recorded: 5,
  status: 6, user: 7, group: 8, application: 9, queue: 10, partition: 11, preceding: 12, think: 13,
  /** Amounts of resources; behind them, if `recordedUse` is `keep`, the CPU time and the memory that the job used. */
  amounts: 14,
} as const

/** The numbers of all jobs. They have 32 bits as long as all are whole and small enough, which halves the memory. */
export type Cells = Int32Array | Float64Array

/** Position of what a job used; -1 if it is not kept. */
const usedAt = (options: SwfRules): number => (options.recordedUse === 'keep' ? Cell.amounts + resourcesOf(options).length : -1)

/** Number of cells per job. */
export const cellsOf = (options: SwfRules): number => Cell.amounts + resourcesOf(options).length + (options.recordedUse === 'keep' ? 2 : 0)

const MOST_TEXTS = 65_536

/** Makes the jobs of one reading from their cells, in order of submission. */
export class SwfJobs {
  readonly #stages: RigidStages
  readonly #before: Set<number> | undefined
  readonly #texts: string[] = []
  readonly #usedAt: number
  /** Number of jobs that follow a job that is not above them. */
  lost = 0

  constructor(options: SwfRules, stages = new RigidStages(resourcesOf(options), options.tasks)) {
    this.#stages = stages
    this.#usedAt = usedAt(options)
    this.#before = options.dependencies === 'keep' ? new Set() : undefined
  }

  /** The job whose cells start at `at`. It waits for another job only if that came before it. */
  job(cells: Cells, at: number): JobSpec {
    const job = new SwfJob(cells, at, this.#stages.of(cells, at + Cell.amounts, cells[at + Cell.runtime]!), this.#texts, this.#usedAt < 0 ? -1 : at + this.#usedAt)
    if (this.#before !== undefined) this.#chain(job, cells[at + Cell.job]!, cells[at + Cell.preceding]!, cells[at + Cell.think]!, this.#before)
    return job
  }

  #chain(job: SwfJob, number: number, preceding: number, think: number, before: Set<number>): void {
    if (preceding > 0) {
      if (before.has(preceding)) {
        job.after = String(preceding)
        if (think > 0) job.think = think
      } else this.lost++
    }
    before.add(number)
  }
}

/** The rule that counts jobs that should have waited for a job that is not above them. */
export const lostRule = (jobs: number): RuleCount[] =>
  jobs === 0 ? [] : [{ rule: 'dependencies', jobs, text: 'after a job that is not above them or was left out: submitted when the log says' }]

/**
 * A job of the log. It is a class so that all fields exist in the object from the start: adding them to a literal one by one takes as long as reading
 * the line.
 */
class SwfJob implements JobSpec {
  readonly id: string
  readonly submit: Seconds
  readonly stages: readonly StageSpec[]
  declare readonly user?: string
  declare readonly queue?: string
  declare readonly group?: string
  declare readonly partition?: string
  declare readonly application?: string
  declare readonly estimate?: Seconds
  declare readonly recorded?: NonNullable<JobSpec['recorded']>
  declare after?: string
  declare think?: Seconds

  /** `usedAt`: position of what the job used, -1 if it is not kept. */
  constructor(cells: Cells, at: number, stages: readonly StageSpec[], texts: string[], usedAt: number) {
    const user = cells[at + Cell.user]!
    const queue = cells[at + Cell.queue]!
    const group = cells[at + Cell.group]!
    const partition = cells[at + Cell.partition]!
    const application = cells[at + Cell.application]!
    const estimate = cells[at + Cell.estimate]!
    const run = recordedRun(cells[at + Cell.wait]!, cells[at + Cell.recorded]!, cells[at + Cell.status]!)
    const recorded = usedAt < 0 ? run : withUse(run, cells[usedAt]!, cells[usedAt + 1]!)
    this.id = String(cells[at + Cell.job]!)
    this.submit = cells[at + Cell.submit]!
    this.stages = stages
    if (user >= 0) this.user = textOf(user, texts)
    if (queue >= 0) this.queue = textOf(queue, texts)
    if (group >= 0) this.group = textOf(group, texts)
    if (partition >= 0) this.partition = textOf(partition, texts)
    if (application >= 0) this.application = textOf(application, texts)
    if (estimate >= 0) this.estimate = estimate
    if (recorded !== undefined) this.recorded = recorded
  }
}

/** The text of a number. Users, queues and the like are few, so many jobs share a string. */
const textOf = (number: number, texts: string[]): string => (number < MOST_TEXTS ? (texts[number] ??= String(number)) : String(number))

type Changing<T> = { -readonly [K in keyof T]: T[K] }

const KIB_PER_MIB = 1024

function withUse(run: JobSpec['recorded'], cpuTime: number, kibPerProc: number): JobSpec['recorded'] {
  return cpuTime < 0 && kibPerProc < 0 ? run : { ...run, ...(cpuTime >= 0 && { cpuTime }), ...(kibPerProc >= 0 && { mem: kibPerProc / KIB_PER_MIB }) }
}

function recordedRun(wait: number, runtime: number, status: number): JobSpec['recorded'] | undefined {
  const run: Changing<NonNullable<JobSpec['recorded']>> = {}
  if (wait >= 0) run.wait = wait
  if (runtime >= 0) run.runtime = runtime
  const name = statusNames[status]
  if (name !== undefined) run.status = name
  return wait >= 0 || runtime >= 0 || name !== undefined ? run : undefined
}
