import { RepeatedIds } from '../accounting/repeated-ids.js'
import type { RuleCount } from '../trace/facts.js'

/** What tells records of Slurm apart: every run of a requeued job has a submit time of its own. */
interface RecordKey {
  readonly id: string
  readonly submit: number
  /** NaN of a job that has not ended. */
  readonly end: number
  readonly cluster?: string | undefined
}

/**
 * Ids of the jobs of Slurm's records. Exports of one month after another have the jobs twice that were there at the turn: of these the first record counts that
 * tells the end, or else the first. Whether a job was made of one that tells none, `AccountingJobs` knows.
 *
 * Source: the key of the table of jobs in Slurm's database (`id_job`, `time_submit`; `as_mysql_job.c`).
 */
export class RecordIds {
  readonly #ids = new RepeatedIds('requeued')
  /** By what tells it apart: '' where the job had ended, otherwise what it was called. */
  readonly #known = new Map<string, string>()
  #submit = NaN
  #twice = 0

  /** `isHeld`: records come in any order; otherwise in that of submission, so that none is remembered beyond its own time. */
  constructor(private readonly isHeld: boolean) {}

  /** What the job of a record is called; `undefined`: it is left out, since one above tells as much. */
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
    const twice = { rule: 'twice', jobs: this.#twice, text: 'with the id and the submit time of one above, as exports that overlap have them: left out' }
    return [...this.#ids.rules(), ...(this.#twice > 0 ? [twice] : [])]
  }
}
