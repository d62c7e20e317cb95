import type { JobId, LaneId, NodeId, Round, Seconds, ShapeId, WorkView } from '@sched/core'
import type { ClockMultiples } from './clock-multiples.js'
import { onFewNodes } from './few-nodes.js'
import type { Licenses } from './licenses.js'
import type { NamedOptions } from './named-options.js'
import { bitsFor, countBits, type NodeBits } from './node-bits.js'
import type { NodeReservations } from './node-reservations.js'
import { spreadOf } from './node-runs.js'
import type { NodeUsers } from './node-users.js'
import type { QueuesOfJobs } from './queues-of-jobs.js'
import type { Releases } from './releases.js'
import type { ReservedSlots } from './reserved-slots.js'
import type { Topologies } from './topologies.js'
import type { WholeWindows } from './whole-windows.js'

/** Tasks of a stage, of one shape, for which a start is searched, and how long they need room, in seconds. */
export interface Asked {
  readonly stage: number
  readonly shape: ShapeId
  readonly tasks: number
  readonly length: Seconds
}

/** What nodes are chosen by, and what is kept from jobs. */
interface Parts extends Pick<NamedOptions, 'step' | 'steps' | 'reservations' | 'licenses' | 'topologies' | 'queues' | 'maxNodes'> {
  readonly lane: LaneId
  readonly nodes: number
  readonly work: WorkView
  /** The nodes that the job may use. */
  readonly allowed: NodeBits
  /** What this pass has reserved. */
  readonly slots: ReservedSlots
  readonly windows: WholeWindows
  /** By node; absent where all have the same. */
  readonly weights: Float64Array | undefined
}

/**
 * The search for the earliest start of tasks of one shape: see `NamedPlan`.
 *
 * Source: Slurm, `_attempt_backfill` of sched/backfill, and the tests of a later start in its select plug-ins.
 */
export class StartSearch {
  /** When the pass is; and what limits say of the nodes of jobs in its round. */
  now: Seconds = NaN
  nodesOf: Round['nodesOf']
  /** Absent until something asks for nodes that users do not share. */
  users: NodeUsers | undefined
  /** The nodes found last, one per task. */
  readonly places: NodeId[] = []
  /** Those of the allowed nodes that are not reserved. */
  readonly usable: NodeBits
  readonly #lane: LaneId
  readonly #nodes: number
  readonly #work: WorkView
  readonly #allowed: NodeBits
  readonly #slots: ReservedSlots
  readonly #reservations: NodeReservations | undefined
  readonly #windows: WholeWindows
  readonly #licenses: Licenses | undefined
  readonly #topologies: Topologies
  readonly #weights: Float64Array | undefined
  readonly #queues: QueuesOfJobs
  readonly #maxNodes: ReadonlyMap<string, number>
  readonly #step: Seconds
  readonly #steps: ClockMultiples

  constructor({ lane, nodes, work, allowed, slots, windows, reservations, licenses, topologies, weights, queues, maxNodes, step, steps }: Parts) {
    this.now = 0
    this.usable = bitsFor(nodes)
    this.#lane = lane
    this.#nodes = nodes
    this.#work = work
    this.#allowed = allowed
    this.#slots = slots
    this.#reservations = reservations
    this.#windows = windows
    this.#licenses = licenses
    this.#topologies = topologies
    this.#weights = weights
    this.#queues = queues
    this.#maxNodes = new Map(Object.entries(maxNodes))
    this.#step = step
    this.#steps = steps
  }

  /** The earliest start of the tasks on nodes in `allowed`, from `notBefore` to `latest`; `Infinity` if there is none. */
  earliest(job: JobId, { shape, tasks, length }: Asked, notBefore: Seconds, latest: Seconds, releases: Releases): Seconds {
    let from = this.#open(job, notBefore, length)
    const blocks = this.#topologies.blocksFor(job)
    const own = this.#reservations === undefined ? this.#weights : this.#reservations.weightsFor(job, this.#weights)
    let weights = own
    const most = this.mostNodes(job)
    const choose = (room: Int32Array, places: NodeId[]): boolean => {
      const spread = spreadOf(job, this.#work, room, tasks, most)
      return spread !== undefined && this.#topologies.choose(job, this.#lane, room, tasks, places, weights, spread)
    }
    const fewest = Math.min(this.#work.minNodes(job), tasks)
    const fits = most === Infinity && fewest === 1 && !this.#work.isContiguous(job) ? undefined : (): boolean => onFewNodes(choose, releases.room, tasks, most, this.places)
    const suits = blocks === undefined ? fits : (time: Seconds): boolean => {
      const isChosen = blocks.choose(job, this.#lane, { shape, tasks }, releases.room, this.places, weights)
      if (!isChosen && time === this.now && from === time) blocks.noteFar(job, time)
      return isChosen
    }
    const least = Math.max(releases.leastNodes(tasks), fewest)
    while (from <= latest) {
      const enough = this.#slots.earliest(this.usable, this.#allowed, least, from, length) // before that there are too few nodes, whatever ends
      if (enough > from) {
        if (enough > latest) break
        from = this.#open(job, enough, length)
        if (from > enough) continue
      }
      const rid = Math.min(this.users?.limit(this.usable, job, from, this.now) ?? Infinity, this.#reservations?.limit(this.usable, job, from, length) ?? Infinity)
      const room = releases.roomNow(this.usable)
      let start = from
      if (room < tasks || suits?.(this.now) === false) {
        const later = Math.min(this.#slots.later(this.#allowed, from, from + length), rid)
        if (countBits(this.usable) < least) start = Infinity // users of nodes, or reservations, leave too few
        else start = Math.max(from, releases.whenRoom(tasks - room, this.usable, Math.min(later, latest), suits))
        if (start > later) {
          from = this.#open(job, later, length)
          continue
        }
        if (start > latest) break
      }
      const preferred = start === this.now ? this.#preferred(job, own) : undefined
      weights = preferred ?? own
      const isChosen = suits === undefined ? choose(releases.room, this.places) : preferred === undefined || suits(start)
      weights = own
      if (!isChosen) suits?.(start)
      const near = this.#topologies.earliest(job, this.#lane, start, this.places)
      const open = this.#open(job, near, length)
      if (open === start && (start === this.now || !this.#slots.overlaps(this.places, this.#steps.down(start), this.#steps.up(start + length)))) return start
      from = open > start ? open : this.#open(job, start === from ? start + this.#step : start, length)
    }
    return Infinity
  }

  /** The most nodes that the tasks of the job which start together may be on. */
  mostNodes(job: JobId): number {
    return Math.min(this.#work.maxNodes(job), (this.#maxNodes.size === 0 ? undefined : this.#maxNodes.get(this.#queues.of(job))) ?? Infinity)
  }

  /**
   * Weights for a start now: nodes that its groups hold already are a little lighter than others. `undefined`: no
   * limit is on nodes. Source: Slurm, `_find_grp_node_bitmap`.
   */
  #preferred(job: JobId, weights: Float64Array | undefined): Float64Array | undefined {
    const say = this.nodesOf?.(job, this.#queues.of(job))
    return say && Float64Array.from({ length: this.#nodes }, (_, node) => (weights?.[node] ?? 1) + Number(!say.has(node as NodeId)))
  }

  /** The earliest time from `from` on from which the job meets no window, and its licences are free, for `length` seconds. */
  #open(job: JobId, from: Seconds, length: Seconds): Seconds {
    let start = from
    for (;;) {
      const clear = this.#windows.clear(start, length)
      start = this.#licenses?.earliest(job, clear, length) ?? clear
      if (start === clear) return start
    }
  }
}
