import { definePolicy, forwarding, jobsByName, Reason, type Env, type Plug, type Policy, type Round, type Seconds } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { asRecorded } from '../orders/as-recorded.js'
import { greedy } from './greedy.js'

const replayOptions = z.strictObject({
  until: z.number().nonnegative().optional().describe('seconds from the start of the run at which the policy inside goes on; default: never'),
})
/** Options of `replay`. */
export type ReplayOptions = z.input<typeof replayOptions>

/**
 * Starts jobs at the times at which their log says that they started. At the time `until` the policy inside takes over the machine and the queue as they are
 * then. A job for which there is no room when it is due starts as soon as there is; jobs that are due for longer come first. A job without a recorded start
 * waits until `until`, or, without `until`, starts as soon as it fits. Jobs go where the placement says, since few logs name nodes. What the policy inside
 * refuses (`admits`) is refused from `until` on; one that has come before waits for ever.
 */
export const replayPolicy = definePolicy({
  name: 'replay',
  summary: 'jobs start when their log says, until another policy goes on from there',
  options: replayOptions,
  inner: { policy: 'policy', placement: 'placement?' },
  defaults: { policy: 'greedy', placement: 'first-fit' },
  create: ({ until = Infinity }, env, { policy, placement }) => new Replay(until, env, greedy(asRecorded(until < Infinity ? until : 0), placement).create(env), policy.create(env)),
})

/** Recorded starts until a time, and a policy from then on. */
export const replay = (policy: Plug<'policy'>, options: ReplayOptions = {}, placement?: Plug<'placement'>): Plug<'policy'> => replayPolicy.plug({ policy, placement }, options)

class Replay implements Policy {
  readonly #until: Seconds
  readonly #recorded: Policy
  readonly #policy: Policy
  readonly #warn: Env['warn']
  /** Whether any job has come, and whether one has come with a recorded start. */
  #areJobs = false
  #areRecorded = false
  #isTold: boolean
  /** By the name of a job that came before `until`: why the policy inside would have refused it. */
  readonly #refused = new Map<string, string>()

  constructor(until: Seconds, env: Env, recorded: Policy, policy: Policy) {
    this.#until = until
    this.#isTold = until === 0 // nothing is replayed, so there is nothing to warn of
    this.#recorded = recorded
    this.#policy = policy
    this.#warn = (message) => env.warn(message)
    Object.assign(this, forwarding(recorded, policy, {
      onSubmit: (job) => { this.#note(env.work.recordedWait(job)) },
      onFinish: (job) => { if (this.#refused.size > 0) this.#refused.delete(env.work.name(job)) },
    }))
    this.admits = (spec, again) => {
      const refused = policy.admits?.(spec, again)
      if (env.now() >= until) return refused
      if (refused !== undefined) this.#refused.set(spec.id, refused)
      return undefined
    }
  }

  declare readonly admits: NonNullable<Policy['admits']>

  #note(wait: Seconds): void {
    this.#areJobs = true
    if (!Number.isNaN(wait)) this.#areRecorded = true
  }

  /**
   * Warns if the log has no recorded starts, since nothing can be replayed then: the machine stands idle until `until`, or jobs start as soon as
   * they fit.
   */
  #tellIfNone(): void {
    this.#isTold = true
    if (this.#areRecorded) return
    this.#warn(this.#until < Infinity
      ? `of no job submitted by ${this.#until} s the log says when it started: none starts before that time.`
      : 'of its first jobs the log does not say when they started: such jobs start as soon as they fit.')
  }

  schedule(round: Round): void {
    if (!this.#isTold && this.#areJobs && round.now >= (this.#until < Infinity ? this.#until : 0)) this.#tellIfNone()
    if (round.now >= this.#until) return this.#goOn(round)
    if (this.#until < Infinity) round.wakeAt(this.#until)
    this.#recorded.schedule(round)
  }
  #goOn(round: Round): void {
    const { work, lane } = round
    this.#policy.schedule(round)
    if (!round.explained || this.#refused.size === 0) return
    const jobs = jobsByName(work)
    for (const [name, refused] of this.#refused) {
      const job = jobs.get(name)
      if (job !== undefined && work.unplaced(job, lane) > 0) round.defer(job, Reason.Limit, refused)
    }
  }
}
