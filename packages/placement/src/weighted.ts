import {
  amountsByName, definePlacement, forwarding, LowestNodes, None, Reason, SchedError, suggest, type ClusterView, type Env, type JobId, type KeptBack, type NodeId,
  type Placement, type Plug, type Round, type TaskId,
} from '@sched/core'
import * as z from '@sched/bundled/zod'
import { balancedAllocation, balanceImprovement, leastAllocated, mostAllocated } from './scored/allocated.js'
import type { Score } from './scored/best-by.js'
import { capacityRatio, type ShapePoint } from './scored/capacity-ratio.js'
import { company } from './scored/by-company.js'
import { BesideCompany } from './scored/beside-company.js'
import { ByShape } from './scored/by-shape.js'
import { alignment, freeAmount, freePart, fullness, nearness, percentFull, scarcity, strategyFit } from './scored/scores.js'
import type { Mates } from './rules/mates.js'
import { Preferences } from './rules/preferences.js'
import { TaskRules } from './rules/task-rules.js'
import { Proportional, type Keeps } from './scored/proportional.js'
import { QueueLabels } from './scored/queue-labels.js'
import type { ShapeScore } from './scored/shape-indexes.js'
import { TaskCounts } from './scored/task-counts.js'

const names = ['best-fit', 'worst-fit', 'binpack', 'dot-product', 'locality', 'pack', 'spread', 'speed', 'least-allocated', 'most-allocated', 'balanced-allocation', 'requested-to-capacity-ratio', 'binpack-percentage', 'strategy-fit-percentage', 'scarcity-percentage', 'balance-improvement', 'taint-toleration', 'inter-pod-affinity', 'pod-topology-spread', 'node-affinity', 'queue-labels'] as const
type ScoreName = (typeof names)[number]
/** Scores that are percentages (whole ones in those of kube-scheduler) and are added as they are, without normalisation. */
const percentages = ['least-allocated', 'most-allocated', 'balanced-allocation', 'requested-to-capacity-ratio', 'binpack-percentage', 'strategy-fit-percentage', 'scarcity-percentage', 'balance-improvement'] as const satisfies readonly ScoreName[]
const asTheyAre: ReadonlySet<string> = new Set(percentages)
/** The score that compares a node's taints with the most that any node in question has. */
const TAINTS = 'taint-toleration' satisfies ScoreName
/** The scores by what jobs themselves prefer. */
const preferences = ['inter-pod-affinity', 'pod-topology-spread', 'node-affinity'] as const satisfies readonly ScoreName[]
/** The score by what is said of queues. */
const OF_QUEUES = 'queue-labels' satisfies ScoreName
/** The scores that are computed apart from the others. */
const apart: ReadonlySet<string> = new Set([TAINTS, ...preferences, OF_QUEUES])

const label = z.union([z.string(), z.array(z.string()).min(1)])
const weightedOptions = z.strictObject({
  scores: z
    .partialRecord(z.enum(names), z.number().nonnegative())
    .default({ 'worst-fit': 1 })
    .describe(`weight of each score, of ${names.join(', ')}; every score is brought to 0..1 over the nodes in question, but for those that end in -allocated, -allocation, -ratio, -percentage and -improvement, which are percentages, and for taint-toleration, 0 for the most taints that the task does not tolerate of those that keep nobody off, 1 for none; ${preferences.join(', ')} are percentages by the \`placementRules\` of jobs that are preferences; queue-labels are those of \`queueLabels\``),
  resourceWeights: z
    .record(z.string(), z.number().nonnegative())
    .default({})
    .describe('what a resource counts in `binpack` and scores that end in -percentage, -allocated and -ratio, and whether it does in `balanced-allocation` and `balance-improvement` (0: no); default 1 each'),
  resourceWeightsOf: z
    .partialRecord(z.enum(['binpack', ...percentages]), z.record(z.string(), z.number().nonnegative()))
    .default({})
    .describe('the same of single scores, such as `balanced-allocation: { gpu: 0 }`, in place of `resourceWeights`; default 1 each'),
  shape: z
    .array(z.strictObject({
      utilization: z.number().int().min(0).max(100).describe('part of a resource that would be in use with the task, percent'),
      score: z.number().int().min(0).max(10).describe('score there'),
    }))
    .min(1)
    .refine((points) => points.every(({ utilization }, i) => i === 0 || utilization > (points[i - 1] as ShapePoint).utilization), 'utilizations must rise')
    .default([{ utilization: 0, score: 0 }, { utilization: 100, score: 10 }])
    .describe('of `requested-to-capacity-ratio`: scores from 0 to 10 at parts of a resource that would be in use, in percent; linear between them'),
  strategies: z
    .record(z.string(), z.enum(['least-allocated', 'most-allocated']))
    .default({})
    .describe('of `strategy-fit-percentage`: whether of a resource a node is better of which the least or the most would be in use; default `least-allocated` each'),
  queueLabels: z
    .record(z.string(), z.record(z.string(), z.record(z.string(), z.number())))
    .default({})
    .describe('of `queue-labels`: percent for nodes with a label, for jobs of a queue, `{ queue: { label: { value: 50 } } }`; those of several labels add up'),
  labels: z.record(z.string(), label).default({}).describe('only nodes with these labels; a list of values allows any of them'),
  proportional: z
    .record(z.string(), z.record(z.string(), z.number().nonnegative()))
    .default({})
    .describe('what a task that asks for none of these resources leaves free on a node, of others, for each unit of them that is free there, of devices each thousandth: `{ gpu: { cpu: 4 } }`'),
  antiAffinity: z.enum(['job', 'user', 'queue']).optional().describe('no two tasks of one job, user or queue on a node'),
  percentageOfNodesToScore: z
    .number()
    .int()
    .min(0)
    .max(100)
    .default(100)
    .describe('stop looking for nodes once so many percent of those in question, and at least 100, have room; the next search goes on where this one stopped; 0: 50 less one for every 125 nodes, at least 5, as kube-scheduler by default'),
})
/** Options of `weighted`; all may be left out. */
export type WeightedOptions = z.input<typeof weightedOptions>

/**
 * Filters, then scores: of the nodes on which the task fits and that pass the filters, the one with the largest weighted
 * sum of scores, the lowest of equals. Each score is normalised to 0 for the worst and 1 for the best of these nodes, so
 * that weights compare; scores that are percentages, as in kube-scheduler's resource plug-ins, are not. Filters and the placement rules of jobs hold for
 * the tasks of this scheduler; rules that are preferences count in scores of their own. If a job itself requires labels, see `constraints`.
 *
 * With `percentageOfNodesToScore` below 100 only so many nodes are scored: the first that pass, from where the last search
 * stopped. Of equals the first is taken, where kube-scheduler draws one at random.
 *
 * Source: filter, score, normalise and sum as in the scheduling framework of Kubernetes; `numFeasibleNodesToFind` of kube-scheduler.
 */
export const weightedPlacement = definePlacement({
  name: 'weighted',
  summary: 'filters by label and anti-affinity, then a weighted sum of scores',
  source: 'Kubernetes scheduling framework: filter, score, normalise',
  options: weightedOptions,
  create: (options, env) => new Weighted(options, env),
})

/** Filters, then a weighted sum of scores. */
export const weighted = (options: WeightedOptions = {}): Plug<'placement'> => weightedPlacement.plug({}, options)

/** The least number, and the least percentage, of nodes that kube-scheduler scores. */
const LEAST_NODES = 100
const LEAST_PERCENTAGE = 5

class Weighted implements Placement {
  /** The scores that are normalised to 0..1. */
  readonly #scores: readonly { readonly score: Score; readonly weight: number }[]
  /** The weighted sum of the percentages; `undefined`: there are none. */
  readonly #percentages: ShapeScore | undefined
  readonly #labels: readonly (readonly [string, readonly string[]])[]
  readonly #neighbours: { readonly counts: TaskCounts; readonly groupOf: (job: JobId) => number } | undefined
  /** Set if only one score by free capacity counts, or only percentages do: then the best node by it is the best of all. */
  readonly #alone: ByShape | undefined
  /** Set if percentages count and beside them only where the job's tasks are. */
  readonly #besideCompany: BesideCompany | undefined
  readonly #rules: TaskRules
  /** The placement rules of the task to be placed; `undefined` if none bind it. */
  #mates: Mates | undefined
  readonly #preferences: Preferences
  readonly #hasPreferences: boolean
  readonly #percentage: number
  /** Weight of the score for taints that do not keep tasks off; 0 if it does not count. */
  readonly #taints: number
  /** What is kept in proportion on nodes; absent where nothing is. */
  readonly #proportional: Proportional | undefined
  /** The nodes on which the task to be placed leaves enough of that; undefined: it need not. */
  #keeps: Keeps | undefined
  /** What is said of queues; absent where it does not count. */
  readonly #queueLabels: QueueLabels | undefined
  readonly #ofQueues: number
  /** Index among the nodes in sight at which the next search begins, if not all are scored. */
  #from = 0
  /** Knows shapes that fit nowhere, so that not every node has to be asked. */
  readonly #byShape = new LowestNodes()
  readonly #nodes: NodeId[] = []
  readonly #sums: number[] = []
  readonly #values: number[] = []

  constructor({ scores, resourceWeights, resourceWeightsOf, shape, strategies, queueLabels, labels, proportional, antiAffinity, percentageOfNodesToScore }: z.output<typeof weightedOptions>, env: Env) {
    const perJob = new TaskCounts(env.cluster)
    const weights = amountsByName(resourceWeights, env.cluster.resources, 'weighted.resourceWeights', 1)
    const own = new Map(Object.entries(resourceWeightsOf).map(([name, given]) => [name, amountsByName(given, env.cluster.resources, `weighted.resourceWeightsOf.${name}`, 1)]))
    const filled = Object.fromEntries(Object.entries(strategies).map(([name, strategy]) => [name, strategy === 'most-allocated' ? 1 : 0]))
    const rules: ScoreRules = { weightsOf: (name) => own.get(name) ?? weights, shape, most: amountsByName(filled, env.cluster.resources, 'weighted.strategies', 0) }
    const counting = Object.entries(scores).filter(([name, weight]) => weight > 0 && !apart.has(name))
    this.#taints = env.cluster.hasSoftTaints ? (scores[TAINTS] ?? 0) : 0
    this.#ofQueues = scores[OF_QUEUES] ?? 0
    this.#queueLabels = this.#ofQueues > 0 && Object.keys(queueLabels).length > 0 ? new QueueLabels(queueLabels, env) : undefined
    const [asTheyCome, scaled] = [true, false].map((isAsItIs) => counting.filter(([name]) => asTheyAre.has(name) === isAsItIs)) as [typeof counting, typeof counting]
    this.#scores = scaled.map(([name, weight]) => ({ score: scoreOf(name as ScoreName, perJob, rules), weight }))
    this.#percentages = asTheyCome.length === 0 ? undefined : sumOf(asTheyCome.map(([name, weight]) => ({ score: shapeScore(name as ScoreName, rules) as ShapeScore, weight })))
    this.#labels = Object.entries(labels).map(([key, values]) => [key, typeof values === 'string' ? [values] : values])
    checkLabels(this.#labels, env.cluster)
    this.#proportional = Object.keys(proportional).length === 0 ? undefined : new Proportional(proportional, env)
    if (this.#proportional !== undefined) env.hasRules?.()
    this.#neighbours = antiAffinity === undefined ? undefined : neighbours(antiAffinity, env)
    this.#percentage = percentageOfNodesToScore
    const only = this.#taints > 0 ? undefined : scaled.length === 0 ? this.#percentages : counting.length === 1 ? shapeScore(counting[0]?.[0] as ScoreName, rules) : undefined
    this.#alone = only && new ByShape(only, { passes: (job, node, { cluster }) => this.#passes(job, node, cluster), enough: (nodes) => enoughOf(nodes, percentageOfNodesToScore) })
    const company = scaled.flatMap(([name, weight]) => (name === 'pack' || name === 'spread' ? [{ sign: name === 'pack' ? (1 as const) : (-1 as const), weight }] : []))
    const isAllCompany = this.#taints === 0 && company.length > 0 && company.length === scaled.length
    this.#besideCompany = isAllCompany && this.#percentages
      ? new BesideCompany(this.#percentages, company, perJob, env.cluster, (job, node, cluster) => this.#passes(job, node, cluster))
      : undefined
    this.#rules = new TaskRules('weighted', env, perJob)
    const [affinity, spread, nodes] = preferences.map((name) => scores[name] ?? 0) as [number, number, number]
    this.#preferences = new Preferences(env.cluster, { affinity, spread, nodes })
    this.#hasPreferences = affinity + spread + nodes > 0
    env.heedsPlacementRules?.(this.#hasPreferences)
    Object.assign(this, forwarding(perJob.hooks, this.#neighbours?.counts.hooks, this.#rules.hooks))
  }

  pick(job: JobId, round: Round): NodeId | None {
    this.#keeps = this.#proportional?.of(job, round)
    if (!this.#rules.areAny) return this.#pick(job, round)
    const mates = this.#rules.of(job, round)
    this.#mates = mates?.areBound === true ? mates : undefined
    return mates !== undefined && this.#hasPreferences && this.#preferences.areAny(mates) ? this.#pickScored(job, round, mates) : this.#pick(job, round)
  }

  /** Whether rules bind the job, by which other tasks may keep it off nodes that have room. */
  confines(job: JobId, round: Round): boolean {
    return this.#rules.of(job, round)?.areBound === true || this.#proportional?.of(job, round) !== undefined
  }

  keepsBack(job: JobId, round: Round): KeptBack | undefined {
    const keeps = this.#proportional?.of(job, round)
    const roomy = keeps === undefined ? [] : round.nodes.filter((node) => round.fits(job, node))
    if (keeps !== undefined && roomy.length > 0 && !roomy.some((node) => keeps(node, round.cluster))) return { reason: Reason.Rule, limit: 'proportional' }
    const mates = this.#rules.of(job, round)
    const bars = mates?.areBound === true ? round.nodes.filter((node) => round.fits(job, node)).map((node) => mates.barOn(node)) : []
    return bars.length === 0 || bars.includes(undefined) ? undefined : { reason: Reason.Rule, limit: [...new Set(bars)].join(', ') }
  }

  wouldAllow(job: JobId, node: NodeId, without: readonly TaskId[], round: Round): boolean {
    const mates = this.#rules.of(job, round)
    this.#mates = undefined // what rules say is asked without those who would go
    this.#keeps = this.#proportional?.of(job, round)
    return this.#passes(job, node, round.cluster) && (mates === undefined || this.#rules.wouldAllow(mates, node, without))
  }

  #pick(job: JobId, round: Round): NodeId | None {
    const isOfQueue = this.#queueLabels?.of(job) !== undefined
    if (this.#alone !== undefined && !isOfQueue) return this.#alone.pick(job, round)
    const { lane, nodes, work } = round
    const isOfAll = enoughOf(nodes.length, this.#percentage) >= nodes.length
    if (isOfAll && nodes.length === round.cluster.nodes && this.#byShape.find(work.shape(job, lane), job, round) === None) return None
    const beside = isOfAll && !isOfQueue ? this.#besideCompany?.pick(job, round) : undefined
    return beside ?? this.#pickScored(job, round)
  }

  /** Scores the nodes one by one; `mates`: also by what the task prefers. */
  #pickScored(job: JobId, round: Round, mates?: Mates): NodeId | None {
    this.#collect(job, round)
    for (const { score, weight } of this.#scores) this.#add(score, weight, job, round)
    if (this.#percentages !== undefined || this.#taints > 0 || mates !== undefined || this.#queueLabels !== undefined) this.#addPercentages(job, round, mates)
    let best = -1
    for (let i = 0; i < this.#nodes.length; i++) if (best < 0 || (this.#sums[i] as number) > (this.#sums[best] as number)) best = i
    return best < 0 ? None : (this.#nodes[best] as NodeId)
  }

  #collect(job: JobId, round: Round): void {
    this.#nodes.length = 0
    this.#sums.length = 0
    const { cluster, lane, nodes } = round
    const add = (node: NodeId): void => {
      if (!round.fits(job, node) || !this.#passes(job, node, cluster)) return
      this.#nodes.push(node)
      this.#sums.push(0)
    }
    const enough = enoughOf(nodes.length, this.#percentage)
    if (enough < nodes.length) this.#from = this.#search(nodes, enough, add)
    else if (nodes.length < cluster.nodes) nodes.forEach(add)
    else for (let node = cluster.nextWithRoom(lane, 0); node !== None; node = cluster.nextWithRoom(lane, node + 1)) add(node)
  }

  /** Adds nodes from where the last search stopped until there are enough; returns where this one stops. */
  #search(nodes: readonly NodeId[], enough: number, add: (node: NodeId) => void): number {
    let at = this.#from % nodes.length
    for (let looked = 0; looked < nodes.length && this.#nodes.length < enough; looked++) {
      add(nodes[at] as NodeId)
      at = (at + 1) % nodes.length
    }
    return at
  }

  #passes(job: JobId, node: NodeId, cluster: ClusterView): boolean {
    for (const [key, values] of this.#labels) if (!values.includes(cluster.label(node, key) ?? '')) return false
    if (this.#mates !== undefined && !this.#mates.mayBeOn(node)) return false
    if (this.#keeps !== undefined && !this.#keeps(node, cluster)) return false
    return this.#neighbours === undefined || this.#neighbours.counts.onNode(this.#neighbours.groupOf(job), node) === 0
  }

  /** Adds a score to the sums, from 0 for the worst node to `weight` for the best; nothing if all nodes are equal. */
  #add(score: Score, weight: number, job: JobId, round: Round): void {
    const values = this.#values
    let [least, most] = [Infinity, -Infinity]
    for (let i = 0; i < this.#nodes.length; i++) {
      const value = score(this.#nodes[i] as NodeId, job, round)
      values[i] = value
      least = Math.min(least, value)
      most = Math.max(most, value)
    }
    if (most === least) return
    for (let i = 0; i < this.#nodes.length; i++) this.#sums[i] = (this.#sums[i] as number) + (weight * ((values[i] as number) - least)) / (most - least)
  }

  /** Adds the scores that are percentages. They are summed before the division by 100, so that sums are exact with whole weights. */
  #addPercentages(job: JobId, { cluster, lane, work }: Round, mates: Mates | undefined): void {
    const preferred = mates && this.#preferences.sums(mates, this.#nodes)
    const ofQueue = this.#queueLabels?.of(job)
    const shape = work.shape(job, lane)
    const most = this.#taints === 0 ? 0 : this.#nodes.reduce((known, node) => Math.max(known, work.softTaints(shape, node)), 0)
    for (let i = 0; i < this.#nodes.length; i++) {
      const node = this.#nodes[i] as NodeId
      const tolerated = most === 0 ? 0 : this.#taints * (100 - Math.floor((100 * work.softTaints(shape, node)) / most))
      this.#sums[i] = (this.#sums[i] as number) + ((this.#percentages?.(node, shape, lane, cluster, work) ?? 0) + tolerated + (preferred?.[i] ?? 0) + this.#ofQueues * (ofQueue?.[node] ?? 0)) / 100
    }
  }
}

/** The weighted sum of percentages, which is exact with whole weights. */
function sumOf(parts: readonly { readonly score: ShapeScore; readonly weight: number }[]): ShapeScore {
  return (node, shape, lane, cluster, work) => {
    let sum = 0
    for (let i = 0; i < parts.length; i++) {
      const { score, weight } = parts[i] as (typeof parts)[number]
      sum += weight * score(node, shape, lane, cluster, work)
    }
    return sum
  }
}

/** The number of nodes with room that are enough to choose from. */
function enoughOf(nodes: number, percentage: number): number {
  const part = percentage === 0 ? Math.max(LEAST_PERCENTAGE, 50 - Math.floor(nodes / 125)) : percentage
  return Math.max(LEAST_NODES, Math.floor((nodes * part) / 100))
}

/** Throws an error if no node passes the filter by labels: every job would wait for ever. */
function checkLabels(labels: readonly (readonly [string, readonly string[]])[], cluster: ClusterView): void {
  for (const [key] of labels)
    if (!cluster.labels.includes(key))
      throw new SchedError(
        'UNKNOWN_NAME',
        `no node has a label "${key}".`,
        { field: 'weighted.labels' },
        cluster.labels.length === 0 ? 'Give the nodes `labels`.' : suggest(key, cluster.labels),
      )
  const passes = (node: number) => labels.every(([key, values]) => values.includes(cluster.label(node as NodeId, key) ?? ''))
  for (let node = 0; node < cluster.nodes; node++) if (passes(node)) return
  throw new SchedError(
    'BAD_OPTION',
    `no node has the labels ${labels.map(([key, values]) => `${key} = ${values.join(' or ')}`).join(', ')}.`,
    { field: 'weighted.labels' },
    'Choose values that nodes have.',
  )
}

/** Options on which scores depend. */
interface ScoreRules {
  /** The weights by resource for a score. */
  readonly weightsOf: (name: ScoreName) => ArrayLike<number>
  readonly shape: readonly ShapePoint[]
  /** 1 for resources of which nodes are better that have most in use, 0 for others. */
  readonly most: ArrayLike<number>
}

function scoreOf(name: ScoreName, counts: TaskCounts, rules: ScoreRules): Score {
  const byShape = shapeScore(name, rules)
  if (byShape !== undefined) return (node, job, { lane, cluster, work }) => byShape(node, work.shape(job, lane), lane, cluster, work)
  if (name === 'locality') return nearness
  const together = company(counts)
  return name === 'pack' ? together : (node, job, round) => -together(node, job, round)
}

/** A score by what is free; `undefined` for one that depends on where the job's tasks and data are, or on all nodes in question. */
function shapeScore(name: ScoreName, { weightsOf, shape, most }: ScoreRules): ShapeScore | undefined {
  const weights = weightsOf(name)
  switch (name) {
    case 'best-fit':
      return (node, _shape, lane, cluster) => -freeAmount(node, lane, cluster)
    case 'worst-fit':
      return (node, _shape, lane, cluster) => freePart(node, lane, cluster)
    case 'binpack':
      return fullness(weights)
    case 'dot-product':
      return alignment
    case 'speed':
      return (node, _shape, _lane, cluster) => cluster.speed(node)
    case 'least-allocated':
      return leastAllocated(weights)
    case 'most-allocated':
      return mostAllocated(weights)
    case 'balanced-allocation':
      return balancedAllocation(weights)
    case 'requested-to-capacity-ratio':
      return capacityRatio(shape, weights)
    case 'balance-improvement':
      return balanceImprovement(weights)
    case 'binpack-percentage':
      return percentFull(weights)
    case 'strategy-fit-percentage':
      return strategyFit(weights, most)
    case 'scarcity-percentage':
      return scarcity(weights)
    case 'locality':
    case 'pack':
    case 'spread':
    case 'taint-toleration':
    case 'inter-pod-affinity':
    case 'pod-topology-spread':
    case 'node-affinity':
    case 'queue-labels':
      return undefined
  }
}

function neighbours(kind: 'job' | 'user' | 'queue', { cluster, work }: Env) {
  const groupOf = (job: JobId): number => (kind === 'job' ? job : kind === 'user' ? work.user(job) : work.queue(job))
  return { counts: new TaskCounts(cluster, groupOf), groupOf }
}
