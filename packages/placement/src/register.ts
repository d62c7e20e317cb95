import type { Registry } from '@sched/core'
import { firstFitPlacement } from './first-fit.js'

/** Adds all placements of this package to a registry. */
export const registerPlacements = (registry: Registry): Registry => registry.add(firstFitPlacement)
