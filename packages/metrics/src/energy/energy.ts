import type { ClusterView, EndRow, JobId, JobSpec, NodeId, NodePower, NodeState, Observer, Seconds, ShapeId, StartRow, TaskId, WorkView } from '@sched/core'
import { counts, secondsIn, wholeRun, type Period } from '../period.js'
import { Draw } from './draw.js'
import { InTime } from './in-time.js'

/** Energy of the nodes that say what they draw, from the first submission to the end of the run. `total` = `idle` + `base` + `dynamic` + `off` + `asleep` + `switching`. */
export interface EnergyResult {
  /** From the first submission to the end of the run, seconds. */
  readonly span: Seconds
  /** How many nodes say what they draw. */
  readonly nodes: number
  /** All of it, kWh. */
  readonly total: number
  /** What nodes drew that were up and ran nothing, kWh. */
  readonly idle: number
  /** What nodes that ran something would have drawn without it, kWh. */
  readonly base: number
  /** What nodes that ran something drew above that, kWh: what tasks add. */
  readonly dynamic: number
  /** What nodes drew while they were away, kWh. */
  readonly off: number
  /** What nodes drew while they slept, kWh. */
  readonly asleep: number
  /** What nodes drew while they went to sleep or woke, kWh: also what tasks hold that wait for them. */
  readonly switching: number
  /** `dynamic` over the jobs that finished, kWh: what a job adds to idle nodes, killed and lost work included. NaN where none did. */
  readonly perJob: number
  /** `total` over `span`, W. */
  readonly meanPower: number
  /** The highest power of all nodes together at any time, W. */
  readonly peakPower: number
}

/**
 * Energy, where nodes say what they draw (`ClusterView.power`). A task holds its node's resources from its start to its stop, also where
 * the master learns of that later; a suspended one holds nothing. What a run is prefilled with draws nothing. With a period, only what lies in it counts.
 *
 * Source: Fan, Weber, Barroso, "Power provisioning for a warehouse-sized computer", ISCA 2007: power rises with the use of a node's
 * processors. Deviation: use is what tasks hold, not what they really use.
 */
export const energy = (period?: Period): Energy => new Energy(period)

/** Heartbeats after which every stop is known: Hadoop's "commit pending" takes two, the third is for times that are rounded. */
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

  /** `undefined` where no node says what it draws. */
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

  /** A task takes (1) or gives back (-1) what it holds of the resources that tell the use of its node. */
  #hold(shape: ShapeId, node: NodeId, sign: 1 | -1, time: Seconds, now: Seconds): void {
    const power: NodePower | undefined = this.#power?.[node]
    if (power === undefined) return
    let amount = 0
    for (const resource of power.resources) amount += this.#work.demand(shape, resource)
    this.#changes.change(time, node, sign * amount, sign, 0, now)
  }
}
