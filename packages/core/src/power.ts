import type { ResourceId, Seconds } from './ids.js'

/** The shapes in which the power of a node rises from idle to busy: in proportion to use, or to a power or the root of it. */
export const powerModels = ['linear', 'square', 'cubic', 'sqrt'] as const

/** One of `powerModels`. */
export type PowerModel = (typeof powerModels)[number]

/** What a node draws, in watts. `idle` <= `busy`. */
export interface NodePower {
  /** Of a node that is up and of whose resources nothing is held. */
  readonly idle: number
  /** Of a node whose resources are all held. */
  readonly busy: number
  /** Of a node that is away. */
  readonly off: number
  /** Of a node that sleeps. */
  readonly asleep: number
  /** Of a node that goes to sleep or wakes. */
  readonly switching: number
  /** How it rises between idle and busy. */
  readonly model: PowerModel
  /** By which resources use is told; amounts of several are added up. */
  readonly resources: readonly ResourceId[]
  /** What the node has of these together; 0: it is always idle. */
  readonly total: number
}

/** When a node goes to sleep, and how long that takes it; all in seconds. */
export interface NodeSleep {
  /** For so long nothing has to run there before it goes to sleep. */
  readonly after: Seconds
  /** It takes so long to wake; tasks that start there wait for it. */
  readonly wake: Seconds
  /** It takes so long to go to sleep, which one for which a task comes meanwhile finishes first. */
  readonly shutdown: Seconds
}

/** What a node does that may sleep: `stopping` while it goes to sleep. One that is `waking` may hold tasks, which wait for it. */
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
