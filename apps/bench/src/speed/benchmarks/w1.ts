import { standardMetrics } from '@sched/metrics'
import { naiveHfs } from '../baselines/naive-hfs.js'
import { rate } from '../harness/figures.js'
import { hashing, hfs, runW1, w1World } from './w1-world.js'
import type { Benchmark, Variant } from '../harness/benchmark.js'
import type { Observer, Plug } from '@sched/core'

const metrics = () => [standardMetrics()]

/** W1 through the public API: the goal of the whole engine. */
export const w1: Benchmark = {
  name: 'w1',
  summary:
    'W1 (DS-S54): 2,500 nodes of 2 map and 2 reduce slots in 40 racks, 100 jobs of 1,000 maps and 1,000 reduces at once, 20 pools, shipped `hfs` with W1 = W2 = 5 s, through `simulate`. Stretch goal: 900,000 launches/s. Naive: jobs as objects, pools and jobs sorted at every free slot. The paper reports 3,200 scheduled tasks/s on hardware of 2008.',
  variants: [
    variant('shipped', hfs, metrics),
    variant('no-metrics', hfs, () => []),
    { ...variant('naive', () => naiveHfs(5), metrics), runs: 0, processes: 1 },
  ],
  agree: [['shipped', 'no-metrics', 'naive']],
  figures: ({ shipped, 'no-metrics': bare, naive }) => [
    rate('w1', 'launches/s', shipped!, { baseline: naive, goals: [{ of: 'warm', atLeast: 500_000 }, { of: 'cold', atLeast: 250_000 }] }),
    rate('w1/no-metrics', 'launches/s', bare!, { baseline: naive }),
    rate('w1/naive', 'launches/s', naive!),
  ],
}

function variant(name: string, policy: () => Plug<'policy'>, metrics: () => Observer[]): Variant {
  return {
    name,
    prepare(size) {
      const world = w1World(size)
      return {
        run(hash) {
          const simulation = runW1(world, policy(), hash === undefined ? metrics() : [...metrics(), hashing(hash)])
          return { work: simulation.launches, check: simulation.now }
        },
      }
    },
  }
}
