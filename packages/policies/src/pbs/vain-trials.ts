import type { JobId, NodeId, Round, ShapeId } from '@sched/core'
import type { Shadows } from '../disciplines/shadows.js'
import type { PreemptLevels } from './preempt-levels.js'

/** A trial in vain: the most that was free at any of its steps, by node and resource of the lane, and the limits of those who would have gone. */
interface VainTrial {
  readonly free: Float64Array
  readonly touched: ReadonlySet<object>
}

/**
 * Trials that have found no room since something last started or went, although all candidates were tried. For another job that may take from the same ones the same would
 * be tried, so it need not be where at no step there was as much as it asks for.
 *
 * The same are tried where both jobs are of one kind of rights, their tasks may run on all nodes, so that each candidate may help them, and their levels do not change
 * with the candidates', since they share no soft limit with them.
 */
export class VainTrials {
  readonly #levels: Pick<PreemptLevels, 'limitsOf'>
  readonly #shadows: Shadows | undefined
  /** By kind of rights. */
  readonly #trials = new Map<number, VainTrial[]>()
  /** Whether tasks of a shape may run on all nodes, as far as that was asked. */
  readonly #runsOnAll = new Map<ShapeId, boolean>()
  /** Of the trial that goes on. */
  #free = new Float64Array(0)

  constructor(levels: Pick<PreemptLevels, 'limitsOf'>, shadows: Shadows | undefined) {
    this.#levels = levels
    this.#shadows = shadows
  }

  /** Something has started or gone. */
  clear(): void {
    this.#trials.clear()
    this.#runsOnAll.clear()
  }

  /** Whether a trial for the job, of this kind of rights, would be in vain. */
  has(job: JobId, kind: number, round: Round): boolean {
    const trials = this.#trials.get(kind)
    return trials !== undefined && this.#runsEverywhere(job, round) && trials.some(({ free, touched }) => !this.#mayChange(job, touched) && isShort(free, job, round))
  }

  begin({ cluster, lane }: Round): void {
    this.#free = new Float64Array(cluster.nodes * (cluster.lanes[lane]?.resources.length ?? 0))
  }

  /** Another one has gone in the trial for the job: notes what is free now, less what is kept from it. */
  step(job: JobId, round: Round): void {
    const { nodes, cluster, lane } = round
    const resources = cluster.lanes[lane]?.resources ?? []
    for (const node of nodes) {
      const kept = this.#shadows?.keptOn(node, job, lane)
      for (let i = 0; i < resources.length; i++) {
        const resource = resources[i] as (typeof resources)[number]
        const at = node * resources.length + i
        const free = cluster.free(node, resource) - (kept?.(resource) ?? 0)
        if (free > (this.#free[at] as number)) this.#free[at] = free
      }
    }
  }

  /** The trial for the job was in vain; at its end these had gone. */
  end(job: JobId, kind: number, gone: readonly JobId[], round: Round): void {
    const touched = new Set(gone.flatMap((each) => this.#levels.limitsOf(each)))
    if (!this.#runsEverywhere(job, round) || this.#mayChange(job, touched)) return
    const trials = this.#trials.get(kind)
    const trial = { free: this.#free, touched }
    if (trials === undefined) this.#trials.set(kind, [trial])
    else trials.push(trial)
  }

  /** Whether the level of the job may change as those go whose limits these are. */
  #mayChange(job: JobId, touched: ReadonlySet<object>): boolean {
    return this.#levels.limitsOf(job).some((limit) => touched.has(limit))
  }

  /** Not of jobs of several stages, which ask for more than their next one. */
  #runsEverywhere(job: JobId, { work, cluster, lane }: Round): boolean {
    if (work.isGangJob(job)) return false
    const shape = work.shape(job, lane)
    let may = this.#runsOnAll.get(shape)
    if (may !== undefined) return may
    const resources = cluster.lanes[lane]?.resources ?? []
    may = true
    for (let node = 0 as NodeId; node < cluster.nodes && may; node++) may = work.mayRunOn(shape, node) && resources.every((resource) => work.demand(shape, resource) <= cluster.total(node, resource))
    this.#runsOnAll.set(shape, may)
    return may
  }
}

/** Whether there is less on the nodes in sight than the job asks for, all that it would start together. */
function isShort(free: Float64Array, job: JobId, { nodes, work, cluster, lane }: Round): boolean {
  const shape = work.shape(job, lane)
  const resources = cluster.lanes[lane]?.resources ?? []
  let tasks = work.together(job, lane)
  for (let i = 0; i < nodes.length && tasks > 0; i++) {
    let room = Infinity
    for (let r = 0; r < resources.length; r++) {
      const asked = work.demand(shape, resources[r] as (typeof resources)[number])
      if (asked > 0) room = Math.min(room, Math.floor((free[(nodes[i] as NodeId) * resources.length + r] as number) / asked))
    }
    tasks -= room
  }
  return tasks > 0
}
