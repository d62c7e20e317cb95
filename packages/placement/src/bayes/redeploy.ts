import { SchedError, type Random } from '@sched/core'
import type { BayesClassifier, Prediction } from './classifier.js'
import { checkShape, shapeOf, totalTasks, type Plan } from './plan.js'

/** The performance of every node, a positive number in any unit, in the layout of a plan. */
export type Performances = readonly (readonly (number | null)[])[]

/**
 * Divides `total` into whole parts in proportion to performance, by the method of the largest remainder; of equal remainders the better node is first, then
 * the lower index (our choice). Exact for whole performances. Throws `BAD_INPUT` for a performance that is not above 0.
 */
export function proportionalParts(total: number, performances: readonly number[]): number[] {
  const bad = performances.findIndex((performance) => !(performance > 0 && performance < Infinity))
  if (bad >= 0) throw new SchedError('BAD_INPUT', `is ${performances[bad]}.`, { field: `performance[${bad}]` }, 'Use numbers above 0.')
  const order = [...performances.keys()].sort((a, b) => (performances[b] as number) - (performances[a] as number) || a - b)
  const sum = order.reduce((all, i) => all + (performances[i] as number), 0) // summed best first, so that rounding does not depend on the order of nodes
  const remainders = performances.map((performance) => (total * performance) % sum)
  const parts = performances.map((performance, i) => Math.round((total * performance - (remainders[i] as number)) / sum))
  let left = total - parts.reduce((all, part) => all + part, 0)
  for (const i of order.sort((a, b) => (remainders[b] as number) - (remainders[a] as number))) if (left-- > 0) parts[i] = (parts[i] as number) + 1
  return parts
}

/** The racks with at least one node that is not absent. */
const usableRacks = (plan: Plan): number[] => [...plan.keys()].filter((rack) => plan[rack]?.some((tasks) => tasks !== null) === true)

/** The plan with all its tasks on one rack, divided over the nodes there by performance. Absent nodes stay `null`. */
export function moveToRack(plan: Plan, rack: number, performance: Performances): (number | null)[][] {
  return divided(plan, performance, (each) => each === rack)
}

/** The plan with all its tasks divided over all nodes by performance, as the paper's overview does with lazy jobs. */
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

/** Options of a redeployment. */
export interface RedeployOptions {
  /** The classifier that tells active jobs from lazy ones. */
  readonly classifier: Pick<BayesClassifier, 'predict'>
  /** The performance of each node, in the layout of the plan. */
  readonly performance: Performances
  /** random: each rack with a node equally likely (the paper); mostFree: the rack with the most in `free`, the lowest of equals. Default random. */
  readonly rackChoice?: 'random' | 'mostFree'
  /** Random numbers for the choice of a rack. */
  readonly random: Random
  /** For `mostFree`: how much is free in each rack, in any unit; default 0. */
  readonly free?: readonly number[]
  /** Whether lazy jobs are divided over all nodes by performance. Default false: they keep their plan. */
  readonly rebalanceLazy?: boolean
}

/** The result of a redeployment. */
export interface Redeployment {
  /** Tasks by rack and node, as they are to be placed. */
  readonly plan: Plan
  /** The prediction for the plan that was given. */
  readonly prediction: Prediction
  /** The rack to which the job's tasks go, reducers too; undefined for a lazy job. */
  readonly rack: number | undefined
}

/**
 * Algorithm 1 for one job: an active job goes to one rack, divided over the nodes there by performance; a lazy one keeps its plan. Throws `BAD_INPUT` for a
 * plan without nodes and for performances of another shape.
 *
 * Source: Cao and Wang, Algorithm 1; the formula of its line 9 is lost and rebuilt from the text.
 */
export function redeploy(plan: Plan, { classifier, performance, rackChoice = 'random', random, free = [], rebalanceLazy = false }: RedeployOptions): Redeployment {
  const prediction = classifier.predict(plan)
  if (!prediction.isActive) return { plan: rebalanceLazy ? rebalance(plan, performance) : plan, prediction, rack: undefined }
  const rack = chooseRack(usableRacks(plan), rackChoice, random, (each) => free[each] ?? 0)
  return { plan: moveToRack(plan, rack, performance), prediction, rack }
}

/** Chooses one of `racks`. `freeIn`: how much is free in a rack. Throws `BAD_INPUT` if there is no rack. */
export function chooseRack(racks: readonly number[], choice: 'random' | 'mostFree', random: Random, freeIn: (rack: number) => number): number {
  const rack = choice === 'random'
    ? racks[Math.floor(random() * racks.length)]
    : racks.reduce<number | undefined>((best, each) => (best === undefined || freeIn(each) > freeIn(best) ? each : best), undefined)
  if (rack === undefined) throw new SchedError('BAD_INPUT', 'has no node.', { field: 'plan' }, 'Plan for a cluster with nodes.')
  return rack
}

/** The number of tasks that a redeployment moves away from the node where they were planned, which may be that of their data. */
export const movedTasks = (before: Plan, after: Plan): number =>
  before.reduce((sum, row, rack) => row.reduce<number>((inRow, tasks, node) => inRow + Math.max(0, (tasks ?? 0) - (after[rack]?.[node] ?? 0)), sum), 0)
