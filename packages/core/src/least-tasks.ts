import type { JobSpec, StageSpec } from './job.js'
import { ownValue } from './own-value.js'

/** Fewest tasks of a stage that start at once: for a gang all, or its `minTasks`; otherwise 1. */
export const leastTasks = ({ gang, tasks, minTasks = tasks }: Pick<StageSpec, 'gang' | 'tasks' | 'minTasks'>): number => (gang === true ? minTasks : 1)

/** Whether a job is one gang of several stages. */
export const isGangJob = ({ gang, stages }: Pick<JobSpec, 'gang' | 'stages'>): boolean => gang === true && stages.length > 1

/**
 * Groups of stages that start at once, each stage with `leastTasks` tasks. Every stage is a group of its own, but the gang stages of a job that is
 * one gang form one group, and one more for each `optionalGroup`.
 */
export function startedTogether(job: Pick<JobSpec, 'gang' | 'stages'>): readonly (readonly StageSpec[])[] {
  const alone = (stage: StageSpec) => [stage]
  if (!isGangJob(job)) return job.stages.map(alone)
  const groups = new Map<string | undefined, StageSpec[]>()
  for (const stage of job.stages) if (stage.gang === true) groups.set(stage.optionalGroup, [...(groups.get(stage.optionalGroup) ?? []), stage])
  return [...groups.values(), ...job.stages.filter(({ gang }) => gang !== true).map(alone)]
}

/** Fewest tasks of a stage that may not be preempted, in a job that is preemptible beyond its minimum alone. */
export const nonPreemptibleTasks = (stage: StageSpec): number =>
  Math.max(stage.gang === true && stage.optionalGroup === undefined ? leastTasks(stage) : 0, stage.minNonPreemptible ?? 0)

/** Amount of a resource that a group of stages asks for to start at once. */
export const askedTogether = (stages: readonly StageSpec[], resource: string): number => stages.reduce((sum, stage) => sum + leastTasks(stage) * (ownValue(stage.demand, resource) ?? 0), 0)

/** What to call a group of stages in messages. */
export const whatStarts = (stages: readonly StageSpec[]): string => (stages.some(({ gang }) => gang === true) ? 'a gang' : 'a task')
