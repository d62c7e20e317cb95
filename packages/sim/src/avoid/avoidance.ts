import type { Work } from '@sched/cluster'
import { SchedError, type JobId, type NodeId, type Seconds, type TaskId } from '@sched/core'
import { EventKind, type EventQueue } from '../event-queue.js'
import { AvoidedNodes, type AvoidedNodesEnv } from './avoided-nodes.js'
import { DrainedNodes, type DrainedNodesEnv } from './drained-nodes.js'
import type { AvoidRule } from './rule.js'
import { avoidRuleOf, keepsSome, type AvoidOptions } from './rules.js'

/** What avoidance acts on. Architecture and outages are there once the run begins. */
export interface AvoidanceEnv extends AvoidedNodesEnv, DrainedNodesEnv {
  readonly queue: EventQueue
  /** Stops everything of a job, which has failed. */
  readonly failJob: (job: JobId, now: Seconds) => void
}

/**
 * Nodes that are avoided because tasks have failed there, as a rule says. A job that avoids nodes asks for others as by a label that they lack, so
 * schedulers need not know of it; nodes that all jobs avoid are drained. No job waits for ever for this alone.
 */
export class Avoidance {
  readonly #work: Work
  readonly #queue: EventQueue
  readonly #failJob: AvoidanceEnv['failJob']
  readonly #avoided: AvoidedNodes
  readonly #rule: AvoidRule
  /** What is to be called, by the number of its event's subject. */
  readonly #calls = new Map<number, (now: Seconds) => void>()
  #last = 0
  /** Jobs of which a task has no node left, and that will fail for it. */
  readonly #stuck = new Set<JobId>()

  /** Throws `BAD_INPUT` for invalid options. */
  constructor(options: AvoidOptions, env: AvoidanceEnv) {
    this.#work = env.work
    this.#queue = env.queue
    this.#failJob = env.failJob
    this.#avoided = new AvoidedNodes(env, keepsSome(options))
    this.#rule = avoidRuleOf(options, this.#avoided, new DrainedNodes(env, (time, call) => this.#at(time, call)))
  }

  /** A task has failed on a node; `task` is the original of a copy. */
  failed(task: TaskId, node: NodeId, now: Seconds): void {
    const job = this.#work.jobOf(task)
    this.#rule.failed({ job, stage: this.#work.taskStage[task] as number, task, node }, now)
    this.#watch(job, now)
  }

  /** A task of a stage is done, but not the last of the job. */
  done(stage: number, now: Seconds): void {
    const { stageDone, stageTasks, stageJob } = this.#work
    if (stageDone[stage] !== stageTasks[stage]) return
    const job = stageJob[stage] as JobId
    this.#rule.stageDone?.(job, stage, now)
    this.#watch(job, now)
  }

  /** A job leaves, done or given up. */
  leave(job: JobId, isDone: boolean, now: Seconds): void {
    this.#rule.ended?.(job, isDone, now)
    this.#avoided.forget(job)
    this.#stuck.delete(job)
  }

  /** A job starts anew on other nodes, and nothing is known of these. */
  forget(job: JobId, now: Seconds): void {
    this.#rule.forget(job)
    this.#avoided.clear(job, now)
  }

  /** Nodes have gone or come back. */
  nodesChanged(now: Seconds): void {
    this.#rule.nodesChanged?.(now)
  }

  /** Handles an event. */
  fired(subject: number, now: Seconds): void {
    const call = this.#calls.get(subject)
    this.#calls.delete(subject)
    call?.(now)
  }

  /** Ends the waits of jobs that avoid nodes although nothing else will happen. Returns whether there are any. */
  endWaits(now: Seconds): boolean {
    const waiting = this.#work.jobs().filter((job) => this.#avoided.areOf(job) && [...this.#work.stagesOf(job)].some((stage) => (this.#work.stageUnplaced[stage] as number) > 0))
    const { failsAfter } = this.#rule
    for (const job of waiting) this.#at(now, (time) => (failsAfter === undefined ? this.forget(job, time) : this.#failJob(job, time)))
    return waiting.length > 0
  }

  /** Throws `BAD_INPUT` for a task that is suspended, which would have to resume on a node that its job avoids by then. */
  refuseToSuspend(task: TaskId): void {
    if (!this.#rule.isOfJobs) return
    throw new SchedError(
      'BAD_INPUT',
      `suspends tasks of job ${this.#work.name(this.#work.jobOf(task))}, which may come to avoid their nodes (avoid).`,
      { field: 'policy' },
      'Use the rule `drain`, or let preempted jobs start anew.',
    )
  }

  #at(time: Seconds, call: (now: Seconds) => void): void {
    this.#calls.set(++this.#last, call)
    this.#queue.push(time, EventKind.Avoid, this.#last)
  }

  /** Lets a job fail if a task of it still has no node left after a while. */
  #watch(job: JobId, now: Seconds): void {
    const { failsAfter } = this.#rule
    if (failsAfter === undefined || this.#stuck.has(job) || this.#avoided.stuck(job) === undefined) return
    this.#stuck.add(job)
    const rank = this.#work.rank(job)
    this.#at(now + failsAfter, (time) => {
      if (!this.#stuck.has(job) || this.#work.rank(job) !== rank) return
      this.#stuck.delete(job)
      if (this.#avoided.stuck(job) === 'waiting') this.#failJob(job, time)
      else this.#watch(job, time)
    })
  }
}
