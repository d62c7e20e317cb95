import type { Plug } from '@sched/core'
import { easy, fair, fifo, greedy, strict } from '@sched/policies'
import { checkPolicyLaws } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { monolithic, onDemand, partitioned, sharedState, twoLevel } from '../src/index.js'

const quick = { decision: { job: 0.5, task: 0.125 }, abandonAfter: false, abandonUnplacedAfter: false } as const
const architectures: Readonly<Record<string, () => Plug<'architecture'>>> = {
  'monolithic, single path': () => monolithic(quick),
  'two-level': () => twoLevel(quick),
  'two-level with fair share offers': () => twoLevel({ ...quick, fairShareOffers: true }),
  'two-level with refusals, timeouts and hoarding': () => twoLevel({ ...quick, refuseSeconds: 5, offerTimeout: 20, hoard: 10 }),
  'two-level with offers by node': () => twoLevel({ ...quick, offers: 'by-node', refuseSeconds: 5, frameworks: { all: { classes: ['*'], count: 2, role: 'a/x' }, high: { role: 'a' } }, roles: { a: { weight: 2 } } }),
  'shared state, fine': () => sharedState({ ...quick, schedulers: 3 }),
  'shared state, coarse and all or nothing': () => sharedState({ ...quick, schedulers: 3, conflict: 'coarse', partialGangs: true, commit: 'all-or-nothing' }),
  'shared state with preemption': () => sharedState({ ...quick, preemption: true, schedulers: { one: { classes: ['*'], count: 2 }, two: { classes: ['high'], precedence: 1 } } }),
  'one partition': () => partitioned({ ...quick, partitions: 1 }),
  'on-demand': () => onDemand(strict(), { abandonAtWalltime: false }),
  'on-demand by EASY': () => onDemand(easy(), { maxNodes: 2, setup: 1.5, abandonAtWalltime: false }),
  'on-demand, one per user': () => onDemand(greedy(fair()), { sharedBy: 'user', waves: 2, idleRelease: 4 }),
}

describe('where nodes fail', () => {
  it.each(Object.entries(architectures))('%s obeys the laws', (_, architecture) => {
    const skip = { heartbeats: 'decisions take their own time', commits: 'several rounds are open at once', conservation: 'a virtual cluster of a user keeps its nodes for a while' }
    const { launches } = checkPolicyLaws(() => greedy(fifo()), { runs: 40, architecture, skip })
    expect(launches).toBeGreaterThan(700)
  })
})
