import { partitionPoint, type JobId, type Seconds } from '@sched/core'
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
    times.splice(partitionPoint(0, times.length, (i) => (times[i] as number) <= seconds), 0, seconds)
  }

  of(stage: number): readonly Seconds[] {
    return (this.#byStage[stage] ??= [])
  }
}
