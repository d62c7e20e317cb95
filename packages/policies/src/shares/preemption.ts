/**
 * How many tasks a starved pool may take from others, and which.
 *
 * Source: Zaharia et al., "Delay Scheduling", EuroSys 2010, HFS; starvation by half the fair share and whole slots as in
 * Hadoop's fair scheduler.
 */
import { None } from '@sched/core'
import type { Seconds } from '@sched/core'

/** A pool that may be starved; amounts in slots. */
export interface PoolNeed {
  readonly running: number
  readonly demand: number
  readonly minShare: number
  readonly fairShare: number
  /** How long it has been `belowMinShare`. */
  readonly belowMinFor: Seconds
  /** How long it has been `belowFairShare`. */
  readonly starvedFor: Seconds
}

/** Seconds a pool waits before it may take tasks; `Infinity`: never. */
export interface PreemptionTimeouts {
  /** Tmin. */
  readonly minTimeout: Seconds
  /** Tfair. */
  readonly fairTimeout: Seconds
}

/** Share of the fair share below which a pool is starved: half in Hadoop, 1 in the paper's text. */
export const defaultStarvationFraction = 0.5

/**
 * Whole tasks a pool may take now: up to its minimum share once it has been below it for Tmin, up to its fair share once
 * starved of it for Tfair, each within its demand; the larger when both are due, 0 when neither.
 */
export function preemptionClaim(pool: PoolNeed, timeouts: PreemptionTimeouts, fraction = defaultStarvationFraction): number {
  const minDue = belowMinShare(pool) && pool.belowMinFor >= timeouts.minTimeout
  const fairDue = belowFairShare(pool, fraction) && pool.starvedFor >= timeouts.fairTimeout
  const forMin = minDue ? wholeSlots(pool.minShare, pool) - pool.running : 0
  const forFair = fairDue ? wholeSlots(pool.fairShare, pool) - pool.running : 0
  return Math.max(forMin, forFair)
}

/** Whether a pool runs fewer tasks than the whole slots of its minimum share, within its demand. */
export function belowMinShare(pool: Pick<PoolNeed, 'running' | 'demand' | 'minShare'>): boolean {
  return pool.running < wholeSlots(pool.minShare, pool)
}

/** Whether a pool is starved: runs fewer tasks than the whole slots of `fraction` of its fair share, within its demand. */
export function belowFairShare(pool: Pick<PoolNeed, 'running' | 'demand' | 'fairShare'>, fraction = defaultStarvationFraction): boolean {
  return pool.running < wholeSlots(pool.fairShare * fraction, pool)
}

/** A scaled minimum share or a fair share can be a fraction of a slot; a task needs a whole one. */
function wholeSlots(share: number, { demand }: { readonly demand: number }): number {
  return Math.floor(Math.min(share, demand))
}

/** Pools of any depth as the choice of victims sees them, by pool id. */
export interface PoolLoads {
  /** Running tasks, in a pool with children those of its children. */
  readonly running: ArrayLike<number>
  readonly fairShares: ArrayLike<number>
  /** Parent of each pool, `None` at the top. Absent: all at the top. */
  readonly parents?: ArrayLike<number> | undefined
}

/** A task that could be killed; its pool is a leaf. */
export interface RunningTask {
  readonly task: number
  readonly pool: number
  readonly started: Seconds
}

/** Who may be taken, for whom. */
export interface VictimOptions {
  /** Most recently launched first (default), which wastes least work; or the longest running first. */
  readonly first?: 'newest' | 'oldest'
  /** The pool the slots are for: its own tasks are spared, and pools around it lose nothing, so they are not protected. */
  readonly claimant?: number
}

/**
 * At most `count` tasks to kill, in order of killing. A task is taken only if that leaves its pool, and every pool around
 * it that does not hold the claimant, at or above its fair share. Equal start times: `newest` takes the higher task id
 * first, `oldest` the lower. Pure: neither argument is changed.
 */
export function victims<T extends RunningTask>(tasks: readonly T[], pools: PoolLoads, count: number, options: VictimOptions = {}): T[] {
  const { first = 'newest', claimant = None } = options
  const left = Float64Array.from(pools.running)
  const around = poolsAround(claimant, pools)
  const spares = (task: T) => chain(task.pool, pools, around).some((pool) => pool === claimant || left[pool]! - 1 < pools.fairShares[pool]!)
  const chosen: T[] = []
  for (const task of [...tasks].sort(first === 'newest' ? (a, b) => byAge(b, a) : byAge)) {
    if (chosen.length >= count) break
    if (spares(task)) continue
    chosen.push(task)
    for (const pool of chain(task.pool, pools, around)) left[pool]!--
  }
  return chosen
}

function byAge(a: RunningTask, b: RunningTask): number {
  return a.started - b.started || a.task - b.task
}

/** A pool and those around it, inside out, up to the first that also holds the claimant. */
function chain(from: number, { parents }: PoolLoads, around: ReadonlySet<number>): number[] {
  const pools: number[] = []
  for (let pool = from; pool !== None && !around.has(pool); pool = parents?.[pool] ?? None) pools.push(pool)
  return pools
}

function poolsAround(claimant: number, { parents }: PoolLoads): ReadonlySet<number> {
  const around = new Set<number>()
  for (let pool = parents?.[claimant] ?? None; pool !== None; pool = parents?.[pool] ?? None) around.add(pool)
  return around
}
