import { jobsOf, parseSwf } from '@sched/workload'
import { naiveSwf } from '../baselines/naive-swf.js'
import { rate } from '../harness/figures.js'
import { rigidJobs } from './rigid-world.js'
import type { Benchmark, Outcome, Prepared, Size, Variant } from '../harness/benchmark.js'
import type { DecisionHash } from '../harness/decision-hash.js'

/** Takes a job as both readers see it. */
type See = (submit: number, duration: number, procs: number) => void

export const swfRows: Benchmark = {
  name: 'swf-rows',
  summary:
    'Reading 200,000 rows of the Standard Workload Format (18 columns) from memory into jobs, with every check of the reader. Naive: `split` and `Number`, without a check.',
  variants: [variant('shipped', shipped), variant('split', split)],
  agree: [['shipped', 'split']],
  figures: ({ shipped, split }) => [
    rate('swf-rows', 'rows/s', shipped!, { baseline: split, goals: [{ of: 'warm', atLeast: 2_000_000 }] }),
    rate('swf-rows/split', 'rows/s', split!),
  ],
}

function shipped(bytes: Uint8Array, see: See): void {
  for (const { submit, stages } of jobsOf(parseSwf(bytes))) see(submit, stages[0]?.duration as number, stages[0]?.demand['procs'] ?? NaN)
}

function split(bytes: Uint8Array, see: See): void {
  for (const { submit, duration, procs } of naiveSwf(bytes)) see(submit, duration, procs)
}

function variant(name: string, read: (bytes: Uint8Array, see: See) => void): Variant {
  return { name, prepare: (size) => prepared(logOf(size), read) }
}

function prepared(log: Uint8Array, read: (bytes: Uint8Array, see: See) => void): Prepared {
  return { run: (hash) => counted((see) => read(log, see), hash) }
}

function counted(read: (see: See) => void, hash: DecisionHash | undefined): Outcome {
  let work = 0
  let check = 0
  read((submit, duration, procs) => {
    work++
    check += duration * procs
    hash?.add(procs, duration, submit)
  })
  return { work, check }
}

/** A log of generated jobs, columns aligned as the archive has them. */
function logOf(size: Size): Uint8Array {
  const lines = ['; Version: 2.2', '; MaxProcs: 256']
  let number = 0
  for (const { submit, estimate, stages } of jobsOf(rigidJobs(size === 'small' ? 1000 : 200_000, 0.9))) {
    const procs = stages[0]?.demand['procs'] ?? 0
    const runtime = stages[0]?.duration as number
    const fields = [++number, submit, number % 1000, runtime, procs, runtime, 1024, procs, estimate, -1, 1, number % 100, number % 7, -1, 1, -1, -1, -1]
    lines.push(fields.map((field) => String(field).padStart(6)).join(' '))
  }
  return new TextEncoder().encode(`${lines.join('\n')}\n`)
}
