import { IdWindow } from '../orders/id-window.js'

/** Ranks of jobs by id: a row of keys, of which the first that tells two jobs apart decides, the smaller one first; of equals the earlier submission. */
export class Ranks {
  /** Keys of each job; set before the first of them. */
  width = 0
  readonly #rows: number[] = []
  readonly #submissions: number[] = []

  /** Of a job in no list. */
  set(job: number, keys: readonly number[], submission: number): void {
    for (let k = 0; k < this.width; k++) this.#rows[job * this.width + k] = keys[k] as number
    this.#submissions[job] = submission
  }

  /** Below 0: `a` comes first. */
  compare(a: number, b: number): number {
    for (let k = 0; k < this.width; k++) {
      const difference = (this.#rows[a * this.width + k] as number) - (this.#rows[b * this.width + k] as number)
      if (difference !== 0) return difference
    }
    return (this.#submissions[a] as number) - (this.#submissions[b] as number)
  }
}

/** Jobs in the order of their ranks, which change only while a job is in no list. */
export class RankedJobs extends IdWindow {
  readonly #ranks: Ranks

  constructor(ranks: Ranks) {
    super()
    this.#ranks = ranks
  }

  add(job: number): void {
    this.makeRoom()
    this.insert(this.#place(job), job)
  }

  remove(job: number): void {
    this.removeAt(this.#place(job))
  }

  /** Where the job stands, or would stand. */
  #place(job: number): number {
    let low = this.from
    let high = this.to
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#ranks.compare(this.ids[middle] as number, job) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}
