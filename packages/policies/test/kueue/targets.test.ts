import type { JobId, LaneId, ShapeId, UserId } from '@sched/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fits } from '../../src/kueue/assignment.js'
import { Borrowers, fillBack, firstCommon, gives, otherCandidates, ownCandidates, restore, type Preemptor } from '../../src/kueue/candidates.js'
import { targets } from '../../src/kueue/preemption.js'
import { QuotaNode } from '../../src/kueue/quota-node.js'
import { ClusterQueue } from '../../src/kueue/queues.js'
import { charge, discharge, type Workload } from '../../src/kueue/workload.js'

/** The same with everybody of other queues looked at, whether or not it could help. */
function plainTargets(preemptor: Preemptor): Workload[] {
  const { workload, short } = preemptor
  const { queue, demand, tasks } = workload
  const { policy, maxPriorityThreshold = Infinity } = queue.settings.preemption?.borrowWithinCohort ?? { policy: 'Never' }
  const left = Array.from(demand, (amount) => amount * tasks)
  let isOwned = false
  const owned = [...queue.path()].filter((node) => {
    const isAround = isOwned
    isOwned ||= left.every((amount, c) => amount === 0 || !node.borrows(c, amount))
    for (const [c, amount] of left.entries()) left[c] = Math.max(0, amount - node.free(c))
    return isAround
  })
  const others = otherCandidates(preemptor).flatMap((each) => {
    const shared = firstCommon(queue, each.queue) as QuotaNode
    if (!gives(each.queue, shared, short)) return []
    const isReclaimed = owned.includes(shared)
    return [{ each, shared, isReclaimed, isForBorrowers: isReclaimed || (policy === 'LowerPriority' && each.priority < workload.priority && each.priority <= maxPriorityThreshold) }]
  })
  const own = ownCandidates(preemptor).map((each) => ({ each, shared: undefined, isReclaimed: false, isForBorrowers: true }))
  const all = [...others.filter(({ isReclaimed }) => isReclaimed), ...others.filter(({ isReclaimed }) => !isReclaimed), ...own]
  const attempt = (mayBorrow: boolean): Workload[] => {
    const within = mayBorrow ? [] : [queue]
    const taken: Workload[] = []
    for (const { each, shared, isForBorrowers } of all) {
      if ((mayBorrow && !isForBorrowers) || (shared !== undefined && !gives(each.queue, shared, short))) continue
      discharge(each, each.tasks)
      taken.push(each)
      if (fits(workload, within)) return fillBack(workload, taken, within)
    }
    return restore(taken)
  }
  const hasRoomLeft = short.every((c) => (queue.usage[c] as number) < (queue.quota.nominal[c] as number))
  if (others.length === 0 || (policy === 'Never' && !hasRoomLeft)) return attempt(true)
  const turns = policy !== 'Never' || others.some(({ isReclaimed }) => isReclaimed) ? [true, false] : [false, true]
  return turns.reduce<Workload[]>((found, mayBorrow) => (found.length > 0 ? found : attempt(mayBorrow)), [])
}

it('those preempted are the same whether or not everybody of other queues is looked at, or was for another before', () => {
  const amount = fc.integer({ min: 0, max: 6 })
  const inTree = fc.record({ nominal: fc.tuple(amount, amount), limit: fc.constantFrom(Infinity, Infinity, 0, 3), parent: fc.option(fc.nat(), { freq: 9 }) })
  const preemption = fc.record({
    withinClusterQueue: fc.constantFrom('Never', 'LowerPriority', 'LowerOrNewerEqualPriority'),
    reclaimWithinCohort: fc.constantFrom('Never', 'LowerPriority', 'Any', 'Any'),
    borrowWithinCohort: fc.record({ policy: fc.constantFrom('Never', 'Never', 'LowerPriority'), maxPriorityThreshold: fc.constantFrom(undefined, 0, 1) }),
  })
  const load = fc.record({ queue: fc.nat(), asks: fc.tuple(amount, amount), tasks: fc.integer({ min: 1, max: 2 }), priority: fc.integer({ min: 0, max: 2 }) })
  const found = { ofOthers: 0, ofOwn: 0, none: 0 }
  fc.assert(
    fc.property(fc.array(inTree, { minLength: 1, maxLength: 4 }), fc.array(fc.record({ tree: inTree, preemption }), { minLength: 2, maxLength: 5 }), fc.array(load, { minLength: 3, maxLength: 13 }), (cohorts, leaves, loads) => {
      const quota = ({ nominal, limit }: (typeof cohorts)[number]) => ({ nominal: Float64Array.from(nominal), borrowing: Float64Array.of(limit, limit), lending: Float64Array.of(Infinity, limit) })
      const made: QuotaNode[] = []
      const parentOf = ({ parent }: (typeof cohorts)[number]) => (parent === null ? undefined : made[parent % made.length])
      for (const [i, each] of cohorts.entries()) made.push(new QuotaNode(`c${i}`, quota(each), 1, i === 0 ? undefined : parentOf(each)))
      const queues = leaves.map(({ tree, preemption }, i) => new ClusterQueue(`q${i}`, quota(tree), { preemption }, [0], parentOf(tree)))
      const workloads = loads.map(({ queue, asks, tasks, priority }, i): Workload => {
        const own = queues[queue % queues.length] as ClusterQueue
        return { job: Math.floor(i / 2) as JobId, lane: 0 as LaneId, queue: own, user: 0 as UserId, priority, rank: i, shape: 0 as ShapeId, likeness: { key: '', waiting: 0 }, isWhole: false, demand: Float64Array.from(asks), flavor: 0, admission: i, tasks, unstarted: tasks, running: [] }
      })
      const asking = workloads.splice(-2) // of the first job another task may be running
      for (const each of workloads) charge(each, each.tasks)
      const admitted = new Map(queues.map((queue) => [queue, workloads.filter((each) => each.queue === queue)]))
      const borrowers = new Borrowers()
      for (const workload of asking) {
        const short = [0, 1].filter((c) => (workload.demand[c] as number) * workload.tasks > workload.queue.available(c))
        if (short.length === 0) continue
        const preemptor: Preemptor = { workload, short, admitted, borrowers, fairSharing: false, resources: 2, pastUsage: () => 0 }
        const taken = targets(preemptor)
        expect(taken).toEqual(plainTargets({ ...preemptor, borrowers: new Borrowers() }))
        found[taken.length === 0 ? 'none' : taken.some(({ queue }) => queue !== workload.queue) ? 'ofOthers' : 'ofOwn']++
      }
    }),
    { seed: 11, numRuns: 4000 },
  )
  expect(Math.min(...Object.values(found))).toBeGreaterThan(20)
})
