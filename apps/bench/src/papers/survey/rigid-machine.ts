import { monolithic } from '@sched/architectures'
import type { Observer, Plug, Seconds, Workload } from '@sched/core'
import { standardMetrics, type Summary } from '@sched/metrics'
import { conservative, easy, fattened, fifo, strict } from '@sched/policies'
import { simulate } from '@sched/sim'
import { lublin } from '@sched/workload'
import type { Trial } from '../claim.js'

/** The four disciplines in the order of the claim, the slowest first. */
export const disciplines = { FCFS: strict(fifo()), conservative: conservative(fifo()), EASY: easy(fifo()), fattened: fattened(fifo()) } as const
export type Discipline = keyof typeof disciplines
export const disciplineNames = Object.keys(disciplines) as Discipline[]

/** Most processors of a job: the size of the machine that the parameters of the model were published for. */
export const WIDEST = 128
/** A machine on which no job takes more than half. */
export const PROCS = 2 * WIDEST

/** Jobs of the model at an offered load. */
export interface Load {
  readonly load: number
  /** Processors of the machine. */
  readonly procs: number
  /** As users give them, or exact. */
  readonly estimates: 'tsafrir' | 'exact'
}

/** Jobs of a trial; a quick one has a fifth of them. */
export const jobsOf = ({ load, procs, estimates }: Load, { seed, quick = false }: Trial): Workload =>
  lublin({ seed, procs: WIDEST, jobs: quick ? 600 : 3000, load: (load * procs) / WIDEST, estimates, maxEstimate: LIMIT })

/** Longest estimate of a user. */
const LIMIT: Seconds = 172_800

/** Runs rigid jobs on a machine of so many processors. */
export function runRigid(workload: Workload, policy: Plug<'policy'>, { seed, validate }: Trial, { procs = PROCS, observers = [] as readonly Observer[] } = {}): Summary {
  const metrics = standardMetrics({ rigid: true })
  simulate({
    cluster: { nodes: [{ count: 1, resources: { procs } }] },
    workload, policy, seed, validate,
    architecture: monolithic(),
    runtime: { localityFactors: [1], jitter: 0 },
    observers: [metrics, ...observers],
  })
  return metrics.result()
}
