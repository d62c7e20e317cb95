import { runningTasks, WrappedRound, type JobId, type JobSpec, type NodeId, type Round, type Savepoint, type WorkView } from '@sched/core'
import type { Nodes } from './nodes.js'
import type { Starts } from './starts.js'
import { hasStarted, type Likeness, type Workload } from './workload.js'
import type { Workloads } from './workloads.js'

/**
 * Finds out whether nodes have room for a workload with a topology, by starting it in the draft of the round, where others may be gone. All of that is taken
 * back, and the policy does not hear of it.
 *
 * Source: Kueue, preemption.go (workloadFits), which finds a topology assignment in a snapshot from which workloads were removed.
 */
export class NodeTrials {
  /**
   * Whether somebody had to go who cannot yet: one who started at this very moment, or others who are leaving. No nodes are found as long as that is so, lest
   * somebody else goes in their place.
   */
  hasMetNew = false
  /** Names of jobs that replace lost tasks one by one, and are not elastic. */
  readonly #replaceLost = new Set<string>()
  readonly #work: WorkView
  readonly #workloads: Workloads
  readonly #starts: Starts
  readonly #failsFast: boolean
  readonly #trial = new TrialRound()
  /** Where the workload started that last found room, and its other tasks run. */
  #found: readonly NodeId[] = []
  /** Those that are gone in the draft, and for each the point before it went. */
  readonly #gone: Workload[] = []
  readonly #before: Savepoint[] = []
  /** What was found of nodes that are all empty, by flavor and number of tasks; holds until a node comes up or goes. */
  #onEmpty = new WeakMap<Likeness, Map<string, boolean>>()

  /** `failsFast`: whether who finds no node for a task that was lost gives up those that still run. */
  constructor(work: WorkView, workloads: Workloads, starts: Starts, failsFast: boolean) {
    this.#failsFast = failsFast
    this.#work = work
    this.#workloads = workloads
    this.#starts = starts
  }

  /** The nodes for a workload, until `end`; `undefined` if it has no topology, or the round is of one node among others. */
  of(workload: Workload, round: Round): Nodes | undefined {
    const { nodes, cluster, jobsLeft, claimsLeft } = round
    if (!this.#starts.hasTopologies || nodes.length < Math.min(2, cluster.nodes) || jobsLeft < Infinity || claimsLeft === 0) return undefined
    if (round.work.topology(workload.job, round.lane) === undefined) return undefined
    const haveRoom = (gone: readonly Workload[]) => this.#haveRoom(workload, gone, round)
    return { isReplacing: this.isReplacing(workload), haveRoom, haveRoomBeside: (each, gone) => each.running.every((task) => !this.#found.includes(this.#work.nodeOf(task) as NodeId)) || haveRoom(gone()) }
  }

  /** A job is about to come. */
  submitted({ id, replacesLost, stages }: JobSpec): void {
    if (replacesLost === true && stages.every(({ minTasks }) => minTasks === undefined)) this.#replaceLost.add(id)
  }

  finished(job: JobId): void {
    if (this.#replaceLost.size > 0 && !this.#work.comesAgain(job)) this.#replaceLost.delete(this.#work.name(job))
  }

  /** A node has come up or gone. */
  nodesChanged(): void {
    this.#onEmpty = new WeakMap()
  }

  /**
   * Whether there are no nodes for a workload that lacks some even if all others are gone; false where that cannot be told yet, since others have just
   * started or are leaving.
   *
   * Source: Kueue, tas_flavor_snapshot.go (simulateEmpty).
   */
  lacksEmpty(workload: Workload, round: Round): boolean {
    const { likeness, flavor, tasks } = workload
    const known = this.#onEmpty.get(likeness) ?? new Map<string, boolean>()
    this.#onEmpty.set(likeness, known)
    const key = `${flavor} ${tasks}`
    const before = known.get(key)
    if (before !== undefined) return before
    const lacks = !this.#haveRoom(workload, this.#allIn(round), round)
    this.end(round)
    const isSure = !this.hasMetNew
    this.hasMetNew = false
    if (isSure) known.set(key, lacks)
    return isSure && lacks
  }

  #allIn({ lane }: Round): Workload[] {
    return [...this.#workloads.admitted.values()].flatMap((all) => [...all]).filter((each) => each.lane === lane && each.running.length > 0)
  }

  /** Brings everybody back. */
  end(round: Round): void {
    if (this.#gone.length > 0) this.#workloads.unheard(() => { this.#remove([], round) })
  }

  /** Whether it replaces lost tasks of a gang that runs on. Of an elastic gang so few may be left because others have ended. */
  isReplacing({ job, lane }: Workload): boolean {
    const running = this.#work.running(job, lane)
    return running > 0 && running < this.#work.least(job, lane) && this.#replaceLost.has(this.#work.name(job))
  }

  /** Whether it gives up, since there is no node for what it lost. */
  givesUp(workload: Workload): boolean {
    return this.#failsFast && this.isReplacing(workload)
  }

  #haveRoom(workload: Workload, gone: readonly Workload[], round: Round): boolean {
    if (gone.length > 0 && (this.#workloads.leaving[round.lane]?.size !== 0 || !gone.every((each) => hasStarted(each, this.#work)))) {
      this.hasMetNew = true
      return false
    }
    let found = false
    this.#workloads.unheard(() => {
      this.#remove(gone, round)
      const before = round.savepoint()
      found = this.#start(workload, round)
      round.rollback(before)
    })
    return found
  }

  /** Makes just these be gone. Of the last call those stay gone that were the first of both, since most calls differ in few. */
  #remove(gone: readonly Workload[], round: Round): void {
    let same = 0
    while (same < this.#gone.length && this.#gone[same] === gone[same]) same++
    if (same < this.#gone.length) round.rollback(this.#before[same] as Savepoint)
    this.#gone.length = this.#before.length = same
    for (let i = same; i < gone.length; i++) {
      const each = gone[i] as Workload
      this.#gone.push(each)
      this.#before.push(round.savepoint())
      for (const task of each.running) round.evict(task)
    }
  }

  /** Starts as many tasks as it is to be admitted with; false if only fewer start. */
  #start(workload: Workload, inner: Round): boolean {
    const { job, lane, isWhole, tasks } = workload
    const round = this.#trial.anew(inner)
    const { work } = round
    const last = work.unplaced(job, lane) - (isWhole ? work.together(job, lane) : tasks)
    while (work.unplaced(job, lane) > last) if (!this.#starts.start(workload, round)) return false
    this.#found = runningTasks(job, lane, work).map((task) => work.nodeOf(task) as NodeId)
    return true
  }
}

/** A round like the one inside, with a serial of its own: what placements planned for that one, with others there or gone, does not hold. */
class TrialRound extends WrappedRound {
  #serial = -1

  anew(round: Round): this {
    this.inner = round
    this.#serial--
    return this
  }

  override get serial() {
    return this.#serial
  }
}
