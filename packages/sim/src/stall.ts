import { SchedError, type Seconds } from '@sched/core'

/** Seconds without a running task or a start after which pending work counts as forgotten by the policy, unless something is expected. */
export const STALL = 7 * 86_400

/** What is expected may be a maintenance window, a decision or the set-up of nodes: at most so far away, and not so often in vain. */
const LONGEST = 366 * 86_400
const IN_VAIN = 100

/** Tells waiting for something from being forgotten. */
export class Stall {
  #progress: Seconds = -1
  #inVain = 0

  /** Whether nothing will come of it at `time`, more than STALL after the latest progress, with the next event given. */
  isAt(time: Seconds, progress: Seconds, event: Seconds): boolean {
    if (event === Infinity || time - progress > LONGEST) return true
    if (progress !== this.#progress) this.#inVain = 0
    this.#progress = progress
    return time === event && ++this.#inVain > IN_VAIN
  }
}

/** The error of masters that hold so much that nothing else of their jobs can run; `others` run too, and wait for what cannot. */
export const blocked = (unplaced: number, masters: number, others: number, now: Seconds): SchedError =>
  new SchedError(
    'INFEASIBLE',
    `at ${now} s ${unplaced} job${unplaced === 1 ? '' : 's'} wait${unplaced === 1 ? 's' : ''}, and all that runs is ${masters === 1 ? 'a master' : `${masters} masters`}, which end${masters === 1 ? 's' : ''} with the last task of the job${others === 0 ? '' : `, and ${others} task${others === 1 ? ' that waits' : 's that wait'} for others`}.`,
    {},
    'Let fewer masters run at once (maximumAmResourcePercent of capacity-scheduler, maxAMShare of yarn-fair, limits of running jobs), or give the cluster more room.',
  )

/** The error of a policy that has forgotten pending work, or of an architecture that lets nobody start it, which says why. */
export const stalled = (policy: string, unplaced: number, now: Seconds, why?: string): SchedError => {
  const jobs = `${unplaced} job${unplaced === 1 ? '' : 's'}`
  if (why !== undefined) return new SchedError('INFEASIBLE', `at ${now} s ${jobs} wait${unplaced === 1 ? 's' : ''} although nothing runs: ${why}`, {}, 'Let them be given up, or end the run before (until).')
  return new SchedError(
    'BROKEN_CONTRACT',
    `at ${now} s policy "${policy}" leaves ${jobs} unplaced although nothing runs.`,
    {},
    'A policy must place pending work when the cluster is idle, or ask for a round with wakeAt.',
  )
}
