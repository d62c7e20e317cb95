import { Reason, type JobId, type NodeId, type Round, type ShapeId } from '@sched/core'
import type { SortedIds } from '../orders/sorted-ids.js'
import { rowOf } from '../shares/vectors.js'
import type { CapacityQueues } from './capacity-queues.js'
import { couldHold } from './node-amounts.js'

/**
 * Defers each waiting job that a limit keeps out of the round, and names that limit: that of running applications, that of the
 * user in the leaf (`user-limit`), or the maximum of the innermost queue that is too small (`maximum-capacity`); of queues that may use as much as the
 * one around them, which are full together, the outermost. It also defers jobs for which their partition, or one that is lent to them, has no room or
 * no node that is large enough. Room that is held back for reservations is not looked at.
 */
export function explainLimits(round: Round, queues: CapacityQueues): void {
  queues.explainRunning(round)
  for (let pot: number = round.lane; pot < queues.pots.count; pot += queues.pots.lanes) explainPot(round, queues, pot)
}

function explainPot(round: Round, queues: CapacityQueues, pot: number): void {
  const { pots, tree, usage, users, limits, quotas } = queues
  const nodes = new NodesOfPot(round, queues, pot)
  for (let leaf = 1; leaf < tree.queues.length; leaf++) {
    if (tree.isInner[leaf] === true || !usage.isListed(leaf, pot)) continue
    const rooms = [...tree.chain(leaf)].map(({ id, path }) => roomOf(queues, id, path, pot))
    const ofUsers = `user-limit ${tree.queue(leaf).path}`
    const isUsersPart = quotas.risesAtAll('guaranteed', tree.queue(leaf), pot)
    const isPart = ({ id, left }: RoomOfQueue, job: JobId) => lackedOf(round, queues, left, job).every((i) => quotas.rises('most', tree.queue(id), pot, i))
    const waiting = queues.waiting.of(leaf, pot)
    for (let i = waiting.from; i < waiting.to; i++) {
      const pair = waiting.ids[i] as number
      const isOver = limits.isOver(pair, pot)
      const { ids, from, to } = users.jobs[pair * pots.count + pot] as SortedIds
      for (let k = from; k < to; k++) {
        const job = ids[k] as JobId
        const full = isOver ? undefined : fullOne(rooms.filter(({ left }) => !hasRoom(round, queues, left, job)))
        if (isOver) round.defer(job, Reason.Limit, ofUsers, isUsersPart)
        else if (full !== undefined && full.id !== 0) round.defer(job, Reason.Limit, `maximum-capacity ${full.path}`, isPart(full, job))
        else if (full !== undefined || !nodes.haveRoom(job)) round.defer(job, Reason.NoRoom, nodes.name)
      }
    }
  }
}

/** The innermost of these queues, or the outermost of those around it that may use as much. The root may use all nodes of the partition. */
function fullOne(full: readonly RoomOfQueue[]): RoomOfQueue | undefined {
  return full.find(({ most }, i) => full[i + 1]?.most.some((amount, r) => amount !== most[r]) !== false)
}

/** The nodes on which jobs of a pot may start: those of its partition, and those that are lent to it. */
class NodesOfPot {
  /** Where there is no room; `undefined` if jobs may use all nodes, of which everybody sees that. */
  readonly name: string | undefined
  readonly #round: Round
  readonly #own: readonly NodeId[]
  readonly #known = new Map<string, boolean>()

  constructor(round: Round, { pots, isLent }: CapacityQueues, pot: number) {
    const { lane, reach = round.nodes } = round
    const partition = pots.partitionOf(pot)
    this.#round = round
    this.#own = reach.filter((node) => {
      const own = pots.of(lane, node)
      return own === pot || (partition === 0 && isLent[own] === true)
    })
    const label = pots.partitions[partition] ?? ''
    if (pots.partitions.length > 1) this.name = label === '' ? 'in the default partition' : `in partition ${label}`
  }

  /** Whether a node could hold the next task of the job if it were empty; where jobs may use a part of the nodes alone, whether there is room now. */
  haveRoom(job: JobId): boolean {
    const { lane, work } = this.#round
    const shape = work.shape(job, lane)
    const together = work.together(job, lane)
    const key = `${shape} ${together}`
    const known = this.#known.get(key) ?? (this.name === undefined ? this.#own.some((node) => this.#isLarge(shape, node)) : this.#roomFor(shape, together))
    this.#known.set(key, known)
    return known
  }

  #isLarge(shape: ShapeId, node: NodeId): boolean {
    return this.#round.work.mayRunOn(shape, node) && couldHold(shape, node, this.#round)
  }

  #roomFor(shape: ShapeId, together: number): boolean {
    let room = 0
    for (const node of this.#own) {
      if (room >= together) break
      if (this.#isLarge(shape, node)) room += this.#tasksOn(shape, node)
    }
    return room >= together
  }

  /** How many tasks of a shape the node has the amounts for. */
  #tasksOn(shape: ShapeId, node: NodeId): number {
    const { work, cluster, lane } = this.#round
    const tasks = (cluster.lanes[lane]?.resources ?? []).map((r) => (work.demand(shape, r) === 0 ? Infinity : Math.floor(cluster.free(node, r) / work.demand(shape, r))))
    return Math.min(...tasks)
  }
}

/** What a queue may use, and may still use, by counted resource. */
interface RoomOfQueue {
  readonly id: number
  readonly path: string
  readonly most: readonly number[]
  readonly left: readonly number[]
}

function roomOf({ pots: { width, count }, quotas, usage, tree, killable }: CapacityQueues, id: number, path: string, pot: number): RoomOfQueue {
  const first = (id * count + pot) * width
  const free = tree.isInner[id] === true ? killable?.amounts : undefined
  const most = rowOf(quotas.most, id * count + pot, width)
  return { id, path, most, left: most.map((amount, i) => amount - (usage.used[first + i] as number) + (free?.[first + i] ?? 0)) }
}

const hasRoom = (round: Round, queues: CapacityQueues, room: readonly number[], job: JobId): boolean => room.some((left) => left > 0) && lackedOf(round, queues, room, job).length === 0

/** The counted resources of which a job asks for more than is left. */
function lackedOf({ work, lane }: Round, { pots }: CapacityQueues, room: readonly number[], job: JobId): number[] {
  const from = pots.demandAt(work.shape(job, lane), lane)
  const times = work.together(job, lane)
  return [...room.keys()].filter((i) => pots.demands[from + i] !== 0 && times * (pots.demands[from + i] as number) > (room[i] as number))
}
