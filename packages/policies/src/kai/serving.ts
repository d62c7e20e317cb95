import type { JobId, ResourceId, ShapeId, WorkView } from '@sched/core'
import type { KaiOrder } from './kai.js'
import type { Rank } from './queue-order.js'
import { compareServed, type Victim } from './victim.js'

/** What is to be placed as one: the tasks of a victim, or those that the waiting job starts next. */
export interface Piece {
  readonly job: JobId
  /** The shape of each of its tasks. */
  readonly shapes: readonly ShapeId[]
  /** Whether its job does not run without it. */
  readonly isCore: boolean
  /** Absent: the piece is of the waiting job. */
  readonly victim?: Victim | undefined
}

/**
 * The order in which evicted pieces and that of a waiting job would be served. Queues go by their rank with what was served of them before. In a queue pieces
 * go by priority, then those first without which their job does not run, then by submission.
 */
export class Serving {
  readonly #order: KaiOrder
  readonly #work: WorkView
  /** By leaf: its pieces that are left, the next one last. */
  readonly #left = new Map<number, Piece[]>()
  /** By pool: the pools inside it with pieces left. */
  readonly #inside = new Map<number, Set<number>>()
  /** By pool: the amounts served so far, by resource. */
  readonly #served = new Map<number, number[]>()

  constructor(pieces: readonly Piece[], order: KaiOrder, work: WorkView) {
    this.#order = order
    this.#work = work
    for (const piece of [...pieces].sort((a, b) => this.#compare(b, a))) {
      const leaf = order.leaf(piece.job)
      const left = this.#left.get(leaf)
      if (left === undefined) this.#left.set(leaf, [piece])
      else left.push(piece)
      for (let pool = leaf; pool > 0; pool = order.parent(pool)) this.#insideOf(order.parent(pool)).add(pool)
    }
  }

  /** Counts a victim that keeps its place. */
  keep({ job, tasks }: Victim): void {
    this.#count(job, tasks.map((task) => this.#work.shapeOf(task)))
  }

  /** The next piece, which counts as served from now on; `undefined`: none is left. */
  next(): Piece | undefined {
    if (this.#insideOf(0).size === 0) return undefined
    const piece = this.#first(0)
    const leaf = this.#order.leaf(piece.job)
    this.#left.get(leaf)?.pop()
    for (let pool = leaf; pool > 0 && (pool === leaf ? this.#left.get(leaf)?.length : this.#inside.get(pool)?.size) === 0; pool = this.#order.parent(pool)) this.#insideOf(this.#order.parent(pool)).delete(pool)
    this.#count(piece.job, piece.shapes)
    return piece
  }

  #first(pool: number): Piece {
    const left = this.#left.get(pool)
    if (left !== undefined) return left.at(-1) as Piece
    let best: { readonly child: number; readonly rank: Rank; readonly piece: Piece } | undefined
    for (const child of this.#insideOf(pool)) {
      const piece = this.#first(child)
      const rank = this.#order.rankWith(child, (r) => this.#served.get(child)?.[r] ?? 0, (r) => this.#asked(piece.shapes, r))
      if (best === undefined || this.#order.compare(child, rank, best.child, best.rank) < 0) best = { child, rank, piece }
    }
    return (best as { readonly piece: Piece }).piece
  }

  #count(job: JobId, shapes: readonly ShapeId[]): void {
    for (let pool = this.#order.leaf(job); pool > 0; pool = this.#order.parent(pool)) {
      const served = this.#served.get(pool) ?? []
      for (const r of this.#order.resources) served[r] = (served[r] ?? 0) + this.#asked(shapes, r)
      this.#served.set(pool, served)
    }
  }

  #asked(shapes: readonly ShapeId[], r: ResourceId): number {
    return shapes.reduce((sum, shape) => sum + this.#work.demand(shape, r), 0)
  }

  #compare(a: Piece, b: Piece): number {
    return compareServed(a, b, this.#work) || (a.victim?.tasks[0] ?? 0) - (b.victim?.tasks[0] ?? 0)
  }

  #insideOf(pool: number): Set<number> {
    const known = this.#inside.get(pool)
    if (known !== undefined) return known
    const made = new Set<number>()
    this.#inside.set(pool, made)
    return made
  }
}
