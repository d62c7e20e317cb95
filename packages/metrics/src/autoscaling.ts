import type { ClusterView, EndRow, JobId, JobSpec, NodeId, Observer, ScaledGroup, Seconds, StartRow } from '@sched/core'
import { counts, secondsIn, wholeRun, type Period } from './period.js'

/** How many nodes the autoscaler had, over all groups whose size follows demand; nodes on their way count. */
export interface AutoscalingResult {
  /** Nodes that were asked for. */
  readonly added: number
  /** Nodes that were removed. */
  readonly removed: number
  /** Seconds of nodes, summed over nodes. */
  readonly nodeSeconds: Seconds
  /** Nodes in the mean over time; NaN for an empty span. */
  readonly mean: number
  /** Most nodes at any time. */
  readonly most: number
  /** Fraction of the nodes' time in which something ran on them, in [0, 1]; NaN if there never was a node. */
  readonly busy: number
  /** Tasks that were evicted since their node was removed, and the rest of their gangs, of the whole run; seconds that they had run, less those saved. */
  readonly evicted: { readonly tasks: number; readonly taskSeconds: Seconds }
  /** What the nodes cost, in the currency of the prices; NaN if not every group has a price. */
  readonly cost: number
}

/** Measures the size of groups that follow demand, from the first submission to the end of the run. With a period, only what lies in it counts. */
export const autoscaling = (period?: Period): Autoscaling => new Autoscaling(period)

export class Autoscaling implements Observer {
  #groups: readonly ScaledGroup[] = []
  #sizes: number[] = []
  #nodeSeconds: Seconds[] = []
  /** By node: tasks that run there. */
  readonly #running = new Map<NodeId, number>()
  #busy: Seconds = 0
  #added = 0
  #removed = 0
  #most = 0
  /** Whether a node is being removed. */
  #isRemoving = false
  #evicted = 0
  #evictedSeconds: Seconds = 0
  #first = NaN
  #since: Seconds = 0
  #end: Seconds = NaN

  constructor(private readonly period = wholeRun) {}

  /** Whether any group follows demand. */
  get isAny(): boolean {
    return this.#groups.length > 0
  }

  onRunStart({ cluster }: { readonly cluster: Pick<ClusterView, 'autoscale'> }): void {
    this.#groups = cluster.autoscale ?? []
    this.#sizes = this.#groups.map(({ initial }) => initial)
    this.#nodeSeconds = this.#groups.map(() => 0)
  }

  onSubmit(_job: JobId, _spec: JobSpec, now: Seconds): void {
    if (Number.isNaN(this.#first)) this.#first = this.#since = now
  }

  onTasksStart({ nodes, count }: Pick<StartRow, 'nodes' | 'count'>, now: Seconds): void {
    this.#settle(now)
    for (let i = 0; i < count; i++) this.#count(nodes[i] as NodeId, 1)
  }

  onTasksEnd({ nodes, count, how, started, stopped, saved }: Pick<EndRow, 'nodes' | 'count' | 'how' | 'started' | 'stopped' | 'saved'>, now: Seconds): void {
    this.#settle(now)
    if (this.#isRemoving && how === 'evicted') {
      this.#evicted += count
      this.#evictedSeconds += count * (stopped - started - saved)
    }
    for (let i = 0; i < count; i++) this.#count(nodes[i] as NodeId, -1)
  }

  onScaleDown(): void {
    this.#isRemoving = true
  }

  onNode(): void {
    this.#isRemoving = false
  }

  onScale(group: number, nodes: number, now: Seconds): void {
    this.#settle(now)
    const more = nodes - (this.#sizes[group] as number)
    this.#sizes[group] = nodes
    if (!counts(this.period, now)) return
    if (more > 0) this.#added += more
    else this.#removed -= more
  }

  onRunEnd(now: Seconds): void {
    this.#settle(now)
    this.#end = now
  }

  /** `undefined` if no group follows demand. */
  result(): AutoscalingResult | undefined {
    if (!this.isAny) return undefined
    const nodeSeconds = this.#nodeSeconds.reduce((sum, each) => sum + each, 0)
    const cost = this.#groups.reduce((sum, { price = NaN }, group) => sum + (price * (this.#nodeSeconds[group] as number)) / 3600, 0)
    return {
      added: this.#added, removed: this.#removed, nodeSeconds, mean: nodeSeconds / secondsIn(this.period, this.#first, this.#end), most: this.#most,
      busy: nodeSeconds > 0 ? this.#busy / nodeSeconds : NaN, evicted: { tasks: this.#evicted, taskSeconds: this.#evictedSeconds }, cost,
    }
  }

  #size(): number {
    return this.#sizes.reduce((sum, size) => sum + size, 0)
  }

  #count(node: NodeId, by: number): void {
    if (!this.#groups.some(({ first, count }) => node >= first && node < first + count)) return
    const running = (this.#running.get(node) ?? 0) + by
    if (running === 0) this.#running.delete(node)
    else this.#running.set(node, running)
  }

  #settle(now: Seconds): void {
    if (Number.isNaN(this.#first)) return
    const seconds = secondsIn(this.period, this.#since, now)
    this.#since = now
    for (const [group, size] of this.#sizes.entries()) this.#nodeSeconds[group] = (this.#nodeSeconds[group] as number) + size * seconds
    this.#busy += this.#running.size * seconds
    if (seconds > 0) this.#most = Math.max(this.#most, this.#size())
  }
}
