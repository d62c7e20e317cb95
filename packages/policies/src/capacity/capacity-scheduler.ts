import { definePolicy, type Plug, type Policy } from '@sched/core'
import { CapacityOrder } from './capacity.js'
import { capacitySchedulerOptions, type CapacitySchedulerOptions } from './options.js'
import { Reserving } from './reserving.js'

/**
 * Hadoop's Capacity Scheduler: the order `capacity` under the discipline `reserving`. Its preemption is not simulated: an
 * option that asks for it is answered with a warning, and tasks end by themselves.
 *
 * Source: Hadoop 3, Capacity Scheduler; survey, section 5. Options have the documented defaults; see docs/capacity.md.
 */
export const capacitySchedulerPolicy = definePolicy({
  name: 'capacity-scheduler',
  summary: "Hadoop's Capacity Scheduler: queues with capacities, user limits, reservations, delay",
  source: 'Survey, section 5; Hadoop 3, Capacity Scheduler',
  options: capacitySchedulerOptions,
  create: (options, env): Policy => {
    const order = new CapacityOrder(options, env, options.reservationsContinueLookAllNodes)
    if (options.preemption?.enabled === true) env.warn('preemption of the capacity scheduler is not simulated: tasks above a guarantee end by themselves')
    return new Reserving(options, env, order)
  },
})

/** Hadoop's Capacity Scheduler. */
export const capacityScheduler = (options: CapacitySchedulerOptions = {}): Plug<'policy'> => capacitySchedulerPolicy.plug({}, options)
