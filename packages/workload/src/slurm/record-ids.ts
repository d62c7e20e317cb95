import { RepeatedIds } from '../accounting/repeated-ids.js'
import type { RuleCount } from '../trace/facts.js'

/** What identifies a record of Slurm. Every run of a requeued job has its own submit time. */
interface RecordKey {
  readonly id: string
  readonly submit: number
  /** End time; NaN if the job has not ended. */
  readonly end: number
  readonly cluster?: string | undefined
}

/**
 * Ids for the jobs of Slurm's records. Exports of successive months both contain the jobs that were there at the turn of the month. Of such records
 * the first that tells the end counts, otherwise the first. `AccountingJobs` refuses the later one if a job was already made from a record without an
 * end.
 *
 * Source: the key of the job table in Slurm's database (`id_job`, `time_submit`; `as_mysql_job.c`).
 */
export class RecordIds {
  readonly #ids = new RepeatedIds('requeued')
  /** By key: '' if the job had ended, otherwise the id that it was given. */
  readonly #known = new Map<string, string>()
  #submit = NaN
  #twice = 0

  /** `isHeld`: records may come in any order. Otherwise they are in order of submission, and records are forgotten when the submit time advances. */
  constructor(private readonly isHeld: boolean) {}

  /** The id for the job of a record; `undefined` if it is left out because a record above tells as much. */
  of({ id, submit, end, cluster = '' }: RecordKey): string | undefined {
    if (!this.isHeld && submit !== this.#submit) this.#known.clear()
    this.#submit = submit
    const key = `${id} ${submit}${cluster}`
    const known = this.#known.get(key)
    const hasEnded = !Number.isNaN(end)
    if (known === '' || (known !== undefined && !hasEnded)) {
      this.#twice++
      return undefined
    }
    const called = known ?? this.#ids.distinct(id)
    this.#known.set(key, hasEnded ? '' : called)
    return called
  }

  rules(): RuleCount[] {
    const twice = { rule: 'twice', jobs: this.#twice, text: 'with the id and the submit time of one above, as in overlapping exports: left out' }
    return [...this.#ids.rules(), ...(this.#twice > 0 ? [twice] : [])]
  }
}
