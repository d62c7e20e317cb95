import { definePlacement, None, type Env, type JobId, type NodeId, type Plug, type Round, type Topology } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { Domains, type Choice } from './domains.js'
import { NearPlacement } from './near-placement.js'
import { Nearness, startingAtBest, startingTogether, type Asked } from './nearness.js'

const topologyAwareOptions = z.strictObject({
  profile: z.enum(['mixed', 'best-fit', 'least-free-capacity', 'most-free-capacity']).default('mixed')
    .describe('which domains are taken: those with most room first and the last one the tightest (best-fit), or those with least or most room first; mixed: best-fit for what must or should be together, least-free-capacity for all else (the profiles of Kueue)'),
})
/** Options of `topology-aware`; it may be left out. */
export type TopologyAwareOptions = z.input<typeof topologyAwareOptions>

/**
 * Places a job by its `topology` as Kueue finds domains (racks, blocks, nodes) for a pod set: in one domain of the level that is required or preferred,
 * within it in as few domains of the next level as possible, and so on down to nodes. If no domain of a preferred level has room, the search goes on in
 * the level above, and at last takes several domains. Jobs that ask for no topology go on as few nodes as possible. Every job is treated as if all its
 * tasks had one shape.
 *
 * Source: Kueue, Topology Aware Scheduling (KEP-2724), tas_flavor_snapshot.go, with its feature gates as profiles. Deviations: nodes are always the
 * lowest level; the room of a domain is the sum of what each of its nodes has room for; several pod sets in one domain (`podset-group-name`) are placed
 * as `topology-tree` does; no slices, no balanced placement.
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
  readonly #levels: number
  readonly #room: Float64Array

  constructor({ profile }: z.output<typeof topologyAwareOptions>, env: Env) {
    const { cluster } = env
    super(new Nearness('topology-aware', env))
    this.#profile = profile
    this.#domains = new Domains(cluster)
    this.#levels = cluster.levels
    this.#room = new Float64Array(cluster.nodes)
  }

  protected override planNear(asked: Asked, { required, racks }: Pick<Topology, 'required' | 'racks'>, job: JobId, round: Round): void {
    if (required !== undefined && this.nearness.placeWhole(required, asked, job, round, this.places.nodes)) return
    this.#planIn(required !== undefined && required < this.#levels ? required : undefined, racks, asked, job, round)
  }

  /** Plans the job's tasks, all or as many as fit, as near as the job asks. If one domain is required and the job has tasks in one, the others go there. */
  #planIn(required: number | undefined, racks: number | undefined, asked: Asked, job: JobId, round: Round): void {
    const taken = required === undefined ? undefined : this.nearness.groupOf(required, job, asked.isOfStage, round)
    const room = this.#measure(job, round, taken === undefined ? undefined : (node) => round.cluster.group(required as number, node) === taken)
    const top = this.#levels - 1
    const most = required === undefined ? room : this.#domains.most(required)
    const tasks = Math.min(startingAtBest(job, round), Math.max(startingTogether(job, round), most))
    const from = Math.min(asked.preferred ?? required ?? (racks === undefined ? 0 : 1), top)
    const search = { from, to: required ?? (asked.preferred === undefined ? from : top), isFirm: required !== undefined }
    this.#place(this.#domains.nodes(tasks, racks === undefined ? this.#choice(required !== undefined || asked.preferred !== undefined) : 'best-fit', search))
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
    if (this.#profile !== 'mixed') return this.#profile
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
