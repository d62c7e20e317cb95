import type { JobSpec, Observer, Plug, Seconds, Workload } from '@sched/core'
import { Simulation, type SimulationOptions } from '@sched/sim'
import { cluster, modelOf, workloadOf } from './build.js'
import { Recorder } from './recorder.js'
import { serial } from './serial.js'

/** What a test says of a run; everything but the policy and the jobs has a default. */
export interface RunOptions extends Partial<Omit<SimulationOptions, 'policy' | 'workload' | 'validate'>> {
  /** The policy under test. */
  readonly policy: Plug<'policy'>
  /** The jobs in order of submission, or a workload. */
  readonly jobs: readonly JobSpec[] | Workload
  /** The run stops after events of this time; default: when all has ended. */
  readonly until?: Seconds
}

/** A run that has ended. */
export interface Run {
  /** What happened. */
  readonly recorder: Recorder
  /** The simulation, with its state at the end. */
  readonly simulation: Simulation
}

/** Tasks take their duration exactly, wherever their data is. */
export const exactRuntime = { jitter: 0, localityFactors: [1] }

/** Runs a policy on jobs, with all checks of the engine on, and writes down what happens. */
export function run(options: RunOptions): Run {
  const { recorder, simulation } = prepare(options)
  simulation.run(options.until)
  return { recorder, simulation }
}

/** The same, not started. */
export function prepare({ jobs, until: _, observers = [], cluster: described = cluster(), ...options }: RunOptions): Run {
  const recorder = new Recorder()
  const all: readonly Observer[] = [recorder, ...observers]
  const simulation = new Simulation({
    cluster: 'total' in described ? described : modelOf(described),
    architecture: serial(),
    runtime: exactRuntime,
    ...options,
    workload: 'open' in jobs ? jobs : workloadOf(jobs),
    observers: all,
    validate: true,
  })
  return { recorder, simulation }
}
