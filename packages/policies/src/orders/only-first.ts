import { forwarding, type JobBlock, type Order, type Round } from '@sched/core'

/** The order reduced to its first job: while that job cannot start, no other one does. */
export function onlyFirst(order: Order): Order {
  const ids = new Int32Array(1)
  const block: JobBlock = { ids, from: 0, to: 1 }
  let isRead = false
  return {
    ...forwarding(order),
    begin(round: Round): void {
      isRead = false
      order.begin(round)
    },
    next(): JobBlock | undefined {
      const first = isRead ? undefined : order.next()
      isRead = true
      if (first === undefined) return undefined
      ids[0] = first.ids[first.from] as number
      return block
    },
  }
}
