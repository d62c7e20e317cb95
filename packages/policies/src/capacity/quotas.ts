import { SchedError, suggest, ownValue, type ClusterView } from '@sched/core'
import { isWithin, rowOf } from '../shares/vectors.js'
import { mixedCapacities, mixedLimit, ofResource } from './mixed-capacities.js'
import { divided, fraction, partOf, percent, none as nothing, sumOfCounted, times, valueOf, whole, type Fraction } from './fraction.js'
import type { Pots } from './pots.js'
import type { Queue, QueueTree } from './queue-tree.js'
import type { ReadQueueOptions } from './queue-options.js'

type Capacity = Exclude<ReadQueueOptions['capacity'], undefined>
type Amounts = Exclude<Capacity, number | string>
type Maximum = Exclude<ReadQueueOptions['maximumCapacity'], undefined>
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
  /** Number of queues of which the names have been checked. */
  #checked = 0

  constructor(tree: QueueTree, pots: Pots, cluster: ClusterView, { isLegacy }: Mode) {
    this.#isLegacy = isLegacy
    this.#tree = tree
    this.#pots = pots
    this.#cluster = cluster
    this.compute()
  }

  /**
   * Computes everything anew, after a queue was made or the size of the cluster has changed. Exact parts are found once for all siblings
   * that have the same capacity, since there may be thousands of those that were made at first use.
   */
  compute(): void {
    const { queues } = this.#tree
    this.#checkNames()
    const { count, width } = this.#pots
    if (this.part.length < queues.length * count) {
      const size = queues.length * 2 * count
      this.guaranteed = new Float64Array(size * width)
      this.most = new Float64Array(size * width)
      this.part = new Float64Array(size)
    }
    for (const [at, column] of [[count * width, this.guaranteed], [count * width, this.most], [count, this.part]] as const)
      for (const id of this.#tree.gone()) column.fill(0, id * at, (id + 1) * at)
    for (let pot = 0; pot < count; pot++) this.#computeIn(pot)
  }

  /**
   * Whether a queue may use more of a counted resource (`most`), or is guaranteed more, where nodes come: all but amounts that it has in full already, and what
   * is a part of such.
   */
  rises(kind: 'most' | 'guaranteed', queue: Queue, pot: number, i: number): boolean {
    if (queue.parent < 0) return true
    const label = this.#pots.partitions[this.#pots.partitionOf(pot)] ?? ''
    const given = kind === 'guaranteed' || queue.own.elastic === false ? capacityIn(queue, label) : maximumIn(queue, label)
    const amount = typeof given === 'object' ? ownValue(given, this.#counted(pot)[i] ?? '') : undefined
    const isFull = typeof amount === 'number' && (amount > 0 || this.#isLegacy) && (this[kind][(queue.id * this.#pots.count + pot) * this.#pots.width + i] as number) >= amount
    return !isFull && this.rises(kind, this.#tree.queue(queue.parent), pot, i)
  }

  /** Whether it does so of any. */
  risesAtAll(kind: 'most' | 'guaranteed', queue: Queue, pot: number): boolean {
    return this.#counted(pot).some((_, i) => this.rises(kind, queue, pot, i))
  }

  #computeIn(pot: number): void {
    const { width, totals } = this.#pots
    const all = rowOf(totals, pot, width)
    const label = this.#pots.partitions[this.#pots.partitionOf(pot)] ?? ''
    const root = this.#tree.queue(0)
    const own = label === '' ? undefined : ownValue(root.own.labels, label)
    const wholeOfIt = new Quota(all, typeof own?.capacity === 'number' ? percent(own.capacity) : whole)
    this.#set(root, pot, wholeOfIt, new Quota(all))
  }

  /** `inParent`: the part of its parent that a queue with a percentage or a weight has. */
  #set(queue: Queue, pot: number, guaranteed: Quota, most: Quota, inParent?: number): void {
    const { count, width, totals } = this.#pots
    const at = queue.id * count + pot
    const least = guaranteed.floor
    const limit = most.floor
    let part = 0
    for (let i = 0; i < width; i++) {
      this.most[at * width + i] = limit[i] as number
      this.guaranteed[at * width + i] = Math.min(least[i] as number, limit[i] as number)
      const total = totals[pot * width + i] as number
      if (total > 0) part = Math.max(part, (guaranteed.amounts[i] as number) / total)
    }
    const { fround } = Math
    this.part[at] = inParent === undefined ? fround(part * valueOf(guaranteed.part)) : fround((this.part[queue.parent * count + pot] as number) * fround(inParent))
    if (queue.children.length > 0) this.#setChildren(queue, pot, guaranteed, most)
  }

  #setChildren(parent: Queue, pot: number, guaranteed: Quota, most: Quota): void {
    const label = this.#pots.partitions[this.#pots.partitionOf(pot)] ?? ''
    const { queues } = this.#tree
    const children = parent.children
    const capacities = children.map((id) => capacityIn(queues[id] as Queue, label))
    const limitOf = this.#limits(label, most, pot)
    if (!this.#isLegacy) return this.#setMixed(children.map((id) => queues[id] as Queue), capacities, guaranteed.floor, limitOf, pot)
    const given = this.#scaled(capacities, guaranteed.floor, pot)
    const parts = sharesOf(counted(given))
    const quotas = new Map<Capacity, Quota>()
    const quotaOf = (capacity: Capacity) =>
      typeof capacity === 'object' ? new Quota(this.#amounts(capacity, pot)) : new Quota(guaranteed.amounts, times(guaranteed.part, parts.get(capacity) as Fraction))
    const values = new Map([...parts].map(([capacity, part]) => [capacity, typeof capacity === 'object' ? undefined : valueOf(part)]))
    let before: Queue | undefined
    for (let i = 0; i < children.length; i++) {
      const child = queues[children[i] as number] as Queue
      if (before !== undefined && given[i] === given[i - 1] && isLike(child, before)) this.#copy(before, child, pot)
      else {
        const capacity = given[i] as Capacity
        const own = getOrMake(quotas, capacity, quotaOf)
        this.#set(child, pot, own, child.own.elastic === false ? own : limitOf(child), values.get(capacity))
      }
      before = child
    }
  }

  /** Gives a leaf the quotas of a sibling. */
  #copy(from: Queue, to: Queue, pot: number): void {
    const { count, width } = this.#pots
    const source = from.id * count + pot
    const target = to.id * count + pot
    for (let i = 0; i < width; i++) {
      this.most[target * width + i] = this.most[source * width + i] as number
      this.guaranteed[target * width + i] = this.guaranteed[source * width + i] as number
    }
    this.part[target] = this.part[source] as number
  }

  /** Sets the quotas of siblings without the legacy mode. Memory comes first: a queue that is guaranteed no memory is guaranteed nothing, as in Hadoop. */
  #setMixed(children: readonly Queue[], capacities: readonly Capacity[], available: readonly number[], limitOf: (child: Queue) => Quota, pot: number): void {
    const names = this.#counted(pot)
    const memory = this.#pots.memory[this.#pots.laneOf(pot)] ?? 0
    const limits = children.map(limitOf)
    const dividedAmong = (i: number, holds: (child: number) => boolean) =>
      mixedCapacities(capacities.map((each) => ofResource(each === OPEN ? '1w' : each, names[i] ?? '')), available[i] as number, limits.map((limit, child) => (holds(child) ? (limit.floor[i] as number) : 0)))
    const ofMemory = dividedAmong(memory, () => true)
    const columns = available.map((_, i) => (i === memory ? ofMemory : dividedAmong(i, (child) => (ofMemory[child] as number) > 0)))
    for (const [at, child] of children.entries()) {
      const own = new Quota(columns.map((column) => column[at] as number))
      this.#set(child, pot, own, child.own.elastic === false ? own : (limits[at] as Quota))
    }
  }

  /** Names of the counted resources of a pot. */
  #counted(pot: number): string[] {
    return (this.#pots.counted[this.#pots.laneOf(pot)] ?? []).map((r) => this.#cluster.resources[r] ?? '')
  }

  /** The maxima of queues in a partition, within that of their parent. */
  #limits(label: string, parent: Quota, pot: number): (queue: Queue) => Quota {
    const inaccessible = new Quota(parent.amounts, nothing)
    const limits = new Map<Maximum, Quota>()
    return (queue) => {
      if (label !== '' && queue.accessibleLabels !== '*' && !queue.accessibleLabels.includes(label)) return inaccessible
      const maximumCapacity = maximumIn(queue, label)
      return maximumCapacity === undefined ? parent : getOrMake(limits, maximumCapacity, (maximum) => this.#limit(maximum, parent, pot))
    }
  }

  #limit(maximum: Maximum, parent: Quota, pot: number): Quota {
    if (!this.#isLegacy) {
      const names = this.#counted(pot)
      return new Quota(parent.floor.map((most, i) => mixedLimit(ofResource(maximum, names[i] ?? ''), most)))
    }
    if (typeof maximum === 'number') return new Quota(parent.amounts, times(parent.part, percent(maximum)))
    return new Quota(this.#amounts(maximum, pot, Infinity).map((amount, i) => Math.min(amount, parent.floor[i] as number)))
  }

  /** Amounts in the order of the pot's counted resources. */
  #amounts(amounts: Amounts, pot: number, absent = 0): number[] {
    const names = this.#counted(pot)
    return Array.from({ length: this.#pots.width }, (_, i) => Number(ownValue(amounts, names[i] ?? '') ?? absent)) // in the legacy mode all amounts are numbers
  }

  /** The capacities of siblings, where amounts that together exceed what is available are scaled down, each resource by itself. */
  #scaled(given: readonly Capacity[], available: readonly number[], pot: number): readonly Capacity[] {
    if (!given.some((capacity) => typeof capacity === 'object')) return given
    const asked = given.flatMap((capacity) => (typeof capacity === 'object' ? [this.#amounts(capacity, pot)] : []))
    const names = this.#counted(pot)
    const sums = names.map((_, i) => asked.reduce((sum, amounts) => sum + (amounts[i] as number), 0))
    if (isWithin(sums, available)) return given
    const scale = (name: string, amount: number) => {
      const i = names.indexOf(name)
      const isOver = i >= 0 && (sums[i] as number) > (available[i] as number)
      return isOver ? partOf(amount, divided(fraction(available[i] as number), fraction(sums[i] as number))) : amount
    }
    return given.map((capacity) => (typeof capacity === 'object' ? Object.fromEntries(Object.entries(capacity).map(([name, amount]) => [name, scale(name, Number(amount))])) : capacity))
  }

  /** Checks that the labels and resources that new queues name exist. */
  #checkNames(): void {
    const { partitions } = this.#pots
    const { queues } = this.#tree
    for (; this.#checked < queues.length; this.#checked++) {
      const { path, own } = queues[this.#checked] as Queue
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

/** A part of whole amounts. */
class Quota {
  readonly amounts: readonly number[]
  readonly part: Fraction
  #floor: readonly number[] | undefined

  constructor(amounts: readonly number[], part = whole) {
    this.amounts = amounts
    this.part = part
  }

  /** The part of the amounts, rounded down. */
  get floor(): readonly number[] {
    return (this.#floor ??= this.amounts.map((amount) => (amount === Infinity ? amount : partOf(amount, this.part))))
  }
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: (key: K) => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make(key)
  map.set(key, made)
  return made
}

/** The capacity of a queue in a partition: queues made at first use have weight 1. */
function capacityIn(queue: Queue, label: string): Capacity {
  if (label !== '') return ownValue(queue.own.labels, label)?.capacity ?? 0
  return queue.own.capacity ?? (queue.isDeclared ? OPEN : '1w')
}

const maximumIn = (queue: Queue, label: string): Maximum | undefined => (label === '' ? queue.own : ownValue(queue.own.labels, label))?.maximumCapacity

/** Stands for a capacity that was left out. */
const OPEN = 'open'

/** Whether two siblings of one capacity are leaves with the same options, as those made at first use are. */
const isLike = (a: Queue, b: Queue) => a.own === b.own && a.accessibleLabels === b.accessibleLabels && a.children.length === 0 && b.children.length === 0

/** How many siblings have each capacity, in the order of the first ones. */
function counted(given: readonly Capacity[]): Map<Capacity, number> {
  const counts = new Map<Capacity, number>()
  for (let from = 0, to = 0; from < given.length; from = to) {
    const capacity = given[from] as Capacity
    while (to < given.length && given[to] === capacity) to++
    counts.set(capacity, (counts.get(capacity) ?? 0) + to - from)
  }
  return counts
}

/**
 * The part of its parent that a sibling of each capacity has: by weight, or by percent, where siblings without a capacity share what is left equally. A
 * sibling of 0 percent, which is what one without a capacity in the partition has, also gets nothing among weights.
 */
function sharesOf(given: ReadonlyMap<Capacity, number>): ReadonlyMap<Capacity, Fraction> {
  const kinds = [...given.keys()]
  const isWeight = (capacity: Capacity) => typeof capacity === 'string' && capacity !== OPEN
  const isByWeight = kinds.some(isWeight) && !kinds.includes(OPEN)
  const hasPercent = kinds.some((capacity) => typeof capacity === 'number' && (capacity > 0 || !isByWeight))
  if (hasPercent) {
    const sum = sumOfCounted(given, (capacity) => (typeof capacity === 'number' ? percent(capacity) : nothing))
    const left = sum.over >= sum.under ? nothing : { over: sum.under - sum.over, under: sum.under }
    const open = fraction(Math.max(1, given.get(OPEN) ?? 0))
    return new Map(kinds.map((capacity) => [capacity, typeof capacity === 'number' ? percent(capacity) : capacity === OPEN ? divided(left, open) : nothing]))
  }
  const weightOf = (capacity: Capacity) => (isWeight(capacity) ? fraction(parseFloat(capacity as string)) : capacity === OPEN ? whole : nothing)
  const sum = sumOfCounted(given, weightOf)
  return new Map(kinds.map((capacity) => [capacity, sum.over === 0n ? nothing : divided(weightOf(capacity), sum)]))
}
