import {
  nodesByName, NodeTree, SchedError, type ClusterView, type Env, type JobId, type JobSpec, type LaneId, type NodeId, type ResourceId, type Round,
  type Seconds, type Topology, type WorkView,
} from '@sched/core'
import * as z from '@sched/bundled/zod'
import { JobsInBlocks, type NamedBlocks } from './jobs-in-blocks.js'
import { NodeOrder } from './node-order.js'
import { bestRuns, type Spread } from './node-runs.js'
import type { QueuesOfJobs } from './queues-of-jobs.js'
import { Switches } from './switches.js'

const racks = z.enum(['flat', 'tree', 'asked', 'block'])
const blocks = z.strictObject({
  blocks: z.array(z.array(z.string())).min(1).describe('names of the nodes of each base block; those that follow each other are larger blocks'),
  sizes: z.array(z.int().positive()).min(1).optional().describe('nodes of a base block and of the larger blocks that jobs are kept in, each a power of 2 times the first (BlockSizes); default: those of the smallest, and 2, 4, 8 and 16 times as many'),
})

export const topologyOptions = {
  topology: z.union([racks, blocks])
    .default('flat')
    .describe('which of the named nodes with room a job gets: flat, runs of consecutive ones by best fit; tree, as few racks as can be, near each other (TopologyPlugin); asked, those of tree for jobs that have a `topology`, of flat for all others (TopologyParam=TopoOptional); block, those of one block of racks, of the smallest that holds the job, for which it waits (topology/block), or of named blocks'),
  topologies: z
    .record(z.string(), z.union([racks, blocks, z.strictObject({
      switches: z.array(z.strictObject({
        nodes: z.array(z.string()).min(1).describe('names of nodes'),
        racks: z.array(z.string()).min(1).describe('the groups that they are in, from the rack up, as many of all nodes'),
      })).min(1).describe('racks of its own; nodes that are not there are in one more, below all others'),
      asked: z.boolean().optional().describe('for jobs that have a `topology` alone'),
    })]))
    .default({})
    .describe('the same by queue, in place of it, by the racks of the cluster or by others (Topology of partitions)'),
  leastLoaded: z.union([z.boolean(), z.array(z.string())]).default(false)
    .describe('whether jobs, or those of these queues, get the named nodes of which the largest part has room, wherever they are, but for jobs in blocks (CR_LLN of SelectTypeParameters, LLN of partitions)'),
  pack_serial_at_end: z.boolean().default(false).describe('whether jobs of one processor get the last of the named nodes, but for those of `leastLoaded` and in blocks'),
}
type OfQueue = z.output<typeof topologyOptions['topologies']>[string]
/** How nodes are chosen: for the jobs of the cluster, and in place of that for those of some queues. */
interface TopologyOptions {
  readonly topology: z.output<typeof topologyOptions['topology']>
  readonly topologies: Readonly<Record<string, OfQueue>>
  readonly leastLoaded: boolean | readonly string[]
  readonly pack_serial_at_end: boolean
  /** Seconds for which a job waits at most for nodes as near each other as it asks. */
  readonly switchWait: Seconds
}

/** How nodes are chosen for the jobs of one topology. */
interface Chosen {
  /** Absent where nodes are chosen by runs. With `isAsked` it is for jobs that ask for a topology only; the others get runs. */
  readonly tree?: NodeTree
  readonly switches?: Switches
  readonly isAsked: boolean
  readonly blocks?: JobsInBlocks
}

/**
 * How nodes are chosen for jobs: by runs of consecutive usable nodes, by a tree of racks, or by blocks; each is that of the cluster or of the job's
 * queue. All parts of a job that is one gang go by the topology of its queue (in Slurm each by that of its own partition).
 *
 * Source: Slurm, TopologyPlugin and topology.yaml, `Topology` of partitions.
 */
export class Topologies {
  readonly #work: WorkView
  readonly #queues: QueuesOfJobs
  readonly #ofOthers: Chosen
  readonly #ofQueues: ReadonlyMap<string, Chosen>
  readonly #all: readonly Chosen[]
  /** Absent where nodes are never taken one after another. */
  readonly #order: NodeOrder | undefined
  readonly #leastLoaded: boolean | ReadonlySet<string>
  /** With `pack_serial_at_end`: the resource of processors; a job of one task that asks for one of it gets the last nodes. */
  readonly #serial: ResourceId | undefined

  constructor({ work, cluster }: Pick<Env, 'work' | 'cluster'>, queues: QueuesOfJobs, { topology, topologies, switchWait, leastLoaded, pack_serial_at_end: hasSerial }: TopologyOptions) {
    this.#work = work
    this.#queues = queues
    this.#leastLoaded = typeof leastLoaded === 'boolean' ? leastLoaded : new Set(leastLoaded)
    if (leastLoaded !== false || hasSerial) this.#order = new NodeOrder(cluster)
    if (hasSerial) this.#serial = this.#order?.processors('replan.pack_serial_at_end')
    const chosen = (of: OfQueue): Chosen => {
      if (of === 'flat') return { isAsked: false }
      if (of === 'block' || (typeof of === 'object' && 'blocks' in of)) return { isAsked: false, blocks: new JobsInBlocks(work, cluster, of === 'block' ? racksOf(cluster) : blocksOf(of, cluster)) }
      const tree = new NodeTree(typeof of === 'string' ? cluster : groupsOf(of.switches, cluster))
      return { tree, switches: new Switches(work, cluster, tree, switchWait), isAsked: typeof of === 'string' ? of === 'asked' : of.asked === true }
    }
    this.#ofOthers = chosen(topology)
    this.#ofQueues = new Map(Object.entries(topologies).map(([queue, of]) => [queue, chosen(of)]))
    this.#all = [this.#ofOthers, ...this.#ofQueues.values()]
  }

  /** Whether jobs of any queue must be in blocks. */
  get hasBlocks(): boolean {
    return this.#all.some(({ blocks: inBlocks }) => inBlocks !== undefined)
  }

  /** Called before a job is submitted: why no blocks can ever hold it; `undefined` where some can. */
  admits(spec: JobSpec): string | undefined {
    return (this.#ofQueues.get(spec.queue ?? spec.user ?? 'default') ?? this.#ofOthers).blocks?.admits(spec)
  }

  begin(round: Round): void {
    for (const { switches } of this.#all) switches?.begin(round)
  }

  /** Whether the job could have started in the round at this time, but only on nodes too far apart for it. */
  isFar(job: JobId, now: Seconds): boolean {
    const { switches, blocks: inBlocks } = this.#of(job)
    return switches?.isFar(job, now) === true || inBlocks?.isFar(job, now) === true
  }

  /** The blocks that the job must be in, `undefined` where it may be on any nodes. */
  blocksFor(job: JobId): JobsInBlocks | undefined {
    return this.#of(job).blocks
  }

  /**
   * Writes nodes for so many tasks of a job that need not be in blocks to `places`. `room`: tasks that each node can take, enough in total for the `spread`.
   * False: they are not consecutive, and must be. As in Slurm only nodes that are taken in their order are heeded by that.
   */
  choose(job: JobId, lane: LaneId, room: Int32Array, tasks: number, places: NodeId[], weights: Float64Array | undefined, spread?: Spread): boolean {
    const { tree, isAsked } = this.#of(job)
    const isFlat = tree === undefined || (isAsked && !isNear(this.#work.topology(job, lane)?.asked))
    if (this.#isLeastLoaded(job)) this.#order?.leastLoaded(room, tasks, places, weights, spread)
    else if (this.#serial !== undefined && tasks === 1 && this.#work.demand(this.#work.shape(job, lane), this.#serial) === 1) this.#order?.last(room, tasks, places, weights)
    else if (isFlat) return bestRuns(room, tasks, places, weights, spread)
    else tree.choose(room, tasks, places, { weights, nodes: spread?.wanted })
    return true
  }

  #isLeastLoaded(job: JobId): boolean {
    const which = this.#leastLoaded
    return typeof which === 'boolean' ? which : which.has(this.#queues.of(job))
  }

  /** Whether the job may have to wait until nodes near each other are free. */
  asksForNear(job: JobId, lane: LaneId): boolean {
    return this.#of(job).switches !== undefined && this.#work.topology(job, lane)?.asked !== undefined
  }

  /** The earliest start on these nodes from `start` on: `start` itself, or the end of the job's wait where the nodes are too far apart. */
  earliest(job: JobId, lane: LaneId, start: Seconds, places: readonly NodeId[]): Seconds {
    const { switches } = this.#of(job)
    return switches === undefined || this.#isLeastLoaded(job) ? start : switches.earliest(job, lane, start, places)
  }

  #of(job: JobId): Chosen {
    return (this.#ofQueues.size === 0 ? undefined : this.#ofQueues.get(this.#queues.of(job))) ?? this.#ofOthers
  }
}

/** Whether a topology asks for nodes near each other; segments alone mean nothing outside blocks. */
const isNear = ({ required, preferred, racks: most }: Topology = {}): boolean => [required, preferred, most].some((each) => each !== undefined)

type Groups = Pick<ClusterView, 'nodes' | 'levels' | 'group' | 'groups'>

/** Named racks and the groups around them, in the form of those of a cluster. Throws `BAD_OPTION` where some nodes are in more groups than others. */
function groupsOf(switches: readonly { readonly nodes: readonly string[]; readonly racks: readonly string[] }[], view: ClusterView): Groups {
  const depth = switches[0]?.racks.length ?? 0
  const uneven = switches.find(({ racks }) => racks.length !== depth)
  if (uneven !== undefined)
    throw new SchedError('BAD_OPTION', `${uneven.nodes[0] ?? ''} is in ${uneven.racks.length} groups, and others are in ${depth}.`, { field: 'replan.topologies' }, 'Name as many of all nodes.')
  const above = new Map(switches.flatMap(({ nodes, racks }) => nodes.map((name) => [name, racks] as const)))
  const names = Array.from({ length: depth }, () => new Map<string | undefined, number>())
  const groups = names.map((known, level) => Int32Array.from({ length: view.nodes }, (_, node) => {
    const name = above.get(view.name(node as NodeId))?.[level]
    const group = known.get(name) ?? known.size
    known.set(name, group)
    return group
  }))
  return {
    nodes: view.nodes,
    levels: depth + 1,
    group: (level, node) => (level === 0 ? node : (groups[level - 1]?.[node] as number)),
    groups: (level) => (level === 0 ? view.nodes : (names[level - 1]?.size as number)),
  }
}

/** The racks of a cluster as base blocks; the whole cluster as one base block where it has no racks. */
function racksOf(view: ClusterView): NamedBlocks {
  const blocks = Array.from({ length: view.levels > 1 ? view.groups(1) : 1 }, (): NodeId[] => [])
  for (let node = 0 as NodeId; node < view.nodes; node++) blocks[view.levels > 1 ? view.group(1, node) : 0]?.push(node)
  return { blocks, sizes: usualSizes(blocks) }
}

/** Named blocks; names of nodes that the cluster lacks are left out. Throws `BAD_OPTION` for sizes that do not grow or are no power of 2 times the first. */
function blocksOf({ blocks: named, sizes = usualSizes(named) }: z.output<typeof blocks>, view: ClusterView): NamedBlocks {
  const ids = nodesByName(view)
  const odd = sizes.find((size, i) => size <= (sizes[i - 1] ?? 0) || !isPowerOfTwo(size / (sizes[0] as number)))
  if (odd !== undefined) throw new SchedError('BAD_OPTION', `found ${sizes.join()}.`, { field: 'replan.topology.sizes' }, 'Give the nodes of a block, and that number times 2, 4, 8, ...: [18, 72].')
  return { blocks: named.map((names) => names.flatMap((name) => ids.get(name) ?? [])), sizes }
}

/** Default sizes: the nodes of the smallest block, and 2, 4, 8 and 16 times as many, as in Slurm without BlockSizes (`block_levels`). */
const usualSizes = (named: readonly (readonly unknown[])[]): number[] => [1, 2, 4, 8, 16].map((times) => times * Math.max(1, Math.min(...named.map(({ length }) => length))))

const isPowerOfTwo = (number: number): boolean => Number.isInteger(number) && (number & (number - 1)) === 0
