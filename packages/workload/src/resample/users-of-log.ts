import { SchedError, type JobSpec, type Seconds, type Workload } from '@sched/core'
import { allJobs } from '../workload.js'

/** A job, with its position in the log. */
export interface UsersJob {
  readonly job: JobSpec
  readonly at: number
}

/** What one user submitted, in the order of the log. */
export interface User {
  readonly jobs: readonly UsersJob[]
  /** Period of the first job, from 0. */
  readonly first: number
  /** Number of periods from there to the period of the last job. */
  readonly span: number
}

const DAY = 86_400

/** What to do about a log whose last job comes at `end`. */
function wayOut(end: Seconds): string {
  if (end < 2) return 'There is too little of it to be drawn from.'
  return `Give a shorter \`period\`, ${end < 2 * DAY ? `at most ${Math.floor(end / 2)}` : `such as a day: ${DAY}`}.`
}

/** The users of a log, in order of their first submission, and the length of the log. */
export class UsersOfLog {
  readonly users: readonly User[]
  /** Length of the log in periods, rounded; later jobs are left out. */
  readonly periods: number

  constructor(workload: Workload, period: Seconds) {
    const jobs = allJobs(workload, 'resample')
    if (!jobs.some(({ user }) => user !== undefined)) throw refused('no job names its user.', 'Logs are drawn anew from what each user submitted.')
    const end = jobs.at(-1)?.submit ?? 0
    this.periods = Math.round(end / period)
    if (this.periods < 2) throw refused(`the log lasts ${Math.round(end)} s, which is less than two periods of ${period} s.`, wayOut(end))
    const byUser = new Map<string | undefined, UsersJob[]>()
    for (const [at, job] of jobs.entries()) {
      if (job.submit >= this.periods * period) break
      const own = byUser.get(job.user)
      if (own === undefined) byUser.set(job.user, [{ job, at }])
      else own.push({ job, at })
    }
    this.users = [...byUser.values()].map((own) => {
      const [first, last] = [own[0], own.at(-1)].map((each) => Math.floor((each as UsersJob).job.submit / period)) as [number, number]
      return { jobs: own, first, span: last - first }
    })
  }
}

const refused = (fact: string, wayOut: string) => new SchedError('BAD_OPTION', fact, { field: 'resample' }, wayOut)
