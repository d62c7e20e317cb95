import type { RuleCount } from '../trace/facts.js'

/** Selects records by cluster: one given cluster, or all of them. */
export class Clusters {
  #first = ''
  #others = 0
  #left = 0

  constructor(private readonly wanted: string | undefined) {}

  /** Whether a record of this cluster counts. Records that do not name a cluster always count. */
  take(cluster: string): boolean {
    if (cluster === '') return true
    if (this.wanted !== undefined) {
      if (cluster === this.wanted) return true
      this.#left++
      return false
    }
    if (this.#first === '') this.#first = cluster
    if (cluster !== this.#first) this.#others++
    return true
  }

  rules(): RuleCount[] {
    return [
      { rule: 'cluster', jobs: this.#left, text: `of another cluster than ${this.wanted}: left out` },
      { rule: 'clusters', jobs: this.#others, text: `of another cluster than the first one, ${this.#first}: all on one machine (cluster: ${this.#first} reads only its jobs)` },
    ].filter(({ jobs }) => jobs > 0)
  }
}
