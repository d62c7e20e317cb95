import { nearest, SchedError, suggest } from '@sched/core'
import { bracketedAmounts } from './amounts.js'
import { prefix, type CapacityFile, type CapacityQueue, type CapacityValue } from './capacity-model.js'
import { Findings } from './finding.js'
import { readProperties, type Property, type SourceText } from './site.js'
import { readXml } from './xml.js'

/** Percentages that sum to 100 but for so much are taken as meant: Hadoop's tolerance of 0.0005 of the whole. */
const ROUNDING = 0.05

/** Reads a capacity-scheduler.xml. Throws `BAD_INPUT` with the line of the first mistake. */
export function readCapacityFile(source: SourceText, top = readXml(source.text, source.file)): CapacityFile {
  const { file } = source
  const all = readProperties(source, top)
  const ignored = new Findings(file)
  const lists = new Map<string, Property>()
  for (const property of all.values()) if (property.name.startsWith(`${prefix}root.`) && property.name.endsWith('.queues')) lists.set(property.name.slice(prefix.length, -'.queues'.length), property)
  if (!lists.has('root')) throw new SchedError('BAD_INPUT', `has no property ${prefix}root.queues.`, { file }, 'It names the queues below the root.')
  const root: CapacityQueue = { path: 'root', parent: undefined, line: top.line, properties: new Map(), queues: [] }
  const byPath = new Map([['root', root]])
  addQueues(root, lists, byPath)
  const [orphan] = [...lists].filter(([path]) => !byPath.has(path))
  if (orphan !== undefined) {
    const [path, { line, name }] = orphan
    throw new SchedError('BAD_INPUT', `it lists queues inside "${path}", and there is no such queue.`, { file, line, field: name }, suggest(path, [...byPath.keys()]))
  }
  const general = new Map<string, Property>()
  for (const property of all.values()) assign(property, byPath, general, ignored)
  for (const queue of byPath.values()) readCapacities(queue, file)
  for (const queue of byPath.values()) {
    checkChildren(queue, file)
    checkPartitions(queue, file)
  }
  return { kind: 'capacity', file, root, general, ignored }
}

function addQueues(parent: CapacityQueue, lists: ReadonlyMap<string, Property>, byPath: Map<string, CapacityQueue>): void {
  const list = lists.get(parent.path)
  if (list === undefined) return
  for (const name of list.value.split(',').map((each) => each.trim()).filter((each) => each !== '')) {
    const at = { file: list.file, line: list.line, field: list.name }
    if (name.includes('.')) throw new SchedError('BAD_INPUT', `the name of queue "${name}" has a period.`, at, 'List it at the queue that it lies in.')
    const path = `${parent.path}.${name}`
    if (byPath.has(path)) throw new SchedError('BAD_INPUT', `queue "${name}" is listed twice.`, at)
    const queue: CapacityQueue = { path, parent, line: list.line, properties: new Map(), queues: [] }
    byPath.set(path, queue)
    parent.queues.push(queue)
    addQueues(queue, lists, byPath)
  }
}

/** Gives a property to its queue, the one with the longest path that its name begins with. */
function assign(property: Property, byPath: ReadonlyMap<string, CapacityQueue>, general: Map<string, Property>, ignored: Findings): void {
  const { name } = property
  if (!name.startsWith(`${prefix}root.`)) return void general.set(name, property)
  const parts = name.slice(prefix.length).split('.')
  for (let length = parts.length - 1; length > 0; length--) {
    const queue = byPath.get(parts.slice(0, length).join('.'))
    if (queue === undefined) continue
    const suffix = parts.slice(length).join('.')
    const next = parts[length] ?? ''
    if (length < parts.length - 1 && !isGroup(next)) return stale(property, `${queue.path}.${next}`, queue, ignored)
    queue.properties.set(suffix, property)
    return
  }
}

/** Properties whose names have several parts. */
const isGroup = (part: string): boolean =>
  ['accessible-node-labels', 'ordering-policy', 'user-settings', 'intra-queue-preemption', 'leaf-queue-template', 'auto-create-child-queue', 'auto-queue-creation-v2', 'multi-node-sorting', 'user', 'mapping-rule'].includes(part)

function stale(property: Property, path: string, around: CapacityQueue, ignored: Findings): void {
  const close = nearest(path, around.queues.map((each) => each.path))
  const hint = close === undefined ? '' : `; did you mean ${close}?`
  ignored.add('ignored', property, property.name, property.value, path.includes('*') ? 'templates of queues made at first use are not read' : `there is no queue "${path}": ${prefix}${around.path}.queues does not list it${hint}`)
}

function readCapacities(queue: CapacityQueue, file: string): void {
  const capacity = queue.properties.get('capacity')
  if (capacity !== undefined) queue.capacity = { ...capacityValue(capacity), line: capacity.line }
  const maximum = queue.properties.get('maximum-capacity')
  if (maximum === undefined) return
  const value = capacityValue(maximum, true)
  if (value.kind === 'weight') throw new SchedError('BAD_INPUT', 'a maximum capacity has no weight.', { file, line: maximum.line, field: maximum.name }, 'Write a percentage or amounts.')
  if (value.kind === 'percent' && value.value < 0) return // -1: no limit
  queue.maximumCapacity = { ...value, line: maximum.line }
  checkLimit(queue, maximum, file)
}

/** `40`, `40%`, `3w` or `[memory=10240,vcores=12]`. */
export function capacityValue({ name, value, file, line }: Property, isMaximum = false): CapacityValue {
  const at = { file, line, field: name }
  const bracketed = bracketedAmounts(value, at)
  if (bracketed !== undefined) {
    const amounts: Record<string, number> = {}
    for (const [resource, amount] of Object.entries(bracketed)) {
      if (typeof amount === 'string') throw new SchedError('BAD_INPUT', `"${value}" has a percentage of one resource.`, at, 'Write one percentage for all resources, or amounts.')
      amounts[resource] = amount
    }
    return { kind: 'amounts', value: amounts }
  }
  const weight = /^(-?\d+(?:\.\d+)?)w$/.exec(value.trim())
  if (weight !== null) {
    if (Number(weight[1]) < 0) throw new SchedError('BAD_INPUT', `the weight ${weight[1] ?? ''} is negative.`, at, 'Use a number of at least 0.')
    return { kind: 'weight', value: Number(weight[1]) }
  }
  const percent = Number(value.trim().replace(/%$/, ''))
  const isNone = isMaximum && percent === -1
  if (value.trim() === '' || !Number.isFinite(percent) || (!isNone && (percent < 0 || percent > 100)))
    throw new SchedError('BAD_INPUT', `found "${value}", expected a percentage from 0 to 100${isMaximum ? '' : ', a weight such as 3w'}, or amounts such as [memory=10240,vcores=12].`, at)
  return { kind: 'percent', value: percent }
}

/** The maximum is of the whole cluster's part as the capacity is of the parent's, so they compare where both are of one kind. */
function checkLimit({ path, capacity, maximumCapacity }: CapacityQueue, { line, name }: Property, file: string): void {
  const fail = (least: string, most: string) => {
    throw new SchedError('BAD_INPUT', `the maximum capacity of queue "${path}" is ${most}, less than its capacity, ${least} (line ${capacity?.line ?? 0}).`, { file, line, field: name }, 'Raise the one or lower the other.')
  }
  if (capacity?.kind === 'percent' && maximumCapacity?.kind === 'percent' && maximumCapacity.value < capacity.value) fail(`${capacity.value}`, `${maximumCapacity.value}`)
  if (capacity?.kind !== 'amounts' || maximumCapacity?.kind !== 'amounts') return
  for (const [resource, least] of Object.entries(capacity.value)) {
    const most = maximumCapacity.value[resource]
    if (most !== undefined && most > 0 && most < least) fail(`${least} ${resource}`, `${most} ${resource}`)
  }
}

/** Children have capacities of one kind; percentages sum to 100. */
function checkChildren({ path, queues, properties }: CapacityQueue, file: string): void {
  const given = queues.filter((queue) => queue.capacity !== undefined)
  const [first] = given
  if (queues.length === 0) return
  const missing = queues.find((queue) => queue.capacity === undefined)
  if (first === undefined || missing !== undefined)
    throw new SchedError('BAD_INPUT', `queue "${missing?.path ?? ''}" has no capacity.`, { file, line: missing?.line }, `Set ${prefix}${missing?.path ?? ''}.capacity.`)
  const odd = given.find((queue) => queue.capacity?.kind !== first.capacity?.kind)
  if (odd !== undefined)
    throw new SchedError('BAD_INPUT', `queue "${odd.path}" has ${kinds[odd.capacity?.kind ?? 'percent']}, and its sibling "${first.path}" has ${kinds[first.capacity?.kind ?? 'percent']} (line ${first.capacity?.line ?? 0}).`, { file, line: odd.capacity?.line, field: `${prefix}${odd.path}.capacity` }, 'Give all queues of one parent the same kind.')
  if (first.capacity?.kind !== 'percent') return
  const parts = given.map((queue) => queue.capacity?.value as number)
  const sum = parts.reduce((total, each) => total + each, 0)
  if (Math.abs(sum - 100) <= ROUNDING || (sum === 0 && properties.get('allow-zero-capacity-sum')?.value === 'true')) return
  const last = given.at(-1) as CapacityQueue
  throw new SchedError(
    'BAD_INPUT',
    `the capacities of the queues in "${path}" sum to ${Number(sum.toFixed(6))}, not 100: ${given.map((queue, i) => `${queue.path.split('.').at(-1) ?? ''} ${parts[i]} (line ${queue.capacity?.line ?? 0})`).join(', ')}.`,
    { file, line: last.capacity?.line, field: `${prefix}${last.path}.capacity` },
    'Change one of them.',
  )
}

/** Percentages of a partition sum to 100 in each parent, or to 0 where its queues have none of it; no maximum is below the capacity. */
function checkPartitions({ path, queues }: CapacityQueue, file: string): void {
  const labels = new Set(queues.flatMap(({ properties }) => [...properties.keys()].flatMap((key) => /^accessible-node-labels\.([^.]+)\.capacity$/.exec(key)?.[1] ?? [])))
  for (const label of labels) {
    const given = queues.flatMap((queue) => queue.properties.get(`accessible-node-labels.${label}.capacity`) ?? [])
    const values = given.map((property) => capacityValue(property))
    for (const [i, queue] of queues.filter(({ properties }) => properties.has(`accessible-node-labels.${label}.capacity`)).entries()) checkPartitionLimit(queue, label, values[i] as CapacityValue, file)
    const parts = values.flatMap((value) => (value.kind === 'percent' ? [value.value] : []))
    const sum = parts.reduce((total, each) => total + each, 0)
    const last = given.at(-1)
    if (parts.length < values.length || sum === 0 || Math.abs(sum - 100) <= ROUNDING || last === undefined) continue
    throw new SchedError('BAD_INPUT', `the capacities of the queues in "${path}" in partition "${label}" sum to ${Number(sum.toFixed(6))}, not 100: ${parts.map((part, i) => `${part} (line ${given[i]?.line ?? 0})`).join(', ')}.`, { file, line: last.line, field: last.name }, 'Change one of them.')
  }
}

function checkPartitionLimit({ path, properties }: CapacityQueue, label: string, capacity: CapacityValue, file: string): void {
  const maximum = properties.get(`accessible-node-labels.${label}.maximum-capacity`)
  const most = maximum === undefined ? undefined : capacityValue(maximum, true)
  if (maximum === undefined || capacity.kind !== 'percent' || most?.kind !== 'percent' || most.value < 0 || most.value >= capacity.value) return
  throw new SchedError('BAD_INPUT', `the maximum capacity of queue "${path}" in partition "${label}" is ${most.value}, less than its capacity, ${capacity.value}.`, { file, line: maximum.line, field: maximum.name }, 'Raise the one or lower the other.')
}

const kinds = { percent: 'a percentage', weight: 'a weight', amounts: 'amounts' } as const
