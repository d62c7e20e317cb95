import type { Seconds } from '@sched/core'
import { facebook } from '@sched/workload'
import type { Trial } from '../claim.js'
import { delayed, ec2, hadoopFifo, measureRun, naiveFair, type Outcome } from './environment.js'

/** The bins of DS-T2, and those called small here: jobs of 1, 2 and 10 maps. */
export const bins = [1, 2, 3, 4, 5, 6, 7, 8, 9]
export const small = [1, 2, 3]
export const bin = (number: number): string => `bin ${number}`

/** One schedule under two or three schedulers; the same jobs, blocks and task times in all. */
export interface GainRun {
  readonly naive: Outcome
  readonly delay: Outcome
}
export interface MacroRun extends GainRun {
  readonly fifo: Outcome
}

export interface Schedule {
  readonly kind: 'io' | 'cpu'
  readonly trial: Trial
  /** Seconds before a job's first map. */
  readonly startup?: Seconds
  /** Default 15 s. */
  readonly localMapTime?: Seconds
}

/** The Facebook schedule DS-T2 on EC2 under naive fair sharing, with a delay of 5 s, and under Hadoop's FIFO. */
export function macroRun(schedule: Schedule): MacroRun {
  return { fifo: runUnder(hadoopFifo, schedule), ...gainRun(schedule) }
}

/** The same without FIFO. */
export function gainRun(schedule: Schedule): GainRun {
  return { naive: runUnder(naiveFair, schedule), delay: runUnder(delayed(5), schedule) }
}

function runUnder(policy: typeof naiveFair, { kind, trial, startup = 0, localMapTime = 15 }: Schedule): Outcome {
  return measureRun({ cluster: ec2(), workload: facebook({ seed: trial.seed, kind, startup, localMapTime }), policy, trial })
}

/** Speedup of `fast` over `slow`, over all jobs or those of a label: the ratio of mean responses. */
export const speedup = (slow: Outcome, fast: Outcome, label?: string): number => slow.response(label) / fast.response(label)

/** The largest speedup of any bin of DS-T2. */
export const bestSpeedup = (slow: Outcome, fast: Outcome): number => Math.max(...bins.map((number) => speedup(slow, fast, bin(number))))
