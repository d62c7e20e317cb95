/**
 * How many skips buy how much locality: the analysis behind delay scheduling.
 *
 * Source: Zaharia et al., "Delay Scheduling", EuroSys 2010, analysis of Algorithm 2. Symbols: M nodes, R replicas per
 * block, N tasks of a job, K of them not yet launched, D skips (scheduling opportunities passed over), p the fraction of
 * nodes that hold data the job still needs. Results are fractions in [0, 1] unless said otherwise.
 *
 * Assumptions of the source: blocks lie on nodes chosen independently, and slots free on random nodes.
 * Deviation: the formulas hold for K <= M; with more tasks than nodes, 1 - K/M is taken as 0 (every node holds data).
 *
 * These are figures for people, not results of a simulation: they use `**`, whose last bit may differ between
 * machines. All functions throw `BAD_OPTION` for an argument out of range.
 */
import { portableExp, portableLog } from '@sched/core'
import { requireCount, requireFraction, requireNonNegative, requireThat } from './arguments.js'

/** Where the blocks of a job lie. */
export interface BlockPlacement {
  /** M, an integer of at least 1. */
  readonly nodes: number
  /** R, an integer of at least 1; HDFS: 3. */
  readonly replicas: number
}

/** Probability that at least one of D offered slots is on a node with data: 1 - (1-p)^D. */
export function localLaunchProbability(p: number, skips: number): number {
  requireFraction('p', p)
  requireNonNegative('skips', skips)
  return 1 - (1 - p) ** skips
}

/** p_K: the fraction of nodes holding data of a job with K tasks left, 1 - (1 - K/M)^R. */
export function dataNodeFraction(blocks: BlockPlacement, tasksLeft: number): number {
  return 1 - emptyFraction(blocks, tasksLeft) ** blocks.replicas
}

/** Locality of a whole job that takes the first slot it is offered: the mean of p_K over K = 1..N. */
export function headOfLineLocality(blocks: BlockPlacement, tasks: number): number {
  return meanOverJob(tasks, (left) => dataNodeFraction(blocks, left))
}

/** Probability that a job with K tasks left launches a local one within D skips: 1 - (1 - K/M)^(R D). */
export function taskLocality(blocks: BlockPlacement, tasksLeft: number, skips: number): number {
  requireNonNegative('skips', skips)
  return 1 - emptyFraction(blocks, tasksLeft) ** (blocks.replicas * skips)
}

/** Lower bound of `taskLocality`: 1 - e^(-R D K/M). */
export function taskLocalityBound(blocks: BlockPlacement, tasksLeft: number, skips: number): number {
  requireCount('tasksLeft', tasksLeft)
  return 1 - decay(blocks, skips) ** tasksLeft
}

/** l(D): expected fraction of local tasks over a job's life, the mean of `taskLocality` over K = 1..N. O(N). */
export function expectedLocality(blocks: BlockPlacement, tasks: number, skips: number): number {
  return meanOverJob(tasks, (left) => taskLocality(blocks, left, skips))
}

/** Lower bound of l(D) by exponentials: 1 - (1/N) sum over K of e^(-R D K/M). O(N). */
export function expectedLocalityExponentialBound(blocks: BlockPlacement, tasks: number, skips: number): number {
  return meanOverJob(tasks, (left) => taskLocalityBound(blocks, left, skips))
}

/**
 * Lower bound of l(D) in closed form: 1 - (1/N) x/(1-x) with x = e^(-R D/M). The sum runs to infinity instead of N, so it
 * falls below 0 for few skips; 0 is returned there, which is still a bound.
 */
export function expectedLocalityBound(blocks: BlockPlacement, tasks: number, skips: number): number {
  requireCount('tasks', tasks)
  const x = decay(blocks, skips)
  return Math.max(0, 1 - x / (1 - x) / tasks)
}

/**
 * The D from which the closed form promises l(D) >= lambda: -(M/R) ln((1-lambda) N / (1 + (1-lambda) N)).
 * A real number of skips; round up for use. Sufficient, not necessary: l(D) itself may reach the target a little earlier.
 *
 * @param target lambda in [0, 1); 1 would take infinitely many skips
 */
export function minimumSkips(blocks: BlockPlacement, tasks: number, target: number): number {
  requireBlocks(blocks)
  requireCount('tasks', tasks)
  requireThat(target >= 0 && target < 1, 'target', target, 'a fraction of at least 0 and below 1')
  const missed = (1 - target) * tasks
  return -(blocks.nodes / blocks.replicas) * portableLog(missed / (1 + missed))
}

/** 1 - K/M: the fraction of nodes that one replica of each of K blocks leaves without data. */
function emptyFraction(blocks: BlockPlacement, tasksLeft: number): number {
  requireBlocks(blocks)
  requireCount('tasksLeft', tasksLeft)
  return Math.max(0, 1 - tasksLeft / blocks.nodes)
}

/** x = e^(-R D/M). */
function decay(blocks: BlockPlacement, skips: number): number {
  requireBlocks(blocks)
  requireNonNegative('skips', skips)
  return portableExp((-blocks.replicas * skips) / blocks.nodes)
}

function meanOverJob(tasks: number, locality: (tasksLeft: number) => number): number {
  requireCount('tasks', tasks)
  let sum = 0
  for (let left = 1; left <= tasks; left++) sum += locality(left)
  return sum / tasks
}

function requireBlocks({ nodes, replicas }: BlockPlacement): void {
  requireCount('nodes', nodes)
  requireCount('replicas', replicas)
}
