import { knownWords, withoutUndefined, type JobSpec, type StageSpec } from '@sched/core'

/** Priorities of jobs by Hadoop's words. */
export const hadoopPriorities = knownWords<number>({ VERY_HIGH: 2, HIGH: 1, NORMAL: 0, LOW: -1, VERY_LOW: -2 })

/** What a history of MapReduce tells of a job, with times in ms. */
interface HadoopJob {
  readonly id: string
  readonly submit: number
  readonly end: number | undefined
  readonly user: string | undefined
  readonly queue: string | undefined
  readonly name: string | undefined
  readonly priority: number
  readonly status: string | undefined
  readonly stages: readonly StageSpec[]
}

/** The job with its submit time in ms; an end before that is not known. */
export function hadoopJob({ id, submit, end, user, queue, name, priority, status, stages }: HadoopJob): JobSpec {
  const recorded = { ...(end !== undefined && end >= submit && { runtime: (end - submit) / 1000 }), ...(status !== undefined && { status: status.toLowerCase() }) }
  return {
    id, submit,
    ...withoutUndefined({ user, queue, application: name }),
    ...(priority !== 0 && { priority }),
    ...(Object.keys(recorded).length > 0 && { recorded }),
    stages,
  }
}
