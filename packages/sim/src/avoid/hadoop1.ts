import type { JobId, NodeId, Seconds, TaskId } from '@sched/core'
import type { AvoidedNodes } from './avoided-nodes.js'
import { bad, checkCounts, checkFractions, checkTimes } from './checks.js'
import type { DrainedNodes } from './drained-nodes.js'
import type { AvoidRule, Failure } from './rule.js'

/** Limits of the rule of Hadoop 0.20 and 0.21. */
export interface Hadoop1Avoid {
  readonly rule: 'hadoop1'
  /** So many tasks of a job fail on a node before the job avoids it; at least 1, default 4. mapred.max.tracker.failures. */
  readonly failures?: number | undefined
  /** Fraction of the nodes, in [0, 1]: a job that would avoid as many or more avoids none, and counts no more failures; default 0.25. */
  readonly mostOfJob?: number | undefined
  /** So many jobs avoid a node and succeed before all jobs do; at least 1, default 4. mapred.max.tracker.blacklists. */
  readonly blacklists?: number | undefined
  /** By which part of the mean over the nodes a node must be above it besides, at least 0; default 0.5. mapred.cluster.average.blacklist.threshold. */
  readonly aboveMean?: number | undefined
  /** Fraction of the nodes, in [0, 1], from which on all jobs avoid no more; default 0.5. */
  readonly mostOfCluster?: number | undefined
  /** Seconds after which a node without another such job is forgiven one of them, and is used again; > 0, default 86,400. */
  readonly forgivenAfter?: Seconds | undefined
}

/** Failures of a job by node, the number of nodes with too many, and where each task has failed. */
interface Tally {
  readonly failures: Map<NodeId, number>
  flaky: number
  readonly tasks: Map<TaskId, Set<NodeId>>
}

/**
 * A task does not run again on a node where it has failed, until it has failed on all. A job avoids a node on which so many of its tasks have failed. All
 * jobs avoid a node which several jobs that succeeded have avoided, if others are better: it is drained.
 *
 * Source: JobInProgress (addTrackerTaskFailure, shouldRunOnTaskTracker, findTaskFromList) and JobTracker (FaultyTrackersInfo) of Hadoop 0.20 and 0.21. In 1.x a window of
 * time replaced the daily forgiveness, and trackers with too many faults are marked, and used on.
 * Deviations: a node is forgiven when the day is over, not with its next heartbeat, and never owes less than nothing. A tracker that restarts is not
 * forgiven at once. Where all nodes would be avoided on which a task may run, none is. Tasks that have failed do not come before others, and those of gangs
 * may run again where they failed.
 */
export class Hadoop1AvoidRule implements AvoidRule {
  readonly isOfJobs = true
  readonly failsAfter = undefined
  readonly #avoided: AvoidedNodes
  readonly #drained: DrainedNodes
  readonly #limits: { readonly [Limit in Exclude<keyof Hadoop1Avoid, 'rule'>]-?: number }
  readonly #jobs = new Map<JobId, Tally>()
  /** By node: how many jobs that succeeded have avoided it and are not forgiven, and when this changed last. */
  readonly #faults = new Map<NodeId, { count: number; since: Seconds }>()

  /** Throws `BAD_INPUT` for invalid options. */
  constructor(options: Hadoop1Avoid, avoided: AvoidedNodes, drained: DrainedNodes) {
    const { failures = 4, mostOfJob = 0.25, blacklists = 4, aboveMean = 0.5, mostOfCluster = 0.5, forgivenAfter = 86_400 } = options
    checkCounts({ failures, blacklists })
    checkFractions({ mostOfJob, mostOfCluster })
    checkTimes({ forgivenAfter })
    if (!(aboveMean >= 0)) throw bad(`found aboveMean ${aboveMean}.`, 'It is 0 or more.')
    this.#avoided = avoided
    this.#drained = drained
    this.#limits = { failures, mostOfJob, blacklists, aboveMean, mostOfCluster, forgivenAfter }
  }

  failed({ job, task, node }: Failure, now: Seconds): void {
    const tally = this.#jobs.get(job) ?? { failures: new Map<NodeId, number>(), flaky: 0, tasks: new Map<TaskId, Set<NodeId>>() }
    this.#jobs.set(job, tally)
    const size = this.#avoided.sizeFor(job)
    if (tally.flaky < size * this.#limits.mostOfJob) {
      const failures = (tally.failures.get(node) ?? 0) + 1
      tally.failures.set(node, failures)
      if (failures === this.#limits.failures) {
        tally.flaky++
        this.#apply(job, tally, size, now)
      }
    }
    if (!this.#avoided.maySingle(task)) return
    const where = (tally.tasks.get(task) ?? new Set<NodeId>()).add(node)
    tally.tasks.set(task, where)
    this.#applyTo(task, where, size, now)
  }

  nodesChanged(now: Seconds): void {
    for (const [job, tally] of this.#jobs) {
      const size = this.#avoided.sizeFor(job)
      if (tally.flaky > 0) this.#apply(job, tally, size, now)
      for (const [task, where] of tally.tasks) this.#applyTo(task, where, size, now)
    }
  }

  ended(job: JobId, isDone: boolean, now: Seconds): void {
    const flaky = isDone ? this.#flakyOf(job) : []
    this.forget(job)
    for (const node of flaky) this.#fault(node, now)
  }

  forget(job: JobId): void {
    this.#jobs.delete(job)
  }

  #apply(job: JobId, { flaky }: Tally, size: number, now: Seconds): void {
    this.#avoided.setAll(job, new Set(flaky < size * this.#limits.mostOfJob ? this.#flakyOf(job) : []), now)
  }

  #applyTo(task: TaskId, where: ReadonlySet<NodeId>, size: number, now: Seconds): void {
    this.#avoided.setTask(task, new Set(where.size >= size ? [] : where), now)
  }

  #flakyOf(job: JobId): NodeId[] {
    return [...(this.#jobs.get(job)?.failures ?? [])].filter(([, failures]) => failures >= this.#limits.failures).map(([node]) => node)
  }

  // ---- all jobs ----

  #fault(node: NodeId, now: Seconds): void {
    const faults = this.#faults.get(node) ?? { count: 0, since: now }
    this.#faults.set(node, faults)
    faults.count++
    this.#touch(node, faults, now)
    if (this.#isTooFaulty(faults.count)) this.#drained.drain(node, now)
  }

  #isTooFaulty(count: number): boolean {
    const { blacklists, aboveMean, mostOfCluster } = this.#limits
    const { up, drained } = this.#drained
    if (count < blacklists) return false
    let sum = 0
    for (const each of this.#faults.values()) sum += each.count
    const mean = sum / up
    return count - mean > aboveMean * mean && drained < (up + drained) * mostOfCluster
  }

  #touch(node: NodeId, faults: { count: number; since: Seconds }, now: Seconds): void {
    faults.since = now
    this.#drained.at(now + this.#limits.forgivenAfter, (time) => {
      if (faults.since === now) this.#forgive(node, faults, time)
    })
  }

  #forgive(node: NodeId, faults: { count: number; since: Seconds }, now: Seconds): void {
    faults.count--
    if (faults.count > 0) this.#touch(node, faults, now)
    else this.#faults.delete(node)
    this.#drained.restore(node, now)
  }
}
