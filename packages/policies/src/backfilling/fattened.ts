import { definePolicy, forwarding, grown, None, rememberedJobs, type Env, type JobId, type Order, type Placement, type Plug, type Policy, type Round, type Seconds } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { fifo } from '../orders/fifo.js'
import { Explanations } from './explain.js'
import { startHeads } from './heads.js'
import { overrunOptions, windowOptions } from './options.js'
import { Profile } from './profile.js'
import { RigidJobs } from './rigid-jobs.js'
import type { RigidLane } from './rigid-lane.js'
import { MeanWait } from './mean-wait.js'
import { planRunning, Windows, windowsOf } from './windows.js'

const fattenedOptions = z.strictObject({
  delayReference: z
    .enum(['firstShadow', 'currentShadow'])
    .default('firstShadow')
    .describe("what a head's delay is counted from: the first shadow time computed for it, which bounds the sum of its delays, or the one in force"),
  delayingBackfillsPerHead: z
    .union([z.number().int().nonnegative(), z.literal('unlimited')])
    .default('unlimited')
    .describe('how many jobs may delay one head; the authors have 1'),
  awt: z.number().nonnegative().optional().describe('a constant in seconds instead of the mean wait of the jobs finished so far'),
  ...windowOptions,
  ...overrunOptions,
})
/** Options of `fattened`. */
export interface FattenedOptions extends z.input<typeof fattenedOptions> {
  /** Where the tasks of a job go; default: the lowest nodes with room. */
  readonly placement?: Plug<'placement'>
}
type Options = z.output<typeof fattenedOptions>

/**
 * EASY in which a job may also start if it delays the first waiting job, the head, by less than AWT, the mean wait of the jobs
 * finished so far (0 before the first). Other jobs may be delayed freely. The delay is the shadow time that the head would have if the job
 * started now, less a reference (`delayReference`).
 *
 * Source: Gomez-Martin, Vega-Rodriguez and Gonzalez-Sanchez, JPDC 97, 2016; the pseudo-code was lost, this is the reading
 * of Lin et al., survey, section 8. The authors' simulator is `delayReference: 'currentShadow'`, `delayingBackfillsPerHead: 1`,
 * except that it compares the end of the job with the shadow time plus AWT and knows no extra amounts.
 */
export const fattenedPolicy = definePolicy({
  name: 'fattened',
  summary: 'EASY that may delay the first waiting job by less than the mean wait',
  source: 'Gomez-Martin et al., JPDC 97, 2016; Lin et al., survey, section 8',
  options: fattenedOptions,
  inner: { order: 'order', placement: 'placement?' },
  defaults: { order: 'fifo' },
  create: (options, env, { order, placement }) => new Fattened(options, env, order.create(env), placement?.create(env)),
})

/** Fattened backfilling over an order. */
export const fattened = (order: Plug<'order'> = fifo(), { placement, ...options }: FattenedOptions = {}): Plug<'policy'> =>
  fattenedPolicy.plug({ order, placement }, options)

/**
 * Of each job that has been the head: the first shadow time of its next piece (null: none was finite), how many jobs have delayed it, and how many
 * tasks had started before.
 */
type HeadsMemory = readonly (readonly [job: string, first: Seconds | null, delayed: number, before: number])[]

class Fattened implements Policy {
  readonly promises = true
  readonly startsGangJobs: boolean
  readonly #options: Options
  readonly #mayDelay: number
  readonly #jobs: RigidJobs
  readonly #windows: Windows
  readonly #profiles: readonly Profile[]
  readonly #explanations: Explanations
  readonly #waits: MeanWait
  readonly #queue: JobId[] = []
  /** By job, of its next piece: the first shadow time (`NaN` before it was a head, `Infinity` while none was finite), and how many jobs have delayed it. */
  #first = new Float64Array(64)
  #delayed = new Float64Array(64)
  /** Tasks of the job that had started before that piece became a head. */
  #before = new Float64Array(64)

  constructor(options: Options, env: Env, order: Order, placement: Placement | undefined) {
    const windows = windowsOf(options.windows, env)
    this.#options = options
    this.#mayDelay = options.delayingBackfillsPerHead === 'unlimited' ? Infinity : options.delayingBackfillsPerHead
    this.#jobs = new RigidJobs(env, { order, placement }, options)
    this.startsGangJobs = this.#jobs.startsGangJobs
    this.#jobs.countAmounts('fattened')
    this.#jobs.planByEstimates('fattened')
    this.#windows = new Windows(windows, env.cluster)
    this.#profiles = this.#jobs.lanes.map(({ width }) => new Profile(width))
    this.#explanations = new Explanations(this.#jobs, windows)
    this.#waits = new MeanWait(env)
    const own = { onSubmit: (job: JobId) => this.#reset(job), memory: () => this.#memory(env), recall: (memory: unknown) => this.#recall(memory as HeadsMemory, env) }
    Object.assign(this, forwarding(this.#jobs, this.#waits, own))
  }

  #memory({ work }: Env): HeadsMemory {
    const heads = work.jobs().filter((job) => !Number.isNaN(this.#first[job]))
    return heads.map((job) => [work.name(job), this.#first[job] === Infinity ? null : (this.#first[job] as number), this.#delayed[job] as number, this.#before[job] as number] as const)
  }

  #recall(memory: HeadsMemory, { work }: Env): void {
    for (const [job, first, delayed, before] of rememberedJobs(memory, work)) {
      this.#first[job] = first ?? Infinity
      this.#delayed[job] = delayed
      this.#before[job] = before
    }
  }

  schedule(round: Round): void {
    const lane = this.#jobs.open(round)
    const profile = this.#profiles[round.lane] as Profile
    let head = this.#planOnce(round, lane, profile)
    while (head !== None && lane.waits[head] !== true) head = this.#planOnce(round, lane, profile) // a limit holds it back since a job behind it started
    if (!this.#windows.isEmpty) this.#windows.wake(round)
    this.#explanations.give(round, lane, head)
  }

  /** Returns the first job that must wait, or `None`. */
  #planOnce(round: Round, lane: RigidLane, profile: Profile): JobId | None {
    const head = startHeads(round, this.#jobs, lane, (job) => {
      planRunning(profile, lane, this.#windows, round.now)
      return profile.fitsNow(lane.length[job] as number, lane.demand, job * lane.width)
    })
    if (head !== None) this.#scan(head, round, lane, profile)
    return head
  }

  #scan(head: JobId, round: Round, lane: RigidLane, profile: Profile): void {
    planRunning(profile, lane, this.#windows, round.now)
    let shadow = this.#shadowOf(head, lane, profile)
    this.#renew(head)
    if (!((this.#first[head] as number) < Infinity)) this.#first[head] = shadow
    const queue = this.#queue
    queue.length = 0
    this.#jobs.read(round, queue)
    for (let i = 0; i < queue.length; i++) {
      const job = queue[i] as JobId
      while (job !== head && lane.waits[job] === true && lane.fitsIn(lane.free, job)) {
        const after = this.#tryNow(job, head, shadow, round, lane, profile)
        if (after < 0) break
        shadow = after
      }
    }
  }

  /** Starts anew if tasks of the job have started since: another piece waits now, which nobody has delayed. */
  #renew(head: JobId): void {
    const starts = this.#waits.starts(head)
    if (starts === this.#before[head]) return
    this.#before[head] = starts
    this.#first[head] = NaN
    this.#delayed[head] = 0
  }

  /** Starts the job if it may start; returns the head's shadow time after that, or -1 when the job does not start. */
  #tryNow(job: JobId, head: JobId, shadow: Seconds, round: Round, lane: RigidLane, profile: Profile): Seconds {
    const length = lane.length[job] as number
    const at = job * lane.width
    if (!this.#jobs.mayHavePlaces(job, round) || !profile.fitsNow(length, lane.demand, at)) return -1
    const end = round.now + length
    const after = end <= shadow ? shadow : this.#shadowWith(job, end, head, shadow, round, lane, profile)
    const isDelay = after > shadow
    if (isDelay && !this.#mayDelayBy(after, head, shadow)) return -1
    const asked = lane.demand.slice(at, at + lane.width) // once it has started what the job asks is its next piece
    if (!this.#jobs.start(job, round)) return -1
    profile.take(round.now, end, asked, 0)
    if (isDelay) this.#delayed[head] = (this.#delayed[head] as number) + 1
    return after
  }

  /** The head's shadow time, which is no earlier than before, if the job ran from now to `end`. */
  #shadowWith(job: JobId, end: Seconds, head: JobId, shadow: Seconds, round: Round, lane: RigidLane, profile: Profile): Seconds {
    profile.take(round.now, end, lane.demand, job * lane.width)
    const after = profile.earliest(lane.length[head] as number, lane.demand, head * lane.width, shadow)
    profile.take(round.now, end, lane.demand, job * lane.width, -1)
    return after
  }

  #mayDelayBy(after: Seconds, head: JobId, shadow: Seconds): boolean {
    const reference = this.#options.delayReference === 'firstShadow' ? (this.#first[head] as number) : shadow
    return (this.#delayed[head] as number) < this.#mayDelay && after - reference < (this.#options.awt ?? this.#waits.mean)
  }

  #shadowOf(head: JobId, lane: RigidLane, profile: Profile): Seconds {
    return profile.earliest(lane.length[head] as number, lane.demand, head * lane.width)
  }

  #reset(job: JobId): void {
    if (job >= this.#first.length) {
      this.#first = grown(this.#first, job + 1)
      this.#delayed = grown(this.#delayed, job + 1)
      this.#before = grown(this.#before, job + 1)
    }
    this.#first[job] = NaN
    this.#delayed[job] = 0
    this.#before[job] = 0
  }
}
