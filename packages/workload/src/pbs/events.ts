import type { RuleCount } from '../trace/facts.js'

/** The latest record of a job without an end. */
type Latest = 'queued' | 'started' | 'deleted'

/** Counts records other than those of ended jobs, and knows from them what became of jobs without an end. */
export class PbsEvents {
  readonly #kinds = new Map<string, number>()
  readonly #open = new Map<string, Latest>()
  readonly #suspended = new Set<string>()
  /** Of jobs without an end, when they were queued first and started last, seconds. */
  readonly #queued = new Map<string, number>()
  readonly #started = new Map<string, number>()
  #arrays = 0
  #suspendedRuns = 0

  /** Adds a record of a type (a letter) about a job or something else, and when it was written. */
  add(kind: string, id: string, at: number): void {
    this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1)
    if (kind === 'Q' && !this.#queued.has(id)) this.#queued.set(id, at)
    if (kind === 'S') this.#started.set(id, at)
    if (kind === 'z') this.#suspended.add(id)
    else if (kind === 'M') this.#open.delete(id) // moved to another server
    else if (id.endsWith('[]')) return
    else if (kind === 'Q' && !this.#open.has(id)) this.#open.set(id, 'queued')
    else if (kind === 'S' || kind === 'T') this.#open.set(id, 'started')
    else if (kind === 'R') this.#rerun(id)
    else if (kind === 'D' || kind === 'A') this.#open.set(id, 'deleted')
  }

  /** Adds the end of an array as a whole. */
  addArray(id: string): void {
    this.#arrays++
    this.#open.delete(id)
  }

  /** What is known of a job that has ended; NaN: it has no such record. */
  ended(id: string): { readonly isSuspended: boolean; readonly isDeleted: boolean; readonly queued: number; readonly started: number } {
    const [queued = NaN, started = NaN] = [this.#queued.get(id), this.#started.get(id)]
    this.#queued.delete(id)
    this.#started.delete(id)
    const isDeleted = this.#open.get(id) === 'deleted'
    this.#open.delete(id)
    const isSuspended = this.#suspended.delete(id)
    if (isSuspended) this.#suspendedRuns++
    return { isSuspended, isDeleted, queued, started }
  }

  rules(): RuleCount[] {
    const open = [...this.#open.values()]
    const count = (latest: Latest) => open.filter((each) => each === latest).length
    const kinds = [...this.#kinds.keys()].sort().join(', ')
    const records = [...this.#kinds.values()].reduce((sum, each) => sum + each, 0)
    return [
      { rule: 'records', jobs: records, text: `events other than the end of a job (${kinds}): passed over` },
      { rule: 'arrays', jobs: this.#arrays, text: 'standing for an array as a whole: its jobs are read' },
      { rule: 'rerun', jobs: this.#kinds.get('R') ?? 0, text: 'events of runs that were given up and begun again (R): the last run of a job is read' },
      { rule: 'suspended', jobs: this.#suspendedRuns, text: 'suspended meanwhile: run for their resources_used.walltime' },
      { rule: 'unfinished', jobs: count('started'), text: 'started and without an end in the log: left out' },
      { rule: 'queued', jobs: count('queued'), text: 'without a start in the log: left out' },
      { rule: 'deleted', jobs: count('deleted'), text: 'deleted or aborted, without an end in the log: left out' },
    ].filter(({ jobs }) => jobs > 0)
  }

  #rerun(id: string): void {
    this.#open.set(id, 'queued')
    this.#suspended.delete(id)
  }
}
