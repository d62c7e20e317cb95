import { SchedError, type JobId, type NodeId, type ResourceId, type TaskId } from '@sched/core'
import type { CellState } from './cell-state.js'
import type { Hold } from './suspended-tasks.js'
import type { Work } from './work.js'

/** Which of a draft's evictions are suspensions, which of its claims let suspended tasks go on, and which jobs it cancels. */
export class Interruptions {
  readonly #work: Work
  readonly #suspended = new Set<TaskId>()
  /** What tasks held that go on. */
  readonly #resumed = new Map<TaskId, Hold>()
  /** Jobs that are cancelled, each with the number of moves after which it was. */
  readonly #cancelled = new Map<JobId, number>()

  constructor(work: Work) {
    this.#work = work
  }

  get areNone(): boolean {
    return this.#suspended.size === 0 && this.#resumed.size === 0 && this.#cancelled.size === 0
  }

  get cancelled(): IterableIterator<JobId> {
    return this.#cancelled.keys()
  }

  isSuspended(task: TaskId): boolean {
    return this.#suspended.has(task)
  }

  /** An evicted task is suspended and goes on holding what is not freed. */
  suspend(task: TaskId, frees: readonly ResourceId[], cell: CellState): void {
    const work = this.#work
    this.#suspended.add(task)
    work.suspended.hold(task, { node: work.nodeOf(task) as NodeId, shape: work.shapes.without(work.shapeOf(task), frees), devices: work.devicesOf(task) }, cell)
  }

  cancel(job: JobId, moves: number): void {
    this.#cancelled.set(job, moves)
  }

  isCancelled(job: JobId): boolean {
    return this.#cancelled.has(job)
  }

  /** A suspended task goes on where `claim` finds room for what it does not hold: on its node alone. */
  resume(task: TaskId, hold: Hold, node: NodeId, cell: CellState, claim: () => boolean): boolean {
    if (node !== hold.node) return false
    const { suspended } = this.#work
    suspended.free(task, cell)
    if (claim()) {
      this.#resumed.set(task, hold)
      return true
    }
    suspended.hold(task, hold, cell)
    return false
  }

  /** Before an eviction is taken back. */
  beforeKeep(task: TaskId, cell: CellState): void {
    if (this.#suspended.delete(task)) this.#work.suspended.free(task, cell)
  }

  /** After a claim was taken back. */
  afterUnclaim(task: TaskId, cell: CellState): void {
    const hold = this.#resumed.get(task)
    if (hold === undefined) return
    this.#resumed.delete(task)
    this.#work.suspended.hold(task, hold, cell)
  }

  /** So many moves are left of the draft. */
  takenBackTo(moves: number): void {
    for (const [job, at] of this.#cancelled) if (at > moves) this.#cancelled.delete(job)
  }

  /** Throws `BROKEN_CONTRACT` where there are any. */
  mustBeNone(): void {
    if (!this.areNone) throw new SchedError('BROKEN_CONTRACT', 'a decision that takes time suspends tasks or cancels jobs', {}, 'Evict them: only a round that is committed at once knows what runs when it is.')
  }

  clear(): void {
    this.#suspended.clear()
    this.#resumed.clear()
    this.#cancelled.clear()
  }
}

/** Frees what the suspended tasks hold that `areLost`; these start anew. */
export function loseSuspended(work: Work, cell: CellState, areLost: (task: TaskId, hold: Hold) => boolean): void {
  for (const [task, hold] of [...work.suspended]) {
    if (!areLost(task, hold)) continue
    work.suspended.free(task, cell)
    work.suspended.forget(task)
  }
}

/** Frees what suspended tasks hold on a node that takes none any more, with others of the same gangs. */
export function loseSuspendedOn(work: Work, cell: CellState, lost: NodeId): void {
  const gangs = new Set<number>()
  for (const [task, { node }] of work.suspended) if (node === lost && work.inGang(task)) gangs.add(work.taskStage[task] as number)
  loseSuspended(work, cell, (task, { node }) => node === lost || gangs.has(work.taskStage[task] as number))
}
