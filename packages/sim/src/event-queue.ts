/**
 * Kinds of events of one instant, in the order in which they fire; rounds come after all of them, so a policy sees the
 * whole instant.
 */
export const EventKind = { Stop: 0, Alarm: 1, TaskEnd: 2, PrefillEnd: 3, Submit: 4, Ready: 5, Wake: 6, Timer: 7 } as const
export type EventKind = (typeof EventKind)[keyof typeof EventKind]

/** An event's place among events of one time: kind first, then the order of scheduling. */
const KIND_STEP = 2 ** 48
/** Low bits of a packed event hold its kind. */
const KINDS = 16
const CANCELLED = 15

/**
 * Pending events by (time, kind, sequence). A 4-ary heap of two parallel columns; kind and sequence are in columns of
 * their own, looked up only on equal times. The child to follow is chosen by arithmetic on compare results, because
 * mispredicted branches are what a heap of this size costs.
 *
 * Cancelled events stay until they reach the top, where there is never one.
 */
export class EventQueue {
  /** The event that `pop` took out. */
  time = 0
  kind: EventKind = EventKind.TaskEnd
  subject = 0

  #times = new Float64Array(68).fill(Infinity)
  #ids = new Int32Array(68)
  #length = 0
  #orders = new Float64Array(64)
  /** `subject * KINDS + kind` by event, in one column, since both are read when it fires. */
  #events = new Int32Array(64)
  #freeIds = new Int32Array(64)
  #free = 0
  #used = 0
  #sequence = 0
  #cancelled = 0

  /** Number of pending events, cancelled ones included. */
  get length(): number {
    return this.#length
  }

  /** Time of the earliest event, `Infinity` when there is none. */
  get next(): number {
    return this.#times[0] as number
  }

  /** Schedules an event; returns an id for `cancel`, valid until the event fires. `time` must not be NaN, `subject` is below 2^27. */
  push(time: number, kind: EventKind, subject: number): number {
    const id = this.#free > 0 ? (this.#freeIds[--this.#free] as number) : this.#used++
    if (id >= this.#orders.length) this.#grow()
    this.#orders[id] = kind * KIND_STEP + this.#sequence++
    this.#events[id] = subject * KINDS + kind
    this.#lift(this.#length++, time, id)
    return id
  }

  /** Takes the earliest event out, into `time`, `kind` and `subject`; false when there is none. */
  pop(): boolean {
    if (this.#length === 0) return false
    const id = this.#ids[0] as number
    this.time = this.#times[0] as number
    const event = this.#events[id] as number
    this.kind = (event & (KINDS - 1)) as EventKind
    this.subject = event >> 4
    this.#removeTop()
    this.#freeIds[this.#free++] = id
    if (this.#cancelled > 0) this.#dropCancelled()
    return true
  }

  subjectOf(id: number): number {
    return (this.#events[id] as number) >> 4
  }

  /** Gives a pending event another subject, below 2^27. */
  setSubject(id: number, subject: number): void {
    this.#events[id] = subject * KINDS + ((this.#events[id] as number) & (KINDS - 1))
  }

  /** Takes a pending event back. */
  cancel(id: number): void {
    this.#events[id] = CANCELLED
    this.#cancelled++
    this.#dropCancelled()
  }

  /** A cancelled event at the top would be taken for the next one. */
  #dropCancelled(): void {
    while (this.#length > 0) {
      const id = this.#ids[0] as number
      if (this.#events[id] !== CANCELLED) return
      this.#removeTop()
      this.#freeIds[this.#free++] = id
      this.#cancelled--
    }
  }

  #before(a: number, b: number): boolean {
    return (this.#orders[a] as number) < (this.#orders[b] as number)
  }

  /** Walks the hole to the bottom along the smallest children, then lifts the last element up from there. */
  #removeTop(): void {
    const times = this.#times
    const ids = this.#ids
    const last = --this.#length
    const time = times[last] as number
    const id = ids[last] as number
    times[last] = Infinity
    let hole = 0
    for (let child = 1; child < last; child = 4 * hole + 1) {
      const t0 = times[child] as number
      const t1 = times[child + 1] as number
      const t2 = times[child + 2] as number
      const t3 = times[child + 3] as number
      const left = child + +(t1 < t0)
      const right = child + 2 + +(t3 < t2)
      const l = times[left] as number
      const r = times[right] as number
      let best = left + (right - left) * +(r < l)
      if ((+(t0 === t1) | +(t2 === t3) | +(l === r)) !== 0) best = this.#firstOf(child, times[best] as number)
      times[hole] = times[best] as number
      ids[hole] = ids[best] as number
      hole = best
    }
    if (hole === last) return
    this.#lift(hole, time, id)
  }

  /** Moves the hole up to where an event belongs, and puts it there. */
  #lift(from: number, time: number, id: number): void {
    const times = this.#times
    const ids = this.#ids
    let hole = from
    while (hole > 0) {
      const parent = (hole - 1) >> 2
      const above = times[parent] as number
      if (above < time || (above === time && this.#before(ids[parent] as number, id))) break
      times[hole] = above
      ids[hole] = ids[parent] as number
      hole = parent
    }
    times[hole] = time
    ids[hole] = id
  }

  /** Among four children, the one of the least time that fires first. */
  #firstOf(child: number, least: number): number {
    let best = -1
    for (let i = child; i < child + 4; i++)
      if (this.#times[i] === least && (best < 0 || this.#before(this.#ids[i] as number, this.#ids[best] as number))) best = i
    return best
  }

  #grow(): void {
    const size = this.#orders.length * 2
    const orders = new Float64Array(size)
    orders.set(this.#orders)
    this.#orders = orders
    this.#events = wider(this.#events, size)
    this.#freeIds = wider(this.#freeIds, size)
    this.#ids = wider(this.#ids, size + 4) // a parent's four children may lie past the last element
    const times = new Float64Array(size + 4).fill(Infinity)
    times.set(this.#times)
    this.#times = times
  }
}

function wider(column: Int32Array, size: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(size)
  larger.set(column)
  return larger
}
