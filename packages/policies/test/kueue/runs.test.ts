import type { KueueOptions } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { flavored, world, type Load } from './world.js'

// Kueue's own tests of what comes and ends over a while (test/integration/singlecluster/scheduler: preemption, fair sharing), in other words.

const LOW = -1
const MID = 0
const HIGH = 1

const own = { withinClusterQueue: 'LowerPriority' } as const
const all = { ...own, reclaimWithinCohort: 'Any' } as const
const ids = (queue: string, count: number, from = 0): string[] => Array.from({ length: count }, (_, i) => `${queue}_${from + i}`)
const loads = (queue: string, count: number, priority = MID, from = 0): Load[] => ids(queue, count, from).map((id) => [id, 1, priority])

/** As `world`; what runs by queue, and one workload after the other. */
function clusterOf(options: KueueOptions) {
  const cluster = world(options)
  return {
    ...cluster,
    /** Who is preempted when they come one after the other. */
    comeInTurn: (...all: readonly Load[]) => all.flatMap((each) => cluster.come(each).killed),
    counts: () => {
      const counts: Record<string, number> = {}
      for (const id of cluster.running()) counts[id.split('_')[0] as string] = (counts[id.split('_')[0] as string] ?? 0) + 1
      return counts
    },
    /** One more look at this time, of which nothing is to come. */
    settle: () => cluster.passes(),
  }
}

describe('one queue', () => {
  it('preempts who is less important where there is not enough quota', () => {
    const { comeInTurn, running } = clusterOf({ queues: { a: { nominalQuota: { cpu: 4 }, preemption: own } } })
    expect(comeInTurn(['a_low1', 1, LOW], ['a_low2', 1, LOW], ['a_mid', 1, MID], ['a_high1', 1, HIGH], ['a_low3', 1, LOW])).toEqual([])
    expect(comeInTurn(['a_high2', 2, HIGH])).toEqual(['a_low1', 'a_low2'])
    expect(running()).toEqual(['a_high1', 'a_high2', 'a_mid'])
  })

  it('preempts who came later of equals, once it helps', () => {
    const { comeInTurn, end, running } = clusterOf({ queues: { a: { nominalQuota: { cpu: 4 }, preemption: { withinClusterQueue: 'LowerOrNewerEqualPriority' } } } })
    expect(comeInTurn(['a_1', 1], ['a_2', 1], ['a_3', 3], ['a_4', 1])).toEqual([])
    expect(running()).toEqual(['a_1', 'a_2', 'a_4'])
    expect(end('a_1').killed).toEqual(['a_4'])
    expect(running()).toEqual(['a_2', 'a_3'])
  })
})

describe('queues of a cohort', () => {
  const three: KueueOptions = { queues: { a: {}, b: {}, c: {} }, defaults: { cohort: 'r', nominalQuota: { cpu: 2 }, preemption: all } }

  it('take from their own and from who borrows, and give way again', () => {
    const { comeInTurn, end, running, settle } = clusterOf(three)
    expect(comeInTurn(['a_low', 1, LOW], ['b_mid', 1, MID], ['b_high', 4, HIGH])).toEqual([])
    expect(comeInTurn(['a_mid', 2, MID]).sort()).toEqual(['a_low', 'b_mid'])
    settle()
    expect(running()).toEqual(['a_mid', 'b_high'])
    end('a_mid')
    expect(running()).toEqual(['a_low', 'b_high', 'b_mid'])
  })

  it('do not take by borrowing', () => {
    const { comeInTurn, running } = clusterOf(three)
    expect(comeInTurn(['a_1', 2, HIGH], ['b_low', 4, LOW], ['a_2', 2, HIGH])).toEqual([])
    expect(running()).toEqual(['a_1', 'b_low'])
  })

  it('take all that is theirs at once, of who borrows', () => {
    const { come, comeInTurn, running } = clusterOf(three)
    comeInTurn(['b_mid', 3, MID], ['b_high', 3, HIGH])
    expect(come(['a_mid', 2, MID], ['c_mid', 2, MID]).killed).toEqual(['b_high', 'b_mid'])
    expect(running()).toEqual(['a_mid', 'c_mid'])
  })

  it('take no more than is theirs of who borrows', () => {
    const { come, comeInTurn, counts, settle } = clusterOf(three)
    comeInTurn(['b_0', 2], ['b_1', 2], ['b_2', 2])
    expect(come(['a_0', 2], ['c_0', 2]).killed).toEqual(['b_1', 'b_2'])
    settle()
    expect(counts()).toEqual({ a: 1, b: 1, c: 1 })
  })

  it('take back from one whose next waits, too', () => {
    const { comeInTurn, running } = clusterOf({ queues: { a: {}, b: {} }, defaults: { cohort: 'r', queueingStrategy: 'StrictFIFO', nominalQuota: { cpu: 2 }, preemption: all } })
    comeInTurn(['a_all', 4, 1], ['a_next', 1, 0])
    expect(comeInTurn(['b_1', 1, -1])).toEqual(['a_all'])
    expect(running()).toContain('b_1')
    expect(running()).not.toContain('a_all')
  })

  it('take back what they lend, and keep what they do not', () => {
    const { comeInTurn, running } = clusterOf({
      queues: { dev: { cohort: 'r', nominalQuota: { cpu: 5 } }, prod: { cohort: 'r', nominalQuota: { cpu: 5 }, lendingLimit: { cpu: 4 }, preemption: { reclaimWithinCohort: 'Any' } } },
    })
    expect(comeInTurn(['dev_1', 4, 0], ['dev_2', 5, 1])).toEqual([])
    expect(comeInTurn(['prod_1', 4])).toEqual(['dev_1'])
    expect(running()).toEqual(['dev_2', 'prod_1'])
  })

  it('take by borrowing, of who is less important', () => {
    const { comeInTurn, running } = clusterOf({
      queues: {
        a: { cohort: 'r', nominalQuota: { cpu: 0 }, borrowingLimit: { cpu: 10 }, preemption: all },
        b: { cohort: 'r', nominalQuota: { cpu: 5 }, borrowingLimit: { cpu: 5 }, preemption: { ...all, borrowWithinCohort: { policy: 'LowerPriority', maxPriorityThreshold: 3 } } },
        c: { cohort: 'r', nominalQuota: { cpu: 5 }, preemption: all },
      },
    })
    expect(comeInTurn(['a_1', 4, MID], ['b_1', 4, HIGH])).toEqual([])
    expect(comeInTurn(['b_2', 4, HIGH])).toEqual(['a_1'])
    expect(running()).toEqual(['b_1', 'b_2'])
  })

  it('of which one is nearer to the quota take it back whatever the priority', () => {
    const { comeInTurn, running } = clusterOf({
      cohorts: { root: {}, near: { parent: 'root', nominalQuota: { cpu: 3 } } },
      queues: { far: { cohort: 'root', nominalQuota: { cpu: 0 }, preemption: all }, near: { cohort: 'near', nominalQuota: { cpu: 0 }, preemption: all } },
    })
    comeInTurn(['far_1', 3, HIGH])
    expect(comeInTurn(['near_1', 3, MID])).toEqual(['far_1'])
    expect(running()).toEqual(['near_1'])
  })

  it('take by borrowing below a priority, and who gave way goes to the other flavor', () => {
    const quota = { nominalQuota: { one: { cpu: 1 }, spare: { cpu: 10 } }, borrowingLimit: { one: { cpu: 10 }, spare: { cpu: 0 } }, flavorFungibility: { whenCanPreempt: 'MayStopSearch' } } as const
    const takes = (below?: number) => ({ reclaimWithinCohort: 'LowerPriority', borrowWithinCohort: { policy: 'LowerPriority', ...(below !== undefined && { maxPriorityThreshold: below }) } }) as const
    const { come } = flavored(['one', 'spare'], {
      defaults: { cohort: 'r' },
      queues: {
        as: { ...quota, preemption: takes(MID) },
        ab: { ...quota, preemption: takes() },
        bs: { ...quota, preemption: takes(MID) },
        bb: { ...quota, preemption: takes() },
        shared: { nominalQuota: { one: { cpu: 10 } } },
      },
    })
    expect(come(['ab_1', 5, LOW])).toEqual(['+ab_1@one'])
    expect(come(['bb_1', 1, LOW])).toEqual(['+bb_1@one'])
    expect(come(['bs_1', 5, HIGH])).toEqual(['+bs_1@one'])
    expect(come(['as_1', 7, 2])).toEqual(['-ab_1', '+as_1@one'])
    expect(come()).toEqual(['+ab_1@spare'])
  })
})

describe('queues of a cohort, as in scheduler_test.go and equivalence_test.go', () => {
  const cpu = (amount: number) => ({ nominalQuota: { cpu: amount } })
  const strict = { queueingStrategy: 'StrictFIFO' } as const
  it.each<['Any' | 'LowerPriority', readonly string[], readonly string[]]>([['Any', ['be_1', 'f_1'], ['be_1']], ['LowerPriority', ['f_1'], []]])(
    'lend what they wait for with StrictFIFO only if they can always take it back: %s (Reserving Resources in Cohort)', (reclaimWithinCohort, before, killed) => {
      const { comeInTurn, end, running } = clusterOf({ defaults: { cohort: 'c' }, queues: { f: { ...cpu(2), ...strict, preemption: { reclaimWithinCohort } }, be: cpu(0) } })
      comeInTurn(['f_1', 1, 1000], ['f_2', 2, 1000], ['be_1', 1], ['be_2', 1])
      expect(running()).toEqual(before)
      expect(end('f_1')).toEqual({ started: ['f_2'], killed })
    })

  it('take the flavor where they find somebody, and those who gave way the other (Multiple flavors can be considered for preemption)', () => {
    const more = { cohort: 'c', preemption: { ...all, borrowWithinCohort: { policy: 'LowerPriority' } }, flavorFungibility: { whenCanBorrow: 'TryNextFlavor', whenCanPreempt: 'TryNextFlavor' } } as const
    const { come } = flavored(['one', 'two'], { queues: { a: { ...more, nominalQuota: { one: { cpu: 0 }, two: { cpu: 1 } } }, b: { ...more, nominalQuota: { one: { cpu: 1 }, two: { cpu: 0 } } } } })
    expect([come(['a_low', 1]), come(['a_high', 1, 9999]), come(['b_mid', 1, 105]), come()]).toEqual([['+a_low@two'], ['+a_high@one'], ['-a_high', '+b_mid@one'], ['-a_low', '+a_high@two']])
  })

  it('borrow of a third one what a StrictFIFO queue does not keep (Pending workload with StrictFIFO)', () => {
    const { come, comeInTurn, running } = clusterOf({ defaults: { cohort: 'c', ...cpu(5) }, queues: { s: { ...strict, borrowingLimit: { cpu: 0 } }, a: {}, shared: {} } })
    comeInTurn(['s_1', 3, 10], ['a_1', 5, 1])
    come(['s_wait', 3, 99], ['a_2', 5, 11], ['a_3', 1, 10])
    expect(running()).toEqual(['a_1', 'a_2', 's_1'])
  })

  it('lend what cohorts keep from borrowing themselves (Cohort borrowingLimit blocks sibling borrowing in hierarchy)', () => {
    const org = { parent: 'root', borrowingLimit: { cpu: 0 } }
    const { come, running } = clusterOf({ cohorts: { root: {}, a: org, b: org }, queues: { a: { cohort: 'a', ...cpu(2) }, b: { cohort: 'b', ...cpu(2) }, burst: { cohort: 'root', ...cpu(0) } } })
    come(...loads('a', 3))
    come(...loads('burst', 2))
    expect(running()).toEqual(['a_0', 'a_1', 'burst_0', 'burst_1'])
  })

  it('admit who fits behind many that do not (scheduling equivalence classes)', () => {
    const { come, running } = clusterOf({ defaults: { cohort: 'c' }, queues: { a: cpu(2), lent: { ...cpu(10), lendingLimit: { cpu: 10 } } } })
    come(['lent_0', 10])
    come(...Array.from({ length: 10 }, (_, i): Load => [`a_no${i}`, 10]), ['a_fits', 1])
    expect(running()).toEqual(['a_fits', 'lent_0'])
  })
})

describe('fair sharing', () => {
  it('shares what others leave as it comes free', () => {
    const { comeInTurn, end, counts } = clusterOf({ fairSharing: true, defaults: { cohort: 'r' }, queues: { a: { nominalQuota: { cpu: 3 } }, b: { nominalQuota: { cpu: 1 } }, shared: { nominalQuota: { cpu: 4 } } } })
    comeInTurn(...loads('a', 10))
    expect(counts()).toEqual({ a: 8 })
    expect(comeInTurn(...loads('b', 5))).toEqual([])
    for (const id of ids('a', 4)) end(id)
    expect(counts()).toEqual({ a: 5, b: 3 })
    for (const id of ids('a', 2, 4)) end(id)
    expect(counts()).toEqual({ a: 4, b: 4 })
  })

  it('takes from who borrows most until shares are alike', () => {
    const { comeInTurn, counts } = clusterOf({ fairSharing: true, defaults: { cohort: 'r', nominalQuota: { cpu: 3 }, preemption: all }, queues: { a: {}, b: {}, c: {} } })
    comeInTurn(...loads('a', 10))
    expect(counts()).toEqual({ a: 9 })
    comeInTurn(...loads('b', 5))
    expect(counts()).toEqual({ a: 5, b: 4 })
    expect(comeInTurn(...loads('c', 1))).toHaveLength(1)
    expect(counts()).toEqual({ a: 4, b: 4, c: 1 })
  })

  it('goes cohort by cohort', () => {
    const { come, counts } = clusterOf({
      fairSharing: true,
      cohorts: { root: {}, left: { parent: 'root' }, right: { parent: 'root' }, l: { parent: 'left' }, r: { parent: 'left' }, bank: { parent: 'right', nominalQuota: { cpu: 10 } } },
      queues: { a: { cohort: 'l', nominalQuota: { cpu: 0 } }, b: { cohort: 'r', nominalQuota: { cpu: 0 } } },
    })
    come(...loads('a', 10), ...loads('b', 10))
    expect(counts()).toEqual({ a: 5, b: 5 })
  })

  it('takes by weight, cohort by cohort', () => {
    const takes = { nominalQuota: { cpu: 0 }, preemption: { reclaimWithinCohort: 'LowerPriority' } } as const
    const { come, comeInTurn, counts } = clusterOf({
      fairSharing: true,
      cohorts: { root: { nominalQuota: { cpu: 12 } }, research: { parent: 'root' }, best: { parent: 'root', weight: 0.5 } },
      queues: {
        chemistry: { ...takes, cohort: 'research' },
        physics: { ...takes, cohort: 'research' },
        llm: { ...takes, cohort: 'research', weight: 2 },
        best: { cohort: 'best', nominalQuota: { cpu: 0 } },
      },
    })
    comeInTurn(...loads('best', 6, LOW), ...loads('physics', 6, LOW))
    expect(counts()).toEqual({ best: 6, physics: 6 })
    come(...['best', 'chemistry', 'physics', 'llm'].flatMap((queue) => loads(queue, 6, HIGH, 6)))
    expect(counts()).toEqual({ best: 4, chemistry: 2, llm: 4, physics: 2 })
  })
})
