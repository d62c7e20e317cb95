import type { ClusterView, JobId, LaneId } from '@sched/core'
import { expect, it } from 'vitest'
import { LastingTerms } from '../src/orders/lasting-terms.js'

it('terms are found once, and anew when a job asks something else, or before a reading when the cluster has something else', () => {
  const [job, lane] = [0 as JobId, 0 as LaneId]
  let asks = 2
  let has = 8
  let found = 0
  const cluster = { lanes: [{}], resources: ['slots'], capacity: () => has } as unknown as ClusterView
  const terms = new LastingTerms(cluster, 2, () => [asks / has, ++found])
  const read = () => {
    terms.refresh()
    const at = terms.find(job, lane)
    return [...terms.values.subarray(at, at + 2)]
  }
  terms.onReady(job, lane)
  expect(read()).toEqual([0.25, 1])
  expect(read()).toEqual([0.25, 1])
  asks = 4
  terms.onClaim(job, lane)
  expect(read()).toEqual([0.5, 2])
  has = 16
  expect(read()).toEqual([0.25, 3])
})
