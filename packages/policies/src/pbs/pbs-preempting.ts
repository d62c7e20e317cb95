import {
  definePolicy, forwarding, None, Reason, type Env, type JobId, type LaneId, type NodeId, type Order, type Plug, type Policy, type Release, type Round, type Savepoint, type Seconds, type TaskId, type WorkView,
} from '@sched/core'
import type * as z from '@sched/bundled/zod'
import { ArrayThrottles } from '../backfilling/array-throttles.js'
import { ClusterAmounts, SuppliedRound } from '../disciplines/cluster-amounts.js'
import { exceptWaiting } from '../disciplines/except-waiting.js'
import { FreeBeside } from '../disciplines/free-beside.js'
import { FoundNodes, startOn } from '../disciplines/found-nodes.js'
import { KeepingRound, Shadows } from '../disciplines/shadows.js'
import { areNeeded, inOrder, SuspendedJobs } from '../disciplines/suspended-jobs.js'
import { TasksByJob } from '../disciplines/tasks-by-job.js'
import { TasksByNode } from '../disciplines/tasks-by-node.js'
import { WaitingByKind } from '../disciplines/waiting-by-kind.js'
import { AlikeJobs } from './alike-jobs.js'
import { ByLevel } from './by-level.js'
import { freed, isSame } from './freed.js'
import { HardLimits } from './hard-limits.js'
import { jobsBelow } from './jobs-below.js'
import { OnlyRound } from './only-round.js'
import { pbsPreemptingOptions, type ReadPbsPreemptingOptions } from './options.js'
import { PbsRights } from './pbs-rights.js'
import { PreemptLevels } from './preempt-levels.js'
import { PreemptedJobs } from './preempted-jobs.js'
import type { Method } from './preempt-order.js'
import { pbsResource } from './resource-name.js'
import { VainTrials } from './vain-trials.js'

/** Seconds until all are looked at again where levels have changed by what a pass has started. */
const NEXT_PASS: Seconds = 0.001

/** A job that is to go: how, and where its tasks are. */
interface Victim {
  readonly job: JobId
  readonly method: Method
  readonly places: ReadonlyMap<TaskId, NodeId>
}

/** Who may be preempted, in order, and what is free on the nodes without them all. */
interface Candidates {
  readonly jobs: readonly JobId[]
  readonly without: FreeBeside
}

/**
 * Jobs of a higher preemption level take the place of running jobs of lower ones where they find no room, not enough of what the whole cluster has, or a hard limit. Jobs of
 * the lowest level go first, whole, until there is; then each of them that is not needed stays, the last first. Nobody goes by whose going another job comes to a
 * higher level than that of the one who preempts, and nobody preempts who would have a lower level himself once he runs.
 *
 * A suspended job goes on where it is as soon as there is room again; nobody starts there meanwhile who may not preempt it (sched_preempt_enforce_resumption).
 *
 * Source: OpenPBS, `find_and_preempt_jobs` of job_info.cpp. Deviations: jobs that preempt come before all others, by level, then by `order` and submission, and
 * heed no reservations; those that are over a limit around this policy preempt nobody; what a pass has started is left alone in it; nobody is preempted in
 * rounds for so many jobs, that is where decisions take time.
 */
export const pbsPreemptingPolicy = definePolicy({
  name: 'pbs-preempting',
  summary: 'jobs of higher preemption levels take the place of running jobs of lower ones (OpenPBS)',
  source: 'OpenPBS, preempt_prio',
  options: pbsPreemptingOptions,
  inner: { policy: 'policy', order: 'order?' },
  defaults: { policy: 'greedy' },
  create: (options, env, { policy, order }) => new PbsPreempting(options, env, policy.create(env), order?.create(env)),
})

/** Options of `pbs-preempting`; all may be left out. */
export type PbsPreemptingOptions = z.input<typeof pbsPreemptingOptions> & {
  /** In which order jobs of one level preempt; default: by submission. */
  readonly order?: Plug<'order'>
}

/** Preemption by level around a policy. */
export const pbsPreempting = (policy: Plug<'policy'>, { order, ...options }: PbsPreemptingOptions = {}): Plug<'policy'> =>
  pbsPreemptingPolicy.plug({ policy, order }, options)

class PbsPreempting implements Policy {
  readonly startsGangJobs: boolean
  readonly #policy: Policy
  readonly #order: Order | undefined
  readonly #work: WorkView
  readonly #rights: PbsRights
  readonly #youngestFirst: boolean
  readonly #amounts: ClusterAmounts
  readonly #limits: HardLimits
  readonly #supplied: SuppliedRound
  /** Whether jobs may have to wait for more than room and those of their array. */
  readonly #hasSupplies: boolean
  /** Where jobs may be suspended. */
  readonly #suspended: SuspendedJobs | undefined
  readonly #shadows: Shadows | undefined
  readonly #keeping: KeepingRound | undefined
  readonly #only = new OnlyRound()
  readonly #alike: AlikeJobs
  readonly #waiting: WaitingByKind
  readonly #preempted: PreemptedJobs
  readonly #byLevel: ByLevel
  readonly #running: TasksByJob
  readonly #throttles: ArrayThrottles
  readonly #found: FoundNodes
  /** By kind of rights, who may be preempted, as far as that was asked since something last started or went. */
  readonly #candidatesOf = new Map<number, Candidates>()
  readonly #vain: VainTrials
  /** Changes of levels before this round. */
  #changes = 0
  /** Claims made so far, less those taken back. */
  #claims = 0
  /** Whether this round has started anything. */
  #hasStarted = false
  /** The job of which a task was claimed last. */
  #last = None as JobId | None
  /** Whether a job waits again because of this round: it comes first in the next one, of the same instant, so nobody behind it starts in this one. */
  #hasRequeued = false
  /** When all are looked at again; not once more after that, since two jobs may preempt each other in turn. */
  #again: Seconds = NaN

  constructor(options: ReadPbsPreemptingOptions, env: Env, policy: Policy, order: Order | undefined) {
    const { cluster, work } = env
    const levels = new PreemptLevels(options, env, 'pbs-preempting')
    this.#policy = policy
    this.#order = order
    this.#work = work
    this.#rights = new PbsRights(options, env, levels, 'pbs-preempting')
    this.#youngestFirst = options.preempt_sort !== ''
    const resourceOf = (name: string) => pbsResource(name, cluster, 'pbs-preempting.resources_available')
    const released = options.restrict_res_to_release_on_suspend
    this.#amounts = new ClusterAmounts(options.resources_available, env, resourceOf, (name) => released !== undefined && !released.some((other) => isSame(name, other, resourceOf)))
    this.#limits = new HardLimits(options, env, 'pbs-preempting')
    this.#throttles = new ArrayThrottles(env)
    this.#hasSupplies = Object.keys(options.resources_available).length > 0 || !this.#limits.isEmpty
    this.#supplied = new SuppliedRound(this.#amounts, this.#limits, this.#throttles)
    const { suspends } = this.#rights
    this.startsGangJobs = policy.startsGangJobs === true
    this.#suspended = suspends ? new SuspendedJobs(env, policy, freed(options, env)) : undefined
    const onNodes = this.#suspended && new TasksByNode(cluster)
    this.#shadows = this.#suspended && onNodes && new Shadows(this.#suspended, onNodes, work, this.#rights)
    this.#keeping = this.#shadows && new KeepingRound(this.#shadows)
    this.#vain = new VainTrials(levels, this.#shadows)
    this.#found = new FoundNodes(cluster.nodes, this.#shadows)
    this.#alike = new AlikeJobs(this.#rights)
    this.#waiting = new WaitingByKind(cluster, this.#rights)
    this.#preempted = new PreemptedJobs(env)
    this.#byLevel = new ByLevel(levels, this.#preempted)
    this.#running = new TasksByJob(env)
    const parts = this.#suspended === undefined ? [policy] : [this.#suspended.kept, exceptWaiting(policy), this.#suspended]
    const watch = {
      onClaim: (job: JobId) => {
        this.#claims++
        this.#last = job
      },
      onRelease: (_job: JobId, _lane: LaneId, _task: TaskId, _node: NodeId, why: Release) => {
        if (why === 'withdrawn') this.#claims--
      },
      memory: (): number | null => (Number.isNaN(this.#again) ? null : this.#again),
      recall: (memory: unknown) => {
        this.#again = (memory as number | null) ?? NaN
      },
    }
    Object.assign(this, forwarding(levels, this.#amounts, ...(this.#limits.isEmpty ? [] : [this.#limits]), ...parts, order, this.#waiting, watch, this.#throttles, this.#preempted, this.#running, onNodes, this.#shadows))
  }

  schedule(given: Round): void {
    const round = this.#hasSupplies || !this.#throttles.isEmpty ? this.#supplied.of(given) : given
    const acts = round.jobsLeft === Infinity && round.claimsLeft > 0 && round.nodes.length > 0
    this.#shadows?.begin()
    this.#suspended?.begin(round)
    this.#amounts.begin(() => this.#suspended?.tasks() ?? [])
    this.#changes = this.#rights.levels.changes
    this.#hasStarted = false
    const kept = this.#keeping?.of(round, true) ?? round
    this.#hasRequeued = false
    // those behind which nobody waits who comes first; before others have what is short beside room on nodes
    if (acts && this.#suspended !== undefined) this.#goOn(round, this.#suspended, (job) => this.#rights.levels.of(job) >= this.#highest(round.lane))
    let isOver = false
    while (!isOver) {
      if (acts) this.#preempt(round, kept)
      if (this.#hasRequeued) break
      const before = this.#rights.version
      // when a start has changed levels, others come next, who may preempt
      const hasStarted = this.#start(acts ? this.#only.of(kept, (job) => this.#rights.version === before || job === this.#last) : kept)
      isOver = !acts || !hasStarted || this.#rights.version === before
    }
    if (this.#suspended !== undefined) this.#goOn(round, this.#suspended)
    this.#explain(round)
    const hasChanged = acts && this.#hasStarted && this.#rights.levels.changes !== this.#changes
    if (!hasChanged || round.now === this.#again || round.cluster.heartbeat > 0) return
    this.#again = round.now + NEXT_PASS
    round.wakeAt(this.#again)
  }

  /** Where somebody asks why jobs wait: says of those for which there is not enough of what they lack beside room. */
  #explain(round: Round): void {
    const waiting = this.#waiting.in(round.lane)
    this.#amounts.explain(waiting.keys(), 'resources_available', round)
    this.#limits.explain(waiting.keys(), round)
    if (round.explained && !this.#throttles.isEmpty) for (const job of waiting.keys()) if (this.#throttles.isFull(job)) round.defer(job, Reason.Limit, 'max_run_subjobs')
  }

  /** Lets the policy start jobs; whether it did. */
  #start(round: Round): boolean {
    const before = this.#claims
    this.#policy.schedule(round)
    this.#hasStarted ||= this.#claims > before
    return this.#claims > before
  }

  /** Makes room for one job after another, once for each; those that find room as it is start before those behind them, by the policy in its round `kept`. */
  #preempt(round: Round, kept: Round): void {
    const inVain = new Set<number>()
    this.#forget()
    const left = new Set<JobId>()
    const inOrder = () => this.#preemptors(round).filter((job) => !left.has(job) && !this.#throttles.isFull(job))
    let jobs = inOrder()
    for (let i = 0; i < jobs.length && !this.#hasRequeued; ) {
      const job = jobs[i] as JobId
      const kind = this.#alike.kindOf(job, round)
      const fits = !inVain.has(kind) && this.#found.find(job, round)
      if (!fits && (inVain.has(kind) || !this.#makeRoom(job, round))) {
        inVain.add(kind)
        i++ // nothing has changed, so that those behind it are still in order
        continue
      }
      if (fits) this.#startFitting(jobs.slice(i).filter((each) => !inVain.has(this.#alike.kindOf(each, round))), left, round, kept)
      else inVain.clear() // others may fit on what is left over
      this.#forget()
      jobs = inOrder()
      i = 0
    }
  }

  /** Something has started or gone, so that others may be preempted, and with them gone others find room. */
  #forget(): void {
    this.#candidatesOf.clear()
    this.#vain.clear()
  }

  /** Lets the policy start the first of these jobs, which find room as it is; those that it does not start join `left`. */
  #startFitting(jobs: readonly JobId[], left: Set<JobId>, round: Round, kept: Round): void {
    const fitting = this.#fitting(jobs, round)
    this.#start(this.#only.of(kept, (job) => fitting.has(job)))
    for (const job of fitting) if (this.#waiting.in(round.lane).has(job) && this.#found.find(job, round)) left.add(job)
  }

  /** The jobs up to the first that finds no room behind those before it, or until some come to other levels. */
  #fitting(jobs: readonly JobId[], round: Round): Set<JobId> {
    const fitting = new Set<JobId>()
    const { version } = this.#rights
    const before = round.savepoint()
    for (const job of jobs) {
      if (!this.#found.find(job, round)) break
      fitting.add(job)
      if (!round.take(job) || !startOn([...this.#found.places], job, round) || this.#rights.version !== version) break
    }
    round.rollback(before)
    return fitting
  }

  /** Waiting jobs that may take the place of one that runs, first those that come first; none that the order holds back. */
  #preemptors(round: Round): JobId[] {
    const [{ levels }, { lane }] = [this.#rights, round]
    let lowest = Infinity
    for (const job of this.#running.in(lane).keys()) lowest = Math.min(lowest, levels.of(job))
    const jobs = [...this.#waiting.kinds(lane)].flatMap((alike) => {
      const [first] = alike
      return first !== undefined && levels.of(first) > lowest ? [...alike].filter((job) => this.#suspended?.has(job, lane) !== true) : []
    })
    if (this.#order !== undefined) this.#byLevel.takeOf(jobs, this.#order, round)
    else for (const job of jobs.sort((a, b) => this.#work.rank(a) - this.#work.rank(b))) this.#byLevel.add(job, levels.of(job))
    return this.#byLevel.empty()
  }

  /** The highest level of jobs that wait and are not suspended. Those of a kind have one level, so of each kind it is that of the first. */
  #highest(lane: LaneId): number {
    let highest = -Infinity
    for (const alike of this.#waiting.kinds(lane))
      for (const job of alike) {
        if (this.#suspended?.has(job, lane) === true) continue
        highest = Math.max(highest, this.#rights.levels.of(job))
        break
      }
    return highest
  }

  /** The same for all of a kind, until something starts or goes. */
  #candidates(preemptor: JobId, round: Round): Candidates {
    const kind = this.#rights.kindOf(preemptor)
    const known = this.#candidatesOf.get(kind)
    if (known !== undefined) return known
    const jobs = jobsBelow(preemptor, this.#running.in(round.lane), this.#rights, this.#youngestFirst, round)
    const without = new FreeBeside(round, round.cluster.lanes[round.lane]?.resources ?? [])
    for (const job of jobs) without.give(this.#placesOf(job, round.lane))
    const found = { jobs, without }
    this.#candidatesOf.set(kind, found)
    return found
  }

  #placesOf(job: JobId, lane: LaneId): ReadonlyMap<TaskId, NodeId> {
    return new Map((this.#running.in(lane).get(job) as readonly TaskId[]).map((task) => [task, this.#work.nodeOf(task) as NodeId]))
  }

  /** Starts the next task of the job, or all of its gang, in the place of others; false, and nothing changes, where that cannot be. */
  #makeRoom(job: JobId, round: Round): boolean {
    const { levels } = this.#rights
    const own = levels.of(job)
    const { jobs: candidates, without } = this.#candidates(job, round)
    if (!round.take(job) || this.#vain.has(job, this.#rights.kindOf(job), round)) return false
    // a trial may change levels and is taken back, and then all are looked at again: only after the first one that does is it left out
    if ((levels.areFixed || levels.changes !== this.#changes) && !without.mayHold(job)) return false
    const start = round.savepoint()
    const chosen = this.#enough(job, candidates, own, round)
    const places = [...this.#found.places]
    // where it would be over a limit itself is asked before those go on who need not go, as in OpenPBS
    if (chosen !== undefined && startOn(places, job, round) && levels.of(job) >= own) {
      const needed = this.#needed(chosen, job, places, start, round)
      round.rollback(start)
      for (const victim of needed) this.#evict(victim, round)
      if (needed.length > 0 && startOn(places, job, round)) {
        for (const victim of needed) if (victim.method === 'suspend') this.#suspended?.suspended(victim.job, victim.places, round)
        this.#hasStarted = true
        this.#hasRequeued ||= needed.some(({ method }) => method === 'requeue')
        return true
      }
    }
    round.rollback(start)
    return false
  }

  /** Takes jobs in order until the job has room, which was found then; `undefined`: it has none without them all. */
  #enough(job: JobId, candidates: readonly JobId[], own: number, round: Round): Victim[] | undefined {
    const { levels } = this.#rights
    const kind = this.#rights.kindOf(job)
    const chosen: Victim[] = []
    this.#vain.begin(round)
    for (const each of candidates) {
      const tasks = this.#running.in(round.lane).get(each) as readonly TaskId[]
      const method = this.#rights.methodOf(each, tasks, round.now)
      if (levels.of(each) >= own || method === undefined || !this.#mayHelp(each, tasks, job, round)) continue
      const victim = { job: each, method, places: this.#placesOf(each, round.lane) }
      const before = round.savepoint()
      this.#evict(victim, round)
      if ([...chosen, victim].some((other) => levels.of(other.job) > own)) {
        round.rollback(before)
        continue
      }
      chosen.push(victim)
      if (this.#found.find(job, round)) return chosen
      this.#vain.step(job, round)
    }
    this.#vain.end(job, kind, chosen.map((victim) => victim.job), round)
    return undefined
  }

  /** Whether a job runs on a node that could take a task of the other one, holds what of the whole cluster is missing to it, or counts under a limit that keeps it. */
  #mayHelp(victim: JobId, tasks: readonly TaskId[], job: JobId, { lane, work, cluster }: Round): boolean {
    if (this.#amounts.givesWay(victim, lane, job, tasks) || this.#limits.givesWay(victim, lane, job, tasks)) return true
    return work.parts(job, lane).some(({ shape }) => tasks.some((task) => {
      const node = work.nodeOf(task) as NodeId
      return work.mayRunOn(shape, node) && cluster.lanes[lane]?.resources.every((resource) => work.demand(shape, resource) <= cluster.total(node, resource)) === true
    }))
  }

  /** Those who have to go for the job to start in these places; the last stay first. */
  #needed(chosen: readonly Victim[], job: JobId, places: readonly NodeId[], start: Savepoint, round: Round): readonly Victim[] {
    let needed = chosen
    for (const victim of [...chosen].reverse()) {
      const others = needed.filter((each) => each !== victim)
      round.rollback(start)
      for (const each of others) this.#evict(each, round)
      if (this.#found.canTake(places, job, round)) needed = others
    }
    return needed
  }

  /** Lets suspended jobs go on for which there is room, those of the highest level first, of these those that were suspended first. */
  #goOn(round: Round, suspended: SuspendedJobs, mayGoOn = (_job: JobId): boolean => true): void {
    const { lane, work } = round
    const { levels } = this.#rights
    const jobs = [...suspended.in(lane)].filter(([, { round: since }]) => since !== round.serial)
    jobs.sort(([a, { round: sinceA }], [b, { round: sinceB }]) => levels.of(b) - levels.of(a) || sinceA - sinceB || work.rank(a) - work.rank(b))
    const later = new Set(jobs.map(([job]) => job))
    for (const [job, { places }] of jobs) {
      later.delete(job)
      if (!mayGoOn(job) || !round.take(job)) continue
      for (const tasks of inOrder([...places.keys()], work)) {
        const before = round.savepoint()
        const goOn = tasks.every((task) => (this.#shadows as Shadows).leaves(job, places.get(task) as NodeId, round, work.shapeOf(task), (other) => !later.has(other)) > 0 && round.claim(task, places.get(task) as NodeId))
        if (goOn) this.#hasStarted = true
        else round.rollback(before)
        if (!goOn && areNeeded(tasks, work)) break
      }
    }
  }

  #evict({ job, method, places }: Victim, round: Round): void {
    if (method === 'cancel') return round.cancelJob(job)
    for (const task of places.keys())
      if (method === 'suspend') this.#amounts.whileSuspending(() => round.suspendTask(task, this.#suspended?.frees[round.lane] ?? []))
      else round.evict(task)
  }
}
