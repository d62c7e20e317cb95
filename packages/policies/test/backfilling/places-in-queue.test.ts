import type { JobId, LaneId } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { PlacesInQueue } from '../../src/backfilling/places-in-queue.js'
import type { QueuesOfJobs } from '../../src/backfilling/queues-of-jobs.js'

/** Jobs by rank, with their arrays and, where they are several, their queues. */
const jobs = [
  { name: 'x', array: '', queues: 'a,b' }, { name: 't1', array: 't', queues: 'a,b' }, { name: 't2', array: 't', queues: 'a,b' }, { name: 'y', array: '', queues: '' },
  { name: 't3', array: 't', queues: 'a,b' }, { name: 'u1', array: 'u', queues: '' }, { name: 'z', array: '', queues: 'b,a' },
]
const of = (job: JobId) => jobs[job] as (typeof jobs)[number]
const queues = { placesOf: (job: JobId) => (of(job).queues === '' ? undefined : of(job).queues.split(',')) } as QueuesOfJobs
const work = { rank: (job: JobId) => job, array: (job: JobId) => of(job).array }

function placesOf(score?: (job: JobId, lane: LaneId, queue?: string) => number): string {
  const places = new PlacesInQueue()
  places.jobs.push(...jobs.map((_, id) => id as JobId))
  places.spread(queues, work, 0 as LaneId, { score, first: () => false })
  return places.jobs.map((job, i) => `${of(job).name}${places.queues[i] ?? ''}`).join(' ')
}

describe('places of tasks of an array', () => {
  it('of equal priority are all in one queue before any in the next, from the first task on (next_task of Slurm)', () => {
    expect(placesOf(() => 1)).toBe('xa xb t1a t2a t3a t1b t2b t3b y u1 zb za')
  })

  it('go by the priority in each queue', () => {
    expect(placesOf((_, __, queue) => ({ a: 1, b: 2 })[queue ?? ''] ?? 1)).toBe('xb t1b t2b t3b zb xa t1a t2a t3a y u1 za')
  })

  it('follow one another where the order knows no queues, as far as nobody comes between them', () => {
    expect(placesOf()).toBe('xa xb t1a t2a t1b t2b y t3a t3b u1 zb za')
  })
})
