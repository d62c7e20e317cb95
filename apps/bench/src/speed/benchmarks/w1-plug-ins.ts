import { registerArchitectures } from '@sched/architectures'
import { Registry, resolve, type Plug } from '@sched/core'
import { standardMetrics } from '@sched/metrics'
import { registerPlacements } from '@sched/placement'
import { registerPolicies } from '@sched/policies'
import { rate, single } from '../harness/figures.js'
import { hashing, hfs, runW1, w1World, type World } from './w1-world.js'
import type { Benchmark, Variant } from '../harness/benchmark.js'

const hfsConfig = { preempting: { policy: { delay: { node: 5, rack: 5, order: 'fair' } } } }
/** What else a process of an experiment has run before: every discipline and order, each over calls that the compiler saw. */
const others: readonly unknown[] = [
  'fifo',
  'naive-fair',
  'fair',
  { 'skip-delay': { skips: 50 } },
  { 'skip-delay': { skips: [20, 20], order: 'fifo' } },
  { delay: { order: 'fifo' } },
  { delay: { order: { fair: { pools: { pool0: { minShare: 10, minTimeout: 5 } } } } } },
  { preempting: { fairTimeout: 5, policy: { delay: { order: { fair: { pools: { pool1: { minShare: 10, minTimeout: 5 } } } } } } } },
]

/** What it costs that policies are plug-ins: chosen by configuration, beside others that made the compiler's call sites polymorphic. */
export const w1PlugIns: Benchmark = {
  name: 'w1-plug-ins',
  summary: `W1 with the shipped \`hfs\` built from a configuration in a process that has run ${others.length} other policies before, against the same called directly in a process of its own.`,
  variants: [alone(), amongOthers()],
  agree: [['alone', 'among-others']],
  figures: ({ alone, 'among-others': among }) => [
    single('w1-plug-ins', 100 * (among!.warm / alone!.warm - 1), '% more CPU', [{ of: 'value', atMost: 15 }]),
    rate('w1-plug-ins/alone', 'launches/s', alone!),
    rate('w1-plug-ins/among-others', 'launches/s', among!),
  ],
}

function alone(): Variant {
  return { name: 'alone', prepare: (size) => prepared(w1World(size), hfs()) }
}

function amongOthers(): Variant {
  return {
    name: 'among-others',
    prepare(size) {
      const registry = registerArchitectures(registerPlacements(registerPolicies(new Registry())))
      for (const config of others) runW1(w1World('small'), resolve(registry, 'policy', config), [standardMetrics()], resolve(registry, 'architecture', 'monolithic'))
      return prepared(w1World(size), resolve(registry, 'policy', hfsConfig))
    },
  }
}

function prepared(world: World, policy: Plug<'policy'>): ReturnType<Variant['prepare']> {
  return {
    run(hash) {
      const simulation = runW1(world, policy, hash === undefined ? [standardMetrics()] : [standardMetrics(), hashing(hash)])
      return { work: simulation.launches, check: simulation.now }
    },
  }
}
