import { Draft, type CellState, type DraftSink, type Work } from '@sched/cluster'
import { forwarding, listOf, randomStream, SchedError, suggest, type ArchitectureEnv, type Env, type LaneId, type Policy, type Scheduler } from '@sched/core'
import type { SimulationOptions } from './options.js'

/** The schedulers that an architecture has added: each runs a policy of its own and drafts its own rounds. */
export class Schedulers {
  /** By scheduler id. */
  readonly all = listOf<Scheduler>()
  /** By scheduler id. */
  readonly drafts = listOf<Draft>()
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

  /** Adds a scheduler with the policy of its name, of its group, or of all. Throws `TAKEN_NAME`. */
  readonly add: ArchitectureEnv['addScheduler'] = (name, { group = name, listeners = [] } = {}) => {
    const { policies, policy: ofAll, seed = 1 } = this.#options
    if (this.all.some((other) => other.name === name)) throw new SchedError('TAKEN_NAME', `two schedulers are called "${name}".`, {}, 'Give them different names.')
    // streams of its own: schedulers that drew the same numbers would all choose the same nodes
    const random = (stream: string) => randomStream(seed, `policy:${name}:${stream}`)
    const own = [name, group].find((each) => Object.hasOwn(policies ?? {}, each))
    const policy = (own === undefined ? ofAll : (policies?.[own] ?? ofAll)).create({ ...this.#env, random })
    const work = this.#work
    const id = work.addListener(listeners.length === 0 ? policy : forwarding(policy, ...listeners))
    this.drafts.push(new Draft(this.#cell, work, this.#sink, id))
    const scheduler = new AddedScheduler(id, name, group, policy, work)
    this.all.push(scheduler)
    return scheduler
  }

  /** Throws where there is no scheduler, or a policy for one that does not exist, which would silently never be used. */
  check(): void {
    const { architecture, policies = {} } = this.#options
    if (this.all.length === 0) throw new SchedError('BROKEN_CONTRACT', `architecture "${architecture.name}" has no scheduler`)
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
