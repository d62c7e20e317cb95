import { grown, None, type JobId, type LaneId, type NodeId, type Round, type Seconds, type ShapeId, type TaskId, type WorkView } from '@sched/core'
import type { CapacityQueues } from './capacity-queues.js'
import { compareShares } from './comparing.js'

/**
 * Killable tasks under lazy preemption: tasks whose wait before the kill is over. Each runs on until a job of a leaf below its guarantee
 * finds too little room on the task's node; then it is killed for that job. A task stays killable until it ends.
 *
 * Inner queues count killable tasks as free, so that the order also looks at a full cluster; a start that would leave an inner queue above
 * its maximum is refused.
 *
 * Source: Hadoop 3, PreemptionManager, RegularContainerAllocator.assignContainer, AbstractLeafQueue.setPreemptionAllowed.
 * Deviation: the tasks of a node are killed in the order in which their waits were over, in Hadoop in that of a hash map.
 */
export class KillableTasks {
  /** `[(queue * pots + pot) * width + i]`: what killable tasks use, counted in their leaf and in all queues around it. */
  amounts = new Float64Array(0)
  readonly #queues: CapacityQueues
  readonly #work: WorkView
  /** By `node * lanes + lane`. */
  readonly #onNode = new Map<number, TaskId[]>()
  readonly #marked = new Set<TaskId>()
  /** Tasks killed in this round, with the start of their run: if the kill is rolled back, they are killable as before. */
  readonly #killed = new Map<TaskId, Seconds>()

  constructor(queues: CapacityQueues, work: WorkView) {
    this.#queues = queues
    this.#work = work
  }

  has(task: TaskId): boolean {
    return this.#marked.has(task)
  }

  isAnyOn(node: NodeId, lane: LaneId): boolean {
    return this.#marked.size > 0 && this.#onNode.has(node * this.#queues.pots.lanes + lane)
  }

  /** The first node from `from` on with killable tasks; `None` if there is none. */
  nextNode(lane: LaneId, from: number): number {
    const { lanes } = this.#queues.pots
    let first: number = None
    for (const key of this.#onNode.keys()) {
      const node = Math.floor(key / lanes)
      if (key % lanes === lane && node >= from && (first === None || node < first)) first = node
    }
    return first
  }

  /** All killable tasks of a lane; those of one node are in order. */
  in(lane: LaneId): TaskId[] {
    return [...this.#onNode].flatMap(([key, tasks]) => (key % this.#queues.pots.lanes === lane ? tasks : []))
  }

  add(task: TaskId, lane: LaneId): void {
    this.#enter(task, lane, false)
  }

  beginRound(): void {
    this.#killed.clear()
  }

  /** A task has ended, or was killed in this round. */
  onRelease(task: TaskId, lane: LaneId): void {
    if (!this.#marked.delete(task)) return
    const key = this.#work.nodeOf(task) * this.#queues.pots.lanes + lane
    const rest = (this.#onNode.get(key) as TaskId[]).filter((each) => each !== task)
    if (rest.length > 0) this.#onNode.set(key, rest)
    else this.#onNode.delete(key)
    this.#count(task, lane, -1)
    this.#killed.set(task, this.#work.started(task))
  }

  /**
   * If the kill of a task is rolled back, it is killable again, and first on its node: rollbacks go backwards, so all tasks killed after it are
   * back already.
   */
  onClaim(task: TaskId, lane: LaneId): void {
    if (this.#killed.size > 0 && this.#killed.get(task) === this.#work.started(task)) this.#enter(task, lane, true)
  }

  /**
   * Kills as many tasks on the node as the job's next task needs to fit. False, and nothing is killed, if its leaf may not kill or even all of them
   * are too few.
   */
  makeRoom(job: JobId, node: NodeId, round: Round): boolean {
    const { lane } = round
    const tasks = this.#onNode.get(node * this.#queues.pots.lanes + lane)
    if (tasks === undefined || round.claimsLeft === 0 || !this.#mayKill(job, node, lane)) return false
    const enough = this.#enoughOf(tasks, round.work.shape(job, lane), node, round)
    if (enough === 0) return false
    const before = round.savepoint()
    for (const task of tasks.slice(0, enough)) round.evict(task)
    if (round.fits(job, node)) return true
    round.rollback(before)
    return false
  }

  /** Whether a queue around the job's leaf would use more than its maximum with so many more tasks of a shape. */
  exceeds(job: JobId, lane: LaneId, node: NodeId, shape: ShapeId, more: number): boolean {
    const { pots, tree, usage, quotas } = this.#queues
    const { width, count, demands } = pots
    const pot = pots.of(lane, node)
    const from = pots.demandAt(shape, lane)
    for (const { id } of tree.chain(tree.parents[this.#queues.leafOf(job)] as number)) {
      const at = (id * count + pot) * width
      for (let i = 0; i < width; i++) {
        const amount = demands[from + i] as number
        if (amount > 0 && (usage.used[at + i] as number) + more * amount > (quotas.most[at + i] as number)) return true
      }
    }
    return false
  }

  /** Only a job whose leaf is below its guarantee, with reservations counted as used, may have tasks killed. */
  #mayKill(job: JobId, node: NodeId, lane: LaneId): boolean {
    const { pots, usage, quotas } = this.#queues
    const { width, count, totals } = pots
    const pot = pots.of(lane, node)
    const at = (this.#queues.leafOf(job) * count + pot) * width
    return compareShares(usage.used, at, quotas.guaranteed, at, totals, pot * width, width) < 0
  }

  /** How many of the tasks, from the first on, free what a shape lacks on the node; 0: all together are too few, or nothing lacks. */
  #enoughOf(tasks: readonly TaskId[], shape: ShapeId, node: NodeId, { work, cluster, lane }: Round): number {
    const resources = cluster.lanes[lane]?.resources ?? []
    const lacks = resources.map((r) => work.demand(shape, r) - cluster.free(node, r))
    if (lacks.every((amount) => amount <= 0)) return 0
    for (const [k, task] of tasks.entries()) {
      const own = work.shapeOf(task)
      for (const [i, r] of resources.entries()) lacks[i] = (lacks[i] as number) - work.demand(own, r)
      if (lacks.every((amount) => amount <= 0)) return k + 1
    }
    return 0
  }

  #enter(task: TaskId, lane: LaneId, isFirst: boolean): void {
    const key = this.#work.nodeOf(task) * this.#queues.pots.lanes + lane
    const others = this.#onNode.get(key) ?? []
    this.#onNode.set(key, isFirst ? [task, ...others] : [...others, task])
    this.#marked.add(task)
    this.#count(task, lane, 1)
  }

  #count(task: TaskId, lane: LaneId, sign: 1 | -1): void {
    const { pots, tree } = this.#queues
    const { width, count } = pots
    this.amounts = grown(this.amounts, tree.queues.length * count * width)
    const pot = pots.of(lane, this.#work.nodeOf(task))
    const from = pots.demandAt(this.#work.shapeOf(task), lane)
    for (const { id } of tree.chain(this.#queues.leafOf(this.#work.jobOf(task))))
      for (let i = 0, at = (id * count + pot) * width; i < width; i++, at++) this.amounts[at] = (this.amounts[at] as number) + sign * (pots.demands[from + i] as number)
  }
}
