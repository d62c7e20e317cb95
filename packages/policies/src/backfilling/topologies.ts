import { NodeTree, SchedError, type ClusterView, type JobId, type LaneId, type NodeId, type Round, type Seconds, type WorkView } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { bestRuns } from './node-runs.js'
import { Switches } from './switches.js'

const cluster = z.enum(['flat', 'tree', 'asked'])

export const topologyOptions = {
  topology: cluster
    .default('flat')
    .describe('which of the named nodes with room a job gets: flat, runs of consecutive ones by best fit; tree, as few racks as can be, near each other (TopologyPlugin); asked, those of tree for jobs that have a `topology`, of flat for all others (TopologyParam=TopoOptional)'),
  topologies: z
    .record(z.string(), z.union([cluster, z.strictObject({
      switches: z.array(z.strictObject({
        nodes: z.array(z.string()).min(1).describe('names of nodes'),
        racks: z.array(z.string()).min(1).describe('the groups that they are in, from the rack up, as many of all nodes'),
      })).min(1).describe('racks of its own; nodes that are not there are in one more, below all others'),
      asked: z.boolean().optional().describe('for jobs that have a `topology` alone'),
    })]))
    .default({})
    .describe('the same by queue, in place of it, by the racks of the cluster or by others (Topology of partitions)'),
}
type OfQueue = z.output<typeof topologyOptions['topologies']>[string]
/** How nodes are chosen, of a cluster and of the jobs of some queues. */
export interface TopologyOptions {
  readonly topology: z.output<typeof cluster>
  readonly topologies: Readonly<Record<string, OfQueue>>
  /** Seconds for which a job waits at most for nodes as near each other as it asks. */
  readonly switchWait: Seconds
}

/** Jobs of one topology: how nodes are chosen for them. */
interface Chosen {
  /** Absent where nodes are chosen by runs; and whether that is so of jobs that ask for nothing. */
  readonly tree?: NodeTree
  readonly switches?: Switches
  readonly isAsked: boolean
}

/**
 * How nodes are chosen for jobs: by runs of consecutive usable ones, or by a tree of racks, that of the cluster or of their queue.
 *
 * Source: Slurm, TopologyPlugin and topology.yaml, `Topology` of partitions.
 */
export class Topologies {
  readonly #work: WorkView
  readonly #ofOthers: Chosen
  readonly #ofQueues: ReadonlyMap<string, Chosen>
  readonly #all: readonly Chosen[]

  constructor(work: WorkView, view: ClusterView, { topology, topologies, switchWait }: TopologyOptions) {
    this.#work = work
    const chosen = (of: OfQueue): Chosen => {
      if (of === 'flat') return { isAsked: false }
      const tree = new NodeTree(typeof of === 'string' ? view : groupsOf(of.switches, view))
      return { tree, switches: new Switches(work, view, tree, switchWait), isAsked: typeof of === 'string' ? of === 'asked' : of.asked === true }
    }
    this.#ofOthers = chosen(topology)
    this.#ofQueues = new Map(Object.entries(topologies).map(([queue, of]) => [queue, chosen(of)]))
    this.#all = [this.#ofOthers, ...this.#ofQueues.values()]
  }

  begin(round: Round): void {
    for (const { switches } of this.#all) switches?.begin(round)
  }

  /** Whether in the round at this time the job could have started on nodes too far apart for it. */
  isFar(job: JobId, now: Seconds): boolean {
    return this.#of(job).switches?.isFar(job, now) === true
  }

  /** Nodes for so many tasks of the job into `places`, of those with room, which is enough. */
  choose(job: JobId, lane: LaneId, room: Int32Array, tasks: number, places: NodeId[], weights: Float64Array | undefined): void {
    const { tree, isAsked } = this.#of(job)
    if (tree === undefined || (isAsked && this.#work.topology(job, lane) === undefined)) bestRuns(room, tasks, places, weights)
    else tree.choose(room, tasks, places, { weights })
  }

  /** The earliest start on these nodes at a time or later: that time, or the end of the job's wait where they are too far apart. */
  earliest(job: JobId, lane: LaneId, start: Seconds, places: readonly NodeId[]): Seconds {
    return this.#of(job).switches?.earliest(job, lane, start, places) ?? start
  }

  #of(job: JobId): Chosen {
    return (this.#ofQueues.size === 0 ? undefined : this.#ofQueues.get(this.#work.queueName(this.#work.queue(job)))) ?? this.#ofOthers
  }
}

type Groups = Pick<ClusterView, 'nodes' | 'levels' | 'group' | 'groups'>

/** Racks that are named, and what they stand in, as those of a cluster. Throws `BAD_OPTION` where some nodes are in more groups than others. */
function groupsOf(switches: Exclude<OfQueue, string>['switches'], view: ClusterView): Groups {
  const depth = (switches[0] as (typeof switches)[number]).racks.length
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
