import {
  definePolicy, forwarding, SchedError, type Env, type JobId, type LaneId, type NodeId, type Order, type Plug, type Policy, type Round, type Savepoint,
  type Seconds, type TaskId, type WorkView,
} from '@sched/core'
import { ArrayThrottles } from '../backfilling/array-throttles.js'
import { exceptWaiting } from './except-waiting.js'
import { FoundNodes, startOn } from './found-nodes.js'
import { GraceNotices } from './grace-notices.js'
import { NumbersOfQos } from './numbers-of-qos.js'
import { refuseLoops } from './preemption-loops.js'
import { PreemptionRights } from './preemption-rights.js'
import { reclaimedLicenses, type ReclaimedLicenses } from './reclaimed-licenses.js'
import { RequeuedJobs } from './requeued-jobs.js'
import { PreemptingRound, type RoomAsked } from './preempting-round.js'
import { KeepingRound, Shadows } from './shadows.js'
import { LIMITS_INSIDE, slurmPreemptingOptions, type ReadSlurmPreemptingOptions, type SlurmPreemptingOptions } from './slurm-preempting-options.js'
import { SuspendedJobs, together } from './suspended-jobs.js'
import { TasksByJob } from './tasks-by-job.js'
import { TasksByNode } from './tasks-by-node.js'
import { WaitingByKind } from './waiting-by-kind.js'

/** Seconds until somebody is looked at again who was left alone because the pass itself had started him. */
const NEXT_PASS: Seconds = 0.001

/**
 * Jobs of a queue with a higher tier preempt those of lower ones where they find no room: running jobs are taken whole, in order, until
 * there is. The last of them is needed; so those that may go are looked at again with it at the head, behind it those on most of the nodes that were
 * found, and in the end only those on the nodes found go. They wait again and start anew, or are given up.
 *
 * Jobs that are suspended instead are in nobody's way: nodes are chosen as if there were none, and then those stop that are in the way there. They keep
 * their memory and devices, and go on where they are as soon as all of their processors are free; nobody starts there meanwhile who may not preempt them.
 * Jobs that are one gang of several stages are never suspended, and suspend nobody (heterogeneous jobs of Slurm 26.11; slurm.conf(5), PreemptMode).
 *
 * Source: Slurm, preempt/partition_prio and preempt/qos; `_run_now` and `_job_test` of select/cons_tres, gang.c. Deviations: what is preempted is gone
 * at once, or where it has a grace time when that is over, which plans do not count on, and if it would start anew at once when its place is taken; around a
 * policy that does not ask for room when a job's turn comes (`asksForRoom`) jobs that preempt come by tier or priority of their QOS, then by priority and
 * submission, and heed none of its reservations; nobody is preempted in rounds for so many jobs, that is where decisions take time.
 */
export const slurmPreemptingPolicy = definePolicy({
  name: 'slurm-preempting',
  summary: 'jobs of queues with a higher tier take the place of running jobs of lower ones (Slurm, partition_prio)',
  source: 'Slurm, preempt/partition_prio',
  options: slurmPreemptingOptions,
  inner: { policy: 'policy', order: 'order?' },
  defaults: { policy: 'replan' },
  create: (options, env, { policy, order }) => {
    if (policy.name === 'slurm-limits') env.warn(LIMITS_INSIDE)
    return new SlurmPreempting(options, env, policy.create(env), order?.create(env))
  },
})

/** Preemption by tier around a policy. */
export const slurmPreempting = (policy: Plug<'policy'>, { order, ...options }: SlurmPreemptingOptions = {}): Plug<'policy'> =>
  slurmPreemptingPolicy.plug({ policy, order }, options)

class SlurmPreempting implements Policy {
  readonly startsGangJobs: boolean
  readonly startsInQueues: boolean
  readonly #policy: Policy
  readonly #options: ReadSlurmPreemptingOptions
  readonly #work: WorkView
  readonly #rights: PreemptionRights
  readonly #acts: boolean
  /** Where some jobs are suspended. */
  readonly #suspended: SuspendedJobs | undefined
  /** Absent where preempted jobs may start anew at once. */
  readonly #requeued: RequeuedJobs | undefined
  /** Where jobs preempt others for licences. */
  readonly #licenses: ReclaimedLicenses | undefined
  readonly #shadows: Shadows | undefined
  readonly #keeping: KeepingRound | undefined
  readonly #waiting: WaitingByKind
  readonly #running: TasksByJob
  readonly #throttles: ArrayThrottles
  readonly #exemptTimes: NumbersOfQos
  readonly #found: FoundNodes
  /** When the next job may be preempted that was exempt in this round. */
  #exempt: Seconds = Infinity
  /** Whether a job that this round has started was left alone, and whether one found no room for that: nothing that happens later tells of it. */
  #hasSpared = false
  readonly #notices: GraceNotices
  #isUnsettled = false
  /** Claims made so far. */
  #claims = 0
  /**
   * The round of a policy that asks for room when a job's turn comes; and when it asked last, with one running job of each kind and those for whom it
   * asked in vain.
   */
  readonly #making = new PreemptingRound({ makeRoom: (job, asked, round) => this.#makeRoomOn(job, asked, round), startIn: (job, queue, round) => this.#startIn(job, queue, round) })
  #asked = { claims: -1, serial: -1, may: undefined as ((node: NodeId) => boolean) | undefined, examples: [] as JobId[], inVain: new Set<string>() }

  constructor(options: ReadSlurmPreemptingOptions, env: Env, policy: Policy, order: Order | undefined) {
    this.#policy = policy
    this.#options = options
    this.#work = env.work
    this.#rights = new PreemptionRights(options, env, order)
    refuseLoops(options.qos ?? {})
    this.#acts = Object.keys(options.qos ?? options.tiers).length > 0
    const suspends = this.#acts && [options.mode, ...Object.values(options.modes)].includes('suspend')
    if (suspends && env.cluster.heartbeat > 0)
      throw new SchedError(
        'BAD_OPTION', 'jobs are suspended only where all nodes are seen at once, and this cluster has heartbeats.', { field: 'slurm-preempting.mode' },
        'Leave `heartbeat` out of the cluster, or use requeue or cancel.',
      )
    this.startsGangJobs = policy.startsGangJobs === true
    this.startsInQueues = policy.startsInQueues === true
    this.#waiting = new WaitingByKind(env.cluster, this.#rights)
    this.#running = new TasksByJob(env)
    this.#notices = new GraceNotices(env, this.#running)
    this.#suspended = suspends ? new SuspendedJobs(env, policy) : undefined
    const onNodes = this.#suspended && new TasksByNode(env.cluster)
    this.#shadows = this.#suspended && onNodes && new Shadows(this.#suspended, onNodes, env.work, this.#rights)
    this.#keeping = this.#shadows && new KeepingRound(this.#shadows)
    this.#found = new FoundNodes(env.cluster.nodes, this.#shadows)
    const watch = {
      onClaim: () => void this.#claims++,
      memory: () => this.#notices.memory(),
      recall: (memory: unknown) => {
        this.#notices.recall(memory as ReturnType<GraceNotices['memory']>)
      },
      ...(Object.keys(options.graceTime).length > 0 && { wantsRound: (now: Seconds) => this.#notices.areOver(now, (job) => this.#mayLeave(job)) }),
    }
    this.#throttles = new ArrayThrottles(env)
    this.#exemptTimes = new NumbersOfQos({ work: env.work, queues: this.#rights.queues }, options.exemptTimes, options.exemptTimesOfQueues, options.ownQosFirst)
    const inner = this.#suspended ?? policy
    this.#requeued = this.#acts && options.requeueDelay > 0 ? new RequeuedJobs(env, inner, options.requeueDelay) : undefined
    const waiting = this.#requeued === undefined ? [inner] : [this.#requeued, exceptWaiting(inner)]
    this.#licenses = reclaimedLicenses(env, waiting[0] as Policy, options.licenses, suspends)
    const starting = this.#licenses === undefined ? waiting : [this.#licenses, ...waiting.map(exceptWaiting)]
    const parts = this.#suspended === undefined ? starting : [this.#suspended.kept, exceptWaiting(policy), ...starting]
    Object.assign(this, forwarding(...parts, this.#rights, ...(order === undefined ? [] : [order]), this.#waiting, watch, this.#throttles, this.#running, onNodes, this.#shadows))
  }

  schedule(given: Round): void {
    const round = this.#licenses?.in(given) ?? given
    const acts = this.#acts && round.jobsLeft === Infinity && round.claimsLeft > 0 && round.nodes.length > 0
    this.#exempt = Infinity
    this.#isUnsettled = false
    this.#rights.begin(round, this.#pending(round.lane))
    this.#shadows?.begin()
    this.#suspended?.begin(round)
    this.#requeued?.begin(round)
    const notices = this.#notices.begin(round)
    if (this.#acts && round.jobsLeft === Infinity && notices.size > 0) this.#leave([...notices.keys()], round)
    const asks = this.#policy.asksForRoom === true
    if (acts) for (const job of this.#preemptors(round.lane, true)) this.#preemptFor(job, round)
    const isDone = !acts || asks || this.#preempt(round, true)
    const before = this.#claims
    const kept = this.#keeping?.of(round, asks) ?? round
    this.#policy.schedule(this.#acts && asks ? this.#making.of(kept, round, acts) : kept)
    if (!isDone || (acts && !asks && this.#claims > before)) this.#preempt(round, false) // also to see who finds no room for what the policy has started
    if (this.#suspended !== undefined) this.#goOn(round, this.#suspended)
    this.#licenses?.explain(round)
    for (const end of [...notices.values(), this.#exempt]) if (end > round.now && end < Infinity) round.wakeAt(end)
    if (this.#isUnsettled && round.cluster.heartbeat === 0) round.wakeAt(round.now + NEXT_PASS)
  }

  /** The waiting jobs but for those that are suspended, which keep the priority that they started with. */
  *#pending(lane: LaneId): Generator<JobId> {
    for (const job of this.#waiting.in(lane).keys()) if (this.#suspended?.has(job, lane) !== true) yield job
  }

  /** Makes room for one job after another; who finds room as it is is left to the policy, and `untilFit` nobody comes before that: false. */
  #preempt(round: Round, untilFit: boolean): boolean {
    const inVain = new Set<string>()
    const waiting = this.#waiting.in(round.lane)
    for (const job of this.#preemptors(round.lane)) {
      const kind = this.#kindOf(job, round)
      // a limit may hold it back since another one has started
      while (waiting.has(job) && !this.#throttles.isFull(job) && !inVain.has(kind) && round.work.unplaced(job, round.lane) > 0) {
        const fits = this.#found.find(job, round)
        if (fits && untilFit) return false
        if (fits || this.#makeRoom(job, round) !== true) inVain.add(kind)
      }
    }
    return true
  }

  /** Jobs of one kind may preempt the same ones, apart from their priorities, and ask for the same. */
  #kindOf(job: JobId, { work, lane }: Round): string {
    return `${this.#rights.groupOf(job)} ${work.isGangJob(job) ? `job ${job}` : `${work.shape(job, lane)} ${work.together(job, lane)} ${work.minNodes(job)} ${work.maxNodes(job)} ${work.isContiguous(job)}`}`
  }

  /** The same for one job, on some nodes alone, for a policy that asks when its turn comes. */
  #makeRoomOn(job: JobId, { may, most, queue }: RoomAsked, round: Round): boolean | readonly NodeId[] {
    if (this.#suspended?.has(job, round.lane) === true) return false
    if (queue !== undefined) this.#rights.seek(job, round.lane, queue)
    if (this.#claims !== this.#asked.claims || round.serial !== this.#asked.serial || may !== this.#asked.may)
      this.#asked = { claims: this.#claims, serial: round.serial, may, examples: this.#rights.oneOfEach(this.#running.in(round.lane).keys()), inVain: new Set() }
    if (!this.#asked.examples.some((victim) => this.#rights.mayTake(job, victim))) return false
    const { work } = round
    const kind = `${this.#kindOf(job, round)} ${work.estimate(job)} ${work.reservation(job)} ${most} ${queue ?? ''}`
    if (this.#asked.inVain.has(kind)) return false
    const made = this.#found.within(may, most, () => this.#makeRoom(job, round))
    if (made !== false) return made
    this.#asked.inVain.add(kind)
    this.#asked.claims = this.#claims // what was tried is taken back
    return false
  }

  /** Starts a job that waits for licences in the place of those that hold them. */
  #preemptFor(job: JobId, round: Round): void {
    while (this.#licenses?.isWaiting(job, round.lane) === true && !this.#throttles.isFull(job)) if (this.#makeRoom(job, round) !== true) return
  }

  /** Waiting jobs that may take the place of one that runs, first those that come first: those that wait for licences, or all others. */
  #preemptors(lane: LaneId, forLicenses = false): JobId[] {
    if (forLicenses && this.#licenses === undefined) return []
    const [work, rights] = [this.#work, this.#rights]
    const examples = rights.oneOfEach(this.#running.in(lane).keys())
    return [...this.#waiting.kinds(lane)]
      .flatMap((alike) => {
        const [first] = alike
        return first !== undefined && examples.some((victim) => rights.mayTake(first, victim)) ? [...alike] : []
      })
      .filter((job) => this.#suspended?.has(job, lane) !== true && this.#requeued?.has(job) !== true && (this.#licenses?.isWaiting(job, lane) === true) === forLicenses)
      .map((job) => ({ job, rank: rights.rankOf(job), priority: rights.priorityOf(job, lane) }))
      .sort((a, b) => b.rank - a.rank || b.priority - a.priority || work.rank(a.job) - work.rank(b.job))
      .map(({ job }) => job)
  }

  /** Jobs that one may preempt, in order. Source: `slurm_find_preemptable_jobs`. */
  #victims(preemptor: JobId, { lane, now }: Round): JobId[] {
    const work = this.#work
    const { exemptTime: ofAll, youngestFirst } = this.#options
    const running = this.#running.in(lane)
    const started = new Map<JobId, Seconds>()
    for (const [job, tasks] of running) {
      if (!this.#rights.mayTake(preemptor, job)) continue
      const exemptTime = this.#exemptTimes.of(job) ?? ofAll
      const times = tasks.map((task) => work.started(task))
      const last = Math.max(...times)
      const isNew = Number.isNaN(last) // this round has started it
      if (isNew ? exemptTime > 0 : now - last < exemptTime) this.#exempt = Math.min(this.#exempt, (isNew ? now : last) + exemptTime)
      else if (isNew) this.#hasSpared = true
      else started.set(job, last)
    }
    const nodes = new Map([...started.keys()].map((job) => [job, this.#nodesOf(job, lane).size]))
    const order = youngestFirst
      ? (a: JobId, b: JobId) => (started.get(b) as Seconds) - (started.get(a) as Seconds)
      : (a: JobId, b: JobId) => this.#rights.rankOf(a) - this.#rights.rankOf(b) || (nodes.get(a) as number) - (nodes.get(b) as number)
    const notices = this.#notices.in(lane)
    return [...started.keys()].sort((a, b) => Number(notices.has(b)) - Number(notices.has(a)) || order(a, b) || work.rank(a) - work.rank(b))
  }

  /** A job of several queues starts in this one, so that its limits and its rank count from now on. */
  #startIn(job: JobId, queue: string | undefined, round: Round): void {
    if (queue === undefined) return
    this.#rights.seek(job, round.lane, queue)
    this.#rights.queues.start(job)
    round.startIn?.(job, queue)
  }

  #nodesOf(job: JobId, lane: LaneId): Set<NodeId> {
    return new Set((this.#running.in(lane).get(job) ?? []).map((task) => this.#work.nodeOf(task) as NodeId))
  }

  /**
   * Starts the next task of the job, or all of its gang, in the place of others; false, and nothing changes, where that does not make room. Where others run on
   * for a while nothing changes either, and the answer is the nodes, one per task.
   */
  #makeRoom(job: JobId, round: Round): boolean | readonly NodeId[] {
    if (!round.take(job)) return false
    const start = round.savepoint()
    this.#hasSpared = false
    const all = this.#victims(job, round)
    const inTheWay = all.filter((victim) => this.#rights.modeOf(victim) === 'suspend')
    for (const victim of inTheWay) this.#evict(victim, round)
    if (inTheWay.length > 0 && this.#found.find(job, round)) return this.#startInstead(job, inTheWay, [], round, start)
    let victims = inTheWay.length === 0 ? all : all.filter((victim) => !inTheWay.includes(victim))
    const before = round.savepoint()
    const held = new Map(victims.map((victim) => [victim, this.#nodesOf(victim, round.lane)]))
    const inCommon = (victim: JobId, places: ReadonlySet<NodeId>) => [...(held.get(victim) as Set<NodeId>)].filter((node) => places.has(node)).length
    for (let looks = 0; ; looks++) {
      const last = victims.findIndex((victim) => {
        this.#evict(victim, round)
        return this.#found.find(job, round)
      })
      round.rollback(before)
      if (last < 0) {
        round.rollback(start)
        this.#isUnsettled ||= this.#hasSpared
        return false
      }
      const places = new Set(this.#found.places)
      const [taken, others] = [victims.slice(0, last), victims.slice(last + 1)]
      if (looks > this.#options.reorderCount || victims.length <= looks + 1) {
        const chosen = victims.slice(0, last + 1).filter((victim) => inCommon(victim, places) > 0 || this.#licenses?.shares(job, victim) === true)
        if (inTheWay.length > 0) return this.#startInstead(job, inTheWay, chosen, round, start)
        if (this.#haveGrace(chosen, round)) return [...this.#found.places]
        for (const victim of chosen) this.#evict(victim, round)
        this.#startIn(job, this.#rights.queues.place(job), round)
        if (!this.#found.start(job, round, before)) return false
        this.#requeue(chosen, round)
        return true
      }
      const common = new Map(taken.map((victim) => [victim, inCommon(victim, places)]))
      if (!this.#options.strictOrder) taken.sort((a, b) => (common.get(b) as number) - (common.get(a) as number))
      victims = [victims[last] as JobId, ...taken, ...others]
    }
  }

  /**
   * Whether some of them run on for a while; these are told. The others go at once then, or where they would get their places back at once and so go
   * again and again, with the last of them, when their places are taken.
   */
  #haveGrace(chosen: readonly JobId[], round: Round): boolean {
    const { lane, now } = round
    const notices = this.#notices.in(lane)
    let runOn = false
    for (const job of chosen) {
      const grace = this.#rights.graceOf(job, this.#options.graceTime)
      if (grace > 0 && !notices.has(job)) notices.set(job, now + grace)
      runOn ||= (notices.get(job) ?? now) > now
    }
    if (runOn) this.#leave(chosen, round)
    return runOn
  }

  /**
   * Those of the jobs go that need not run on, whether or not anybody takes their places, if they are cancelled or start anew only later.
   *
   * Source: Slurm, `job_time_limit` of slurmctld/job_mgr.c.
   */
  #leave(jobs: readonly JobId[], round: Round): void {
    const notices = this.#notices.in(round.lane)
    for (const job of jobs) {
      if ((notices.get(job) ?? -Infinity) > round.now || !this.#mayLeave(job)) continue
      this.#evict(job, round)
      this.#requeue([job], round)
      notices.delete(job)
    }
  }

  /**
   * Starts the job on the nodes found for it, once those chosen to go for good are gone, and those suspended that are in the way there; false, and
   * nothing changes, where that cannot be, and the nodes where it is not to be yet.
   */
  #startInstead(job: JobId, inTheWay: readonly JobId[], chosen: readonly JobId[], round: Round, start: Savepoint): boolean | readonly NodeId[] {
    const { lane, work, cluster } = round
    const suspended = this.#suspended as SuspendedJobs
    const places = [...this.#found.places]
    round.rollback(start)
    if (this.#haveGrace(chosen, round)) return places
    for (const victim of chosen) this.#evict(victim, round)
    const shape = work.shape(job, lane)
    const asked = new Map<NodeId, number>()
    for (const node of places) asked.set(node, (asked.get(node) ?? 0) + 1)
    const lacks = (node: NodeId) => (asked.get(node) ?? 0) > (round.fits(job, node) ? cluster.couldTake(shape, node) : 0)
    const stopped = new Map<JobId, Map<TaskId, NodeId>>()
    for (const victim of inTheWay) {
      if (![...this.#nodesOf(victim, lane)].some((node) => asked.has(node) && lacks(node))) continue
      stopped.set(victim, new Map((this.#running.in(lane).get(victim) ?? []).map((task) => [task, work.nodeOf(task) as NodeId])))
      this.#evict(victim, round)
    }
    this.#startIn(job, this.#rights.queues.place(job), round)
    if (!startOn(places, job, round)) {
      round.rollback(start)
      return false
    }
    for (const [victim, of] of stopped) suspended.suspended(victim, of, round)
    this.#requeue(chosen, round)
    return true
  }

  /** Whether the job, once preempted, does not start again at once. */
  #mayLeave(job: JobId): boolean {
    const mode = this.#rights.modeOf(job)
    return mode === 'cancel' || (mode === 'requeue' && this.#requeued !== undefined)
  }

  /** Those of the jobs that start anew wait for a while. */
  #requeue(chosen: readonly JobId[], { now }: Round): void {
    if (this.#requeued !== undefined) for (const victim of chosen) if (this.#rights.modeOf(victim) === 'requeue') this.#requeued.add(victim, now)
  }

  /** Lets suspended jobs go on whose processors are free, first those of the highest tier, of these those that have waited longest. */
  #goOn(round: Round, suspended: SuspendedJobs): void {
    const { lane, work } = round
    const jobs = [...suspended.in(lane)].filter(([, { round: since }]) => since !== round.serial)
    jobs.sort(([a, { round: sinceA }], [b, { round: sinceB }]) => this.#rights.rankOf(b) - this.#rights.rankOf(a) || sinceA - sinceB || work.rank(a) - work.rank(b))
    for (const [job, { places }] of jobs) {
      if (!round.take(job)) continue
      for (const tasks of together([...places.keys()], work)) {
        const before = round.savepoint()
        const goOn = tasks.every((task) => (this.#shadows as Shadows).leaves(job, places.get(task) as NodeId, round) > 0 && round.claim(task, places.get(task) as NodeId))
        if (!goOn) round.rollback(before)
      }
    }
  }

  #evict(victim: JobId, round: Round): void {
    const mode = this.#rights.modeOf(victim)
    if (mode === 'cancel') return round.cancelJob(victim)
    for (const task of [...(this.#running.in(round.lane).get(victim) ?? [])])
      if (mode === 'suspend') round.suspendTask(task, this.#suspended?.frees[round.lane] ?? [])
      else round.evict(task)
  }
}
