import { listOf, ownValue, type Env, type JobId, type LaneId, type ResourceId, type ShapeId, type TaskId, type WorkListener } from '@sched/core'
import { entityLimits, type Entity, type EntityLimits } from './entity-limits.js'
import type { LevelOptions, SoftLimitOptions } from './options.js'
import { isMemory, pbsResource } from './resource-name.js'

/** What is counted beside jobs: a resource of nodes, or without one a licence of jobs. */
export interface Counted {
  readonly name: string
  readonly resource: ResourceId | undefined
}

/** What the running jobs of one user, group or all hold, its limits (`Infinity`: none) and which of them that is over; amounts in the order of what is counted. */
interface Tally {
  readonly index: number
  jobs: number
  readonly most: number
  readonly amounts: number[]
  readonly mostOf: readonly number[]
  isOver: boolean
  readonly over: boolean[]
}

/** The limits of the cluster or of a queue, with what runs under them; absent limits are none. */
interface Scope {
  readonly run: EntityLimits | undefined
  readonly amounts: readonly (EntityLimits | undefined)[]
  readonly tallies: Map<string, Tally>
}

/** Most crossings that are kept; a trial makes few. */
const MOST_CROSSINGS = 1000

/** A job: where it counts and has limits, how many of its tasks run, and what of the counted it asks for. */
interface Counting {
  readonly server: readonly Tally[]
  readonly queue: readonly Tally[]
  /** Both. */
  readonly all: readonly Tally[]
  running: number
  readonly asks: boolean[]
}

/**
 * Soft limits of the cluster and of queues: nobody has to wait for one, but where more runs of a user than one allows, all jobs of the user are over it, those that
 * wait, too; over a limit of an amount only those that ask for it.
 *
 * Source: OpenPBS, `update_soft_limits`, `check_soft_limits` of limits.cpp.
 */
export class SoftLimits implements WorkListener {
  /** Changes when jobs in the system may have become over a limit, or are no more; the same again: the same jobs are over the same limits, as where a trial was taken back. */
  version = 0
  /** How often the version has changed, also where it was taken back. */
  changes = 0
  /** Limits that tasks put somebody over, or no more, with the version before; the last one is taken back first. */
  readonly #crossings: { readonly limits: string; readonly before: number }[] = []
  /** Those that the task crosses which is being counted, as numbers: of each tally that of jobs, then those of amounts. */
  readonly #crossedNow: number[] = []
  #tallies = 0
  readonly #env: Env
  readonly #counted: readonly Counted[]
  readonly #server: Scope
  readonly #queues: ReadonlyMap<string, Scope>
  readonly #jobs: (Counting | undefined)[] = listOf()

  constructor({ server, queues }: Pick<LevelOptions, 'server' | 'queues'>, env: Env, field: string) {
    this.#env = env
    const names = [...new Set([server, ...Object.values(queues)].flatMap(({ max_run_res_soft: amounts }) => Object.keys(amounts)))]
    this.#counted = names.map((name) => ({ name, resource: pbsResource(name, env.cluster, `${field}.max_run_res_soft`) }))
    const scopeOf = (path: string, { max_run_soft: run, max_run_res_soft: amounts }: SoftLimitOptions): Scope => ({
      run: run === undefined ? undefined : entityLimits(run, `${field}.${path}.max_run_soft`),
      amounts: names.map((name) => {
        const text = ownValue(amounts, name)
        return text === undefined ? undefined : entityLimits(text, `${field}.${path}.max_run_res_soft.${name}`, isMemory(name))
      }),
      tallies: new Map(),
    })
    this.#server = scopeOf('server', server)
    this.#queues = new Map(Object.entries(queues).map(([name, limits]) => [name, scopeOf(`queues.${name}`, limits)]))
  }

  onSubmit(job: JobId): void {
    const { work } = this.#env
    const licenses = work.licenses(job)
    const entities = [['u', work.userName(work.user(job))], ['g', work.account(job)], ['o', '']] as const
    const tallies = (scope: Scope | undefined) => entities.flatMap(([entity, name]) => (scope === undefined ? [] : (this.#tallyOf(scope, entity, name) ?? [])))
    const [server, queue] = [tallies(this.#server), tallies(this.#queues.get(work.queueName(work.queue(job))))]
    this.#jobs[job] = {
      server,
      queue,
      all: [...server, ...queue],
      running: 0,
      asks: this.#counted.map(({ name, resource }) => resource === undefined && (ownValue(licenses, name) ?? 0) > 0),
    }
  }

  onReady(job: JobId, lane: LaneId): void {
    this.#ask(job, this.#env.work.shape(job, lane))
  }

  onMore(job: JobId, lane: LaneId): void {
    this.#ask(job, this.#env.work.shape(job, lane))
  }

  onClaim(job: JobId, _lane: LaneId, task: TaskId): void {
    this.#ask(job, this.#env.work.shapeOf(task))
    this.#count(job, task, 1)
  }

  onRelease(job: JobId, _lane: LaneId, task: TaskId): void {
    this.#count(job, task, -1)
  }

  onFinish(job: JobId): void {
    this.#jobs[job] = undefined
  }

  /** Whether there are none at all. */
  get isEmpty(): boolean {
    return [this.#server, ...this.#queues.values()].every(({ run, amounts }) => run === undefined && amounts.every((each) => each === undefined))
  }

  /** The limits that the job counts under: one that has none in common with it never puts it over any. */
  limitsOf(job: JobId): readonly object[] {
    return (this.#jobs[job] as Counting).all
  }

  isOverServerLimit(job: JobId): boolean {
    const { server, asks } = this.#jobs[job] as Counting
    return isOverAny(server, asks)
  }

  isOverQueueLimit(job: JobId): boolean {
    const { queue, asks } = this.#jobs[job] as Counting
    return isOverAny(queue, asks)
  }

  /** What counts for a user, group or all in a scope; `undefined` where nothing limits it. */
  #tallyOf({ run, amounts, tallies }: Scope, entity: Entity, name: string): Tally | undefined {
    const key = `${entity} ${name}`
    const known = tallies.get(key)
    if (known !== undefined) return known
    const most = run?.of(entity, name) ?? Infinity
    const mostOf = amounts.map((each) => each?.of(entity, name) ?? Infinity)
    if (most === Infinity && mostOf.every((each) => each === Infinity)) return undefined
    const tally = { index: this.#tallies++, jobs: 0, most, amounts: amounts.map(() => 0), mostOf, isOver: false, over: amounts.map(() => false) }
    tallies.set(key, tally)
    return tally
  }

  /** Notes what the job asks for of what is counted. */
  #ask(job: JobId, shape: ShapeId): void {
    const { asks, server, queue } = this.#jobs[job] as Counting
    for (const [i, { resource }] of this.#counted.entries()) {
      if (asks[i] === true || resource === undefined || this.#env.work.demand(shape, resource) === 0) continue
      asks[i] = true
      if ([...server, ...queue].some(({ over }) => over[i] === true)) this.#isOther()
    }
  }

  #isOther(): void {
    this.#crossings.length = 0
    this.version = ++this.changes
  }

  /** A task has put somebody over these limits, or no more. */
  #crossed(limits: string): void {
    this.changes++
    const last = this.#crossings.at(-1)
    if (last?.limits === limits) {
      this.version = last.before
      this.#crossings.pop()
      return
    }
    if (this.#crossings.length === MOST_CROSSINGS) this.#crossings.splice(0, MOST_CROSSINGS / 2)
    this.#crossings.push({ limits, before: this.version })
    this.version = this.changes
  }

  #count(job: JobId, task: TaskId, sign: 1 | -1): void {
    const { work } = this.#env
    const counting = this.#jobs[job] as Counting
    counting.running += sign
    if (counting.server.length + counting.queue.length === 0) return
    const isWhole = counting.running === (sign > 0 ? 1 : 0)
    const shape = work.shapeOf(task)
    const licenses = isWhole ? work.licenses(job) : {}
    const amounts = this.#counted.map(({ name, resource }) => (resource === undefined ? (ownValue(licenses, name) ?? 0) : work.demand(shape, resource)))
    this.#crossedNow.length = 0
    for (const tally of counting.server) this.#add(tally, isWhole ? sign : 0, amounts, sign)
    for (const tally of counting.queue) this.#add(tally, isWhole ? sign : 0, amounts, sign)
    if (this.#crossedNow.length > 0) this.#crossed(this.#crossedNow.join(' '))
  }

  /** Counts for one entity, and notes the limits that this has crossed. */
  #add(tally: Tally, jobs: number, amounts: readonly number[], sign: 1 | -1): void {
    const first = tally.index * (amounts.length + 1)
    tally.jobs += jobs
    const isOver = tally.jobs > tally.most
    if (isOver !== tally.isOver) this.#crossedNow.push(first)
    tally.isOver = isOver
    for (const [i, amount] of amounts.entries()) {
      const sum = (tally.amounts[i] as number) + sign * amount
      const isOverIt = sum > (tally.mostOf[i] as number)
      if (isOverIt !== tally.over[i]) this.#crossedNow.push(first + 1 + i)
      tally.amounts[i] = sum
      tally.over[i] = isOverIt
    }
  }
}

/** Whether what counts for a job is over a limit on jobs, or on an amount that the job asks for. Asked of all waiting jobs whenever one has started. */
function isOverAny(tallies: readonly Tally[], asks: readonly boolean[]): boolean {
  for (const { isOver, over } of tallies) {
    if (isOver) return true
    for (let i = 0; i < over.length; i++) if (over[i] === true && asks[i] === true) return true
  }
  return false
}
