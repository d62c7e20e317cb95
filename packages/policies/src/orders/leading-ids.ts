import { LOOP } from './id-window.js'
import { SortedIds } from './sorted-ids.js'

/**
 * Ids in ascending order of their keys. When a lower key brings an id to the front, the others need not move: its old place stays open as
 * a gap, and the id goes back there when its key is again what it was. That is the common case in an order by running tasks: a task ends,
 * its job and pool come first, and they get the slot again. Readers pass over the gap.
 */
export class LeadingIds extends SortedIds {
  /** The place in `ids` that the first member has left open, -1 where none is. */
  gap = -1
  /** The key that the first member had there. */
  #was = NaN

  override get size(): number {
    return this.to - this.from - (this.gap < 0 ? 0 : 1)
  }

  override add(id: number): void {
    this.close()
    super.add(id)
  }

  override remove(id: number): void {
    this.close()
    super.remove(id)
  }

  override rekey(id: number, next: number): void {
    const { ids, from } = this
    const { key, tie } = this.keys
    const was = key[id] as number
    if (next === was) return
    const isFirst = ids[from] === id
    if (isFirst && this.gap >= 0 && next === this.#was) return this.#goBack(id)
    if (isFirst && (next < was || from + 1 === this.to || this.after(ids[from + 1] as number, next, tie[id] as number))) {
      key[id] = next
      return
    }
    this.close()
    const first = this.ids[this.from] as number
    const firstKey = key[first] as number
    if (next < was && (firstKey > next || (firstKey === next && (tie[first] as number) > (tie[id] as number)))) this.#lead(id, next)
    else super.rekey(id, next)
  }

  #lead(id: number, next: number): void {
    const { key } = this.keys
    this.gap = this.find(id)
    this.#was = key[id] as number
    key[id] = next
    this.ids[--this.from] = id
  }

  #goBack(id: number): void {
    const { key, hint } = this.keys
    key[id] = this.#was
    this.ids[this.gap] = id
    hint[id] = this.gap
    this.gap = -1
    this.from++
  }

  /** Closes the gap: the ids before it move up by one. */
  close(): void {
    const { ids, gap } = this
    if (gap < 0) return
    const first = this.from + 1
    if (gap - first > LOOP) ids.copyWithin(first, this.from, gap)
    else {
      const { hint } = this.keys
      for (let at = gap; at >= first; at--) {
        const id = ids[at - 1] as number
        ids[at] = id
        hint[id] = at
      }
    }
    this.gap = -1
    this.from = first
  }
}
