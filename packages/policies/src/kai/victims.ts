import type { WorkView } from '@sched/core'
import { compareServed, type Victim } from './victim.js'

/** The victims that may be taken, by queue; valid as long as the same tasks run. */
export class Victims {
  readonly #work: WorkView
  readonly #byLeaf = new Map<number, Victim[]>()
  readonly #sorted = new Set<number>()

  constructor(work: WorkView) {
    this.#work = work
  }

  add(leaf: number, victim: Victim): void {
    const list = this.#byLeaf.get(leaf)
    if (list === undefined) this.#byLeaf.set(leaf, [victim])
    else list.push(victim)
  }

  /** The victims of a leaf, the one that goes first at the end: those that would be served last go first, of one job single tasks before groups, then later tasks. */
  of(leaf: number): readonly Victim[] {
    const list = this.#byLeaf.get(leaf) ?? []
    if (this.#sorted.has(leaf)) return list
    this.#sorted.add(leaf)
    return list.sort((a, b) => compareServed(a, b, this.#work) || Number(b.isGroup === true) - Number(a.isGroup === true) || (a.tasks[0] as number) - (b.tasks[0] as number))
  }
}
