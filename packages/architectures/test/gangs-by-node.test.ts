// @module-tag long
import type { LaneId } from '@sched/core'
import { fifo, greedy } from '@sched/policies'
import { worlds } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { twoLevel, type TwoLevelOptions } from '../src/index.js'
import { outagesOf } from './rule-worlds.js'
import { cpuJob, cpus, play } from './world.js'

const slow = { decision: { job: 0.5, task: 0.125 }, abandonAfter: false, abandonUnplacedAfter: false } as const
const byNode = { ...slow, offers: 'by-node' } as const
const instant = { decision: { job: 0, task: 0 }, offerTime: 0 }
const roles: TwoLevelOptions = { frameworks: { all: { classes: ['*'], count: 2, role: 'a/x' }, high: { role: 'a' } }, roles: { a: { weight: 2 } } }

/** Plays worlds with gangs, some with outages, every third job `high`, to their end; counts those in which jobs are left. */
function left(options: TwoLevelOptions, numRuns: number): number {
  let count = 0
  fc.assert(
    fc.property(fc.record({ gangJobs: fc.boolean(), outages: fc.boolean() }).chain((which) => worlds({ ...which, gangs: true })), (world) => {
      const jobs = world.jobs.map((job, i) => (i % 3 === 0 ? { ...job, class: 'high' } : job))
      const { simulation, warnings } = play(twoLevel(options), jobs, { cluster: world.cluster, seed: world.seed, runtime: world.runtime, policy: greedy(fifo()), infeasible: 'reject', outages: outagesOf(world) })
      const { work, cell } = simulation
      if (work.active === 0) return
      count++
      for (const job of work.jobs()) {
        const waits = cell.lanes.map((_, lane) => lane as LaneId).filter((lane) => work.unplaced(job, lane) > 0)
        expect([work.name(job), waits.map((lane) => work.together(job, lane) > 1)]).toEqual([work.name(job), waits.map(() => true)])
      }
      expect(warnings.some((text) => /although nothing runs: offers never have all at once that a gang needs/.test(text))).toBe(true)
    }),
    { seed: 41, numRuns },
  )
  return count
}

describe('offers made node by node', () => {
  it.each<[string, TwoLevelOptions]>([
    ['one framework', { ...byNode, frameworks: 1 }],
    ['one that declines nodes and collects', { ...byNode, frameworks: 1, refuseSeconds: 5, hoard: 10 }],
    ['one that declines nodes for long and collects for as long', { ...byNode, frameworks: 1, refuseSeconds: 60, hoard: 120 }],
    ['all that is free', slow],
  ])('leave no job that has room, of gangs and on nodes that fail: %s', (_, options) => {
    expect(left(options, 250)).toBe(0)
  })

  it('leave gangs of two frameworks that each have half of the nodes for ever, and the run tells why', () => {
    // of four nodes each is offered two, since both ask again at the same time
    const gang = (id: string) => cpuJob(id, { class: id, tasks: 3, gang: true })
    const run = (options: TwoLevelOptions) => play(twoLevel({ ...byNode, frameworks: { a: {}, b: {} }, ...options }), [gang('a'), gang('b')], { cluster: cpus(4, 1) })
    expect(() => run({})).toThrow(/2 jobs wait although nothing runs: offers never have all at once that a gang needs: of each node by itself/)
    expect(Object.keys(run({ offers: 'all' }).recorder.finishes())).toEqual(['a', 'b'])
  })

  it.each<[string, number, TwoLevelOptions]>([
    ['one that declines nodes', 4, { ...byNode, frameworks: 1, refuseSeconds: 5 }],
    ['two that decline nodes', 4, { ...byNode, refuseSeconds: 5 }],
    ['at once', 4, { ...byNode, ...instant, refuseSeconds: 5 }],
    ['three in roles', 4, { ...byNode, ...roles, refuseSeconds: 5 }],
    ['drawn at random', 4, { ...byNode, allocator: 'random', refuseSeconds: 5 }],
    ['all that is free and was not declined', 4, { ...slow, refuseSeconds: 5 }],
  ])('leave gangs alone, and the run tells why: %s', (_, least, options) => {
    expect(left(options, 120)).toBeGreaterThanOrEqual(least)
  })
})
