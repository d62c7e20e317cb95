import type { StageSpec } from '@sched/core'
import { stagesInOrder } from '../workflow/order.js'
import type { TaskOrder, TaskRow } from './task-table.js'

/**
 * Dependencies in the names of tasks in Alibaba's trace of 2018: a letter or word, the number of the task in its job, and the numbers of the tasks
 * that it waits for, `R4_2_3`. Other names (`task_Nzg=`, `MergeTask`) have none. Parts that are not numbers are ignored.
 *
 * Source: Alibaba Cluster Trace Program, cluster-trace-v2018, trace_2018.md.
 */
export class TaskGraph implements TaskOrder {
  #missing = 0
  #circles = 0

  /** The stages, each after those it waits for, otherwise in the order of the table; `undefined` if tasks wait for each other in a circle. */
  stages(rows: readonly TaskRow[]): StageSpec[] | undefined {
    const named = rows.map(({ task }) => nameOf(task))
    const byNumber = new Map<string, number[]>()
    for (const [i, { number }] of named.entries()) if (number !== undefined) byNumber.set(number, [...(byNumber.get(number) ?? []), i])
    const before = named.map(({ waits }) => [...new Set(waits.flatMap((number) => byNumber.get(number) ?? []))])
    if (named.some(({ waits }) => waits.some((number) => !byNumber.has(number)))) this.#missing++
    const stages = stagesInOrder(rows.map(({ stage }) => stage), before)
    if (stages === undefined) this.#circles++
    return stages
  }

  rules() {
    return [
      { rule: 'missing', jobs: this.#missing, text: 'with tasks that wait for others that are left out or missing: not waited for' },
      { rule: 'circle', jobs: this.#circles, text: 'whose tasks wait for each other in a circle: left out' },
    ]
  }
}

function nameOf(task: string): { number: string | undefined; waits: string[] } {
  const [, number, rest = ''] = /^[A-Za-z]+(\d+)((?:_.*)?)$/.exec(task) ?? []
  return { number, waits: number === undefined ? [] : rest.split('_').filter((part) => /^\d+$/.test(part)) }
}
