import { SchedError, type Seconds, type TaskEnd } from '@sched/core'

/** Of tasks of which one in 100,000 ends before its node fails, as after 11.5 times the mean time between failures, one ends in so many tries but for one run in 20,000. */
const MOST = 1_000_000

/** What a run has come to. */
interface Tally {
  /** Tasks that are done, and that were started. */
  readonly done: number
  readonly launches: number
  /** Jobs that have come and not ended. */
  readonly jobs: number
}

/**
 * Ends a run that has no other end, since nodes fail faster than tasks are done, or jobs take from each other what they have done: after a million
 * times in a row that tasks were lost or evicted, while none was done, none saved anything of its work, and no job came or ended. All that goes before
 * another task starts, and before time goes on, is one time: a large cluster may be emptied at once. Losses do not end a run that ends at a time.
 */
export class InVain {
  /** Whether the run ends at a time. */
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

  /** A task has ended before it was done, and saved so many seconds of its work. Throws `BAD_INPUT` for failures, `INFEASIBLE` for evictions. */
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
