import { taskName, Work, type TaskName } from '@sched/cluster'
import {
  SchedError, type ClusterView, type JobId, type JobSpec, type LaneId, type NodeId, type Observer, type Seconds, type TaskEnd, type TaskId,
  type WorkView,
} from '@sched/core'

/** A start. `level` is the distance to the task's data: 0 on the node, ..., -1 for a task without data. */
export interface Launch extends TaskName {
  /** Tells what was recorded. */
  readonly kind: 'launch'
  /** When it started, seconds. */
  readonly time: Seconds
  /** Name of the node. */
  readonly node: string
  /** Distance to its data: 0 on the node, ..., -1 without data. */
  readonly level: number
}

/** A task has left its node. It stopped at `stopped`; the master knows since `time`. */
export interface End extends TaskName {
  /** Tells what was recorded. */
  readonly kind: 'end'
  /** When the master knew, seconds. */
  readonly time: Seconds
  /** Name of the node. */
  readonly node: string
  /** How it ended. */
  readonly how: TaskEnd
  /** When it had started, seconds. */
  readonly started: Seconds
  /** When it stopped, seconds. */
  readonly stopped: Seconds
}

/** Something that happened to a job as a whole. */
export interface JobEvent {
  /** What happened to it. */
  readonly kind: 'submit' | 'finish' | 'reject' | 'abandon'
  /** When, seconds. */
  readonly time: Seconds
  /** Its id. */
  readonly job: string
}

/** A promise that the job starts no later than `start`. */
export interface Promised {
  /** Tells what was recorded. */
  readonly kind: 'reserve'
  /** When it was promised, seconds. */
  readonly time: Seconds
  /** Its id. */
  readonly job: string
  /** The latest start, seconds. */
  readonly start: Seconds
}
/** What a recorder writes down. */
export type Recorded = Launch | End | JobEvent | Promised

/** Writes down all that happens in a run, in order. */
export class Recorder implements Observer {
  /** All that happened, in order. */
  readonly events: Recorded[] = []
  /** When the run ended; undefined before. */
  ended: Seconds | undefined
  #cluster!: ClusterView
  #work!: Work

  /** The starts, in order. */
  get launches(): Launch[] {
    return this.events.filter((event) => event.kind === 'launch')
  }
  /** The ends, in order. */
  get ends(): End[] {
    return this.events.filter((event) => event.kind === 'end')
  }
  /** The ends by preemption, in order. */
  get evictions(): End[] {
    return this.ends.filter((end) => end.how === 'evicted')
  }

  /** Starts as text: `12 a.0.3 on node-2`, job, stage and task, or `12 a.3` for a job of one stage as most tests have. */
  launchLines(): string[] {
    return this.launches.map(({ time, job, stage, task, node }) => `${time} ${job}.${stage === 0 ? '' : `${stage}.`}${task} on ${node}`)
  }

  /** Time at which each job ended. */
  finishes(): Record<string, Seconds> {
    return Object.fromEntries(this.events.flatMap((event) => (event.kind === 'finish' ? [[event.job, event.time]] : [])))
  }

  /** Throws `BROKEN_CONTRACT` for a run whose work is not that of `@sched/cluster`. */
  onRunStart({ cluster, work }: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    if (!(work instanceof Work)) throw new SchedError('BROKEN_CONTRACT', 'the recorder reads the task columns of @sched/cluster, this run has others', {}, 'Record a run of simulate() of the same copy of @sched/cluster; npm ls @sched/cluster shows the copies.')
    this.#cluster = cluster
    this.#work = work
  }
  onSubmit(_job: JobId, spec: JobSpec, time: Seconds): void {
    this.events.push({ kind: 'submit', time, job: spec.id })
  }
  onTaskStart(task: TaskId, _job: JobId, _lane: LaneId, node: NodeId, level: number, time: Seconds): void {
    this.events.push({ kind: 'launch', time, ...taskName(this.#work, task), node: this.#cluster.name(node), level })
  }
  onTaskEnd(task: TaskId, _job: JobId, _lane: LaneId, node: NodeId, how: TaskEnd, started: Seconds, stopped: Seconds, time: Seconds): void {
    this.events.push({ kind: 'end', time, ...taskName(this.#work, task), node: this.#cluster.name(node), how, started, stopped })
  }
  onJobEnd(_job: JobId, spec: JobSpec, time: Seconds): void {
    this.events.push({ kind: 'finish', time, job: spec.id })
  }
  onReject(spec: JobSpec, _reason: string, time: Seconds): void {
    this.events.push({ kind: 'reject', time, job: spec.id })
  }
  onAbandon(_job: JobId, spec: JobSpec, _unplaced: number, time: Seconds): void {
    this.events.push({ kind: 'abandon', time, job: spec.id })
  }
  onReserve(job: JobId, start: Seconds, time: Seconds): void {
    this.events.push({ kind: 'reserve', time, job: this.#work.name(job), start })
  }
  onRunEnd(now: Seconds): void {
    this.ended = now
  }
}
