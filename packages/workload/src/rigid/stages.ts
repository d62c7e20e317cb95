import { SchedError, type StageSpec } from '@sched/core'
import { Demands, type RigidResource } from './resources.js'

/** Makes the stages of rigid jobs from their amounts: one task with all of them, or a gang of one task per processor or node. */
export class RigidStages {
  readonly #demands: Demands
  readonly #each: StageSpec['demand'] | undefined

  /** Throws `BAD_OPTION` for tasks of one unit where jobs ask for more than that: who of them has the memory is not said. */
  constructor(resources: readonly RigidResource[], tasks: 'one' | 'each') {
    const [unit = 'procs', ...others] = resources
    if (tasks === 'each' && others.length > 0)
      throw new SchedError('BAD_OPTION', `jobs ask for ${others.join(' and ')} besides ${unit}, which tasks of one unit each cannot share out.`, { field: 'tasks' }, `Leave tasks at "one", or ${others.join(' and ')} out.`)
    this.#demands = new Demands(resources)
    this.#each = tasks === 'each' ? { [unit]: 1 } : undefined
  }

  /** Of the amounts that start at `from`. */
  of(amounts: ArrayLike<number>, from: number, duration: number): StageSpec[] {
    if (this.#each !== undefined) return [{ name: 'job', tasks: amounts[from]!, gang: true, demand: this.#each, duration }]
    return [{ name: 'job', tasks: 1, demand: this.#demands.of(amounts, from), duration }]
  }
}
