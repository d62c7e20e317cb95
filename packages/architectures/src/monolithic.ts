import {
  beyondOneNode, defineArchitecture, leastTasks, Looks, SchedError, startedTogether, type Architecture, type ArchitectureEnv, type Cell,
  type ClusterView, type JobId, type JobSpec, type LaneId, type NodeId, type Plug, type RoundLimits, type Scheduler, type Trigger,
} from '@sched/core'
import * as z from '@sched/bundled/zod'
import { attemptOptions, Attempts } from './attempts.js'
import { decisionTimes, DecisionTimes } from './decision-time.js'
import { SERIAL, SerialPath } from './serial-path.js'
import { idOf, kindOf, Timer } from './timers.js'

const monolithicOptions = z.strictObject({
  tasksPerHeartbeat: z.int().positive().optional().describe('most tasks of each slot type started per heartbeat; Hadoop 0.20 has 1; default all that fit'),
  ...decisionTimes,
  ...attemptOptions,
})
/** Options of `monolithic`; all may be left out. */
export type MonolithicOptions = z.input<typeof monolithicOptions>

/**
 * One scheduler that sees all jobs and the live state, and decides serially.
 *
 * Without decision times it decides at once: in one round per lane, for the beating node at every heartbeat, or over all nodes in a cluster without
 * heartbeats. With `decision` or `classes` it takes up one job at a time, waits for the decision time, and then places the job: single path with one
 * time for all jobs, multi path with other times by class.
 *
 * Source: Schwarzkopf et al., EuroSys 2013, sections 3.1 and 4.1; Hadoop's JobTracker. YARN belongs here, too: its application masters only manage
 * jobs, one global scheduler places all tasks (section 3.3).
 */
export const monolithicArchitecture = defineArchitecture({
  name: 'monolithic',
  summary: 'one scheduler, the whole live state, serial decisions, at once or in decision time',
  source: 'Schwarzkopf et al., EuroSys 2013, sections 3.1 and 4.1',
  options: monolithicOptions,
  create: (options, env) => {
    const decidesSlowly = options.decision !== undefined || options.classes !== undefined
    if (decidesSlowly && options.tasksPerHeartbeat !== undefined)
      throw new SchedError('BAD_OPTION', 'is for decisions that take no time.', { field: 'tasksPerHeartbeat' }, 'Leave it out, or leave out `decision` and `classes`.')
    return decidesSlowly ? new SlowMonolithic(options, env) : new Monolithic(options.tasksPerHeartbeat, env)
  },
})

/** One scheduler with the whole live state. */
export const monolithic = (options: MonolithicOptions = {}): Plug<'architecture'> => monolithicArchitecture.plug({}, options)

const NOBODY: readonly NodeId[] = []

/** Throws `INFEASIBLE` for a job that must start more tasks together than a round may start. */
function checkMost(spec: JobSpec, most: number): void {
  for (const stages of startedTogether(spec)) {
    const tasks = stages.reduce((sum, stage) => sum + leastTasks(stage), 0)
    const of = stages.length === 1 ? ` of stage "${stages[0]?.name ?? ''}"` : ''
    if (tasks > most)
      throw new SchedError(
        'INFEASIBLE',
        `job ${spec.id} starts ${tasks} tasks${of} together, and a round may start ${most} (tasksPerHeartbeat).`,
        {},
        'Allow more.',
      )
  }
}

/** A scheduler that decides at once. */
class Monolithic implements Architecture {
  readonly #cell: Cell
  readonly #cluster: ClusterView
  readonly #lanes: number
  readonly #scheduler: Scheduler
  readonly #limits: RoundLimits | undefined
  /** The beating node, as the list of nodes of a round. */
  readonly #one: NodeId[] = [0 as NodeId]
  readonly #looks: Looks

  constructor(tasksPerHeartbeat: number | undefined, env: ArchitectureEnv) {
    this.#cell = env.cell
    this.#cluster = env.cell.cluster
    this.#lanes = env.cell.cluster.lanes.length
    this.#scheduler = env.addScheduler('scheduler')
    this.#looks = new Looks(this.#lanes, this.#scheduler)
    const claims = tasksPerHeartbeat === undefined ? {} : { claims: tasksPerHeartbeat }
    this.#limits = this.#cluster.heartbeat > 0 ? { ...claims, reach: env.cell.nodes } : tasksPerHeartbeat === undefined ? undefined : claims
  }

  /**
   * The scheduler. Throws `INFEASIBLE` for a gang larger than `tasksPerHeartbeat` and, with heartbeats, where one node is in sight, for a gang that
   * fits on no single node.
   */
  route(spec: JobSpec): Scheduler {
    const most = this.#limits?.claims ?? Infinity
    if (most < Infinity) checkMost(spec, most)
    if (this.#cluster.heartbeat === 0) return this.#scheduler
    this.#looks.changed()
    const why = beyondOneNode(spec, this.#cluster)
    if (why !== undefined) throw new SchedError('INFEASIBLE', why, {}, 'Describe the cluster without heartbeats, or give the architecture decision times.')
    return this.#scheduler
  }

  trigger(trigger: Trigger): void {
    if (trigger.kind === 'heartbeat') return this.#heartbeat(trigger.node)
    for (let lane = 0 as LaneId; lane < this.#lanes; lane++)
      // a round of a timer is for evictions, so it needs no pending tasks
      if (trigger.kind === 'timer') this.#round(lane, NOBODY)
      else if (this.#scheduler.pending(lane) > 0) this.#round(lane, this.#cell.nodes)
      else if (this.#scheduler.policy.wantsRound?.(this.#cell.now()) === true) this.#round(lane, NOBODY)
  }

  /** Checks for room first, since most heartbeats find none. */
  #heartbeat(node: NodeId): void {
    for (let lane = 0 as LaneId; lane < this.#lanes; lane++) {
      const { policy } = this.#scheduler
      if (!this.#cluster.hasRoom(lane, node) && policy.wantsNode?.(lane, node) !== true) {
        if (this.#looks.isWanted(lane)) this.#round(lane, NOBODY)
        continue
      }
      if (this.#scheduler.pending(lane) === 0) continue
      this.#one[0] = node
      this.#round(lane, this.#one)
    }
  }

  #round(lane: LaneId, nodes: readonly NodeId[]): void {
    const { policy } = this.#scheduler
    this.#looks.decided(lane)
    const round = this.#cell.draft(this.#scheduler, lane, nodes, this.#limits)
    policy.schedule(round)
    const commit = round.commit(SERIAL)
    policy.onCommit?.(commit)
  }
}

/** A scheduler that decides about one job at a time, in decision time. */
class SlowMonolithic implements Architecture {
  readonly #path: SerialPath
  readonly #attempts: Attempts
  readonly #times: DecisionTimes
  readonly #env: ArchitectureEnv

  constructor(options: z.output<typeof monolithicOptions>, env: ArchitectureEnv) {
    this.#env = env
    this.#times = new DecisionTimes(options, env)
    this.#attempts = new Attempts(env.cell, options)
    this.#path = new SerialPath(env.cell, env.addScheduler('scheduler'), env.cell.nodes, this.#times.of(), this.#attempts)
  }

  trigger(): void {
    this.#path.look()
  }

  wake(token: number): void {
    if (kindOf(token) === Timer.Close) this.#path.close()
    else this.#env.cell.letGo(idOf(token) as JobId)
  }

  finish(): void {
    this.#times.finish()
  }
}
