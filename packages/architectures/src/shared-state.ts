import { defineArchitecture, type Architecture, type ArchitectureEnv, type JobId, type JobSpec, type NodeId, type Plug, type Scheduler, type StageSpec } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { attemptOptions, Attempts } from './attempts.js'
import { Bell } from './bell.js'
import { decisionOptions, decisionTimes, DecisionTimes } from './decision-time.js'
import { addSchedulers, balance, groupOptions, groupsOf, refusePromises, Router, type Group } from './groups.js'
import { limitOptions, Limits } from './limits.js'
import { Precedence } from './precedence.js'
import { holds } from './holds.js'
import { idOf, kindOf, Timer } from './timers.js'
import { Transactions, type TransactionOptions } from './transactions.js'

const conflict = z.enum(['fine', 'coarse'])
const commit = z.enum(['incremental', 'all-or-nothing'])

const schedulerOptions = z.strictObject({
  ...groupOptions,
  decision: decisionOptions.optional().describe('its own decision time'),
  conflict: conflict.optional().describe('its own conflict detection'),
  commit: commit.optional().describe('its own way to commit'),
  precedence: z.int().default(0).describe('with `preemption`: it may take resources held by schedulers of lower precedence'),
  limits: limitOptions.optional().describe('what each scheduler of this kind may hold at a time'),
})
type SchedulerOptions = z.output<typeof schedulerOptions>

const sharedStateOptions = z.strictObject({
  schedulers: z
    .union([z.int().positive(), z.record(z.string().min(1), schedulerOptions)])
    .default(2)
    .describe('how many equal schedulers, or the kinds by name: { batch: { count: 4 }, service: {} } for jobs of these classes'),
  balance,
  conflict: conflict.default('fine').describe('fine: a claim conflicts if it does not fit any more; coarse: if anything was started on its node since the snapshot'),
  commit: commit.default('incremental').describe('incremental: claims without conflict are accepted; all-or-nothing: every job is a gang'),
  partialGangs: z.boolean().default(false).describe("all-or-nothing also commits a job of which the snapshot had room for a part, as the authors' simulator does"),
  preemption: z.boolean().default(false).describe('whether precedence counts'),
  ...decisionTimes,
  ...attemptOptions,
})
/** Options of `sharedState`; all may be left out. */
export type SharedStateOptions = z.input<typeof sharedStateOptions>

/**
 * Parallel schedulers, each with a private snapshot of the whole cell. A scheduler takes up a job, decides on its snapshot for the decision time, and
 * commits its claims in one transaction against what the others have done since. Tasks of conflicting claims stay with the job, which is tried again
 * after `requeue` seconds.
 *
 * Conflicts are found per claim: `fine` if the task no longer fits on the node, `coarse` if a claim was committed on the node since the snapshot. A
 * transaction never conflicts with itself. Freed resources cause no conflict, as in the authors' code.
 *
 * Source: Schwarzkopf et al., EuroSys 2013, sections 3.4 and 5.2. Deviation: the policy decides whose turn it is, so under `fifo` a job that is tried
 * again goes before younger ones, where the authors' queue puts it last.
 */
export const sharedStateArchitecture = defineArchitecture({
  name: 'shared-state',
  summary: 'schedulers with private snapshots of the whole cell, optimistic transactions (Omega)',
  source: 'Schwarzkopf et al., EuroSys 2013, sections 3.4 and 5.2',
  options: sharedStateOptions,
  create: (options, env) => new SharedState(options, env),
})

/** Parallel schedulers over one shared cell state. */
export const sharedState = (options: SharedStateOptions = {}): Plug<'architecture'> => sharedStateArchitecture.plug({}, options)

class SharedState implements Architecture {
  readonly #env: ArchitectureEnv
  readonly #router: Router
  readonly #times: DecisionTimes
  readonly #bell = new Bell()
  /** By scheduler id. */
  readonly #schedulers: Transactions[] = []
  /** By scheduler id: whether its jobs start whole or not at all. */
  readonly #startsWhole: boolean[] = []
  readonly #attempts: Attempts
  /** By scheduler id. */
  readonly #limits: (Limits | undefined)[] = []
  #hasWarned = false
  /** Message about the first job that can never start in full and is never given up. */
  #stuck: string | undefined

  constructor(options: z.output<typeof sharedStateOptions>, env: ArchitectureEnv) {
    this.#env = env
    this.#times = new DecisionTimes(options, env)
    const attempts = (this.#attempts = new Attempts(env.cell, options))
    const precedence = options.preemption ? new Precedence(env.cell) : undefined
    const groups = groupsOf<SchedulerOptions>(options.schedulers, 'scheduler', { precedence: 0 }).map(([name, group]): Group<SchedulerOptions> => {
      const limits: Limits[] = []
      const schedulers = addSchedulers(env, name, group.count ?? 1, (index) => {
        if (group.limits !== undefined) limits.push(new Limits(group.limits, name, env))
        return [this.#bell, ...limits.slice(index), ...(precedence === undefined ? [] : [precedence.listener(group.precedence)])]
      })
      for (const [i, scheduler] of schedulers.entries()) this.#add(scheduler, group, options, { attempts, precedence, bell: this.#bell, limits: limits[i] })
      return { name, options: group, schedulers }
    })
    refusePromises('scheduler', groups.flatMap(({ schedulers }) => schedulers))
    this.#router = new Router('scheduler', groups, options.balance, env)
  }

  #add(
    scheduler: Scheduler,
    own: SchedulerOptions,
    options: z.output<typeof sharedStateOptions>,
    parts: Pick<TransactionOptions, 'attempts' | 'bell' | 'limits' | 'precedence'>,
  ): void {
    const { conflict = options.conflict, commit = options.commit } = own
    parts.precedence?.rank(scheduler, own.precedence)
    this.#limits[scheduler.id] = parts.limits
    this.#startsWhole[scheduler.id] = commit === 'all-or-nothing' && !options.partialGangs
    this.#schedulers[scheduler.id] = new Transactions(this.#env.cell, scheduler, {
      mode: { conflict: conflict === 'fine' ? 'fit' : 'version', atomic: commit === 'all-or-nothing' },
      partialGangs: options.partialGangs,
      time: this.#times.of(own.decision),
      ...parts,
    })
  }

  /** The scheduler of a new job. Throws `INFEASIBLE` for a task or a gang larger than what its scheduler may hold. */
  route(spec: JobSpec): Scheduler {
    const scheduler = this.#router.route(spec)
    this.#limits[scheduler.id]?.check(spec, scheduler.name)
    if (this.#startsWhole[scheduler.id] === true && (!this.#hasWarned || this.#stuck === undefined)) this.#look(spec, this.#limits[scheduler.id])
    return scheduler
  }

  /** Warns of the first job for which the cell has no room in any state. */
  #look({ id, stages }: JobSpec, limits: Limits | undefined): void {
    const { cluster, nodes } = this.#env.cell
    for (const stage of stages) {
      let room = 0
      for (let i = 0; i < nodes.length && room < stage.tasks; i++) room += cluster.couldHold(stage, nodes[i] as NodeId)
      room = Math.min(room, limits?.most(stage.demand) ?? Infinity)
      if (room >= stage.tasks || stage.phases !== undefined) continue
      const isLater = stage.after !== undefined && stage.after.length > 0
      const isForEver = this.#attempts.areEndless(isLater)
      const fact = `job ${id} has ${stage.tasks} tasks of ${JSON.stringify(stage.demand)} and ${limits === undefined ? 'the cell' : 'the cell, or the scheduler,'} room for ${room}: with commit all-or-nothing such ${isLater ? 'stages' : 'jobs'} never start, and are tried`
      if (isForEver) this.#stuck ??= `${fact} for ever (abandonAfter: false).`
      if (!this.#hasWarned) this.#env.warn(isForEver ? `${fact} for ever (abandonAfter: false).` : `${fact} until they are given up (abandonAfter, abandonUnplacedAfter).`)
      this.#hasWarned = true
      return
    }
  }

  stuck(): string | undefined {
    return this.#stuck
  }

  /** Whether there is room now; a job that starts whole needs room for all tasks of the stage. */
  hasRoom(job: JobId, stage: StageSpec, tasks: number): boolean {
    const { cell } = this.#env
    return holds(cell.cluster, cell.nodes, stage, this.#startsWhole[cell.schedulerOf(job)] === true ? stage.tasks : tasks)
  }

  trigger(): void {
    const schedulers = this.#schedulers
    if (!this.#bell.isRung) return
    this.#bell.isRung = false
    for (let i = 0; i < schedulers.length; i++) schedulers[i]?.look()
  }

  wake(token: number): void {
    if (kindOf(token) === Timer.Close) this.#schedulers[idOf(token)]?.close()
    else this.#env.cell.letGo(idOf(token) as JobId)
  }

  finish(): void {
    this.#times.finish()
    this.#router.finish()
  }
}
