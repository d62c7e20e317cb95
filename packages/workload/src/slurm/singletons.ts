import type { AccountingRecord } from '../accounting/records.js'
import type { LoggedJob } from './logged-job.js'

/**
 * Which jobs a job with `--dependency=singleton` waits for: all jobs of its name and user that stand above it. Jobs above the last such singleton
 * need not be named, since that one has waited for them. Parts of one heterogeneous job do not wait for each other.
 *
 * Deviation: in Slurm a job also waits for jobs that were submitted later and run already. Here only jobs above are waited for.
 *
 * Source: Slurm, `_find_singleton_job` of `src/slurmctld/job_scheduler.c`.
 */
export class Singletons {
  readonly #named = new Map<string, LoggedJob[]>()

  /** The jobs that a singleton waits for; `undefined` if records do not tell names. */
  before(record: AccountingRecord): readonly LoggedJob[] | undefined {
    const name = nameOf(record)
    const whole = wholeOf(record.id)
    return name === undefined ? undefined : (this.#named.get(name) ?? []).filter(({ id }) => whole === undefined || wholeOf(id) !== whole)
  }

  add(record: AccountingRecord, job: LoggedJob): void {
    const name = nameOf(record)
    if (name === undefined) return
    const isLast = isSingleton(record) && wholeOf(record.id) === undefined
    if (isLast) this.#named.set(name, [job])
    else this.#named.set(name, this.#named.get(name) ?? []).get(name)!.push(job)
  }
}

/** Whether a job waits for all of its name above it, not just as one of several alternatives. */
const isSingleton = ({ dependency = '' }: AccountingRecord): boolean => !dependency.includes('?') && dependency.split(',').includes('singleton')

const nameOf = ({ name = '', user }: AccountingRecord): string | undefined => (name === '' ? undefined : `${user}\n${name}`)

/** Id of the heterogeneous job of which an id names a part. */
const wholeOf = (id: string): string | undefined => /^(.+)\+\d+/.exec(id)?.[1]
