import { capacity, conservative, easy, fattened, fifo, greedy, replan, sjf, strict } from '@sched/policies'
import type { NodeId, Plug } from '@sched/core'
import { checkPolicyLaws, job, run, type World } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

/** Machines of a few nodes, jobs over several of them, and nodes that fail or are drained. */
const machines: fc.Arbitrary<World> = fc.record({ nodes: fc.integer({ min: 2, max: 5 }), procs: fc.integer({ min: 1, max: 3 }) }).chain(({ nodes, procs }) => {
  const job = fc.record({
    gap: fc.constantFrom(0, 0, 2, 5),
    tasks: fc.integer({ min: 1, max: nodes }),
    each: fc.integer({ min: 1, max: procs }),
    duration: fc.constantFrom(0, 2, 5, 12, 20),
    more: fc.constantFrom(0, 0, 4),
    gang: fc.constantFrom(true, true, false),
  })
  const outage = fc.record({ node: fc.nat({ max: nodes - 1 }), from: fc.integer({ min: 0, max: 30 }), length: fc.constantFrom(1, 4, 15), drain: fc.boolean() })
  return fc.record({ jobs: fc.array(job, { minLength: 1, maxLength: 10 }), outages: fc.array(outage, { minLength: 1, maxLength: 5 }) }).map(({ jobs, outages }): World => {
    let submit = 0
    return {
      cluster: { nodes: [{ count: nodes, name: 'n', resources: { procs } }] },
      jobs: jobs.map(({ gap, tasks, each, duration, more, gang }, i) => ({
        id: `j${i}`,
        submit: (submit += gap),
        estimate: duration + more,
        stages: [{ name: 'job', tasks, gang, demand: { procs: each }, duration }],
      })),
      queues: [],
      seed: 1,
      runtime: { jitter: 0 },
      claims: undefined,
      commitPendingBug: false,
      outages: outages.map(({ node, from, length, drain }) => ({ node: node as NodeId, from, to: from + length, drain })),
    }
  })
})

const disciplines: Record<string, () => Plug<'policy'>> = {
  greedy: () => greedy(fifo()),
  strict: () => strict(fifo()),
  easy: () => easy(),
  'easy with two reservations': () => easy(fifo(), { reservations: 2 }),
  conservative: () => conservative(),
  fattened: () => fattened(),
  replan: () => replan(),
  'replan with named nodes': () => replan(fifo(), { nodes: 'named' }),
  'easy with named nodes': () => easy(fifo(), { nodes: 'named' }),
  'conservative with named nodes': () => conservative(fifo(), { nodes: 'named' }),
  'replan in two passes': () => replan(fifo(), { twoPass: true, bf_interval: 3 }),
}

describe('where a node is drained', () => {
  /** n0 is drained from 1 to 50 while `a` runs there to 10; `b` runs on n1 to 20, `head` waits for two nodes, `short` and `long` ask one. */
  const jobs = ([['a', 0, 1, 10], ['b', 0, 1, 20], ['head', 2, 2, 5], ['short', 3, 1, 15], ['long', 4, 1, 25]] as const).map(([id, submit, tasks, duration]) => ({
    ...job({ id, submit }), estimate: duration, stages: [{ name: 's', tasks, gang: true, demand: { procs: 1 }, duration }],
  }))
  const starts = (policy: Plug<'policy'>, to: number, short = 15) => {
    const outages = [{ node: 0 as NodeId, from: 1, to, drain: true }]
    const all = jobs.map((each) => (each.id === 'short' ? { ...each, estimate: short, stages: each.stages.map((stage) => ({ ...stage, duration: short })) } : each))
    const { recorder } = run({ policy, jobs: all, cluster: { nodes: [{ name: 'n', count: 3, resources: { procs: 1 } }] }, outages })
    return Object.fromEntries(recorder.launches.map(({ job: id, time }) => [id, time]))
  }

  it.each([['easy', () => easy()], ['conservative', () => conservative()], ['fattened', () => fattened()]] as const)('%s does not plan with what ends there', (_, policy) => {
    expect(starts(policy(), 50)).toEqual({ a: 0, b: 0, short: 3, head: 20, long: 25 }) // with n0 from 10 on, short would have waited
  })

  it.each([['easy', () => easy()], ['conservative', () => conservative()]] as const)('%s plans with what runs there once it is back', (_, policy) => {
    expect(starts(policy(), 2.5)).toMatchObject({ head: 10, short: 15 }) // short would end after a
    expect(starts(policy(), 2.5, 7)).toMatchObject({ short: 3, head: 10 })
    expect(starts(policy(), 4)).toMatchObject({ short: 3, head: 18 }) // short came while n0 was away
  })
})

describe('what changes with nodes', () => {
  type Row = readonly [id: string, submit: number, tasks: number, duration: number]
  const starts = (policy: Plug<'policy'>, nodes: number, rows: readonly Row[], outages: NonNullable<World['outages']>) => {
    const jobs = rows.map(([id, submit, tasks, duration]) => ({ ...job({ id, submit }), estimate: duration, stages: [{ name: 's', tasks, gang: true, demand: { procs: 1 }, duration }] }))
    const { recorder } = run({ policy, jobs, cluster: { nodes: [{ name: 'n', count: nodes, resources: { procs: 1 } }] }, outages, infeasible: 'reject' })
    return Object.fromEntries(recorder.launches.map(({ job: id, time }) => [id, time]))
  }

  it.each([['easy', () => easy()], ['conservative', () => conservative()]] as const)('%s sees that one node comes as another is drained', (_, policy) => {
    const outages = [{ node: 1 as NodeId, from: 0, to: 10 }, { node: 0 as NodeId, from: 10, to: 300, drain: true }]
    const rows = [['a', 0, 1, 100], ['c', 0, 1, 50], ['wide', 1, 2, 5], ['short', 2, 1, 40], ['new', 10, 1, 200]] as const
    expect(starts(policy(), 3, rows, outages)).toEqual({ a: 0, c: 0, short: 10, wide: 50, new: 55 }) // n1 is free from 10 on
  })

  it('conservative keeps the promise to a job that loses another task on a node which was drained before', () => {
    const outages = [{ node: 1 as NodeId, from: 1, to: 100, drain: true }, { node: 1 as NodeId, from: 3, to: 4 }]
    const jobs = ([['c', 0, 1, 10], ['two', 0, 2, 20], ['d', 2, 1, 5]] as const).map(([id, submit, tasks, duration]) => ({
      ...job({ id, submit }), estimate: duration, stages: [{ name: 's', tasks, demand: { procs: 1 }, duration }],
    }))
    const { recorder } = run({ policy: conservative(), jobs, cluster: { nodes: [{ name: 'n', count: 2, resources: { procs: 1 } }] }, outages })
    expect(recorder.launches.map(({ job: id, time }) => `${id} ${time}`)).toEqual(['c 0', 'two 0', 'two 10', 'd 30', 'two 35'])
  })

  it('replan with named nodes plans with the ends of those that run elsewhere', () => {
    // n1 is drained under the wide one; `two` waits for the end of `a` at 120, and `long` on the free n3 would be in its way
    const outages = [{ node: 1 as NodeId, from: 1, to: 5000, drain: true }]
    const rows = [['wide', 0, 2, 600], ['a', 0, 1, 120], ['two', 2, 2, 60], ['long', 3, 1, 300]] as const
    expect(starts(replan(fifo(), { nodes: 'named', bf_resolution: 1 }), 4, rows, outages)).toEqual({ wide: 0, a: 0, two: 120, long: 180 })
  })

  it('capacity does not refuse a gang that fits its queue once a node is back', () => {
    // half of 4 nodes is 2, of 3 nodes 1: n3 is away until 10; and 3 are more than the queue ever has
    const policy = () => greedy(capacity({ queues: { default: { capacity: 50, maximumCapacity: 50 }, other: { capacity: 50 } } }))
    const outages = [{ node: 3 as NodeId, from: 0, to: 10 }]
    expect(starts(policy(), 4, [['first', 0.5, 1, 0.1], ['a', 1, 2, 5], ['b', 2, 3, 5]], outages)).toEqual({ first: 0.5, a: 10 })
  })

  it.each([['easy', () => easy(sjf(), { keepHead: true })], ['strict', () => strict(sjf(), { keepHead: true })]] as const)('%s that keeps its head keeps none that has started, though it is lost', (_, policy) => {
    const outages = [{ node: 1 as NodeId, from: 12, to: 20 }]
    const rows = [['a', 0, 1, 10], ['head', 1, 2, 5], ['short', 11, 1, 3]] as const
    expect(starts(policy(), 2, rows, outages)).toEqual({ a: 0, short: 12, head: 20 }) // head starts at 10 and again at 20
  })

  it('fattened counts the delay of a head from its first shadow time, not from where it had none', () => {
    const outages = [{ node: 1 as NodeId, from: 0, to: 10 }]
    const rows = [['a', 0, 1, 20], ['head', 1, 2, 5], ['long', 12, 1, 50], ['short', 13, 1, 10]] as const
    expect(starts(fattened(fifo(), { awt: 5 }), 2, rows, outages)).toEqual({ a: 0, short: 13, head: 23, long: 28 })
  })
})

describe('where nodes fail', { tags: 'long' }, () => {
  it.each(Object.entries(disciplines))('%s obeys the laws of policies', (_, make) => {
    const { launches } = checkPolicyLaws(make, { runs: 150, worlds: machines })
    expect(launches).toBeGreaterThan(1500)
  })
})
