import { sharedState, twoLevel } from '@sched/architectures'
import { naiveOmega } from '../baselines/naive-omega.js'
import { cost, rate, single } from '../harness/figures.js'
import { BATCH_SCHEDULERS, omegaWorld, runOmega, thinking, type OmegaWorld } from './omega-world.js'
import type { Benchmark, Measurement, Outcome, Variant } from '../harness/benchmark.js'
import type { DecisionHash } from '../harness/decision-hash.js'

const LOAD = 0.6
const kinds = { batch: { count: BATCH_SCHEDULERS, decision: thinking.batch }, service: { decision: thinking.service } }
const shared = () => sharedState({ schedulers: kinds, conflict: 'coarse' })
const offers = () => twoLevel({ frameworks: kinds })

/** Transactions over a shared cell, and offers of it. */
export const omega: Benchmark = {
  name: 'omega',
  summary:
    '10,000 machines of 4 CPUs and 16 GB, four batch schedulers (0.1 s + 5 ms per task) and a service scheduler (1 s + 5 ms per task), jobs of 20 tasks on average, `random-fit`, a million placements; shared state with sequence numbers and incremental commits. The cell is 60 % full, `full` offers it more than 80 %. Mesos: the same jobs and decision times under `two-level`. Naive: machines, jobs and events as objects, the machines cloned for every transaction, no metrics.',
  variants: [
    variant('shared-state', LOAD, (world, hash) => runOmega(world, shared(), hash)),
    { ...variant('naive', LOAD, naiveOmega), runs: 0, processes: 1 },
    variant('full', 0.84, (world, hash) => runOmega(world, shared(), hash)),
    variant('mesos', LOAD, (world, hash) => runOmega(world, offers(), hash)),
  ],
  agree: [['shared-state', 'naive']],
  figures: ({ 'shared-state': own, naive, full, mesos }) => [
    rate('omega/transactions', 'transactions/s', transactions(own!), { baseline: transactions(naive!), goals: [{ of: 'warm', atLeast: 90_000 }] }),
    rate('omega/placements', 'placements/s', own!, { baseline: naive, goals: [{ of: 'warm', atLeast: 1_700_000 }] }),
    rate('omega/naive', 'placements/s', naive!),
    rate('omega/full/transactions', 'transactions/s', transactions(full!)),
    rate('omega/full/placements', 'placements/s', full!),
    cost('omega/mesos', 'ns/placement', mesos!),
    single('omega/mesos/cost', perPlacement(mesos!) / perPlacement(own!), 'x shared state, per placement', [{ of: 'value', atMost: 3 }]),
  ],
}

const transactions = (measured: Measurement): Measurement => ({ ...measured, work: measured.facts['transactions'] ?? NaN })
const perPlacement = ({ warm, work }: Measurement) => warm / work

function variant(name: string, load: number, run: (world: OmegaWorld, hash?: DecisionHash) => Outcome): Variant {
  return {
    name,
    prepare(size) {
      const world = omegaWorld(size, load)
      return { run: (hash) => run(world, hash) }
    },
  }
}
