import { isGangJob, startedTogether, type ClusterView, type JobSpec, type StageSpec } from '@sched/core'
import { RoomWhenEmpty, type AtOnce } from '../room-when-empty.js'
import { SmallestFirst, type NodeSet } from './node-sets.js'

/** The placement sets that jobs of a queue are for, and what they hold. */
export class Pool {
  readonly sets: readonly NodeSet[]
  readonly #cluster: ClusterView
  readonly #smallestFirst: SmallestFirst
  /** Of the nodes that are up; absent until it is asked for. */
  #now: RoomWhenEmpty | undefined
  readonly #ever: RoomWhenEmpty

  constructor(sets: readonly NodeSet[], cluster: ClusterView) {
    this.sets = sets
    this.#cluster = cluster
    this.#smallestFirst = new SmallestFirst(sets, cluster)
    this.#ever = new RoomWhenEmpty(cluster, sets.map(({ nodes }) => nodes))
  }

  /** The sets in the order in which they are tried. */
  inOrder(cluster: ClusterView): NodeSet[] {
    return this.#smallestFirst.order(cluster).map((s) => this.sets[s] as NodeSet)
  }

  /** A node has gone or come. */
  onNode(): void {
    this.#smallestFirst.forget()
    this.#now = undefined
  }

  /** What of a job starts at once and is in no set, all of whose nodes are up and empty; `undefined` if there is none. */
  lacksFor(spec: JobSpec): AtOnce | undefined {
    return startedTogether(spec).find((stages) => !this.#isIn(this.#ever, stages))
  }

  /** Whether some set would hold what starts with the front stage if all its nodes that are up were empty. */
  holdsFront(spec: JobSpec, front: number): boolean {
    this.#now ??= new RoomWhenEmpty(this.#cluster, this.sets.map(({ nodes }) => nodes.filter((node) => this.#cluster.up(node))))
    const stage = spec.stages[front] as StageSpec
    return this.#isIn(this.#now, isGangJob(spec) ? (startedTogether(spec).find((stages) => stages.includes(stage)) as AtOnce) : [stage])
  }

  #isIn(room: RoomWhenEmpty, stages: AtOnce): boolean {
    return this.sets.some((_, s) => room.holds(stages, s))
  }
}
