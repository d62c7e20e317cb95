import { askedTogether, listOf, ownValue, Reason, startedTogether, type Env, type JobId, type JobSpec, type LaneId, type NodeId, type Release, type Round, type TaskId, type WorkListener } from '@sched/core'
import { entityLimits, type Entity, type EntityLimits } from './entity-limits.js'
import type { HardLimitOptions, ReadPbsPreemptingOptions } from './options.js'
import { isMemory, pbsResource } from './resource-name.js'
import type { Counted } from './soft-limits.js'

/** A limit of the cluster or of a queue, for one kind of entity: on the number of jobs, or on what is counted at this index. */
interface Limit {
  readonly where: string
  readonly queue: string | undefined
  readonly name: string
  readonly of: EntityLimits
  readonly counted: number | undefined
  /** What is used, by entity. */
  readonly used: Map<string, number>
}

/** For whom a job counts. */
type Entities = readonly (readonly [Entity, name: string])[]

const entitiesOf = (user: string, account: string): Entities => [['u', user], ['g', account], ['o', '']]

/**
 * Hard limits of the cluster and of queues: a job waits while one of its user, its group or all has as many jobs, or so much, running that it would be over it.
 *
 * Source: OpenPBS, `check_limits` of limits.cpp and `cull_preemptible_jobs` of job_info.cpp. Suspended jobs do not count.
 */
export class HardLimits implements WorkListener {
  readonly #env: Env
  readonly #counted: readonly Counted[]
  readonly #limits: readonly Limit[]
  /** Running tasks, by job. */
  readonly #running: (number | undefined)[] = listOf()

  constructor({ server, queues }: Pick<ReadPbsPreemptingOptions, 'server' | 'queues'>, env: Env, field: string) {
    this.#env = env
    const names = [...new Set([server, ...Object.values(queues)].flatMap(({ max_run_res: amounts }) => Object.keys(amounts)))]
    this.#counted = names.map((name) => ({ name, resource: pbsResource(name, env.cluster, `${field}.max_run_res`) }))
    const limitsOf = (where: string, queue: string | undefined, { max_run: run, max_run_res: amounts }: HardLimitOptions): Limit[] => [
      ...(run === undefined ? [] : [{ where, queue, name: 'max_run', of: entityLimits(run, `${field}.${where}.max_run`), counted: undefined, used: new Map<string, number>() }]),
      ...Object.entries(amounts).map(([name, text]) => ({
        where, queue, name: `max_run_res.${name}`, of: entityLimits(text, `${field}.${where}.max_run_res.${name}`, isMemory(name)), counted: names.indexOf(name), used: new Map<string, number>(),
      })),
    ]
    this.#limits = [...limitsOf('server', undefined, server), ...Object.entries(queues).flatMap(([name, limits]) => limitsOf(`queues.${name}`, name, limits))]
  }

  /** Whether there are any. */
  get isEmpty(): boolean {
    return this.#limits.length === 0
  }

  /** Why the job could never start: by itself it would be over a limit. */
  admits(job: JobSpec): string | undefined {
    const { cluster } = this.#env
    for (const limit of this.#limits) {
      if (limit.queue !== undefined && limit.queue !== (job.queue ?? job.user ?? 'default')) continue
      const { name, resource } = limit.counted === undefined ? { name: '', resource: undefined } : (this.#counted[limit.counted] as Counted)
      const asked = limit.counted === undefined ? 1 : resource === undefined ? (ownValue(job.licenses, name) ?? 0) : Math.max(...startedTogether(job).map((stages) => askedTogether(stages, cluster.resources[resource] as string)))
      const over = asked === 0 ? undefined : entitiesOf(job.user ?? 'user', job.account ?? '').find(([entity, each]) => asked > limit.of.of(entity, each))
      if (over !== undefined) return `${limit.name} of ${limit.where} is ${limit.of.of(...over)} and it asks for ${asked}`
    }
    return undefined
  }

  onClaim(job: JobId, _lane: LaneId, task: TaskId): void {
    const running = (this.#running[job] ?? 0) + 1
    this.#running[job] = running
    this.#count(job, task, running === 1, 1)
  }

  onRelease(job: JobId, _lane: LaneId, task: TaskId, _node: NodeId, _why: Release): void {
    const running = (this.#running[job] as number) - 1
    this.#running[job] = running
    this.#count(job, task, running === 0, -1)
  }

  onFinish(job: JobId): void {
    this.#running[job] = undefined
  }

  /** Whether no limit keeps the job from starting, all that it would start together. */
  suffice(job: JobId, lane: LaneId): boolean {
    return !this.#limits.some((limit) => this.#exceeded(job, limit, this.#asked(job, lane, limit)).length > 0)
  }

  /** Whether no limit keeps one task of the job from starting. */
  sufficeFor(task: TaskId): boolean {
    const job = this.#env.work.jobOf(task)
    return !this.#limits.some((limit) => this.#exceeded(job, limit, this.#amount(job, task, limit, this.#isNew(job))).length > 0)
  }

  /** Whether a job that runs counts under a limit that keeps another one from starting. */
  givesWay(victim: JobId, lane: LaneId, job: JobId, tasks: readonly TaskId[]): boolean {
    return this.#limits.some((limit) => {
      const over = this.#exceeded(job, limit, this.#asked(job, lane, limit))
      if (over.length === 0 || !this.#isOf(victim, limit)) return false
      const own = this.#keysOf(victim)
      return over.some((key) => own.includes(key)) && tasks.some((task) => this.#amount(victim, task, limit, true) > 0)
    })
  }

  /** Where somebody asks why jobs wait: says of those of them that are kept by a limit which it is. */
  explain(jobs: Iterable<JobId>, round: Round): void {
    if (!round.explained || this.isEmpty) return
    for (const job of jobs) {
      const limit = this.#limits.find((each) => this.#exceeded(job, each, this.#asked(job, round.lane, each)).length > 0)
      if (limit !== undefined) round.defer(job, Reason.Limit, `${limit.name} of ${limit.where}`)
    }
  }

  /** The entities of the job that would be over the limit with so much more. */
  #exceeded(job: JobId, limit: Limit, more: number): string[] {
    if (more === 0 || !this.#isOf(job, limit)) return []
    return this.#entitiesOf(job).flatMap(([entity, name]) => ((limit.used.get(keyOf(entity, name)) ?? 0) + more > limit.of.of(entity, name) ? [keyOf(entity, name)] : []))
  }

  #isOf(job: JobId, { queue }: Limit): boolean {
    const { work } = this.#env
    return queue === undefined || work.queueName(work.queue(job)) === queue
  }

  #entitiesOf(job: JobId): Entities {
    const { work } = this.#env
    return entitiesOf(work.userName(work.user(job)), work.account(job))
  }

  #keysOf(job: JobId): string[] {
    return this.#entitiesOf(job).map(([entity, name]) => keyOf(entity, name))
  }

  #isNew(job: JobId): boolean {
    return (this.#running[job] ?? 0) === 0
  }

  /** What all that the job would start together adds. */
  #asked(job: JobId, lane: LaneId, { counted }: Limit): number {
    const { work } = this.#env
    if (counted === undefined) return Number(this.#isNew(job))
    const { name, resource } = this.#counted[counted] as Counted
    return resource !== undefined ? work.asked(job, lane, resource) : this.#isNew(job) ? (ownValue(work.licenses(job), name) ?? 0) : 0
  }

  /** What a task adds; `isWhole`: with the job, of which no other runs. */
  #amount(job: JobId, task: TaskId, { counted }: Limit, isWhole: boolean): number {
    const { work } = this.#env
    if (counted === undefined) return Number(isWhole)
    const { name, resource } = this.#counted[counted] as Counted
    return resource !== undefined ? work.demand(work.shapeOf(task), resource) : isWhole ? (ownValue(work.licenses(job), name) ?? 0) : 0
  }

  #count(job: JobId, task: TaskId, isWhole: boolean, sign: 1 | -1): void {
    for (const limit of this.#limits) {
      const amount = sign * this.#amount(job, task, limit, isWhole)
      if (amount === 0 || !this.#isOf(job, limit)) continue
      for (const key of this.#keysOf(job)) limit.used.set(key, (limit.used.get(key) ?? 0) + amount)
    }
  }
}

const keyOf = (entity: Entity, name: string): string => `${entity} ${name}`
