import { charge, discharge, type Workload } from './workload.js'
import { Mode, type Assignment } from './assignment.js'
import type { QuotaNode } from './quota-node.js'

/** The first workload of a queue with what could be done for it. */
export interface Entry {
  readonly workload: Workload
  readonly assignment: Assignment
  /** `returns` of its tree when that was found. */
  readonly returns: number
}

/** By priority, then by submission. */
const older = (a: Workload, b: Workload): number => b.priority - a.priority || a.rank - b.rank

/** Without fair sharing: who need not borrow first, or from not as far, then by priority and age. */
export const byBorrowing = (a: Entry, b: Entry): number => a.assignment.borrows - b.assignment.borrows || older(a.workload, b.workload)

/** What the entry of a place comes to at a node: whether that then borrows any of what it asks, and its share. */
interface Outcome {
  readonly borrows: boolean
  readonly share: number
}

/** A queue with an entry, or a cohort around such ones. */
interface Place {
  readonly node: QuotaNode
  /** Places inside it, first who wins. */
  inside: Place[]
  /** Of a queue; of a cohort, that of who wins in it. */
  winner: Entry
  /** What the winner comes to here. */
  outcome: Outcome
}

/**
 * The entries of one cycle with fair sharing, of which one is taken at a time: at every cohort the child wins that would not
 * borrow what its entry asks, then the one of which the share would be the smallest with its entry admitted, then by
 * priority and age. Workloads of other roots by priority and age.
 *
 * Source: Kueue, fair_sharing_iterator.go.
 */
export class Contest {
  readonly #resources: number
  readonly #roots: Place[] = []
  readonly #places = new Map<QuotaNode, Place>()

  constructor(entries: readonly Entry[], resources: number) {
    this.#resources = resources
    for (const entry of entries) this.#enter({ node: entry.workload.queue, inside: [], winner: entry, outcome: NOTHING })
    for (const root of this.#roots) this.#arrange(root)
    this.#roots.sort(byAge)
  }

  /** Takes the winner away. */
  next(): Entry | undefined {
    const [first] = this.#roots
    if (first === undefined) return undefined
    const { winner } = first
    if (this.#leave(first)) moveToPlace(first, this.#roots, byAge)
    else this.#roots.shift()
    return winner
  }

  /** The usage of a queue has changed, and with it what the cohorts around it come to. */
  changed(queue: QuotaNode): void {
    let inner: Place | undefined
    for (const node of queue.path()) {
      const place = this.#places.get(node)
      if (place === undefined) continue
      if (inner !== undefined) moveToPlace(inner, place.inside, byOutcome)
      this.#settle(place)
      inner = place
    }
    if (inner !== undefined) moveToPlace(inner, this.#roots, byAge)
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
    place.inside.sort(byOutcome)
    this.#settle(place)
  }

  /** Finds who wins in a place of which the inner ones are in order, and what that comes to. */
  #settle(place: Place): void {
    place.winner = place.inside[0]?.winner ?? place.winner
    const { node, winner } = place
    if (node.parent === undefined) return
    const { workload, assignment } = winner
    const tasks = assignment.mode === Mode.NoFit ? 0 : workload.tasks // it has no flavor, and asks nothing
    charge(workload, tasks)
    place.outcome = { borrows: borrowsFor(node, workload), share: node.share(this.#resources) }
    discharge(workload, tasks)
  }

  /** Takes the winner of a place away; whether others are left in it. */
  #leave(place: Place): boolean {
    const [first] = place.inside
    if (first !== undefined && this.#leave(first)) moveToPlace(first, place.inside, byOutcome)
    else place.inside.shift()
    const isLeft = place.inside.length > 0
    if (isLeft) this.#settle(place)
    else this.#places.delete(place.node)
    return isLeft
  }
}

const NOTHING: Outcome = { borrows: false, share: 0 }

const borrowsFor = (node: QuotaNode, { amounts, columns }: Workload): boolean => amounts.some((amount, i) => amount > 0 && node.borrows(columns[i] as number))

const byAge = (a: Place, b: Place): number => older(a.winner.workload, b.winner.workload)
const byOutcome = (a: Place, b: Place): number => Number(a.outcome.borrows) - Number(b.outcome.borrows) || compare(a.outcome.share, b.outcome.share) || byAge(a, b)

/** Puts a place where it belongs among others that are in order. */
function moveToPlace(place: Place, all: Place[], compare: (a: Place, b: Place) => number): void {
  all.splice(all.indexOf(place), 1)
  insert(place, all, compare)
}

/** Puts one where it belongs among others that are in order. */
export function insert<T>(each: T, all: T[], compare: (a: T, b: T) => number): void {
  let low = 0
  let high = all.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (compare(all[middle] as T, each) < 0) low = middle + 1
    else high = middle
  }
  all.splice(low, 0, each)
}

/** Shares may be infinite. */
export const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1)
