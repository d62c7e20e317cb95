import { None, type JobId, type NodeId, type Placement, type Round } from '@sched/core'
import { startNext, type MostRoom } from '../disciplines/gangs.js'
import { nodeFor } from '../disciplines/lowest-fitting.js'
import type { HeldAmounts } from './held-amounts.js'

/** Starts tasks of jobs on what is free, or in the place of other jobs. */
export class MakingRoom {
  readonly #held: HeldAmounts
  /** Where the tasks of the last attempt were to start. */
  readonly #places: NodeId[] = []
  /** How many tasks of a shape have room on what is free; and on what would be free without all jobs that might go for the job tried last. */
  readonly #most: MostRoom = new Map()
  readonly #mostInstead: MostRoom = new Map()
  readonly #pick: (job: JobId, round: Round) => NodeId | None

  constructor(held: HeldAmounts, placement: Placement) {
    this.#held = held
    this.#pick = (job, round) => {
      const node = nodeFor(job, round, placement)
      if (node !== None) this.#places.push(node)
      return node
    }
  }

  /** To be called when a look begins. */
  begin(): void {
    this.#most.clear()
    this.#mostInstead.clear()
  }

  /** Starts the job's next task, or all that must start with it, on what is free. */
  start(job: JobId, round: Round): boolean {
    return this.#start(job, round, this.#most)
  }

  #start(job: JobId, round: Round, most?: MostRoom): boolean {
    this.#places.length = 0
    return startNext(job, round, this.#pick, most)
  }

  /**
   * The same in the place of others, who are evicted one by one in the order of the list until it starts; of these stay all beside whom it can start after
   * all, the last of the list tried first. Returns who is evicted; none, and nothing has changed, where it does not start without them all.
   *
   * In a look it must be called in the order of the jobs, for which fewer and fewer others may go: where a job found no room, a later one that asks as
   * much finds none either.
   */
  startInstead(job: JobId, others: readonly JobId[], round: Round): readonly JobId[] {
    if (!mayHaveRoom(job, round, this.#mostInstead)) return []
    const isOneNode = round.nodes.length === 1 // there an attempt is cheap, so whether it starts at all is not asked first
    if (!isOneNode && !this.#startsWithout(others, job, round)) return []
    const before = round.savepoint()
    const gone: JobId[] = []
    const nodes = new Map<JobId, readonly NodeId[]>()
    for (const other of others) {
      nodes.set(other, this.#nodesOf(other, round))
      this.#evict(other, round)
      gone.push(other)
      if (!this.#start(job, round)) continue
      this.#most.clear()
      return this.#spare(job, gone, nodes, round, () => round.rollback(before))
    }
    if (isOneNode) noteRoom(job, round, this.#mostInstead)
    round.rollback(before)
    return []
  }

  /** Whether the job would start in the place of them all. */
  #startsWithout(others: readonly JobId[], job: JobId, round: Round): boolean {
    const before = round.savepoint()
    for (const other of others) this.#evict(other, round)
    const starts = this.#start(job, round)
    if (!starts) noteRoom(job, round, this.#mostInstead)
    round.rollback(before)
    return starts
  }

  /** Evicts no more of those that have gone than must for the job to start; none, and nothing has changed, where the placement does not start it once more. */
  #spare(job: JobId, gone: readonly JobId[], nodes: ReadonlyMap<JobId, readonly NodeId[]>, round: Round, takeBack: () => void): readonly JobId[] {
    if (gone.length === 1) return gone
    const startWithout = (evicted: readonly JobId[]): boolean => {
      takeBack()
      for (const other of evicted) this.#evict(other, round)
      return this.#start(job, round)
    }
    const places = new Set(this.#places)
    const near = gone.filter((other) => nodes.get(other)?.some((node) => places.has(node)))
    let needed = near.length < gone.length && startWithout(near) ? near : gone
    for (const other of needed.toReversed()) {
      const fewer = needed.filter((each) => each !== other)
      if (startWithout(fewer)) needed = fewer
    }
    if (startWithout(needed)) return needed
    takeBack()
    return []
  }

  #nodesOf(job: JobId, { lane, work }: Round): NodeId[] {
    return this.#held.tasksOf(job, lane).map((task) => work.nodeOf(task) as NodeId)
  }

  /** Evicts all that runs of the job in the lane, with its master all else. */
  #evict(job: JobId, round: Round): void {
    const tasks = [...this.#held.tasksOf(job, round.lane)] // they are fewer with each that goes
    const master = tasks.find((task) => round.work.isMaster(task))
    for (const task of master === undefined ? tasks : [master]) round.evict(task)
  }
}

/** Whether it is not known that there is no room for the tasks of the job that start together. */
const mayHaveRoom = (job: JobId, { work, lane }: Round, most: MostRoom): boolean =>
  work.isGangJob(job) || work.together(job, lane) <= (most.get(work.shape(job, lane)) ?? Infinity)

/** Notes for how many tasks of the job's shape there is room at most; nothing for a job whose stages ask for different amounts. */
function noteRoom(job: JobId, { nodes, cluster, work, lane }: Round, most: MostRoom): void {
  if (work.isGangJob(job)) return
  const shape = work.shape(job, lane)
  most.set(shape, nodes.reduce((room, node) => room + cluster.couldTake(shape, node), 0))
}
