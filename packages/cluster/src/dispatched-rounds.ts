import { beyondOneNode, Looks, SchedError, type JobSpec, type LaneId, type NodeId, type Policy, type Seconds, type TaskId } from '@sched/core'
import type { CellState } from './cell-state.js'
import { claimRunning } from './claim-running.js'
import type { DispatchedJobs } from './dispatched-jobs.js'
import { Draft } from './draft.js'
import type { DraftSink } from './draft-sink.js'
import type { HeldDevices } from './held-devices.js'
import type { ClusterModel } from './model.js'
import type { Wakes } from './wakes.js'
import type { Work } from './work.js'

interface Parts {
  readonly model: Pick<ClusterModel, 'heartbeat' | 'lanes'>
  readonly policy: Policy
  readonly work: Work
  readonly cell: CellState
  readonly jobs: DispatchedJobs
  readonly wakes: Wakes
  /** All nodes, in id order. */
  readonly all: readonly NodeId[]
  warn(message: string): void
}

/** The rounds that a dispatcher gives its policy, lane by lane. All take effect at once. */
export class DispatchedRounds {
  readonly #it: Parts
  readonly #lanes: number
  /** The policy's number as a scheduler of `work`. */
  readonly #owner: number
  readonly #draft: Draft
  readonly #looks: Looks
  /** What rounds cover: single nodes if the cluster is described with heartbeats; otherwise as the caller asks, which is unknown at first. */
  #cover: 'unknown' | 'node' | 'all'

  constructor(parts: Parts, sink: DraftSink) {
    const { model, policy, work, cell } = parts
    this.#it = parts
    this.#lanes = model.lanes.length
    this.#owner = work.addListener(policy)
    this.#draft = new Draft(cell, work, sink, this.#owner)
    this.#looks = new Looks(this.#lanes, { policy, pending: (lane) => this.#pending(lane) })
    this.#cover = model.heartbeat === undefined ? 'unknown' : 'node'
  }

  /** Refuses a job of which no round could start a gang. Throws `INFEASIBLE`. */
  check(spec: JobSpec): void {
    const beyond = this.#cover === 'node' ? beyondOneNode(spec, this.#it.cell) : undefined
    if (beyond !== undefined) throw new SchedError('INFEASIBLE', beyond, {}, OVER_ALL)
  }

  /** Jobs have come or changed. */
  changed(): void {
    this.#looks.changed()
  }

  /** The rounds of a node that reports, of which `free` limits the starts; nothing starts on a node that is down. */
  atNode(node: NodeId, now: Seconds, free?: number): void {
    const { cell, policy, wakes } = this.#it
    if (this.#cover === 'unknown') this.#goByNode()
    if (wakes.next <= now) this.asked(now)
    if (!cell.up(node)) return
    policy.onHeartbeat?.(node, now)
    for (let lane = 0 as LaneId; lane < this.#lanes; lane++) {
      if (this.#pending(lane) === 0) continue
      if (cell.hasRoom(lane, node) || policy.wantsNode?.(lane, node) === true) this.#round(now, lane, [node], free)
      else if (this.#looks.isWanted(lane)) this.#round(now, lane, NOBODY)
    }
  }

  /** The rounds of a pass over all nodes. */
  overAll(now: Seconds): void {
    const { all, model, policy, wakes } = this.#it
    if (model.heartbeat === undefined) this.#cover = 'all'
    wakes.asked(now)
    for (let lane = 0 as LaneId; lane < this.#lanes; lane++)
      if (this.#pending(lane) > 0) this.#round(now, lane, all)
      else if (policy.wantsRound?.(now) === true) this.#round(now, lane, NOBODY)
  }

  /** The rounds that the policy asked for, without nodes. */
  asked(now: Seconds): void {
    this.#it.wakes.asked(now)
    for (let lane = 0 as LaneId; lane < this.#lanes; lane++) this.#round(now, lane, NOBODY)
  }

  /** Starts a task where it runs already, with the devices that it has there, without asking the policy. Throws as `claimRunning` does. */
  takeOver(task: TaskId, node: NodeId, devices: HeldDevices, now: Seconds): void {
    claimRunning(task, node, devices, this.#draft, now)
  }

  #round(now: Seconds, lane: LaneId, nodes: readonly NodeId[], claims = Infinity): void {
    const { all, jobs, policy } = this.#it
    this.#looks.decided(lane)
    const round = this.#draft.begin(now, lane, nodes, { claims, ...(nodes.length === 1 && { reach: all }) })
    policy.schedule(round)
    const commit = round.commit({ conflict: 'none', atomic: false })
    jobs.dropKilled()
    policy.onCommit?.(commit)
  }

  #pending(lane: LaneId): number {
    return this.#it.work.pending(this.#owner, lane)
  }

  /**
   * Nodes report although the cluster is described without heartbeats. Warns of jobs that cannot start this way; they were accepted before this was
   * known.
   */
  #goByNode(): void {
    const { cell, jobs, work } = this.#it
    this.#cover = 'node'
    for (const job of jobs.byName.values()) {
      const beyond = beyondOneNode(work.spec(job), cell)
      if (beyond !== undefined) this.#it.warn(`${beyond}: it waits for a \`pass\`. ${OVER_ALL}`)
    }
  }
}

const NOBODY: readonly NodeId[] = []
/** Advice for gangs that do not fit on one node. */
const OVER_ALL = 'Ask by `pass` in place of `heartbeat`, and describe the cluster without heartbeats.'
