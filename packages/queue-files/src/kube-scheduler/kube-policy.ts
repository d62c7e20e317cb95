import type { KubernetesObject } from '@sched/cluster'
import { knownWords, type Config } from '@sched/core'
import type { KubeSchedulerOptions } from '@sched/policies'
import { at, fieldsOf, listAt, textOf, unexpected, wholeAt, where, type Path } from '../fields.js'
import { byPlace, Findings, notSimulated } from '../finding.js'
import { tellOthers } from '../other-objects.js'
import { neverOf } from '../priority-classes.js'
import type { ClusterFacts, QueuePolicy } from '../queue-policy.js'
import { checkConfiguration } from './check-configuration.js'
import { disruptionBudgets } from './disruption-budgets.js'
import type { KubeFile } from './kube-file.js'
import { pluginsOf, type Plugins } from './plugins.js'

/** The policy that a configuration of kube-scheduler describes. */
export interface KubePolicy extends QueuePolicy {
  /** Tells the policies of files apart. */
  readonly kind: 'kube-scheduler'
  /** Options of the policy `kube-scheduler`. */
  readonly options: KubeSchedulerOptions
}

const why = knownWords<string>({
  leaderElection: 'there is one scheduler', clientConnection: 'there is no API server', parallelism: 'it has no effect on scheduling', extenders: 'there are none here',
  enableProfiling: 'it has no effect on scheduling', enableContentionProfiling: 'it has no effect on scheduling', delayCacheUntilActive: 'it has no effect on scheduling',
})
/** Why arguments of plug-ins that score nodes here do not count. */
const argsOfOthers = knownWords<string>({
  InterPodAffinity: 'required affinities of what runs weigh 1, which is the default, and all preferences count', PodTopologySpread: 'pods are spread as they say themselves', NodeAffinity: 'pods have the affinities that they say themselves',
})
/** Fields of the configuration that are read. */
const configured = ['profiles', 'percentageOfNodesToScore', 'podInitialBackoffSeconds', 'podMaxBackoffSeconds']
/** Names that a cluster may have for resources of Kubernetes, in order of preference. */
const names = knownWords<readonly string[]>({ cpu: ['cpu'], memory: ['mem', 'memory'], 'nvidia.com/gpu': ['gpu'] })
/** Resources that kube-scheduler counts by default, each with the weight 1. */
const COUNTED = ['cpu', 'memory']
/** The score of NodeResourcesBalancedAllocation. */
const BALANCE = 'balance-improvement'
/** Path of the profile that is read; others are not. */
const PROFILE: Path = ['profiles', 0]

/**
 * The policy `kube-scheduler` with the first profile of the configuration, the priorities whose pods never preempt, and the disruption budgets. Throws
 * `BAD_INPUT` with the line.
 *
 * Source: Kubernetes, kube-scheduler configuration (kubescheduler.config.k8s.io/v1).
 */
export function kubePolicy({ file, configuration, classes, budgets, others }: KubeFile, { resources }: ClusterFacts): KubePolicy {
  const findings = new Findings(file)
  const never = neverOf(classes, findings)
  const ofBudgets = disruptionBudgets(budgets, findings)
  tellOthers(others, findings)
  const beside: KubeSchedulerOptions = { ...(never.length > 0 && { never }), ...(ofBudgets.length > 0 && { disruptionBudgets: ofBudgets }) }
  if (configuration === undefined) return { kind: 'kube-scheduler', policy: { 'kube-scheduler': beside }, options: beside, findings: findings.all.sort(byPlace) }
  checkConfiguration(configuration)
  const reading = { configuration, findings, resources }
  tellFields(reading)
  const plugins = pluginsOf(configuration, [...PROFILE, 'plugins'], findings)
  const args = argsOf(reading)
  const backoff = backoffOf(reading)
  const options = { ...beside, ...args.preemption, ...(!plugins.preempts && { preemption: false }), ...(Object.keys(backoff).length > 0 && { backoff }) }
  const placement: Config = { weighted: { ...scoresOf(plugins, args), percentageOfNodesToScore: percentageOf(reading) } }
  const policy: Config = { 'kube-scheduler': { ...options, placement } }
  return { kind: 'kube-scheduler', policy, options, findings: findings.all.sort(byPlace) }
}

/** The configuration, the collector of findings, and the names of the cluster's resources. */
interface Reading {
  readonly configuration: KubernetesObject
  readonly findings: Findings
  readonly resources: readonly string[]
}

/** Adds findings for the fields and the further profiles that are not read. */
function tellFields({ configuration, findings }: Reading): void {
  const fields = Object.keys(configuration.object).filter((field) => !['apiVersion', 'kind', 'metadata', ...configured].includes(field))
  for (const field of fields) findings.add('ignored', where(configuration, [field]), field, '', why[field] ?? notSimulated(field, configured))
  const [, ...more] = listAt(configuration, ['profiles'])
  if (more.length > 0) findings.add('ignored', where(configuration, ['profiles', 1]), 'profiles', `${more.length} more`, 'all jobs are of the first one')
}

/** How pods back off, as far as the configuration says; empty: it says nothing, and they do not. */
function backoffOf({ configuration, findings }: Reading): NonNullable<KubeSchedulerOptions['backoff']> {
  const given = (['podInitialBackoffSeconds', 'podMaxBackoffSeconds'] as const).flatMap((field) => {
    const value = wholeAt(configuration, [field], 1)
    return value === undefined ? [] : [[field, value] as const]
  })
  for (const [field, value] of given) findings.add('honoured', where(configuration, [field]), field, String(value))
  return Object.fromEntries(given)
}

/**
 * percentageOfNodesToScore, 0 to 100: of the profile, else of the configuration, else 0, the default, with which kube-scheduler chooses it by the number of
 * nodes.
 */
function percentageOf({ configuration, findings }: Reading): number {
  for (const path of [[...PROFILE, 'percentageOfNodesToScore'], ['percentageOfNodesToScore']]) {
    const value = wholeAt(configuration, path, 0, 100)
    if (value === undefined) continue
    findings.add('honoured', where(configuration, path), 'percentageOfNodesToScore', String(value))
    return value
  }
  return 0
}

interface Scoring {
  readonly scores: Record<string, number>
  readonly resourceWeights: Record<string, number>
  readonly resourceWeightsOf?: Record<string, Record<string, number>>
  readonly shape?: ShapePoint[]
}

interface ShapePoint {
  readonly utilization: number
  readonly score: number
}

/** The arguments of plug-ins, in terms of the policy. */
interface Args {
  /** The strategy by which NodeResourcesFit scores nodes. */
  strategy: 'least-allocated' | 'most-allocated' | 'requested-to-capacity-ratio'
  /** The points of the strategy `requested-to-capacity-ratio`. */
  shape?: ShapePoint[]
  /** The weight of each resource in the strategy. */
  weights: Record<string, number>
  /** Resources that NodeResourcesBalancedAllocation compares; undefined: all, because the cluster has neither CPUs nor memory. */
  balanced: string[] | undefined
  readonly preemption: { minCandidateNodesPercentage?: number; minCandidateNodesAbsolute?: number }
}

function argsOf(reading: Reading): Args {
  const { configuration, findings } = reading
  const args: Args = { strategy: 'least-allocated', weights: defaultWeights(reading.resources), balanced: countedHere(reading.resources).length === 0 ? undefined : countedHere(reading.resources), preemption: {} }
  const path = [...PROFILE, 'pluginConfig']
  for (const [i, each] of listAt(configuration, path).entries()) {
    const name = textOf(fieldsOf(each)['name'])
    const inside = [...path, i, 'args']
    if (name === 'NodeResourcesFit') readFit(args, inside, reading)
    else if (name === 'NodeResourcesBalancedAllocation') readBalanced(args, [...inside, 'resources'], reading)
    else if (name === 'DefaultPreemption') readPreemption(args, inside, reading)
    else findings.add('ignored', where(configuration, [...path, i]), `pluginConfig of ${name}`, '', argsOfOthers[name] ?? 'it does not score here')
  }
  return args
}

function readFit(args: Args, around: Path, reading: Reading): void {
  const { configuration, findings } = reading
  for (const field of Object.keys(fieldsOf(at(configuration.object, around))).filter((each) => each.startsWith('ignored')))
    findings.add('ignored', where(configuration, [...around, field]), `NodeResourcesFit ${field}`, '', 'a node must have all that a task asks for')
  const path = [...around, 'scoringStrategy']
  const type = at(configuration.object, [...path, 'type'])
  const line = where(configuration, path)
  if (type === 'RequestedToCapacityRatio') {
    args.strategy = 'requested-to-capacity-ratio'
    args.shape = shapeAt([...path, 'requestedToCapacityRatio', 'shape'], reading)
    findings.add('honoured', line, 'scoringStrategy', type)
  } else if (type === 'LeastAllocated' || type === 'MostAllocated') {
    args.strategy = type === 'MostAllocated' ? 'most-allocated' : 'least-allocated'
    findings.add('honoured', line, 'scoringStrategy', type)
  } else if (type !== undefined) throw unexpected(configuration, [...path, 'type'], ['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio'])
  if (listAt(configuration, [...path, 'resources']).length > 0) args.weights = weightsAt([...path, 'resources'], reading)
}

/**
 * The points of a shape: scores from 0 to 10 by utilization from 0 to 100, both 0 if left out. Throws `BAD_INPUT` with the line if there is none or the
 * utilization does not rise from point to point.
 *
 * Source: kube-scheduler, validation_pluginargs.go (validateFunctionShape).
 */
function shapeAt(path: Path, { configuration }: Reading): ShapePoint[] {
  const points = listAt(configuration, path)
  if (points.length === 0) throw unexpected(configuration, path, 'points such as { utilization: 100, score: 10 }', 'Add at least one.')
  return points.map((_, i) => {
    const before = i === 0 ? -1 : (wholeAt(configuration, [...path, i - 1, 'utilization'], 0, 100) ?? 0)
    const utilization = wholeAt(configuration, [...path, i, 'utilization'], 0, 100) ?? 0
    if (utilization <= before) throw unexpected(configuration, [...path, i, 'utilization'], `more than that of the point before, ${before}`, 'Put the points in ascending order, each utilization once.')
    return { utilization, score: wholeAt(configuration, [...path, i, 'score'], 0, 10) ?? 0 }
  })
}

/** The cluster's name for a resource of Kubernetes; undefined if it does not have it. */
const nameHere = (name: string, resources: readonly string[]): string | undefined => (names[name] ?? [name]).find((each) => resources.includes(each))

/** The weight of each resource of the cluster, 0 for one that is not in `counted`; empty if `counted` is, which leaves the default of the placement. */
function weightsBy(counted: ReadonlyMap<string, number>, resources: readonly string[]): Record<string, number> {
  return counted.size === 0 ? {} : Object.fromEntries(resources.map((name) => [name, counted.get(name) ?? 0]))
}

const countedHere = (resources: readonly string[]): string[] => COUNTED.map((name) => nameHere(name, resources)).filter((name) => name !== undefined)
const defaultWeights = (resources: readonly string[]): Record<string, number> => weightsBy(new Map(countedHere(resources).map((name) => [name, 1])), resources)

/** Reads the resources that NodeResourcesBalancedAllocation compares; the default is kept if none is listed. kube-scheduler takes no weight but 1. */
function readBalanced(args: Args, path: Path, { configuration, findings, resources }: Reading): void {
  const named = listAt(configuration, path).map((each, i) => {
    const weight = wholeAt(configuration, [...path, i, 'weight'], 0, Infinity) || 1
    if (weight !== 1) throw unexpected(configuration, [...path, i, 'weight'], '1, as kube-scheduler wants it', 'Leave the weight out.')
    const name = textOf(fieldsOf(each)['name'])
    const here = nameHere(name, resources)
    findings.add(here === undefined ? 'ignored' : 'honoured', where(configuration, [...path, i]), `balance of ${name}`, '', here === undefined ? `the cluster has no ${names[name]?.[0] ?? name}` : '')
    return here
  })
  if (named.length > 0) args.balanced = named.filter((name) => name !== undefined)
}

/** Reads the weights of resources, from 1 to 100; 0 counts as not given, which is 1. */
function weightsAt(path: Path, { resources, configuration, findings }: Reading): Record<string, number> {
  const counted = new Map<string, number>()
  for (const [i, each] of listAt(configuration, path).entries()) {
    const name = textOf(fieldsOf(each)['name'])
    const weight = wholeAt(configuration, [...path, i, 'weight'], 0, 100) || 1
    const here = nameHere(name, resources)
    const told = [where(configuration, [...path, i]), `weight of ${name}`, String(weight)] as const
    if (here === undefined) findings.add('ignored', ...told, `the cluster has no ${names[name]?.[0] ?? name}`)
    else findings.add('honoured', ...told)
    if (here !== undefined) counted.set(here, weight)
  }
  return weightsBy(counted, resources)
}

function readPreemption(args: Args, path: Path, { configuration, findings }: Reading): void {
  for (const [field, most] of [['minCandidateNodesPercentage', 100], ['minCandidateNodesAbsolute', Infinity]] as const) {
    const value = wholeAt(configuration, [...path, field], 0, most)
    if (value === undefined) continue
    args.preemption[field] = value
    findings.add('honoured', where(configuration, [...path, field]), field, String(value))
  }
  const { minCandidateNodesPercentage = 10, minCandidateNodesAbsolute = 100 } = args.preemption
  if (minCandidateNodesPercentage + minCandidateNodesAbsolute === 0)
    throw unexpected(configuration, [...path, 'minCandidateNodesAbsolute'], 'a whole number from 1 on beside a percentage of 0', 'Raise one of them above 0.')
}

/**
 * The options of the placement `weighted`. Without any score the first node found is taken. The resources of `balance-improvement` are given only if they
 * are others than those that the strategy counts.
 *
 * Source: kube-scheduler since 1.36, in which NodeResourcesBalancedAllocation goes by how much a pod improves the balance (kubernetes#135573).
 */
function scoresOf({ weights }: Plugins, { strategy, weights: counts, balanced, shape }: Args): Scoring {
  const scores = {
    [strategy]: weights.NodeResourcesFit, [BALANCE]: balanced?.length === 0 ? 0 : weights.NodeResourcesBalancedAllocation, 'taint-toleration': weights.TaintToleration,
    'inter-pod-affinity': weights.InterPodAffinity, 'pod-topology-spread': weights.PodTopologySpread, 'node-affinity': weights.NodeAffinity,
  }
  const isSaid = balanced !== undefined && scores[BALANCE] > 0 && Object.entries(counts).some(([name, weight]) => weight > 0 !== balanced.includes(name))
  return {
    scores: Object.fromEntries(Object.entries(scores).filter(([, weight]) => weight > 0)),
    resourceWeights: counts,
    ...(isSaid && { resourceWeightsOf: { [BALANCE]: Object.fromEntries(Object.keys(counts).map((name) => [name, balanced.includes(name) ? 1 : 0])) } }),
    ...(shape !== undefined && { shape }),
  }
}
