import { forwarding, type Policy } from '@sched/core'

/** What a policy is but for the hooks about waiting jobs, of which it is told by another. */
export function exceptWaiting(policy: Policy): Omit<Policy, 'schedule'> {
  const { onReady: _ready, onMore: _more, onDrained: _drained, ...rest } = forwarding(policy)
  return rest
}
