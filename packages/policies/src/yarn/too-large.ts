import { askedTogether, whatStarts, ownValue, type StageSpec } from '@sched/core'
import type { Queue } from './queue-tree.js'

/** Why a task of a stage, or tasks that start together, can never run in a queue: the limit that they exceed; `undefined` if none forbids it. */
export function tooLarge(stages: readonly StageSpec[], leaf: Queue, queues: readonly Queue[], resources: readonly string[]): string | undefined {
  for (const [r, name] of resources.entries()) {
    const asked = Math.max(...stages.map(({ demand }) => ownValue(demand, name) ?? 0))
    if (asked > (leaf.maxContainer[r] as number)) return refusal(asked, name, leaf.path, 'maxContainerAllocation', leaf.maxContainer[r] as number)
    const together = askedTogether(stages, name)
    for (let queue: Queue | undefined = leaf; queue !== undefined; queue = queues[queue.parent])
      if (together > (queue.mostResources[r] as number)) return refusal(together, name, queue.path, 'maxResources', queue.mostResources[r] as number, whatStarts(stages))
  }
  return undefined
}

const refusal = (asked: number, name: string, path: string, limit: string, most: number, who = 'a task'): string =>
  `${who} asks ${asked} ${name}, and ${limit} of queue "${path}" is ${most} ${name}`
