import { portableLog } from '@sched/core'

/** Kinds of jobs in the model; `all` is one kind that was fitted to both together. */
export type LublinKind = 'all' | 'batch' | 'interactive'

/** The parameters of one kind of jobs, in the paper's terms. Sizes are base-2 logarithms; times are natural logarithms of seconds. */
export interface LublinParameters {
  /** Fraction of serial jobs. */
  readonly serial: number
  /** Fraction of the parallel jobs whose size is a power of two. */
  readonly powerOfTwo: number
  /** Two-stage uniform distribution of log2 of the size: [low, medium] with probability `lowProbability`, otherwise [medium, high]. */
  readonly low: number
  readonly medium: number
  readonly high: number
  readonly lowProbability: number
  /** Hyper-gamma distribution of the logarithm of the run time: gamma(a1, b1) with probability pa x size + pb, otherwise gamma(a2, b2). */
  readonly a1: number
  readonly b1: number
  readonly a2: number
  readonly b2: number
  readonly pa: number
  readonly pb: number
  /** Gamma distribution of the logarithm of the time between arrivals in rush hours; for the whole day its shape is multiplied by `rushToAll`. */
  readonly aArrival: number
  readonly bArrival: number
  readonly rushToAll: number
  /** Gamma density of arrivals over the day, in half hours from the 11th on. */
  readonly aDay: number
  readonly bDay: number
}

/**
 * The published values, for a machine of 128 processors (45 for interactive jobs).
 *
 * Source: Lublin and Feitelson, "The Workload on Parallel Supercomputers: Modeling the Characteristics of Rigid Jobs", JPDC 63(11), 2003. The numbers
 * are the constants of the authors' program, m_lublin99.c, and were compared with it one by one: those without a suffix (`all`), `_BATCH` and
 * `_ACTIVE` (interactive).
 */
const published: Readonly<Record<LublinKind, LublinParameters>> = {
  all: {
    serial: 0.244, powerOfTwo: 0.576, low: 0.8, medium: 4.5, high: 7, lowProbability: 0.86,
    a1: 4.2, b1: 0.94, a2: 312, b2: 0.03, pa: -0.0054, pb: 0.78,
    aArrival: 10.2303, bArrival: 0.4871, rushToAll: 1.0225, aDay: 8.1737, bDay: 3.9631,
  },
  batch: {
    serial: 0.2927, powerOfTwo: 0.6686, low: 1.2, medium: 5, high: 7, lowProbability: 0.875,
    a1: 6.57, b1: 0.823, a2: 639.1, b2: 0.0156, pa: -0.003, pb: 0.6986,
    aArrival: 6.0415, bArrival: 0.8531, rushToAll: 1.0519, aDay: 6.1271, bDay: 5.274,
  },
  interactive: {
    serial: 0.1541, powerOfTwo: 0.625, low: 1, medium: 3, high: 5.5, lowProbability: 0.705,
    a1: 3.8351, b1: 0.6605, a2: 7.073, b2: 0.6856, pa: -0.0118, pb: 0.9156,
    aArrival: 6.551, bArrival: 0.6621, rushToAll: 0.9797, aDay: 8.9186, bDay: 3.668,
  },
}

/**
 * The parameters for a machine of another size, as the authors advise: `high` is log2 of its size (minus 1.5 for interactive jobs), and `medium`
 * keeps its distance from `high`. On machines too small for that, `medium` is a third of the way from `low` to `high`.
 */
export function lublinParameters(kind: LublinKind, procs: number): LublinParameters {
  const usual = published[kind]
  const size = portableLog(procs) / portableLog(2)
  const low = Math.min(usual.low, size)
  const high = Math.max(size - (7 - usual.high), Math.min(size, low + 0.5))
  const medium = Math.max(high - (usual.high - usual.medium), low + (high - low) / 3)
  return { ...usual, low, medium, high }
}
