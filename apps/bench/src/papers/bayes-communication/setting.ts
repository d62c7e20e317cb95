import { monolithic } from '@sched/architectures'
import type { ClusterDescription } from '@sched/cluster'
import type { Plug, Workload } from '@sched/core'
import { jobRows, shuffle, type JobRow, type ShuffleFigures } from '@sched/metrics'
import { bayesComm, labelled, measuredJobs, trainBayes, type BayesModel, type LabelledJobs, type MeasuredJob } from '@sched/placement'
import { fifo, greedy } from '@sched/policies'
import { simulate } from '@sched/sim'
import { hibenchTenants, jobsOf, workloadOf } from '@sched/workload'
import type { Trial } from '../claim.js'

/** What the source does not give; chosen once for all rows (see the page for what they change). */
export interface Constants {
  /** Bytes per second of a node's link. */
  readonly intra: number
  /** A node's part of its rack's uplink is so many times slower. */
  readonly ratio: number
  /** Tasks work so many times faster than the generator's rates. */
  readonly speedUp: number
  /** Reduces of a job: as many as a rack of four nodes holds. */
  readonly reduces: number
  /** MB of a block. */
  readonly blockSize: number
  /** Slow-down of maps by distance of their block. */
  readonly localityFactors: readonly number[]
}
export const constants: Constants = { intra: 125e6, ratio: 8, speedUp: 4, reduces: 8, blockSize: 256, localityFactors: [1, 1.1, 1.2] }

export const jobOptions = ({ speedUp, reduces, blockSize }: Constants) => ({ speedUp, reduces, blockSize, slowstart: 1 })

/** Plain Hadoop: jobs in order of submission. */
export const mapReducePolicy: Plug<'policy'> = greedy(fifo())
export const withBayes = (model: BayesModel): Plug<'policy'> => bayesComm(mapReducePolicy, { model })

/** Four racks of so many nodes, whose heartbeats go round the racks. */
const racks = (perRack: number): ClusterDescription => ({
  name: `4 x ${perRack}`,
  nodes: Array.from({ length: 4 * perRack }, (_, i) => ({ count: 1, name: `n${i}`, racks: [`rack${i % 4}`], slots: { map: 8, reduce: 2 } })),
  heartbeat: { interval: 0.5, stagger: true },
  replicas: { factor: 3, placement: 'hdfs' },
})

export interface Run {
  readonly perRack: number
  readonly workload: Workload
  readonly policy: Plug<'policy'>
  readonly trial: Trial
  readonly with?: Constants
}

/** What one run gave. */
export interface Outcome {
  readonly jobs: readonly JobRow[]
  readonly shuffle: ShuffleFigures | undefined
  readonly measured: readonly MeasuredJob[]
}

export function runJobs({ perRack, workload, policy, trial: { seed, validate }, with: used = constants }: Run): Outcome {
  const jobs: JobRow[] = []
  const measured: MeasuredJob[] = []
  const fetched = shuffle()
  simulate({
    cluster: racks(perRack), workload, policy, seed, validate,
    architecture: monolithic(),
    runtime: { localityFactors: used.localityFactors, jitter: 0, network: { intra: used.intra, cross: used.intra / used.ratio } },
    observers: [jobRows((job) => jobs.push(job)), fetched, measuredJobs((job) => measured.push(job))],
  })
  return { jobs, shuffle: fetched.result()?.overall, measured }
}

/** The 50 sample jobs of a seed, each alone on the cluster under plain Hadoop, labelled by the published threshold of 0.38. */
export function samples(perRack: number, trial: Trial, used: Constants = constants): LabelledJobs {
  const all = [...jobsOf(hibenchTenants({ seed: trial.seed, ...jobOptions(used), ...(trial.quick === true && { dataSets: 4, scale: 0.1 }) }))]
  const oneByOne = all.map((job, i) => ({ ...job, submit: 0, ...(i > 0 && { after: all[i - 1]?.id ?? '' }) }))
  const { measured } = runJobs({ perRack, workload: workloadOf('one by one', oneByOne), policy: mapReducePolicy, trial, with: used })
  return labelled(measured)
}

/** A classifier for the cluster, trained on the sample jobs of the seed. */
export const trained = (perRack: number, trial: Trial, used: Constants = constants): BayesModel => trainBayes(samples(perRack, trial, used).samples)

/** A model that calls every plan active that is spread over all racks: what a classifier without errors does with active jobs. */
export function alwaysActive(perRack: number): BayesModel {
  const plan = (isUsed: (rack: number) => boolean) => [0, 1, 2, 3].map((rack) => Array.from({ length: perRack }, () => (isUsed(rack) ? 10 : 0)))
  const spread = { plan: plan(() => true), isActive: true }
  return trainBayes([...Array.from({ length: 20 }, () => spread), ...[0, 1, 2, 3].map((only) => ({ plan: plan((rack) => rack === only), isActive: false }))], { kind: 'bernoulli' })
}
