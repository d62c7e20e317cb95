import type { QueueTable } from '../queue-rows.js'
import type { Given } from '../setting.js'
import { sharesTable, type Asked, type QueueNode, type ShownCluster } from '../share-tree.js'
import { amountOf } from './amount-of.js'
import type { NamedAmounts } from './amounts.js'
import type { FairFile, FairQueue } from './fair-model.js'

/** The queues as a table, with shares by weight between minimum and maximum. */
export const fairTable = (file: FairFile, asked: Asked): QueueTable =>
  sharesTable((cluster) => fairNode(file.root, file, cluster), asked, asked.totals !== undefined)

const fairSettings = [
  'weight', 'policy', 'minResources', 'maxResources', 'maxChildResources', 'maxContainerAllocation', 'maxRunningApps', 'maxAMShare',
  'minSharePreemptionTimeout', 'fairSharePreemptionTimeout', 'fairSharePreemptionThreshold', 'allowPreemptionFrom',
] as const

function fairNode(queue: FairQueue, file: FairFile, cluster: ShownCluster): QueueNode {
  const settings: Record<string, string> = {}
  for (const key of fairSettings) if (queue[key] !== undefined) settings[key] = (queue[key] as Given<unknown>).text
  if (queue.policy === undefined && file.defaultPolicy !== undefined) settings['policy'] = file.defaultPolicy.value
  const maximum = queue.maxResources ?? (queue.path === 'root' ? undefined : file.queueMaxResourcesDefault)
  return {
    path: queue.path,
    isParent: queue.isParent,
    settings,
    children: [...queue.queues].sort((a, b) => (a.path < b.path ? -1 : 1)).map((each) => fairNode(each, file, cluster)),
    bounds: (resource, total) => {
      const bound = (given: NamedAmounts | undefined, missing: number) => wholeOf(amountOf(given, resource, total, missing, cluster), cluster)
      const min = bound(queue.minResources?.value, 0)
      return { weight: queue.weight?.value ?? 1, min, max: Math.max(min, bound(maximum?.value, Infinity)) }
    },
  }
}

/** Rounds an amount down; a fraction, shown if the cluster is not known, stays as it is. */
const wholeOf = (amount: number, { totals }: ShownCluster): number => (totals === undefined ? amount : Math.floor(amount))

/** Settings of no single queue, by name, as written. */
export function fairGeneral(file: FairFile): Record<string, string> {
  const settings: Record<string, string> = {}
  const tell = (name: string, given: Given<unknown> | undefined) => void (given !== undefined && (settings[name] = given.text))
  tell('queueMaxResourcesDefault', file.queueMaxResourcesDefault)
  tell('queueMaxAppsDefault', file.queueMaxAppsDefault)
  tell('queueMaxAMShareDefault', file.queueMaxAMShareDefault)
  tell('userMaxAppsDefault', file.userMaxAppsDefault)
  tell('defaultQueueSchedulingPolicy', file.defaultPolicy)
  for (const [user, given] of file.users) tell(`user ${user} maxRunningApps`, given)
  if (file.rules !== undefined)
    settings['queuePlacementPolicy'] = file.rules.map(({ name, queue, create, nested }) =>
      `${name}${nested === undefined ? '' : `(${nested.name})`}${queue === undefined ? '' : ` ${queue}`}${create ? '' : ' create=false'}`).join(', ')
  return settings
}
