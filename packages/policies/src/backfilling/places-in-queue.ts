import { partitionPoint, type JobId, type LaneId, type WorkView } from '@sched/core'
import type { QueuesOfJobs } from './queues-of-jobs.js'

/** By which places are in order: the number of a job in one of its queues, the highest first; absent: the queue does not matter. */
type Score = ((job: JobId, lane: LaneId, queue?: string) => number) | undefined

/**
 * Places in the queue, most deserving first: one of each waiting job, and of one that may start in several queues one for each of these, by what it has there. Of
 * equal ones the job that was submitted first comes first, and of the places of one job that of the queue it names first. Tasks of an array count as one job
 * there: all of them come in one queue before any comes in the next.
 *
 * Source: Slurm, `build_job_queue`, `sort_job_queue2` and `next_task` of slurmctld/job_scheduler.c and sched/backfill.
 */
export class PlacesInQueue {
  readonly jobs: JobId[] = []
  /** By place: the queue of a job of several; empty where all jobs have one place. */
  readonly queues: (string | undefined)[] = []

  clear(): void {
    this.jobs.length = 0
    this.queues.length = 0
  }

  /** Leaves the first `most` places. */
  cut(most: number): void {
    if (this.jobs.length <= most) return
    this.jobs.length = most
    if (this.queues.length > most) this.queues.length = most
  }

  /** Gives jobs of several queues, listed once each, a place for each of them. Those that are `first` come before all others. */
  spread(queuesOf: QueuesOfJobs, work: Pick<WorkView, 'array' | 'rank'>, lane: LaneId, { score, first }: { readonly score: Score; readonly first: (job: JobId) => boolean }): void {
    const { jobs, queues } = this
    const listed = jobs.splice(0)
    if (score === undefined) return this.#spreadInTurn(listed, queuesOf, work)
    const several: JobId[] = []
    /** By array: the rank of its first task. */
    const ranks = new Map<string, number>()
    for (const job of listed)
      if (queuesOf.placesOf(job) === undefined) this.#add(jobs.length, job, undefined)
      else {
        several.push(job)
        const array = work.array(job)
        if (array !== '') ranks.set(array, Math.min(work.rank(job), ranks.get(array) ?? Infinity))
      }
    const rankOf = (job: JobId) => ranks.get(work.array(job)) ?? work.rank(job)
    const isBefore = (job: JobId, place: number, own: number, at: number): boolean => {
      const other = jobs[at] as JobId
      const [isFirst, isOther] = [first(job), first(other)]
      if (isFirst !== isOther) return isFirst
      const others = score(other, lane, queues[at])
      if (own !== others) return own > others
      if (rankOf(job) !== rankOf(other)) return rankOf(job) < rankOf(other)
      const otherPlace = queuesOf.placesOf(other)?.indexOf(queues[at] as string) ?? 0
      return place < otherPlace || (place === otherPlace && work.rank(job) < work.rank(other))
    }
    for (const job of several)
      for (const [place, queue] of (queuesOf.placesOf(job) as readonly string[]).entries()) {
        const own = score(job, lane, queue)
        this.#add(partitionPoint(0, jobs.length, (at) => !isBefore(job, place, own, at)), job, queue)
      }
  }

  /** The same where the queue does not matter: in the order of the list, tasks of an array that follow one another together. */
  #spreadInTurn(listed: readonly JobId[], queuesOf: QueuesOfJobs, work: Pick<WorkView, 'array'>): void {
    for (let from = 0, to = 1; from < listed.length; from = to, to++) {
      const array = work.array(listed[from] as JobId)
      while (array !== '' && to < listed.length && work.array(listed[to] as JobId) === array) to++
      const tasks = listed.slice(from, to).map((job) => [job, queuesOf.placesOf(job) ?? [undefined]] as const)
      for (let place = 0; tasks.some(([, places]) => place < places.length); place++)
        for (const [job, places] of tasks) if (place < places.length) this.#add(this.jobs.length, job, places[place])
    }
  }

  #add(at: number, job: JobId, queue: string | undefined): void {
    this.jobs.splice(at, 0, job)
    this.queues.splice(at, 0, queue)
  }
}
