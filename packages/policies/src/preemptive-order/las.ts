import { definePolicy, FirstFit, resourceNamed, SchedError, type Plug } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { AttainedService } from './attained-service.js'
import { PreemptiveOrder } from './preemptive-order.js'

const lasOptions = z.strictObject({
  resource: z.string().optional().describe('whose amount times seconds is the service, for example gpu; default: the seconds in which any task of the job ran'),
  queues: z.array(z.number().positive()).min(1).default([3600]).describe('service at which a job leaves each queue but the last, ascending, in seconds or amounts times seconds'),
  promote: z.number().nonnegative().default(0).describe('a job that has waited, since it was last in the first queue, so many times as long as it ran returns there (PromoteKnob of Tiresias); 0: never'),
})
/** Options of `las`; all may be left out. */
export type LasOptions = z.input<typeof lasOptions>

/**
 * Least attained service: who has had least of the cluster runs, whatever is estimated. A job is in the first queue until its service (the amount of a resource times
 * seconds, or seconds) reaches the first threshold, then in the next one; jobs of an earlier queue preempt those of later ones. Who comes into a queue is behind
 * those that wait there, and goes for them if it runs; after that those of one queue do not preempt each other. Service is what a job really had, also what was lost
 * by its preemption.
 *
 * Source: Gu et al., "Tiresias", NSDI 2019, section 3.2 (discretised 2D-LAS, PromoteKnob), with the order inside a queue of the authors' simulator
 * (`dlas_sim_jobs`). Deviations: a job is preempted at the moment that it is in the way of one that waits, in Tiresias itself at scheduling intervals; the wait
 * for a promotion counts from when it was last in the first queue; `promote` is reached, not exceeded. Where decisions take time a task counts as running from its
 * claim on.
 */
export const lasPolicy = definePolicy({
  name: 'las',
  summary: 'least attained service: jobs that have had much are preempted by those that have had less (Tiresias)',
  source: 'Gu et al., NSDI 2019, section 3.2',
  options: lasOptions,
  inner: { placement: 'placement?' },
  defaults: { placement: 'first-fit' },
  create({ resource, queues, promote }, env, { placement }) {
    const unsorted = queues.findIndex((threshold, i) => i > 0 && threshold <= (queues[i - 1] as number))
    if (unsorted > 0) throw new SchedError('BAD_OPTION', `${queues[unsorted]} comes after ${queues[unsorted - 1]}.`, { field: `las.queues[${unsorted}]` }, 'Thresholds of queues ascend.')
    const order = new AttainedService(env, { resource: resource === undefined ? undefined : resourceNamed(resource, env.cluster.resources, 'las.resource'), queues, promote })
    return new PreemptiveOrder('las', order, env, placement?.create(env) ?? new FirstFit())
  },
})

/** Least attained service; tasks go where the placement says, by default to the lowest node with room. */
export const las = (options: LasOptions = {}, placement?: Plug<'placement'>): Plug<'policy'> => lasPolicy.plug({ placement }, options)
