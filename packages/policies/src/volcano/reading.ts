import { partitionPoint, type JobId } from '@sched/core'
import { isReady, type Likeness, type Queue, type VolcanoJob } from './queue.js'
import type { Jobs } from './jobs.js'
import type { Hindrance } from './standstill.js'
import type { Tiers } from './tiers.js'

/**
 * Reads a queue's jobs in order, skipping those that are like a job for which nothing could be done. Of the jobs that wait to be enqueued it reads the first of
 * each likeness, whose place the next one of that takes when it has left.
 */
export class Reading {
  readonly #queue: Queue
  readonly #list: 'firstOutside' | 'waiting'
  readonly #jobs: Jobs
  readonly #vain = new Set<Likeness>()
  /** What stood in the way of jobs for which nothing could be done, besides their queue. */
  readonly hindrances: Hindrance[] = []
  /** How many of the first jobs are done with, and how many jobs of the list are like one found in vain. */
  #past = 0
  #hopeless = 0
  /** Jobs of this priority and below are held back. */
  #heldBack = -Infinity

  constructor(queue: Queue, list: 'outside' | 'waiting', jobs: Jobs) {
    this.#queue = queue
    this.#list = list === 'outside' ? 'firstOutside' : list
    this.#jobs = jobs
  }

  /** The first job that is not done with. It stays the first until `vain` is called for it or it has left the list. */
  next(): VolcanoJob | undefined {
    const list = this.#queue[this.#list]
    for (; this.#past < list.size && this.#hopeless < list.size; this.#past++) {
      const job = this.#jobs.of(list.ids[list.from + this.#past] as JobId)
      if (job.priority <= this.#heldBack) continue
      if (!this.#vain.has(job.likeness as Likeness)) return job
      this.#holdBack(job)
    }
    return undefined
  }

  /** Nothing can be done for the job, nor for those that ask alike. */
  vain(job: VolcanoJob): void {
    const likeness = job.likeness as Likeness
    this.#vain.add(likeness)
    this.#hopeless += this.#list === 'waiting' ? likeness.count : 1
    this.#holdBack(job)
  }

  /** Holds back jobs behind one that could not start, by the queue's strategy; a job that has its minimum holds nobody back. */
  #holdBack(job: VolcanoJob): void {
    const strategy = this.#queue.settings.dequeueStrategy
    if (this.#list !== 'waiting' || (strategy ?? 'traverse') === 'traverse' || isReady(job)) return
    this.#heldBack = Math.max(this.#heldBack, strategy === 'fifo' ? job.priority : before(job.priority))
  }
}

/** A number just below a priority; priorities are whole. */
const before = (priority: number): number => Math.ceil(priority) - 0.5

/** A line of queues with jobs in one of their lists: each time the queue that is first by then is taken out, and it may be put back. */
export class QueueLine {
  readonly #tiers: Tiers
  /** The first queue at the end; unordered if the order of two queues may change with what a third one has. */
  readonly #line: Queue[]

  constructor(queues: readonly Queue[], tiers: Tiers) {
    this.#tiers = tiers
    this.#line = tiers.ordersTogether ? [...queues] : [...queues].sort((a, b) => tiers.compareQueues(b, a))
  }

  /** Takes the first queue out; `undefined` if none is left. */
  take(): Queue | undefined {
    if (this.#tiers.ordersTogether) this.#bringFirst()
    return this.#line.pop()
  }

  putBack(queue: Queue): void {
    if (this.#tiers.ordersTogether) {
      this.#line.push(queue)
      return
    }
    const line = this.#line
    line.splice(partitionPoint(0, line.length, (i) => this.#tiers.compareQueues(line[i] as Queue, queue) > 0), 0, queue)
  }

  #bringFirst(): void {
    const line = this.#line
    const last = line.length - 1
    let first = last
    for (let i = 0; i < last; i++) if (this.#tiers.compareQueues(line[i] as Queue, line[first] as Queue) < 0) first = i
    if (first === last) return
    const queue = line[first] as Queue
    line[first] = line[last] as Queue
    line[last] = queue
  }
}
