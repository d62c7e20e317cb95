import type { Env, JobId, Seconds } from '@sched/core'

/**
 * Estimates of jobs, `Infinity` for a job without one. The first such job gives a warning with `effect`: an order by estimates that nobody gave is
 * one by submission.
 */
export function estimates({ work, warn }: Pick<Env, 'work' | 'warn'>, effect: string): (job: JobId) => Seconds {
  let isTold = false
  return (job) => {
    const estimate = work.estimate(job)
    if (estimate === Infinity && !isTold) {
      isTold = true
      warn(`jobs without an estimate ${effect}.`)
    }
    return estimate
  }
}
