import { None, type ClusterView, type Env, type JobId, type LaneId, type NodeId, type ResourceId, type ShapeId, type TaskId } from '@sched/core'
import type { Queue, QueueTree } from './queue-tree.js'

/** What the limit on masters reads of fair shares. */
interface Shares {
  readonly poolOf: (job: JobId) => number
  /** The resource that `fair` compares. */
  memory(lane: LaneId): ResourceId
  /** Fair shares of all queues of one resource. */
  sharesOf(r: ResourceId): Float64Array
}

/**
 * Limits what the masters of running jobs may take of their leaf: `maxAMShare` times its instantaneous fair share, rounded up. For a resource
 * of which the leaf has no share, as for all but memory under a parent with policy `fair`, the share counts as what is free in the cluster,
 * at most the maximum of the leaf.
 *
 * Source: Hadoop 3, FSLeafQueue.canRunAppAM. Deviation: shares are those of the instant, in Hadoop of its last update, every half second.
 */
export class MasterShares {
  readonly #env: Env
  readonly #tree: QueueTree
  readonly #shares: Shares
  /** `[leaf][resource]`: what the masters of the leaf use. */
  readonly #used: number[][] = []
  /** By resource: what was free in a cluster at its last so many changes, kept since many masters may ask before the next change. */
  readonly #free: { readonly cluster: ClusterView; readonly changes: number; readonly amount: number }[] = []

  constructor(env: Env, tree: QueueTree, shares: Shares) {
    this.#env = env
    this.#tree = tree
    this.#shares = shares
  }

  /** A task of a leaf was claimed or released. */
  change(task: TaskId, leaf: number, sign: 1 | -1): void {
    const { work, cluster } = this.#env
    if (!work.isMaster(task)) return
    const used = (this.#used[leaf] ??= cluster.resources.map(() => 0))
    const shape = work.shapeOf(task)
    for (const r of used.keys()) used[r] = (used[r] as number) + sign * work.demand(shape, r as ResourceId)
  }

  /**
   * Whether the limit lets the job start its next task; true if that is no master. `cluster`: what the scheduler sees of the cluster, which may be
   * just an offer.
   */
  allow(job: JobId, lane: LaneId, cluster: ClusterView = this.#env.cluster): boolean {
    const shape = this.next(job, lane)
    return shape === None || this.hasRoom(this.#shares.poolOf(job), shape, lane, cluster)
  }

  /** The shape of the job's next task if that is a master, else `None`. */
  next(job: JobId, lane: LaneId): ShapeId | None {
    const { work } = this.#env
    const shape = work.masterShape(job)
    return shape === None || work.running(job, lane) > 0 || work.unplaced(job, lane) !== 1 || work.shape(job, lane) !== shape ? None : shape
  }

  /** Whether the leaf's part for masters has room for a master of this shape. */
  hasRoom(leaf: number, shape: ShapeId, lane: LaneId, cluster: ClusterView): boolean {
    const { maxAMShare } = this.#tree.queues[leaf] as Queue
    if (maxAMShare < 0) return true
    const resources = cluster.lanes[lane]?.resources ?? []
    return resources.every((r) => (this.#used[leaf]?.[r] ?? 0) + this.#env.work.demand(shape, r) <= Math.ceil(this.#shareOf(leaf, lane, r, cluster) * maxAMShare))
  }

  #shareOf(leaf: number, lane: LaneId, r: ResourceId, cluster: ClusterView): number {
    const { queues } = this.#tree
    const { parent, maxResources } = queues[leaf] as Queue
    const isShared = queues[parent]?.policy === 'drf' || r === this.#shares.memory(lane)
    const share = isShared ? Math.floor(this.#shares.sharesOf(r)[leaf] as number) : 0
    return share > 0 ? share : Math.min(this.#freeOf(cluster, r), maxResources[r] as number)
  }

  #freeOf(cluster: ClusterView, r: ResourceId): number {
    const known = this.#free[r]
    const changes = cluster.changeLog?.count ?? NaN
    if (known?.cluster === cluster && known.changes === changes) return known.amount
    const amount = freeOf(cluster, r)
    this.#free[r] = { cluster, changes, amount }
    return amount
  }
}

function freeOf(cluster: ClusterView, r: ResourceId): number {
  let free = 0
  for (let node = 0; node < cluster.nodes; node++) if (cluster.up(node as NodeId)) free += cluster.free(node as NodeId, r)
  return free
}
