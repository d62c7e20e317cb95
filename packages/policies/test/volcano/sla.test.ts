import { volcano, type VolcanoOptions } from '@sched/policies'
import { randomStream } from '@sched/core'
import { instantCluster, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'
import { outcome, wants, world } from './world.js'

type Tiers = NonNullable<VolcanoOptions['tiers']>

const sla = (seconds?: number): NonNullable<Tiers[number]['plugins']>[number] => ({ name: 'sla', ...(seconds !== undefined && { arguments: { 'sla-waiting-time': seconds } }) })
const actions: VolcanoOptions['actions'] = ['enqueue', 'allocate', 'preempt']

describe('sla', () => {
  /** When `high` starts in the place of `low`, which leaves it no room to be enqueued; it comes at 1 s. */
  const startOf = (tiers: Tiers) => {
    const specs = [wants('low', 'q', { cpu: 4 }), { ...wants('high', 'q', { cpu: 4 }, { priority: 1 }), submit: 1 }]
    const { recorder } = run({ policy: volcano({ actions, tiers }, firstNode()), cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 4 } }] }), jobs: specs })
    return recorder.launches.find(({ job }) => job === 'high')?.time
  }
  it('enqueues who has waited for so long, and looks again then', () => {
    expect(startOf([{ plugins: ['priority', sla(10)] }, { plugins: ['overcommit'] }])).toBe(11)
    expect(startOf([{ plugins: ['priority', sla(50)] }, { plugins: ['overcommit'] }])).toBe(51)
    expect(startOf([{ plugins: ['priority', sla()] }, { plugins: ['overcommit'] }])).toBe(1000)
  })
  it('says nothing where it is asked too late, or not at all', () => {
    expect(startOf([{ plugins: ['priority', 'overcommit', sla(10)] }])).toBe(1000)
    expect(startOf([{ plugins: ['priority', 'overcommit'] }, { plugins: [sla(10)] }])).toBe(1000)
    expect(startOf([{ plugins: ['priority', { name: 'sla', arguments: { 'sla-waiting-time': 10 }, enableJobEnqueued: false }] }, { plugins: ['overcommit'] }])).toBe(1000)
  })
  it('enqueues it whoever asks the same behind a job that has not', () => {
    const { come, pass } = world({ n: { cpu: 4 } }, { actions, tiers: [{ plugins: ['priority', sla(10)] }, { plugins: ['overcommit'] }] })
    come(wants('low', 'q', { cpu: 4 }))
    come(wants('middle', 'q', { cpu: 4 }, { priority: 1 }))
    pass(5)
    come(wants('high', 'q', { cpu: 4 }, { priority: 2 }))
    expect(pass(4)).toEqual({ started: ['middle@n'], killed: ['low'] })
  })
  it('orders jobs by submission, before the plug-ins that come later', () => {
    const first = (plugins: Tiers[number]['plugins']) => {
      const { come, end } = world({ n: { cpu: 4 } }, { actions: ['allocate'], tiers: [{ plugins }] })
      come(wants('runs', 'q', { cpu: 4 }))
      come(wants('early', 'q', { cpu: 4 }))
      come(wants('late', 'q', { cpu: 4 }, { priority: 1 }))
      return end('runs').started
    }
    expect(first([sla(10), 'priority'])).toEqual(['early@n'])
    expect(first([sla(), 'priority'])).toEqual(['late@n'])
    expect(first(['priority', sla(10)])).toEqual(['late@n'])
  })
  it('goes by what jobs say themselves, before what the plug-in says', () => {
    const first = (own: Readonly<Record<string, number>>, plugin: ReturnType<typeof sla>) => {
      const { come, end } = world({ n: { cpu: 4 } }, { actions: ['allocate'], tiers: [{ plugins: [plugin, 'priority'] }] })
      come(wants('runs', 'q', { cpu: 4 }))
      const said = (id: string, priority: number) => ({ ...wants(id, 'q', { cpu: 4 }, { priority }), ...(own[id] !== undefined && { longestWait: own[id] }) })
      come(said('early', 0))
      come(said('late', 1))
      return end('runs').started[0]?.replace('@n', '')
    }
    // early should be in at 2 + its time, late at 3 + its own
    expect([first({}, sla()), first({ early: 50 }, sla()), first({ early: 50, late: 49 }, sla()), first({ early: 50, late: 48 }, sla())]).toEqual(['late', 'early', 'late', 'late'])
    expect([first({}, sla(10)), first({ early: 12 }, sla(10)), first({ late: 8 }, sla(10)), first({ late: 10 }, sla(10))]).toEqual(['early', 'late', 'late', 'early'])
  })
  it('enqueues each when its own time has come, in random worlds', () => {
    const next = randomStream(3, 'sla')
    const whole = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1))
    for (let round = 0; round < 60; round++) {
      const given = next() < 0.5 ? whole(1, 40) : undefined
      const waiting = Array.from({ length: 6 }, (_, i) => ({ id: `high${i}`, submit: whole(1, 30), longestWait: next() < 0.7 ? whole(1, 60) : undefined }))
      const specs = [wants('low', 'q', { cpu: 1 }, { tasks: 6 }), ...waiting.sort((a, b) => a.submit - b.submit).map(({ id, submit, longestWait }) => ({ ...wants(id, 'q', { cpu: 1 }, { priority: 1 }), submit, ...(longestWait !== undefined && { longestWait }) }))]
      const tiers: Tiers = [{ plugins: ['priority', sla(given)] }, { plugins: [{ name: 'overcommit', arguments: { 'overcommit-factor': 1 } }] }]
      const { recorder } = run({ policy: volcano({ actions, tiers }, firstNode()), cluster: instantCluster({ nodes: [{ count: 6, resources: { cpu: 1 } }] }), jobs: specs })
      // each takes the place of a task of low; who has no time waits for the end of low's tasks
      const expected = waiting.map(({ submit, longestWait = given }) => (longestWait === undefined ? 1000 : submit + longestWait))
      expect(waiting.map(({ id }) => recorder.launches.find(({ job }) => job === id)?.time), `world ${round}`).toEqual(expected)
    }
  })
  it('lets others be enqueued as before', () => {
    expect(outcome({ n: { cpu: 4 } }, { actions, tiers: [{ plugins: [sla(10)] }] }, [], wants('a', 'q', { cpu: 4 }))).toEqual(['+a@n'])
  })
})
