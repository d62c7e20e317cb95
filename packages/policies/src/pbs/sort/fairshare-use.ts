import { listOf, ownValue, SchedError, type Env, type JobId, type LaneId, type NodeId, type ResourceId, type Seconds, type TaskId, type WorkListener } from '@sched/core'
import { FairshareTree, placesByUse, readResourceGroup, treeUsage } from './fairshare-tree.js'
import { JobWords, type Amounts, type FairshareWords, type Word } from './job-words.js'
import type { ReadPbsSortOptions } from './options.js'
import { PythonFormula } from './python-formula.js'

/** Use of everybody to begin with, and what is always left of it (FAIRSHARE_MIN_USAGE). */
const LEAST = 1

interface Memory {
  /** Entities that no line names, in the order in which they came. */
  readonly unknown: readonly string[]
  /** By name: use, and what starts of this instant have added for it. */
  readonly use: Readonly<Record<string, readonly [use: number, drafted: number]>>
  readonly times: readonly [asOf: Seconds, cycle: Seconds, lastDecay: Seconds]
}

/**
 * Use of fairshare entities: what running jobs use, counted in cycles for them and all groups around, which decays. A cycle is whenever something happens to jobs, and
 * every scheduler_iteration while nothing does. What a job uses after the last cycle in which it runs is not counted. A start adds all that the job asks for until time goes on.
 *
 * Source: OpenPBS, `init_scheduling_cycle` of fifo.cpp, `update_usage_on_run` and `decay_fairshare_tree` of fairshare.cpp; `main_loop` and `next_task` of the server's
 * pbsd_main.c, by which the time to the next cycle counts from the last one, whatever that was for.
 * Deviations: jobs with a reservation (top jobs) add nothing before they start; use is known to the instant, there as of the last report of the node.
 */
export class FairshareUse implements WorkListener, FairshareWords {
  /** A new number whenever places or parts may have changed. */
  version = 0
  readonly admits?: (spec: { readonly user?: string; readonly account?: string; readonly queue?: string }) => string | undefined
  readonly #env: Env
  readonly #options: ReadPbsSortOptions
  #tree: FairshareTree
  readonly #usage: { readonly formula: PythonFormula; readonly words: readonly Word[] }
  readonly #words: JobWords
  /** By place in the tree: use until `#asOf`, what is used per second now, and what starts of this instant have added. */
  #use: number[] = []
  #rate: number[] = []
  #drafted: number[] = []
  #asOf: Seconds = 0
  /** The last cycle; one that is still to be made lies after `#asOf`. */
  #cycle: Seconds = 0
  #lastDecay: Seconds = 0
  /** By job: its entity; what its running tasks hold, `[job * resources + resource]`, and how many they are. */
  readonly #entityOf: number[] = listOf()
  readonly #held: number[] = []
  readonly #tasks: number[] = []
  #places: Int32Array | undefined
  #treeUsage: Float64Array | undefined

  constructor(env: Env, options: ReadPbsSortOptions) {
    this.#env = env
    this.#options = options
    this.#tree = this.#treeOf()
    this.#follow()
    for (const [name, use] of Object.entries(options.usage)) {
      const id = this.#tree.entity(name)
      this.#add(this.#use, this.#tree.parent[id] as number, use)
      this.#use[id] = use
    }
    this.#words = new JobWords(env, options, this, () => this.#asOf)
    const formula = usageFormula(options.fairshare_usage_res)
    this.#usage = { formula, words: formula.names.map((name) => this.#words.ofFormula(name, FIELD)) }
    if (options.fair_share && options.fairshare_enforce_no_shares)
      this.admits = ({ user, account = '', queue }) => {
        const entity = this.#nameOf(user ?? 'user', account, queue ?? user ?? 'default')
        return this.#tree.hasShares(entity) ? undefined : `"${entity}" has no shares (fairshare_enforce_no_shares)`
      }
  }

  /** The place of a job's entity by use over shares, the most deserving is 0; those alike have the same. */
  place(job: JobId): number {
    this.#places ??= placesByUse(this.#tree, this.#use.map((use, id) => use + Math.max(0, this.#drafted[id] as number)))
    return this.#places[this.#entityOf[job] as number] as number
  }

  perc(job: JobId): number {
    return this.#tree.ofTree[this.#entityOf[job] as number] as number
  }

  treeUsage(job: JobId): number {
    this.#treeUsage ??= treeUsage(this.#tree, this.#use)
    return this.#treeUsage[this.#entityOf[job] as number] as number
  }

  /** Makes the cycle of this time, if it has not been made: to be called before a reading. What has ended by now is not counted since the cycle before. */
  cycle(now: Seconds): void {
    this.#open(now)
    if (now <= this.#asOf) return
    this.#goTo(now)
    this.#changed()
  }

  /** Makes all cycles before this time. What happens at it is counted by its own cycle, later. */
  #open(now: Seconds): void {
    if (now <= this.#cycle) return
    this.#goTo(this.#cycle)
    const { scheduler_iteration: iteration, fairshare_decay_time: decayTime } = this.#options
    for (;;) {
      // the first cycle of those in which nothing else happens, after which use decays
      const tick = this.#asOf + Math.max(1, Math.floor((this.#lastDecay + decayTime - this.#asOf) / iteration) + 1) * iteration
      if (tick >= now) break
      this.#goTo(tick)
    }
    this.#goTo(this.#asOf + (Math.ceil((now - this.#asOf) / iteration) - 1) * iteration)
    this.#cycle = now
    this.#drafted.fill(0)
  }

  onSubmit(job: JobId): void {
    const { work, cluster } = this.#env
    this.#open(this.#env.now())
    this.#entityOf[job] = this.#tree.entity(this.#nameOf(work.userName(work.user(job)), work.account(job), work.queueName(work.queue(job))))
    if (this.#tree.size > this.#use.length) this.#follow()
    this.#tasks[job] = 0
    for (let r = 0; r < cluster.resources.length; r++) this.#held[job * cluster.resources.length + r] = 0
  }

  onClaim(job: JobId, lane: LaneId, task: TaskId): void {
    this.#count(job, lane, task, 1)
  }

  onRelease(job: JobId, lane: LaneId, task: TaskId, _node: NodeId): void {
    this.#count(job, lane, task, -1)
  }

  memory(): Memory {
    const use = this.#tree.names.flatMap((name, id) => (this.#use[id] === LEAST && this.#drafted[id] === 0 ? [] : [[name, [this.#use[id] as number, this.#drafted[id] as number]] as const]))
    return { unknown: this.#tree.unknown, use: Object.fromEntries(use), times: [this.#asOf, this.#cycle, this.#lastDecay] }
  }

  /** Goes on from a remembered state, with all jobs that are there by now. */
  recall(memory: unknown): void {
    const { unknown, use, times } = memory as Memory
    const { work } = this.#env
    const rates = new Map(this.#tree.names.map((name, id) => [name, this.#rate[id] as number]))
    const entities = work.jobs().map((job) => [job, this.#tree.names[this.#entityOf[job] as number] as string] as const)
    this.#tree = this.#treeOf()
    for (const name of unknown) this.#tree.entity(name)
    for (const [job, name] of entities) this.#entityOf[job] = this.#tree.entity(name)
    this.#use = this.#tree.names.map((name) => ownValue(use, name)?.[0] ?? LEAST)
    this.#drafted = this.#tree.names.map((name) => ownValue(use, name)?.[1] ?? 0)
    this.#rate = this.#tree.names.map((name) => rates.get(name) ?? 0)
    ;[this.#asOf, this.#cycle, this.#lastDecay] = times
    this.#changed()
  }

  #treeOf(): FairshareTree {
    const refused = (line: number, fact: string, wayOut: string) => new SchedError('BAD_OPTION', `line ${line}: ${fact}.`, { field: 'pbs-sort.resource_group' }, wayOut)
    const tree = new FairshareTree(readResourceGroup(this.#options.resource_group, refused), this.#options.unknown_shares)
    for (const name of Object.keys(this.#options.usage)) tree.entity(name)
    return tree
  }

  /** Makes columns for those who have come since. */
  #follow(): void {
    for (let id = this.#use.length; id < this.#tree.size; id++) {
      this.#use[id] = LEAST
      this.#rate[id] = this.#drafted[id] = 0
    }
    this.#changed()
  }

  /** Adds to everything from this place in the tree up. */
  #add(column: number[], place: number, by: number): void {
    for (let id = place; id >= 0; id = this.#tree.parent[id] as number) column[id] = (column[id] as number) + by
  }

  #nameOf(user: string, account: string, queue: string): string {
    switch (this.#options.fairshare_entity) {
      case 'euser': return user
      case 'egroup': return account
      case 'queue': return queue
      case 'Account_Name': return account === '' ? `${account}:${user}` : account
      case 'egroup:euser': return `${account}:${user}`
    }
  }

  /** Counts until a time, and lets use decay that is due. */
  #goTo(time: Seconds): void {
    const passed = time - this.#asOf
    for (let id = 0; id < this.#use.length; id++) this.#use[id] = (this.#use[id] as number) + (this.#rate[id] as number) * passed
    this.#asOf = time
    const { fairshare_decay_time: decayTime, fairshare_decay_factor: factor } = this.#options
    const due = time - this.#lastDecay
    if (due <= decayTime) return
    for (let left = due; left > decayTime; left -= decayTime) this.#use = this.#use.map((use) => Math.max(LEAST, use * factor))
    this.#lastDecay = time - (due % decayTime)
  }

  #count(job: JobId, lane: LaneId, task: TaskId, sign: 1 | -1): void {
    if (!this.#options.fair_share) return
    const { work, cluster } = this.#env
    const now = this.#env.now()
    const isStart = sign > 0 && Number.isNaN(work.started(task))
    if (isStart) this.cycle(now) // who starts was not there before
    else this.#open(now)
    const entity = this.#entityOf[job] as number
    const before = this.#valuesOf(job)
    for (const resource of cluster.lanes[lane]?.resources ?? []) this.#hold(job, resource, sign * work.demand(work.shapeOf(task), resource))
    this.#tasks[job] = (this.#tasks[job] as number) + sign
    const after = this.#valuesOf(job)
    this.#add(this.#rate, entity, after.rate - before.rate)
    // what asks for nothing that is counted leaves everything as it is
    if (after.asked === before.asked || !Number.isNaN(work.started(task))) return
    this.#add(this.#drafted, entity, after.asked - before.asked)
    this.#changed()
  }

  #hold(job: JobId, resource: ResourceId, by: number): void {
    const at = job * this.#env.cluster.resources.length + resource
    this.#held[at] = (this.#held[at] as number) + by
  }

  /** What a job uses per second with the tasks that run, and what it asks for with them. */
  #valuesOf(job: JobId): { readonly rate: number; readonly asked: number } {
    if (this.#tasks[job] === 0) return { rate: 0, asked: 0 }
    const resources = this.#env.cluster.resources.length
    const amounts = { of: (resource: ResourceId) => this.#held[job * resources + resource] as number, tasks: this.#tasks[job] as number }
    const value = (more: Pick<Amounts, 'walltime' | 'hasRun'>) => this.#usage.formula.value(this.#usage.words.map((word) => word(job, { ...amounts, ...more })))
    return { rate: Math.max(0, value({ walltime: 1, hasRun: true })), asked: value({ walltime: this.#words.walltime(job), hasRun: false }) }
  }

  #changed(): void {
    this.#places = this.#treeUsage = undefined
    this.version++
  }
}

const FIELD = 'pbs-sort.fairshare_usage_res'

/** The expression of what is counted as use. Throws `BAD_OPTION` for one that is not in proportion to time, by values that are not alike. */
export function usageFormula(text: string): PythonFormula {
  const formula = new PythonFormula(text, FIELD)
  const at = (time: number) => formula.value(formula.names.map((name, i) => (name === 'walltime' || name === 'cput' ? time * (i + 1) : 2 + 3 * i)))
  if (at(0) === 0 && at(1) !== 0 && [2, 7, 1000].every((time) => Math.abs(at(time) - time * at(1)) <= 1e-9 * Math.abs(at(time)))) return formula
  throw new SchedError('BAD_OPTION', `"${text}" does not grow evenly with time.`, { field: FIELD }, 'Write for example cput, walltime or ncpus*walltime.')
}
