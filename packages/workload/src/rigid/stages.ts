import { SchedError, type Demand, type StageSpec } from '@sched/core'
import { Demands, type RigidResource } from './resources.js'

/**
 * What the tasks of a rigid job are. `one`: one task with everything that the job asks for; `each`: one task per processor, or per node if jobs ask
 * for nodes; `node`: one task per node that the job was on; `asked`: the tasks that it asked for, or one per node where it asked for nodes.
 */
export type RigidTasks = 'one' | 'each' | 'node' | 'asked'

/** Makes the stages of rigid jobs from their amounts. */
export class RigidStages {
  /** Number of jobs on several nodes whose amounts could not be divided evenly; the parts are rounded up. */
  uneven = 0
  readonly #demands: Demands
  readonly #each: Demand | undefined
  readonly #part: Float64Array

  /** Throws `BAD_OPTION` for one task per unit if jobs ask for other resources too, since the log does not say which task has how much of them. */
  constructor(resources: readonly RigidResource[], tasks: RigidTasks) {
    const [unit = 'procs', ...others] = resources
    if (tasks === 'each' && others.length > 0)
      throw new SchedError(
        'BAD_OPTION',
        `jobs ask for ${others.join(' and ')} besides ${unit}, which tasks of one unit each cannot share out.`,
        { field: 'tasks' },
        `Leave tasks at "one", or ${others.join(' and ')} out. For records that tell the nodes of jobs, of Slurm, PBS and LSF, tasks "node" shares them out.`,
      )
    this.#demands = new Demands(resources)
    this.#each = tasks === 'each' ? { [unit]: 1 } : undefined
    this.#part = new Float64Array(resources.length)
  }

  /** The stage of a job whose amounts start at `from`. */
  of(amounts: ArrayLike<number>, from: number, duration: number): StageSpec[] {
    if (this.#each !== undefined) return [{ name: 'job', tasks: amounts[from]!, gang: true, demand: this.#each, duration }]
    return [{ name: 'job', tasks: 1, demand: this.#demands.of(amounts, from), duration }]
  }

  /** The stage of a job whose amounts start at `from`: one task per node, with an equal part of every amount, rounded up. */
  onNodes(nodes: number, amounts: ArrayLike<number>, from: number, duration: number): StageSpec[] {
    return this.inParts(Math.max(1, Math.min(nodes, amounts[from]!)), amounts, from, duration)
  }

  /** The stage of a job whose amounts start at `from`: a gang of so many tasks, with an equal part of every amount, rounded up. */
  inParts(tasks: number, amounts: ArrayLike<number>, from: number, duration: number): StageSpec[] {
    for (let r = 0; r < this.#part.length; r++) this.#part[r] = Math.ceil(amounts[from + r]! / tasks)
    if (this.#part.some((part, r) => part * tasks !== amounts[from + r])) this.uneven++
    return [{ name: 'job', tasks, ...(tasks > 1 && { gang: true }), demand: this.#demands.of(this.#part, 0), duration }]
  }
}
