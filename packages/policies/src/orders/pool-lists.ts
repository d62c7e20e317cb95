import { grown, listOf, to40Bits, type JobBlock, type JobId } from '@sched/core'
import { LeadingIds } from './leading-ids.js'
import type { Pool, PoolTree } from './pools.js'
import { placeAmong } from './sibling-ties.js'
import { Keys } from './sorted-ids.js'

/**
 * The jobs of a pool tree that have unplaced tasks, read most deserving first. Each pool has one list per lane in ascending order of
 * keys: a leaf lists jobs, any other pool its children. The order that uses the lists sets the keys and changes one at a time, so that
 * nothing is sorted at a decision. Keys that differ by rounding alone (1/0.7 and 3/2.1, 0.1 + 0.2 and 0.3) are equal. Ties between jobs
 * go by the rank given to `openJob`, between siblings by `isBefore`, by default by name.
 */
export class PoolLists {
  readonly #lanes: number
  readonly #tree: PoolTree
  readonly #isBefore: (a: Pool, b: Pool) => boolean
  /** Per lane: keys of jobs and of pools. */
  readonly #jobKeys: readonly Keys[]
  readonly #poolKeys: readonly Keys[]
  /** `[pool * lanes + lane]`: jobs of a leaf, children of an inner pool, with unplaced tasks. */
  readonly #members = listOf<LeadingIds>()
  /** Parent of each pool, and whether it is a leaf; neither ever changes. Columns, because reading the tree's objects would cost a cache miss each. */
  #parents = new Int32Array(64)
  #leaves = new Uint8Array(64)
  /** `[job * lanes + lane]`: 1 while the job is in its pool's list. */
  readonly #listed: number[] = []
  /** Children of each pool, in the order in which equal keys stand. */
  readonly #inOrder = listOf<number[]>()
  /** The reading under way: the inner pools entered, by their index in `#members`, and the position in each. */
  readonly #path: number[] = []
  readonly #at: number[] = []
  #depth = 0
  #lane = 0
  /** The part of a leaf's list that was given last, and where the list ends. */
  readonly #block = { ids: new Int32Array(0), from: 0, to: 0 }
  #end = 0

  constructor(lanes: number, tree: PoolTree, isBefore = (a: Pool, b: Pool): boolean => a.path < b.path) {
    this.#lanes = lanes
    this.#tree = tree
    this.#isBefore = isBefore
    this.#jobKeys = Array.from({ length: lanes }, () => new Keys())
    this.#poolKeys = Array.from({ length: lanes }, () => new Keys())
  }

  // ---- reading ----

  begin(lane: number): void {
    this.#lane = lane
    this.#depth = 0
    this.#end = 0
    this.#enter(lane) // the root, which is pool 0
  }

  next(): JobBlock | undefined {
    if (this.#block.to < this.#end) return this.#behindGap()
    while (this.#depth > 0) {
      const top = this.#depth - 1
      const { ids, to, gap } = this.#members[this.#path[top] as number] as LeadingIds
      const at = this.#at[top] as number
      if (at === to) this.#depth = top
      else {
        this.#at[top] = at + 1
        if (at === gap) continue
        const pool = ids[at] as number
        const place = pool * this.#lanes + this.#lane
        if (this.isLeaf(pool)) return this.#upToGap(this.#members[place] as LeadingIds)
        this.#enter(place)
      }
    }
    return undefined
  }

  /** The jobs behind the gap of the leaf that was given last. */
  #behindGap(): JobBlock {
    const block = this.#block
    block.from = block.to + 1
    block.to = this.#end
    return block
  }

  /** The jobs of a leaf up to the gap in its list, or all if there is none; those behind the gap are the next block. */
  #upToGap({ ids, from, to, gap }: LeadingIds): JobBlock {
    const block = this.#block
    block.ids = ids
    block.from = from
    block.to = gap < 0 ? to : gap
    this.#end = gap === to - 1 ? gap : to
    return block
  }

  #enter(place: number): void {
    const depth = this.#depth++
    this.#path[depth] = place
    this.#at[depth] = (this.#members[place] as LeadingIds).from
  }

  // ---- jobs ----

  /** Makes room for a new job, which is in no list yet; `rank` decides ties. */
  openJob(job: JobId, rank: number): void {
    for (let lane = 0; lane < this.#lanes; lane++) {
      this.#listed[job * this.#lanes + lane] = 0
      ;(this.#jobKeys[lane] as Keys).set(job, 0, rank)
    }
  }

  isListed(job: JobId, lane: number): boolean {
    return this.#listed[job * this.#lanes + lane] === 1
  }

  /** Whether no job of the pool is listed. */
  isEmpty(pool: number, lane: number): boolean {
    return (this.#members[pool * this.#lanes + lane] as LeadingIds).isEmpty
  }

  /** The children of an inner pool that have listed jobs, in ascending order of keys. */
  listed(pool: number, lane: number): JobBlock {
    const members = this.#members[pool * this.#lanes + lane] as LeadingIds
    members.close()
    return members
  }

  /** The place of a pool among its siblings where keys are equal. */
  tie(pool: number): number {
    return this.#poolKeys[0]?.tie[pool] as number
  }

  isLeaf(pool: number): boolean {
    return this.#leaves[pool] === 1
  }

  /** The most deserving job of a pool that is not empty. */
  firstJob(pool: number, lane: number): JobId {
    let inside = pool
    while (!this.isLeaf(inside)) inside = this.#first(inside, lane)
    return this.#first(inside, lane) as JobId
  }

  #first(pool: number, lane: number): number {
    const { ids, from } = this.#members[pool * this.#lanes + lane] as LeadingIds
    return ids[from] as number
  }

  addJob(job: JobId, pool: number, lane: number, key: number): void {
    const members = this.#members[pool * this.#lanes + lane] as LeadingIds
    ;(this.#jobKeys[lane] as Keys).key[job] = to40Bits(key)
    members.add(job)
    this.#listed[job * this.#lanes + lane] = 1
    if (members.size === 1) this.#join(pool, lane)
  }

  removeJob(job: JobId, pool: number, lane: number): void {
    const members = this.#members[pool * this.#lanes + lane] as LeadingIds
    members.remove(job)
    this.#listed[job * this.#lanes + lane] = 0
    if (members.size === 0) this.#leave(pool, lane)
  }

  /** Gives a job a new key, listed or not. */
  placeJob(job: JobId, pool: number, lane: number, key: number): void {
    if (this.isListed(job, lane)) this.rekeyJob(job, pool, lane, key)
    else (this.#jobKeys[lane] as Keys).key[job] = to40Bits(key)
  }

  /** Gives a listed job a new key. */
  rekeyJob(job: JobId, pool: number, lane: number, key: number): void {
    ;(this.#members[pool * this.#lanes + lane] as LeadingIds).rekey(job, to40Bits(key))
  }

  // ---- pools ----

  /** Gives a pool a new key, listed or not. */
  placePool(pool: number, lane: number, key: number): void {
    if (this.isEmpty(pool, lane)) (this.#poolKeys[lane] as Keys).key[pool] = to40Bits(key)
    else this.rekeyPool(pool, lane, key)
  }

  /** Gives a pool in which jobs are listed a new key. */
  rekeyPool(pool: number, lane: number, key: number): void {
    this.#siblings(pool, lane).rekey(pool, to40Bits(key))
  }

  /** The pool around a pool. */
  parent(pool: number): number {
    return this.#parents[pool] as number
  }

  /** Makes the lists of a new pool, with key 0; the pool, its ancestors and its children must be in the tree already. */
  addPool(pool: number): void {
    const { parent, children } = this.#tree.pools[pool] as Pool
    const leaf = pool > 0 && children.length === 0
    if (pool >= this.#parents.length) {
      this.#parents = grown(this.#parents, 2 * this.#parents.length)
      this.#leaves = grown(this.#leaves, 2 * this.#leaves.length)
    }
    this.#parents[pool] = parent
    this.#leaves[pool] = Number(leaf)
    for (let lane = 0; lane < this.#lanes; lane++) {
      this.#members.push(new LeadingIds((leaf ? this.#jobKeys[lane] : this.#poolKeys[lane]) as Keys))
      ;(this.#poolKeys[lane] as Keys).set(pool, 0, 0)
    }
    const poolAt = (id: number) => this.#tree.pools[id] as Pool
    if (pool > 0) placeAmong((this.#inOrder[parent] ??= []), pool, (a, b) => this.#isBefore(poolAt(a), poolAt(b)), this.#poolKeys)
  }

  #siblings(pool: number, lane: number): LeadingIds {
    return this.#members[(this.#parents[pool] as number) * this.#lanes + lane] as LeadingIds
  }

  /** A pool has got its first job with unplaced tasks: it joins its siblings, and so on up. */
  #join(pool: number, lane: number): void {
    for (let child = pool; child > 0; child = this.#parents[child] as number) {
      const siblings = this.#siblings(child, lane)
      siblings.add(child)
      if (siblings.size > 1) return
    }
  }

  #leave(pool: number, lane: number): void {
    for (let child = pool; child > 0; child = this.#parents[child] as number) {
      const siblings = this.#siblings(child, lane)
      siblings.remove(child)
      if (siblings.size > 0) return
    }
  }
}
