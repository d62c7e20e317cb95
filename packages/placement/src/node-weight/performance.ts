import { SchedError } from '@sched/core'

/** Hardware of a node and, if it was probed, its use: samples in [0, 1]. */
export interface NodeProfile {
  /** Number of cores. */
  readonly cores: number
  /** In any unit, the same for all nodes. */
  readonly memory: number
  /** Samples of the use of its cores; absent where it was not probed. */
  readonly cpuUse?: readonly number[]
  /** Samples of the use of its memory, likewise. */
  readonly memoryUse?: readonly number[]
}

/** Parts of the performance index, by node; each column sums to 1. */
export interface Performance {
  /** Equation (3): share of the cluster's hardware. */
  readonly hardware: readonly number[]
  /** Equation (7): share of what is idle under the probe. */
  readonly idle: readonly number[]
  /** Equation (8): `0.6 hardware + 0.4 idle`, or other parts. */
  readonly performance: readonly number[]
}

/** Equation (1): the node's share of the cluster's cores plus its share of the memory. */
export const hardwareOf = ({ cores, memory }: NodeProfile, cluster: { readonly cores: number; readonly memory: number }): number =>
  cores / cluster.cores + memory / cluster.memory

/** Equations (4) and (5): the mean of the samples of a probe, 10 in the paper; an idle node where there are none. */
export const meanUse = (samples: readonly number[] = []): number => (samples.length === 0 ? 0 : samples.reduce((sum, use) => sum + use, 0) / samples.length)

/** Equation (6): the unused part of processors and memory, in [0, 2]. */
export const idleOf = ({ cpuUse, memoryUse }: NodeProfile): number => 1 - meanUse(cpuUse) + (1 - meanUse(memoryUse))

/** Equations (2), (3) and (7): each as a part of the sum; equal parts where the sum is 0 (our choice). */
export function normalised(values: readonly number[]): number[] {
  const sum = values.reduce((total, value) => total + value, 0)
  return values.map((value) => (sum === 0 ? 1 / values.length : value / sum))
}

/**
 * Performance of every node relative to the others, equations (1) to (8). Throws `BAD_OPTION` for a node without cores or
 * memory, a sample outside [0, 1], or parts that are negative or both 0.
 *
 * Source: Feng and He, "Improvement of scheduling algorithm on Hadoop based on node performance", 2017, section 2; the
 * formulas are reconstructed from their text.
 */
export function performanceIndex(nodes: readonly NodeProfile[], { hardware = 0.6, idle = 0.4 } = {}): Performance {
  for (const [i, node] of nodes.entries()) check(i, node)
  if (!(hardware >= 0 && idle >= 0 && hardware + idle > 0 && hardware + idle < Infinity))
    throw new SchedError('BAD_OPTION', `the parts of hardware and idle are ${hardware} and ${idle}.`, {}, 'Use numbers from 0 on, for example 0.6 and 0.4.')
  const sum = (of: (node: NodeProfile) => number) => nodes.reduce((total, node) => total + of(node), 0)
  const cluster = { cores: sum(({ cores }) => cores), memory: sum(({ memory }) => memory) }
  const hard = normalised(nodes.map((node) => hardwareOf(node, cluster)))
  const idling = normalised(nodes.map(idleOf))
  return { hardware: hard, idle: idling, performance: hard.map((part, i) => hardware * part + idle * (idling[i] as number)) }
}

/** Weights as small whole numbers: each performance by the smallest, rounded, at least 1 (the paper's 3 : 3 : 1). */
export function roundedWeights(performance: readonly number[]): number[] {
  const least = Math.min(...performance)
  return performance.map((value) => Math.max(1, Math.round(value / least)))
}

function check(i: number, { cores, memory, cpuUse = [], memoryUse = [] }: NodeProfile): void {
  if (!(cores > 0 && memory > 0 && cores < Infinity && memory < Infinity))
    throw new SchedError('BAD_OPTION', `node ${i} has ${cores} cores and ${memory} of memory.`, {}, 'Give positive numbers.')
  for (const use of [...cpuUse, ...memoryUse])
    if (!(use >= 0 && use <= 1)) throw new SchedError('BAD_OPTION', `a sample of node ${i} is ${use}.`, {}, 'Samples are parts of the node, from 0 to 1.')
}
