import { defineArchitecture, type Architecture, type ArchitectureEnv, type CommitMode, type LaneId, type NodeId, type Plug, type RoundLimits, type Scheduler, type Trigger } from '@sched/core'
import { z } from 'zod'

const monolithicOptions = z.strictObject({
  tasksPerHeartbeat: z.number().int().positive().optional().describe('most tasks of each slot type started per heartbeat; Hadoop 0.20 has 1; default all that fit'),
})
export type MonolithicOptions = z.input<typeof monolithicOptions>

/**
 * One scheduler sees all work and the live state and decides serially, at once: a round per lane at every heartbeat for
 * the node that beats, or over all nodes where the cluster has no heartbeats.
 *
 * Source: Schwarzkopf et al., EuroSys 2013, section 3 (monolithic); Hadoop's JobTracker.
 */
export const monolithicArchitecture = defineArchitecture({
  name: 'monolithic',
  summary: 'one scheduler, the whole live state, serial decisions',
  source: 'Schwarzkopf et al., EuroSys 2013, section 3',
  options: monolithicOptions,
  create: (options, env) => new Monolithic(options.tasksPerHeartbeat, env),
})

/** One scheduler with the whole live state. */
export const monolithic = (options: MonolithicOptions = {}): Plug<'architecture'> => monolithicArchitecture.plug({}, options)

const SERIAL: CommitMode = { conflict: 'none', atomic: false }
const NOBODY: readonly NodeId[] = []

class Monolithic implements Architecture {
  readonly #env: ArchitectureEnv
  readonly #scheduler: Scheduler
  readonly #limits: RoundLimits | undefined
  /** The node that beats, as a round's list of nodes. */
  readonly #one: NodeId[] = [0 as NodeId]

  constructor(tasksPerHeartbeat: number | undefined, env: ArchitectureEnv) {
    this.#env = env
    this.#scheduler = env.addScheduler('scheduler')
    this.#limits = tasksPerHeartbeat === undefined ? undefined : { claims: tasksPerHeartbeat }
  }

  trigger(trigger: Trigger): void {
    const { cell } = this.#env
    const { policy } = this.#scheduler
    const { lanes } = cell.cluster
    const nodes = this.#inSight(trigger)
    for (let lane = 0 as LaneId; lane < lanes.length; lane++) {
      if (!this.#mayStart(trigger, lane)) continue
      const round = cell.draft(this.#scheduler, lane, nodes, this.#limits)
      policy.schedule(round)
      const commit = round.commit(SERIAL)
      policy.onCommit?.(commit)
    }
  }

  /** Without pending work or without room a round would be empty; a timer's round is for evictions. */
  #mayStart(trigger: Trigger, lane: LaneId): boolean {
    const { cluster } = this.#env.cell
    if (trigger.kind === 'timer') return true
    return this.#scheduler.pending(lane) > 0 && (trigger.kind === 'pass' || cluster.hasRoom(lane, trigger.node))
  }

  #inSight(trigger: Trigger): readonly NodeId[] {
    if (trigger.kind === 'pass') return this.#env.cell.nodes
    if (trigger.kind === 'timer') return NOBODY
    this.#one[0] = trigger.node
    return this.#one
  }
}
