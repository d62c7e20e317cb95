import { nodesByName, rememberedJobs, type Env, type JobId, type LaneId, type NodeId, type ShapeId, type TaskId, type WorkView } from '@sched/core'

/** A node that is kept for a task of a job that did not fit there; at most one reservation per node and lane. */
export interface Reservation {
  readonly job: JobId
  readonly lane: LaneId
  readonly node: NodeId
  readonly shape: ShapeId
}

/** Reservations in the order in which they were made, each with a stage of its shape, and how often each job's reserved nodes were looked at in vain. */
export interface ReservationsMemory {
  readonly held: readonly (readonly [job: string, lane: LaneId, node: string, stage: number])[]
  readonly again: readonly (readonly [job: string, lane: LaneId, times: number])[]
}

/** Reservations by node and by job. */
export class NodeReservations {
  /** Called for each reservation that is made (1) or given up (-1). */
  onChange: ((reservation: Reservation, sign: 1 | -1) => void) | undefined
  readonly #lanes: number
  readonly #byNode = new Map<number, Reservation>()
  readonly #byJob: (Reservation[] | undefined)[] = []
  /** `[job * lanes + lane]`: how often a reserved node was looked at and still had no room, since a reservation of the job was last made or given up. */
  readonly #again: number[] = []

  constructor(lanes: number) {
    this.#lanes = lanes
  }

  /** All reservations. Those for which no task waits are among them: the node is kept until it is looked at, and another stage may ask for the same. */
  memory({ work, cluster }: Env): ReservationsMemory {
    const held = [...this.#byNode.values()]
    return {
      held: held.map(({ job, lane, node, shape }) => [work.name(job), lane, cluster.name(node), stageWith(shape, job, work)] as const),
      again: held.map(({ job, lane }) => [work.name(job), lane, this.again(job, lane)] as const).filter(([, , times]) => times > 0),
    }
  }

  /** Makes remembered reservations again by `keep`, those on nodes that exist and are up, for jobs in the system. */
  recall({ held, again }: ReservationsMemory, { work, cluster }: Env, keep: (reservation: Reservation) => void): void {
    const nodes = nodesByName(cluster)
    for (const [job, lane, on, stage] of rememberedJobs(held, work)) {
      const node = nodes.get(on)
      if (node !== undefined && cluster.up(node)) keep({ job, lane, node, shape: work.shapeOf(work.taskAt(job, stage, 0) as TaskId) })
    }
    for (const [job, lane, times] of rememberedJobs(again, work)) if (this.count(job, lane) > 0) this.#again[job * this.#lanes + lane] = times
  }

  get size(): number {
    return this.#byNode.size
  }

  on(node: NodeId, lane: LaneId): Reservation | undefined {
    return this.#byNode.size === 0 ? undefined : this.#byNode.get(node * this.#lanes + lane)
  }

  of(job: JobId): readonly Reservation[] {
    return this.#byNode.size === 0 ? NONE : (this.#byJob[job] ?? NONE)
  }

  /** Number of reservations of a job in a lane. */
  count(job: JobId, lane: LaneId): number {
    return this.of(job).filter((each) => each.lane === lane).length
  }

  /** Number of reservations for tasks of one shape of a job. */
  countFor(job: JobId, lane: LaneId, shape: ShapeId): number {
    let count = 0
    for (const each of this.of(job)) if (each.lane === lane && each.shape === shape) count++
    return count
  }

  /** Of the reservations for tasks of one shape of a job, that on the lowest node. */
  firstFor(job: JobId, lane: LaneId, shape: ShapeId): Reservation | undefined {
    let first: Reservation | undefined
    for (const each of this.of(job)) if (each.lane === lane && each.shape === shape && (first === undefined || each.node < first.node)) first = each
    return first
  }

  /** Jobs with reserved nodes in a lane. */
  jobs(lane: LaneId): Set<JobId> {
    const jobs = new Set<JobId>()
    for (const each of this.#byNode.values()) if (each.lane === lane) jobs.add(each.job)
    return jobs
  }

  /** Reserved nodes of a lane, ascending. */
  nodes(lane: LaneId): NodeId[] {
    return [...this.#byNode.values()].filter((each) => each.lane === lane).map(({ node }) => node).sort((a, b) => a - b)
  }

  add(reservation: Reservation): void {
    const { job, node, lane } = reservation
    this.#byNode.set(node * this.#lanes + lane, reservation)
    while (this.#byJob.length <= job) this.#byJob.push(undefined) // an array without holes is faster to read than a map
    ;(this.#byJob[job] ??= []).push(reservation)
    this.#again[job * this.#lanes + lane] = 0
    this.onChange?.(reservation, 1)
  }

  drop(reservation: Reservation): void {
    const { job, node, lane } = reservation
    this.#byNode.delete(node * this.#lanes + lane)
    const left = this.#byJob[job]?.filter((each) => each !== reservation) ?? []
    this.#byJob[job] = left.length > 0 ? left : undefined
    this.#again[job * this.#lanes + lane] = 0
    this.onChange?.(reservation, -1)
  }

  noteAgain(job: JobId, lane: LaneId): void {
    this.#again[job * this.#lanes + lane] = this.again(job, lane) + 1
  }

  again(job: JobId, lane: LaneId): number {
    return this.#again[job * this.#lanes + lane] ?? 0
  }
}

const NONE: readonly Reservation[] = []

/**
 * The first stage of a job whose tasks have this shape: a name for the shape in a memory. For the shape of a copy that is kept off nodes, which no task of
 * a stage has: the first stage, whose shape its reservation gets in its place, so that it is looked at and dropped.
 */
export function stageWith(shape: ShapeId, job: JobId, work: WorkView): number {
  const stages = work.tasksByStage(job).keys()
  return [...stages].find((stage) => work.shapeOf(work.taskAt(job, stage, 0) as TaskId) === shape) ?? 0
}
