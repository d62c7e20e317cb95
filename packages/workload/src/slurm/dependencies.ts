import type { Seconds } from '@sched/core'
import type { AccountingRecord, Followed, FollowsJobs } from '../accounting/records.js'
import type { RuleCount } from '../trace/facts.js'
import { submitOptions } from './submit-line.js'
import { arrayOf } from './waiting-arrays.js'

const ASKED = /\s(?:--dependency(?:=|\s+)|-d\s*)["']?((?:after|singleton|expand)[^\s"']*)/

/** What a job depends on, as the command says that submitted it (SubmitLine); '' where it says nothing. */
export const dependencyIn = (command: string): string => ASKED.exec(submitOptions(command))?.[1] ?? ''

/** Those that wait for the end of jobs, however they end: all that is run here ends well. */
const OF_ENDS = /^after(any|ok|notok|burstbuffer|corr)$/

/**
 * Which job others wait for (`--dependency=afterok:12:13`), of several the one that ended last in the log; of an array (`afterok:12`) its last
 * task, of a heterogeneous job its last part, and with `aftercorr` the task of the same number. Jobs are found above those that wait for them. What waits for starts (`after`), for jobs of a name
 * (`singleton`) or for one of several (`?`) follows none.
 *
 * Source: Slurm, manual page of `sbatch`.
 */
export class Dependencies implements FollowsJobs {
  /** The last that ended of those with an id, or of an array of it. */
  readonly #last = new Map<string, Followed>()
  #kept = 0
  #lost = 0

  /** `isKept`: those that wait are submitted when the other has ended. */
  constructor(private readonly isKept: boolean) {}

  of({ id, dependency = '' }: AccountingRecord): Followed | undefined {
    if (dependency === '') return undefined
    const found = this.isKept ? this.#find(dependency, taskOf(id)) : undefined
    if (found !== undefined || !this.isKept) this.#kept++
    else this.#lost++
    return found
  }

  add({ id, end }: AccountingRecord, submit: Seconds): void {
    if (!this.isKept) return
    const own = id.replace(/#\d+$/, '')
    const whole = own.replace(/\+\d+$/, '')
    const job = { id, submit, end: end >= 0 ? end : Infinity }
    for (const name of new Set([own, whole, arrayOf(own) ?? own])) this.#note(name, job)
  }

  rules(): RuleCount[] {
    const kept = 'after others (--dependency): submitted when the log says, all the same (dependencies: keep)'
    return [
      { rule: 'dependencies', jobs: this.isKept ? 0 : this.#kept, text: kept },
      { rule: 'notFollowed', jobs: this.#lost, text: 'after others that are not above them or were left out, or otherwise than after an end: submitted when the log says' },
    ].filter(({ jobs }) => jobs > 0)
  }

  #note(name: string, job: Followed): void {
    const known = this.#last.get(name)
    if (known === undefined || job.end >= known.end) this.#last.set(name, job)
  }

  #find(dependency: string, task: string | undefined): Followed | undefined {
    if (dependency.includes('?')) return undefined
    const found = dependency.split(',').flatMap((each) => {
      const [kind = '', ...ids] = each.split(':')
      return OF_ENDS.test(kind) ? ids.flatMap((id) => this.#last.get(kind === 'aftercorr' && task !== undefined ? `${id}_${task}` : id) ?? []) : []
    })
    return found.reduce<Followed | undefined>((last, each) => (last === undefined || each.end > last.end ? each : last), undefined)
  }
}

/** The number of a task of an array: 4 of `123_4`. */
const taskOf = (id: string): string | undefined => /^\d+_(\d+)/.exec(id)?.[1]
