import type { Demand, Seconds } from '@sched/core'
import type { JobClass } from './class-loads.js'
import { logNormalOfMean, logNormalOfPercentile80, type LogNormal } from './log-normal.js'

/** Stand-in for a class of jobs on one of the paper's clusters. */
export interface ClassModel {
  /** Mean time between submissions in seconds; gaps are exponential. */
  readonly gap: Seconds
  /** Tasks per job. */
  readonly tasks: LogNormal
  readonly duration: LogNormal
  readonly demand: Demand
}

/** Stand-in for one of the paper's clusters. */
export interface ClusterModel extends Readonly<Record<JobClass, ClassModel>> {
  readonly machines: number
  /** Fraction of the cell that is in use at time 0. */
  readonly utilisation: number
  /** Fraction of the used amount that service tasks hold. */
  readonly serviceShare: number
}
/** Names of the stand-ins. */
export type ClusterName = 'A' | 'B' | 'C' | 'D'
/** Names of the stand-ins. */
export const clusterNames = ['A', 'B', 'C', 'D'] as const

const minute = 60
const day = 86_400
const oneCpu: Demand = { cpu: 1000, mem: 2048 }

/**
 * Stand-ins for the clusters A to D, whose real distributions were never published. What is known (EuroSys 2013, section 2.1; the authors' slides)
 * and what was chosen to match it:
 *
 * - C is the public trace: 0.27 jobs/s and 38 tasks per job, on 12,500 machines. D is a quarter of C and lightly loaded.
 * - A batch scheduler saturates when rate x (0.1 s + 0.005 s x tasks) = 1, which is the case at 2.5 (A), 6 (B) and 9.5 (C) times the original rate.
 *   With a rate within the published percentiles (80 % of gaps below 4 to 7 s) this fixes the mean number of tasks on A: 0.4 x (0.1 + 0.005 x 180) =
 *   1/2.5, and on B: 0.3 x (0.1 + 0.005 x 91.1) = 1/6. C has its own numbers, with which it saturates at 0.26 x (0.1 + 0.005 x 38) = 1/13.3.
 * - 80 % of service gaps are below 2 to 15 minutes: 161 s on A and C, 121 s on B, 644 s on D. 96 % of jobs are batch.
 * - 80 % of batch jobs run less than 12 (A, B) or 15 minutes (C, D), 80 % of service jobs less than 29 days.
 * - Machines are equal (4 CPU, 16 GB), and tasks ask for 1 CPU and 2 GB as in the authors' example. On A they ask for a fifth: its rate, sizes and
 *   run times together would otherwise fill 45,000 CPUs, and A is of medium size.
 * - 60 % of a cell is in use (D: 30 %); service holds 74 % of that on C (64 % on A and B), so that batch jobs arrive as fast as they end. Service
 *   jobs of 29 days arrive faster than they end: 0.01 x 6 tasks per second add 0.4 % of C's cell per hour.
 * - The standard deviation of the logarithms is 1.2 for tasks, 1.5 for batch and 1 for service run times.
 */
export const clusters: Readonly<Record<ClusterName, ClusterModel>> = {
  A: { ...cell(10_000, 0.6, 0.64), batch: batch(2.5, 180, 12 * minute, { cpu: 200, mem: 410 }), service: service(100) },
  B: { ...cell(20_000, 0.6, 0.64), batch: batch(1 / 0.3, 91.1, 12 * minute), service: service(75) },
  C: { ...cell(12_500, 0.6, 0.74), batch: batch(1 / 0.26, 38, 15 * minute), service: service(100) },
  D: { ...cell(3125, 0.3, 0.74), batch: batch(4 / 0.26, 38, 15 * minute), service: service(400) },
}

function cell(machines: number, utilisation: number, serviceShare: number) {
  return { machines, utilisation, serviceShare }
}

function batch(gap: Seconds, tasks: number, percentile80: Seconds, demand: Demand = oneCpu): ClassModel {
  return { gap, tasks: logNormalOfMean(tasks, 1.2), duration: logNormalOfPercentile80(percentile80, 1.5), demand }
}

function service(gap: Seconds): ClassModel {
  return { gap, tasks: logNormalOfMean(6, 1.2), duration: logNormalOfPercentile80(29 * day, 1), demand: oneCpu }
}
