import {
  definePolicy, DoneJobs, FirstFit, forwarding, None, type Env, type JobId, type NodeId, type Order, type Placement, type Plug,
  type Policy, type Round, type Seconds,
} from '@sched/core'
import * as z from '@sched/bundled/zod'
import { Gangs, startPicked } from '../disciplines/gangs.js'
import { greedyPolicy } from '../disciplines/greedy.js'
import { deferWithoutNode, nodeFor } from '../disciplines/lowest-fitting.js'
import { startNearest } from '../disciplines/start-nearest.js'
import { priority } from '../orders/priority.js'
import { budgetSchema, DisruptionBudgets } from './disruption-budgets.js'
import { GangPreemption } from './gang-preemption.js'
import { RunningTasks } from './running-tasks.js'
import { VictimSearch } from './victim-search.js'
import { allTasks } from './victims.js'

const kubeSchedulerOptions = z.strictObject({
  preemption: z.boolean().default(true).describe('whether tasks without room take the place of those of lower priority (plug-in DefaultPreemption)'),
  never: z.array(z.number()).default([]).describe('priorities whose tasks preempt nobody (`preemptionPolicy: Never` of a PriorityClass)'),
  minCandidateNodesPercentage: z.int().min(0).max(100).default(10).describe('so many percent of the nodes in question are enough to choose from, and'),
  minCandidateNodesAbsolute: z.int().min(0).default(100).describe('at least so many, and one in any case; the search begins at one drawn at random'),
  disruptionBudgets: z.array(budgetSchema).default([]).describe('who goes last, and from which nodes nobody goes where others will do (PodDisruptionBudgets)'),
  workloadAwarePreemption: z.boolean().default(false).describe('whether a gang takes the place of others as a whole, wherever they are, and is preempted as one (the gate of this name, with GenericWorkload)'),
})
/** Options of `kube-scheduler`; all may be left out. */
export type KubeSchedulerOptions = z.input<typeof kubeSchedulerOptions>
type Settings = z.output<typeof kubeSchedulerOptions>

/** Seconds until tasks that have just started can be preempted; in Kubernetes they can be at once. */
const MOMENT: Seconds = 0.001

/**
 * Starts tasks one by one, those of the highest priority first, then by submission; a task that fits nowhere does not hold up others. Such a task may
 * preempt tasks of lower priority on one node, if that makes room: the least important go, and no more than needed. Of several nodes it takes the one
 * where disruption budgets are violated least, then the one where the least important tasks go (see `byPreference`).
 *
 * Source: Kubernetes, kube-scheduler: PrioritySort, DefaultPreemption. Deviations: a preempted task is gone at once, without a grace period; no
 * task waits before it is tried again (backoff); tasks that have started in the same pass are left alone until the next one, a moment later. Not in
 * Kubernetes, but expected here: all tasks of a gang start or none, each of them may preempt, and with one task of a gang all go that must run
 * together; with `workloadAwarePreemption` gangs preempt and go as PodGroups do.
 */
export const kubeSchedulerPolicy = definePolicy({
  name: 'kube-scheduler',
  summary: 'Kubernetes: by priority, who fits nowhere takes the place of tasks of lower priority',
  source: 'Kubernetes, kube-scheduler: PrioritySort, DefaultPreemption',
  options: kubeSchedulerOptions,
  inner: { placement: 'placement?' },
  defaults: { placement: 'kube-scores' },
  create: (options, env, { placement }) => new KubeScheduler(options, env, placement?.create(env) ?? new FirstFit()),
})

/** Kubernetes' scheduler. Where rounds have many nodes the placement names one; default: the lowest with room, in configurations `kube-scores`. */
export const kubeScheduler = (options: KubeSchedulerOptions = {}, placement?: Plug<'placement'>): Plug<'policy'> => kubeSchedulerPolicy.plug({ placement }, options)

class KubeScheduler implements Policy {
  readonly startsGangJobs = true
  readonly #options: Settings
  readonly #order: Order
  readonly #placement: Placement
  /** The same policy without preemption, for rounds in which nobody may be preempted. */
  readonly #greedy: Policy
  readonly #running: RunningTasks
  readonly #victims: VictimSearch
  readonly #gangPreemption: GangPreemption
  /** Jobs for which nothing can be done in this pass unless somebody goes. */
  readonly #done = new DoneJobs()
  readonly #gangs = new Gangs()
  /** Nodes from which tasks were preempted in this pass: there may be room left beside the task for which that was done. */
  #freed: NodeId[] = []
  readonly #pick = (job: JobId, round: Round) => nodeFor(job, round, this.#placement)

  constructor(options: Settings, env: Env, placement: Placement) {
    const byPriority = priority()
    const order = byPriority.create(env)
    this.#options = options
    this.#order = order
    this.#placement = placement
    this.#greedy = greedyPolicy.plug({ order: { ...byPriority, create: () => order }, placement: { kind: 'placement', name: 'placement', create: () => placement } }).create(env)
    this.#running = new RunningTasks(env)
    const budgets = options.preemption && options.disruptionBudgets.length > 0 ? new DisruptionBudgets(options.disruptionBudgets, env) : undefined
    this.#victims = new VictimSearch(options, env, this.#running, placement, budgets)
    this.#gangPreemption = new GangPreemption(this.#victims, this.#pick, budgets)
    Object.assign(this, forwarding(this.#greedy, this.#running, budgets?.hooks))
  }

  schedule(round: Round): void {
    const acts = this.#options.preemption && round.jobsLeft === Infinity && round.claimsLeft > 0 && round.nodes.length > 0
    if (!acts) return this.#greedy.schedule(round)
    this.#done.begin()
    this.#gangs.begin()
    this.#freed = []
    this.#victims.hasSpared = false
    while (this.#startNext(round)) {
      // each start changes the order, so it is read again
    }
    if (this.#victims.hasSpared && round.cluster.heartbeat === 0) round.wakeAt(round.now + MOMENT)
  }

  #startNext(round: Round): boolean {
    const { cluster, work, lane } = round
    if (round.pending === 0) return false
    const isFull = cluster.nextWithRoom(lane, 0) === None
    const order = this.#order
    order.begin(round)
    for (let block = order.next(); block !== undefined; block = order.next())
      for (let i = block.from; i < block.to; i++) {
        const job = block.ids[i] as JobId
        // nothing of lower priority runs, so preemption helps neither this job nor those behind it
        if (isFull && !this.#running.anyBelow(work.priority(job), lane)) return false
        if (this.#done.has(job)) {
          if (this.#mayFitNow(job, round) && this.#start(job, round)) return true
          continue
        }
        if (this.#start(job, round) || this.#preemptFor(job, round)) return true
        this.#done.add(job)
        if (round.explained) deferWithoutNode(job, round, this.#placement)
      }
    return false
  }

  /** Whether a job that had no room may have some now, on a node from which tasks were preempted. */
  #mayFitNow(job: JobId, round: Round): boolean {
    if (this.#freed.length === 0) return false
    return round.work.together(job, round.lane) > 1 || this.#freed.some((node) => round.fits(job, node))
  }

  #start(job: JobId, round: Round): boolean {
    return round.work.together(job, round.lane) > 1 ? this.#gangs.start(job, round, this.#pick) : startPicked(job, round, this.#pick)
  }

  /** Starts the next task of the job, or its gang, in the place of others; false, and nothing changes, where that makes no room. */
  #preemptFor(job: JobId, round: Round): boolean {
    const { work, lane } = round
    const own = work.priority(job)
    if (!this.#running.anyBelow(own, lane) || this.#options.never.includes(own)) return false
    if (!round.take(job)) return false
    if (this.#options.workloadAwarePreemption && work.least(job, lane) > 1 && round.nodes.length === round.cluster.nodes) return this.#preemptForGang(job, round)
    const start = round.savepoint()
    const freed = this.#freed.length
    const together = work.together(job, lane)
    for (let left = together; left > 0; left--) {
      if ((together > 1 && startPicked(job, round, this.#pick)) || this.#replace(job, round)) continue
      round.rollback(start)
      this.#freed.length = freed
      return false
    }
    this.#gangs.begin()
    return true
  }

  /** Starts as many tasks of a gang as it can in the place of others, wherever they are. */
  #preemptForGang(job: JobId, round: Round): boolean {
    const freed = this.#gangPreemption.start(job, round)
    if (freed === undefined) return false
    this.#freed.push(...freed)
    this.#gangs.begin()
    return true
  }

  /** Starts one task on a node from which others go for it. */
  #replace(job: JobId, round: Round): boolean {
    const isConfined = this.#victims.confines(job, round)
    for (const { node, victims } of this.#victims.find(job, round)) {
      const before = round.savepoint()
      for (const task of allTasks(victims)) round.evict(task)
      // if rules confine the task, it goes to the node where tasks have gone for it: others may be open by now, too
      if (isConfined ? startNearest(job, node, round.cluster.levels, round) : startPicked(job, round, this.#pick)) {
        this.#freed.push(node)
        return true
      }
      round.rollback(before)
    }
    return false
  }
}
