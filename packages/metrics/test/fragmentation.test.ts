import type { ClusterView, JobSpec, NodeId, Observer, ResourceId, Workload } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectedFragment, fragmentation, fragmentFor, standardMetrics, type TaskKind } from '../src/index.js'
import { simulateOn } from './simulated.js'

interface Devices {
  readonly count: number
  readonly milli: number
}
const gpu = (count: number): Devices => ({ count, milli: 1000 })
const gpus = (...devices: number[]) => ({ size: 1000, devices, others: { cpu: 1000 } })

describe('what is free and of no use to a task', () => {
  const node = gpus(200, 1000, 1000, 500)

  it('is on devices with too little for it, where it fits', () => {
    expect(fragmentFor(node, { weight: 1, devices: 2000, others: { cpu: 100 } })).toBe(700) // 200 + 500: neither is whole
    expect(fragmentFor(node, { weight: 1, devices: 300 })).toBe(200)
    expect(fragmentFor(node, { weight: 1, devices: 200 })).toBe(0)
  })

  it('is all of it where the task does not fit, for lack of devices or of anything else', () => {
    expect(fragmentFor(node, { weight: 1, devices: 3000 })).toBe(2700)
    expect(fragmentFor(node, { weight: 1, devices: 300, others: { cpu: 6000 } })).toBe(2700)
    expect(fragmentFor(gpus(400, 400), { weight: 1, devices: 500 })).toBe(800)
  })

  it('is all of it for a task that asks for no device', () => {
    expect(fragmentFor(node, { weight: 1, devices: 0, others: { cpu: 1 } })).toBe(2700)
  })
})

describe('the expected fragment of a node', () => {
  // Weng et al.: a workload of which each kind has a popularity
  const workload: TaskKind[] = [
    { weight: 5, devices: 500, others: { cpu: 1000 } }, // fits: 200 + 0 too small: 200
    { weight: 3, devices: 1000, others: { cpu: 1000 } }, // fits on two: 200 + 500 = 700
    { weight: 1, devices: 4000 }, // needs four whole: 2700
    { weight: 1, devices: 0, others: { cpu: 1000 } }, // needs none: 2700
  ]

  it('is the mean over the workload by popularity', () => {
    // (5 x 200 + 3 x 700 + 2700 + 2700) / 10 = 850
    expect(expectedFragment(gpus(200, 1000, 1000, 500), workload)).toBe(850)
    expect(expectedFragment(gpus(0, 0), workload)).toBe(0)
    expect(expectedFragment(gpus(1000), [])).toBeNaN()
  })
})

const jobs = (...rows: readonly (readonly [submit: number, gpu: number, seconds: number, tasks?: number, cpu?: number])[]): Workload => {
  const specs = rows.map(([submit, gpu, duration, tasks = 1, cpu = 1], i): JobSpec => ({ id: `${i}`, submit, stages: [{ name: 'task', tasks, demand: { cpu, ...(gpu > 0 && { gpu }) }, duration }] }))
  return { name: 'gpus', open: () => ({ next: ((i) => () => specs[i++])(0) }) }
}
const cluster = { nodes: [{ count: 1, resources: { cpu: 4 }, devices: { gpu: { count: 2, milli: 1000 } } }] }

describe('fragmentation over a run', () => {
  it('weighs by time and by the tasks submitted so far', () => {
    const metric = fragmentation()
    // 0 to 10: a task of 600 runs, free 400 + 1000, of no use to a task of 600: 400.
    // 10 to 20: one of 1000 besides, free 400, for either of no use: 400.
    // 20 to 30: the first has ended, free 1000 + 0: 0 for both. The second ends at 30.
    simulateOn(cluster, jobs([0, 600, 20], [10, 1000, 20]), [metric])
    expect(metric.result()).toEqual([{ resource: 'gpu', capacity: 2000, free: (14_000 + 4000 + 10_000) / 30, fragmented: (4000 + 4000 + 0) / 30, share: 8000 / 28_000, most: 400, kinds: 2, covered: 1 }])
  })

  it('has the capacity of all nodes, also where one is away when the run ends', () => {
    const metric = fragmentation()
    simulateOn({ nodes: [{ ...cluster.nodes[0]!, count: 2 }] }, jobs([0, 600, 20]), [metric], { outages: [{ node: 1 as NodeId, from: 10, to: 50 }] })
    expect(metric.result()[0]).toMatchObject({ capacity: 4000, free: 3400 })
  })

  it('counts all that is free as of no use to tasks that have no other room', () => {
    const metric = fragmentation()
    // the first takes all 4 cpu for 10 s: both GPUs are out of reach for tasks of 1000 with 1 cpu and for it, 2000 free each
    simulateOn(cluster, jobs([0, 0, 10, 1, 4]), [metric])
    expect(metric.result()[0]).toMatchObject({ free: 2000, fragmented: 2000, share: 1 })
  })

  it('heeds required labels', () => {
    const labelled = { nodes: [{ name: 'a', count: 1, devices: { gpu: gpu(1) }, labels: { model: 'T4' } }, { name: 'b', count: 1, devices: { gpu: gpu(1) }, labels: { model: 'P100' } }] }
    const spec: JobSpec = { id: 'job', submit: 0, stages: [{ name: 'task', tasks: 1, demand: { gpu: 500 }, duration: 10, constraints: { require: { model: ['T4', 'G2'] } } }] }
    const metric = fragmentation()
    simulateOn(labelled, { name: 'one', open: () => ({ next: ((i) => () => [spec][i++])(0) }) }, [metric])
    expect(metric.result()[0]).toMatchObject({ free: 1500, fragmented: 1000 }) // 500 on a are enough, the 1000 on b are not allowed
  })

  it('counts only what lies in the period', () => {
    const metric = fragmentation({ from: 10, to: 20 })
    simulateOn(cluster, jobs([0, 600, 20], [10, 1000, 20]), [metric])
    expect(metric.result()[0]).toMatchObject({ free: 400, fragmented: 400, share: 1 })
  })

  it('is in summaries of clusters with devices, and of no others', () => {
    const [with_, without] = [standardMetrics(), standardMetrics()]
    simulateOn(cluster, jobs([0, 600, 20]), [with_])
    simulateOn({ nodes: [{ count: 1, resources: { cpu: 4 } }] }, jobs([0, 0, 20]), [without])
    expect(with_.result().fragmentation).toMatchObject([{ resource: 'gpu' }])
    expect(without.result()).not.toHaveProperty('fragmentation')
  })

  it('is what a recount of all nodes after every event gives', { tags: 'long' }, () => {
    const row = fc.record({ gap: fc.constantFrom(0, 1, 2.5), gpu: fc.constantFrom(0, 200, 300, 700, 1000, 2000), fpga: fc.constantFrom(0, 0, 1000), seconds: fc.integer({ min: 1, max: 9 }), tasks: fc.integer({ min: 1, max: 3 }), cpu: fc.integer({ min: 1, max: 3 }) })
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 12 }), fc.boolean(), (rows, evicts) => {
        const specs: JobSpec[] = []
        for (const [i, { gap, gpu, fpga, seconds, tasks, cpu }] of rows.entries())
          specs.push({ id: `${i}`, submit: (specs.at(-1)?.submit ?? 0) + gap, stages: [{ name: 'task', tasks, demand: { cpu, ...(gpu > 0 && { gpu }), ...(fpga > 0 && { fpga }) }, duration: seconds }] })
        const metric = fragmentation()
        const plain = new Recount()
        const nodes = [{ name: 'a', count: 2, resources: { cpu: 4 }, devices: { fpga: gpu(1), gpu: gpu(2) } as Record<string, Devices> }, { name: 'b', count: 1, resources: { cpu: 6 }, devices: { gpu: gpu(3) } as Record<string, Devices> }, { name: 'c', count: 1, resources: { cpu: 2 } }]
        simulateOn({ nodes }, { name: 'random', open: () => ({ next: ((i) => () => specs[i++])(0) }) }, [metric, plain], { evictions: evicts ? 0.1 : 0 })
        const found = metric.result().find(({ resource }) => resource === 'gpu')
        expect(found?.free).toBeCloseTo(plain.free / plain.seconds, 9)
        expect(found?.fragmented).toBeCloseTo(plain.fragments / plain.seconds, 9)
      }),
      { seed: 11, numRuns: 60 },
    )
  })
})

/** The measure by its definition, from what the cluster shows after each event. */
class Recount implements Observer {
  seconds = 0
  free = 0
  fragments = 0
  #cluster!: ClusterView
  readonly #workload: TaskKind[] = []
  #last: number | undefined
  #now = { free: 0, fragments: 0 }

  onRunStart({ cluster }: { readonly cluster: ClusterView }): void {
    this.#cluster = cluster
  }
  onSubmit(_job: unknown, { stages }: JobSpec, now: number): void {
    for (const { demand, tasks } of stages) this.#workload.push({ weight: tasks, devices: demand['gpu'] ?? 0, others: { cpu: demand['cpu'] ?? 0, fpga: demand['fpga'] ?? 0 } })
    this.#look(now)
  }
  onTaskStart(...args: Parameters<NonNullable<Observer['onTaskStart']>>): void {
    this.#look(args[5])
  }
  onTaskEnd(...args: Parameters<NonNullable<Observer['onTaskEnd']>>): void {
    this.#look(args[7])
  }
  onRunEnd(now: number): void {
    this.#look(now)
  }

  #look(now: number): void {
    const seconds = now - (this.#last ?? now)
    this.#last = now
    this.seconds += seconds
    this.free += seconds * this.#now.free
    this.fragments += seconds * this.#now.fragments
    const cluster = this.#cluster
    const id = (name: string) => cluster.resources.indexOf(name) as ResourceId
    const rests = Array.from({ length: cluster.nodes }, (_, n) => {
      const node = n as NodeId
      const devices = Array.from({ length: cluster.devices(node, id('gpu')) }, (_, i) => cluster.deviceFree(node, id('gpu'), i))
      return { size: 1000, devices, others: { cpu: cluster.free(node, id('cpu')), fpga: cluster.free(node, id('fpga')) } }
    })
    this.#now = {
      free: rests.reduce((sum, { devices }) => sum + devices.reduce((a, b) => a + b, 0), 0),
      fragments: rests.reduce((sum, rest) => sum + expectedFragment(rest, this.#workload), 0),
    }
  }
}
