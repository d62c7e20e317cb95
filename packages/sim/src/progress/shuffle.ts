import type { ClusterModel } from '@sched/cluster'
import { SchedError, type JobSpec, type NodeId, type Seconds } from '@sched/core'
import { FlowNetwork } from './flow-network.js'
import type { Progress, ProgressHost, StartedTask } from './progress.js'

/** The network between nodes. */
export interface NetworkOptions {
  /** Bandwidth of a node's link in bytes per second, in each direction. Default 125e6, 1 Gbit/s. */
  readonly intra?: number
  /** Bandwidth of a rack's uplink in bytes per second for each node of the rack, in each direction. Default a quarter of `intra`. */
  readonly cross?: number
  /** True: tasks fetch finished output while the stage that they fetch from still runs. Default false: they wait for its end. */
  readonly overlap?: boolean
}

/**
 * Tasks that fetch from an earlier stage before they work (`StageSpec.shuffle`). Each task gets an equal part of the output that every finished task
 * left on its node. Output on the task's own node is there at once. The rest comes as one flow per node, over the links of the two nodes and, between
 * racks, the uplinks of both, at max-min fair rates.
 *
 * Source: Cao and Wang measure what a job shuffles; its way over links and shared uplinks is modelled by us.
 */
export class Shuffle implements Progress {
  readonly #host: ProgressHost
  readonly #work: Progress
  readonly #overlap: boolean
  readonly #nodes: number
  readonly #racks: Int32Array
  readonly #network: FlowNetwork
  /** By run: what it still waits for. By flow: the run that fetches. */
  readonly #fetching: (Fetching | undefined)[] = []
  readonly #fetcher: (Fetching | undefined)[] = []
  readonly #started: (StartedTask | undefined)[] = []
  /** By job: the output of its stages, and on which nodes it lies. */
  readonly #outputs = new WeakMap<JobSpec, (StageOutput | undefined)[]>()
  readonly #done: number[] = []

  constructor(host: ProgressHost, work: Progress, model: ClusterModel, { intra = 125e6, cross = intra / 4, overlap = false }: NetworkOptions) {
    for (const [name, value] of Object.entries({ intra, cross }))
      if (!(value > 0 && value < Infinity)) throw new SchedError('BAD_OPTION', `the bandwidth is ${value}.`, { field: `network.${name}` }, 'Use bytes per second above 0.')
    this.#host = host
    this.#work = work
    this.#overlap = overlap
    this.#nodes = model.nodes
    this.#racks = model.groups[1] ?? new Int32Array(model.nodes)
    const sizes: number[] = []
    for (const rack of this.#racks) sizes[rack] = (sizes[rack] ?? 0) + 1
    const uplinks = sizes.map((size) => size * cross)
    const nodes = Array.from({ length: 2 * model.nodes }, () => intra)
    this.#network = new FlowNetwork([...nodes, ...uplinks, ...uplinks])
    this.#downlink = 2 * model.nodes + sizes.length
  }
  /** The first downlink of a rack. Links are numbered: nodes out, nodes in, racks up, racks down. */
  readonly #downlink: number

  start(started: StartedTask, now: Seconds): void {
    this.#started[started.run] = started
    const { shuffle } = started.stage
    if (shuffle === undefined || shuffle.bytes === 0) return this.#work.start(started, now)
    const output = this.#outputOf(started.spec, shuffle.from)
    const fetching: Fetching = { started, output, flows: new Set(), part: shuffle.bytes / started.stage.tasks / output.tasks }
    this.#fetching[started.run] = fetching
    output.readers.add(fetching)
    this.#host.setEnd(started.run, Infinity)
    if (this.#overlap || output.left === 0) for (const [node, tasks] of output.byNode) this.#fetch(fetching, node, tasks, now)
    this.#settle(fetching, now)
    this.#ring(now)
  }

  stop(run: number, now: Seconds): void {
    const fetching = this.#fetching[run]
    if (fetching === undefined) this.#work.stop(run, now)
    else this.#giveUp(fetching, now)
  }

  done(run: number, now: Seconds): void {
    this.#leave(this.#started[run] as StartedTask, now)
    this.#started[run] = undefined
  }

  wake(now: Seconds): void {
    this.#work.wake?.(now)
    this.#done.length = 0
    this.#network.ended(now, this.#done)
    for (const flow of this.#done) {
      const fetching = this.#fetcher[flow] as Fetching
      this.#network.remove(flow)
      fetching.flows.delete(flow)
      this.#settle(fetching, now)
    }
    this.#ring(now)
  }

  /** Records the output that a finished task left on its node; the master learns of it now. */
  #leave({ spec, stageIndex, node }: StartedTask, now: Seconds): void {
    if (!spec.stages.some(({ shuffle }) => shuffle?.from === stageIndex)) return
    const output = this.#outputOf(spec, stageIndex)
    output.byNode.set(node, (output.byNode.get(node) ?? 0) + 1)
    output.left--
    for (const reader of output.readers) {
      if (this.#overlap) this.#fetch(reader, node, 1, now)
      else if (output.left === 0) for (const [from, tasks] of output.byNode) this.#fetch(reader, from, tasks, now)
      this.#settle(reader, now)
    }
    this.#ring(now)
  }

  #fetch(fetching: Fetching, from: NodeId, tasks: number, now: Seconds): void {
    const { node: to, job } = fetching.started
    const bytes = fetching.part * tasks
    this.#host.fetches(job, from, to, bytes, now)
    if (from === to || bytes === 0) return
    const flow = this.#network.add(this.#path(from, to), bytes)
    this.#fetcher[flow] = fetching
    fetching.flows.add(flow)
  }

  #path(from: NodeId, to: NodeId): number[] {
    const [up, down] = [this.#racks[from] as number, this.#racks[to] as number]
    if (up === down) return [from, this.#nodes + to]
    return [from, this.#nodes + to, 2 * this.#nodes + up, this.#downlink + down]
  }

  /** Starts the work of a task that has fetched everything. */
  #settle(fetching: Fetching, now: Seconds): void {
    const { started, output, flows } = fetching
    if (output.left > 0 || flows.size > 0 || this.#fetching[started.run] !== fetching) return
    this.#fetching[started.run] = undefined
    output.readers.delete(fetching)
    this.#host.fetched(started.run, now)
    this.#work.start(started, now)
  }

  /** Ends the fetching of a task that is killed. */
  #giveUp(fetching: Fetching, now: Seconds): void {
    for (const flow of fetching.flows) this.#network.remove(flow)
    this.#fetching[fetching.started.run] = undefined
    fetching.output.readers.delete(fetching)
    this.#ring(now)
  }

  #ring(now: Seconds): void {
    this.#host.alarm(this.#network.share(now))
  }

  #outputOf(spec: JobSpec, stage: number): StageOutput {
    const outputs = this.#outputs.get(spec) ?? []
    this.#outputs.set(spec, outputs)
    const tasks = spec.stages[stage]?.tasks ?? 0
    return (outputs[stage] ??= { tasks, left: tasks, byNode: new Map(), readers: new Set() })
  }
}

interface StageOutput {
  readonly tasks: number
  /** Number of tasks that have not finished. */
  left: number
  readonly byNode: Map<NodeId, number>
  /** Tasks that fetch this output. */
  readonly readers: Set<Fetching>
}

interface Fetching {
  readonly started: StartedTask
  readonly output: StageOutput
  readonly flows: Set<number>
  /** Bytes that each finished task provides for this one. */
  readonly part: number
}
