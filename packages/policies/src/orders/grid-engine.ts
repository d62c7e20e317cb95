import { defineOrder, grown, resourceNamed, SchedError, type Env, type JobBlock, type JobId, type LaneId, type Order, type Plug, type ResourceId, type Round, type Seconds, type TaskId } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { DecayedUsage, type UsageMemory } from '../fair-share/decayed-usage.js'
import { NO_RESETS } from '../fair-share/usage-resets.js'
import { functionalTickets, type FunctionalShares, type TicketJob } from './functional-tickets.js'
import { shareTreeTickets } from './share-tree-tickets.js'

const weight = z.number().nonnegative()
const shares = z.record(z.string(), weight).default({})

const gridEngineOptions = z.strictObject({
  weight_priority: weight.default(1).describe("weight of the job's own priority (qsub -p), as its place between -1024 and 1024"),
  weight_urgency: weight.default(0.1).describe('weight of its urgency, as its place between the least and the most urgent job that waits or runs'),
  weight_ticket: weight.default(0.01).describe('weight of its tickets, functional ones or those of the share tree, as a fraction of the most that a job has'),
  weight_waiting_time: weight.default(0).describe('urgency for each second since its submission'),
  weight_deadline: weight.default(3_600_000).describe('urgency divided by the seconds until it must start to meet its deadline, which are at least 1'),
  urgency: z.record(z.string(), z.number()).default({ slots: 1000 }).describe('urgency for each unit of a resource that it asks for (urgency of complexes), by resource; slots: the first one'),
  weight_user: weight.default(0.25).describe('part of the functional tickets that goes by user'),
  weight_project: weight.default(0.25).describe('part of the functional tickets that goes by project, which is the account of a job'),
  users: shares.describe('functional shares of users (fshare); 0 where not named'),
  projects: shares.describe('functional shares of projects (fshare); 0 where not named'),
  share_tree: z
    .strictObject({
      users: shares.describe('shares of users'),
      default: weight.default(0).describe('shares of each user that is not named'),
      halftime: weight.default(168).describe('hours in which past usage halves; 0: it does not'),
      compensation_factor: weight.default(5).describe('a user who has used little is entitled to at most so many times its part of the shares, roughly; 0: to any part'),
    })
    .optional()
    .describe('tickets by past usage in slots x seconds, in place of functional ones'),
})
type Settings = z.output<typeof gridEngineOptions>
/** Options of `grid-engine`, under Grid Engine's names; all may be left out. */
export type GridEngineOptions = z.input<typeof gridEngineOptions>

/**
 * By Grid Engine's dispatch priority, highest first, ties by submission: a weighted sum of the job's own priority, its urgency and its tickets, each from
 * 0 to 1. The defaults are those of its installer. Priorities are computed once per instant, and anew where jobs have come or ended.
 *
 * Source: sge_priority(5), sgeee.c and sge_urgency.c of Grid Engine. Deviations: the share tree is one of users alone, usage is what
 * jobs hold, and there are no override tickets, departments and dependent policies; a deadline is that of the end, so a job must start its estimate
 * before; amounts are in the units of the cluster, for the job as a whole.
 */
export const gridEngineOrder = defineOrder({
  name: 'grid-engine',
  summary: "Grid Engine's dispatch priority: own priority, urgency, tickets",
  source: 'Grid Engine, sge_priority(5)',
  options: gridEngineOptions,
  create: (options, env) => new GridEngine(options, env),
})

/** By Grid Engine's dispatch priority. */
export const gridEngine = (options: GridEngineOptions = {}): Plug<'order'> => gridEngineOrder.plug({}, options)

/** Seconds of a period after which past usage decays. */
const PERIOD = 60
const HOUR = 3600

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
  /** By job: the urgency of what it asks for, and its slots. */
  readonly #asked: number[] = []
  readonly #slots: number[] = []
  /** By user, with a share tree. */
  readonly #usage: DecayedUsage | undefined
  #unread: Waiting | undefined
  declare readonly memory?: () => UsageMemory
  declare readonly recall?: (memory: unknown) => void

  constructor(options: Settings, env: Env) {
    this.#options = options
    this.#env = env
    const { resources } = env.cluster
    this.#urgencies = Object.entries(options.urgency).map(([name, each]) => ({ resource: name === 'slots' ? name : resourceNamed(name, resources, 'grid-engine.urgency'), weight: each }))
    this.#waiting = env.cluster.lanes.map(() => new Waiting())
    const { share_tree: tree, users, projects } = options
    if (tree === undefined) return
    if (Object.keys(users).length + Object.keys(projects).length > 0)
      throw new SchedError('BAD_OPTION', 'there are functional shares (users, projects) beside a share tree.', { field: 'grid-engine.share_tree' }, 'Give one of them.')
    const usage = new DecayedUsage({ halfLife: tree.halftime * HOUR, calcPeriod: PERIOD, resets: NO_RESETS })
    this.#usage = usage
    this.memory = () => usage.memory()
    this.recall = (memory) => usage.recall(memory as UsageMemory)
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
    const tickets = weight_ticket === 0 ? undefined : this.#tickets(all, runs, now)
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
  #tickets(jobs: readonly JobId[], runs: number, now: Seconds): ArrayLike<number> {
    const { work } = this.#env
    const [users, projects] = [new Numbers(), new Numbers()]
    const sharers = jobs.map((job): TicketJob => {
      const project = work.account(job)
      return { user: users.of(work.userName(work.user(job))), project: project === '' ? -1 : projects.of(project), slots: this.#slots[job] as number }
    })
    const [running, waiting] = [sharers.slice(0, runs), sharers.slice(runs)]
    return normalized([0, ...(this.#byTree(running, waiting, users.names, now) ?? functionalTickets(running, waiting, this.#functional(users.names, projects.names)))]).slice(1)
  }

  #functional(users: readonly string[], projects: readonly string[]): FunctionalShares {
    const { weight_user, weight_project } = this.#options
    const parts = weight_user + weight_project
    return {
      users: users.map((name) => this.#options.users[name] ?? 0),
      projects: projects.map((name) => this.#options.projects[name] ?? 0),
      userPart: parts > 0 ? weight_user / parts : 0,
      projectPart: parts > 0 ? weight_project / parts : 0,
    }
  }

  /** The tickets of the share tree, if there is one. */
  #byTree(running: readonly TicketJob[], waiting: readonly TicketJob[], users: readonly string[], now: Seconds): Float64Array | undefined {
    const { share_tree: tree } = this.#options
    const usage = this.#usage
    if (tree === undefined || usage === undefined) return undefined
    usage.advance(now)
    const all = users.map((name) => ({ shares: tree.users[name] ?? tree.default, usage: usage.until(usage.id(name), now) }))
    return shareTreeTickets(running, waiting, all, tree.compensation_factor)
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
    this.#slots[job] = first === undefined ? 0 : work.asked(job, lane, first)
    this.#waiting[lane]?.add(job)
    this.#forget()
  }

  onDrained(job: JobId, lane: LaneId): void {
    this.#waiting[lane]?.remove(job)
  }

  onClaim(job: JobId, lane: LaneId, task: TaskId): void {
    this.#use(job, lane, task, 1)
    this.#running.set(job, (this.#running.get(job) ?? 0) + 1)
  }

  onRelease(job: JobId, lane: LaneId, task: TaskId): void {
    this.#use(job, lane, task, -1)
    const left = (this.#running.get(job) ?? 0) - 1
    if (left > 0) this.#running.set(job, left)
    else this.#running.delete(job)
    this.#forget()
  }

  #use(job: JobId, lane: LaneId, task: TaskId, sign: 1 | -1): void {
    const { cluster, work } = this.#env
    const slots = cluster.lanes[lane]?.resources[0]
    const usage = this.#usage
    if (usage !== undefined && slots !== undefined) usage.change(usage.id(work.userName(work.user(job))), sign * work.demand(work.shapeOf(task), slots), this.#env.now())
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
