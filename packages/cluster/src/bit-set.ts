import { lowestBit } from '@sched/core'

/**
 * A set of small integers that finds its next member from a given number on. It consists of words of 32 bits and a summary with one bit per non-zero
 * word.
 */
export class BitSet {
  readonly #words: Int32Array
  readonly #summary: Int32Array

  constructor(size: number) {
    this.#words = new Int32Array((size + 31) >> 5)
    this.#summary = new Int32Array((this.#words.length + 31) >> 5)
  }

  add(value: number): void {
    const word = value >> 5
    this.#words[word] = (this.#words[word] as number) | (1 << (value & 31))
    this.#summary[word >> 5] = (this.#summary[word >> 5] as number) | (1 << (word & 31))
  }

  delete(value: number): void {
    const word = value >> 5
    const left = (this.#words[word] as number) & ~(1 << (value & 31))
    this.#words[word] = left
    if (left === 0) this.#summary[word >> 5] = (this.#summary[word >> 5] as number) & ~(1 << (word & 31))
  }

  has(value: number): boolean {
    return ((this.#words[value >> 5] as number) & (1 << (value & 31))) !== 0
  }

  clear(): void {
    this.#words.fill(0)
    this.#summary.fill(0)
  }

  /** All members, ascending. */
  members(): number[] {
    const found: number[] = []
    for (let word = nextBit(this.#summary, 0); word >= 0; word = nextBit(this.#summary, word + 1))
      for (let bits = this.#words[word] as number; bits !== 0; bits &= bits - 1) found.push((word << 5) + lowestBit(bits))
    return found
  }

  /** The lowest member that is at least `from`, or -1. */
  next(from: number): number {
    const word = from >> 5
    if (word >= this.#words.length) return -1
    const here = (this.#words[word] as number) & (-1 << (from & 31))
    if (here !== 0) return (word << 5) + lowestBit(here)
    const later = nextBit(this.#summary, word + 1)
    return later < 0 ? -1 : (later << 5) + lowestBit(this.#words[later] as number)
  }
}

/** The lowest set bit of a column at or after `from`, or -1. */
function nextBit(column: Int32Array, from: number): number {
  let index = from >> 5
  if (index >= column.length) return -1
  let bits = (column[index] as number) & (-1 << (from & 31))
  while (bits === 0) {
    if (++index >= column.length) return -1
    bits = column[index] as number
  }
  return (index << 5) + lowestBit(bits)
}
