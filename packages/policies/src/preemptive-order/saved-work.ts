import { rememberedJobs, type Env, type JobId, type LaneId, type NodeId, type Release, type Seconds, type TaskId, type WorkListener } from '@sched/core'

/** What a task that was preempted has behind it. */
interface Saved {
  readonly stage: number
  readonly index: number
  seconds: Seconds
  /** What its latest preemption added. */
  last: Seconds
  isRunning: boolean
}

/** For the one that takes a scheduler's place: stage, index and seconds of tasks, by job. */
type SavedMemory = readonly (readonly [job: string, tasks: readonly (readonly [stage: number, index: number, seconds: Seconds])[]])[]

/** Seconds that preempted tasks ran, which they need not run again. What nodes take with them, or fails, is not kept. */
export class SavedWork implements WorkListener {
  /** Whether tasks that are evicted now are preempted. */
  isPreempting = false
  readonly #env: Env
  readonly #jobs = new Map<JobId, Map<number, Saved>>()

  constructor(env: Env) {
    this.#env = env
  }

  /** Of a task. */
  of(task: TaskId): Seconds {
    return this.#find(task)?.seconds ?? 0
  }

  /** Of each task of the stage that was preempted and waits. */
  waiting(job: JobId, stage: number): readonly Seconds[] {
    return [...(this.#jobs.get(job)?.values() ?? [])].filter((each) => each.stage === stage && !each.isRunning).map(({ seconds }) => seconds)
  }

  onClaim(job: JobId, _lane: LaneId, task: TaskId): void {
    const saved = this.#find(task)
    if (saved === undefined || this.#env.work.comesAgain(job)) return
    saved.isRunning = true
    if (Number.isNaN(this.#env.work.started(task))) return
    saved.seconds -= saved.last // the eviction is taken back
    saved.last = 0
  }

  onRelease(job: JobId, _: LaneId, task: TaskId, _node: NodeId, why: Release): void {
    if (this.#env.work.comesAgain(job)) return
    if (why === 'ended') return void this.#jobs.get(job)?.delete(this.#key(task))
    const isPreempted = why === 'evicted' && this.isPreempting
    const saved = this.#find(task) ?? (isPreempted ? this.#add(job, task) : undefined)
    if (saved === undefined) return
    saved.isRunning = false
    saved.last = isPreempted ? this.#env.now() - this.#env.work.started(task) : 0
    saved.seconds += saved.last
  }

  onFinish(job: JobId): void {
    if (!this.#env.work.comesAgain(job)) this.#jobs.delete(job)
  }

  memory(): SavedMemory {
    return Array.from(this.#jobs, ([job, tasks]) => [this.#env.work.name(job), Array.from(tasks.values(), ({ stage, index, seconds }) => [stage, index, seconds] as const)] as const)
  }

  recall(memory: unknown): void {
    for (const [job, tasks] of rememberedJobs(memory as SavedMemory, this.#env.work)) {
      const running = this.#running(job)
      for (const [stage, index, seconds] of tasks) {
        const key = keyOf(stage, index)
        this.#of(job).set(key, { stage, index, seconds, last: 0, isRunning: running.has(key) })
      }
    }
  }

  #running(job: JobId): ReadonlySet<number> {
    const tasks: TaskId[] = []
    for (let lane = 0; lane < this.#env.cluster.lanes.length; lane++) this.#env.work.runningTasks(job, lane as LaneId, tasks)
    return new Set(tasks.map((task) => this.#key(task)))
  }

  #of(job: JobId): Map<number, Saved> {
    let tasks = this.#jobs.get(job)
    if (tasks === undefined) this.#jobs.set(job, (tasks = new Map<number, Saved>()))
    return tasks
  }

  #find(task: TaskId): Saved | undefined {
    return this.#jobs.size === 0 ? undefined : this.#jobs.get(this.#env.work.jobOf(task))?.get(this.#key(task))
  }

  #add(job: JobId, task: TaskId): Saved {
    const saved = { stage: this.#env.work.stageOf(task), index: this.#env.work.indexOf(task), seconds: 0, last: 0, isRunning: false }
    this.#of(job).set(this.#key(task), saved)
    return saved
  }

  #key(task: TaskId): number {
    return keyOf(this.#env.work.stageOf(task), this.#env.work.indexOf(task))
  }
}

/** Of a task in its job. */
const keyOf = (stage: number, index: number): number => stage * 2 ** 32 + index
