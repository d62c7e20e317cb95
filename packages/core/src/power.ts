import type { ResourceId, Seconds } from './ids.js'

/** How a node's power rises from idle to busy: in proportion to use, or to its square, cube or square root. */
export const powerModels = ['linear', 'square', 'cubic', 'sqrt'] as const

/** One of `powerModels`. */
export type PowerModel = (typeof powerModels)[number]

/** What a node draws, in watts. `idle` <= `busy`. */
export interface NodePower {
  /** Draw of a node that is up with none of its resources held. */
  readonly idle: number
  /** Draw of a node whose resources are all held. */
  readonly busy: number
  /** Draw of a node that is down. */
  readonly off: number
  /** Draw of a node that sleeps. */
  readonly asleep: number
  /** Draw of a node that is going to sleep or waking. */
  readonly switching: number
  /** How the draw rises between idle and busy. */
  readonly model: PowerModel
  /** Resources by which use is measured; amounts of several are added up. */
  readonly resources: readonly ResourceId[]
  /** Amount that the node has of these together; 0: the node always counts as idle. */
  readonly total: number
}

/** When a node goes to sleep, and how long the changes take; all in seconds. */
export interface NodeSleep {
  /** Idle time after which the node goes to sleep. */
  readonly after: Seconds
  /** Time to wake; tasks that start on the node meanwhile wait for it. */
  readonly wake: Seconds
  /** Time to go to sleep. A node that gets a task meanwhile finishes going to sleep first. */
  readonly shutdown: Seconds
}

/** Power state of a node that may sleep; `stopping`: it is going to sleep. A `waking` node may hold tasks, which wait until it is awake. */
export type NodeState = 'awake' | 'stopping' | 'asleep' | 'waking'

const rises: Readonly<Record<PowerModel, (use: number) => number>> = {
  linear: (use) => use,
  square: (use) => use * use,
  cubic: (use) => use * use * use,
  sqrt: (use) => Math.sqrt(use),
}

/**
 * Watts of a node that is up at a use in [0, 1]: idle + (busy - idle) x use, where `model` is linear. The same bits on every machine.
 *
 * Source: Fan, Weber, Barroso, "Power provisioning for a warehouse-sized computer", ISCA 2007, for `linear`; OpenDC, `SquarePowerModel`,
 * `CubicPowerModel` and `SqrtPowerModel`, for the others.
 */
export const wattsAt = ({ idle, busy, model }: NodePower, use: number): number => idle + (busy - idle) * rises[model](use)
