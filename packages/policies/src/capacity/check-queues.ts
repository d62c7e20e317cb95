import { suggest, ownValue } from '@sched/core'
import type { RefinementCtx } from '@sched/bundled/zod'
import { fraction, isLess, percent, plus, none as nothing, times, valueOf, whole, type Fraction } from './fraction.js'
import { readMapping, type MappingOption } from './mappings.js'
import { fullPath, lastName, parentPath } from './queue-paths.js'
import type { ReadCapacityOptions, ReadQueueOptions } from './queue-options.js'

/** How far the percentages of siblings may sum to something else than 100, as thirds do, in percent: Hadoop's PRECISION of 0.0005. */
const ROUNDING = fraction(0.05)
const HUNDRED = fraction(100)
/** The way out where a maximum is below the guarantee. */
const MAXIMUM = 'Raise the maximum, or lower the capacity.'

type Queues = Readonly<Record<string, ReadQueueOptions>>
type Complain = (path: readonly string[], expected: string, wayOut?: string) => void
interface Declared {
  /** The path as it was written, for messages. */
  readonly key: string
  readonly path: string
  readonly options: ReadQueueOptions
}

type Checked = Pick<ReadCapacityOptions, 'queues' | 'templates' | 'mappings' | 'legacyQueueMode' | 'queueManagementInterval'>

/**
 * Checks what a schema of single queues cannot: paths, sums over siblings, limits below guarantees, mappings to queues that do not exist. Every
 * message names a field.
 */
export function checkQueues({ queues, templates, mappings, legacyQueueMode, queueManagementInterval }: Checked, context: RefinementCtx): void {
  const complain: Complain = (path, message, wayOut) => void context.addIssue({ code: 'custom', path: [...path], message, ...(wayOut !== undefined && { params: { wayOut } }) })
  const declared = Object.entries(queues).map(([key, options]) => ({ key, path: fullPath(key), options }))
  checkPaths(declared, complain)
  if (legacyQueueMode) checkOneKind(declared, complain)
  else if (queueManagementInterval !== undefined) complain(['queueManagementInterval'], 'nothing with `legacyQueueMode: false`: capacities are all or nothing in the legacy mode alone')
  checkTemplates(Object.keys(templates), complain)
  for (const [i, mapping] of mappings.entries()) checkMapping(mapping, ['mappings', String(i)], declared, queues, complain)
}

/** Checks of the legacy mode. Without it siblings may have capacities of any kind, and what is too much is cut off. */
function checkOneKind(declared: readonly Declared[], complain: Complain): void {
  for (const { key, options } of declared) checkVectors(options, ['queues', key], complain)
  for (const [parent, children] of byParent(declared)) {
    const labels = new Set(['', ...children.flatMap(({ options }) => Object.keys(options.labels ?? {}))])
    for (const label of labels) checkSiblings(parent, children, label, declared, complain)
  }
  for (const each of declared) checkLimits(each, declared, complain)
}

/** Complains about percentages and weights of single resources, also in the templates of queues that are made in this one. */
function checkVectors({ labels = {}, template, parentTemplate, ...own }: ReadQueueOptions, at: readonly string[], complain: Complain): void {
  for (const [label, part] of [['', own] as const, ...Object.entries(labels)])
    for (const key of ['capacity', 'maximumCapacity'] as const)
      for (const [resource, value] of Object.entries(typeof part[key] === 'object' ? part[key] : {}))
        if (typeof value === 'string') complain([...at, ...(label === '' ? [] : ['labels', label]), key, resource], `an amount; "${value}" of one resource needs \`legacyQueueMode: false\``)
  for (const [key, made] of Object.entries({ template, parentTemplate })) if (made !== undefined) checkVectors(made, [...at, key], complain)
}

function checkPaths(declared: readonly Declared[], complain: Complain): void {
  const known = new Map<string, string>()
  for (const { key, path, options } of declared) {
    if (path.split('.').includes('')) complain(['queues', key], 'names between dots, such as root.a.b')
    const twin = known.get(path)
    if (twin !== undefined) complain(['queues', key], `one queue of that path: "${twin}" is the same`)
    known.set(path, key)
    if (path === 'root' && options.capacity !== undefined && options.capacity !== 100) complain(['queues', key, 'capacity'], '100, since root is the whole cluster')
  }
  const paths = [...known.keys()]
  for (const { key, path } of declared) {
    const parent = parentPath(path)
    if (path !== 'root' && parent !== 'root' && !known.has(parent))
      complain(['queues', key], `its parent "${parent}" to be declared`, suggest(parent, paths.filter((each) => each !== path)))
  }
}

/** Checks paths of templates. The wildcard * may stand only at the end of a path, since a queue is made only in one whose name is known. */
function checkTemplates(keys: readonly string[], complain: Complain): void {
  const known = new Map<string, string>()
  for (const key of keys) {
    const path = fullPath(key)
    const [, ...names] = path.split('.')
    if (names.includes('') || names.some((name, i) => name === '*' && names.slice(i).some((each) => each !== '*'))) complain(['templates', key], 'names between dots, the last of which may be *, such as root.a.*')
    const twin = known.get(path)
    if (twin !== undefined) complain(['templates', key], `one entry of that path: "${twin}" is the same`)
    known.set(path, key)
  }
}

function byParent(declared: readonly Declared[]): Map<string, Declared[]> {
  const groups = new Map<string, Declared[]>()
  for (const each of declared) {
    if (each.path === 'root') continue
    const group = groups.get(parentPath(each.path))
    if (group === undefined) groups.set(parentPath(each.path), [each])
    else group.push(each)
  }
  return groups
}

const capacityOf = ({ options }: Declared, label: string) => (label === '' ? options.capacity : ownValue(options.labels, label)?.capacity)

/**
 * Siblings must have capacities of one kind, where 0 percent goes with any kind. Percentages must sum to 100, unless one is left out, or all are 0
 * where nothing is to be divided, in a queue with a weight, or where that is allowed.
 *
 * Source: Hadoop 3, AbstractParentQueue.setChildQueues.
 */
function checkSiblings(parent: string, children: readonly Declared[], label: string, declared: readonly Declared[], complain: Complain): void {
  const field = (key: string) => (label === '' ? ['queues', key, 'capacity'] : ['queues', key, 'labels', label, 'capacity'])
  const all = children.filter((child) => capacityOf(child, label) !== undefined)
  const isOther = all.some((child) => typeof capacityOf(child, label) !== 'number')
  const given = isOther ? all.filter((child) => capacityOf(child, label) !== 0) : all
  const [first] = given
  if (first === undefined) return
  const kind = kindOf(capacityOf(first, label))
  const odd = given.find((child) => kindOf(capacityOf(child, label)) !== kind)
  if (odd !== undefined)
    return complain(field(odd.key), `${kind} as its sibling "${lastName(first.path)}" has: queues in one parent have percentages, weights or amounts, not several of these`, `Write ${kind} here, too.`)
  if (kind !== 'a percentage') return
  const sum = given.reduce<Fraction>((total, child) => plus(total, fraction(capacityOf(child, label) as number)), nothing)
  const where = declared.find(({ path }) => path === parent)
  const { capacity, allowZeroCapacitySum = false } = where?.options ?? {}
  const isEmpty = sum.over === 0n && (label !== '' || allowZeroCapacitySum || capacity === 0 || typeof capacity === 'string')
  const isClose = !isLess(plus(HUNDRED, ROUNDING), sum) && (given.length < children.length || !isLess(plus(sum, ROUNDING), HUNDRED))
  if (isEmpty || isClose) return
  const parts = given.map((child) => `${lastName(child.path)} ${capacityOf(child, label) as number}`).join(', ')
  const partition = label === '' ? '' : ` in partition "${label}"`
  complain(field((given.at(-1) as Declared).key), `the capacities of the queues in ${parent}${partition} to sum to 100 percent; they sum to ${valueOf(sum)}: ${parts}`, 'Change them, or write weights such as 2w.')
}

const kindOf = (capacity: ReadQueueOptions['capacity']) =>
  typeof capacity === 'number' ? 'a percentage' : typeof capacity === 'string' ? 'a weight' : 'amounts'

/**
 * Complains about a maximum below the guarantee. A maximum is a percentage of the parent's maximum, a guarantee one of the parent's guarantee, so
 * they are compared as parts of the whole partition.
 */
function checkLimits(queue: Declared, declared: readonly Declared[], complain: Complain): void {
  const { key, options } = queue
  for (const [label, { capacity, maximumCapacity }] of [['', options] as const, ...Object.entries(options.labels ?? {})]) {
    const field = label === '' ? ['queues', key] : ['queues', key, 'labels', label]
    if (typeof capacity === 'number' && typeof maximumCapacity === 'number' && maximumCapacity < capacity) {
      const [least, most] = [partOfAll(queue, label, 'capacity', declared), partOfAll(queue, label, 'maximumCapacity', declared)]
      if (least !== undefined && most !== undefined && isLess(most, least)) complain([...field, 'maximumCapacity'], `at least its capacity of ${capacity}`, MAXIMUM)
    }
    if (typeof capacity === 'object' && typeof maximumCapacity === 'object')
      for (const [name, most] of Object.entries(maximumCapacity))
        if (Number(most) < Number(ownValue(capacity, name) ?? 0)) complain([...field, 'maximumCapacity', name], `at least its capacity of ${capacity[name]}`, MAXIMUM)
  }
}

/** The part of the partition that a queue is guaranteed, or may have at most; undefined unless the queue and all around it have percentages. */
function partOfAll({ path, options }: Declared, label: string, key: 'capacity' | 'maximumCapacity', declared: readonly Declared[]): Fraction | undefined {
  if (path === 'root') return whole
  const own = (label === '' ? options : (ownValue(options.labels, label) ?? {}))[key] ?? (key === 'maximumCapacity' ? 100 : undefined)
  const parent = declared.find((each) => each.path === parentPath(path))
  const above = parent === undefined ? whole : partOfAll(parent, label, key, declared)
  return typeof own === 'number' && above !== undefined ? times(above, percent(own)) : undefined
}

function checkMapping(option: MappingOption, at: readonly string[], declared: readonly Declared[], queues: Queues, complain: Complain): void {
  const mapping = readMapping(option)
  if (mapping === undefined) return complain(at, 'u:USER:QUEUE or g:GROUP:QUEUE')
  const { queue, defaultQueue } = mapping
  if (queue !== undefined && defaultQueue !== undefined) return complain(at, 'either queue or defaultQueue')
  if (queue === undefined || queue.includes('%') || declared.length === 0) return
  const isLeaf = (path: string) => !declared.some((each) => parentPath(each.path) === path)
  const path = fullPath(queue)
  const leaves = declared.filter((each) => each.path !== 'root' && isLeaf(each.path))
  if (leaves.some((each) => each.path === path || each.path.endsWith(`.${queue}`))) return
  if (path in queues || declared.some((each) => each.path === path)) return complain(at, `a queue that holds jobs; "${path}" has queues inside it`)
  const parent = lowestAround(path, declared)
  if (parent?.options.autoCreate === true) return
  complain(at, 'a queue that is declared', suggest(path, leaves.map((each) => each.path)))
}

/** The lowest declared queue around a path. */
function lowestAround(path: string, declared: readonly Declared[]): Declared | undefined {
  for (let around = parentPath(path); around !== ''; around = around.includes('.') ? parentPath(around) : '') {
    const found = declared.find((each) => each.path === around)
    if (found !== undefined) return found
  }
  return undefined
}
