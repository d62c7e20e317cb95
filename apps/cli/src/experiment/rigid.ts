import { optionNames, SchedError, type JobSpec, type Registry, type Workload } from '@sched/core'
import { formatNamed, formatsIn, startsAtOnce } from '@sched/workload'
import { openTraceFile } from '@sched/workload/node'
import type { ExperimentSpec } from './schema.js'
import { generatorName } from './generator.js'
import { drawsOutages } from './outages.js'
import { drawsJobs, type WorkloadOfSeed } from './workload.js'

/**
 * Whether a trace is a log of a parallel machine: its format has an option `procs`, or it was converted from such a log and
 * says what machine that had, or it is a table of such jobs. False for a file that cannot be read.
 */
export const isRigidTrace = async (path: string, format: string | undefined, options: unknown, registry: Registry): Promise<boolean> =>
  (await takesProcs(path, format, registry)) || ifReadable(async () => {
    const { machine, isRigid = machine !== undefined } = await openTraceFile(path, { formats: formatsIn(registry), format, options, stream: true })
    return isRigid
  })

/** Whether the format of a trace has an option `procs`. */
export function takesProcs(path: string, format: string | undefined, registry: Registry): Promise<boolean> {
  const formats = formatsIn(registry)
  return ifReadable(async () => hasProcs(formatNamed(format ?? (await openTraceFile(path, { formats, stream: true })).format, formats).options))
}

async function ifReadable(question: () => Promise<boolean>): Promise<boolean> {
  try {
    return await question()
  } catch (error) {
    if (error instanceof SchedError) return false
    throw error
  }
}

/** Whether a generator makes jobs of a parallel machine, as the command line or a file names it. */
export function isRigidGenerator(generate: unknown, registry: Registry): boolean {
  const name = generatorName(generate) ?? ''
  return registry.has('generator', name) && hasProcs(registry.get('generator', name).options)
}

const hasProcs = (options: unknown) => optionNames(options).includes('procs')

/**
 * What an experiment on rigid jobs is run with unless it says otherwise: their run times are what they are, nothing of a
 * log is drawn, and more is measured of them. `seeds`: how many there are where something is drawn.
 */
export function withRigidDefaults(spec: ExperimentSpec, workload: WorkloadOfSeed, seeds: number): ExperimentSpec {
  if (!(spec.metrics?.rigid ?? (workload.machine !== undefined || startsRigid(workload.of(spec.seed ?? 1))))) return spec
  const { localityFactors = [1], jitter = 0 } = spec.runtime ?? {}
  const isFixed = workload.trace !== undefined && jitter === 0 && !drawsJobs(spec.workload) && !drawsOutages(spec.outages)
  return {
    ...spec,
    seeds: spec.seeds ?? (isFixed ? 1 : seeds),
    runtime: { ...spec.runtime, localityFactors, jitter },
    metrics: { ...spec.metrics, rigid: true },
  }
}

/** A log that was converted does not say what it was, but its first job shows it. A streamed one is not looked at. */
function startsRigid(workload: Workload): boolean {
  const first = workload.open().next()
  return first !== undefined && isRigidJob(first)
}

function isRigidJob(job: JobSpec): boolean {
  const { stages, estimate, recorded } = job
  return startsAtOnce(job) && stages.every(({ duration, data }) => typeof duration === 'number' && data === undefined) && (estimate !== undefined || recorded?.wait !== undefined)
}
