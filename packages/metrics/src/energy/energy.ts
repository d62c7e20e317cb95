import type { ClusterView, EndRow, JobId, JobSpec, NodeId, NodePower, NodeState, Observer, Seconds, ShapeId, StartRow, TaskId, WorkView } from '@sched/core'
import { counts, secondsIn, wholeRun, type Period } from '../period.js'
import { Draw } from './draw.js'
import { InTime } from './in-time.js'

/**
 * Energy of the nodes with a power model, from the first submission to the end of the run. `total` = `idle` + `base` + `dynamic` + `off` + `asleep` +
 * `switching`.
 */
export interface EnergyResult {
  /** From the first submission to the end of the run, seconds. */
  readonly span: Seconds
  /** Number of nodes with a power model. */
  readonly nodes: number
  /** Total energy, kWh. */
  readonly total: number
  /** Energy drawn by nodes that were up and ran nothing, kWh. */
  readonly idle: number
  /** Energy that nodes which ran tasks would have drawn if idle, kWh. */
  readonly base: number
  /** Energy that nodes which ran tasks drew beyond that, kWh: what tasks add. */
  readonly dynamic: number
  /** Energy drawn by nodes while they were down, kWh. */
  readonly off: number
  /** Energy drawn by nodes while they slept, kWh. */
  readonly asleep: number
  /** Energy drawn by nodes while they were going to sleep or waking, kWh, also where tasks waited on them. */
  readonly switching: number
  /** `dynamic` per finished job, kWh: what a job adds to idle nodes, killed and lost work included. NaN if none finished. */
  readonly perJob: number
  /** `total` / `span`, in W. */
  readonly meanPower: number
  /** Highest power of all nodes together at any time, in W. */
  readonly peakPower: number
}

/**
 * Measures energy, where nodes have a power model (`ClusterView.power`). A task holds its node's resources from its start to its stop, even if the
 * master learns of the stop later; a suspended task holds nothing. Prefilled tasks draw nothing. With a period, only what lies in it counts.
 *
 * Source: Fan, Weber, Barroso, "Power provisioning for a warehouse-sized computer", ISCA 2007: power rises with the use of a node's processors.
 * Deviation: use is what tasks hold, not what they really use.
 */
export const energy = (period?: Period): Energy => new Energy(period)

/** Heartbeats after which every stop is known: Hadoop's "commit pending" takes two, and the third covers rounded times. */
const HEARTBEATS = 3
const JOULES_PER_KWH = 3.6e6

export class Energy implements Observer {
  #power: ClusterView['power']
  #work!: WorkView
  #draw!: Draw
  #changes!: InTime
  #first = NaN
  #end = NaN
  #finished = 0
  readonly #abandoned = new Set<JobId>()

  constructor(private readonly period = wholeRun) {}

  onRunStart({ cluster, work }: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    if (cluster.power === undefined) return
    this.#power = cluster.power
    this.#work = work
    this.#draw = new Draw(cluster.power, this.period)
    this.#changes = new InTime(this.#draw, HEARTBEATS * cluster.heartbeat)
  }

  onSubmit(_job: JobId, _spec: JobSpec, now: Seconds): void {
    if (this.#power === undefined || !Number.isNaN(this.#first)) return
    this.#first = now
    this.#draw.begin(now)
  }

  onTasksStart({ count, tasks, nodes }: StartRow, now: Seconds): void {
    if (this.#power === undefined) return
    const shape = this.#work.shapeOf(tasks[0] as TaskId)
    for (let i = 0; i < count; i++) this.#hold(shape, nodes[i] as NodeId, 1, now, now)
  }

  onTasksEnd({ count, tasks, nodes, stopped }: EndRow, now: Seconds): void {
    if (this.#power === undefined) return
    const shape = this.#work.shapeOf(tasks[0] as TaskId)
    for (let i = 0; i < count; i++) this.#hold(shape, nodes[i] as NodeId, -1, stopped, now)
  }

  onNode(node: NodeId, up: boolean, now: Seconds): void {
    if (this.#power?.[node] !== undefined) this.#changes.change(now, node, 0, 0, up ? 1 : -1, now)
  }

  onNodeState(node: NodeId, state: NodeState, now: Seconds): void {
    if (this.#power?.[node] !== undefined) this.#draw.become(now, node, state)
  }

  onAbandon(job: JobId): void {
    if (this.#power !== undefined) this.#abandoned.add(job)
  }

  onJobEnd(job: JobId, _spec: JobSpec, now: Seconds): void {
    if (this.#power !== undefined && !this.#abandoned.delete(job) && counts(this.period, now)) this.#finished++
  }

  onRunEnd(now: Seconds): void {
    if (this.#power === undefined) return
    this.#end = now
    this.#changes.tellUntil(now)
    this.#draw.end(now)
  }

  /** `undefined` if no node has a power model. */
  result(): EnergyResult | undefined {
    if (this.#power === undefined) return undefined
    const span = secondsIn(this.period, this.#first, this.#end)
    const { off, idle, base, dynamic, asleep, switching } = this.#draw.joules()
    const total = off + idle + base + dynamic + asleep + switching
    return {
      span,
      nodes: this.#power.reduce((sum, power) => sum + (power === undefined ? 0 : 1), 0),
      total: total / JOULES_PER_KWH,
      idle: idle / JOULES_PER_KWH,
      base: base / JOULES_PER_KWH,
      dynamic: dynamic / JOULES_PER_KWH,
      off: off / JOULES_PER_KWH,
      asleep: asleep / JOULES_PER_KWH,
      switching: switching / JOULES_PER_KWH,
      perJob: this.#finished > 0 ? dynamic / JOULES_PER_KWH / this.#finished : NaN,
      meanPower: span > 0 ? total / span : NaN,
      peakPower: this.#draw.peak,
    }
  }

  /** A task takes (1) or gives back (-1) its demand of the resources by which its node's use is measured. */
  #hold(shape: ShapeId, node: NodeId, sign: 1 | -1, time: Seconds, now: Seconds): void {
    const power: NodePower | undefined = this.#power?.[node]
    if (power === undefined) return
    let amount = 0
    for (const resource of power.resources) amount += this.#work.demand(shape, resource)
    this.#changes.change(time, node, sign * amount, sign, 0, now)
  }
}
