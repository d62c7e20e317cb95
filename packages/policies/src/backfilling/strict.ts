import { definePolicy, forwarding, None, Reason, type Env, type JobId, type Order, type Placement, type Plug, type Policy, type Round } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { fifo } from '../orders/fifo.js'
import { Explanations } from './explain.js'
import { startHeads } from './heads.js'
import { KeptHeads } from './kept-heads.js'
import { overrunOptions, windowOptions } from './options.js'
import { Profile } from './profile.js'
import { RigidJobs } from './rigid-jobs.js'
import type { RigidLane } from './rigid-lane.js'
import { planRunning, Windows, windowsOf } from './windows.js'

const strictOptions = z.strictObject({
  keepHead: z.boolean().default(false).describe('whether the first job that must wait stays the first until it starts, whoever comes'),
  ...windowOptions,
  ...overrunOptions,
})
/** Options of `strict`. */
export interface StrictOptions extends z.input<typeof strictOptions> {
  /** Where the tasks of a job go; default: the lowest nodes with room. */
  readonly placement?: Plug<'placement'>
}

/**
 * The first job in order starts as soon as there is room for it, and until then no other job does: over `fifo` that is FCFS. Under an order
 * that prefers later jobs the first job may be another one at every pass; with `keepHead`, as in RLScheduler (Zhang et al., SC 2020), it stays the
 * same until it starts. Estimates matter only before a maintenance window, which a job must not run into.
 *
 * Source: Lin et al., survey of cluster resource scheduling, section 8 (FCFS).
 */
export const strictPolicy = definePolicy({
  name: 'strict',
  summary: 'the first job in order blocks the others until it starts (FCFS over fifo)',
  source: 'Lin et al., survey, section 8',
  options: strictOptions,
  inner: { order: 'order', placement: 'placement?' },
  defaults: { order: 'fifo' },
  create: (options, env, { order, placement }) => new Strict(options, env, order.create(env), placement?.create(env)),
})

/** FCFS over an order: the first job blocks the others. */
export const strict = (order: Plug<'order'> = fifo(), { placement, ...options }: StrictOptions = {}): Plug<'policy'> =>
  strictPolicy.plug({ order, placement }, options)

class Strict implements Policy {
  readonly startsGangJobs: boolean
  readonly #jobs: RigidJobs
  readonly #windows: Windows
  readonly #profiles: readonly Profile[]
  readonly #explanations: Explanations
  readonly #kept: KeptHeads | undefined

  constructor(options: z.output<typeof strictOptions>, env: Env, order: Order, placement: Placement | undefined) {
    const windows = windowsOf(options.windows, env)
    this.#jobs = new RigidJobs(env, { order, placement }, options)
    this.startsGangJobs = this.#jobs.startsGangJobs
    this.#windows = new Windows(windows, env.cluster)
    if (!this.#windows.isEmpty) this.#jobs.countAmounts('strict with windows')
    this.#profiles = this.#jobs.lanes.map(({ width }) => new Profile(width))
    this.#explanations = new Explanations(this.#jobs, windows)
    if (options.keepHead) this.#kept = new KeptHeads(env, this.#jobs.lanes)
    Object.assign(this, forwarding(this.#kept, this.#jobs))
  }

  schedule(round: Round): void {
    const lane = this.#jobs.open(round)
    const mayStart = this.#windows.isEmpty ? undefined : (job: JobId) => this.#endsInTime(job, lane, round)
    const kept = this.#kept?.start(round, this.#jobs, lane, mayStart) ?? None
    const head = kept === None ? startHeads(round, this.#jobs, lane, mayStart) : kept
    if (head !== None) this.#kept?.keep(lane, head, NaN)
    if (!this.#windows.isEmpty) this.#windows.wake(round)
    this.#explanations.give(round, lane, head, Reason.Order)
  }

  #endsInTime(job: JobId, lane: RigidLane, { now }: Round): boolean {
    const profile = this.#profiles[lane.lane] as Profile
    planRunning(profile, lane, this.#windows, now)
    return profile.fitsNow(lane.length[job] as number, lane.demand, job * lane.width)
  }
}
