import { SchedError } from '@sched/core'
import { prefix, type CapacityQueue, type CapacityValue } from './capacity-model.js'
import { capacityValue } from './capacity-value.js'

/** Percentages may sum to 100 plus or minus this: Hadoop's tolerance of 0.0005 of the whole. */
const ROUNDING = 0.05

/**
 * Throws `BAD_INPUT` with the line for what Hadoop refuses: children whose capacities are not of one kind or do not sum to 100, a maximum below the capacity
 * or above the parent's, amounts in a queue inside or around one without amounts. `isDominant`: whether the resource calculator compares all resources.
 *
 * Source: Hadoop 3, AbstractParentQueue.setChildQueues and CSQueueUtils, in legacy queue mode.
 */
export function checkCapacities(queue: CapacityQueue, isDominant: boolean): void {
  checkLimit(queue, isDominant)
  checkKinds(queue)
  checkChildren(queue)
  checkAmounts(queue, isDominant)
  checkPartitions(queue)
}

/** The percentage of the cluster that a queue has; the root has 100. NaN if the queue or one around it has no percentage. */
function percentOfCluster(queue: CapacityQueue | undefined, of: (queue: CapacityQueue) => CapacityValue | undefined): number {
  if (queue?.parent === undefined) return 100
  const value = of(queue)
  return value?.kind === 'percent' ? (percentOfCluster(queue.parent, of) * value.value) / 100 : NaN
}
const guaranteed = (queue: CapacityQueue) => percentOfCluster(queue, ({ capacity }) => capacity)
const most = (queue: CapacityQueue) => percentOfCluster(queue, ({ maximumCapacity }) => maximumCapacity ?? { kind: 'percent', value: 100 })

/**
 * A maximum must not be below the capacity nor above the parent's maximum. A capacity is a part of the parent's capacity and a maximum a part of the parent's
 * maximum, so both are compared as percentages of the cluster.
 */
function checkLimit(queue: CapacityQueue, isDominant: boolean): void {
  const { path, parent, capacity, maximumCapacity } = queue
  if (maximumCapacity === undefined) return
  const fail = (what: string, wayOut = 'Raise the one or lower the other.') => {
    throw new SchedError(
      'BAD_INPUT',
      `the maximum capacity of queue "${path}" is ${what}.`,
      { file: maximumCapacity.file, line: maximumCapacity.line, field: `${prefix}${path}.maximum-capacity` },
      wayOut,
    )
  }
  if (capacity?.kind === 'percent' && maximumCapacity.kind === 'percent' && maximumCapacity.value < capacity.value && most(queue) < guaranteed(queue) - ROUNDING)
    fail(`${maximumCapacity.value}, less than its capacity, ${capacity.value} (line ${capacity.line})${parent?.parent === undefined ? '' : `: ${round(most(queue))} and ${round(guaranteed(queue))} percent of the cluster`}`)
  if (maximumCapacity.kind !== 'amounts') return
  for (const [resource, limit] of Object.entries(maximumCapacity.value)) {
    const least = capacity?.kind === 'amounts' ? (capacity.value[resource] ?? 0) : 0
    if (limit > 0 && limit < least) fail(`${limit} ${resource}, less than its capacity, ${least} ${resource} (line ${capacity?.line ?? 0})`)
  }
  const above = parent?.maximumCapacity
  const over = above?.kind === 'amounts' ? excess(maximumCapacity.value, above.value, isDominant) : undefined
  if (above?.kind === 'amounts' && over !== undefined)
    fail(`${maximumCapacity.value[over]} ${over}, more than that of "${parent?.path ?? ''}", ${above.value[over]} ${over} (line ${above.line})`)
}

type Amounts = Readonly<Record<string, number>>

/**
 * A resource by which the inner amounts exceed the outer ones; undefined if they do not. Compared as in Hadoop while it knows no node: by memory only, or
 * with the dominant calculator by all resources, where they exceed only if no resource is less.
 */
function excess(inside: Amounts, around: Amounts, isDominant: boolean): string | undefined {
  const names = Object.keys(around).filter((name) => name === 'memory-mb' || isDominant)
  const isLess = names.some((name) => (inside[name] ?? 0) < (around[name] ?? 0))
  return isLess ? undefined : names.find((name) => (inside[name] ?? 0) > (around[name] ?? 0))
}

const round = (percent: number) => Number(percent.toFixed(6))

/** Below the root, a queue has amounts if and only if its parent has, and a queue has no less than its children together. */
function checkAmounts({ path, parent, queues, capacity }: CapacityQueue, isDominant: boolean): void {
  const inside = queues.find((each) => (each.capacity?.kind === 'amounts') !== (capacity?.kind === 'amounts'))
  if (parent === undefined || queues.length === 0) return
  if (inside !== undefined)
    throw new SchedError(
      'BAD_INPUT',
      `queue "${inside.path}" has ${kinds[inside.capacity?.kind ?? 'percent']}, and "${path}" around it has ${kinds[capacity?.kind ?? 'percent']} (line ${capacity?.line ?? 0}).`,
      { file: inside.capacity?.file ?? inside.file, line: inside.capacity?.line, field: `${prefix}${inside.path}.capacity` },
      'Give both amounts, or neither.',
    )
  if (capacity?.kind !== 'amounts') return
  const sums = Object.fromEntries(Object.keys(capacity.value).map((resource) => [
    resource,
    queues.reduce((total, each) => total + (each.capacity?.kind === 'amounts' ? (each.capacity.value[resource] ?? 0) : 0), 0),
  ]))
  const over = excess(sums, capacity.value, isDominant)
  if (over !== undefined)
    throw new SchedError(
      'BAD_INPUT',
      `queue "${path}" has ${capacity.value[over]} ${over}, less than the ${sums[over]} of those in it.`,
      { file: capacity.file, line: capacity.line, field: `${prefix}${path}.capacity` },
      'Raise the one or lower the others.',
    )
}

/** Children have capacities of one kind, without a label and for all labels; 0 percent counts as any kind. */
function checkKinds({ queues }: CapacityQueue): void {
  const given = queues.flatMap(({ path, properties }) =>
    [...properties].flatMap(([suffix, property]) => {
      const label = suffix === 'capacity' ? '' : /^accessible-node-labels\.([^.]+)\.capacity$/.exec(suffix)?.[1]
      const value = label === undefined || (label !== '' && property.value.trim() === '-1') ? undefined : capacityValue(property)
      return value === undefined || (value.kind === 'percent' && value.value === 0)
        ? []
        : [{ path, kind: kinds[value.kind], where: label === '' ? '' : ` in partition "${label ?? ''}"`, property }]
    }),
  )
  const [first] = given
  const odd = given.find(({ kind }) => kind !== first?.kind)
  if (first === undefined || odd === undefined) return
  const { file, line, name } = odd.property
  const other = first.path === odd.path ? '' : first.where === odd.where ? `its sibling "${first.path}" has ` : `"${first.path}" has `
  throw new SchedError(
    'BAD_INPUT',
    `queue "${odd.path}" has ${odd.kind}${odd.where}, and ${other}${first.kind}${first.where === odd.where ? '' : first.where} (line ${first.property.line}).`,
    { file, line, field: name },
    'Give all queues of one parent the same kind.',
  )
}

/** Throws `BAD_INPUT` for a child queue without a capacity. */
export function checkPresence({ queues }: CapacityQueue): void {
  const missing = queues.find((queue) => queue.capacity === undefined)
  if (missing !== undefined) throw new SchedError('BAD_INPUT', `queue "${missing.path}" has no capacity.`, { file: missing.file, line: missing.line }, `Set ${prefix}${missing.path}.capacity.`)
}

/** Percentages of children sum to 100, or to 0 if the queue itself has none. */
function checkChildren({ path, parent, capacity, queues: given, properties, file }: CapacityQueue): void {
  if (given.length === 0) return
  if (given.some((queue) => queue.capacity?.kind !== 'percent')) return
  const parts = given.map((queue) => queue.capacity?.value as number)
  const sum = parts.reduce((total, each) => total + each, 0)
  const mayBeEither = properties.get('allow-zero-capacity-sum')?.value === 'true'
  const isEmpty = parent !== undefined && capacity?.kind === 'percent' && capacity.value === 0
  if (isEmpty && sum > 0 && !mayBeEither)
    throw new SchedError('BAD_INPUT', `queue "${path}" has a capacity of 0, and those in it have ${Number(sum.toFixed(6))} percent of it (line ${given.find((queue) => queue.capacity?.value !== 0)?.capacity?.line ?? 0}).`, {
      file: capacity.file,
      line: capacity.line,
      field: `${prefix}${path}.capacity`,
    },
      `Give it a capacity, or them 0, or set ${prefix}${path}.allow-zero-capacity-sum to true.`)
  if (Math.abs(sum - 100) <= ROUNDING || (sum === 0 && (isEmpty || mayBeEither || (parent !== undefined && capacity?.kind === 'weight')))) return
  const last = given.at(-1) as CapacityQueue
  throw new SchedError(
    'BAD_INPUT',
    `the capacities of the queues in "${path}" sum to ${Number(sum.toFixed(6))}, not 100: ${given.map((queue, i) => `${queue.path.split('.').at(-1) ?? ''} ${parts[i]} (line ${queue.capacity?.line ?? 0})`).join(', ')}.`,
    { file: last.capacity?.file ?? file, line: last.capacity?.line, field: `${prefix}${last.path}.capacity` },
    'Change one of them.',
  )
}

/** For each label, percentages of children sum to 100, or to 0 if the queue itself has none; no maximum is below the capacity. */
function checkPartitions({ path, parent, queues, properties }: CapacityQueue): void {
  if (queues.length === 0) return
  const labels = new Set([properties, ...queues.map((queue) => queue.properties)].flatMap((of) =>
    [...of.keys()].flatMap((key) => /^accessible-node-labels\.([^.]+)\.capacity$/.exec(key)?.[1] ?? [])))
  const mayBeEither = properties.get('allow-zero-capacity-sum')?.value === 'true'
  for (const label of labels) {
    const name = `accessible-node-labels.${label}.capacity`
    const having = queues.filter(({ properties }) => properties.has(name) && properties.get(name)?.value.trim() !== '-1')
    const given = having.flatMap(({ properties }) => properties.get(name) ?? [])
    const values = given.map((property) => capacityValue(property))
    for (const [i, queue] of having.entries()) checkPartitionLimit(queue, label, values[i] as CapacityValue)
    const parts = values.flatMap((value) => (value.kind === 'percent' ? [value.value] : []))
    const sum = parts.reduce((total, each) => total + each, 0)
    const last = given.at(-1)
    const around = parent === undefined ? undefined : properties.get(name) // the root has 100, even of labels that no node has
    const own = around === undefined || around.value.trim() === '-1' ? undefined : capacityValue(around)
    if (around !== undefined && own?.kind === 'percent' && parts.length === values.length && (own.value > 0) !== (sum > 0) && !mayBeEither)
      throw new SchedError(
        'BAD_INPUT',
        `queue "${path}" has a capacity of ${own.value} in partition "${label}", and those in it have ${sum === 0 ? 'none' : `${Number(sum.toFixed(6))} percent of it (line ${given.find((_, i) => parts[i] !== 0)?.line ?? 0})`}.`,
        { file: around.file, line: around.line, field: around.name },
        sum === 0 ? 'Give them some, or it 0.' : 'Give it a capacity, or them 0.',
      )
    if (parts.length < values.length || sum === 0 || Math.abs(sum - 100) <= ROUNDING || last === undefined) continue
    throw new SchedError(
      'BAD_INPUT',
      `the capacities of the queues in "${path}" in partition "${label}" sum to ${Number(sum.toFixed(6))}, not 100: ${parts.map((part, i) => `${part} (line ${given[i]?.line ?? 0})`).join(', ')}.`,
      { file: last.file, line: last.line, field: last.name },
      'Change one of them.',
    )
  }
}

/** For a label, the maximum must not be below the capacity, both as percentages of the cluster. */
function checkPartitionLimit(queue: CapacityQueue, label: string, capacity: CapacityValue): void {
  const { path, properties } = queue
  const maximum = properties.get(`accessible-node-labels.${label}.maximum-capacity`)
  const limit = maximum === undefined ? undefined : capacityValue(maximum, { isMaximum: true })
  if (maximum === undefined || capacity.kind !== 'percent' || limit?.kind !== 'percent' || limit.value < 0 || limit.value >= capacity.value) return
  const of = (suffix: string, absent: number) => (each: CapacityQueue) => {
    const property = each.properties.get(`accessible-node-labels.${label}.${suffix}`)
    const value = property === undefined ? undefined : capacityValue(property, { isMaximum: suffix === 'maximum-capacity' })
    return value === undefined || (value.kind === 'percent' && value.value < 0) ? ({ kind: 'percent', value: absent } as const) : value
  }
  if (!(percentOfCluster(queue, of('maximum-capacity', 100)) < percentOfCluster(queue, of('capacity', 0)) - ROUNDING)) return
  throw new SchedError(
    'BAD_INPUT',
    `the maximum capacity of queue "${path}" in partition "${label}" is ${limit.value}, less than its capacity, ${capacity.value}.`,
    { file: maximum.file, line: maximum.line, field: maximum.name },
    'Raise the one or lower the other.',
  )
}

const kinds = { percent: 'a percentage', weight: 'a weight', amounts: 'amounts', vector: 'several kinds' } as const
