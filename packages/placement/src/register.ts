import type { Registry } from '@sched/core'
import { firstFitPlacement } from './first-fit.js'
import { randomFitPlacement } from './random-fit.js'

/** Adds all placements of this package to a registry. */
export const registerPlacements = (registry: Registry): Registry => registry.add(firstFitPlacement).add(randomFitPlacement)
