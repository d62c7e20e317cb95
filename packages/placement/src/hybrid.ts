import {
  definePlacement, forwarding, kindOfHardware, LowestNodes, None, resourceNamed, SchedError, suggest,
  type ClusterView, type Env, type JobId, type NodeId, type Placement, type Plug, type Random, type ResourceId, type Round,
} from '@sched/core'
import * as z from '@sched/bundled/zod'
import { locality } from './locality.js'
import { NodeIndex } from './scored/node-index.js'

const hybridOptions = z.strictObject({
  spreadThreshold: z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe(
      'nodes that are used less than this part count as unused: they are filled in order; the others by least use (scheduler_spread_threshold)',
    ),
  topKFraction: z.number().min(0).max(1).default(0.2).describe('the node is drawn among this part of those in sight, the best of them (scheduler_top_k_fraction)'),
  topKAbsolute: z.int().min(1).default(1).describe('or among so many, where that is more (scheduler_top_k_absolute)'),
  avoidGpuNodes: z.boolean().default(true).describe('tasks that ask no GPU, nor any other device, go to nodes without, where one has room (scheduler_avoid_gpu_nodes)'),
  preferred: z.string().optional().describe('the node of the driver: taken if it is as good as the best; of jobs with data: a node that has data of a task'),
  resources: z.array(z.string()).optional().describe('whose use counts, the largest of them; default: processors and memory, or all but devices where the cluster has neither'),
})
/** Options of `hybrid`; all may be left out. */
export type HybridOptions = z.input<typeof hybridOptions>

/**
 * Fills nodes in order up to a threshold of use, and spreads tasks above it. The use of a node is the largest used part of its processors and
 * memory before the task is there; below the threshold it counts as 0. The node is drawn at random among the few with the least use, where ties go
 * to the lowest. A node with data of a task of the job, or else that of the driver, is taken if it is as good as the best.
 *
 * Source: Ray, hybrid_scheduling_policy.cc, and its lease policy for data. Deviations: if no node has room, tasks wait in one queue, not at a node that
 * would hold them if it were empty; of several nodes with data the lowest counts, not the one with the most bytes.
 */
export const hybridPlacement = definePlacement({
  name: 'hybrid',
  summary: 'nodes in order up to a threshold of use, then the node used least, drawn among the best few',
  source: "Ray, hybrid scheduling policy (the strategy DEFAULT)",
  options: hybridOptions,
  create: (options, env): Placement => new Hybrid(options, env),
})

/** Nodes in order up to a threshold of use, then the node used least: Ray's default. */
export const hybrid = (options: HybridOptions = {}): Plug<'placement'> => hybridPlacement.plug({}, options)

class Hybrid implements Placement {
  readonly #options: z.output<typeof hybridOptions>
  readonly #random: Random
  readonly #nearest: Placement
  readonly #driver: NodeId | None
  /** The resources whose use counts. */
  readonly #counted: readonly ResourceId[]
  readonly #gpus: readonly ResourceId[]
  /** Index of the nodes by use, for the cluster seen last. */
  #uses: NodeIndex | undefined
  #cluster: ClusterView | undefined
  /** Knows shapes that fit nowhere, so that not every node has to be asked. */
  readonly #byShape = new LowestNodes()

  constructor(options: z.output<typeof hybridOptions>, env: Env) {
    const { cluster } = env
    this.#options = options
    this.#random = env.random('hybrid')
    this.#nearest = locality().create(env)
    this.#gpus = idsOf(cluster).filter((id) => isDevice(cluster, id))
    this.#counted = options.resources?.map((name) => resourceNamed(name, cluster.resources, 'resources')) ?? usualOf(cluster)
    this.#driver = options.preferred === undefined ? None : nodeOf(cluster, options.preferred)
    Object.assign(this, forwarding(this.#nearest))
  }

  pick(job: JobId, round: Round): NodeId | None {
    const { cluster, lane, nodes, work } = round
    if (nodes.length === cluster.nodes && this.#byShape.find(work.shape(job, lane), job, round) === None) return None
    if (!this.#options.avoidGpuNodes || this.#asksGpus(job, round)) return this.#pickAmong(job, round, () => true)
    const node = this.#pickAmong(job, round, (each) => !this.#hasGpus(each, round.cluster))
    return node === None && this.#gpus.length > 0 ? this.#pickAmong(job, round, () => true) : node
  }

  #pickAmong(job: JobId, round: Round, isAllowed: (node: NodeId) => boolean): NodeId | None {
    const useOf = this.#useIn(round)
    const most = Math.max(this.#options.topKAbsolute, Math.floor(round.nodes.length * this.#options.topKFraction))
    const { unused, used } = fittingNodes(job, round, isAllowed, useOf, most)
    if (unused.length + used.length === 0) return None
    const least = unused.length > 0 ? 0 : used.reduce((so, node) => Math.min(so, useOf(node)), Infinity)
    const preferred = this.#preferred(job, round)
    if (preferred !== None && isAllowed(preferred) && useOf(preferred) <= least) return preferred
    const at = Math.floor(this.#random() * Math.min(most, unused.length + used.length))
    return at < unused.length ? (unused[at] as NodeId) : nth(used, at - unused.length, (a, b) => useOf(a) - useOf(b) || a - b)
  }

  /** The function that gives the use of a node; with all nodes in sight from an index that the log of changes keeps current. */
  #useIn({ cluster, nodes }: Round): (node: NodeId) => number {
    if (nodes.length < cluster.nodes) return (node) => this.#use(node, cluster)
    if (cluster !== this.#cluster) this.#uses = new NodeIndex(cluster, (node) => this.#use(node, cluster))
    this.#cluster = cluster
    const uses = this.#uses as NodeIndex
    uses.refresh()
    return (node) => uses.score(node)
  }

  /** The node that is taken if it is as good as the best; a task of the job fits on it. `None`: there is none. */
  #preferred(job: JobId, round: Round): NodeId | None {
    const { work, lane, nodes } = round
    if (work.hasData(job, lane)) {
      const node = this.#nearest.pick(job, round)
      if (node !== None && work.taskFor(job, lane, node, 0) !== None) return node
    }
    const driver = this.#driver
    const isInSight = driver !== None && (nodes.length === round.cluster.nodes || nodes.includes(driver))
    return isInSight && round.fits(job, driver) ? driver : None
  }

  /** The use of a node: the largest used part of the counted resources, 0 below the threshold; in single precision, as in Ray. */
  #use(node: NodeId, cluster: ClusterView): number {
    let highest = 0
    for (const resource of this.#counted) {
      const total = cluster.total(node, resource)
      if (total > 0) highest = Math.max(highest, Math.fround(1 - cluster.free(node, resource) / total))
    }
    return highest < Math.fround(this.#options.spreadThreshold) ? 0 : highest
  }

  #asksGpus(job: JobId, { work, lane }: Round): boolean {
    const shape = work.shape(job, lane)
    return this.#gpus.some((resource) => work.demand(shape, resource) > 0)
  }

  #hasGpus(node: NodeId, cluster: ClusterView): boolean {
    return this.#gpus.some((resource) => cluster.total(node, resource) > 0)
  }
}

/** The nodes in sight on which the job's next task fits, lowest first: nodes of use 0 and others apart. It stops once it has `most` of the former. */
function fittingNodes(job: JobId, round: Round, isAllowed: (node: NodeId) => boolean, useOf: (node: NodeId) => number, most: number): { unused: NodeId[]; used: NodeId[] } {
  const { cluster, lane, nodes } = round
  const unused: NodeId[] = []
  const used: NodeId[] = []
  const consider = (node: NodeId): void => {
    if (isAllowed(node) && round.fits(job, node)) (useOf(node) === 0 ? unused : used).push(node)
  }
  if (nodes.length < cluster.nodes) [...nodes].sort((a, b) => a - b).forEach(consider)
  else for (let node = cluster.nextWithRoom(lane, 0); node !== None && unused.length < most; node = cluster.nextWithRoom(lane, node + 1)) consider(node)
  return { unused, used }
}

const idsOf = (cluster: ClusterView): ResourceId[] => cluster.resources.map((_, id) => id as ResourceId)
const isDevice = (cluster: ClusterView, id: ResourceId): boolean => cluster.deviceSize(id) > 0 || /^gpus?$/i.test(cluster.resources[id] as string)

function usualOf(cluster: ClusterView): ResourceId[] {
  const usual = [kindOfHardware('cores', cluster.resources), kindOfHardware('memory', cluster.resources)].filter((id) => id >= 0) as ResourceId[]
  return usual.length > 0 ? usual : idsOf(cluster).filter((id) => !isDevice(cluster, id))
}

function nodeOf(cluster: ClusterView, name: string): NodeId {
  for (let node = 0 as NodeId; node < cluster.nodes; node++) if (cluster.name(node) === name) return node
  const known = Array.from({ length: Math.min(cluster.nodes, 1000) }, (_, node) => cluster.name(node as NodeId))
  throw new SchedError('BAD_OPTION', `the cluster has no node "${name}".`, { field: 'preferred' }, suggest(name, known))
}

/** The item that would be at index `n` if the items were sorted; reorders them. */
function nth<T>(items: T[], n: number, compare: (a: T, b: T) => number): T {
  for (let low = 0, high = items.length - 1; low < high; ) {
    const pivot = items[(low + high) >> 1] as T
    let [from, to] = [low, high]
    while (from <= to) {
      while (compare(items[from] as T, pivot) < 0) from++
      while (compare(items[to] as T, pivot) > 0) to--
      if (from > to) break
      ;[items[from], items[to]] = [items[to] as T, items[from] as T]
      from++
      to--
    }
    if (n <= to) high = to
    else if (n >= from) low = from
    else break
  }
  return items[n] as T
}
