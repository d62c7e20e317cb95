import type { JobId, JobSpec, NodeId, None, Observer, Seconds } from '@sched/core'

/** Nodes that were avoided after tasks had failed there. */
export interface AvoidanceResult {
  /** Times that a job, as a whole or in one of its stages, came to avoid a node. */
  readonly times: number
  /** Number of jobs and of nodes of which that is true. */
  readonly jobs: number
  readonly nodes: number
  /** Seconds for which jobs avoided nodes, summed over both; until the job ended. */
  readonly seconds: Seconds
  /** Times that a single task came to avoid a node where it had failed. */
  readonly ofTasks: number
  /** Times that a node was drained for all jobs, and for how long, summed over nodes. */
  readonly drains: number
  readonly drainedSeconds: Seconds
}

/** Measures which nodes were avoided, and for how long. */
export const avoidance = (): AvoidanceMetrics => new AvoidanceMetrics()

/** How many of a job and its stages avoid a node, and since when any does. */
interface Span {
  count: number
  readonly since: Seconds
}

export class AvoidanceMetrics implements Observer {
  /** By job and node; under the job -1, nodes that are drained. */
  readonly #spans = new Map<JobId | None, Map<NodeId, Span>>()
  readonly #nodes = new Set<NodeId>()
  /** Jobs in the system that have avoided a node. */
  readonly #avoiding = new Set<JobId | None>()
  #jobs = 0
  #times = 0
  #seconds = 0
  #ofTasks = 0
  #drains = 0
  #drainedSeconds = 0

  onAvoid(node: NodeId, job: JobId | None, _stage: number, task: number, isAvoided: boolean, now: Seconds): void {
    if (task >= 0) this.#ofTasks += isAvoided ? 1 : 0
    else if (isAvoided) this.#begin(node, job, now)
    else this.#end(node, job, now)
  }

  #begin(node: NodeId, job: JobId | None, now: Seconds): void {
    const spans = this.#spans.get(job) ?? new Map<NodeId, Span>()
    this.#spans.set(job, spans)
    const span = spans.get(node)
    if (span !== undefined) return void span.count++
    spans.set(node, { count: 1, since: now })
    if (job < 0) return void this.#drains++
    this.#times++
    this.#nodes.add(node)
    if (!this.#avoiding.has(job)) this.#jobs++
    this.#avoiding.add(job)
  }

  #end(node: NodeId, job: JobId | None, now: Seconds): void {
    const spans = this.#spans.get(job)
    const span = spans?.get(node)
    if (spans === undefined || span === undefined || --span.count > 0) return
    spans.delete(node)
    if (job < 0) this.#drainedSeconds += now - span.since
    else this.#seconds += now - span.since
  }

  onJobEnd(job: JobId, _spec: JobSpec, now: Seconds): void {
    this.#avoiding.delete(job)
    this.#endAll(job, now)
  }

  onRunEnd(now: Seconds): void {
    for (const job of [...this.#spans.keys()]) this.#endAll(job, now)
  }

  #endAll(job: JobId | None, now: Seconds): void {
    const spans = this.#spans.get(job)
    if (spans === undefined) return
    for (const [node, span] of spans) {
      span.count = 1
      this.#end(node, job, now)
    }
    this.#spans.delete(job)
  }

  /** `undefined` if no node was avoided. */
  result(): AvoidanceResult | undefined {
    if (this.#times + this.#ofTasks + this.#drains === 0) return undefined
    return {
      times: this.#times, jobs: this.#jobs, nodes: this.#nodes.size, seconds: this.#seconds, ofTasks: this.#ofTasks,
      drains: this.#drains, drainedSeconds: this.#drainedSeconds,
    }
  }
}
