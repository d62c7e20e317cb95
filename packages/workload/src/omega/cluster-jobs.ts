import { randomStream, type Seconds } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { callable, positive, seconds, seed } from '../generate/callable.js'
import { exponential } from '../generate/sampling.js'
import { classWorkload, type ClassLoad, type JobClass } from './class-loads.js'
import { clusterNames, clusters, type ClassModel, type ClusterName } from './clusters.js'
import { drawLogNormal } from './log-normal.js'
import { withMapReduce } from './map-reduce-jobs.js'

const clusterOptions = {
  cluster: z.enum(clusterNames).default('C').describe('One of the clusters of the paper.'),
  scale: positive.max(1).default(1)
    .describe('Size of the cell relative to the cluster. Machines and run times are scaled, rates and job sizes are not: a scheduler has the same work and the cell is equally full, but two schedulers meet on a machine 1/scale times as often.'),
}

/** Most tasks of a job on a cell of full size ("one to thousands of tasks"); a smaller cell has proportionally fewer. */
const mostTasks = 5000

/**
 * Jobs of a stand-in for one of the paper's clusters (see `clusters`): exponential gaps, log-normal numbers of tasks and run times, and at most 5,000
 * x `scale` tasks per job.
 *
 * Source: Schwarzkopf et al., EuroSys 2013, section 2.1, for what is known; the distributions are our choice.
 */
export const omegaCluster = callable({
  name: 'omega-cluster',
  summary: 'stand-ins for the clusters A, B, C and D of the Omega paper: log-normal sizes and run times',
  source: 'Schwarzkopf et al., EuroSys 2013, section 2.1',
  options: z.strictObject({
    seed,
    ...clusterOptions,
    horizon: seconds.default(86_400).describe('Seconds in which jobs are submitted. Default: one day.'),
    batchRate: positive.default(1).describe('Factor on the arrival rate of batch jobs.'),
    batchRunTime: positive.default(1)
      .describe('Factor on the run times of batch jobs. With 1 / batchRate the cell is as full as before, so that the scheduler saturates before the cell does.'),
    mapReduce: z.number().min(0).max(1).default(0)
      .describe('Fraction of the batch jobs that become mouldable MapReduce jobs of class `mapreduce`; the paper: 0.2.'),
  }),
  create({ seed, cluster, scale, horizon, batchRate, batchRunTime, mapReduce: part }) {
    const model = clusters[cluster]
    const workload = classWorkload(`omega cluster ${cluster}`, horizon, () => ({
      batch: load(seed, 'batch', model.batch, scale, batchRate, batchRunTime),
      service: load(seed, 'service', model.service, scale, 1, 1),
    }))
    return { ...withMapReduce(workload, { seed, part, scale, mostWorkers: mostTasks * scale }), cluster: omegaClusterCell(cluster, scale) }
  },
})

function load(seed: number, kind: JobClass, model: ClassModel, scale: number, rate: number, runTime: number): ClassLoad {
  const stream = (what: string) => randomStream(seed, `omega/${kind}/${what}`)
  const gaps = stream('gap')
  const tasks = drawLogNormal(model.tasks, stream('tasks'))
  const durations = drawLogNormal(model.duration, stream('duration'))
  return {
    gap: (): Seconds => exponential(gaps(), model.gap / rate),
    tasks: () => Math.max(1, Math.round(Math.min(mostTasks * scale, tasks()))),
    duration: (): Seconds => durations() * scale * runTime,
    demand: model.demand,
  }
}

/** The cell for which `omega-cluster` is made: machines with 4 CPU and 16 GB, in millicores and MiB. */
export function omegaClusterCell(cluster: ClusterName, scale = 1) {
  const count = Math.max(1, Math.round(clusters[cluster].machines * scale))
  return { name: `omega cluster ${cluster}`, nodes: [{ name: 'machine', count, resources: { cpu: 4000, mem: 16_384 } }] }
}
