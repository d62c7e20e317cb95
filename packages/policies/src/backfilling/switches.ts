import type { ClusterView, JobId, LaneId, NodeId, NodeTree, Round, Seconds, WorkView } from '@sched/core'

/**
 * Makes jobs wait for nodes near each other, as their `topology` asks: in one group of a level, or in at most a number of racks.
 *
 * Source: Slurm, `--switches=count@time` and max_switch_wait (_eval_nodes_topo, `wait4switch`). Deviations: the wait counts from the submission, in
 * Slurm from the first attempt to start; a start later than now is planned for the end of the wait; each part of a job that is one gang is looked
 * at alone, like the parts of a heterogeneous job.
 */
export class Switches {
  readonly #work: WorkView
  readonly #cluster: ClusterView
  readonly #tree: NodeTree
  readonly #most: Seconds
  #round: Round | undefined
  /** Jobs that could start, but only on nodes too far apart, and the time of the round in which that was found. */
  readonly #far = new Map<JobId, Seconds>()

  constructor(work: WorkView, cluster: ClusterView, tree: NodeTree, most: Seconds) {
    this.#work = work
    this.#cluster = cluster
    this.#tree = tree
    this.#most = most
  }

  begin(round: Round): void {
    this.#round = round
  }

  /** Whether the job could have started in the round at this time, but only on nodes too far apart. */
  isFar(job: JobId, now: Seconds): boolean {
    return this.#far.get(job) === now
  }

  /** The earliest start on these nodes from `start` on: `start` itself, or the end of the job's wait where the nodes are too far apart. */
  earliest(job: JobId, lane: LaneId, start: Seconds, places: readonly NodeId[]): Seconds {
    const asked = this.#work.topology(job, lane)?.asked
    if (asked === undefined) return start
    const { required, racks = Infinity, wait = Infinity } = asked
    const until = this.#work.submitted(job) + Math.min(wait, this.#most)
    if (start >= until || (this.#isInOne(required, places) && new Set(places.map((node) => this.#tree.leafOf(node))).size <= racks)) return start
    if (start === this.#round?.now) this.#far.set(job, start)
    if (until < Infinity) this.#round?.wakeAt(until)
    return until
  }

  #isInOne(level: number | undefined, places: readonly NodeId[]): boolean {
    if (level === undefined || level >= this.#cluster.levels) return true
    return new Set(places.map((node) => this.#cluster.group(level, node))).size <= 1
  }
}
