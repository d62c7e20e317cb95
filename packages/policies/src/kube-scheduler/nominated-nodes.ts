import {
  jobsByName, nodesByName, WrappedRound, type Env, type JobId, type LaneId, type NodeId, type ResourceId, type Round, type ShapeId, type TaskId, type WorkListener,
} from '@sched/core'
import { stageWith } from '../capacity/node-reservations.js'

/** A node at which a task of a job is to run as soon as others have left it. */
interface Nomination {
  readonly job: JobId
  readonly lane: LaneId
  readonly node: NodeId
  readonly shape: ShapeId
}

/** Nominations in the order in which they were made, each with a task that asks for its shape. */
type Kept = readonly (readonly [job: string, lane: LaneId, node: string, stage: number])[]

/**
 * A round in which what is nominated to a node counts there for all jobs of the same or a lower priority. Of a job's tasks that ask for the same it
 * does not matter which one a nomination is for.
 *
 * Source: kube-scheduler, nominator.go; `RunFilterPluginsWithNominatedPods` of runtime/framework.go. Deviation: amounts count, not the rules of nominated
 * pods.
 */
export class NominatedNodes extends WrappedRound implements WorkListener {
  /** How many nominations have ended so far; after each there may be room for others. */
  ended = 0
  readonly #env: Env
  readonly #all: Nomination[] = []

  constructor(env: Env) {
    super()
    this.#env = env
  }

  /** Ends the nominations in the round's lane for which no task waits any more. */
  open(round: Round): this {
    this.inner = round
    const { work, lane } = round
    for (const job of new Set(this.#all.filter((each) => each.lane === lane).map((each) => each.job))) {
      this.#settle(job)
      if (work.unplaced(job, lane) > 0 && work.together(job, lane) === 1) this.#drop((each) => each.job === job && each.lane === lane && each.shape !== work.shape(job, lane))
    }
    return this
  }

  override fits(job: JobId, node: NodeId): boolean {
    return this.inner.fits(job, node) && this.#hasRoomBeside(job, this.work.shape(job, this.lane), node)
  }

  override claim(task: TaskId, node: NodeId): boolean {
    return this.#hasRoomBeside(this.work.jobOf(task), this.work.shapeOf(task), node) && this.inner.claim(task, node)
  }

  /** Whether the job's next task would have room on a node if nothing were nominated there. */
  isKeptOff(job: JobId): boolean {
    return this.#all.some(({ node }) => this.inner.fits(job, node) && !this.fits(job, node))
  }

  /** The nodes that tasks of the job are nominated to, the first nomination first, a node as often as tasks are. */
  of(job: JobId): NodeId[] {
    return this.#all.filter((each) => each.job === job && each.lane === this.lane).map(({ node }) => node)
  }

  /** How much of a resource is nominated to the node for tasks of at least this priority, but for those of one job. */
  amount(node: NodeId, priority: number, resource: ResourceId, except?: JobId): number {
    const { work, lane } = this
    let sum = 0
    for (const each of this.#all)
      if (each.node === node && each.lane === lane && each.job !== except && work.priority(each.job) >= priority) sum += work.demand(each.shape, resource)
    return sum
  }

  /** Nominates tasks of the job; jobs of lower priority lose their nominations to these nodes. */
  add(job: JobId, places: readonly Pick<Nomination, 'node' | 'shape'>[]): void {
    const { work, lane } = this
    const nodes = new Set(places.map(({ node }) => node))
    this.#drop((each) => each.lane === lane && nodes.has(each.node) && work.priority(each.job) < work.priority(job))
    for (const { node, shape } of places) this.#all.push({ job, lane, node, shape })
  }

  /** A task of the job has started on the node, or all that start together: that many nominations of it end, that of the node first. */
  started(job: JobId, node?: NodeId): void {
    if (node !== undefined) this.#endAt(job, node)
    this.#settle(job)
  }

  /** Ends the first nomination of the job to the node, or all that it has. */
  giveUp(job: JobId, node?: NodeId): void {
    if (node === undefined) this.#drop((each) => each.job === job && each.lane === this.lane)
    else this.#endAt(job, node)
  }

  // ---- what ends them ----

  onFinish(job: JobId): void {
    if (!this.#env.work.comesAgain(job)) this.#drop((each) => each.job === job)
  }

  onNode(node: NodeId, up: boolean): void {
    if (!up) this.#drop((each) => each.node === node)
  }

  memory(): Kept {
    const { work, cluster } = this.#env
    return this.#all.map(({ job, lane, node, shape }) => [work.name(job), lane, cluster.name(node), stageWith(shape, job, work)] as const)
  }

  recall(memory: unknown): void {
    const { work, cluster } = this.#env
    const [jobs, nodes] = [jobsByName(work), nodesByName(cluster)]
    for (const [name, lane, on, stage] of memory as Kept) {
      const [job, node] = [jobs.get(name), nodes.get(on)]
      if (job !== undefined && node !== undefined && cluster.up(node)) this.#all.push({ job, lane, node, shape: work.shapeOf(work.taskAt(job, stage, 0) as TaskId) })
    }
  }

  /** Of the job's own nominations there one is for the task in question, all if it is a gang. */
  #hasRoomBeside(job: JobId, shape: ShapeId, node: NodeId): boolean {
    if (!this.#all.some((each) => each.node === node)) return true
    const { work, cluster, lane } = this
    const priority = work.priority(job)
    const isGang = work.least(job, lane) > 1
    const own = !isGang && this.#all.some((each) => each.node === node && each.lane === lane && each.job === job) ? 1 : 0
    return (cluster.lanes[lane]?.resources ?? []).every((r) => {
      const asked = work.demand(shape, r)
      return cluster.free(node, r) - this.amount(node, priority, r, isGang ? job : undefined) + own * asked >= asked
    })
  }

  /** Ends the first nominations of the job that are more than its tasks that wait. */
  #settle(job: JobId): void {
    for (let over = this.of(job).length - this.work.unplaced(job, this.lane); over > 0; over--) this.#end(this.#all.findIndex((each) => each.job === job && each.lane === this.lane))
  }

  #endAt(job: JobId, node: NodeId): void {
    const at = this.#all.findIndex((each) => each.job === job && each.lane === this.lane && each.node === node)
    if (at >= 0) this.#end(at)
  }

  #drop(which: (nomination: Nomination) => boolean): void {
    for (let i = this.#all.length - 1; i >= 0; i--) if (which(this.#all[i] as Nomination)) this.#end(i)
  }

  #end(at: number): void {
    this.#all.splice(at, 1)
    this.ended++
  }
}
