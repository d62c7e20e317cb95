import type { StageSpec } from '@sched/core'

/**
 * Which stages of a job wait for which others, so that the end of a task checks only the stages that wait for its stage: a workflow may have as many
 * stages as other jobs have tasks. It counts open waits: those for a stage of which less than `fraction` of the tasks have ended.
 */
export class StageWaits {
  readonly #stages: readonly StageSpec[]
  /** Stages that wait for stage i, ascending: `behind[from[i]]` to `behind[from[i + 1] - 1]`, with their fractions in a parallel column. */
  readonly #from: Int32Array
  readonly #behind: Int32Array
  readonly #fractions: Float64Array
  readonly #left: Int32Array

  constructor(stages: readonly StageSpec[]) {
    this.#stages = stages
    const count = stages.length
    this.#from = new Int32Array(count + 1)
    this.#left = new Int32Array(count)
    for (const { after = [] } of stages) for (const { stage } of after) this.#from[stage + 1]!++
    for (let i = 0; i < count; i++) this.#from[i + 1]! += this.#from[i]!
    const next = this.#from.slice()
    this.#behind = new Int32Array(this.#from[count]!)
    this.#fractions = new Float64Array(this.#from[count]!)
    stages.forEach(({ after = [] }, i) => {
      for (const { stage, fraction } of after) {
        const at = next[stage]!++
        this.#behind[at] = i
        this.#fractions[at] = fraction
        if (fraction > 0) this.#left[i]!++
      }
    })
  }

  /** Records that one more task of stage `index` has ended, the `done`-th. Returns the stages whose last open wait ends with it, ascending. */
  ended(index: number, done: number): number[] {
    const { tasks } = this.#stages[index] as StageSpec
    const free: number[] = []
    for (let at = this.#from[index]!; at < this.#from[index + 1]!; at++) {
      const fraction = this.#fractions[at]!
      const isOver = done / tasks >= fraction && (done - 1) / tasks < fraction
      if (isOver && --this.#left[this.#behind[at]!]! === 0) free.push(this.#behind[at]!)
    }
    return free
  }
}
