import { SchedError, type Demand, type StageSpec } from '@sched/core'
import { Demands, type RigidResource } from './resources.js'

/** What the tasks of a rigid job are: one with all it asks for, one for each processor (or node, by unit), or one for each node that it was on. */
export type RigidTasks = 'one' | 'each' | 'node'

/** Makes the stages of rigid jobs from their amounts: one task with all of them, or a gang of one task per processor or node. */
export class RigidStages {
  /** Jobs on several nodes whose amounts these do not share evenly: each is rounded up. */
  uneven = 0
  readonly #demands: Demands
  readonly #each: Demand | undefined
  readonly #part: Float64Array

  /** Throws `BAD_OPTION` for tasks of one unit where jobs ask for more than that: who of them has the memory is not said. */
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

  /** Of the amounts that start at `from`. */
  of(amounts: ArrayLike<number>, from: number, duration: number): StageSpec[] {
    if (this.#each !== undefined) return [{ name: 'job', tasks: amounts[from]!, gang: true, demand: this.#each, duration }]
    return [{ name: 'job', tasks: 1, demand: this.#demands.of(amounts, from), duration }]
  }

  /** Of the amounts that start at `from`, a task with its part of each on each of so many nodes. */
  onNodes(nodes: number, amounts: ArrayLike<number>, from: number, duration: number): StageSpec[] {
    const tasks = Math.max(1, Math.min(nodes, amounts[from]!))
    for (let r = 0; r < this.#part.length; r++) this.#part[r] = Math.ceil(amounts[from + r]! / tasks)
    if (this.#part.some((part, r) => part * tasks !== amounts[from + r])) this.uneven++
    return [{ name: 'job', tasks, ...(tasks > 1 && { gang: true }), demand: this.#demands.of(this.#part, 0), duration }]
  }
}
