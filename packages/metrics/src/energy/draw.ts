import { wattsAt, type NodeId, type NodePower, type NodeState, type Seconds } from '@sched/core'
import { secondsIn, type Period } from '../period.js'
import type { Changes } from './in-time.js'

/** Power is kept in whole microwatts, so that sums over nodes do not depend on the order of changes; exact below 9 GW. */
const MICRO = 1e6

/** Parts of `#joules`: in which state nodes draw. */
const OFF = 0, IDLE = 1, BASE = 2, DYNAMIC = 3, ASLEEP = 4, SWITCHING = 5, PARTS = 6

/** Energy in joules, by the state in which nodes draw it. */
interface Joules {
  /** By nodes that are down. */
  readonly off: number
  /** By nodes that are up and run nothing. */
  readonly idle: number
  /** By nodes that run tasks: what they would draw if idle. */
  readonly base: number
  /** By nodes that run tasks: what they draw beyond that. */
  readonly dynamic: number
  /** By nodes that sleep. */
  readonly asleep: number
  /** By nodes that are going to sleep or waking, also where tasks wait on them. */
  readonly switching: number
}

/**
 * What nodes draw, followed change by change in order of time, from `begin` on and within a period. A node that is down but still runs tasks, as
 * drained nodes do, draws what these need, and is off after that. Sums are kept by node, so that the order of changes of one instant does not matter.
 */
export class Draw implements Changes {
  /** The highest power that lasted for some time, in watts; NaN if no time counts. */
  get peak(): number {
    return this.#peak / MICRO
  }

  readonly #power: readonly (NodePower | undefined)[]
  readonly #period: Period
  readonly #held: Float64Array
  readonly #tasks: Int32Array
  readonly #up: Int32Array
  readonly #state: NodeState[]
  /** By node: microwatts now, and since when they have not been added to `#joules`. */
  readonly #level: Float64Array
  readonly #since: Float64Array
  /** Energy in microjoules, `[part * nodes + node]`. */
  readonly #joules: Float64Array
  /** Microwatts of all nodes now. */
  #whole = NaN
  #peak = NaN
  #from: Seconds = Infinity
  #now: Seconds = -Infinity

  constructor(power: readonly (NodePower | undefined)[], period: Period) {
    const nodes = power.length
    this.#power = power
    this.#period = period
    this.#held = new Float64Array(nodes)
    this.#tasks = new Int32Array(nodes)
    this.#up = new Int32Array(nodes).fill(1)
    this.#state = power.map(() => 'awake')
    this.#level = new Float64Array(nodes)
    this.#since = new Float64Array(nodes)
    this.#joules = new Float64Array(PARTS * nodes)
    this.#whole = 0
    for (let node = 0; node < nodes; node++) this.#redraw(node as NodeId)
  }

  /** Starts counting: what was drawn before does not count. */
  begin(now: Seconds): void {
    this.#from = now
  }

  change(time: Seconds, node: NodeId, amount: number, tasks: number, up: number): void {
    this.#passTo(time)
    this.#settle(node)
    this.#held[node] = (this.#held[node] as number) + amount
    this.#tasks[node] = (this.#tasks[node] as number) + tasks
    this.#up[node] = (this.#up[node] as number) + up
    this.#redraw(node)
  }

  /** Changes the power state of a node; nodes that are down count as awake. */
  become(time: Seconds, node: NodeId, state: NodeState): void {
    this.#passTo(time)
    this.#settle(node)
    this.#state[node] = state
    this.#redraw(node)
  }

  end(time: Seconds): void {
    this.#passTo(time)
    for (let node = 0; node < this.#power.length; node++) this.#settle(node as NodeId)
  }

  joules(): Joules {
    const nodes = this.#power.length
    const of = (part: number) => this.#joules.subarray(part * nodes, (part + 1) * nodes).reduce((sum, joules) => sum + joules, 0) / MICRO
    return { off: of(OFF), idle: of(IDLE), base: of(BASE), dynamic: of(DYNAMIC), asleep: of(ASLEEP), switching: of(SWITCHING) }
  }

  /** Advances the time to an instant; called before its first change, so that only states that lasted count. */
  #passTo(time: Seconds): void {
    if (!(time > this.#now)) return
    if (this.#seconds(this.#now, time) > 0 && !(this.#whole <= this.#peak)) this.#peak = this.#whole
    this.#now = time
  }

  #settle(node: NodeId): void {
    const seconds = this.#seconds(this.#since[node] as number, this.#now)
    this.#since[node] = this.#now
    const level = this.#level[node] as number
    if (seconds === 0 || level === 0) return
    if (this.#state[node] !== 'awake') return this.#add(this.#state[node] === 'asleep' ? ASLEEP : SWITCHING, node, level * seconds)
    if (this.#tasks[node] === 0) return this.#add(this.#up[node] === 1 ? IDLE : OFF, node, level * seconds)
    const idle = micro((this.#power[node] as NodePower).idle)
    this.#add(BASE, node, idle * seconds)
    this.#add(DYNAMIC, node, (level - idle) * seconds)
  }

  #add(part: number, node: NodeId, joules: number): void {
    const at = part * this.#power.length + node
    this.#joules[at] = (this.#joules[at] as number) + joules
  }

  #redraw(node: NodeId): void {
    const power = this.#power[node]
    if (power === undefined) return
    const level = micro(this.#state[node] === 'awake' ? this.#awake(power, node) : this.#state[node] === 'asleep' ? power.asleep : power.switching)
    this.#whole += level - (this.#level[node] as number)
    this.#level[node] = level
  }

  /** Watts of a node that is awake or down. */
  #awake(power: NodePower, node: NodeId): number {
    const { idle, off, total } = power
    if (this.#tasks[node] === 0) return this.#up[node] === 1 ? idle : off
    return wattsAt(power, total > 0 ? Math.min(1, Math.max(0, (this.#held[node] as number) / total)) : 0)
  }

  #seconds(from: Seconds, to: Seconds): Seconds {
    return secondsIn(this.#period, Math.max(from, this.#from), to)
  }
}

const micro = (watts: number): number => Math.round(watts * MICRO)
