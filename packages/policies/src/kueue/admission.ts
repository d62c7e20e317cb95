import { DoneJobs, forwarding, None, Reason, type Env, type JobId, type JobSpec, type NodeId, type Placement, type Policy, type Round } from '@sched/core'
import { deferWithoutNode } from '../disciplines/lowest-fitting.js'
import { TakenJobs, type TakenMemory } from '../disciplines/taken-jobs.js'
import type { SortedIds } from '../orders/sorted-ids.js'
import { comesIn, Mode } from './assignment.js'
import { empty } from './empty.js'
import { byBorrowing, Contest, precedences, type Entry, type Precedence } from './entries.js'
import { fitsBeside, fitsWithout } from './fits.js'
import { FlavorScans } from './flavor-scans.js'
import { KeptQuota } from './kept-quota.js'
import { lackingQuota } from './lacking-quota.js'
import { Looks } from './looks.js'
import { NodeTrials } from './node-trials.js'
import { Nominations } from './nominations.js'
import type { KueueSettings } from './options.js'
import { pastUsageOf } from './past-usage.js'
import { Protection } from './protection.js'
import { Queues, type ClusterQueue } from './queues.js'
import { isOutbid } from './preemption.js'
import { QueueTimes } from './queue-times.js'
import { Starts } from './starts.js'
import { TimeSharing } from './time-sharing.js'
import { tooLarge } from './too-large.js'
import { hasStarted, isSetAside, settle, type Workload } from './workload.js'
import { Workloads } from './workloads.js'

/** Seconds until the next look if something is not settled yet: Kueue's shortest wait between cycles. */
const NEXT_CYCLE = 0.001

/** The policy `kueue`: who is admitted in which cycle, instead of whom, and when admitted tasks start. */
export class Kueue implements Policy {
  readonly startsGangJobs = true
  readonly #env: Env
  readonly #fairSharing: KueueSettings['fairSharing']
  /** Whether admissions may change the order of a queue. */
  readonly #goesByUsage: boolean
  readonly #queues: Queues
  readonly #workloads: Workloads
  readonly #placement: Placement
  readonly #starts: Starts
  readonly #trials: NodeTrials
  readonly #nominations: Nominations
  /** Jobs that are not looked at again in this call; and StrictFIFO queues whose first workload must wait, with that workload. */
  readonly #done = new DoneJobs()
  #call = 0
  readonly #closed = new Map<ClusterQueue, Workload>()
  readonly #kept = new KeptQuota()
  /** The job that the round took up last. */
  #taken: JobId | None = None
  #hasPreempted = false
  /** Whether another look is needed that no end of a task will cause, since a preempted workload has just started or had no node yet. */
  #isUnsettled = false
  readonly #preempted = new TakenJobs()
  /** Jobs that have room in their quota, but had no nodes for their topology at the last look. */
  readonly #far = new Set<JobId>()
  readonly #scans: FlavorScans
  readonly #protection: Protection
  /** What changes at times that nothing else may happen at. */
  readonly #timers: readonly (Protection | TimeSharing)[]
  readonly #times: QueueTimes
  readonly #precedence: Precedence
  /** Queues of which no job is looked at again in this call. */
  readonly #exhausted = new Set<ClusterQueue>()
  readonly #looks: Looks
  /** How many workloads may come into a cycle with fair sharing besides the first ones of the queues. */
  readonly #refills: number
  /** Queues whose usage has changed with the last workload that was considered. */
  readonly #touched = new Set<ClusterQueue>()
  /** Whether the cycle has admitted, set aside or passed over any workload. */
  #hasMoved = false

  constructor(settings: KueueSettings, env: Env, placement: Placement) {
    this.#env = env
    this.#fairSharing = settings.fairSharing
    this.#queues = new Queues(settings, env.cluster)
    const pastUsage = pastUsageOf(settings, env, this.#queues.resources)
    this.#goesByUsage = pastUsage !== undefined
    this.#times = new QueueTimes(env)
    this.#precedence = precedences[settings.crossClusterQueueOrdering]
    const timeSharing = new TimeSharing(settings.timeSharing, () => env.now())
    this.#workloads = new Workloads(env, this.#queues, settings.partialAdmission, pastUsage, this.#times, timeSharing)
    this.#looks = new Looks(this.#workloads.waiting)
    this.#refills = typeof settings.fairSharing === 'object' ? settings.fairSharing.refill : 0
    this.#protection = new Protection(settings.preemptionProtection, () => env.now())
    this.#timers = [this.#protection, timeSharing]
    this.#placement = placement
    this.#starts = new Starts(placement, this.#queues.choices)
    this.#trials = new NodeTrials(env.work, this.#workloads, this.#starts, settings.failedNodeReplacementFailFast)
    this.#scans = new FlavorScans(settings.preserveScanProgress)
    this.#nominations = new Nominations(settings, env, { queues: this.#queues, workloads: this.#workloads, protection: this.#protection, scans: this.#scans, trials: this.#trials, preempted: this.#preempted })
    const barred = {
      onFinish: (job: JobId) => { this.#preempted.forget(job, env.work); this.#times.forget(job); this.#trials.finished(job) },
      onNode: (_node: NodeId, up: boolean) => { if (up) this.#workloads.freed++; this.#trials.nodesChanged() },
      memory: () => this.#preempted.memory(env.work),
      recall: (memory: unknown) => { this.#preempted.recall(memory as TakenMemory, env.work) },
    }
    Object.assign(this, forwarding(this.#workloads, placement, barred, { admits: (spec: JobSpec, again?: boolean) => this.#refusal(spec, again) }))
  }

  /** `again`: the job is in the system already, so that what its cohort may hold does not refuse it; queues that add to that may not have come again yet. */
  #refusal(spec: JobSpec, again = false): string | undefined {
    if (spec.topology !== undefined || spec.stages.some((stage) => stage.topology !== undefined)) this.#starts.hasTopologies = true
    this.#trials.submitted(spec)
    const queue = this.#queues.of(spec.queue ?? spec.user ?? 'default')
    return again ? undefined : tooLarge(spec, queue, this.#env.cluster, this.#workloads.demand)
  }

  schedule(round: Round): void {
    this.#done.begin()
    this.#nominations.begin()
    this.#call++
    this.#taken = None
    this.#preempted.begin(this.#env.now())
    if (this.#timers.filter((each) => each.release()).length > 0) this.#workloads.isChanged.fill(1)
    this.#evictLeaving(round)
    this.#startAdmitted(round)
    if (this.#workloads.isChanged[round.lane] === 1 && !this.#isOver(round)) this.#admitAll(round)
    if (round.cluster.heartbeat === 0) for (const { next } of this.#timers) if (next < Infinity) round.wakeAt(next)
    if (round.explained) this.#explain(round)
  }

  /** Evicts preempted workloads that could not be evicted before. The last eviction removes a workload from the set, which may be iterated meanwhile. */
  #evictLeaving(round: Round): void {
    if (round.claimsLeft === 0) return
    for (const workload of this.#workloads.leaving[round.lane] as Set<Workload>)
      if (hasStarted(workload, this.#env.work)) for (const task of [...workload.running]) round.evict(task)
  }

  /** Starts admitted workloads. A start removes the workload from the set, which may be iterated meanwhile. */
  #startAdmitted(round: Round): void {
    for (const workload of this.#workloads.unstarted[round.lane] as Set<Workload>) {
      if (this.#isOver(round) || (round.jobsLeft === Infinity && !this.#hasRoom(round))) return
      if (this.#mayTake(workload, round)) this.#start(workload, round)
    }
  }

  /** Whether any node in sight has room at all. */
  #hasRoom(round: Round): boolean {
    const [first] = round.nodes
    return round.nodes.length === 1 ? round.room(first as NodeId) : round.cluster.nextWithRoom(round.lane, 0) !== None
  }

  /** Whether the round is over: no more jobs may be taken up, and nothing is left to place of the one taken last. */
  #isOver(round: Round): boolean {
    return round.jobsLeft === 0 && (round.claimsLeft === 0 || this.#taken === None || round.work.unplaced(this.#taken, round.lane) === 0)
  }

  /** Whether the round may still take the workload up: further workloads of the job taken last may come, since each task of a job that is no gang is one. */
  #mayTake({ job }: Workload, round: Round): boolean {
    return round.jobsLeft > 0 || job === this.#taken
  }

  #admitAll(round: Round): void {
    empty(this.#closed)
    empty(this.#exhausted)
    this.#looks.forget()
    this.#nominations.forget()
    this.#hasPreempted = false
    this.#isUnsettled = false
    this.#nominations.mayFindLater = false
    empty(this.#far)
    while (!this.#isOver(round) && this.#cycle(round) && !this.#isHopeless(round)) {
      // the next workload of each queue
    }
    const isUnsettled = this.#isUnsettled || this.#nominations.mayFindLater
    this.#workloads.isChanged[round.lane] = round.jobsLeft === 0 || this.#hasPreempted || isUnsettled || this.#far.size > 0 ? 1 : 0
    if (isUnsettled && round.jobsLeft === Infinity && round.cluster.heartbeat === 0) round.wakeAt(this.#preempted.expect(this.#env.now() + NEXT_CYCLE))
  }

  /** Whether no workload that is still to be looked at could be admitted, because all are like others for which there is no room and nobody to preempt. */
  #isHopeless(round: Round): boolean {
    const { unfit } = this.#nominations
    for (const [queue, list] of this.#workloads.waiting.in(round.lane)) {
      const first = this.#closed.get(queue)
      if (this.#exhausted.has(queue)) continue
      if (first === undefined ? !unfit.areVain(queue, list.size) : !unfit.isVain(first.likeness)) return false
    }
    return true
  }

  /** Looks at the first workload of each queue; false if that has changed nothing. */
  #cycle(round: Round): boolean {
    this.#hasMoved = false
    this.#nominations.beginCycle()
    const entries: Entry[] = []
    for (const [queue, list] of this.#workloads.waiting.in(round.lane)) {
      const entry = this.#exhausted.has(queue) ? undefined : this.#entry(queue, list, round)
      if (entry !== undefined && this.#mayTake(entry.workload, round)) entries.push(entry)
    }
    if (entries.every(({ assignment: { mode, targets } }) => mode !== Mode.Fit && targets.length === 0)) for (const entry of entries) this.#setAside(entry, round)
    else if (this.#fairSharing === false) this.#inTurn(entries, round)
    else this.#byShare(entries, round)
    this.#kept.release()
    return this.#hasMoved
  }

  #inTurn(entries: Entry[], round: Round): void {
    entries.sort(byBorrowing(this.#precedence))
    for (const entry of entries) if (this.#mayTake(entry.workload, round)) this.#consider(entry, round)
  }

  #byShare(entries: Entry[], round: Round): void {
    const contest = new Contest(entries, this.#queues.resources.length, this.#precedence, typeof this.#fairSharing === 'boolean' || this.#fairSharing.prioritizeNonBorrowing)
    let refills = this.#refills
    for (let entry = contest.next(); entry !== undefined; entry = contest.next()) {
      if (!this.#mayTake(entry.workload, round)) continue
      empty(this.#touched)
      this.#consider(entry, round)
      for (const queue of this.#touched) contest.changed(queue)
      const next = refills > 0 && isAdmitted(entry) ? this.#successor(entry.workload.queue, round) : undefined
      if (next !== undefined && refills-- > 0) contest.push(next)
    }
  }

  /** The next workload of a queue of which one has been admitted, where others wait, too (Kueue's gate FairSharingRefill, refill.go). */
  #successor(queue: ClusterQueue, round: Round): Entry | undefined {
    const waiting = this.#workloads.waiting.in(round.lane)
    const list = waiting.size > 1 ? waiting.get(queue) : undefined
    const entry = list && this.#entry(queue, list, round, true)
    return entry !== undefined && this.#mayTake(entry.workload, round) ? { ...entry, isRefilled: true } : undefined
  }

  /** The first workload of the queue that is to be looked at, with its assignment; with StrictFIFO the first of all. `amidst`: while the cycle runs. */
  #entry(queue: ClusterQueue, list: SortedIds, round: Round, amidst = false): Entry | undefined {
    const isStrict = queue.settings.queueingStrategy === 'StrictFIFO'
    const isAlone = this.#workloads.waiting.in(round.lane).size === 1 // with one queue, quota that is kept is kept from nobody
    const look = this.#looks.of(queue, list)
    const jobs = look.copy ?? list.ids
    const from = look.copy === undefined ? list.from : 0
    const end = isStrict ? from + 1 : from + list.size
    for (let i = isStrict ? from : from + look.past; i < end; i++) {
      const job = jobs[i] as JobId
      look.past = i - from
      if (!isStrict && this.#workloads.isSetAside(job, round.lane, this.#call)) continue
      if (this.#done.has(job) && !this.#closed.has(queue)) continue
      const workload = this.#workloads.next(job, round.lane)
      if (!isStrict && isSetAside(workload, this.#call, this.#workloads.freed)) {
        if (workload.likeness.freedAt >= 0) this.#far.add(job)
        continue
      }
      const assignment = amidst ? this.#nominations.amidst(workload, round) : this.#nominations.of(workload, round)
      settle(workload, assignment.flavor)
      workload.tasks = assignment.tasks
      const isIdle = isAlone && assignment.mode !== Mode.Fit && assignment.targets.length === 0
      const { returns } = queue.root
      if (!isIdle) return { workload, assignment, returns }
      const isPending = this.#scans.isPending(workload, assignment)
      this.#setAside({ workload, assignment, returns }, round)
      if (isPending) {
        i-- // looks at the same workload again, with the next flavors
        continue
      }
      if (isStrict || !this.#nominations.unfit.areVain(queue, list.size)) continue
      this.#exhausted.add(queue) // all workloads of the queue are like those found in vain
      break
    }
    return undefined
  }

  /**
   * Admits the workload, or sets it aside. Its targets were found when the cycle began. If one of them has gone since, or nodes that it must have, targets
   * are found anew, in the same flavor; if there is no quota any more, the workload comes again in the next cycle.
   */
  #consider(entry: Entry, round: Round): void {
    const { workload, assignment } = entry
    const hasChanged = assignment.targets.some(isGone) || (comesIn(assignment) && this.#hasLostNodes(workload, assignment.targets, round))
    const found = hasChanged ? this.#nominations.inFlavor(workload, round) : assignment
    const { mode, borrows, targets } = found
    if (entry.isRefilled === true && mode !== Mode.Fit && mode !== Mode.NoFit) return // it comes again in the next cycle
    if (mode !== Mode.Fit && targets.length === 0) {
      const neverHas = found.lacksNodes === true && this.#trials.lacksEmpty(workload, round)
      if (mode !== Mode.NoFit && !neverHas && this.#kept.keep(workload, borrows > 0, this.#protection.delaysReclaim)) this.#touched.add(workload.queue)
      return this.#setAside({ ...entry, assignment: found }, round)
    }
    if (!fitsWithout(targets, workload)) {
      this.#hasMoved = this.#scans.skipped(workload, found) || this.#hasMoved
      return
    }
    delete workload.scan // the next search begins with all flavors
    const areGone = targets.every((each) => hasStarted(each, this.#env.work))
    const outbid = this.#precedence === precedences.Timestamp ? targets.filter((each) => isOutbid(each, workload, this.#fairSharing !== false)) : []
    for (const each of targets) this.#preempt(each, round)
    for (const { job } of outbid.sort((a, b) => this.#env.work.rank(a.job) - this.#env.work.rank(b.job))) this.#workloads.requeue(job)
    const isRoom = areGone && fitsBeside(this.#workloads.leaving[round.lane] as Set<Workload>, workload)
    this.#admit(workload)
    if (isRoom && (round.jobsLeft < Infinity || this.#hasRoom(round))) this.#start(workload, round)
  }

  /** Whether there is still quota for the workload without `those`, but no nodes any more. */
  #hasLostNodes(workload: Workload, those: readonly Workload[], round: Round): boolean {
    const nodes = this.#trials.of(workload, round)
    if (nodes === undefined || !fitsWithout(those, workload)) return false
    const hasRoom = nodes.haveRoom(those)
    this.#trials.end(round)
    return !hasRoom
  }

  #preempt(workload: Workload, round: Round): void {
    this.#touched.add(workload.queue)
    this.#hasPreempted = true
    this.#looks.forget()
    this.#nominations.forget()
    this.#done.add(workload.job)
    this.#preempted.add(workload.job)
    const mayGo = hasStarted(workload, this.#env.work)
    if (workload.running.length === 0 || !mayGo) this.#isUnsettled = true
    if (!mayGo) return this.#workloads.expel(workload)
    this.#workloads.dismiss(workload)
    for (const task of [...workload.running]) round.evict(task)
  }

  #admit(workload: Workload): void {
    this.#hasMoved = true
    this.#closed.delete(workload.queue)
    this.#far.delete(workload.job)
    if (this.#goesByUsage) this.#looks.forget()
    this.#nominations.forget()
    this.#workloads.admit(workload)
    this.#touched.add(workload.queue)
  }

  /**
   * Sets a workload aside for which there was neither room nor anybody to preempt. With all that ask alike it waits until something is given back, and for
   * the next call: when they looked again at once while others gave way, some thousand jobs at overload took from each other almost without end. If
   * flavors are left, the next cycle looks at these. One that lacks nodes waits until any task leaves its node, of whichever tree; if it waits for near ones
   * only for a time, it is looked at in every call.
   */
  #setAside({ workload, assignment, returns }: Entry, round: Round): void {
    const { likeness, job, lane } = workload
    if (assignment.lacksNodes === true) this.#far.add(job)
    if (this.#scans.goOn(workload, assignment)) {
      this.#hasMoved = true
      return
    }
    if (assignment.lacksNodes === true && this.#trials.givesUp(workload)) return this.#giveUp(workload, round)
    const mayPreempt = round.claimsLeft > 0 && !this.#nominations.isHeld(job)
    const isForTime = assignment.lacksNodes === true && round.work.topology(job, lane)?.asked.wait !== undefined
    if (workload.queue.settings.queueingStrategy === 'StrictFIFO' || !mayPreempt || isForTime) return this.#passOver(workload)
    likeness.setAsideAt = returns
    likeness.setAsideIn = this.#call
    likeness.freedAt = assignment.lacksNodes === true ? this.#workloads.freed : -1
    this.#hasMoved = true
  }

  /**
   * Preempts what still runs of a job, where there is no node for what it lost: all of it is to be admitted anew.
   *
   * Source: Kueue, scheduler.go (handleFailedTASReplacement; the gate TASFailedNodeReplacementFailFast).
   */
  #giveUp({ job, queue }: Workload, round: Round): void {
    for (const each of [...(this.#workloads.admitted.get(queue) ?? [])]) if (each.job === job) this.#preempt(each, round)
    this.#isUnsettled = true
    this.#hasMoved = true
  }

  /** Looks at the workload no more in this call; with StrictFIFO nor at any behind it in its queue. */
  #passOver(workload: Workload): void {
    const { job, queue } = workload
    if (!this.#done.has(job)) this.#hasMoved = true
    this.#done.add(job)
    if (queue.settings.queueingStrategy === 'StrictFIFO') this.#closed.set(queue, workload)
  }

  #start(workload: Workload, round: Round): void {
    const { job } = workload
    if (!round.take(job)) return
    this.#taken = job
    if (round.claimsLeft === 0) return
    this.#workloads.starting(workload, () => {
      while (workload.unstarted > 0 && this.#starts.start(workload, round)) {
        // of a workload that is admitted in part the other tasks start, too, as far as there is room
      }
    })
  }

  #explain(round: Round): void {
    const { lane } = round
    for (const { job } of this.#workloads.unstarted[lane] as Set<Workload>) deferWithoutNode(job, round, this.#placement)
    for (const [queue, list] of this.#workloads.waiting.in(lane))
      for (let i = list.from; i < list.to; i++) {
        const job = list.ids[i] as JobId
        if (this.#closed.has(queue) && i > list.from) round.defer(job, Reason.Order)
        else if (this.#far.has(job)) this.#starts.deferFar(this.#workloads.next(job, lane), round)
        else round.defer(job, Reason.Limit, lackingQuota(queue, job, lane, this.#workloads.demand))
      }
  }
}

const isAdmitted = ({ workload, assignment }: Entry): boolean => workload.admission > 0 && assignment.mode === Mode.Fit
const isGone = ({ tasks }: Workload): boolean => tasks === 0
