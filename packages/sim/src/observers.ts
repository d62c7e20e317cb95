import {
  tellEnds, tellStarts, type Decision, type EndRow, type JobId, type JobSpec, type LaneId, type NodeId, type NodeState, type None, type Observer, type Pass,
  type Reason, type Seconds, type StartRow, type TaskEnd, type TaskId,
} from '@sched/core'

/** Calls the hook of every observer that has it, in the given order. A hook that nobody has costs one length check. */
export class Observers implements Required<Omit<Observer, 'onRunStart' | 'onTaskStart' | 'onTaskEnd'>> {
  readonly #all: readonly Observer[]
  readonly #starts: readonly Observer[]
  readonly #ends: readonly Observer[]
  readonly #defers: readonly Observer[]
  readonly #uses: readonly Observer[]
  /** Time of the last report, other than deferrals, passes and power states of nodes. */
  last: Seconds = NaN

  constructor(all: readonly Observer[]) {
    this.last = 0
    this.#all = all
    this.#starts = all.filter((observer) => (observer.onTasksStart ?? observer.onTaskStart) !== undefined)
    this.#ends = all.filter((observer) => (observer.onTasksEnd ?? observer.onTaskEnd) !== undefined)
    this.#uses = all.filter((observer) => observer.onUse !== undefined)
    this.#defers = all.filter((observer) => observer.onDefer !== undefined)
  }

  onSubmit(job: JobId, spec: JobSpec, now: Seconds): void {
    this.last = now
    for (let i = 0; i < this.#all.length; i++) this.#all[i]?.onSubmit?.(job, spec, now)
  }
  onTasksStart(row: StartRow, now: Seconds): void {
    this.last = now
    for (let i = 0; i < this.#starts.length; i++) {
      const observer = this.#starts[i] as Observer
      if (observer.onTasksStart !== undefined) observer.onTasksStart(row, now)
      else tellStarts(observer, row, now)
    }
  }
  onTasksEnd(row: EndRow, now: Seconds): void {
    this.last = now
    for (let i = 0; i < this.#ends.length; i++) {
      const observer = this.#ends[i] as Observer
      if (observer.onTasksEnd !== undefined) observer.onTasksEnd(row, now)
      else tellEnds(observer, row, now)
    }
  }
  onWorkLost(task: TaskId, job: JobId, lane: LaneId, how: TaskEnd, seconds: Seconds, now: Seconds): void {
    this.last = now
    for (const observer of this.#all) observer.onWorkLost?.(task, job, lane, how, seconds, now)
  }
  onFetch(job: JobId, from: NodeId, to: NodeId, bytes: number, now: Seconds): void {
    this.last = now
    for (let i = 0; i < this.#all.length; i++) this.#all[i]?.onFetch?.(job, from, to, bytes, now)
  }
  onTaskFetched(task: TaskId, now: Seconds): void {
    this.last = now
    for (let i = 0; i < this.#all.length; i++) this.#all[i]?.onTaskFetched?.(task, now)
  }
  onUse(node: NodeId, now: Seconds): void {
    this.last = now
    for (let i = 0; i < this.#uses.length; i++) this.#uses[i]?.onUse?.(node, now)
  }
  onJobEnd(job: JobId, spec: JobSpec, now: Seconds): void {
    this.last = now
    for (let i = 0; i < this.#all.length; i++) this.#all[i]?.onJobEnd?.(job, spec, now)
  }
  onReject(spec: JobSpec, reason: string, now: Seconds): void {
    this.last = now
    for (const observer of this.#all) observer.onReject?.(spec, reason, now)
  }
  onReserve(job: JobId, start: Seconds, now: Seconds): void {
    this.last = now
    for (const observer of this.#all) observer.onReserve?.(job, start, now)
  }
  onPass(pass: Pass, now: Seconds): void {
    for (const observer of this.#all) observer.onPass?.(pass, now)
  }
  /** Whether anybody listens to `onDefer`. */
  get explained(): boolean {
    return this.#defers.length > 0
  }
  /** Whether any of these does. */
  explainedTo(some: readonly Observer[] = []): boolean {
    return this.#defers.some((observer) => some.includes(observer))
  }
  onDefer(job: JobId, lane: LaneId, reason: Reason, now: Seconds, limit?: string, isPart?: boolean): void {
    for (let i = 0; i < this.#defers.length; i++) this.#defers[i]?.onDefer?.(job, lane, reason, now, limit, isPart)
  }
  onNode(node: NodeId, up: boolean, now: Seconds): void {
    this.last = now
    for (const observer of this.#all) observer.onNode?.(node, up, now)
  }
  onAvoid(node: NodeId, job: JobId | None, stage: number, task: number, isAvoided: boolean, now: Seconds): void {
    for (const observer of this.#all) observer.onAvoid?.(node, job, stage, task, isAvoided, now)
  }
  onScale(group: number, nodes: number, now: Seconds): void {
    this.last = now
    for (const observer of this.#all) observer.onScale?.(group, nodes, now)
  }
  onScaleDown(node: NodeId, now: Seconds): void {
    this.last = now
    for (const observer of this.#all) observer.onScaleDown?.(node, now)
  }
  /** Whether anybody listens to `onScaleWait`. */
  get scaleExplained(): boolean {
    return this.#all.some((observer) => observer.onScaleWait !== undefined)
  }
  onScaleWait(job: JobId, why: string, now: Seconds): void {
    for (const observer of this.#all) observer.onScaleWait?.(job, why, now)
  }
  onNodeState(node: NodeId, state: NodeState, now: Seconds): void {
    for (const observer of this.#all) observer.onNodeState?.(node, state, now)
  }
  onDecision(decision: Decision, now: Seconds): void {
    this.last = now
    for (let i = 0; i < this.#all.length; i++) this.#all[i]?.onDecision?.(decision, now)
  }
  onAbandon(job: JobId, spec: JobSpec, unplaced: number, now: Seconds): void {
    this.last = now
    for (const observer of this.#all) observer.onAbandon?.(job, spec, unplaced, now)
  }
  onRunEnd(now: Seconds): void {
    for (const observer of this.#all) observer.onRunEnd?.(now)
  }
}
