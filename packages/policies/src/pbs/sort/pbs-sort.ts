import { defineOrder, forwarding, grown, listOf, Reason, SchedError, type Env, type JobBlock, type JobId, type LaneId, type Order, type Plug, type Round, type Seconds } from '@sched/core'
import { FairshareUse } from './fairshare-use.js'
import { Asked, JobWords, type Word } from './job-words.js'
import { pbsSortOptions, type PbsSortOptions, type ReadPbsSortOptions } from './options.js'
import { PythonFormula } from './python-formula.js'

/**
 * Jobs as OpenPBS sorts those of one preemption level: by the value of a formula, the largest first; then, with fair share, by what their entities have used of their shares; then
 * by keys; then by submission. Jobs whose value is not above the threshold are left out.
 *
 * Source: OpenPBS, `cmp_sort` of sort.cpp.
 */
export const pbsSortOrder = defineOrder({
  name: 'pbs-sort',
  summary: "by OpenPBS's formula, fair share and keys: job_sort_formula, fair_share, job_sort_key",
  source: 'OpenPBS, cmp_sort',
  options: pbsSortOptions,
  create: (options, env) => new PbsSort(options, env),
})

/** As OpenPBS sorts jobs. */
export const pbsSort = (options: PbsSortOptions = {}): Plug<'order'> => pbsSortOrder.plug({}, options)

/** A job_sort_key. */
interface Key {
  readonly word: Word
  readonly sign: 1 | -1
}

/** Names of formulas whose values change while a job waits. */
const changing = ['eligible_time', 'fairshare_perc', 'fair_share_perc', 'fairshare_tree_usage', 'fairshare_factor']
const ofFairshare = changing.slice(1)

class PbsSort implements Order {
  readonly readsAll: boolean
  readonly priority?: (job: JobId, lane: LaneId) => number
  readonly #env: Env
  readonly #options: ReadPbsSortOptions
  readonly #fairshare: FairshareUse | undefined
  readonly #words: JobWords
  readonly #asked: Asked
  readonly #formula: { readonly of: PythonFormula; readonly words: readonly Word[] } | undefined
  readonly #keys: readonly Key[]
  /** Whether values change while jobs wait; and whether with time alone. */
  readonly #changes: boolean
  readonly #risesWithTime: boolean
  readonly #lanes: readonly SortedJobs[]
  /** By job in a lane, `job * lanes + lane`: the value of the formula, and of each key `[(job * lanes + lane) * keys + key]`, smallest first. */
  readonly #values: number[] = listOf()
  readonly #ofKeys: number[] = listOf()
  /** The last cycle, as of which values are: when something last happened to jobs, or a cycle came as nothing did. */
  #cycle: Seconds = -Infinity
  #unread: JobBlock | undefined

  constructor(options: ReadPbsSortOptions, env: Env) {
    this.#env = env
    this.#options = options
    const { job_sort_formula: text, job_sort_key: keys } = options
    const of = text === undefined ? undefined : new PythonFormula(text, 'pbs-sort.job_sort_formula')
    const needsFairshare = options.fair_share || of?.names.some((name) => ofFairshare.includes(name)) === true || keys.some((key) => key.includes('fair_share_perc'))
    this.#fairshare = needsFairshare ? new FairshareUse(env, options) : undefined
    this.#words = new JobWords(env, options, this.#fairshare ?? { perc: () => 0, treeUsage: () => 0 }, () => this.#cycle)
    this.#asked = new Asked(env)
    this.#formula = of && { of, words: of.names.map((name) => this.#words.ofFormula(name, 'pbs-sort.job_sort_formula')) }
    this.#risesWithTime = of?.names.includes('eligible_time') === true
    this.#changes = of?.names.some((name) => changing.includes(name)) === true || keys.some((key) => key.includes('fair_share_perc'))
    this.#keys = keys.map((key) => keyOf(key, this.#words))
    this.#lanes = env.cluster.lanes.map((_, lane) => new SortedJobs((a, b) => this.#compared(a, b, lane)))
    this.readsAll = of === undefined || options.job_sort_formula_threshold === undefined
    if (of !== undefined) this.priority = (job, lane) => this.#values[job * this.#lanes.length + lane] as number
    const happens = () => {
      this.#cycle = env.now()
    }
    // a job of several stages may ask for something else once it has more or fewer tasks to start
    const touch = (job: JobId, lane: LaneId) => this.#lanes[lane]?.touch(job)
    const own = {
      onSubmit: happens, onRelease: happens, onReady: this.#onReady.bind(this), onMore: touch, onClaim: touch, onDrained: this.#onDrained.bind(this),
      memory: () => (this.#cycle === -Infinity ? null : this.#cycle),
      recall: (memory: unknown) => {
        this.#cycle = (memory as number | null) ?? -Infinity
      },
    }
    Object.assign(this, forwarding(...(this.#fairshare === undefined ? [] : [this.#fairshare]), own))
  }

  begin(round: Round): void {
    const { lane, now } = round
    // a round in which nothing has happened is no cycle of its own before its time: somebody else asked for it
    if (now >= this.#cycle + this.#options.scheduler_iteration) this.#cycle = now
    this.#fairshare?.cycle(this.#cycle)
    const jobs = this.#lanes[lane] as SortedJobs
    for (const job of jobs.touched) if (this.#evaluate(job, lane)) jobs.putLast(job)
    jobs.touched.clear()
    const asOf = this.#risesWithTime ? this.#cycle : 0
    const version = this.#fairshare?.version ?? 0
    if ((this.#changes || this.#options.fair_share) && (version !== jobs.valuesOf || asOf !== jobs.asOf)) {
      jobs.valuesOf = version
      jobs.asOf = asOf
      if (this.#changes) for (let i = 0; i < jobs.to; i++) this.#evaluate(jobs.ids[i] as JobId, lane)
      jobs.sortAll()
    } else jobs.sortNew()
    this.#unread = this.readsAll ? jobs : this.#aboveThreshold(jobs, round)
  }

  next(): JobBlock | undefined {
    const block = this.#unread
    this.#unread = undefined
    return block
  }

  /** The jobs whose value is above the threshold, which come first. */
  #aboveThreshold(jobs: SortedJobs, round: Round): JobBlock {
    const { job_sort_formula_threshold: threshold = -Infinity } = this.#options
    let { to } = jobs
    while (to > 0 && (this.#values[(jobs.ids[to - 1] as number) * this.#lanes.length + round.lane] as number) <= threshold) to--
    if (round.explained) for (let i = to; i < jobs.to; i++) round.defer(jobs.ids[i] as JobId, Reason.Limit, 'job_sort_formula_threshold')
    if (to < jobs.to && this.#changes && round.cluster.heartbeat === 0) round.wakeAt(this.#cycle + this.#options.scheduler_iteration)
    return { ids: jobs.ids, from: 0, to }
  }

  #onReady(job: JobId, lane: LaneId): void {
    this.#evaluate(job, lane)
    this.#lanes[lane]?.add(job)
  }

  #onDrained(job: JobId, lane: LaneId): void {
    this.#lanes[lane]?.remove(job)
  }

  /** Returns whether anything by which the job is sorted has changed. */
  #evaluate(job: JobId, lane: LaneId): boolean {
    const at = job * this.#lanes.length + lane
    const formula = this.#formula
    if (formula === undefined && this.#keys.length === 0) return false
    const asked = this.#asked.by(job, lane, this.#words.walltime(job))
    let hasChanged = false
    const set = (values: number[], index: number, value: number) => {
      if (values[index] === value) return
      values[index] = value
      hasChanged = true
    }
    if (formula !== undefined) set(this.#values, at, formula.of.value(formula.words.map((word) => word(job, asked))))
    for (const [i, { word, sign }] of this.#keys.entries()) set(this.#ofKeys, at * this.#keys.length + i, sign * word(job, asked))
    return hasChanged
  }

  #compared(a: JobId, b: JobId, lane: number): number {
    const lanes = this.#lanes.length
    if (this.#formula !== undefined) {
      const [first, second] = [this.#values[a * lanes + lane] as number, this.#values[b * lanes + lane] as number]
      if (first !== second) return first > second ? -1 : 1
    }
    if (this.#options.fair_share) {
      const apart = (this.#fairshare as FairshareUse).place(a) - (this.#fairshare as FairshareUse).place(b)
      if (apart !== 0) return apart
    }
    const keys = this.#keys.length
    for (let i = 0; i < keys; i++) {
      const [first, second] = [this.#ofKeys[(a * lanes + lane) * keys + i] as number, this.#ofKeys[(b * lanes + lane) * keys + i] as number]
      if (first !== second) return first < second ? -1 : 1
    }
    return this.#env.work.rank(a) - this.#env.work.rank(b)
  }
}

/** A job_sort_key such as `ncpus HIGH`. Throws `BAD_OPTION` for a text that is none. */
function keyOf(text: string, words: JobWords): Key {
  const [name = '', direction = '', ...more] = text.trim().split(/\s+/)
  const field = 'pbs-sort.job_sort_key'
  if (!/^(high|low)$/i.test(direction) || more.length > 0) throw new SchedError('BAD_OPTION', `found ${JSON.stringify(text)}.`, { field }, 'Write for example "ncpus HIGH".')
  return { word: words.ofKey(name, field), sign: direction.toLowerCase() === 'high' ? -1 : 1 }
}

/** The waiting jobs of a lane; the first so many are in order, those behind them are to be placed. */
class SortedJobs implements JobBlock {
  ids = new Int32Array(64)
  readonly from = 0
  to = 0
  /** As of when values are. */
  asOf: Seconds = NaN
  valuesOf = NaN
  /** Those of which values may have changed. */
  readonly touched = new Set<JobId>()
  readonly #waiting = new Set<JobId>()
  #sorted = 0
  readonly #compared: (a: JobId, b: JobId) => number

  constructor(compared: (a: JobId, b: JobId) => number) {
    this.#compared = compared
  }

  add(job: JobId): void {
    this.#waiting.add(job)
    this.ids = grown(this.ids, this.to + 1)
    this.ids[this.to++] = job
  }

  touch(job: JobId): void {
    if (this.#waiting.has(job)) this.touched.add(job)
  }

  /** Takes a job out of its place, to be placed anew. */
  putLast(job: JobId): void {
    this.remove(job)
    this.add(job)
  }

  remove(job: JobId): void {
    this.touched.delete(job)
    if (!this.#waiting.delete(job)) return
    const at = this.ids.indexOf(job)
    this.ids.copyWithin(at, at + 1, this.to)
    this.to--
    if (at < this.#sorted) this.#sorted--
  }

  sortAll(): void {
    this.ids.set(Array.from(this.ids.subarray(0, this.to) as Iterable<JobId>).sort(this.#compared))
    this.#sorted = this.to
  }

  sortNew(): void {
    for (; this.#sorted < this.to; this.#sorted++) {
      const job = this.ids[this.#sorted] as JobId
      let [low, high] = [0, this.#sorted]
      while (low < high) {
        const middle = (low + high) >> 1
        if (this.#compared(job, this.ids[middle] as JobId) < 0) high = middle
        else low = middle + 1
      }
      this.ids.copyWithin(low + 1, low, this.#sorted)
      this.ids[low] = job
    }
  }
}
