import { grown, type ClusterView, type EndRow, type JobId, type JobSpec, type LaneId, type Observer, type Seconds, type ShapeId, type TaskEnd, type TaskId, type WorkView } from '@sched/core'
import { counts, secondsIn, wholeRun, type Period } from './period.js'
import { QueueUses, type QueueUse } from './queue-use.js'

/**
 * Use of one resource from the first submission to the end of the run. Amounts are in units of the resource times seconds: slot seconds, millicore
 * seconds. `busy` = `useful` + `lost` + `unreported` + `unfinished`.
 */
export interface ResourceUse {
  /** Its name. */
  readonly resource: string
  /** The slot type, or the name of the only lane. */
  readonly lane: string
  /** Amount in the whole cluster at the start of the run. */
  readonly capacity: number
  /** `busy` / (capacity x span), in [0, 1]; NaN for an empty span. */
  readonly utilisation: number
  /** The same for `useful` alone, without lost work and the time until the master knew of ends. */
  readonly usefulUtilisation: number
  /** From the starts of tasks until the master knows that they have left. */
  readonly busy: number
  /** Work that counts: of tasks that are done, from start to stop, and saved work of tasks that were stopped before. */
  readonly useful: number
  /** Work of tasks that were evicted, lost, failed or superseded, without what was saved. */
  readonly lost: number
  /** From the stops of tasks until the master knows; on clusters with heartbeats, at the node's next one. */
  readonly unreported: number
  /** Work so far of tasks that still run when the run ends. */
  readonly unfinished: number
}

/** Use of each resource over the span of the run. */
export interface UtilisationResult {
  /** From the first submission to the end of the run, seconds. */
  readonly span: Seconds
  /** Use of each resource, in the order of the cluster. */
  readonly resources: readonly ResourceUse[]
  /** Use by queue, in natural order of names; absent where all jobs were of one queue, and where none names one. */
  readonly queues?: readonly QueueUse[]
}

/**
 * Measures the time-weighted use of every resource. Capacity is that at the start of the run. A task counts with its demand, so a lane of several
 * resources has one row for each. With a period, only what lies in it counts. Where jobs name several queues, it also tells what each held. The queue
 * of a job is that which the policy gives it, or that which it names, or else that of its user.
 */
export const utilisation = (period?: Period): Utilisation => new Utilisation(period)

/** Columns of a shape in `#seconds`. */
const USEFUL = 0, LOST = 1, UNREPORTED = 2, UNFINISHED = 3, WIDTH = 4

export class Utilisation implements Observer {
  #cluster!: ClusterView
  #work!: WorkView
  #queues!: QueueUses
  #first = NaN
  #end = NaN
  readonly #capacity: number[] = []
  /** Task seconds, `[shape * WIDTH + column]`. */
  #seconds = new Float64Array(0)

  /** Whether all seconds count: most runs have no period, and every task end asks. */
  readonly #isWhole: boolean

  constructor(private readonly period = wholeRun) {
    this.#isWhole = period === wholeRun
  }

  onRunStart({ cluster, work }: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    this.#cluster = cluster
    this.#work = work
    this.#queues = new QueueUses(cluster, work)
    for (const lane of cluster.lanes) for (const resource of lane.resources) this.#capacity[resource] = cluster.capacity(resource)
  }

  onSubmit(job: JobId, spec: JobSpec, now: Seconds): void {
    if (Number.isNaN(this.#first)) this.#first = now
    this.#queues.submitted(this.#work.queue(job), spec.queue !== undefined)
  }

  onTasksEnd({ job, lane, count, tasks, how, started, stopped, saved }: EndRow, now: Seconds): void {
    const at = this.#columns(tasks[0] as TaskId)
    const seconds = this.#isWhole ? stopped - started : secondsIn(this.period, started, stopped)
    if (how === 'done') this.#add(at + USEFUL, seconds, count)
    else {
      const kept = saved > 0 || counts(this.period, stopped) ? saved : 0 // negative where work saved in earlier runs is lost, too
      const useful = Math.min(kept, seconds)
      this.#add(at + USEFUL, useful, count)
      this.#add(at + LOST, seconds - useful, count)
    }
    const unreported = stopped < now ? secondsIn(this.period, stopped, now) : 0
    if (unreported > 0) this.#add(at + UNREPORTED, unreported, count)
    if (this.#queues.areSeveral) this.#queues.held(this.#work.queue(job), lane, tasks[0] as TaskId, seconds + unreported, count)
  }

  onWorkLost(task: TaskId, _job: JobId, _lane: LaneId, _how: TaskEnd, seconds: Seconds, now: Seconds): void {
    if (!counts(this.period, now)) return
    const at = this.#columns(task)
    this.#add(at + USEFUL, -seconds, 1)
    this.#add(at + LOST, seconds, 1)
  }

  /** Adds the seconds once per task, so that sums do not depend on which tasks are reported together. */
  #add(column: number, seconds: Seconds, times: number): void {
    let sum = this.#seconds[column] as number
    for (let i = 0; i < times; i++) sum += seconds
    this.#seconds[column] = sum
  }

  onRunEnd(now: Seconds): void {
    this.#end = now
    const running: TaskId[] = []
    for (const job of this.#work.jobs())
      for (const lane of this.#cluster.lanes.keys() as Iterable<LaneId>) {
        running.length = 0
        this.#work.runningTasks(job, lane, running)
        for (const task of running) {
          const at = this.#columns(task) + UNFINISHED
          const seconds = secondsIn(this.period, this.#work.started(task), now)
          this.#seconds[at] = (this.#seconds[at] as number) + seconds
          if (this.#queues.areSeveral) this.#queues.held(this.#work.queue(job), lane, task, seconds, 1)
        }
      }
  }

  result(): UtilisationResult {
    const span = secondsIn(this.period, this.#first, this.#end)
    const lanes = this.#cluster.lanes.flatMap((lane) => lane.resources.map((resource) => ({ lane, resource })))
    const resources = lanes.map(({ lane, resource }) => this.#use(lane.name, resource, span))
    const queues = this.#queues.result(resources.map(({ resource, busy, capacity }) => ({ resource, busy, whole: capacity * span })))
    return { span, resources, ...(queues !== undefined && { queues }) }
  }

  #use(lane: string, resource: ClusterView['lanes'][number]['resources'][number], span: Seconds): ResourceUse {
    const sums = [0, 0, 0, 0]
    for (let shape = 0; (shape + 1) * WIDTH <= this.#seconds.length; shape++)
      for (let column = 0; column < WIDTH; column++) {
        const seconds = this.#seconds[shape * WIDTH + column] as number
        if (seconds !== 0) sums[column] = (sums[column] as number) + seconds * this.#work.demand(shape as ShapeId, resource)
      }
    const [useful, lost, unreported, unfinished] = sums as [number, number, number, number]
    const busy = useful + lost + unreported + unfinished
    const capacity = this.#capacity[resource] as number
    const whole = capacity * span
    return {
      resource: this.#cluster.resources[resource] as string,
      lane,
      capacity,
      utilisation: whole > 0 ? busy / whole : NaN,
      usefulUtilisation: whole > 0 ? useful / whole : NaN,
      busy,
      useful,
      lost,
      unreported,
      unfinished,
    }
  }

  #columns(task: TaskId): number {
    const at = this.#work.shapeOf(task) * WIDTH
    if (at + WIDTH > this.#seconds.length) this.#seconds = grown(this.#seconds, at + WIDTH)
    return at
  }
}
