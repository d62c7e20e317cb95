import type { JobId, LaneId, NodeId, Seconds, TaskEnd, WorkView } from '@sched/core'
import { namesOf, type NamedJob } from './named-job.js'

/** A job that was the next to start on nodes from which tasks were evicted. */
export interface Successor extends NamedJob {
  /** When it started there, seconds: at or after the eviction. */
  readonly at: Seconds
  /** Number of its tasks that started there then. */
  readonly tasks: number
}

/** Tasks of a job that were taken from their nodes before they were done. */
export interface Interruption {
  /** When they stopped, seconds. */
  readonly at: Seconds
  /** `evicted`: preempted or suspended; `lost`: with their node; `failed`: by themselves. */
  readonly how: 'evicted' | 'lost' | 'failed'
  /** Number of tasks. */
  readonly tasks: number
  /**
   * Of evicted tasks: all that started at the first instant at which anything started on the node of each, the job's own tasks, too. A policy does not
   * say for whom it evicts; where a node has room besides, others may start there. In order of their start; otherwise empty.
   */
  readonly next: readonly Successor[]
}

interface Noted extends Interruption {
  tasks: number
  readonly next: Counted[]
}

interface Counted extends Successor {
  tasks: number
}

/** A place that evicted tasks have left. */
interface Place {
  readonly left: Noted
  /** When something started there, seconds; NaN: nothing has. */
  taken: Seconds
}

/** Collects interruptions of one job, those of one kind at one instant as one, and who came next where its tasks were evicted. */
export class Interruptions {
  /** By time and kind. */
  readonly #all = new Map<string, Noted>()
  /** By node and lane. */
  readonly #places = new Map<string, Place[]>()

  /** A task of the job has ended; one that is done, or whose copy was done first, is no interruption. */
  ended(how: TaskEnd, lane: LaneId, node: NodeId, at: Seconds): void {
    if (how === 'done' || how === 'superseded') return
    const key = `${at} ${how}`
    let left = this.#all.get(key)
    if (left === undefined) this.#all.set(key, (left = { at, how, tasks: 0, next: [] }))
    left.tasks++
    if (how === 'evicted') this.#leave(`${node} ${lane}`, left)
  }

  #leave(key: string, left: Noted): void {
    const places = this.#places.get(key) ?? []
    if (!places.some((place) => place.left === left)) places.push({ left, taken: NaN })
    this.#places.set(key, places)
  }

  /** A task of any job has started. */
  started(job: JobId, lane: LaneId, node: NodeId, now: Seconds, work: WorkView): void {
    if (this.#places.size === 0) return
    this.passed(now)
    for (const place of this.#places.get(`${node} ${lane}`) ?? []) {
      place.taken = now
      const names = namesOf(work, job)
      const known = place.left.next.find(({ id, at }) => id === names.id && at === now)
      if (known === undefined) place.left.next.push({ ...names, at: now, tasks: 1 })
      else known.tasks++
    }
  }

  /** Places that were taken before `now` have their successors. */
  passed(now: Seconds): void {
    if (this.#places.size > 0) this.#drop(({ taken }) => taken < now)
  }

  /** The job is over: only what it leaves by that, as when it is cancelled, is followed further. */
  over(now: Seconds): void {
    this.#drop(({ left }) => left.at < now)
  }

  #drop(isOut: (place: Place) => boolean): void {
    for (const [key, places] of this.#places) {
      const rest = places.filter((place) => !isOut(place))
      if (rest.length === 0) this.#places.delete(key)
      else if (rest.length < places.length) this.#places.set(key, rest)
    }
  }

  /** Whether there are places of which the successors are not known. */
  get areOpen(): boolean {
    return this.#places.size > 0
  }

  /** In order of time. */
  inOrder(): readonly Interruption[] {
    return [...this.#all.values()].sort((a, b) => a.at - b.at)
  }
}
