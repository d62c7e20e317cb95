import { None, type Env, type NodeId, type ResourceId, type Round, type ShapeId } from '@sched/core'
import type { Amounts } from './amounts.js'
import type { VolcanoLane } from './lane.js'
import type { Victim } from './plugin.js'
import type { Queue, VolcanoJob } from './queue.js'

/** Where victims come from: `preempt` takes from other jobs of the queue, `reclaim` from other queues. */
export type Kind = 'preempt' | 'reclaim'

/** The tasks that have to go on a node for a task of another job: those that the plug-ins name, if that is enough. */
export class Victims {
  readonly #env: Env
  readonly #lane: VolcanoLane
  readonly #meetNew: () => void
  readonly #demands = new Map<ShapeId, Amounts>()

  /** `meetNew` is called for each task that has just started and cannot be taken yet. */
  constructor(env: Env, lane: VolcanoLane, meetNew: () => void) {
    this.#env = env
    this.#lane = lane
    this.#meetNew = meetNew
  }

  /** The victims on the node in the order in which they would go; `undefined` if even all leave too little room, or the queue may not start the task then. */
  on(node: NodeId, job: VolcanoJob, kind: Kind, round: Round): readonly Victim[] | undefined {
    const { tiers } = this.#lane
    const candidates = this.#candidates(node, job, kind)
    if (!this.#couldStart(node, job, candidates, round)) return undefined
    candidates.sort((a, b) => this.#compare(a, b, job.queue))
    const victims = kind === 'preempt' ? tiers.preemptable(job, candidates) : tiers.reclaimable(job, candidates)
    return this.#couldStart(node, job, victims, round) ? victims : undefined
  }

  /** All running tasks on these nodes that `kind` may take from, in the order in which they would go. */
  all(job: VolcanoJob, kind: Kind, nodes: readonly NodeId[]): Victim[] {
    return nodes.flatMap((node) => this.#candidates(node, job, kind)).sort((a, b) => this.#compare(a, b, job.queue))
  }

  /** Whether the node has room for the task once all victims are gone, and the queue may start it then. */
  #couldStart(node: NodeId, job: VolcanoJob, victims: readonly Victim[], { cluster }: Round): boolean {
    if (victims.length === 0) return false
    for (const r of this.#lane.session.resources) {
      let free = cluster.free(node, r as ResourceId)
      for (const { demand } of victims) free += demand[r] as number
      if (free < (job.demand[r] as number)) return false
    }
    return this.#mayOnceGone(job, victims)
  }

  /**
   * Whether the queue may start the task once all victims are gone; if not, it may not with fewer gone, either. With a master more goes than its
   * own amounts: then true.
   */
  #mayOnceGone({ queue, demand }: VolcanoJob, victims: readonly Victim[]): boolean {
    if (victims.some(({ job }) => this.#env.work.masterShape(job.id) !== None)) return true
    for (const { job, demand: gone } of victims) this.#lane.add(job.queue, gone, -1)
    const may = this.#lane.tiers.mayAllocate(queue, demand)
    for (const { job, demand: gone } of victims) this.#lane.add(job.queue, gone, 1)
    return may
  }

  /** The running tasks on the node that `kind` may take from. */
  #candidates(node: NodeId, taker: VolcanoJob, kind: Kind): Victim[] {
    const { work } = this.#env
    const found: Victim[] = []
    for (const task of this.#lane.jobs.onNode[node] ?? []) {
      const job = this.#lane.jobs.of(work.jobOf(task))
      if (job === taker || (kind === 'preempt') !== (job.queue === taker.queue)) continue
      if (kind === 'reclaim' && job.queue.settings.reclaimable === false) continue
      if (work.preemptible(job.id) === false) continue
      if (Number.isNaN(work.started(task))) this.#meetNew()
      else found.push({ job, task, node, demand: this.#demandOf(work.shapeOf(task)), isCore: job.isGangJob && work.inGang(task) })
    }
    return found
  }

  /**
   * The order in which victims go: queues in the order of the plug-ins; in a queue the last job in order first; in a job the last task first, and
   * for a job that is one gang the tasks that it can do without before all others.
   */
  #compare(a: Victim, b: Victim, taker: Queue): number {
    if (a.job === b.job) return Number(a.isCore) - Number(b.isCore) || b.task - a.task
    if (a.job.queue !== b.job.queue) return this.#lane.tiers.compareVictims(a.job.queue, b.job.queue, taker)
    const { keys: keysA } = a.job
    const { keys: keysB } = b.job
    for (let k = 0; k < keysA.length; k++) if (keysA[k] !== keysB[k]) return (keysB[k] as number) - (keysA[k] as number)
    return b.job.rank - a.job.rank
  }

  #demandOf(shape: ShapeId): Amounts {
    const known = this.#demands.get(shape)
    if (known !== undefined) return known
    const demand = Float64Array.from(this.#lane.session.names, () => 0)
    for (const r of this.#lane.session.resources) demand[r] = this.#env.work.demand(shape, r as ResourceId)
    this.#demands.set(shape, demand)
    return demand
  }
}
