import { defineOrder, grown, resourceNamed, type Env, type JobBlock, type JobId, type LaneId, type Order, type Plug, type ResourceId, type Round, type Seconds } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { functionalTickets, type FunctionalShares, type TicketJob } from './functional-tickets.js'

const weight = z.number().nonnegative()
const shares = z.record(z.string(), weight).default({})

const gridEngineOptions = z.strictObject({
  weight_priority: weight.default(1).describe("weight of the job's own priority (qsub -p), as its place between -1024 and 1024"),
  weight_urgency: weight.default(0.1).describe('weight of its urgency, as its place between the least and the most urgent job that waits or runs'),
  weight_ticket: weight.default(0.01).describe('weight of its functional tickets, as a fraction of the most that a job has'),
  weight_waiting_time: weight.default(0).describe('urgency for each second since its submission'),
  weight_deadline: weight.default(3_600_000).describe('urgency divided by the seconds until it must start to meet its deadline, which are at least 1'),
  urgency: z.record(z.string(), z.number()).default({ slots: 1000 }).describe('urgency for each unit of a resource that it asks for (urgency of complexes), by resource; slots: the first one'),
  weight_user: weight.default(0.25).describe('part of the functional tickets that goes by user'),
  weight_project: weight.default(0.25).describe('part of the functional tickets that goes by project, which is the account of a job'),
  users: shares.describe('functional shares of users (fshare); 0 where not named'),
  projects: shares.describe('functional shares of projects (fshare); 0 where not named'),
})
type Settings = z.output<typeof gridEngineOptions>
/** Options of `grid-engine`, under Grid Engine's names; all may be left out. */
export type GridEngineOptions = z.input<typeof gridEngineOptions>

/**
 * By Grid Engine's dispatch priority, highest first, ties by submission: a weighted sum of the job's own priority, its urgency and its functional tickets,
 * each from 0 to 1. The defaults are those of its installer. Priorities are computed once per instant, and anew where jobs have come or ended.
 *
 * Source: sge_priority(5), sgeee.c and sge_urgency.c of Grid Engine. Deviations: there are no share tree, override tickets and departments; a deadline is
 * that of the end, so a job must start its estimate before; amounts are in the units of the cluster, for the job as a whole.
 */
export const gridEngineOrder = defineOrder({
  name: 'grid-engine',
  summary: "Grid Engine's dispatch priority: own priority, urgency, functional tickets",
  source: 'Grid Engine, sge_priority(5)',
  options: gridEngineOptions,
  create: (options, env) => new GridEngine(options, env),
})

/** By Grid Engine's dispatch priority. */
export const gridEngine = (options: GridEngineOptions = {}): Plug<'order'> => gridEngineOrder.plug({}, options)

/** Own priorities lie between -`PRIORITIES` and `PRIORITIES`. */
const PRIORITIES = 1024

class GridEngine implements Order {
  readonly readsAll = true
  readonly #options: Settings
  readonly #env: Env
  readonly #urgencies: readonly { readonly resource: ResourceId | 'slots'; readonly weight: number }[]
  readonly #waiting: readonly Waiting[]
  /** Running jobs and how many of their tasks run. */
  readonly #running = new Map<JobId, number>()
  /** By job: the urgency of what it asks for. */
  readonly #asked: number[] = []
  #unread: Waiting | undefined

  constructor(options: Settings, env: Env) {
    this.#options = options
    this.#env = env
    const { resources } = env.cluster
    this.#urgencies = Object.entries(options.urgency).map(([name, each]) => ({ resource: name === 'slots' ? name : resourceNamed(name, resources, 'grid-engine.urgency'), weight: each }))
    this.#waiting = env.cluster.lanes.map(() => new Waiting())
  }

  begin({ lane, now }: Round): void {
    const waiting = this.#waiting[lane] as Waiting
    this.#unread = waiting
    if (waiting.asOf === now) return
    waiting.asOf = now
    const { work } = this.#env
    const jobs = waiting.bySubmission((job) => work.rank(job))
    waiting.sort(this.#priorities(jobs, now), (job) => work.rank(job))
  }

  next(): JobBlock | undefined {
    const block = this.#unread
    this.#unread = undefined
    return block
  }

  /** The priorities of the jobs of a lane that wait, given by submission. */
  #priorities(waiting: readonly JobId[], now: Seconds): ReadonlyMap<JobId, number> {
    const { weight_priority, weight_urgency, weight_ticket } = this.#options
    const { work } = this.#env
    const all = [...[...this.#running.keys()].sort((a, b) => work.rank(a) - work.rank(b)), ...waiting]
    const runs = all.length - waiting.length
    const urgencies = weight_urgency === 0 ? undefined : normalized(all.map((job) => this.#urgency(job, now)))
    const tickets = weight_ticket === 0 ? undefined : this.#tickets(all, runs)
    return new Map(waiting.map((job, i) => [
      job,
      weight_priority * Math.min(1, Math.max(0, (work.priority(job) + PRIORITIES) / (2 * PRIORITIES)))
        + (urgencies === undefined ? 0 : weight_urgency * (urgencies[runs + i] as number)) + (tickets === undefined ? 0 : weight_ticket * (tickets[runs + i] as number)),
    ]))
  }

  #urgency(job: JobId, now: Seconds): number {
    const { weight_waiting_time, weight_deadline } = this.#options
    const { work } = this.#env
    const estimate = work.estimate(job)
    const latest = work.deadline(job) - (estimate < Infinity ? estimate : 0)
    return weight_waiting_time * (now - work.submitted(job)) + (latest < Infinity ? weight_deadline / Math.max(1, latest - now) : 0) + (this.#asked[job] as number)
  }

  /** Tickets as fractions of the most that a job has; 1/2 for all if none has any. */
  #tickets(jobs: readonly JobId[], runs: number): ArrayLike<number> {
    const { users, projects, weight_user, weight_project } = this.#options
    const { work } = this.#env
    const [userNumbers, projectNumbers] = [new Numbers(), new Numbers()]
    const sharers = jobs.map((job): TicketJob => {
      const project = work.account(job)
      return { user: userNumbers.of(work.userName(work.user(job))), project: project === '' ? -1 : projectNumbers.of(project) }
    })
    const parts = weight_user + weight_project
    const all: FunctionalShares = {
      users: userNumbers.names.map((name) => users[name] ?? 0),
      projects: projectNumbers.names.map((name) => projects[name] ?? 0),
      userPart: parts > 0 ? weight_user / parts : 0,
      projectPart: parts > 0 ? weight_project / parts : 0,
    }
    return normalized([0, ...functionalTickets(sharers.slice(0, runs), sharers.slice(runs), all)]).slice(1)
  }

  // ---- keeping current ----

  onReady(job: JobId, lane: LaneId): void {
    const { cluster, work } = this.#env
    const first = cluster.lanes[lane]?.resources[0]
    let asked = 0
    for (const { resource, weight: each } of this.#urgencies) {
      const id = resource === 'slots' ? first : resource
      if (id !== undefined && cluster.lanes[lane]?.resources.includes(id) === true) asked += each * work.asked(job, lane, id)
    }
    this.#asked[job] = asked
    this.#waiting[lane]?.add(job)
    this.#forget()
  }

  onDrained(job: JobId, lane: LaneId): void {
    this.#waiting[lane]?.remove(job)
  }

  onClaim(job: JobId): void {
    this.#running.set(job, (this.#running.get(job) ?? 0) + 1)
  }

  onRelease(job: JobId): void {
    const left = (this.#running.get(job) ?? 0) - 1
    if (left > 0) this.#running.set(job, left)
    else this.#running.delete(job)
    this.#forget()
  }

  /** Lets all lanes compute priorities anew: running jobs of one count in all. */
  #forget(): void {
    for (const waiting of this.#waiting) waiting.asOf = NaN
  }
}

/** Waiting jobs of a lane, by priority as of `asOf`. */
class Waiting implements JobBlock {
  ids = new Int32Array(64)
  readonly from = 0
  to = 0
  asOf: Seconds = NaN

  add(job: JobId): void {
    this.ids = grown(this.ids, this.to + 1)
    this.ids[this.to++] = job
  }

  remove(job: JobId): void {
    this.ids.copyWithin(this.ids.indexOf(job), this.ids.indexOf(job) + 1, this.to)
    this.to--
  }

  bySubmission(rank: (job: JobId) => number): JobId[] {
    return (Array.from(this.ids.subarray(0, this.to)) as JobId[]).sort((a, b) => rank(a) - rank(b))
  }

  sort(priorities: ReadonlyMap<JobId, number>, rank: (job: JobId) => number): void {
    this.ids.subarray(0, this.to).sort((a, b) => (priorities.get(b as JobId) as number) - (priorities.get(a as JobId) as number) || rank(a as JobId) - rank(b as JobId))
  }
}

/** Numbers of names, dense from 0. */
class Numbers {
  readonly names: string[] = []
  readonly #known = new Map<string, number>()

  of(name: string): number {
    let number = this.#known.get(name)
    if (number === undefined) this.#known.set(name, (number = this.names.push(name) - 1))
    return number
  }
}

/** Values that differ by less are equal (SGE_EPSILON). */
const EPSILON = 1e-5

/** Values as places between the least and the largest of them, 1/2 where all are alike. */
function normalized(values: readonly number[]): number[] {
  let [least, most] = [Infinity, -Infinity]
  for (const value of values) {
    least = Math.min(least, value)
    most = Math.max(most, value)
  }
  return values.map((value) => (most - least < EPSILON ? 0.5 : (value - least) / (most - least)))
}
