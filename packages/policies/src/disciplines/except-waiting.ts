import { forwarding, type Order, type Policy } from '@sched/core'

/** The hooks of a policy or an order without those about waiting jobs (ready, more, drained), which somebody else passes on to it. */
export function exceptWaiting(part: Policy | Order): Omit<Policy, 'schedule'> {
  const { onReady: _ready, onMore: _more, onDrained: _drained, ...rest } = forwarding(part)
  return rest
}
