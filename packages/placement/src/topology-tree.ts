import {
  definePlacement, leastTasks, NodeTree, None, SchedError, type ClusterView, type Env, type JobId, type JobSpec, type NodeId, type Placement, type Plug, type Round, type StageSpec,
  type WorkListener,
} from '@sched/core'
import * as z from '@sched/bundled/zod'
import { TaskCounts } from './scored/task-counts.js'

const topologyTreeOptions = z.strictObject({
  within: z.int().positive().optional().describe('all tasks of a job are in one group of this level: 1 in one rack (--switches=1 of Slurm), 2 in what racks stand in; default: anywhere'),
  wait: z.number().nonnegative().optional().describe('seconds from its submission for which a job waits for such a group (max_switch_wait); default: for ever'),
})
/** Options of `topology-tree`; both may be left out. */
export type TopologyTreeOptions = z.input<typeof topologyTreeOptions>

/**
 * Tasks of a job on as few racks as can be, and on racks that are near each other: in the rack that holds all of them, the one with the fewest nodes that have
 * room; where none does, in racks of the smallest group that holds them. A gang is placed as a whole, of any other job all that waits. Where tasks of the job
 * run, others come to their racks first.
 *
 * Source: Slurm, topology/tree (see `NodeTree`). Deviations: `within` and `wait` are those of all jobs, not of each; of a job that is one gang of several stages each
 * stage is placed in its turn.
 */
export const topologyTreePlacement = definePlacement({
  name: 'topology-tree',
  summary: 'the fewest racks that hold the job, near each other',
  source: 'Slurm, topology/tree',
  options: topologyTreeOptions,
  create: (options, env) => {
    const placement = new TopologyTree(options, env)
    return { ...placement.hooks, admits: (spec) => placement.admits(spec), pick: (job, round) => placement.pick(job, round) }
  },
})

/** Tasks of a job on the fewest racks that hold them. */
export const topologyTree = (options: TopologyTreeOptions = {}): Plug<'placement'> => topologyTreePlacement.plug({}, options)

const AT_HEARTBEATS = 'topology-tree: at a heartbeat one node is in sight, where a task starts if it fits: `within` does not hold on this cluster.'

class TopologyTree implements Placement {
  readonly hooks: WorkListener
  readonly #within: number | undefined
  readonly #wait: number
  readonly #cluster: ClusterView
  readonly #tree: NodeTree
  readonly #counts: TaskCounts
  readonly #room: Int32Array
  /** By what the tasks of a stage ask. */
  readonly #mostOf = new Map<string, number>()
  /** Nodes of the job looked at last, one for each task that waited in that round; so many wait when the first is due. */
  readonly #places: NodeId[] = []
  #waiting = 0
  #job: JobId | None = None
  #serial = -1

  constructor({ within, wait = Infinity }: z.output<typeof topologyTreeOptions>, env: Env) {
    const { cluster } = env
    if (within !== undefined && within >= cluster.levels)
      throw new SchedError(
        'BAD_OPTION',
        cluster.levels === 1 ? 'the cluster has no racks.' : `the cluster has groups of nodes up to level ${cluster.levels - 1}.`,
        { field: 'topology-tree.within' },
        'Give its nodes `racks`.',
      )
    if (within !== undefined && cluster.heartbeat > 0) env.warn(AT_HEARTBEATS)
    this.#within = within
    this.#wait = wait
    this.#cluster = cluster
    this.#tree = new NodeTree(cluster)
    this.#counts = new TaskCounts(cluster)
    this.hooks = this.#counts.hooks
    this.#room = new Int32Array(cluster.nodes)
  }

  /** Who has no group large enough would wait for ever. */
  admits({ stages }: JobSpec): string | undefined {
    const level = this.#within
    if (level === undefined || this.#wait !== Infinity) return undefined
    const stage = stages.find((each) => leastTasks(each) > 1 && this.#most(each, level) < leastTasks(each))
    if (stage === undefined) return undefined
    return `its ${leastTasks(stage)} tasks at once are more than any ${level === 1 ? 'rack' : `group of level ${level}`} has room for (topology-tree.within)`
  }

  pick(job: JobId, round: Round): NodeId | None {
    const unplaced = round.work.unplaced(job, round.lane)
    const isKnown = round.serial === this.#serial && job === this.#job
    const node = isKnown ? this.#places[this.#waiting - unplaced] : undefined
    if (node !== undefined && round.fits(job, node)) return node
    this.#plan(job, round, unplaced)
    return this.#places[0] ?? None
  }

  #plan(job: JobId, round: Round, unplaced: number): void {
    const { work, lane } = round
    const together = work.isGangJob(job) ? (work.parts(job, lane)[0]?.tasks ?? 0) : work.together(job, lane)
    this.#serial = round.serial
    this.#job = job
    this.#waiting = unplaced
    this.#places.length = 0
    const room = this.#measure(job, round)
    const wanted = work.isGangJob(job) ? together : together > 1 ? work.mostTogether(job, lane) : unplaced
    const confined = this.#within !== undefined && this.#mustBeWithin(job, round) ? this.#confine(wanted, job, this.#within) : room
    const tasks = Math.min(confined, wanted)
    if (tasks >= together) this.#tree.choose(this.#room, tasks, this.#places, { first: this.#begun(job) })
  }

  /** How many tasks of the job each node in sight has room for, and all of them. */
  #measure(job: JobId, round: Round): number {
    const { cluster, nodes, lane, work } = round
    const shape = work.shape(job, lane)
    const most = work.unplaced(job, lane)
    let all = 0
    this.#room.fill(0)
    for (const node of nodes) {
      if (!cluster.hasRoom(lane, node) || !round.fits(job, node)) continue
      const here = Math.min(most, Math.max(1, cluster.couldTake(shape, node)))
      this.#room[node] = here
      all += here
    }
    return all
  }

  /** Until its wait is over; then is a time to look again. */
  #mustBeWithin(job: JobId, round: Round): boolean {
    const until = round.work.submitted(job) + this.#wait
    if (round.now >= until) return false
    if (until < Infinity) round.wakeAt(until)
    return true
  }

  /**
   * Leaves room in one group of the level alone, and says how much: in that where the job is, otherwise in the one with the fewest nodes among those that hold so many tasks,
   * or with most room where none does.
   */
  #confine(wanted: number, job: JobId, level: number): number {
    const groups = this.#cluster.groups(level)
    const [room, nodes] = [new Float64Array(groups), new Float64Array(groups)]
    for (let node = 0 as NodeId; node < this.#room.length; node++) {
      const here = this.#room[node] as number
      const group = this.#cluster.group(level, node)
      room[group] = (room[group] as number) + here
      if (here > 0) nodes[group] = (nodes[group] as number) + 1
    }
    const chosen = this.#groupOf(job, level) ?? tightest(room, nodes, wanted)
    for (let node = 0 as NodeId; node < this.#room.length; node++) if (this.#cluster.group(level, node) !== chosen) this.#room[node] = 0
    return room[chosen] as number
  }

  /** Where the job is. */
  #groupOf(job: JobId, level: number): number | undefined {
    for (const { onNode } of this.#counts.racks(job)?.values() ?? []) for (const node of onNode.keys()) return this.#cluster.group(level, node)
    return undefined
  }

  #begun(job: JobId): Iterable<number> {
    return [...(this.#counts.racks(job)?.values() ?? [])].flatMap(({ onNode }) => [...onNode.keys()].map((node) => this.#tree.leafOf(node)))
  }

  /** Most tasks of a stage that a group of the level can hold, empty. */
  #most(stage: StageSpec, level: number): number {
    const key = JSON.stringify([stage.demand, stage.constraints])
    const known = this.#mostOf.get(key)
    if (known !== undefined) return known
    const room = new Float64Array(this.#cluster.groups(level))
    for (let node = 0 as NodeId; node < this.#cluster.nodes; node++) {
      const group = this.#cluster.group(level, node)
      room[group] = (room[group] as number) + this.#cluster.couldHold(stage, node)
    }
    const most = room.reduce((largest, here) => Math.max(largest, here), 0)
    this.#mostOf.set(key, most)
    return most
  }
}

/** The group with the fewest nodes of those with room for so many tasks; where none has, the one with most room. The lowest of equals. */
function tightest(room: Float64Array, nodes: Float64Array, tasks: number): number {
  let best = 0
  for (let group = 1; group < room.length; group++) {
    const [holds, other] = [(room[group] as number) >= tasks, (room[best] as number) >= tasks]
    const isBetter = holds === other ? (holds ? (nodes[group] as number) < (nodes[best] as number) : (room[group] as number) > (room[best] as number)) : holds
    if (isBetter) best = group
  }
  return best
}
