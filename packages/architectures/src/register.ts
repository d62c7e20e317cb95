import type { Registry } from '@sched/core'
import { monolithicArchitecture } from './monolithic.js'
import { onDemandArchitecture } from './on-demand.js'
import { partitionedArchitecture } from './partitioned.js'
import { sharedStateArchitecture } from './shared-state.js'
import { twoLevelArchitecture } from './two-level.js'

/** Adds all architectures of this package to a registry. */
export const registerArchitectures = (registry: Registry): Registry =>
  registry.add(monolithicArchitecture).add(partitionedArchitecture).add(onDemandArchitecture).add(twoLevelArchitecture).add(sharedStateArchitecture)
