import { definePlacement, None, SchedError, type Env, type JobId, type NodeId, type Plug, type Round } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { NearPlacement } from './near-placement.js'
import { Nearness, startingAtBest, startingTogether, type Asked, type Firm } from './nearness.js'
import { RoomByLeaf } from './room-by-leaf.js'

const topologyTreeOptions = z.strictObject({
  within: z.int().positive().optional()
    .describe('all tasks of a job are in one group of this level, where it has no `topology` of its own: 1 in one rack (--switches=1 of Slurm), 2 in what racks stand in; default: anywhere'),
  wait: z.number().nonnegative().optional().describe('seconds from its submission for which a job waits at most for such a group, or what its `topology` asks for (max_switch_wait); default: for ever'),
})
/** Options of `topology-tree`; both may be left out. */
export type TopologyTreeOptions = z.input<typeof topologyTreeOptions>

/**
 * Places the tasks of a job on as few racks as possible, near each other: in a rack that holds all of them, of several such racks the one with the fewest
 * nodes that have room; if no rack holds them, in racks of the smallest group that does. A gang is placed as a whole, any other job with all its waiting
 * tasks. Further tasks of a job go first to the racks where it runs. A job's own `topology` holds for it, `within` for all other jobs.
 *
 * Source: Slurm, topology/tree (see `NodeTree`). Deviations: the wait counts from the submission, in Slurm from the first attempt to start; if a job is one
 * gang of several stages, each stage is placed in its turn, unless they must be in one group.
 */
export const topologyTreePlacement = definePlacement({
  name: 'topology-tree',
  summary: 'the fewest racks that hold the job, near each other',
  source: 'Slurm, topology/tree',
  options: topologyTreeOptions,
  create: (options, env) => new TopologyTree(options, env),
})

/** Tasks of a job on the fewest racks that hold them. */
export const topologyTree = (options: TopologyTreeOptions = {}): Plug<'placement'> => topologyTreePlacement.plug({}, options)

const AT_HEARTBEATS = 'topology-tree: at a heartbeat one node is in sight, where a task starts if it fits: `within` does not hold on this cluster.'

class TopologyTree extends NearPlacement {
  /** Finds nodes for jobs with one task to place, of which there may be very many. */
  readonly #lone: RoomByLeaf
  readonly #room: Int32Array
  readonly #levels: number

  constructor({ within, wait }: z.output<typeof topologyTreeOptions>, env: Env) {
    const { cluster } = env
    if (within !== undefined && within >= cluster.levels)
      throw new SchedError(
        'BAD_OPTION',
        cluster.levels === 1 ? 'the cluster has no racks.' : `the cluster has groups of nodes up to level ${cluster.levels - 1}.`,
        { field: 'topology-tree.within' },
        'Give its nodes `racks`.',
      )
    if (within !== undefined && cluster.heartbeat > 0) env.warn(AT_HEARTBEATS)
    super(new Nearness('topology-tree', env, { within, field: 'topology-tree.within', wait }))
    this.#lone = new RoomByLeaf(this.nearness.tree)
    this.#room = new Int32Array(cluster.nodes)
    this.#levels = cluster.levels
  }

  override pick(job: JobId, round: Round): NodeId | None {
    const isAlone = round.work.unplaced(job, round.lane) === 1 && this.nearness.isAlone(job, round)
    const lone = isAlone ? this.#lone.pick(round.work.shape(job, round.lane), round) : undefined
    if (lone !== undefined && (lone === None || round.fits(job, lone))) return lone
    return super.pick(job, round)
  }

  protected override planFreely(job: JobId, round: Round): void {
    this.#planIn(undefined, ANYWHERE, job, round)
  }

  protected override planNear(asked: Asked, { required }: Firm, job: JobId, round: Round): void {
    const { nodes } = this.places
    const top = Math.min(required ?? Infinity, this.#levels)
    for (let level = asked.preferred ?? top; level < top && nodes.length === 0; level++) this.#planIn(level, asked, job, round, true)
    if (nodes.length === 0) this.#planIn(required, asked, job, round)
  }

  /** Plans the tasks in one group of `level`, or anywhere if it is `undefined`. `isWhole`: all tasks or none. */
  #planIn(level: number | undefined, asked: Asked, job: JobId, round: Round, isWhole = false): void {
    const { work, lane } = round
    const { isOfStage } = asked
    const { nearness } = this
    if (level !== undefined && nearness.placeWhole(level, asked, job, round, this.places.nodes)) return
    const group = level === undefined ? undefined : nearness.groups.at(level)
    const together = startingTogether(job, round)
    const shape = work.shape(job, lane)
    const isNew = together > 1 && !work.isGangJob(job) && !nearness.runs(job)
    if (group !== undefined && isNew && group.lacksRoom(shape, together, round)) return
    const room = this.measure(job, round)
    const wanted = startingAtBest(job, round)
    const confined = group === undefined ? room : group.confine(this.#room, wanted, job, round, nearness.groupOf(level as number, job, isOfStage, round))
    if (isNew && confined < together) group?.noteMost(shape, confined, round)
    const tasks = Math.min(confined, wanted)
    if (tasks > 0 && tasks >= (isWhole ? wanted : together)) nearness.tree.choose(this.#room, tasks, this.places.nodes, { first: nearness.leavesOf(job, isOfStage, round) })
  }

  /** Notes for how many tasks of the job each node in sight has room; returns the sum. */
  protected override measure(job: JobId, round: Round): number {
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
}

const ANYWHERE: Asked = { isOfStage: false }
