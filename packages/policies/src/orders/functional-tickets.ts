import { Keys, SortedIds } from './sorted-ids.js'

/** A job as Grid Engine's ticket policies see it: the numbers of its user and of its project, -1 without a project, and its slots. */
export interface TicketJob {
  readonly user: number
  readonly project: number
  readonly slots: number
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
 * it gets then. So the second waiting job of a user has fewer than the first, whatever their sizes. Ties by the order of `waiting`, by submission.
 *
 * Source: `sge_calc_tickets` and `calc_pending_job_functional_tickets` of Grid Engine's sgeee.c (share_functional_shares=true), without departments, shares
 * of single jobs and max_functional_jobs_to_schedule.
 */
export function functionalTickets(running: readonly TicketJob[], waiting: readonly TicketJob[], shares: FunctionalShares): Float64Array {
  const users = new Sharing(shares.users, shares.userPart)
  const projects = new Sharing(shares.projects, shares.projectPart)
  const tickets = new Float64Array(running.length + waiting.length)
  for (const { user, project } of running) {
    users.enter(user)
    projects.enter(project)
  }
  for (const [i, { user, project }] of running.entries()) tickets[i] = users.held(user) + projects.held(project)
  const offered = (at: number) => users.offered((waiting[at] as TicketJob).user) + projects.offered((waiting[at] as TicketJob).project)
  const queues = new Queues(waiting.map(({ user, project }) => users.counted(user) * (shares.projects.length + 1) + projects.counted(project)), offered)
  for (let at = queues.next(); at >= 0; at = queues.next()) {
    const { user, project } = waiting[at] as TicketJob
    users.enter(user)
    projects.enter(project)
    tickets[running.length + at] = users.held(user) + projects.held(project)
  }
  return tickets
}

/**
 * The waiting jobs in the order in which they are taken to run. Those of one category, a user and project, are offered the same and go by submission. What
 * jobs are offered only becomes less as others are taken, so the first of a list by former offers is next if its offer is still the same.
 */
class Queues {
  readonly #offered: (at: number) => number
  /** By job: the next one of its category, -1: none. */
  readonly #after: Int32Array
  /** The first job of each category, by what it was offered. */
  readonly #keys = new Keys()
  readonly #first = new SortedIds(this.#keys)

  /** The job that is now the first of the category of the one taken last, -1: none. */
  #next = -1

  /** `categories`: by job. `offered`: the tickets that a job would get now. */
  constructor(categories: readonly number[], offered: (at: number) => number) {
    this.#offered = offered
    this.#after = new Int32Array(categories.length).fill(-1)
    const last = new Map<number, number>()
    for (const [at, category] of categories.entries()) {
      const before = last.get(category)
      if (before === undefined) this.#add(at)
      else this.#after[before] = at
      last.set(category, at)
    }
  }

  /** Takes the job that is offered most, the earliest of several; -1: all are taken. */
  next(): number {
    if (this.#next >= 0) this.#add(this.#next)
    this.#next = -1
    const first = this.#first
    while (!first.isEmpty) {
      const at = first.ids[first.from] as number
      const key = -this.#offered(at)
      if (key === this.#keys.key[at]) {
        first.remove(at)
        this.#next = this.#after[at] as number
        return at
      }
      first.rekey(at, key)
    }
    return -1
  }

  #add(at: number): void {
    this.#keys.set(at, -this.#offered(at), at)
    this.#first.add(at)
  }
}

/** How a part of the tickets is divided among sharers, and how many jobs each has. */
class Sharing {
  readonly #jobs: Int32Array
  #sum = 0

  constructor(private readonly shares: readonly number[], private readonly part: number) {
    this.#jobs = new Int32Array(shares.length)
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

  /** The tickets by which the next job is chosen. */
  offered(sharer: number): number {
    return sharer < 0 ? 0 : ((this.shares[sharer] as number) / ((this.#jobs[sharer] as number) + 1) / (this.#sum + LEAST_SUM)) * this.part
  }
}
