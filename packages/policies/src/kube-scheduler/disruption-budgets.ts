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

/**
 * How many tasks may be preempted by disruption budgets. A budget does not forbid to take more, but tasks that do not violate one go first.
 *
 * Source: Kubernetes, PodDisruptionBudget: pkg/controller/disruption (getExpectedPodCount, updatePdbStatus); kube-scheduler,
 * `filterPodsWithPDBViolation`. Deviations: a task is healthy while it runs, from its start on; all tasks of jobs in the system that have not ended
 * are expected, in Kubernetes only those of controllers with a scale; a preempted task counts as gone at once, in Kubernetes when the disruption
 * controller has seen it.
 */
export class DisruptionBudgets {
  readonly hooks: WorkListener
  readonly #budgets: readonly DisruptionBudget[]
  readonly #work: WorkView
  /** By budget: the number of its tasks that run, and of those that have not ended. */
  readonly #healthy: number[]
  readonly #expected: number[]
  /** By job: the budgets of its tasks by stage, and by budget how many of the job's tasks it still expects. */
  readonly #jobs = new Map<JobId, { readonly byStage: readonly (readonly number[])[]; readonly expected: number[] }>()

  constructor(budgets: readonly DisruptionBudget[], { work }: Pick<Env, 'work'>) {
    this.#budgets = budgets
    this.#work = work
    this.#healthy = budgets.map(() => 0)
    this.#expected = budgets.map(() => 0)
    this.hooks = {
      onSubmit: (job) => this.#submitted(job),
      onClaim: (job, _, task) => this.#add(this.#healthy, this.#of(job, task), 1),
      onRelease: (job, _, task, __, why) => this.#released(job, task, why === 'ended'),
      onFinish: (job) => this.#finished(job),
    }
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
    return this.#jobs.get(job)?.byStage[this.#work.stageOf(task)] ?? []
  }

  #submitted(job: JobId): void {
    const work = this.#work
    const user = work.userName(work.user(job))
    const expected = this.#budgets.map(() => 0)
    const byStage = work.tasksByStage(job).map((tasks, stage) => {
      const like = { job, user, tags: work.tags(job, stage) }
      const found = [...this.#budgets.keys()].filter((b) => selectsTasks((this.#budgets[b] as DisruptionBudget).of, like))
      this.#add(expected, found, tasks)
      return found
    })
    if (expected.every((count) => count === 0)) return
    this.#jobs.set(job, { byStage, expected })
    for (const [b, count] of expected.entries()) this.#add(this.#expected, [b], count)
  }

  #released(job: JobId, task: TaskId, isOver: boolean): void {
    const of = this.#of(job, task)
    this.#add(this.#healthy, of, -1)
    if (!isOver) return
    this.#add(this.#expected, of, -1)
    this.#add(this.#jobs.get(job)?.expected ?? [], of, -1)
  }

  /** Stops expecting the tasks of a job that was taken out before they have ended. */
  #finished(job: JobId): void {
    for (const [b, count] of (this.#jobs.get(job)?.expected ?? []).entries()) this.#add(this.#expected, [b], -count)
    this.#jobs.delete(job)
  }

  #add(counts: number[], budgets: readonly number[], by: number): void {
    for (const b of budgets) counts[b] = (counts[b] as number) + by
  }
}

/** A number, or a percentage of `of` rounded up. Source: Kubernetes, GetScaledValueFromIntOrPercent. */
const scaled = (value: number | string, of: number): number => (typeof value === 'number' ? value : Math.ceil((Number.parseInt(value) * of) / 100))
