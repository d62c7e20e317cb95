import {
  definePolicy, forwarding, WrappedRound, type Env, type JobId, type LaneId, type NodeId, type Plug, type Policy, type Round,
  type Savepoint, type TaskId, type WorkListener,
} from '@sched/core'
import * as z from '@sched/bundled/zod'

const assignOptions = z.strictObject({
  assignMultiple: z.boolean().default(false).describe('several starts per heartbeat of a node; false: one'),
  dynamicMaxAssign: z.boolean().default(true).describe('with assignMultiple: starts end when they have taken more than half of what was free on the node'),
  maxAssign: z.number().int().default(-1).describe('with assignMultiple and without dynamicMaxAssign: most starts per heartbeat; -1: no limit'),
  loadBalancer: z
    .boolean()
    .default(false)
    .describe('on slots: a node takes tasks while it runs fewer than its part of all, slots x min(1, runnable / slots of the cluster), rounded up'),
})
/** Options of `yarnAssign`. */
export type YarnAssignOptions = z.input<typeof assignOptions>

/**
 * Limits how many tasks the policy inside it may start at one heartbeat of a node, and spreads tasks evenly over nodes. A round
 * of all nodes, as there is without heartbeats, has no limit on starts. A gang, which Hadoop does not
 * know, counts as one start: it begins if another start is allowed, and is not stopped half way.
 *
 * Source: Hadoop 3, FairScheduler (assignmultiple, dynamic.max.assign, max.assign); load balancer: Hadoop 1,
 * CapBasedLoadManager, as in the survey, section 6.
 */
export const yarnAssignPolicy = definePolicy({
  name: 'yarn-assign',
  summary: 'limits starts per heartbeat of a node, spreads tasks over nodes',
  source: 'Hadoop 3, FairScheduler: assignmultiple, max.assign',
  options: assignOptions,
  inner: { policy: 'policy' },
  defaults: { policy: 'yarn-fair' },
  create: (options, env, { policy }) => new YarnAssign(options, env, policy.create(env)),
})

/** A policy with YARN's limits on starts per heartbeat. */
export const yarnAssign = (policy: Plug<'policy'>, options: YarnAssignOptions = {}): Plug<'policy'> => yarnAssignPolicy.plug({ policy }, options)

class YarnAssign implements Policy {
  readonly #policy: Policy
  readonly #round: LimitedRound

  constructor(options: z.output<typeof assignOptions>, env: Env, policy: Policy) {
    this.#policy = policy
    const balance = options.loadBalancer ? new Balance(env) : undefined
    this.#round = new LimitedRound(options, env, balance)
    Object.assign(this, forwarding(policy, balance))
  }

  schedule(round: Round): void {
    this.#round.open(round)
    this.#policy.schedule(this.#round)
  }
}

/** Counts running tasks by node and lane, for the load balancer of slots. */
class Balance implements WorkListener {
  readonly #env: Env
  readonly #lanes: number
  readonly #onNode: Int32Array
  readonly #running: number[]

  constructor(env: Env) {
    this.#env = env
    this.#lanes = env.cluster.lanes.length
    this.#onNode = new Int32Array(env.cluster.nodes * this.#lanes)
    this.#running = env.cluster.lanes.map(() => 0)
    if (env.cluster.lanes.some(({ resources }) => resources.length > 1)) env.warn('the load balancer has no effect: it counts slots, and nodes here have resources')
  }

  onClaim(_job: JobId, lane: LaneId, _task: TaskId, node: NodeId): void {
    this.#count(lane, node, 1)
  }

  onRelease(_job: JobId, lane: LaneId, _task: TaskId, node: NodeId): void {
    this.#count(lane, node, -1)
  }

  #count(lane: LaneId, node: NodeId, by: 1 | -1): void {
    const at = node * this.#lanes + lane
    this.#onNode[at] = (this.#onNode[at] as number) + by
    this.#running[lane] = (this.#running[lane] as number) + by
  }

  /** Whether a node runs fewer tasks than its part of all. */
  accepts(node: NodeId, { lane, pending }: Round): boolean {
    const { cluster } = this.#env
    const [slots, ...others] = cluster.lanes[lane]?.resources ?? []
    if (slots === undefined || others.length > 0) return true
    const runnable = pending + (this.#running[lane] as number)
    return (this.#onNode[node * this.#lanes + lane] as number) < Math.ceil(cluster.total(node, slots) * Math.min(1, runnable / cluster.capacity(slots)))
  }
}

/** A round that ends for a node when enough tasks have started there: it reports no room then, and nothing fits. */
class LimitedRound extends WrappedRound {
  readonly #options: z.output<typeof assignOptions>
  readonly #balance: Balance | undefined
  readonly #env: Env
  #claims = 0
  /** Whether the round is a heartbeat of a node, or an offer of one of several. */
  #isBeat = false
  /** By resource of the lane: the amounts started, and half of what was free at first. */
  readonly #started: number[] = []
  readonly #half: number[] = []
  /** The gang that is being started, and the number of its tasks still to start. */
  #gang: JobId | undefined
  #left = 0
  readonly #saved = new Map<Savepoint, { readonly claims: number; readonly started: readonly number[] }>()

  constructor(options: z.output<typeof assignOptions>, env: Env, balance: Balance | undefined) {
    super()
    this.#options = options
    this.#env = env
    this.#balance = balance
  }

  open(round: Round): void {
    this.inner = round
    this.#claims = 0
    this.#left = 0
    this.#saved.clear()
    const [node] = round.nodes
    // a cluster of one node has no heartbeats either, unless it says so
    this.#isBeat = round.nodes.length === 1 && (round.cluster.heartbeat > 0 || this.#env.cluster.nodes > 1)
    if (node === undefined || !this.#isBeat) return
    for (const r of this.#env.cluster.lanes[round.lane]?.resources ?? []) {
      this.#started[r] = 0
      this.#half[r] = round.cluster.free(node, r) / 2
    }
  }

  /** Whether another task may start in this heartbeat. */
  #goesOn(): boolean {
    if (this.#claims === 0 || !this.#isBeat) return true
    const { assignMultiple, dynamicMaxAssign, maxAssign } = this.#options
    if (!assignMultiple) return false
    if (!dynamicMaxAssign) return maxAssign <= 0 || this.#claims < maxAssign
    return (this.#env.cluster.lanes[this.lane]?.resources ?? []).every((r) => (this.#started[r] as number) <= (this.#half[r] as number))
  }

  #accepts(node: NodeId): boolean {
    if (this.#left > 0) return true
    return this.#goesOn() && (this.#balance?.accepts(node, this.inner) ?? true)
  }

  override room(node: NodeId): boolean {
    return this.#accepts(node) && this.inner.room(node)
  }

  override fits(job: JobId, node: NodeId): boolean {
    return this.#accepts(node) && this.inner.fits(job, node)
  }

  override claim(task: TaskId, node: NodeId): boolean {
    const shape = this.work.shapeOf(task)
    const job = this.work.jobOf(task)
    const together = this.work.together(job, this.lane)
    if (!this.#accepts(node) || !this.inner.claim(task, node)) return false
    this.#left = this.#left > 0 && job === this.#gang ? this.#left - 1 : together - 1
    this.#gang = job
    this.#claims++
    for (const r of this.#env.cluster.lanes[this.lane]?.resources ?? []) this.#started[r] = (this.#started[r] ?? 0) + this.work.demand(shape, r)
    return true
  }

  override savepoint(): Savepoint {
    const at = super.savepoint()
    this.#saved.set(at, { claims: this.#claims, started: [...this.#started] })
    return at
  }

  /** Starts of a gang that are taken back do not count. */
  override rollback(to: Savepoint): void {
    super.rollback(to)
    this.#left = 0
    const { claims, started } = this.#saved.get(to) ?? { claims: 0, started: [] }
    this.#claims = claims
    for (const r of this.#started.keys()) this.#started[r] = started[r] ?? 0
  }

  override get claimsLeft() {
    return this.#left > 0 || this.#goesOn() ? this.inner.claimsLeft : 0
  }
}
