import type { JobId } from '@sched/core'
import { by, JobsInSystem, type MakeOrder } from './naive.js'

/** Hadoop FIFO: priority, highest first, then order of submission. */
export const naiveFifo: MakeOrder = ({ work }) => {
  const all = new JobsInSystem()
  return { onSubmit: all.add, onFinish: all.remove, list: (round) => all.runnable(round).sort(by<JobId>((job) => -work.priority(job), (job) => work.rank(job))) }
}

/** Algorithm 1, line "sort jobs by number of running tasks": per weight, ties by order of submission. */
export const naiveByRunning: MakeOrder = ({ work }) => {
  const all = new JobsInSystem()
  return {
    onSubmit: all.add,
    onFinish: all.remove,
    list: (round) => all.runnable(round).sort(by<JobId>((job) => work.running(job, round.lane) / work.weight(job), (job) => work.rank(job))),
  }
}
