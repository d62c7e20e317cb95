import { Keys, SortedIds } from './sorted-ids.js'

/**
 * Jobs as Grid Engine's ticket policies see them, those that run first: the numbers of their users and of their projects, -1 without one, and their slots.
 * The columns may be longer than there are jobs.
 */
export interface TicketJobs {
  readonly running: number
  readonly all: number
  readonly user: ArrayLike<number>
  readonly project: ArrayLike<number>
  readonly slots: ArrayLike<number>
}

/** Functional shares by user and by project, and what part of the tickets goes by either; the parts add up to 1. */
export interface FunctionalShares {
  readonly users: readonly number[]
  readonly projects: readonly number[]
  readonly userPart: number
  readonly projectPart: number
}

/** Grid Engine adds this to the sum of the shares when it looks for the next job, so that it never divides by 0. */
const LEAST_SUM = 0.001

/**
 * Functional tickets of jobs, running ones first, as parts of all tickets. Those of a user are divided evenly among the jobs of the user that run, and
 * likewise for projects. Of the jobs that wait, the one that would get the most tickets if it ran is taken to run, again and again; it has the tickets that
 * it gets then. So the second waiting job of a user has fewer than the first, whatever their sizes. Ties by the order of the jobs, by submission. A job
 * of a user and a project without shares has none, and changes nothing for others.
 *
 * Source: `sge_calc_tickets` and `calc_pending_job_functional_tickets` of Grid Engine's sgeee.c (share_functional_shares=true), without departments, shares
 * of single jobs and max_functional_jobs_to_schedule.
 */
export function functionalTickets({ running, all, user, project }: TicketJobs, shares: FunctionalShares): Float64Array {
  const users = new Sharing(shares.users, shares.userPart)
  const projects = new Sharing(shares.projects, shares.projectPart)
  const tickets = new Float64Array(all)
  const enter = (at: number) => {
    users.enter(user[at] as number)
    projects.enter(project[at] as number)
  }
  const held = (at: number) => users.held(user[at] as number) + projects.held(project[at] as number)
  for (let at = 0; at < running; at++) enter(at)
  for (let at = 0; at < running; at++) tickets[at] = held(at)
  const queues = new Queues(all, ...(users.size < projects.size ? ([users, user, projects, project] as const) : ([projects, project, users, user] as const)))
  for (let at = running; at < all; at++) queues.add(at)
  for (let at = queues.next(); at >= 0; at = queues.next()) {
    enter(at)
    tickets[at] = held(at)
  }
  return tickets
}

/**
 * The waiting jobs in the order in which they are taken to run. Those of one category, a user and project, are offered the same and go by submission. Sums
 * of shares grow as others are taken, so what is offered changes for all. But of the categories of one project, the user of most shares over its jobs is
 * offered most whatever the sums are, so there is a list by those for each project, and only the first of each are compared. Either may be the outer one
 * here, projects or users; it should be the one of few.
 */
class Queues {
  readonly #outer: Sharing
  readonly #outerOf: ArrayLike<number>
  readonly #inner: Sharing
  readonly #innerOf: ArrayLike<number>
  /** By job: the next one of its category, -1: none. */
  readonly #after: Int32Array
  /** The last job of each category. */
  readonly #last = new Map<number, number>()
  /** By outer sharer, `counted`: the first job of each category, by what its inner sharer had for one more when it was placed, which only becomes less. */
  readonly #lists: (SortedIds | undefined)[] = []
  readonly #keys: Keys
  /** The job that is now the first of the category of the one taken last, -1: none. */
  #next = -1

  /** `all`: jobs are numbers below. `outerOf`, `innerOf`: by job, its sharers. */
  constructor(all: number, outer: Sharing, outerOf: ArrayLike<number>, inner: Sharing, innerOf: ArrayLike<number>) {
    this.#outer = outer
    this.#outerOf = outerOf
    this.#inner = inner
    this.#innerOf = innerOf
    this.#after = new Int32Array(all).fill(-1)
    this.#keys = new Keys(all)
  }

  /** Adds a job behind the earlier ones of its category. One that is offered nothing is never taken. */
  add(at: number): void {
    const list = this.#outer.counted(this.#outerOf[at] as number)
    const category = list * (this.#inner.size + 1) + this.#inner.counted(this.#innerOf[at] as number)
    if (category === 0) return
    const before = this.#last.get(category)
    if (before === undefined) this.#place(at)
    else this.#after[before] = at
    this.#last.set(category, at)
  }

  /** Takes the job that is offered most, the earliest of several; -1: all are taken. */
  next(): number {
    if (this.#next >= 0) this.#place(this.#next)
    let [taken, most] = [-1, -Infinity]
    for (const list of this.#lists) {
      const at = list === undefined ? -1 : this.#first(list)
      const offered = at < 0 ? -Infinity : this.#outer.offered(this.#outerOf[at] as number) + this.#inner.offered(this.#innerOf[at] as number)
      if (offered > most || (offered === most && at < taken)) [taken, most] = [at, offered]
    }
    this.#next = -1
    if (taken < 0) return -1
    this.#listOf(taken).remove(taken)
    this.#next = this.#after[taken] as number
    return taken
  }

  /** The job of a list whose inner sharer has most for one more, -1: none. */
  #first(list: SortedIds): number {
    while (!list.isEmpty) {
      const at = list.ids[list.from] as number
      const key = this.#keyOf(at)
      if (key === this.#keys.key[at]) return at
      list.rekey(at, key)
    }
    return -1
  }

  #place(at: number): void {
    this.#keys.set(at, this.#keyOf(at), at)
    this.#listOf(at).add(at)
  }

  #keyOf(at: number): number {
    return -this.#inner.forOneMore(this.#innerOf[at] as number)
  }

  #listOf(at: number): SortedIds {
    return (this.#lists[this.#outer.counted(this.#outerOf[at] as number)] ??= new SortedIds(this.#keys))
  }
}

/** How a part of the tickets is divided among sharers, and how many jobs each has. */
class Sharing {
  readonly #jobs: Int32Array
  #sum = 0

  constructor(private readonly shares: readonly number[], private readonly part: number) {
    this.#jobs = new Int32Array(shares.length)
  }

  get size(): number {
    return this.shares.length
  }

  enter(sharer: number): void {
    if (sharer >= 0 && (this.#jobs[sharer] as number)++ === 0) this.#sum += this.shares[sharer] as number
  }

  /** A number of the sharer from 1 on; 0 for all that no tickets go by. */
  counted(sharer: number): number {
    return sharer >= 0 && this.part > 0 && (this.shares[sharer] as number) > 0 ? sharer + 1 : 0
  }

  /** The tickets of each job of a sharer that has some. */
  held(sharer: number): number {
    return sharer < 0 || this.#sum === 0 ? 0 : ((this.shares[sharer] as number) / (this.#jobs[sharer] as number) / this.#sum) * this.part
  }

  /** What a sharer has of its shares for one more job; 0 for all that no tickets go by. */
  forOneMore(sharer: number): number {
    return this.counted(sharer) === 0 ? 0 : (this.shares[sharer] as number) / ((this.#jobs[sharer] as number) + 1)
  }

  /** The tickets by which the next job is chosen. */
  offered(sharer: number): number {
    return (this.forOneMore(sharer) / (this.#sum + LEAST_SUM)) * this.part
  }
}
