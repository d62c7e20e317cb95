import type { Fields } from '../json/fields.js'
import type { LeastOfKinds } from './subgroups.js'

/**
 * The tasks of a job of Volcano of which some start after others (`dependsOn`): in the order in which they are listed, each as soon as those that it
 * waits for come before it: all of them, or with `iteration: any` one. Volcano makes the pods of a task that waits when the others run; what starts
 * together are pods of tasks that wait for none.
 *
 * Source: Volcano, waitDependsOnTaskMeetCondition, isDependsOnPodsReady; its webhook refuses what is here refused.
 *
 * Deviations: a task starts when all pods of those before it have, in the same instant, and not when `minAvailable` of them are ready. A job whose
 * minimum includes pods of tasks that wait starts without them; its gang is never complete in Volcano.
 */
export class TaskDependencies {
  /** Places of the tasks by name. */
  readonly order: ReadonlyMap<string, number>

  private constructor(
    order: readonly string[],
    readonly waiting: ReadonlySet<string>,
  ) {
    this.order = new Map(order.map((name, place) => [name, place]))
  }

  /** `undefined` if no task waits for another. Throws `BadLine` for tasks that wait for unknown ones, or for each other. */
  static of(tasks: readonly Fields[]): TaskDependencies | undefined {
    const left = tasks.map((task) => ({ task, name: task.text('name') ?? '', before: task.object('dependsOn')?.texts('name') ?? [], isAny: task.object('dependsOn')?.text('iteration') === 'any' }))
    const waiting = left.filter(({ before }) => before.length > 0)
    if (waiting.length === 0) return undefined
    const names = new Set(left.map(({ name }) => name))
    for (const { task, before } of waiting)
      for (const name of before) if (!names.has(name)) throw task.bad('dependsOn.name', `there is no task ${JSON.stringify(name)}.`)
    const order = new Set<string>()
    while (left.length > 0) {
      const next = left.findIndex(({ before, isAny }) => (isAny && before.length > 0 ? before.some((name) => order.has(name)) : before.every((name) => order.has(name))))
      if (next < 0) throw left[0]!.task.bad('dependsOn.name', 'the task waits for one that waits for it.')
      order.add(left.splice(next, 1)[0]!.name)
    }
    return new TaskDependencies([...order], new Set(waiting.map(({ name }) => name)))
  }

  /**
   * What starts together of the tasks that wait for none: the minima of these where those of the tasks count, and so many more as the job asks beyond
   * all minima; otherwise as many as the job asks. `all`: the minimum of the job; `ofTask`: those of its tasks.
   */
  least(all: number, ofTask: ReadonlyMap<string, number>, sum: number): LeastOfKinds {
    return (pods) => {
      const free = [...pods].filter(([kind]) => !this.waiting.has(kind))
      const least = new Map(all < sum ? [] : free.map(([kind, count]) => [kind, Math.min(count, ofTask.get(kind) ?? 0)]))
      let missing = all < sum ? all : all - sum
      for (const [kind, count] of free) {
        const had = least.get(kind) ?? 0
        const more = Math.min(count - had, missing)
        least.set(kind, had + more)
        missing -= more
      }
      return { least }
    }
  }
}
