import type { Demand } from '@sched/core'
import { EventType, eventTypes, type TaskEvent } from './events.js'
import { TaskColumns } from './task-columns.js'

/** Amounts of the largest machine; requests are fractions of them. */
export const UNITS = 1_000_000

/** What the tasks of a stage have in common. */
export interface TaskShape {
  /** Amounts per task; empty if the trace has no request. */
  readonly demand: Demand
  readonly distinctNodes: boolean
}

/** A job of the trace, as its task events show it. */
export interface JobHistory {
  readonly id: string
  readonly user: string
  readonly schedulingClass: number
  readonly priority: number
  /** Rows of its tasks in `TaskColumns`, in order of appearance. */
  readonly tasks: number[]
}

/** Number of events by type, and how often each rule applied. */
export interface HistoryCounts {
  readonly events: Readonly<Record<string, number>>
  /** Submissions of tasks that had run before. */
  readonly resubmitted: number
  /** Events, other than submissions, of tasks that were not seen before. A start introduces the task; all others are ignored. */
  readonly unseen: number
  readonly updates: number
}

/**
 * What task events tell about each task. The latest run of a task counts; earlier runs, which ended in eviction, failure or loss, are lost work and
 * left out. A task that waits for another run at the end of the window keeps its last run. A task that ran at time 0 ends at its first end, whatever
 * happens to it later. Requests are those with which the task was scheduled (at time 0 a quarter of the rows differ from the submission); later
 * updates are only counted.
 */
export class TaskHistory {
  readonly columns = new TaskColumns()
  readonly jobs = new Map<string, JobHistory>()
  readonly shapes: TaskShape[] = []
  readonly #shapeIds = new Map<string, number>()
  /** Row of each task, by job and index. */
  readonly #tasks = new Map<string, Map<number, number>>()
  readonly #resources: readonly ('cpu' | 'mem' | 'disk')[]
  readonly #events = eventTypes.map(() => 0)
  #resubmitted = 0
  #unseen = 0

  constructor(resources: readonly ('cpu' | 'mem' | 'disk')[]) {
    this.#resources = resources
  }

  get counts(): HistoryCounts {
    const events = Object.fromEntries(eventTypes.map((name, type) => [name, this.#events[type]!]))
    const updates = this.#events[EventType.UpdatePending]! + this.#events[EventType.UpdateRunning]!
    return { events, resubmitted: this.#resubmitted, unseen: this.#unseen, updates }
  }

  add(event: TaskEvent): void {
    const { columns } = this
    const { type, time } = event
    this.#events[type]!++
    if (type >= EventType.UpdatePending) return
    const task = this.#taskOf(event)
    if (task === undefined) return
    if (columns.running[task] === 1 && !Number.isNaN(columns.ended[task])) return // it ran at time 0 and has ended
    columns.state[task] = type
    if (type === EventType.Submit) this.#resubmitted += Number(!Number.isNaN(columns.started[task]))
    else if (type === EventType.Schedule) {
      columns.started[task] = time
      columns.ended[task] = NaN
      columns.shape[task] = this.#shape(event)
      if (event.before) columns.running[task] = 1
    } else columns.ended[task] = time
  }

  #taskOf(event: TaskEvent): number | undefined {
    const known = this.#tasks.get(event.job)?.get(event.index)
    if (known !== undefined) return known
    if (event.type !== EventType.Submit && event.type !== EventType.Schedule) {
      this.#unseen++
      return undefined
    }
    if (event.type === EventType.Schedule) this.#unseen++
    const task = this.columns.add(event.time, this.#shape(event))
    const job = this.#jobOf(event)
    job.tasks.push(task)
    this.#tasks.get(event.job)!.set(event.index, task)
    return task
  }

  #jobOf({ job: id, user, schedulingClass, priority }: TaskEvent): JobHistory {
    let job = this.jobs.get(id)
    if (job === undefined) {
      this.jobs.set(id, (job = { id, user, schedulingClass, priority, tasks: [] }))
      this.#tasks.set(id, new Map())
    }
    return job
  }

  /** The shape of a task. Requests become whole millionths of the largest machine, rounded; the trace has four digits. */
  #shape(event: TaskEvent): number {
    const amounts = this.#resources.map((name) => (Number.isNaN(event[name]) ? 0 : Math.round(event[name] * UNITS)))
    const key = `${amounts.join(' ')} ${event.distinctNodes}`
    let shape = this.#shapeIds.get(key)
    if (shape === undefined) {
      this.#shapeIds.set(key, (shape = this.shapes.length))
      const demand = Object.fromEntries(this.#resources.map((name, r) => [name, amounts[r]!] as const).filter(([, amount]) => amount > 0))
      this.shapes.push({ demand, distinctNodes: event.distinctNodes })
    }
    return shape
  }
}
