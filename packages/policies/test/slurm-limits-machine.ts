import { dispatcher, type JobUpdate } from '@sched/cluster'
import { SchedError, type JobSpec } from '@sched/core'
import { fifo, slurmLimits, strict, type SlurmLimitsOptions } from '@sched/policies'
import { instantCluster, job, type JobChange } from '@sched/testkit'

/** A job of one stage, or of the stages given, of which `gang` then says whether they start together. */
const specOf = ({ stages, gang, ...change }: JobChange): JobSpec => {
  const asked = { user: (change.id as string).split('_')[0] as string, queue: 'main', estimate: 100, ...change }
  return stages === undefined ? job({ ...asked, ...(gang !== undefined && { gang }) }) : { ...job(asked), stages, ...(gang !== undefined && { gang }) }
}

/** A machine of so many nodes with 8 processors and 16 GiB. What starts, and what is refused, when jobs come together. */
export const machine = (options: SlurmLimitsOptions, { nodes = 1, policy = strict(fifo()), warn = (_message: string): void => undefined } = {}) => {
  const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: nodes, resources: { procs: 8, mem: 16_384, nodes: 1 } }] }), policy: slurmLimits(policy, options), warn })
  const running = new Map<string, ReturnType<typeof master.pass>['start'][number][]>()
  const pass = (now: number) => {
    const { start } = master.pass(now)
    for (const task of start) running.set(task.job, [...(running.get(task.job) ?? []), task])
    return [...new Set(start.map((task) => task.job))]
  }
  return {
    pass,
    come: (now: number, ...jobs: readonly JobChange[]) => {
      for (const each of jobs) master.submit(specOf(each), now)
      return pass(now)
    },
    update: (id: string, changes: JobUpdate, now: number) => master.update(id, changes, now),
    refusal: (each: JobChange, now = 0) => {
      try {
        master.submit(specOf(each), now)
      } catch (error) {
        if (error instanceof SchedError) return error.fact
        throw error
      }
      return undefined
    },
    end: (now: number, ...ids: readonly string[]) => {
      for (const id of ids) {
        for (const task of running.get(id) ?? []) master.taskEnded(task, now)
        running.delete(id)
      }
      return pass(now)
    },
  }
}

/** A job of one task with so many processors. */
export const procs = (id: string, amount: number, change: JobChange = {}): JobChange => ({ id, demand: { procs: amount }, ...change })
