import { None, type JobId, type NodeId, type Round } from '@sched/core'

/** The planned nodes of the job that was looked at last, one for each of its tasks that waited in that round. */
export class PlannedPlaces {
  readonly nodes: NodeId[] = []
  #waiting = 0
  #job: JobId | None = None
  #serial = -1

  /** Begins an empty plan for a job. */
  begin(job: JobId, round: Round): void {
    this.#serial = round.serial
    this.#job = job
    this.#waiting = round.work.unplaced(job, round.lane)
    this.nodes.length = 0
  }

  /** The planned node of the job's next task; `undefined` if there is none or the task does not fit there any more. */
  next(job: JobId, round: Round): NodeId | undefined {
    if (round.serial !== this.#serial || job !== this.#job) return undefined
    const node = this.nodes[this.#waiting - round.work.unplaced(job, round.lane)]
    return node !== undefined && round.fits(job, node) ? node : undefined
  }
}
