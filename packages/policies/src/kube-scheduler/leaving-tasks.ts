import { jobsByName, None, type Env, type JobId, type LaneId, type NodeId, type Release, type Round, type Seconds, type TaskId, type WorkListener } from '@sched/core'

/** A task by its job, its stage and its index in that, and when its grace time ends. */
type Kept = readonly (readonly [job: string, stage: number, index: number, end: Seconds])[]

/** When the grace time ends, and when the task started: its number may be given to another one. */
interface Leaving {
  readonly end: Seconds
  readonly started: Seconds
}

/**
 * Running tasks that were preempted and run on for a grace time. They go when it is over, whether or not anybody still needs their places; one that ends
 * before has ended as any other.
 *
 * Source: Kubernetes, Pod (`terminationGracePeriodSeconds`): a deletion cannot be taken back.
 */
export class LeavingTasks implements WorkListener {
  readonly #work: Env['work']
  readonly #grace: (task: TaskId) => Seconds
  readonly #onLeave: (task: TaskId) => void
  readonly #tasks = new Map<TaskId, Leaving>()
  /** The ends of the grace times of tasks whose job is updated, by job, stage and index. */
  readonly #again = new Map<string, Seconds>()

  /** `grace`: seconds of a task. `onLeave` is told of each task from which time on it is about to leave. */
  constructor({ work }: Pick<Env, 'work'>, grace: (task: TaskId) => Seconds, onLeave: (task: TaskId) => void) {
    this.#work = work
    this.#grace = grace
    this.#onLeave = onLeave
  }

  has(task: TaskId): boolean {
    return this.#tasks.has(task)
  }

  /** Whether any of the tasks has a lower priority and is about to leave. */
  anyBelow(own: number, tasks: readonly TaskId[]): boolean {
    return this.#tasks.size > 0 && tasks.some((task) => this.#tasks.has(task) && this.#work.priority(this.#work.jobOf(task)) < own)
  }

  /** From now on the tasks have their grace time; those that have it already keep its end. */
  add(tasks: readonly TaskId[], round: Round): void {
    for (const task of tasks) {
      const end = round.now + this.#grace(task)
      if (!this.#tasks.has(task)) this.#add(task, end)
      round.wakeAt(end)
    }
  }

  /** To be called first in every round: takes those of its lane whose time is over, and asks for a round for the others. */
  begin(round: Round): void {
    for (const [task, { end, started }] of this.#tasks) {
      if (this.#work.started(task) !== started) this.#tasks.delete(task) // it has gone
      else if (end > round.now) round.wakeAt(end)
    }
    if (round.jobsLeft < Infinity) return
    for (const task of this.#due(round.now)) if (this.#work.laneOf(task) === round.lane) round.evict(task)
  }

  /** Nobody may wait for the place of a task whose time is over. */
  wantsRound(now: Seconds): boolean {
    return this.#due(now).length > 0
  }

  onClaim(job: JobId, _lane: LaneId, task: TaskId): void {
    if (this.#again.size === 0) return
    const key = this.#key(job, task)
    const end = this.#again.get(key)
    if (end === undefined) return
    this.#again.delete(key)
    this.#add(task, end)
  }

  onRelease(job: JobId, _lane: LaneId, task: TaskId, _node: NodeId, why: Release): void {
    const leaving = this.#tasks.get(task)
    if (leaving === undefined || why !== 'ended') return
    this.#tasks.delete(task)
    if (this.#work.comesAgain(job)) this.#again.set(this.#key(job, task), leaving.end)
  }

  memory(): Kept {
    const work = this.#work
    const there = [...this.#tasks].filter(([task, { started }]) => work.started(task) === started)
    return there.map(([task, { end }]) => [work.name(work.jobOf(task)), work.stageOf(task), work.indexOf(task), end] as const)
  }

  recall(memory: unknown): void {
    const jobs = jobsByName(this.#work)
    for (const [name, stage, index, end] of memory as Kept) {
      const job = jobs.get(name)
      const task = job === undefined ? None : this.#work.taskAt(job, stage, index)
      if (task !== None && !Number.isNaN(this.#work.started(task))) this.#add(task, end)
    }
  }

  #add(task: TaskId, end: Seconds): void {
    this.#tasks.set(task, { end, started: this.#work.started(task) })
    this.#onLeave(task)
  }

  #due(now: Seconds): TaskId[] {
    return [...this.#tasks].filter(([task, { end, started }]) => end <= now && this.#work.started(task) === started).map(([task]) => task)
  }

  #key(job: JobId, task: TaskId): string {
    return `${job} ${this.#work.stageOf(task)} ${this.#work.indexOf(task)}`
  }
}
