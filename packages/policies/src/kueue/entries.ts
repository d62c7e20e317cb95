import { partitionPoint } from '@sched/core'
import { charge, discharge, type Workload } from './workload.js'
import { Mode, type Assignment } from './assignment.js'
import type { KueueSettings } from './options.js'
import type { QuotaNode } from './quota-node.js'

/** The first workload of a queue, with its possible assignment. */
export interface Entry {
  readonly workload: Workload
  readonly assignment: Assignment
  /** `returns` of the root of its tree when the assignment was found. */
  readonly returns: number
  /** Whether it has come into the cycle while that runs. */
  readonly isRefilled?: boolean
}

/** An order of workloads of different queues among which nothing else decides. */
export type Precedence = (a: Workload, b: Workload) => number
/** By priority, then by age; or by age alone. */
export const precedences: Readonly<Record<KueueSettings['crossClusterQueueOrdering'], Precedence>> = {
  Priority: (a, b) => b.priority - a.priority || a.rank - b.rank,
  Timestamp: (a, b) => a.rank - b.rank,
}

/** Order without fair sharing: by how many levels up the workload borrows, the fewest first, then by precedence. */
export const byBorrowing = (precedence: Precedence) => (a: Entry, b: Entry): number => a.assignment.borrows - b.assignment.borrows || precedence(a.workload, b.workload)

/** The state of a node with an entry admitted: whether the node then borrows any of what the entry asks for, and its share. */
interface Outcome {
  readonly borrows: boolean
  readonly share: number
}

/** A queue with an entry, or a cohort around such queues. */
interface Place {
  readonly node: QuotaNode
  /** Places inside it, the winner first. */
  inside: Place[]
  /** The entry of a queue; in a cohort that of the winner inside it. */
  winner: Entry
  /** The state of this node with the winner admitted. */
  outcome: Outcome
}

/**
 * The entries of one cycle with fair sharing, taken one at a time. In every cohort a child wins that would not borrow what
 * its entry asks for, unless `prioritizeNonBorrowing` is off; among equals the child whose share would be the smallest with its entry admitted; then precedence
 * decides, as among the winners of different roots.
 *
 * Source: Kueue, fair_sharing_iterator.go.
 */
export class Contest {
  readonly #resources: number
  readonly #byAge: (a: Place, b: Place) => number
  readonly #byOutcome: (a: Place, b: Place) => number
  readonly #minds: boolean
  readonly #roots: Place[] = []
  readonly #places = new Map<QuotaNode, Place>()

  /** `minds`: whether it matters who would borrow. */
  constructor(entries: readonly Entry[], resources: number, precedence: Precedence, minds: boolean) {
    this.#resources = resources
    this.#minds = minds
    this.#byAge = (a, b) => precedence(a.winner.workload, b.winner.workload)
    this.#byOutcome = (a, b) => Number(a.outcome.borrows) - Number(b.outcome.borrows) || compare(a.outcome.share, b.outcome.share) || this.#byAge(a, b)
    for (const entry of entries) this.#enter({ node: entry.workload.queue, inside: [], winner: entry, outcome: NOTHING })
    for (const root of this.#roots) this.#arrange(root)
    this.#roots.sort(this.#byAge)
  }

  /** Removes the winner and returns it; `undefined` if no entry is left. */
  next(): Entry | undefined {
    const [first] = this.#roots
    if (first === undefined) return undefined
    const { winner } = first
    if (this.#leave(first)) moveToPlace(first, this.#roots, this.#byAge)
    else this.#roots.shift()
    return winner
  }

  /** Adds the entry of a queue that has none. */
  push(entry: Entry): void {
    this.#enter({ node: entry.workload.queue, inside: [], winner: entry, outcome: NOTHING })
    this.changed(entry.workload.queue)
  }

  /** Finds winners anew after the usage of a queue, and with it that of the cohorts around it, has changed. */
  changed(queue: QuotaNode): void {
    let inner: Place | undefined
    for (const node of queue.path()) {
      const place = this.#places.get(node)
      if (place === undefined) continue
      if (inner !== undefined) moveToPlace(inner, place.inside, this.#byOutcome)
      this.#settle(place)
      inner = place
    }
    if (inner !== undefined) moveToPlace(inner, this.#roots, this.#byAge)
  }

  #enter(place: Place): void {
    const { parent } = place.node
    this.#places.set(place.node, place)
    const around = parent === undefined ? undefined : this.#places.get(parent)
    if (parent === undefined) this.#roots.push(place)
    else if (around !== undefined) around.inside.push(place)
    else this.#enter({ node: parent, inside: [place], winner: place.winner, outcome: NOTHING })
  }

  #arrange(place: Place): void {
    for (const each of place.inside) this.#arrange(each)
    place.inside.sort(this.#byOutcome)
    this.#settle(place)
  }

  /** Sets the winner of a place, whose inner places must be in order, and the outcome there. */
  #settle(place: Place): void {
    place.winner = place.inside[0]?.winner ?? place.winner
    const { node, winner } = place
    if (node.parent === undefined) return
    const { workload, assignment } = winner
    const tasks = assignment.mode === Mode.NoFit ? 0 : workload.tasks // without a flavor it asks for nothing
    charge(workload, tasks)
    place.outcome = { borrows: this.#minds && borrowsFor(node, workload), share: node.share(this.#resources) }
    discharge(workload, tasks)
  }

  /** Removes the winner of a place; returns whether others are left in it. */
  #leave(place: Place): boolean {
    const [first] = place.inside
    if (first !== undefined && this.#leave(first)) moveToPlace(first, place.inside, this.#byOutcome)
    else place.inside.shift()
    const isLeft = place.inside.length > 0
    if (isLeft) this.#settle(place)
    else this.#places.delete(place.node)
    return isLeft
  }
}

const NOTHING: Outcome = { borrows: false, share: 0 }

const borrowsFor = (node: QuotaNode, { amounts, columns }: Workload): boolean => amounts.some((amount, i) => amount > 0 && node.borrows(columns[i] as number))

/** Moves a place to where it belongs among others that are in order. */
function moveToPlace(place: Place, all: Place[], compare: (a: Place, b: Place) => number): void {
  all.splice(all.indexOf(place), 1)
  insert(place, all, compare)
}

/** Inserts an element where it belongs among others that are in order. */
export function insert<T>(each: T, all: T[], compare: (a: T, b: T) => number): void {
  all.splice(partitionPoint(0, all.length, (i) => compare(all[i] as T, each) < 0), 0, each)
}

/** Compares numbers that may be infinite, of which the difference would be NaN. */
export const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1)
