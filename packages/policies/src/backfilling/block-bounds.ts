import { grown, lowestBit, type JobBlock, type Seconds } from '@sched/core'
import type { RigidLane } from './rigid-lane.js'
import { classes, classOf } from './size-class.js'

/**
 * Lower bounds on what the jobs of a block ask for and how long they run, so that a scan of a long queue can pass over whole
 * blocks. Bounds are made when a block is seen unchanged for the second time, since most of a short queue changes
 * between two scans. Only the first resource counts: what it lacks is enough to rule a job out.
 */
export class BlockBounds {
  readonly #lane: RigidLane
  /** By block: its version when it was last seen, and the version for which bounds were made. */
  #seen = new Float64Array(16)
  #made = new Float64Array(16)
  /** By block: bit c is set when a job of class c is in it. */
  #classes = new Int32Array(16)
  /** `[block * classes + class]`: least demand and least length. */
  #asks = new Float64Array(16 * classes)
  #lengths = new Float64Array(16 * classes)
  /** The value of `lane.rereads` when the bounds were made. */
  #rereads = 0

  constructor(lane: RigidLane) {
    this.#lane = lane
  }

  /** False when the bounds rule out that a job of the block asks for at most `room` and, if it starts now, can end by `time` or asks for at most `extra`. */
  mayHold(block: JobBlock, room: number, extra: number, now: Seconds, time: Seconds): boolean {
    const { id, version } = block
    if (id === undefined || version === undefined) return true
    if (id >= this.#seen.length) this.#grow(id + 1)
    if (this.#rereads !== this.#lane.rereads) this.#forget()
    if (this.#made[id] !== version) {
      if (this.#seen[id] !== version) {
        this.#seen[id] = version
        return true
      }
      this.#make(block, id, version)
    }
    return this.#isPossible(id, room, extra, now, time)
  }

  /** The least that a job of the block asks of the first resource; valid only right after `mayHold` has returned false for the block. */
  leastOf({ id = 0 }: JobBlock): number {
    const found = this.#classes[id] as number
    return found === 0 ? Infinity : (this.#asks[id * classes + lowestBit(found)] as number)
  }

  #isPossible(id: number, room: number, extra: number, now: Seconds, time: Seconds): boolean {
    const from = id * classes
    for (let left = (this.#classes[id] as number) & (2 * (1 << classOf(room)) - 1); left !== 0; left &= left - 1) {
      const at = from + lowestBit(left)
      const asks = this.#asks[at] as number
      if (asks <= room && (asks <= extra || now + (this.#lengths[at] as number) <= time)) return true
    }
    return false
  }

  #make({ ids, from, to }: JobBlock, id: number, version: number): void {
    const { width, demand, shortest: length } = this.#lane
    const asks = this.#asks
    const lengths = this.#lengths
    const first = id * classes
    let found = 0
    for (let i = from; i < to; i++) {
      const job = ids[i] as number
      const amount = demand[job * width] as number
      const c = classOf(amount)
      const at = first + c
      if ((found & (1 << c)) === 0) {
        found |= 1 << c
        asks[at] = amount
        lengths[at] = length[job] as number
        continue
      }
      if (amount < (asks[at] as number)) asks[at] = amount
      if ((length[job] as number) < (lengths[at] as number)) lengths[at] = length[job] as number
    }
    this.#classes[id] = found
    this.#made[id] = version
  }

  #forget(): void {
    this.#rereads = this.#lane.rereads
    this.#made.fill(0)
  }

  #grow(needed: number): void {
    this.#seen = grown(this.#seen, needed)
    const size = this.#seen.length
    this.#made = grown(this.#made, size)
    this.#classes = grown(this.#classes, size)
    this.#asks = grown(this.#asks, size * classes)
    this.#lengths = grown(this.#lengths, size * classes)
  }
}
