import { defineOrder, forwarding, type Env, type JobBlock, type JobId, type LaneId, type Order, type Plug, type Round } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { byKey } from './by-key.js'
import { byScore } from './by-score.js'
import { LastingTerms } from './lasting-terms.js'

const WEEK = 604_800

const priorityOptions = z.strictObject({
  priority: z.number().nonnegative().default(1).describe("weight of the job's own priority"),
  age: z.number().nonnegative().default(0).describe('weight of the time it has waited, as a fraction of `maxAge` up to 1 (PriorityWeightAge)'),
  size: z.number().nonnegative().default(0).describe('weight of its size, as its largest fraction of the cluster in any resource (PriorityWeightJobSize)'),
  favorSmall: z.boolean().default(false).describe('counts 1 less the size instead of the size (PriorityFavorSmall)'),
  maxAge: z.number().positive().default(WEEK).describe('seconds after which a job gets no older (PriorityMaxAge); default 7 days'),
})
/** Options of `priority`; all may be left out. */
export type PriorityOptions = z.input<typeof priorityOptions>

/**
 * By a weighted sum of a job's own priority, its age and its size, highest first; ties by submission.
 *
 * Source: Slurm's priority/multifactor plug-in, without the factors fair share, partition, association and QOS: for
 * shares use the order `fair`.
 */
export const priorityOrder = defineOrder({
  name: 'priority',
  summary: 'by a weighted sum of priority, age and size',
  source: 'Slurm, priority/multifactor',
  options: priorityOptions,
  create: (options, env) => {
    const { work } = env
    const fixed = (job: JobId, lane: LaneId) => options.priority * work.priority(job) + (options.size === 0 ? 0 : options.size * sizeFactor(job, lane, env, options.favorSmall))
    if (options.age === 0 && options.size === 0) return byKey(env, (job, lane) => -fixed(job, lane))
    return byAge(options, env, new LastingTerms(env.cluster, 1, (job, lane) => [fixed(job, lane)]))
  },
})

/** By the terms that time does not change, though the size of the cluster may, plus the age term. */
function byAge({ age, maxAge }: Pick<z.output<typeof priorityOptions>, 'age' | 'maxAge'>, env: Env, lasting: LastingTerms): Order {
  const ranking = byScore(env, (job, now, lane) => {
    const at = lasting.find(job, lane)
    return (lasting.values[at] as number) + age * Math.min(1, (now - env.work.submitted(job)) / maxAge)
  }, age === 0 ? () => lasting.epoch : undefined)
  return {
    ...forwarding(lasting, ranking),
    readsAll: true,
    begin: (round: Round): void => {
      lasting.refresh()
      ranking.begin(round)
    },
    next: (): JobBlock | undefined => ranking.next(),
  }
}

/** By a weighted sum of priority, age and size. */
export const priority = (options: PriorityOptions = {}): Plug<'order'> => priorityOrder.plug({}, options)

/** The largest fraction of the cluster that the job's next piece asks of any resource of the lane, in [0, 1]; with `favorSmall` 1 minus that. */
function sizeFactor(job: JobId, lane: LaneId, { cluster, work }: Env, favorSmall: boolean): number {
  let size = 0
  for (const resource of cluster.lanes[lane]?.resources ?? []) {
    const amount = work.asked(job, lane, resource)
    if (amount > 0) size = Math.max(size, amount / cluster.capacity(resource))
  }
  return favorSmall ? 1 - size : size
}
