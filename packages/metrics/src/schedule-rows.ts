import type { ClusterView, JobId, JobSpec, LaneId, NodeId, Observer, ResourceId, Seconds, TaskEnd, TaskId, WorkView } from '@sched/core'
import { merged, rangesOf, rangesText, Units, type Ranges } from './ranges.js'

/** Tasks of a job that started at one instant and left their nodes at one instant: a rectangle of a Gantt chart. Times in seconds. */
export interface ScheduleRow {
  /** Id of the job. */
  readonly id: string
  /** User of the job; empty if the workload gives none. */
  readonly user: string
  /** When the job was submitted. */
  readonly submit: Seconds
  /** When the tasks started. */
  readonly start: Seconds
  /** When the tasks left their nodes. */
  readonly end: Seconds
  /** How the tasks ended. */
  readonly how: TaskEnd
  /** Number of tasks. */
  readonly tasks: number
  /** Numbers of their nodes, from 0 in the order of the cluster: `0-3 7`. */
  readonly nodes: string
  /**
   * On a cluster of one node, which stands for a machine whose processors are only counted: units of its first resource, the lowest free ones at
   * every start, `0-15`. Empty on other clusters.
   */
  readonly units: string
}

/** Passes what ran where to `sink`, in order of ends. */
export const scheduleRows = (sink: (row: ScheduleRow) => void): Observer => new ScheduleRows(sink)

/** Tasks that left at the current instant, so far. */
interface Piece {
  readonly id: string
  readonly user: string
  readonly submit: Seconds
  readonly start: Seconds
  readonly how: TaskEnd
  readonly nodes: number[]
  units: Ranges
}

class ScheduleRows implements Observer {
  readonly #sink: (row: ScheduleRow) => void
  #work!: WorkView
  #units: Units | undefined
  readonly #held = new Map<TaskId, Ranges>()
  readonly #specs: JobSpec[] = []
  readonly #submits: Seconds[] = []
  /** Pieces of the current instant, by job, start and kind of end. */
  readonly #pieces = new Map<string, Piece>()
  #now = NaN

  constructor(sink: (row: ScheduleRow) => void) {
    this.#sink = sink
  }

  onRunStart({ cluster, work }: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    this.#work = work
    if (cluster.nodes === 1) this.#units = new Units(cluster.capacity(0 as ResourceId))
  }

  onSubmit(job: JobId, spec: JobSpec, now: Seconds): void {
    this.#advance(now)
    this.#specs[job] = spec
    this.#submits[job] = now
  }

  onTaskStart(task: TaskId): void {
    if (this.#units !== undefined) this.#held.set(task, this.#units.take(this.#work.demand(this.#work.shapeOf(task), 0 as ResourceId)))
  }

  onTaskEnd(task: TaskId, job: JobId, _lane: LaneId, node: NodeId, how: TaskEnd, started: Seconds, _stopped: Seconds, now: Seconds): void {
    this.#advance(now)
    const piece = this.#piece(job, started, how)
    piece.nodes.push(node)
    const units = this.#held.get(task)
    if (units === undefined) return
    this.#held.delete(task)
    this.#units?.giveBack(units)
    piece.units = merged(piece.units, units)
  }

  onRunEnd(now: Seconds): void {
    this.#flush(this.#now)
    this.#now = now
  }

  #piece(job: JobId, start: Seconds, how: TaskEnd): Piece {
    const { id } = this.#specs[job] as JobSpec
    const key = `${start} ${how} ${id}`
    let piece = this.#pieces.get(key)
    if (piece === undefined) {
      const user = this.#work.userName(this.#work.user(job))
      this.#pieces.set(key, (piece = { id, user, submit: this.#submits[job] as Seconds, start, how, nodes: [], units: [] }))
    }
    return piece
  }

  #advance(now: Seconds): void {
    if (now === this.#now) return
    this.#flush(this.#now)
    this.#now = now
  }

  #flush(end: Seconds): void {
    for (const { nodes, units, ...piece } of this.#pieces.values())
      this.#sink({ ...piece, end, tasks: nodes.length, nodes: rangesText(rangesOf(nodes)), units: rangesText(units) })
    this.#pieces.clear()
  }
}
