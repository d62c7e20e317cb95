import {
  runningTasks, type Architecture, type ClusterView, type JobId, type JobSpec, type LaneId, type NodeId, type Observer, type ResourceId, type Seconds,
  type TaskEnd, type TaskId, type WorkView,
} from '@sched/core'
import { scheduleRows, type ScheduleRow } from './schedule-rows.js'

/** The schedule from the start of a run, as much as can be drawn, and the outages in that time. */
export interface ScheduleWindow {
  /** Everything that started before `until`, even if it ran on after it, in order of ends. Tasks that still run at the end of the run end there. */
  readonly rows: readonly ScheduleRow[]
  /** When the window ends; `Infinity` if it covers the whole run. */
  readonly until: Seconds
  /** End of the run. */
  readonly end: Seconds
  /** Names of the nodes, in the order of the cluster. */
  readonly nodes: readonly string[]
  /** On a cluster of one node: its first resource, whose units distinguish the rows. */
  readonly units?: { readonly resource: string; readonly count: number }
  /** Outages by number of the node: from when to when it was down, seconds. */
  readonly away: readonly { readonly node: number; readonly from: Seconds; readonly to: Seconds }[]
}

/** How much of a schedule to keep. */
export interface ScheduleWindowOptions {
  /** Most rectangles; adjacent nodes or units form one. */
  readonly most: number
  /** True: a longer schedule is cut at the end of the row with which it exceeds `most`. False: it is not kept at all. */
  readonly cut: boolean
}

/** Most outages to draw. */
const MOST_OUTAGES = 2000

/** Keeps the rows of `scheduleRows` up to a number that a Gantt chart can show. */
export const scheduleWindow = (options: ScheduleWindowOptions): ScheduleWindowObserver => new ScheduleWindowObserver(options)

class ScheduleWindowObserver implements Observer {
  readonly #options: ScheduleWindowOptions
  readonly #all: Observer
  readonly #rows: ScheduleRow[] = []
  readonly #away: { node: number; from: Seconds; to: Seconds }[] = []
  readonly #goneSince = new Map<NodeId, Seconds>()
  #cluster!: ClusterView
  #work!: WorkView
  #rectangles = 0
  #until = Infinity
  #isOver = false
  #end: Seconds = NaN

  constructor(options: ScheduleWindowOptions) {
    this.#options = options
    this.#all = scheduleRows((row) => this.#add(row))
  }

  onRunStart(run: { readonly cluster: ClusterView; readonly work: WorkView; readonly architecture: Architecture }): void {
    this.#cluster = run.cluster
    this.#work = run.work
    this.#all.onRunStart?.(run)
  }

  onSubmit(job: JobId, spec: JobSpec, now: Seconds): void {
    if (!this.#isOver) this.#all.onSubmit?.(job, spec, now)
  }

  onTaskStart(task: TaskId, job: JobId, lane: LaneId, node: NodeId, level: number, now: Seconds): void {
    if (!this.#isOver) this.#all.onTaskStart?.(task, job, lane, node, level, now)
  }

  onTaskEnd(task: TaskId, job: JobId, lane: LaneId, node: NodeId, how: TaskEnd, started: Seconds, stopped: Seconds, now: Seconds, saved: Seconds): void {
    if (!this.#isOver) this.#all.onTaskEnd?.(task, job, lane, node, how, started, stopped, now, saved)
  }

  onNode(node: NodeId, up: boolean, now: Seconds): void {
    if (!up) this.#goneSince.set(node, now)
    else this.#back(node, now)
  }

  onRunEnd(now: Seconds): void {
    if (!this.#isOver) {
      this.#endRunning(now)
      this.#all.onRunEnd?.(now)
    }
    for (const node of [...this.#goneSince.keys()]) this.#back(node, now)
    this.#end = now
  }

  /** `undefined` for a schedule that is too long and was not to be cut. */
  result(): ScheduleWindow | undefined {
    if (this.#isOver) return undefined
    const { nodes, resources } = this.#cluster
    const names = Array.from({ length: nodes }, (_, node) => this.#cluster.name(node as NodeId))
    const units = nodes === 1 ? { resource: resources[0] ?? '', count: this.#cluster.capacity(0 as ResourceId) } : undefined
    return { rows: this.#rows, until: this.#until, end: this.#end, nodes: names, ...(units !== undefined && { units }), away: this.#away }
  }

  #endRunning(now: Seconds): void {
    for (const job of this.#work.jobs())
      for (const lane of this.#cluster.lanes.keys() as IterableIterator<LaneId>)
        for (const task of runningTasks(job, lane, this.#work)) this.#all.onTaskEnd?.(task, job, lane, this.#work.nodeOf(task) as NodeId, 'done', this.#work.started(task), now, now, 0)
  }

  #add(row: ScheduleRow): void {
    if (row.start >= this.#until) return
    this.#rows.push(row)
    this.#rectangles += (row.units || row.nodes).split(' ').length
    if (this.#rectangles <= this.#options.most || this.#until < Infinity) return
    if (this.#options.cut) this.#until = row.end
    else {
      this.#isOver = true
      this.#rows.length = 0
    }
  }

  #back(node: NodeId, now: Seconds): void {
    const from = this.#goneSince.get(node)
    this.#goneSince.delete(node)
    if (from !== undefined && this.#away.length < MOST_OUTAGES && from < this.#until) this.#away.push({ node, from, to: now })
  }
}
