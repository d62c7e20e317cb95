import type { JobId, LaneId, ResourceId, TaskId, WorkView } from '@sched/core'
import { compareInJob, type Victim } from './victim.js'

/** Which of equally important jobs goes first: that with more GPUs, or with fewer. */
export type GpuJobOrder = 'evict-larger-first' | 'evict-smaller-first'

/**
 * The victims of a job with the places that its GPUs give them among those of equally important jobs. What counts are the GPUs of all its tasks that run or
 * wait, without those that have gone before. So with the larger first it may be another job's turn after each victim; the smaller only gets smaller, and
 * stays first until it has nothing left that it can do without.
 *
 * Source: KAI Scheduler, plug-in gpujoborder; pod_scenario_builder.go (the rest of a job comes back to the queue of victims).
 */
export function placedByGpus(victims: readonly Victim[], job: JobId, { order, gpu, lane, work, running }: { order: GpuJobOrder; gpu: ResourceId; lane: LaneId; work: WorkView; running: readonly TaskId[] }): readonly Victim[] {
  const amountOf = (tasks: readonly TaskId[]): number => tasks.reduce((sum, task) => sum + work.demand(work.shapeOf(task), gpu), 0)
  const all = work.waiting(job, lane, gpu) + amountOf(running)
  const [larger, inTurn] = [order === 'evict-larger-first', [...victims].sort((a, b) => compareInJob(b, a))]
  let left = all
  return inTurn.map((victim) => {
    const gpus = larger || victim.isCore ? left : all
    left -= amountOf(victim.tasks)
    return { ...victim, places: [larger ? gpus : -gpus] }
  })
}
