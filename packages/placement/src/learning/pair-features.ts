import { kindOfHardware, ownValue, to40Bits, type HardwareView, type JobId, type LaneId, type NodeId, type WorkView } from '@sched/core'

/** Limits between the values of features; two limits make three values. */
export interface FeatureLimits {
  /** Limits of a task's use of a kind of hardware, as fractions of what the average node has of it. */
  readonly job: readonly number[]
  /** Limits of the use of a node's hardware, as fractions of what it has. */
  readonly node: readonly number[]
}

/** A kind of hardware with features of jobs and nodes. */
interface Kind {
  readonly index: number
  readonly name: string
  /** Mean amount over the nodes whose amount is known. */
  readonly mean: number
}

const none: Readonly<Record<string, number>> = {}

/**
 * The features of a job on a node. Those of the job are its use of processors, memory, disks and network; those of the node are the used fraction of its
 * processors, the free fraction of its memory, and its load per processor. A kind of hardware that the cluster does not describe has one value only, so that
 * it never matters.
 *
 * A pair of job and node is a number, `jobPart * nodeParts + nodePart`, so that the parts of job and node can be found independently.
 *
 * Source: a survey of cluster resource scheduling, section 7, names the features; values and limits are ours.
 */
export class PairFeatures {
  /** The number of values of each feature: first those of the job, then those of the node. */
  readonly values: readonly number[]
  /** The number of node parts: of combinations of values of a node's features. */
  readonly nodeParts: number
  readonly #hardware: HardwareView
  readonly #work: WorkView
  readonly #limits: FeatureLimits
  readonly #kinds: readonly (Kind | undefined)[]
  readonly #byUse = new WeakMap<Readonly<Record<string, number>>, number>()
  readonly #byDefault: number

  constructor(hardware: HardwareView, nodes: number, work: WorkView, limits: FeatureLimits) {
    this.#hardware = hardware
    this.#work = work
    this.#limits = limits
    this.#kinds = (['cores', 'memory', 'disks', 'network'] as const).map((what) => kindOf(hardware, nodes, kindOfHardware(what, hardware.kinds)))
    const [cores, memory] = this.#kinds
    const count = (kind: Kind | undefined, { length }: readonly number[]) => (kind === undefined ? 1 : length + 1)
    const ofNode = [count(cores, limits.node), count(memory, limits.node), count(cores, limits.node)]
    this.values = [...this.#kinds.map((kind) => count(kind, limits.job)), ...ofNode]
    this.nodeParts = ofNode.reduce((product, each) => product * each, 1)
    this.#byDefault = this.#jobPart(cores === undefined ? none : { [cores.name]: 1 }) // a task uses one processor if the workload does not say otherwise
  }

  /** Number of pairs. */
  get pairs(): number {
    return this.values.reduce((product, each) => product * each, 1)
  }

  /** The part of a job, by the use of its next task. */
  jobPart(job: JobId, lane: LaneId): number {
    const use = this.#work.use(job, lane)
    if (use === undefined) return this.#byDefault
    let part = this.#byUse.get(use)
    if (part === undefined) this.#byUse.set(use, (part = this.#jobPart(use)))
    return part
  }

  /** The part of a node as it was reported last, with the tasks in `more` besides. */
  nodePart(node: NodeId, more: Drafted | undefined): number {
    const hardware = this.#hardware
    const [cores, memory] = this.#kinds
    const limits = this.#limits.node
    let part = 0
    if (cores !== undefined) part = levelOf(hardware.use(node, cores.index) + (more?.cores ?? 0), hardware.amount(node, cores.index), limits)
    if (memory !== undefined)
      part = part * (limits.length + 1) + limits.length - levelOf(
        hardware.use(node, memory.index) + (more?.memory ?? 0),
        hardware.amount(node, memory.index),
        limits,
      )
    if (cores !== undefined) part = part * (limits.length + 1) + levelOf(hardware.runnable(node) + (more?.tasks ?? 0), hardware.amount(node, cores.index), limits)
    return part
  }

  /** The tasks drafted on a node, with one more. `use`: its use by kind of hardware; undefined: one processor. */
  drafted(before: Drafted | undefined, use: Readonly<Record<string, number>> | undefined): Drafted {
    const [cores, memory] = this.#kinds
    const { tasks, cores: busy, memory: held } = before ?? { tasks: 0, cores: 0, memory: 0 }
    const more = (kind: Kind | undefined, otherwise: number) => (kind === undefined ? 0 : use === undefined ? otherwise : (ownValue(use, kind.name) ?? 0))
    return { tasks: tasks + 1, cores: busy + more(cores, 1), memory: held + more(memory, 0) }
  }

  /** Writes the values of a pair, one for each feature, to `out` and returns it. */
  unpack(pair: number, out: number[]): number[] {
    for (let i = this.values.length - 1; i >= 0; i--) {
      const count = this.values[i] as number
      out[i] = pair % count
      pair = Math.floor(pair / count)
    }
    return out
  }

  #jobPart(use: Readonly<Record<string, number>>): number {
    const { job: limits } = this.#limits
    return this.#kinds.reduce((part, kind) => (kind === undefined ? part : part * (limits.length + 1) + levelOf(ownValue(use, kind.name) ?? 0, kind.mean, limits)), 0)
  }
}

/** Tasks drafted on a node in this round, which are in no report yet: their number, and their use of processors and memory. */
export interface Drafted {
  readonly tasks: number
  readonly cores: number
  readonly memory: number
}

/** How many of the limits `used / amount` reaches, also if only rounding keeps it below one. An unknown amount is infinite. */
function levelOf(used: number, amount: number, limits: readonly number[]): number {
  const part = to40Bits(used / amount)
  let level = 0
  for (let i = 0; i < limits.length; i++) if (part >= to40Bits(limits[i] as number)) level++
  return level
}

/** The kind of hardware at an index; undefined: the cluster does not describe it. */
function kindOf(hardware: HardwareView, nodes: number, index: number): Kind | undefined {
  const name = hardware.kinds[index]
  if (name === undefined) return undefined
  let sum = 0
  let count = 0
  for (let node = 0 as NodeId; node < nodes; node++) {
    const amount = hardware.amount(node, index)
    if (amount === Infinity) continue
    sum += amount
    count++
  }
  return { index, name, mean: sum / count }
}
