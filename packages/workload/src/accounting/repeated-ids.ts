import { DistinctIds } from '../trace/distinct-ids.js'
import { BadLine } from '../trace/format.js'
import type { RuleCount } from '../trace/facts.js'

/** Ids of a table that has one for several jobs: those that come again are told apart by a number. */
export class RepeatedIds {
  #repeated = 0
  readonly #seen = new DistinctIds()
  readonly #times = new Map<string, number>()

  /** `why` an id comes again, for the report. */
  constructor(private readonly why: string) {}

  distinct(id: string): string {
    if (this.#seen.add(id)) return id
    const times = (this.#times.get(id) ?? 1) + 1
    this.#times.set(id, times)
    this.#repeated++
    return `${id}#${times}`
  }

  rules(): RuleCount[] {
    return this.#repeated === 0 ? [] : [{ rule: 'repeated', jobs: this.#repeated, text: `with the id of one above, ${this.why}: called <id>#2, <id>#3, ...` }]
  }
}

/** Ids of Slurm's records, in which every run of a requeued job is one. */
export class RecordIds {
  readonly #ids = new RepeatedIds('requeued')
  /** Id and submit time, Slurm's own key of a record, of the job above. */
  #above = ''

  /** Throws `BadLine` for the record above once more. */
  of({ id, submit }: { readonly id: string; readonly submit: number }, field: string): string {
    const key = `${id} ${submit}`
    if (key === this.#above) throw new BadLine(field, `job ${id} is recorded twice with one submit time.`, 'Give every record once')
    this.#above = key
    return this.#ids.distinct(id)
  }

  rules(): RuleCount[] {
    return this.#ids.rules()
  }
}
