import type { Demand } from '@sched/core'
import { roundUp } from '../alibaba/round-up.js'
import { BadLine } from '../trace/format.js'

/** Amounts of `cpu` and `gpu` per core and per device. */
export const MILLI = 1000

/** Demands of tasks. Equal ones share one object; amounts are rounded up, and amounts of 0 left out. */
export class Demands {
  readonly #known = new Map<string, Demand>()

  /** The demand with these amounts; `undefined` if all are 0. Throws `BadLine` for amounts above 2^53 - 1. */
  of(amounts: Readonly<Record<string, number>>): Demand | undefined {
    const asked = Object.entries(amounts).map(([name, amount]) => [name, roundUp(amount)] as const).filter(([, amount]) => amount > 0)
    if (asked.length === 0) return undefined
    for (const [name, amount] of asked) if (amount > Number.MAX_SAFE_INTEGER) throw new BadLine(undefined, `a task asks for ${amount} ${name}, more than any machine has.`)
    const key = asked.join()
    let demand = this.#known.get(key)
    if (demand === undefined) this.#known.set(key, (demand = Object.fromEntries(asked)))
    return demand
  }
}
