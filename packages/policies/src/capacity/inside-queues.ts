import { compareShares } from './comparing.js'

type Vector = readonly number[]

/** A user of a leaf in one partition: what it uses, and may use where all users count. */
export interface UserInside {
  readonly used: Vector
  readonly limit: Vector
}
/** A job of a leaf in one partition. */
export interface JobInside {
  readonly user: UserInside
  readonly priority: number
  readonly used: Vector
  /** Wanted beside it. */
  readonly pending: Vector
  /** Of what it uses, chosen for other queues in this look. */
  readonly chosen: Vector
  /** What its master asks for and what of that it uses, which is left alone and not divided; none: nothing. */
  readonly master?: { readonly asked: Vector; readonly used: Vector } | undefined
}
/** A leaf that is to be put in order; vectors are amounts of the counted resources. */
export interface Inside {
  /** Of the partition, for comparing vectors. */
  readonly total: Vector
  /** Those that are to have most first. */
  readonly jobs: readonly JobInside[]
  /** What the leaf uses, without what is taken from it for others. */
  readonly divided: Vector
  /** Most that may be taken. */
  readonly most: Vector
  /** What a job keeps under `userlimit-first`. */
  readonly minimum: Vector
  readonly order: 'userlimit-first' | 'priority-first'
  /** Whether nobody is given anything once one resource is used up. */
  readonly conservativeDrf: boolean
  /** Jobs are to have equal parts, of what the leaf uses or of what their users may; absent: in order, as much as there is. */
  readonly equal?: 'parts-of-leaf' | 'parts-of-users' | undefined
}
/** What becomes of a job: what it should have of what the leaf uses, and what is to be taken from it. */
export interface Share {
  ideal: number[]
  taken: number[]
}
interface Line extends Share {
  readonly job: JobInside
  readonly user: Account
  chosen: Vector
  /** What it has too little of, and what it could give. */
  lacks: number[]
  gives: number[]
}
interface Account {
  readonly user: UserInside
  /** What masters of its jobs ask for. */
  masters: number[]
  ideal: number[]
  chosen: number[]
  /** Whether all that it has above its limit was given to jobs of the same priority. */
  isSpent: boolean
}

/**
 * What jobs of a leaf give to others in it: what the leaf uses is divided again among its jobs, in order, each with what it has and wants
 * as far as its user's limit goes, but for masters, which keep what they have. Those with less than that take from those with more, the last in order first, for a job
 * of higher priority or of another user who is within its limit. With `userlimit-first` only users above their limit give to others,
 * and no more than they have above it.
 *
 * With `equal` parts each should have its part, or what it has and wants if that is less, masters included, and those with more give to those with less,
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

/** What each should have, and lacks. */
function divide({ divided, conservativeDrf }: Inside, lines: readonly Line[], vectors: Vectors): void {
  let left: number[] = [...divided]
  for (const { masters } of new Set(lines.map(({ user }) => user))) left = minus(left, masters)
  for (const line of lines) {
    if (!vectors.isSome(left) || (conservativeDrf && vectors.lacksOne(left))) continue // what was chosen of such a job is not seen, as in Hadoop
    const { job, user } = line
    line.chosen = job.chosen
    user.chosen = plus(user.chosen, job.chosen)
    const limit = minus(user.user.limit, user.masters)
    if (vectors.compare(user.ideal, limit) >= 0) continue
    const others = job.master === undefined ? job.used : minus(job.used, job.master.used)
    const keeps = minus(others, job.chosen)
    line.ideal = vectors.least(left, vectors.least(plus(keeps, job.pending), minus(limit, user.ideal)))
    user.ideal = plus(user.ideal, line.ideal)
    if (vectors.compare(line.ideal, keeps) > 0) line.lacks = minus(line.ideal, keeps)
    left = rest(left, line.ideal)
  }
}

/** The same where parts are equal: nobody waits for who comes before. */
function divideEqually({ divided, equal }: Inside, lines: readonly Line[], vectors: Vectors): void {
  for (const line of lines) {
    const { job, user } = line
    const [whole, among] = equal === 'parts-of-leaf' ? [divided, lines.length] : [user.user.limit, lines.filter((each) => each.user === user).length]
    const part = whole.map((amount) => Math.max(0, Math.ceil(amount / among)))
    const others = job.master === undefined ? job.used : minus(job.used, job.master.used)
    const keeps = minus(others, job.chosen)
    line.chosen = job.chosen
    line.ideal = minus(vectors.least(part, plus(others, job.pending)), job.chosen)
    if (vectors.compare(line.ideal, keeps) > 0) line.lacks = minus(line.ideal, keeps)
  }
}

/** What each could give, the last in order first, as far as something may be taken. */
function offer({ most, minimum, order, equal }: Inside, lines: readonly Line[], vectors: Vectors): void {
  let left: number[] = [...most]
  for (const line of [...lines].reverse()) {
    const { used, master } = line.job
    if (!vectors.isSome(left) || !vectors.isSome(used)) continue
    const above = rest(minus(used, line.ideal), line.chosen)
    const extra = master === undefined || equal !== undefined ? above : rest(above, master.used)
    const gives = order === 'userlimit-first' ? rest(extra, minimum) : extra
    line.gives = equal === undefined || minimum.every((amount, i) => amount <= (gives[i] as number)) ? vectors.least(gives, left) : left.map(() => 0)
    left = rest(left, line.gives)
  }
}

/** Takes from a job what another lacks, where that is due. */
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

function hand(high: Line, low: Line, may: Vector, vectors: Vectors): void {
  const part = vectors.least(high.lacks, may)
  high.lacks = minus(high.lacks, part)
  low.taken = plus(low.taken, part)
}

const plus = (a: Vector, b: Vector): number[] => a.map((each, i) => each + (b[i] as number))
const minus = (a: Vector, b: Vector): number[] => a.map((each, i) => each - (b[i] as number))
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

  /** Whether there is none left of a resource that the partition has. */
  lacksOne(a: Vector): boolean {
    return a.some((amount, i) => amount <= 0 && (this.#total.length === 1 || (this.#total[i] as number) > 0))
  }
}
