import { grown, listOf, type JobBlock } from '@sched/core'
import type { Keys } from './sorted-ids.js'

/** Ids per block: a change moves at most this many ids, and a reader that remembers the contents of blocks reads at most this many again. */
const SIZE = 64

/** A run of neighbours in the list. `version` changes with its contents, and no version is used twice. */
class Block implements JobBlock {
  readonly ids = new Int32Array(SIZE)
  from = 0
  to = 0
  version = 0
  readonly id: number

  constructor(id: number) {
    this.id = id
  }
}

/**
 * Ids in ascending order of their keys, in blocks: for queues of any length. A change costs a search over blocks and a
 * move inside one, whether 10 or 100,000 ids are waiting, and whoever reads on can skip blocks that have not changed.
 */
export class SortedBlocks {
  readonly #keys: Keys
  /** The blocks in order of the list, and all blocks ever made, by block id. */
  #blocks = listOf<Block>()
  readonly #made = listOf<Block>()
  readonly #free = listOf<Block>()
  /** Block of a member, by id. */
  #blockOf = new Int32Array(64)
  #versions = 0
  #unread = 0

  constructor(keys: Keys) {
    this.#keys = keys
  }

  /** Starts a reading: `next` gives the blocks in order. */
  begin(): void {
    this.#unread = 0
  }

  next(): JobBlock | undefined {
    return this.#unread < this.#blocks.length ? this.#blocks[this.#unread++] : undefined
  }

  /** Adds an id whose key is set. */
  add(id: number): void {
    const blocks = this.#blocks
    let at = blocks.length - 1
    if (at >= 0 && this.#isAfter(this.#last(blocks[at] as Block), id)) at = this.#find(id)
    if (at < 0) blocks.push(this.#open())
    let block = blocks[Math.max(at, 0)] as Block
    if (block.to === SIZE) block = this.#makeRoom(block, Math.max(at, 0), id)
    const { ids } = block
    let hole = block.to++
    while (hole > block.from && this.#isAfter(ids[hole - 1] as number, id)) {
      ids[hole] = ids[hole - 1] as number
      hole--
    }
    ids[hole] = id
    this.#note(id, block)
  }

  /** Removes a member, whose key is still the one it was placed by. */
  remove(id: number): void {
    const block = this.#made[this.#blockOf[id] as number] as Block
    const { ids } = block
    let at = block.from
    while (ids[at] !== id) at++
    if (at - block.from < block.to - at) {
      for (; at > block.from; at--) ids[at] = ids[at - 1] as number
      block.from++
    } else {
      block.to--
      for (; at < block.to; at++) ids[at] = ids[at + 1] as number
    }
    block.version = ++this.#versions
    if (block.to - block.from < SIZE / 4) this.#shrink(block)
  }

  #last(block: Block): number {
    return block.ids[block.to - 1] as number
  }

  #isAfter(a: number, b: number): boolean {
    const { key, tie } = this.#keys
    const keyA = key[a] as number
    const keyB = key[b] as number
    return keyA > keyB || (keyA === keyB && (tie[a] as number) > (tie[b] as number))
  }

  /** The index of the first block whose last id comes after this one. */
  #find(id: number): number {
    const blocks = this.#blocks
    let low = 0
    let high = blocks.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#isAfter(this.#last(blocks[middle] as Block), id)) high = middle
      else low = middle + 1
    }
    return low
  }

  /** A block with room for the id: `block` with its ids moved to its front, one of its halves after a split, or a new block behind the last. */
  #makeRoom(block: Block, at: number, id: number): Block {
    if (block.from > 0) {
      this.#moveTo(block, block)
      return block
    }
    const next = this.#open()
    this.#blocks.splice(at + 1, 0, next)
    if (!this.#isAfter(this.#last(block), id)) return next
    next.ids.set(block.ids.subarray(SIZE / 2))
    next.to = SIZE / 2
    block.to = SIZE / 2
    for (let i = 0; i < next.to; i++) this.#blockOf[next.ids[i] as number] = next.id
    next.version = ++this.#versions
    block.version = ++this.#versions
    return this.#isAfter(this.#last(block), id) ? block : next
  }

  /** Removes a block that is empty, and joins one that has become small with the one before or after it where both fit into one. */
  #shrink(block: Block): void {
    const blocks = this.#blocks
    const size = block.to - block.from
    if (size > 0 && blocks.length === 1) return
    const at = blocks[0] === block ? 0 : blocks.indexOf(block)
    const before = at > 0 ? blocks[at - 1] : undefined
    if (size > 0 && before !== undefined && before.to - before.from + size <= SIZE / 2) this.#moveTo(block, before)
    else if (size > 0) return
    if (at === blocks.length - 1) blocks.pop()
    else blocks.splice(at, 1)
    block.from = block.to = 0
    this.#free.push(block)
  }

  /** Appends what a block holds to another one, or moves it to its own front. */
  #moveTo(block: Block, target: Block): void {
    const { from, to } = block
    if (target === block || target.from > 0) {
      target.ids.copyWithin(0, target.from, target.to)
      target.to -= target.from
      target.from = 0
    }
    if (target === block) return
    target.ids.set(block.ids.subarray(from, to), target.to)
    for (let i = from; i < to; i++) this.#blockOf[block.ids[i] as number] = target.id
    target.to += to - from
    target.version = ++this.#versions
  }

  #note(id: number, block: Block): void {
    this.#blockOf = grown(this.#blockOf, id + 1)
    this.#blockOf[id] = block.id
    block.version = ++this.#versions
  }

  #open(): Block {
    const block = this.#free.pop() ?? new Block(this.#made.length)
    if (block.id === this.#made.length) this.#made.push(block)
    return block
  }
}
