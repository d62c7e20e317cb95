import { grown } from '@sched/core'

/** Sort keys of the queues of one pot, by queue id: `band` first, then used over guaranteed, then a tie that no two queues share. */
export class QueueKeys {
  band = new Float64Array(64)
  ratio = new Float64Array(64)
  tie = new Float64Array(64)
  /** Where a queue stood in its list when it was last moved: a hint, since block copies do not update it. */
  hint = new Int32Array(64)
  /** Whether any band is not 0. */
  hasBands = false

  grow(count: number): void {
    this.band = grown(this.band, count)
    this.ratio = grown(this.ratio, count)
    this.tie = grown(this.tie, count)
    this.hint = grown(this.hint, count)
  }

  isAfter(a: number, b: number): boolean {
    const { band, ratio } = this
    if (this.hasBands && band[a] !== band[b]) return (band[a] as number) > (band[b] as number)
    const first = ratio[a] as number
    const second = ratio[b] as number
    if (first !== second) return first > second
    return (this.tie[a] as number) > (this.tie[b] as number)
  }
}

/** Up to so many members a linear scan is faster than a search by keys, and moving them one by one faster than in a block. */
const SHORT = 32
/** Up to so many places a queue is moved one by one. */
const STEPS = 16

/** Queues of one parent in ascending order of their keys. One that changes is moved; the list is never sorted. */
export class SortedQueues {
  ids = new Int32Array(4)
  size = 0
  readonly #keys: QueueKeys

  constructor(keys: QueueKeys) {
    this.#keys = keys
  }

  add(id: number): void {
    this.ids = grown(this.ids, this.size + 1)
    const at = this.#place(id, 0, this.size)
    const { ids } = this
    if (this.size - at > SHORT) ids.copyWithin(at + 1, at, this.size)
    else for (let i = this.size; i > at; i--) ids[i] = ids[i - 1] as number
    ids[at] = id
    this.size++
  }

  /** Removes a queue whose keys are still those it was placed by. */
  remove(id: number): void {
    const at = this.#find(id)
    const { ids } = this
    this.size--
    if (this.size - at > SHORT) ids.copyWithin(at, at + 1, this.size + 1)
    else for (let i = at; i < this.size; i++) ids[i] = ids[i + 1] as number
  }

  /** Gives a queue new keys and moves it to its place. */
  move(id: number, band: number, ratio: number): void {
    const { ids, size } = this
    const keys = this.#keys
    const at = this.#find(id)
    keys.band[id] = band
    keys.ratio[id] = ratio
    if (at + 1 < size && keys.isAfter(id, ids[at + 1] as number)) this.#moveDown(id, at)
    else if (at > 0 && keys.isAfter(ids[at - 1] as number, id)) this.#moveUp(id, at)
  }

  /** Moves a queue past members that come before it now: past a few one by one, past many by a search. */
  #moveDown(id: number, from: number): void {
    const { ids, size } = this
    const keys = this.#keys
    let at = from
    do {
      keys.hint[ids[at + 1] as number] = at
      ids[at] = ids[at + 1] as number
      at++
    } while (at + 1 < size && at - from < STEPS && keys.isAfter(id, ids[at + 1] as number))
    if (at - from === STEPS) {
      const to = this.#place(id, at + 1, size) - 1
      ids.copyWithin(at, at + 1, to + 1)
      at = to
    }
    ids[at] = id
    keys.hint[id] = at
  }

  #moveUp(id: number, from: number): void {
    const { ids } = this
    const keys = this.#keys
    let at = from
    do {
      keys.hint[ids[at - 1] as number] = at
      ids[at] = ids[at - 1] as number
      at--
    } while (at > 0 && from - at < STEPS && keys.isAfter(ids[at - 1] as number, id))
    if (from - at === STEPS) {
      const to = this.#place(id, 0, at)
      ids.copyWithin(to + 1, to, at)
      at = to
    }
    ids[at] = id
    keys.hint[id] = at
  }

  /** The position of a member. */
  #find(id: number): number {
    const { ids, size } = this
    const hint = this.#keys.hint[id] as number
    if (hint < size && ids[hint] === id) return hint
    if (size > SHORT) return this.#place(id, 0, size) - 1
    let at = 0
    while (ids[at] !== id) at++
    return at
  }

  /** The first position in [low, high) whose member comes after the queue; `high` if none does. */
  #place(id: number, low: number, high: number): number {
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#keys.isAfter(this.ids[middle] as number, id)) high = middle
      else low = middle + 1
    }
    return low
  }
}
