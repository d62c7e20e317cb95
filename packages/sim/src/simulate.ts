import type { Seconds } from '@sched/core'
import type { SimulationOptions } from './options.js'
import { Simulation } from './simulation.js'

/** Runs a simulation to its end or to `until`; events at `until` still happen. */
export const simulate = ({ until, ...options }: SimulationOptions & { readonly until?: Seconds }): Simulation => new Simulation(options).run(until)
