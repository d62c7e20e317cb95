import { dispatcher } from '@sched/cluster'
import type { Demand, JobSpec, StageSpec, Topology } from '@sched/core'
import { kueue, type KueueOptions } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { topologyAware } from '../src/index.js'

// Cases of Kueue's own tests of workloads with topologies (scheduler_tas_test.go: TestScheduleForTAS, TestScheduleForTASPreemption,
// TestScheduleForTASCohorts), of 2026. What is preempted there in one cycle and admitted in a later one is both here in one call.

/** Nodes by name; all of them are in one rack. */
type Nodes = Readonly<Record<string, Demand>>
/** A workload `queue_name`: pods, what each asks (CPUs where it is a number), its topology, priority. */
type Load = readonly [id: string, pods: number, asks: number | Demand, topology?: Topology | undefined, priority?: number]

const [HOST, RACK] = [{ required: 0 }, { required: 1 }] as const
const onHost = { preferred: 0 } as const
const cpu = (asks: number | Demand): Demand => (typeof asks === 'number' ? { cpu: asks } : asks)
const stage = (pods: number, asks: number | Demand, change: Partial<StageSpec> = {}): StageSpec => ({ name: 'pods', tasks: pods, gang: true, demand: cpu(asks), duration: 1, ...change })
const gang = (id: string, stages: readonly StageSpec[], change: Partial<JobSpec> = {}): JobSpec => ({ id, submit: 0, queue: id.split('_')[0] as string, gang: true, stages, ...change })
const jobOf = ([id, pods, asks, topology, priority = 0]: Load): JobSpec => ({ id, submit: 0, queue: id.split('_')[0] as string, priority, ...(topology !== undefined && { topology }), stages: [stage(pods, asks)] })

/** What happens when workloads come to nodes where others were admitted one after the other: `id@node pods` where they start, `-id` who is preempted. */
function come(nodes: Nodes, options: KueueOptions, admitted: readonly Load[], ...last: readonly (Load | JobSpec)[]): readonly string[] {
  const master = dispatcher({
    cluster: { nodes: Object.entries(nodes).map(([name, resources]) => ({ names: [name], count: 1, racks: ['rack'], labels: { host: name }, resources })) },
    policy: kueue(options, topologyAware()),
  })
  for (const [now, load] of admitted.entries()) {
    master.submit(jobOf(load), now)
    if (master.pass(now).start.length !== load[1]) throw new Error(`${load[0]} was to be admitted`)
  }
  const now = admitted.length
  for (const each of last) master.submit('stages' in each ? each : jobOf(each), now)
  const { start, kill } = master.pass(now)
  const counts = new Map<string, number>()
  for (const { job, node } of start) counts.set(`${job}@${node}`, (counts.get(`${job}@${node}`) ?? 0) + 1)
  return [...new Set(kill.map(({ job }) => `-${job}`)), ...[...counts].map(([where, pods]) => `${where} ${pods}`)].sort()
}

const main: KueueOptions = { queues: { q: { nominalQuota: { cpu: 50, mem: 50 }, preemption: { withinClusterQueue: 'LowerPriority' } } } }

describe('a workload with a topology (TestScheduleForTAS)', () => {
  const one = { x1: { cpu: 1000, mem: 1000 } }
  const wide: KueueOptions = { queues: { q: { nominalQuota: { cpu: 50_000, mem: 50_000 } } } }

  it('goes where nodes have room for all that it asks', () => {
    const two = { x1: { cpu: 4, mem: 20 }, x2: { cpu: 4, mem: 20 } }
    expect(come(two, main, [], ['q_foo', 2, { cpu: 1, mem: 15 }, onHost])).toEqual(['q_foo@x1 1', 'q_foo@x2 1'])
  })

  it('waits where the node is used by others, and goes beside them where it is not', () => {
    expect(come(one, wide, [['q_bar', 1, 600]], ['q_foo', 1, 1000, HOST])).toEqual([])
    expect(come(one, wide, [['q_bar', 1, { cpu: 500, mem: 500 }, HOST]], ['q_foo', 1, { cpu: 500, mem: 500 }, HOST])).toEqual(['q_foo@x1 1'])
  })

  it.each([['each on a host, as it prefers', HOST, onHost], ['each in a rack', RACK, RACK]])('is placed one set of pods after the other, %s', (_, first, second) => {
    const sets = [stage(1, 1, { name: 'launcher', topology: first }), stage(15, 1, { name: 'worker', topology: second })]
    expect(come({ x1: { cpu: 8 }, y1: { cpu: 8 } }, { queues: { q: { nominalQuota: { cpu: 16 } } } }, [], gang('q_foo', sets))).toEqual(['q_foo@x1 8', 'q_foo@y1 8'])
  })

  it('preempts for a leader and its workers together, in slices or not', () => {
    const two = { x1: { cpu: 4, mem: 1 }, y1: { cpu: 4, mem: 1 } }
    const group = (leader: number, topology: Topology) => gang('q_foo', [stage(1, leader, { name: 'leader' }), stage(2, 1, { name: 'worker' })], { topology, priority: 1 })
    const held: readonly Load[] = [['q_1', 1, 3, HOST], ['q_2', 1, 3, HOST]]
    expect(come(two, main, held, group(1, HOST))).toEqual(['-q_2', 'q_foo@y1 3'])
    expect(come(two, main, held, group(3, RACK))).toEqual(['-q_2', 'q_foo@x1 1', 'q_foo@y1 2']) // a worker beside q_1
    expect(come(two, main, held, group(3, { ...RACK, slices: [{ level: 0, size: 2 }] }))).toEqual(['-q_1', '-q_2', 'q_foo@x1 1', 'q_foo@y1 2']) // both on one host
  })

  it('heeds what its pods require of nodes', () => {
    const pods = (host: string): JobSpec => ({ id: 'q_foo', submit: 0, queue: 'q', topology: onHost, stages: [stage(1, 1, { constraints: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'host', operator: 'In', values: [host] }] }] } })] })
    expect(come({ x1: { cpu: 1, mem: 1 }, x2: { cpu: 1, mem: 1 } }, main, [], pods('x2'))).toEqual(['q_foo@x2 1'])
  })

  it.each([['asks for nothing', undefined], ['prefers a rack', { preferred: 1 }], ['requires a rack', RACK]])('passes over a node without CPUs when it %s', (_, topology) => {
    expect(come({ x1: { cpu: 0, mem: 1 }, x2: { cpu: 1, mem: 1 }, x3: { cpu: 1, mem: 1 } }, main, [], ['q_foo', 2, 1, topology])).toEqual(['q_foo@x2 1', 'q_foo@x3 1'])
  })
})

describe('workloads of two queues (TestScheduleForTASCohorts)', () => {
  const two = { x1: { cpu: 3 }, y1: { cpu: 5 } }
  const of4 = { cohort: 'c', nominalQuota: { cpu: 4 }, preemption: { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'Any' } } as const
  const ab: KueueOptions = { queues: { a: of4, b: of4 } }

  it.each<[string, number, number, readonly string[]]>([
    ['go on the same node', 1, 2, ['a_1@x1 1', 'b_1@x1 2']],
    ['go on different nodes where there is room for one of them on the first', 1, 3, ['a_1@x1 1', 'b_1@y1 3']],
    ['go nowhere, those that come last, where there is room for one of them alone', 5, 5, ['a_1@y1 5']],
  ])('%s', (_, a, b, expected) => {
    expect(come(two, ab, [], ['a_1', a, 1, onHost, 2], ['b_1', b, 1, onHost, 1])).toEqual(expected)
  })

  it('stay with the first flavor with quota, though its node is taken, and go on with the next in the next cycle', () => {
    const inF1 = { f1: { cpu: 8 } }
    const flavors = { flavors: { f1: { host: 'x1' }, f2: { host: 'y1' } }, queues: { a: { cohort: 'c', nominalQuota: inF1 }, b: { cohort: 'c', nominalQuota: { ...inF1, f2: { cpu: 8 } } } } }
    expect(come({ x1: { cpu: 8 }, y1: { cpu: 8 } }, flavors, [], ['a_1', 1, 8, HOST, 10], ['b_1', 1, 8, HOST, 5])).toEqual(['a_1@x1 1', 'b_1@y1 1'])
  })

  it.each([true, false])('go on with the next flavor where the node of the first is taken by an equal one (TestScheduleForPreserveFlavorScanProgress, fair sharing: %s)', (fairSharing) => {
    const nominalQuota = { f1: { cpu: 4 }, f2: { cpu: 4 } }
    const preemption = { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'Any' } as const
    const flavors = { fairSharing, flavors: { f1: { host: 'x1' }, f2: { host: 'y1' } }, queues: { q: { nominalQuota, preemption } } }
    expect(come({ x1: { cpu: 2 }, y1: { cpu: 2 } }, flavors, [['q_blocker', 1, 2, HOST, 10]], ['q_pending', 1, 2, HOST, 10])).toEqual(['q_pending@y1 1'])
  })

  it('of two flavors come to rest where one has no nodes and the first of another queue keeps the quota of the other', () => {
    const nodes = { x1: { cpu: 2 }, x2: { cpu: 2 }, x3: { cpu: 2 }, y1: { cpu: 3 } }
    const flavors = { flavors: { f1: { kind: 'x' }, f2: { kind: 'y' } }, queues: {
      on: { nominalQuota: { f1: { cpu: 2 }, f2: { cpu: 1 } } },
      a: { cohort: 'c', nominalQuota: { f1: { cpu: 2 }, f2: { cpu: 0 } } },
      b: { cohort: 'c', nominalQuota: { f1: { cpu: 2 }, f2: { cpu: 0 } } },
      strict: { cohort: 'c', queueingStrategy: 'StrictFIFO', nominalQuota: { f2: { cpu: 3 } } },
    } } as const
    const on = (id: string, host: string): JobSpec => ({ ...jobOf([id, 1, 1]), stages: [stage(1, 1, { constraints: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'host', operator: 'In', values: [host] }] }] } })] })
    const master = dispatcher({
      cluster: { nodes: Object.entries(nodes).map(([name, resources]) => ({ names: [name], count: 1, racks: ['rack'], labels: { kind: name.slice(0, 1), host: name }, resources })) },
      policy: kueue(flavors, topologyAware()),
    })
    for (const [now, [id, host]] of ([['on_1', 'x1'], ['on_2', 'x2'], ['on_3', 'y1'], ['a_on', 'x3']] as const).entries()) {
      master.submit(on(id, host), now)
      expect(master.pass(now).start).toHaveLength(1)
    }
    for (const load of [['strict_1', 3, 1, HOST], ['a_1', 2, 1, HOST], ['b_1', 4, 1, { preferred: 0 }, 1], ['b_2', 2, 1, HOST]] as const) master.submit(jobOf(load), 9)
    expect(master.pass(9).start).toEqual([])
  })

  it('go elsewhere where the node that both could have is taken, or has too little of what one asks', () => {
    expect(come(two, ab, [], ['a_1', 1, 2, onHost, 2], ['b_1', 1, 2, onHost, 1])).toEqual(['a_1@x1 1', 'b_1@y1 1'])
    const both = { cohort: 'c', nominalQuota: { cpu: 4, mem: 4 } }
    expect(come({ x1: { cpu: 3, mem: 5 }, y1: { cpu: 5, mem: 3 } }, { queues: { a: both, b: both } }, [], ['a_1', 1, { cpu: 5 }, onHost, 2], ['b_1', 1, { mem: 5 }, onHost, 1])).toEqual(['a_1@y1 1', 'b_1@x1 1'])
    const of8 = { cohort: 'c', nominalQuota: { cpu: 8 } }
    expect(come({ x1: { cpu: 8 }, x2: { cpu: 8 } }, { queues: { a: of8, b: of8 } }, [], ['a_1', 1, 8, HOST, 10], ['b_1', 1, 8, HOST, 5])).toEqual(['a_1@x1 1', 'b_1@x2 1'])
  })

  it('borrow to be on several hosts', () => {
    expect(come(two, ab, [], ['a_1', 6, 1, onHost])).toEqual(['a_1@x1 1', 'a_1@y1 5'])
  })

  it.each([
    ['BestEffortFIFO', 'LowerPriority', ['b_1@x1 1']],
    ['StrictFIFO', 'LowerPriority', []],
    ['StrictFIFO', 'Any', ['b_1@x1 1']],
  ] as const)('borrow no quota of one that waits for nodes, as long as it is the first of its queue and could not reclaim it: %s, %s', (queueingStrategy, reclaimWithinCohort, expected) => {
    const a = { cohort: 'c', queueingStrategy, nominalQuota: { cpu: 4 }, preemption: { withinClusterQueue: 'Never', reclaimWithinCohort } } as const
    const b = { cohort: 'c', nominalQuota: { cpu: 0 } }
    expect(come({ x1: { cpu: 2 }, y1: { cpu: 1 } }, { queues: { a, b } }, [['a_on y1', 1, 1, HOST], ['a_on x1', 1, 1, HOST]], ['a_1', 2, 1, HOST], ['b_1', 1, 1])).toEqual(expected)
  })

  it('borrow quota of one that would have no nodes even if all were empty (simulateEmpty)', () => {
    const [x, y] = [{ f: { cpu: 4 } }, { f: { cpu: 0 } }]
    const queues = { a: { cohort: 'c', queueingStrategy: 'StrictFIFO', nominalQuota: x }, b: { cohort: 'c', nominalQuota: y }, g: { nominalQuota: { g: { cpu: 9 }, f: { cpu: 0 } } } } as const
    const options: KueueOptions = { flavors: { f: { host: 'y1' }, g: { host: 'x1' } }, queues }
    expect(come({ x1: { cpu: 3 }, y1: { cpu: 4 } }, options, [['a_0', 2, 1]], ['a_1', 3, 1, HOST], ['b_1', 2, 1])).toEqual([])
    const both = { ...options, flavors: { f: { kind: 'y' }, g: { kind: 'x' } } }
    const master = dispatcher({ cluster: { nodes: ['x1', 'y1', 'y2'].map((name) => ({ names: [name], count: 1, racks: ['rack'], labels: { kind: name.slice(0, 1) }, resources: { cpu: name === 'x1' ? 3 : 2 } })) }, policy: kueue(both, topologyAware()) })
    for (const load of [['a_1', 3, 1, HOST], ['b_1', 2, 1]] as const) master.submit(jobOf(load), 0)
    expect(master.pass(0).start.map(({ job }) => job)).toEqual(['b_1', 'b_1'])
  })

  it('go where a workload waits that has quota and no nodes; in Kueue that keeps its nodes for the rest of the cycle, and they wait', () => {
    const a = { cohort: 'c', nominalQuota: { cpu: 8 }, borrowingLimit: { cpu: 0 }, preemption: { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'LowerPriority' } } as const
    expect(come({ y1: { cpu: 5 } }, { queues: { a, b: of4 } }, [['a_0', 2, 1, HOST, 2]], ['a_2', 4, 1, onHost, 2], ['b_1', 3, 1, onHost, 1])).toEqual(['b_1@y1 3'])
  })
})

describe('reclaiming with a topology (TestScheduleForTASCohorts)', () => {
  const two = { x1: { cpu: 3 }, y1: { cpu: 5 } }
  const a = { cohort: 'c', nominalQuota: { cpu: 4 }, preemption: { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'Any' } } as const
  const b = { cohort: 'c', nominalQuota: { cpu: 4 }, preemption: { withinClusterQueue: 'Never', reclaimWithinCohort: 'Any' } } as const
  const ab: KueueOptions = { queues: { a, b } }

  it('takes the only one that borrows', () => {
    expect(come(two, ab, [['a_1', 5, 1, HOST]], ['b_1', 4, 1, onHost])).toEqual(['-a_1', 'b_1@y1 4'])
  })

  it('takes no more of those that borrow than are needed', () => {
    expect(come(two, ab, [['a_1', 5, 1, HOST, 1], ['a_2', 2, 1, HOST, 2], ['a_3', 1, 1, HOST, 2]], ['b_1', 3, 1, onHost, 3])).toEqual(['-a_1', 'b_1@y1 3'])
  })

  it('takes those of a host for one of fewer pods, where nobody gives a host for all of them (partial admission)', () => {
    const part = { id: 'b_1', submit: 0, queue: 'b', priority: 3, topology: HOST, stages: [stage(4, 1, { minTasks: 3 })] }
    expect(come(two, { ...ab, partialAdmission: true }, [['a_1', 4, 1, HOST, 3], ['a_2', 3, 1, HOST, 2]], part)).toEqual(['-a_2', 'b_1@x1 3'])
  })

  it('takes others for the one that finds its node taken by another that reclaims', () => {
    const on = [['a_1', 5, 1, HOST, 2], ['a_2', 1, 1, HOST, 1], ['a_3', 1, 1, HOST, 1]] as const
    expect(come(two, { queues: { a, b, c: b } }, on, ['b_1', 3, 1, HOST, 3], ['c_1', 1, 1, onHost, 1])).toEqual(['-a_1', '-a_2', '-a_3', 'b_1@x1 3', 'c_1@y1 1'])
  })

  it.each<[string, 'Any' | 'LowerPriority', number, readonly string[]]>([
    ['takes who is of lower priority, and the one after it, of another queue, finds no nodes', 'Any', 1, ['-a_1', 'a_2@y1 4']],
    ['takes nobody of equal priority, and keeps no quota that its queue can always reclaim', 'Any', 2, ['b_1@y1 3']],
  ])('%s', (_, reclaimWithinCohort, priority, expected) => {
    const wide = { cohort: 'c', nominalQuota: { cpu: 8 }, borrowingLimit: { cpu: 0 }, preemption: { withinClusterQueue: 'LowerPriority', reclaimWithinCohort } } as const
    expect(come({ y1: { cpu: 5 } }, { queues: { a: wide, b } }, [['a_1', 2, 1, HOST, priority]], ['a_2', 4, 1, onHost, 2], ['b_1', 3, 1, onHost, 1])).toEqual(expected)
  })

  it.each([['without', false], ['with', true]] as const)('takes of a queue only while that borrows, so that a host may not get free, %s fair sharing', (_, fairSharing) => {
    const of = (cpu: number) => ({ cohort: 'c', nominalQuota: { cpu }, preemption: { withinClusterQueue: 'Never', reclaimWithinCohort: 'Any' } }) as const
    const options: KueueOptions = { fairSharing, queues: { a: of(4), b: of(2), c: of(2) } }
    const on = (b1: number, b2: number): Load[] => [['b_1', 1, b1, HOST], ['b_2', 1, b2, HOST], ['c_1', 1, 2, HOST]] // both of b on x1, where b borrows 2 CPUs; c on y1
    const three: Load = ['a_1', 3, 1, HOST]
    expect(come({ x1: { cpu: 4 }, y1: { cpu: 4 } }, options, on(3, 1), three)).toEqual(['-b_1', 'a_1@x1 3']) // b_2 went first, and is spared
    expect(come({ x1: { cpu: 4 }, y1: { cpu: 4 } }, options, on(2, 2), three)).toEqual([]) // without b_2 there are 2 CPUs on each, and b borrows no more
  })

  it('preempts for quota, and goes to another node where its own is taken', () => {
    const queues = { a: { cohort: 'c', nominalQuota: { cpu: 2 } }, b: { cohort: 'c', nominalQuota: { cpu: 2 }, borrowingLimit: { cpu: 0 }, preemption: { withinClusterQueue: 'LowerPriority' } } } as const
    expect(come({ n1: { cpu: 1 }, n2: { cpu: 2 }, n3: { cpu: 2 } }, { queues }, [['b_low', 1, 1, HOST, 1]], ['a_1', 1, 2, onHost, 2], ['b_1', 1, 2, onHost, 2])).toEqual(['-b_low', 'a_1@n2 1', 'b_1@n3 1'])
  })

  it('takes all that are on its node while it borrows, also those who use nothing of what its quota lacks', () => {
    const preemption = { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'Any', borrowWithinCohort: { policy: 'LowerPriority' } } as const
    const each = { cohort: 'c', nominalQuota: { cpu: 0, gpu: 0 }, borrowingLimit: { cpu: 16_000, gpu: 16 }, preemption }
    const options: KueueOptions = { cohorts: { c: { nominalQuota: { cpu: 16_000, gpu: 16 } } }, queues: { a: each, b: each } }
    const low = [['a_cpu', 2, { cpu: 5000 }, { preferred: 1 }, -1000], ['a_gpu', 2, { cpu: 10, gpu: 8 }, { preferred: 1 }, -1000]] as const
    const nodes = { n1: { cpu: 8000, gpu: 8 }, n2: { cpu: 8000, gpu: 8 } }
    expect(come(nodes, options, low, ['b_1', 1, { cpu: 5000, gpu: 8 }, HOST])).toEqual(['-a_cpu', '-a_gpu', 'b_1@n1 1'])
  })
})

describe('preemption with a topology (TestScheduleForTASPreemption)', () => {
  it('takes all that the quota of pods lacks', () => {
    const pods: KueueOptions = { queues: { q: { nominalQuota: { cpu: 50, pods: 7 }, preemption: { withinClusterQueue: 'LowerPriority' } } } }
    expect(come({ x1: { cpu: 50 } }, pods, [['q_low4', 4, 1, HOST], ['q_low3', 3, 1, HOST]], ['q_foo', 7, 1, HOST, 1])).toEqual(['-q_low3', '-q_low4', 'q_foo@x1 7'])
  })

  const one = { x1: { cpu: 5, mem: 5 } }
  const two = { ...one, y1: { cpu: 5, mem: 5 } }

  it.each<[string, number | Demand, number | Demand]>([
    ['the only one on the node', 5, 2],
    ['the one whose memory it needs', { cpu: 1, mem: 2 }, { cpu: 1, mem: 4 }],
  ])('takes %s', (_, low, foo) => {
    expect(come(one, main, [['q_low', 1, low, HOST, 1]], ['q_foo', 1, foo, onHost, 3])).toEqual(['-q_low', 'q_foo@x1 1'])
  })

  it('takes nobody for a pod that replaces one lost with its node, and without a node for it gives up the others (TASFailedNodeReplacementFailFast)', () => {
    const master = dispatcher({ cluster: { nodes: ['x1', 'y1', 'z1'].map((name) => ({ names: [name], count: 1, racks: ['rack'], resources: { cpu: 5, mem: 5 } })) }, policy: kueue(main, topologyAware()) })
    master.submit({ ...jobOf(['q_foo', 2, 5, RACK, 3]), replacesLost: true }, 0)
    const [lost] = master.pass(0).start
    master.submit(jobOf(['q_low', 1, 5, HOST, 1]), 1)
    expect(master.pass(1).start.map(({ job, node }) => `${job}@${node}`)).toEqual(['q_low@z1'])
    master.nodeDown('x1', 2)
    master.taskFailed(lost as NonNullable<typeof lost>, 2)
    const first = master.pass(2)
    expect([first.start, first.kill.map(({ job }) => job)]).toEqual([[], ['q_foo']])
    expect(master.pass(2)).toMatchObject({ start: [], kill: [] })
    const then = master.pass(master.nextWake) // anew, all of it: it takes others as any workload does
    expect([then.kill.map(({ job }) => job), then.start.map(({ job, node }) => `${job}@${node}`).sort()]).toEqual([['q_low'], ['q_foo@y1', 'q_foo@z1']])
  })

  it('or, with that gate closed, lets the others run on until there is a node for it', () => {
    const options: KueueOptions = { ...main, failedNodeReplacementFailFast: false }
    const master = dispatcher({ cluster: { nodes: ['x1', 'y1', 'z1'].map((name) => ({ names: [name], count: 1, racks: ['rack'], resources: { cpu: 5, mem: 5 } })) }, policy: kueue(options, topologyAware()) })
    master.submit({ ...jobOf(['q_foo', 2, 5, RACK, 3]), replacesLost: true }, 0)
    const [lost] = master.pass(0).start
    master.submit(jobOf(['q_low', 1, 5, HOST, 1]), 1)
    const [low] = master.pass(1).start
    master.nodeDown('x1', 2)
    master.taskFailed(lost as NonNullable<typeof lost>, 2)
    for (const now of [2, 3, 100]) expect(master.pass(now)).toMatchObject({ start: [], kill: [] })
    master.taskEnded(low as NonNullable<typeof low>, 101)
    expect(master.pass(101).start.map(({ job, node }) => `${job}@${node}`)).toEqual(['q_foo@z1'])
  })

  it('puts a pod that replaces one lost with its node where there is one', () => {
    const master = dispatcher({ cluster: { nodes: ['x1', 'y1', 'z1'].map((name) => ({ names: [name], count: 1, racks: ['rack'], resources: { cpu: 5, mem: 5 } })) }, policy: kueue(main, topologyAware()) })
    master.submit({ ...jobOf(['q_foo', 2, 5, RACK, 3]), replacesLost: true }, 0)
    const [lost] = master.pass(0).start
    master.nodeDown('x1', 2)
    master.taskFailed(lost as NonNullable<typeof lost>, 2)
    const { start, kill } = master.pass(2)
    expect([kill, start.map(({ job, node }) => `${job}@${node}`)]).toEqual([[], ['q_foo@z1']])
  })

  it('takes who is in its place, where a node has room for one pod', () => {
    expect(come({ x1: { cpu: 5, pods: 1 } }, { queues: { q: { ...main.queues?.['q'], nominalQuota: { cpu: 50, pods: 50 } } } }, [['q_low', 1, { cpu: 2, pods: 1 }, HOST, 1]], ['q_foo', 1, { cpu: 2, pods: 1 }, onHost, 3])).toEqual(['-q_low', 'q_foo@x1 1'])
  })

  it('spares those of higher priority', () => {
    expect(come(one, main, [['q_mid', 1, 2, HOST, 2], ['q_low', 1, 2, HOST, 1]], ['q_foo', 1, 2, onHost, 3])).toEqual(['-q_low', 'q_foo@x1 1'])
  })

  it('takes one for a host for all pods, where two hosts have room for one each', () => {
    expect(come(two, main, [['q_mid', 1, 4, HOST, 2], ['q_low', 1, 4, HOST, 1]], ['q_foo', 2, 1, HOST, 3])).toEqual(['-q_low', 'q_foo@y1 2'])
  })

  it('takes nobody of equal priority, and the next of the queue goes where it has room', () => {
    expect(come(one, main, [['q_on', 1, 4, HOST, 2]], ['q_mid', 2, 1, HOST, 2], ['q_low', 1, 1, HOST, 1])).toEqual(['q_low@x1 1'])
  })

  it('takes for all sets of pods together', () => {
    const four: KueueOptions = { queues: { q: { nominalQuota: { cpu: 4, mem: 10 }, preemption: { withinClusterQueue: 'LowerPriority' } } } }
    const sets = [stage(1, 1, { name: 'leader' }), stage(2, { cpu: 1, mem: 1 }, { name: 'other' }), stage(1, 1, { name: 'worker' })]
    expect(come({ x1: { cpu: 50, mem: 50 } }, four, [['q_low', 4, 1, HOST]], gang('q_foo', sets, { priority: 1, topology: HOST }))).toEqual(['-q_low', 'q_foo@x1 4'])
  })

  it('takes who lacks it memory by quota, and who is on its node with CPUs of which there is quota', () => {
    const ten: KueueOptions = { queues: { q: { nominalQuota: { cpu: 10_000, mem: 10 }, preemption: { withinClusterQueue: 'LowerPriority' } } } }
    const low = [['q_cpu', 2, { cpu: 3000 }, { preferred: 1 }, -1000], ['q_mem', 2, { cpu: 10, mem: 5 }, { preferred: 1 }, -1000]] as const
    expect(come({ x1: { cpu: 5000, mem: 5 }, y1: { cpu: 5000, mem: 5 } }, ten, low, ['q_foo', 1, { cpu: 3000, mem: 5 }, HOST])).toEqual(['-q_cpu', '-q_mem', 'q_foo@x1 1'])
  })

  it('takes those of its own flavor alone, where flavors share a node', () => {
    const both: KueueOptions = { flavors: { a: { host: 'x1' }, b: { host: 'x1' } }, queues: { q: { nominalQuota: { a: { cpu: 3 }, b: { cpu: 5 } }, preemption: { withinClusterQueue: 'LowerPriority' } } } }
    expect(come({ x1: { cpu: 5 } }, both, [['q_1', 1, 1, onHost, 1], ['q_2', 1, 3, onHost, 1]], ['q_3', 1, 2, onHost, 5])).toEqual(['-q_1', 'q_3@x1 1'])
  })

  it('takes another where the one that it would take has gone for another queue', () => {
    const of = (cpu: number) => ({ cohort: 'c', nominalQuota: { cpu }, borrowingLimit: { cpu: 10 }, preemption: { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'Any' } }) as const
    const on = [['c_low', 1, 3, HOST, 1], ['c_mid', 1, 3, HOST, 2]] as const
    expect(come(two, { queues: { a: of(5), b: of(5), c: of(0) } }, on, ['a_1', 1, 3, HOST, 10], ['b_1', 1, 3, HOST, 10])).toEqual(['-c_low', '-c_mid', 'a_1@x1 1', 'b_1@y1 1'])
  })
})
