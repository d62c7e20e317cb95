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
  it('have their own capacities and maxima: A may use half of 20 GB there, though 50 % of the default partition is its guarantee', () => {
    expect(counts({ queues }, [asking('a', 'a', 20, 0, onGpu), asking('b', 'b', 4, 0, onGpu)]).running).toEqual({ 'a on gpu': 10, 'b on gpu': 4 })
  })

  it('keep jobs without a requirement to the default one, or to that of their queue', () => {
    expect(counts({ queues }, [asking('a', 'a', 20)]).running).toEqual({ 'a on cpu': 10 })
    expect(counts({ queues: { ...queues, a: { ...queues['a'], defaultLabelExpression: 'gpu' } } }, [asking('a', 'a', 20)]).running).toEqual({ 'a on gpu': 10 })
  })

  it('are closed to queues that may not use them: the job is refused with the limit', () => {
    const { recorder } = counts({ queues: { a: { capacity: 50, accessibleLabels: [] }, b: { capacity: 50, labels: { gpu: { capacity: 100 } } } } }, [asking('a', 'a', 1, 0, onGpu), asking('b', 'b', 1, 0, onGpu)])
    expect(recorder.launches.map(({ job: id }) => id)).toEqual(['b'])
  })

  it('are taken back one by one: A is above its quarter of the partition, B wants its three quarters', () => {
    const preemption = { maxWaitBeforeKill: 0, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0 }
    const free: typeof queues = { a: { ...queues['a'], labels: { gpu: { capacity: 25 } } }, b: { ...queues['b'] } }
    // A guaranteed 5 of 20 GB and uses 20; B wants 12: A keeps 8. In the default partition A uses 10 of its 5, and nobody wants any
    const { running } = counts({ queues: free, preemption }, [asking('a', 'a', 20, 0, onGpu), asking('a2', 'a', 10), asking('b', 'b', 12, 10, onGpu)])
    expect(running).toEqual({ 'a on gpu': 8, 'a2 on cpu': 10, 'b on gpu': 12 })
  })

  it('need a node with their label', () => {
    expect(() => counts({ queues: { a: { capacity: 50 }, b: { capacity: 50, labels: { gqu: { capacity: 100 } } } } }, [asking('a', 'a', 1)])).toThrow('no node has the label "gqu". Did you mean "gpu"?')
  })
})
