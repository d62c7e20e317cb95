import { forwarding, type Order, type Policy } from '@sched/core'

/** What a policy or an order is but for the hooks about waiting jobs, of which it is told by another. */
export function exceptWaiting(part: Policy | Order): Omit<Policy, 'schedule'> {
  const { onReady: _ready, onMore: _more, onDrained: _drained, ...rest } = forwarding(part)
  return rest
}
