import {
  defineArchitecture, askedTogether, isGangJob, leastTasks, SchedError, startedTogether, type Architecture, type ArchitectureEnv, type Cell,
  type JobId, type JobSpec, type NodeId, type Plug, type ResourceId, type Scheduler, type StageSpec,
} from '@sched/core'
import * as z from '@sched/bundled/zod'
import { attemptOptions, Attempts } from './attempts.js'
import { decisionOptions, decisionTimes, DecisionTimes } from './decision-time.js'
import { groupOptions, refusePromises, Router, type Group } from './groups.js'
import { holds } from './holds.js'
import { divide, nodeOptions, type NodeOptions } from './partition-nodes.js'
import { SerialPath } from './serial-path.js'
import { idOf, kindOf, Timer } from './timers.js'

const partitionOptions = z.strictObject({
  nodes: nodeOptions.describe('a fraction of the nodes, names of nodes, names of racks or larger groups, or `rest`'),
  classes: groupOptions.classes,
  decision: decisionOptions.optional().describe('its own decision time'),
})
type PartitionOptions = Partial<z.output<typeof partitionOptions>>

const partitionedOptions = z.strictObject({
  partitions: z
    .union([z.int().positive(), z.record(z.string().min(1), partitionOptions)])
    .default(2)
    .describe('how many parts of equal size, among which jobs are divided by a hash of their id; or the partitions by name, with their nodes and classes of jobs'),
  ...decisionTimes,
  ...attemptOptions,
})
/** Options of `partitioned`; all may be left out. */
export type PartitionedOptions = z.input<typeof partitionedOptions>

/**
 * The nodes are divided once and for all. Each partition has its own scheduler, which decides about one job at a time on its nodes alone. Schedulers
 * never interfere, and none can use idle nodes of another partition.
 *
 * Source: Schwarzkopf et al., EuroSys 2013, section 3.2.
 */
export const partitionedArchitecture = defineArchitecture({
  name: 'partitioned',
  summary: 'fixed parts of the cluster with a scheduler each',
  source: 'Schwarzkopf et al., EuroSys 2013, section 3.2',
  options: partitionedOptions,
  create: (options, env) => new Partitioned(options, env),
})

/** Fixed partitions of the cluster with a scheduler each. */
export const partitioned = (options: PartitionedOptions = {}): Plug<'architecture'> => partitionedArchitecture.plug({}, options)

class Partitioned implements Architecture {
  readonly #cell: Cell
  readonly #router: Router
  readonly #times: DecisionTimes
  /** By scheduler id. */
  readonly #paths: SerialPath[] = []
  readonly #nodes: (readonly NodeId[])[] = []
  /** By scheduler id: demands of tasks that are known to fit in the partition. */
  readonly #fitting: WeakSet<StageSpec['demand']>[] = []

  constructor(options: z.output<typeof partitionedOptions>, env: ArchitectureEnv) {
    this.#cell = env.cell
    this.#times = new DecisionTimes(options, env)
    const attempts = new Attempts(env.cell, options)
    const parts = partsOf(options.partitions)
    const nodes = divide(parts.map(([name, own]) => ({ name, nodes: own.nodes as NodeOptions })), env.cluster)
    const schedulers = parts.map(([name, own], index) => this.#add(env.addScheduler(name), nodes[index] as NodeId[], own, attempts))
    refusePromises('partition', schedulers)
    this.#router = new Router('partition', groupsOf(options.partitions, parts, schedulers), 'hash', env)
  }

  #add(scheduler: Scheduler, nodes: readonly NodeId[], { decision }: PartitionOptions, attempts: Attempts): Scheduler {
    this.#nodes[scheduler.id] = nodes
    this.#fitting[scheduler.id] = new WeakSet()
    this.#paths[scheduler.id] = new SerialPath(this.#cell, scheduler, nodes, this.#times.of(decision), attempts)
    return scheduler
  }

  /** The scheduler of a new job. Throws `INFEASIBLE` for a task larger than every node of its partition, and for a gang larger than the partition. */
  route(spec: JobSpec): Scheduler {
    const scheduler = this.#router.route(spec)
    const { id, name } = scheduler
    for (const stage of spec.stages) {
      const least = leastTasks(stage)
      if (least === 1 && stage.constraints === undefined && this.#fitting[id]?.has(stage.demand) === true) continue
      const room = (this.#nodes[id] as readonly NodeId[]).reduce((sum, node) => sum + this.#cell.cluster.couldHold(stage, node), 0)
      const asked = `${JSON.stringify(stage.demand)}${stage.constraints === undefined ? '' : ` under ${JSON.stringify(stage.constraints)}`}`
      if (room === 0)
        throw new SchedError(
          'INFEASIBLE',
          `a task of job ${spec.id} asks ${asked}, more than any node of partition "${name}" has.`,
          {},
          'Give the partition larger nodes.',
        )
      if (room < least)
        throw new SchedError(
          'INFEASIBLE',
          `job ${spec.id} starts ${least} tasks of ${asked} together, and partition "${name}" has room for ${room}.`,
          {},
          'Give the partition more nodes.',
        )
      if (stage.constraints === undefined) this.#fitting[id]?.add(stage.demand)
    }
    if (isGangJob(spec)) this.#checkTogether(spec, scheduler)
    return scheduler
  }

  /** Throws `INFEASIBLE` if stages that start together ask for more than the partition has. */
  #checkTogether(spec: JobSpec, { id, name }: Scheduler): void {
    const { cluster } = this.#cell
    for (const [r, resource] of cluster.resources.entries()) {
      const asked = Math.max(...startedTogether(spec).map((together) => askedTogether(together, resource)))
      const total = (this.#nodes[id] as readonly NodeId[]).reduce((sum, node) => sum + cluster.total(node, r as ResourceId), 0)
      if (asked > total)
        throw new SchedError(
          'INFEASIBLE',
          `job ${spec.id} is one gang and asks ${asked} ${resource} at once, partition "${name}" has ${total}.`,
          {},
          'Give the partition more nodes.',
        )
    }
  }

  trigger(): void {
    for (const path of this.#paths) path.look()
  }

  wake(token: number): void {
    if (kindOf(token) === Timer.Close) this.#paths[idOf(token)]?.close()
    else this.#cell.letGo(idOf(token) as JobId)
  }

  hasRoom(job: JobId, stage: StageSpec, tasks: number): boolean {
    return holds(this.#cell.cluster, this.#nodes[this.#cell.schedulerOf(job)] ?? [], stage, tasks)
  }

  mayUse(job: JobId, node: NodeId): boolean {
    return this.#nodes[this.#cell.schedulerOf(job)]?.includes(node) === true
  }

  finish(): void {
    this.#times.finish()
    this.#router.finish()
  }
}

type Part = readonly [string, PartitionOptions]

function partsOf(given: number | Readonly<Record<string, PartitionOptions>>): Part[] {
  if (typeof given !== 'number') return Object.entries(given).sort(([a], [b]) => (a < b ? -1 : 1))
  return Array.from({ length: given }, (_, i) => [given === 1 ? 'scheduler' : `part-${i}`, { nodes: i === given - 1 ? 'rest' : { fraction: 1 / given } }])
}

/** The groups for routing: equal partitions form one kind, among which jobs are divided. */
function groupsOf(given: number | object, parts: readonly Part[], schedulers: readonly Scheduler[]): Group<PartitionOptions>[] {
  if (typeof given === 'number') return [{ name: 'part', options: { classes: ['*'] }, schedulers }]
  return parts.map(([name, options], index) => ({ name, options, schedulers: [schedulers[index] as Scheduler] }))
}
