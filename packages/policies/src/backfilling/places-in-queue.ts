import type { JobId, LaneId, WorkView } from '@sched/core'
import type { QueuesOfJobs } from './queues-of-jobs.js'

/** By which places are in order: the number of a job in one of its queues, the highest first; absent: the queue does not matter. */
type Score = ((job: JobId, lane: LaneId, queue?: string) => number) | undefined

/**
 * Places in the queue, most deserving first: one of each waiting job, and of one that may start in several queues one for each of these, by what it has there. Of
 * equal ones the job that was submitted first comes first, and of the places of one job that of the queue it names first.
 *
 * Source: Slurm, `build_job_queue` and `sort_job_queue2` of slurmctld/job_scheduler.c.
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
  spread(queuesOf: QueuesOfJobs, work: WorkView, lane: LaneId, { score, first }: { readonly score: Score; readonly first: (job: JobId) => boolean }): void {
    const { jobs, queues } = this
    const listed = jobs.splice(0)
    const several: JobId[] = []
    for (const job of listed) {
      const places = queuesOf.placesOf(job)
      if (places === undefined) this.#add(jobs.length, job, undefined)
      else if (score === undefined) for (const queue of places) this.#add(jobs.length, job, queue)
      else several.push(job)
    }
    if (score === undefined) return
    const isBefore = (job: JobId, own: number, at: number): boolean => {
      const other = jobs[at] as JobId
      const [isFirst, isOther] = [first(job), first(other)]
      if (isFirst !== isOther) return isFirst
      const others = score(other, lane, queues[at])
      return own > others || (own === others && work.rank(job) < work.rank(other))
    }
    for (const job of several)
      for (const queue of queuesOf.placesOf(job) as readonly string[]) {
        const own = score(job, lane, queue)
        let [low, high] = [0, jobs.length]
        while (low < high) {
          const middle = (low + high) >> 1
          if (isBefore(job, own, middle)) high = middle
          else low = middle + 1
        }
        this.#add(low, job, queue)
      }
  }

  #add(at: number, job: JobId, queue: string | undefined): void {
    this.jobs.splice(at, 0, job)
    this.queues.splice(at, 0, queue)
  }
}
