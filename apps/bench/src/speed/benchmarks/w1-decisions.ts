import { naiveHfs } from '../baselines/naive-hfs.js'
import { rate } from '../harness/figures.js'
import { W1Slots } from './w1-slots.js'
import { hfs, w1World } from './w1-world.js'
import type { Benchmark, Variant } from '../harness/benchmark.js'
import type { Plug } from '@sched/core'

/** W1 without a simulation: what a dispatcher that holds the state itself pays for a decision. */
export const w1Decisions: Benchmark = {
  name: 'w1-decisions',
  summary: 'W1, decisions alone: slots chosen at random come free and the policy fills them; no clock, no event queue, no run times. Naive: as in `w1`.',
  variants: [variant('shipped', hfs), { ...variant('naive', () => naiveHfs(5)), runs: 0, processes: 1 }],
  agree: [['shipped', 'naive']],
  figures: ({ shipped, naive }) => [
    rate('w1-decisions', 'launches/s', shipped!, { baseline: naive, goals: [{ of: 'warm', atLeast: 1_500_000 }] }),
    rate('w1-decisions/naive', 'launches/s', naive!),
  ],
}

function variant(name: string, policy: () => Plug<'policy'>): Variant {
  return {
    name,
    prepare(size) {
      const world = w1World(size)
      let ready: W1Slots
      return {
        setUp: () => void (ready = new W1Slots(world, policy())),
        run: (hash) => ({ work: ready.runAll(hash), check: ready.decisions.now }),
      }
    },
  }
}
