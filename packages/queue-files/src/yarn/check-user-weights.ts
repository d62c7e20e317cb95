import { SchedError } from '@sched/core'
import { prefix, type CapacityQueue } from './capacity-model.js'
import { fractionOf, numberOf } from './site.js'
import type { Setting } from '../setting.js'

/**
 * Throws `BAD_INPUT` with the line for a user whose weight in a leaf is more than 100 / minimum-user-limit-percent, the number of users for whom the leaf has
 * room: a larger weight would give the user more than the whole queue. A leaf inherits the weights that the queues around it give.
 *
 * Source: Hadoop 3, UserWeights.validateForLeafQueue and AbstractLeafQueue.setupQueueConfigs.
 */
export function checkUserWeights(queue: CapacityQueue, general: ReadonlyMap<string, Setting>, inherited: ReadonlyMap<string, Setting> = new Map()): void {
  const weights = new Map(inherited)
  for (const [suffix, property] of queue.properties) {
    const user = /^user-settings\.(.+)\.weight$/.exec(suffix)?.[1]
    if (user !== undefined) weights.set(user, property)
  }
  for (const each of queue.queues) checkUserWeights(each, general, weights)
  if (queue.queues.length > 0) return
  const limit = queue.properties.get('minimum-user-limit-percent') ?? general.get(`${prefix}minimum-user-limit-percent`)
  const percent = Math.min(100, limit === undefined ? 100 : numberOf(limit, { least: 0 }))
  for (const [user, { value, file, line, name }] of weights)
    if (fractionOf(value) > 100 / percent)
      throw new SchedError(
        'BAD_INPUT',
        `user ${user} has the weight ${value}, more than the ${Number((100 / percent).toFixed(6))} users that the minimum-user-limit-percent of queue "${queue.path}", ${percent}, leaves room for.`,
        { file, line, field: name },
        'Lower the one or the other.',
      )
}
