import type { Work } from '@sched/cluster'
import { grown, SchedError, type JobId, type JobSpec, type NodeId, type Seconds, type StageSpec } from '@sched/core'
import { EventKind, type EventQueue } from '../event-queue.js'
import type { NodeRuns } from '../node-runs.js'
import type { Observers } from '../observers.js'
import type { TaskEnds } from '../task-ends.js'
import type { Progress, ProgressHost } from './progress.js'

/** What progress runs share with runs that take their own time. */
export interface ProgressRunsEnv {
  readonly work: Work
  readonly queue: EventQueue
  readonly observers: Observers
  readonly ends: TaskEnds
  /** Present if the cluster has heartbeats. */
  readonly nodeRuns: NodeRuns | undefined
}

/** A task that starts. */
interface Starting {
  readonly job: JobId
  readonly spec: JobSpec
  readonly stage: StageSpec
  readonly stageIndex: number
  readonly task: number
}

/** Runs of tasks whose progress depends on what else runs: their ends are set, moved and cancelled as the model says. */
export class ProgressRuns implements ProgressHost {
  /** The latest end of any run so far, or of anything that a run waits for. */
  lastEnd: Seconds = 0
  readonly #env: ProgressRunsEnv
  readonly #progress: Progress
  /** By run: the event of its stop, if the cluster has heartbeats, or one of the constants below. */
  #events = new Int32Array(64)
  #alarm = -1

  constructor(env: ProgressRunsEnv, progress: (host: ProgressHost) => Progress) {
    this.#env = env
    this.#progress = progress(this)
  }

  begin(run: number, node: NodeId, { job, spec, stage, stageIndex, task }: Starting, alone: Seconds, now: Seconds): void {
    this.#events = grown(this.#events, run + 1)
    this.#events[run] = GONE
    this.#env.work.setRunEnd(run, Infinity)
    this.#progress.start({ run, job, spec, stage, stageIndex, task, node, alone }, now)
  }

  /** Handles the stop of a run, on a cluster with heartbeats: its node reports it later. */
  stopped(run: number, now: Seconds): void {
    this.#events[run] = STOPPED
    this.#progress.stop(run, now)
  }

  /** Handles the end of a run, on a cluster without heartbeats. */
  ended(run: number, now: Seconds): void {
    this.#events[run] = GONE
    this.#progress.stop(run, now)
  }

  /** The master knows that the run is done. */
  done(run: number, now: Seconds): void {
    this.#progress.done?.(run, now)
  }

  /** Handles an alarm. */
  wake(now: Seconds): void {
    this.#alarm = -1
    this.#progress.wake?.(now)
  }

  /** Takes back a run that is killed. */
  takeBack(run: number, node: NodeId, now: Seconds): void {
    const isStopped = this.#events[run] === STOPPED
    if (isStopped) this.#env.nodeRuns?.remove(run, node)
    else this.#forget(run, node)
    this.#events[run] = GONE
    if (!isStopped) this.#progress.stop(run, now)
  }

  /** Throws `BAD_INPUT` for a suspension: after it the task would go on at another pace. */
  refuseToSuspend(): never {
    throw new SchedError(
      'BAD_INPUT',
      'suspends tasks, and how fast these go on depends on what else runs.',
      { field: 'policy' },
      'Leave out `network` and the `hardware` of the nodes, or let preempted jobs start anew.',
    )
  }

  // ---- what the model asks for ----

  setEnd(run: number, end: Seconds): void {
    const { work, queue, ends, nodeRuns } = this.#env
    const node = work.runNode(run)
    this.#forget(run, node)
    work.setRunEnd(run, end)
    if (end === Infinity) return
    if (end > this.lastEnd) this.lastEnd = end
    if (nodeRuns !== undefined) {
      nodeRuns.add(run, node, end)
      this.#events[run] = queue.push(end, EventKind.Stop, run)
    } else {
      ends.add(run, end)
      this.#events[run] = SET
    }
  }

  alarm(time: Seconds): void {
    const { queue } = this.#env
    if (this.#alarm >= 0) queue.cancel(this.#alarm)
    this.#alarm = time === Infinity ? -1 : queue.push(time, EventKind.Alarm, 0)
    if (time !== Infinity && time > this.lastEnd) this.lastEnd = time
  }

  fetched(run: number, now: Seconds): void {
    const { work, observers } = this.#env
    observers.onTaskFetched(work.runTask(run), now)
  }

  used(node: NodeId, now: Seconds): void {
    this.#env.observers.onUse(node, now)
  }

  fetches(job: JobId, from: NodeId, to: NodeId, bytes: number, now: Seconds): void {
    this.#env.observers.onFetch(job, from, to, bytes, now)
  }

  /** Cancels the end of a run, if one is set. */
  #forget(run: number, node: NodeId): void {
    const { queue, ends, nodeRuns } = this.#env
    const event = this.#events[run] as number
    if (event === GONE) return
    if (nodeRuns === undefined) ends.cancel(run)
    else {
      nodeRuns.remove(run, node)
      queue.cancel(event)
    }
    this.#events[run] = GONE
  }
}

/** Values in place of an event. `GONE`: no end is set. `SET`: the end is set, in `ends`. `STOPPED`: the run has stopped. */
const GONE = -1
const SET = -2
const STOPPED = -3
