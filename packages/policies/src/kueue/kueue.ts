import { definePolicy, DoneJobs, FirstFit, forwarding, None, Reason, type Env, type JobId, type JobSpec, type NodeId, type Placement, type Plug, type Policy, type Round } from '@sched/core'
import { deferWithoutNode } from '../disciplines/lowest-fitting.js'
import { TakenJobs, type TakenMemory } from '../disciplines/taken-jobs.js'
import type { SortedIds } from '../orders/sorted-ids.js'
import { fits, Mode, nominate, NOTHING, preempts, type Assignment } from './assignment.js'
import { Borrowers } from './candidates.js'
import { byBorrowing, Contest, type Entry } from './entries.js'
import { FlavorRoom } from './flavor-room.js'
import { FlavorScans } from './flavor-scans.js'
import { lackingQuota } from './lacking-quota.js'
import { kueueOptions, type KueueOptions, type KueueSettings } from './options.js'
import { pastUsageOf } from './past-usage.js'
import { targets } from './preemption.js'
import { Protection } from './protection.js'
import { Queues, type ClusterQueue } from './queues.js'
import { Starts } from './starts.js'
import { tooLarge } from './too-large.js'
import { Unfit } from './unfit.js'
import { charge, discharge, isSetAside, runningTasks, settle, type Workload } from './workload.js'
import { Workloads } from './workloads.js'

/**
 * Admission by quota, as Kueue does it for Kubernetes: jobs wait in ClusterQueues, whose quota those of one cohort lend to
 * each other. In every cycle the first workload of each queue is looked at; those that need not borrow come first, then
 * those of higher priority, then older ones; with `fairSharing` those whose queue would have the smallest share. A workload
 * without room may preempt others, as its queue says. What is admitted starts as soon as nodes have room, in order of admission.
 *
 * A gang is one workload, and so is a job that is one; of another job every task is one, and one at a time is admitted before it has a node.
 * With `partialAdmission` a gang with `minTasks` is admitted with as many tasks as there is quota for, if not for all; when one has ended the next starts in its place.
 *
 * Source: Kueue, pkg/scheduler and pkg/cache. Deviations: who is preempted is gone at once; a job that is
 * one gang gives its quota back when the last of its stages has ended; no admission checks. A job with a `topology` is admitted when the placement has nodes for it, too,
 * of the first flavor with quota; for those nobody is preempted.
 */
export const kueuePolicy = definePolicy({
  name: 'kueue',
  summary: 'Kueue: jobs are admitted by quotas of queues that borrow in cohorts, with preemption and fair sharing',
  source: 'Kueue, ClusterQueue and Cohort',
  options: kueueOptions,
  inner: { placement: 'placement?' },
  defaults: { placement: 'first-fit' },
  create: (options, env, { placement }) => new Kueue(options, env, placement?.create(env) ?? new FirstFit()),
})

/** Admission by quota. Where rounds have many nodes the placement names one; default: the lowest with room. */
export const kueue = (options: KueueOptions = {}, placement?: Plug<'placement'>): Plug<'policy'> =>
  kueuePolicy.plug({ placement }, options)

/** How far a queue has been looked through. Jobs before `past` are done with. */
interface Look {
  /** Jobs of a queue that goes by usage; undefined: those of its list. */
  readonly copy: Int32Array | undefined
  past: number
}

/** Seconds until the next look where all is not settled: Kueue's shortest wait between cycles. */
const NEXT_CYCLE = 0.001

class Kueue implements Policy {
  readonly startsGangJobs = true
  readonly #env: Env
  readonly #fairSharing: KueueSettings['fairSharing']
  /** Whether admissions may change the order of a queue. */
  readonly #goesByUsage: boolean
  readonly #queues: Queues
  readonly #room: FlavorRoom
  readonly #workloads: Workloads
  readonly #placement: Placement
  readonly #starts: Starts
  /** Jobs that are done with in this call, and queues whose first workload must wait, with that. */
  readonly #done = new DoneJobs()
  #call = 0
  readonly #closed = new Map<ClusterQueue, Workload>()
  /** What first workloads keep from others. */
  readonly #kept: { readonly queue: ClusterQueue; readonly c: number; readonly amount: number }[] = []
  /** The job that the round took up last. */
  #taken: JobId | None = None
  #hasPreempted = false
  /** Whether somebody gave way who has just started or had no node yet, or may preempt a moment later: nothing that ends tells of that. */
  #isUnsettled = false
  readonly #preempted = new TakenJobs()
  /** Who would have preempted in this call, but was preempted just before. */
  readonly #held = new Set<JobId>()
  readonly #unfit = new Unfit()
  /** Jobs that have room in their quota, and for whose topology there were no nodes when that was looked at last. */
  readonly #far = new Set<JobId>()
  readonly #scans = new FlavorScans()
  readonly #borrowers = new Borrowers()
  readonly #protection: Protection
  /** By queue and priority: the last submission among those that are admitted. */
  readonly #newest = new Map<ClusterQueue, Map<number, number>>()
  /** Queues of which all are done with in this call. */
  readonly #exhausted = new Set<ClusterQueue>()
  /** By queue: its jobs in order, and how many of the first need no other look in this call. */
  readonly #looks = new Map<ClusterQueue, Look>()
  /** Queues of which the usage has changed with the last workload that was considered. */
  readonly #touched = new Set<ClusterQueue>()
  /** Whether the cycle has admitted or passed over anybody. */
  #hasMoved = false

  constructor(settings: KueueSettings, env: Env, placement: Placement) {
    this.#env = env
    this.#fairSharing = settings.fairSharing
    this.#queues = new Queues(settings, env.cluster)
    this.#room = new FlavorRoom(env, this.#queues.choices.all)
    const pastUsage = pastUsageOf(settings, env, this.#queues.resources)
    this.#goesByUsage = pastUsage !== undefined
    this.#workloads = new Workloads(env, this.#queues, settings.partialAdmission, pastUsage)
    this.#protection = new Protection(settings.preemptionProtection, () => env.now())
    this.#placement = placement
    this.#starts = new Starts(placement, this.#queues.choices)
    const barred = { memory: () => this.#preempted.memory(env.work), recall: (memory: unknown) => { this.#preempted.recall(memory as TakenMemory, env.work) } }
    Object.assign(this, forwarding(this.#workloads, placement, barred, { admits: (spec: JobSpec) => this.#refusal(spec) }))
  }

  #refusal(spec: JobSpec): string | undefined {
    if (spec.topology !== undefined || spec.stages.some((stage) => stage.topology !== undefined)) this.#starts.hasTopologies = true
    return tooLarge(spec, this.#queues.of(spec.queue ?? spec.user ?? 'default'), this.#env.cluster, this.#queues.resources)
  }

  schedule(round: Round): void {
    this.#done.begin()
    this.#held.clear()
    this.#call++
    this.#taken = None
    this.#preempted.begin(this.#env.now())
    if (this.#protection.release()) this.#workloads.isChanged.fill(1)
    this.#evictLeaving(round)
    this.#startAdmitted(round)
    if (this.#workloads.isChanged[round.lane] === 1 && !this.#isOver(round)) this.#admitAll(round)
    if (this.#protection.next < Infinity && round.cluster.heartbeat === 0) round.wakeAt(this.#protection.next)
    if (round.explained) this.#explain(round)
  }

  /** Whose last task is evicted goes out of the set, which a walk over it allows. */
  #evictLeaving(round: Round): void {
    if (round.claimsLeft === 0) return
    for (const workload of this.#workloads.leaving[round.lane] as Set<Workload>)
      if (this.#hasStarted(workload)) for (const task of [...workload.running]) round.evict(task)
  }

  #hasStarted({ running }: Workload): boolean {
    return running.every((task) => !Number.isNaN(this.#env.work.started(task)))
  }

  /** Starting a workload takes it out of the set, which a walk over it allows. */
  #startAdmitted(round: Round): void {
    for (const workload of this.#workloads.unstarted[round.lane] as Set<Workload>) {
      if (this.#isOver(round) || (round.jobsLeft === Infinity && !this.#hasRoom(round))) return
      if (this.#mayTake(workload, round)) this.#start(workload, round)
    }
  }

  /** Whether the smallest task could start somewhere in sight. */
  #hasRoom(round: Round): boolean {
    const [first] = round.nodes
    return round.nodes.length === 1 ? round.room(first as NodeId) : round.cluster.nextWithRoom(round.lane, 0) !== None
  }

  /** No more jobs may be taken up, and of the one taken last nothing is left to place. */
  #isOver(round: Round): boolean {
    return round.jobsLeft === 0 && (round.claimsLeft === 0 || this.#taken === None || round.work.unplaced(this.#taken, round.lane) === 0)
  }

  /** Whether the round may still be about the workload: each task of a job that is no gang is one of its own. */
  #mayTake({ job }: Workload, round: Round): boolean {
    return round.jobsLeft > 0 || job === this.#taken
  }

  #admitAll(round: Round): void {
    this.#closed.clear()
    this.#exhausted.clear()
    this.#looks.clear()
    this.#forgetUnfit()
    this.#hasPreempted = false
    this.#isUnsettled = false
    this.#far.clear()
    while (!this.#isOver(round) && this.#cycle(round) && !this.#isHopeless(round)) {
      // the next workload of each queue
    }
    this.#workloads.isChanged[round.lane] = round.jobsLeft === 0 || this.#hasPreempted || this.#isUnsettled || this.#far.size > 0 ? 1 : 0
    if (this.#isUnsettled && round.jobsLeft === Infinity && round.cluster.heartbeat === 0) round.wakeAt(this.#preempted.expect(this.#env.now() + NEXT_CYCLE))
  }

  /** Whether nobody that is still to be looked at could come in: all are like others for which there is no room. */
  #isHopeless(round: Round): boolean {
    for (const [queue, list] of this.#workloads.waiting(round.lane)) {
      const first = this.#closed.get(queue)
      if (this.#exhausted.has(queue)) continue
      if (first === undefined ? !this.#unfit.areVain(queue, list.size) : !this.#unfit.isVain(first.likeness)) return false
    }
    return true
  }

  /** Looks at the first workload of each queue; false when nothing has come of it. */
  #cycle(round: Round): boolean {
    this.#hasMoved = false
    this.#scans.beginCycle()
    this.#borrowers.forget() // nothing is kept for anybody now
    const entries: Entry[] = []
    for (const [queue, list] of this.#workloads.waiting(round.lane)) {
      const entry = this.#exhausted.has(queue) ? undefined : this.#entry(queue, list, round)
      if (entry !== undefined && this.#mayTake(entry.workload, round)) entries.push(entry)
    }
    if (entries.every(({ assignment: { mode, targets } }) => mode !== Mode.Fit && targets.length === 0)) for (const entry of entries) this.#setAside(entry, round)
    else if (this.#fairSharing === false) this.#inTurn(entries, round)
    else this.#byShare(entries, round)
    for (const { queue, c, amount } of this.#kept) queue.remove(c, amount)
    this.#kept.length = 0
    return this.#hasMoved
  }

  #inTurn(entries: Entry[], round: Round): void {
    entries.sort(byBorrowing)
    for (const entry of entries) if (this.#mayTake(entry.workload, round)) this.#consider(entry, round)
  }

  #byShare(entries: Entry[], round: Round): void {
    const contest = new Contest(entries, this.#queues.resources.length)
    for (let entry = contest.next(); entry !== undefined; entry = contest.next()) {
      if (!this.#mayTake(entry.workload, round)) continue
      this.#touched.clear()
      this.#consider(entry, round)
      for (const queue of this.#touched) contest.changed(queue)
    }
  }

  /** The first workload of the queue that is not done with, with StrictFIFO the first of all. */
  #entry(queue: ClusterQueue, list: SortedIds, round: Round): Entry | undefined {
    const isStrict = queue.settings.queueingStrategy === 'StrictFIFO'
    const isAlone = this.#workloads.waiting(round.lane).size === 1 // what is kept for its workloads is kept from nobody
    const look = this.#lookOf(queue, list)
    const jobs = look.copy ?? list.ids
    const from = look.copy === undefined ? list.from : 0
    const end = isStrict ? from + 1 : from + list.size
    for (let i = isStrict ? from : from + look.past; i < end; i++) {
      const job = jobs[i] as JobId
      look.past = i - from
      if (this.#done.has(job) && !this.#closed.has(queue)) continue
      const workload = this.#workloads.next(job, round.lane)
      if (!isStrict && isSetAside(workload, this.#call)) continue
      const assignment = this.#assign(workload, round)
      settle(workload, assignment.flavor)
      workload.tasks = assignment.tasks
      const isIdle = isAlone && assignment.mode !== Mode.Fit && assignment.targets.length === 0
      const { returns } = queue.root
      if (!isIdle) return { workload, assignment, returns }
      const isPending = this.#scans.isPending(workload, assignment)
      this.#setAside({ workload, assignment, returns }, round)
      if (isPending) {
        i-- // it goes on with the next flavors
        continue
      }
      if (isStrict || !this.#unfit.areVain(queue, list.size)) continue
      this.#exhausted.add(queue) // nobody need be told apart from it
      break
    }
    return undefined
  }

  #lookOf(queue: ClusterQueue, list: SortedIds): Look {
    const known = this.#looks.get(queue)
    if (known !== undefined) return known
    const look: Look = { copy: this.#workloads.inOrder(queue, list), past: 0 }
    this.#looks.set(queue, look)
    return look
  }

  /** What could be done for the workload; where it does not fit, found once for all that ask alike until somebody comes in or goes. */
  #assign(workload: Workload, round: Round): Assignment {
    const isAlone = this.#isAlone(workload)
    const known = isAlone || this.#scans.goesOn(workload) ? undefined : this.#unfit.of(workload.likeness)
    if (known !== undefined) return known
    const found = nominate(workload, this.#fairSharing !== false, (each, short) => this.#search(each, short, round), (flavor, part) => this.#room.canHold(flavor, workload, part), this.#scans.from(workload))
    if (found.mode !== Mode.Fit && !isAlone && !this.#scans.isPending(workload, found)) this.#unfit.add(workload, found)
    return found
  }

  /** Whether others that ask alike may find something else: it was preempted just now, or there are equals that only it is older than. */
  #isAlone({ job, queue, priority, rank }: Workload): boolean {
    if (this.#preempted.isBarred(job)) return true
    if (queue.settings.preemption?.withinClusterQueue !== 'LowerOrNewerEqualPriority') return false
    return this.#looks.get(queue)?.copy !== undefined || rank < this.#newestIn(queue, priority)
  }

  /** The last submission among the admitted workloads of a queue and a priority. */
  #newestIn(queue: ClusterQueue, priority: number): number {
    const known = this.#newest.get(queue)
    if (known !== undefined) return known.get(priority) ?? -1
    const found = new Map<number, number>()
    for (const each of this.#workloads.admitted.get(queue) ?? []) found.set(each.priority, Math.max(each.rank, found.get(each.priority) ?? -1))
    this.#newest.set(queue, found)
    return found.get(priority) ?? -1
  }

  /** Whom the workload preempts was found when the cycle began. Where one of them has gone since that is found anew, in the same flavor; where the room has, it comes again in the next cycle. */
  #consider(entry: Entry, round: Round): void {
    const { workload, assignment } = entry
    const hasChanged = assignment.targets.some(isGone)
    const found = hasChanged ? this.#inFlavor(workload, round) : assignment
    const { mode, borrows, targets } = found
    if (mode !== Mode.Fit && targets.length === 0) {
      if (mode !== Mode.NoFit) this.#keep(workload, borrows > 0)
      return this.#setAside({ ...entry, assignment: found }, round)
    }
    delete workload.scan // it comes again with all flavors
    if (mode === Mode.Fit && this.#lacksNodes(workload, round)) {
      this.#far.add(workload.job)
      return this.#passOver(workload)
    }
    if (!this.#hasRoomWithout(targets, workload)) return
    const areGone = targets.every((each) => this.#hasStarted(each))
    for (const each of targets) this.#preempt(each, round)
    const isRoom = areGone && this.#hasRoomBeside(this.#workloads.leaving[round.lane] as Set<Workload>, workload)
    this.#admit(workload)
    if (isRoom && (round.jobsLeft < Infinity || this.#hasRoom(round))) this.#start(workload, round)
  }

  /** Whether its topology keeps it from being admitted although there is quota: no group of nodes has room for it now. */
  #lacksNodes(workload: Workload, round: Round): boolean {
    if (!this.#starts.hasTopologies || round.nodes.length === 1 || round.jobsLeft < Infinity || round.work.topology(workload.job, round.lane) === undefined) return false
    return !this.#starts.isPlaceable(workload, round)
  }

  #inFlavor(workload: Workload, round: Round): Assignment {
    const { flavor, queue: { choices } } = workload
    this.#borrowers.forget()
    const found = nominate(workload, this.#fairSharing !== false, (each, short) => this.#search(each, short, round), (each, part) => each === (part === undefined ? flavor : choices.partOf(flavor, part)))
    return { ...found, next: NOTHING }
  }

  /** Whether without those there is room for the workload beside what is kept for others. */
  #hasRoomWithout(those: readonly Workload[], workload: Workload): boolean {
    for (const each of those) discharge(each, each.tasks)
    const hasRoom = fits(workload)
    for (const each of those) charge(each, each.tasks)
    return hasRoom
  }

  /** Whether there is room for the workload while those run on who give way a moment later: their quota is free, their nodes are not. */
  #hasRoomBeside(leaving: ReadonlySet<Workload>, workload: Workload): boolean {
    if (leaving.size === 0) return true
    for (const each of leaving) charge(each, runningTasks(each))
    const hasRoom = fits(workload)
    for (const each of leaving) discharge(each, runningTasks(each))
    return hasRoom
  }

  #search(workload: Workload, short: readonly number[], round: Round): readonly Workload[] {
    if (round.claimsLeft === 0 || !preempts(workload.queue)) return []
    const { admitted } = this.#workloads
    const pastUsage = (each: Workload): number => this.#workloads.pastUsage(each)
    const found = targets({ workload, short, admitted, borrowers: this.#borrowers, protection: this.#protection, fairSharing: this.#fairSharing, resources: this.#queues.resources.length, pastUsage })
    if (found.length === 0 || !this.#preempted.isBarred(workload.job)) return found
    this.#held.add(workload.job)
    if (this.#preempted.mayLater(workload.job)) this.#isUnsettled = true
    return []
  }

  #preempt(workload: Workload, round: Round): void {
    this.#touched.add(workload.queue)
    this.#hasPreempted = true
    this.#looks.clear()
    this.#forgetUnfit()
    this.#done.add(workload.job)
    this.#preempted.add(workload.job)
    const hasStarted = this.#hasStarted(workload)
    if (workload.running.length === 0 || !hasStarted) this.#isUnsettled = true
    if (!hasStarted) return this.#workloads.expel(workload)
    this.#workloads.dismiss(workload)
    for (const task of [...workload.running]) round.evict(task)
  }

  #admit(workload: Workload): void {
    this.#hasMoved = true
    this.#closed.delete(workload.queue)
    if (this.#goesByUsage) this.#looks.clear()
    this.#forgetUnfit()
    this.#workloads.admit(workload)
    this.#touched.add(workload.queue)
  }

  #forgetUnfit(): void {
    this.#scans.changed()
    this.#unfit.clear()
    this.#borrowers.forget()
    this.#newest.clear()
  }

  /**
   * There was no room for the workload, nor anybody to preempt, when so much had been given back: with all that ask alike it waits until more is, and for
   * the next call; where they looked again at once while others give way, some thousand jobs at overload took from each other almost without end.
   * Where flavors are left these are looked at in the next cycle.
   */
  #setAside({ workload, assignment, returns }: Entry, round: Round): void {
    if (this.#scans.goOn(workload, assignment)) {
      this.#hasMoved = true
      return
    }
    const mayPreempt = round.claimsLeft > 0 && !this.#held.has(workload.job)
    if (workload.queue.settings.queueingStrategy === 'StrictFIFO' || !mayPreempt) return this.#passOver(workload)
    workload.likeness.setAsideAt = returns
    workload.likeness.setAsideIn = this.#call
    this.#hasMoved = true
  }

  /** With StrictFIFO nobody behind the first one is looked at. */
  #passOver(workload: Workload): void {
    const { job, queue } = workload
    if (!this.#done.has(job)) this.#hasMoved = true
    this.#done.add(job)
    if (queue.settings.queueingStrategy === 'StrictFIFO') this.#closed.set(queue, workload)
  }

  /** A part of what it asks is kept from others for the rest of the cycle, unless its queue can always reclaim it. */
  #keep({ queue, amounts, tasks, columns }: Workload, borrows: boolean): void {
    if (queue.settings.preemption?.reclaimWithinCohort === 'Any' && !this.#protection.delaysReclaim) return
    for (let i = 0; i < amounts.length; i++) {
      const c = columns[i] as number
      const amount = queue.toKeep(c, (amounts[i] as number) * tasks, borrows)
      if (amount === 0) continue
      queue.add(c, amount)
      this.#touched.add(queue)
      this.#kept.push({ queue, c, amount })
    }
  }

  #start(workload: Workload, round: Round): void {
    const { job } = workload
    if (!round.take(job)) return
    this.#taken = job
    if (round.claimsLeft === 0) return
    this.#workloads.starting(workload, () => {
      while (workload.unstarted > 0 && this.#starts.start(workload, round)) {
        // of one that is admitted in part the others, too, as far as there is room
      }
    })
  }

  #explain(round: Round): void {
    const { lane } = round
    for (const { job } of this.#workloads.unstarted[lane] as Set<Workload>) deferWithoutNode(job, round, this.#placement)
    for (const [queue, list] of this.#workloads.waiting(lane))
      for (let i = list.from; i < list.to; i++) {
        const job = list.ids[i] as JobId
        if (this.#closed.has(queue) && i > list.from) round.defer(job, Reason.Order)
        else if (this.#far.has(job)) this.#starts.deferFar(this.#workloads.next(job, lane), round)
        else round.defer(job, Reason.Limit, lackingQuota(queue, job, lane, this.#queues.resources, this.#env))
      }
  }
}

const isGone = ({ tasks }: Workload): boolean => tasks === 0
