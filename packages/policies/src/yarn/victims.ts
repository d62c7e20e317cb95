import { runningTasks, type JobId, type NodeId, type ResourceId, type Round, type Seconds, type TaskId } from '@sched/core'
import { isWithin } from '../shares/vectors.js'
import type { Queue } from './queue-tree.js'
import type { QueueSharing } from './queue-sharing.js'
import type { LaneAmounts } from './job-shares.js'
import { dominant, isBelow, type Starvation, type StarvedJob } from './starvation.js'

/** A task that will be killed. */
export interface Marked {
  readonly task: TaskId
  readonly job: JobId
  readonly kill: Seconds
}

interface Victim {
  readonly task: TaskId
  readonly job: JobId
}

/** A node and the tasks whose end makes room there for one task; none if the node has room already. */
interface Taken {
  readonly node: NodeId
  readonly tasks: readonly Victim[]
}

/** State of a choice: the tasks left on nodes, what jobs have lost, and what is used of the room that was made. */
type State = [Map<NodeId, readonly Victim[]>, Map<JobId, readonly number[]>, Map<NodeId, readonly number[]>]

/** Chooses the tasks to take in one look, node by node; of a gang all or none. Chosen tasks count as gone for the next choice. */
export class Victims {
  readonly #round: Round
  readonly #sharing: QueueSharing
  readonly #starvation: Starvation
  readonly #capacity: LaneAmounts
  readonly #resources: readonly ResourceId[]
  /** Running tasks by node, in the order in which they are taken, without marked ones. */
  #onNode = new Map<NodeId, readonly Victim[]>()
  /** By task: its gang. */
  readonly #gangs = new Map<TaskId, Victim[]>()
  /** Tasks that are taken last, since more ends with each: masters, and the tasks that a gang must have, if it has others beyond them. */
  readonly #last = new Set<TaskId>()
  /** By job: what it loses with marked and chosen tasks. By node: what starved jobs will use of the room there, less what these tasks free. */
  #gone = new Map<JobId, readonly number[]>()
  #used = new Map<NodeId, readonly number[]>()

  constructor(round: Round, sharing: QueueSharing, starvation: Starvation, capacity: LaneAmounts, marked: readonly Marked[], first: 'newest' | 'oldest') {
    this.#round = round
    this.#sharing = sharing
    this.#starvation = starvation
    this.#capacity = capacity
    this.#resources = round.cluster.lanes[round.lane]?.resources ?? []
    const isMarked = new Set(marked.map(({ task }) => task))
    for (const each of marked) this.#lose([each], 1)
    const { work } = round
    for (const queue of sharing.queues) if (!queue.isParent && queue.mayLose) this.#collect(queue, isMarked)
    const sign = first === 'newest' ? -1 : 1
    const byLast = (a: Victim, b: Victim) => Number(this.#last.has(a.task)) - Number(this.#last.has(b.task))
    const byAge = (a: Victim, b: Victim) => work.started(a.task) - work.started(b.task) || work.rank(a.job) - work.rank(b.job) || a.task - b.task
    for (const [node, tasks] of this.#onNode) this.#onNode.set(node, [...tasks].sort((a, b) => byLast(a, b) || sign * byAge(a, b)))
  }

  #collect({ id }: Queue, isMarked: ReadonlySet<TaskId>): void {
    const { work, lane } = this.#round
    const jobs: JobId[] = []
    this.#sharing.jobs(id, jobs)
    for (const job of jobs) {
      const gangs: Victim[][] = []
      const others = new Set<number>()
      for (const task of runningTasks(job, lane, work)) {
        if (isMarked.has(task)) continue
        const victim = { task, job }
        if (work.isMaster(task)) this.#last.add(task)
        const node = work.nodeOf(task) as NodeId
        const list = this.#onNode.get(node) as Victim[] | undefined
        if (list === undefined) this.#onNode.set(node, [victim])
        else list.push(victim)
        const stage = work.stageOf(task)
        if (!work.inGang(task)) {
          others.add(stage)
          continue
        }
        const gang = (gangs[stage] ??= [])
        gang.push(victim)
        this.#gangs.set(task, gang)
      }
      for (const stage of others) for (const { task } of gangs[stage] ?? []) this.#last.add(task)
    }
  }

  /**
   * Chooses tasks for a starved job. It makes room for as many of its tasks as fit into what it lacks, each on the first node that yields
   * room. For a gang it makes room for all tasks or none, and for none if the gang would have to start at the heartbeat of one of several nodes.
   */
  for({ job, queue, lacks }: StarvedJob): readonly Taken[] {
    const { work, lane, cluster, nodes } = this.#round
    if (work.unplaced(job, lane) === 0) return []
    const shape = work.shape(job, lane)
    const asked = this.#resources.map((r) => work.demand(shape, r))
    const times = queue.policy === 'drf'
      ? dominant(lacks, this.#capacity) / dominant(asked, this.#capacity)
      : (lacks[this.#starvation.memory] as number) / (asked[this.#starvation.memory] as number)
    const together = work.together(job, lane)
    if (together <= 1) return this.#times(asked, Math.min(Math.floor(times), work.unplaced(job, lane)))
    if (times < together || (cluster.heartbeat > 0 && nodes.length <= 1 && cluster.nodes > 1)) return []
    const before = this.#state()
    const chosen = this.#times(asked, together)
    if (chosen.length === together) return chosen
    this.#goBack(before)
    return []
  }

  /** Makes room for `most` tasks, or for as many as possible. */
  #times(asked: LaneAmounts, most: number): Taken[] {
    const chosen: Taken[] = []
    while (chosen.length < most) {
      const taken = this.#fromSomeNode(asked)
      if (taken === undefined) break
      chosen.push(taken)
    }
    return chosen
  }

  /**
   * Takes from the first node that yields room without tasks that are taken last; if there is none, from the first of the nodes that lose the
   * fewest of these.
   */
  #fromSomeNode(asked: LaneAmounts): Taken | undefined {
    const { cluster } = this.#round
    let [best, fewest] = [-1, Infinity]
    for (let node = 0; node < cluster.nodes; node++) {
      if (!cluster.up(node as NodeId)) continue
      const before = this.#last.size > 0 ? this.#state() : undefined
      const tasks = this.#from(node as NodeId, asked)
      const last = tasks?.filter(({ task }) => this.#last.has(task)).length ?? Infinity
      if (tasks !== undefined && last === 0) return { node: node as NodeId, tasks }
      if (before !== undefined) this.#goBack(before)
      if (last < fewest) [best, fewest] = [node, last]
    }
    return best < 0 ? undefined : { node: best as NodeId, tasks: this.#from(best as NodeId, asked) as Victim[] }
  }

  #state(): State {
    return [new Map(this.#onNode), new Map(this.#gone), new Map(this.#used)]
  }

  #goBack(to: State): void {
    ;[this.#onNode, this.#gone, this.#used] = to
  }

  /**
   * Takes tasks of the node, each with the rest of its gang, until the amounts fit into what is free; `undefined`, and nothing changes, if all do
   * not suffice.
   */
  #from(node: NodeId, asked: LaneAmounts): Victim[] | undefined {
    const { cluster, work } = this.#round
    const used = this.#used.get(node)
    const room = this.#resources.map((r, i) => cluster.free(node, r) - (used?.[i] ?? 0))
    const fits = () => isWithin(asked, room)
    const units: (readonly Victim[])[] = []
    for (const victim of this.#onNode.get(node) ?? []) {
      if (fits()) break
      const unit = this.#gangs.get(victim.task) ?? [victim]
      if (units.includes(unit) || !this.#mayLose(unit)) continue
      this.#lose(unit, 1)
      units.push(unit)
      this.#make(room, unit, node, 1)
    }
    if (!fits()) {
      for (const unit of units) this.#lose(unit, -1)
      return undefined
    }
    if ((units.at(-1)?.length ?? 0) > 1) this.#spare(units, room, node, asked)
    const taken = units.flat()
    for (const { task } of taken) {
      const on = work.nodeOf(task) as NodeId
      this.#onNode.set(on, (this.#onNode.get(on) ?? []).filter((each) => each.task !== task))
      this.#use(on, this.#resources.map((r) => -work.demand(work.shapeOf(task), r)))
    }
    this.#use(node, asked) // room for this task is not free for the next one
    return taken
  }

  /** Spares units that the gang that came last has made needless, from the last on. */
  #spare(units: (readonly Victim[])[], room: number[], node: NodeId, asked: LaneAmounts): void {
    for (let i = units.length - 2; i >= 0; i--) {
      const unit = units[i] as readonly Victim[]
      this.#make(room, unit, node, -1)
      if (isWithin(asked, room)) {
        this.#lose(unit, -1)
        units.splice(i, 1)
      } else this.#make(room, unit, node, 1)
    }
  }

  /** Adds what a unit uses on a node to the room there (`sign` 1), or takes it away (-1). */
  #make(room: number[], unit: readonly Victim[], node: NodeId, sign: 1 | -1): void {
    const { work } = this.#round
    for (const { task } of unit)
      if (work.nodeOf(task) === node) for (const [i, r] of this.#resources.entries()) room[i] = (room[i] as number) + sign * work.demand(work.shapeOf(task), r)
  }

  #use(node: NodeId, amounts: LaneAmounts): void {
    const used = this.#used.get(node)
    this.#used.set(node, this.#resources.map((_, i) => (used?.[i] ?? 0) + (amounts[i] as number)))
  }

  /** Whether the job of the tasks keeps its fair share without them. */
  #mayLose(unit: readonly Victim[]): boolean {
    const { job } = unit[0] as Victim
    const share = this.#starvation.shareOf(job)
    if (share === undefined) return false
    const gone = this.#gone.get(job)
    const left = this.#resources.map((r, i) => this.#sharing.usageOfJob(job, r) - (gone?.[i] ?? 0) - this.#sum(unit, r))
    const { policy } = this.#sharing.queues[this.#sharing.poolOf(job)] as Queue
    return !isBelow(policy, left, share, this.#capacity, this.#starvation.memory)
  }

  #sum(unit: readonly Victim[], r: ResourceId): number {
    const { work } = this.#round
    return unit.reduce((sum, { task }) => sum + work.demand(work.shapeOf(task), r), 0)
  }

  #lose(unit: readonly Victim[], sign: 1 | -1): void {
    const { job } = unit[0] as Victim
    const gone = this.#gone.get(job)
    this.#gone.set(job, this.#resources.map((r, i) => (gone?.[i] ?? 0) + sign * this.#sum(unit, r)))
  }
}
