import type { Cell, JobId, Seconds } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { Timer, timer } from './timers.js'

const limit = z.union([z.int().positive(), z.literal(false)])

/** Options about jobs that were not fully placed. */
export const attemptOptions = {
  requeue: z.number().positive().default(1).describe('seconds after which a job that is not placed in full may be tried again'),
  abandonAfter: limit.default(1000).describe('attempts after which a job that is not placed in full is given up; false: never'),
  abandonUnplacedAfter: limit.default(100).describe('the same for a job of which no task was ever placed; false: never'),
}
export type AttemptOptions = z.output<z.ZodObject<typeof attemptOptions>>

/**
 * Counts attempts at jobs. A job that was not fully placed waits before its next attempt. It is given up after more than `abandonAfter` attempts, or
 * after more than `abandonUnplacedAfter` if none of its tasks was ever placed.
 *
 * Source: Schwarzkopf et al., EuroSys 2013 (1,000 attempts); the second rule is from the authors' simulator alone.
 */
export class Attempts {
  readonly #cell: Cell
  readonly #requeue: Seconds
  readonly #most: number
  readonly #mostUnplaced: number
  /** By job id: the job's rank, since ids are reused; its attempts so far; whether any of its tasks was placed. */
  readonly #rank: number[] = []
  readonly #count: number[] = []
  readonly #isPlaced: boolean[] = []

  constructor(cell: Cell, { requeue, abandonAfter, abandonUnplacedAfter }: AttemptOptions) {
    this.#cell = cell
    this.#requeue = requeue
    this.#most = abandonAfter === false ? Infinity : abandonAfter
    this.#mostUnplaced = abandonUnplacedAfter === false ? Infinity : abandonUnplacedAfter
  }

  /** Whether a job that is never fully placed is tried for ever. `isPlaced`: tasks of an earlier stage of it were placed. */
  areEndless(isPlaced: boolean): boolean {
    return this.#most === Infinity && (isPlaced || this.#mostUnplaced === Infinity)
  }

  /** The number of the attempt that begins, from 1. */
  begin(job: JobId): number {
    const rank = this.#cell.work.rank(job)
    if (this.#rank[job] !== rank) {
      this.#rank[job] = rank
      this.#count[job] = 0
      this.#isPlaced[job] = false
    }
    return (this.#count[job] = (this.#count[job] as number) + 1)
  }

  /** To be called after an attempt that placed `placed` tasks and left others: the job is tried again later, or given up. */
  failed(job: JobId, placed: number): void {
    this.note(job, placed)
    const count = this.#count[job] as number
    if (count > this.#most || (count > this.#mostUnplaced && this.#isPlaced[job] === false)) this.#cell.abandon(job)
    else this.wait(job)
  }

  /** Records that tasks of the job were placed. */
  note(job: JobId, placed: number): void {
    if (placed > 0) this.#isPlaced[job] = true
  }

  /** Uncounts an attempt that could not succeed for a reason outside the cell, and lets the job wait. */
  excuse(job: JobId): void {
    this.#count[job] = (this.#count[job] as number) - 1
    this.wait(job)
  }

  wait(job: JobId): void {
    this.#cell.holdBack(job)
    this.#cell.after(this.#requeue, timer(Timer.LetGo, job))
  }
}
