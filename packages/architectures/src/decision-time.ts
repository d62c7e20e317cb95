import type { Env, JobId, LaneId, Seconds } from '@sched/core'
import * as z from '@sched/bundled/zod'

const seconds = z.number().min(0).max(86_400)

/** Options of decision times, in seconds of simulated time; at most a day. */
export const decisionOptions = z.strictObject({
  job: seconds.optional().describe('t_job: seconds for an attempt at a job; default 0.1'),
  task: seconds.optional().describe('t_task: seconds more for every task that is still to be placed; default 0.005'),
})
export type DecisionOptions = z.output<typeof decisionOptions>

/** Options shared by all architectures with decision times. */
export const decisionTimes = {
  decision: decisionOptions.optional().describe('decision time: t_job + t_task x tasks still to be placed'),
  classes: z.record(z.string(), decisionOptions).optional().describe('other decision times for jobs of these classes, for example { service: { job: 10 } }'),
}

/** The authors' defaults for both classes (Schwarzkopf et al., EuroSys 2013, section 4). */
const DEFAULTS = { job: 0.1, task: 0.005 }

/**
 * The time that schedulers take to decide about a job: t_job + t_task x unplaced tasks. Settings of the job's class come before those of its
 * scheduler, and these before the general ones.
 *
 * Source: Schwarzkopf et al., EuroSys 2013, section 4.
 */
export class DecisionTimes {
  readonly #work: Env['work']
  readonly #warn: Env['warn']
  readonly #all: DecisionOptions
  readonly #classes: ReadonlyMap<string, DecisionOptions>
  readonly #unseen: Set<string>

  constructor(
    { decision = {}, classes = {} }: {
      readonly decision?: DecisionOptions | undefined
      readonly classes?: Readonly<Record<string, DecisionOptions>> | undefined
    },
    env: Env,
  ) {
    this.#work = env.work
    this.#warn = (message) => env.warn(message)
    this.#all = decision
    this.#classes = new Map(Object.entries(classes))
    this.#unseen = new Set(this.#classes.keys())
  }

  /** The decision time of one scheduler. */
  of(own: DecisionOptions = {}): DecisionTime {
    const plain = merged(DEFAULTS, this.#all, own)
    const classes = new Map([...this.#classes].map(([name, options]) => [name, merged(plain, options)]))
    return new DecisionTime(this.#work, plain, classes, this.#unseen)
  }

  /** Warns at the end of a run of classes in the options that no job had. */
  finish(): void {
    for (const name of this.#unseen) this.#warn(`no job was of class "${name}", for which a decision time is set`)
  }
}

type Parts = Readonly<Record<'job' | 'task', Seconds>>

function merged(base: Parts, ...over: readonly DecisionOptions[]): Parts {
  return over.reduce<Parts>((sum, { job = sum.job, task = sum.task }) => ({ job, task }), base)
}

/** The decision time of one scheduler. */
export class DecisionTime {
  /** Whether no decision takes time. */
  readonly isZero: boolean
  readonly #work: Env['work']
  readonly #plain: Parts
  readonly #classes: ReadonlyMap<string, Parts>
  readonly #unseen: Set<string>

  constructor(work: Env['work'], plain: Parts, classes: ReadonlyMap<string, Parts>, unseen: Set<string>) {
    this.#work = work
    this.#plain = plain
    this.#classes = classes
    this.#unseen = unseen
    this.isZero = [plain, ...classes.values()].every(({ job, task }) => job === 0 && task === 0)
  }

  /** Seconds for an attempt at a job with `unplaced` unplaced tasks in the lane; default: the present number. */
  of(job: JobId, lane: LaneId, unplaced = this.#work.unplaced(job, lane)): Seconds {
    const parts = this.#classes.size === 0 ? this.#plain : this.#partsOf(job)
    return parts.job + parts.task * unplaced
  }

  #partsOf(job: JobId): Parts {
    const name = this.#work.classOf(job)
    this.#unseen.delete(name)
    return this.#classes.get(name) ?? this.#plain
  }
}
