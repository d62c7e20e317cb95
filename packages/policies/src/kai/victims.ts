import type { WorkView } from '@sched/core'
import type { Victim } from './victim.js'

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

  /** Who goes last comes first: lower priorities go before higher ones, what jobs can do without before the rest (KAI's plug-in `elastic`), later jobs before earlier ones, then later tasks. */
  of(leaf: number): readonly Victim[] {
    const work = this.#work
    const list = this.#byLeaf.get(leaf) ?? []
    if (this.#sorted.has(leaf)) return list
    this.#sorted.add(leaf)
    return list.sort((a, b) => work.priority(b.job) - work.priority(a.job) || Number(b.isCore) - Number(a.isCore) || work.rank(a.job) - work.rank(b.job) || (a.tasks[0] as number) - (b.tasks[0] as number))
  }
}
