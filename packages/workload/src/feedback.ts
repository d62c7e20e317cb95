import { isFollower, SchedError, type JobSpec, type Seconds, type Workload } from '@sched/core'
import { longestOf } from './critical-path.js'
import { withoutWait } from './moved-job.js'
import { factsOf } from './trace/facts.js'
import { allJobs, workloadOf } from './workload.js'

/** How users react to the ends of their jobs. */
export interface Feedback {
  /** Seconds after an end within which a submission counts as an answer to it, at least 0. Default: 1200. */
  readonly within?: Seconds | undefined
}

/**
 * The same jobs, submitted as their users would have answered to another scheduler. A user submits a batch of jobs, looks at what came of it, thinks,
 * and submits the next. In the log the batch of a user ends when none of the jobs submitted so far runs or waits any more. What is submitted within
 * `within` seconds from then on waits here for the job that ended last, and for the think time of the log after that: it comes later under a scheduler
 * that is slower than the recorded one, and earlier under a faster one. Jobs of a batch keep their distances. What is submitted later begins a new
 * session, at the time of the log. A job that waits for others already goes on to do so. Recorded waits are left out: they are of other submissions.
 *
 * Source: Zakay and Feitelson, "Preserving user behavior characteristics in trace-based simulation of parallel job scheduling", MASCOTS 2014: batches,
 * think times, sessions. Deviation: a batch waits for one job, that which ended last in the log, and not for all of the batch before; and no session
 * is moved to another time of the day.
 *
 * Throws `BAD_OPTION` where no job says when it ended, for a workload that cannot be held in memory, or whose submissions follow the run.
 */
export function withFeedback(workload: Workload, { within = 1200 }: Feedback = {}): Workload {
  if (!(within >= 0 && within < Infinity)) throw new SchedError('BAD_OPTION', `found ${within}, expected seconds of at least 0.`, { field: 'feedback.within' }, 'Leave it out for 1200, 20 minutes.')
  const jobs = allJobs(workload, 'feedback')
  if (!jobs.some((job) => endOf(job) !== undefined))
    throw new SchedError('BAD_OPTION', 'no job says how long it waited, so that no submission can follow an end.', { field: 'feedback' }, 'Use a log with recorded waits.')
  const users = new Map<string | undefined, User>()
  const known = new Map<string, Seconds>()
  const answers = jobs.map((job) => {
    const user = users.get(job.user) ?? new User()
    users.set(job.user, user)
    const answer = answerTo(user.before(job, within), job, known)
    known.set(job.id, answer.submit)
    return answer
  })
  return { ...factsOf(workload), ...workloadOf(`${workload.name}, with feedback`, answers.sort((a, b) => a.submit - b.submit).map(withoutWait)) }
}

/** The job as an answer to the end of another job: it is submitted when that job is, and waits for it. */
function answerTo(end: End | undefined, job: JobSpec, known: ReadonlyMap<string, Seconds>): JobSpec {
  if (end === undefined || isFollower(job)) return job
  return { ...job, submit: known.get(end.job) as Seconds, after: end.job, think: job.submit - end.time }
}

/** When a job ended in the log; `undefined` if unknown. */
function endOf({ submit, recorded, stages }: JobSpec): Seconds | undefined {
  if (recorded?.wait === undefined) return undefined
  return submit + recorded.wait + (recorded.runtime ?? Math.max(...stages.map(({ duration }) => longestOf(duration))))
}

interface End {
  readonly job: string
  readonly time: Seconds
}

/** A user of the log, whose jobs are passed one after another. */
class User {
  /** The last end of the jobs in the batch so far. */
  #last: End | undefined
  /** The end that the batch answers to. */
  #cause: End | undefined

  /** The end that a submission answers to, if any. The job then belongs to the batch. */
  before(job: JobSpec, within: Seconds): End | undefined {
    if (this.#last !== undefined && job.submit >= this.#last.time) {
      this.#cause = job.submit <= this.#last.time + within ? this.#last : undefined
      this.#last = undefined
    }
    const time = endOf(job)
    if (time !== undefined && time >= (this.#last?.time ?? 0)) this.#last = { job: job.id, time }
    return this.#cause
  }
}
