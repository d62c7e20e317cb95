import { Draft, type CellState, type DraftSink, type Work } from '@sched/cluster'
import { forwarding, listOf, randomStream, SchedError, suggest, type ArchitectureEnv, type Env, type LaneId, type Policy, type Scheduler } from '@sched/core'
import type { SimulationOptions } from './options.js'

/** The schedulers that an architecture has added. Each has its own policy object and its own rounds. */
export class Schedulers {
  /** By scheduler id. */
  readonly all = listOf<Scheduler>()
  /** Rounds, by scheduler id. */
  readonly drafts = listOf<Draft>()
  /** The policies that are told of heartbeats: a cluster may have a scheduler for each job and node, and most policies do not ask. */
  readonly told = listOf<Required<Pick<Policy, 'onHeartbeat'>>>()
  readonly #options: SimulationOptions
  readonly #env: Env
  readonly #cell: CellState
  readonly #work: Work
  readonly #sink: DraftSink

  constructor(options: SimulationOptions, env: Env, cell: CellState, work: Work, sink: DraftSink) {
    this.#options = options
    this.#env = env
    this.#cell = cell
    this.#work = work
    this.#sink = sink
  }

  /** Adds a scheduler. Its policy is the one configured for its name, else for its group, else the run's policy. Throws `TAKEN_NAME`. */
  readonly add: ArchitectureEnv['addScheduler'] = (name, { group = name, listeners = [] } = {}) => {
    const { policies, policy: ofAll, seed = 1 } = this.#options
    if (this.all.some((other) => other.name === name)) throw new SchedError('TAKEN_NAME', `two schedulers are called "${name}".`, {}, 'Give them different names.')
    // each scheduler has streams of its own: schedulers with the same random numbers would all choose the same nodes
    const random = (stream: string) => randomStream(seed, `policy:${name}:${stream}`)
    const own = [name, group].find((each) => Object.hasOwn(policies ?? {}, each))
    const policy = (own === undefined ? ofAll : (policies?.[own] ?? ofAll)).create({ ...this.#env, random })
    const work = this.#work
    const id = work.addListener(listeners.length === 0 ? policy : forwarding(policy, ...listeners))
    this.drafts.push(new Draft(this.#cell, work, this.#sink, id))
    const scheduler = new AddedScheduler(id, name, group, policy, work)
    this.all.push(scheduler)
    if (policy.onHeartbeat !== undefined) this.told.push(policy as Required<Pick<Policy, 'onHeartbeat'>>)
    return scheduler
  }

  /** Throws if there is no scheduler, or if `policies` names a scheduler that does not exist: that policy would silently never be used. */
  check(): void {
    const { architecture, policies = {} } = this.#options
    if (this.all.length === 0) throw new SchedError('BROKEN_CONTRACT', `architecture "${architecture.name}" has no scheduler.`, {}, 'Add one with `addScheduler` in `create`.')
    const known = [...new Set(this.all.flatMap(({ name, group }) => [group, name]))]
    for (const name of Object.keys(policies))
      if (!known.includes(name)) throw new SchedError('UNKNOWN_NAME', `no scheduler is called "${name}".`, { field: 'policies' }, suggest(name, known))
  }
}

class AddedScheduler implements Scheduler {
  constructor(
    readonly id: number,
    readonly name: string,
    readonly group: string,
    readonly policy: Policy,
    private readonly work: Work,
  ) {}

  pending(lane: LaneId): number {
    return this.work.pending(this.id, lane)
  }
}
