import type { Mates } from './mates.js'
import type { SpreadTally, Tally } from './tally.js'
import { marksOf } from './task-set.js'

/** The relation of the tasks of a set to a tally: they are `counted` in it, `keptOff` by the tasks that it counts, or `pulled` by these. */
export type Bond = { readonly kind: 'counted' } | { readonly kind: 'keptOff' } | { readonly kind: 'pulled'; readonly weight: number }

interface Entry {
  readonly tally: Tally
  readonly bond: Bond
}

/** All tallies that rules of tasks in the system need, each kept once, and the tasks that they concern. */
export class TallyBook {
  readonly #entries = new Map<string, Entry>()
  readonly #keys = new Map<Tally, string>()
  /** Entries by the mark of their sets. */
  readonly #byMark = new Map<string, Set<Entry>>()
  readonly #mates = new Map<string, Set<Mates>>()
  /** Tallies that depend on which nodes are there. */
  readonly #spreads = new Set<SpreadTally>()

  /** The tally of that key, made by `make` if there is none. It is kept until it is given up as often as it was taken. */
  take<T extends Tally>(key: string, bond: Bond, make: () => T): T {
    const known = this.#entries.get(key)
    const entry = known ?? { tally: make(), bond }
    entry.tally.uses++
    if (known === undefined) this.#open(key, entry)
    return entry.tally as T
  }

  /** The same for a tally that depends on which nodes are there. */
  takeSpread(key: string, make: () => SpreadTally): SpreadTally {
    const tally = this.take(key, { kind: 'counted' }, make)
    this.#spreads.add(tally)
    return tally
  }

  leave(tally: Tally): void {
    if (--tally.uses > 0) return
    const key = this.#keys.get(tally) as string
    const entry = this.#entries.get(key) as Entry
    this.#entries.delete(key)
    this.#keys.delete(tally)
    this.#spreads.delete(tally as SpreadTally)
    takeOut(this.#byMark, tally.tasks.mark, entry)
    for (const mates of this.#mates.get(tally.tasks.mark) ?? []) unbind(mates, tally)
  }

  /** Takes in tasks that are in the system from now on. */
  add(mates: Mates): void {
    for (const mark of marksOf(mates)) {
      putIn(this.#mates, mark, mates)
      for (const entry of this.#byMark.get(mark) ?? []) bind(mates, entry)
    }
  }

  remove(mates: Mates): void {
    for (const mark of marksOf(mates)) takeOut(this.#mates, mark, mates)
  }

  /** A node has gone or come back. */
  nodesChanged(): void {
    for (const tally of this.#spreads) {
      tally.clear()
      for (const mates of this.#mates.get(tally.tasks.mark) ?? []) if (mates.counted.includes(tally)) addAll(mates, tally)
    }
  }

  #open(key: string, entry: Entry): void {
    const { tally } = entry
    this.#entries.set(key, entry)
    this.#keys.set(tally, key)
    putIn(this.#byMark, tally.tasks.mark, entry)
    for (const mates of this.#mates.get(tally.tasks.mark) ?? []) bind(mates, entry)
  }
}

function bind(mates: Mates, { tally, bond }: Entry): void {
  if (!tally.tasks.has(mates)) return
  if (bond.kind === 'keptOff') mates.keptOff.push(tally)
  else if (bond.kind === 'pulled') mates.pulled.push({ tally, weight: bond.weight })
  else {
    mates.counted.push(tally)
    addAll(mates, tally)
  }
}

function unbind(mates: Mates, tally: Tally): void {
  mates.counted = mates.counted.filter((each) => each !== tally)
  mates.keptOff = mates.keptOff.filter((each) => each !== tally)
  mates.pulled = mates.pulled.filter((each) => each.tally !== tally)
}

function addAll({ running }: Mates, tally: Tally): void {
  for (const [node, tasks] of running) tally.add(node, tasks)
}

function putIn<T>(sets: Map<string, Set<T>>, mark: string, each: T): void {
  const known = sets.get(mark)
  if (known === undefined) sets.set(mark, new Set([each]))
  else known.add(each)
}

function takeOut<T>(sets: Map<string, Set<T>>, mark: string, each: T): void {
  const known = sets.get(mark)
  known?.delete(each)
  if (known?.size === 0) sets.delete(mark)
}
