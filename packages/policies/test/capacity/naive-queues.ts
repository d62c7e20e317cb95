import type { CapacityQueueOptions, CapacitySchedulerOptions } from '@sched/policies'
import type { Env, JobId, LaneId, NodeId, ResourceId, ShapeId } from '@sched/core'
import { by } from '../reference/naive.js'

// The Capacity Scheduler as its source reads: everything is added up and sorted anew at every decision. Percentages and weights only.

/** A queue, declared or made for a job. */
interface NaiveQueue {
  readonly path: string
  readonly options: CapacityQueueOptions
  readonly isDeclared: boolean
  readonly children: NaiveQueue[]
}

/** A claim or a reservation: what counts as used. */
interface Use {
  readonly job: JobId
  readonly lane: LaneId
  readonly shape: ShapeId
}

type Vector = number[]
const plus = (a: Vector, b: Vector): Vector => a.map((each, i) => each + (b[i] ?? 0))
const minus = (a: Vector, b: Vector): Vector => a.map((each, i) => each - (b[i] ?? 0))
const smaller = (a: Vector, b: Vector): Vector => a.map((each, i) => Math.min(each, b[i] ?? 0))

export class NaiveQueues {
  readonly env: Env
  readonly options: CapacitySchedulerOptions
  readonly root: NaiveQueue
  readonly uses: Use[] = []
  readonly reserved: (Use & { readonly node: NodeId })[] = []
  readonly jobs: { readonly job: JobId; readonly path: string; admitted: boolean }[] = []

  constructor(env: Env, options: CapacitySchedulerOptions) {
    this.env = env
    this.options = options
    const declared = Object.entries(options.queues ?? {})
    this.root = { path: 'root', options: declared.find(([path]) => path === 'root')?.[1] ?? {}, isDeclared: true, children: [] }
    for (const [path, own] of declared.sort(by(([each]) => each.split('.').length))) if (path !== 'root') this.make(path, own, true)
  }

  make(path: string, options: CapacityQueueOptions = {}, isDeclared = false): void {
    let at = this.root
    const parts = path.split('.')
    for (const [i] of parts.slice(1).entries()) {
      const here = parts.slice(0, i + 2).join('.')
      let child = at.children.find((each) => each.path === here)
      if (child === undefined) at.children.push((child = here === path ? { path, options, isDeclared, children: [] } : { path: here, options: {}, isDeclared: false, children: [] }))
      at = child
    }
  }

  submit(job: JobId): void {
    const { work } = this.env
    const path = `root.${work.queueName(work.queue(job))}`
    this.make(path)
    this.jobs.push({ job, path, admitted: false })
    this.admit()
  }

  finish(job: JobId): void {
    this.jobs.splice(this.jobs.findIndex((each) => each.job === job), 1)
    this.admit()
  }

  admit(): void {
    const { work } = this.env
    const limit = (path: string) => this.find(path).options.maxParallelApps ?? Infinity
    for (const each of [...this.jobs].sort(by(({ job }) => work.rank(job)))) {
      const running = (path: string) => this.jobs.filter((other) => other.admitted && `${other.path}.`.startsWith(`${path}.`)).length
      const above = each.path.split('.').map((_, i, parts) => parts.slice(0, i + 1).join('.'))
      if (!each.admitted && above.every((path) => running(path) < limit(path))) each.admitted = true
    }
  }

  find(path: string, from = this.root): NaiveQueue {
    if (from.path === path) return from
    return this.find(path, from.children.find((child) => `${path}.`.startsWith(`${child.path}.`)))
  }

  // ---- amounts, of the counted resources of a lane ----

  counted(lane: LaneId): readonly ResourceId[] {
    const { lanes, resources } = this.env.cluster
    const all = lanes[lane]?.resources ?? []
    return this.options.resourceCalculator === 'dominant' ? all : [all.find((r) => resources[r] === 'mem') ?? (all[0] as ResourceId)]
  }

  /** Which of them is the memory. */
  memoryOf(lane: LaneId): number {
    return Math.max(0, this.counted(lane).findIndex((r) => this.env.cluster.resources[r] === 'mem'))
  }

  total(lane: LaneId): Vector {
    return this.counted(lane).map((r) => this.env.cluster.capacity(r))
  }

  demand(shape: ShapeId, lane: LaneId): Vector {
    return this.counted(lane).map((r) => this.env.work.demand(shape, r))
  }

  sum(lane: LaneId, counts: (job: JobId) => boolean, uses: readonly Use[] = [...this.uses, ...this.reserved]): Vector {
    return uses.filter((use) => use.lane === lane && counts(use.job)).reduce((sum, use) => plus(sum, this.demand(use.shape, lane)), this.total(lane).map(() => 0))
  }

  used(queue: NaiveQueue, lane: LaneId): Vector {
    return this.sum(lane, (job) => `${this.pathOf(job)}.`.startsWith(`${queue.path}.`))
  }

  pathOf(job: JobId): string {
    return this.jobs.find((each) => each.job === job)?.path ?? ''
  }

  /** Parts of the whole, guaranteed and at most, as a product of whole numbers over a product of whole numbers. */
  parts(path: string): { readonly guaranteed: readonly [number, number]; readonly most: readonly [number, number] } {
    if (path === 'root') return { guaranteed: [1, 1], most: [1, 1] }
    const { guaranteed, most } = this.parts(path.slice(0, path.lastIndexOf('.')))
    const { children } = this.find(path.slice(0, path.lastIndexOf('.')))
    const { options, isDeclared } = this.find(path)
    const isWeighted = children.every((each) => typeof each.options.capacity !== 'number')
    const weight = (each: NaiveQueue) => parseFloat(typeof each.options.capacity === 'string' ? each.options.capacity : '1')
    const own: readonly [number, number] = isWeighted
      ? [weight(this.find(path)), children.reduce((sum, each) => sum + weight(each), 0)]
      : [isDeclared && typeof options.capacity === 'number' ? options.capacity : 0, 100]
    const cap = typeof options.maximumCapacity === 'number' ? options.maximumCapacity : 100
    const part = [guaranteed[0] * own[0], guaranteed[1] * own[1]] as const
    return { guaranteed: part, most: options.elastic === false ? part : [most[0] * cap, most[1] * 100] }
  }

  most(path: string, lane: LaneId): Vector {
    const [over, under] = this.parts(path).most
    return this.total(lane).map((amount) => Math.floor((amount * over) / under))
  }

  guaranteed(path: string, lane: LaneId): Vector {
    const [over, under] = this.parts(path).guaranteed
    return smaller(this.total(lane).map((amount) => Math.floor((amount * over) / under)), this.most(path, lane))
  }

  shares(vector: Vector, lane: LaneId): Vector {
    const total = this.total(lane)
    return vector.map((each, i) => (total[i] === 0 ? 0 : each / (total[i] ?? 1))).sort((a, b) => b - a)
  }

  compare(a: Vector, b: Vector, lane: LaneId): number {
    const [x, y] = [this.shares(a, lane), this.shares(b, lane)]
    for (const [i, each] of x.entries()) if (each !== y[i]) return each - (y[i] ?? 0)
    return 0
  }

  // ---- the order ----

  sorted(parent: NaiveQueue, lane: LaneId): NaiveQueue[] {
    const ones = this.total(lane).map(() => 1)
    const isLast = ({ path }: NaiveQueue) => this.options.ties !== 'name' && this.parts(path).guaranteed[0] === 0
    const ratio = (queue: NaiveQueue) => {
      const { path } = queue
      const guaranteed = isLast(queue) ? 1 : Math.max(this.shares(this.guaranteed(path, lane), lane)[0] ?? 0, this.shares(ones, lane)[0] ?? 0)
      return guaranteed === 0 ? 0 : Math.fround((this.shares(this.used(this.find(path), lane), lane)[0] ?? 0) / guaranteed)
    }
    const band = (queue: NaiveQueue) => (ratio(queue) >= 1 ? 1 : 0)
    const priority = (queue: NaiveQueue) => -(queue.options.priority ?? 0)
    const size = ({ path }: NaiveQueue) => (this.options.ties === 'name' ? 0 : -this.parts(path).guaranteed[0] / this.parts(path).guaranteed[1])
    const keys = this.ordersByPriority(parent) ? [band, priority] : []
    return [...parent.children].sort(by<NaiveQueue>((queue) => (isLast(queue) ? 1 : 0), ...keys, ratio, size, ({ path }) => path))
  }

  /** As the queue says or, if it says nothing, as the one around it does. */
  ordersByPriority({ path, options: { queueOrdering } }: NaiveQueue): boolean {
    if (queueOrdering !== undefined || path === 'root') return queueOrdering === 'priority-utilization'
    return this.ordersByPriority(this.find(path.slice(0, path.lastIndexOf('.'))))
  }

  isWaiting(job: JobId, lane: LaneId): boolean {
    return this.jobs.some((each) => each.job === job && each.admitted) && this.env.work.unplaced(job, lane) > 0
  }

  inOrder(leaf: NaiveQueue, lane: LaneId): JobId[] {
    const { work } = this.env
    const waiting = this.jobs.filter((each) => each.path === leaf.path && this.isWaiting(each.job, lane)).map(({ job }) => job)
    const memory = (job: JobId) => this.sum(lane, (other) => other === job, this.uses)[this.memoryOf(lane)] ?? 0 // what is reserved does not count
    const wanted = (job: JobId) => work.unplaced(job, lane) * (this.demand(work.shape(job, lane), lane)[this.memoryOf(lane)] ?? 0)
    const weight = (job: JobId) => (leaf.options.sizeBasedWeight === true ? Math.log2(1 + Math.max(1, memory(job) + wanted(job))) : 1)
    const key = leaf.options.ordering === 'fair' ? (job: JobId) => memory(job) / weight(job) : (job: JobId) => (leaf.options.ordering === 'priority' ? -work.priority(job) : 0)
    return waiting.sort(by<JobId>(key, (job) => work.rank(job)))
  }

  userLimit(leaf: NaiveQueue, lane: LaneId): Vector {
    const { minimumUserLimitPercent = 100, userLimitFactor = leaf.isDeclared ? 1 : -1 } = leaf.options
    const { work } = this.env
    const ones = this.total(lane).map(() => 1)
    const own = this.guaranteed(leaf.path, lane)
    const capacity = this.compare(own, ones, lane) >= 0 ? own : ones
    const inLeaf = this.jobs.filter(({ path }) => path === leaf.path).map(({ job }) => job)
    const users = [...new Set(inLeaf.map((job) => work.user(job)))]
    const active = users.filter((user) => inLeaf.some((job) => work.user(job) === user && this.isWaiting(job, lane)))
    const usedBy = (user: number) => this.sum(lane, (job) => this.pathOf(job) === leaf.path && work.user(job) === user)
    const ratio = users.reduce((sum, user) => sum + Math.floor((this.shares(usedBy(user), lane)[0] ?? 0) * 2 ** 40), 0) / 2 ** 40
    const consumed = this.total(lane).map((amount) => Math.ceil(amount * ratio))
    const current = this.compare(consumed, capacity, lane) < 0 ? capacity : plus(consumed, ones)
    const divided = this.options.userLimitBasis === 'active-users' ? current : plus(active.map(usedBy).reduce(plus, ones.map(() => 0)), ones)
    const equal = divided.map((amount) => Math.ceil(amount / active.length))
    const floor = current.map((amount) => Math.ceil(Math.floor(amount * minimumUserLimitPercent) / 100))
    const wanted = this.compare(equal, floor, lane) >= 0 ? equal : floor
    const cap = userLimitFactor === -1 || own.every((amount) => amount === 0) ? this.most(leaf.path, lane) : capacity.map((amount) => Math.floor(amount * userLimitFactor))
    return this.compare(wanted, cap, lane) <= 0 ? wanted : cap
  }

  /** Jobs that may be given a task, most deserving first, and whether each must give a reservation up for it. */
  served(queue: NaiveQueue, lane: LaneId, above: Vector, looksOn: boolean): { readonly jobs: { readonly job: JobId; readonly mustRelease: boolean }[]; readonly kept: Vector | undefined } {
    const room = smaller(above, minus(this.most(queue.path, lane), this.used(queue, lane)))
    const holds = (job: JobId) => this.reserved.some((each) => each.job === job)
    const isHeld = this.reserved.some((each) => each.lane === lane && `${this.pathOf(each.job)}.`.startsWith(`${queue.path}.`))
    if (room.every((left) => left <= 0) && !(looksOn && isHeld)) return { jobs: [], kept: undefined }
    const jobs: { job: JobId; mustRelease: boolean }[] = []
    let kept: Vector | undefined
    if (queue.children.length > 0) {
      for (const child of this.sorted(queue, lane)) {
        const inside = this.served(child, lane, minus(room, kept ?? []) .map((left, i) => (kept === undefined ? (room[i] ?? 0) : left)), looksOn)
        jobs.push(...inside.jobs)
        if (inside.kept !== undefined) kept = plus(inside.kept, kept ?? inside.kept.map(() => 0))
      }
      return { jobs, kept }
    }
    const { work } = this.env
    const limit = this.userLimit(queue, lane)
    for (const job of this.inOrder(queue, lane)) {
      const held = this.sum(lane, (other) => other === job, looksOn && holds(job) ? this.reserved : [])
      const used = this.sum(lane, (other) => this.pathOf(other) === queue.path && work.user(other) === work.user(job))
      const isOver = this.compare(used, limit, lane) > 0
      if (isOver && (held.every((each) => each === 0) || this.compare(minus(used, held), limit, lane) > 0)) continue
      const demand = this.demand(work.shape(job, lane), lane)
      const fits = (amounts: Vector) => demand.every((asked, i) => asked === 0 || asked <= (amounts[i] ?? 0))
      if (!fits(plus(room, held))) return { jobs, kept: room.map((left) => Math.max(0, left)) }
      // one reservation of the job's must do, and all of them are as large as the demand
      if ((isOver && this.compare(minus(used, demand), limit, lane) > 0) || demand.some((asked, i) => asked > 0 && (room[i] ?? 0) < 0)) continue
      jobs.push({ job, mustRelease: isOver || !fits(room) })
    }
    return { jobs, kept: undefined }
  }
}
