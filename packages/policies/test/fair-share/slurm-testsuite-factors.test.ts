import { definePolicy, forwarding, type JobId, type JobSpec, type LaneId } from '@sched/core'
import { dispatcher } from '@sched/cluster'
import { multifactor, type MultifactorOptions } from '@sched/policies'
import { instantCluster } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

// Slurm's own tests of the factors of priorities, named at each: one node of 8 processors in both partitions, and one factor at a time.

const CPUS = 8
const cluster = instantCluster({ nodes: [{ names: ['n1'], count: 1, resources: { procs: CPUS, nodes: 1 }, labels: { 'partition:p1': 'true', 'partition:p2': 'true' } }] })
const job = (id: string, procs: number, queue: string, account: string, qos: string): JobSpec =>
  ({ id, submit: 0, user: 'ann', queue, account, qos, estimate: 999, stages: [{ name: 's', tasks: 1, gang: true, demand: { procs }, duration: 999, constraints: { require: { [`partition:${queue}`]: 'true' } } }] })

/** The priority of each job that waits, in a queue if one is given. */
function priorities(options: MultifactorOptions, jobs: readonly JobSpec[], queue?: string): number[] {
  const read = new Map<string, number>()
  const reader = definePolicy({
    name: 'reader', summary: 'reads priorities', options: { '~standard': { version: 1, vendor: 'none', validate: (value: unknown) => ({ value }) } }, inner: { order: 'order' }, defaults: { order: 'fifo' },
    create: (_, env, parts) => {
      const order = parts.order.create(env)
      return { ...forwarding(order), schedule: (round) => {
        order.begin(round)
        for (let next = order.next(); next !== undefined; next = order.next())
          for (let i = next.from; i < next.to; i++) read.set(env.work.name(next.ids[i] as JobId), order.priority?.(next.ids[i] as JobId, 0 as LaneId, queue) ?? NaN)
      } }
    },
  })
  const master = dispatcher({ cluster, policy: reader.plug({ order: multifactor(options) }, {}) })
  for (const each of jobs) master.submit(each, 0)
  master.pass(0)
  return jobs.map(({ id }) => read.get(id) as number)
}

describe('factors as they are, with NO_NORMAL_ALL (test24.6)', () => {
  const named = { PriorityFlags: 'NO_NORMAL_ALL', associations: { a1: { priority: 100 } }, qosPriorities: { q1: 200 }, partitions: { p1: 10, p2: 20 } }
  const jobs = [job('2', CPUS, 'p1', 'a1', 'q1'), job('3', CPUS, 'p2', 'a1', 'q1')]
  it.each<[string, MultifactorOptions, readonly number[]]>([
    ['association', { PriorityWeightAssoc: 1 }, [100, 100]],
    ['partition', { PriorityWeightPartition: 1 }, [10, 20]],
    ['QOS', { PriorityWeightQOS: 1 }, [200, 200]],
    ['TRES', { PriorityWeightTRES: 'cpu=1' }, [CPUS, CPUS]],
  ])('%s', (_, weight, expected) => {
    expect(priorities({ ...named, ...weight }, jobs)).toEqual(expected)
  })

  it('are those of each partition for a job in several', () => {
    const both: JobSpec = { ...jobs[0]!, id: '4', stages: [{ ...jobs[0]!.stages[0]!, constraints: { require: { 'partition:p1|partition:p2': 'true' }, alike: ['partition:p1', 'partition:p2'] } }] }
    expect(['p1', 'p2'].map((queue) => priorities({ ...named, PriorityWeightPartition: 1 }, [both], queue)[0])).toEqual([10, 20])
  })
})

describe('factors over the highest of all (test24.7)', () => {
  const [weight, ofPartition] = [4_000_000, 60_000]
  const [half, halfOfPartition] = [weight / 2, ofPartition / 2]
  const weights: readonly MultifactorOptions[] = [{ PriorityWeightAssoc: weight }, { PriorityWeightPartition: ofPartition }, { PriorityWeightQOS: weight }, { PriorityWeightTRES: `cpu=${weight}` }]
  const each = (one: JobSpec, first: number, firstOfPartition: number) => weights.map((own) => priorities({
    associations: { a1: { priority: first }, a2: { priority: half } }, qosPriorities: { q1: first, q2: half }, partitions: { p1: firstOfPartition, p2: halfOfPartition }, ...own,
  }, [one])[0])

  it('are whole for the highest, and half for half of it', () => {
    expect(each(job('2', CPUS, 'p1', 'a1', 'q1'), weight, ofPartition)).toEqual([weight, ofPartition, weight, weight])
    expect(each(job('3', CPUS / 2, 'p2', 'a2', 'q2'), weight, ofPartition)).toEqual([half, halfOfPartition, half, half])
  })

  it('are whole for what is the highest once nothing higher is left', () => {
    expect(each(job('4', CPUS, 'p2', 'a2', 'q2'), half, halfOfPartition)).toEqual([weight, ofPartition, weight, weight])
  })
})

describe('two jobs, one after the other', () => {
  const two = [job('first', 1, 'p1', 'a1', 'q1'), job('second', 1, 'p1', 'a1', 'q1')]
  it('have a priority each with priority/basic, the first the higher one (test_130_1), and one with priority/multifactor (test_130_3)', () => {
    const [first = NaN, second = NaN] = priorities({ countDown: true }, two)
    expect(first).toBeGreaterThan(second)
    expect(new Set(priorities({}, two)).size).toBe(1)
  })
})
