import { definePlacement, type ClusterView, type Env, type JobId, type LaneId, type NodeId, type None, type Plug, type ResourceId, type Round, type ShapeId, type WorkView } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { KaiDomains } from './kai-domains.js'
import { NearPlacement } from './near-placement.js'
import { Nearness, startingTogether, type Asked, type Firm } from './nearness.js'
import { freeNow, type Amounts } from './packing.js'
import { ByShape } from './scored/by-shape.js'

const strategy = z.enum(['binpack', 'spread']).default('binpack')
const kaiScoresOptions = z.strictObject({
  gpu: strategy.describe('where tasks that ask for GPUs go: where fewest are free (binpack), or where the largest part of those of the node is (spread)'),
  cpu: strategy.describe('the same of CPUs, for tasks that ask for no GPU'),
})
/** Options of `kaiScores`; both may be left out. */
export type KaiScoresOptions = z.input<typeof kaiScoresOptions>

type Strategy = z.output<typeof strategy>
/** How well a node suits by what is free of one resource: at most 1, at least -1. */
type FreeScore = (node: NodeId, resource: ResourceId, cluster: ClusterView, free: Amounts) => number

/** Each of these outweighs all score differences that come after it. */
const NO_GPUS = 2
const SHARED_GPU = 2
const scores: Readonly<Record<Strategy, FreeScore>> = {
  /** Less free is better, as a part of the cluster's total; a node without the resource has -1. */
  binpack: (node, resource, cluster, free) => (cluster.total(node, resource) === 0 ? -1 : -wholeFree(node, resource, cluster, free) / cluster.capacity(resource)),
  spread: (node, resource, cluster, free) => {
    const total = cluster.total(node, resource)
    return total === 0 ? 0 : wholeFree(node, resource, cluster, free) / total
  },
}

/**
 * Where the KAI Scheduler places a task. A task that asks for no GPU goes to a node without GPUs, if one has room. One that asks for a share of a
 * GPU goes, if GPUs are packed, to a node where a GPU that others share has room. Then free GPUs decide, or free CPUs for a task that asks for no
 * GPU, before the task is there: pack takes the smallest free amount, spread the largest free part of the node. A GPU that is a device counts as
 * free only if nobody has a share of it. Ties: the lowest node. The resources must be called `gpu` and `cpu`.
 *
 * What a job with a `topology` starts at once goes into one domain, such as a rack (see `KaiDomains`), where the same decides. Further tasks follow one by
 * one, in the domain that is required.
 *
 * Source: KAI Scheduler, plug-ins resourcetype, gpusharingorder, nodeplacement (pack.go, spread.go) and topology, as in its default configuration.
 * Deviations: the GPU of which a task gets a share is not chosen by `gpupack` or `gpuspread`; it is always the one with the least room. A job that no
 * domain could ever hold is refused.
 */
export const kaiScoresPlacement = definePlacement({
  name: 'kai-scores',
  summary: 'tasks without GPUs on nodes without, then where fewest GPUs, or CPUs, are free, or the largest part; in the racks that jobs ask for',
  source: 'NVIDIA KAI Scheduler: resourcetype, nodeplacement, topology',
  options: kaiScoresOptions,
  create: (by, env) => new KaiScores(by, env),
})

/** Where the KAI Scheduler places a task. */
export const kaiScores = (options: KaiScoresOptions = {}): Plug<'placement'> => kaiScoresPlacement.plug({}, options)

class KaiScores extends NearPlacement {
  readonly #plain: ByShape
  readonly #domains: KaiDomains
  readonly #room: Int32Array
  readonly #by: z.output<typeof kaiScoresOptions>
  readonly #gpus: ResourceId
  readonly #cpus: ResourceId
  /** What is free in the view that was seen last. */
  #free: Amounts | undefined
  #seen: ClusterView | undefined

  constructor(by: z.output<typeof kaiScoresOptions>, env: Env) {
    const { cluster } = env
    super(new Nearness('kai-scores', env))
    this.#by = by
    this.#room = new Int32Array(cluster.nodes)
    this.#gpus = cluster.resources.indexOf('gpu') as ResourceId
    this.#cpus = cluster.resources.indexOf('cpu') as ResourceId
    this.#plain = new ByShape((node, shape, _lane: LaneId, view, work) => this.#score(node, shape, view, work, this.#freeIn(view)))
    this.#domains = new KaiDomains(cluster, (node, shape, round, free) => this.#score(node, shape, round.cluster, round.work, free))
  }

  override pick(job: JobId, round: Round): NodeId | None {
    return this.nearness.askedOf(job, round) === undefined ? this.#plain.pick(job, round) : super.pick(job, round)
  }

  protected override planFreely(job: JobId, round: Round): void {
    const node = this.#plain.pick(job, round)
    if (node >= 0) this.places.nodes.push(node as NodeId)
  }

  protected override planNear(asked: Asked, { required, racks }: Firm, job: JobId, round: Round): void {
    if (racks !== undefined && required === undefined) return this.#planInRacks(asked, job, round)
    const { work, lane } = round
    const parts = asked.isOfStage || !work.isGangJob(job) ? [{ shape: work.shape(job, lane), tasks: startingTogether(job, round) }] : work.parts(job, lane)
    const running = this.nearness.nodesOf(job, asked.isOfStage, round)
    this.places.nodes.push(...this.#domains.plan({ ...asked, required }, parts, running, job, round))
  }

  /** Plans what starts at once in as few racks as hold it, which KAI's jobs do not ask for. */
  #planInRacks({ isOfStage }: Asked, job: JobId, round: Round): void {
    const tasks = startingTogether(job, round)
    if (this.measure(job, round) >= tasks) this.nearness.tree.choose(this.#room, tasks, this.places.nodes, { first: this.nearness.leavesOf(job, isOfStage, round) })
  }

  /** Notes for how many tasks of the job each node in sight has room; returns the sum. */
  protected override measure(job: JobId, round: Round): number {
    const { nodes, cluster, work, lane } = round
    const shape = work.shape(job, lane)
    let all = 0
    this.#room.fill(0)
    for (const node of nodes) if (round.fits(job, node)) all += this.#room[node] = Math.max(1, cluster.couldTake(shape, node))
    return all
  }

  #score(node: NodeId, shape: ShapeId, view: ClusterView, work: WorkView, free: Amounts): number {
    const [gpus, cpus, by] = [this.#gpus, this.#cpus, this.#by]
    const asked = gpus < 0 ? 0 : work.demand(shape, gpus)
    if (asked > 0) return scores[by.gpu](node, gpus, view, free) + (by.gpu === 'binpack' && hasShared(node, gpus, asked, view, free) ? SHARED_GPU : 0)
    const score = cpus >= 0 ? scores[by.cpu](node, cpus, view, free) : 0
    return gpus < 0 || view.total(node, gpus) === 0 ? NO_GPUS + score : score
  }

  #freeIn(view: ClusterView): Amounts {
    if (this.#free === undefined || this.#seen !== view) this.#free = freeNow(view)
    this.#seen = view
    return this.#free
  }
}

/** The free amount of a resource; of one that comes in devices only that of devices of which nobody has a share. */
function wholeFree(node: NodeId, resource: ResourceId, cluster: ClusterView, free: Amounts): number {
  const size = cluster.deviceSize(resource)
  if (size === 0) return free.amount(node, resource)
  let whole = 0
  for (let i = cluster.devices(node, resource) - 1; i >= 0; i--) if (free.device(node, resource, i) === size) whole += size
  return whole
}

/** Whether the amount is a share of a device and fits on a device that others share. */
function hasShared(node: NodeId, resource: ResourceId, amount: number, cluster: ClusterView, free: Amounts): boolean {
  const size = cluster.deviceSize(resource)
  if (amount >= size) return false
  for (let i = cluster.devices(node, resource) - 1; i >= 0; i--) {
    const here = free.device(node, resource, i)
    if (here >= amount && here < size) return true
  }
  return false
}
