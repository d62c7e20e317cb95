import { listOf } from '@sched/core'
import type { ClusterModel } from './model.js'

/** Replica entries by number; in half the memory where there are few, since a scan over many stages misses the cache. */
type Links = Int16Array | Int32Array
const SHORT = 0x7fff
const END = -1
const UNLINKED = -2

/**
 * Which of a stage's tasks have their block near a node: per level, lists of replica entries by node, rack, ... in task
 * order. Entry `task << shift | i` is the i-th replica of a task. Entries of placed tasks are unlinked when a reading meets them and
 * linked again when a task comes back, so placing a task costs nothing here.
 *
 * Heads are direct-addressed by group where that is no larger than twice the entries; otherwise several groups share a
 * list (`group & mask`) and a reading checks each entry's group. So memory is bounded by the tasks, not by the cluster.
 */
export class BlockLists {
  /** Node of each replica entry. */
  readonly replicas: Int32Array
  /** Replicas per task. */
  readonly factor: number
  readonly #groups: readonly Int32Array[]
  readonly #heads = listOf<Links>()
  readonly #next = listOf<Links>()
  readonly #shift: number
  readonly #masks: Int32Array
  readonly #exact: Uint8Array

  /** `replicas[task * factor + i]`: nodes of the stage's blocks. */
  constructor(model: ClusterModel, replicas: Int32Array, factor: number) {
    this.replicas = replicas
    this.factor = factor
    this.#shift = factor <= 1 ? 0 : 32 - Math.clz32(factor - 1)
    this.#groups = model.groups
    this.#masks = new Int32Array(model.groups.length)
    this.#exact = new Uint8Array(model.groups.length)
    for (let level = 0; level < model.groups.length; level++) this.#build(level, model.groupNames[level]?.length ?? 0)
  }

  /** The lowest unplaced task with a replica in the group, or -1. `runs` holds -1 for unplaced tasks, at `first` + task. */
  find(level: number, group: number, runs: Int32Array, first: number): number {
    const heads = this.#heads[level] as Links
    const next = this.#next[level] as Links
    const shift = this.#shift
    const exact = this.#exact[level] === 1
    const head = group & (this.#masks[level] as number)
    let before = END
    let entry = heads[head] as number
    while (entry !== END) {
      const task = entry >> shift
      const after = next[entry] as number
      if (runs[first + task] !== -1) {
        if (before === END) heads[head] = after
        else next[before] = after
        next[entry] = UNLINKED
      } else {
        if (exact || this.#groupOf(level, entry) === group) return task
        before = entry
      }
      entry = after
    }
    return -1
  }

  /** Levels between a task's block and a node: 0 on it, number of levels when no replica shares a group. */
  level(task: number, node: number): number {
    const groups = this.#groups
    const from = task * this.factor
    for (let level = 0; level < groups.length; level++) {
      const group = (groups[level] as Int32Array)[node]
      for (let i = from; i < from + this.factor; i++)
        if ((groups[level] as Int32Array)[this.replicas[i] as number] === group) return level
    }
    return groups.length
  }

  /** Links a task's entries again where a reading has unlinked them. */
  restore(task: number): void {
    for (let level = 0; level < this.#next.length; level++)
      for (let i = 0; i < this.factor; i++) {
        const entry = (task << this.#shift) + i
        if ((this.#next[level] as Links)[entry] === UNLINKED) this.#link(level, entry)
      }
  }

  #build(level: number, groupCount: number): void {
    const { factor } = this
    const tasks = this.replicas.length / factor
    let size = 1
    while (size < groupCount && size < 2 * this.replicas.length) size *= 2
    this.#masks[level] = size - 1
    this.#exact[level] = size >= groupCount ? 1 : 0
    const Column = tasks << this.#shift <= SHORT ? Int16Array : Int32Array
    const heads = new Column(Math.min(size, Math.max(groupCount, 1))).fill(END)
    const next = new Column(tasks << this.#shift)
    const groups = this.#groups[level] as Int32Array
    const mask = size - 1
    for (let task = tasks - 1; task >= 0; task--)
      for (let i = factor - 1; i >= 0; i--) {
        const head = (groups[this.replicas[task * factor + i] as number] as number) & mask
        const entry = (task << this.#shift) + i
        next[entry] = heads[head] as number
        heads[head] = entry
      }
    this.#heads.push(heads)
    this.#next.push(next)
  }

  #groupOf(level: number, entry: number): number {
    const replica = (entry >> this.#shift) * this.factor + (entry & ((1 << this.#shift) - 1))
    return (this.#groups[level] as Int32Array)[this.replicas[replica] as number] as number
  }

  /** Puts an entry back at its place in task order. */
  #link(level: number, entry: number): void {
    const heads = this.#heads[level] as Links
    const next = this.#next[level] as Links
    const head = this.#groupOf(level, entry) & (this.#masks[level] as number)
    let before = END
    let at = heads[head] as number
    while (at !== END && at < entry) {
      before = at
      at = next[at] as number
    }
    next[entry] = at
    if (before === END) heads[head] = entry
    else next[before] = entry
  }
}
