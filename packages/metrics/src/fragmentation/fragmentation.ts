import type { ClusterView, EndRow, JobId, JobSpec, NodeId, Observer, ResourceId, Seconds, ShapeId, StartRow, TaskId, WorkView } from '@sched/core'
import { secondsIn, wholeRun, type Period } from '../period.js'
import { DeviceFragments } from './device-fragments.js'

/**
 * Fragments of a resource that comes in devices, from the first submission to the end of the run. Amounts are in its unit (thousandths of GPUs) and
 * means over time. A fragment is a free amount that is of no use to a task; its expected value is over the tasks submitted so far, each kind by its
 * number of tasks.
 */
export interface FragmentationResult {
  /** The resource, for example `gpus`. */
  readonly resource: string
  /** Amount on all nodes that are up at the start of the run. */
  readonly capacity: number
  /** Mean free amount. */
  readonly free: number
  /** Mean of the expected fragments. */
  readonly fragmented: number
  /** `fragmented` / `free`, in [0, 1]; NaN if nothing is ever free. */
  readonly share: number
  /** Largest expected fragments at any time. */
  readonly most: number
  /** Number of kinds of tasks (demand and constraints) that are measured, at most the first 512. */
  readonly kinds: number
  /** Fraction of the tasks that are of a measured kind, in [0, 1]. */
  readonly covered: number
}

/**
 * Measures how much of the free devices is scattered into parts that the workload cannot use.
 *
 * Source: Weng et al., "Beware of Fragmentation", USENIX ATC 2023, section 3. Deviations: the paper measures against a workload known beforehand,
 * here it is the tasks submitted so far. What prefilled tasks hold is never given back here.
 */
export const fragmentation = (period?: Period): Fragmentation => new Fragmentation(period)

export class Fragmentation implements Observer {
  #cluster!: ClusterView
  #work!: WorkView
  #parts: readonly DeviceFragments[] = []
  /** By part. */
  #capacity: readonly number[] = []
  /** Free amounts, `[resource * nodes + node]`. */
  #amounts = new Int32Array(0)
  /** Devices of the running tasks that hold any. */
  readonly #held = new Map<TaskId, number>()
  /** By part: integrals over time of the free amount and of the expected fragments, and the largest of the latter. */
  readonly #free: number[] = []
  readonly #fragments: number[] = []
  readonly #most: number[] = []
  #seconds: Seconds = 0
  #last = NaN

  constructor(private readonly period = wholeRun) {}

  onRunStart({ cluster, work }: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    const inDevices = cluster.resources.flatMap((_, id) => (cluster.deviceSize(id as ResourceId) > 0 ? [id as ResourceId] : []))
    if (inDevices.length === 0) return
    this.#cluster = cluster
    this.#work = work
    this.#amounts = Int32Array.from(
      { length: cluster.resources.length * cluster.nodes },
      (_, at) => cluster.free((at % cluster.nodes) as NodeId, Math.floor(at / cluster.nodes) as ResourceId),
    )
    this.#capacity = inDevices.map((resource) => cluster.capacity(resource))
    this.#parts = inDevices.map((resource) => new DeviceFragments(resource, cluster, work, this.#amounts))
  }

  onSubmit(_job: JobId, spec: JobSpec, now: Seconds): void {
    if (this.#parts.length === 0) return
    this.#settle(now)
    for (const part of this.#parts) part.submit(spec)
  }

  onTasksStart({ count, tasks, nodes }: StartRow, now: Seconds): void {
    if (this.#parts.length === 0) return
    for (let i = 0; i < count; i++) {
      const task = tasks[i] as TaskId
      const devices = this.#work.devicesOf(task)
      if (devices !== 0) this.#held.set(task, devices)
      this.#move(this.#work.shapeOf(task), nodes[i] as NodeId, devices, -1, now)
    }
  }

  onTasksEnd({ count, tasks, nodes }: EndRow, now: Seconds): void {
    if (this.#parts.length === 0) return
    for (let i = 0; i < count; i++) {
      const task = tasks[i] as TaskId
      const devices = this.#held.get(task) ?? 0
      this.#held.delete(task)
      this.#move(this.#work.shapeOf(task), nodes[i] as NodeId, devices, 1, now)
    }
  }

  onRunEnd(now: Seconds): void {
    if (this.#parts.length > 0) this.#settle(now)
  }

  /** One entry per resource that comes in devices. */
  result(): FragmentationResult[] {
    return this.#parts.map((part, i) => {
      const [free, fragments] = [this.#free[i] ?? 0, this.#fragments[i] ?? 0]
      return {
        resource: this.#cluster.resources[part.resource] as string,
        capacity: this.#capacity[i] as number,
        free: free / this.#seconds,
        fragmented: fragments / this.#seconds,
        share: free > 0 ? fragments / free : NaN,
        most: this.#most[i] ?? 0,
        kinds: part.kinds,
        covered: part.counted / part.tasks,
      }
    })
  }

  #move(shape: ShapeId, node: NodeId, devices: number, sign: 1 | -1, now: Seconds): void {
    this.#settle(now)
    const { nodes, resources } = this.#cluster
    for (let r = 0 as ResourceId; r < resources.length; r++) {
      const at = r * nodes + node
      this.#amounts[at] = (this.#amounts[at] as number) + sign * this.#work.demand(shape, r)
    }
    for (const part of this.#parts) part.move(shape, node, devices, sign)
  }

  /** Counts the time since the last change; several changes at one instant count as one. */
  #settle(now: Seconds): void {
    if (now === this.#last) return
    if (!Number.isNaN(this.#last)) this.#add(secondsIn(this.period, this.#last, now))
    this.#last = now
  }

  #add(seconds: Seconds): void {
    if (seconds === 0) return
    this.#seconds += seconds
    for (const [i, { free, expected }] of this.#parts.entries()) {
      this.#free[i] = (this.#free[i] ?? 0) + seconds * free
      this.#fragments[i] = (this.#fragments[i] ?? 0) + seconds * expected
      this.#most[i] = Math.max(this.#most[i] ?? 0, expected)
    }
  }
}
