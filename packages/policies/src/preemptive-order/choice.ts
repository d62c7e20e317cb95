import type { JobId, ResourceId, Round } from '@sched/core'
import { addTo, isWithin } from '../shares/vectors.js'
import { freeInSight, type HeldAmounts } from './held-amounts.js'

/**
 * Chooses jobs greedily in their order, by amounts of the whole that is in sight: each with what runs of it and as many of its waiting tasks as are left
 * for, of a gang all that start together or none. Who does not fit is passed over, and the next one tried. What runs and may not go has its amounts before
 * all others. Returns who of `mayGo` is passed over.
 *
 * Source: Gu et al., NSDI 2019, section 3.2; the simulator of its authors (`dlas_sim_jobs`), which counts GPUs.
 */
export function passedOver(jobs: ArrayLike<JobId>, mayGo: ReadonlySet<JobId>, round: Round, held: HeldAmounts, waits: (job: JobId, lane: Round['lane']) => boolean): ReadonlySet<JobId> {
  const { lane } = round
  const left = freeInSight(round)
  for (const job of mayGo) addTo(left, held.of(job, lane))
  const found = new Set(mayGo)
  const least = leastHeld(mayGo, lane, held)
  for (let i = 0; i < jobs.length && isWithin(least, left); i++) {
    const job = jobs[i] as JobId
    if (mayGo.has(job)) {
      const amounts = held.of(job, lane)
      if (!isWithin(amounts, left)) continue
      addTo(left, amounts, -1)
      found.delete(job)
    }
    if (waits(job, lane)) takeWaiting(job, left, round)
  }
  return found
}

/** By resource the least that one of the jobs holds: where less is left, all that come are passed over. */
function leastHeld(jobs: ReadonlySet<JobId>, lane: Round['lane'], held: HeldAmounts): Float64Array {
  let least: Float64Array | undefined
  for (const job of jobs) least = least?.map((amount, i) => Math.min(amount, held.of(job, lane)[i] as number)) ?? held.of(job, lane)
  return least ?? new Float64Array()
}

/** Takes the amounts of as many of its waiting tasks as are left for. */
function takeWaiting(job: JobId, left: Float64Array, { cluster, work, lane }: Round): void {
  const resources = cluster.lanes[lane]?.resources ?? []
  for (let i = 0; i < resources.length; i++) if (work.asked(job, lane, resources[i] as ResourceId) > (left[i] as number)) return
  for (let i = 0; i < resources.length; i++) left[i] = (left[i] as number) - work.asked(job, lane, resources[i] as ResourceId)
  let more = work.isGangJob(job) ? 0 : work.unplaced(job, lane) - work.together(job, lane)
  if (more === 0) return
  const shape = work.shape(job, lane)
  const each = Float64Array.from(resources, (r) => work.demand(shape, r))
  for (let i = 0; i < each.length; i++) if ((each[i] as number) > 0) more = Math.min(more, Math.floor((left[i] as number) / (each[i] as number)))
  addTo(left, each, -more)
}
