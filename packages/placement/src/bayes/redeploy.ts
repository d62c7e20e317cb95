import { SchedError, type Random } from '@sched/core'
import type { BayesClassifier, Prediction } from './classifier.js'
import { checkShape, shapeOf, totalTasks, type Plan } from './plan.js'

/** Performance of every node, any positive numbers; laid out as a plan. */
export type Performances = readonly (readonly (number | null)[])[]

/**
 * Whole parts of `total` in proportion to performance by the method of the largest remainder; of equal remainders the
 * better node first, then the lower index (our choice). Exact for whole performances. Throws `BAD_INPUT` for a
 * performance that is not above 0.
 */
export function proportionalParts(total: number, performances: readonly number[]): number[] {
  const bad = performances.findIndex((performance) => !(performance > 0 && performance < Infinity))
  if (bad >= 0) throw new SchedError('BAD_INPUT', `is ${performances[bad]}.`, { field: `performance[${bad}]` }, 'Use numbers above 0.')
  const order = [...performances.keys()].sort((a, b) => (performances[b] as number) - (performances[a] as number) || a - b)
  const sum = order.reduce((all, i) => all + (performances[i] as number), 0) // best first, so that the order of nodes changes nothing
  const remainders = performances.map((performance) => (total * performance) % sum)
  const parts = performances.map((performance, i) => Math.round((total * performance - (remainders[i] as number)) / sum))
  let left = total - parts.reduce((all, part) => all + part, 0)
  for (const i of order.sort((a, b) => (remainders[b] as number) - (remainders[a] as number))) if (left-- > 0) parts[i] = (parts[i] as number) + 1
  return parts
}

/** Racks with at least one node that is there. */
const usableRacks = (plan: Plan): number[] => [...plan.keys()].filter((rack) => plan[rack]?.some((tasks) => tasks !== null) === true)

/** All tasks of a plan on one rack, divided over its nodes by performance; absent nodes get none and stay `null`. */
export function moveToRack(plan: Plan, rack: number, performance: Performances): (number | null)[][] {
  return divided(plan, performance, (each) => each === rack)
}

/** All tasks of a plan over all nodes by performance: what the paper's overview does with lazy jobs. */
export const rebalance = (plan: Plan, performance: Performances): (number | null)[][] => divided(plan, performance, () => true)

function divided(plan: Plan, performance: Performances, isChosen: (rack: number) => boolean): (number | null)[][] {
  checkPerformance(plan, performance)
  const nodes = plan.flatMap((row, rack) => (isChosen(rack) ? row.flatMap((tasks, node) => (tasks === null ? [] : [[rack, node] as const])) : []))
  if (nodes.length === 0) throw new SchedError('BAD_INPUT', 'has no node.', { field: 'plan' }, 'Choose a rack with a node that is up.')
  const parts = proportionalParts(totalTasks(plan), nodes.map(([rack, node]) => performance[rack]?.[node] as number))
  const moved = plan.map((row) => row.map((tasks) => (tasks === null ? null : 0)))
  for (const [i, [rack, node]] of nodes.entries()) (moved[rack] as (number | null)[])[node] = parts[i] as number
  return moved
}

function checkPerformance(plan: Plan, performance: Performances): void {
  checkShape(performance, shapeOf(plan), 'performance')
}

/** What a redeployment goes by. */
export interface RedeployOptions {
  /** What tells active jobs from lazy ones. */
  readonly classifier: Pick<BayesClassifier, 'predict'>
  /** Of each node, in the shape of the plan. */
  readonly performance: Performances
  /** random: uniform over racks with a node (the paper); mostFree: the most in `free`, the lowest of equals. Default random. */
  readonly rackChoice?: 'random' | 'mostFree'
  /** For the choice of a rack. */
  readonly random: Random
  /** What is free in each rack, for `mostFree`. */
  readonly free?: readonly number[]
  /** Divide lazy jobs over all nodes by performance. Default false: they keep their plan. */
  readonly rebalanceLazy?: boolean
}

/** A plan with what the classifier said of it. */
export interface Redeployment {
  /** Tasks by rack and node, as they are to be placed. */
  readonly plan: Plan
  /** What the classifier said of the plan that was given. */
  readonly prediction: Prediction
  /** Where its tasks go, reducers too; `undefined` of a lazy job. */
  readonly rack: number | undefined
}

/**
 * Algorithm 1 for one job: an active job goes to one rack, divided over its nodes by performance; a lazy one keeps its plan.
 *
 * Source: Cao and Wang, Algorithm 1; the formula of its line 9 is lost and rebuilt from the text.
 */
export function redeploy(plan: Plan, { classifier, performance, rackChoice = 'random', random, free = [], rebalanceLazy = false }: RedeployOptions): Redeployment {
  const prediction = classifier.predict(plan)
  if (!prediction.isActive) return { plan: rebalanceLazy ? rebalance(plan, performance) : plan, prediction, rack: undefined }
  const rack = chooseRack(usableRacks(plan), rackChoice, random, (each) => free[each] ?? 0)
  return { plan: moveToRack(plan, rack, performance), prediction, rack }
}

/** One of some racks. Throws `BAD_INPUT` where there is none. */
export function chooseRack(racks: readonly number[], choice: 'random' | 'mostFree', random: Random, freeIn: (rack: number) => number): number {
  const rack = choice === 'random'
    ? racks[Math.floor(random() * racks.length)]
    : racks.reduce<number | undefined>((best, each) => (best === undefined || freeIn(each) > freeIn(best) ? each : best), undefined)
  if (rack === undefined) throw new SchedError('BAD_INPUT', 'has no node.', { field: 'plan' }, 'Plan for a cluster with nodes.')
  return rack
}

/** Tasks that a redeployment takes away from where the scheduler had planned them: those that may lose their data's node. */
export const movedTasks = (before: Plan, after: Plan): number =>
  before.reduce((sum, row, rack) => row.reduce<number>((inRow, tasks, node) => inRow + Math.max(0, (tasks ?? 0) - (after[rack]?.[node] ?? 0)), sum), 0)
