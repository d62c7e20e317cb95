import type { AccountingRecord } from '../accounting/records.js'
import type { LoggedJob } from './logged-job.js'

/**
 * Who waits for whom under `--dependency=singleton`: each job for all those of its name and user that stand above it, of which those before the last
 * such job need not be named, since that one has waited for them. The parts of one heterogeneous job do not wait for each other.
 * Deviation: Slurm lets it wait for those submitted later, too, while they run; here those wait for nobody, and nobody for them.
 *
 * Source: Slurm, `_find_singleton_job` of `src/slurmctld/job_scheduler.c`.
 */
export class Singletons {
  readonly #named = new Map<string, LoggedJob[]>()

  /** The jobs for which one waits; `undefined` where records do not tell names. */
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

/** Whether it waits for all before it, and not for one of several. */
const isSingleton = ({ dependency = '' }: AccountingRecord): boolean => !dependency.includes('?') && dependency.split(',').includes('singleton')

const nameOf = ({ name = '', user }: AccountingRecord): string | undefined => (name === '' ? undefined : `${user}\n${name}`)

/** The heterogeneous job that an id names a part of. */
const wholeOf = (id: string): string | undefined => /^(.+)\+\d+/.exec(id)?.[1]
