import { definePolicy, forwarding, None, Reason, rememberedJobs, type Env, type JobId, type LaneId, type NodeId, type Order, type Plug, type Policy, type Round, type TaskId } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { Gangs } from './gangs.js'
import { lowestFitting } from './lowest-fitting.js'

const skips = z.number().int().nonnegative()
const skipDelayOptions = z.strictObject({
  skips: z.union([skips, z.array(skips).min(1)]).describe(
    'D: scheduling opportunities a job lets pass for a node with its data; or [D1, D2]: D1, then D2 more before it leaves the rack',
  ),
})
/** Options of `skipDelay`, in scheduling opportunities. */
export type SkipDelayOptions = z.input<typeof skipDelayOptions>

/**
 * Delay scheduling by count: a job without a task near the node is passed over up to D times. After that it launches
 * anywhere until it gets a local task again, which alone sets its count to 0. D = 0 is Algorithm 1. With several counts
 * one level is relaxed after the other. A job that the scan never reaches is not skipped. Without heartbeats, and with no running task whose
 * end would give another opportunity, skipped jobs would wait for ever; so the nodes are offered again, and each skipped job moves on to its next level.
 *
 * A gang is not delayed: it starts when the nodes in sight have room for all of it. Jobs of a pool that is starved past its timeout
 * are delayed here, since the algorithm knows no preemption; under `delay` they are not.
 *
 * Source: Zaharia et al., EuroSys 2010, Algorithm 2, and section 3.3 for racks.
 */
export const skipDelayPolicy = definePolicy({
  name: 'skip-delay',
  summary: 'a job lets D opportunities pass for a node with its data, [D1, D2] with racks',
  source: 'Zaharia et al., EuroSys 2010, Algorithm 2',
  options: skipDelayOptions,
  inner: { order: 'order' },
  defaults: { order: 'fair' },
  create: (options, env, { order }) => new SkipDelay(limitsOf(options.skips, env), env, order.create(env)),
})

/** Delay scheduling by count (Algorithm 2) over an order. */
export const skipDelay = (order: Plug<'order'>, options: SkipDelayOptions): Plug<'policy'> => skipDelayPolicy.plug({ order }, options)

/** The count of skips from which each level may be left: D1, D1 + D2, ... With a single D a job goes from its nodes straight to anywhere. */
function limitsOf(counts: number | readonly number[], { cluster }: Env): Float64Array {
  const each = typeof counts === 'number' ? [counts] : counts
  let sum = 0
  return Float64Array.from({ length: cluster.levels }, (_, level) => (sum += each[level] ?? 0))
}

/** How often each job was skipped in a lane; jobs that were not are left out. */
type SkipsMemory = readonly (readonly [job: string, lane: LaneId, count: number])[]

class SkipDelay implements Policy {
  readonly startsGangJobs: boolean
  readonly #order: Order
  readonly #limits: Float64Array
  readonly #lanes: number
  /** Skips so far, `[job * lanes + lane]`. */
  readonly #skips: number[] = []
  readonly #gangs = new Gangs()
  /** Tasks that are claimed or run, without masters, which only end with the last of the others. */
  #running = 0
  #wasSkipped = false
  /** Whether this is a repeated pass over the nodes because no other opportunity will come. */
  #isLast = false

  constructor(limits: Float64Array, env: Env, order: Order) {
    const { cluster } = env
    this.#order = order
    this.#limits = limits
    this.#lanes = cluster.lanes.length
    this.startsGangJobs = order.startsGangJobs !== false
    const counts = {
      onSubmit: (job: JobId) => this.#reset(job),
      onClaim: (_job: JobId, _lane: LaneId, task: TaskId) => void (this.#running += env.work.isMaster(task) ? 0 : 1),
      onRelease: (_job: JobId, _lane: LaneId, task: TaskId) => void (this.#running -= env.work.isMaster(task) ? 0 : 1),
      memory: () => this.#memory(env),
      recall: (memory: unknown) => this.#recall(memory as SkipsMemory, env),
    }
    Object.assign(this, forwarding(order, counts))
  }

  #memory({ work, cluster }: Env): SkipsMemory {
    const rows = work.jobs().flatMap((job) => cluster.lanes.map((_, lane) => [work.name(job), lane as LaneId, this.#skips[job * this.#lanes + lane] as number] as const))
    return rows.filter(([, , count]) => count > 0)
  }

  #recall(memory: SkipsMemory, { work }: Env): void {
    for (const [job, lane, count] of rememberedJobs(memory, work)) this.#skips[job * this.#lanes + lane] = count
  }

  schedule(round: Round): void {
    this.#gangs.begin()
    this.#isLast = false
    this.#goOver(round)
    while (this.#wasSkipped && this.#running === 0 && round.reach === undefined) {
      this.#isLast = true
      this.#goOver(round)
    }
  }

  #goOver(round: Round): void {
    const { nodes } = round
    this.#wasSkipped = false
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i] as NodeId
      while (round.room(node) && this.#startOn(node, round)) {
        // the next free slot of the node
      }
    }
  }

  #startOn(node: NodeId, round: Round): boolean {
    const order = this.#order
    order.begin(round)
    for (let block = order.next(); block !== undefined; block = order.next())
      for (let i = block.from; i < block.to; i++) if (this.#offer(block.ids[i] as JobId, node, round)) return true
    return false
  }

  #offer(job: JobId, node: NodeId, round: Round): boolean {
    const { lane, work } = round
    if (!round.fits(job, node)) return false
    if (work.together(job, lane) > 1) return this.#gangs.start(job, round, lowestFitting)
    const at = job * this.#lanes + lane
    const task = work.taskFor(job, lane, node, this.#allowed(job, at, round))
    if (task === None) {
      this.#skip(at)
      round.defer(job, Reason.Locality)
      return false
    }
    if (!round.claim(task, node)) return false
    if (work.level(task, node) === 0) this.#skips[at] = 0
    return true
  }

  #allowed(job: JobId, at: number, { work, lane }: Round): number {
    const limits = this.#limits
    if (!work.hasData(job, lane)) return limits.length
    let level = 0
    while (level < limits.length && (this.#skips[at] as number) >= (limits[level] as number)) level++
    return level
  }

  #skip(at: number): void {
    const count = this.#skips[at] as number
    const leaves = this.#limits.find((limit) => limit > count)
    this.#skips[at] = this.#isLast ? (leaves ?? count) : count + 1
    this.#wasSkipped ||= !this.#isLast || leaves !== undefined
  }

  #reset(job: JobId): void {
    for (let lane = 0; lane < this.#lanes; lane++) this.#skips[job * this.#lanes + lane] = 0
  }
}
