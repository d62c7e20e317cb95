import { monolithic, partitioned, sharedState, twoLevel } from '@sched/architectures'
import { omegaExample } from '@sched/workload'
import { seconds } from '../harness/figures.js'
import { runOmega } from './omega-world.js'
import type { Benchmark, Variant } from '../harness/benchmark.js'
import type { Plug } from '@sched/core'

const kinds = { batch: {}, service: {} }
const architectures: Readonly<Record<string, () => Plug<'architecture'>>> = {
  'single-path': () => monolithic({ decision: {} }),
  'multi-path': () => monolithic({ classes: { service: { job: 1 } } }),
  partitioned: () => partitioned({ partitions: { batch: { nodes: { fraction: 0.5 } }, service: { nodes: 'rest' } }, decision: {} }),
  mesos: () => twoLevel({ frameworks: kinds }),
  'shared-state': () => sharedState({ schedulers: kinds }),
}

/** The open example of the Omega authors, a day of it. */
export const omegaDay: Benchmark = {
  name: 'omega-day',
  summary:
    'A day of the open example of the Omega authors: 10,000 machines; a batch job of 100 tasks every 10 s, a service job of 10 every 20 s (`omega-example`), under every architecture with the default decision times. *cold* is what a user waits for, without the start of Node.',
  variants: Object.entries(architectures).map(([name, architecture]) => variant(name, architecture)),
  figures: (measured) =>
    Object.keys(architectures).map((name) => seconds(`omega-day/${name}`, measured[name]!, { headline: 'warm', goals: [{ of: 'warm', atMost: 0.5 }] })),
}

function variant(name: string, architecture: () => Plug<'architecture'>): Variant {
  return {
    name,
    prepare(size) {
      const [machines, horizon] = size === 'small' ? [500, 500] : [10_000, 86_400]
      const workload = omegaExample({ horizon, demand: { cpu: 1, mem: 2 } })
      return { run: (hash) => runOmega({ machines, workload }, architecture(), hash) }
    },
  }
}
