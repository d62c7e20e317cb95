export { jobsOf, streamJobs, workloadFrom, workloadOf } from './workload.js'
export { addMasters, drawQueues, filter, mapJobs, renameQueues, scaleLoad, take, timeWindow, type MasterSpec } from './transform.js'
export { withFeedback, type Feedback } from './feedback.js'
export { resample, type Resampling } from './resample/resample.js'
export { describe, describeStream } from './describe.js'
export type { Capacity, ClassSummary, ResourceSummary, WorkloadSummary } from './workload-summary.js'
export { jobSize, sizeClass, sizeClasses, sizeRanges } from './size-class.js'

export { type GeneratedWorkload, type WorkloadGenerator } from './generate/callable.js'
export { generatedBy } from './generate/generated-by.js'
export { facebook } from './generate/facebook.js'
export { facebookMixed } from './generate/facebook-mixed.js'
export { generate, generators, registerGenerators, type AnyGenerator } from './generate/generators.js'
export { hibench, hibenchTenants } from './hibench/hibench.js'
export { jobCodes, jobTypes, type JobCode, type JobType } from './hibench/job-types.js'
export { lublin } from './generate/lublin.js'
export {
  clusters as omegaClusters, omegaCluster, omegaClusterCell, omegaClusterPrefill, omegaDistributions, omegaExample, omegaExampleCell, placeRunning,
  prefill, readCellState, readDistribution, runningRows, type CellGroups, type ClusterName as OmegaClusterName, type RunningGroup, type RunningJob, type RunningKind,
  type RunningTask,
} from './omega/index.js'
export { placeGoogle, type GoogleTrace, type MachineClasses } from './google/index.js'
export { poissonJobs } from './generate/poisson-jobs.js'
export { schedulerOverhead } from './generate/scheduler-overhead.js'
export { sensitivity } from './generate/sensitivity.js'
export { smallJobs } from './generate/small-jobs.js'
export { stickySlots } from './generate/sticky-slots.js'
export { tsafrirEstimates, type TsafrirOptions } from './generate/tsafrir.js'

export {
  BadLine,
  type KnownFormat,
  type LineParser,
  type LinePlace,
  type ReadOptions,
  type Trace,
  type TraceFormat,
  type TraceReport,
} from './trace/format.js'
export { ruleLine, type HeaderFields, type Machine, type RuleCount, type TraceFacts } from './trace/facts.js'
export { lineText } from './trace/fields.js'
export { heldParser, type RowReader } from './table/held-jobs.js'
export { detectFormatOf, formatNamed, formatsIn, registerFormats, traceFormat, traceFormats } from './trace/formats.js'
export { binaryKind, type Likeness } from './trace/looks-like.js'
export { parseTrace, type ParseOptions } from './trace/parse-trace.js'
export { machineMapping, mappedMachines, type MachineMapping } from './table/mapped-machines.js'
export { machinesOf, readMachines } from './table/machine-tables.js'
export { readOutages, type ListedOutage, type OutageList, type OutageReading } from './outage/formats.js'
export type { MachineGroup, MachineTable } from './table/machine-table.js'
export { parseSwf, type SwfOptions } from './swf/parse-swf.js'
export { startsAtOnce, swfRows, type JobRun, type SwfRowsOf } from './swf/rows.js'
export { swfLog, type SwfLog } from './swf/log.js'
export { SwfNumbers } from './swf/numbers.js'
export { swfResultHeader, writeSwf, writeSwfStream, type SwfResultOf, type SwfRow, type SwfWriteOptions } from './swf/write.js'
export { parseSwim, type SwimOptions } from './swim/parse-swim.js'
export { rateModel, type RateModel } from './swim/rate-model.js'

export { headerSchema, jobSchema, nativeFormat, nativeJsonSchema, nativeVersion, stageSchema } from './native/schema.js'
export { writeWorkload, writeWorkloadStream } from './native/write.js'
