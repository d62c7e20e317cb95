import { SchedError, suggest } from '@sched/core'
import { LEGACY, prefix, type CapacityFile, type CapacityQueue } from './capacity-model.js'
import { capacityValue } from './capacity-value.js'
import { checkCapacities, checkPresence } from './check-capacities.js'
import { checkVectors } from './check-vectors.js'
import { checkLabels } from './check-labels.js'
import { checkStates } from './check-states.js'
import { checkUserWeights } from './check-user-weights.js'
import { FLEXIBLE, mayBeMade } from './made-queues.js'
import { didYouMean, Findings } from '../finding.js'
import type { SourceText } from '../source-text.js'
import { booleanOf, readProperties } from './site.js'
import { templateError, templateMark } from '../template.js'
import { readXml } from '../xml.js'
import { listed, type Setting } from '../setting.js'

/** Reads a capacity-scheduler.xml. Throws `BAD_INPUT` with the line of the first mistake found. */
export function readCapacityFile(source: SourceText, top = readXml(source.text, source.file)): CapacityFile {
  const { file } = source
  const all = readProperties(source, top)
  const ignored = new Findings(file)
  for (const { name, file: of, line } of all.values()) if (name.includes('${')) throw templateError(templateMark(name, true) ?? name, of, line) // Hadoop fills in variables in values only
  const legacy = all.get(LEGACY)
  const isLegacy = legacy === undefined || booleanOf(legacy)
  const byPath = queuesOf(all, { path: 'root', parent: undefined, isLegacy, file, line: top.line, properties: new Map(), queues: [] })
  const general = new Map<string, Setting>()
  const written: SettingsByPath = new Map()
  for (const property of all.values()) assign(property, byPath, general, written, ignored)
  const unlisted: SettingsByPath = new Map()
  for (const [path, settings] of written)
    if (mayBeMade(path, byPath.values(), general)) unlisted.set(path, settings)
    else for (const property of settings.values()) stale(property, path, lowestAround(path, byPath), ignored)
  checkQueues(byPath, general, unlisted)
  return { kind: 'capacity', file, root: byPath.get('root') as CapacityQueue, general, unlisted, ignored }
}

type SettingsByPath = Map<string, Map<string, Setting>>

/** The queues that properties list, by path, with the root. Throws `BAD_INPUT` with the line if the root lists none or a queue that is not listed does. */
function queuesOf(all: ReadonlyMap<string, Setting>, root: CapacityQueue): Map<string, CapacityQueue> {
  const isList = ({ name }: Setting): boolean => name.startsWith(`${prefix}root.`) && name.endsWith('.queues')
  const lists = new Map([...all.values()].filter(isList).map((property) => [property.name.slice(prefix.length, -'.queues'.length), property]))
  if (!lists.has('root'))
    throw new SchedError('BAD_INPUT', `has no property ${prefix}root.queues.`, { file: root.file },
      [...all.keys()].some((name) => name.startsWith('mapred.capacity-scheduler.'))
        ? 'It is a file of Hadoop 1, whose capacity scheduler is not simulated: write it with the properties of YARN.'
        : 'It names the queues below the root. A yarn-site.xml is given beside a queue file, by --yarn-site (yarnSite).')
  const byPath = new Map([['root', root]])
  addQueues(root, lists, byPath)
  const [orphan] = [...lists].filter(([path]) => !byPath.has(path))
  if (orphan === undefined) return byPath
  const [path, { file, line, name }] = orphan
  throw new SchedError('BAD_INPUT', `it lists queues inside "${path}", and there is no such queue.`, { file, line, field: name }, suggest(path, [...byPath.keys()]))
}

/** Reads the capacities of all queues and checks what Hadoop checks. Throws `BAD_INPUT` with the line. */
function checkQueues(byPath: ReadonlyMap<string, CapacityQueue>, general: ReadonlyMap<string, Setting>, unlisted: SettingsByPath): void {
  const queues = [...byPath.values()]
  const [root] = queues as [CapacityQueue]
  if (root.isLegacy) checkVectors(queues.map(({ properties }) => properties), unlisted.values())
  queues.forEach(readCapacities)
  queues.forEach(checkPresence)
  const isDominant = general.get(`${prefix}resource-calculator`)?.value.includes('Dominant') === true
  if (root.isLegacy) for (const queue of queues) checkCapacities(queue, isDominant)
  checkUserWeights(root, general)
  checkLabels(root)
  checkStates(root)
}

/** Adds the queues that the list of a queue names, and those inside them. */
function addQueues(parent: CapacityQueue, lists: ReadonlyMap<string, Setting>, byPath: Map<string, CapacityQueue>): void {
  const list = lists.get(parent.path)
  if (list === undefined) return
  for (const name of listed(list.value)) {
    const at = { file: list.file, line: list.line, field: list.name }
    if (name.includes('.')) throw new SchedError('BAD_INPUT', `the name of queue "${name}" has a period.`, at, 'List it at the queue that it lies in.')
    const path = `${parent.path}.${name}`
    if (byPath.has(path)) throw new SchedError('BAD_INPUT', `queue "${name}" is listed twice.`, at, 'List it once.')
    const queue: CapacityQueue = { path, parent, isLegacy: parent.isLegacy, file: list.file, line: list.line, properties: new Map(), queues: [] }
    byPath.set(path, queue)
    parent.queues.push(queue)
    addQueues(queue, lists, byPath)
  }
}

/**
 * Gives a property to the listed queue with the longest path that its name begins with. A property of no queue goes to `general`, and one about queues made
 * at first use at a path that is not listed to `unlisted`. A property of a queue that is not listed becomes a finding.
 */
function assign(property: Setting, byPath: ReadonlyMap<string, CapacityQueue>, general: Map<string, Setting>, unlisted: SettingsByPath, ignored: Findings): void {
  const { name } = property
  if (!name.startsWith(`${prefix}root.`)) return void general.set(name, property)
  const parts = name.slice(prefix.length).split('.')
  const made = parts.indexOf(FLEXIBLE)
  const path = parts.slice(0, made).join('.')
  if (made > 0 && !byPath.has(path)) {
    const settings = unlisted.get(path) ?? new Map<string, Setting>()
    return void unlisted.set(path, settings.set(parts.slice(made).join('.'), property))
  }
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

/** Whether this is the first part of a queue's property with several parts in its name. */
const isGroup = (part: string): boolean =>
  [
    'accessible-node-labels', 'ordering-policy', 'user-settings', 'intra-queue-preemption', 'leaf-queue-template',
    'auto-create-child-queue', 'auto-queue-creation-v2', 'multi-node-sorting', 'user', 'mapping-rule',
  ].includes(part)

/** Adds a finding for a property of a queue that is not listed. `around`: the innermost listed queue around its path. */
function stale(property: Setting, path: string, around: CapacityQueue, ignored: Findings): void {
  const hint = didYouMean(path, around.queues.map((each) => each.path))
  ignored.add(
    'ignored',
    property,
    property.name,
    property.value,
    path.includes('*')
      ? (property.name.includes(`.${FLEXIBLE}.`)
        ? `no queue of that path makes others at first use: none around it is told to by ${FLEXIBLE}.enabled, or so deep by its maximum-queue-depth`
        : `by pattern only templates of ${FLEXIBLE} are read`)
      : `there is no queue "${path}": ${prefix}${around.path}.queues does not list it${hint}`,
  )
}

/** The innermost listed queue around a path. */
function lowestAround(path: string, byPath: ReadonlyMap<string, CapacityQueue>): CapacityQueue {
  const above = path.slice(0, path.lastIndexOf('.'))
  return byPath.get(above) ?? lowestAround(above, byPath)
}

function readCapacities(queue: CapacityQueue): void {
  const { isLegacy } = queue
  const capacity = queue.properties.get('capacity')
  if (capacity !== undefined) queue.capacity = { ...capacityValue(capacity, { isLegacy }), file: capacity.file, line: capacity.line }
  for (const [suffix, property] of queue.properties) if (/^accessible-node-labels\.[^.]+\.maximum-capacity$/.test(suffix)) capacityValue(property, { isMaximum: true, isLegacy }) // refused, whether any node has the label or not
  const maximum = queue.properties.get('maximum-capacity')
  if (maximum === undefined) return
  const value = capacityValue(maximum, { isMaximum: true, isLegacy })
  if (value.kind === 'percent' && value.value < 0) return // -1 is no limit
  queue.maximumCapacity = { ...value, file: maximum.file, line: maximum.line }
}
