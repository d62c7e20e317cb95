import type { JobEvent, Seconds } from '@sched/core'
import type { AccountingRecord, Followed, FollowsJobs } from '../accounting/records.js'
import type { RuleCount } from '../trace/facts.js'
import type { LoggedJob } from './logged-job.js'
import { Singletons } from './singletons.js'
import { submitOptions } from './submit-line.js'
import { arrayOf } from './waiting-arrays.js'

const ASKED = /\s(?:--dependency(?:=|\s+)|-d\s*)["']?((?:after|singleton|expand)[^\s"']*)/

/** What a job depends on, from the command that submitted it (SubmitLine); '' if the command does not say. */
export const dependencyIn = (command: string): string => ASKED.exec(submitOptions(command))?.[1] ?? ''

/** Dependencies on the end of jobs, however they end: every job that runs here ends well. */
const OF_ENDS = /^after(any|ok|notok|burstbuffer|corr)$/
const SECONDS_PER_MINUTE = 60

/** An event of a job of the log. */
interface LoggedEvent extends JobEvent {
  /** When that job is submitted. */
  readonly submit: Seconds
  /** When the event and its think time were over in the log. */
  readonly time: Seconds
}

/**
 * Which jobs others wait for: for the ends of all named jobs (`--dependency=afterok:12:13`), for their starts and some minutes more (`after:12+5`),
 * for the first of several (`afterok:12?afterany:13`), or for all earlier jobs of the same name and user (`singleton`). An array (`afterok:12`)
 * stands for its task that ended last in the log, or with `after` for the one that started last; a heterogeneous job for its part that ended or
 * started last; with `aftercorr`, a task waits for the task of the same number. Only jobs above the waiting job are found.
 *
 * Source: Slurm, manual page of `sbatch`; `_test_job_dependency_common` of `src/slurmctld/job_scheduler.c`.
 */
export class Dependencies implements FollowsJobs {
  /** By job id, and by id of the array or the heterogeneous job: the job that ended last, and the job that started last. */
  readonly #last = new Map<string, { readonly ended: LoggedJob; readonly started: LoggedJob }>()
  readonly #singletons = new Singletons()
  #kept = 0
  #lost = 0

  /** `isKept`: jobs that wait are submitted when what they wait for has happened; `asked`: how a job says so, for the report. */
  constructor(private readonly isKept: boolean, private readonly asked = '--dependency') {}

  of(record: AccountingRecord): Followed | undefined {
    const { dependency = '' } = record
    if (dependency === '') return undefined
    if (!this.isKept) return void this.#kept++
    const isAny = dependency.includes('?')
    const items = dependency.split(/[,?]/).map((each) => this.#find(each, record))
    const events = distinct(items.flatMap((item) => item.events))
    const isMissing = items.some((item) => item.isMissing)
    if (isMissing && (isAny || events.length === 0)) return void this.#lost++
    if (isAny && items.some((item) => item.events.length === 0)) return undefined // the first job of a name does not wait
    return events.length === 0 ? undefined : followed(events, isAny, record.submit)
  }

  add(record: AccountingRecord, submit: Seconds): void {
    if (!this.isKept) return
    const { id, start, end } = record
    const own = id.replace(/#\d+$/, '')
    const whole = own.replace(/\+\d+$/, '')
    const job = { id, submit, start: start >= 0 ? start : Infinity, end: end >= 0 ? end : Infinity }
    for (const name of new Set([own, whole, arrayOf(own) ?? own])) this.#note(name, job)
    this.#singletons.add(record, job)
  }

  rules(): RuleCount[] {
    const kept = `after others (${this.asked}): submitted when the log says, all the same (dependencies: keep)`
    return [
      { rule: 'dependencies', jobs: this.#kept, text: kept },
      { rule: 'notFollowed', jobs: this.#lost, text: 'after others that are not above them or were left out, or in an unknown way: submitted when the log says' },
    ].filter(({ jobs }) => jobs > 0)
  }

  #note(name: string, job: LoggedJob): void {
    const { ended, started } = this.#last.get(name) ?? { ended: job, started: job }
    this.#last.set(name, { ended: job.end >= ended.end ? job : ended, started: job.start >= started.start ? job : started })
  }

  /** The events of one of several dependencies, and whether any of them is missing. */
  #find(dependency: string, record: AccountingRecord): { readonly events: readonly LoggedEvent[]; readonly isMissing: boolean } {
    const [kind = '', ...ids] = dependency.split(':')
    if (kind === 'singleton') {
      const before = this.#singletons.before(record)
      return { events: (before ?? []).map((job) => endOf(job)), isMissing: before === undefined }
    }
    const task = kind === 'aftercorr' ? taskOf(record.id) : undefined
    const events = ids.flatMap((id) => (kind === 'after' ? this.#start(id) : OF_ENDS.test(kind) ? this.#end(task === undefined ? id : `${id}_${task}`) : []))
    return { events, isMissing: events.length < ids.length || ids.length === 0 }
  }

  #end(id: string): LoggedEvent[] {
    const job = this.#last.get(id)?.ended
    return job === undefined ? [] : [endOf(job)]
  }

  /** The start of a job: `12+5` is 5 minutes after the start of job 12. */
  #start(named: string): LoggedEvent[] {
    const [id = '', minutes = '0'] = named.split('+')
    const job = this.#last.get(id)?.started
    const think = Number(minutes) * SECONDS_PER_MINUTE
    return job === undefined || !(think >= 0) ? [] : [{ job: job.id, on: 'start', ...(think > 0 && { think }), submit: job.submit, time: job.start + think }]
  }
}

const endOf = ({ id, submit, end }: LoggedJob): LoggedEvent => ({ job: id, submit, time: end })

/** Number of a task in an array: 4 of `123_4`. */
const taskOf = (id: string): string | undefined => /^\d+_(\d+)/.exec(id)?.[1]

const distinct = (events: readonly LoggedEvent[]): LoggedEvent[] => [...new Map(events.map((event) => [`${event.job} ${event.on ?? ''} ${event.think ?? 0}`, event])).values()]

/**
 * What a job waits for, from the events. If it waits for the first of several, events of jobs that are submitted later than the job are left out,
 * since those jobs cannot stand above it.
 */
function followed(events: readonly LoggedEvent[], isAny: boolean, submit: Seconds): Followed {
  const submits = events.map((event) => event.submit)
  const from = Math.max(submit, isAny ? Math.min(...submits) : Math.max(...submits))
  const above = events.filter((event) => event.submit <= from)
  const times = above.map(({ time }) => time)
  const waits = above.map(({ submit: _, time: __, ...event }) => event)
  const [only] = waits as [JobEvent]
  return {
    submit: from,
    time: isAny ? Math.min(...times) : Math.max(...times),
    waits: waits.length === 1 && only.on === undefined ? { after: only.job } : { [isAny ? 'afterAny' : 'afterAll']: waits },
  }
}
