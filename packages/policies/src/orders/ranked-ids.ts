import { grown } from '@sched/core'
import { IdWindow } from './id-window.js'

/** Keys of several numbers by id: the numbers are compared in turn, then `tie`, which no two ids of a list share. */
export class KeyRows {
  readonly width: number
  rows: Float64Array
  tie = new Float64Array(64)
  /** Where an id stood when it was last moved: a hint, since block copies do not update it. */
  hint = new Int32Array(64)

  constructor(width: number) {
    this.width = width
    this.rows = new Float64Array(64 * width)
  }

  setTie(id: number, tie: number): void {
    if (id >= this.tie.length) this.#grow(id + 1)
    this.tie[id] = tie
  }

  /** Copies a key of at most `width` numbers; the rest becomes 0. */
  set(id: number, key: Float64Array): void {
    this.rows.set(key, id * this.width)
  }

  #grow(needed: number): void {
    this.tie = grown(this.tie, needed)
    this.hint = grown(this.hint, needed)
    this.rows = grown(this.rows, this.tie.length * this.width)
  }
}

/** Members farther from their place than this are moved in one block. */
const LOOP = 24

/**
 * Ids in ascending order of keys of several numbers. The list is never sorted: an element whose key changes is moved. `SortedIds` does the
 * same for keys of one number; it is a class of its own because most orders spend their time on its comparison of two numbers.
 */
export class RankedIds extends IdWindow {
  readonly #keys: KeyRows

  constructor(keys: KeyRows) {
    super()
    this.#keys = keys
  }

  /** Adds an id whose key and tie are set. */
  add(id: number): void {
    this.makeRoom()
    const { rows, width, tie } = this.#keys
    this.insert(this.#place(rows, id * width, tie[id] as number, this.from, this.to), id)
  }

  /** Removes a member, whose key is still the one it was placed by. */
  remove(id: number): void {
    this.removeAt(this.#find(id))
  }

  /** Gives a member a new key and moves it to its place. */
  rekey(id: number, next: Float64Array): void {
    const { ids } = this
    const { rows, width, tie, hint } = this.#keys
    const row = id * width
    const i = firstDifference(next, rows, row, width)
    if (next[i] === rows[row + i]) return
    const at = this.#find(id)
    const isUp = (next[i] as number) > (rows[row + i] as number)
    const t = tie[id] as number
    const to = isUp ? this.#makeWayUp(at, next, t) : this.#makeWayDown(at, next, t)
    ids[to] = id
    hint[id] = to
    for (let k = i; k < width; k++) rows[row + k] = next[k] as number // few: a block copy costs more
  }

  /** Moves the members between the hole and the place of the key down by one; returns that place. Few move, as a rule. */
  #makeWayUp(hole: number, key: Float64Array, t: number): number {
    const { ids, to } = this
    const { hint } = this.#keys
    if (hole + LOOP < to && !this.#after(ids[hole + LOOP] as number, key, 0, t)) {
      const end = this.#place(key, 0, t, hole + LOOP + 1, to)
      ids.copyWithin(hole, hole + 1, end)
      return end - 1
    }
    let at = hole
    for (; at + 1 < to && !this.#after(ids[at + 1] as number, key, 0, t); at++) {
      const other = ids[at + 1] as number
      hint[other] = at
      ids[at] = other
    }
    return at
  }

  #makeWayDown(hole: number, key: Float64Array, t: number): number {
    const { ids, from } = this
    const { hint } = this.#keys
    if (hole - LOOP >= from && this.#after(ids[hole - LOOP] as number, key, 0, t)) {
      const start = this.#place(key, 0, t, from, hole - LOOP)
      ids.copyWithin(start + 1, start, hole)
      return start
    }
    let at = hole
    for (; at > from && this.#after(ids[at - 1] as number, key, 0, t); at--) {
      const other = ids[at - 1] as number
      hint[other] = at
      ids[at] = other
    }
    return at
  }

  /** First position in [low, high) whose member comes after the key; `high` if none does. */
  #place(key: Float64Array, row: number, tie: number, low: number, high: number): number {
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#after(this.ids[middle] as number, key, row, tie)) high = middle
      else low = middle + 1
    }
    return low
  }

  /** Whether a member comes after (key, tie). */
  #after(id: number, key: Float64Array, row: number, tie: number): boolean {
    const { rows, width } = this.#keys
    const own = id * width
    for (let i = 0; i < width; i++) {
      const a = rows[own + i] as number
      const b = key[row + i] as number
      if (a !== b) return a > b
    }
    return (this.#keys.tie[id] as number) > tie
  }

  #find(id: number): number {
    const { rows, width, tie, hint } = this.#keys
    const near = hint[id] as number
    if (near >= this.from && near < this.to && this.ids[near] === id) return near
    return this.#place(rows, id * width, tie[id] as number, this.from, this.to) - 1
  }
}

function firstDifference(key: Float64Array, rows: Float64Array, row: number, width: number): number {
  let i = 0
  while (i < width - 1 && key[i] === rows[row + i]) i++
  return i
}
