import { schedulerOverhead } from '@sched/workload'
import { monolithic } from '@sched/architectures'
import { delay, fair, preempting } from '@sched/policies'
import { simulate, type RuntimeOptions, type Simulation } from '@sched/sim'
import type { ClusterDescription } from '@sched/cluster'
import type { Observer, Plug, Workload } from '@sched/core'
import type { Size } from '../harness/benchmark.js'
import type { DecisionHash } from '../harness/decision-hash.js'

/** W1: what loads a scheduler most, a master of 2,500 nodes and 100 large jobs at once (the paper's section 5.4, DS-S54). */
export interface World {
  readonly cluster: ClusterDescription
  readonly workload: Workload
  readonly tasks: number
}

export function w1World(size: Size): World {
  const [nodes, racks, jobs, tasks, pools] = size === 'small' ? [100, 5, 12, 60, 4] : [2500, 40, 100, 1000, 20]
  return {
    cluster: { nodes: [{ count: nodes, racks, slots: { map: 2, reduce: 2 } }], heartbeat: { interval: 3, stagger: true } },
    workload: schedulerOverhead({ jobs, maps: tasks, reduces: tasks, pools }),
    tasks: 2 * jobs * tasks,
  }
}

/** The shipped HFS as `policy: hfs` builds it, with W1 = W2 = 5 s. */
export const hfs = (): Plug<'policy'> => preempting(delay(fair(), { node: 5, rack: 5 }))

/** Runs are equal on every node: distance to the data costs nothing, so all policies have the same work to hand out. */
const runtime: RuntimeOptions = { localityFactors: [1], jitter: 0 }

export function runW1({ cluster, workload }: World, policy: Plug<'policy'>, observers: readonly Observer[], architecture = monolithic()): Simulation {
  return simulate({ cluster, workload, policy, architecture, runtime, observers })
}

/** Reports every launch to a hash. */
export const hashing = (hash: DecisionHash): Observer => ({ onTaskStart: (task, _job, _lane, node, _level, now) => hash.add(task, node, now) })
