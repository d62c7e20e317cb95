import {
  definePolicy, DoneJobs, FirstFit, forwarding, None, Reason, runningTasks, type Env, type JobId, type NodeId, type Order, type Placement,
  type Plug, type Policy, type Round, type Savepoint, type Seconds, type TaskId,
} from '@sched/core'
import * as z from '@sched/bundled/zod'
import { Gangs } from '../disciplines/gangs.js'
import { greedyPolicy } from '../disciplines/greedy.js'
import { deferWithoutNode, nodeFor } from '../disciplines/lowest-fitting.js'
import { startNearest } from '../disciplines/start-nearest.js'
import { priority } from '../orders/priority.js'
import { budgetSchema, DisruptionBudgets } from './disruption-budgets.js'
import { GangPreemption } from './gang-preemption.js'
import { LeavingTasks } from './leaving-tasks.js'
import { NominatedNodes } from './nominated-nodes.js'
import { RunningTasks } from './running-tasks.js'
import { SchedulingQueue } from './scheduling-queue.js'
import { isWhole, VictimSearch } from './victim-search.js'
import { allTasks } from './victims.js'

const backoff = z.strictObject({
  podInitialBackoffSeconds: z.int().min(1).default(1).describe('seconds for which a job backs off after the first attempt in vain; twice as long after each further one'),
  podMaxBackoffSeconds: z.int().min(1).default(10).describe('the longest such time, in seconds'),
  popFromBackoffQ: z.boolean().default(true).describe('whether a job that backs off is tried when nobody else is (the gate SchedulerPopFromBackoffQ, since Kubernetes 1.33); false: it waits for the end of the time'),
}).refine(({ podInitialBackoffSeconds, podMaxBackoffSeconds }) => podMaxBackoffSeconds >= podInitialBackoffSeconds, '`podMaxBackoffSeconds` is less than `podInitialBackoffSeconds`')

const kubeSchedulerOptions = z.strictObject({
  preemption: z.boolean().default(true).describe('whether tasks without room take the place of those of lower priority (plug-in DefaultPreemption)'),
  never: z.array(z.number()).default([]).describe('priorities whose tasks preempt nobody (`preemptionPolicy: Never` of a PriorityClass)'),
  minCandidateNodesPercentage: z.int().min(0).max(100).default(10).describe('percent of the nodes in question that are enough to choose from, if they are as many as `minCandidateNodesAbsolute` says'),
  minCandidateNodesAbsolute: z.int().min(0).default(100).describe('least number of nodes to choose from, whatever part of all it is, and one in any case; the search begins at one drawn at random'),
  disruptionBudgets: z.array(budgetSchema).default([]).describe('who goes last, and from which nodes nobody goes where others will do (PodDisruptionBudgets)'),
  terminationGracePeriodSeconds: z.union([z.number().nonnegative(), z.literal('own')]).default(0).describe('seconds for which a preempted task runs on if it does not end before, or `own`: those of its job (`gracePeriod`; 30 if it does not say); meanwhile the task for which it goes is nominated to its node'),
  backoff: backoff.exactOptional().describe('jobs that were tried in vain back off; {}: as kube-scheduler does by default. Default: they do not'),
  workloadAwarePreemption: z.boolean().default(false).describe('whether a gang takes the place of others as a whole, wherever they are, and is preempted as one (the gate of this name, with GenericWorkload)'),
})
/** Options of `kube-scheduler`; all may be left out. */
export type KubeSchedulerOptions = z.input<typeof kubeSchedulerOptions>
type Settings = z.output<typeof kubeSchedulerOptions>

/** Seconds until tasks that have just started can be preempted, and those have gone whose place is not taken at once; in Kubernetes both are at once. */
const MOMENT: Seconds = 0.001

/** Seconds for which a pod runs on that does not say otherwise. */
const GRACE: Seconds = 30

const NO_BACKOFF = 'kube-scheduler: nobody backs off on a cluster with heartbeats, where a round sees one node: an attempt is in vain when all have been looked at. Leave out `backoff`, or the heartbeats.'

/**
 * Starts tasks one by one, those of the highest priority first, then by submission; a task that fits nowhere does not hold up others. Such a task may
 * preempt tasks of lower priority on one node, if that makes room: the least important go, and no more than needed. Of several nodes it takes the one
 * where disruption budgets are violated least, then the one where the least important tasks go (see `byPreference`).
 *
 * A preempted task may have a grace time (`terminationGracePeriodSeconds`). Until it has gone, the task for which it goes is nominated to the node: what it asks
 * for counts there for all of the same or a lower priority. It preempts nobody else meanwhile, but starts on another node that has room before.
 *
 * Source: Kubernetes, kube-scheduler: PrioritySort, DefaultPreemption. Deviations: unless told otherwise a preempted task is gone at once, and no task waits
 * before it is tried again (`backoff`); tasks that have started in the same pass are left alone until the next one, a moment later. Not in Kubernetes, but expected here: all tasks of a gang start or none, each of them may preempt, and with one task of a gang all go that must run
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
  /** Absent where preempted tasks are gone at once and their places are taken at once. */
  readonly #nominated: NominatedNodes | undefined
  readonly #leaving: LeavingTasks | undefined
  /** Absent where nobody backs off. */
  readonly #queue: SchedulingQueue | undefined
  /** Jobs for which nothing can be done in this pass unless somebody goes. */
  readonly #done = new DoneJobs()
  readonly #gangs = new Gangs()
  /** Nodes from which tasks were preempted in this pass: there may be room left beside the task for which that was done. */
  #freed: NodeId[] = []
  readonly #pick = (job: JobId, round: Round) => this.#nominatedNode(job, round) ?? nodeFor(job, round, this.#placement)

  constructor(options: Settings, env: Env, placement: Placement) {
    const byPriority = priority()
    if (options.backoff !== undefined && env.cluster.heartbeat > 0) env.warn(NO_BACKOFF)
    this.#queue = options.backoff && new SchedulingQueue(env, options.backoff)
    const order = this.#queue ?? byPriority.create(env)
    this.#options = options
    this.#order = order
    this.#placement = placement
    this.#greedy = greedyPolicy.plug({ order: { ...byPriority, create: () => order }, placement: { kind: 'placement', name: 'placement', create: () => placement } }).create(env)
    this.#running = new RunningTasks(env)
    const budgets = options.preemption && options.disruptionBudgets.length > 0 ? new DisruptionBudgets(options.disruptionBudgets, env, (task) => this.#leaving?.has(task) === true) : undefined
    if (options.preemption && (options.terminationGracePeriodSeconds !== 0 || options.backoff?.popFromBackoffQ === false)) {
      this.#nominated = new NominatedNodes(env)
      this.#leaving = new LeavingTasks(env, graceOf(options, env), (task) => budgets?.leave(task))
    }
    this.#victims = new VictimSearch(options, env, this.#running, placement, budgets, this.#nominated)
    this.#gangPreemption = new GangPreemption(this.#victims, this.#pick, budgets)
    Object.assign(this, forwarding(this.#greedy, this.#running, budgets?.hooks, this.#leaving, this.#nominated))
  }

  schedule(round: Round): void {
    this.#leaving?.begin(round)
    const within = this.#nominated?.open(round) ?? round
    const acts = (this.#options.preemption || this.#queue !== undefined) && round.jobsLeft === Infinity && round.claimsLeft > 0 && round.nodes.length > 0
    if (!acts) return this.#greedy.schedule(within)
    this.#done.begin()
    this.#gangs.begin()
    this.#freed = []
    this.#victims.hasSpared = false
    while (this.#startNext(within)) {
      // each start changes the order, so it is read again
    }
    if (round.explained) this.#queue?.explain(within)
    if (this.#victims.hasSpared && round.cluster.heartbeat === 0) round.wakeAt(round.now + MOMENT)
  }

  #startNext(round: Round): boolean {
    const { cluster, work, lane } = round
    if (round.pending === 0) return false
    const isFull = this.#queue === undefined && cluster.nextWithRoom(lane, 0) === None
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
        if (isWhole(round)) this.#queue?.tried(job, round)
        if (round.explained) this.#explain(job, round)
      }
    return false
  }

  #explain(job: JobId, round: Round): void {
    if (this.#nominated !== undefined && this.#nominated.of(job).length > 0) round.defer(job, Reason.NoRoom, 'on its nominated node')
    else if (this.#nominated?.isKeptOff(job) === true) round.defer(job, Reason.Reservation, 'of a nominated node')
    else deferWithoutNode(job, round, this.#placement)
  }

  /** Whether a job that had no room may have some now, on a node from which tasks were preempted. */
  #mayFitNow(job: JobId, round: Round): boolean {
    if (this.#freed.length === 0) return false
    return round.work.together(job, round.lane) > 1 || this.#freed.some((node) => round.fits(job, node))
  }

  #start(job: JobId, round: Round): boolean {
    const { work, lane } = round
    if (work.together(job, lane) === 1) {
      const node = this.#place(job, round)
      if (node === None) return false
      this.#nominated?.started(job, node)
      return true
    }
    const waiting = work.unplaced(job, lane)
    const hasTried = this.#gangs.start(job, round, this.#pick)
    if (work.unplaced(job, lane) < waiting) this.#nominated?.started(job)
    return hasTried
  }

  /** Starts the job's next task and returns its node; `None` where there is none. */
  #place(job: JobId, round: Round): NodeId | None {
    const node = this.#pick(job, round)
    return node !== None && startNearest(job, node, round.cluster.levels, round) ? node : None
  }

  /** The first node in sight that a task of the job is nominated to and has room on. Source: kube-scheduler, `evaluateNominatedNode`. */
  #nominatedNode(job: JobId, round: Round): NodeId | undefined {
    const isConfined = this.#nominated !== undefined && this.#victims.confines(job, round)
    return this.#nominated?.of(job).find((node) => isInSight(node, round) && round.fits(job, node) && (!isConfined || this.#victims.allows(job, node, [], round)))
  }

  /**
   * Starts the next task of the job, or its gang, in the place of others, or nominates it to nodes that others leave for it, or ends a nomination of it; false where
   * nothing has changed.
   */
  #preemptFor(job: JobId, round: Round): boolean {
    if (!this.#options.preemption) return false
    const { work, lane } = round
    const own = work.priority(job)
    const hasGivenUp = this.#giveUp(job, own, round)
    const isNominated = this.#nominated !== undefined && this.#nominated.of(job).length >= work.unplaced(job, lane)
    if (isNominated || !this.#running.anyBelow(own, lane) || this.#options.never.includes(own)) return hasGivenUp
    if (!round.take(job)) return hasGivenUp
    const start = round.savepoint()
    const ran = this.#nominated === undefined ? [] : runningTasks(job, lane, work)
    const gone: Gone = { tasks: [], nodes: [] }
    if (!this.#startInstead(job, gone, round)) {
      round.rollback(start)
      return hasGivenUp
    }
    this.#gangs.begin()
    if (this.#nominated === undefined) this.#freed.push(...gone.nodes)
    else this.#nominate(job, gone.tasks, runningTasks(job, lane, work).filter((task) => !ran.includes(task)), start, round)
    return true
  }

  /**
   * Ends the first nomination of the job to a node that nobody of lower priority is about to leave, or all of them if it is a gang; false where there is none.
   * Somebody more important is there now, and the task that was nominated may preempt again.
   *
   * Source: kube-scheduler, `PodEligibleToPreemptOthers`.
   */
  #giveUp(job: JobId, own: number, round: Round): boolean {
    const nodes = this.#nominated?.of(job) ?? []
    const isOver = (node: NodeId) => isInSight(node, round) && this.#leaving?.anyBelow(own, this.#running.on(node, round.lane)) !== true
    const isGang = round.work.least(job, round.lane) > 1
    const node = isGang && !nodes.every(isOver) ? undefined : nodes.find(isOver)
    if (node === undefined) return false
    this.#nominated?.giveUp(job, isGang ? undefined : node)
    return true
  }

  /** Gives all of them their grace time, takes back the tasks that were started for a trial, and nominates these to their nodes. */
  #nominate(job: JobId, gone: readonly TaskId[], started: readonly TaskId[], start: Savepoint, round: Round): void {
    const { work } = round
    const places = started.map((task) => ({ node: work.nodeOf(task) as NodeId, shape: work.shapeOf(task) }))
    round.rollback(start)
    this.#leaving?.add(gone, round)
    this.#nominated?.add(job, places)
    const own = work.priority(job)
    // a placement may have found room elsewhere now; that is for the next pass
    if (places.some(({ node }) => this.#leaving?.anyBelow(own, this.#running.on(node, round.lane)) !== true)) this.#done.add(job)
  }

  /** Starts the next task of the job, or its gang, in the place of others. */
  #startInstead(job: JobId, gone: Gone, round: Round): boolean {
    const { work, lane } = round
    if (this.#options.workloadAwarePreemption && work.least(job, lane) > 1 && isWhole(round)) {
      const evicted = this.#gangPreemption.start(job, round)
      if (evicted === undefined) return false
      gone.tasks.push(...evicted)
      gone.nodes.push(...new Set(evicted.map((task) => work.nodeOf(task) as NodeId)))
      return true
    }
    const together = work.together(job, lane)
    for (let left = together; left > 0; left--) if ((together === 1 || this.#place(job, round) === None) && !this.#replace(job, gone, round)) return false
    return true
  }

  /** Starts one task on a node from which others go for it. */
  #replace(job: JobId, gone: Gone, round: Round): boolean {
    const isBound = this.#nominated !== undefined || this.#victims.confines(job, round)
    for (const { node, victims } of this.#victims.find(job, round)) {
      const before = round.savepoint()
      const tasks = allTasks(victims)
      for (const task of tasks) round.evict(task)
      // if rules confine the task, it goes to the node where tasks have gone for it: others may be open by now, too; so it does if others of its job are nominated elsewhere
      if (isBound ? startNearest(job, node, round.cluster.levels, round) : this.#place(job, round) !== None) {
        gone.tasks.push(...tasks)
        gone.nodes.push(node)
        return true
      }
      round.rollback(before)
    }
    return false
  }
}

/** Seconds for which a task runs on that was preempted. */
function graceOf({ terminationGracePeriodSeconds: given }: Settings, { work }: Env): (task: TaskId) => Seconds {
  return (task) => Math.max(given === 'own' ? (work.gracePeriod(work.jobOf(task)) ?? GRACE) : given, MOMENT)
}

/** The tasks that go for a job, and the nodes on which there may be room beside it. */
interface Gone {
  readonly tasks: TaskId[]
  readonly nodes: NodeId[]
}

const isInSight = (node: NodeId, round: Round): boolean => isWhole(round) || round.nodes.includes(node)
