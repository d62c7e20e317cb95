import { portableLog, SchedError, type NodeId, type Seconds } from '@sched/core'
import { EventKind, type EventQueue } from './event-queue.js'
import { changeNode, type NodeChangesEnv } from './node-changes.js'

/** A time during which a node is down. */
export interface Outage {
  /** The node. */
  readonly node: NodeId
  /** When the node goes down, seconds from the start of the run; before `to`. */
  readonly from: Seconds
  /** When the node comes back, seconds from the start of the run; `Infinity`: never. */
  readonly to: Seconds
  /** True: running tasks run on to their end and nothing new starts, as before maintenance. Default: running tasks are lost with the node. */
  readonly drain?: boolean
}

/** A model of random failures: every node, or every rack, fails and is repaired independently, after exponentially distributed times. */
export interface OutageModel {
  /** Mean seconds from the start or a repair of a node or rack to its failure, > 0. */
  readonly mtbf: Seconds
  /** Mean seconds of a repair, > 0. */
  readonly mttr: Seconds
  /** What fails: a node (the default), or a rack with all its nodes at once, as when its switch or its power fails. */
  readonly per?: 'node' | 'rack' | undefined
}

/** What outages act on. */
export interface OutagesEnv extends NodeChangesEnv {
  readonly queue: EventQueue
}

/** Nodes that go down together, with the model that draws the times; a listed outage has no model. */
interface Unit {
  readonly nodes: Iterable<number>
  readonly drain: boolean
  readonly isEndless?: boolean
  readonly draw?: (isFailure: boolean) => Seconds
}

/**
 * Takes nodes down and brings them back as a list says or as models draw. Outages of one node may overlap: it is down while any of them lasts. Draws
 * depend only on the seed, so policies compared on one seed meet the same failures.
 */
export class Outages {
  readonly #env: OutagesEnv
  /** By half the event number: an even event begins an outage of its unit, the following odd one ends it. */
  readonly #units: Unit[] = []
  /** By node: number of outages that last. */
  readonly #lasting: Int32Array
  #away = 0
  #endless = 0

  /**
   * `random` gives the stream of a name; each model has its own. Throws `BAD_INPUT` for an unknown node, an empty time span, or failures per rack in
   * a cluster without racks.
   */
  constructor(outages: OutageModel | readonly (Outage | OutageModel)[], random: (name: string) => () => number, env: OutagesEnv) {
    this.#env = env
    this.#lasting = new Int32Array(env.cell.nodes)
    let models = 0
    for (const each of 'mtbf' in outages ? [outages] : outages) {
      if (!('mtbf' in each)) this.#list(each)
      else this.#add(each, random(models++ === 0 ? 'outages' : `outages/${models}`))
    }
  }

  #list(outage: Outage): void {
    const { cell, queue } = this.#env
    check(outage, cell.nodes)
    const event = 2 * this.#units.length
    this.#units.push({ nodes: [outage.node], drain: outage.drain === true, isEndless: outage.to === Infinity })
    queue.push(outage.from, EventKind.Outage, event)
    if (outage.to < Infinity) queue.push(outage.to, EventKind.Outage, event + 1)
  }

  #add({ mtbf, mttr, per = 'node' }: OutageModel, next: () => number): void {
    if (!(mtbf > 0 && mttr > 0)) throw new SchedError('BAD_INPUT', `found mtbf ${mtbf} and mttr ${mttr}, expected means above 0.`, { field: 'outages' }, 'Give both in seconds, or leave the model out for nodes that never fail.')
    const { cell, queue } = this.#env
    const { byRack, rackStart, groups } = cell.model
    if (per === 'rack' && groups.length < 2)
      throw new SchedError(
        'BAD_INPUT',
        'are per rack, and the cluster has no racks.',
        { field: 'outages' },
        'Give its nodes `racks`, or draw failures per node.',
      )
    const draw = (isFailure: boolean) => -(isFailure ? mtbf : mttr) * portableLog(1 - next())
    const count = per === 'node' ? cell.nodes : rackStart.length - 1
    for (let unit = 0; unit < count; unit++) {
      queue.push(draw(true), EventKind.Outage, 2 * this.#units.length)
      this.#units.push({ nodes: per === 'node' ? [unit] : byRack.subarray(rackStart[unit], rackStart[unit + 1]), drain: false, draw })
    }
  }

  /** Number of nodes that are down now. */
  get away(): number {
    return this.#away
  }

  /** Whether any node is down for ever. */
  get areEndless(): boolean {
    return this.#endless > 0
  }

  /** Handles an outage event: an even number begins the outage, an odd number ends it. */
  fired(event: number, now: Seconds): void {
    const isEnd = (event & 1) === 1
    const { nodes, drain, draw, isEndless } = this.#units[event >> 1] as Unit
    if (isEndless === true) this.#endless++
    if (draw !== undefined) this.#env.queue.push(now + draw(isEnd), EventKind.Outage, event ^ 1)
    for (const node of nodes)
      if (isEnd) this.#end(node as NodeId, now)
      else this.#begin(node as NodeId, now, drain)
  }

  /** Drains a node until `restore`, or for ever. */
  drain(node: NodeId, now: Seconds, isEndless: boolean): void {
    if (isEndless) this.#endless++
    this.#begin(node, now, true)
  }

  restore(node: NodeId, now: Seconds): void {
    this.#end(node, now)
  }

  #begin(node: NodeId, now: Seconds, isDrained: boolean): void {
    if (!isDrained) this.#env.runs.lose(node, now)
    const lasting = this.#lasting[node] as number
    this.#lasting[node] = lasting + 1
    if (lasting > 0) return
    this.#away++
    changeNode(this.#env, node, false, now)
  }

  #end(node: NodeId, now: Seconds): void {
    const lasting = (this.#lasting[node] as number) - 1
    this.#lasting[node] = lasting
    if (lasting > 0) return
    this.#away--
    changeNode(this.#env, node, true, now)
  }
}

function check({ node, from, to }: Outage, nodes: number): void {
  if (!(Number.isInteger(node) && node >= 0 && node < nodes)) throw new SchedError('BAD_INPUT', `an outage is of node ${node}, the cluster has ${nodes}.`, { field: 'outages' }, 'Nodes are numbered from 0.')
  if (!(from >= 0 && from < to))
    throw new SchedError(
      'BAD_INPUT',
      `an outage lasts from ${from} s to ${to} s.`,
      { field: 'outages' },
      'It begins at 0 s or later and ends after that.',
    )
}
