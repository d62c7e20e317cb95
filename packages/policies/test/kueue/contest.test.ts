import type { JobId, LaneId, ShapeId, UserId } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Contest, precedences, type Entry } from '../../src/kueue/entries.js'
import { FlavorChoices } from '../../src/kueue/flavor-choices.js'
import { QuotaNode } from '../../src/kueue/quota-node.js'
import { ClusterQueue } from '../../src/kueue/queues.js'
import { charge, discharge, type Workload } from '../../src/kueue/workload.js'

/** The winner among entries, found anew: at every cohort, of the winners of its children, the one that is best with its workload admitted. */
function winner(node: QuotaNode, entries: readonly Entry[]): Entry | undefined {
  const own = entries.find(({ workload }) => workload.queue === node)
  if (own !== undefined) return own
  const measured = node.children.flatMap((child) => {
    const entry = winner(child, entries)
    if (entry === undefined) return []
    const { workload } = entry
    charge(workload, workload.tasks)
    const outcome = { entry, borrows: workload.demand.some((amount, r) => amount > 0 && child.borrows(r)), share: child.share(2) }
    discharge(workload, workload.tasks)
    return [outcome]
  })
  return measured.sort((a, b) => Number(a.borrows) - Number(b.borrows) || (a.share === b.share ? 0 : a.share < b.share ? -1 : 1) || byAge(a.entry, b.entry))[0]?.entry
}
const byAge = ({ workload: a }: Entry, { workload: b }: Entry): number => b.priority - a.priority || a.rank - b.rank

const CHOICES = new FlavorChoices([], () => new Float64Array(2))
const GROUPS = [{ resources: [0, 1], flavors: [0] }]

describe('the entries of a cycle with fair sharing', () => {
  it('come as they would if everything were found anew for each, whatever is admitted or taken away meanwhile', () => {
    const amount = fc.integer({ min: 0, max: 6 })
    const inTree = fc.record({ nominal: fc.tuple(amount, amount), weight: fc.integer({ min: 0, max: 3 }), lending: fc.constantFrom(Infinity, 0, 3), parent: fc.option(fc.nat(), { freq: 5 }) })
    const ofQueue = fc.record({ ...{ asks: fc.tuple(amount, amount), priority: fc.integer({ min: 0, max: 2 }), has: fc.tuple(amount, amount), hasEntry: fc.boolean() }, tree: inTree })
    let compared = 0
    fc.assert(
      fc.property(fc.array(inTree, { minLength: 1, maxLength: 5 }), fc.array(ofQueue, { minLength: 1, maxLength: 8 }), fc.array(fc.nat(), { minLength: 16, maxLength: 16 }), (cohorts, queues, changes) => {
        const quota = ({ nominal, lending }: (typeof cohorts)[number]) => ({ nominal: Float64Array.from(nominal), borrowing: Float64Array.of(Infinity, Infinity), lending: Float64Array.of(lending, lending) })
        const made: QuotaNode[] = []
        const parentOf = ({ parent }: (typeof cohorts)[number]) => (parent === null || made.length === 0 ? undefined : made[parent % made.length])
        for (const [i, each] of cohorts.entries()) made.push(new QuotaNode(`c${i}`, quota(each), each.weight, parentOf(each)))
        const leaves = queues.map(({ tree, has }, i) => {
          const queue = new ClusterQueue(`q${i}`, quota(tree), { weight: tree.weight }, GROUPS, CHOICES, parentOf(tree))
          has.forEach((used, c) => queue.add(c, used))
          return queue
        })
        const workloadOf = (i: number): Workload => {
          const { asks, priority } = queues[i] as (typeof queues)[number]
          return { job: i as JobId, lane: 0 as LaneId, queue: leaves[i] as ClusterQueue, user: 0 as UserId, priority, standing: priority, submitted: 0, queued: 0, rank: i, shape: 0 as ShapeId, likeness: { key: '', ofQuota: '', waiting: 0, setAsideAt: -1, setAsideIn: -1, freedAt: -1 }, isWhole: false, demand: Float64Array.from(asks), parts: undefined, flavor: 0, columns: Int32Array.of(0, 1), amounts: Float64Array.from(asks), admission: 0, since: NaN, least: 1, most: 1, tasks: 1, unstarted: 1, running: [] }
        }
        const left = queues.flatMap(({ hasEntry }, i): Entry[] => (hasEntry ? [{ workload: workloadOf(i), assignment: { mode: 4, flavor: 0, tasks: 1, borrows: 0, short: [], targets: [], next: new Map() }, returns: 0 }] : []))
        const contest = new Contest(left, 2, precedences.Priority, true)
        const roots = [...new Set([...made, ...leaves].map(({ root }) => root))]
        for (const [turn, change] of changes.entries()) {
          const expected = roots.flatMap((root) => winner(root, left) ?? []).sort(byAge)[0]
          expect([turn, contest.next()?.workload.queue.name]).toEqual([turn, expected?.workload.queue.name])
          if (expected === undefined) return
          compared++
          left.splice(left.indexOf(expected), 1)
          const touched = [expected.workload, workloadOf(change % queues.length)].filter((_, i) => (change >> i) % 2 === 0)
          for (const each of touched) charge(each, 1)
          for (const { queue } of touched) contest.changed(queue)
        }
      }),
      { seed: 5, numRuns: 400 },
    )
    expect(compared).toBeGreaterThan(800)
  })
})
