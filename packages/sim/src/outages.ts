import type { CellState, Work } from '@sched/cluster'
import { SchedError, type Architecture, type NodeId, type Seconds } from '@sched/core'
import { EventKind, type EventQueue } from './event-queue.js'
import type { Observers } from './observers.js'
import type { TaskRuns } from './task-runs.js'

/** A time in which a node is away. */
export interface Outage {
  readonly node: NodeId
  /** Seconds from the start of the run, `from` < `to`; `Infinity`: never back. */
  readonly from: Seconds
  readonly to: Seconds
  /** What runs there runs on to its end and nothing new starts, as before maintenance; default: it is lost with the node. */
  readonly drain?: boolean
}

/** Failures that are drawn: every node by itself fails and is repaired, both after exponential times. */
export interface OutageModel {
  /** Mean time of a node from the start or a repair to its failure. */
  readonly mtbf: Seconds
  /** Mean time of a repair. */
  readonly mttr: Seconds
}

/** Whom outages are about, and who must know. */
export interface OutagesEnv {
  readonly cell: CellState
  readonly work: Work
  readonly runs: TaskRuns
  readonly architecture: Architecture
  readonly observers: Observers
  readonly queue: EventQueue
}

/**
 * Nodes that go and come back as a list says, or as a model draws. Outages of one node may overlap: it is away while any
 * of them lasts. Draws depend on the seed alone, so policies that are compared on one seed meet the same failures.
 */
export class Outages {
  readonly #env: OutagesEnv
  readonly #listed: readonly Outage[]
  /** The next time to a failure, or of a repair; `undefined` for a list. */
  readonly #draw: ((isFailure: boolean) => Seconds) | undefined
  /** By node: the outages that last. */
  readonly #lasting: Int32Array
  #away = 0

  /** `random`: the stream of the model. Throws `BAD_INPUT` for an outage of no node or of no time. */
  constructor(outages: readonly Outage[] | OutageModel, random: () => number, env: OutagesEnv) {
    const { cell, queue } = env
    this.#env = env
    this.#lasting = new Int32Array(cell.nodes)
    const isDrawn = 'mtbf' in outages
    this.#listed = isDrawn ? [] : outages
    if (isDrawn) {
      this.#draw = (isFailure) => -(isFailure ? outages.mtbf : outages.mttr) * Math.log(1 - random())
      for (let node = 0; node < cell.nodes; node++) queue.push(this.#draw(true), EventKind.Outage, 2 * node)
    }
    for (const [index, outage] of this.#listed.entries()) {
      check(outage, cell.nodes)
      queue.push(outage.from, EventKind.Outage, 2 * index)
      if (outage.to < Infinity) queue.push(outage.to, EventKind.Outage, 2 * index + 1)
    }
  }

  /** Whether a node is away now. */
  get areLasting(): boolean {
    return this.#away > 0
  }

  /** An event that was asked for: the begin of an outage, or with an odd number its end. */
  fired(subject: number, now: Seconds): void {
    const isEnd = (subject & 1) === 1
    const outage = this.#listed[subject >> 1]
    if (this.#draw !== undefined) this.#env.queue.push(now + this.#draw(isEnd), EventKind.Outage, subject ^ 1)
    const node = outage?.node ?? ((subject >> 1) as NodeId)
    if (isEnd) this.#end(node, now)
    else this.#begin(node, now, outage?.drain === true)
  }

  #begin(node: NodeId, now: Seconds, isDrained: boolean): void {
    if (!isDrained) this.#env.runs.lose(node, now)
    const lasting = this.#lasting[node] as number
    this.#lasting[node] = lasting + 1
    if (lasting > 0) return
    this.#away++
    this.#tell(node, false, now)
  }

  #end(node: NodeId, now: Seconds): void {
    const lasting = (this.#lasting[node] as number) - 1
    this.#lasting[node] = lasting
    if (lasting > 0) return
    this.#away--
    this.#tell(node, true, now)
  }

  #tell(node: NodeId, up: boolean, now: Seconds): void {
    const { cell, work, architecture, observers } = this.#env
    cell.setUp(node, up)
    work.tellNode(node, up)
    architecture.onNode?.(node, up)
    observers.onNode(node, up, now)
  }
}

function check({ node, from, to }: Outage, nodes: number): void {
  if (!(Number.isInteger(node) && node >= 0 && node < nodes)) throw new SchedError('BAD_INPUT', `an outage is of node ${node}, the cluster has ${nodes}.`, { field: 'outages' })
  if (!(from >= 0 && from < to)) throw new SchedError('BAD_INPUT', `an outage lasts from ${from} s to ${to} s.`, { field: 'outages' }, 'It begins at 0 s or later and ends after that.')
}
