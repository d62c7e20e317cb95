import { isFollower, type JobEvent, type JobSpec, type Seconds } from '@sched/core'

/** The job with another submit time; its deadline moves with it. */
export function moved(job: JobSpec, submit: Seconds): JobSpec {
  if (job.deadline === undefined) return { ...job, submit }
  return { ...job, submit, deadline: job.deadline + (submit - job.submit) }
}

/** The job without its recorded wait, which belongs to another submission. */
export function withoutWait({ recorded, ...job }: JobSpec): JobSpec {
  if (recorded === undefined) return job
  const { wait: _, ...rest } = recorded
  return { ...job, recorded: rest }
}

/**
 * The job with other names for the jobs that it waits for. It does not wait for jobs without a new name (`undefined`), and for the first of several
 * events only if all of these jobs have one.
 */
export function waitingFor(job: JobSpec, nameOf: (id: string) => string | undefined): JobSpec {
  if (!isFollower(job)) return job
  const { after, think, afterAll, afterAny, ...rest } = job
  const renamed = (events: readonly JobEvent[] = []): JobEvent[] =>
    events.flatMap((event) => {
      const name = nameOf(event.job)
      return name === undefined ? [] : [name === event.job ? event : { ...event, job: name }]
    })
  const first = after === undefined ? undefined : nameOf(after)
  const all = renamed(afterAll)
  const any = renamed(afterAny)
  return {
    ...rest,
    ...(first !== undefined && { after: first, ...(think !== undefined && { think }) }),
    ...(all.length > 0 && { afterAll: all }),
    ...(any.length > 0 && any.length === afterAny?.length && { afterAny: any }),
  }
}
