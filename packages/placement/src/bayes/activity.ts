import { SchedError } from '@sched/core'
import { tasksAt, totalTasks, type Plan } from './plan.js'

/** A node as rack and node of the rack, both from 0. */
export type NodeAt = readonly [rack: number, node: number]

/** What a job's shuffle moves. */
export interface ShuffleVolumes {
  /** Bytes that stay on their node, and that stay in their rack. */
  readonly local: number
  /** Bytes that go to another node of their rack. */
  readonly rack: number
  /** Bytes of each pair of nodes in different racks, both directions together, in order of first transfer. */
  readonly pairs: readonly { readonly a: NodeAt; readonly b: NodeAt; readonly bytes: number }[]
}

/**
 * The volumes of a shuffle of `bytes` in all: a node holds map output in proportion to its map tasks, and every reducer pulls
 * an equal part of every node's.
 *
 * Our choice: the paper measured.
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
  /** Formula (5): cross-rack bytes of the job. */
  readonly total: number
  /** Pairs of nodes that exchanged some. */
  readonly pairs: number
  /** Formula (6), in [0, 1]. */
  readonly activity: number
}

/**
 * Cluster communication activity CA of a job, formulas (4) to (6): the mean volume of its cross-rack pairs over `largest`,
 * the largest volume of a pair; 0 of a job without such pairs. Only pairs with volume count (our choice). Throws `BAD_INPUT`
 * for a volume that is no number of bytes, and for a `largest` that is not above 0.
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

/** The largest volume of a pair of any job, 0 where there is none: `d_max`. */
export const largestOf = (jobs: readonly (readonly number[])[]): number =>
  jobs.reduce((most, volumes) => volumes.reduce((more, volume) => Math.max(more, volume), most), 0)

/**
 * CA of every job of a sample set. The paper does not say whose `d_max` it takes: `common` is that of all jobs (our choice),
 * `own` each job's, which tells how even its volumes are.
 */
export function activities(jobs: readonly (readonly number[])[], largest: 'common' | 'own' = 'common'): number[] {
  const common = largest === 'common' ? largestOf(jobs) : undefined
  return jobs.map((volumes) => communicationActivity(volumes, common).activity)
}

/** The published threshold: accepts 30 % of the paper's 50 sample jobs as active. */
export const defaultThreshold = 0.38

/** C1 (communication-active) from the threshold on; that equality counts is our choice. */
export const isActive = (activity: number, threshold: number = defaultThreshold): boolean => activity >= threshold

/**
 * The threshold by which a part of the jobs is active: the `ceil(fraction x n)`-th largest activity. More are active where
 * others equal it. Throws `BAD_OPTION` for a fraction outside (0, 1], `BAD_INPUT` for no jobs or activities that are none.
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
