import { definePolicy, forwarding, jobsByName, None, type Env, type JobId, type LaneId, type NodeId, type Placement, type Plug, type Policy, type Release, type ResourceId, type Round, type Savepoint, type Seconds, type TaskId, type WorkView } from '@sched/core'
import { startNext } from '../disciplines/gangs.js'
import { greedyPolicy } from '../disciplines/greedy.js'
import { lowestFitting } from '../disciplines/lowest-fitting.js'
import { TakenJobs, type TakenMemory } from '../disciplines/taken-jobs.js'
import { TasksByJob } from '../disciplines/tasks-by-job.js'
import { placedByGpus } from './by-gpus.js'
import { placedBySpan } from './by-span.js'
import { Consolidation, type Move } from './consolidation.js'
import { KaiOrder, kaiOrder } from './kai.js'
import { LeastRuntimes } from './least-runtimes.js'
import { minimumOf, optionalGroupOf, protectedOf } from './minimum.js'
import { Moving, type MovingMemory } from './moving.js'
import { kaiOptions, type KaiOptions, type KaiSettings } from './options.js'
import { Reclaiming } from './reclaiming.js'
import { SteadyReclaiming } from './steady-reclaiming.js'
import { StaleGangs, type StaleMemory } from './stale-gangs.js'
import type { Victim } from './victim.js'
import { Victims } from './victims.js'

/**
 * Queues in the order `kai`, with preemption for jobs that find no room. If its queue stays within its fair share with the job, tasks of other
 * queues are taken (reclaim); otherwise, or if that makes no room, tasks of lower priority of its own queue (preempt); never more than are needed. Of the
 * other queues the one gives that would be served last. A queue gives while it has more than it is due, or more than its quota if the job's queue stays
 * within its own quota. In a queue the lowest priority goes first, then the latest job (or by `gpuJobOrder`); a gang goes as a whole. Before that, if
 * `maxConsolidationPreemptees` says so, room for preemptible jobs is made by moving others: these start anew elsewhere at the same instant. A gang that
 * has too few tasks for longer than `stalenessGracePeriod` is evicted.
 *
 * Source: KAI Scheduler, actions consolidation, reclaim and preempt, plug-in `proportion` (reclaimable.go, strategies.go). Deviations: a taken task
 * is gone at once, a moment later if it has just started, and its job takes nothing at the same instant; in reclaim a task that could be moved
 * counts as taken, in KAI not; tasks of jobs that are no gangs go one by one; of jobs that are preemptible beyond their minimum, what is beyond it may be
 * moved in consolidation.
 */
export const kaiPreemptingPolicy = definePolicy({
  name: 'kai-preempting',
  summary: 'KAI Scheduler: the order kai, with tasks taken back from queues above their fair share and from lower priorities',
  source: 'KAI Scheduler, reclaim and preempt',
  options: kaiOptions,
  inner: { placement: 'placement?' },
  defaults: { placement: 'first-fit' },
  create: (options, env, { placement }) => new KaiPreempting(options, env, placement),
})

/** The queues of the KAI Scheduler, with preemption. Where rounds have many nodes the placement names one; default: the lowest with room. */
export const kaiPreempting = (options: KaiOptions = {}, placement?: Plug<'placement'>): Plug<'policy'> => kaiPreemptingPolicy.plug({ placement }, options)

/** Seconds from one scheduling cycle to the next, as in KAI. */
const CYCLE = 1
/** Seconds until tasks that have just started can be taken; in KAI they can be at once. */
const MOMENT = 0.001

/** State of `KaiPreempting`, for one that takes its place. */
interface PreemptingMemory extends MovingMemory {
  readonly taken: TakenMemory
  readonly stale: StaleMemory
  /** Jobs of which tasks started together. */
  readonly gangs: readonly string[]
}

class KaiPreempting implements Policy {
  readonly startsGangJobs = true
  readonly #order: KaiOrder
  readonly #policy: Policy
  readonly #placement: Placement | undefined
  readonly #env: Env
  readonly #running: TasksByJob
  /** Jobs of which tasks started together. */
  readonly #gangs = new Set<JobId>()
  readonly #taken = new TakenJobs()
  readonly #stale: StaleGangs
  readonly #leastRuntimes: LeastRuntimes
  readonly #consolidation: Consolidation | undefined
  readonly #settings: KaiSettings
  readonly #moving: Moving
  /** The tasks that may be taken; valid until some are. */
  #victims: Victims | undefined
  /** Whether a job takes nothing in this cycle, but may in a later one. */
  #hasSpared = false
  /** Whether tasks would have been taken that have just started. */
  #hasMetNew = false

  constructor(settings: KaiSettings, env: Env, placement: Plug<'placement'> | undefined) {
    const order = new KaiOrder(settings, env)
    const made = placement?.create(env)
    this.#order = order
    this.#env = env
    this.#placement = made
    this.#policy = greedyPolicy.plug({ order: { ...kaiOrder.plug({}), create: () => order }, placement: placement && { ...placement, create: () => made as Placement } }).create(env)
    this.#running = new TasksByJob(env)
    this.#leastRuntimes = new LeastRuntimes(settings, order, () => env.now())
    this.#stale = new StaleGangs(settings.stalenessGracePeriod, this.#gangs, env)
    this.#moving = new Moving(env, made)
    this.#settings = settings
    const { maxConsolidationPreemptees: most } = settings
    if (most !== 0) this.#consolidation = new Consolidation(most === -1 ? Infinity : most, order, env.work)
    Object.assign(
      this,
      forwarding(this.#policy, this.#running, {
        onClaim: (job: JobId, lane: LaneId) => {
          if (env.work.least(job, lane) > 1) this.#gangs.add(job) // `least` does not say so at the claim of the last task, when the job is known already
        },
        onRelease: (job: JobId, _lane: LaneId, _task: TaskId, _node: NodeId, why: Release) => {
          if (why === 'evicted') this.#stale.lost(job)
        },
        onFinish: (job: JobId) => {
          this.#stale.forget(job)
          this.#gangs.delete(job)
          this.#taken.forget(job, env.work)
          this.#moving.forget(job)
        },
        memory: () => this.#memory(),
        recall: (memory: unknown) => { this.#recall(memory as PreemptingMemory) },
      }),
    )
  }

  #memory(): PreemptingMemory {
    const { work } = this.#env
    const gangs = Array.from(this.#gangs, (job) => work.name(job))
    return { taken: this.#taken.memory(work), stale: this.#stale.memory(), gangs, ...this.#moving.memory() }
  }

  #recall({ taken, stale, gangs, ...moving }: PreemptingMemory): void {
    const { work } = this.#env
    this.#taken.recall(taken, work)
    this.#stale.recall(stale)
    const jobs = jobsByName(work)
    for (const job of gangs.flatMap((name) => jobs.get(name) ?? [])) this.#gangs.add(job)
    this.#moving.recall(moving)
  }

  schedule(round: Round): void {
    this.#taken.begin(round.now)
    this.#hasSpared = false
    this.#hasMetNew = false
    this.#leastRuntimes.begin()
    this.#moving.end(round)
    this.#policy.schedule(round)
    if (round.jobsLeft < Infinity || round.claimsLeft === 0 || round.nodes.length === 0 || round.pending === 0) return
    const jobs = this.#waiting(round)
    this.#order.areSharesHeld = true
    this.#victims = undefined
    if (this.#consolidate(jobs, round)) {
      this.#order.areSharesHeld = false
      return // so that no job takes the places of the moved tasks before these do; another round comes at once
    }
    const isInVain = this.#preemptFor(jobs, round)
    this.#order.areSharesHeld = false
    this.#stale.evict(round)
    if (!isInVain || round.cluster.heartbeat > 0) return
    if (this.#order.nextChange < Infinity && this.#running.in(round.lane).size > 0) round.wakeAt(this.#order.nextChange)
    if (this.#leastRuntimes.next < Infinity) round.wakeAt(this.#leastRuntimes.next)
    if (this.#hasMetNew) round.wakeAt(this.#taken.expect(round.now + MOMENT))
    else if (this.#hasSpared) round.wakeAt(this.#taken.expect(round.now + CYCLE))
  }

  /** Makes room for waiting jobs by reclaim and preempt; returns whether some job finds no room even then. */
  #preemptFor(waiting: readonly JobId[], round: Round): boolean {
    const { work } = round
    const inVain = new InVain()
    let jobs = waiting
    for (let i = 0; i < jobs.length; ) {
      const job = jobs[i++] as JobId
      const alike = inVain.of(this.#order.leaf(job), work.priority(job))
      const asked = this.#askedBy(job, round)
      if (alike.has(asked)) continue
      if (this.#taken.isBarred(job)) {
        if (!this.#taken.mayLater(job)) continue
        inVain.isEmpty = false
        this.#hasSpared = true
        continue
      }
      if (this.#reclaim(job, round) || this.#preempt(job, round)) {
        jobs = this.#waiting(round)
        i = 0
      } else {
        alike.add(asked)
        inVain.isEmpty = false
      }
    }
    return !inVain.isEmpty
  }

  /** Makes room by moving others, for the first job for which that works; false if it works for none. */
  #consolidate(waiting: readonly JobId[], round: Round): boolean {
    const { nodes, cluster, work, lane } = round
    const consolidation = this.#consolidation
    if (consolidation === undefined || nodes.length < cluster.nodes || cluster.heartbeat > 0) return false
    const order = this.#order
    const free = order.resources.map((r) => nodes.reduce((sum, node) => sum + (cluster.up(node) ? cluster.free(node, r) : 0), 0))
    const inVain = new Set<number>()
    for (const job of waiting) {
      const asked = this.#askedBy(job, round)
      if (inVain.has(asked) || order.startsFixed(job) || !order.mayStart(job) || this.#placement?.confines?.(job, round) === true || order.resources.some((r, i) => work.asked(job, lane, r) > (free[i] as number))) continue
      if (this.#taken.isBarred(job)) {
        this.#hasSpared ||= this.#taken.mayLater(job)
        continue
      }
      const found = consolidation.find(job, this.#victimsIn(round), (victim) => work.movable(victim.job) && !work.avoids(victim.job) && this.#hasStarted(victim.tasks) && this.#placement?.confines?.(victim.job, round) !== true, round)
      if (found !== undefined && this.#moveFor(job, found.starts, found.moves, round)) return true
      inVain.add(asked)
    }
    return false
  }

  #moveFor(job: JobId, starts: readonly NodeId[], moves: readonly Move[], round: Round): boolean {
    const before = round.savepoint()
    for (const { victim } of moves) evict([victim], round)
    let next = 0
    if (!this.#start(job, round, () => starts[next++] as NodeId)) {
      round.rollback(before)
      return false
    }
    this.#moving.begin(moves, round)
    return true
  }

  /** A number that is the same for jobs that ask for the same. */
  #askedBy(job: JobId, { work, lane }: Round): number {
    return work.isGangJob(job) ? -1 - job : work.shape(job, lane) * TASKS + work.together(job, lane)
  }

  #waiting(round: Round): JobId[] {
    this.#order.begin(round)
    return this.#order.allJobs()
  }

  #reclaim(job: JobId, round: Round): boolean {
    const order = this.#order
    const [leastRuntimes, { work }] = [this.#leastRuntimes, this.#env]
    const makeRoom = (reclaiming: Reclaiming | SteadyReclaiming) => this.#makeRoom(job, () => reclaiming.next(), (taken) => reclaiming.isFair(taken), round)
    if (order.isWithinFairShare(job)) {
      const reclaiming = new Reclaiming(job, order, this.#victimsIn(round), leastRuntimes, work, this.#settings)
      if (this.#mayFreeNode(job, reclaiming, round) && makeRoom(reclaiming)) return true
    }
    const gpu = order.reclaimsSteadily(job)
    return gpu !== undefined && makeRoom(new SteadyReclaiming(job, order, gpu, this.#victimsIn(round), leastRuntimes, work, this.#settings.reclaimerSaturationMultiplier))
  }

  /**
   * At a heartbeat, whether any task on the node could go, if the job does not fit there now. Most victims run elsewhere, and to take them in vain has no
   * other consequence then.
   */
  #mayFreeNode(job: JobId, reclaiming: Reclaiming, round: Round): boolean {
    const { nodes, cluster, work } = round
    const [node] = nodes
    if (cluster.heartbeat === 0 || nodes.length > 1 || round.fits(job, node as NodeId)) return true
    return reclaiming.mayReach((victim) => work.masterShape(victim.job) !== None || victim.tasks.some((task) => work.nodeOf(task) === node))
  }

  #preempt(job: JobId, round: Round): boolean {
    const { work } = this.#env
    const [leaf, priority] = [this.#order.leaf(job), work.priority(job)]
    const all = this.#victimsIn(round)
    if (!this.#leastRuntimes.areAny && !all.mayHaveBelow(priority, leaf)) return false // least run times note whom they refuse, of whatever priority
    const victims = this.#leastRuntimes.preemptible(all.of(leaf)).filter((victim) => work.priority(victim.job) < priority)
    return this.#makeRoom(job, () => victims.pop(), () => true, round)
  }

  /** The running tasks on the nodes in sight that may be taken, by queue. */
  #victimsIn(round: Round): Victims {
    const { work } = this.#env
    return (this.#victims ??= new Victims(this.#running.in(round.lane).keys(), (job) => this.#order.leaf(job), work, (job) => this.#victimsOf(job, round)))
  }

  #victimsOf(job: JobId, { lane, nodes, cluster }: Round): readonly Victim[] {
    const { work } = this.#env
    const tasks = this.#running.in(lane).get(job) as readonly TaskId[]
    if (this.#order.isFixed(job)) return []
    // with heartbeats there is no look a moment later, so tasks that have just started are left out
    if (cluster.heartbeat > 0 && !this.#hasStarted(tasks)) return []
    if (nodes.length === 1 && !tasks.some((task) => work.nodeOf(task) === nodes[0])) return []
    const isSemi = this.#order.isSemi(job)
    const core = isSemi ? protectedOf(tasks, work) : minimumOf(tasks, this.#gangs.has(job), work)
    const since = this.#runsSince(tasks)
    const found: Victim[] = []
    if (core.length > 0 && !isSemi) found.push({ job, tasks: core, isCore: true, since })
    if (core.length < tasks.length) for (const piece of beyond(core, tasks, work)) found.push({ job, ...piece, isCore: false, since })
    const [order, gpu] = [this.#settings.gpuJobOrder, cluster.resources.indexOf('gpu')]
    const placed = order === undefined || gpu < 0 ? found : placedByGpus(found, job, { order, gpu: gpu as ResourceId, lane, work, running: tasks })
    return this.#settings.gangCascadeOrder ? placedBySpan(placed, work) : placed
  }

  /** Starts the next task of the job, or its gang, in the place of others; false, and nothing changes, where that makes no room. */
  #makeRoom(job: JobId, next: () => Victim | undefined, isFair: (taken: readonly Victim[]) => boolean, round: Round): boolean {
    const before = [round.savepoint()]
    const taken: Victim[] = []
    for (let victim = next(); victim !== undefined; victim = next()) {
      if (!this.#hasStarted(victim.tasks)) {
        this.#hasMetNew = true
        break
      }
      taken.push(victim)
      evict([victim], round)
      before.push(round.savepoint())
      if (!this.#start(job, round)) continue
      const kept = this.#spare(job, taken, before, round)
      if (!isFair(kept)) break
      for (const each of kept) this.#taken.add(each.job)
      this.#victims = undefined
      return true
    }
    round.rollback(before[0] as Savepoint)
    return false
  }

  /** When the first of the tasks started; now, if all have just started. */
  #runsSince(tasks: readonly TaskId[]): Seconds {
    return tasks.reduce((first, task) => {
      const started = this.#env.work.started(task)
      return started < first ? started : first
    }, this.#env.now())
  }

  /** Whether all tasks have started before this round. One that has just started can be taken a moment later; no other task goes in its place. */
  #hasStarted(tasks: Iterable<TaskId>): boolean {
    for (const task of tasks) if (Number.isNaN(this.#env.work.started(task))) return false
    return true
  }

  /**
   * Spares victims that the job does not need, from the last but one to the first; returns the others. `before`: the savepoint before each was evicted, so
   * that those before the one in question stay away meanwhile.
   */
  #spare(job: JobId, taken: readonly Victim[], before: readonly Savepoint[], round: Round): readonly Victim[] {
    if (taken.length === 1) return taken
    let kept = taken.slice(-1)
    for (let i = taken.length - 2; i >= 0; i--) {
      round.rollback(before[i] as Savepoint)
      evict(kept, round)
      if (!this.#start(job, round)) kept = [taken[i] as Victim, ...kept]
    }
    round.rollback(before[0] as Savepoint)
    evict(kept, round)
    this.#start(job, round)
    return kept
  }

  #start(job: JobId, round: Round, pick = (each: JobId, within: Round): NodeId | None => this.#placement?.pick(each, within) ?? lowestFitting(each, within)): boolean {
    return this.#order.mayStart(job) && round.take(job) && startNext(job, round, pick)
  }
}

/** More than any gang has tasks, and small enough that shape times this is still an exact whole number. */
const TASKS = 2 ** 28

/** What was asked for in vain, kept for the current queue and priority, since jobs of one come one after another. */
class InVain {
  isEmpty = true
  readonly #all = new Map<number, Map<number, Set<number>>>()
  #leaf = -1
  #priority = NaN
  #last = new Set<number>()

  of(leaf: number, priority: number): Set<number> {
    if (leaf === this.#leaf && priority === this.#priority) return this.#last
    this.#leaf = leaf
    this.#priority = priority
    const ofLeaf = this.#all.get(leaf) ?? new Map<number, Set<number>>()
    this.#all.set(leaf, ofLeaf)
    this.#last = ofLeaf.get(priority) ?? new Set()
    ofLeaf.set(priority, this.#last)
    return this.#last
  }
}

/** What a job can do without of its running tasks: single tasks, and groups of tasks that run together, unless some of the group is of the core. */
function beyond(core: readonly TaskId[], tasks: readonly TaskId[], work: WorkView): readonly Pick<Victim, 'tasks' | 'isGroup'>[] {
  const found: Pick<Victim, 'tasks' | 'isGroup'>[] = []
  const groups = new Map<number, TaskId[]>()
  const kept = new Set(core.map((task) => optionalGroupOf(task, work)))
  for (const task of tasks) {
    if (core.includes(task)) continue
    const group = optionalGroupOf(task, work)
    if (group === 0) found.push({ tasks: [task] })
    else if (!kept.has(group)) groups.set(group, [...(groups.get(group) ?? []), task])
  }
  return [...found, ...Array.from(groups.values(), (each) => ({ tasks: each, isGroup: true }))]
}

function evict(victims: readonly Victim[], round: Round): void {
  for (const { tasks } of victims) for (const task of tasks) round.evict(task)
}
