import { monolithic } from '@sched/architectures'
import type { ClusterDescription } from '@sched/cluster'
import type { Plug, Seconds, Workload } from '@sched/core'
import { jobRows, jobTimes, locality, type JobRow, type JobTimesResult, type LocalityResult } from '@sched/metrics'
import { delay, fair, fifo, greedy } from '@sched/policies'
import { simulate } from '@sched/sim'
import type { Trial } from '../claim.js'

/** Amazon EC2 of DS-T1: racks are not exposed, so a task is on the node of its block or it is not. */
export const ec2 = (heartbeat: Seconds = 3): ClusterDescription => ({
  name: 'EC2',
  nodes: [{ count: 100, slots: { map: 4, reduce: 2 } }],
  heartbeat: { interval: heartbeat, stagger: true },
  replicas: { factor: 3, placement: 'uniform' },
})

/** The private cluster of DS-T1: four racks of 25 nodes, HDFS placement. */
export const privateCluster: ClusterDescription = {
  name: 'private',
  nodes: [{ count: 100, racks: 4, slots: { map: 6, reduce: 4 } }],
  heartbeat: { interval: 3, stagger: true },
  replicas: { factor: 3, placement: 'hdfs' },
}

/** Every job is its own user in these experiments, so fair sharing is among jobs (Algorithm 1). */
const amongJobs = fair({ pools: false })
export const hadoopFifo: Plug<'policy'> = greedy(fifo())
export const naiveFair: Plug<'policy'> = greedy(amongJobs)
/** Fair sharing with delay scheduling: W1 seconds for a node, W2 for a rack. */
export const delayed = (node: Seconds, rack: Seconds = 0): Plug<'policy'> => delay(amongJobs, { node, rack })

export interface Run {
  readonly cluster: ClusterDescription
  readonly workload: Workload
  readonly policy: Plug<'policy'>
  readonly trial: Trial
  readonly commitPendingBug?: boolean
}

/** What one run gave, over all jobs or over those of a label. */
export interface Outcome {
  /** Mean response, seconds. */
  response(label?: string): Seconds
  medianResponse(label?: string): Seconds
  /** Share of launches at most `level` away from their data: 0 on its node, 1 in its rack. */
  near(level: number, label?: string): number
  /** From the first submission to the last end. */
  readonly makespan: Seconds
  /** Every job by id. */
  readonly jobs: ReadonlyMap<string, JobRow>
}

/**
 * Simulates one run. Workload, block places and task times depend on the seed alone: policies compared on one seed meet
 * the same. The generators draw task times within 10% of their mean, so the runtime model adds no jitter of its own.
 */
export function measureRun({ cluster, workload, policy, trial, commitPendingBug = false }: Run): Outcome {
  const times = jobTimes()
  const places = locality()
  const jobs = new Map<string, JobRow>()
  simulate({
    cluster, workload, policy, commitPendingBug, ...trial,
    architecture: monolithic(),
    runtime: { localityFactors: [1, 1.7, 2], jitter: 0 },
    observers: [times, places, jobRows((job) => jobs.set(job.id, job))],
  })
  return outcome(times.result(), places.result(), jobs)
}

function outcome(times: JobTimesResult, places: LocalityResult, jobs: ReadonlyMap<string, JobRow>): Outcome {
  const timesOf = (label?: string) => of(times, label)
  return {
    response: (label) => timesOf(label).response.mean,
    medianResponse: (label) => timesOf(label).response.median,
    near: (level, label) => of(places, label).share.slice(0, level + 1).reduce((sum, share) => sum + share, 0),
    makespan: times.overall.makespan,
    jobs,
  }
}

interface ByClass<Part> {
  readonly overall: Part
  readonly classes: readonly ({ readonly label: string } & Part)[]
}

function of<Part>({ overall, classes }: ByClass<Part>, label?: string): Part {
  if (label === undefined) return overall
  const found = classes.find((part) => part.label === label)
  if (found === undefined) throw new Error(`no job is labelled "${label}"`)
  return found
}
