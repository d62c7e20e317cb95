import { describe, expect, it } from 'vitest'
import type { Plugin, Victim } from '../../src/volcano/plugin.js'
import type { Queue, VolcanoJob } from '../../src/volcano/queue.js'
import { Tiers } from '../../src/volcano/tiers.js'

// How what plug-ins say comes together: session_plugins.go.

const taker = {} as VolcanoJob
const queue = { name: 'q' } as Queue
const all = ['x', 'y', 'z'].map((name) => ({ name }) as unknown as Victim)
const naming = (...names: string[]): Plugin => ({ preemptable: (_, candidates) => candidates.filter((each) => names.includes((each as unknown as { name: string }).name)) })
const victims = (...tiers: Plugin[][]) => new Tiers(tiers).preemptable(taker, all).map((each) => (each as unknown as { name: string }).name)

describe('victims of plug-ins in tiers', () => {
  it('are those whom all plug-ins of the first tier name that names any', () => {
    expect(victims([naming('x', 'y'), naming('y', 'z')], [naming('z')])).toEqual(['y'])
    expect(victims([{}], [naming('z')])).toEqual(['z'])
    expect(victims([{}])).toEqual([])
  })
  it('come from the next tier where one plug-in of a tier names nobody', () => {
    expect(victims([naming('x'), naming(), naming('y')], [naming('z')])).toEqual(['z'])
    expect(victims([naming('x'), naming()])).toEqual([])
  })
  it('are those of the next plug-in of the tier where two agree about nobody, as in Volcano', () => {
    expect(victims([naming('x'), naming('y'), naming('z')], [naming('y')])).toEqual(['z'])
  })
})

describe('other questions to plug-ins in tiers', () => {
  it('who comes first: the first plug-in that tells two apart decides', () => {
    const tiers = new Tiers([[{ queueOrder: () => 0 }], [{ queueOrder: () => 1 }, { queueOrder: () => -1 }]])
    expect(tiers.compareQueues({ name: 'a' } as Queue, { name: 'b' } as Queue)).toBe(1)
    expect(new Tiers([]).compareQueues({ name: 'a' } as Queue, { name: 'b' } as Queue)).toBe(-1)
    expect([...new Tiers([[{ jobKey: () => 3 }], [{}, { jobKey: () => 5 }]]).jobKeys(taker)]).toEqual([3, 5])
  })
  it('who is enqueued: one no is enough, and a yes ends the asking with its tier', () => {
    const [yes, no] = [{ mayEnqueue: () => true }, { mayEnqueue: () => false }]
    const may = (...tiers: Plugin[][]) => new Tiers(tiers).mayEnqueue(taker)
    expect([may([yes, no]), may([yes], [no]), may([{}], [no]), may([{}])]).toEqual([false, true, false, true])
  })
  it('who starves: all of the first tier that tells, and nobody where none does', () => {
    const [yes, no] = [{ isStarving: () => true }, { isStarving: () => false }]
    const starves = (...tiers: Plugin[][]) => new Tiers(tiers).isStarving(taker)
    expect([starves([yes, no]), starves([{}, yes], [no]), starves([no], [yes]), starves([{}])]).toEqual([false, true, false, false])
  })
  it('which queue has enough, and what it may start or take back: one plug-in is enough to forbid', () => {
    const tiers = new Tiers([[{ isOverused: () => false, mayAllocate: () => true, mayReclaim: () => true }], [{ isOverused: () => true, mayAllocate: () => false, mayReclaim: () => false }]])
    const none = new Float64Array()
    expect([tiers.isOverused(queue), tiers.mayAllocate(queue, none), tiers.mayReclaim(queue, none)]).toEqual([true, false, false])
  })
  it('who gives first: who would be served last, unless a plug-in says otherwise', () => {
    const [a, b] = [{ name: 'a' } as Queue, { name: 'b' } as Queue]
    expect(new Tiers([[{}]]).compareVictims(a, b, queue)).toBe(1)
    expect(new Tiers([[{ victimQueueOrder: () => -1 }]]).compareVictims(a, b, queue)).toBe(-1)
  })
})
