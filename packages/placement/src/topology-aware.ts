import { definePlacement, leastTasks, None, type ClusterView, type Env, type JobId, type JobSpec, type NodeId, type Plug, type Round, type Slice, type StageSpec, type Topology } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { Domains, type Choice } from './domains.js'
import { fullestGroup } from './fullest-group.js'
import type { Search } from './led-domains.js'
import { leaderOf, LedGang } from './led-gang.js'
import { NearPlacement } from './near-placement.js'
import { isSeveral, Nearness, startingAtBest, startingTogether, type Asked, type Firm } from './nearness.js'

const topologyAwareOptions = z.strictObject({
  profile: z.enum(['mixed', 'best-fit', 'least-free-capacity', 'most-free-capacity', 'balanced', 'most-allocated']).default('mixed')
    .describe('which domains are taken: those with most room first and the last one the tightest (best-fit), or those with least or most room first; mixed: best-fit for what must or should be together, least-free-capacity for all else; balanced: the same, but what should be together is shared evenly by domains near each other (the profiles of Kueue); most-allocated: mixed, but of the domains that hold what must be in one the one of which the largest part is allocated then (kube-scheduler)'),
})
/** Options of `topology-aware`; it may be left out. */
export type TopologyAwareOptions = z.input<typeof topologyAwareOptions>

/**
 * Places a job by its `topology` as Kueue finds domains (racks, blocks, nodes) for a pod set: in one domain of the level that is required or preferred,
 * within it in as few domains of the next level as possible, and so on down to nodes. If no domain of a preferred level has room, the search goes on in
 * the level above, and at last takes several domains. Slices of a job are each in one domain of their level. Jobs that ask for no topology go on as few
 * nodes as possible. Every job is treated as if all its tasks had one shape.
 *
 * Source: Kueue, Topology Aware Scheduling (KEP-2724), tas_flavor_snapshot.go, with its feature gates as profiles; kube-scheduler, PlacementBinPacking
 * (most-allocated, which looks at tasks of one stage). Deviations: nodes are always the lowest level; the room of a domain is the sum of what each of its nodes
 * has room for; several pod sets in one domain (`podset-group-name`) that are not one leader and its workers, or of which some run, are placed as
 * `topology-tree` does; a task that follows later, or starts anew, goes where a slice is not whole.
 */
export const topologyAwarePlacement = definePlacement({
  name: 'topology-aware',
  summary: 'as few racks and nodes as hold the job, as Kueue finds them',
  source: 'Kueue, Topology Aware Scheduling',
  options: topologyAwareOptions,
  create: (options, env) => new TopologyAware(options, env),
})

/** Tasks of a job in the domains that Kueue finds for it. */
export const topologyAware = (options: TopologyAwareOptions = {}): Plug<'placement'> => topologyAwarePlacement.plug({}, options)

class TopologyAware extends NearPlacement {
  readonly #profile: z.output<typeof topologyAwareOptions>['profile']
  readonly #domains: Domains
  readonly #led: LedGang
  readonly #cluster: ClusterView
  readonly #levels: number
  readonly #room: Float64Array

  constructor({ profile }: z.output<typeof topologyAwareOptions>, env: Env) {
    const { cluster } = env
    super(new Nearness('topology-aware', env, { slices: true }))
    this.#profile = profile
    this.#domains = new Domains(cluster)
    this.#led = new LedGang(cluster, this.#domains.levels)
    this.#cluster = cluster
    this.#levels = cluster.levels
    this.#room = new Float64Array(cluster.nodes)
  }

  /** Refuses a job whose slices no group can hold, too. */
  override admits(spec: JobSpec): string | undefined {
    const { id, stages, topology } = spec
    const refused = super.admits(spec)
    if (refused !== undefined || stages.length === 1 || topology?.slices === undefined || stages.some((stage) => stage.topology !== undefined))
      return refused ?? stages.map((stage) => this.#whyNoSlices(id, stage, stage.topology ?? topology)).find((why) => why !== undefined)
    const leader = leaderOf(stages)
    const workers = stages[leader === 0 ? 1 : 0] as StageSpec
    return this.#whyNoSlices(id, workers, topology) ?? (leader === undefined ? undefined : this.#whyNoRoomToLead(stages, leader, topology))
  }

  #whyNoRoomToLead(stages: readonly StageSpec[], leader: 0 | 1, topology: Topology): string | undefined {
    if ((topology.wait ?? Infinity) < Infinity || this.#led.couldHold(stages, leader, this.#slicesOf(topology), this.#searchOf(topology, topology))) return undefined
    return 'there is no room for its tasks in slices beside the one that leads them (its topology)'
  }

  #whyNoSlices(id: string, stage: StageSpec, topology: Topology | undefined): string | undefined {
    const [outer] = topology?.slices ?? []
    if (topology === undefined || outer === undefined) return undefined
    const { preferred = topology.required, required, wait = Infinity } = topology
    if (preferred !== undefined && outer.level > preferred) return `its slices of level ${outer.level} are above level ${preferred}, of which all of it asks one group (its topology)`
    if (outer.level >= this.#levels) this.nearness.tellOfNoLevel(id, `slices in one group of level ${outer.level}`)
    const tasks = leastTasks(stage)
    for (let node = 0 as NodeId; node < this.#cluster.nodes; node++) this.#room[node] = this.#cluster.couldHold(stage, node)
    this.#domains.fill(this.#room, this.#slicesOf(topology))
    const most = this.#domains.mostOf(tasks, this.#levelOf(required))
    if (wait < Infinity || tasks === most) return undefined
    const few = required === undefined ? `the cluster has room for only ${most}` : `no group of level ${required} has room for more than ${most}`
    return `${few} tasks in slices of ${outer.size}, and ${tasks} must start at once (its topology)`
  }

  protected override planNear(asked: Asked, firm: Firm, job: JobId, round: Round): void {
    const { required } = firm
    if (this.#planLed(asked, firm, job, round)) return
    if (required !== undefined && this.nearness.placeWhole(required, asked, job, round, this.places.nodes)) return
    this.#planIn(this.#levelOf(required), firm, asked, job, round)
  }

  /** Plans a leader with its workers that are to be near each other; false: the job is no such gang, or some of it runs. */
  #planLed(asked: Asked, firm: Firm, job: JobId, round: Round): boolean {
    const level = asked.preferred ?? firm.required
    if (asked.isOfStage || firm.racks !== undefined || this.#profile === 'most-allocated' || (level ?? firm.slices) === undefined) return false
    if (!isSeveral(job, round) || this.nearness.runs(job)) return false
    return this.#led.plan(this.#slicesOf(firm), this.#searchOf(asked, firm), job, round, this.places.nodes)
  }

  /** Where all of a leader and its workers are looked for. */
  #searchOf({ preferred }: Topology, { required }: Firm): Search {
    const top = this.#levels - 1
    const from = Math.min(preferred ?? required ?? top, top)
    return { from, to: this.#levelOf(required) ?? (preferred === undefined && required === undefined ? from : top), isFirm: this.#levelOf(required) !== undefined, choice: this.#choice((preferred ?? required) !== undefined) }
  }

  /** Plans the job's tasks, all or as many as fit, as near as the job asks. If one domain is required and the job has tasks in one, the others go there. */
  #planIn(required: number | undefined, firm: Firm, asked: Asked, job: JobId, round: Round): void {
    const { racks } = firm
    const slices = this.#slicesOf(firm)
    const taken = required === undefined ? undefined : this.nearness.groupOf(required, job, asked.isOfStage, round)
    const within = (group: number | undefined) => this.#measure(job, round, group === undefined ? undefined : (node) => round.cluster.group(required as number, node) === group)
    within(taken)
    const top = this.#levels - 1
    const level = asked.preferred ?? required
    const choice = racks === undefined ? this.#choice(level !== undefined) : 'best-fit'
    if (slices.length > 0) this.#fillUp(slices, choice, job, round)
    const planned = this.places.nodes.length
    const together = startingTogether(job, round)
    const left = startingAtBest(job, round) - planned
    const tasks = Math.min(left, Math.max(together - planned, this.#domains.mostOf(left, required)))
    if (this.#profile === 'most-allocated' && required !== undefined && taken === undefined && slices.length === 0) within(fullestGroup(this.#domains.holding(required, tasks), required, tasks, job, round))
    const from = Math.min(level ?? (slices.length > 0 ? top : racks === undefined ? 0 : 1), top)
    const nodes = tasks > 0 ? this.#domains.nodes(tasks, choice, { from, to: required ?? (asked.preferred === undefined ? from : top), isFirm: required !== undefined, isBalanced: this.#isBalanced(asked), isWhole: together === 1 && tasks < left }) : undefined
    this.#place(nodes)
    if (this.places.nodes.length < together) this.places.nodes.length = 0
  }

  /**
   * Plans tasks where slices of the job lack some, the innermost first, and takes them from the room. In Kueue so is a pod placed whose node is replaced
   * (requiredReplacementDomain).
   */
  #fillUp(slices: readonly Slice[], choice: Choice, job: JobId, round: Round): void {
    const { cluster } = round
    const { nodes: places } = this.places
    const running = this.nearness.nodesOfFront(job, round)
    const most = startingAtBest(job, round)
    for (const [i, { level, size }] of running.length === 0 ? [] : [...slices.entries()].reverse()) {
      const counts = new Map<number, number>()
      for (const node of [...running, ...places]) counts.set(cluster.group(level, node), (counts.get(cluster.group(level, node)) ?? 0) + 1)
      for (const [group, count] of [...counts].filter(([, each]) => each % size > 0).sort(([a], [b]) => a - b)) {
        this.#domains.fill(this.#room.map((room, node) => (cluster.group(level, node as NodeId) === group ? room : 0)), slices.slice(i + 1))
        const tasks = Math.min(size - (count % size), most - places.length, this.#domains.most(level))
        const nodes = tasks > 0 ? (this.#domains.nodes(tasks, choice, { from: level, isFirm: true }) ?? []) : []
        for (const node of nodes) this.#room[node] = (this.#room[node] as number) - 1
        places.push(...nodes)
      }
    }
    this.#domains.fill(this.#room, slices)
  }

  /** Whether the tasks are to be shared evenly by domains of the level that is preferred. */
  #isBalanced({ preferred = Infinity, required, racks }: Asked): boolean {
    return this.#profile === 'balanced' && preferred < this.#levels && required === undefined && racks === undefined
  }

  /** The level of the cluster that is required; none if it is above all, since then all nodes are one group. */
  #levelOf(required: number | undefined): number | undefined {
    return required !== undefined && required < this.#levels ? required : undefined
  }

  /** The slices that must be in one group of a level of the cluster. */
  #slicesOf({ slices = [] }: Firm): readonly Slice[] {
    return slices.filter(({ level }) => level < this.#levels)
  }

  /** Plans a gang on as few nodes as possible; the tasks of any other job one by one. */
  protected override planFreely(job: JobId, round: Round): void {
    const together = startingTogether(job, round)
    const choice = this.#choice(false)
    if (round.work.unplaced(job, round.lane) === 1 && choice !== 'most-free-capacity') return this.#place(this.#tightest(job, round))
    const room = this.#measure(job, round, undefined)
    if (together > 1) return this.#place(this.#domains.nodes(Math.min(startingAtBest(job, round), Math.max(together, room)), choice))
    if (room === 0) return
    if (choice === 'most-free-capacity') return this.#place(this.#domains.nodes(1, choice))
    this.#place(this.#domains.inOrder(Math.min(room, round.work.unplaced(job, round.lane)))) // the tightest node again and again
  }

  /** The node with room for the fewest tasks, of equals the first by name: what `Domains` would find for one task, but faster, since such jobs may be many. */
  #tightest(job: JobId, round: Round): readonly NodeId[] {
    const { cluster, nodes, lane, work } = round
    const { ranks } = this.#domains
    const shape = work.shape(job, lane)
    let best: NodeId | None = None
    let least = Infinity
    for (const node of nodes) {
      if (!cluster.hasRoom(lane, node)) continue
      const room = cluster.couldTake(shape, node)
      if (room > least || (room === least && (ranks[node] as number) > (ranks[best] as number)) || !round.fits(job, node)) continue
      best = node
      least = room
    }
    return best === None ? [] : [best]
  }

  #place(nodes: readonly NodeId[] | undefined): void {
    if (nodes !== undefined) this.places.nodes.push(...nodes)
  }

  #choice(isNear: boolean): Choice {
    if (this.#profile !== 'mixed' && this.#profile !== 'balanced' && this.#profile !== 'most-allocated') return this.#profile
    return isNear ? 'best-fit' : 'least-free-capacity'
  }

  protected override measure(job: JobId, round: Round): number {
    return this.#measure(job, round, undefined)
  }

  /** Notes for how many tasks of the job each node in sight that satisfies `isIn` has room; returns the sum. */
  #measure(job: JobId, round: Round, isIn: ((node: NodeId) => boolean) | undefined): number {
    const { cluster, nodes, lane, work } = round
    const shape = work.shape(job, lane)
    let all = 0
    this.#room.fill(0)
    for (const node of nodes) {
      if (!cluster.hasRoom(lane, node) || isIn?.(node) === false || !round.fits(job, node)) continue
      all += this.#room[node] = Math.max(1, cluster.couldTake(shape, node))
    }
    this.#domains.fill(this.#room)
    return all
  }
}
