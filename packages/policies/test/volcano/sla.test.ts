import { volcano, type VolcanoOptions } from '@sched/policies'
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
  it('lets others be enqueued as before', () => {
    expect(outcome({ n: { cpu: 4 } }, { actions, tiers: [{ plugins: [sla(10)] }] }, [], wants('a', 'q', { cpu: 4 }))).toEqual(['+a@n'])
  })
})
