import type { JobId, NodeId, NodeTree, ResourceId, Round, TaskId } from '@sched/core'
import type { GroupsByLevel } from './groups-by-level.js'
import { freeNow, Packing, type TasksAtOnce } from './packing.js'

/** Whether the nodes in sight have room for all stages of a gang, in one group or not. */
export const hasRoomForAll = (job: JobId, round: Round): boolean =>
  new Packing(partsOf(job, round), round.nodes, round.cluster, freeNow(round.cluster)).all() !== undefined

/** Places a gang of several stages that must be in one group of a level: all stages at once, so that no stage takes the room of a later one. */
export class WholeGang {
  readonly #groups: GroupsByLevel
  readonly #tree: NodeTree

  constructor(groups: GroupsByLevel, tree: NodeTree) {
    this.#groups = groups
    this.#tree = tree
  }

  /**
   * The nodes of its tasks into `places`, in the order in which they are claimed; none where no group has room: in the group where the job is, otherwise in the one with
   * the fewest nodes that have room; there in one node or rack if one holds all, or what racks stand in, then stage by stage in the fewest racks, and where that leaves
   * too little as it fits.
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

  /** Each stage in the fewest racks of those that the ones before it leave, near those; `undefined` where there is no room for one of them. */
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

/** What of the job must start at once, on nodes in sight that are not kept from it and have no other task of it where it must be alone. */
function partsOf(job: JobId, { work, lane, nodes, cluster, bars }: Round): readonly TasksAtOnce[] {
  const inSight = new Uint8Array(cluster.nodes)
  for (const node of nodes) if (bars?.(job, node) !== true) inSight[node] = 1
  const running: TaskId[] = []
  work.runningTasks(job, lane, running)
  const alone = new Set(running.filter((task) => work.isDistinct(work.shapeOf(task))).map((task) => work.nodeOf(task)))
  return work.parts(job, lane).map(({ shape, tasks }) => {
    const isDistinct = work.isDistinct(shape)
    const most = (node: NodeId) => (inSight[node] === 1 && !(isDistinct && alone.has(node)) ? cluster.couldTake(shape, node) : 0)
    return { tasks, demand: (r: ResourceId) => work.demand(shape, r), most, isDistinct }
  })
}
