import type { Registry } from '@sched/core'
import { monolithicArchitecture } from './monolithic.js'

/** Adds all architectures of this package to a registry. */
export const registerArchitectures = (registry: Registry): Registry => registry.add(monolithicArchitecture)
