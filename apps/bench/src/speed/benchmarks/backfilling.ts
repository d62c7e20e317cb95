import { conservative, easy } from '@sched/policies'
import { naiveEasy } from '../baselines/naive-easy.js'
import { rate } from '../harness/figures.js'
import { rigidJobs, runRigid } from './rigid-world.js'
import type { Benchmark, Variant } from '../harness/benchmark.js'
import type { Plug } from '@sched/core'

export const backfilling: Benchmark = {
  name: 'backfilling',
  summary:
    '100,000 rigid jobs on 256 processors at load 0.9 with estimates up to four times too long, in order of submission. Naive: jobs as objects, the queue filtered and the running jobs sorted at every pass.',
  variants: [variant('easy', easy), { ...variant('easy-naive', naiveEasy), runs: 1, processes: 1 }, variant('conservative', conservative)],
  agree: [['easy', 'easy-naive']],
  figures: ({ easy, 'easy-naive': naive, conservative }) => [
    rate('backfilling/easy', 'jobs/s', easy!, { baseline: naive, goals: [{ of: 'warm', atLeast: 1_000_000 }, { of: 'cold', atLeast: 500_000 }] }),
    rate('backfilling/easy-naive', 'jobs/s', naive!),
    rate('backfilling/conservative', 'jobs/s', conservative!, { goals: [{ of: 'warm', atLeast: 60_000 }] }),
  ],
}

function variant(name: string, policy: () => Plug<'policy'>): Variant {
  return {
    name,
    prepare(size) {
      const workload = rigidJobs(size === 'small' ? 1000 : 100_000, 0.9)
      return { run: (hash) => runRigid(workload, policy(), hash) }
    },
  }
}
