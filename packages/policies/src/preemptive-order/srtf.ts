import { definePolicy, FirstFit, resourceNamed, type Plug } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { PreemptiveOrder } from './preemptive-order.js'
import { RemainingTime } from './remaining-time.js'

const srtfOptions = z.strictObject({
  resource: z.string().optional().describe('with whose amount the remaining time is multiplied, for example gpu (shortest remaining service first); default: it is not'),
  checkpoints: z.boolean().default(false).describe('whether preempted tasks go on where they were, as with `checkpoint: { whenPreempted: true }`, so that what they ran is not left to do; otherwise they start anew'),
})
/** Options of `srtf`; all may be left out. */
export type SrtfOptions = z.input<typeof srtfOptions>

/**
 * Shortest remaining time first: who has least left by the user's estimates runs, and preempts those that have more. What is left of a job is what is left of the longest
 * of its tasks that run or may start: the estimate less what its present run has had, at least 0; with a `resource` (SRSF) the sum over them, each times its amount.
 * Jobs without an estimate come last. Who runs comes before who waits, where they have the same left.
 *
 * Source: Schrage, "A proof of the optimality of the shortest remaining processing time discipline", Operations Research 16, 1968; Gu et al., NSDI 2019, section 3.1
 * (shortest remaining service first). Deviations: estimates stand for run times, and later stages of a job are not counted before they open.
 */
export const srtfPolicy = definePolicy({
  name: 'srtf',
  summary: 'shortest remaining time first: jobs with more left by their estimates are preempted',
  source: 'Schrage, Operations Research 16, 1968; Gu et al., NSDI 2019, section 3.1',
  options: srtfOptions,
  inner: { placement: 'placement?' },
  defaults: { placement: 'first-fit' },
  create({ resource, checkpoints }, env, { placement }) {
    const order = new RemainingTime(env, { resource: resource === undefined ? undefined : resourceNamed(resource, env.cluster.resources, 'srtf.resource'), checkpoints })
    return new PreemptiveOrder('srtf', order, env, placement?.create(env) ?? new FirstFit())
  },
})

/** Shortest remaining time first, with a `resource` shortest remaining service; tasks go where the placement says, by default to the lowest node with room. */
export const srtf = (options: SrtfOptions = {}, placement?: Plug<'placement'>): Plug<'policy'> => srtfPolicy.plug({ placement }, options)
