import type { Plug, Seconds } from '@sched/core'
import { prepare, serial, type Recorder, type World } from '@sched/testkit'

/** What a policy does on a random world, which may be impossible for some of its jobs; up to `until`, where limits may leave jobs waiting for ever. */
export function recorded({ cluster, jobs, seed, runtime, claims, commitPendingBug }: World, policy: Plug<'policy'>, until?: Seconds): Recorder {
  const { recorder, simulation } = prepare({ policy, cluster, jobs, seed, runtime, commitPendingBug, infeasible: 'reject', architecture: serial({ ...(claims !== undefined && { claims }) }) })
  simulation.run(until)
  return recorder
}
