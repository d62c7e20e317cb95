import { grown, type TaskId } from '@sched/core'

/** The moves of a round in order, with what it remembers of each while it is suspended; columns of one length. */
export class Moves {
  count = 0
  /** Tasks that are claimed, complements of tasks that are evicted. */
  tasks = new Int32Array(64)
  /** Node and shape of a claim: side by side, while the columns of tasks are all over memory. */
  nodes = new Int32Array(64)
  shapes = new Int32Array(64)
  /** The version of the node before a claim; when a task that is to be evicted started. */
  seen = new Float64Array(64)
  /** Rank of the job of a task that is to be evicted, since task ids are used again. */
  ranks = new Float64Array(64)

  push(move: number): void {
    if (this.count === this.tasks.length) this.#grow()
    this.tasks[this.count++] = move
  }

  pop(): number {
    return this.tasks[--this.count] as number
  }

  /** Takes some claims out and yields their tasks, in order. What is remembered of a suspended round stays where it was: to be called when it is no longer needed. */
  takeClaims(isTaken: (move: number) => boolean): TaskId[] {
    const { tasks, count } = this
    const taken: TaskId[] = []
    this.count = 0
    for (let i = 0; i < count; i++) {
      const move = tasks[i] as number
      if (isTaken(move)) taken.push(move as TaskId)
      else tasks[this.count++] = move
    }
    return taken
  }

  #grow(): void {
    const needed = this.count + 1
    this.tasks = grown(this.tasks, needed)
    this.nodes = grown(this.nodes, needed)
    this.shapes = grown(this.shapes, needed)
    this.seen = grown(this.seen, needed)
    this.ranks = grown(this.ranks, needed)
  }
}
