import type { ClusterView, HardwareView, JobId, JobSpec, NodeId, Observer, Seconds } from '@sched/core'
import { secondsIn, wholeRun, type Period } from './period.js'
import { SampleClock } from './sample-clock.js'

/** What tasks really used of one kind of hardware, as a fraction of the amount there is; above 1 where tasks contended for it. */
export interface KindUse {
  /** The kind's name in the cluster, for example `cpu`. */
  readonly kind: string
  /** Mean over time, of all nodes together or of one node. */
  readonly mean: number
  /** The highest at any time. */
  readonly peak: number
}

/** Number of tasks at work on a node: its load as operating systems report it. */
export interface Load {
  /** Mean over time. */
  readonly mean: number
  /** The highest at any time. */
  readonly peak: number
}

/** What one node really used. */
export interface NodeUse {
  /** Its name. */
  readonly node: string
  /** Number of its tasks at work, see `Load`. */
  readonly load: Load
  /** Use of each kind, as a fraction of what the node has of it; NaN where its description does not say. */
  readonly kinds: readonly KindUse[]
}

/** What nodes really used of their hardware, and how many tasks were at work there. */
export interface HardwareUseResult {
  /** From the first submission to the end of the run, seconds. */
  readonly span: Seconds
  /** Over all nodes that say how much of the kind they have; NaN if none does. `peak` is that of these nodes together, not of one node. */
  readonly kinds: readonly KindUse[]
  /** Load per node: `mean` is the mean over the nodes, `peak` the highest of any node. */
  readonly load: Load
  /** By node, in the order of the cluster. */
  readonly nodes: readonly NodeUse[]
  /** Present if samples were asked for: their times in seconds and, by node and kind, the use at those times. */
  readonly samples?: { readonly times: readonly Seconds[]; readonly use: readonly { readonly node: string; readonly kind: string; readonly use: readonly number[] }[] }
}

/** Options of `hardwareUse`; all may be left out. */
export interface HardwareUseOptions {
  /** Only what lies in this period counts. Default: the whole run. */
  readonly period?: Period | undefined
  /** Most samples of every node's use to keep, evenly spaced over the run; default 0, none. */
  readonly samples?: number | undefined
}

/** Measures the use of nodes' CPU, disks and memory, and their load, where the cluster describes their hardware. */
export const hardwareUse = (options: HardwareUseOptions = {}): HardwareUse => new HardwareUse(options)

/** Keeps the load as one more kind of hardware, of which every node has amount 1. */
export class HardwareUse implements Observer {
  #cluster!: ClusterView
  #hardware: HardwareView | undefined
  readonly #period: Period
  readonly #clock: SampleClock | undefined
  #first = NaN
  #end = NaN
  #kinds = 0
  /** `[kind * nodes + node]`: use now, since when, its integral over time and its peak. */
  #use = new Float64Array(0)
  #since = new Float64Array(0)
  #area = new Float64Array(0)
  #peak = new Float64Array(0)
  /** By kind, over the nodes with a known amount: amount, use now and its peak. */
  readonly #amounts: number[] = []
  readonly #used: number[] = []
  readonly #peaks: number[] = []
  #times: Seconds[] = []
  #samples: Float64Array[] = []

  constructor({ period = wholeRun, samples = 0 }: HardwareUseOptions) {
    this.#period = period
    if (samples > 1) this.#clock = new SampleClock(1, samples)
  }

  onRunStart({ cluster }: { readonly cluster: ClusterView }): void {
    if (cluster.hardware?.isMeasured !== true) return
    this.#cluster = cluster
    this.#hardware = cluster.hardware
    this.#kinds = cluster.hardware.kinds.length + 1
    const column = () => new Float64Array(this.#kinds * cluster.nodes)
    this.#use = column()
    this.#since = column()
    this.#area = column()
    this.#peak = column()
    for (let kind = 0; kind < this.#kinds; kind++) {
      this.#amounts[kind] = sum(cluster.nodes, (node) => finite(this.#amount(node, kind)))
      this.#used[kind] = this.#peaks[kind] = 0
    }
  }

  onSubmit(_job: JobId, _spec: JobSpec, now: Seconds): void {
    if (!Number.isNaN(this.#first)) return
    this.#first = now
    this.#clock?.begin(now)
  }

  onUse(node: NodeId, now: Seconds): void {
    if (this.#hardware === undefined) return
    this.#sampleTo(now)
    for (let kind = 0; kind < this.#kinds; kind++) {
      const use = kind === this.#kinds - 1 ? this.#hardware.runnable(node) : this.#hardware.use(node, kind)
      const at = this.#settle(node, kind, now)
      if (this.#amount(node, kind) < Infinity) this.#used[kind] = (this.#used[kind] as number) + use - (this.#use[at] as number)
      this.#use[at] = use
      if (use > (this.#peak[at] as number)) this.#peak[at] = use
      this.#peaks[kind] = Math.max(this.#peaks[kind] as number, this.#used[kind] as number)
    }
  }

  onRunEnd(now: Seconds): void {
    if (this.#hardware === undefined) return
    this.#end = now
    this.#sampleTo(now)
    for (let node = 0 as NodeId; node < this.#cluster.nodes; node++) for (let kind = 0; kind < this.#kinds; kind++) this.#settle(node, kind, now)
  }

  /** `undefined` if no hardware is described. */
  result(): HardwareUseResult | undefined {
    const { nodes } = this.#cluster ?? {}
    if (this.#hardware === undefined || nodes === undefined) return undefined
    const span = secondsIn(this.#period, this.#first, this.#end)
    const rows = Array.from({ length: nodes }, (_, node) => this.#nodeUse(node as NodeId, span))
    return {
      span,
      kinds: this.#hardware.kinds.map((kind, k) => {
        const amount = this.#amounts[k] as number
        const area = sum(nodes, (node) => (this.#amount(node, k) < Infinity ? (this.#area[k * nodes + node] as number) : 0))
        return { kind, mean: area / span / amount, peak: (this.#peaks[k] as number) / amount }
      }),
      load: { mean: sum(nodes, (node) => rows[node]?.load.mean ?? 0) / nodes, peak: rows.reduce((most, { load }) => Math.max(most, load.peak), 0) },
      nodes: rows,
      ...(this.#clock !== undefined && { samples: this.#sampled(this.#hardware) }),
    }
  }

  #nodeUse(node: NodeId, span: Seconds): NodeUse {
    const figures = Array.from({ length: this.#kinds }, (_, kind) => {
      const at = kind * this.#cluster.nodes + node
      const amount = this.#amount(node, kind)
      return { mean: (this.#area[at] as number) / span / amount, peak: (this.#peak[at] as number) / amount }
    })
    const load = figures.pop() as Load
    return { node: this.#cluster.name(node), load, kinds: figures.map((figure, kind) => ({ kind: this.#hardware?.kinds[kind] ?? '', ...figure })) }
  }

  #amount(node: NodeId, kind: number): number {
    return kind === this.#kinds - 1 ? 1 : (this.#hardware as HardwareView).amount(node, kind)
  }

  #settle(node: NodeId, kind: number, now: Seconds): number {
    const at = kind * this.#cluster.nodes + node
    this.#area[at] = (this.#area[at] as number) + (this.#use[at] as number) * secondsIn(this.#period, this.#since[at] as number, now)
    this.#since[at] = now
    return at
  }

  #sampleTo(now: Seconds): void {
    const clock = this.#clock
    if (clock === undefined) return
    while (clock.next < now) {
      this.#times.push(clock.next)
      this.#samples.push(this.#use.slice())
      if (clock.advance()) this.#thin()
    }
  }

  #thin(): void {
    this.#times = this.#times.filter((_, i) => i % 2 === 0)
    this.#samples = this.#samples.filter((_, i) => i % 2 === 0)
  }

  #sampled({ kinds }: HardwareView): NonNullable<HardwareUseResult['samples']> {
    const { nodes } = this.#cluster
    const of = (node: NodeId, name: string, kind: number) => ({
      node: this.#cluster.name(node),
      kind: name,
      use: this.#samples.map((sample) => (sample[kind * nodes + node] as number) / this.#amount(node, kind)),
    })
    return { times: this.#times, use: Array.from({ length: nodes }, (_, node) => [...kinds, 'load'].map((name, kind) => of(node as NodeId, name, kind))).flat() }
  }
}

const finite = (amount: number) => (amount < Infinity ? amount : 0)

function sum(nodes: number, of: (node: NodeId) => number): number {
  let total = 0
  for (let node = 0; node < nodes; node++) total += of(node as NodeId)
  return total
}
