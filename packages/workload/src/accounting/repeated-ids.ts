import { DistinctIds } from '../trace/distinct-ids.js'
import type { RuleCount } from '../trace/facts.js'

/** Makes ids unique in a table that repeats them: a repeated id gets a number, `12#2`. */
export class RepeatedIds {
  #repeated = 0
  readonly #seen = new DistinctIds()
  readonly #times = new Map<string, number>()

  /** `why`: reason for repeated ids, for the report. */
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
