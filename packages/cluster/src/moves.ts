import { grown, type TaskId } from '@sched/core'

/** The moves of a round in order, and what a suspended round remembers of each; columns of one length. */
export class Moves {
  count = 0
  /** A claimed task, or the complement (`~task`) of an evicted task. */
  tasks = new Int32Array(64)
  /** Node and shape of a claim. They are kept side by side here, because the columns of tasks are scattered over memory. */
  nodes = new Int32Array(64)
  shapes = new Int32Array(64)
  /** For a claim: the version of the node before it. For an eviction: when the task started. */
  seen = new Float64Array(64)
  /** For an eviction: rank of the task's job, since task ids are reused. */
  ranks = new Float64Array(64)

  push(move: number): void {
    if (this.count === this.tasks.length) this.#grow()
    this.tasks[this.count++] = move
  }

  pop(): number {
    return this.tasks[--this.count] as number
  }

  /**
   * Removes some claims and returns their tasks in order. The other columns are not moved, so call it only when what a suspended round remembers is
   * no longer needed.
   */
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

  /** Removes the claim of a task, with what a suspended round remembers of it. */
  takeClaim(task: TaskId): void {
    const { tasks, nodes, shapes, seen, ranks } = this
    const at = tasks.indexOf(task)
    for (const column of [tasks, nodes, shapes, seen, ranks]) column.copyWithin(at, at + 1, this.count)
    this.count--
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
