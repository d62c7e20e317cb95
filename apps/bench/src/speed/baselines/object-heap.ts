/** An event as an object, as a first version would have it. */
export interface HeapEvent {
  readonly time: number
  readonly kind: number
  readonly sequence: number
  readonly subject: number
}

/** The naive event queue: a binary heap of objects that swaps and asks a comparator. */
export class ObjectHeap {
  readonly #events: HeapEvent[] = []
  readonly #compare: (a: HeapEvent, b: HeapEvent) => number
  #sequence = 0

  constructor(compare = (a: HeapEvent, b: HeapEvent): number => a.time - b.time || a.kind - b.kind || a.sequence - b.sequence) {
    this.#compare = compare
  }

  push(time: number, kind: number, subject: number): void {
    const events = this.#events
    let at = events.push({ time, kind, sequence: this.#sequence++, subject }) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#swapped(parent, at)) return
      at = parent
    }
  }

  /** Time of the earliest event, `Infinity` when there is none. */
  get next(): number {
    return this.#events[0]?.time ?? Infinity
  }

  pop(): HeapEvent | undefined {
    const events = this.#events
    const top = events[0]
    const last = events.pop()
    if (last === undefined || events.length === 0) return top
    events[0] = last
    for (let at = 0; ; ) {
      const left = 2 * at + 1
      if (left >= events.length) return top
      const right = left + 1
      const child = right < events.length && this.#compare(events[right] as HeapEvent, events[left] as HeapEvent) < 0 ? right : left
      if (!this.#swapped(at, child)) return top
      at = child
    }
  }

  /** Puts two events in order; whether they were not. */
  #swapped(above: number, below: number): boolean {
    const a = this.#events[above] as HeapEvent
    const b = this.#events[below] as HeapEvent
    if (this.#compare(a, b) <= 0) return false
    this.#events[above] = b
    this.#events[below] = a
    return true
  }
}
