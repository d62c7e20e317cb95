import { knownWords, None, ownValue, portableExp2, SchedError, suggest, type Env, type JobId, type LaneId, type ResourceId, type Seconds } from '@sched/core'
import { estimates } from '../../orders/estimates.js'
import { isMemory, pbsNames, pbsResourceIndex } from '../resource-name.js'
import type { ReadPbsSortOptions } from './options.js'

/** KiB of a MiB: the scheduler of OpenPBS has sizes in KiB (`res_to_num` of misc.cpp), formulas as well, and memory is in MiB here. */
const KIB = 1024
/** accrue_type of jobs whose eligible time grows, and of those without one. */
const ELIGIBLE = 2

/** What a job asks for, or has: amounts by resource of the cluster, tasks, and seconds for which it runs. */
export interface Amounts {
  readonly of: (resource: ResourceId) => number
  readonly tasks: number
  readonly walltime: number
  /** Whether the processors worked for that time, so that they have used it (cput). */
  readonly hasRun: boolean
}

/** The value of a word for a job; `amounts` is what it asks for, or what it has used. */
export type Word = (job: JobId, amounts: Amounts) => number

/** Fairshare of a job as words name it. */
export interface FairshareWords {
  perc(job: JobId): number
  treeUsage(job: JobId): number
}

/** Numbers in a formula are handed to Python with so many decimals. */
const sixDecimals = (x: number): number => Math.round(x * 1e6) / 1e6

/** Names in formulas that are no resources that others have, too. */
export const pbsNamesOfFormulas: readonly string[] = ['eligible_time', 'accrue_type', 'queue_priority', 'job_priority', 'fairshare_perc', 'fair_share_perc', 'fairshare_tree_usage', 'fairshare_factor', 'walltime', 'cput', 'nodect']
/** The same of keys by which jobs are sorted. */
export const pbsNamesOfKeys: readonly string[] = ['job_priority', 'sort_priority', 'fair_share_perc', 'preempt_priority', 'walltime', 'cput', 'nodect']

/**
 * What names in formulas and keys of OpenPBS stand for.
 *
 * Source: OpenPBS, `formula_evaluate` of job_info.cpp and `find_resresv_amount` of sort.cpp. Deviations: eligible_time is the time since submission, also where a limit
 * held the job back; jobs ask for no cput.
 */
export class JobWords {
  readonly #env: Env
  readonly #options: ReadPbsSortOptions
  readonly #fairshare: FairshareWords
  readonly #walltimeOf: (job: JobId) => number
  readonly #now: () => Seconds

  /** `now`: the time of the cycle as of which words are. */
  constructor(env: Env, options: ReadPbsSortOptions, fairshare: FairshareWords, now: () => Seconds) {
    this.#env = env
    this.#now = now
    this.#options = options
    this.#fairshare = fairshare
    const estimateOf = estimates(env, 'have a walltime of 0 in pbs-sort')
    this.#walltimeOf = (job) => {
      const estimate = estimateOf(job)
      return estimate < Infinity ? estimate : 0
    }
  }

  /** Seconds that a job asks for; 0 where it does not say. */
  walltime(job: JobId): number {
    return this.#walltimeOf(job)
  }

  /** What a name in a formula stands for. Throws `BAD_OPTION` for one that stands for nothing. */
  ofFormula(name: string, field: string): Word {
    return this.#special[name] ?? this.#resource(name, field, pbsNamesOfFormulas)
  }

  /** What a name in a job_sort_key stands for. Throws `BAD_OPTION` for one that stands for nothing. */
  ofKey(name: string, field: string): Word {
    return this.#ofKeys[name] ?? this.#resource(name, field, pbsNamesOfKeys)
  }

  readonly #ofKeys = knownWords<Word>({
    job_priority: (job) => this.#env.work.priority(job),
    sort_priority: (job) => this.#env.work.priority(job),
    fair_share_perc: (job) => this.#fairshare.perc(job),
    preempt_priority: () => 0, // those of other levels are apart already
  })

  readonly #special = knownWords<Word>({
    eligible_time: (job) => (this.#options.eligible_time_enable ? Math.floor(this.#now() - this.#env.work.submitted(job)) : 0),
    accrue_type: () => (this.#options.eligible_time_enable ? ELIGIBLE : 0),
    queue_priority: (job) => ownValue(this.#options.queues, this.#env.work.queueName(this.#env.work.queue(job)))?.Priority ?? 0,
    job_priority: (job) => this.#env.work.priority(job),
    fairshare_perc: (job) => sixDecimals(this.#fairshare.perc(job)),
    fair_share_perc: (job) => sixDecimals(this.#fairshare.perc(job)),
    fairshare_tree_usage: (job) => sixDecimals(this.#fairshare.treeUsage(job)),
    fairshare_factor: (job) => sixDecimals(fairshareFactor(this.#fairshare.perc(job), this.#fairshare.treeUsage(job))),
  })

  #resource(name: string, field: string, others: readonly string[]): Word {
    const { cluster, work } = this.#env
    if (name === 'walltime') return (_, { walltime }) => walltime
    if (name === 'nodect') return (_, { tasks }) => tasks
    const resource = pbsResourceIndex(name === 'cput' ? 'ncpus' : name, cluster.resources) as ResourceId | None
    if (name === 'cput') return (_, { of, walltime, hasRun }) => (hasRun && resource !== None ? of(resource) * walltime : 0)
    if (resource !== None) return (_, { of }) => of(resource) * (isMemory(name) ? KIB : 1)
    if (this.#options.resources.includes(name)) return (job) => ownValue(work.licenses(job), name) ?? 0
    throw new SchedError('BAD_OPTION', `found the name "${name}".`, { field }, `${suggest(name, [...others, ...pbsNames(cluster), ...this.#options.resources])} Name licences of jobs in resources.`)
  }
}

/** 2^(-use / share), as formulas name it (fairshare_factor); 0 for nobody's share. */
export const fairshareFactor = (perc: number, treeUsage: number): number => (perc === 0 ? 0 : portableExp2(-(treeUsage / perc)))

/** What a waiting job asks for in a lane. */
export class Asked implements Amounts {
  readonly hasRun = false
  walltime = 0
  tasks = 0
  #job = 0 as JobId
  #lane = 0 as LaneId
  readonly #env: Env

  constructor(env: Env) {
    this.#env = env
  }

  by(job: JobId, lane: LaneId, walltime: number): this {
    this.#job = job
    this.#lane = lane
    this.walltime = walltime
    this.tasks = this.#env.work.together(job, lane)
    return this
  }

  readonly of = (resource: ResourceId): number => (this.#env.cluster.lanes[this.#lane]?.resources.includes(resource) === true ? this.#env.work.asked(this.#job, this.#lane, resource) : 0)
}
