import { conservative, easy } from '@sched/policies'
import { rate, single } from '../harness/figures.js'
import { rigidJobs, runRigid } from './rigid-world.js'
import type { Benchmark, Figure, Goal, Measurement, Variant } from '../harness/benchmark.js'
import type { Plug } from '@sched/core'

const loads = [1, 1.1, 1.3]

/** What a queue costs that grows to thousands of jobs. */
export const overload: Benchmark = {
  name: 'overload',
  summary:
    '150,000 jobs of `backfilling` (20,000 for conservative) offered at 1.0, 1.1 and 1.3 times what the machine can do, so that the queue grows to the end. `waiting`: most jobs that waited at once. A policy that looked at the whole queue at every event would become slower in proportion to it.',
  variants: loads.flatMap((load) => [variant(`easy-${load}`, 150_000, load, easy), variant(`conservative-${load}`, 20_000, load, conservative)]),
  figures: (measured) =>
    loads.flatMap((load) => [
      ...rows(`easy-${load}`, measured[`easy-${load}`]!),
      ...rows(`conservative-${load}`, measured[`conservative-${load}`]!, load === 1.1 ? [{ of: 'warm', atLeast: 5000 }] : []),
    ]),
}

const rows = (name: string, measured: Measurement, goals: readonly Goal[] = []): Figure[] => [
  rate(`overload/${name}`, 'jobs/s', measured, { goals }),
  single(`overload/${name}/waiting`, measured.facts['waiting']!, 'jobs'),
]

function variant(name: string, jobs: number, load: number, policy: () => Plug<'policy'>): Variant {
  return {
    name,
    runs: 1,
    processes: 1,
    prepare(size) {
      const workload = rigidJobs(size === 'small' ? 500 : jobs, load)
      return { run: (hash) => runRigid(workload, policy(), hash) }
    },
  }
}
