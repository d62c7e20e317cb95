import type { Registry } from '@sched/core'
import { formatNamed, formatsIn } from '@sched/workload'
import type { ExperimentSpec } from './schema.js'
import type { WorkloadOfSeed } from './workload.js'

/** Run times that a trace recorded are what they are, unless the experiment says otherwise; what a model makes of bytes varies. */
export function withRecordedTimes(spec: ExperimentSpec, { trace }: WorkloadOfSeed, registry: Registry): ExperimentSpec {
  const isRecorded = spec.workload.google !== undefined || (trace !== undefined && formatNamed(trace.format, formatsIn(registry)).isModelled !== true)
  return isRecorded ? { ...spec, runtime: { jitter: 0, ...spec.runtime } } : spec
}
