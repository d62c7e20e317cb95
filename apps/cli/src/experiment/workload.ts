import { SchedError, type Machine, type Registry, type Workload } from '@sched/core'
import type { ClusterDescription, ClusterInput } from '@sched/cluster'
import {
  addMasters, drawQueues, formatsIn, generatedBy, omegaClusterPrefill, omegaExampleCell, placeGoogle, placeRunning, renameQueues, resample,
  ruleLine, scaleLoad, take, timeWindow, withFeedback, type CellGroups, type GoogleTrace, type OmegaClusterName, type RunningTask, type Trace,
} from '@sched/workload'
import { google, googleMachines, omegaFiles, openTraceFile, runningTasks } from '@sched/workload/node'
import { resolve } from 'node:path'
import { drawsEstimates, estimated } from './estimates.js'
import { fieldsUnder } from './fields-under.js'
import { checkedCluster, chosenGenerator } from './generator.js'
import type { WorkloadSpec } from './schema.js'

/** The jobs of an experiment, which may depend on the seed of a run. */
export interface WorkloadOfSeed {
  /** The trace that was opened, if it is one. */
  readonly trace?: Trace
  /** What reading did to its jobs, for people; of a trace its report says so. */
  readonly notes?: readonly string[]
  /** The cluster that it is meant for, if it knows. */
  readonly cell?: ClusterInput | ClusterDescription
  /** The parallel machine that its rigid jobs are of, if it knows. */
  readonly machine?: Machine
  /** What counts of nodes of Kubernetes besides CPU, memory and GPUs, by its name there. */
  readonly resources?: readonly string[]
  of(seed: number): Workload
  /** What runs at time 0, if it knows: placed on a cell, filled to `utilisation` where that is for it to say. */
  running?(cell: CellGroups, seed: number, utilisation: number | undefined): Running
}

/** Tasks that run at time 0, and what the user should know of how they came about. */
export interface Running {
  readonly prefill: readonly RunningTask[]
  readonly notes: readonly string[]
}

const sources = ['trace', 'generate', 'distributions', 'google'] as const

/** Opens the trace, or chooses the generator, of an experiment. Throws with fields that start with `workload`. */
export async function workloadOfSeed(spec: WorkloadSpec, directory: string, registry: Registry): Promise<WorkloadOfSeed> {
  const given = sources.filter((source) => spec[source] !== undefined)
  if (given.length !== 1)
    throw new SchedError(
      'BAD_INPUT',
      'needs either `trace` or `generate`.',
      { field: 'workload' },
      'For example `trace: jobs.tsv` or `generate: facebook`; or else `distributions` or `google`.',
    )
  if (spec.trace === undefined) refuseReading(spec)
  if (spec.trace !== undefined) return ofTrace(spec.trace, spec, directory, registry)
  if (spec.distributions !== undefined) return ofDistributions(spec.distributions, spec, directory)
  if (spec.google !== undefined) return ofGoogle(spec.google, spec, directory)
  return generated(spec, registry)
}

function refuseReading(spec: WorkloadSpec): void {
  for (const key of ['format', 'options', 'onBadLine'] as const)
    if (spec[key] !== undefined) throw new SchedError('BAD_INPUT', 'is for traces.', { field: `workload.${key}` }, 'Give a generator its options beneath its name.')
}

async function ofTrace(path: string, spec: WorkloadSpec, directory: string, registry: Registry): Promise<WorkloadOfSeed> {
  const file = resolve(directory, path)
  const trace = await openTraceFile(file, { formats: formatsIn(registry), format: spec.format, options: spec.options, onBadLine: spec.onBadLine })
  const of = bySeed((seed) => changedJobs(trace, spec, seed), drawsJobs(spec))
  const running = (cell: CellGroups, seed: number, utilisation: number | undefined): Running => {
    refuseTarget(utilisation, 'The running rows of a job list')
    return { prefill: placeRunning(cell, runningTasks(file), seed, file), notes: [] }
  }
  const { resources } = trace.format === 'kubernetes' ? ((spec.options ?? {}) as Pick<WorkloadOfSeed, 'resources'>) : {}
  return { trace, of, ...ofMachine(trace.machine), ...(resources !== undefined && { resources }), ...(trace.format === 'job-list' && { running }) }
}

/** A machine whose processors are counted and not told apart is one node. */
function ofMachine(machine: Machine | undefined): Pick<WorkloadOfSeed, 'machine' | 'cell'> {
  if (machine === undefined) return {}
  const [[unit, amount] = ['procs', 0]] = Object.entries(machine.resources)
  return { machine, cell: machine.separate === true ? { nodes: amount, resources: { [unit]: 1 } } : { nodes: 1, resources: machine.resources } }
}

/** Keeps the latest workload that was made, and makes another for another seed only where that matters. */
function bySeed(make: (seed: number) => Workload, matters: boolean): (seed: number) => Workload {
  let latest: { readonly seed: number; readonly workload: Workload } | undefined
  return (seed) => {
    if (latest === undefined || (matters && latest.seed !== seed)) latest = { seed, workload: make(seed) }
    return latest.workload
  }
}

/** For what runs is listed one by one. */
export function refuseTarget(utilisation: number | undefined, what: string): void {
  if (utilisation !== undefined) throw new SchedError('BAD_INPUT', `is for drawn tasks. ${what} are placed as they are.`, { field: 'prefill.utilisation' }, 'Leave it out.')
}

function ofDistributions({ seed: own, ...files }: NonNullable<WorkloadSpec['distributions']>, spec: WorkloadSpec, directory: string): WorkloadOfSeed {
  const { interarrival, csizes, runtimes, horizon, demand } = files
  const paths = { interarrival: resolve(directory, interarrival), csizes: resolve(directory, csizes), runtimes: resolve(directory, runtimes) }
  const options = { ...paths, ...(horizon !== undefined && { horizon }), ...(demand !== undefined && { demand }) }
  return { cell: omegaExampleCell, of: (seed) => changedJobs(omegaFiles({ ...options, seed: own ?? seed }), spec, seed) }
}

async function ofGoogle({ taskEvents, jobEvents, machines, ...options }: NonNullable<WorkloadSpec['google']>, spec: WorkloadSpec, directory: string): Promise<WorkloadOfSeed> {
  const paths = (names: readonly string[]) => names.map((name) => resolve(directory, name))
  const { maxDisorder, disk } = options
  const trace = await google({
    taskEvents: paths(taskEvents),
    ...(jobEvents !== undefined && { jobEvents: paths(jobEvents) }),
    ...(maxDisorder !== undefined && { maxDisorder }),
    ...(disk !== undefined && { disk }),
  })
  const of = bySeed((seed) => changedJobs(trace, spec, seed), drawsJobs(spec))
  const cell = machines === undefined ? undefined : await googleMachines(resolve(directory, machines))
  return {
    ...(cell !== undefined && { cell: { ...cell, nodes: [...cell.nodes] } }),
    of,
    notes: trace.rules.map(ruleLine),
    running: (cell, seed, utilisation = 1) => runningOfGoogle(trace, cell, seed, utilisation),
  }
}

function runningOfGoogle({ running }: GoogleTrace, cell: CellGroups, seed: number, utilisation: number): Running {
  const { tasks, left } = placeGoogle(cell, running, { seed, utilisation })
  return {
    prefill: tasks,
    notes: left === 0
      ? []
      : [`${left} of ${left + tasks.length} tasks that run at time 0 do not fit and are left out: Borg over-commits, a cell here does not`],
  }
}

/** A generator with a seed of its own keeps it; otherwise every seed of the run draws its jobs anew. */
function generated(spec: WorkloadSpec, registry: Registry): WorkloadOfSeed {
  const { name, plug, options } = fieldsUnder('workload.generate', () => chosenGenerator(spec.generate, registry))
  const made = (seed: number) => fieldsUnder('workload.generate', () => generatedBy(plug, seed))
  const { machine, cluster } = made(1) // so that what it throws is told now
  return {
    of: (seed) => changedJobs(made(seed), spec, seed),
    ...ofMachine(machine),
    ...(cluster !== undefined && { cell: checkedCluster(name, cluster) }),
    ...(name === 'omega-cluster' && { running: ofStandIn(options) }),
  }
}

interface StandIn {
  readonly cluster?: OmegaClusterName
  readonly scale?: number
  readonly batchRunTime?: number
}

/** What runs on the stand-ins of the clusters of the Omega paper. */
const ofStandIn = ({ cluster = 'C', scale = 1, batchRunTime = 1 }: StandIn): NonNullable<WorkloadOfSeed['running']> => (cell, seed, utilisation) => ({
  prefill: omegaClusterPrefill(cluster, { cell, scale, seed, batchRunTime, ...(utilisation !== undefined && { utilisation }) }),
  notes: [],
})

/** Whether the jobs of a trace differ from seed to seed. */
export const drawsJobs = ({ estimates, queueMix, resample: anew }: WorkloadSpec): boolean =>
  drawsEstimates(estimates) || queueMix !== undefined || (anew !== undefined && anew.seed === undefined)

/** The jobs that were read, changed as a workload says. Throws with fields that start with `workload`. */
export function changedJobs(read: Workload, { timeZone, window, take: first, feedback, resample: anew, load, estimates, queueNames, queueMix, masters }: WorkloadSpec, seed: number): Workload {
  const workload = timeZone === undefined ? read : { ...read, timeZone }
  const managed = masters === undefined ? workload : addMasters(workload, masters)
  const named = queueNames === undefined ? managed : renameQueues(managed, queueNames)
  const queued = queueMix === undefined ? named : drawQueues(named, queueMix, seed)
  const inside = window === undefined ? queued : fieldsUnder('workload.window', () => timeWindow(queued, window.from, window.to))
  const some = first === undefined ? inside : take(inside, first)
  const answered = feedback === undefined ? some : fieldsUnder('workload', () => withFeedback(some, feedback))
  const drawn = anew === undefined ? answered : fieldsUnder('workload', () => resample(answered, { ...anew, seed: anew.seed ?? seed }))
  const loaded = load === undefined ? drawn : fieldsUnder('workload.load', () => scaleLoad(drawn, load))
  return estimates === undefined ? loaded : estimated(loaded, estimates, seed)
}
