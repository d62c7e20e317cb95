import { registerArchitectures } from '@sched/architectures'
import { Registry } from '@sched/core'
import { registerPlacements } from '@sched/placement'
import { registerPolicies } from '@sched/policies'

/** Everything that is built in, ready for plug-ins to be added. */
export function builtIns(): Registry {
  const registry = new Registry()
  registerPolicies(registry)
  registerPlacements(registry)
  registerArchitectures(registry)
  return registry
}
