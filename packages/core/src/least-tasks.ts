import type { StageSpec } from './job.js'

/** The fewest tasks of a stage that start at once: of a gang all, or its `minTasks`; otherwise 1. */
export const leastTasks = ({ gang, tasks, minTasks = tasks }: Pick<StageSpec, 'gang' | 'tasks' | 'minTasks'>): number => (gang === true ? minTasks : 1)
