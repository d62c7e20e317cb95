/**
 * How many tasks a starved pool may take from others, and which.
 *
 * Source: Zaharia et al., "Delay Scheduling", EuroSys 2010, HFS; starvation by half the fair share and whole slots as in
 * Hadoop's fair scheduler.
 */
import { None, type Seconds } from '@sched/core'

/** A pool that may be starved; amounts in slots. */
export interface PoolNeed {
  /** Running tasks. */
  readonly running: number
  /** Running tasks plus those that could start now. */
  readonly demand: number
  /** At least 0. */
  readonly minShare: number
  /** Its instantaneous fair share, see `fairShares`. */
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
  return Math.floor(Math.min(settled(share), demand))
}

/** Rounds a share that is a whole number of slots but for rounding errors to that number; shares are computed from scaled minimums and weights. */
function settled(share: number): number {
  const whole = Math.round(share)
  return Math.abs(share - whole) <= 1e-9 * Math.max(1, whole) ? whole : share
}

/** A tree of pools of any depth as the choice of victims sees it; columns by pool id. */
export interface PoolLoads {
  /** Running tasks, in a pool with children those of its children. */
  readonly running: ArrayLike<number>
  /** Fair share of each pool, in slots. */
  readonly fairShares: ArrayLike<number>
  /** Parent of each pool, `None` at the top. Absent: all at the top. */
  readonly parents?: ArrayLike<number> | undefined
}

/** A task that could be killed; its pool is a leaf. */
export interface RunningTask {
  /** Its id. */
  readonly task: number
  /** The id of its pool. */
  readonly pool: number
  /** When it started, seconds. */
  readonly started: Seconds
  /** Rank of its job by submission, which breaks ties since ids of tasks are used again. Absent: 0. */
  readonly rank?: number | undefined
  /** Running tasks with the same number are a gang of one pool, which goes as a whole. Absent: the task goes alone. */
  readonly gang?: number | undefined
}

/** Which tasks are taken first, and for which pool. */
export interface VictimOptions {
  /** Most recently launched first (default), which wastes least work; or the longest running first. */
  readonly first?: 'newest' | 'oldest'
  /** The pool the slots are for: its own tasks are spared, and pools around it lose nothing, so they are not protected. */
  readonly claimant?: number
}

/**
 * The tasks to kill, in order of killing: `count` or fewer; more only if a gang goes as a whole. A task, or a gang, is taken only if that
 * leaves its pool, and every pool around it that does not contain the claimant, at or above its fair share. Ties in start times: `newest`
 * takes the later job first and then the higher task id, `oldest` the other way round. Tasks that a gang chosen later makes needless are spared, the
 * last chosen first. Pure: no argument is changed.
 */
export function victims<T extends RunningTask>(tasks: readonly T[], pools: PoolLoads, count: number, options: VictimOptions = {}): T[] {
  const { first = 'newest', claimant = None } = options
  const left = Float64Array.from(pools.running)
  const around = poolsAround(claimant, pools)
  const chosen: T[][] = []
  let taken = 0
  for (const unit of units(tasks, first === 'newest' ? (a, b) => byAge(b, a) : byAge)) {
    if (taken >= count) break
    const losing = chain((unit[0] as T).pool, pools, around)
    if (losing.some((pool) => pool === claimant || left[pool]! - unit.length < settled(pools.fairShares[pool]!))) continue
    chosen.push(unit)
    taken += unit.length
    for (const pool of losing) left[pool]! -= unit.length
  }
  return needed(chosen, taken, count).flat()
}

/** The single tasks and gangs in the given order of tasks; a gang stands where its first task does. */
function units<T extends RunningTask>(tasks: readonly T[], order: (a: T, b: T) => number): Iterable<T[]> {
  const found = new Map<number | T, T[]>()
  for (const task of [...tasks].sort(order)) {
    const unit = found.get(task.gang ?? task)
    if (unit === undefined) found.set(task.gang ?? task, [task])
    else unit.push(task)
  }
  return found.values()
}

/** The chosen units without those that the count does not need, tried from the last but one to the first. */
function needed<T>(chosen: readonly T[][], taken: number, count: number): T[][] {
  const kept = [...chosen]
  for (let i = kept.length - 2; i >= 0 && taken > count; i--) {
    const { length } = kept[i] as T[]
    if (taken - length < count) continue
    taken -= length
    kept.splice(i, 1)
  }
  return kept
}

function byAge(a: RunningTask, b: RunningTask): number {
  return a.started - b.started || (a.rank ?? 0) - (b.rank ?? 0) || a.task - b.task
}

/** A pool and the pools around it, from inside out, up to before the first that also contains the claimant. */
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
