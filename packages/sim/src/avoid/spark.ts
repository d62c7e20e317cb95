import type { JobId, NodeId, Seconds, TaskId } from '@sched/core'
import type { AvoidedNodes } from './avoided-nodes.js'
import { checkCounts, checkTimes } from './checks.js'
import type { AvoidRule, Failure } from './rule.js'
import type { At } from './drained-nodes.js'

/** Limits of the rule of Spark, with the defaults of Spark 4. */
export interface SparkAvoid {
  readonly rule: 'spark'
  /** So many times a task fails on a node before it does not run there again; at least 1, default 1. spark.excludeOnFailure.task.maxTaskAttemptsPerExecutor. */
  readonly task?: number | undefined
  /** So many tasks of a stage fail on a node before the stage avoids it; at least 1, default 2. spark.excludeOnFailure.stage.maxFailedTasksPerExecutor. */
  readonly stage?: number | undefined
  /** So many tasks of stages that are done have failed on a node before the job avoids it; at least 1, default 2. spark.excludeOnFailure.application.maxFailedTasksPerExecutor. */
  readonly application?: number | undefined
  /** Seconds for which a job avoids a node, and after which it does not count a failure any more; > 0, default 3600. spark.excludeOnFailure.timeout. */
  readonly timeout?: Seconds | undefined
  /** Seconds after which a job fails of which a task has no node left; > 0, default 120. spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout. */
  readonly abortAfter?: Seconds | undefined
}

/** A task that has failed on a node: how often, and when last. */
interface Failed {
  count: number
  last: Seconds
}

interface Tally {
  /** By stage that is not done and node: the tasks that have failed there. */
  readonly stages: Map<number, Map<NodeId, Map<TaskId, Failed>>>
  /** By node: when tasks of stages that are done have failed there last. */
  readonly failures: Map<NodeId, Seconds[]>
  /** Nodes that the job avoids, and until when. */
  readonly excluded: Map<NodeId, Seconds>
}

/**
 * A task does not run again on a node where it has failed. A stage avoids a node on which several of its tasks have failed, and a job one on which
 * several tasks of its stages that are done have, for an hour.
 *
 * Source: HealthTracker, TaskSetExcludelist and TaskSchedulerImpl of Spark 4.
 * Deviations: a node is a host with one executor, so the limits per node of Spark are never reached before those per executor. A job stands for an
 * application. It fails after the timeout, also where Spark does at once, since no executor is idle, and is not kept by other stages that go on; no executor is killed. A gang
 * that fails (a barrier stage) starts anew as another attempt of the stage, for which Spark counts anew: its failures count nowhere. Fetch failures are not modelled.
 */
export class SparkAvoidRule implements AvoidRule {
  readonly isOfJobs = true
  readonly failsAfter: Seconds
  readonly #avoided: AvoidedNodes
  readonly #at: At
  readonly #limits: { readonly task: number; readonly stage: number; readonly application: number; readonly timeout: Seconds }
  readonly #jobs = new Map<JobId, Tally>()

  /** Throws `BAD_INPUT` for invalid options. `at`: calls a function at a time. */
  constructor({ task = 1, stage = 2, application = 2, timeout = 3600, abortAfter = 120 }: SparkAvoid, avoided: AvoidedNodes, at: At) {
    checkCounts({ task, stage, application })
    checkTimes({ timeout, abortAfter })
    this.failsAfter = abortAfter
    this.#avoided = avoided
    this.#at = at
    this.#limits = { task, stage, application, timeout }
  }

  failed({ job, stage, task, node }: Failure, now: Seconds): void {
    if (!this.#avoided.maySingle(task)) return
    const tally: Tally = this.#jobs.get(job) ?? { stages: new Map(), failures: new Map(), excluded: new Map() }
    this.#jobs.set(job, tally)
    const nodes = tally.stages.get(stage) ?? new Map<NodeId, Map<TaskId, Failed>>()
    tally.stages.set(stage, nodes)
    const tasks = nodes.get(node) ?? new Map<TaskId, Failed>()
    nodes.set(node, tasks)
    const failed = tasks.get(task) ?? { count: 0, last: now }
    tasks.set(task, failed)
    failed.count++
    failed.last = now
    const { task: attempts, stage: failures } = this.#limits
    if (failed.count === attempts) this.#avoided.setTask(task, new Set([...nodes].filter(([, each]) => (each.get(task)?.count ?? 0) >= attempts).map(([each]) => each)), now)
    if (tasks.size === failures && failed.count === 1) this.#avoided.setStage(stage, new Set([...nodes].filter(([, each]) => each.size >= failures).map(([each]) => each)), now)
  }

  stageDone(job: JobId, stage: number, now: Seconds): void {
    const tally = this.#jobs.get(job)
    const nodes = tally?.stages.get(stage)
    if (tally === undefined || nodes === undefined) return
    tally.stages.delete(stage)
    this.#avoided.setStage(stage, new Set(), now)
    let isNew = false
    for (const [node, tasks] of nodes) if (this.#isExcludedFor(tally, node, [...tasks.values()].map(({ last }) => last), now)) isNew = true
    if (isNew) this.#apply(job, tally, now)
  }

  /** Counts failures on a node; true if the job avoids it from now on. */
  #isExcludedFor({ failures, excluded }: Tally, node: NodeId, times: readonly Seconds[], now: Seconds): boolean {
    const { application, timeout } = this.#limits
    const all = [...(failures.get(node) ?? []), ...times].filter((time) => time + timeout >= now)
    failures.set(node, all)
    if (all.length < application || excluded.has(node)) return false
    failures.delete(node)
    excluded.set(node, now + timeout)
    return true
  }

  #apply(job: JobId, tally: Tally, now: Seconds): void {
    this.#avoided.setAll(job, new Set(tally.excluded.keys()), now)
    const { timeout } = this.#limits
    if (timeout < Infinity) this.#at(now + timeout, (time) => this.#expire(job, tally, time))
  }

  #expire(job: JobId, tally: Tally, now: Seconds): void {
    if (this.#jobs.get(job) !== tally) return
    for (const [node, until] of tally.excluded) if (until <= now) tally.excluded.delete(node)
    this.#avoided.setAll(job, new Set(tally.excluded.keys()), now)
  }

  ended(job: JobId): void {
    this.forget(job)
  }

  forget(job: JobId): void {
    this.#jobs.delete(job)
  }
}
