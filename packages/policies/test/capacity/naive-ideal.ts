import type { PreemptionFactors, QueueLoads } from '@sched/policies'

// The ideal allocation of preemption as Hadoop's text reads: objects, recursion, sorting at every step.

type Vector = readonly number[]
const zip = (a: Vector, b: Vector, f: (x: number, y: number) => number): number[] => a.map((x, i) => f(x, b[i] ?? 0))
const plus = (a: Vector, b: Vector) => zip(a, b, (x, y) => x + y)
const minus = (a: Vector, b: Vector) => zip(a, b, (x, y) => x - y)
const smaller = (a: Vector, b: Vector) => zip(a, b, Math.min)
const larger = (a: Vector, b: Vector) => zip(a, b, Math.max)
const atLeastNone = (a: Vector) => a.map((x) => Math.max(0, x))
const none = (a: Vector) => a.map(() => 0)
const sumOf = (all: readonly Vector[], like: Vector) => all.reduce<number[]>(plus, none(like))

interface Node {
  readonly id: number
  readonly children: readonly Node[]
  readonly used: Vector
  readonly guaranteed: Vector
  readonly most: Vector
  readonly pending: Vector
  readonly unreserved: Vector
  readonly isProtected: boolean
  readonly priority: number
  readonly preemptable: Vector
  readonly untouchable: Vector
  ideal: Vector
  excess: Vector
}

export function naiveIdeal(loads: QueueLoads, { maxIgnoredOverCapacity, naturalTerminationFactor }: PreemptionFactors, allowed: Vector): { ideal: number[]; toObtain: number[]; isDivided: boolean[] } {
  const { count, width } = loads
  const total = Array.from(loads.total)
  const shares = (a: Vector) => a.map((x, i) => ((total[i] ?? 0) > 0 ? x / (total[i] ?? 1) : 0)).sort((x, y) => y - x)
  const share = (a: Vector) => Math.max(0, ...shares(a))
  const compare = (a: Vector, b: Vector): number => {
    if (width === 1) return (a[0] ?? 0) - (b[0] ?? 0)
    const [x, y] = [shares(a), shares(b)]
    const at = x.findIndex((each, i) => each !== y[i])
    return at < 0 ? 0 : (x[at] ?? 0) - (y[at] ?? 0)
  }
  const rounded = (amount: number) => (width === 1 && amount >= 1 ? Math.floor(amount + 0.5) : Math.ceil(amount))
  const isSome = (a: Vector) => a.some((x) => x > 0)
  const of = (column: ArrayLike<number>, id: number) => Array.from({ length: width }, (_, i) => column[id * width + i] ?? 0)

  function make(id: number): Node {
    const children = Array.from({ length: count }, (_, each) => each).filter((each) => loads.parent[each] === id).map(make)
    const isLeaf = children.length === 0
    const [used, guaranteed] = [of(loads.used, id), of(loads.guaranteed, id)]
    const extra = atLeastNone(minus(used, guaranteed))
    const preemptable = isLeaf ? (loads.isProtected[id] === 1 ? none(extra) : extra) : smaller(extra, sumOf(children.map((each) => each.preemptable), extra))
    return {
      id, children, used, guaranteed, preemptable,
      most: of(loads.most, id),
      pending: isLeaf ? of(loads.pending, id) : sumOf(children.map((each) => each.pending), extra),
      unreserved: isLeaf ? of(loads.unreserved, id) : sumOf(children.map((each) => each.unreserved), extra),
      isProtected: loads.isProtected[id] === 1,
      priority: loads.priority[id] ?? 0,
      untouchable: minus(extra, preemptable),
      ideal: none(used),
      excess: none(used),
    }
  }

  const served = ({ ideal, guaranteed }: Node) => (share(guaranteed) === 0 ? 0x7fffffff : share(ideal) / share(guaranteed))
  /** Those below their guarantee first, then by priority, then by what they have of it. */
  const needOrder = (a: Node, b: Node) => Number(served(a) >= 1) - Number(served(b) >= 1) || b.priority - a.priority || served(a) - served(b)

  function settle(queues: readonly Node[], left: Vector, isEqual: boolean): Vector {
    let rest = left
    for (const each of queues) {
      each.ideal = compare(each.used, each.guaranteed) > 0 ? plus(smaller(each.guaranteed, each.used), each.untouchable) : each.used
      rest = minus(rest, each.ideal)
    }
    let hungry = queues.filter(({ ideal, used, pending }) => isSome(minus(plus(used, pending), ideal)))
    while (hungry.length > 0 && rest.some((x, i) => x > 0 && (total[i] ?? 0) > 0)) {
      const sorted = [...hungry].sort(needOrder)
      const first = sorted.filter((each) => needOrder(each, sorted[0] as Node) === 0)
      const active = sumOf(hungry.map((each) => each.guaranteed), left)
      const parts = (each: Node) => (isEqual ? active.map(() => 1 / hungry.length) : zip(each.guaranteed, active, (x, y) => (y === 0 ? 0 : x / y)))
      let unoffered = atLeastNone(rest)
      const accepted = first.map((each) => {
        const offer = smaller(zip(atLeastNone(rest), parts(each), (x, y) => rounded(x * y)), unoffered)
        const most = smaller(minus(each.most, each.ideal), minus(plus(each.used, each.unreserved), each.ideal))
        const own = each.children.length === 0 ? smaller(most, minus(larger(each.used, each.guaranteed), each.ideal)) : most
        const takes = atLeastNone(smaller(offer, own))
        unoffered = minus(unoffered, takes)
        return takes
      })
      for (const [i, each] of first.entries()) each.ideal = plus(each.ideal, accepted[i] as Vector)
      rest = minus(rest, sumOf(accepted, rest))
      hungry = hungry.filter((each) => !first.includes(each) || isSome(accepted[first.indexOf(each)] as Vector))
    }
    return rest
  }

  /** The dominant share as a fraction: parts of whole amounts are rounded down. */
  const largest = (vector: Vector): [bigint, bigint] =>
    vector.reduce<[bigint, bigint]>((most, amount, i) => {
      const total = BigInt(loads.total[i] ?? 0)
      return total > 0n && BigInt(amount) * most[1] > most[0] * total ? [BigInt(amount), total] : most
    }, [0n, 1n])

  function divide(queue: Node): void {
    const left = settle(queue.children.filter(({ guaranteed }) => isSome(guaranteed)), queue.ideal, false)
    let rest = settle(queue.children.filter(({ guaranteed }) => !isSome(guaranteed)), left, true)
    for (const each of queue.children) {
      const stays = atLeastNone(smaller(rest, minus(smaller(each.used, each.most), each.ideal)))
      each.ideal = plus(each.ideal, stays)
      rest = minus(rest, stays)
    }
    const needed = sumOf(queue.children.filter((each) => compare(each.used, each.ideal) > 0).map((each) => atLeastNone(minus(each.used, each.ideal))), queue.used)
    const [part, of] = [largest(allowed), largest(needed)]
    const isMore = of[0] * part[1] > part[0] * of[1]
    for (const each of queue.children) {
      const keeps = larger(each.ideal, smaller(plus(each.used, each.pending), each.guaranteed))
      each.excess = atLeastNone(minus(each.used, keeps)).map((amount) => (isMore ? Number((BigInt(amount) * part[0] * of[1]) / (part[1] * of[0])) : amount))
      divide(each)
    }
  }

  const root = make(0)
  root.ideal = root.guaranteed
  divide(root)
  const result = { ideal: Array<number>(count * width).fill(0), toObtain: Array<number>(count * width).fill(0), isDivided: Array<boolean>(count).fill(false) }
  /** Whether anything may be taken from a queue: a parent in which it may is divided. */
  const write = (each: Node): boolean => {
    const isIn = compare(each.used, each.guaranteed.map((amount) => Math.floor(amount * (1 + maxIgnoredOverCapacity)))) <= 0
    const takes = each.children.length === 0 && !each.isProtected && !isIn
    for (let i = 0; i < width; i++) {
      result.ideal[each.id * width + i] = each.ideal[i] ?? 0
      result.toObtain[each.id * width + i] = takes ? rounded((each.excess[i] ?? 0) * naturalTerminationFactor) : 0
    }
    const mayTake = each.children.map(write).includes(true) || takes
    result.isDivided[each.id] = mayTake && each.children.length > 0
    return mayTake
  }
  write(root)
  return result
}
