import { quantityAt, type KubernetesObject } from '@sched/cluster'
import { knownWords, SchedError, suggest, type Toleration } from '@sched/core'
import type { KueueOptions } from '@sched/policies'
import { fieldsOf, nameOf, textOf, unexpected, where } from '../fields.js'
import { byPlace, Findings, notSimulated } from '../finding.js'
import { labelsAt } from '../label-selector.js'
import { tellOthers } from '../other-objects.js'
import { configured, OFF, userWeights, type Configured } from './configuration.js'
import { ALL_COUNT, countingOf } from './counting.js'
import { flavorTolerations } from './flavor-taints.js'
import type { KueueFile } from './kueue-file.js'
import { barredNamespaces } from './namespace-selector.js'
import { countedResources } from '../kubernetes-resources.js'
import { covered, isByFlavor, isInside, quotasOf } from './quotas.js'
import { groupsOf } from './resource-groups.js'
import { preemptionConfigs } from './preemption-configs.js'
import { stopsOf, type Stops } from './stop-policy.js'
import { timeSharingOf } from './time-sharing.js'
import { topologyPlacement } from './topologies.js'
import type { ClusterFacts, QueuePolicy } from '../queue-policy.js'

/** The policy that manifests of Kueue describe. */
export interface KueuePolicy extends QueuePolicy {
  /** Tells the policies of files apart. */
  readonly kind: 'kueue'
  /** Options of the policy `kueue`. */
  readonly options: KueueOptions
  /** The ClusterQueue of each LocalQueue, by `namespace/name`, and by the name alone if that names only one ClusterQueue. */
  readonly localQueues: ReadonlyMap<string, string>
  /** Queues that are stopped. */
  readonly stops: Stops
  /** The namespaces of the file whose jobs a ClusterQueue does not admit, by ClusterQueue. */
  readonly barred: ReadonlyMap<string, ReadonlySet<string>>
  /** The tolerations that jobs of a ClusterQueue get from its flavors, by ClusterQueue. */
  readonly tolerations: ReadonlyMap<string, readonly Toleration[]>
}

type Options = Record<string, unknown>
type Path = readonly string[]
/** The values that a field may have: one of some words, a whole number, a quantity, any name, or fields of its own. */
type Known = readonly string[] | 'whole' | 'quantity' | 'name' | Fields
interface Fields {
  readonly [field: string]: Known
}

const fungibility = ['MayStopSearch', 'Borrow', 'Preempt', 'TryNextFlavor'] as const
const preemption: Fields = {
  withinClusterQueue: ['Never', 'LowerPriority', 'LowerOrNewerEqualPriority'],
  reclaimWithinCohort: ['Never', 'LowerPriority', 'Any'],
  borrowWithinCohort: { policy: ['Never', 'LowerPriority'], maxPriorityThreshold: 'whole' },
}
const ofQueue: Fields = {
  cohort: 'name',
  cohortName: 'name',
  queueingStrategy: ['BestEffortFIFO', 'StrictFIFO'],
  preemption,
  flavorFungibility: {
    whenCanBorrow: fungibility.filter((word) => word !== 'Preempt'),
    whenCanPreempt: fungibility.filter((word) => word !== 'Borrow'),
    preference: ['BorrowingOverPreemption', 'PreemptionOverBorrowing'],
  },
}
const NANO = 1e-9
const modes: readonly string[] = ['UsageBasedAdmissionFairSharing', 'NoAdmissionFairSharing']
const BESIDE_FAIR = 'with fair sharing shares decide whom a workload may preempt: it changes nothing'
const why = knownWords<string>({
  admissionChecks: 'there are no admission checks', admissionChecksStrategy: 'there are no admission checks',
  weight: 'fair sharing is off: a Configuration with `fairSharing` turns it on', admissionMode: OFF, mode: OFF,
  policy: BESIDE_FAIR, maxPriorityThreshold: BESIDE_FAIR,
})

const CLASSES = 'classes are read with the jobs: put them into the file of --trace'
const whyNot = knownWords<string>({
  WorkloadPriorityClass: CLASSES, PriorityClass: CLASSES, AdmissionCheck: 'there are no admission checks',
  Node: 'nodes are read by --nodes FILE', Pod: 'pods are read by --trace FILE', Job: 'jobs are read by --trace FILE', Workload: 'workloads are read by --trace FILE',
})

/** The policy `kueue` with the queues of the file. Throws `BAD_INPUT` with the line for what Kueue does not take and for what the policy cannot express. */
export function kueuePolicy(file: KueueFile, cluster: ClusterFacts): KueuePolicy {
  const findings = new Findings(file.file)
  const options = optionsOf(file, cluster, findings)
  const barred = barredNamespaces(file, findings)
  const localQueues = localQueuesOf(file, findings)
  const stops = stopsOf(file, findings)
  const tolerations = flavorTolerations(file, cluster, findings)
  const placement = topologyPlacement(file, cluster, findings)
  tellOthers(file.others, findings, whyNot)
  return { kind: 'kueue', policy: { kueue: { ...options, ...(placement !== undefined && { placement }) } }, options, localQueues, stops, barred, tolerations, findings: findings.all.sort(byPlace) }
}

/** The options of the policy `kueue` without its placement. */
function optionsOf(file: KueueFile, cluster: ClusterFacts, findings: Findings): KueueOptions {
  const named = (objects: readonly KubernetesObject[], make: (found: KubernetesObject) => Options) => Object.fromEntries(objects.map((found) => [nameOf(found), make(found)]))
  const resources = countedResources(cluster)
  const counting = countingOf(file, resources, findings)
  const settings = file.configuration === undefined ? {} : configured(file.configuration, resources, counting, findings)
  const rules = { byFlavor: isByFlavor(file, counting.made, resources), resources: [...resources, ...counting.made], totals: cluster.totals, counting }
  const known = fieldsWith(settings)
  const first = file.flavors[0] === undefined ? '' : nameOf(file.flavors[0])
  const configs = preemptionConfigs(file, findings)
  const timeSharing = timeSharingOf(file.booster, file.configuration, findings)
  const queues = named(file.clusterQueues, (found) => {
    const quotas = quotasOf(found, rules, findings)
    checkPreemption(found)
    checkAdmissionChecks(found)
    return { ...renamed(taken(found, ['spec'], known.queue, findings)), ...covered(quotas, rules, { flavor: first, isInCohort: isInside(found) }), ...configs.of(found) }
  })
  const cohorts = named(file.cohorts, (found) => ({ ...renamed(taken(found, ['spec'], known.cohort, findings)), ...quotasOf(found, rules, findings) }))
  for (const each of file.flavors) labelsAt(each, ['spec', 'nodeLabels'])
  const flavors = rules.byFlavor ? named(file.flavors, (found) => labelsOf(found, findings)) : {}
  if (rules.byFlavor) checkFlavors(file, flavors)
  const users = userWeights(file.localQueues, settings.admissionFairSharing !== undefined, findings)
  return {
    queues,
    defaults: covered({}, { ...rules, counting: { ...ALL_COUNT, made: counting.made } }, { flavor: first, isInCohort: false }), // no quota: jobs of a queue that does not exist are never admitted
    ...(file.cohorts.length > 0 && { cohorts }),
    ...(rules.byFlavor && { flavors }),
    ...(counting.transformations.length > 0 && { transformations: counting.transformations }),
    partialAdmission: true, // on by default in Kueue; only jobs with a least number of tasks are admitted in part
    ...settings,
    ...configs.options,
    ...(timeSharing !== undefined && { timeSharing }),
    ...(settings.admissionFairSharing !== undefined && Object.keys(users).length > 0 && { admissionFairSharing: { ...settings.admissionFairSharing, users } }),
  } as KueueOptions
}

/** The fields of queues and cohorts that have an effect with a Configuration: some need fair sharing, some past usage, and some are without effect beside it. */
function fieldsWith({ fairSharing, admissionFairSharing }: Configured): { readonly queue: Fields; readonly cohort: Fields } {
  const [isFair, isByUsage] = [fairSharing !== undefined, admissionFairSharing !== undefined]
  const weight: Fields = isFair ? { weight: 'quantity' } : {}
  return {
    queue: {
      ...ofQueue,
      ...(isFair && { preemption: { ...preemption, borrowWithinCohort: {} } }),
      fairSharing: { ...weight, admissionFairSharing: isByUsage ? { mode: modes } : {} },
      admissionScope: isByUsage ? { admissionMode: modes } : {},
    },
    cohort: { fairSharing: weight, parent: 'name', parentName: 'name' },
  }
}

/** The fields at a path of an object that are known here, checked. Adds a finding for each field. */
function taken(found: KubernetesObject, path: Path, known: Fields, findings: Findings): Options {
  const options: Options = {}
  for (const [field, value] of Object.entries(valueAt(found, path))) {
    const what = Object.hasOwn(known, field) ? known[field] : undefined
    const here = [...path, field]
    const tell = (verdict: 'honoured' | 'ignored', note = '') => findings.add(
      verdict,
      where(found, here),
      `${nameOf(found)} ${here.slice(1).join('.')}`,
      typeof value === 'object' ? '' : textOf(value),
      note,
    )
    if (field === 'resourceGroups' || field === 'namespaceSelector' || value === null || value === undefined) continue
    if (field === 'stopPolicy' && found.kind === 'ClusterQueue') continue
    if (field === 'queueingStrategy' && value === '') continue // the default, as Kueue takes it
    if (what === undefined) tell('ignored', why[field] ?? notSimulated(field, Object.keys(known)))
    else if (typeof what === 'object' && !Array.isArray(what))
      options[field] = taken(found, fieldsAt(found, here, value, what), what as Fields, findings)
    else {
      options[field] = checked(found, here, value, what as readonly string[] | 'whole' | 'quantity' | 'name')
      tell('honoured')
    }
  }
  return options
}

/** Throws `BAD_INPUT` for a queue that may preempt while it borrows but may not reclaim its own quota, which Kueue refuses. */
function checkPreemption(found: KubernetesObject): void {
  const { reclaimWithinCohort, borrowWithinCohort } = fieldsOf(valueAt(found, ['spec'])['preemption'])
  const { policy = 'Never' } = fieldsOf(borrowWithinCohort)
  if ((reclaimWithinCohort ?? 'Never') === 'Never' && policy === 'LowerPriority')
    throw new SchedError(
      'BAD_INPUT',
      'stands beside reclaimWithinCohort: Never, and Kueue refuses that.',
      found.place('spec', 'preemption', 'borrowWithinCohort'),
      'Write reclaimWithinCohort: LowerPriority or Any, too.',
    )
}

/** Throws `BAD_INPUT` for a queue with both ways to name admission checks, which Kueue refuses. */
function checkAdmissionChecks(found: KubernetesObject): void {
  const { admissionChecks, admissionChecksStrategy } = valueAt(found, ['spec'])
  if (Array.isArray(admissionChecks) && admissionChecks.length > 0 && (admissionChecksStrategy ?? undefined) !== undefined)
    throw new SchedError('BAD_INPUT', 'stands beside admissionChecks, and Kueue refuses that.', found.place('spec', 'admissionChecksStrategy'), 'Leave one of them out.')
}

/** Returns the path after a check that the value there has fields: of a word or a list none would be read. Throws `BAD_INPUT` with the line. */
function fieldsAt(found: KubernetesObject, path: Path, value: unknown, known: object): Path {
  if (typeof value === 'object' && !Array.isArray(value)) return path
  throw new SchedError('BAD_INPUT', `found ${JSON.stringify(value)}, expected fields.`, found.place(...path), `Known: ${Object.keys(known).join(', ')}.`)
}

function checked(found: KubernetesObject, path: Path, value: unknown, what: readonly string[] | 'whole' | 'quantity' | 'name'): unknown {
  if (what === 'quantity') return weightAt(found, path)
  if (what === 'whole' ? Number.isInteger(value) : typeof value === 'string' && (what === 'name' ? value !== '' : what.includes(value))) return value
  throw unexpected(found, path, what === 'whole' ? 'a whole number' : what === 'name' ? 'a name' : what)
}

/** The weight at a path. Throws `BAD_INPUT` for one above 0 but at most 1e-9, which Kueue refuses (pkg/webhooks/common.go, validateFairSharing). */
function weightAt(found: KubernetesObject, path: Path): number {
  const weight = quantityAt(found, ...path)
  if (weight > 0 && weight <= NANO) throw unexpected(found, path, `0, or more than ${NANO}`, 'Weights count by their ratio: multiply all of them.')
  return weight
}

/** The options under the names of the policy: v1beta2 of Kueue's API has other names, and some fields one level further inside. */
function renamed({ cohortName, parentName, fairSharing, admissionScope, ...options }: Options): Options {
  const { admissionFairSharing, ...shared } = fieldsOf(fairSharing)
  const { mode } = fieldsOf(admissionFairSharing) // newer than admissionScope.admissionMode, and preferred to it
  return {
    ...options,
    ...(cohortName !== undefined && { cohort: cohortName }),
    ...(parentName !== undefined && { parent: parentName }),
    ...shared,
    ...fieldsOf(admissionScope),
    ...(mode !== undefined && { admissionMode: mode }),
  }
}

/** The labels of the nodes of a flavor. Adds a finding for each field that is not read. */
function labelsOf(found: KubernetesObject, findings: Findings): Options {
  const spec = valueAt(found, ['spec'])
  for (const field of Object.keys(spec).filter((each) => !['nodeLabels', 'nodeTaints', 'tolerations', 'topologyName'].includes(each)))
    findings.add('ignored', where(found, ['spec', field]), `${nameOf(found)} ${field}`, '', why[field] ?? 'not simulated')
  return fieldsOf(spec['nodeLabels'])
}

/** Throws `BAD_INPUT` with the line for a flavor of a quota that no ResourceFlavor declares: it would have no nodes. */
function checkFlavors({ clusterQueues }: KueueFile, flavors: Options): void {
  for (const found of clusterQueues)
    for (const { name, path } of groupsOf(found).flat())
      if (!Object.hasOwn(flavors, name))
        throw new SchedError('BAD_INPUT', `no ResourceFlavor is called "${name}".`, found.place(...path, 'name'), 'Put its manifest into the file.')
}

/**
 * The ClusterQueue of each LocalQueue, by `namespace/name`, and by the name alone unless LocalQueues of this name lead to several ClusterQueues or a
 * ClusterQueue has this name. The namespace is the user of the jobs. Adds a finding for each. Throws `BAD_INPUT` with the line for a ClusterQueue that
 * does not exist.
 */
function localQueuesOf({ localQueues, clusterQueues }: KueueFile, findings: Findings): Map<string, string> {
  const queues = new Set(clusterQueues.map(nameOf))
  const found = new Map<string, string>()
  const targets = new Map<string, Set<unknown>>()
  for (const each of localQueues) {
    const ofName = targets.get(nameOf(each)) ?? new Set()
    targets.set(nameOf(each), ofName.add(valueAt(each, ['spec'])['clusterQueue']))
  }
  for (const each of localQueues) {
    const name = nameOf(each)
    tellFields(each, findings)
    const clusterQueue = clusterQueueOf(each, queues)
    const { namespace } = valueAt(each, ['metadata'])
    const isNamespaced = typeof namespace === 'string' && namespace !== ''
    if (isNamespaced) found.set(`${namespace}/${name}`, clusterQueue)
    const isOwn = !queues.has(name) && targets.get(name)?.size === 1
    if (isOwn) found.set(name, clusterQueue)
    const tell = (verdict: 'honoured' | 'ignored', note = '') => findings.add(verdict, where(each, []), `LocalQueue ${name}`, clusterQueue, note)
    if (isOwn || (isNamespaced && name === clusterQueue)) tell('honoured')
    else if (isNamespaced) tell('honoured', `of jobs of the user ${namespace}, its namespace: ${queues.has(name) ? 'a ClusterQueue' : 'another one'} has this name`)
    else tell('ignored', queues.has(name) ? 'a ClusterQueue has this name' : 'another one has this name: jobs of it name their ClusterQueue')
  }
  return found
}

/** Adds findings for the fields of a LocalQueue that are not read. */
function tellFields(found: KubernetesObject, findings: Findings): void {
  for (const [field, value] of Object.entries(valueAt(found, ['spec'])))
    if (!['clusterQueue', 'fairSharing', 'stopPolicy'].includes(field))
      findings.add('ignored', where(found, ['spec', field]), `LocalQueue ${nameOf(found)} ${field}`, typeof value === 'object' ? '' : textOf(value), why[field] ?? 'not simulated')
}

/** The ClusterQueue of a LocalQueue. `queues`: names of all ClusterQueues. Throws `BAD_INPUT` with the line if it names none of these. */
function clusterQueueOf(found: KubernetesObject, queues: ReadonlySet<string>): string {
  const { clusterQueue } = valueAt(found, ['spec'])
  if (clusterQueue === undefined || clusterQueue === null)
    throw new SchedError(
      'BAD_INPUT',
      `LocalQueue "${nameOf(found)}" names no ClusterQueue.`,
      found.place('spec', 'clusterQueue'),
      `Give it clusterQueue: ${[...queues].join(' or ')}.`,
    )
  if (typeof clusterQueue === 'string' && queues.has(clusterQueue)) return clusterQueue
  throw new SchedError(
    'BAD_INPUT',
    `names ClusterQueue ${JSON.stringify(clusterQueue)}, which is not there.`,
    found.place('spec', 'clusterQueue'),
    suggest(textOf(clusterQueue), [...queues]),
  )
}

const valueAt = ({ object }: KubernetesObject, path: Path): Readonly<Record<string, unknown>> => path.reduce((around, field) => fieldsOf(around[field]), object)
