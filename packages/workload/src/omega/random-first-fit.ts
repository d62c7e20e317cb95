import { SchedError, type Demand, type NodeId } from '@sched/core'

/** The part of a cluster's description by which tasks are placed. Nodes have ids in the order of the groups. */
export interface CellGroups {
  /** Groups of equal nodes. */
  readonly nodes: readonly { readonly count: number; readonly resources?: Readonly<Record<string, number>> }[]
}

/**
 * Free amounts of a cell before a run. Tasks are placed by randomised first fit: candidates are tried at random, and one that has no room is dropped
 * until another demand comes.
 */
export class EmptyCell {
  readonly resources: readonly string[]
  readonly totals: Readonly<Record<string, number>>
  readonly nodes: number
  readonly #free: Float64Array
  readonly #candidates: Int32Array
  readonly #random: () => number
  #left: number
  #latest: Demand | undefined
  /** Amounts of the latest demand, by resource. */
  readonly #asked: Float64Array

  constructor({ nodes }: CellGroups, random: () => number) {
    this.#random = random
    this.resources = [...new Set(nodes.flatMap(({ resources = {} }) => Object.keys(resources)))]
    this.#asked = new Float64Array(this.resources.length)
    this.nodes = nodes.reduce((sum, { count }) => sum + count, 0)
    const machines = nodes.flatMap(({ count, resources = {} }) => Array.from({ length: count }, () => resources))
    this.#free = Float64Array.from(machines.flatMap((machine) => this.resources.map((name) => machine[name] ?? 0)))
    this.totals = Object.fromEntries(this.resources.map((name) => [name, machines.reduce((sum, machine) => sum + (machine[name] ?? 0), 0)]))
    this.#candidates = Int32Array.from({ length: this.nodes }, (_, node) => node)
    this.#left = this.nodes
  }

  /** Takes room for a task on some node; `undefined` if it fits nowhere. */
  place(demand: Demand): NodeId | undefined {
    if (demand !== this.#latest) this.#begin(demand)
    while (this.#left > 0) {
      const at = Math.floor(this.#random() * this.#left)
      const node = this.#candidates[at]!
      if (this.take(demand, node)) return node as NodeId
      this.#candidates[at] = this.#candidates[--this.#left]!
      this.#candidates[this.#left] = node
    }
    return undefined
  }

  /** Takes room on a node; false, without a change, if the task does not fit. Throws `BAD_INPUT` for an unknown resource. */
  take(demand: Demand, node: number): boolean {
    if (demand !== this.#latest) this.#begin(demand)
    const free = this.#free
    const asked = this.#asked
    const first = node * asked.length
    for (let r = 0; r < asked.length; r++) if (free[first + r]! < asked[r]!) return false
    for (let r = 0; r < asked.length; r++) free[first + r]! -= asked[r]!
    return true
  }

  /** Makes all nodes candidates for another demand. */
  #begin(demand: Demand): void {
    this.#asked.fill(0)
    for (const [name, amount] of Object.entries(demand)) this.#asked[this.#column(name)] = amount
    this.#latest = demand
    this.#left = this.nodes
  }

  #column(name: string): number {
    const column = this.resources.indexOf(name)
    if (column !== -1) return column
    throw new SchedError('BAD_INPUT', `a running task asks for "${name}", which no node has.`, { field: 'prefill' }, `The nodes have ${this.resources.join(', ')}.`)
  }
}
