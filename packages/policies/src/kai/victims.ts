import type { WorkView } from '@sched/core'
import { compareServed, type Victim } from './victim.js'

/** Who may be taken, by queue; as long as nobody else runs. */
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

  /** Who goes last comes first: those go first that would be served last, then later tasks. */
  of(leaf: number): readonly Victim[] {
    const list = this.#byLeaf.get(leaf) ?? []
    if (this.#sorted.has(leaf)) return list
    this.#sorted.add(leaf)
    return list.sort((a, b) => compareServed(a, b, this.#work) || (a.tasks[0] as number) - (b.tasks[0] as number))
  }
}
