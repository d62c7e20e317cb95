import { SchedError, suggest, type ClusterView } from '@sched/core'
import { isWithin, rowOf } from '../shares/vectors.js'
import { mixedCapacities, mixedLimit, ofResource } from './mixed-capacities.js'
import { divided, fraction, partOf, percent, plus, none as nothing, times, valueOf, whole, type Fraction } from './fraction.js'
import type { Pots } from './pots.js'
import type { Queue, QueueTree } from './queue-tree.js'
import type { ReadQueueOptions } from './queue-options.js'

type Capacity = Exclude<ReadQueueOptions['capacity'], undefined>
type Amounts = Exclude<Capacity, number | string>
/** `isLegacy`: siblings have capacities of one kind, which counts for all resources. */
interface Mode {
  readonly isLegacy: boolean
}

/**
 * What queues are guaranteed and may use at most, per pot, in whole amounts rounded down. Percentages are multiplied down
 * the tree exactly and rounded once. Amounts of siblings that exceed those of their parent are scaled down, as in Hadoop. Without
 * the legacy mode every level is rounded, resource by resource.
 */
export class Quotas {
  /** `[(queue * pots + pot) * width + i]`. */
  guaranteed = new Float64Array(0)
  most = new Float64Array(0)
  /**
   * `[queue * pots + pot]`: the guaranteed part of the whole, in [0, 1]; used for the number of applications and for ties. A product of parts of 32 bits, as
   * Hadoop's absolute capacity, in which 70 % of 1 % are a little less than 0.7 %.
   */
  part = new Float64Array(0)
  readonly #tree: QueueTree
  readonly #pots: Pots
  readonly #cluster: ClusterView
  readonly #isLegacy: boolean

  constructor(tree: QueueTree, pots: Pots, cluster: ClusterView, { isLegacy }: Mode) {
    this.#isLegacy = isLegacy
    this.#tree = tree
    this.#pots = pots
    this.#cluster = cluster
    this.#checkNames()
    this.compute()
  }

  /** Computes everything anew, after a queue was made or the size of the cluster has changed. */
  compute(): void {
    const { queues } = this.#tree
    const { count, width } = this.#pots
    if (this.part.length < queues.length * count) {
      const size = queues.length * 2 * count
      this.guaranteed = new Float64Array(size * width)
      this.most = new Float64Array(size * width)
      this.part = new Float64Array(size)
    }
    for (const [at, column] of [[count * width, this.guaranteed], [count * width, this.most], [count, this.part]] as const)
      for (const { id } of queues) if (this.#tree.isGone[id] === true) column.fill(0, id * at, (id + 1) * at)
    for (let pot = 0; pot < count; pot++) this.#computeIn(pot)
  }

  #computeIn(pot: number): void {
    const { width, totals } = this.#pots
    const all = rowOf(totals, pot, width)
    const label = this.#pots.partitions[this.#pots.partitionOf(pot)] ?? ''
    const root = this.#tree.queue(0)
    const own = label === '' ? undefined : root.own.labels?.[label]
    const wholeOfIt = { amounts: all, part: typeof own?.capacity === 'number' ? percent(own.capacity) : whole }
    this.#set(root, pot, wholeOfIt, { amounts: all, part: whole })
  }

  /** `inParent`: the part of its parent that a queue with a percentage or a weight has. */
  #set(queue: Queue, pot: number, guaranteed: Quota, most: Quota, inParent?: number): void {
    const { count, width, totals } = this.#pots
    const at = queue.id * count + pot
    const least = amountsOf(guaranteed)
    const limit = amountsOf(most)
    let part = 0
    for (let i = 0; i < width; i++) {
      this.most[at * width + i] = limit[i] as number
      this.guaranteed[at * width + i] = Math.min(least[i] as number, limit[i] as number)
      const total = totals[pot * width + i] as number
      if (total > 0) part = Math.max(part, (guaranteed.amounts[i] as number) / total)
    }
    const { fround } = Math
    this.part[at] = inParent === undefined ? fround(part * valueOf(guaranteed.part)) : fround((this.part[queue.parent * count + pot] as number) * fround(inParent))
    this.#setChildren(queue, pot, guaranteed, most)
  }

  #setChildren(parent: Queue, pot: number, guaranteed: Quota, most: Quota): void {
    const label = this.#pots.partitions[this.#pots.partitionOf(pot)] ?? ''
    const children = parent.children.map((id) => this.#tree.queue(id))
    if (!this.#isLegacy) return this.#setMixed(children, label, amountsOf(guaranteed), most, pot)
    const given = this.#scaled(children.map((child) => capacityIn(child, label)), amountsOf(guaranteed), pot)
    const parts = sharesOf(given)
    for (const [i, child] of children.entries()) {
      const capacity = given[i]
      const part = parts[i] as Fraction
      const isPart = typeof capacity !== 'object'
      const own = isPart ? { ...guaranteed, part: times(guaranteed.part, part) } : { amounts: this.#amounts(capacity, pot), part: whole }
      this.#set(child, pot, own, child.own.elastic === false ? own : this.#limit(child, label, most, pot), isPart ? valueOf(part) : undefined)
    }
  }

  /** Sets the quotas of siblings without the legacy mode. Memory comes first: a queue that is guaranteed no memory is guaranteed nothing, as in Hadoop. */
  #setMixed(children: readonly Queue[], label: string, available: readonly number[], most: Quota, pot: number): void {
    const names = this.#counted(pot)
    const memory = this.#pots.memory[this.#pots.laneOf(pot)] ?? 0
    const limits = children.map((child) => this.#limit(child, label, most, pot))
    const capacities = children.map((child) => capacityIn(child, label))
    const dividedAmong = (i: number, holds: (child: number) => boolean) =>
      mixedCapacities(capacities.map((each) => ofResource(each === OPEN ? '1w' : each, names[i] ?? '')), available[i] as number, limits.map((limit, child) => (holds(child) ? (amountsOf(limit)[i] as number) : 0)))
    const ofMemory = dividedAmong(memory, () => true)
    const columns = available.map((_, i) => (i === memory ? ofMemory : dividedAmong(i, (child) => (ofMemory[child] as number) > 0)))
    for (const [at, child] of children.entries()) {
      const own = { amounts: columns.map((column) => column[at] as number), part: whole }
      this.#set(child, pot, own, child.own.elastic === false ? own : (limits[at] as Quota))
    }
  }

  /** Names of the counted resources of a pot. */
  #counted(pot: number): string[] {
    return (this.#pots.counted[this.#pots.laneOf(pot)] ?? []).map((r) => this.#cluster.resources[r] ?? '')
  }

  /** The maximum of a queue, within that of its parent. */
  #limit(queue: Queue, label: string, parent: Quota, pot: number): Quota {
    if (label !== '' && queue.accessibleLabels !== '*' && !queue.accessibleLabels.includes(label)) return { ...parent, part: nothing }
    const { maximumCapacity } = label === '' ? queue.own : (queue.own.labels?.[label] ?? {})
    if (maximumCapacity === undefined) return parent
    if (!this.#isLegacy) {
      const names = this.#counted(pot)
      return { amounts: amountsOf(parent).map((most, i) => mixedLimit(ofResource(maximumCapacity, names[i] ?? ''), most)), part: whole }
    }
    if (typeof maximumCapacity === 'number') return { ...parent, part: times(parent.part, percent(maximumCapacity)) }
    const most = amountsOf(parent)
    return { amounts: this.#amounts(maximumCapacity, pot, Infinity).map((amount, i) => Math.min(amount, most[i] as number)), part: whole }
  }

  /** Amounts in the order of the pot's counted resources. */
  #amounts(amounts: Amounts, pot: number, absent = 0): number[] {
    const names = this.#counted(pot)
    return Array.from({ length: this.#pots.width }, (_, i) => Number(amounts[names[i] ?? ''] ?? absent)) // in the legacy mode all amounts are numbers
  }

  /** The capacities of siblings, where amounts that together exceed what is available are scaled down, each resource by itself. */
  #scaled(given: readonly Capacity[], available: readonly number[], pot: number): Capacity[] {
    const asked = given.flatMap((capacity) => (typeof capacity === 'object' ? [this.#amounts(capacity, pot)] : []))
    const names = this.#counted(pot)
    const sums = names.map((_, i) => asked.reduce((sum, amounts) => sum + (amounts[i] as number), 0))
    if (isWithin(sums, available)) return [...given]
    const scale = (name: string, amount: number) => {
      const i = names.indexOf(name)
      const isOver = i >= 0 && (sums[i] as number) > (available[i] as number)
      return isOver ? partOf(amount, divided(fraction(available[i] as number), fraction(sums[i] as number))) : amount
    }
    return given.map((capacity) => (typeof capacity === 'object' ? Object.fromEntries(Object.entries(capacity).map(([name, amount]) => [name, scale(name, Number(amount))])) : capacity))
  }

  /** Checks that the labels and resources that queues name exist. */
  #checkNames(): void {
    const { partitions } = this.#pots
    for (const { path, own } of this.#tree.queues) {
      const labels = [
        ...Object.keys(own.labels ?? {}),
        ...(own.accessibleLabels === '*' ? [] : (own.accessibleLabels ?? [])),
        ...(own.defaultLabelExpression === undefined ? [] : [own.defaultLabelExpression]),
      ]
      const stray = labels.find((label) => !partitions.includes(label))
      if (stray !== undefined)
        throw new SchedError(
          'BAD_OPTION',
          `no node has the label "${stray}".`,
          { field: `queues.${path}.labels` },
          partitions.length > 1 ? suggest(stray, partitions.slice(1)) : 'The nodes have none.',
        )
      for (const name of [...keysOf(own.capacity), ...keysOf(own.maximumCapacity), ...keysOf(own.maximumAllocation)])
        if (!this.#cluster.resources.includes(name))
          throw new SchedError('BAD_OPTION', `the cluster has no resource "${name}".`, { field: `queues.${path}` }, suggest(name, this.#cluster.resources))
    }
  }
}

const keysOf = (capacity: unknown): string[] => (typeof capacity === 'object' && capacity !== null ? Object.keys(capacity) : [])

/** A part of whole amounts, not rounded yet. */
interface Quota {
  readonly amounts: readonly number[]
  readonly part: Fraction
}

const amountsOf = ({ amounts, part }: Quota): number[] => amounts.map((amount) => (amount === Infinity ? amount : partOf(amount, part)))

/** The capacity of a queue in a partition: queues made at first use have weight 1. */
function capacityIn(queue: Queue, label: string): Capacity {
  if (label !== '') return queue.own.labels?.[label]?.capacity ?? 0
  return queue.own.capacity ?? (queue.isDeclared ? OPEN : '1w')
}

/** Stands for a capacity that was left out. */
const OPEN = 'open'

/**
 * The part of its parent that each sibling has: by weight, or by percent, where siblings without a capacity share what is left equally. A sibling of
 * 0 percent, which is what one without a capacity in the partition has, also gets nothing among weights.
 */
function sharesOf(given: readonly Capacity[]): Fraction[] {
  const isWeight = (capacity: Capacity) => typeof capacity === 'string' && capacity !== OPEN
  const isByWeight = given.some(isWeight) && !given.includes(OPEN)
  const hasPercent = given.some((capacity) => typeof capacity === 'number' && (capacity > 0 || !isByWeight))
  if (hasPercent) {
    const sum = given.reduce<Fraction>((total, capacity) => (typeof capacity === 'number' ? plus(total, percent(capacity)) : total), nothing)
    const left = sum.over >= sum.under ? nothing : { over: sum.under - sum.over, under: sum.under }
    const open = given.filter((capacity) => capacity === OPEN).length
    return given.map((capacity) => (typeof capacity === 'number' ? percent(capacity) : capacity === OPEN ? divided(left, fraction(open)) : nothing))
  }
  const weights = given.map((capacity) => (isWeight(capacity) ? fraction(parseFloat(capacity as string)) : capacity === OPEN ? whole : nothing))
  const sum = weights.reduce(plus, nothing)
  return weights.map((weight) => (sum.over === 0n ? nothing : divided(weight, sum)))
}
