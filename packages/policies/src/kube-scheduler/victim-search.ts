import type { Env, JobId, NodeId, Placement, Round, ShapeId, TaskId } from '@sched/core'
import { addTo } from '../shares/vectors.js'
import type { DisruptionBudgets } from './disruption-budgets.js'
import type { RunningTasks } from './running-tasks.js'
import { changedSince, RoomyNodes } from './roomy-nodes.js'
import { Units } from './units.js'
import type { NominatedNodes } from './nominated-nodes.js'
import { byImportance, byPreference, victimsOn, type Beside, type Candidate, type Unit, type Victim, type Victims } from './victims.js'

export interface SearchOptions {
  readonly workloadAwarePreemption: boolean
  readonly minCandidateNodesPercentage: number
  readonly minCandidateNodesAbsolute: number
}

const NONE: readonly TaskId[] = []
/** Whether all nodes of the cluster are in sight. */
export const isWhole = ({ nodes, cluster }: Round): boolean => nodes.length === cluster.nodes

/**
 * Looks for nodes on which a task would have room if others went. After a search in vain only nodes that have changed since are looked at
 * again: a node that neither lost nor got a task has no room for another task of the same demand and no higher priority. If rules about other tasks
 * confine the task, all nodes with such room are looked at each time, since the other tasks may be anywhere.
 */
export class VictimSearch {
  /** Whether a task was left alone because it has just started. */
  hasSpared = false
  readonly #options: SearchOptions
  readonly #running: RunningTasks
  readonly #placement: Placement
  readonly #budgets: DisruptionBudgets | undefined
  readonly #nominated: NominatedNodes | undefined
  readonly #random: () => number
  readonly #roomy = new RoomyNodes()
  readonly #amounts = new Map<ShapeId, Float64Array>()
  /** By shape and priority: the count of node changes when a search among all nodes was in vain, since `#ended` nominations have ended. */
  readonly #inVain = new Map<ShapeId, Map<number, number>>()

  #ended = 0

  /** `budgets`, `nominated`: absent where there are none. */
  constructor(options: SearchOptions, env: Env, running: RunningTasks, placement: Placement, budgets?: DisruptionBudgets, nominated?: NominatedNodes) {
    this.#placement = placement
    this.#nominated = nominated
    this.#budgets = budgets
    this.#options = options
    this.#running = running
    this.#random = env.random('kube-scheduler')
  }

  /** Nodes for the next task of the job, the best first. Source: kube-scheduler, `DryRunPreemption`. */
  find(job: JobId, round: Round): Candidate[] {
    const { work, lane, cluster } = round
    const shape = work.shape(job, lane)
    const own = work.priority(job)
    const isConfined = this.confines(job, round)
    if (this.#nominated !== undefined && this.#ended !== this.#nominated.ended) {
      this.#ended = this.#nominated.ended
      this.#inVain.clear()
    }
    const nodes = this.#inQuestion(shape, own, isConfined, round).filter((node) => cluster.up(node) && work.mayRunOn(shape, node))
    const { minCandidateNodesPercentage, minCandidateNodesAbsolute } = this.#options
    const enough = Math.max(Math.floor((nodes.length * minCandidateNodesPercentage) / 100), minCandidateNodesAbsolute, 1)
    const first = enough < nodes.length ? Math.floor(this.#random() * nodes.length) : 0
    const found: Candidate[] = []
    const spared = this.hasSpared
    this.hasSpared = false
    const units = this.#options.workloadAwarePreemption ? new Units(work, lane) : undefined
    let isKept = false // whether on one of the nodes all budgets are kept
    for (let i = 0; i < nodes.length && (found.length < enough || !isKept); i++) {
      const node = nodes[(first + i) % nodes.length] as NodeId
      const allows = isConfined ? (without: readonly TaskId[]) => this.allows(job, node, without, round) : undefined
      const victims = this.#victimsOn(node, shape, own, units, allows, round)
      if (victims === undefined) continue
      found.push({ node, ...victims })
      isKept ||= victims.violations === 0
    }
    if (isWhole(round) && !isConfined && found.length === 0 && !this.hasSpared) this.#note(shape, own, cluster.changeLog?.count)
    this.hasSpared ||= spared
    return found.sort(byPreference)
  }

  /** The nodes to look at: after a search in vain those that have changed since; for a confined task those with room without tasks of lower priority. */
  #inQuestion(shape: ShapeId, own: number, isConfined: boolean, round: Round): readonly NodeId[] {
    if (!isWhole(round)) return round.nodes
    if (isConfined) return this.#roomy.of(round.lane, own, shape, round.cluster, (node) => this.#wouldFit(node, shape, own, round))
    return changedSince(this.#knownInVain(shape, own), round.cluster) ?? round.nodes
  }

  /** Whether rules about other tasks keep the job's next task off nodes, and the placement can say whether they would without some of these tasks. */
  confines(job: JobId, round: Round): boolean {
    return this.#placement.wouldAllow !== undefined && this.#placement.confines?.(job, round) === true
  }

  /** Whether rules allow the job's next task on the node once these tasks have gone. */
  allows(job: JobId, node: NodeId, without: readonly TaskId[], round: Round): boolean {
    return this.#placement.wouldAllow?.(job, node, without, round) !== false
  }

  #note(shape: ShapeId, own: number, changes: number | undefined): void {
    if (changes === undefined) return
    const known = this.#inVain.get(shape)
    if (known === undefined) this.#inVain.set(shape, new Map([[own, changes]]))
    else known.set(own, changes)
  }

  /** The count of node changes at the last search in vain for the same shape and at least this priority; -1: there was none. */
  #knownInVain(shape: ShapeId, own: number): number {
    let last = -1
    for (const [priority, changes] of this.#inVain.get(shape) ?? []) if (priority >= own && changes > last) last = changes
    return last
  }

  /** Whether the node has tasks of lower priority and would have room without all of them. */
  #wouldFit(node: NodeId, shape: ShapeId, own: number, round: Round): boolean {
    const { cluster, work, lane } = round
    const below = this.#running.on(node, lane).filter((task) => work.priority(work.jobOf(task)) < own)
    const asked = this.#amountsOf(shape, round)
    const resources = cluster.lanes[lane]?.resources ?? []
    return below.length > 0 && resources.every((r, i) => below.reduce((room, task) => room + work.demand(work.shapeOf(task), r), cluster.free(node, r)) >= (asked[i] as number))
  }

  /** All units on nodes in sight that a job of priority `own` may preempt, the most important first. */
  everywhere(own: number, { work, lane, nodes }: Round): Unit[] {
    const units = new Units(work, lane)
    const found = new Set<Unit>()
    for (const node of nodes)
      for (const task of this.#running.on(node, lane)) {
        if (work.priority(work.jobOf(task)) >= own) continue
        const unit = units.of(task)
        if (Number.isNaN(unit.started)) this.hasSpared = true
        else found.add(unit)
      }
    return [...found].sort(byImportance)
  }

  /** The units that have to go from the node, at least one; `undefined` if that makes no room. `units`: present if gangs go as one. */
  #victimsOn(node: NodeId, shape: ShapeId, own: number, units: Units | undefined, allows: Beside['allows'], round: Round): Victims | undefined {
    const { cluster, lane } = round
    const below = units === undefined ? this.#tasksBelow(node, own, round) : this.#unitsBelow(node, own, units, round)
    if (below.length === 0) return undefined
    const free = Float64Array.from(cluster.lanes[lane]?.resources ?? [], (r) => cluster.free(node, r) - (this.#nominated?.amount(node, own, r) ?? 0))
    const victims = victimsOn(this.#amountsOf(shape, round), free, below, { budgets: this.#budgets, allows })
    return victims === undefined || victims.victims.length === 0 ? undefined : victims
  }

  #tasksBelow(node: NodeId, own: number, round: Round): Victim[] {
    const { work, lane } = round
    const below: Victim[] = []
    for (const task of this.#running.on(node, lane)) {
      const job = work.jobOf(task)
      const priority = work.priority(job)
      if (priority >= own) continue
      const started = work.started(task)
      if (Number.isNaN(started)) this.hasSpared = true
      else below.push({ tasks: [task], others: NONE, priority, rank: work.rank(job), started, isOfGang: false, amounts: this.#amountsOf(work.shapeOf(task), round) })
    }
    return below
  }

  #unitsBelow(node: NodeId, own: number, units: Units, round: Round): Victim[] {
    const { work, lane } = round
    const below = new Map<TaskId, Unit & { readonly amounts: Float64Array }>()
    for (const task of this.#running.on(node, lane)) {
      if (work.priority(work.jobOf(task)) >= own) continue
      const unit = units.of(task)
      const first = unit.tasks[0] as TaskId
      const amounts = this.#amountsOf(work.shapeOf(task), round)
      const known = below.get(first)
      if (Number.isNaN(unit.started)) this.hasSpared = true
      else if (known === undefined) below.set(first, { ...unit, amounts: amounts.slice() })
      else addTo(known.amounts, amounts)
    }
    return [...below.values()]
  }

  /** What a task of the shape asks for, by resource of the lane; the same object each time. */
  #amountsOf(shape: ShapeId, { work, cluster, lane }: Round): Float64Array {
    const known = this.#amounts.get(shape)
    if (known !== undefined) return known
    const amounts = Float64Array.from(cluster.lanes[lane]?.resources ?? [], (r) => work.demand(shape, r))
    this.#amounts.set(shape, amounts)
    return amounts
  }
}
