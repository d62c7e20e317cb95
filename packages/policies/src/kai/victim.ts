import type { JobId, Seconds, TaskId, WorkView } from '@sched/core'

/**
 * What is taken as one: the tasks of a job that run together or not at all (a gang, or the first task of any other job), or one task that the job
 * can do without, or several of these that run together.
 */
export interface Victim {
  readonly job: JobId
  readonly tasks: readonly TaskId[]
  /** Whether its job would not run without it. */
  readonly isCore: boolean
  /** Whether it is a group of tasks that run together and that its job can do without. */
  readonly isGroup?: boolean
  /** Since when its job runs. */
  readonly since: Seconds
  /** Among victims that are as important, those of a larger first number go first, of equals those of a larger second one, and so on. */
  readonly places?: readonly number[]
}

type OfJob = Pick<Victim, 'job' | 'isCore'>

/** By priority, then tasks that their job does not run without (KAI's plug-in `elastic`). */
const compareImportance = (a: OfJob, b: OfJob, work: WorkView): number => work.priority(b.job) - work.priority(a.job) || Number(b.isCore) - Number(a.isCore)

/** Order of serving in a queue; below 0: a before b. By importance, then by submission. */
export const compareServed = (a: OfJob, b: OfJob, work: WorkView): number => compareImportance(a, b, work) || work.rank(a.job) - work.rank(b.job)

/** Victims of one job, the one that goes first at the end: what it does not run without last of all, single tasks before groups, then later tasks. */
export const compareInJob = (a: Victim, b: Victim): number =>
  Number(b.isCore) - Number(a.isCore) || Number(b.isGroup === true) - Number(a.isGroup === true) || (a.tasks[0] as number) - (b.tasks[0] as number)

/** Victims of a queue, the one that goes first at the end: the least important, by their places, then those that would be served last. */
export const compareGoing = (a: Victim, b: Victim, work: WorkView): number =>
  compareImportance(a, b, work) || comparePlaces(a, b) || work.rank(a.job) - work.rank(b.job) || compareInJob(a, b)

function comparePlaces({ places = [] }: Victim, { places: others = [] }: Victim): number {
  const i = places.findIndex((place, at) => place !== others[at])
  return i < 0 ? 0 : (places[i] as number) - (others[i] as number)
}
