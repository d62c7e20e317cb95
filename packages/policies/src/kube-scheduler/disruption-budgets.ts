import { selectsTasks, type Env, type JobId, type TaskId, type WorkListener, type WorkView } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { allTasks, type Sorted, type Unit } from './victims.js'

const amount = z.union([z.int().min(0), z.string().regex(/^\d+%$/, 'a number of tasks, or a percentage such as "50%"')])
const name = z.string().min(1)

const requirement = z.strictObject({
  key: name.describe('the tag'),
  operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']).describe('how it is to the values, or whether there is one'),
  values: z.array(z.string()).exactOptional().describe('of In and NotIn'),
})

export const budgetSchema = z.strictObject({
  of: z.strictObject({
    tags: z.record(name, z.string()).exactOptional().describe('tags that they have, with these values'),
    matchExpressions: z.array(requirement).exactOptional().describe('what other tags of theirs must be'),
    users: z.array(name).min(1).exactOptional().describe('whose jobs they are of; default: anybody\'s'),
  }).describe('the tasks that it is about, by the tags and users of their jobs'),
  minAvailable: amount.exactOptional().describe('so many of them, or so many percent of those that have not ended, should run'),
  maxUnavailable: amount.exactOptional().describe('of those that have not ended so many, or so many percent, may not run'),
}).refine(({ minAvailable, maxUnavailable }) => (minAvailable === undefined) !== (maxUnavailable === undefined), 'either `minAvailable` or `maxUnavailable`')
export type DisruptionBudget = z.output<typeof budgetSchema>

/** Of a job, by stage: the budgets of its tasks, and how many of these have not ended. */
interface Budgeted {
  readonly budgets: readonly (readonly number[])[]
  readonly left: number[]
}

/**
 * How many tasks may be preempted by disruption budgets. A budget does not forbid to take more, but tasks that do not violate one go first.
 *
 * Source: Kubernetes, PodDisruptionBudget: pkg/controller/disruption (getExpectedPodCount, updatePdbStatus); kube-scheduler,
 * `filterPodsWithPDBViolation`. Deviations: a task is healthy while it runs, from its start on; all tasks of jobs in the system that have not ended
 * are expected, in Kubernetes only those of controllers with a scale; a preempted task counts as gone at once, also while it has a grace time, in Kubernetes when
 * the disruption controller has seen it.
 */
export class DisruptionBudgets {
  readonly hooks: WorkListener
  readonly #budgets: readonly DisruptionBudget[]
  readonly #work: WorkView
  /** By budget: the number of its tasks that run, and of those that have not ended. */
  readonly #healthy: number[]
  readonly #expected: number[]
  readonly #jobs = new Map<JobId, Budgeted>()

  /** `isLeaving`: whether a running task is about to leave, of which `leave` has told. */
  constructor(budgets: readonly DisruptionBudget[], { work }: Pick<Env, 'work'>, isLeaving: (task: TaskId) => boolean) {
    this.#budgets = budgets
    this.#work = work
    this.#healthy = budgets.map(() => 0)
    this.#expected = budgets.map(() => 0)
    this.hooks = {
      onSubmit: (job) => this.#submitted(job),
      onClaim: (job, _, task) => {
        if (!isLeaving(task)) this.#add(this.#healthy, this.#of(job, task), 1)
      },
      onRelease: (job, _, task, __, why) => {
        if (!isLeaving(task)) this.leave(task)
        if (why === 'ended' && !work.comesAgain(job)) this.#ended(job, task)
      },
      onFinish: (job) => this.#finished(job),
    }
  }

  /** A running task does not count as healthy any more. */
  leave(task: TaskId): void {
    this.#add(this.#healthy, this.#of(this.#work.jobOf(task), task), -1)
  }

  /**
   * Sorts units: first those that violate a budget if the units before them go, too; otherwise their order stays. A task uses up one of every budget that it
   * belongs to, up to the first budget that has none left.
   *
   * Source: kube-scheduler, `FilterVictimsWithPDBViolation`.
   */
  sorted<U extends Unit>(units: readonly U[]): Sorted<U> {
    const allowed = this.#budgets.map((budget, b) => this.#allowed(budget, b))
    const seen = new Set<TaskId>()
    const violations = new Map<U, number>()
    for (const unit of units) {
      const tasks = allTasks([unit]).filter((task) => !seen.has(task)) // tasks that a gang can do without have gone with it
      for (const task of tasks) seen.add(task)
      const count = tasks.filter((task) => this.#isBeyond(task, allowed)).length
      if (count > 0) violations.set(unit, count)
    }
    return { units: [...violations.keys(), ...units.filter((unit) => !violations.has(unit))], violations }
  }

  #isBeyond(task: TaskId, allowed: number[]): boolean {
    return this.#of(this.#work.jobOf(task), task).some((b) => {
      allowed[b] = (allowed[b] as number) - 1
      return allowed[b] < 0
    })
  }

  #allowed({ minAvailable, maxUnavailable = 0 }: DisruptionBudget, b: number): number {
    const [healthy, expected] = [this.#healthy[b] as number, this.#expected[b] as number]
    const desired = minAvailable === undefined ? expected - scaled(maxUnavailable, expected) : scaled(minAvailable, expected)
    return Math.max(0, healthy - Math.max(0, desired))
  }

  #of(job: JobId, task: TaskId): readonly number[] {
    return this.#jobs.get(job)?.budgets[this.#work.stageOf(task)] ?? []
  }

  #submitted(job: JobId): void {
    if (this.#budgets.length === 0) return
    const work = this.#work
    const user = work.userName(work.user(job))
    const left = this.#jobs.get(job)?.left ?? [...work.tasksByStage(job)] // it is updated
    const budgets = left.map((_, stage) => {
      const like = { job, user, tags: work.tags(job, stage) }
      return [...this.#budgets.keys()].filter((b) => selectsTasks((this.#budgets[b] as DisruptionBudget).of, like))
    })
    this.#jobs.set(job, { budgets, left })
    this.#expect({ budgets, left }, 1)
  }

  #ended(job: JobId, task: TaskId): void {
    const left = this.#jobs.get(job)?.left
    if (left === undefined) return
    left[this.#work.stageOf(task)] = (left[this.#work.stageOf(task)] as number) - 1
    this.#add(this.#expected, this.#of(job, task), -1)
  }

  /** Stops expecting the tasks of a job that was taken out before they have ended. */
  #finished(job: JobId): void {
    const found = this.#jobs.get(job)
    if (found === undefined) return
    this.#expect(found, -1)
    if (!this.#work.comesAgain(job)) this.#jobs.delete(job)
  }

  #expect({ budgets, left }: Budgeted, sign: 1 | -1): void {
    for (const [stage, of] of budgets.entries()) this.#add(this.#expected, of, sign * (left[stage] as number))
  }

  #add(counts: number[], budgets: readonly number[], by: number): void {
    for (const b of budgets) counts[b] = (counts[b] as number) + by
  }
}

/** A number, or a percentage of `of` rounded up. Source: Kubernetes, GetScaledValueFromIntOrPercent. */
const scaled = (value: number | string, of: number): number => (typeof value === 'number' ? value : Math.ceil((Number.parseInt(value) * of) / 100))
