import { partitionPoint, type ClusterView, type LaneId, type ResourceId } from '@sched/core'
import type { PoolTree } from '../orders/pools.js'
import { fairShares } from './fair-shares.js'
import type { Claims } from './options.js'
import type { PastUsage } from './past-usage.js'
import type { Queue, Queues } from './queues.js'

/** A queue, whether or not a job has ever named it. */
interface Place {
  readonly path: string
  readonly claims: Claims
  readonly inside: Place[]
  /** Its pool, if a job has named it or a queue inside it. */
  pool: number | undefined
}

/**
 * The fair share of GPUs that each queue would be due if every queue with a weight asked for all there is: its steady fair share. Queues without a
 * weight, and those whose quota has no bound, ask for what they have and wait for. Queues that are configured count, whether or not they have jobs.
 *
 * Source: KAI Scheduler, plug-in `proportion`, steadyFairShareReclaim.
 */
export class SteadyShares {
  readonly gpu: ResourceId
  readonly #cluster: ClusterView
  readonly #tree: PoolTree
  readonly #queues: Queues
  readonly #claims: ReadonlyMap<string, Claims>
  readonly #past: PastUsage | undefined
  readonly #root: Place
  readonly #byPath = new Map<string, Place>()
  /** By lane: what there was when it was last divided, where the same would be divided in the same way again. */
  readonly #divided: number[] = []
  /** Number of pools that have their places. */
  #known = 1

  /** `claims`: by path; those of '' are for all other queues. */
  constructor(gpu: ResourceId, cluster: ClusterView, tree: PoolTree, queues: Queues, claims: ReadonlyMap<string, Claims>, past: PastUsage | undefined) {
    this.gpu = gpu
    this.#cluster = cluster
    this.#tree = tree
    this.#queues = queues
    this.#claims = claims
    this.#past = past
    this.#root = { path: '', claims: claims.get('') as Claims, inside: [], pool: 0 }
    for (const path of claims.keys()) if (path !== '') this.#place(path)
  }

  /** Divides what there is anew; returns whether the share of any queue has changed. */
  divide(lane: LaneId): boolean {
    const { pools } = this.#tree
    const total = this.#cluster.capacity(this.gpu)
    if (this.#known < pools.length) this.#divided.length = 0
    for (; this.#known < pools.length; this.#known++) this.#place(pools[this.#known]?.path as string).pool = this.#known
    if (this.#divided[lane] === total) return false
    if (this.#past === undefined && this.#allAskAll(this.#root)) this.#divided[lane] = total
    return this.#divide(this.#root, total, lane)
  }

  /** Whether nothing but the queues and what there is decides on shares, since every queue asks for all there is. */
  #allAskAll(place: Place): boolean {
    return place.inside.length > 0 ? place.inside.every((each) => this.#allAskAll(each)) : this.#asksAll(place)
  }

  #place(path: string): Place {
    const known = this.#byPath.get(path)
    if (known !== undefined) return known
    const end = path.lastIndexOf('/')
    const made: Place = { path, claims: this.#claims.get(path) ?? (this.#claims.get('') as Claims), inside: [], pool: undefined }
    const around = end < 0 ? this.#root : this.#place(path.slice(0, end))
    const { inside } = around
    inside.splice(partitionPoint(0, inside.length, (i) => (inside[i] as Place).path < path), 0, made)
    this.#byPath.set(path, made)
    return made
  }

  #divide({ inside }: Place, total: number, lane: LaneId): boolean {
    const r = this.gpu
    const claimants = inside.map((place) => {
      const { priority, quota, limit, weight } = place.claims
      const had = this.#queue(place, lane)?.had
      return { priority, quota: quota[r] as number, limit: limit[r] as number, weight: weight[r] as number, request: this.#request(place, lane), ...(had !== undefined && this.#past !== undefined && { usage: this.#past.part(had, r) }) }
    })
    const shares = fairShares(total, claimants, this.#cluster.deviceSize(r) || 1, this.#past?.kValue)
    let hasChanged = false
    for (const [i, place] of inside.entries()) {
      const share = shares[i] as number
      const queue = this.#queue(place, lane)
      hasChanged ||= queue !== undefined && queue.steadyShare[r] !== share
      if (queue !== undefined) queue.steadyShare[r] = share
      if (place.inside.length > 0 && this.#divide(place, share, lane)) hasChanged = true
    }
    return hasChanged
  }

  #queue({ pool }: Place, lane: LaneId): Queue | undefined {
    return pool === undefined ? undefined : this.#queues.of(pool, lane)
  }

  #request(place: Place, lane: LaneId): number {
    if (this.#asksAll(place)) return this.#cluster.capacity(this.gpu)
    const queue = this.#queue(place, lane)
    return queue === undefined ? 0 : (queue.allocated[this.gpu] as number) + (queue.pending[this.gpu] as number)
  }

  #asksAll({ inside, claims }: Place): boolean {
    if (inside.length > 0) return inside.some((each) => this.#asksAll(each))
    return (claims.weight[this.gpu] as number) > 0 && (claims.quota[this.gpu] as number) < Infinity
  }
}

/** What a queue may keep where others reclaim by steady fair shares: its steady fair share, or its quota if that is more, at most its limit. */
export const keeps = ({ quota, limit, steadyShare }: Queue, r: ResourceId): number => Math.min(limit[r] as number, Math.max(quota[r] as number, steadyShare[r] as number))

/** Whether the queue has fewer GPUs than it may keep. */
export const isBelowSteadyShare = (queue: Queue, r: ResourceId): boolean => (queue.allocated[r] as number) < keeps(queue, r)
