import { LowestNodes, type JobId, type Round, type ShapeId } from '@sched/core'

/** Shapes for which no node has room, in one call of a policy: most jobs that wait ask for the same as others, so few need a search. Room only shrinks meanwhile. */
export class FullShapes {
  readonly #shapes = new Set<ShapeId>()
  readonly #nodes = new LowestNodes()

  /** Starts a new call: nothing is known. */
  begin(): void {
    if (this.#shapes.size > 0) this.#shapes.clear() // clearing allocates a new table, even of an empty set
  }

  /** Whether no node is known to have room for the job's next task. */
  has(job: JobId, { work, lane }: Round): boolean {
    return this.#shapes.size > 0 && this.#shapes.has(work.shape(job, lane))
  }

  /** A job has found no node: for want of room, unless a limit, or a rule about other tasks, keeps it off. */
  note(job: JobId, round: Round): void {
    if (round.fitsNowhere?.(job) === true) return
    const shape = round.work.shape(job, round.lane)
    if (!this.#nodes.areAny(shape, job, round)) this.#shapes.add(shape)
  }
}
