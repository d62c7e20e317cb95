import { standardMetrics } from '@sched/metrics'
import { single } from '../harness/figures.js'
import { peakMemory } from '../harness/peak-memory.js'
import { hashing, hfs, runW1, w1World } from './w1-world.js'
import type { Benchmark, Outcome, Size } from '../harness/benchmark.js'
import type { Observer } from '@sched/core'

/**
 * Bytes per task of W1, whose 200,000 tasks are all in the system at once. `columns` counts every array buffer that is
 * alive (job, stage, task and run columns, replica lists, the policy's and the metrics' columns, and those of the
 * cluster) beyond those that were there before the simulation was made: the most after any 2 % of the launches, each
 * time after a full garbage collection. `resident` is what the operating system gave beyond that point, with V8's heap,
 * garbage and compiled code; nothing is collected by force there.
 */
export const w1Memory: Benchmark = {
  name: 'w1-memory',
  summary:
    'Memory of W1 per task, all 200,000 in the system at once. `columns`: bytes in live array buffers beyond those before the run (all columns of engine, policy and metrics; the workload is outside), most over the run; `heap`: live objects likewise; `resident`: growth of the process to its peak, with garbage and compiled code.',
  variants: [
    { name: 'columns', runs: 0, processes: 1, execArgv: ['--expose-gc'], prepare: (size) => ({ run: (hash) => live(size, hash === undefined ? [] : [hashing(hash)]) }) },
    { name: 'resident', runs: 0, prepare: (size) => ({ run: (hash) => resident(size, hash === undefined ? [] : [hashing(hash)]) }) },
  ],
  agree: [['columns', 'resident']],
  figures: ({ columns, resident }) => [
    single('w1-memory/columns', columns!.facts['columns']!, 'bytes/task', [{ of: 'value', atMost: 64 }]),
    single('w1-memory/heap', columns!.facts['heap']!, 'bytes/task'),
    single('w1-memory/resident', resident!.facts['resident']!, 'bytes/task'),
  ],
}

function live(size: Size, observers: readonly Observer[]): Outcome {
  const world = w1World(size)
  const before = collected()
  const most = { arrayBuffers: 0, heapUsed: 0 }
  let launches = 0
  const sampler: Observer = {
    onTaskStart() {
      if (launches++ % Math.ceil(world.tasks / 50) !== 0) return
      const now = collected()
      most.arrayBuffers = Math.max(most.arrayBuffers, now.arrayBuffers)
      most.heapUsed = Math.max(most.heapUsed, now.heapUsed)
    },
  }
  const simulation = runW1(world, hfs(), [standardMetrics(), ...observers, sampler])
  const perTask = (what: keyof typeof most) => (most[what] - before[what]) / world.tasks
  return { work: simulation.launches, check: simulation.now, facts: { columns: perTask('arrayBuffers'), heap: perTask('heapUsed') } }
}

function collected(): NodeJS.MemoryUsage {
  globalThis.gc?.()
  return process.memoryUsage()
}

function resident(size: Size, observers: readonly Observer[]): Outcome {
  const world = w1World(size)
  const before = process.memoryUsage.rss()
  const simulation = runW1(world, hfs(), [standardMetrics(), ...observers])
  return { work: simulation.launches, check: simulation.now, facts: { resident: (peakMemory() - before) / world.tasks } }
}
