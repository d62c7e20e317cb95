import { dispatcher } from '@sched/cluster'
import { kueue, type KueueOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Transformations } from '../../src/kueue/transformations.js'
import { kueueOptions } from '../../src/kueue/options.js'
import { preempted, world } from './world.js'

// Resources that count as others. Cases of Kueue's own tests (TestNewInfo: transformResources, transformMilliValues).

type Given = NonNullable<KueueOptions['transformations']>

/** What a task counts for, without what it does not count for. */
function counted(given: Given, demand: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const names = Object.keys(demand)
  const all = [...new Set([...names, ...given.flatMap(({ outputs = {} }) => Object.keys(outputs))])]
  const { transformations } = kueueOptions.parse({ transformations: given.filter(({ input }) => names.includes(input)) })
  const found = new Transformations(transformations, all, names.length).of(Float64Array.from(all, (name) => demand[name] ?? 0))
  return Object.fromEntries(all.map((name, r) => [name, found[r] as number] as const).filter(([, amount]) => amount > 0))
}

const ofGpus: Given = [
  { input: 'mig-1g.5gb', strategy: 'Replace', outputs: { memory: 5, credits: 10 } },
  { input: 'mig-2g.10gb', strategy: 'Replace', outputs: { memory: 10, credits: 15 } },
  { input: 'gpu', outputs: { memory: 40, credits: 100 } },
  { input: 'vgpucores', strategy: 'Replace', multiplyBy: 'vgpu', outputs: { 'total-vgpucores': 1 } },
  { input: 'vgpumem', strategy: 'Replace', multiplyBy: 'vgpu', outputs: { 'total-vgpumem': 1 } },
]

describe('resources that count as others', () => {
  it.each([
    [{ 'mig-1g.5gb': 2, 'mig-2g.10gb': 1, cpu: 1 }, { cpu: 1, memory: 20, credits: 35 }],
    [{ gpu: 1, cpu: 2 }, { gpu: 1, cpu: 2, memory: 40, credits: 100 }],
    [{ vgpu: 2, vgpucores: 20, vgpumem: 1024 }, { vgpu: 2, 'total-vgpucores': 40, 'total-vgpumem': 2048 }],
    [{ vgpu: 2, vgpucores: 30, vgpumem: 2048 }, { vgpu: 2, 'total-vgpucores': 60, 'total-vgpumem': 4096 }],
  ])('count for what the outputs say: %o (transformResources, for one pod)', (demand, expected) => {
    expect(counted(ofGpus, demand)).toEqual(expected)
  })

  it.each<[string, Given, Readonly<Record<string, number>>, Readonly<Record<string, number>>]>([
    ['a tenth of a core of 3000 credits is 300', [{ input: 'cpu', strategy: 'Replace', units: { cpu: 1000 }, outputs: { credits: 3000 } }], { cpu: 100 }, { credits: 300 }],
    ['100 MB of 3 thousandths each are 300,000', [{ input: 'mem', strategy: 'Replace', outputs: { credits: 0.003 } }], { mem: 100e6 }, { credits: 300_000 }],
  ])('are counted exactly: %s (transformMilliValues)', (_, given, demand, expected) => {
    expect(counted(given, demand)).toEqual(expected)
  })

  it('count whole amounts, rounded up for each task', () => {
    expect(counted([{ input: 'gpu', units: { gpu: 1000 }, outputs: { credits: 0.1 } }], { gpu: 3000 })).toEqual({ gpu: 3000, credits: 1 })
    expect(counted([{ input: 'gpu', outputs: { credits: 0.1 } }], { gpu: 30 })).toEqual({ gpu: 30, credits: 3 }) // although 30 times 0.1 is more than 3 in binary
    const { come } = world({ transformations: [{ input: 'cpu', outputs: { credits: 0.5 } }], queues: { a: { nominalQuota: { cpu: 99, credits: 3 } } } })
    expect(come(['a_1', 1], ['a_2', 1], ['a_3', 1], ['a_4', 1]).started).toEqual(['a_1', 'a_2', 'a_3'])
  })

  it('count as the reference says, whatever is asked', () => {
    const names = ['a', 'b', 'c', 'd'] as const
    const one = (input: string) => fc.record({
      input: fc.constant(input), strategy: fc.constantFrom('Retain' as const, 'Replace' as const), outputs: fc.dictionary(fc.constantFrom('a', 'b', 'x', 'y'), fc.nat(4)),
    }).chain((rule) => fc.constantFrom(rule, ...names.map((multiplyBy) => ({ ...rule, multiplyBy }))))
    fc.assert(
      fc.property(fc.tuple(...names.map(one)), fc.subarray([0, 1, 2, 3]), fc.tuple(...names.map(() => fc.nat(3))), (rules, kept, amounts) => {
        const given = kept.map((i) => rules[i] as (typeof rules)[number])
        const demand = Object.fromEntries(names.map((name, i) => [name, amounts[i] as number]))
        expect(counted(given, demand)).toEqual(reference(given, demand))
      }),
      { seed: 4, numRuns: 2000 },
    )
  })

  it('are a limit of their own, in the queues that name them', () => {
    const { come, end } = world({ transformations: [{ input: 'cpu', outputs: { credits: 2 } }], queues: { a: { nominalQuota: { cpu: 100, credits: 10 } }, b: { nominalQuota: { cpu: 100 } } } })
    expect(come(['a_1', 3], ['a_2', 3], ['a_3', 2], ['b_1', 50]).started.sort()).toEqual(['a_1', 'a_3', 'b_1'])
    expect(end('a_1').started).toEqual(['a_2'])
    expect(() => come(['a_4', 6])).toThrow('queue a: 12 credits of at most 10')
  })

  it('need no quota themselves if they are replaced', () => {
    const { come } = world({ transformations: [{ input: 'cpu', strategy: 'Replace', outputs: { credits: 1 } }], queues: { a: { nominalQuota: { cpu: 0, credits: 4 } } } })
    expect(come(['a_1', 3], ['a_2', 2], ['a_3', 1]).started).toEqual(['a_1', 'a_3'])
  })

  it('are borrowed and taken back', () => {
    const rules = { cohort: 'all', preemption: { reclaimWithinCohort: 'Any' }, nominalQuota: { cpu: 100, credits: 4 } } as const
    const options: KueueOptions = { transformations: [{ input: 'cpu', outputs: { credits: 1 } }], queues: { a: rules, b: rules } }
    expect(preempted(options, [['a_1', 4], ['a_2', 3]], ['b_1', 2])).toEqual(['a_2'])
    expect(preempted({ ...options, fairSharing: true }, [['a_1', 4], ['a_2', 3]], ['b_1', 2])).toEqual(['a_2'])
  })

  it('count all tasks of a gang, and of a job that is one gang those of each stage, also after a restart', () => {
    const options: KueueOptions = { transformations: [{ input: 'cpu', strategy: 'Replace', outputs: { credits: 0.5 } }, { input: 'gpu', outputs: { credits: 10 } }], queues: { a: { nominalQuota: { cpu: 0, gpu: 99, credits: 29 } } } }
    const make = () => dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 100, gpu: 10 } }] }), policy: kueue(options) })
    // 3 tasks of 1 CPU count for 1 credit each, 2 tasks of 1 GPU for 10: 23 in all, which leaves 6
    const stages = [{ name: 'cpus', tasks: 3, gang: true, demand: { cpu: 1 }, duration: 1 }, { name: 'gpus', tasks: 2, gang: true, demand: { gpu: 1 }, duration: 1 }]
    const [before, after] = [make(), make()]
    for (const each of [before, after]) each.submit({ id: 'whole', queue: 'a', gang: true, stages }, 0)
    const running = before.pass(0).start
    expect(running).toHaveLength(5)
    for (const placed of running) after.adopt(placed, 0)
    after.recall(JSON.parse(JSON.stringify(before.memory())) as ReturnType<typeof before.memory>)
    for (const each of [before, after]) {
      each.submit(job({ id: 'seven', queue: 'a', tasks: 7, gang: true, demand: { cpu: 1 } }), 1)
      each.submit(job({ id: 'six', queue: 'a', tasks: 6, gang: true, demand: { cpu: 1 } }), 1)
      expect(each.pass(1).start.map((one) => one.job)).toEqual(Array.from({ length: 6 }, () => 'six'))
      each.taskEnded(running.find(({ stage }) => stage === 0) as (typeof running)[number], 2) // gives one credit back
      expect(each.pass(2).start).toHaveLength(0)
      each.taskEnded(running.find(({ stage }) => stage === 1) as (typeof running)[number], 3) // and ten
      expect(each.pass(3).start).toHaveLength(7)
    }
  })

  it('count in past usage as what they are made of', () => {
    const order = (credits: number) => {
      const options: KueueOptions = { transformations: [{ input: 'gpu', strategy: 'Replace', outputs: { credits } }], queues: { a: { nominalQuota: { cpu: 20, credits: 20 * credits }, admissionMode: 'UsageBasedAdmissionFairSharing' } } }
      const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 4, gpu: 4 } }] }), policy: kueue(options) })
      master.submit(job({ id: 'ann', queue: 'a', user: 'ann', demand: { cpu: 4 } }), 0)
      master.submit(job({ id: 'bob', queue: 'a', user: 'bob', demand: { gpu: 4 } }), 0)
      const running = master.pass(0).start
      for (const user of ['ann', 'bob']) master.submit(job({ id: `${user} again`, queue: 'a', user, demand: { cpu: 4, gpu: 4 } }), 10)
      for (const each of running) master.taskEnded(each, 100)
      return master.pass(100).start.map((each) => each.job)
    }
    expect([order(0.5), order(2)]).toEqual([['bob again'], ['ann again']])
  })

  it.each<[KueueOptions, string]>([
    [{ transformations: [{ input: 'gpu' }] }, 'transformations[0].input: the cluster has no resource "gpu"'],
    [{ transformations: [{ input: 'cpu', multiplyBy: 'gpu' }] }, 'transformations[0].multiplyBy: the cluster has no resource "gpu"'],
    [{ transformations: [{ input: 'cpu' }, { input: 'cpu' }] }, 'transformations[1].input: resource "cpu" is transformed twice.'],
    [{ transformations: [{ input: 'cpu', units: { cpus: 1000 } }] }, 'transformations[0].units: "cpus" is neither the input nor what multiplies it. Did you mean "cpu"?'],
    [{ transformations: [{ input: 'cpu', outputs: { pods: 1 } }] }, 'transformations: "pods" are tasks, and nothing else counts as one.'],
  ])('are refused where they cannot be: %o', (options, expected) => {
    expect(() => world(options)).toThrow(expected)
  })
})

/** As Kueue's applyResourceTransformations reads, over maps of names. */
function reference(given: Given, demand: Readonly<Record<string, number>>): Record<string, number> {
  const output: Record<string, number> = {}
  const add = (name: string, amount: number) => { output[name] = (output[name] ?? 0) + amount }
  for (const [name, asked] of Object.entries(demand)) {
    const mapping = given.find(({ input }) => input === name)
    if (mapping === undefined) {
      add(name, asked)
      continue
    }
    let amount = asked
    if (mapping.multiplyBy !== undefined && (demand[mapping.multiplyBy] ?? 0) > 0) amount *= demand[mapping.multiplyBy] as number
    for (const [made, each] of Object.entries(mapping.outputs ?? {})) add(made, each * amount)
    if (mapping.strategy === 'Retain') add(name, amount)
  }
  return Object.fromEntries(Object.entries(output).filter(([, amount]) => amount > 0))
}
