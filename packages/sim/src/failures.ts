import { hashUnit, portableLog, SchedError, streamKey, type JobId, type NodeId, type Seconds, type TaskId } from '@sched/core'
import type { TaskStart } from './task-start.js'

/** When attempts of tasks fail. Exactly one of both is given. */
export interface FailureCause {
  /** Probability that an attempt of a task fails, at a time uniformly distributed over its run: in [0, 1), of bad nodes in [0, 1]. */
  readonly probability?: number | undefined
  /** Mean seconds of running until a task fails, from its start or its last failure; exponential, > 0. */
  readonly mtbf?: Seconds | undefined
}

/** Nodes on which tasks fail for another reason, besides their own: a broken disk, a wrong library. Give `nodes` or `fraction`. */
export interface BadNodes extends FailureCause {
  /** Which nodes. */
  readonly nodes?: readonly NodeId[] | undefined
  /** How many of all nodes, in [0, 1], rounded to whole ones; the seed says which. */
  readonly fraction?: number | undefined
}

/** Tasks that fail by themselves. Give exactly one of `probability` and `mtbf`, or none of them and `badNodes`. */
export interface FailureOptions extends FailureCause {
  /**
   * Number of failures of one task at which its job is given up, a whole number of at least 1. Default 4 (Hadoop, mapreduce.map.maxattempts; Spark,
   * spark.task.maxFailures).
   */
  readonly maxAttempts?: number | undefined
  /** Nodes on which tasks fail more often; default: none. */
  readonly badNodes?: BadNodes | undefined
}

/** A task that has failed, or was taken from its node while it ran. */
interface Past {
  failures: number
  /** Seconds that it has run since its last failure, in runs that were taken from their nodes. */
  ran: Seconds
  /** The same on bad nodes alone. */
  ranOnBad: Seconds
}

/**
 * Decides when tasks fail. That depends only on the seed, the job, the task and its number of failures so far. A run that is taken from its node
 * before it fails does not change how often its task fails, so every policy compared on one seed meets the same failures.
 */
export class Failures {
  readonly #maxAttempts: number
  /** Why tasks fail anywhere, and why on bad nodes besides. */
  readonly #own: Draws | undefined
  readonly #ofNodes: Draws | undefined
  /** By node: 1 if it is bad. */
  readonly #isBad: Uint8Array
  readonly #tasks = new Map<JobId, Map<TaskId, Past>>()
  /** Runs that will end with a failure of their task. */
  readonly #failing = new Set<number>()

  /** Throws `BAD_INPUT` for invalid options. `nodes`: number of nodes of the cluster. */
  constructor(seed: number, { maxAttempts = 4, badNodes, ...own }: FailureOptions, nodes: number) {
    if (!(Number.isSafeInteger(maxAttempts) && maxAttempts >= 1)) throw new SchedError('BAD_INPUT', `found ${maxAttempts} attempts.`, { field: 'failures' }, 'It is a whole number, 1 or more.')
    this.#maxAttempts = maxAttempts
    const isOnlyOfNodes = badNodes !== undefined && own.probability === undefined && own.mtbf === undefined
    if (own.probability !== undefined && !(own.probability < 1)) throw new SchedError('BAD_INPUT', `found a probability of ${own.probability}.`, { field: 'failures' }, 'It is from 0 up to 1, which is out.')
    this.#own = isOnlyOfNodes ? undefined : new Draws(seed, 'failures', own, 'failures')
    this.#ofNodes = badNodes === undefined ? undefined : new Draws(seed, 'failures on bad nodes', badNodes, 'failures.badNodes')
    this.#isBad = badNodes === undefined ? new Uint8Array(0) : areBad(seed, badNodes, nodes)
  }

  /** Forgets the tasks of a job whose id is about to be reused. */
  forget(job: JobId): void {
    this.#tasks.delete(job)
  }

  /**
   * Starts a run on a node that would take `seconds`. Returns the seconds after which it ends, by failure or not. `task`: for a copy, the task that it
   * is a copy of, which fails with it but has draws of its own.
   */
  start(run: number, task: TaskId, start: TaskStart, node: NodeId, seconds: Seconds): Seconds {
    const { failures = 0, ran = 0, ranOnBad = 0 } = this.#tasks.get(start.job)?.get(task) ?? NEW
    const own = this.#own?.failsAfter(start, failures, ran, seconds) ?? Infinity
    const ofNode = this.#ofNodes !== undefined && this.#isBad[node] === 1 ? this.#ofNodes.failsAfter(start, failures, ranOnBad, seconds) : Infinity
    const fails = ofNode < own ? ofNode : own
    if (!(fails < seconds) && !(fails === seconds && seconds === 0)) return seconds
    this.#failing.add(run)
    return fails
  }

  /** Whether the run ends with a failure of its task. */
  has(run: number): boolean {
    return this.#failing.has(run)
  }

  /** Records that the task of a run has failed; true if its job is given up. */
  failed(run: number, job: JobId, task: TaskId): boolean {
    this.#failing.delete(run)
    const past = this.#past(job, task)
    past.failures++
    past.ran = 0
    past.ranOnBad = 0
    return past.failures >= this.#maxAttempts
  }

  /** Records that a run was taken from its node after `ran` seconds, before it was done or the master knew of its failure. */
  stopped(run: number, job: JobId, task: TaskId, node: NodeId, ran: Seconds): void {
    this.#failing.delete(run)
    const isOnBad = this.#isBad[node] === 1 && this.#ofNodes?.hasMemory === true
    if (!isOnBad && this.#own?.hasMemory !== true) return
    const past = this.#past(job, task)
    past.ran += ran
    if (isOnBad) past.ranOnBad += ran
  }

  #past(job: JobId, task: TaskId): Past {
    let tasks = this.#tasks.get(job)
    if (tasks === undefined) this.#tasks.set(job, (tasks = new Map<TaskId, Past>()))
    let past = tasks.get(task)
    if (past === undefined) tasks.set(task, (past = { failures: 0, ran: 0, ranOnBad: 0 }))
    return past
  }
}

const NEW: Partial<Past> = {}

/** The draws of one cause of failures. */
class Draws {
  /** Whether it counts how long tasks have run before. */
  readonly hasMemory: boolean
  readonly #probability: number | undefined
  readonly #mtbf: Seconds
  readonly #seed: number
  readonly #name: string
  /** Keys of the draws, by number of earlier failures. */
  readonly #streams: number[] = []
  readonly #streamsOfCopies: number[] = []

  /** Throws `BAD_INPUT` unless exactly one of both is given, and in its range. */
  constructor(seed: number, name: string, { probability, mtbf = Infinity }: FailureCause, field: string) {
    const place = { field }
    if ((probability === undefined) === (mtbf === Infinity))
      throw new SchedError(
        'BAD_INPUT',
        `found ${mtbf === Infinity ? 'neither probability nor' : 'both probability and'} mtbf.`,
        place,
        'Give one of them.',
      )
    if (probability !== undefined && !(probability >= 0 && probability <= 1)) throw new SchedError('BAD_INPUT', `found a probability of ${probability}.`, place, 'It is from 0 up to 1.')
    if (!(mtbf > 0)) throw new SchedError('BAD_INPUT', `found an mtbf of ${mtbf} s.`, place, 'It is more than 0 s.')
    this.hasMemory = probability === undefined
    this.#probability = probability
    this.#mtbf = mtbf
    this.#seed = seed
    this.#name = name
  }

  /** Seconds after which an attempt fails that would take `seconds`, of a task that has failed so often and has run `ran` seconds since; `Infinity`: it does not. */
  failsAfter({ key, task, stageIndex, isCopy }: TaskStart, failures: number, ran: Seconds, seconds: Seconds): Seconds {
    const u = hashUnit(this.#stream(failures, isCopy) ^ key, task, stageIndex)
    if (this.#probability === undefined) return Math.max(0, -this.#mtbf * portableLog(1 - u) - (isCopy ? 0 : ran))
    return u < this.#probability ? (u / this.#probability) * seconds : Infinity
  }

  #stream(failures: number, isCopy: boolean): number {
    if (isCopy) return (this.#streamsOfCopies[failures] ??= streamKey(this.#seed, `${this.#name} of copies/${failures + 1}`))
    return (this.#streams[failures] ??= streamKey(this.#seed, `${this.#name}/${failures + 1}`))
  }
}

/** By node: 1 if it is bad. Throws `BAD_INPUT` for nodes that there are not, or where it is not clear which they are. */
function areBad(seed: number, { nodes, fraction }: BadNodes, count: number): Uint8Array {
  const place = { field: 'failures.badNodes' }
  if ((nodes === undefined) === (fraction === undefined))
    throw new SchedError('BAD_INPUT', `found ${nodes === undefined ? 'neither nodes nor a fraction' : 'both nodes and a fraction'}.`, place, 'Give one of them.')
  if (fraction !== undefined && !(fraction >= 0 && fraction <= 1)) throw new SchedError('BAD_INPUT', `found a fraction of ${fraction}.`, place, 'It is from 0 to 1.')
  const isBad = new Uint8Array(count)
  for (const node of nodes ?? drawn(seed, Math.round((fraction ?? 0) * count), count)) {
    if (!(Number.isInteger(node) && node >= 0 && node < count)) throw new SchedError('BAD_INPUT', `found node ${node}, the cluster has ${count}.`, place, 'Nodes are numbered from 0.')
    isBad[node] = 1
  }
  return isBad
}

/** So many of the nodes, each set of them equally likely. */
function drawn(seed: number, some: number, count: number): number[] {
  const stream = streamKey(seed, 'bad nodes')
  const draws = Array.from({ length: count }, (_, node) => hashUnit(stream, node, 0))
  return [...draws.keys()].sort((a, b) => (draws[a] as number) - (draws[b] as number) || a - b).slice(0, some)
}
