import { isWithin, minus, plus } from '../shares/vectors.js'
import { compareShares } from './comparing.js'

type Vector = readonly number[]

/** A user of a leaf in one partition: what it uses, and its limit if all users of the leaf count as active. */
export interface UserInside {
  readonly used: Vector
  readonly limit: Vector
}

/** A job of a leaf in one partition. */
export interface JobInside {
  readonly user: UserInside
  readonly priority: number
  readonly used: Vector
  /** What its waiting tasks want beyond that. */
  readonly pending: Vector
  /** The part of what it uses that this look has already chosen for other queues. */
  readonly chosen: Vector
  /** What its master asks for, and what of that is in use; it is not taken or divided. Absent: the job has no master. */
  readonly master?: { readonly asked: Vector; readonly used: Vector } | undefined
}

/** A leaf whose jobs may take from each other; vectors are amounts of the counted resources. */
export interface Inside {
  /** Total of the partition, for comparing vectors. */
  readonly total: Vector
  /** In order, the job that is served first at the front. */
  readonly jobs: readonly JobInside[]
  /** What the leaf uses, without what is taken from it for other queues. */
  readonly divided: Vector
  /** The most that may be taken in total. */
  readonly most: Vector
  /** The amount that every job keeps under `userlimit-first`. */
  readonly minimum: Vector
  readonly order: 'userlimit-first' | 'priority-first'
  /** Whether jobs get no more once one resource is used up. */
  readonly conservativeDrf: boolean
  /** Jobs get equal parts of what the leaf uses, or of the limit of their user; absent: each in order gets as much as there is. */
  readonly equal?: 'parts-of-leaf' | 'parts-of-users' | undefined
}

/** The result for a job: what it should have of what the leaf uses, and what is to be taken from it. */
export interface Share {
  ideal: number[]
  taken: number[]
}

/** A job while the amounts are divided. */
interface Line extends Share {
  readonly job: JobInside
  readonly user: Account
  chosen: Vector
  /** What it lacks, and what it could give. */
  lacks: number[]
  gives: number[]
}

/** A user with all its jobs while the amounts are divided. */
interface Account {
  readonly user: UserInside
  /** What the masters of the user's jobs ask for. */
  masters: number[]
  ideal: number[]
  chosen: number[]
  /** Whether everything that the user has above its limit has been given to jobs of the same priority. */
  isSpent: boolean
}

/**
 * What the jobs of a leaf give to each other. What the leaf uses is divided anew among its jobs, in order: each should have what it has and wants,
 * up to the limit of its user; masters keep what they have. Jobs with less than they should have take from jobs with more, from the last in order
 * first. A job gives to another of the same user only if that one has a higher priority. With `userlimit-first` only users above their limit
 * give to other users. A user above its limit gives jobs of another user with the same priority no more than it has above the limit.
 *
 * With `equal`, each job should have an equal part, or what it has and wants if that is less, masters included; jobs with more give to jobs with less,
 * whatever their priorities and users.
 *
 * Source: Hadoop 3.4, FifoIntraQueuePreemptionPlugin; equal parts are new there.
 */
export function insideQueue(it: Inside): Share[] {
  const none = it.total.map(() => 0)
  const accounts = new Map<UserInside, Account>()
  const lines = it.jobs.map((job): Line => {
    const account = accounts.get(job.user) ?? { user: job.user, masters: none, ideal: none, chosen: none, isSpent: false }
    accounts.set(job.user, account)
    if (job.master !== undefined) account.masters = plus(account.masters, job.master.asked)
    return { job, user: account, chosen: none, ideal: none, lacks: none, gives: none, taken: none }
  })
  const vectors = new Vectors(it.total)
  if (it.equal === undefined) divide(it, lines, vectors)
  else divideEqually(it, lines, vectors)
  offer(it, lines, vectors)
  for (const high of lines) if (vectors.isSome(high.lacks)) for (const low of [...lines].reverse()) give(it, high, low, vectors)
  return lines
}

/** Computes what each job should have and lacks, in order. */
function divide({ divided, conservativeDrf }: Inside, lines: readonly Line[], vectors: Vectors): void {
  let left: number[] = [...divided]
  for (const { masters } of new Set(lines.map(({ user }) => user))) left = minus(left, masters)
  for (const line of lines) {
    // tasks of such a job that were chosen for other queues are not counted off, as in Hadoop
    if (!vectors.isSome(left) || (conservativeDrf && vectors.lacksOne(left))) continue
    const { job, user } = line
    line.chosen = job.chosen
    user.chosen = plus(user.chosen, job.chosen)
    const limit = minus(user.user.limit, user.masters)
    if (vectors.compare(user.ideal, limit) >= 0) continue
    const others = besideMaster(job)
    const keeps = minus(others, job.chosen)
    line.ideal = vectors.least(left, vectors.least(plus(keeps, job.pending), minus(limit, user.ideal)))
    user.ideal = plus(user.ideal, line.ideal)
    if (vectors.compare(line.ideal, keeps) > 0) line.lacks = minus(line.ideal, keeps)
    left = rest(left, line.ideal)
  }
}

/** The part of what a job uses that may be divided. */
const besideMaster = ({ used, master }: JobInside): Vector => (master === undefined ? used : minus(used, master.used))

/** The same for equal parts, which do not depend on the order. */
function divideEqually({ divided, equal }: Inside, lines: readonly Line[], vectors: Vectors): void {
  for (const line of lines) {
    const { job, user } = line
    const [whole, among] = equal === 'parts-of-leaf' ? [divided, lines.length] : [user.user.limit, lines.filter((each) => each.user === user).length]
    const part = whole.map((amount) => Math.max(0, Math.ceil(amount / among)))
    const others = besideMaster(job)
    const keeps = minus(others, job.chosen)
    line.chosen = job.chosen
    line.ideal = minus(vectors.least(part, plus(others, job.pending)), job.chosen)
    if (vectors.compare(line.ideal, keeps) > 0) line.lacks = minus(line.ideal, keeps)
  }
}

/** Computes what each job could give, the last in order first, together at most `most`. */
function offer({ most, minimum, order, equal }: Inside, lines: readonly Line[], vectors: Vectors): void {
  let left: number[] = [...most]
  for (const line of [...lines].reverse()) {
    const { used, master } = line.job
    if (!vectors.isSome(left) || !vectors.isSome(used)) continue
    const above = rest(minus(used, line.ideal), line.chosen)
    const extra = master === undefined || equal !== undefined ? above : rest(above, master.used)
    const gives = order === 'userlimit-first' ? rest(extra, minimum) : extra
    line.gives = equal === undefined || isWithin(minimum, gives) ? vectors.least(gives, left) : left.map(() => 0)
    left = rest(left, line.gives)
  }
}

/** Takes from job `low` what job `high` lacks, if the rules allow it. */
function give({ order, equal }: Inside, high: Line, low: Line, vectors: Vectors): void {
  if (!vectors.isSome(low.gives) || vectors.compare(low.gives, low.taken) <= 0 || high.lacks.every((amount) => amount === 0)) return
  if (equal !== undefined) return void (low !== high && hand(high, low, minus(low.gives, low.taken), vectors))
  const { user } = low
  const isOwn = user === high.user
  if (isOwn && low.job.priority >= high.job.priority) return
  const isOver = vectors.compare(user.user.used, user.user.limit) > 0
  if (!isOwn && !isOver && order === 'userlimit-first') return
  let may = minus(low.gives, low.taken)
  if (!isOwn && isOver && low.job.priority === high.job.priority) {
    const above = user.isSpent ? may.map(() => 0) : minus(minus(user.user.used, user.chosen), user.user.limit)
    if (vectors.compare(above, may) < 0) {
      user.isSpent = true
      may = above
    }
  }
  if (vectors.isSome(may)) hand(high, low, may, vectors)
}

/** Moves to job `high` what it lacks from job `low`, up to the amount `may`. */
function hand(high: Line, low: Line, may: Vector, vectors: Vectors): void {
  const part = vectors.least(high.lacks, may)
  high.lacks = minus(high.lacks, part)
  low.taken = plus(low.taken, part)
}

/** The difference, but nothing where it is negative. */
const rest = (a: Vector, b: Vector): number[] => a.map((each, i) => Math.max(0, each - (b[i] as number)))

/** Vectors compared by their dominant shares of a total. */
export class Vectors {
  readonly #total: Vector
  readonly #none: Vector

  constructor(total: Vector) {
    this.#total = total
    this.#none = total.map(() => 0)
  }

  compare(a: Vector, b: Vector): number {
    return compareShares(a, 0, b, 0, this.#total, 0, this.#total.length)
  }

  least(a: Vector, b: Vector): number[] {
    return [...(this.compare(a, b) <= 0 ? a : b)]
  }

  isSome(a: Vector): boolean {
    return this.compare(a, this.#none) > 0
  }

  /** Whether nothing is left of a resource that the partition has. */
  lacksOne(a: Vector): boolean {
    return a.some((amount, i) => amount <= 0 && (this.#total.length === 1 || (this.#total[i] as number) > 0))
  }
}
