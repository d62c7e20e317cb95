import { dispatcher } from '@sched/cluster'
import { capacityScheduler, type CapacitySchedulerOptions } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import type { Constraints } from '@sched/core'
import { describe, expect, it } from 'vitest'

/** 10 GB in the default partition and 20 in `gpu`. */
const nodes = instantCluster({ nodes: [{ name: 'cpu', count: 1, resources: { mem: 10 } }, { name: 'gpu', count: 2, resources: { mem: 10 }, labels: { partition: 'gpu' } }] })
const queues: NonNullable<CapacitySchedulerOptions['queues']> = {
  a: { capacity: 50, labels: { gpu: { capacity: 25, maximumCapacity: 50 } } },
  b: { capacity: 50, labels: { gpu: { capacity: 75 } } },
}
const onGpu: Constraints = { require: { partition: 'gpu' } }
const asking = (id: string, queue: string, tasks: number, submit = 0, constraints?: Constraints) => {
  const spec = job({ id, queue, user: id, submit, tasks, demand: { mem: 1 }, duration: 500 })
  return constraints === undefined ? spec : { ...spec, stages: spec.stages.map((stage) => ({ ...stage, constraints })) }
}
const counts = (options: CapacitySchedulerOptions, jobs: ReturnType<typeof asking>[], until = 100) => {
  const { recorder } = run({ cluster: nodes, jobs, policy: capacityScheduler({ defaults: { userLimitFactor: -1 }, ...options }), until, infeasible: 'reject' })
  const running = new Map<string, number>()
  for (const event of recorder.events) {
    if (event.kind !== 'launch' && event.kind !== 'end') continue
    const key = `${event.job} on ${event.node.split('-')[0] ?? ''}`
    running.set(key, (running.get(key) ?? 0) + (event.kind === 'launch' ? 1 : -1))
  }
  return { running: Object.fromEntries(running), recorder }
}

describe('partitions of the capacity scheduler', () => {
  it('have no place for a job that only nodes of another could hold, which is told and not taken for a fault', () => {
    const large = { ...asking('a', 'a', 1), stages: [{ name: 'map', tasks: 1, demand: { mem: 1, gpu: 1 }, duration: 5 }] }
    const cluster = instantCluster({ nodes: [{ name: 'cpu', count: 1, resources: { mem: 10 } }, { name: 'gpu', count: 1, resources: { mem: 10, gpu: 1 }, labels: { partition: 'gpu' } }] })
    for (const each of [cluster, { ...cluster, heartbeat: { interval: 3600, stagger: true } }])
      expect(() => run({ cluster: each, jobs: [large, asking('b', 'b', 1)], policy: capacityScheduler({ queues: { a: { capacity: 90 }, b: { capacity: 10 } }, defaults: { userLimitFactor: -1 } }) })).toThrow(/policy "capacity-scheduler" finds no room for job a although nothing runs/)
  })

  it('have their own capacities and maxima: A may use half of 20 GB there, though 50 % of the default partition is its guarantee', () => {
    expect(counts({ queues }, [asking('a', 'a', 20, 0, onGpu), asking('b', 'b', 4, 0, onGpu)]).running).toEqual({ 'a on gpu': 10, 'b on gpu': 4 })
  })

  it('are divided by the weights that queues have there: one without any, or of 0 percent, takes no part (testContainerAllocateWithComplexLabelsWeightOnly, testZeroWeightAndZeroPercentSiblingsAccepted)', () => {
    const weights = (c: NonNullable<CapacitySchedulerOptions['queues']>[string]) => ({ a: { capacity: '1w', labels: { gpu: { capacity: '1w' } } }, b: { capacity: '1w', labels: { gpu: { capacity: '3w' } } }, c: { capacity: '2w', ...c } })
    const jobs = (on?: Constraints) => ['a', 'b', 'c'].map((queue) => asking(queue, queue, 20, 0, on))
    // of the 20 GB there 5 and 15; all queues are served by what they use of their part
    for (const c of [{}, { labels: { gpu: { capacity: 0 } } }, { labels: { gpu: { capacity: '0w' } } }]) expect(counts({ queues: weights(c), maximumOffswitchAssignments: 1 }, jobs(onGpu).slice(0, 2)).running).toEqual({ 'a on gpu': 5, 'b on gpu': 15 })
    expect(counts({ queues: weights({ capacity: 0 }) }, jobs().slice(0, 2)).running).toEqual({ 'a on cpu': 5, 'b on cpu': 5 })
  })

  it('keep jobs without a requirement to the default one, or to that of their queue', () => {
    expect(counts({ queues }, [asking('a', 'a', 20)]).running).toEqual({ 'a on cpu': 10 })
    expect(counts({ queues: { ...queues, a: { ...queues['a'], defaultLabelExpression: 'gpu' } } }, [asking('a', 'a', 20)]).running).toEqual({ 'a on gpu': 10 })
  })

  it('have no default one where all nodes have a label: jobs then go to that of their queue, else to the first', () => {
    const labelled = instantCluster({ nodes: ['x', 'y'].map((partition) => ({ name: partition, count: 1, resources: { mem: 10 }, labels: { partition } })) })
    const where = (own: NonNullable<CapacitySchedulerOptions['queues']>[string]) =>
      run({ cluster: labelled, jobs: [asking('a', 'a', 1)], policy: capacityScheduler({ queues: { a: { capacity: 100, labels: { x: { capacity: 100 }, y: { capacity: 100 } }, ...own } } }), until: 100, infeasible: 'reject' }).recorder.launches.map(({ node }) => node)
    expect([where({}), where({ defaultLabelExpression: 'y' })]).toEqual([['x-0'], ['y-0']])
  })

  it('are those of jobs without a requirement inside a queue that says so, unless theirs may use less (QueueNodeLabelsSettings of Hadoop 3)', () => {
    const inside = (own: NonNullable<CapacitySchedulerOptions['queues']>[string]) => ({ a: { ...queues['a'], accessibleLabels: ['gpu'], defaultLabelExpression: 'gpu' }, 'a.x': { capacity: 100, labels: { gpu: { capacity: 100 } }, ...own }, b: { ...queues['b'] } })
    expect(counts({ queues: inside({}) }, [asking('a', 'a.x', 3)]).running).toEqual({ 'a on gpu': 3 })
    expect(counts({ queues: inside({ accessibleLabels: [] }) }, [asking('a', 'a.x', 3)]).running).toEqual({ 'a on cpu': 3 })
  })

  it('are closed to queues that may not use them: the job is refused with the limit', () => {
    const { recorder } = counts({ queues: { a: { capacity: 50, accessibleLabels: [] }, b: { capacity: 50, labels: { gpu: { capacity: 100 } } } } }, [asking('a', 'a', 1, 0, onGpu), asking('b', 'b', 1, 0, onGpu)])
    expect(recorder.launches.map(({ job: id }) => id)).toEqual(['b'])
    expect(recorder.events.filter(({ kind }) => kind === 'reject')).toMatchObject([{ job: 'a' }])
  })

  it('refuse a job with a task above the maximum of its queue there, whatever it may have elsewhere: it would wait forever and keep room from others', () => {
    // a may have 5 of the 20 GB there
    const tree = (own = {}) => ({ a: { capacity: 50, labels: { gpu: { capacity: 25, maximumCapacity: 25 } }, ...own }, b: { capacity: 50, labels: { gpu: { capacity: 75 } } } })
    const large = (constraints?: Constraints) => {
      const { stages, ...rest } = asking('large', 'a', 1, 0, constraints)
      return { ...rest, stages: stages.map((stage) => ({ ...stage, demand: { mem: 6 } })) }
    }
    const refused = (job: ReturnType<typeof asking>, own = {}) => counts({ queues: tree(own) }, [job, asking('b', 'b', 20, 0, onGpu)]).recorder
    const inGpu = refused(large(onGpu))
    expect(inGpu.launches.map(({ job }) => job)).toEqual(Array(20).fill('b'))
    expect(inGpu.events.find(({ kind }) => kind === 'reject')).toMatchObject({ job: 'large' })
    expect(refused(large(), { defaultLabelExpression: 'gpu' }).events.filter(({ kind }) => kind === 'reject')).toMatchObject([{ job: 'large' }])
    expect(refused(large()).launches.filter(({ job }) => job === 'large')).toHaveLength(1) // all 10 of the default one
    const master = dispatcher({ cluster: nodes, policy: capacityScheduler({ queues: tree() }) })
    expect(() => master.submit(large(onGpu))).toThrow('a task asks 6 of mem, more than 5, the maximum of queue root.a in partition gpu')
  })

  it('are taken back one by one: A is above its quarter of the partition, B wants its three quarters', () => {
    const preemption = { maxWaitBeforeKill: 0, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0 }
    const free: typeof queues = { a: { ...queues['a'], labels: { gpu: { capacity: 25 } } }, b: { ...queues['b'] } }
    // A guaranteed 5 of 20 GB and uses 20; B wants 12: A keeps 8. In the default partition A uses 10 of its 5, and nobody wants any
    const { running } = counts({ queues: free, preemption }, [asking('a', 'a', 20, 0, onGpu), asking('a2', 'a', 10), asking('b', 'b', 12, 10, onGpu)])
    expect(running).toEqual({ 'a on gpu': 8, 'a2 on cpu': 10, 'b on gpu': 12 })
  })

  it('are taken back each by its own, down the tree (testHierarchyPreemptionForMultiplePartitions)', () => {
    // of 80 on x and on y each of four queues is guaranteed 20; they have 28, 20, 12 and 20 of x, 20, 12, 20 and 28 of y, and all want 16 more of both
    const preemption = { maxWaitBeforeKill: 0, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0 }
    const half = { capacity: 50, labels: { x: { capacity: 50 }, y: { capacity: 50 } } }
    const has: Record<string, readonly [x: number, y: number]> = { 'a.one': [28, 20], 'a.two': [20, 12], 'b.one': [12, 20], 'b.two': [20, 28] }
    const jobs = Object.entries(has).flatMap(([queue, amounts]) => (['x', 'y'] as const).flatMap((partition, i) => {
      const on = { require: { partition } }
      return [asking(`${queue} on ${partition}`, queue, amounts[i] ?? 0, 0, on), asking(`${queue} late on ${partition}`, queue, 16, 10, on)]
    }))
    const { recorder } = run({
      cluster: instantCluster({ nodes: ['x', 'y'].map((partition) => ({ name: partition, count: 1, resources: { mem: 80 }, labels: { partition } })) }), jobs: jobs.sort((a, b) => (a.submit ?? 0) - (b.submit ?? 0)), until: 100,
      policy: capacityScheduler({ queues: { a: half, 'a.one': half, 'a.two': half, b: half, 'b.one': half, 'b.two': half }, defaults: { userLimitFactor: -1 }, preemption }),
    })
    const taken = new Map<string, number>()
    for (const { job: id } of recorder.evictions) taken.set(id, (taken.get(id) ?? 0) + 1)
    expect(Object.fromEntries(taken)).toEqual({ 'a.one on x': 8, 'b.two on y': 8 })
  })

  it('are taken back as if each were alone, until as much is taken as may be of all together', () => {
    // of 20 GB without a label B has all and gives A the 4 it wants; of 40 in gpu B and C have 20 each, should have 15, and A waits for 10: with 10 at most C is left to give 1
    const part = (capacity: number) => ({ capacity, labels: { gpu: { capacity } } })
    const jobs = [asking('b', 'b', 20), asking('b gpu', 'b', 20, 0, onGpu), asking('c gpu', 'c', 20, 0, onGpu), asking('a', 'a', 4, 10), asking('a gpu', 'a', 10, 10, onGpu)]
    const { recorder } = run({
      cluster: instantCluster({ nodes: [{ name: 'cpu', count: 1, resources: { mem: 20 } }, { name: 'gpu', count: 1, resources: { mem: 40 }, labels: { partition: 'gpu' } }] }), jobs, until: 15,
      policy: capacityScheduler({ queues: { a: part(50), b: part(25), c: part(25) }, defaults: { userLimitFactor: -1 }, preemption: { maxWaitBeforeKill: 0, totalPreemptionPerRound: 1 / 6, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0 } }),
    })
    const taken = Object.fromEntries(['b', 'b gpu', 'c gpu'].map((id) => [id, recorder.evictions.filter((each) => each.job === id).length]))
    expect(taken).toEqual({ b: 4, 'b gpu': 5, 'c gpu': 1 })
  })

  it('need a node with their label', () => {
    expect(() => counts({ queues: { a: { capacity: 50 }, b: { capacity: 50, labels: { gqu: { capacity: 100 } } } } }, [asking('a', 'a', 1)])).toThrow('no node has the label "gqu". Did you mean "gpu"?')
  })
})
