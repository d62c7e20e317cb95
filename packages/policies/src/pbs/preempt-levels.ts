import { listOf, ownValue, SchedError, type Env, type JobId, type LaneId, type TaskId, type WorkListener } from '@sched/core'
import type { LevelOptions } from './options.js'
import { SoftLimits } from './soft-limits.js'

type Status = 'express_queue' | 'normal_jobs' | 'server_softlimits' | 'queue_softlimits'
const statuses: readonly Status[] = ['express_queue', 'normal_jobs', 'server_softlimits', 'queue_softlimits']

const bitOf = (status: Status) => 1 << statuses.indexOf(status)
const EXPRESS = bitOf('express_queue')
const NORMAL = bitOf('normal_jobs')
const OVER_SERVER = bitOf('server_softlimits')
const OVER_QUEUE = bitOf('queue_softlimits')

/** What a job must be to have a level, and the level. */
interface Entry {
  readonly all: readonly Status[]
  readonly level: number
}

/** By how much one level lies above the next; an express queue adds its Priority, which is at most 1023. */
const STEP = 1000

/**
 * The preemption level of each job: by what it is of preempt_prio, where what names more comes before what names less, and of these the higher level. A job of which
 * nothing is named has the level of normal jobs. Jobs of an express queue have its Priority in addition. Levels change as jobs start and end, by soft limits.
 *
 * Source: OpenPBS, `set_preempt_prio` of job_info.cpp. Deviations: starving jobs and those of users beyond their fair share are no levels.
 */
export class PreemptLevels implements WorkListener {
  readonly #env: Env
  readonly #options: LevelOptions
  readonly #limits: SoftLimits
  /** By what a job is, as a set of bits by the place in `statuses`: its level. */
  readonly #levels: readonly Entry[]
  /** By job: the Priority of its queue. */
  readonly #priorities: number[] = listOf()
  /** By job: its level, and as of which version of the limits; sorting asks for it many times. */
  readonly #known: number[] = listOf()
  readonly #asOf: number[] = listOf()

  constructor(options: LevelOptions, env: Env, field: string) {
    this.#env = env
    this.#options = options
    this.#limits = new SoftLimits(options, env, field)
    const entries = entriesOf(options.preempt_prio, field)
    const normal = entries.find(({ all }) => all.length === 1 && all[0] === 'normal_jobs')?.level ?? 0
    entries.sort((a, b) => b.all.length - a.all.length || b.level - a.level)
    this.#levels = Array.from({ length: 2 ** statuses.length }, (_, bits) => entries.find(({ all }) => all.every((status) => (bits & bitOf(status)) > 0)) ?? { all: [], level: normal })
  }

  /** Changes when levels may have; the same again, when all are as they were. */
  get version(): number {
    return this.#limits.version
  }

  /** Grows when levels may have changed, also where that was taken back. */
  get changes(): number {
    return this.#limits.changes
  }

  /** Whether each job keeps its level, since there are no soft limits. */
  get areFixed(): boolean {
    return this.#limits.isEmpty
  }

  /** The soft limits that the job counts under: its level does not change with a job that has none in common with it. */
  limitsOf(job: JobId): readonly object[] {
    return this.#limits.limitsOf(job)
  }

  onSubmit(job: JobId): void {
    const { work } = this.#env
    this.#priorities[job] = ownValue(this.#options.queues, work.queueName(work.queue(job)))?.Priority ?? 0
    this.#asOf[job] = NaN
    this.#limits.onSubmit(job)
  }

  onReady(job: JobId, lane: LaneId): void {
    this.#limits.onReady(job, lane)
  }

  onMore(job: JobId, lane: LaneId): void {
    this.#limits.onMore(job, lane)
  }

  onClaim(job: JobId, lane: LaneId, task: TaskId): void {
    this.#limits.onClaim(job, lane, task)
  }

  onRelease(job: JobId, lane: LaneId, task: TaskId): void {
    this.#limits.onRelease(job, lane, task)
  }

  onFinish(job: JobId): void {
    this.#limits.onFinish(job)
  }

  of(job: JobId): number {
    const { version } = this.#limits
    if (this.#asOf[job] === version) return this.#known[job] as number
    this.#asOf[job] = version
    return (this.#known[job] = this.#levelOf(job))
  }

  #levelOf(job: JobId): number {
    const priority = this.#priorities[job] as number
    const isExpress = priority >= this.#options.preempt_queue_prio
    const bits = (isExpress ? EXPRESS : 0) | (this.#limits.isOverServerLimit(job) ? OVER_SERVER : 0) | (this.#limits.isOverQueueLimit(job) ? OVER_QUEUE : 0)
    const { all, level } = this.#levels[bits === 0 ? NORMAL : bits] as Entry
    return isExpress && all.includes('express_queue') ? level + priority : level
  }
}

/** The levels in preempt_prio, the highest first. Throws `BAD_OPTION` for what is none, and for one that no job could have. */
function entriesOf(text: string, field: string): Entry[] {
  const parts = text.split(',').map((part) => part.trim()).filter((part) => part !== '')
  const given = new Set<string>()
  return parts.map((part, i) => {
    const refused = (fact: string, wayOut: string) => new SchedError('BAD_OPTION', `found the level ${JSON.stringify(part)}${fact}.`, { field: `${field}.preempt_prio` }, wayOut)
    const all = part.split('+').map((word) => statuses.find((status) => status === word.trim()))
    if (!isKnown(all)) throw refused('', `Write ${statuses.join(', ')}, or some of them with + between them.`)
    if (new Set(all).size < all.length) throw refused(', which names one thing twice', 'Name it once.')
    if (all.length > 1 && all.includes('normal_jobs')) throw refused(', and normal jobs are those that are nothing else', 'Leave normal_jobs out of it, or put a comma for the +.')
    const key = [...all].sort().join(' ')
    if (given.has(key)) throw refused(' twice, and the lower one could count for nobody', 'Leave one out.')
    given.add(key)
    return { all, level: (parts.length - i) * STEP }
  })
}

const isKnown = (given: readonly (Status | undefined)[]): given is readonly Status[] => !given.includes(undefined)
