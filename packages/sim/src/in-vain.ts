import { SchedError, type Seconds, type TaskEnd } from '@sched/core'

/** Of tasks of which one in 100,000 ends before its node fails, as after 11.5 times the mean time between failures, one ends in so many tries but for one run in 20,000. */
const MOST = 1_000_000

/**
 * Ends a run that has no other end, since nodes fail faster than tasks are done, or jobs take from each other what they have done: after a million
 * instants in a row at which tasks were lost, or a million evictions, while none was done and none saved anything of its work.
 */
export class InVain {
  #count = 0
  #done = 0
  #last: Seconds = NaN

  /** A task has ended before it was done, and saved so many seconds of its work; so many tasks have been done so far. Throws `BAD_INPUT` for failures, `INFEASIBLE` for evictions. */
  killed(how: TaskEnd, saved: Seconds, done: number, now: Seconds): void {
    if (saved > 0 || done !== this.#done) this.#count = 0
    this.#done = done
    if (saved > 0 || how === 'failed' || (how === 'lost' && now === this.#last)) return
    this.#last = now
    if (++this.#count < MOST) return
    if (how === 'lost')
      throw new SchedError('BAD_INPUT', `take all tasks with them: ${MOST} in a row, and none was done.`, { field: 'outages' }, 'Make the mean time between failures longer, let tasks save their work (checkpoint), or end the run (until).')
    throw new SchedError('INFEASIBLE', `at ${now} s tasks have been evicted ${MOST} times in a row, and none was done: jobs take from each other for ever.`, {}, 'Change whom the policy may preempt, let tasks save their work (checkpoint), or end the run (until).')
  }
}
