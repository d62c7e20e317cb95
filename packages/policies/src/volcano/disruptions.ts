import type { VolcanoJob } from './queue.js'

/**
 * How many running tasks of a job may be taken at a time: as its budget says, otherwise one.
 *
 * Source: Volcano, plugins/tdm (getMaxPodEvictNum). There, too, a job with fewer tasks than `minAvailable` gives one.
 */
function mostTaken({ running, unplaced, ended, budget }: VolcanoJob): number {
  const tasks = running + unplaced + [...ended.values()].reduce((sum, each) => sum + each, 0)
  if (budget?.maxUnavailable !== undefined) return Math.max(0, numberOf(budget.maxUnavailable, tasks) - unplaced)
  const least = budget?.minAvailable === undefined ? Infinity : numberOf(budget.minAvailable, tasks)
  return running >= least ? running - least : 1
}

/** A number of tasks, or a percentage of all, rounded up. */
const numberOf = (amount: number | string, tasks: number): number =>
  typeof amount === 'string' ? Math.ceil((Number.parseFloat(amount) * tasks) / 100) : amount

/** Of victims those that the budgets of their jobs allow to be taken at a time, the first of each job. */
export function withinBudgets<T extends { readonly job: VolcanoJob }>(victims: readonly T[]): T[] {
  const left = new Map<VolcanoJob, number>()
  return victims.filter(({ job }) => {
    const most = left.get(job) ?? mostTaken(job)
    left.set(job, most - 1)
    return most > 0
  })
}
