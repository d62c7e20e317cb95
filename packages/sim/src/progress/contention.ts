import type { Hardware, HardwareUse } from '@sched/cluster'
import type { NodeId, Seconds, StageSpec } from '@sched/core'
import type { Progress, ProgressHost, StartedTask } from './progress.js'

/** Kinds of hardware that are held, not shared in time: in this model their use slows nothing down. */
const HELD = ['memory']

/** Use of a task whose stage gives none: one core, where nodes have cores. */
const DEFAULT_USE = { cores: 1 }

/**
 * Slows tasks down that together use more of a node's cores, disks, ... than there are. A task's work is a mix of the kinds that it uses, in
 * proportion to its use of each. Work of a kind goes at the kind's speed on the node, divided by the factor by which all tasks there together use
 * more of it than there is. So a task alone on a node of speed 1 takes its duration.
 *
 * The model is ours: the papers measure contention and give no rule. It is processor sharing for each kind.
 */
export class Contention implements Progress {
  readonly #host: ProgressHost
  readonly #hardware: Hardware
  readonly #nodes: number
  /** Runs at work on each node, in order of their start. */
  readonly #on: Run[][]
  readonly #runs: (Run | undefined)[] = []
  readonly #uses = new WeakMap<StageSpec, Float64Array>()
  readonly #use: Float64Array
  readonly #runnable: Int32Array
  readonly #slows: boolean

  /** Keeps `measured` current. `slows` false: crowded kinds go at their full speed, and only the use is kept. */
  constructor(host: ProgressHost, hardware: Hardware, measured: HardwareUse, slows: boolean) {
    measured.isMeasured = true
    this.#host = host
    this.#hardware = hardware
    this.#nodes = measured.runnable.length
    this.#use = measured.use
    this.#runnable = measured.runnable
    this.#slows = slows
    this.#on = Array.from(measured.runnable, () => [])
  }

  start({ run, node, stage, alone }: StartedTask, now: Seconds): void {
    const started: Run = { run, node, use: this.#useOf(stage), end: now + alone, factor: 1 }
    this.#runs[run] = started
    this.#on[node]?.push(started)
    this.#renew(node, now)
    if (started.end === now + alone) this.#host.setEnd(run, started.end) // its factor is 1, so it was not moved
  }

  stop(run: number, now: Seconds): void {
    const stopped = this.#runs[run]
    if (stopped === undefined) return
    this.#runs[run] = undefined
    const on = this.#on[stopped.node] as Run[]
    on.splice(on.indexOf(stopped), 1)
    this.#renew(stopped.node, now)
  }

  /** Adds up what the tasks of a node use, and moves their ends. Sums are made anew, so that they never drift. */
  #renew(node: NodeId, now: Seconds): void {
    const { kinds } = this.#hardware
    const on = this.#on[node] as Run[]
    this.#runnable[node] = on.length
    for (let kind = 0; kind < kinds.length; kind++) {
      let sum = 0
      for (const { use } of on) sum += use[kind] as number
      this.#use[kind * this.#nodes + node] = sum
    }
    for (const each of on) this.#move(each, now)
    this.#host.used(node, now)
  }

  #move(run: Run, now: Seconds): void {
    const factor = this.#factorOf(run)
    if (factor === run.factor) return
    run.end = now + (Math.max(0, run.end - now) / run.factor) * factor
    run.factor = factor
    this.#host.setEnd(run.run, run.end)
  }

  /** How many times longer the task takes now than alone on a node of speed 1. */
  #factorOf({ node, use }: Run): number {
    const { kinds, amounts, speeds } = this.#hardware
    let used = 0
    let time = 0
    for (let kind = 0; kind < kinds.length; kind++) {
      const part = use[kind] as number
      if (part === 0 || HELD.includes(kinds[kind] as string)) continue
      const at = kind * this.#nodes + node
      const crowding = this.#slows ? Math.max(1, (this.#use[at] as number) / (amounts[at] as number)) : 1
      used += part
      time += (part * crowding) / (speeds[at] as number)
    }
    return used === 0 ? 1 : time / used
  }

  #useOf(stage: StageSpec): Float64Array {
    let use = this.#uses.get(stage)
    if (use === undefined) {
      const given: Readonly<Record<string, number>> = stage.use ?? DEFAULT_USE
      use = Float64Array.from(this.#hardware.kinds, (kind) => (Object.hasOwn(given, kind) ? (given[kind] as number) : 0))
      this.#uses.set(stage, use)
    }
    return use
  }
}

interface Run {
  readonly run: number
  readonly node: NodeId
  readonly use: Float64Array
  end: Seconds
  factor: number
}
