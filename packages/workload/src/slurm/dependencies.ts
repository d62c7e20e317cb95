import type { JobEvent, Seconds } from '@sched/core'
import type { AccountingRecord, Followed, FollowsJobs } from '../accounting/records.js'
import type { RuleCount } from '../trace/facts.js'
import type { LoggedJob } from './logged-job.js'
import { Singletons } from './singletons.js'
import { submitOptions } from './submit-line.js'
import { arrayOf } from './waiting-arrays.js'

const ASKED = /\s(?:--dependency(?:=|\s+)|-d\s*)["']?((?:after|singleton|expand)[^\s"']*)/

/** What a job depends on, as the command says that submitted it (SubmitLine); '' where it says nothing. */
export const dependencyIn = (command: string): string => ASKED.exec(submitOptions(command))?.[1] ?? ''

/** Those that wait for the end of jobs, however they end: all that is run here ends well. */
const OF_ENDS = /^after(any|ok|notok|burstbuffer|corr)$/
const SECONDS_PER_MINUTE = 60

/** What happens to a job of the log. */
interface LoggedEvent extends JobEvent {
  /** When that job is submitted, and when the event and its think time were over in the log. */
  readonly submit: Seconds
  readonly time: Seconds
}

/**
 * Which jobs others wait for (`--dependency=afterok:12:13`): for the end of all of them, for their starts and so many minutes more (`after:12+5`),
 * for the first of several (`afterok:12?afterany:13`), or for all jobs of their name and user before them (`singleton`). Of an array (`afterok:12`) it is the task
 * that ended last in the log, with `after` the one that started last, of a heterogeneous job its last part, and with `aftercorr` the task of the same number. Jobs are
 * found above those that wait for them.
 *
 * Source: Slurm, manual page of `sbatch`; `_test_job_dependency_common` of `src/slurmctld/job_scheduler.c`.
 */
export class Dependencies implements FollowsJobs {
  /** Of those with an id, or of an array of it, the last that ended, and the last that started. */
  readonly #last = new Map<string, { readonly ended: LoggedJob; readonly started: LoggedJob }>()
  readonly #singletons = new Singletons()
  #kept = 0
  #lost = 0

  /** `isKept`: those that wait are submitted when what they wait for has happened. */
  constructor(private readonly isKept: boolean) {}

  of(record: AccountingRecord): Followed | undefined {
    const { dependency = '' } = record
    if (dependency === '') return undefined
    if (!this.isKept) return void this.#kept++
    const isAny = dependency.includes('?')
    const items = dependency.split(/[,?]/).map((each) => this.#find(each, record))
    const events = distinct(items.flatMap((item) => item.events))
    const isMissing = items.some((item) => item.isMissing)
    if (isMissing && (isAny || events.length === 0)) return void this.#lost++
    if (isAny && items.some((item) => item.events.length === 0)) return undefined // the first of a name waits for nobody
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
    const kept = 'after others (--dependency): submitted when the log says, all the same (dependencies: keep)'
    return [
      { rule: 'dependencies', jobs: this.#kept, text: kept },
      { rule: 'notFollowed', jobs: this.#lost, text: 'after others that are not above them or were left out, or in a way that is not known: submitted when the log says' },
    ].filter(({ jobs }) => jobs > 0)
  }

  #note(name: string, job: LoggedJob): void {
    const { ended, started } = this.#last.get(name) ?? { ended: job, started: job }
    this.#last.set(name, { ended: job.end >= ended.end ? job : ended, started: job.start >= started.start ? job : started })
  }

  /** What one of several dependencies names, and whether something of it is not there. */
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

  /** `12+5`: 5 minutes after the start of 12. */
  #start(named: string): LoggedEvent[] {
    const [id = '', minutes = '0'] = named.split('+')
    const job = this.#last.get(id)?.started
    const think = Number(minutes) * SECONDS_PER_MINUTE
    return job === undefined || !(think >= 0) ? [] : [{ job: job.id, on: 'start', ...(think > 0 && { think }), submit: job.submit, time: job.start + think }]
  }
}

const endOf = ({ id, submit, end }: LoggedJob): LoggedEvent => ({ job: id, submit, time: end })

/** The number of a task of an array: 4 of `123_4`. */
const taskOf = (id: string): string | undefined => /^\d+_(\d+)/.exec(id)?.[1]

const distinct = (events: readonly LoggedEvent[]): LoggedEvent[] => [...new Map(events.map((event) => [`${event.job} ${event.on ?? ''} ${event.think ?? 0}`, event])).values()]

/** Jobs that are submitted later than one that waits for the first of several cannot be above it: it does not wait for these. */
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
