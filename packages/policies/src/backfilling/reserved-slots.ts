import type { NodeId, Seconds } from '@sched/core'
import { bitsFor, clearBit, hasBit, type NodeBits } from './node-bits.js'

interface Slot {
  readonly begin: Seconds
  end: Seconds
  /** Nodes that nobody has reserved. */
  readonly free: NodeBits
}

/**
 * Which nodes are reserved when: time is divided into slots, within each of which the set of reserved nodes stays the same. The last slot has no end.
 * Source: `node_space` of Slurm's plug-in sched/backfill.
 */
export class ReservedSlots {
  /** Set by `limit`: the earliest later start at which other nodes may be usable; `Infinity`: there is none. */
  later: Seconds = Infinity
  readonly #nodes: number
  #slots: Slot[] = []

  constructor(nodes: number) {
    this.#nodes = nodes
  }

  get count(): number {
    return this.#slots.length
  }

  clear(begin: Seconds): void {
    this.#slots = [{ begin, end: Infinity, free: bitsFor(this.#nodes).fill(-1) }]
  }

  /** Removes from `usable` the nodes that are reserved between `from` and `to`, including reservations that begin at `to`; sets `later`. */
  limit(usable: NodeBits, all: NodeBits, from: Seconds, to: Seconds): void {
    const slots = this.#slots
    let later = Infinity
    for (let i = 0; i < slots.length; i++) {
      const { begin, end, free } = slots[i] as Slot
      if (end <= from) continue
      const next = slots[i + 1]
      if (later === Infinity && next !== undefined && !isIn(next.free, all, free, usable)) later = end
      if (begin > to) {
        if (later === Infinity && next !== undefined && i + 2 < slots.length) later = next.end
        break
      }
      for (let w = 0; w < usable.length; w++) usable[w] = (usable[w] as number) & (free[w] as number)
    }
    this.later = later
  }

  /** Whether one of the nodes is reserved at a time from `start` to before `end`. */
  overlaps(nodes: readonly NodeId[], start: Seconds, end: Seconds): boolean {
    for (const slot of this.#slots) {
      if (slot.end <= start) continue
      if (slot.begin >= end) return false
      for (const node of nodes) if (!hasBit(slot.free, node)) return true
    }
    return false
  }

  reserve(nodes: Iterable<NodeId>, start: Seconds, end: Seconds): void {
    const slots = this.#slots
    const first = this.#cut(Math.max(start, (slots[0] as Slot).begin))
    const last = end === Infinity ? slots.length : this.#cut(end)
    for (const node of nodes) for (let i = first; i < last; i++) clearBit((slots[i] as Slot).free, node)
  }

  /** The index of the slot that begins at a time; a slot is split where none begins there. */
  #cut(time: Seconds): number {
    const slots = this.#slots
    let at = slots.length - 1
    while ((slots[at] as Slot).begin > time) at--
    const slot = slots[at] as Slot
    if (slot.begin === time) return at
    slots.splice(at + 1, 0, { begin: time, end: slot.end, free: slot.free.slice() })
    slot.end = time
    return at + 1
  }
}

/** Whether every node that is in both a and b is also in both c and d. */
function isIn(a: NodeBits, b: NodeBits, c: NodeBits, d: NodeBits): boolean {
  for (let w = 0; w < a.length; w++) if (((a[w] as number) & (b[w] as number) & ~((c[w] as number) & (d[w] as number))) !== 0) return false
  return true
}
