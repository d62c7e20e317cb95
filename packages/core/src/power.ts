import type { ResourceId } from './ids.js'

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
  /** How it rises between idle and busy. */
  readonly model: PowerModel
  /** By which resources use is told; amounts of several are added up. */
  readonly resources: readonly ResourceId[]
  /** What the node has of these together; 0: it is always idle. */
  readonly total: number
}

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
