import { None, type JobId, type NodeId, type Seconds, type ShapeId, type StageSpec } from '@sched/core'
import type { Attempts } from './attempts.js'
import { checkAmounts, checkFractions, checkTimes } from './checks.js'
import { FreeNodes } from './free-nodes.js'
import { PeriodicRule } from './periodic-rule.js'
import type { Copy, SpeculationRule } from './rule.js'
import { SortedTimes } from './sorted-times.js'

/** Limits of LATE. */
export interface LateSpeculation {
  readonly rule: 'late'
  /** Names of the stages of which tasks may be copied; default: all but masters. */
  readonly stages?: readonly string[] | undefined
  /** Most copies at once in the whole cluster, as a fraction of its slots, in [0, 1] and at least one copy unless 0; default 0.1. SpeculativeCap. */
  readonly cap?: number | undefined
  /** Nodes below this percentile of the nodes' progress run no copies, in [0, 1]; default 0.25. SlowNodeThreshold. */
  readonly slowNode?: number | undefined
  /** Only tasks below this percentile of the tasks' progress rates are copied, in [0, 1]; default 0.25. SlowTaskThreshold. */
  readonly slowTask?: number | undefined
  /** Seconds that a task must have run, at least 0; default 60. */
  readonly minRunTime?: Seconds | undefined
  /** Seconds between two looks at the tasks of a job, > 0; default 3, after which a node of Hadoop 0.20 asks for tasks again. */
  readonly interval?: Seconds | undefined
}

/**
 * LATE, longest approximate time to end: where no task of a stage waits, nodes with room get copies of the tasks with the longest time left, of those
 * whose progress rate is low. There is a cap on copies in the cluster, and slow nodes get none.
 *
 * The time left of a task is (1 - progress) / rate, its rate progress / time since its start. A percentile q of n values is the value at index
 * floor(q * n) in ascending order; slow is what is below it, so of equal values none is.
 *
 * Source: Zaharia et al., "Improving MapReduce Performance in Heterogeneous Environments", OSDI 2008, section 4.
 * Where the paper leaves it open: rates are compared with those of all tasks of the stage, copied and done ones too, so that no task is copied needlessly when only
 * fast ones run, and slow ones are when only slow ones run. The progress of a node is the sum over the tasks of the same job; a node that has run none of
 * them is not slow, as in the implementation of Hadoop 0.21. Slots are tasks like those of the stage that the empty cluster could hold.
 * Deviations: a copy does not run on the node of its task, as in all versions of Hadoop. Nodes do not ask one by one: every few seconds copies are made
 * for those with room, and where the scheduler gives this room to others, they are taken back.
 */
export class LateRule extends PeriodicRule implements SpeculationRule {
  readonly #attempts: Attempts
  readonly #cap: number
  readonly #slowNode: number
  readonly #slowTask: number
  readonly #minRunTime: Seconds
  readonly #times: SortedTimes
  /** By job: number of its tasks that are done, by node. */
  readonly #doneOn = new Map<JobId, Map<NodeId, number>>()
  readonly #slots = new Map<ShapeId, number>()

  /** Throws `BAD_INPUT` for invalid options. */
  constructor({ cap = 0.1, slowNode = 0.25, slowTask = 0.25, minRunTime = 60, interval = 3 }: LateSpeculation, attempts: Attempts) {
    super(interval)
    checkFractions({ cap, slowNode, slowTask })
    checkAmounts({ minRunTime })
    checkTimes({ interval })
    this.#attempts = attempts
    this.#cap = cap
    this.#slowNode = slowNode
    this.#slowTask = slowTask
    this.#minRunTime = minRunTime
    this.#times = new SortedTimes(attempts)
  }

  mostCopies({ demand, constraints }: StageSpec): number {
    return this.#most(this.#attempts.cell.shapes.intern(demand, constraints))
  }

  /** Most copies in the cluster, counted in tasks of a shape. */
  #most(shape: ShapeId): number {
    const slots = this.#slots.get(shape) ?? this.#attempts.cell.shapes.most(shape, Infinity)
    this.#slots.set(shape, slots)
    return this.#cap === 0 ? 0 : Math.max(1, Math.floor(this.#cap * slots))
  }

  open(job: JobId): void {
    this.#times.open(job)
    this.#doneOn.delete(job)
  }

  done(stage: number, node: NodeId, seconds: Seconds): void {
    this.#times.add(stage, seconds)
    const job = this.#attempts.work.stageJob[stage] as JobId
    const doneOn = this.#doneOn.get(job) ?? new Map<NodeId, number>()
    this.#doneOn.set(job, doneOn)
    doneOn.set(node, (doneOn.get(node) ?? 0) + 1)
  }

  copies(stage: number, now: Seconds): readonly Copy[] {
    const attempts = this.#attempts
    const { work, cell } = attempts
    const shape = work.stageShape[stage] as ShapeId
    const most = this.#most(shape) - work.copies.size
    if (work.stageUnplaced[stage] !== 0 || most <= 0) return []
    const free = new FreeNodes(cell, attempts.asks(stage))
    if (!free.areAny) return []
    const candidates = this.#candidates(stage, now)
    if (candidates.length === 0) return []
    const slow = this.#slowNodes(work.stageJob[stage] as JobId, now)
    const copies: Copy[] = []
    for (const { task } of candidates) {
      const bars = new Set([...slow, attempts.nodeOf(task)])
      if (free.take(bars) && copies.push({ task, bars }) === most) break
    }
    return copies
  }

  /** Tasks that are slow, have run long enough and have no copy; those with the longest time left first, of equal ones the lower id. */
  #candidates(stage: number, now: Seconds) {
    const attempts = this.#attempts
    const { work } = attempts
    const running = Array.from(attempts.running(stage), (task) => {
      const run = work.taskRun[task] as number
      const [start, end] = [work.runStart(run), attempts.endOf(run)]
      return { task, start, end, rate: 1 / (end - start) }
    })
    const old = running.filter(({ task, start, end }) => now - start >= this.#minRunTime && end > now && end < Infinity && work.otherAttempt(task) === None)
    if (old.length === 0) return []
    const rates = [...running.map(({ rate }) => rate), ...this.#times.of(stage).map((seconds) => 1 / seconds)]
    const least = percentile(rates, this.#slowTask)
    return old.filter(({ rate }) => rate < least).sort((a, b) => b.end - a.end || a.task - b.task)
  }

  /** Nodes that have made less progress than others with tasks of the job. */
  #slowNodes(job: JobId, now: Seconds): NodeId[] {
    const attempts = this.#attempts
    const progress = new Map(this.#doneOn.get(job))
    for (const task of attempts.work.startedOf(job)) {
      const node = attempts.nodeOf(task)
      if (!attempts.work.isMaster(task)) progress.set(node, (progress.get(node) ?? 0) + attempts.progress(task, now))
    }
    const least = percentile([...progress.values()], this.#slowNode)
    return [...progress.keys()].filter((node) => (progress.get(node) as number) < least)
  }
}

/** The value below which a fraction of the values is; `Infinity` for all of them. */
const percentile = (values: number[], fraction: number): number => values.sort((a, b) => a - b)[Math.floor(fraction * values.length)] ?? Infinity
