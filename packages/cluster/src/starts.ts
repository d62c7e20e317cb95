import type { NodeId, Seconds, TaskId } from '@sched/core'
import type { CellState } from './cell-state.js'
import type { Placed } from './decisions.js'
import { namedDevices } from './held-devices.js'
import { taskName } from './task-name.js'
import type { Work } from './work.js'

/** Decisions being collected. */
type Growing = { start: Placed[]; kill: Placed[]; suspend?: Placed[]; resume?: Placed[]; cancelled?: string[] }

/** What a dispatcher has started, each start by its number, and what the present call decides. */
export class Starts {
  /** What the present call has decided so far. */
  decisions: Growing = { start: [], kill: [] }
  /** Whether the present call has stopped a task, so that more may fit now. */
  hasStopped = false
  readonly #work: Work
  readonly #cell: CellState
  /** By number of the start: the task, while it runs. */
  readonly #running = new Map<number, TaskId>()
  /** By task: the number of its last start. */
  readonly #numbers: number[] = []
  #count = 0

  constructor(work: Work, cell: CellState) {
    this.#work = work
    this.#cell = cell
  }

  /** Begins a call, which has decided nothing yet. */
  begin(): void {
    this.decisions = { start: [], kill: [] }
    this.hasStopped = false
  }

  /** Starts a claimed task, or resumes it if it was suspended. */
  start(task: TaskId, now: Seconds): void {
    const work = this.#work
    work.setRunStart(work.taskRun[task] as number, now)
    this.#running.set((this.#numbers[task] = this.#count++), task)
    if (work.isMaster(task)) work.masterUp(work.jobOf(task))
    this.#listed(work.suspended.goesOn(task) ? 'resume' : 'start').push(this.placed(task))
  }

  /** Kills or suspends a running task, which the draft has released. It is pending again. */
  stop(task: TaskId, suspends: boolean, now: Seconds): void {
    const { suspended } = this.#work
    const undone = this.#undo(this.#numbers[task] as number)
    if (undone === undefined) this.#listed(suspends ? 'suspend' : 'kill').push(this.placed(task))
    this.#running.delete(this.#numbers[task] as number)
    if (!suspends) suspended.forget(task)
    else if (undone !== 'start') suspended.ran(task, now - this.#work.started(task))
    this.hasStopped = true
    this.#work.unclaim(task, 'evicted')
  }

  /** The policy has given a job up. */
  cancel(job: string): void {
    ;(this.decisions.cancelled ??= []).push(job)
  }

  /** The task of a start that has ended, which does not run any more; `undefined` if it did not run. */
  end(start: number): TaskId | undefined {
    const task = this.#running.get(start)
    this.#running.delete(start)
    return task
  }

  /** Number of the last start of a task. */
  of(task: TaskId): number {
    return this.#numbers[task] as number
  }

  /** What the caller is told of a claimed or running task. */
  placed(task: TaskId): Placed {
    const work = this.#work
    const node = work.nodeOf(task) as NodeId
    const name = taskName(work, task)
    const hasData = work.spec(work.jobOf(task)).stages[name.stage]?.data !== undefined
    const devices = this.#cell.model.devices === undefined ? undefined : namedDevices(work.devicesOf(task), node, this.#cell)
    const limit = work.limits.get(work.jobOf(task))
    return { id: this.of(task), ...name, node: this.#cell.name(node), level: hasData ? work.level(task, node) : -1, ...(devices !== undefined && { devices }), ...(limit !== undefined && { limit }) }
  }

  #listed(kind: 'start' | 'kill' | 'suspend' | 'resume'): Placed[] {
    return (this.decisions[kind] ??= [])
  }

  /**
   * Removes a start that this call has decided, since it also stops the task and nobody has carried it out yet. Answers in which list it was;
   * `undefined`: in none.
   */
  #undo(start: number): 'start' | 'resume' | undefined {
    for (const kind of ['start', 'resume'] as const) {
      const listed = this.decisions[kind] ?? []
      const at = listed.findLastIndex(({ id }) => id === start)
      if (at < 0) continue
      listed.splice(at, 1)
      if (kind === 'resume' && listed.length === 0) delete this.decisions.resume
      return kind
    }
    return undefined
  }
}
