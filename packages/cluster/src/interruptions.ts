import { SchedError, type JobId, type NodeId, type ResourceId, type TaskId } from '@sched/core'
import type { CellState } from './cell-state.js'
import type { Hold } from './suspended-tasks.js'
import type { Work } from './work.js'

/** A draft's suspensions, resumptions and cancelled jobs: which evictions are suspensions, and which claims resume suspended tasks. */
export class Interruptions {
  /** Whether there may be any. */
  areAny = false
  readonly #work: Work
  readonly #suspended = new Set<TaskId>()
  /** What resumed tasks held while they were suspended. */
  readonly #resumed = new Map<TaskId, Hold>()
  /** Cancelled jobs, each with the number of moves drafted before its cancellation. */
  readonly #cancelled = new Map<JobId, number>()

  constructor(work: Work) {
    this.#work = work
  }

  get cancelled(): IterableIterator<JobId> {
    return this.#cancelled.keys()
  }

  isSuspended(task: TaskId): boolean {
    return this.#suspended.has(task)
  }

  /** Suspends an evicted task: it keeps holding what it does not free. */
  suspend(task: TaskId, frees: readonly ResourceId[], cell: CellState): void {
    const work = this.#work
    this.areAny = true
    this.#suspended.add(task)
    work.suspended.hold(task, { node: work.nodeOf(task) as NodeId, shape: work.shapes.without(work.shapeOf(task), frees), devices: work.devicesOf(task) }, cell)
  }

  cancel(job: JobId, moves: number): void {
    this.areAny = true
    this.#cancelled.set(job, moves)
  }

  isCancelled(job: JobId): boolean {
    return this.#cancelled.has(job)
  }

  /** Resumes a suspended task. Possible only on its own node, if that has room for what the task does not hold; devices that it holds it keeps. */
  resume(task: TaskId, node: NodeId, round: { readonly cluster: CellState; claim(task: TaskId, node: NodeId, devices: number): boolean }): boolean {
    const { suspended } = this.#work
    const hold = suspended.of(task)
    if (node !== hold.node || !round.cluster.holdsBeside(hold.shape, this.#work.shapeOf(task), node)) return false
    suspended.free(task, round.cluster)
    if (round.claim(task, node, hold.devices)) {
      this.areAny = true
      this.#resumed.set(task, hold)
      return true
    }
    suspended.hold(task, hold, round.cluster)
    return false
  }

  /** To be called before an eviction is taken back. */
  beforeKeep(task: TaskId, cell: CellState): void {
    if (this.#suspended.delete(task)) this.#work.suspended.free(task, cell)
  }

  /** To be called after a claim was taken back. */
  afterUnclaim(task: TaskId, cell: CellState): void {
    const hold = this.#resumed.get(task)
    if (hold === undefined) return
    this.#resumed.delete(task)
    this.#work.suspended.hold(task, hold, cell)
  }

  /** Takes back cancellations after a rollback to the given number of moves. */
  takenBackTo(moves: number): void {
    for (const [job, at] of this.#cancelled) if (at > moves) this.#cancelled.delete(job)
  }

  /** Throws `BROKEN_CONTRACT` if there is any interruption. */
  mustBeNone(): void {
    if (this.#suspended.size + this.#resumed.size + this.#cancelled.size > 0)
      throw new SchedError(
        'BROKEN_CONTRACT',
        'a decision that takes time suspends tasks or cancels jobs',
        {},
        'Evict them: only a round that is committed at once knows what runs when it is.',
      )
  }

  clear(): void {
    this.areAny = false
    this.#suspended.clear()
    this.#resumed.clear()
    this.#cancelled.clear()
  }
}

/**
 * Makes suspended tasks for which `areLost` is true start anew, and frees what they hold. `onLost` is called for each before its work is forgotten.
 */
export function loseSuspended(work: Work, cell: CellState, areLost: (task: TaskId, hold: Hold) => boolean, onLost?: (task: TaskId) => void): void {
  for (const [task, hold] of [...work.suspended.entries()]) {
    if (!areLost(task, hold)) continue
    onLost?.(task)
    work.suspended.free(task, cell)
    work.suspended.forget(task)
    if (work.limits.size > 0) work.takeBackLimit(task)
  }
}

/** Does this for suspended tasks on a node that has gone down, and for the others of their gangs. */
export function loseSuspendedOn(work: Work, cell: CellState, lost: NodeId, onLost?: (task: TaskId) => void): void {
  const gangs = new Set<number>()
  for (const [task, { node }] of work.suspended.entries()) if (node === lost && work.inGang(task)) gangs.add(work.gangWith(work.taskStage[task] as number))
  loseSuspended(work, cell, (task, { node }) => node === lost || work.stopsWith(gangs, work.taskStage[task] as number), onLost)
}
