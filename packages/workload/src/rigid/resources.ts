import type { Demand } from '@sched/core'

/** What rigid jobs may ask for, in the order of columns: processors or whole nodes, memory in MiB, GPUs. */
export type RigidResource = 'procs' | 'nodes' | 'mem' | 'gpus'

/**
 * A job as in logs of parallel machines: fixed amounts for a fixed time, in seconds. -1 means unknown. One object is reused for all jobs of a
 * reading.
 */
export class RigidJob {
  readonly amounts: Float64Array
  runtime = -1
  estimate = -1

  constructor(resources: number) {
    this.amounts = new Float64Array(resources)
  }
}

/** Demands by amounts. Jobs that ask for the same share one object; most ask for processors only. */
export class Demands {
  readonly #byFirst: Demand[] = []
  readonly #byText = new Map<string, Demand>()

  constructor(private readonly resources: readonly RigidResource[]) {}

  /** Demand of the amounts from position `from` on, without those that are 0. */
  of(amounts: ArrayLike<number>, from: number): Demand {
    const first = amounts[from]!
    if (this.resources.length > 1 || first > 65_536) return this.#several(amounts, from)
    return (this.#byFirst[first] ??= this.#make(amounts, from))
  }

  #several(amounts: ArrayLike<number>, from: number): Demand {
    const text = this.resources.map((_, r) => amounts[from + r]).join(' ')
    let found = this.#byText.get(text)
    if (found === undefined) this.#byText.set(text, (found = this.#make(amounts, from)))
    return found
  }

  #make(amounts: ArrayLike<number>, from: number): Demand {
    return Object.fromEntries(this.resources.flatMap((resource, r) => (amounts[from + r]! > 0 ? [[resource, amounts[from + r]!]] : [])))
  }
}
