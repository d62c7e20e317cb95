import type { VolcanoOptions } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { outcome, wants, world, type Amounts } from './world.js'

// Cases of Volcano's own tests of hierarchical dominant shares: jobs by queue, what a task of each asks, and how many start.

type Queues = NonNullable<VolcanoOptions['queues']>

/** The plug-ins of the tests: all of drf, of proportion the order of queues and who is enqueued and taken back. */
const tiers: VolcanoOptions['tiers'] = [{ plugins: [{ name: 'drf', enableHierarchy: true }, { name: 'proportion', enabledOverused: false, enabledAllocatable: false }] }]

/** How many tasks of each queue's only job start when all come together. */
function started(node: Amounts, queues: Queues, asked: Readonly<Record<string, Amounts>>, tasks: number, given = tiers) {
  const all = outcome({ n: node }, { actions: ['allocate'], queues, tiers: given }, [], ...Object.entries(asked).map(([queue, demand]) => wants(queue, queue, demand, { tasks })))
  return Object.keys(asked).map((queue) => all.filter((each) => each === `+${queue}@n`).length)
}

describe('drf with enableHierarchy (TestHDRF)', () => {
  it('rescaling test: what a queue has beyond its sibling does not count', () => {
    // sci and eng have one half each: 5 of both, of which dev takes the CPUs and prod the memory
    const queues: Queues = {
      'root-sci': { hierarchy: 'root/sci', hierarchyWeights: '100/50' },
      'root-eng-dev': { hierarchy: 'root/eng/dev', hierarchyWeights: '100/50/50' },
      'root-eng-prod': { hierarchy: 'root/eng/prod', hierarchyWeights: '100/50/50' },
    }
    expect(started({ cpu: 10, mem: 10 }, queues, { 'root-sci': { cpu: 1, mem: 1 }, 'root-eng-dev': { cpu: 1 }, 'root-eng-prod': { mem: 1 } }, 10)).toEqual([5, 5, 5])
  })
  it('blocking nodes test: queues that can grow no more hold nobody back', () => {
    // when all CPUs are taken, 10 by each of three, two go on with the memory: 15 each
    const way = (rest: string, weights: string) => ({ hierarchy: `root/${rest}`, hierarchyWeights: `100/${weights}` })
    const queues: Queues = { 'root-pg1': way('pg1', '25'), 'root-pg2': way('pg2', '25'), 'root-pg3-pg31': way('pg3/pg31', '25/50'), 'root-pg3-pg32': way('pg3/pg32', '25/50'), 'root-pg4': way('pg4', '25') }
    const asked = { 'root-pg1': { cpu: 1 }, 'root-pg2': { cpu: 1 }, 'root-pg3-pg31': { cpu: 1 }, 'root-pg3-pg32': { mem: 1 }, 'root-pg4': { mem: 1 } }
    expect(started({ cpu: 30, mem: 30 }, queues, asked, 30)).toEqual([10, 10, 10, 15, 15])
  })
})

describe('queues by dominant shares', () => {
  const inTeams: Queues = { team: {}, a: { parent: 'team' }, b: { parent: 'team' }, c: {} }
  const asked = { a: { cpu: 1 }, b: { cpu: 1 }, c: { cpu: 1 } }

  it('lie in their parents where no hierarchy is given, with their weights (BuildEffectiveQueueHierarchy)', () => {
    expect(started({ cpu: 12 }, inTeams, asked, 12)).toEqual([3, 3, 6])
    // team counts with twice what a has, since b is scaled down to that, and by its weight with what a has: as much as c
    expect(started({ cpu: 12 }, { ...inTeams, team: { weight: 2 }, b: { parent: 'team', weight: 3 } }, asked, 12)).toEqual([3, 6, 3])
    expect(started({ cpu: 12 }, { ...inTeams, c: { hierarchy: 'root/team/c', hierarchyWeights: '1/1/1' } }, asked, 12)).toEqual([4, 4, 4])
  })
  it('are not compared without enableHierarchy', () => {
    expect(started({ cpu: 12 }, inTeams, asked, 12, [{ plugins: ['drf'] }])).toEqual([12, 0, 0])
  })
  it('take back of those that would still be behind them', () => {
    const plugins: NonNullable<VolcanoOptions['tiers']> = [{ plugins: [{ name: 'drf', enableHierarchy: true }, 'priority'] }]
    const taken = (b: number) => {
      const held = [wants('c0', 'c', { cpu: 1 }, { tasks: 12 - b }), wants('b0', 'b', { cpu: 1 }, { tasks: b })]
      const all = outcome({ n: { cpu: 12 } }, { actions: ['allocate', 'reclaim'], queues: inTeams, tiers: plugins }, held, wants('a0', 'a', { cpu: 1 }, { tasks: 12 }))
      return ['-b0', '-c0'].map((each) => all.filter((one) => one === each).length)
    }
    // of the 10 of c while the team has less with it: 3 + 2 against 7; of the 2 of b none, as a would not have less than that
    expect(taken(2)).toEqual([0, 3])
    // of the 9 of b while a has less with it: 4 against 5; of c none
    expect(taken(9)).toEqual([4, 0])
  })
  it('count anew when tasks end', () => {
    const { come, end } = world({ n: { cpu: 4 } }, { actions: ['allocate'], queues: inTeams, tiers })
    expect(come(wants('c0', 'c', { cpu: 1 }, { tasks: 3 }), wants('a0', 'a', { cpu: 1 }, { tasks: 1 })).started).toEqual(['c0@n', 'a0@n', 'c0@n', 'c0@n'])
    // c has three of the four: what ends of it goes to the team
    expect(end('c0', wants('c1', 'c', { cpu: 1 }), wants('b1', 'b', { cpu: 1 })).started).toEqual(['b1@n'])
  })
  it('count with their first job', () => {
    const { come, end } = world({ n: { cpu: 3 } }, { actions: ['allocate'], tiers })
    come(...['a', 'n', 'z'].map((queue) => wants(queue, queue, { cpu: 1 }, { tasks: 2 })))
    expect(end('z', wants('m', 'm', { cpu: 1 })).started).toEqual(['m@n'])
    expect(end('m').started).toEqual(['z@n'])
  })
  it('need a way from the root, and one weight for each name on it', () => {
    const made = (queues: Queues) => () => world({ n: { cpu: 4 } }, { queues, tiers })
    expect(made({ a: { hierarchy: 'team/a', hierarchyWeights: '1/1' } })).toThrow('"team/a" is no way from the root to a queue.')
    expect(made({ a: { hierarchy: 'root/a', hierarchyWeights: '1' } })).toThrow('"1" are not the weights of "root/a".')
    expect(made({ a: { hierarchy: 'root/t/a', hierarchyWeights: '1/2/1' }, b: { hierarchy: 'root/t/b', hierarchyWeights: '1/3/1' } })).toThrow('"t" has the weights 2 and 3.')
    expect(made({ a: { hierarchy: 'root/t/a', hierarchyWeights: '1/0.5/1' }, b: { hierarchy: 'root/t/b', hierarchyWeights: '1/1/1' } })).not.toThrow()
  })
})
