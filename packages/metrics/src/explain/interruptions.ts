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
  /** By time and kind. */
  readonly #all = new Map<string, Interruption>()

  /** A task has ended; one that is done, or whose copy was done first, is no interruption. */
  ended(how: TaskEnd, at: Seconds): void {
    if (how === 'done' || how === 'superseded') return
    const key = `${at} ${how}`
    this.#all.set(key, { at, how, tasks: (this.#all.get(key)?.tasks ?? 0) + 1 })
  }

  /** In order of time. */
  inOrder(): readonly Interruption[] {
    return [...this.#all.values()].sort((a, b) => a.at - b.at)
  }
}
