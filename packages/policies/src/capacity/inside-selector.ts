import { None, type JobId, type LaneId, type TaskId, type WorkView } from '@sched/core'
import type * as z from '@sched/bundled/zod'
import { isWithin, minus, plus, rowOf } from '../shares/vectors.js'
import type { CapacityQueues } from './capacity-queues.js'
import { chosenBefore, type Chosen } from './chosen.js'
import { dominantShare } from './comparing.js'
import type { HoldingJobs } from './holding-jobs.js'
import { insideQueue, Vectors, type JobInside, type Share, type UserInside } from './inside-queues.js'
import type { preemptionOptions } from './options.js'
import type { LiveLoads } from './queue-loads.js'
import type { RunningTasks } from './running-tasks.js'
import { demandOf } from './tasks-on-nodes.js'
import type { WaitingAmounts } from './waiting-amounts.js'

type Options = NonNullable<z.output<typeof preemptionOptions>['intraQueue']>

interface State {
  readonly queues: CapacityQueues
  readonly work: WorkView
  readonly loads: LiveLoads
  readonly waiting: WaitingAmounts
  readonly jobs: HoldingJobs
  readonly running: RunningTasks
}
interface User extends UserInside {
  readonly pair: number
  /** What the user uses, without tasks that were chosen for others in its leaf. */
  rest: number[]
}
interface Job extends JobInside {
  readonly id: JobId
  readonly user: User
}
interface Plan {
  readonly pot: number
  readonly jobs: readonly Job[]
  readonly shares: readonly Share[]
  readonly vectors: Vectors
  /** Whether jobs should have equal parts. */
  readonly isEqual: boolean
}

/**
 * Chooses tasks for other jobs of the same leaf: from the last jobs in order, their newest tasks first, until the amount is reached
 * that all of them together are to give. Leaves come in the order in which they are served. A gang is chosen as a whole, if its job
 * keeps what it should have.
 *
 * Source: Hadoop 3.4, IntraQueueCandidatesSelector.
 */
export class InsideSelector {
  readonly #it: State
  readonly #options: Options

  constructor(state: State, options: Options) {
    this.#it = state
    this.#options = options
  }

  /** `toObtain`: by pot, what leaves are to give for other queues. */
  choose(lane: LaneId, chosen: Chosen, toObtain: readonly Float64Array[]): void {
    const { pots } = this.#it.queues
    const plans: Plan[] = []
    for (let pot = lane as number; pot < pots.count; pot += pots.lanes) for (const leaf of this.#leaves(pot)) plans.push(...this.#plan(leaf, lane, pot, chosen, toObtain[pot] as Float64Array))
    const before = chosenBefore(chosen)
    for (const plan of plans) this.#take(plan, lane, chosen, before)
  }

  /** Leaves that want more or use more than their guarantee, in the order in which the pot serves them. */
  #leaves(pot: number): number[] {
    const { tree, usage } = this.#it.queues
    const { guaranteed, used, pending, width, total } = this.#it.loads.read(pot)
    const vectors = new Vectors([...total])
    const isHungry = (leaf: number) => rowOf(pending, leaf, width).some((amount) => amount > 0) || vectors.compare(rowOf(used, leaf, width), rowOf(guaranteed, leaf, width)) > 0
    const below = (queue: number): number[] => {
      const { children, isPreemptable, isPreemptableInside } = tree.queue(queue)
      if (tree.isInner[queue] === true) return [...children].sort((a, b) => usage.compare(a, b, pot)).flatMap(below)
      return queue > 0 && isPreemptable && isPreemptableInside && isHungry(queue) ? [queue] : []
    }
    return below(0)
  }

  /** The plan of what the jobs of a leaf give to each other; none where the leaf uses too little, or has only one job. */
  #plan(leaf: number, lane: LaneId, pot: number, chosen: Chosen, forOthers: Float64Array): Plan[] {
    const { queues, loads } = this.#it
    const { guaranteed, used, width, total } = loads
    const { minimumThreshold, maxAllowableLimit, order, conservativeDrf, equalParts } = this.#options
    const { ordering, userLimitPercent } = queues.tree.queue(leaf)
    const equal = ordering !== 'fair' || !equalParts ? undefined : userLimitPercent === 100 ? 'parts-of-leaf' : 'parts-of-users'
    const minimum = queues.minimum[lane] as readonly number[]
    const least = dominantShare(minimum, 0, total, 0, width)
    if (Math.fround(dominantShare(used, leaf * width, total, 0, width) / Math.max(
      least,
      dominantShare(guaranteed, leaf * width, total, 0, width),
    )) < Math.fround(minimumThreshold))
      return []
    const { jobs, amounts } = this.#jobs(leaf, lane, pot, chosen)
    if (jobs.length === 1) return []
    const vectors = new Vectors([...total])
    const toObtain = rowOf(forOthers, leaf, width)
    const most = rowOf(guaranteed, leaf, width).map((amount) => Math.floor(amount * maxAllowableLimit))
    const open = vectors.compare(most, toObtain) > 0 ? minus(most, toObtain) : most.map(() => 0)
    const shares = insideQueue({
      total: [...total],
      jobs,
      divided: minus(rowOf(used, leaf, width), toObtain),
      most: vectors.least(open, [...chosen.allowed]),
      minimum,
      order,
      conservativeDrf,
      equal,
    })
    // Hadoop takes the amount of each task that was chosen for other queues off what every job of this leaf is to give
    for (const share of shares) for (const amount of amounts) if (vectors.compare(share.taken, amount) > 0) share.taken = minus(share.taken, amount)
    return [{ pot, jobs, shares, vectors, isEqual: equal !== undefined }]
  }

  /** The jobs of a leaf in order, and the amounts of each of their tasks that were chosen for other queues. */
  #jobs(leaf: number, lane: LaneId, pot: number, { tasks, count }: Chosen): { jobs: Job[]; amounts: number[][] } {
    const { queues, work, running, waiting } = this.#it
    const { pots, users } = queues
    const none = Array.from({ length: pots.width }, () => 0)
    const chosen = new Map<JobId, number[]>()
    const amounts: number[][] = []
    for (const task of tasks.slice(0, count)) {
      const id = work.jobOf(task)
      if (queues.leafOf(id) !== leaf || pots.of(lane, work.nodeOf(task)) !== pot) continue
      amounts.push(this.#demand(task, lane))
      chosen.set(id, plus(chosen.get(id) ?? none, this.#demand(task, lane)))
    }
    const ids = this.#ids(leaf, lane)
    const pairs = [...new Set(ids.map((id) => queues.pairOf[id] as number))]
    const weights = pairs.reduce((sum, pair) => sum + (users.weight[pair] as number), 0)
    const usersOf = new Map(pairs.map((pair): [number, User] => {
      const used = rowOf(users.used, pair * pots.count + pot, pots.width)
      return [pair, { pair, used, limit: queues.limits.amongAll(pair, pot, weights), rest: used }]
    }))
    const queue = queues.tree.queue(leaf)
    const jobs = ids.map((id): Job => {
      const used = [...none]
      const shape = work.masterShape(id)
      const asked = shape === None || pots.laneOfShape(shape) !== lane || queues.potOfShape(shape, leaf, lane) !== pot ? none : demandOf(shape, lane, queues)
      let mastering = none
      for (let task = running.any(id, lane) as TaskId; task >= 0; task = running.next(task) as TaskId) {
        if (pots.of(lane, work.nodeOf(task)) !== pot) continue
        this.#addTo(used, task, lane)
        if (work.isMaster(task)) mastering = this.#demand(task, lane)
      }
      return {
        id,
        user: usersOf.get(queues.pairOf[id] as number) as User,
        priority: queues.priorityIn(id, queue),
        used,
        pending: waiting.wanted(id, pot),
        chosen: chosen.get(id) ?? none,
        master: shape === None ? undefined : { asked, used: mastering },
      }
    })
    return { jobs: this.#sorted(jobs, leaf, lane, new Vectors([...this.#it.loads.total])), amounts }
  }

  /** All jobs of a leaf that wait or hold something. */
  #ids(leaf: number, lane: LaneId): JobId[] {
    const { queues, jobs } = this.#it
    const { pots, users } = queues
    const found = new Set(jobs.of(leaf, lane))
    for (let pot = lane as number; pot < pots.count; pot += pots.lanes) {
      const pairs = queues.waiting.of(leaf, pot)
      for (let k = pairs.from; k < pairs.to; k++) {
        const list = users.jobs[(pairs.ids[k] as number) * pots.count + pot]
        if (list !== undefined) for (let j = list.from; j < list.to; j++) found.add(list.ids[j] as number)
      }
    }
    return [...found] as JobId[]
  }

  /** Sorts jobs by priority and submission; in a leaf in fair order, under `userlimit-first`, by what their users use, then by the fair order itself. */
  #sorted(jobs: Job[], leaf: number, lane: LaneId, vectors: Vectors): Job[] {
    const { queues, work } = this.#it
    const queue = queues.tree.queue(leaf)
    const byRank = (a: Job, b: Job) => work.rank(a.id) - work.rank(b.id)
    jobs.sort(byRank)
    if (queue.ordering !== 'fair' || this.#options.order !== 'userlimit-first') return jobs.sort((a, b) => b.priority - a.priority || byRank(a, b))
    const first = new Map<User, number>()
    for (const { user, id } of jobs) if (!first.has(user)) first.set(user, work.rank(id))
    const byUser = (a: User, b: User) => (a === b ? 0 : vectors.compare(a.used, b.used) || (first.get(a) as number) - (first.get(b) as number))
    return jobs.sort((a, b) => byUser(a.user, b.user) || queues.keyIn(a.id, lane, queue) - queues.keyIn(b.id, lane, queue) || byRank(a, b))
  }

  /** Chooses tasks of the jobs that are to give something, the last in order first. */
  #take({ pot, jobs, shares, vectors, isEqual }: Plan, lane: LaneId, chosen: Chosen, before: ReadonlySet<TaskId>): void {
    const { queues, work, running } = this.#it
    let left = shares.reduce<number[]>((sum, { taken }) => plus(sum, taken), Array.from({ length: queues.pots.width }, () => 0))
    for (let k = jobs.length - 1; k >= 0; k--) {
      const { id, user, used, master } = jobs[k] as Job
      const { ideal, taken } = shares[k] as Share
      if (taken.every((amount) => amount === 0)) continue
      const gangs = new Set<number>()
      let has = master === undefined ? used : minus(used, master.used)
      let given = left.map(() => 0)
      for (let task = running.last(id, lane) as TaskId; task >= 0; task = running.next(task) as TaskId) {
        if (left.every((amount) => amount <= 0)) return
        if (before.has(task) || work.isMaster(task) || queues.killable?.has(task) === true || queues.pots.of(lane, work.nodeOf(task)) !== pot) continue
        const gang = work.inGang(task) ? this.#gang(id, lane, task, gangs) : undefined
        if (gang?.length === 0) continue
        const amount = (gang ?? [task]).reduce<number[]>((sum, each) => plus(sum, this.#demand(each, lane)), left.map(() => 0))
        const gives = minus(taken, given)
        const keepsLimit = isEqual ? isWithin(amount, gives) : this.#options.order === 'priority-first' || vectors.compare(minus(user.rest, amount), user.limit) > 0
        if (!keepsLimit && gang === undefined) break // as in Hadoop, even though an older task might be smaller
        const keepsIdeal = isEqual || gang === undefined || vectors.compare(minus(has, amount), ideal) >= 0
        if (!keepsLimit || !keepsIdeal || !this.#isWanted(amount, left, vectors) || amount.some((each, i) => each > (chosen.allowed[i] as number))) continue
        for (const each of gang ?? [task]) chosen.tasks[chosen.count++] = each
        left = minus(left, amount)
        has = minus(has, amount)
        given = plus(given, amount)
        user.rest = minus(user.rest, amount)
        for (const [i, each] of amount.entries()) chosen.allowed[i] = (chosen.allowed[i] as number) - each
      }
    }
  }

  /** Whether an amount brings some of what is still to be taken; conservatively (`conservativeDrf`), whether some is still to be taken of every resource. */
  #isWanted(amount: readonly number[], left: readonly number[], vectors: Vectors): boolean {
    return this.#options.conservativeDrf ? !vectors.lacksOne(left) : amount.some((each, i) => each > 0 && (left[i] as number) > 0)
  }

  /** All running tasks of a task's gang; none if the gang was looked at before. */
  #gang(job: JobId, lane: LaneId, task: TaskId, looked: Set<number>): TaskId[] {
    const { work, running } = this.#it
    const stage = work.stageOf(task)
    const gang: TaskId[] = []
    if (looked.has(stage)) return gang
    looked.add(stage)
    for (let each = running.last(job, lane) as TaskId; each >= 0; each = running.next(each) as TaskId) if (work.stageOf(each) === stage && work.inGang(each)) gang.push(each)
    return gang
  }

  #demand(task: TaskId, lane: LaneId): number[] {
    return demandOf(this.#it.work.shapeOf(task), lane, this.#it.queues)
  }

  /** Adds what a task uses, in place, since a leaf may have very many tasks. */
  #addTo(amount: number[], task: TaskId, lane: LaneId): void {
    const { pots } = this.#it.queues
    const at = pots.demandAt(this.#it.work.shapeOf(task), lane)
    for (let i = 0; i < amount.length; i++) amount[i] = (amount[i] as number) + (pots.demands[at + i] as number)
  }
}
