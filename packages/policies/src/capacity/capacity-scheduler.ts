import { definePolicy, type Plug, type Policy } from '@sched/core'
import { CapacityOrder } from './capacity.js'
import { capacitySchedulerOptions, type CapacitySchedulerOptions } from './options.js'
import { CapacityPreemption } from './preemption.js'
import { Reserving } from './reserving.js'

/**
 * Hadoop's Capacity Scheduler: the order `capacity` under the discipline `reserving`, with preemption if it is switched on.
 *
 * Source: Hadoop 3, Capacity Scheduler; survey, section 5. Options have the documented defaults; see docs/capacity.md.
 */
export const capacitySchedulerPolicy = definePolicy({
  name: 'capacity-scheduler',
  summary: "Hadoop's Capacity Scheduler: queues with capacities, user limits, reservations, delay, preemption",
  source: 'Survey, section 5; Hadoop 3, Capacity Scheduler',
  options: capacitySchedulerOptions,
  create: (options, env): Policy => {
    const order = new CapacityOrder(options, env, options.reservationsContinueLookAllNodes)
    const policy = new Reserving(options, env, order)
    const { preemption } = options
    if (preemption?.enabled !== true) return policy
    return new CapacityPreemption(policy, order.queues, preemption, env)
  },
})

/** Hadoop's Capacity Scheduler. */
export const capacityScheduler = (options: CapacitySchedulerOptions = {}): Plug<'policy'> => capacitySchedulerPolicy.plug({}, options)
