// @module-tag long
import type { NodeId, Plug } from '@sched/core'
import { easy, fair, fifo, greedy, strict } from '@sched/policies'
import { checkPolicyLaws } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { monolithic, onDemand, partitioned, sharedState, twoLevel } from '../src/index.js'
import { cpuJob, cpus, play, type Outcome } from './world.js'

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

describe('preemption under shared state', () => {
  it('takes of tasks that started together the earlier job\'s, whatever their ids', () => {
    // x ends before b is submitted, whose task gets its id; a and b wait for the node until 20
    const jobs = [cpuJob('x', { class: 'low', duration: 1.5 }), cpuJob('a', { class: 'low', submit: 1, duration: 50 }), cpuJob('b', { class: 'low', submit: 12, duration: 50 }), cpuJob('high', { class: 'high', submit: 30, duration: 5 })]
    const options = { decision: { job: 0, task: 0 }, preemption: true, schedulers: { one: { classes: ['low'] }, two: { classes: ['high'], precedence: 1 } } }
    const { recorder } = play(sharedState(options), jobs, { cluster: cpus(1, 2), outages: [{ node: 0 as NodeId, from: 0.25, to: 11, drain: true }, { node: 0 as NodeId, from: 11, to: 20 }] })
    expect(recorder.launches.map(({ time, job }) => `${time} ${job}`)).toEqual(['0 x', '20 a', '20 b', '30 high', '35 a'])
  })
})

describe('offers of nodes that fail', () => {
  const frameworks = { a: {}, b: {} }
  const starts = ({ recorder }: Outcome) => recorder.launches.map(({ time, job, node }) => `${time} ${job} ${node}`)
  const away = (node: number, from: number, to: number) => ({ node: node as NodeId, from, to })

  it('give back what was claimed there, for whoever comes next', () => {
    // a decides from 1 to 3 s and claims the only CPU, which is away from 2 to 4; a is tried again at 4, asked for at 4 and offered at 5
    const options = { frameworks, offerTime: 0, decision: { job: 2, task: 0 } }
    const once = play(twoLevel(options), [cpuJob('a', { class: 'a', duration: 5 })], { cluster: cpus(1, 1), outages: [away(0, 2, 4)] })
    expect(starts(once)).toEqual(['7 a node-0'])
    const other = play(twoLevel(options), [cpuJob('a', { class: 'a', duration: 5 }), cpuJob('b', { class: 'b', submit: 0.5 })], { cluster: cpus(1, 1), outages: [away(0, 2, 4)] })
    expect(starts(other)).toEqual(['6 b node-0', '18 a node-0'])
  })
  it('give back what was collected there for a gang', () => {
    // the gang collects one CPU while the other runs; one that it has is away when its last decision ends
    const jobs = [cpuJob('one', { class: 'b', duration: 10 }), cpuJob('gang', { class: 'a', submit: 1.5, tasks: 2, gang: true, duration: 5 })]
    const run = (outages: ReturnType<typeof away>[]) => play(twoLevel({ frameworks, hoard: 20, offerTime: 0, decision: { job: 1, task: 0 } }), jobs, { cluster: cpus(2, 1), outages, until: 100 })
    const undisturbed = run([]).recorder.launches.find(({ job }) => job === 'gang')?.time as number
    expect(undisturbed).toBeGreaterThan(12)
    const { recorder } = run([away(1, undisturbed - 0.5, undisturbed + 0.5)])
    expect(recorder.finishes()['gang']).toBeGreaterThan(undisturbed + 5)
    expect(recorder.finishes()['gang']).toBeLessThan(undisturbed + 15)
  })
  it('have no nodes that are away, which others may be offered as soon as they are back', () => {
    // node 1 is away until 1.5; a gets node 0 at 1 for 10 s, so b is offered node 1 at 2
    const schedulers = { a: { decision: { job: 10, task: 0 } }, b: { decision: { job: 0, task: 0 } } }
    const jobs = [cpuJob('a', { class: 'a' }), cpuJob('b', { class: 'b', submit: 0.5 })]
    expect(starts(play(twoLevel({ frameworks: schedulers, offerTime: 0 }), jobs, { cluster: cpus(2, 1), outages: [away(1, 0.25, 1.5)] }))).toEqual(['2 b node-1', '11 a node-0'])
  })
  it('are no reason to refuse a job that its role may have when all nodes are back', () => {
    const options = { frameworks: { a: { role: 'a' } }, roles: { b: { guarantee: { cpu: 1 } } }, offers: 'by-node', offerTime: 0, decision: { job: 0, task: 0 } } as const
    const wide = [cpuJob('wide', { class: 'a', submit: 1, tasks: 2, gang: true, duration: 5 })]
    expect(starts(play(twoLevel(options), wide, { cluster: cpus(3, 1), outages: [away(1, 0.5, 9.5)] }))).toEqual(['10 wide node-1', '10 wide node-2'])
  })
  it('keep for a role what it is guaranteed of the nodes that are there', () => {
    // b is guaranteed 1 of 2 CPUs, of which one is away until 9.5: a has none of the other
    const options = { frameworks: { a: { role: 'a' }, b: { role: 'b' } }, roles: { b: { guarantee: { cpu: 1 } } }, offers: 'by-node', offerTime: 0, decision: { job: 0, task: 0 } } as const
    const jobs = [cpuJob('a', { class: 'a', duration: 50 }), cpuJob('b', { class: 'b', submit: 5, duration: 50 })]
    expect(starts(play(twoLevel(options), jobs, { cluster: cpus(2, 1), outages: [away(1, 0.5, 9.5)] }))).toEqual(['6 b node-0', '10 a node-1'])
  })
})

describe('where nodes fail', () => {
  it.each(Object.entries(architectures))('%s obeys the laws', (_, architecture) => {
    const skip = { heartbeats: 'decisions take their own time', commits: 'several rounds are open at once', conservation: 'a virtual cluster of a user keeps its nodes for a while' }
    const { launches } = checkPolicyLaws(() => greedy(fifo()), { runs: 40, architecture, skip })
    expect(launches).toBeGreaterThan(700)
  })
})
