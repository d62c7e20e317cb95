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
  const queues = categories(waiting)
  while (queues.length > 0) {
    const best = leading(queues, waiting, users, projects)
    const at = (queues[best] as number[]).shift() as number
    if (queues[best]?.length === 0) queues.splice(best, 1)
    const { user, project } = waiting[at] as TicketJob
    users.enter(user)
    projects.enter(project)
    tickets[running.length + at] = users.held(user) + projects.held(project)
  }
  return tickets
}

/** Jobs of the same user and project, in their order. */
function categories(waiting: readonly TicketJob[]): number[][] {
  const queues = new Map<string, number[]>()
  for (const [i, { user, project }] of waiting.entries()) {
    const queue = queues.get(`${user} ${project}`)
    if (queue === undefined) queues.set(`${user} ${project}`, [i])
    else queue.push(i)
  }
  return [...queues.values()]
}

/** The queue whose first job would get the most tickets. */
function leading(queues: readonly (readonly number[])[], waiting: readonly TicketJob[], users: Sharing, projects: Sharing): number {
  let best = 0
  let most = -1
  for (const [i, [at = 0]] of queues.entries()) {
    const { user, project } = waiting[at] as TicketJob
    const tickets = users.offered(user) + projects.offered(project)
    if (tickets > most || (tickets === most && at < (queues[best]?.[0] as number))) {
      best = i
      most = tickets
    }
  }
  return best
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

  /** The tickets of each job of a sharer that has some. */
  held(sharer: number): number {
    return sharer < 0 || this.#sum === 0 ? 0 : ((this.shares[sharer] as number) / (this.#jobs[sharer] as number) / this.#sum) * this.part
  }

  /** The tickets by which the next job is chosen. */
  offered(sharer: number): number {
    return sharer < 0 ? 0 : ((this.shares[sharer] as number) / ((this.#jobs[sharer] as number) + 1) / (this.#sum + LEAST_SUM)) * this.part
  }
}
