import {
  definePlacement, NodeTree, None, SchedError, type ClusterView, type Env, type JobId, type JobSpec, type NodeId, type Placement, type Plug, type Round, type WorkListener,
} from '@sched/core'
import * as z from '@sched/bundled/zod'
import { OneGroup } from './one-group.js'
import { RoomByLeaf } from './room-by-leaf.js'
import { TaskCounts } from './scored/task-counts.js'
import { WholeGang } from './whole-gang.js'

const topologyTreeOptions = z.strictObject({
  within: z.int().positive().optional().describe('all tasks of a job are in one group of this level: 1 in one rack (--switches=1 of Slurm), 2 in what racks stand in; default: anywhere'),
  wait: z.number().nonnegative().optional().describe('seconds from its submission for which a job waits for such a group (max_switch_wait); default: for ever'),
})
/** Options of `topology-tree`; both may be left out. */
export type TopologyTreeOptions = z.input<typeof topologyTreeOptions>

/**
 * Tasks of a job on as few racks as can be, near each other: in the rack that holds all of them, of several in the one with the fewest nodes that have
 * room; where none does, in racks of the smallest group that holds them. A gang is placed as a whole, of any other job all that waits. Where tasks of the job
 * run, others come to their racks first.
 *
 * Source: Slurm, topology/tree (see `NodeTree`). Deviations: `within` and `wait` are those of all jobs, not of each; the wait counts from the submission, there from
 * the first attempt to start; without `within`, of a job that is one gang of several stages each stage is placed in its turn.
 */
export const topologyTreePlacement = definePlacement({
  name: 'topology-tree',
  summary: 'the fewest racks that hold the job, near each other',
  source: 'Slurm, topology/tree',
  options: topologyTreeOptions,
  create: (options, env) => {
    const placement = new TopologyTree(options, env)
    return {
      ...placement.hooks,
      admits: (spec) => placement.admits(spec),
      pick: (job, round) => placement.pick(job, round),
      delays: (job, round) => placement.delays(job, round),
    }
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
  /** For jobs of one task, of which there may be very many. */
  readonly #lone: RoomByLeaf
  readonly #room: Int32Array
  /** Absent where jobs may be anywhere. */
  readonly #group: OneGroup | undefined
  readonly #whole: WholeGang | undefined
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
    this.#lone = new RoomByLeaf(this.#tree)
    this.#counts = new TaskCounts(cluster)
    this.#group = within === undefined ? undefined : new OneGroup(cluster, env.work, within)
    this.#whole = this.#group && new WholeGang(this.#group, within as number, this.#tree, env)
    this.hooks = { ...this.#counts.hooks, ...this.#group?.hooks }
    this.#room = new Int32Array(cluster.nodes)
  }

  /** Who has no group large enough would wait for ever. */
  admits(spec: JobSpec): string | undefined {
    const refusal = this.#group?.admits(spec)
    return this.#wait === Infinity ? refusal : undefined
  }

  pick(job: JobId, round: Round): NodeId | None {
    const unplaced = round.work.unplaced(job, round.lane)
    const lone = unplaced === 1 && this.#isAlone(job, round) ? this.#lone.pick(round.work.shape(job, round.lane), round) : undefined
    if (lone !== undefined && (lone === None || round.fits(job, lone))) return lone
    const isKnown = round.serial === this.#serial && job === this.#job
    const node = isKnown ? this.#places[this.#waiting - unplaced] : undefined
    if (node !== undefined && round.fits(job, node)) return node
    this.#plan(job, round, unplaced)
    return this.#places[0] ?? None
  }

  /** Whether nothing runs or will run of the job that its only task should be near; a rack is one group. */
  #isAlone(job: JobId, { work }: Round): boolean {
    return this.#counts.racks(job) === undefined && (this.#group === undefined || (this.#within === 1 && this.#group.besideMaster(job, work) === undefined))
  }

  /** Whether it waits for room in one group, and has room for all that must start at once without that. */
  delays(job: JobId, round: Round): boolean {
    const unplaced = round.work.unplaced(job, round.lane)
    if (this.#group === undefined || unplaced === 0 || round.nodes.length === 1) return false
    this.#plan(job, round, unplaced)
    if (this.#places.length > 0) return false
    return isSeveral(job, round) ? WholeGang.hasRoom(job, round) : this.#measure(job, round) >= this.#together(job, round)
  }

  #plan(job: JobId, round: Round, unplaced: number): void {
    const { work, lane } = round
    const together = this.#together(job, round)
    this.#serial = round.serial
    this.#job = job
    this.#waiting = unplaced
    this.#places.length = 0
    const group = this.#group !== undefined && this.#mustBeWithin(job, round) ? this.#group : undefined
    if (group !== undefined && isSeveral(job, round)) return this.#whole?.plan(job, round, this.#groupOf(job), this.#places)
    const shape = work.shape(job, lane)
    const isNew = together > 1 && !work.isGangJob(job) && this.#counts.racks(job) === undefined
    if (group !== undefined && isNew && group.lacksRoom(shape, together, round)) return
    const room = this.#measure(job, round)
    const wanted = work.isGangJob(job) ? together : together > 1 ? work.mostTogether(job, lane) : unplaced
    const confined = group === undefined ? room : group.confine(this.#room, wanted, job, round, this.#groupOf(job))
    if (isNew && confined < together) group?.noteMost(shape, confined, round)
    const tasks = Math.min(confined, wanted)
    if (tasks > 0 && tasks >= together) this.#tree.choose(this.#room, tasks, this.#places, { first: this.#begun(job) })
  }

  /** Tasks that must start at once; of a job that is one gang those of the stage whose turn it is. */
  #together(job: JobId, { work, lane }: Round): number {
    return work.isGangJob(job) ? (work.parts(job, lane)[0]?.tasks ?? 0) : work.together(job, lane)
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

  /** The group of the level that the job is in, `undefined` where nothing of it runs. */
  #groupOf(job: JobId): number | undefined {
    for (const { onNode } of this.#counts.racks(job)?.values() ?? []) for (const node of onNode.keys()) return this.#cluster.group(this.#within as number, node)
    return undefined
  }

  #begun(job: JobId): Iterable<number> {
    return [...(this.#counts.racks(job)?.values() ?? [])].flatMap(({ onNode }) => [...onNode.keys()].map((node) => this.#tree.leafOf(node)))
  }
}

/** Whether tasks of several stages of the job must start at once. */
const isSeveral = (job: JobId, { work, lane }: Round): boolean => work.isGangJob(job) && work.parts(job, lane).length > 1
