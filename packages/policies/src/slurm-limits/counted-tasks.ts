import type { Env, JobId, LaneId, NodeId, ResourceId, Seconds, TaskId } from '@sched/core'
import { runningOf } from './asked-piece.js'
import { billOf, type Bill } from './bills.js'
import { usageOf, type PastUse } from './limits-of-job.js'
import type { NodeLimits } from './node-limits.js'
import type { Terms } from './terms.js'

/** Counts the running tasks of each job, and in the groups of the job what they hold and cost. */
export class CountedTasks {
  readonly #env: Env
  readonly #past: PastUse
  /** Absent where no limit is about nodes. */
  readonly #nodes: NodeLimits | undefined
  /** By task: when it started, and when it is expected to end. */
  readonly #startOf: Seconds[] = []
  readonly #endOf: Seconds[] = []
  /** By job: the number of running tasks. By task: its cost, by which that of the job grew when it started. */
  readonly #running: number[] = []
  readonly #billOf: number[] = []

  constructor(env: Env, past: PastUse, nodes: NodeLimits | undefined) {
    this.#env = env
    this.#past = past
    this.#nodes = nodes
  }

  /** A job has come, of which nothing runs. */
  enter(job: JobId): void {
    this.#running[job] = 0
  }

  /** The number of the job's tasks that run in any lane. */
  of(job: JobId): number {
    return this.#running[job] as number
  }

  /** Finds what a task that starts costs, and when it is expected to end; asked before the task is counted. */
  price(job: JobId, lane: LaneId, task: TaskId, bill: Bill | undefined): void {
    const { work } = this.#env
    if (bill !== undefined) {
      const shape = work.shapeOf(task)
      const running = work.isGangJob(job) ? runningOf(job, lane, work.stageOf(task), work) : (this.#running[job] as number) + 1 // this task included
      this.#billOf[task] = billOf(bill, running, shape, lane, this.#env) - billOf(bill, running - 1, shape, lane, this.#env)
    }
    const started = work.started(task) // a number if the eviction of the task was taken back
    const start = (this.#startOf[task] = Number.isNaN(started) ? this.#env.now() : started)
    this.#endOf[task] = start + work.taskEstimate(task) - work.worked(task)
  }

  /** Counts a task that starts (`sign` 1) or ends (-1) for its job, and in all groups of the job. */
  count(job: JobId, lane: LaneId, task: TaskId, node: NodeId, sign: 1 | -1, { counted, factor, licenses, bill }: Terms): void {
    const { work, cluster } = this.#env
    const now = this.#env.now()
    const shape = work.shapeOf(task)
    const billing = cluster.resources.length
    const running = (this.#running[job] = (this.#running[job] as number) + sign)
    const isWhole = running === (sign > 0 ? 1 : 0) // the job begins or stops to run with it
    const isShared = this.#nodes?.isShared(shape) === true
    const cost = bill === undefined ? 0 : (this.#billOf[task] as number)
    this.#past.usage.advance(now)
    const span = { start: this.#startOf[task] as number, end: this.#endOf[task] as number, tick: this.#past.usage.tick }
    if (isWhole) for (const { of, amount } of licenses) of.licenses += sign * amount
    for (const group of counted) {
      if (isWhole) group.running += sign
      if (isShared) group.isOn(node, sign)
      for (const resource of cluster.lanes[lane]?.resources ?? []) group.holds(resource, sign * work.demand(shape, resource), span, factor)
      if (cost > 0) group.holds(billing, sign * cost, span, factor)
      for (const { id, resource } of group.charges) {
        const amount = resource < 0 ? Number(isWhole) : resource === billing ? cost : work.demand(shape, resource as ResourceId)
        if (amount > 0) usageOf(group, this.#past).change(id, sign * amount * factor, now)
      }
    }
  }
}
