import { registerArchitectures } from '@sched/architectures'
import { Registry } from '@sched/core'
import { registerPlacements } from '@sched/placement'
import { registerPolicies } from '@sched/policies'
import { registerFormats, registerGenerators } from '@sched/workload'
import { addPlugIns } from './experiment/plug-ins.js'

/** Everything that is built in, ready for plug-ins to be added. */
export function builtIns(): Registry {
  const registry = new Registry()
  registerPolicies(registry)
  registerPlacements(registry)
  registerArchitectures(registry)
  registerGenerators(registry)
  registerFormats(registry)
  return registry
}

/** The same with the plug-ins that a command line names. Throws `BAD_INPUT` or `TAKEN_NAME`. */
export async function withPlugIns(modules: readonly string[] | undefined, cwd: string): Promise<Registry> {
  const registry = builtIns()
  for (const module of modules ?? []) await addPlugIns(registry, module, cwd)
  return registry
}
