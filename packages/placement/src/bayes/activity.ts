import { SchedError } from '@sched/core'
import { tasksAt, totalTasks, type Plan } from './plan.js'

/** A node as the number of its rack and its number in the rack, both from 0. */
export type NodeAt = readonly [rack: number, node: number]

/** The bytes that a job's shuffle moves. */
export interface ShuffleVolumes {
  /** Bytes that stay on their node. */
  readonly local: number
  /** Bytes that go to another node of their rack. */
  readonly rack: number
  /** Bytes between each pair of nodes in different racks, both directions together, in the order of the first transfer. */
  readonly pairs: readonly { readonly a: NodeAt; readonly b: NodeAt; readonly bytes: number }[]
}

/**
 * The volumes of a shuffle of `bytes` in all. A node holds map output in proportion to its map tasks, and every reducer pulls an equal part of the output of
 * every node. `reducers`: the node of each reducer.
 *
 * Our choice: the paper measured volumes.
 */
export function shuffleVolumes(plan: Plan, bytes: number, reducers: readonly NodeAt[]): ShuffleVolumes {
  const total = totalTasks(plan)
  const pairs = new Map<string, { a: NodeAt; b: NodeAt; bytes: number }>()
  let [local, inRack] = [0, 0]
  for (const to of reducers)
    for (const [rack, row] of plan.entries())
      for (const node of row.keys()) {
        const moved = (bytes * tasksAt(plan, rack, node)) / total / reducers.length
        if (!(moved > 0)) continue
        if (rack !== to[0]) addTo(pairs, [rack, node], to, moved)
        else if (node === to[1]) local += moved
        else inRack += moved
      }
  return { local, rack: inRack, pairs: [...pairs.values()] }
}

function addTo(pairs: Map<string, { a: NodeAt; b: NodeAt; bytes: number }>, from: NodeAt, to: NodeAt, bytes: number): void {
  const [a, b] = from[0] < to[0] ? [from, to] : [to, from]
  const key = `${a.join()}-${b.join()}`
  const pair = pairs.get(key)
  if (pair === undefined) pairs.set(key, { a, b, bytes })
  else pair.bytes += bytes
}

/** How much a job exchanged between racks. */
export interface Activity {
  /** Formula (5): bytes that the job moved between racks. */
  readonly total: number
  /** Number of pairs of nodes in different racks that exchanged any bytes. */
  readonly pairs: number
  /** Formula (6): communication activity, in [0, 1]. */
  readonly activity: number
}

/**
 * The communication activity CA of a job, formulas (4) to (6): the mean of `volumes`, the bytes of each pair of nodes in different racks, divided by
 * `largest`, the largest volume of a pair. It is 0 for a job without such pairs. Only pairs with a volume above 0 count (our choice). Throws `BAD_INPUT` for a
 * volume that is no number of bytes, and for a `largest` that is not above 0.
 */
export function communicationActivity(volumes: readonly number[], largest: number = largestOf([volumes])): Activity {
  let [total, pairs] = [0, 0]
  for (const [i, volume] of volumes.entries()) {
    if (!(volume >= 0 && volume < Infinity)) throw new SchedError('BAD_INPUT', `is ${volume}.`, { field: `volumes[${i}]` }, 'Use bytes, at least 0.')
    if (volume === 0) continue
    total += volume
    pairs++
  }
  if (pairs === 0) return { total: 0, pairs: 0, activity: 0 }
  if (!(largest > 0)) throw new SchedError('BAD_INPUT', `the largest volume of a pair is ${largest}.`, { field: 'largest' }, 'Use bytes above 0.')
  return { total, pairs, activity: Math.min(1, total / pairs / largest) }
}

/** The largest volume of a pair in any job, `d_max`; 0 without volumes. */
export const largestOf = (jobs: readonly (readonly number[])[]): number =>
  jobs.reduce((most, volumes) => volumes.reduce((more, volume) => Math.max(more, volume), most), 0)

/**
 * The communication activity of every job of a sample set. The paper does not say which `d_max` it divides by. `common`: that of all jobs (our choice); `own`:
 * that of each job, so that the activity tells how even the job's volumes are.
 */
export function activities(jobs: readonly (readonly number[])[], largest: 'common' | 'own' = 'common'): number[] {
  const common = largest === 'common' ? largestOf(jobs) : undefined
  return jobs.map((volumes) => communicationActivity(volumes, common).activity)
}

/** The published threshold of activity, by which 30 % of the paper's 50 sample jobs are active. */
export const defaultThreshold = 0.38

/** Whether a job is of class C1 (communication-active): its activity is the threshold or more. That equality counts is our choice. */
export const isActive = (activity: number, threshold: number = defaultThreshold): boolean => activity >= threshold

/**
 * The threshold by which a fraction of the jobs is active: the `ceil(fraction x n)`-th largest activity. More jobs are active if others equal it. Throws
 * `BAD_OPTION` for a fraction outside (0, 1], and `BAD_INPUT` without jobs and for an activity outside [0, 1].
 */
export function thresholdForActiveFraction(activities: readonly number[], fraction = 0.3): number {
  if (!(fraction > 0 && fraction <= 1)) throw new SchedError('BAD_OPTION', `is ${fraction}.`, { field: 'fraction' }, 'Use a part of the jobs above 0, at most 1.')
  if (activities.length === 0) throw new SchedError('BAD_INPUT', 'there are no activities.', { field: 'activities' }, 'Measure some jobs first.')
  const bad = activities.findIndex((activity) => !(activity >= 0 && activity <= 1))
  if (bad >= 0) throw new SchedError('BAD_INPUT', `is ${activities[bad]}.`, { field: `activities[${bad}]` }, 'Activities are from 0 to 1.')
  const exact = fraction * activities.length
  const count = Math.abs(exact - Math.round(exact)) < 1e-9 * exact ? Math.round(exact) : Math.ceil(exact) // 0.07 x 100 is 7.000000000000001
  return Float64Array.from(activities).sort()[activities.length - count] as number
}
