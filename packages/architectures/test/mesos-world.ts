import type { JobSpec } from '@sched/core'
import { twoLevel, type TwoLevelOptions } from '../src/index.js'
import { cpuJob, play } from './world.js'

// What cases of Mesos' own tests (SorterTest, HierarchicalAllocatorTest) need.

/** Decisions that take no time. */
export const now = { decision: { job: 0, task: 0 }, batch: 1, offerTime: 0 }
/** Nodes with these resources, one of each. */
export const nodes = (...resources: readonly Readonly<Record<string, number>>[]) => ({ nodes: resources.map((each) => ({ count: 1, resources: each })) })
/** `job@node xTasks` of all starts until a time, in order of first start. */
export const starts = (options: TwoLevelOptions, jobs: readonly JobSpec[], cluster: ReturnType<typeof nodes>, until = 50) => {
  const { recorder } = play(twoLevel({ ...now, ...options }), jobs, { cluster, until })
  const count = new Map<string, number>()
  for (const { job, node } of recorder.launches) {
    const place = `${job}@${/\d+/.exec(node)?.[0]}`
    count.set(place, (count.get(place) ?? 0) + 1)
  }
  return [...count].map(([place, tasks]) => `${place} x${tasks}`)
}
/** A job of a framework that does not end in the run. */
export const endless = (id: string, of: string, change: Partial<JobSpec> & { readonly demand?: Readonly<Record<string, number>>; readonly tasks?: number; readonly gang?: boolean } = {}) =>
  cpuJob(id, { class: of, duration: 1000, ...change })
/** How many tasks of jobs whose name begins so have started. */
export const of = (name: string, got: readonly string[]) => got.filter((start) => start.startsWith(name)).reduce((sum, start) => sum + Number(start.split('x')[1]), 0)
