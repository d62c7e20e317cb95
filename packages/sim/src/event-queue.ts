import { grown } from '@sched/core'
import { EventHeap } from './event-heap.js'

/**
 * Kinds of events, in the order in which those of one instant fire. Rounds come after all of them, so a policy sees the whole instant. `AtOnce`: a
 * wake-up that an architecture requests with delay 0; if nodes beat in the instant, it fires after their reports. `Withdrawn`: a claim for a job that
 * has failed was withdrawn, or a job may be late for its deadline. `SubmitFirst`: takes the place of `Submit` if submissions come before ends. `Look`: at the tasks of a job, for some to copy;
 * after reports, too. `Avoid`: nodes that are avoided after failures are used again, or a job is given up for want of others.
 */
export const EventKind = {
  Stop: 0, Alarm: 1, SubmitFirst: 2, TaskEnd: 3, PrefillEnd: 4, Outage: 5, NodeState: 6, Submit: 7, Ready: 8, Withdrawn: 9, Wake: 10, Timer: 11, AtOnce: 12, Look: 13, Avoid: 14,
} as const
export type EventKind = (typeof EventKind)[keyof typeof EventKind]

/** Order of events of one time: by kind, then by scheduling order. */
const KIND_STEP = 2 ** 48
/** The low bits of a packed event hold its kind. */
const KINDS = 16
const CANCELLED = 15
const NONE = -1

/**
 * Row of an event: its time (only for waiting events), then as integers `subject * KINDS + kind` and the next event in its bucket (only for waiting
 * events). A row has 16 bytes and never crosses a cache line; most events wait until their row has left the cache.
 */
const ROW = 2
const EVENT = 2
const NEXT = 3

/** Number of events in the heap from which on it pays to move later ones out. */
const SPILL = 512
/** With fewer waiting events than this, all of them move into the heap. */
const FEW = 64
/** Target number of events per bucket, and number of waiting events sampled to choose the end of the last bucket. */
const PER_BUCKET = 8
const SAMPLES = 64

/**
 * Pending events by (time, kind, sequence). The next events are in a heap. If there are many, later ones wait unsorted: in buckets of equal time
 * spans, each moved into the heap when the heap is empty, and beyond the last bucket in one list, from which new buckets are made when all have been
 * moved. So the heap stays small however many events are pending.
 *
 * The bucket of an event does not decrease with its time, and equal times share a bucket, so the heap alone decides the order. Cancelled events stay
 * until they reach the top of the heap, and are removed there at once.
 *
 * Source: the rungs of Tang, Goh and Thng, "Ladder queue", ACM TOMACS 15(3), 2005, with one rung.
 */
export class EventQueue {
  /** Time of the event that `pop` returned. */
  time = NaN
  /** Kind of that event. */
  kind: EventKind = EventKind.TaskEnd
  /** The number that it was added with: a task, job or node, depending on its kind. */
  subject = 0

  /** Number of pending events, cancelled ones included. */
  length = 0
  /** Rows of events, so that what is read together is in one cache line. The same memory is seen as doubles and as integers. */
  #rows = new Float64Array(64 * ROW)
  #ints = new Int32Array(this.#rows.buffer)
  readonly #heap = new EventHeap(64)
  #freeIds = new Int32Array(64)
  #free = 0
  #used = 0
  #sequence = 0
  #cancelled = 0

  /**
   * The bucket of a time is `(time - start) * perSecond`, rounded down; events of buckets up to `poured` are in the heap. `perSecond` 0: all events
   * are in the heap.
   */
  #start = 0
  #perSecond = 0
  #poured = 0
  #buckets = 0
  /** First event of each bucket. */
  #heads = new Int32Array(0)
  /** Events beyond the last bucket, unordered. */
  #far = new Int32Array(0)
  #farCount = 0
  /** Size of the heap, without buckets, from which on later events are moved out. */
  #most = SPILL

  /** Time of the earliest event, `Infinity` when there is none. */
  get next(): number {
    return this.#heap.times[0] as number
  }

  /** Kind of the earliest event; there must be one. */
  get nextKind(): EventKind {
    return ((this.#ints[2 * ROW * (this.#heap.ids[0] as number) + EVENT] as number) & (KINDS - 1)) as EventKind
  }

  /** The number that the earliest event was added with; there must be one. */
  get nextSubject(): number {
    return this.subjectOf(this.#heap.ids[0] as number)
  }

  /** Schedules an event; returns an id for `cancel`, valid until the event fires. `time` is finite, `subject` is below 2^27. */
  push(time: number, kind: EventKind, subject: number): number {
    const id = this.#free > 0 ? (this.#freeIds[--this.#free] as number) : this.#used++
    if (ROW * id >= this.#rows.length) this.#grow()
    this.#heap.orders[id] = kind * KIND_STEP + this.#sequence++
    this.#ints[2 * ROW * id + EVENT] = subject * KINDS + kind
    this.length++
    if (this.#perSecond > 0) this.#place(time, id)
    else {
      this.#heap.push(time, id)
      if (this.#heap.length > this.#most) this.#spill()
    }
    return id
  }

  /** Removes the earliest event and stores it in `time`, `kind` and `subject`; false if there is none. */
  pop(): boolean {
    if (this.length === 0) return false
    const heap = this.#heap
    const id = heap.ids[0] as number
    this.time = heap.times[0] as number
    const event = this.#ints[2 * ROW * id + EVENT] as number
    this.kind = (event & (KINDS - 1)) as EventKind
    this.subject = event >> 4
    this.#removeTop(id)
    if (this.#cancelled > 0) this.#dropCancelled()
    return true
  }

  /** The number that a pending event was added with. */
  subjectOf(id: number): number {
    return (this.#ints[2 * ROW * id + EVENT] as number) >> 4
  }

  /** Changes the subject of a pending event; below 2^27. */
  setSubject(id: number, subject: number): void {
    this.#ints[2 * ROW * id + EVENT] = subject * KINDS + ((this.#ints[2 * ROW * id + EVENT] as number) & (KINDS - 1))
  }

  /** Cancels a pending event. */
  cancel(id: number): void {
    this.#ints[2 * ROW * id + EVENT] = CANCELLED
    this.#cancelled++
    this.#dropCancelled()
  }

  /** Removes cancelled events from the top, where they would be taken for the next event. */
  #dropCancelled(): void {
    while (this.length > 0) {
      const id = this.#heap.ids[0] as number
      if (this.#ints[2 * ROW * id + EVENT] !== CANCELLED) return
      this.#removeTop(id)
      this.#cancelled--
    }
  }

  #removeTop(id: number): void {
    this.#heap.removeTop()
    this.#freeIds[this.#free++] = id
    this.length--
    if (this.#heap.length === 0 && this.length > 0) this.#pour()
  }

  // ---- later events ----

  #place(time: number, id: number): void {
    const bucket = Math.floor((time - this.#start) * this.#perSecond)
    if (bucket <= this.#poured) return this.#heap.push(time, id)
    this.#rows[ROW * id] = time
    if (bucket < this.#buckets) {
      this.#ints[2 * ROW * id + NEXT] = this.#heads[bucket] as number
      this.#heads[bucket] = id
    } else this.#far[this.#farCount++] = id
  }

  /** Moves the next non-empty bucket into the empty heap. */
  #pour(): void {
    for (;;) {
      while (++this.#poured < this.#buckets) {
        let id = this.#heads[this.#poured] as number
        if (id === NONE) continue
        for (; id !== NONE; id = this.#ints[2 * ROW * id + NEXT] as number) this.#heap.push(this.#rows[ROW * id] as number, id)
        return
      }
      this.#cut()
      if (this.#perSecond === 0) return
    }
  }

  /** Called when the heap, without buckets, has become large: all events become waiting ones, and the first bucket comes back. */
  #spill(): void {
    const heap = this.#heap
    this.#makeRoom()
    for (let i = 0; i < heap.length; i++) {
      const id = heap.ids[i] as number
      this.#rows[ROW * id] = heap.times[i] as number
      this.#far[this.#farCount++] = id
    }
    heap.clear()
    this.#pour()
    this.#most = Math.max(SPILL, 2 * heap.length) // if most events have the same time, buckets do not help
  }

  /** Makes buckets from about seven eighths of the far events. If these are few, or of one time, all go into the heap, without buckets. */
  #cut(): void {
    const far = this.#far
    const count = this.#farCount
    this.#farCount = 0
    const [least, end] = count < FEW ? [0, 0] : this.#span(count)
    const buckets = Math.ceil((count * 7) / 8 / PER_BUCKET)
    const perSecond = buckets / (end - least)
    if (!(perSecond > 0 && perSecond < Infinity)) {
      this.#perSecond = 0
      this.#most = Math.max(SPILL, 2 * count)
      for (let i = 0; i < count; i++) this.#heap.push(this.#rows[ROW * (far[i] as number)] as number, far[i] as number)
      return
    }
    this.#start = least
    this.#perSecond = perSecond
    this.#poured = NONE
    this.#buckets = buckets
    if (buckets > this.#heads.length) this.#heads = new Int32Array(2 * buckets)
    this.#heads.fill(NONE, 0, buckets)
    for (let i = 0; i < count; i++) this.#place(this.#rows[ROW * (far[i] as number)] as number, far[i] as number)
  }

  /** The earliest time of the far events, and a time that about seven eighths of them do not exceed; outliers stay far. */
  #span(count: number): [number, number] {
    const rows = this.#rows
    let least = Infinity
    for (let i = 0; i < count; i++) least = Math.min(least, rows[ROW * (this.#far[i] as number)] as number)
    const sample = Float64Array.from({ length: SAMPLES }, (_, i) => rows[ROW * (this.#far[Math.floor((i * count) / SAMPLES)] as number)] as number).sort()
    return [least, sample[(SAMPLES * 7) / 8] as number]
  }

  // ---- room ----

  #grow(): void {
    this.#rows = grown(this.#rows, this.#rows.length * 2)
    this.#ints = new Int32Array(this.#rows.buffer)
    this.#heap.orders = grown(this.#heap.orders, this.#rows.length / ROW)
    this.#freeIds = grown(this.#freeIds, this.#rows.length / ROW)
    if (this.#far.length > 0) this.#makeRoom()
  }

  #makeRoom(): void {
    this.#far = grown(this.#far, this.#rows.length / ROW)
  }
}
