import type { JobId, NodeId, Seconds, ShapeId, StageSpec } from '@sched/core'
import type { Attempts } from './attempts.js'
import { checkAmounts, checkFractions, checkTimes } from './checks.js'
import type { Copy, SpeculationRule } from './rule.js'
import { SortedTimes } from './sorted-times.js'

/** Limits of the rule of Spark, with the defaults of Spark 4. */
export interface SparkSpeculation {
  readonly rule: 'spark'
  /** Names of the stages of which tasks may be copied; default: all but masters. */
  readonly stages?: readonly string[] | undefined
  /** Copied is what runs longer than this multiple of the median time, at least 0; default 3, before Spark 4 1.5. spark.speculation.multiplier. */
  readonly multiplier?: number | undefined
  /** Fraction of a stage's tasks that must be done, in [0, 1], and at least one task; default 0.9, before Spark 4 0.75. spark.speculation.quantile. */
  readonly quantile?: number | undefined
  /** Seconds that a task must have run longer than, at least 0; default 0.1. spark.speculation.minTaskRuntime. */
  readonly minRunTime?: Seconds | undefined
  /**
   * Seconds, > 0: before enough tasks are done, those that run longer than this are copied, too, if one node could run all tasks of the stage at once.
   * Default: none is. spark.speculation.task.duration.threshold.
   */
  readonly longerThan?: Seconds | undefined
  /** Seconds between two looks, > 0; default 0.1. spark.speculation.interval. */
  readonly interval?: Seconds | undefined
}

/**
 * When enough tasks of a stage are done, each is copied that has run longer than a multiple of their median time. Any number of copies may wait or run
 * at once, one of each task and not on its node. A stage of one task is left alone, unless `longerThan` is given.
 *
 * The median of n times is the one at index floor(n / 2) in ascending order.
 *
 * Source: TaskSetManager.checkSpeculatableTasks of Spark 4, with PercentileHeap.
 * Deviations: a look at which nothing could be found is left out. Without a meaning here, and left out, are spark.speculation.efficiency, which compares
 * the records read per second, and copies of tasks on executors that are about to be decommissioned. Nodes stand for hosts and for executors.
 */
export class SparkRule implements SpeculationRule {
  readonly barsNodes = true
  readonly isForNow = false
  readonly isPrompt = true
  readonly #attempts: Attempts
  readonly #multiplier: number
  readonly #quantile: number
  readonly #minRunTime: Seconds
  readonly #longerThan: Seconds | undefined
  readonly #interval: Seconds
  readonly #times: SortedTimes
  /** Most tasks of a shape that one node could run at once. */
  readonly #slots = new Map<ShapeId, number>()
  /** When the first task of the job that is looked at will have run too long. */
  #due: Seconds = Infinity

  /** Throws `BAD_INPUT` for invalid options. */
  constructor({ multiplier = 3, quantile = 0.9, minRunTime = 0.1, longerThan, interval = 0.1 }: SparkSpeculation, attempts: Attempts) {
    checkFractions({ quantile })
    checkAmounts({ multiplier, minRunTime })
    checkTimes({ interval, ...(longerThan !== undefined && { longerThan }) })
    this.#attempts = attempts
    this.#multiplier = multiplier
    this.#quantile = quantile
    this.#minRunTime = minRunTime
    this.#longerThan = longerThan
    this.#interval = interval
    this.#times = new SortedTimes(attempts)
  }

  mostCopies({ tasks }: StageSpec): number {
    return this.#longerThan === undefined ? tasks - this.#enough(tasks) : tasks
  }

  /** How many of so many tasks must be done. */
  #enough(tasks: number): number {
    return Math.max(Math.floor(this.#quantile * tasks), 1)
  }

  leastDone(tasks: number): number {
    return this.#longerThan === undefined ? this.#enough(tasks) : 0
  }

  open(job: JobId): void {
    this.#times.open(job)
  }

  done(stage: number, _: NodeId, seconds: Seconds): void {
    this.#times.add(stage, seconds)
  }

  afterLook(now: Seconds): Seconds {
    const due = this.#due
    this.#due = Infinity
    return due === Infinity ? Infinity : this.afterNews(Math.max(now, due))
  }

  afterNews(now: Seconds): Seconds {
    const next = (Math.floor(now / this.#interval) + 1) * this.#interval
    return next > now ? next : next + this.#interval // a product may be rounded to `now`
  }

  copies(stage: number, now: Seconds): readonly Copy[] {
    const threshold = this.#threshold(stage)
    const copies: Copy[] = []
    for (const task of this.#attempts.uncopied(stage)) {
      const start = this.#attempts.work.started(task)
      if (now - start > threshold) copies.push({ task, bars: new Set([this.#attempts.nodeOf(task)]) })
      else this.#due = Math.min(this.#due, start + threshold)
    }
    return copies
  }

  /** How long a task of the stage may run; `Infinity`: as long as it needs. */
  #threshold(stage: number): Seconds {
    const tasks = this.#attempts.work.stageTasks[stage] as number
    const times = this.#times.of(stage)
    if (times.length >= this.#enough(tasks)) return Math.max(this.#multiplier * (times[times.length >> 1] as Seconds), this.#minRunTime)
    return this.#longerThan !== undefined && tasks <= this.#slotsOfNode(this.#attempts.work.stageShape[stage] as ShapeId) ? this.#longerThan : Infinity
  }

  #slotsOfNode(shape: ShapeId): number {
    const { cell } = this.#attempts
    let most = this.#slots.get(shape)
    if (most === undefined) {
      most = 0
      for (let node = 0 as NodeId; node < cell.nodes; node++) most = Math.max(most, cell.shapes.roomOn(shape, node))
      this.#slots.set(shape, most)
    }
    return most
  }
}
