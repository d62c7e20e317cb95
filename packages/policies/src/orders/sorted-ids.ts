import { grown } from '@sched/core'
import { IdWindow, LOOP } from './id-window.js'

/** Sort keys by id, shared by all lists of one kind: `key` first, then `tie`, which no two ids share. */
export class Keys {
  key: Float64Array
  tie: Float64Array
  /** Where an id stood in its list when it was last moved: a hint, since block copies do not update it. */
  hint: Int32Array

  /** `ids`: how many there is room for from the start. */
  constructor(ids = 64) {
    this.key = new Float64Array(ids)
    this.tie = new Float64Array(ids)
    this.hint = new Int32Array(ids)
  }

  set(id: number, key: number, tie: number): void {
    if (id >= this.key.length) this.#grow(id + 1)
    this.key[id] = key
    this.tie[id] = tie
  }

  setTie(id: number, tie: number): void {
    if (id >= this.key.length) this.#grow(id + 1)
    this.tie[id] = tie
  }

  #grow(needed: number): void {
    this.key = grown(this.key, needed)
    this.tie = grown(this.tie, needed)
    this.hint = grown(this.hint, needed)
  }
}

/**
 * Ids kept in ascending order of their keys. An order is read at every decision and changes by one element at a time,
 * so the list is never sorted: an element whose key changes is moved.
 */
export class SortedIds extends IdWindow {
  protected readonly keys: Keys

  constructor(keys: Keys) {
    super()
    this.keys = keys
  }

  /** Adds an id whose key is set. */
  add(id: number): void {
    const { key, tie } = this.keys
    this.makeRoom()
    this.insert(this.#place(key[id] as number, tie[id] as number, this.from, this.to), id)
  }

  /** Removes a member, whose key is still the one it was placed by. */
  remove(id: number): void {
    this.removeAt(this.find(id))
  }

  /**
   * Gives a member a new key and moves it to its place; the members that it passes move by one. Both directions are loops of this one
   * function: most orders spend their time here, and V8 decides what to inline early in a run, when tasks start and none has ended.
   */
  rekey(id: number, next: number): void {
    const { ids, from, to } = this
    const { key, tie, hint } = this.keys
    const was = key[id] as number
    if (next === was) return
    let at = this.find(id)
    const t = tie[id] as number
    key[id] = next
    if (next > was) {
      if (at + LOOP < to && !this.after(ids[at + LOOP] as number, next, t)) at = this.#jumpUp(at, next, t)
      while (at + 1 < to) {
        const other = ids[at + 1] as number
        const otherKey = key[other] as number
        if (otherKey > next || (otherKey === next && (tie[other] as number) > t)) break
        hint[other] = at
        ids[at++] = other
      }
    } else {
      if (at - LOOP >= from && this.after(ids[at - LOOP] as number, next, t)) at = this.#jumpDown(at, next, t)
      while (at > from) {
        const other = ids[at - 1] as number
        const otherKey = key[other] as number
        if (otherKey < next || (otherKey === next && (tie[other] as number) < t)) break
        hint[other] = at
        ids[at--] = other
      }
    }
    ids[at] = id
    hint[id] = at
  }

  /** Moves all members between the hole and the place of (key, tie) down by one, in one block; returns that place. */
  #jumpUp(hole: number, next: number, t: number): number {
    const end = this.#place(next, t, hole + LOOP + 1, this.to)
    this.ids.copyWithin(hole, hole + 1, end)
    return end - 1
  }

  #jumpDown(hole: number, next: number, t: number): number {
    const start = this.#place(next, t, this.from, hole - LOOP)
    this.ids.copyWithin(start + 1, start, hole)
    return start
  }

  /** Whether a member comes after (key, tie). */
  protected after(id: number, key: number, tie: number): boolean {
    const other = this.keys.key[id] as number
    return other > key || (other === key && (this.keys.tie[id] as number) > tie)
  }

  /** First position in [low, high) whose member comes after (key, tie); `high` if none does. */
  #place(key: number, tie: number, low: number, high: number): number {
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.after(this.ids[middle] as number, key, tie)) high = middle
      else low = middle + 1
    }
    return low
  }

  protected find(id: number): number {
    const hint = this.keys.hint[id] as number
    return hint >= this.from && hint < this.to && this.ids[hint] === id ? hint : this.#search(id)
  }

  #search(id: number): number {
    const { key, tie } = this.keys
    return this.#place(key[id] as number, tie[id] as number, this.from, this.to) - 1
  }
}
