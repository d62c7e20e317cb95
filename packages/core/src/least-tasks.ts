import type { JobSpec, StageSpec } from './job.js'

/** The fewest tasks of a stage that start at once: of a gang all, or its `minTasks`; otherwise 1. */
export const leastTasks = ({ gang, tasks, minTasks = tasks }: Pick<StageSpec, 'gang' | 'tasks' | 'minTasks'>): number => (gang === true ? minTasks : 1)

/** Whether a job is one gang of several stages. */
export const isGangJob = ({ gang, stages }: Pick<JobSpec, 'gang' | 'stages'>): boolean => gang === true && stages.length > 1

/** The stages of a job by what starts at once, `leastTasks` of each: one by one, but together the gangs of a job that is one gang. */
export function startedTogether(job: Pick<JobSpec, 'gang' | 'stages'>): readonly (readonly StageSpec[])[] {
  const alone = (stage: StageSpec) => [stage]
  if (!isGangJob(job)) return job.stages.map(alone)
  return [job.stages.filter(({ gang }) => gang === true), ...job.stages.filter(({ gang }) => gang !== true).map(alone)]
}

/** What stages that start at once ask of a resource. */
export const askedTogether = (stages: readonly StageSpec[], resource: string): number => stages.reduce((sum, stage) => sum + leastTasks(stage) * (stage.demand[resource] ?? 0), 0)

/** What stages that start at once are called. */
export const whatStarts = (stages: readonly StageSpec[]): string => (stages.some(({ gang }) => gang === true) ? 'a gang' : 'a task')
