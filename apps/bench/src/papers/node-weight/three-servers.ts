import { monolithic } from '@sched/architectures'
import type { ClusterDescription } from '@sched/cluster'
import type { JobSpec, NodeId, Seconds } from '@sched/core'
import { nodeWeight, type NodeWeightOptions } from '@sched/placement'
import { fair, greedy } from '@sched/policies'
import { simulate } from '@sched/sim'
import { workloadOf } from '@sched/workload'
import type { Trial } from '../claim.js'

/** Servers in the order of the paper's list of nodes. */
export const servers = ['Master', 'Slave1', 'Slave2'] as const

/** Speed of Master and Slave1 where Slave2 has 1: fitted once, to the published saving. */
export const SPEED = 2.1

/** Maps of a word count on 1 GB in blocks of 64 MB; the published peaks of load before, 5 + 2 + 10, leave room for them and one more. */
export const MAPS = 16

/** Work of all maps, seconds on Slave2 alone. */
const WORK: Seconds = 1440

/**
 * The cluster of the paper with illustrative hardware: known are 18 cores and 17 GB in all, and that Slave2 is the weakest.
 * Every server offers YARN's default of 8 GB. One disk each, which all tasks share, makes a server's speed that of all its tasks together.
 */
export const threeServers = (speed = SPEED): ClusterDescription => ({
  name: 'three servers',
  nodes: [
    { count: 2, names: ['Master', 'Slave1'], resources: { memory: 8192 }, hardware: { cores: 8, memory: 8192, disks: 1 }, speed },
    { count: 1, names: ['Slave2'], resources: { memory: 8192 }, hardware: { cores: 2, memory: 1024, disks: 1 }, speed: 1 },
  ],
})

/** A word count on 1 GB: so many maps in containers of 1 GB, and one reduce when all have ended. */
export function wordCount(maps = MAPS): JobSpec {
  const task = { demand: { memory: 1024 }, use: { disks: 1, cores: 0.1, memory: 64 } }
  return {
    id: 'wordcount', submit: 0,
    stages: [
      { name: 'map', tasks: maps, duration: WORK / maps, ...task },
      { name: 'reduce', tasks: 1, duration: 60, after: [{ stage: 0, fraction: 1 }], ...task },
    ],
  }
}

export interface Setting {
  readonly speed?: number
  readonly maps?: number
  readonly placement: NodeWeightOptions
}
/** Before: by available memory, as Hadoop 2.5 does. After: by the paper's rule with its weights. */
export const before: NodeWeightOptions = { comparator: 'absolute' }
export const after: NodeWeightOptions = { comparator: 'weighted', weights: { Master: 3, Slave1: 3, Slave2: 1 } }

/** What a run gave, by server in the order of `servers`. */
export interface Outcome {
  readonly runTime: Seconds
  readonly tasks: readonly number[]
  /** Most tasks at work at once: the stand-in for the one-minute load. */
  readonly peaks: readonly number[]
}

/** One word count on the cluster under the Fair Scheduler, nodes in the order of a comparator at every container. */
export function runWordCount({ speed, maps, placement }: Setting, { seed, validate }: Trial): Outcome {
  const tasks = servers.map(() => 0)
  const now = servers.map(() => 0)
  const peaks = servers.map(() => 0)
  const change = (counts: number[], node: NodeId, by: number) => (counts[node] = (counts[node] as number) + by)
  let runTime = 0
  simulate({
    cluster: threeServers(speed), workload: workloadOf('word count', [wordCount(maps)]), seed, validate,
    policy: greedy(fair(), nodeWeight(placement)),
    architecture: monolithic(),
    observers: [
      {
        onTaskStart(_task, _job, _lane, node) {
          change(tasks, node, 1)
          peaks[node] = Math.max(peaks[node] as number, change(now, node, 1))
        },
        onTaskEnd: (_task, _job, _lane, node) => void change(now, node, -1),
        onJobEnd: (_job, _spec, time) => void (runTime = time),
      },
    ],
  })
  return { runTime, tasks, peaks }
}
