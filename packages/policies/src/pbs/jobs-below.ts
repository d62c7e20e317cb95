import type { JobId, Round, Seconds, TaskId } from '@sched/core'
import type { PbsRights } from './pbs-rights.js'

/** Running jobs that a job may preempt: those of lower levels, the lowest first; none where one of them has started just now, which can go only later. */
export function jobsBelow(preemptor: JobId, running: ReadonlyMap<JobId, readonly TaskId[]>, rights: PbsRights, youngestFirst: boolean, { work, now }: Round): JobId[] {
  const found: { readonly job: JobId; readonly level: number; readonly started: Seconds }[] = []
  for (const [job, tasks] of running) {
    if (!rights.mayTake(preemptor, job)) continue
    const started = Math.max(...tasks.map((task) => work.started(task)))
    if (!(started < now)) return []
    found.push({ job, level: rights.levels.of(job), started })
  }
  found.sort((a, b) => a.level - b.level || (youngestFirst ? b.started - a.started : 0) || work.rank(a.job) - work.rank(b.job))
  return found.map(({ job }) => job)
}
