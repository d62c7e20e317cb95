import type { JobId, NodeId, Seconds } from '@sched/core'
import type { AvoidedNodes } from './avoided-nodes.js'
import { bad, checkCounts } from './checks.js'
import type { AvoidRule, Failure } from './rule.js'

/** Limits of the rule of Hadoop 2 and 3. */
export interface HadoopAvoid {
  readonly rule: 'hadoop'
  /** So many tasks of a job fail on a node before the job avoids it; at least 1, default 3. mapreduce.job.maxtaskfailures.per.tracker. */
  readonly failures?: number | undefined
  /**
   * Percentage of the nodes, a whole number: a job that would avoid as many or more avoids none; -1: it always does. Default 33.
   * yarn.app.mapreduce.am.job.node-blacklisting.ignore-threshold-node-percent.
   */
  readonly ignoreThreshold?: number | undefined
}

/** Failures of a job by node, and the nodes with too many, in the order in which they came to have these. */
interface Tally {
  readonly failures: Map<NodeId, number>
  readonly listed: Set<NodeId>
}

/**
 * A job avoids a node on which so many of its tasks have failed, until it ends. While these are a third of the nodes or more, it avoids none.
 *
 * Source: RMContainerRequestor of Hadoop 2 and 3 (containerFailedOnHost, computeIgnoreBlacklisting). The percentage is computed in floats, and cut to a whole one.
 * Deviations: the resource manager knows at once, not with the next heartbeat of the job's master. Where all nodes would be avoided on which a task may
 * run, by labels or in its part of the cluster, none is; in Hadoop it waits for ever. Nodes stand for hosts.
 */
export class HadoopAvoidRule implements AvoidRule {
  readonly isOfJobs = true
  readonly failsAfter = undefined
  readonly #avoided: AvoidedNodes
  readonly #most: number
  readonly #threshold: number
  readonly #jobs = new Map<JobId, Tally>()

  /** Throws `BAD_INPUT` for invalid options. */
  constructor({ failures = 3, ignoreThreshold = 33 }: HadoopAvoid, avoided: AvoidedNodes) {
    checkCounts({ failures })
    if (!(Number.isSafeInteger(ignoreThreshold) && ignoreThreshold >= -1 && ignoreThreshold <= 100)) throw bad(`found ignoreThreshold ${ignoreThreshold}.`, 'It is a whole percentage, from 0 to 100, or -1 for none.')
    this.#avoided = avoided
    this.#most = failures
    this.#threshold = ignoreThreshold
  }

  failed({ job, node }: Failure, now: Seconds): void {
    const tally = this.#jobs.get(job) ?? { failures: new Map<NodeId, number>(), listed: new Set<NodeId>() }
    this.#jobs.set(job, tally)
    const failures = (tally.failures.get(node) ?? 0) + 1
    tally.failures.set(node, failures)
    if (failures < this.#most || tally.listed.has(node)) return
    tally.listed.add(node)
    this.#apply(job, tally, now)
  }

  nodesChanged(now: Seconds): void {
    for (const [job, tally] of this.#jobs) if (tally.listed.size > 0) this.#apply(job, tally, now)
  }

  ended(job: JobId): void {
    this.forget(job)
  }

  forget(job: JobId): void {
    this.#jobs.delete(job)
  }

  #apply(job: JobId, { listed }: Tally, now: Seconds): void {
    const nodes = this.#avoided.sizeFor(job)
    if (nodes === 0) return // nothing is known of the cluster, and what was decided before holds
    const percent = Math.floor(Math.fround(Math.fround(listed.size / nodes) * 100))
    this.#avoided.setAll(job, this.#threshold !== -1 && percent >= this.#threshold ? new Set() : new Set(listed), now)
  }
}
