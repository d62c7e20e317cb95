import { rememberedJobs, type Env, type JobId, type LaneId, type NodeId, type Round } from '@sched/core'
import type { Reservable } from './capacity.js'
import type { NodesUp } from './nodes-up.js'

/** By job and lane: on how many nodes a job of the default partition was tried since it last started there. */
export type TriedMemory = readonly (readonly [job: string, lane: number, times: number])[]

/**
 * When jobs of the default partition may borrow nodes that other partitions lend. With heartbeats a job may do so only after it was tried on as many
 * nodes as are up, so that nodes of its own partition come first; without heartbeats nodes are lent after all others.
 *
 * Source: Hadoop 3, RegularContainerAllocator (missedNonPartitionedRequestSchedulingOpportunity).
 */
export class Borrowing {
  readonly #order: Reservable
  readonly #env: Env
  readonly #up: NodesUp
  readonly #lanes: number
  readonly #beats: boolean
  /** `[job * lanes + lane]`: on how many nodes a job of the default partition was tried since it last started in that partition. */
  readonly #tried: number[] = []

  constructor(order: Reservable, env: Env, up: NodesUp) {
    this.#order = order
    this.#env = env
    this.#up = up
    this.#lanes = env.cluster.lanes.length
    this.#beats = env.cluster.heartbeat > 0
  }

  memory(): TriedMemory {
    const { work, cluster } = this.#env
    const all = work.jobs().flatMap((job) => cluster.lanes.map((_, lane) => [work.name(job), lane, this.#tried[job * this.#lanes + lane] as number] as const))
    return all.filter(([, , times]) => times > 0)
  }

  recall(memory: TriedMemory): void {
    for (const [job, lane, times] of rememberedJobs(memory, this.#env.work)) this.#tried[job * this.#lanes + lane] = times
  }

  reset(job: JobId): void {
    for (let lane = 0; lane < this.#lanes; lane++) this.#tried[job * this.#lanes + lane] = 0
  }

  /** Counts that a job is tried on a node, which is lent to it or is of its own partition; returns whether it may have the node. */
  mayHave(job: JobId, node: NodeId, { lane }: Round, isLent: boolean): boolean {
    if (!isLent && !this.#order.isDefault(node)) return true
    const at = job * this.#lanes + lane
    const tried = (this.#tried[at] as number) + 1
    this.#tried[at] = tried
    return !isLent || !this.#beats || tried >= this.#up.count
  }

  /** The job has started on a node, or reserved it. */
  note(job: JobId, lane: LaneId, node: NodeId): void {
    if (this.#order.isDefault(node)) this.#tried[job * this.#lanes + lane] = 0
  }
}
