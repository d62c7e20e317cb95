import type { Decision, JobId, JobSpec, Observer, Seconds, WorkView } from '@sched/core'

/** Metrics of section 2 of the paper for one class of jobs; times in seconds, shares in [0, 1]. */
export interface ClassFigures {
  readonly jobs: number
  /** Mean time from submission to the first attempt; a job that was never attempted counts until the end. */
  readonly wait: Seconds
  /** Fraction of the time that schedulers spent on jobs of the class; above 1 where several share them. */
  readonly busyness: number
  /** The same without what conflicts cost: first attempts, and attempts after one that found no room. */
  readonly cleanBusyness: number
  /** Transactions with a conflict over those that placed something without one. */
  readonly conflictFraction: number
  readonly abandoned: number
  /** Of the jobs of the first nine tenths of the run, those not placed in full by its end: given up or left over. */
  readonly unscheduled: number
}

/** Gathers `ClassFigures` of a run that lasts `horizon` seconds. */
export function classFigures(horizon: Seconds): Observer & { result(kind: string): ClassFigures } {
  const tallies = new Map<string, Tally>()
  const tallyOf = (kind: string) => {
    let tally = tallies.get(kind)
    if (tally === undefined) tallies.set(kind, (tally = new Tally(horizon)))
    return tally
  }
  let work: WorkView | undefined
  return {
    onRunStart: (run) => {
      work = run.work
    },
    onSubmit: (job, spec, now) => tallyOf(spec.class ?? '').submit(job, now),
    onDecision: (decision) => tallyOf(work?.classOf(decision.job) ?? '').decide(decision),
    onAbandon: (_, spec: JobSpec) => tallyOf(spec.class ?? '').abandoned++,
    result: (kind) => tallyOf(kind).figures(),
  }
}

class Tally {
  abandoned = 0
  #jobs = 0
  #counted = 0
  #placed = 0
  #waited = 0
  #busy = 0
  #clean = 0
  #conflicts = 0
  #successes = 0
  /** By job id, which is used again only after the job has ended. */
  readonly #submitted = new Map<JobId, Seconds>()
  readonly #begun = new Set<JobId>()
  readonly #conflicted = new Set<JobId>()

  constructor(private readonly horizon: Seconds) {}

  submit(job: JobId, now: Seconds): void {
    this.#jobs++
    if (this.#isCounted(now)) this.#counted++
    this.#submitted.set(job, now)
    this.#begun.delete(job)
    this.#conflicted.delete(job)
  }

  decide({ job, opened, closed, accepted, conflicted, unplaced }: Decision): void {
    const submitted = this.#submitted.get(job) as Seconds
    if (!this.#begun.has(job)) this.#waited += opened - submitted
    this.#begun.add(job)
    this.#busy += closed - opened
    if (!this.#conflicted.has(job)) this.#clean += closed - opened
    if (conflicted > 0) this.#conflicts++
    else if (accepted > 0) this.#successes++
    if (conflicted > 0) this.#conflicted.add(job)
    else this.#conflicted.delete(job)
    if (unplaced > 0) return
    this.#submitted.delete(job)
    if (this.#isCounted(submitted)) this.#placed++
  }

  figures(): ClassFigures {
    const never = [...this.#submitted].filter(([job]) => !this.#begun.has(job)).reduce((sum, [, submitted]) => sum + this.horizon - submitted, 0)
    return {
      jobs: this.#jobs,
      wait: (this.#waited + never) / this.#jobs,
      busyness: this.#busy / this.horizon,
      cleanBusyness: this.#clean / this.horizon,
      conflictFraction: this.#conflicts / this.#successes,
      abandoned: this.abandoned,
      unscheduled: 1 - this.#placed / this.#counted,
    }
  }

  #isCounted(submitted: Seconds): boolean {
    return submitted <= 0.9 * this.horizon
  }
}
