import { partitionPoint } from '@sched/core'
import type { Preemptor } from './candidates.js'
import { fits } from './fits.js'
import type { QuotaNode } from './quota-node.js'
import { charge, discharge, type Workload } from './workload.js'

/**
 * Takes workloads away one after another until the preemptor has quota, and nodes if it must have some; then gives back, in reverse order, those that it does
 * not need. All are counted as admitted again in the end.
 *
 * Nodes are not looked for after each that is taken, but after ever more of them; the first one with which there are nodes is then found by bisection. That
 * assumes that there are nodes when more are gone, too, if there are any.
 *
 * Source: Kueue, preemption.go (classicalPreemptions, fillBackWorkloads, workloadFits), which looks after each.
 */
export class Taking {
  isDone = false
  readonly #taken: Workload[] = []
  readonly #preemptor: Preemptor
  readonly #within: readonly QuotaNode[]
  #hasQuota = false
  /** With so many taken there are no nodes; with how many to look next, and how many further ones before the look after that. */
  #failed = 0
  #next = 0
  #step = 1

  /** `within`: nodes of the tree of quotas that must use no more than their own quota. */
  constructor(preemptor: Preemptor, within: readonly QuotaNode[] = []) {
    this.#preemptor = preemptor
    this.#within = within
  }

  /** Takes one away; true: no more are needed. The preemptor itself must not be counted as admitted, nor in `end`. */
  take(each: Workload): boolean {
    discharge(each, each.tasks)
    const count = this.#taken.push(each)
    if (!this.#hasQuota) {
      if (!fits(this.#preemptor.workload, this.#within)) return false
      this.#hasQuota = true
      this.#failed = count - 1
      this.#next = count
    }
    return count >= this.#next && this.#look()
  }

  get taken(): readonly Workload[] {
    return this.#taken
  }

  /** Whether the preemptor has quota without those taken. */
  get hasQuota(): boolean {
    return this.#hasQuota || fits(this.#preemptor.workload, this.#within)
  }

  /** Whether no more are needed than those taken; `take` may not have looked with the last of them gone. */
  isEnough(): boolean {
    if (!this.isDone && this.#hasQuota && this.#failed < this.#taken.length) this.#look()
    return this.isDone
  }

  /** There are no more; returns those that the preemptor needs, or none. */
  end(): Workload[] {
    this.isEnough()
    const needed = this.isDone ? this.#needed() : []
    const gone = this.isDone ? needed : this.#taken
    for (const each of gone) charge(each, each.tasks)
    return needed
  }

  #look(): boolean {
    const { nodes } = this.#preemptor
    const count = this.#taken.length
    this.isDone = nodes?.haveRoom(this.#taken) !== false
    if (this.isDone && nodes !== undefined) {
      const fewest = this.#fewest(count)
      for (const each of this.#taken.splice(fewest)) charge(each, each.tasks)
    }
    this.#failed = count
    this.#next = count + this.#step
    this.#step *= 2
    return this.isDone
  }

  /** How many must be taken for nodes, if `most` are enough. */
  #fewest(most: number): number {
    return partitionPoint(this.#failed + 1, most, (taken) => this.#preemptor.nodes?.haveRoom(this.#taken.slice(0, taken)) === false)
  }

  /** Those taken without those that need not go, tried from the last but one back; these are counted as admitted again. */
  #needed(): Workload[] {
    const { workload, nodes } = this.#preemptor
    const gone = new Set(this.#taken)
    nodes?.haveRoom(this.#taken) // so that these nodes are the last ones found
    for (let i = this.#taken.length - 2; i >= 0; i--) {
      const each = this.#taken[i] as Workload
      charge(each, each.tasks)
      if (fits(workload, this.#within) && nodes?.haveRoomBeside(each, () => [...gone].filter((other) => other !== each)) !== false) gone.delete(each)
      else discharge(each, each.tasks)
    }
    return [...gone]
  }
}
