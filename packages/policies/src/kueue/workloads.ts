import { jobsByName, None, ownValue, type Env, type JobId, type LaneId, type NodeId, type Release, type TaskId, type WorkListener } from '@sched/core'
import { isOf, type Flavor } from './flavor.js'
import { NextWorkloads } from './next-workloads.js'
import type { PastUsage } from './past-usage.js'
import type { QueueTimes } from './queue-times.js'
import type { ClusterQueue, Queues } from './queues.js'
import { QuotaDemand } from './quota-demand.js'
import type { TimeSharing } from './time-sharing.js'
import { WaitingJobs } from './waiting-jobs.js'
import { charge, discharge, isPartial, lessen, settle, type Workload } from './workload.js'
import { memoryOf, tasksOf, type WorkloadMemory, type WorkloadsMemory } from './workload-memory.js'

/**
 * The admitted workloads, and which jobs wait for admission besides. A job has at most one workload that is admitted and waits
 * for room on nodes; the job waits for admission again when that one has started. A task that has ended gives its part of the
 * quota back, as Kueue does for reclaimable pods.
 */
export class Workloads implements WorkListener {
  readonly waiting: WaitingJobs
  readonly demand: QuotaDemand
  /** Admitted workloads that have not ended, by queue, in order of admission. */
  readonly admitted = new Map<ClusterQueue, Set<Workload>>()
  /** By lane: admitted workloads with tasks that have no node yet, in order of admission. */
  readonly unstarted: readonly Set<Workload>[]
  /** By lane: workloads that were preempted when they had just started; these cannot be evicted in the same round. */
  readonly leaving: readonly Set<Workload>[]
  /** By lane: whether anything has changed since admission was last tried in vain. */
  readonly isChanged: Uint8Array
  /** How often a task has left its node, or a node has come up. */
  freed = 0
  readonly #env: Env
  readonly #queues: Queues
  readonly #next: NextWorkloads
  /** `undefined` if no queue orders by past usage. */
  readonly #usage: PastUsage | undefined
  readonly #times: QueueTimes
  readonly #timeSharing: TimeSharing
  /** `[lane][job]`: whether the job has unplaced tasks; its admitted workload with tasks that have no node. */
  readonly #isOpen: boolean[][]
  readonly #unstartedOf: (Workload | undefined)[][]
  /** `[lane][job]`: its workload that is admitted in part, until that has ended. */
  readonly #partOf: (Workload | undefined)[][]
  readonly #ofTask: (Workload | undefined)[] = []
  #admissions = 0
  #starting: Workload | undefined
  #isUnheard = false

  constructor(env: Env, queues: Queues, admitsInPart: boolean, usage: PastUsage | undefined, times: QueueTimes, timeSharing: TimeSharing) {
    const { lanes } = env.cluster
    this.#usage = usage
    this.#times = times
    this.#timeSharing = timeSharing
    this.#env = env
    this.#queues = queues
    this.demand = new QuotaDemand(env, queues)
    this.#next = new NextWorkloads(env, queues, this.demand, admitsInPart, times)
    this.waiting = new WaitingJobs(env, queues, this.#next, usage, times)
    this.unstarted = lanes.map(() => new Set())
    this.leaving = lanes.map(() => new Set())
    this.isChanged = new Uint8Array(lanes.length).fill(1)
    this.#isOpen = lanes.map(() => [])
    this.#unstartedOf = lanes.map(() => [])
    this.#partOf = lanes.map(() => [])
  }

  /** What the user of a workload has used lately. */
  pastUsage({ user }: Workload): number {
    return this.#usage?.of(user, this.#env.now()) ?? 0
  }

  /** The workload of a waiting job that would be admitted next. */
  next(job: JobId, lane: LaneId): Workload {
    this.#next.renew(job, lane, true)
    return this.#next.of(job, lane) as Workload
  }

  /** Whether what waits of a job is set aside for quota. */
  isSetAside(job: JobId, lane: LaneId, call: number): boolean {
    return this.#next.isSetAside(job, lane, call)
  }

  admit(workload: Workload): void {
    const { job, lane, tasks } = workload
    workload.admission = ++this.#admissions
    workload.since = this.#env.now()
    workload.queued = workload.submitted
    this.#times.forget(job)
    if (isPartial(workload)) {
      workload.unstarted = tasks
      this.#row(this.#partOf, lane)[job] = workload
    }
    charge(workload, tasks)
    this.#usage?.enter(workload.user, workload.demand, tasks, this.#env.now())
    this.#enlist(workload)
    this.unstarted[lane]?.add(workload)
    this.#row(this.#unstartedOf, lane)[job] = workload
    this.#refresh(job, lane)
  }

  /** Runs `start`, which claims nodes for tasks of the workload that have none. */
  starting(workload: Workload, start: () => void): boolean {
    this.#starting = workload
    start()
    this.#starting = undefined
    if (workload.unstarted > 0) return false
    this.#dropUnstarted(workload)
    return true
  }

  /** Ends the admission of the tasks without a node; the caller evicts those that run. */
  dismiss(workload: Workload): void {
    this.#lose(workload, workload.isWhole ? Math.min(1, workload.unstarted) : workload.unstarted)
    workload.unstarted = 0
    this.#dropUnstarted(workload)
  }

  /** Gives the quota of the workload back at once; its tasks are to be evicted when they have started. */
  expel(workload: Workload): void {
    this.#lose(workload, workload.tasks)
    this.leaving[workload.lane]?.add(workload)
  }

  /** The job was preempted by one that borrows, and counts as newer than that from now on. */
  requeue(job: JobId): void {
    this.#times.requeue(job, this.waiting.newest)
    this.waiting.move(job)
  }

  // ---- after a restart ----

  memory(): WorkloadsMemory {
    const all = [...this.admitted.values()].flatMap((each) => [...each]).sort((a, b) => a.admission - b.admission)
    const order = (sets: readonly Set<Workload>[]) => sets.map((set) => Array.from(set, (workload) => all.indexOf(workload)))
    const leaving = this.leaving.flatMap((set) => [...set])
    const unstarted = order(this.unstarted)
    const requeued = this.#times.memory()
    const told = (workload: Workload) => memoryOf(workload, this.#env.work, this.#queues.resources)
    return { queues: this.#queues.names, admitted: all.map(told), unstarted, leaving: leaving.map(told), setAside: this.waiting.memory(), ...(this.#usage && { usage: this.#usage.memory() }), ...(requeued.length > 0 && { requeued }) }
  }

  /** Restores admitted workloads. Before this call every running task was taken as a workload of its own, in the order of the starts. */
  recall(memory: unknown): void {
    const { queues, admitted, unstarted, leaving, setAside, usage, requeued = [] } = memory as WorkloadsMemory
    for (const name of queues) this.#queues.of(name)
    const jobs = jobsByName(this.#env.work)
    const made = admitted.map((each) => this.#recallOne(each, jobs))
    for (const each of leaving) {
      const workload = this.#recallOne(each, jobs)
      if (workload !== undefined && workload.running.length > 0) this.leaving[workload.lane]?.add(workload)
    }
    for (const [lane, order] of unstarted.entries())
      for (const at of order) {
        const workload = made[at]
        if (workload !== undefined && workload.unstarted > 0) this.unstarted[lane]?.add(workload)
      }
    if (usage !== undefined) this.#usage?.recall(usage)
    for (const job of this.#times.recall(requeued, jobs)) this.waiting.move(job)
    if (setAside !== undefined) this.waiting.recall(setAside, jobs)
    this.isChanged.fill(1)
  }

  /** Restores one workload, if it still has tasks; tasks that do not run any more have ended. */
  #recallOne(told: WorkloadMemory, jobs: ReadonlyMap<string, JobId>): Workload | undefined {
    const { lane, flavor, least, most, since = NaN, isWhole, parts } = told
    const job = jobs.get(told.job)
    if (job === undefined) return undefined
    const running = tasksOf(told.running, job, lane, this.#env.work)
    const waits = this.#row(this.#isOpen, lane)[job] === true && told.unstarted > 0
    const shape = running[0] === undefined ? this.#env.work.shape(job, lane) : this.#env.work.shapeOf(running[0])
    if (running.length === 0 && !waits) return undefined
    for (const task of running) this.#takeFrom(task)
    const made = this.#next.make(job, lane, least, waits ? told.unstarted : 0, shape, most)
    const gone = told.running.length - running.length
    const tasks = isWhole || told.tasks === 0 ? told.tasks : told.tasks - gone - (waits ? 0 : told.unstarted)
    const demand = told.demand === undefined ? made.demand : this.#amountsOf(told.demand)
    const workload: Workload = { ...made, standing: told.standing ?? made.standing, isWhole, demand, parts: parts?.map((part) => ({ stage: part.stage, demand: this.#amountsOf(part.demand) })), admission: ++this.#admissions, since, tasks, running }
    settle(workload, this.#queues.choices.withName(flavor, this.#queues.resources))
    if (isWhole) for (const [stage, index] of told.running) this.#forgetEnded(workload, this.#env.work.taskAt(job, stage, index))
    for (const task of running) this.#ofTask[task] = workload
    if (tasks === 0) return workload
    charge(workload, tasks)
    this.#usage?.change(workload.user, workload.demand, tasks, this.#env.now())
    this.#enlist(workload)
    if (isPartial(workload)) this.#row(this.#partOf, lane)[job] = workload
    if (waits) this.#row(this.#unstartedOf, lane)[job] = workload
    this.#refresh(job, lane)
    return workload
  }

  /** A task of a workload that counts as one task may have ended before the restart. */
  #forgetEnded(workload: Workload, task: TaskId | None): void {
    if (task !== None && !workload.running.includes(task)) lessen(workload, this.#env.work.stageOf(task), this.#next.asked(task, workload.queue))
  }

  #amountsOf(told: Readonly<Record<string, number>>): Float64Array {
    return Float64Array.from(this.#queues.resources, (name) => ownValue(told, name) ?? 0)
  }

  /** Removes the workload that was made for a single task when it was taken over. */
  #takeFrom(task: TaskId): void {
    const workload = this.#ofTask[task]
    if (workload === undefined) return
    discharge(workload, workload.tasks)
    this.#usage?.change(workload.user, workload.demand, -workload.tasks, this.#env.now())
    this.#delist(workload)
  }

  // ---- keeping current ----

  /** Runs what takes back all that it does to tasks, and hears nothing of it. */
  unheard(attempt: () => void): void {
    this.#isUnheard = true
    attempt()
    this.#isUnheard = false
  }

  onReady(job: JobId, lane: LaneId): void {
    if (this.#isUnheard) return
    this.#row(this.#isOpen, lane)[job] = true
    this.#refresh(job, lane)
  }

  /** A gang with more tasks to start than it was admitted for must be admitted anew, and so must a job of which tasks of an earlier stage came back. */
  onMore(job: JobId, lane: LaneId): void {
    if (this.#isUnheard) return
    const workload = this.#row(this.#unstartedOf, lane)[job]
    if (workload !== undefined && workload !== this.#starting && this.#next.isOther(workload)) this.dismiss(workload)
    this.#refresh(job, lane)
  }

  onDrained(job: JobId, lane: LaneId): void {
    if (this.#isUnheard) return
    this.#row(this.#isOpen, lane)[job] = false
    const workload = this.#row(this.#unstartedOf, lane)[job]
    if (workload !== undefined && workload !== this.#starting) this.dismiss(workload)
    this.#refresh(job, lane)
  }

  onClaim(job: JobId, lane: LaneId, task: TaskId, node: NodeId): void {
    if (this.#isUnheard) return
    const workload = this.#starting ?? this.#again(job, lane, task, node)
    if (workload === this.#starting) workload.unstarted--
    workload.running.push(task)
    this.#ofTask[task] = workload
  }

  onRelease(_job: JobId, _lane: LaneId, task: TaskId, _node: NodeId, why: Release): void {
    if (this.#isUnheard) return
    this.freed++
    const workload = this.#ofTask[task]
    if (workload === undefined) return
    this.#ofTask[task] = undefined
    workload.running.splice(workload.running.indexOf(task), 1)
    if (why === 'withdrawn' && workload === this.#starting) workload.unstarted++
    else if (why === 'ended' && this.#hasNext(workload)) this.#leavePlace(workload)
    else if (workload.tasks === 0) this.#leave(workload)
    else if (workload.isWhole && workload.running.length > 0) this.#losePart(workload, task)
    else this.#lose(workload, 1)
  }

  /**
   * Whether there is another task to take the place of one that has ended, and not a later stage that starts more tasks at once. Of a job that is held
   * back none may start, although some are unplaced.
   */
  #hasNext(workload: Workload): boolean {
    const { job, lane, shape, tasks, unstarted } = workload
    const { work } = this.#env
    const isOpen = this.#row(this.#isOpen, lane)[job] === true
    return tasks > 0 && isPartial(workload) && isOpen && work.shape(job, lane) === shape && work.mostTogether(job, lane) > unstarted && work.together(job, lane) <= unstarted + 1
  }

  #leavePlace(workload: Workload): void {
    const { job, lane } = workload
    workload.unstarted++
    this.unstarted[lane]?.add(workload)
    this.#row(this.#unstartedOf, lane)[job] = workload
    this.#refresh(job, lane)
  }

  #leave(workload: Workload): void {
    if (workload.running.length === 0) this.leaving[workload.lane]?.delete(workload)
  }

  /** An eviction was taken back: the task counts again, as a workload of its own. */
  #again(job: JobId, lane: LaneId, task: TaskId, node: NodeId): Workload {
    const workload = this.#next.make(job, lane, 1, 0, this.#env.work.shapeOf(task))
    settle(workload, this.#flavorOn(node, workload))
    workload.admission = ++this.#admissions
    workload.since = this.#env.work.started(task)
    charge(workload, 1)
    this.#usage?.change(workload.user, workload.demand, 1, this.#env.now())
    this.#enlist(workload)
    return workload
  }

  #flavorOn(node: NodeId, { queue, demand }: Workload): number {
    const { all } = this.#queues.choices
    if (queue.groups.length > 1) return queue.choicesFor(demand).find((choice) => isOf(all[choice] as Flavor, node)) ?? 0
    return this.#queues.flavors.findIndex((flavor) => isOf(flavor, node))
  }

  #enlist(workload: Workload): void {
    this.#timeSharing.admitted(workload)
    const known = this.admitted.get(workload.queue)
    if (known === undefined) this.admitted.set(workload.queue, new Set([workload]))
    else known.add(workload)
  }

  #delist(workload: Workload): void {
    const { queue } = workload
    const all = this.admitted.get(queue)
    if (all?.delete(workload) === true && all.size === 0) this.admitted.delete(queue) // or every search would pass the queues that have gone
  }

  #lose(workload: Workload, tasks: number): void {
    if (tasks > 0) {
      workload.queue.root.returns++
      discharge(workload, tasks)
      this.#usage?.change(workload.user, workload.demand, -tasks, this.#env.now())
    }
    workload.tasks -= tasks
    if (workload.tasks === 0) this.#forget(workload)
    this.isChanged.fill(1)
  }

  /** One task of a workload that counts as one task has gone, and others have not. */
  #losePart(workload: Workload, task: TaskId): void {
    workload.queue.root.returns++
    discharge(workload, 1)
    const freed = lessen(workload, this.#env.work.stageOf(task), this.#next.asked(task, workload.queue))
    charge(workload, 1)
    this.#usage?.change(workload.user, freed, -1, this.#env.now())
    this.isChanged.fill(1)
  }

  #forget(workload: Workload): void {
    const { job, lane } = workload
    this.#delist(workload)
    const row = this.#row(this.#partOf, lane)
    if (row[job] !== workload) return
    row[job] = undefined
    this.#refresh(job, lane)
  }

  #dropUnstarted(workload: Workload): void {
    const { job, lane } = workload
    this.unstarted[lane]?.delete(workload)
    const row = this.#row(this.#unstartedOf, lane)
    if (row[job] === workload) row[job] = undefined
    this.#refresh(job, lane)
  }

  #refresh(job: JobId, lane: LaneId): void {
    const isAdmitted = this.#row(this.#unstartedOf, lane)[job] !== undefined || this.#row(this.#partOf, lane)[job] !== undefined
    const isWaiting = this.#row(this.#isOpen, lane)[job] === true && !isAdmitted
    const hasLeft = this.waiting.set(job, lane, isWaiting) && !isAdmitted // who was behind it in a strict queue may come in now
    if (isWaiting || hasLeft) this.isChanged[lane] = 1
  }

  #row<T>(rows: readonly T[], lane: LaneId): T {
    return rows[lane] as T
  }
}
