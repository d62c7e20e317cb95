import type { JobSpec } from '@sched/core'
import type { VolcanoOptions } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { both, outcome, wants, world, type Nodes } from './world.js'

// Cases of Volcano's own tests of the actions preempt and reclaim (preempt_test.go, reclaim_test.go).

describe('preempt (TestPreempt)', () => {
  type Case = readonly [name: string, node: number, capability: number | undefined, held: readonly JobSpec[], coming: JobSpec, expected: readonly string[], isPlain: boolean]
  const low = { priority: 10 }
  const high = { priority: 100_000 }
  /** `isPlain`: jobs have a `minMember` of 0 there, which gang lets go wholly. */
  const options = (capability: number | undefined, isPlain = false): VolcanoOptions => ({
    queues: capability === undefined ? {} : { q1: { capability: both(capability) } },
    actions: ['allocate', 'preempt'],
    tiers: [{ plugins: ['conformance', { name: 'gang', enablePreemptable: !isPlain }, 'priority', 'proportion'] }],
  })
  it.each<Case>([
    ['nothing while there is room', 10, undefined, [wants('pg1', 'q1', both(1), { tasks: 2, ...low })], wants('in', 'q1', both(1), high), ['+in@n1'], false],
    ['nothing of the same priority', 3, undefined, [wants('pg1', 'q1', both(1), { tasks: 2 }), wants('pg2', 'q1', both(1))], wants('in', 'q1', both(1)), [], false],
    ['one task for a job that has none', 2, undefined, [wants('pg1', 'q1', both(1), { tasks: 2, ...low })], wants('in', 'q1', both(1), { tasks: 2, ...high }), ['-pg1', '+in@n1'], false],
    ['as many as a large task needs', 6, undefined, [wants('pg1', 'q1', both(1), { tasks: 3, ...low })], wants('in', 'q1', both(5), high), ['-pg1', '-pg1', '+in@n1'], false],
    ['what keeps the queue below its capability, though there is room', 12, 4, [wants('pg1', 'q1', both(3), low)], wants('in', 'q1', both(3), high), ['-pg1', '+in@n1'], true],
    ['nothing below its capability', 12, 6, [wants('pg1', 'q1', both(3), low)], wants('in', 'q1', both(3), high), ['+in@n1'], false],
    ['the lower priority', 12, 3, [wants('pg1', 'q1', both(1), { tasks: 2, ...low }), wants('pg3', 'q1', both(1), high)], wants('in', 'q1', both(1), { priority: 100_001 }), ['-pg1', '+in@n1'], false],
    ['what gang can spare alone', 3, undefined, [wants('pg1', 'q1', both(1), { tasks: 3, min: 3, ...low })], wants('in', 'q1', both(1), high), [], false],
  ])('takes %s', (_, node, capability, held, coming, expected, isPlain) => {
    expect(outcome({ n1: both(node) }, options(capability, isPlain), held, coming)).toEqual(expected)
  })

  it('takes the lower priority where the plug-in priority may name it, and nothing where it may not (TestPreempt of the plug-in)', () => {
    const plugin = (on: boolean): VolcanoOptions => ({ queues: { q1: { weight: 1, capability: both(6) } }, actions: ['allocate', 'preempt'], tiers: [{ plugins: [{ name: 'priority', enablePreemptable: on, enableReclaimable: on }] }] })
    const coming = wants('pg2', 'q1', both(3), { priority: 1000 })
    expect(outcome({ node1: both(6), node2: both(2) }, plugin(true), [wants('pg1', 'q1', both(3), { tasks: 2, priority: 100 })], coming)).toEqual(['-pg1', '+pg2@node1'])
    expect(outcome({ node1: both(3), node2: both(3) }, plugin(false), [wants('pg1', 'q1', both(3), { tasks: 2, priority: 100 })], coming)).toEqual([])
  })
  it('takes of the queue of the job, not of another one (multi-queue; preemption with priority queues)', () => {
    const held = [wants('pg1', 'q1', both(1), low), wants('pg2', 'q2', both(1), low)]
    expect(outcome({ n1: both(2) }, options(undefined, true), held, wants('pg3', 'q2', both(1), high))).toEqual(['-pg2', '+pg3@n1'])
    expect(outcome({ n1: both(2) }, options(undefined, true), [wants('pg3', 'q2', both(1), high), wants('pg1', 'q1', both(1), low)], wants('pg2', 'q1', both(1), high))).toEqual(['-pg1', '+pg2@n1'])
  })
  it('takes nothing of a job that may not be preempted', () => {
    const held = [{ ...wants('pg1', 'q1', both(1), low), preemptible: false }, wants('pg2', 'q1', both(1), { priority: 100 })]
    expect(outcome({ n1: both(2) }, options(undefined, true), held, wants('in', 'q1', both(1), high))).toEqual(['-pg2', '+in@n1'])
    expect(outcome({ n1: both(1) }, options(undefined, true), held.slice(0, 1), wants('in', 'q1', both(1), high))).toEqual([])
    expect(outcome({ n1: both(1) }, options(undefined, true), [{ ...held[0]!, preemptible: true }], wants('in', 'q1', both(1), high))).toEqual(['-pg1', '+in@n1'])
  })
  it('takes nothing for a job that preempts nobody, and something for the one behind it', () => {
    const held = [wants('pg1', 'q1', both(1), { tasks: 3, ...low })]
    const never = { ...options(undefined, true), never: [high.priority] }
    expect(outcome({ n1: both(3) }, never, held, wants('in', 'q1', both(1), high))).toEqual([])
    expect(outcome({ n1: both(3) }, never, held, wants('in', 'q1', both(1), high), wants('next', 'q1', both(1), { priority: 50 }))).toEqual(['-pg1', '+next@n1'])
    expect(outcome({ n1: both(4) }, never, held, wants('in', 'q1', both(1), high))).toEqual(['+in@n1'])
  })
  it('makes room for a gang on several nodes, or takes nothing', () => {
    const nodes: Nodes = { n1: both(2), n2: both(2) }
    const gang = wants('in', 'q1', both(2), { tasks: 2, min: 2, ...high })
    expect(outcome(nodes, options(undefined, true), [wants('a', 'q1', both(2), { tasks: 2, ...low })], gang)).toEqual(['-a', '-a', '+in@n1', '+in@n2'])
    expect(outcome(nodes, options(undefined, true), [wants('a', 'q1', both(2), low), wants('b', 'q1', both(2), high)], gang)).toEqual([])
  })
  it('takes on one node all that it needs there', () => {
    const nodes: Nodes = { n1: both(2), n2: both(2) }
    const held = [wants('a', 'q1', both(1), { on: 'n1', ...low }), wants('b', 'q1', both(1), { on: 'n1', ...high }), wants('c', 'q1', both(1), { tasks: 2, on: 'n2', ...low })]
    expect(outcome(nodes, options(undefined, true), held, wants('in', 'q1', both(2), high))).toEqual(['-c', '-c', '+in@n2'])
  })
})

describe('reclaim (TestReclaim)', () => {
  const options = (plugins: NonNullable<VolcanoOptions['tiers']>[number]['plugins'], queues: VolcanoOptions['queues'] = {}): VolcanoOptions => ({ queues, actions: ['allocate', 'reclaim'], tiers: [{ plugins }] })
  const three = ['conformance' as const, 'gang' as const, 'proportion' as const]
  it('takes a task of the queue that has more than it deserves', () => {
    const held = wants('pg1', 'q1', both(1), { tasks: 3 })
    expect(outcome({ n1: both(3) }, options(three), [held], wants('pg2', 'q2', both(1)))).toEqual(['-pg1', '+pg2@n1'])
    expect(outcome({ n1: both(3) }, options(three), [{ ...held, preemptible: false }], wants('pg2', 'q2', both(1)))).toEqual([])
  })
  it('takes nothing for a job that preempts nobody, and something for the one behind it', () => {
    const held = wants('pg1', 'q1', both(1), { tasks: 3 })
    const never = { ...options(three), never: [10] }
    expect(outcome({ n1: both(3) }, never, [held], wants('pg2', 'q2', both(1), { priority: 10 }))).toEqual([])
    expect(outcome({ n1: both(3) }, never, [held], wants('pg2', 'q2', both(1), { priority: 10 }), wants('pg3', 'q2', both(1)))).toEqual(['-pg1', '+pg3@n1'])
  })
  it('takes of the queue that would be served last (sort reclaimees when reclaiming from overusing queue)', () => {
    const held = [wants('pg1', 'q1', both(1), { tasks: 2, priority: 500 }), wants('pg2', 'q2', both(1), { tasks: 2, priority: 100 })]
    expect(outcome({ n1: both(4) }, options(['conformance', 'gang', 'priority', 'proportion']), held, wants('pg3', 'q3', both(1), { priority: 1000 }))).toEqual(['-pg2', '+pg3@n1'])
  })
  it('takes of the queue of lower priority', () => {
    const held = [wants('pg1', 'q1', both(1), { tasks: 2 }), wants('pg2', 'q2', both(1), { tasks: 2 })]
    const queues = { q1: { priority: 5 }, q2: { priority: 10 }, q3: { priority: 1 } }
    expect(outcome({ n1: both(4) }, options(three, queues), held, wants('pg3', 'q3', both(1)))).toEqual(['-pg1', '+pg3@n1'])
  })
  it('takes of running tasks of other queues that are reclaimable, if they are preemptible (TestIsReclaimVictimTask)', () => {
    const taken = (victim: JobSpec, reclaimable = true) =>
      outcome({ n1: both(3) }, options(['conformance', 'priority'], { q1: { reclaimable } }), [victim], wants('reclaimer', 'q2', both(1), { priority: 10 }))
    const victim = wants('victim', 'q1', both(1), { tasks: 3 })
    expect(taken(victim)).toEqual(['-victim', '+reclaimer@n1'])
    expect(taken({ ...victim, preemptible: false })).toEqual([])
    expect(taken({ ...victim, queue: 'q2' })).toEqual([])
    expect(taken(victim, false)).toEqual([])
  })
  it('takes for one job of a queue, and then for the queue that is first by then', () => {
    // each deserves 4; a has the name that comes first, and b less than a once a has taken
    const queues = { a: { deserved: both(4) }, b: { deserved: both(4) }, full: { deserved: both(6) } }
    const tiers: VolcanoOptions['tiers'] = [{ plugins: ['capacity', 'gang'] }]
    const jobs = [wants('a1', 'a', both(1)), wants('a2', 'a', both(1)), wants('b1', 'b', both(1))]
    expect(outcome({ n1: both(8) }, { queues, actions: ['allocate', 'reclaim'], tiers }, [wants('held', 'full', both(1), { tasks: 8 })], ...jobs)).toEqual(['-held', '-held', '+a1@n1', '+b1@n1'])
  })
  it('takes nothing of a queue that is not reclaimable', () => {
    expect(outcome({ n1: both(3) }, options(three, { q1: { reclaimable: false } }), [wants('pg1', 'q1', both(1), { tasks: 3 })], wants('pg2', 'q2', both(1)))).toEqual([])
  })
  it('takes of nodes that the job may be on alone (TestReclaimWithNodeSelector)', () => {
    const held = [wants('pg1', 'q1', both(1), { tasks: 2, on: 'cpu' }), wants('pg2', 'q1', both(1), { tasks: 2, on: 'gpu' })]
    expect(outcome({ cpu: both(2), gpu: both(2) }, options(three), held, wants('pg3', 'q2', both(1), { on: 'gpu' }))).toEqual(['-pg2', '+pg3@gpu'])
  })
  it('takes for a job whose queue is closed nothing: such a job is refused', () => {
    const { come } = world({ n1: both(3) }, options(three, { q2: { state: 'Closed' } }))
    come(wants('pg1', 'q1', both(1), { tasks: 3 }))
    expect(() => come(wants('pg2', 'q2', both(1)))).toThrow('queue q2 is closed')
  })
})

describe('who is taken', () => {
  const options: VolcanoOptions = { actions: ['allocate', 'preempt'], tiers: [{ plugins: ['priority'] }] }
  it('takes nothing itself in the same session, and starts again where there is room later', () => {
    const { come, pass } = world({ n1: both(1) }, options)
    come(wants('low', 'q', both(1)))
    expect(come(wants('high', 'q', both(1), { priority: 5 }))).toEqual({ started: ['high@n1'], killed: ['low'] })
    expect(pass()).toEqual({ started: [], killed: [] })
  })
  it('goes a moment later where it has just started', () => {
    const { come, pass } = world({ n1: both(1) }, { ...options, actions: ['allocate', 'preempt'] })
    // both come at once: the higher one starts first
    expect(come(wants('low', 'q', both(1)), wants('high', 'q', both(1), { priority: 5 }))).toEqual({ started: ['high@n1'], killed: [] })
    expect(pass()).toEqual({ started: [], killed: [] })
  })
})
