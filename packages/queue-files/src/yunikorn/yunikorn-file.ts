import { kubernetesObjects, type KubernetesObject } from '@sched/cluster'
import { SchedError } from '@sched/core'
import { at, fieldsOf, textOf, type Path } from '../fields.js'
import { pathOfText } from '../held-text.js'
import { innerObject } from '../inner-object.js'
import type { SourceText } from '../source-text.js'
import { refuseTemplate } from '../template.js'
import { checkAcl, checkLimitName, checkPartitions, checkQueueName } from './check-names.js'
import { checkResources } from './check-resources.js'
import { Located } from './located.js'
import { readRules, type Rule } from './rules.js'
import { quantitiesIn } from './quantities.js'
import type { YunikornLimit, YunikornQueue, YunikornSettings } from './yunikorn-queue.js'

/** The queues of YuniKorn in a file: those of the partition that its scheduler on Kubernetes uses. */
export interface YunikornFile {
  /** Tells the models of files apart. */
  readonly kind: 'yunikorn'
  /** Name of the file, for messages. */
  readonly file: string
  /** The root queue, with all others inside it. */
  readonly root: YunikornQueue
  /** Placement rules; the first that gives a job a queue counts. */
  readonly rules: readonly Rule[]
  /** How nodes are chosen (`nodesortpolicy`), with weights by YuniKorn's names of resources; undefined: the file does not say. */
  readonly nodeSort: { readonly type: string; readonly weights: ReadonlyMap<string, number>; readonly found: Located } | undefined
  /** Whether tasks are preempted for others; on unless the file says otherwise. */
  readonly preemption: { readonly isOn: boolean; readonly found: Located }
  /** Parts of the file that are not read, each with the reason. */
  readonly others: readonly { readonly name: string; readonly value: string; readonly line: number; readonly why: string }[]
}

const IS_CONFIG = /^\s*partitions\s*:/m

/** Whether a text has queues of YuniKorn: as its scheduler reads them, in a ConfigMap, or in values of its Helm chart (older charts: `configuration`). */
export const isYunikorn = (text: string): boolean => /^partitions\s*:/m.test(text)
  || (/\b(yunikornDefaults|configuration)["']?\s*:/.test(text) && IS_CONFIG.test(text))
  || (/\bkind["']?\s*:\s*["']?ConfigMap/.test(text) && /\.yaml["']?\s*:/.test(text) && /\bpartitions\s*:/.test(text))

/**
 * Reads a queues.yaml, ConfigMaps that hold one, or values of the Helm chart. If both `yunikorn-configs` and `yunikorn-defaults` hold one, the first counts.
 * Throws `BAD_INPUT` with the line.
 *
 * Source: YuniKorn, config.go, configvalidator.go.
 */
export function readYunikorn(source: SourceText): YunikornFile {
  refuseTemplate(source)
  const objects = [...kubernetesObjects(source.text, source.file)]
  const plain = objects.find(({ object }) => object['partitions'] !== undefined)
  if (plain !== undefined) return partitionOf(new Located(plain.object, plain.place), source.file, [])
  const holders = objects.flatMap(holderOf)
  const holder = holders.find(({ name }) => name === 'ConfigMap yunikorn-configs') ?? holders[0]
  if (holder === undefined) throw new SchedError('BAD_INPUT', 'has no partitions of YuniKorn.', { file: source.file }, 'Write partitions: [{ name: default, queues: [{ name: root }] }].')
  const { found, path } = holder
  const others = holders.filter((each) => each !== holder).map((each): Other => ({ name: each.name, value: '', line: lineOf(each), why: `its queues do not count beside those of ${withoutKind(holder.name)}` }))
  const data = fieldsOf(at(found.object, path))
  const key = keyOf(data)
  for (const [name, value] of Object.entries(data)) {
    if (name === key || (name === GROUP && key === `${textOf(value)}.yaml`)) continue
    const why = isConfig(value) ? `its queues do not count beside those of ${key}` : 'of the scheduler itself, not of its queues'
    others.push({ name, value: isConfig(value) ? '' : (textOf(value).split('\n')[0] ?? ''), line: found.place(...path, name).line ?? 1, why })
  }
  const inner = innerObject(found, [...path, key], source)
  return partitionOf(new Located(inner?.object, inner?.place ?? found.place), source.file, others)
}

/** Whether an object holds queues of YuniKorn. */
export const holdsPartitions = (found: KubernetesObject): boolean => found.object['partitions'] !== undefined || holderOf(found).length > 0

type Other = YunikornFile['others'][number]
/** A mapping that holds settings of YuniKorn: the data of a ConfigMap, or a part of values of Helm. `path`: its path in the object. */
interface Holder {
  readonly found: KubernetesObject
  readonly path: Path
  readonly name: string
}

/** The setting that names the key of the queues, without `.yaml`. */
const GROUP = 'service.policyGroup'
const isConfig = (value: unknown): value is string => typeof value === 'string' && IS_CONFIG.test(value)

function holderOf(found: KubernetesObject): Holder[] {
  const path = pathOfText(found.object, isConfig)?.slice(0, -1)
  if (path === undefined) return []
  return [{ found, path, name: found.kind === 'ConfigMap' ? `ConfigMap ${textOf(fieldsOf(found.object['metadata'])['name'] ?? '')}` : path.join('.') }]
}

const withoutKind = (name: string): string => name.replace(/^ConfigMap /, '')
const lineOf = ({ found, path }: Holder): number => (found.kind === 'ConfigMap' ? found.place('metadata', 'name') : found.place(...path)).line ?? 1

/** The key whose text counts if several hold queues: that of the policy group, `queues` by default, or else the first. */
function keyOf(data: Readonly<Record<string, unknown>>): string {
  const keys = Object.keys(data).filter((name) => isConfig(data[name]))
  return keys.find((name) => name === `${textOf(data[GROUP] ?? 'queues')}.yaml`) ?? (keys[0] as string)
}

function partitionOf(top: Located, file: string, others: Other[]): YunikornFile {
  top.fields(['partitions', 'checksum'])
  const partitions = top.at('partitions').items()
  const nameIn = (partition: Located) => (partition.at('name').string() ?? 'default').toLowerCase()
  checkPartitions(partitions, nameIn)
  const partition = partitions.find((each) => nameIn(each) === 'default') ?? partitions[0]
  if (partition === undefined) throw top.at('partitions').error('has no partition.', 'Write partitions: [{ name: default, queues: [{ name: root }] }].')
  partition.fields(['name', 'queues', 'placementrules', 'limits', 'nodesortpolicy', 'preemption', 'statedumpfilepath'])
  for (const other of partitions) if (other !== partition)
    others.push({
      name: `partition ${nameIn(other)}`,
      value: '',
      line: other.line,
      why: `on Kubernetes all nodes are in partition ${nameIn(partition)}`,
    })
  const dump = partition.at('statedumpfilepath')
  if (dump.isThere) others.push({ name: 'statedumpfilepath', value: dump.text, line: dump.line, why: 'nothing is written' })
  const root = rootOf(partition)
  checkResources(root)
  const sort = partition.at('nodesortpolicy')
  const enabled = partition.at('preemption').at('enabled')
  return {
    kind: 'yunikorn', file, root, others, rules: readRules(partition.at('placementrules'), root),
    nodeSort: sort.isThere ? { type: nodeSortOf(sort), weights: weightsOf(sort.at('resourceweights')), found: sort } : undefined,
    preemption: { isOn: enabled.flag() ?? true, found: enabled },
  }
}

function nodeSortOf(sort: Located): string {
  sort.fields(['type', 'resourceweights'])
  const type = (sort.at('type').string() ?? 'fair').toLowerCase()
  if (type !== 'fair' && type !== 'binpacking') throw sort.at('type').error(`there is no way to sort nodes "${type}".`, 'Write fair or binpacking.')
  return type
}

function weightsOf(found: Located): ReadonlyMap<string, number> {
  return new Map(
    found.fields().map(([name, given]) => {
      const weight = Number(given.string())
      if (!(weight >= 0)) throw given.error(`found ${given.text}, expected a weight of at least 0.`, 'Write a number; a resource with 0 does not count.')
      return [name, weight]
    }),
  )
}

/**
 * The root queue. If the file does not declare it, one is put around the declared queues. Limits of the partition are limits of the root.
 *
 * Source: YuniKorn, configvalidator.go (checkLimitsStructure).
 */
function rootOf(partition: Located): YunikornQueue {
  const top = partition.at('queues').items()
  const [only] = top
  const outer = limitsOf(partition.at('limits'))
  if (top.length === 1 && only?.at('name').string()?.toLowerCase() === 'root') {
    const root = queueOf(only, undefined)
    if (root.guaranteed.size + root.max.size > 0) throw only.at('resources').error('the root queue has what all nodes have.', 'Give resources to the queues inside it.')
    if (outer.length > 0 && root.limits.length > 0 && partition.at('limits').text !== only.at('limits').text)
      throw partition.at('limits').error('stand beside other limits of the root queue, which are the same.', 'Put them together.')
    return { ...root, isParent: true, limits: root.limits.length > 0 ? root.limits : outer }
  }
  const found = partition.at('queues')
  const around = {
    name: 'root', path: 'root', isParent: true, limits: outer, template: undefined, guaranteed: new Map(), max: new Map(),
    maxApplications: 0, properties: new Map(), found,
  }
  return { ...around, queues: queuesIn(found, around) }
}

const queueKeys = ['name', 'parent', 'resources', 'maxapplications', 'properties', 'adminacl', 'submitacl', 'childtemplate', 'queues', 'limits']

function queueOf(found: Located, around: Pick<YunikornQueue, 'path'> | undefined): YunikornQueue {
  found.fields(queueKeys)
  const name = found.at('name').string()?.toLowerCase()
  if (name === undefined || name === '') throw found.error('a queue has no name.', 'Write name: ... in it.')
  if (name.includes('.'))
    throw found.at('name').error(
      `the name of queue "${name}" has a period, which stands between a queue and the one around it.`,
      'Put one queue into the other.',
    )
  checkQueueName(found.at('name'), name)
  for (const key of ['adminacl', 'submitacl']) checkAcl(found.at(key))
  const path = around === undefined ? 'root' : `${around.path}.${name}`
  const isParent = found.at('parent').flag() === true || found.at('queues').items().length > 0
  const template = found.at('childtemplate')
  const ofChildren = template.isThere ? settingsOf(template) : undefined
  const hasTemplate = ofChildren !== undefined && !isEmpty(ofChildren)
  if (hasTemplate && !isParent && around !== undefined) throw template.error(`stands at queue "${path}", which holds jobs.`, 'Give it parent: true.')
  template.fields(['maxapplications', 'properties', 'resources'])
  const queue = { ...settingsOf(found), name, path, isParent, limits: limitsOf(found.at('limits')), template: hasTemplate ? ofChildren : undefined }
  return { ...queue, queues: queuesIn(found.at('queues'), queue) }
}

function queuesIn(found: Located, around: Pick<YunikornQueue, 'path'>): readonly YunikornQueue[] {
  const queues = found.items().map((each) => queueOf(each, around))
  for (const [i, { name, found: again }] of queues.entries())
    if (queues.findIndex((other) => other.name === name) < i) throw again.at('name').error(`queue "${name}" was declared before in "${around.path}".`, 'Give every one once.')
  return queues
}

/** Whether a template is empty, which counts as none. Source: YuniKorn, template.go (isChildTemplateEmpty). */
const isEmpty = ({ guaranteed, max, maxApplications, properties }: YunikornSettings): boolean =>
  guaranteed.size + max.size === 0 && maxApplications === 0 && [...properties.values()].every((given) => given.string() === '')

function settingsOf(found: Located): YunikornSettings {
  const resources = found.at('resources')
  resources.fields(['guaranteed', 'max'])
  return {
    guaranteed: quantitiesIn(resources.at('guaranteed')), max: quantitiesIn(resources.at('max')), maxApplications: found.at('maxapplications').count() ?? 0,
    properties: new Map(found.at('properties').fields()), found,
  }
}

function limitsOf(found: Located): YunikornLimit[] {
  const seen = { users: new Set<string>(), groups: new Set<string>() }
  return found.items().map((each) => {
    each.fields(['limit', 'users', 'groups', 'maxresources', 'maxapplications'])
    const names = (kind: 'users' | 'groups') =>
      each.at(kind).items().map((given) => {
        const name = given.string() ?? ''
        checkLimitName(given, kind, name)
        if (seen[kind].has(name)) throw given.error(`"${name}" has a limit in this queue already.`, 'Give every one once.')
        if (seen[kind].has('*')) throw given.error(`"${name}" comes after "*".`, 'Put the limit of "*" at the end.')
        seen[kind].add(name)
        return name
      })
    const limit = {
      users: names('users'),
      groups: names('groups'),
      maxResources: quantitiesIn(each.at('maxresources')),
      maxApplications: each.at('maxapplications').count() ?? 0,
      found: each,
    }
    if (limit.users.length + limit.groups.length === 0) throw each.error('a limit names neither users nor groups.', 'Write users: [...] or groups: [...] in it; "*" stands for all.')
    if (limit.groups.includes('*') && seen.groups.size === 1) throw each.at('groups').error('"*" has a limit, and no group by its name.', 'Name a group before it, or limit users.')
    if ((limit.maxApplications === 0 || limit.maxResources.size > 0) && ![...limit.maxResources.values()].some(({ amount }) => amount > 0))
      throw each.error('a limit limits nothing, or forbids everything.', 'Give it maxresources or maxapplications above 0.')
    return limit
  })
}
