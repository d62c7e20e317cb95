import { runningTasks, type GangPart, type JobId, type NodeId, type NodeTree, type ResourceId, type Round } from '@sched/core'
import type { GroupsByLevel } from './groups-by-level.js'
import { freeNow, Packing, type TasksAtOnce } from './packing.js'

/** Whether the nodes in sight have room for all stages of a gang together, in one group or not. */
export const hasRoomForAll = (job: JobId, round: Round): boolean =>
  new Packing(partsOf(job, round), round.nodes, round.cluster, freeNow(round.cluster)).all() !== undefined

/** Places a gang of several stages that must be in one group of a level. It places all stages together, so that no stage takes the room of a later one. */
export class WholeGang {
  readonly #groups: GroupsByLevel
  readonly #tree: NodeTree

  constructor(groups: GroupsByLevel, tree: NodeTree) {
    this.#groups = groups
    this.#tree = tree
  }

  /**
   * Writes the nodes of the gang's tasks to `places`, in the order in which tasks are claimed; nothing if no group has room. The group is `taken`, in which the
   * job already is, or else the one with the fewest nodes that have room. Inside it, all tasks are in one lower group (a rack, ...) if one holds them, the
   * lowest level first. Otherwise each stage is in as few racks as possible, and if that leaves too little room for a later stage, wherever it fits.
   */
  plan(level: number, job: JobId, round: Round, taken: number | undefined, places: NodeId[]): void {
    const { cluster } = round
    const parts = partsOf(job, round)
    const found = this.#groups.at(level)?.placesOfAll(parts, cluster, (group) => taken === undefined || group === taken)
    if (found === undefined) return
    const isInside = (_: number, nodes: readonly NodeId[]) => cluster.group(level, nodes[0] as NodeId) === found.group
    for (let below = 1; below < level; below++) {
      const nearer = this.#groups.at(below)?.placesOfAll(parts, cluster, isInside)
      if (nearer !== undefined) return void places.push(...nearer.places)
    }
    places.push(...(level <= 1 ? found.places : (this.#inRacks(parts, found.nodes, round) ?? found.places)))
  }

  /** Places stage by stage, each in as few racks as possible with the room that the stages before it leave, near those; undefined if a stage has no room. */
  #inRacks(parts: readonly TasksAtOnce[], nodes: readonly NodeId[], { cluster }: Round): readonly NodeId[] | undefined {
    const packing = new Packing(parts, nodes, cluster, freeNow(cluster))
    const room = new Int32Array(cluster.nodes)
    const places: NodeId[] = []
    for (const [p, { tasks }] of parts.entries()) {
      let all = 0
      for (const [i, node] of nodes.entries()) all += room[node] = packing.room(p, i)
      if (all < tasks) return undefined
      const chosen: NodeId[] = []
      this.#tree.choose(room, tasks, chosen, { first: places.map((node) => this.#tree.leafOf(node)) })
      for (const node of chosen) packing.take(p, nodes.indexOf(node), 1)
      places.push(...chosen)
    }
    return places
  }
}

/**
 * Parts of the job, by default those that must start together, with their room on each node. Only nodes in sight that are not barred for the job count; for tasks that may
 * not share a node with one another only nodes on which no such task of the job runs.
 */
export function partsOf(job: JobId, round: Round, parts: readonly Pick<GangPart, 'shape' | 'tasks'>[] = round.work.parts(job, round.lane)): readonly TasksAtOnce[] {
  const { work, lane, nodes, cluster, bars } = round
  const inSight = new Uint8Array(cluster.nodes)
  for (const node of nodes) if (bars?.(job, node) !== true) inSight[node] = 1
  const alone = new Set(runningTasks(job, lane, work).filter((task) => work.isDistinct(work.shapeOf(task))).map((task) => work.nodeOf(task)))
  return parts.map(({ shape, tasks }) => {
    const isDistinct = work.isDistinct(shape)
    const most = (node: NodeId) => (inSight[node] === 1 && !(isDistinct && alone.has(node)) ? cluster.couldTake(shape, node) : 0)
    return { tasks, demand: (r: ResourceId) => work.demand(shape, r), most, isDistinct }
  })
}
