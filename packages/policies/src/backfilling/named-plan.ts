import {
  SchedError, ownValue, type ClusterView, type Env, type GangPart, type JobId, type NodeId, type ResourceId, type Round, type Seconds, type ShapeId, type TaskId, type WorkView,
} from '@sched/core'
import { slurmResource } from '../slurm-limits/amounts.js'
import { AllowedNodes } from './allowed-nodes.js'
import type { ClockMultiples } from './clock-multiples.js'
import type { Plan } from './counted-plan.js'
import type { NamedOptions } from './named-options.js'
import { bitsFor, clearBit, countBits, hasBit, setBit, type NodeBits } from './node-bits.js'
import type { Licenses } from './licenses.js'
import type { NodeReservations } from './node-reservations.js'
import { NodeUsers } from './node-users.js'
import { partitionOf } from './partitions.js'
import type { QueuesOfJobs } from './queues-of-jobs.js'
import { Releases } from './releases.js'
import { ReservedSlots } from './reserved-slots.js'
import { StartBounds } from './start-bounds.js'
import { StartSearch, type Asked } from './start-search.js'
import type { RigidJobs } from './rigid-jobs.js'
import type { RigidLane } from './rigid-lane.js'
import type { Topologies } from './topologies.js'
import { runTime, WHOLE } from './time-limits.js'
import { WholeWindows } from './whole-windows.js'

/**
 * A plan that names nodes. A task starts on nodes that have room for it beside what runs there; a reservation takes whole
 * nodes. Nodes are chosen by best fit among runs of consecutive usable ones, or by the tree of racks, those of the least weight first.
 *
 * The search for the earliest start is that of Slurm's backfill. It takes the nodes that nobody has reserved during the run of the job if it
 * started now, and finds the time at which enough of what runs on them has ended. Where that is later than the end of a reservation, or the
 * run would then meet one, the search begins anew at that time. So a job gets the nodes that are free first, and not the best of all that
 * are free at its start. For a job that is one gang of several stages, a start is searched for one part after another, each on nodes of its own;
 * whenever a part can only start later, the search begins anew at that time for all of them.
 *
 * Source: Slurm, `_attempt_backfill` of sched/backfill (of heterogeneous jobs `_het_job_start_find` and `_het_job_start_now`), and the
 * tests of a later start in its select plug-ins.
 */
export class NamedPlan implements Plan {
  /** For a job of several parts: the number of tasks of each part and the end of its reservation. */
  readonly #parts: { readonly tasks: number; readonly end: Seconds }[] = []
  readonly #lane: RigidLane
  readonly #jobs: RigidJobs
  readonly #work: WorkView
  readonly #nodes: number
  readonly #windows: WholeWindows
  readonly #steps: ClockMultiples
  readonly #reservations: NodeReservations | undefined
  readonly #licenses: Licenses | undefined
  readonly #topologies: Topologies
  /** Tasks that run in the lane. */
  readonly #running: ReadonlySet<TaskId>
  readonly #releases: Releases
  /** By queue, for jobs of queues that may not have all processors of a node. */
  readonly #capped: ReadonlyMap<string, Releases>
  readonly #queues: QueuesOfJobs
  readonly #slots: ReservedSlots
  readonly #search: StartSearch
  /** The nodes that it found last, one per task. */
  readonly #places: NodeId[]
  /** Searches that found no start, valid until something starts. */
  readonly #vain = new Map<Releases, Map<ShapeId, StartBounds>>()
  #now: Seconds = 0
  #mayStartIn: Round['mayStartIn']
  #cluster: ClusterView
  /** The nodes that the job may use, and their bits; and those of these that are not reserved. */
  readonly #allowedNodes: AllowedNodes
  readonly #allowed: NodeBits
  readonly #usable: NodeBits
  /** Nodes of which this pass has reserved some. */
  readonly #planned: NodeBits

  constructor(lane: RigidLane, jobs: RigidJobs, { work, cluster }: Pick<Env, 'work' | 'cluster'>, options: NamedOptions) {
    this.#lane = lane
    this.#jobs = jobs
    this.#work = work
    this.#cluster = cluster
    this.#nodes = cluster.nodes
    this.#running = options.running
    const windows = (this.#windows = new WholeWindows(options.windows))
    this.#steps = options.steps
    this.#reservations = options.reservations
    this.#licenses = options.licenses
    this.#topologies = options.topologies
    this.#queues = options.queues
    this.#releases = new Releases(lane, work, cluster.nodes, options)
    const resource = slurmResource('cpu', cluster.resources) as ResourceId
    const caps = Object.entries(options.maxCpusPerNode)
    if (caps.length > 0 && resource < 0) throw new SchedError('BAD_OPTION', 'the cluster has no processors.', { field: 'replan.maxCpusPerNode' }, 'Leave it out.')
    this.#capped = new Map(caps.map(([queue, most]) => [queue, new Releases(lane, work, cluster.nodes, options, { queue, most, resource, queues: options.queues })]))
    this.#slots = new ReservedSlots(this.#nodes, true)
    this.#allowedNodes = new AllowedNodes(lane.lane, work, cluster)
    this.#allowed = this.#allowedNodes.bits
    const weights = Object.keys(options.weights).length === 0 ? undefined : Float64Array.from({ length: this.#nodes }, (_, node) => ownValue(options.weights, cluster.name(node as NodeId)) ?? 1)
    this.#search = new StartSearch({ ...options, windows, lane: lane.lane, nodes: this.#nodes, work, allowed: this.#allowed, slots: this.#slots, weights })
    if (options.exclusiveUsers.length > 0) this.separateUsers(options.exclusiveUsers)
    this.#places = this.#search.places
    this.#usable = this.#search.usable
    this.#planned = bitsFor(this.#nodes)
  }

  /** A job has come that shares nodes only with jobs of its own user, as do all jobs of these queues. */
  separateUsers(queues: readonly string[] = []): void {
    this.#search.users ??= new NodeUsers(this.#work, this.#queues, this.#nodes, queues)
  }

  get entries(): number {
    return this.#slots.count
  }

  get records(): number {
    return this.#slots.count
  }

  /** Source: Slurm, ESLURM_RESERVATION_BUSY in `schedule` of slurmctld/job_scheduler.c. */
  isReserved(job: JobId): boolean {
    const { lane } = this.#lane
    const seconds = this.#lane.length[job] as number
    if (this.#windows.clear(this.#now, seconds) > this.#now) return true
    const shape = this.#work.shape(job, lane)
    const releases = this.#releasesFor(job)
    releases.take(shape, this.#cluster)
    this.#allow(job)
    this.#usable.set(this.#allowed)
    const later = this.#reservations?.limit(this.#usable, job, this.#now, seconds) ?? Infinity
    return later < Infinity && countBits(this.#usable) < releases.leastNodes(this.#work.together(job, lane))
  }

  /**
   * Source: Slurm, WAIT_PART_NODE_LIMIT of `job_limits_check`, ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE of `select_nodes`, and `schedule` of
   * slurmctld/job_scheduler.c, which looks no further where fewer nodes than the job asks for are left.
   */
  isTooSmall(job: JobId): boolean {
    const { lane } = this.#lane
    const [least, most, label] = [this.#work.minNodes(job), this.mostNodes(job), this.#labelOf(job)]
    if (this.#work.isGangJob(job)) return false
    if (label === undefined) {
      if (this.#allowedNodes.countInSight(partitionOf(this.#work.constraints(job, this.#work.frontStage(job, lane)))) < least) return true
      if (most === Infinity) return false
    }
    const releases = this.#releasesFor(job)
    releases.take(this.#work.shape(job, lane), this.#cluster)
    const fewest = Math.max(least, releases.leastNodes(this.#work.together(job, lane)))
    if (fewest > most || label === undefined) return fewest > most
    this.#allow(job)
    return countBits(this.#allowed) < least || countBits(this.#allowedNodes.withLabel(label)) < fewest
  }

  /** Whether the job could start now, but only on nodes that are too far apart for it. */
  isFar(job: JobId): boolean {
    return this.#topologies.isFar(job, this.#now)
  }

  begin(round: Round): void {
    const { now, cluster } = round
    this.#now = now
    this.#search.now = now
    this.#search.nodesOf = round.nodesOf
    this.#mayStartIn = round.mayStartIn
    this.#topologies.begin(round)
    this.#cluster = cluster
    this.#allowedNodes.begin(round)
    this.#licenses?.begin(now)
    this.#planned.fill(0)
    this.#begin()
    this.#slots.clear(this.#down(now))
  }

  close(label: string): void {
    this.#allowedNodes.close(label)
  }

  earliest(job: JobId, latest: Seconds, notBefore = this.#now, most = Infinity): Seconds {
    const { lane } = this.#lane
    const parts = this.#work.isGangJob(job) ? this.#work.parts(job, lane) : []
    this.#parts.length = 0
    if (parts.length > 1) return this.#earliestOfAll(job, parts, latest, notBefore, most)
    const asked = { stage: this.#work.frontStage(job, lane), shape: this.#work.shape(job, lane), tasks: this.#work.together(job, lane), length: Math.min(this.#lane.length[job] as number, most) }
    return this.#earliestOf(job, asked, notBefore, latest)
  }

  /**
   * The earliest start of all parts together, each on nodes that no other part has: when a part can only start later, the search begins anew at
   * that time.
   */
  #earliestOfAll(job: JobId, parts: readonly GangPart[], latest: Seconds, notBefore: Seconds, most: Seconds): Seconds {
    const places: NodeId[] = []
    let from = notBefore
    for (let i = 0; i < parts.length; i++) {
      const { stage, shape, tasks, estimate } = parts[i] as GangPart
      const start = this.#earliestOf(job, { stage, shape, tasks, length: Math.min(this.#lane.lengthOf(estimate), most) }, from, latest, places)
      if (start === Infinity) return Infinity
      if (start === from) places.push(...this.#places)
      else {
        from = start
        places.length = 0
        i = -1
      }
    }
    this.#found(places, parts, from)
    return from
  }

  /** Notes the nodes of parts that are to start together. */
  #found(places: readonly NodeId[], parts: readonly GangPart[], start: Seconds): void {
    this.#places.splice(0, Infinity, ...places)
    this.#parts.length = 0
    for (const { tasks, estimate } of parts) this.#parts.push({ tasks, end: this.#up(start + this.#lane.lengthOf(estimate)) })
  }

  /**
   * The earliest start of the tasks from `notBefore` to `latest` on nodes that are not `taken`; `Infinity` if there is none. Writes the nodes to
   * `#places`.
   */
  #earliestOf(job: JobId, asked: Asked, notBefore: Seconds, latest: Seconds, taken: readonly NodeId[] = []): Seconds {
    const { shape, tasks, length } = asked
    const isRestricted = this.#allowedNodes.set(job, shape) || taken.length > 0
    for (const node of taken) clearBit(this.#allowed, node)
    const { alike } = this.#work.constraints(job, asked.stage) ?? {}
    if (alike !== undefined) return this.#earliestAlike(job, asked, alike, notBefore, latest)
    const releases = this.#releasesFor(job)
    releases.take(shape, this.#cluster)
    const vain = this.#topologies.asksForNear(job, this.#lane.lane) ? undefined : this.#vainOf(shape, releases)
    const least = Float64Array.of(releases.leastNodes(tasks))
    if (vain !== undefined && vain.of(length, least, 0) >= latest) return Infinity
    const start = this.#search.earliest(job, asked, notBefore, latest, releases)
    if (start === Infinity && vain !== undefined && !isRestricted && this.#slots.lacks(this.#allowed, releases.ready, least[0] as number, latest, length)) vain.note(length, least, 0, latest)
    return start
  }

  /**
   * The earliest start on nodes in `#allowed` that have the same one of some labels: of equal ones the first label counts. Where the labels are those of
   * partitions, what its queue demands of a job holds in each; a start now on more nodes than limits allow there counts only if there is no other. Of a job with
   * a place for each of its queues, only that of the place counts.
   */
  #earliestAlike(job: JobId, asked: Asked, alike: readonly string[], notBefore: Seconds, latest: Seconds): Seconds {
    const allowed = this.#allowed.slice()
    const places: NodeId[] = []
    let best = Infinity
    let isBestOver = false
    let queueOfBest: string | undefined
    for (const [label, queue] of this.#queues.among(job, alike)) {
      if (queue !== undefined && this.#queues.place(job) === undefined) {
        if (this.#mayStartIn?.(job, queue) === false) continue
        this.#queues.seek(job, queue)
      }
      this.#allowed.set(allowed)
      this.#allowedNodes.keep(this.#allowedNodes.withLabel(label))
      const releases = this.#releasesFor(job)
      releases.take(asked.shape, this.#cluster)
      const start = this.#search.earliest(job, asked, notBefore, latest, releases)
      const isOver = queue !== undefined && start === this.#now && this.#search.nodesOf?.(job, queue)?.isOver(this.#places) === true
      if (start === Infinity || (best < Infinity && (isOver === isBestOver ? start >= best : isOver))) continue
      best = start
      isBestOver = isOver
      queueOfBest = queue
      places.splice(0, Infinity, ...this.#places)
    }
    if (queueOfBest !== undefined) this.#queues.seek(job, queueOfBest)
    this.#places.splice(0, Infinity, ...places)
    return best
  }

  /** The searches for tasks of a shape that found no start: what is reserved later only takes more nodes. */
  #vainOf(shape: ShapeId, releases: Releases): StartBounds {
    let ofShapes = this.#vain.get(releases)
    if (ofShapes === undefined) this.#vain.set(releases, (ofShapes = new Map<ShapeId, StartBounds>()))
    let vain = ofShapes.get(shape)
    if (vain === undefined) ofShapes.set(shape, (vain = new StartBounds(1)))
    return vain
  }

  look(job: JobId, most = Infinity): void {
    const length = Math.min(this.#lane.length[job] as number, most)
    if (this.#work.isGangJob(job)) this.#allowedNodes.setAll()
    else this.#allow(job)
    this.#slots.during(this.#usable, this.#allowed, this.#now, length)
    this.#reservations?.limit(this.#usable, job, this.#now, length)
    if (this.#windows.clear(this.#now, length) > this.#now) this.#usable.fill(0)
  }

  /** Sets `#allowed` to the nodes that the next tasks of a job may use, of several queues in that of the place that is looked at. */
  #allow(job: JobId): void {
    this.#allowedNodes.set(job, this.#work.shape(job, this.#lane.lane))
    const label = this.#labelOf(job)
    if (label !== undefined) this.#allowedNodes.keep(this.#allowedNodes.withLabel(label))
  }

  /** The label of the nodes of the place that is looked at, of a job of several queues. */
  #labelOf(job: JobId): string | undefined {
    if (this.#queues.place(job) === undefined) return undefined
    return this.#queues.among(job, this.#work.constraints(job, this.#work.frontStage(job, this.#lane.lane))?.alike ?? [])[0]?.[0]
  }

  mostNodes(job: JobId): number {
    return this.#search.mostNodes(job)
  }

  /** Source: Slurm, `acct_policy_job_runnable_post_select`, which knows the nodes of starts now alone, else their number; and `select_nodes`. */
  isOnTooMany(job: JobId, found: 'now' | 'later' | 'none'): boolean {
    const say = this.#search.nodesOf?.(job, this.#queues.of(job))
    if (say === undefined) return false
    const [least, most] = [this.#work.minNodes(job), this.mostNodes(job)]
    return say.isOver(found === 'now' ? this.#places : found === 'later' ? new Set(this.#places).size : most === Infinity ? least : most)
  }

  find(job: JobId, places: readonly NodeId[]): void {
    const parts = this.#work.isGangJob(job) ? this.#work.parts(job, this.#lane.lane) : []
    this.#found(places, parts.length > 1 ? parts : [], this.#now)
  }

  mayHave(node: NodeId): boolean {
    return hasBit(this.#usable, node)
  }

  takeIn(): void {
    this.#begin()
  }

  reserve(job: JobId, start: Seconds, end: Seconds): void {
    this.#take(start, end)
    for (const node of this.#places) setBit(this.#planned, node)
    this.#licenses?.reserve(job, start, end)
  }

  keepsIdle(): boolean {
    const processors = this.#lane.resources[this.#lane.processors] as ResourceId
    for (let node = 0; node < this.#nodes; node++) if (hasBit(this.#planned, node) && this.#cluster.free(node as NodeId, processors) > 0) return true
    return false
  }

  /** Reserves the nodes found last, those of each part of a job until the end of that part. */
  #take(start: Seconds, end: Seconds): void {
    if (this.#parts.length === 0) this.#slots.reserve(this.#places, start, end)
    let at = 0
    for (const part of this.#parts) this.#slots.reserve(this.#places.slice(at, (at += part.tasks)), start, part.end)
  }

  /** A piece that has started holds its own amounts, not whole nodes; one that could not start reserves the whole nodes. */
  start(job: JobId, round: Round, time = WHOLE): boolean {
    const hasLicenses = this.#licenses?.has(job) !== false
    const full = this.#lane.length[job] as number
    const seconds = time === WHOLE ? full : runTime(full, time, (most) => this.#lasts(job, round.now, most))
    this.#licenses?.start(job, round.now, round.now + seconds)
    const queue = this.#queues.start(job)
    if (queue !== undefined) round.startIn?.(job, queue)
    const isStarted = hasLicenses && this.#jobs.start(job, round, this.#places, seconds < full ? seconds : Infinity)
    if (isStarted) this.#begin()
    else this.#take(this.#down(round.now), this.#up(round.now + seconds))
    return isStarted
  }

  /** For how many seconds, at most `most`, the job may be from now on on the nodes that were found last before they are reserved for others. */
  #lasts(job: JobId, now: Seconds, most: Seconds): Seconds {
    const until = Math.min(this.#slots.firstAfter(this.#places, now), this.#windows.next(now), this.#reservations?.firstAfter(this.#places, job, now) ?? Infinity)
    return Math.min(most, until - now)
  }

  /** Takes in what runs, after something has started or time has passed. */
  #begin(): void {
    this.#vain.clear() // others may have lost their nodes to what has started
    this.#releases.begin(this.#running)
    for (const each of this.#capped.values()) each.begin(this.#running)
    const pieces = this.#lane.running
    this.#search.users?.begin(this.#running, (task) => (pieces.has(task) ? pieces.endOf(pieces.pieceOf(task)) : Infinity))
  }

  #releasesFor(job: JobId): Releases {
    return (this.#capped.size === 0 ? undefined : this.#capped.get(this.#queues.of(job))) ?? this.#releases
  }

  #down(time: Seconds): Seconds {
    return this.#steps.down(time)
  }

  #up(time: Seconds): Seconds {
    return this.#steps.up(time)
  }
}
