import { addTo } from '../shares/vectors.js'
import { anyAbove0, anyBelow0, type Sparse } from './amounts.js'
import { isWithin, Ledger, type Queues } from './guarantees.js'

/** A running task that may be taken. */
export interface Candidate {
  readonly task: number
  readonly node: number
  readonly queue: number
  readonly amounts: ArrayLike<number>
  /** Whether its job would end without it; such tasks go after others. */
  readonly isMaster: boolean
  /** Whether its job asks not to be preempted; such tasks go last. */
  readonly isUnwilling: boolean
  /** Rank of its job, at least 0; larger for jobs that came later, which go first. */
  readonly rank: number
}

/** A task that asks for room. */
export interface Ask {
  readonly queue: number
  readonly amounts: ArrayLike<number>
  /** Whether it fits below the maximums of its queues, so that it only lacks room on nodes. */
  readonly isForNode: boolean
}

/** A node on which the task could start, with what is free there. */
export interface Target {
  readonly node: number
  readonly free: ArrayLike<number>
}

/** A node on which the task would start, and the tasks taken for it. */
export interface Solution {
  readonly node: number
  readonly victims: readonly Candidate[]
}

/** How bad it is to take a task. Source: YuniKorn, scoreAllocation. */
const scoreOf = ({ isMaster, isUnwilling }: Candidate): number => Number(isMaster) + 2 * Number(isUnwilling)

/** The order in which tasks are taken: last those of jobs that ask not to be preempted, before them masters; else the later jobs first. */
export const inTakingOrder = (a: Candidate, b: Candidate): number => scoreOf(a) - scoreOf(b) || b.rank - a.rank || b.task - a.task

/**
 * Where a task could start in the place of others, the best node first: where no task goes whose job asks not to be preempted, no master, and the
 * fewest tasks. `candidates` must be in taking order. A candidate is taken only while its queue has more than its guarantee of some resource and
 * less of none, and not if the asking queue would get more than its own guarantee. What is taken sums to at least what is asked for, even if the
 * node has some room.
 *
 * Source: YuniKorn, preemption.go (TryPreemption, tryNodes, calculateVictimsByNode, calculateAdditionalVictims). Deviation: ties go to the lowest node.
 */
export function solutionsFor(ask: Ask, candidates: readonly Candidate[], targets: readonly Target[], of: Queues): Solution[] {
  if (!canEverFit(ask, candidates, of)) return []
  const byNode = new Map<number, Candidate[]>()
  for (const each of candidates) {
    const there = byNode.get(each.node)
    if (there === undefined) byNode.set(each.node, [each])
    else there.push(each)
  }
  const found: Solution[] = []
  for (const target of targets) {
    const victims = onNode(ask, target, byNode.get(target.node) ?? [], of)
    if (victims !== undefined && (victims.length > 0 || !ask.isForNode)) found.push({ node: target.node, victims })
  }
  const has = (which: 'isMaster' | 'isUnwilling', { victims }: Solution) => Number(victims.some((each) => each[which]))
  found.sort((a, b) => has('isUnwilling', a) - has('isUnwilling', b) || has('isMaster', a) - has('isMaster', b) || a.victims.length - b.victims.length || a.node - b.node)
  return found.flatMap((solution) => {
    const target = targets.find(({ node }) => node === solution.node) as Target
    const victims = enough(ask, target, solution.victims, candidates, of)
    return victims === undefined ? [] : [{ node: solution.node, victims }]
  })
}

/** Whether the asking queue would be within its guarantees with the task, if all candidates went. */
function canEverFit(ask: Ask, candidates: readonly Candidate[], of: Queues): boolean {
  if (candidates.length === 0) return false
  const ledger = new Ledger(of, ask.queue)
  ledger.change(ask.queue, ask.amounts, 1)
  for (const { queue, amounts } of candidates) ledger.change(queue, amounts, -1)
  return isWithin(ledger.remaining(ask.queue))
}

/** The candidates that the task would take on the node, none if it fits there already; `undefined`: they do not make room. */
function onNode(ask: Ask, { free }: Target, candidates: readonly Candidate[], of: Queues): readonly Candidate[] | undefined {
  if (fits(ask.amounts, free)) return []
  const ledger = new Ledger(of, ask.queue)
  const helpful: Candidate[] = []
  const others: Candidate[] = []
  const room = Float64Array.from(free)
  for (const each of candidates) {
    if (!mayLose(ledger.remaining(each.queue))) continue
    ledger.change(each.queue, each.amounts, -1)
    ledger.change(ask.queue, each.amounts, 1)
    if (isExceeded(ledger.remaining(ask.queue))) break
    if (isCloser(ask.amounts, room, each.amounts)) {
      addTo(room, each.amounts)
      helpful.push(each)
    } else {
      ledger.change(ask.queue, each.amounts, -1)
      ledger.change(each.queue, each.amounts, 1)
      others.push(each)
    }
  }
  return untilFitting(ask, free, [...helpful, ...others], of)
}

/** The first candidates that together make room; `undefined` if all do not. */
function untilFitting(ask: Ask, free: ArrayLike<number>, inTurn: readonly Candidate[], of: Queues): readonly Candidate[] | undefined {
  const ledger = new Ledger(of, ask.queue)
  const room = Float64Array.from(free)
  const taken: Candidate[] = []
  for (const each of inTurn) {
    if (!mayLose(ledger.remaining(each.queue))) continue
    ledger.change(each.queue, each.amounts, -1)
    addTo(room, each.amounts)
    taken.push(each)
    if (fits(ask.amounts, room)) return taken
  }
  return undefined
}

/** As many candidates as sum to what is asked for, those on the node first, then others; `undefined` if they never do, or a guarantee would be exceeded. */
function enough(ask: Ask, { node, free }: Target, onNode: readonly Candidate[], candidates: readonly Candidate[], of: Queues): readonly Candidate[] | undefined {
  const more = othersToTake(ask, onNode, candidates, of)
  if (more === undefined) return undefined
  const isRoomy = fits(ask.amounts, free)
  const sum = new Float64Array(ask.amounts.length)
  const taken: Candidate[] = []
  for (const each of [...onNode, ...more]) {
    if (!isRoomy && each.node !== node) continue
    if (isMore(ask.amounts, sum)) taken.push(each)
    addTo(sum, each.amounts)
  }
  return taken.length === 0 || isMore(ask.amounts, sum) ? undefined : taken
}

function othersToTake(ask: Ask, onNode: readonly Candidate[], candidates: readonly Candidate[], of: Queues): readonly Candidate[] | undefined {
  const ledger = new Ledger(of, ask.queue)
  for (const { queue, amounts } of onNode) ledger.change(queue, amounts, -1)
  const taken: Candidate[] = []
  const isOnNode = new Set(onNode)
  for (const each of candidates) {
    if (isOnNode.has(each)) continue
    const before = ledger.remaining(each.queue)
    if (before !== undefined && !anyBelow0(before)) continue
    ledger.change(each.queue, each.amounts, -1)
    const leftNow = ledger.remaining(ask.queue)
    ledger.change(ask.queue, each.amounts, 1)
    const leftWith = ledger.remaining(ask.queue)
    if (isExceeded(leftWith)) {
      ledger.change(ask.queue, each.amounts, -1)
      ledger.change(each.queue, each.amounts, 1)
      break
    }
    if (isEqual(leftNow, leftWith)) {
      ledger.change(ask.queue, each.amounts, -1)
      ledger.change(each.queue, each.amounts, 1)
    } else taken.push(each)
  }
  return isWithin(ledger.remaining(ask.queue)) ? taken : undefined
}

/**
 * Whether a queue with so much left of its guarantees may lose tasks: it has more than its guarantee of some resource and less of none, or it has
 * no guarantee.
 */
const mayLose = (remaining: Sparse | undefined): boolean => remaining === undefined || (anyBelow0(remaining) && !anyAbove0(remaining))
const isExceeded = (remaining: Sparse | undefined): boolean => remaining !== undefined && anyBelow0(remaining)
const isEqual = (a: Sparse | undefined, b: Sparse | undefined): boolean => (a === undefined || b === undefined ? a === b : a.every((amount, r) => Object.is(amount, b[r])))

const fits = (asked: ArrayLike<number>, free: ArrayLike<number>): boolean => every(asked, (amount, r) => amount <= Math.max(0, free[r] as number))

/** Whether with `more` free, less would be lacking. */
const isCloser = (asked: ArrayLike<number>, free: ArrayLike<number>, more: ArrayLike<number>): boolean =>
  !every(asked, (amount, r) => Math.max(0, amount - (free[r] as number)) === Math.max(0, amount - (free[r] as number) - (more[r] as number)))

/** Whether more is asked for than `sum` has: `sum` has more of no resource; and it has less of some resource, or none of any that is asked for. */
function isMore(asked: ArrayLike<number>, sum: ArrayLike<number>): boolean {
  let isShared = false
  let isOther = false
  for (let r = 0; r < asked.length; r++) {
    const [amount, there] = [asked[r] as number, sum[r] as number]
    if (amount === 0) continue
    if (there > amount) return false
    if (there > 0) isShared = true
    if (there > 0 && there !== amount) isOther = true
  }
  return isOther || !isShared
}

function every(amounts: ArrayLike<number>, holds: (amount: number, r: number) => boolean): boolean {
  for (let r = 0; r < amounts.length; r++) if (!holds(amounts[r] as number, r)) return false
  return true
}
