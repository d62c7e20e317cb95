import {
  defineOrder, grown, rememberedJobs, resourceNamed, SchedError, type Env, type JobBlock, type JobId, type LaneId, type NodeId, type Order, type Plug,
  type Release, type ResourceId, type Round, type Seconds, type TaskId,
} from '@sched/core'
import * as z from '@sched/bundled/zod'
import { DecayedUsage, type UsageMemory } from '../fair-share/decayed-usage.js'
import { NO_RESETS } from '../fair-share/usage-resets.js'
import { byScore } from './by-score.js'
import { FunctionalPolicy, ShareTreePolicy, type SharingJobs, type TicketPolicy } from './grid-engine-tickets.js'
import { slotsIn } from './slot-resource.js'
import { Keys, SortedIds } from './sorted-ids.js'

const weight = z.number().nonnegative()
const shares = z.record(z.string(), weight).default({})

const gridEngineOptions = z.strictObject({
  weight_priority: weight.default(1).describe("weight of the job's own priority (qsub -p), as its place between -1024 and 1024"),
  weight_urgency: weight.default(0.1).describe('weight of its urgency, as its place between the least and the most urgent job that waits or runs'),
  weight_ticket: weight.default(0.01).describe('weight of its tickets, functional ones or those of the share tree, as a fraction of the most that a job has'),
  weight_waiting_time: weight.default(0).describe('urgency for each second since its submission'),
  weight_deadline: weight.default(3_600_000).describe('urgency divided by the seconds until it must start to meet its deadline, which are at least 1'),
  urgency: z.record(z.string(), z.number()).default({ slots: 1000 }).describe('urgency for each unit of a resource that it asks for (urgency of complexes), by resource; slots: the first one, unless one is called so'),
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
 * before; amounts are in the units of the cluster, for what a job starts together: all of a gang, or one task of what is an array there.
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

/** What jobs in lanes asked for when they last waited, which of one that runs is not known otherwise, and with a share tree what users have used. */
interface GridEngineMemory {
  readonly asked: readonly (readonly [job: string, lane: number, asked: number, slots: number])[]
  readonly usage?: UsageMemory
}

class GridEngine implements Order {
  readonly readsAll = true
  readonly #options: Settings
  readonly #env: Env
  readonly #lanes: number
  readonly #urgencies: readonly { readonly resource: ResourceId | 'slots'; readonly weight: number }[]
  /** By lane: the resource that counts as slots, the one called so or the first. */
  readonly #slotsOf: readonly (ResourceId | undefined)[]
  /** Lists the jobs that wait by `#priority`. */
  readonly #ranking: Order
  /** By lane: what waits, by submission; and when its priorities were computed, with the number of that computation, NaN if they are to be anew. */
  readonly #waiting: readonly SortedIds[]
  readonly #asOf: Seconds[]
  readonly #computed: number[]
  #computations = 0
  /** What runs, by submission: jobs in lanes, `job * lanes + lane`; and how many tasks of each run. */
  readonly #running: SortedIds
  readonly #runningKeys = new Keys()
  readonly #tasks: number[] = []
  readonly #waitingKeys = new Keys()
  /** By job in a lane: its priority and in which computation it got that, the urgency of what it asks for, and its slots. */
  readonly #priority: number[] = []
  readonly #gotIn: number[] = []
  readonly #asked: number[] = []
  readonly #slots: number[] = []
  /** By user, with a share tree. */
  readonly #usage: DecayedUsage | undefined
  readonly #tickets: TicketPolicy
  /** Scratch of a computation. */
  readonly #listed: ListedJobs
  #urgency = new Float64Array(64)

  constructor(options: Settings, env: Env) {
    this.#options = options
    this.#env = env
    const { lanes, resources } = env.cluster
    this.#lanes = lanes.length
    this.#urgencies = Object.entries(options.urgency).map(([name, each]) => ({ resource: name === 'slots' ? name : resourceNamed(name, resources, 'grid-engine.urgency'), weight: each }))
    this.#slotsOf = slotsIn(env.cluster)
    this.#waiting = lanes.map(() => new SortedIds(this.#waitingKeys))
    this.#asOf = lanes.map(() => NaN)
    this.#computed = lanes.map(() => 0)
    this.#running = new SortedIds(this.#runningKeys)
    this.#listed = new ListedJobs(this.#lanes, this.#slots)
    this.#ranking = byScore(env, (job, _now, lane) => this.#priority[job * this.#lanes + lane] as number, (_now, lane) => this.#computed[lane] as number)
    const { share_tree: tree, users, projects } = options
    this.#tickets = new FunctionalPolicy(env, options)
    if (tree === undefined) return
    if (Object.keys(users).length + Object.keys(projects).length > 0)
      throw new SchedError('BAD_OPTION', 'there are functional shares (users, projects) beside a share tree.', { field: 'grid-engine.share_tree' }, 'Give one of them.')
    this.#usage = new DecayedUsage({ halfLife: tree.halftime * HOUR, calcPeriod: PERIOD, resets: NO_RESETS })
    this.#tickets = new ShareTreePolicy(env, this.#usage, tree)
  }

  begin(round: Round): void {
    const { lane, now } = round
    if (this.#asOf[lane] !== now) {
      this.#asOf[lane] = now
      this.#computed[lane] = ++this.#computations
      this.#prioritize(lane, now)
    }
    this.#ranking.begin(round)
  }

  next(): JobBlock | undefined {
    return this.#ranking.next()
  }

  /** Computes the priorities of the jobs that wait in a lane. */
  #prioritize(lane: LaneId, now: Seconds): void {
    const { weight_priority, weight_urgency, weight_ticket } = this.#options
    const { work } = this.#env
    const waiting = this.#waiting[lane] as SortedIds
    if (waiting.isEmpty) return
    const jobs = this.#listed
    jobs.list(this.#running, waiting, lane)
    const { running, all, job, index } = jobs
    const urgencies = weight_urgency === 0 ? undefined : this.#urgenciesOf(jobs, now)
    const tickets = weight_ticket === 0 ? undefined : this.#ticketsOf(jobs, now)
    for (let i = running; i < all; i++) {
      const at = index[i] as number
      const own = Math.min(1, Math.max(0, (work.priority(job[i] as JobId) + PRIORITIES) / (2 * PRIORITIES)))
      this.#priority[at] = weight_priority * own + weight_urgency * (urgencies?.[i] ?? 0) + weight_ticket * (tickets?.[i] ?? ALIKE)
      this.#gotIn[at] = this.#computations
    }
  }

  /** Urgencies as places between the least and the largest. */
  #urgenciesOf({ all, job, index }: ListedJobs, now: Seconds): Float64Array {
    const { weight_waiting_time, weight_deadline } = this.#options
    const { work } = this.#env
    const urgencies = (this.#urgency = grown(this.#urgency, all))
    for (let i = 0; i < all; i++) {
      const id = job[i] as JobId
      const estimate = work.estimate(id)
      const latest = work.deadline(id) - (estimate < Infinity ? estimate : 0)
      urgencies[i] = weight_waiting_time * (now - work.submitted(id)) + (latest < Infinity ? weight_deadline / Math.max(1, latest - now) : 0) + (this.#asked[index[i] as number] as number)
    }
    normalize(urgencies, all)
    return urgencies
  }

  /** Tickets as fractions of the most that a job has; `undefined` if none can have any. */
  #ticketsOf(jobs: ListedJobs, now: Seconds): Float64Array | undefined {
    const tickets = this.#tickets.of(jobs, now)
    if (tickets !== undefined) normalize(tickets, jobs.all, 0)
    return tickets
  }

  // ---- keeping current ----

  onReady(job: JobId, lane: LaneId): void {
    this.#count(job, lane)
    this.#waitingKeys.set(job, this.#env.work.rank(job), 0)
    this.#waiting[lane]?.add(job)
    this.#ranking.onReady?.(job, lane)
    if (this.#gotIn[job * this.#lanes + lane] !== this.#computed[lane]) this.#forget() // else a claim is taken back, and the job has its priority
  }

  onMore(job: JobId, lane: LaneId): void {
    this.#count(job, lane)
    this.#ranking.onMore?.(job, lane)
  }

  onDrained(job: JobId, lane: LaneId): void {
    this.#waiting[lane]?.remove(job)
    this.#ranking.onDrained?.(job, lane)
  }

  onClaim(job: JobId, lane: LaneId, task: TaskId): void {
    this.#use(job, lane, task, 1)
    const index = job * this.#lanes + lane
    const tasks = (this.#tasks[index] = (this.#tasks[index] ?? 0) + 1)
    if (tasks > 1) return
    this.#runningKeys.set(index, this.#env.work.rank(job), lane)
    this.#running.add(index)
  }

  onRelease(job: JobId, lane: LaneId, task: TaskId, _node: NodeId, why: Release): void {
    this.#use(job, lane, task, -1)
    const index = job * this.#lanes + lane
    const tasks = (this.#tasks[index] = (this.#tasks[index] as number) - 1)
    if (tasks === 0) this.#running.remove(index)
    if (why !== 'withdrawn') this.#forget()
  }

  onFinish(job: JobId): void {
    for (let lane = 0; lane < this.#lanes; lane++) this.#gotIn[job * this.#lanes + lane] = NaN
    this.#forget()
  }

  memory(): GridEngineMemory {
    const { work } = this.#env
    const asked = work.jobs().flatMap((job) => Array.from({ length: this.#lanes }, (_, lane) => {
      const index = job * this.#lanes + lane
      return [work.name(job), lane, this.#asked[index] ?? 0, this.#slots[index] ?? 0] as const
    }))
    return { asked, ...(this.#usage !== undefined && { usage: this.#usage.memory() }) }
  }

  recall(memory: unknown): void {
    const { asked, usage } = memory as GridEngineMemory
    for (const [job, lane, own, slots] of rememberedJobs(asked, this.#env.work)) {
      this.#asked[job * this.#lanes + lane] = own
      this.#slots[job * this.#lanes + lane] = slots
    }
    if (usage !== undefined) this.#usage?.recall(usage)
    this.#forget()
  }

  /** Counts what a job asks for in a lane. */
  #count(job: JobId, lane: LaneId): void {
    const { cluster, work } = this.#env
    const slots = this.#slotsOf[lane]
    const index = job * this.#lanes + lane
    this.#asked[index] = 0
    for (const { resource, weight: each } of this.#urgencies) {
      const id = resource === 'slots' ? slots : resource
      if (id !== undefined && cluster.lanes[lane]?.resources.includes(id) === true) this.#asked[index] += each * work.asked(job, lane, id)
    }
    this.#slots[index] = slots === undefined ? 0 : work.asked(job, lane, slots)
  }

  #use(job: JobId, lane: LaneId, task: TaskId, sign: 1 | -1): void {
    const { work } = this.#env
    const slots = this.#slotsOf[lane]
    const usage = this.#usage
    if (usage !== undefined && slots !== undefined) usage.change(usage.id(work.userName(work.user(job))), sign * work.demand(work.shapeOf(task), slots), this.#env.now())
  }

  /** Lets all lanes compute priorities anew: running jobs of one count in all. */
  #forget(): void {
    this.#asOf.fill(NaN)
    this.#computed.fill(NaN)
  }
}

/** Jobs of a lane that share tickets and urgency: those that run in any lane, then those that wait in it. */
class ListedJobs implements SharingJobs {
  running = 0
  all = 0
  /** By place: the job in its lane, the job alone, and its slots. */
  index = new Float64Array(64)
  job = new Int32Array(64)
  slots = new Float64Array(64)

  /** `slotsOf`: slots by job in its lane. */
  constructor(private readonly lanes: number, private readonly slotsOf: readonly number[]) {}

  list(running: SortedIds, waiting: SortedIds, lane: LaneId): void {
    this.running = running.size
    this.all = running.size + waiting.size
    this.index = grown(this.index, this.all)
    this.job = grown(this.job, this.all)
    this.slots = grown(this.slots, this.all)
    for (let i = 0; i < running.size; i++) this.#put(i, running.ids[running.from + i] as number)
    for (let i = 0; i < waiting.size; i++) this.#put(running.size + i, (waiting.ids[waiting.from + i] as number) * this.lanes + lane)
  }

  #put(i: number, index: number): void {
    this.index[i] = index
    this.job[i] = Math.floor(index / this.lanes)
    this.slots[i] = this.slotsOf[index] as number
  }
}

/** Values that differ by less are equal (SGE_EPSILON), and then all have the place `ALIKE`. */
const EPSILON = 1e-5
const ALIKE = 0.5

/** Turns the first values into places between the least and the largest of them and of `known`. */
function normalize(values: Float64Array, count: number, ...known: readonly number[]): void {
  let [least, most] = [Math.min(...known), Math.max(...known)]
  for (let i = 0; i < count; i++) {
    least = Math.min(least, values[i] as number)
    most = Math.max(most, values[i] as number)
  }
  for (let i = 0; i < count; i++) values[i] = most - least < EPSILON ? ALIKE : ((values[i] as number) - least) / (most - least)
}
