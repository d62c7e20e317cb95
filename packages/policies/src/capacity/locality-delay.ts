import { rememberedJobs, type Env, type JobId, type LaneId, type NodeId, type Round } from '@sched/core'
import type { NodesUp } from './nodes-up.js'

/** By job and lane: opportunities missed, and number of places (nodes and racks) with data, -1 if they have not been counted. */
export type MissedMemory = readonly (readonly [job: string, lane: LaneId, missed: number, places: number])[]

export interface LocalityDelayOptions {
  readonly nodeLocalityDelay: number
  readonly rackLocalityAdditionalDelay: number
  readonly rackLocalityFullReset: boolean
}

/**
 * How far from its data a job may start, by the opportunities that it has missed: on the nodes of its data at once, on their racks after
 * `nodeLocalityDelay` opportunities, anywhere after a number of its own (see `#offRack`), which may be the smaller one. An opportunity is a
 * node that the job was tried on. A cluster without racks is one rack.
 *
 * Source: Hadoop 3, RegularContainerAllocator.canAssign and doAllocation.
 * Deviation: the nodes and racks with data are counted once, at first use, and do not shrink as tasks start there.
 */
export class LocalityDelay {
  readonly #options: LocalityDelayOptions
  readonly #env: Env
  readonly #up: NodesUp
  readonly #lanes: number
  readonly #rack: number
  /** `[job * lanes + lane]`: opportunities missed; nodes and racks with data, -1 until they are counted. */
  readonly #missed: number[] = []
  readonly #places: number[] = []

  constructor(options: LocalityDelayOptions, env: Env, up: NodesUp) {
    this.#options = options
    this.#env = env
    this.#up = up
    this.#lanes = env.cluster.lanes.length
    this.#rack = Math.min(1, env.cluster.levels)
  }

  reset(job: JobId): void {
    for (let lane = 0; lane < this.#lanes; lane++) {
      this.#missed[job * this.#lanes + lane] = 0
      this.#places[job * this.#lanes + lane] = -1
    }
  }

  memory(): MissedMemory {
    const { work, cluster } = this.#env
    const all = work.jobs().flatMap((job) => cluster.lanes.map((_, lane) => [job, lane as LaneId, job * this.#lanes + lane] as const))
    const row = ([job, lane, at]: (typeof all)[number]) => [work.name(job), lane, this.#missed[at] as number, this.#places[at] as number] as const
    return all.map(row).filter(([, , missed, places]) => missed > 0 || places >= 0)
  }

  recall(memory: MissedMemory): void {
    for (const [job, lane, missed, places] of rememberedJobs(memory, this.#env.work)) {
      this.#missed[job * this.#lanes + lane] = missed
      this.#places[job * this.#lanes + lane] = places
    }
  }

  /** Counts an opportunity; returns how many levels away from its data the job may start. */
  within(job: JobId, { work, lane, cluster }: Round): number {
    if (!work.hasData(job, lane)) return cluster.levels
    const at = job * this.#lanes + lane
    const missed = (this.#missed[at] as number) + 1
    this.#missed[at] = missed
    if (missed > this.#offRack(job, lane)) return cluster.levels
    return this.#mayOnRack(missed) ? this.#rack : 0
  }

  /** A task of the job was started, or a node was reserved for it, at this level; unless that is off the rack, it sets the missed opportunities to 0. */
  note(job: JobId, lane: LaneId, level: number, isOffSwitch: boolean): void {
    if (!isOffSwitch && (level === 0 || this.#options.rackLocalityFullReset)) this.#missed[job * this.#lanes + lane] = 0
  }

  /**
   * Whether a start at this level counts as one off the rack. So does one on the rack if the job may start anywhere but has not waited long enough for the
   * rack, and every start of a job without data.
   */
  isOffSwitch(job: JobId, lane: LaneId, level: number): boolean {
    return level > this.#rack || (level > 0 && !this.#mayOnRack(this.#missed[job * this.#lanes + lane] as number)) || !this.#env.work.hasData(job, lane)
  }

  #mayOnRack(missed: number): boolean {
    return missed > Math.min(this.#up.count, this.#options.nodeLocalityDelay)
  }

  /**
   * How many opportunities a job must miss before it may start off the rack: `nodeLocalityDelay + additional`, or with -1 its waiting tasks times
   * the part of places with data, in 32 bits as in Hadoop.
   */
  #offRack(job: JobId, lane: LaneId): number {
    const { nodeLocalityDelay, rackLocalityAdditionalDelay: additional } = this.#options
    const nodes = this.#up.count
    if (additional > -1) return Math.min(nodes, nodeLocalityDelay + additional)
    const factor = Math.fround(Math.min(1, this.#placesOf(job, lane) / nodes))
    return Math.min(nodes, Math.fround(this.#env.work.unplaced(job, lane) * factor))
  }

  #placesOf(job: JobId, lane: LaneId): number {
    const at = job * this.#lanes + lane
    const known = this.#places[at] as number
    return known >= 0 ? known : (this.#places[at] = this.#countPlaces(job, lane))
  }

  #countPlaces(job: JobId, lane: LaneId): number {
    const { work, cluster } = this.#env
    const racks = new Set<number>()
    let nodes = 0
    for (let node = 0; node < cluster.nodes; node++) {
      if (work.taskFor(job, lane, node as NodeId, 0) < 0) continue
      nodes++
      racks.add(cluster.levels > 1 ? cluster.group(1, node as NodeId) : 0)
    }
    return nodes + racks.size
  }
}
