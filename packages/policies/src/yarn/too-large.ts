import type { Demand } from '@sched/core'
import type { Queue } from './queue-tree.js'

/** Why a task of this demand can never run in a queue: the limit that it exceeds; `undefined` when none forbids it. */
export function tooLarge(demand: Demand, leaf: Queue, queues: readonly Queue[], resources: readonly string[]): string | undefined {
  for (const [r, name] of resources.entries()) {
    const asked = demand[name] ?? 0
    if (asked > (leaf.maxContainer[r] as number)) return refusal(asked, name, leaf.path, 'maxContainerAllocation', leaf.maxContainer[r] as number)
    for (let queue: Queue | undefined = leaf; queue !== undefined; queue = queues[queue.parent])
      if (asked > (queue.mostResources[r] as number)) return refusal(asked, name, queue.path, 'maxResources', queue.mostResources[r] as number)
  }
  return undefined
}

const refusal = (asked: number, name: string, path: string, limit: string, most: number): string =>
  `a task asks ${asked} ${name}, and ${limit} of queue "${path}" is ${most} ${name}`
