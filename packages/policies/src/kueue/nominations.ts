import type { Env, JobId, Round } from '@sched/core'
import type { TakenJobs } from '../disciplines/taken-jobs.js'
import { Mode, nominate, preempts, type Assignment } from './assignment.js'
import { Candidates } from './candidates.js'
import { empty } from './empty.js'
import { FlavorRoom } from './flavor-room.js'
import type { FlavorScans } from './flavor-scans.js'
import type { NodeTrials } from './node-trials.js'
import type { Nodes } from './nodes.js'
import type { KueueSettings } from './options.js'
import type { CanHold } from './part-flavors.js'
import { RulesSeen } from './rules-seen.js'
import { targets } from './preemption.js'
import type { Protection } from './protection.js'
import { goesByUsage, type ClusterQueue, type Queues } from './queues.js'
import { Unfit } from './unfit.js'
import type { ScanFrom, Workload } from './workload.js'
import type { Workloads } from './workloads.js'

/** What nominations work with; it belongs to the one who admits. */
interface Means {
  readonly queues: Queues
  readonly workloads: Workloads
  readonly protection: Protection
  readonly scans: FlavorScans
  readonly trials: NodeTrials
  /** Jobs that were preempted just before, which may preempt nobody. */
  readonly preempted: TakenJobs
}

/**
 * How workloads could be admitted: in which flavor, with how many tasks, and whom they would preempt. What is found holds until something is admitted or goes.
 *
 * Source: Kueue, scheduler.go (nominate).
 */
export class Nominations {
  /** What was found for those that do not fit. */
  readonly unfit = new Unfit()
  /** Whether any would have found somebody, or nodes, only a moment later; set to false by who admits. */
  mayFindLater = false
  readonly #settings: KueueSettings
  readonly #rules: RulesSeen
  readonly #means: Means
  readonly #room: FlavorRoom
  readonly #candidates = new Candidates()
  /** Jobs that would have preempted in this call, but may not yet. */
  readonly #held = new Set<JobId>()
  /** By queue and priority: when the newest of the admitted workloads was submitted. */
  readonly #newest = new Map<ClusterQueue, Map<number, number>>()

  constructor(settings: KueueSettings, env: Env, means: Means) {
    this.#settings = settings
    this.#rules = new RulesSeen(settings, env.work)
    this.#means = means
    this.#room = new FlavorRoom(env, means.queues.choices.all)
  }

  /** To be called at every call of the policy. */
  begin(): void {
    empty(this.#held)
  }

  /** To be called at every cycle: no quota is kept for anybody at its beginning. */
  beginCycle(): void {
    this.#means.scans.beginCycle()
    this.#candidates.forget()
  }

  /** Forgets what was found: something has been admitted or has gone. */
  forget(): void {
    this.#means.scans.changed()
    this.unfit.clear()
    this.#candidates.forget()
    empty(this.#newest)
  }

  /** Whether the job would have preempted in this call, but may not yet. */
  isHeld(job: JobId): boolean {
    return this.#held.has(job)
  }

  /** The possible assignment of the workload. If it does not fit, that is found once for all workloads that ask alike. */
  of(workload: Workload, round: Round): Assignment {
    const { scans } = this.#means
    const isAlone = this.#isAlone(workload)
    const known = isAlone || scans.goesOn(workload) ? undefined : this.unfit.of(workload.likeness)
    if (known !== undefined) return known
    const from = scans.from(workload)
    const found = (isAlone || from.size > 0 ? undefined : this.unfit.withoutQuota(workload)) ?? this.#nominate(workload, (flavor, part) => this.#room.canHold(flavor, workload, part), from, round)
    if (found.mode !== Mode.Fit && !isAlone && !scans.isPending(workload, found)) this.unfit.add(workload, found, from.size === 0)
    return found
  }

  /** The possible assignment of the workload while a cycle runs, in which quota may be kept for others: it says nothing of what comes after that. */
  amidst(workload: Workload, round: Round): Assignment {
    this.#candidates.forget()
    return this.#nominate(workload, (flavor, part) => this.#room.canHold(flavor, workload, part), this.#means.scans.from(workload), round)
  }

  /** The assignment in the flavor that the workload has, with targets as of now. */
  inFlavor(workload: Workload, round: Round): Assignment {
    const { flavor, queue: { choices } } = workload
    this.#candidates.forget()
    return this.#nominate(workload, (each, part) => each === (part === undefined ? flavor : choices.partOf(flavor, part)), undefined, round)
  }

  /**
   * Whether others that ask alike may find something else than this one: it was preempted just now, or it may preempt workloads of equal priority
   * that are newer than it.
   */
  #isAlone({ job, queue, priority, queued }: Workload): boolean {
    if (this.#means.preempted.isBarred(job)) return true
    if (queue.settings.preemption?.withinClusterQueue !== 'LowerOrNewerEqualPriority') return false
    return goesByUsage(queue) || queued < this.#newestIn(queue, priority)
  }

  /** From when on the newest of the admitted workloads of a queue and a priority counts; `-Infinity`: there are none. */
  #newestIn(queue: ClusterQueue, priority: number): number {
    const known = this.#newest.get(queue)
    if (known !== undefined) return known.get(priority) ?? -Infinity
    const found = new Map<number, number>()
    for (const each of this.#means.workloads.admitted.get(queue) ?? []) found.set(each.standing, Math.max(each.queued, found.get(each.standing) ?? -Infinity))
    this.#newest.set(queue, found)
    return found.get(priority) ?? -Infinity
  }

  #nominate(workload: Workload, canHold: CanHold, from: ScanFrom | undefined, round: Round): Assignment {
    const { trials } = this.#means
    const found = nominate(workload, this.#settings.fairSharing !== false, (each, short, nodes) => this.#search(each, short, round, nodes), canHold, from, trials.of(workload, round))
    trials.end(round)
    if (trials.hasMetNew) {
      this.mayFindLater = true
      this.#held.add(workload.job)
    }
    trials.hasMetNew = false
    return found
  }

  #search(workload: Workload, short: readonly number[], round: Round, nodes?: Nodes): readonly Workload[] {
    if (round.claimsLeft === 0 || !preempts(workload.queue)) return []
    const { queues, workloads, protection, preempted } = this.#means
    const pastUsage = (each: Workload): number => workloads.pastUsage(each)
    const { fairSharing, timestampPreemptionBuffer: buffer } = this.#settings
    const found = targets({
      workload, short, admitted: workloads.admitted, candidates: this.#candidates, protection, fairSharing, buffer, rules: this.#rules.of(workload.queue), tagsOf: this.#rules.tagsOf, classOf: this.#rules.classOf,
      resources: queues.resources.length, pastUsage, nodes,
    })
    if (found.length === 0 || !preempted.isBarred(workload.job)) return found
    this.#held.add(workload.job)
    if (preempted.mayLater(workload.job)) this.mayFindLater = true
    return []
  }
}
