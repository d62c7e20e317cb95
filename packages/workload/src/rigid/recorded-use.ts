import type { JobSpec } from '@sched/core'
import type { RecordedUse } from './machine.js'
import type { RigidResource } from './resources.js'

/** What rigid jobs used of a resource in the log that they come from. */
export function recordedUse(jobs: readonly JobSpec[], resource: RigidResource): RecordedUse {
  const column = (value: (job: JobSpec) => number) => new Float64Array(jobs.length).map((_, i) => value(jobs[i]!))
  const start = ({ submit, recorded }: JobSpec) => submit + (recorded?.wait ?? NaN)
  return {
    amounts: column(({ stages: [stage] }) => stage!.tasks * (stage!.demand[resource] ?? 0)),
    starts: column(start),
    ends: column((job) => start(job) + (job.recorded?.runtime ?? (job.stages[0]!.duration as number))),
  }
}
