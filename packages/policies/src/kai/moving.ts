import { jobsByName, nodesByName, None, type Env, type JobId, type NodeId, type Placement, type Round, type Seconds, type TaskId } from '@sched/core'
import type { Move } from './consolidation.js'
import type { Victim } from './victim.js'

/** Tasks of a job that are gone and are to start on these nodes. */
interface Moved extends Pick<Victim, 'job' | 'tasks'> {
  readonly nodes: readonly NodeId[]
}

/** A task of a job, and the name of the node that it goes to. */
type Place = readonly [stage: number, index: number, node: string]

/** State of `Moving`; `movingAt` null: nothing was ever moved. */
export interface MovingMemory {
  readonly moving: readonly { readonly job: string; readonly places: readonly Place[] }[]
  readonly movingAt: Seconds | null
}

/** Moves under way: tasks that are gone start elsewhere in the next round of the same time. */
export class Moving {
  readonly #env: Env
  readonly #placement: Placement | undefined
  #moved: readonly Moved[] = []
  #at: Seconds = NaN

  /** `placement`: it may keep a moved task off its place if others have started since. */
  constructor(env: Env, placement: Placement | undefined) {
    this.#env = env
    this.#placement = placement
  }

  memory(): MovingMemory {
    const { work, cluster } = this.#env
    const placeOf = (task: TaskId, node: NodeId): Place => [work.stageOf(task), work.indexOf(task), cluster.name(node)]
    const moving = this.#moved.map(({ job, tasks, nodes }) => ({ job: work.name(job), places: tasks.map((task, i) => placeOf(task, nodes[i] as NodeId)) }))
    return { moving, movingAt: Number.isNaN(this.#at) ? null : this.#at }
  }

  recall({ moving, movingAt }: MovingMemory): void {
    const { work, cluster } = this.#env
    const [jobs, nodes] = [jobsByName(work), nodesByName(cluster)]
    this.#at = movingAt ?? NaN
    this.#moved = moving.flatMap(({ job: name, places }) => {
      const job = jobs.get(name)
      const found = job === undefined ? [] : places.map(([stage, index, node]) => [work.taskAt(job, stage, index), nodes.get(node) ?? None] as const)
      if (job === undefined || found.some(([task, node]) => task === None || work.nodeOf(task) !== None || node === None)) return []
      return [{ job, tasks: found.map(([task]) => task as TaskId), nodes: found.map(([, node]) => node as NodeId) }]
    })
  }

  /** The victims of these moves are gone as of this round. */
  begin(moves: readonly Move[], { now }: Round): void {
    this.#moved = moves.map(({ victim: { job, tasks }, nodes }) => ({ job, tasks, nodes }))
    this.#at = now
  }

  /** Starts moved tasks in their new places. Tasks that do not fit there any more, may not be there, or whose time has passed, wait like others. */
  end(round: Round): void {
    const moved = this.#at === round.now ? this.#moved : []
    this.#moved = []
    for (const { job, tasks, nodes } of moved) {
      const before = round.savepoint()
      const mayBeOn = (node: NodeId): boolean => this.#placement?.wouldAllow?.(job, node, [], round) !== false
      if (!tasks.every((task, i) => round.take(job) && mayBeOn(nodes[i] as NodeId) && round.claim(task, nodes[i] as NodeId))) round.rollback(before)
    }
  }

  /** A job has left. */
  forget(job: JobId): void {
    if (this.#moved.length > 0) this.#moved = this.#moved.filter((each) => each.job !== job)
  }
}
