import { forwarding, type Policy } from '@sched/core'

/** The hooks of a policy, an order or a part of one without those about waiting jobs (ready, more, drained), which somebody else passes on to it. */
export function exceptWaiting(part: Omit<Policy, 'schedule'>): Omit<Policy, 'schedule'> {
  const { onReady: _ready, onMore: _more, onDrained: _drained, ...rest } = forwarding(part)
  return rest
}
