import { SchedError, type Seconds, type TaskEnd } from '@sched/core'

/**
 * Most fruitless task losses in a row. If a task has a chance of 1 in 100,000 to end before its node fails (its run is 11.5 times the mean time
 * between failures), then in that many tries at least one ends, except in one run of 20,000.
 */
const MOST = 1_000_000

/** Counters of a run. */
interface Tally {
  /** Tasks that are done, and tasks started. */
  readonly done: number
  readonly launches: number
  /** Jobs in the system. */
  readonly jobs: number
}

/**
 * Ends a run that would never end because nodes fail faster than tasks are done, or because jobs preempt each other for ever: after a million times
 * in a row that tasks were lost or evicted while no task was done or saved work and no job came or ended. Losses at one time, without a task start in
 * between, count once, since a large cluster may be emptied at once. Losses with nodes do not end a run that has an end time.
 */
export class InVain {
  /** Whether the run has an end time. */
  hasEnd = false
  readonly #run: Tally
  #count = 0
  #done = 0
  #jobs = 0
  #launches = 0
  #last: Seconds = NaN

  constructor(run: Tally) {
    this.#run = run
  }

  /**
   * Records that a task was stopped before it was done, with the seconds of work that it saved. Throws `BAD_INPUT` for failing nodes, `INFEASIBLE`
   * for evictions.
   */
  killed(how: TaskEnd, saved: Seconds, now: Seconds): void {
    const { done, jobs, launches } = this.#run
    if (saved > 0 || done !== this.#done || jobs !== this.#jobs) this.#count = 0
    this.#done = done
    this.#jobs = jobs
    if (saved > 0 || how === 'failed' || (now === this.#last && launches === this.#launches) || (how === 'lost' && this.hasEnd)) return
    this.#last = now
    this.#launches = launches
    if (++this.#count < MOST) return
    if (how === 'lost')
      throw new SchedError(
        'BAD_INPUT',
        `take all tasks with them: ${MOST} in a row, and none was done.`,
        { field: 'outages' },
        'Make the mean time between failures longer, let tasks save their work (checkpoint), or end the run (until).',
      )
    const wayOut = `Change whom the policy may preempt${this.hasEnd ? ', or' : ','} let tasks save their work (checkpoint)${this.hasEnd ? '' : ', or end the run (until)'}.`
    throw new SchedError('INFEASIBLE', `at ${now} s tasks have been evicted ${MOST} times in a row, and none was done: jobs take from each other for ever.`, {}, wayOut)
  }
}
