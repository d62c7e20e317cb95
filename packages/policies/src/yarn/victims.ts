import type { JobId, NodeId, ResourceId, Round, Seconds, TaskId } from '@sched/core'
import type { Queue } from './queue-tree.js'
import type { QueueSharing } from './queue-sharing.js'
import type { LaneAmounts } from './job-shares.js'
import { dominant, isBelow, type Starvation, type StarvedJob } from './starvation.js'

/** A task that will be killed. */
export interface Marked {
  readonly task: TaskId
  readonly job: JobId
  readonly started: Seconds
  readonly kill: Seconds
}

interface Victim {
  readonly task: TaskId
  readonly job: JobId
}

/** Tasks of a node that make room there for one task; none where it has the room. */
interface Taken {
  readonly node: NodeId
  readonly tasks: readonly Victim[]
}

/** Chooses tasks to take, node by node, for one look; what is chosen counts as gone for the next choice. */
export class Victims {
  readonly #round: Round
  readonly #sharing: QueueSharing
  readonly #starvation: Starvation
  readonly #capacity: LaneAmounts
  readonly #resources: readonly ResourceId[]
  /** Running tasks by node, in the order of taking, without those that are marked. */
  readonly #onNode = new Map<NodeId, Victim[]>()
  /** What jobs lose by tasks that are marked, and room that these leave on nodes. */
  readonly #gone = new Map<JobId, number[]>()
  readonly #used = new Map<NodeId, number[]>()

  constructor(round: Round, sharing: QueueSharing, starvation: Starvation, capacity: LaneAmounts, marked: readonly Marked[], first: 'newest' | 'oldest') {
    this.#round = round
    this.#sharing = sharing
    this.#starvation = starvation
    this.#capacity = capacity
    this.#resources = round.cluster.lanes[round.lane]?.resources ?? []
    const isMarked = new Set(marked.map(({ task }) => task))
    for (const { task, job } of marked) this.#lose(job, task)
    const { work } = round
    for (const queue of sharing.queues) if (!queue.isParent && queue.mayLose) this.#collect(queue, isMarked)
    const sign = first === 'newest' ? -1 : 1
    for (const tasks of this.#onNode.values()) tasks.sort((a, b) => sign * (work.started(a.task) - work.started(b.task) || a.task - b.task))
  }

  #collect({ id }: Queue, isMarked: ReadonlySet<TaskId>): void {
    const { work, lane } = this.#round
    const jobs: JobId[] = []
    this.#sharing.jobs(id, jobs)
    for (const job of jobs) {
      const tasks: TaskId[] = []
      work.runningTasks(job, lane, tasks)
      for (const task of tasks) {
        if (isMarked.has(task)) continue
        const node = work.nodeOf(task) as NodeId
        const list = this.#onNode.get(node)
        if (list === undefined) this.#onNode.set(node, [{ task, job }])
        else list.push({ task, job })
      }
    }
  }

  /** Tasks to take for a starved job: as many times as its next task fits into what it lacks, from the first node that yields room. */
  for({ job, queue, lacks }: StarvedJob): Taken[] {
    const { work, lane } = this.#round
    if (work.unplaced(job, lane) === 0) return []
    const shape = work.shape(job, lane)
    const asked = this.#resources.map((r) => work.demand(shape, r))
    const times = queue.policy === 'drf' ? dominant(lacks, this.#capacity) / dominant(asked, this.#capacity) : (lacks[this.#starvation.memory] as number) / (asked[this.#starvation.memory] as number)
    const chosen: Taken[] = []
    for (let left = Math.min(Math.floor(times), work.unplaced(job, lane)); left > 0; left--) {
      const taken = this.#fromSomeNode(asked)
      if (taken === undefined) break
      chosen.push(taken)
    }
    return chosen
  }

  #fromSomeNode(asked: LaneAmounts): Taken | undefined {
    const { cluster } = this.#round
    for (let node = 0; node < cluster.nodes; node++) {
      if (!cluster.up(node as NodeId)) continue
      const tasks = this.#from(node as NodeId, asked)
      if (tasks !== undefined) return { node: node as NodeId, tasks }
    }
    return undefined
  }

  /** The tasks of a node whose room, with what is free there, holds the amounts; nothing changes where it does not. */
  #from(node: NodeId, asked: LaneAmounts): Victim[] | undefined {
    const { cluster, work } = this.#round
    const used = this.#used.get(node) ?? this.#resources.map(() => 0)
    const room = this.#resources.map((r, i) => cluster.free(node, r) - (used[i] as number))
    const fits = () => asked.every((amount, i) => amount <= (room[i] as number))
    const taken: Victim[] = []
    for (const victim of this.#onNode.get(node) ?? []) {
      if (fits()) break
      if (!this.#mayLose(victim)) continue
      this.#lose(victim.job, victim.task)
      taken.push(victim)
      for (const [i, r] of this.#resources.entries()) room[i] = (room[i] as number) + work.demand(work.shapeOf(victim.task), r)
    }
    if (!fits()) {
      for (const { job, task } of taken) this.#lose(job, task, -1)
      return undefined
    }
    this.#onNode.set(node, (this.#onNode.get(node) ?? []).filter((each) => !taken.includes(each)))
    // what the starved job takes of the node is no longer free for the next one
    this.#used.set(node, asked.map((amount, i) => (used[i] as number) + amount - this.#sum(taken, i)))
    return taken
  }

  #sum(taken: readonly Victim[], i: number): number {
    const { work } = this.#round
    return taken.reduce((sum, { task }) => sum + work.demand(work.shapeOf(task), this.#resources[i] as ResourceId), 0)
  }

  /** Whether its job keeps its fair share without the task. */
  #mayLose({ job, task }: Victim): boolean {
    const { work } = this.#round
    const share = this.#starvation.shareOf(job)
    if (share === undefined) return false
    const gone = this.#gone.get(job)
    const left = this.#resources.map((r, i) => this.#sharing.usageOfJob(job, r) - (gone?.[i] ?? 0) - work.demand(work.shapeOf(task), r))
    const { policy } = this.#sharing.queues[this.#sharing.poolOf(job)] as Queue
    return !isBelow(policy, left, share, this.#capacity, this.#starvation.memory)
  }

  #lose(job: JobId, task: TaskId, sign: 1 | -1 = 1): void {
    const { work } = this.#round
    const gone = this.#gone.get(job) ?? this.#resources.map(() => 0)
    this.#gone.set(job, gone.map((amount, i) => amount + sign * work.demand(work.shapeOf(task), this.#resources[i] as ResourceId)))
  }
}
