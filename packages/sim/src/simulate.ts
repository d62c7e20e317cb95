import type { SimulationOptions } from './options.js'
import { Simulation } from './simulation.js'

/** Runs a simulation to its end. */
export const simulate = (options: SimulationOptions): Simulation => new Simulation(options).run()
