import type { ClusterView, JobId, LaneId, NodeId, NodeTree, Round, Seconds, WorkView } from '@sched/core'

/**
 * Jobs that wait for nodes near each other, as their `topology` says: in one group of a level, or in so many racks.
 *
 * Source: Slurm, `--switches=count@time` and max_switch_wait (_eval_nodes_topo, `wait4switch`). Deviations: the wait counts from the submission, there from the first
 * attempt to start; a start later than now is planned for when it is over; each part of a job that is one gang is looked at alone, as with the parts of a heterogeneous job.
 */
export class Switches {
  readonly #work: WorkView
  readonly #cluster: ClusterView
  readonly #tree: NodeTree
  readonly #most: Seconds
  #round: Round | undefined
  /** Jobs that could start on nodes too far apart, and when that was found. */
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

  /** Whether that was so in the round at this time. */
  isFar(job: JobId, now: Seconds): boolean {
    return this.#far.get(job) === now
  }

  /** The earliest start on these nodes at a time or later: that time, or the end of the job's wait where they are too far apart. */
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
