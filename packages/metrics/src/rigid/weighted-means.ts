import type { Seconds } from '@sched/core'

/** Means over jobs, in seconds except `slowdown`, a pure number; NaN if there are no jobs. */
export interface Means {
  /** From submission to the start of the first task. */
  readonly wait: Seconds
  /** From submission to the end. */
  readonly response: Seconds
  /** Bounded slowdown. */
  readonly slowdown: number
}

/** Means over the finished jobs of a group. */
export interface JobMeans extends Means {
  /** Number of these jobs. */
  readonly finished: number
  /** Sum of the jobs' areas: processors x seconds that they ran. */
  readonly area: number
  /** Means in which every job weighs as much as its area, so that one wide and long job counts like many small ones. NaN if there is no area. */
  readonly weighted: Means
}

/** Sums over jobs, plain and weighted by area. */
export class WeightedMeans {
  #jobs = 0
  #area = 0
  readonly #plain = new Float64Array(3)
  readonly #weighted = new Float64Array(3)

  add(area: number, wait: Seconds, response: Seconds, slowdown: number): void {
    this.#jobs++
    this.#area += area
    this.#add(0, area, wait)
    this.#add(1, area, response)
    this.#add(2, area, slowdown)
  }

  result(): JobMeans {
    return { finished: this.#jobs, area: this.#area, ...means(this.#plain, this.#jobs), weighted: means(this.#weighted, this.#area) }
  }

  #add(which: number, area: number, value: number): void {
    this.#plain[which] = (this.#plain[which] as number) + value
    this.#weighted[which] = (this.#weighted[which] as number) + area * value
  }
}

const means = ([wait = 0, response = 0, slowdown = 0]: Float64Array, by: number): Means => ({ wait: wait / by, response: response / by, slowdown: slowdown / by })
