import { randomStream, type JobSpec, type Workload } from '@sched/core'
import { workloadFrom, workloadOf } from '@sched/workload'
import type { ClusterDescription } from '@sched/cluster'
import type { Size } from '../harness/benchmark.js'

const NODES = 10_000
const SLOTS = 4
const TASKS_PER_JOB = 100
const POOLS = 20
/** Mean run time of a task, seconds: exponential. */
const MEAN = 20
const LOAD = 0.9

export const largeCluster = (size: Size): ClusterDescription => ({ nodes: [{ count: size === 'small' ? NODES / 100 : NODES, slots: { slot: SLOTS } }] })

/**
 * Jobs of 100 tasks with exponential run times of their own, arriving as a Poisson stream that keeps 90 % of 40,000
 * slots busy. Made one by one as the run asks for them.
 */
export function streamed(tasks: number): Workload {
  return jobs('large, streamed', tasks, (size) => new Float64Array(size))
}

/** Jobs with their run times in the columns given. */
function jobs(name: string, tasks: number, column: (size: number) => number[] | Float64Array): Workload {
  return workloadFrom(name, tasks / TASKS_PER_JOB, () => {
    const gap = randomStream(1, 'large/gaps')
    const time = randomStream(1, 'large/times')
    const meanGap = (TASKS_PER_JOB * MEAN) / (LOAD * NODES * SLOTS)
    let submit = 0
    return (index): JobSpec => {
      submit -= Math.log(1 - gap()) * meanGap
      const duration = column(TASKS_PER_JOB)
      for (let task = 0; task < TASKS_PER_JOB; task++) duration[task] = -Math.log(1 - time()) * MEAN
      return { id: `job${index}`, submit, queue: `pool${index % POOLS}`, stages: [{ name: 'tasks', tasks: TASKS_PER_JOB, demand, duration }] }
    }
  })
}

const demand = { slot: 1 }

/** The same jobs, all made before the run starts and kept to its end; in plain arrays, as so many typed ones take more room. */
export function stored(tasks: number): Workload {
  const source = jobs('large, stored', tasks, (size) => new Array<number>(size)).open()
  return workloadOf('large, stored', Array.from({ length: tasks / TASKS_PER_JOB }, () => source.next() as JobSpec))
}
