import type { Seconds, TaskEnd } from '@sched/core'

/** Tasks of a job that were taken from their nodes before they were done. */
export interface Interruption {
  /** When they stopped, seconds. */
  readonly at: Seconds
  /** `evicted`: preempted or suspended; `lost`: with their node; `failed`: by themselves. */
  readonly how: 'evicted' | 'lost' | 'failed'
  /** Number of tasks. */
  readonly tasks: number
}

/** Collects interruptions of one job, those of one kind at one instant as one. */
export class Interruptions {
  readonly #all: { at: Seconds; how: Interruption['how']; tasks: number }[] = []

  /** A task has ended; one that is done, or whose copy was done first, is no interruption. */
  ended(how: TaskEnd, at: Seconds): void {
    if (how === 'done' || how === 'superseded') return
    const same = this.#all.find((other) => other.at === at && other.how === how)
    if (same === undefined) this.#all.push({ at, how, tasks: 1 })
    else same.tasks++
  }

  /** In order of time. */
  inOrder(): readonly Interruption[] {
    return this.#all.toSorted((a, b) => a.at - b.at)
  }
}
