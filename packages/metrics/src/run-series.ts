import {
  grown, type ClusterView, type EndRow, type JobId, type JobSpec, type LaneId, type NodeId, type Observer, type QueueId, type ResourceId,
  type Seconds, type StartRow, type TaskId, type WorkView,
} from '@sched/core'
import { TimeMeans } from './time-means.js'

/** A run over time: means over steps of `step` seconds, the first of which begins at `from`. */
export interface RunSeries {
  /** Time of the first submission; NaN if there was none, and then all series are empty. */
  readonly from: Seconds
  /** Length of a step, seconds. */
  readonly step: Seconds
  /** End of the run, seconds. */
  readonly end: Seconds
  /** Number of jobs that wait for their first task. */
  readonly waitingJobs: readonly number[]
  /** Number of running tasks. */
  readonly runningTasks: readonly number[]
  /** Number of nodes that are down; absent if all stayed up, and where nodes come and go by demand. */
  readonly nodesAway?: readonly number[]
  /** Number of nodes of groups whose size follows demand, those on their way included; absent if there are none. */
  readonly scaledNodes?: readonly number[]
  /** Use of each resource. */
  readonly resources: readonly ResourceSeries[]
}

/** Use of one resource. */
export interface ResourceSeries {
  /** Its name. */
  readonly resource: string
  /** Held amount, as a fraction of what the cluster had at the start of the run. */
  readonly use: readonly number[]
  /** The same by queue, in order of appearance; absent if there is only one queue, or more than `MOST_QUEUES`. */
  readonly queues?: readonly { readonly queue: string; readonly use: readonly number[] }[]
}

/** Most steps that a chart can show. */
const MOST_STEPS = 480
/** Most queues that can be told apart in a chart. */
const MOST_QUEUES = 12

/** Follows use, waiting jobs and running tasks over time, in a bounded number of steps. */
export const runSeries = (): RunSeriesObserver => new RunSeriesObserver()

class RunSeriesObserver implements Observer {
  #cluster!: ClusterView
  #work!: WorkView
  #means: TimeMeans | undefined
  #from = NaN
  #end = NaN
  #waitingJobs = 0
  #runningTasks = 0
  #nodesAway = 0
  #scaledNodes = 0
  /** By group whose size follows demand: its nodes. */
  #sizes: number[] = []
  /** Number of nodes that are down now; `undefined` until one goes down. */
  #away: number | undefined
  /** Columns of `#means`, by resource. */
  #use: number[] = []
  /** Columns by queue; `undefined` once there are too many queues. */
  #queues: Map<QueueId, { readonly name: string; readonly use: number[] }> | undefined = new Map()
  readonly #capacity: number[] = []
  /** By job: 1 if it waits for its first task. */
  #waits = new Uint8Array(0)

  onRunStart({ cluster, work }: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    this.#cluster = cluster
    this.#work = work
    this.#sizes = (cluster.autoscale ?? []).map(({ initial }) => initial)
    cluster.resources.forEach((_, r) => (this.#capacity[r] = cluster.capacity(r as ResourceId)))
  }

  onSubmit(job: JobId, _spec: JobSpec, now: Seconds): void {
    const means = this.#means ?? this.#begin(now)
    this.#waits = grown(this.#waits, job + 1)
    this.#waits[job] = 1
    means.change(this.#waitingJobs, now, 1)
  }

  onTasksStart({ job, lane, count, tasks }: StartRow, now: Seconds): void {
    this.#leaveQueue(job, now)
    this.#hold(job, lane, tasks[0] as TaskId, count, now)
  }

  onTasksEnd({ job, lane, count, tasks }: EndRow, now: Seconds): void {
    this.#hold(job, lane, tasks[0] as TaskId, -count, now)
  }

  /** A job that is given up may end without a start. */
  onJobEnd(job: JobId, _spec: JobSpec, now: Seconds): void {
    this.#leaveQueue(job, now)
  }

  onNode(_node: NodeId, up: boolean, now: Seconds): void {
    const by = up ? -1 : 1
    this.#away = (this.#away ?? 0) + by
    this.#means?.change(this.#nodesAway, now, by)
  }

  onScale(group: number, nodes: number, now: Seconds): void {
    this.#means?.change(this.#scaledNodes, now, nodes - (this.#sizes[group] as number))
    this.#sizes[group] = nodes
  }

  onRunEnd(now: Seconds): void {
    this.#end = now
  }

  result(): RunSeries {
    const means = this.#means
    if (means === undefined) return { from: NaN, step: 0, end: this.#end, waitingJobs: [], runningTasks: [], resources: [] }
    const of = (column: number, whole = 1) => means.until(this.#end, column).map((mean) => mean / whole)
    const queues = [...(this.#queues?.values() ?? [])]
    const resources = this.#cluster.resources.map((resource, r): ResourceSeries => {
      const whole = this.#capacity[r] as number
      const byQueue = queues.length < 2 ? undefined : queues.map(({ name, use }) => ({ queue: name, use: of(use[r] as number, whole) }))
      return { resource, use: of(this.#use[r] as number, whole), ...(byQueue !== undefined && { queues: byQueue }) }
    })
    const nodes = this.#sizes.length > 0 ? { scaledNodes: of(this.#scaledNodes) } : this.#away !== undefined ? { nodesAway: of(this.#nodesAway) } : {}
    const counted = { waitingJobs: of(this.#waitingJobs), runningTasks: of(this.#runningTasks), ...nodes }
    return { from: this.#from, step: means.step, end: this.#end, ...counted, resources }
  }

  #begin(now: Seconds): TimeMeans {
    const means = (this.#means = new TimeMeans(now, MOST_STEPS))
    this.#from = now
    this.#waitingJobs = means.add()
    this.#runningTasks = means.add()
    this.#nodesAway = means.add()
    this.#scaledNodes = means.add()
    this.#use = this.#capacity.map(() => means.add())
    means.change(this.#nodesAway, now, this.#away ?? 0)
    means.change(this.#scaledNodes, now, this.#sizes.reduce((sum, size) => sum + size, 0))
    return means
  }

  #leaveQueue(job: JobId, now: Seconds): void {
    if (this.#waits[job] !== 1) return
    this.#waits[job] = 0
    this.#means?.change(this.#waitingJobs, now, -1)
  }

  #hold(job: JobId, lane: LaneId, task: TaskId, tasks: number, now: Seconds): void {
    const means = this.#means as TimeMeans
    means.change(this.#runningTasks, now, tasks)
    const shape = this.#work.shapeOf(task)
    const ofQueue = this.#ofQueue(this.#work.queue(job), means)
    for (const resource of this.#cluster.lanes[lane]?.resources ?? []) {
      const amount = tasks * this.#work.demand(shape, resource)
      if (amount === 0) continue
      means.change(this.#use[resource] as number, now, amount)
      if (ofQueue !== undefined) means.change(ofQueue[resource] as number, now, amount)
    }
  }

  #ofQueue(queue: QueueId, means: TimeMeans): readonly number[] | undefined {
    const queues = this.#queues
    if (queues === undefined) return undefined
    let found = queues.get(queue)
    if (found === undefined) {
      if (queues.size === MOST_QUEUES) return (this.#queues = undefined)
      queues.set(queue, (found = { name: this.#work.queueName(queue), use: this.#capacity.map(() => means.add()) }))
    }
    return found.use
  }
}
