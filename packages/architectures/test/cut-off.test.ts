import type { LaneId, Observer, TaskId, WorkView } from '@sched/core'
import { expect, it } from 'vitest'
import { sharedState, twoLevel } from '../src/index.js'
import { cpuJob, play } from './world.js'

/** When the tasks started that run as the run ends; no number of one that does not. */
class Last implements Observer {
  readonly starts: number[] = []
  #work!: WorkView

  onRunStart({ work }: { readonly work: WorkView }): void {
    this.#work = work
  }
  onRunEnd(): void {
    const tasks: TaskId[] = []
    for (const job of this.#work.jobs()) this.#work.runningTasks(job, 0 as LaneId, tasks)
    this.starts.push(...tasks.map((task) => this.#work.started(task)))
  }
}

const decision = { job: 5, task: 0 }

it.each([['shared state', sharedState({ schedulers: 1, decision })], ['two-level', twoLevel({ frameworks: 1, decision, offerTime: 0 })]])('the end of a run leaves nothing claimed by a decision of %s that it cuts off', (_, architecture) => {
  const at = (until: number) => {
    const last = new Last()
    play(architecture, [cpuJob('a', { duration: 1000 }), cpuJob('b', { submit: 10, duration: 1000 })], { until, observers: [last] })
    return last.starts
  }
  expect([at(3), at(12).length, at(17).length]).toEqual([[], 1, 2])
})
