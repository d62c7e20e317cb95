import { rememberedJobs, type Env, type JobId, type LaneId, type NodeId, type Release, type TaskId, type WorkListener } from '@sched/core'

/** Jobs that were preempted and have not started since, in the order in which they were. */
export class PreemptedJobs implements WorkListener {
  readonly #env: Env
  readonly #turns = new Map<JobId, number>()
  /** The turns that jobs had until they started, and with which task, since that may be taken back. */
  readonly #started = new Map<JobId, { readonly turn: number; readonly task: TaskId }>()
  #turn = 0

  constructor(env: Env) {
    this.#env = env
  }

  /** The jobs, those first that were preempted, as they were, then the others as they are given. */
  first(jobs: readonly JobId[]): readonly JobId[] {
    const turns = this.#turns
    if (turns.size === 0) return jobs
    const [preempted, others]: [JobId[], JobId[]] = [[], []]
    for (const job of jobs) (turns.has(job) ? preempted : others).push(job)
    return [...preempted.sort((a, b) => (turns.get(a) as number) - (turns.get(b) as number)), ...others]
  }

  onRelease(job: JobId, _lane: LaneId, task: TaskId, _node: NodeId, why: Release): void {
    const before = this.#started.get(job)
    if (why === 'evicted') this.#turns.set(job, ++this.#turn)
    else if (why === 'withdrawn' && before?.task === task) this.#turns.set(job, before.turn)
  }

  onClaim(job: JobId, _lane: LaneId, task: TaskId): void {
    const turn = this.#turns.get(job)
    if (turn === undefined) return
    this.#turns.delete(job)
    this.#started.set(job, { turn, task })
  }

  onFinish(job: JobId): void {
    this.#started.delete(job)
    if (!this.#env.work.comesAgain(job)) this.#turns.delete(job)
  }

  memory(): readonly (readonly [job: string])[] {
    return [...this.#turns].sort(([, a], [, b]) => a - b).map(([job]) => [this.#env.work.name(job)] as const)
  }

  recall(memory: unknown): void {
    for (const [job] of rememberedJobs(memory as readonly (readonly [string])[], this.#env.work)) this.#turns.set(job, ++this.#turn)
  }
}
