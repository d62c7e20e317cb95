import type { JobId, Seconds } from '@sched/core'
import type { Attempts } from './attempts.js'

/** By stage: the seconds that attempts took that are done, in ascending order. */
export class SortedTimes {
  readonly #byStage: Seconds[][] = []

  constructor(private readonly attempts: Attempts) {}

  open(job: JobId): void {
    for (const stage of this.attempts.stagesOf(job)) this.#byStage[stage] = []
  }

  add(stage: number, seconds: Seconds): void {
    const times = this.of(stage) as Seconds[]
    let [low, high] = [0, times.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((times[middle] as number) <= seconds) low = middle + 1
      else high = middle
    }
    times.splice(low, 0, seconds)
  }

  of(stage: number): readonly Seconds[] {
    return (this.#byStage[stage] ??= [])
  }
}
