import { None, SchedError, type Commit, type JobId, type NodeId, type Round, type Savepoint, type Seconds, type TaskId } from '@sched/core'
import type { WholeNodes } from './on-demand-nodes.js'
import { LANE, type Requests } from './on-demand-requests.js'

/** A round of the resource manager: allocates whole nodes to requests. One object is reused for all rounds. */
export class AllocationRound implements Round {
  serial = 0
  now: Seconds = NaN
  readonly lane = LANE
  readonly nodes: readonly NodeId[]
  readonly cluster: WholeNodes
  readonly work: Requests
  readonly jobsLeft = Infinity
  readonly claimsLeft = Infinity
  readonly explained = false
  /** Whether, in the latest round with claims, a request got only a part of its nodes and had to give them back. */
  wasPartial = false
  readonly wakeAt: (time: Seconds) => void
  readonly #claims: TaskId[] = []
  /** Requests that cannot get all their nodes, and requests that wait until another one has been tried alone. */
  readonly #refused = new Set<JobId>()
  readonly #postponed = new Set<JobId>()
  #alone: JobId | None = None
  #isOpen = false

  constructor(cluster: WholeNodes, work: Requests, wakeAt: (time: Seconds) => void) {
    this.cluster = cluster
    this.work = work
    this.nodes = Array.from({ length: cluster.nodes }, (_, node) => node as NodeId)
    this.wakeAt = wakeAt
  }

  begin(now: Seconds): this {
    this.#isOpen = true
    this.serial++
    this.now = now
    return this
  }

  get pending(): number {
    return this.work.pending
  }

  room(node: NodeId): boolean {
    return this.pending > 0 && this.cluster.isFree(node)
  }

  fits(request: JobId, node: NodeId): boolean {
    return this.cluster.isFree(node) && !this.#refused.has(request) && !this.#postponed.has(request) && this.work.mayRunOn(this.work.shape(request), node)
  }

  take(): boolean {
    this.#mustBeOpen()
    return true
  }

  /** Requests have a fixed number of nodes, so none is mouldable. */
  moulding(): undefined {
    return undefined
  }

  mould(): void {
    throw new SchedError('BROKEN_CONTRACT', 'a request for nodes is not mouldable.', {}, 'Ask `moulding` first: it knows of no request.')
  }

  claim(task: TaskId, node: NodeId): boolean {
    this.#mustBeOpen()
    if (this.work.nodeOf(task) !== None) throw new SchedError('BROKEN_CONTRACT', `task ${task} is claimed but not unplaced.`, {}, 'Claim what `work.taskFor` of the round gives, as long as the request has unplaced tasks.')
    if (!this.fits(this.work.jobOf(task), node)) return false
    this.cluster.take(node)
    this.work.claim(task, node)
    this.#claims.push(task)
    return true
  }

  suspendTask(): void {
    this.evict()
  }

  cancelJob(): void {
    this.evict()
  }

  evict(): void {
    throw new SchedError(
      'BAD_OPTION',
      'the policy that allocates virtual clusters would take one away.',
      { field: 'architecture.on-demand.allocation' },
      'Virtual clusters end with their work, when they are idle or at their walltime; use a policy without preemption.',
    )
  }

  reserve(): void {
    this.#mustBeOpen() // a promise of nodes is no promise of a job start: the virtual cluster must be built first
  }

  defer(): void {
    this.#mustBeOpen()
  }

  savepoint(): Savepoint {
    return this.#claims.length as Savepoint
  }

  rollback(to: Savepoint): void {
    this.#mustBeOpen()
    while (this.#claims.length > to) this.#withdraw(this.#claims.pop() as TaskId)
  }

  /**
   * For policies that do not know gangs: takes back the nodes of requests that did not get all of them. Returns whether to schedule again. If there
   * are several such requests, the first is tried alone before the others.
   */
  refusePartial(): boolean {
    const partial = this.#claims.filter((task) => this.work.unplaced(this.work.jobOf(task)) > 0)
    const [first, ...others] = new Set(partial.map((task) => this.work.jobOf(task)))
    const whole = this.#claims.filter((task) => !partial.includes(task))
    if (this.#claims.length > 0) this.wasPartial = first !== undefined
    for (const task of partial.reverse()) this.#withdraw(task)
    this.#claims.splice(0, this.#claims.length, ...whole)
    if (others.length > 0) return this.#tryAlone(first as JobId, others)
    if (first !== undefined) this.#refused.add(first)
    else if (this.#alone === None) return false
    else if (this.work.unplaced(this.#alone) > 0) this.#refused.add(this.#alone)
    this.#alone = None
    this.#postponed.clear()
    return true
  }

  #tryAlone(first: JobId, others: readonly JobId[]): true {
    this.#alone = first
    for (const other of others) this.#postponed.add(other)
    return true
  }

  /** Closes the round. */
  commit(): Commit {
    this.#mustBeOpen()
    for (const task of this.#claims) {
      this.work.start(task, this.now)
      this.cluster.count(this.work.nodeOf(task) as NodeId)
    }
    this.#isOpen = false
    this.#refused.clear()
    return { now: this.now, accepted: this.#claims.splice(0), conflicted: [] }
  }

  #withdraw(task: TaskId): void {
    this.cluster.give(this.work.nodeOf(task) as NodeId)
    this.work.withdraw(task)
  }

  #mustBeOpen(): void {
    if (!this.#isOpen) throw new SchedError('ROUND_CLOSED', 'the round is closed.', {}, 'A round is valid only inside schedule(); ask for another with wakeAt().')
  }
}
