import type { ShapeId } from '@sched/core'
import type { Shapes } from './shapes.js'

/** How much may still be claimed of each resource. */
export class Allowance {
  readonly #shapes: Shapes
  readonly #left: Float64Array

  constructor(shapes: Shapes, amounts: ArrayLike<number>) {
    this.#shapes = shapes
    this.#left = Float64Array.from(amounts)
  }

  /** Subtracts the demand of a shape; returns false and changes nothing if less is left. */
  spend(shape: ShapeId): boolean {
    const { resources, amounts } = this.#shapes.of(shape)
    if (resources.some((r, i) => (amounts[i] as number) > (this.#left[r] as number))) return false
    this.#add(shape, -1)
    return true
  }

  giveBack(shape: ShapeId): void {
    this.#add(shape, 1)
  }

  #add(shape: ShapeId, sign: 1 | -1): void {
    const { resources, amounts } = this.#shapes.of(shape)
    for (const [i, r] of resources.entries()) this.#left[r] = (this.#left[r] as number) + sign * (amounts[i] as number)
  }
}
