import type { Decision, JobId, JobSpec, LaneId, NodeId, Observer, Reason, Seconds, TaskEnd, TaskId } from '@sched/core'

/** Calls every observer that has a hook, in the order given; a hook nobody has costs one length check. */
export class Observers implements Required<Omit<Observer, 'onRunStart'>> {
  readonly #all: readonly Observer[]
  readonly #starts: readonly Observer[]
  readonly #ends: readonly Observer[]
  readonly #defers: readonly Observer[]
  readonly #uses: readonly Observer[]

  constructor(all: readonly Observer[]) {
    this.#all = all
    this.#starts = all.filter((observer) => observer.onTaskStart !== undefined)
    this.#ends = all.filter((observer) => observer.onTaskEnd !== undefined)
    this.#uses = all.filter((observer) => observer.onUse !== undefined)
    this.#defers = all.filter((observer) => observer.onDefer !== undefined)
  }

  onSubmit(job: JobId, spec: JobSpec, now: Seconds): void {
    for (let i = 0; i < this.#all.length; i++) this.#all[i]?.onSubmit?.(job, spec, now)
  }
  onTaskStart(task: TaskId, job: JobId, lane: LaneId, node: NodeId, level: number, now: Seconds): void {
    for (let i = 0; i < this.#starts.length; i++) this.#starts[i]?.onTaskStart?.(task, job, lane, node, level, now)
  }
  onTaskEnd(task: TaskId, job: JobId, lane: LaneId, node: NodeId, how: TaskEnd, started: Seconds, stopped: Seconds, now: Seconds): void {
    for (let i = 0; i < this.#ends.length; i++) this.#ends[i]?.onTaskEnd?.(task, job, lane, node, how, started, stopped, now)
  }
  onFetch(job: JobId, from: NodeId, to: NodeId, bytes: number, now: Seconds): void {
    for (let i = 0; i < this.#all.length; i++) this.#all[i]?.onFetch?.(job, from, to, bytes, now)
  }
  onTaskFetched(task: TaskId, now: Seconds): void {
    for (let i = 0; i < this.#all.length; i++) this.#all[i]?.onTaskFetched?.(task, now)
  }
  onUse(node: NodeId, now: Seconds): void {
    for (let i = 0; i < this.#uses.length; i++) this.#uses[i]?.onUse?.(node, now)
  }
  onJobEnd(job: JobId, spec: JobSpec, now: Seconds): void {
    for (let i = 0; i < this.#all.length; i++) this.#all[i]?.onJobEnd?.(job, spec, now)
  }
  onReject(spec: JobSpec, reason: string, now: Seconds): void {
    for (const observer of this.#all) observer.onReject?.(spec, reason, now)
  }
  onReserve(job: JobId, start: Seconds, now: Seconds): void {
    for (const observer of this.#all) observer.onReserve?.(job, start, now)
  }
  /** Whether anybody listens to `onDefer`. */
  get explained(): boolean {
    return this.#defers.length > 0
  }
  onDefer(job: JobId, lane: LaneId, reason: Reason, now: Seconds): void {
    for (let i = 0; i < this.#defers.length; i++) this.#defers[i]?.onDefer?.(job, lane, reason, now)
  }
  onDecision(decision: Decision, now: Seconds): void {
    for (let i = 0; i < this.#all.length; i++) this.#all[i]?.onDecision?.(decision, now)
  }
  onAbandon(job: JobId, spec: JobSpec, unplaced: number, now: Seconds): void {
    for (const observer of this.#all) observer.onAbandon?.(job, spec, unplaced, now)
  }
  onRunEnd(now: Seconds): void {
    for (const observer of this.#all) observer.onRunEnd?.(now)
  }
}
