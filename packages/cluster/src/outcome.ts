import type { Commit, Seconds, TaskId } from '@sched/core'
import type { CellState } from './cell-state.js'
import type { DraftSink } from './draft-sink.js'
import type { Interruptions } from './interruptions.js'
import type { Moves } from './moves.js'
import { giveBack } from './places.js'
import type { Work } from './work.js'

/** What becomes of the moves of a round when it is closed. One object is reused for all rounds of a scheduler. */
export class Outcome implements Commit {
  now: Seconds = NaN
  readonly accepted: TaskId[] = []
  readonly conflicted: TaskId[] = []
  readonly #work: Work
  readonly #sink: DraftSink
  readonly #interruptions: Interruptions

  constructor(work: Work, sink: DraftSink, interruptions: Interruptions) {
    this.now = 0
    this.#work = work
    this.#sink = sink
    this.#interruptions = interruptions
  }

  /** Empties it. It pops the few entries, because setting an array's length is a slow call. */
  begin(now: Seconds): void {
    const { accepted, conflicted } = this
    this.now = now
    while (accepted.length > 0) accepted.pop()
    while (conflicted.length > 0) conflicted.pop()
  }

  /** Gives back claims that have been removed from the moves: they are conflicts. */
  withdraw(tasks: readonly TaskId[], cluster: CellState): void {
    for (const task of tasks) {
      giveBack(task, this.#work, cluster)
      this.conflicted.push(task)
      this.#work.unclaim(task, 'withdrawn')
    }
  }

  /** Reports the moves to the sink in order; consecutive starts are reported together. `versions`: those of the live nodes. */
  apply({ count, tasks }: Moves, versions: Int32Array): void {
    const { accepted } = this
    const sink = this.#sink
    const interruptions = this.#interruptions
    let told = 0
    for (let i = 0; i < count; i++) {
      const move = tasks[i] as number
      if (move < 0) {
        if (told < accepted.length) sink.start(accepted, told)
        told = accepted.length
        sink.kill(~move as TaskId, interruptions.isSuspended(~move as TaskId))
        continue
      }
      const node = this.#work.nodeOf(move as TaskId)
      versions[node] = (versions[node] as number) + 1
      accepted.push(move as TaskId)
    }
    if (told < accepted.length) sink.start(accepted, told)
    if (!interruptions.areAny) return
    for (const job of interruptions.cancelled) sink.abandon(job)
    interruptions.clear()
  }
}
