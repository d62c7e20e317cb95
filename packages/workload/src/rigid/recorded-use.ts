import type { JobSpec, Seconds, StageSpec } from '@sched/core'
import { longestOf } from '../critical-path.js'
import type { RecordedUse } from './machine.js'
import type { RigidResource } from './resources.js'

/** When a job started in the log: its submission plus its recorded wait; NaN if unknown. */
export const recordedStart = ({ submit, recorded }: JobSpec): Seconds => submit + (recorded?.wait ?? NaN)

/**
 * What rigid jobs used of a resource in their log. There is a row for each stage, with its own end, and for each job of several stages a row without
 * times, with the total that it asked for.
 */
export function recordedUse(jobs: readonly JobSpec[], resource: RigidResource, start = recordedStart): RecordedUse {
  const asks = ({ tasks, demand }: StageSpec) => tasks * (demand[resource] ?? 0)
  const several = jobs.filter(({ stages }) => stages.length > 1)
  const rows = several.length === 0 ? jobs.map((job) => [job, job.stages[0]!] as const) : jobs.flatMap((job) => job.stages.map((stage) => [job, stage] as const))
  const sums = several.map(({ stages }) => stages.reduce((sum, stage) => sum + asks(stage), 0))
  const column = (value: (job: JobSpec, stage: StageSpec) => number, ofSum: (sum: number) => number = () => NaN) =>
    Float64Array.from([...rows.map(([job, stage]) => value(job, stage)), ...sums.map(ofSum)])
  return {
    amounts: column((_, stage) => asks(stage), (sum) => sum),
    starts: column(start),
    ends: column((job, stage) => start(job) + (job.stages.length === 1 ? (job.recorded?.runtime ?? (stage.duration as number)) : longestOf(stage.duration))),
  }
}
