import { Reason, reasonNames, type JobId, type LaneId, type NodeId, type ReasonName } from '@sched/core'
import type { CellState } from './cell-state.js'
import type { Work } from './work.js'

/** Why tasks of a job wait. */
export interface Waiting {
  /** Number of its tasks that wait; those of stages that have to wait for others of the job do not count. */
  readonly tasks: number
  /** What keeps the next of them from starting. */
  readonly reason: ReasonName
  /** Name of the limit or of the placement rules, or for `no room` of the part of the cluster; absent where the policy tells none. */
  readonly limit?: string
}

/** What a policy has said of a job last, and at which call. */
interface Said {
  readonly reason: Reason
  readonly limit: string | undefined
  readonly call: number
}

/**
 * Why jobs of a dispatcher wait. What there is room for is looked up; what the policy did with it follows from what it said last. A limit counts until
 * something has started in a later call without the policy naming it again.
 */
export class WaitingJobs {
  readonly #work: Work
  readonly #cell: CellState
  /** By lane and job. */
  readonly #said: Map<JobId, Said>[]
  #call = 0
  /** The last call that has started something. */
  #started = 0

  constructor(work: Work, cell: CellState) {
    this.#work = work
    this.#cell = cell
    this.#said = Array.from({ length: work.lanes }, () => new Map<JobId, Said>())
  }

  /** Begins a call. */
  begin(): void {
    this.#call++
  }

  started(): void {
    this.#started = this.#call
  }

  say(job: JobId, lane: LaneId, reason: Reason, limit: string | undefined): void {
    const said = this.#said[lane]
    const before = said?.get(job)
    if (reason === Reason.NoRoom && limit === undefined && before?.reason === reason && before.call === this.#call) return // of a single node
    said?.set(job, { reason, limit, call: this.#call })
  }

  leave(job: JobId): void {
    for (const said of this.#said) said.delete(job)
  }

  /** Why the job waits; `undefined` if nothing of it does. */
  of(job: JobId): Waiting | undefined {
    const { lanes } = this.#work
    let [tasks, first] = [0, -1]
    for (let lane = 0 as LaneId; lane < lanes; lane++) {
      const here = this.#work.unplaced(job, lane)
      if (here > 0 && first < 0) first = lane
      tasks += here
    }
    if (tasks === 0) return undefined
    const { reason, limit } = this.#why(job, first as LaneId)
    return { tasks, reason: reasonNames[reason], ...(limit !== undefined && { limit }) }
  }

  #why(job: JobId, lane: LaneId): { readonly reason: Reason; readonly limit?: string | undefined } {
    const said = this.#said[lane]?.get(job)
    const isTold = said !== undefined && (said.reason === Reason.Limit || (said.reason === Reason.NoRoom && said.limit !== undefined))
    if (isTold && said.call >= this.#started) return said
    if (!this.#hasRoom(job, lane)) return { reason: Reason.NoRoom }
    return said === undefined || isTold || said.reason === Reason.NoRoom ? { reason: Reason.Order } : said
  }

  /** Whether nodes that are up have room for the next task or, of a gang, for those of its stages that start together; each stage is looked at alone. */
  #hasRoom(job: JobId, lane: LaneId): boolean {
    return this.#work.parts(job, lane).every(({ shape, tasks }) => {
      let room = 0
      for (let node = 0 as NodeId; node < this.#cell.nodes && room < tasks; node++) room += this.#cell.couldTake(shape, node)
      return room >= tasks
    })
  }
}
