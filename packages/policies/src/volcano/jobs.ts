import { jobsByName, partitionPoint, type Env, type JobId, type LaneId, type NodeId, type Release, type ResourceId, type ShapeId, type TaskId, type WorkView } from '@sched/core'
import { RankedIds, type KeyRows } from '../orders/ranked-ids.js'
import { isReady, type Likeness, type Queue, type VolcanoJob } from './queue.js'
import type { Session } from './plugin.js'
import type { Tiers } from './tiers.js'

/** Names of jobs that were enqueued. */
export type EnqueuedMemory = readonly string[]

/** The jobs of one lane; keeps the sums and lists of their queues current. */
export class Jobs {
  readonly #work: WorkView
  readonly #lane: LaneId
  readonly #session: Session
  readonly #tiers: Tiers
  readonly #ranks: KeyRows
  readonly #byId: (VolcanoJob | undefined)[] = []
  readonly #likenesses = new Map<string, Likeness>()
  /** Running tasks of each node, in the order of their claims. */
  readonly onNode: TaskId[][] = []
  /** Claimed tasks that may not have started yet. */
  readonly #fresh = new Set<TaskId>()
  /** Whether anything has changed since the last look that may let another job be enqueued; and since what queues deserve was last computed. */
  isChanged = true
  isStale = true

  /** The last job that left to come again with other things said of it. */
  #before: VolcanoJob | undefined
  /** Jobs that may still wait for the longest time allowed, in the order in which they will have. */
  readonly #mayFallDue: VolcanoJob[] = []
  readonly #longest: (job: VolcanoJob) => number

  /** `longest`: the most seconds that a job waits to be enqueued; `Infinity`: no limit. */
  constructor({ work }: Env, lane: LaneId, session: Session, tiers: Tiers, ranks: KeyRows, longest: (job: Pick<VolcanoJob, 'longestWait'>) => number) {
    this.#longest = longest
    this.#work = work
    this.#lane = lane
    this.#session = session
    this.#tiers = tiers
    this.#ranks = ranks
  }

  /** The job of an id, which must have been ready in the lane. */
  of(job: JobId): VolcanoJob {
    return this.#byId[job] ?? this.#open(job)
  }

  enqueue(job: VolcanoJob): void {
    this.#unlist(job)
    job.isIn = true
    this.#count(job)
    this.#list(job)
    this.isStale = true
  }

  memory(): EnqueuedMemory {
    return this.#byId.filter((job) => job?.isIn === true).map((job) => this.#work.name((job as VolcanoJob).id))
  }

  /** Restores enqueued jobs; whether other jobs may be enqueued is found at the next look. */
  recall(enqueued: EnqueuedMemory): void {
    const jobs = jobsByName(this.#work)
    for (const name of enqueued) {
      const id = jobs.get(name)
      const job = id === undefined ? undefined : this.#byId[id]
      if (job?.isIn === false) this.enqueue(job)
    }
  }

  /** Marks jobs that have waited for the longest time allowed; returns when the next job will have; `Infinity`: none waits. */
  fallDue(now: number): number {
    for (let [job] = this.#mayFallDue; job !== undefined; [job] = this.#mayFallDue) {
      const due = this.#dueOf(job)
      const waits = !job.isIn && this.#byId[job.id] === job
      if (waits && due > now) return due
      this.#mayFallDue.shift()
      if (!waits) continue
      this.#unlist(job)
      job.isDue = true
      this.#list(job)
      this.isChanged = true
    }
    return Infinity
  }

  /** Reads anew what of the job is to be started: other tasks, or those of another stage; or, with `isOpen` false, none. */
  refresh(id: JobId, isOpen: boolean): void {
    const job = this.of(id)
    this.#unlist(job)
    job.isOpen = isOpen
    const asked = this.#asked(job)
    this.#read(job)
    this.#count(job)
    this.#list(job)
    if (this.#asked(job).some((amount, r) => amount !== asked[r])) this.isStale = true
    this.isChanged = true
  }

  /** A task of the job was claimed, or released for a reason. */
  change(id: JobId, task: TaskId, node: NodeId, what: 'claimed' | Release): void {
    const sign = what === 'claimed' ? 1 : -1
    const job = this.of(id)
    const asked = this.#asked(job)
    this.#unlist(job)
    job.running += sign
    if (what === 'claimed') job.isIn = true // even if somebody else has started it and it was not enqueued here
    const shape = this.#work.shapeOf(task)
    const hasEnded = what === 'ended' && !this.#work.comesAgain(id) // an updated job is given back what runs of it
    if (hasEnded) job.ended.set(shape, (job.ended.get(shape) ?? 0) + 1)
    for (const r of this.#session.resources) {
      const amount = sign * this.#work.demand(shape, r as ResourceId)
      job.allocated[r] = (job.allocated[r] as number) + amount
      if (hasEnded) job.spent[r] = (job.spent[r] as number) - amount
      job.queue.add('allocated', r, amount)
    }
    const tasks = (this.onNode[node] ??= [])
    if (sign === 1) {
      tasks.push(task)
      this.#fresh.add(task)
    } else {
      tasks.splice(tasks.indexOf(task), 1)
      this.#fresh.delete(task)
    }
    const { tasksOn } = job.queue
    const left = (tasksOn.get(node) ?? 0) + sign
    if (left === 0) tasksOn.delete(node)
    else tasksOn.set(node, left)
    this.#read(job)
    this.#count(job)
    this.#list(job)
    this.#tiers.changed(job.queue)
    if (this.#asked(job).some((amount, r) => amount !== asked[r])) this.isStale = true
  }

  /** By resource: what the job has and waits for, on which the computation of what queues deserve is based. */
  #asked({ allocated, pending }: VolcanoJob): number[] {
    return this.#session.resources.map((r) => (allocated[r] as number) + (pending[r] as number))
  }

  /** Whether any task that was claimed but has not started yet belongs to such a job. */
  hasFresh(of: (job: VolcanoJob) => boolean): boolean {
    for (const task of this.#fresh)
      if (!Number.isNaN(this.#work.started(task))) this.#fresh.delete(task)
      else if (of(this.of(this.#work.jobOf(task)))) return true
    return false
  }

  /** Forgets a job, whose id may be used again. */
  close(id: JobId): void {
    const job = this.#byId[id]
    if (job === undefined) return
    this.#unlist(job)
    job.isIn = false
    job.unplaced = 0
    this.#count(job)
    job.queue.jobs.delete(job)
    job.queue.touch()
    this.isStale = true
    this.#byId[id] = undefined
    if (this.#work.comesAgain(id)) this.#before = job
  }

  #open(id: JobId): VolcanoJob {
    const work = this.#work
    const column = () => new Float64Array(this.#session.names.length)
    const before = this.#before?.rank === work.rank(id) ? this.#before : undefined // what has ended of an updated job stays so, and it is enqueued then
    const job: VolcanoJob = {
      id, queue: this.#session.queues.of(work.queueName(work.queue(id))), priority: work.priority(id), preemptible: work.preemptible(id), budget: work.disruptionBudget(id), rank: work.rank(id), submitted: work.submitted(id), isDue: false, longestWait: work.longestWait(id), keys: column(), isGangJob: work.isGangJob(id), isIn: (before?.ended.size ?? 0) > 0, isOpen: false, list: undefined, likeness: undefined,
      running: 0, ended: before?.ended ?? new Map<ShapeId, number>(), spent: before?.spent ?? column(), unplaced: 0, together: 0, least: 1, minimum: column(), shape: 0 as VolcanoJob['shape'], demand: column(), allocated: column(), pending: column(), inqueue: column(), elastic: column(), held: column(),
    }
    this.#byId[id] = job
    const due = this.#dueOf(job)
    if (due < Infinity) this.#mayFallDue.splice(partitionPoint(0, this.#mayFallDue.length, (i) => this.#dueOf(this.#mayFallDue[i] as VolcanoJob) <= due), 0, job)
    return job
  }

  #dueOf(job: VolcanoJob): number {
    return job.submitted + this.#longest(job)
  }

  /** Reads what of the job is to be started; if nothing is, its minimum stays that of its last stage. */
  #read(job: VolcanoJob): void {
    const work = this.#work
    job.unplaced = job.isOpen ? work.unplaced(job.id, this.#lane) : 0
    if (job.unplaced === 0) return
    job.together = work.together(job.id, this.#lane)
    job.least = work.least(job.id, this.#lane)
    job.shape = work.shape(job.id, this.#lane)
    for (const r of this.#session.resources) {
      job.demand[r] = work.demand(job.shape, r as ResourceId)
      if (!job.isGangJob) job.minimum[r] = job.least * job.demand[r]
      else if (job.running === 0) job.minimum[r] = work.asked(job.id, this.#lane, r as ResourceId)
    }
  }

  /** Brings the sums of its queue up to date. */
  #count(job: VolcanoJob): void {
    const { queue, allocated, minimum, demand } = job
    const waits = job.isIn && job.unplaced > 0
    const lacks = waits && !isReady(job)
    for (const r of this.#session.resources) {
      const has = allocated[r] as number
      const least = minimum[r] as number
      const held = job.held[r] as number
      const beyond = job.elastic[r] as number
      this.#set(job, 'pending', r, !waits ? 0 : job.isGangJob ? this.#work.waiting(job.id, this.#lane, r as ResourceId) : job.unplaced * (demand[r] as number))
      this.#set(job, 'inqueue', r, lacks ? Math.max(0, least - has) : 0)
      this.#set(job, 'elastic', r, Math.max(0, has - least))
      const holds = (job.held[r] = has + (job.inqueue[r] as number))
      if (holds < held || holds - (job.elastic[r] as number) < held - beyond) this.isChanged = true // a claim, too, may leave less to be kept for the job
    }
    const isActive = job.isIn || job.running > 0
    if (isActive !== queue.jobs.has(job)) this.isStale = true
    if (isActive) queue.jobs.add(job)
    else queue.jobs.delete(job)
  }

  #set(job: VolcanoJob, column: 'pending' | 'inqueue' | 'elastic', r: number, amount: number): void {
    const own = job[column]
    const change = amount - (own[r] as number)
    if (change === 0) return
    own[r] = amount
    job.queue.add(column, r, change)
  }

  #unlist(job: VolcanoJob): void {
    if (job.list === undefined) return
    const likeness = job.likeness as Likeness
    job.queue[job.list].remove(job.id)
    if (likeness.outside !== undefined) this.#leaveOutside(job, likeness.outside)
    job.list = undefined
    if (--likeness.count > 0) return
    this.#likenesses.delete(likeness.key)
    job.queue.kindsOutside.delete(likeness)
  }

  #list(job: VolcanoJob): void {
    job.keys = this.#tiers.jobKeys(job)
    job.queue.touch()
    if (job.unplaced === 0) return
    this.#ranks.setTie(job.id, job.rank)
    this.#ranks.set(job.id, job.keys)
    job.list = job.isIn ? 'waiting' : 'outside'
    job.queue[job.list].add(job.id)
    job.likeness = this.#likenessOf(job)
    job.likeness.count++
    if (job.likeness.outside === undefined) return
    this.#joinOutside(job, job.likeness.outside)
    this.#widen(job, job.likeness)
  }

  /** Counts a job among those of its likeness that wait to be enqueued. */
  #joinOutside({ id, queue: { firstOutside } }: VolcanoJob, alike: RankedIds): void {
    const before = firstOf(alike)
    alike.add(id)
    if (firstOf(alike) !== id) return
    if (before !== undefined) firstOutside.remove(before)
    firstOutside.add(id)
  }

  #leaveOutside({ id, queue }: VolcanoJob, alike: RankedIds): void {
    queue.isLoose = true
    const wasFirst = firstOf(alike) === id
    alike.remove(id)
    if (!wasFirst) return
    queue.firstOutside.remove(id)
    const next = firstOf(alike)
    if (next !== undefined) queue.firstOutside.add(next)
  }

  #widen({ queue, minimum }: VolcanoJob, likeness: Likeness): void {
    queue.kindsOutside.add(likeness)
    const least = queue.leastOutside
    for (let r = 0; r < least.length; r++) least[r] = queue.outside.size === 1 ? (minimum[r] as number) : Math.min(least[r] as number, minimum[r] as number)
  }

  /** Brings the bound on what jobs of a queue ask for that wait to be enqueued to the least of them. */
  narrow(queue: Queue): void {
    if (!queue.isLoose) return
    queue.isLoose = false
    const least = queue.leastOutside.fill(Infinity)
    for (const { minimum } of queue.kindsOutside) for (let r = 0; r < least.length; r++) least[r] = Math.min(least[r] as number, minimum[r] as number)
  }

  /**
   * The likeness of a job: if one job of a likeness does not fit, none does. A job of tasks that must be on different nodes has its own, and so has
   * one that is a gang of several stages; with placement rules every job has.
   */
  #likenessOf(job: VolcanoJob): Likeness {
    const zones = this.#session.zones === undefined ? '' : job.preemptible // which decides whether the job may use them, and take of others
    const alone = job.isGangJob || this.#work.areRules || this.#work.isDistinct(job.shape) ? job.id : ''
    const taskKey = `${job.queue.name} ${job.isDue && job.list === 'outside' ? 'due' : job.list} ${job.shape} ${alone} ${zones}`
    const key = `${taskKey} ${job.isIn ? job.together : job.least}`
    const known = this.#likenesses.get(key)
    if (known !== undefined) return known
    const made = { key, taskKey, minimum: job.minimum.slice(), count: 0, outside: job.list === 'outside' ? new RankedIds(this.#ranks) : undefined }
    this.#likenesses.set(key, made)
    return made
  }
}

const firstOf = (list: RankedIds): number | undefined => (list.isEmpty ? undefined : list.ids[list.from])
