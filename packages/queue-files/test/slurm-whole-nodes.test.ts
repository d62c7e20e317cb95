import { describe, expect, it } from 'vitest'
import type { JobSpec, StageSpec } from '@sched/core'
import { queuePolicy, readQueues, slurmDefaults, slurmNodes, type ClusterFacts, type SlurmConf } from '../src/index.js'

const ALIKE = 'NodeName=n[1-4] CPUs=8 RealMemory=100 Gres=gpu:2'
const MIXED = 'NodeName=n[1-2] CPUs=8\nNodeName=n[3-4] CPUs=4'
/** n1 and n2 are of the partition a, the others of b. */
const PARTS = 'PartitionName=a Nodes=n[1-2] OverSubscribe=EXCLUSIVE\nPartitionName=b Nodes=n[3-4]'
type Size = Readonly<Record<string, number>>
const big: Size = { procs: 8, mem: 100, gpus: 2, nodes: 1 }
const small: Size = { procs: 4, nodes: 1 }
const marks: Readonly<Record<string, string[]>> = { 'partition:a': ['n1', 'n2'], 'partition:b': ['n3', 'n4'], 'partition:c': ['n2', 'n3'] }

const facts = (sizes: Readonly<Record<string, readonly Size[]>>, nodes = 4): ClusterFacts =>
  ({ resources: ['procs', 'mem', 'gpus', 'nodes'], nodes, heartbeat: false, nodesWith: (label) => marks[label] ?? [], sizesWith: (label = 'all') => sizes[label] ?? [] })
const read = (text: string) => readQueues({ file: 'slurm.conf', text: `ClusterName=c\n${text}` }) as SlurmConf
/** What a job of a partition asks for: tasks of each stage, and what each of them asks. */
function asked(text: string, known: ClusterFacts, stage: Partial<StageSpec>, job: Partial<JobSpec> = { queue: 'a' }) {
  const fill = slurmDefaults(read(text), known)
  const spec: JobSpec = { id: 'x', submit: 0, stages: [{ name: 's', tasks: 1, gang: true, demand: { procs: 1 }, duration: 1, ...stage }], ...job }
  return (fill?.(spec) ?? spec).stages.map(({ tasks, demand }) => [tasks, demand])
}
const told = (text: string, known: ClusterFacts) =>
  queuePolicy(read(text), known).findings.filter(({ setting }) => /SelectType|OverSubscribe/.test(setting)).map(({ verdict, setting, note }) => [verdict, setting, /^[^:,;]*/.exec(note ?? '')?.[0]])

const alike = facts({ all: [big], 'partition:a': [big], 'partition:b': [big] })
const mixed = facts({ all: [big, small], 'partition:a': [big, small], 'partition:b': [small], 'partition:c': [big, small] })

describe('whole nodes of Slurm', () => {
  it('are all processors and GPUs of as many nodes as the processors of a job fill, with the memory that it asks for', () => {
    const whole = { procs: 8, gpus: 2, nodes: 1 }
    const text = `SelectType=select/linear\n${ALIKE}`
    expect([1, 8, 9, 17].map((tasks) => asked(text, alike, { tasks })[0])).toEqual([[1, whole], [1, whole], [2, whole], [3, whole]])
    expect(asked(text, alike, { tasks: 3, demand: { procs: 2, mem: 40 } })).toEqual([[3, { ...whole, mem: 40 }]])
    expect(told(text, alike)).toEqual([['honoured', 'SelectType', 'jobs get whole nodes']])
  })

  it('are as many as the tasks fill of a job that says on how many nodes it must be at least: -n4 -c2 asked for four of them', () => {
    const [text, whole] = [`SelectType=select/linear\n${ALIKE}`, { procs: 8, gpus: 2, nodes: 1 }]
    const of = (tasks: number, demand: Record<string, number>, minNodes = 1) => asked(text, alike, { tasks, demand }, { queue: 'a', minNodes })
    expect([of(4, { procs: 2 }), of(5, { procs: 2 }), of(4, { procs: 2 }, 3), of(6, { procs: 3 })]).toEqual([[[1, whole]], [[2, whole]], [[3, whole]], [[3, whole]]])
    expect([of(4, { procs: 1, mem: 40 }), of(2, { procs: 9 })]).toEqual([[[2, { ...whole, mem: 80 }]], [[2, { procs: 9 }]]])
    expect(asked(text, alike, { tasks: 4, demand: { procs: 2 }, constraints: { distinctNodes: true } }, { queue: 'a', minNodes: 1 })[0]?.[0]).toBe(4)
  })

  it('are of partitions with OverSubscribe=EXCLUSIVE alone, and not of select/linear with FORCE', () => {
    const text = `${ALIKE}\n${PARTS}`
    expect([asked(text, alike, { tasks: 9 })[0]?.[0], asked(text, alike, { tasks: 9 }, { queue: 'b' })[0]]).toEqual([2, [9, { procs: 1 }]])
    expect(told(text, alike)).toEqual([['honoured', 'a OverSubscribe', 'jobs get whole nodes']])
    const forced = (value: string) => asked(`SelectType=select/linear\n${ALIKE}\nPartitionName=a OverSubscribe=${value}`, alike, { tasks: 9 })[0]?.[0]
    expect(['NO', 'YES:4', 'FORCE:1', 'FORCE:2', 'FORCE'].map(forced)).toEqual([2, 2, 2, 9, 9])
  })

  it('go by the partition of each part of a heterogeneous job', () => {
    const stage = { name: 's', tasks: 9, demand: { procs: 1 }, duration: 1 }
    expect(asked(`${ALIKE}\n${PARTS}`, alike, {}, { queue: 'b', gang: true, stages: [stage, { ...stage, partition: 'a' }] }).map(([tasks]) => tasks)).toEqual([9, 2])
  })

  it('are nodes of a kind of their own where nodes differ: so many as the smallest would have to be', () => {
    const text = `SelectType=select/linear\n${MIXED}`
    expect([asked(text, mixed, { tasks: 9 }), asked(text, mixed, { tasks: 2, demand: { procs: 8 } })]).toEqual([[[3, { procs: 3, nodes: 1 }]], [[2, { procs: 8, nodes: 1 }]]])
    expect(told(text, mixed)).toEqual([['approximated', 'SelectType', 'a job has its nodes for itself']])
  })

  it('are not there where nodes differ and other partitions share them, which is told', () => {
    const text = `${MIXED}\nPartitionName=a Nodes=n[1-2] OverSubscribe=EXCLUSIVE\nPartitionName=c Nodes=n[2-3]`
    expect(asked(text, mixed, { tasks: 9 })).toEqual([[9, { procs: 1 }]])
    expect(told(text, mixed)).toEqual([['ignored', 'a OverSubscribe', 'its nodes differ']])
    expect(told(`${MIXED}\n${PARTS}`, mixed)).toEqual([['approximated', 'a OverSubscribe', 'a job has its nodes for itself']])
    expect(told(text.replace('n[2-3]', 'n[2-3] OverSubscribe=EXCLUSIVE'), mixed).map(([verdict]) => verdict)).toEqual(['approximated', 'approximated'])
  })

  describe('that differ and that other partitions share', () => {
    const text = `${MIXED}\nPartitionName=a Nodes=n[1-3] OverSubscribe=EXCLUSIVE\nPartitionName=c Nodes=n[2-3]`
    const [a, b] = [{ ...big, tenants: 8 }, { ...small, tenants: 8 }]
    const known = facts({ all: [a, b], 'partition:a': [a, b], 'partition:c': [a, b] })
    const tenantsIn = (conf: string) => slurmNodes({ file: 's.conf', text: `ClusterName=c\n${conf}` }).nodes.map(({ resources }) => resources['tenants'])

    it('have so many tenants as the largest has processors, and others none', () => {
      expect(tenantsIn(text)).toEqual([8, 8, 8, 8])
      expect(new Set(tenantsIn(text.replace('n[2-3]', 'ALL')))).toEqual(new Set([8]))
      const none = [text.replace('n[2-3]', 'n4'), text.replace('n[1-3]', 'n[1-2]'), text.replace('n[2-3]', 'n[2-3] OverSubscribe=EXCLUSIVE'), text.replace(' OverSubscribe=EXCLUSIVE', '')]
      for (const each of none) expect(new Set(tenantsIn(each))).toEqual(new Set([undefined]))
      expect(new Set(tenantsIn(`SelectType=select/linear\n${MIXED}\nPartitionName=a\nPartitionName=b OverSubscribe=FORCE`))).toEqual(new Set([8]))
    })

    it('are taken whole by a task that takes all tenants; others are one each', () => {
      expect([asked(text, known, { tasks: 9 }), asked(text, known, { tasks: 9 }, { queue: 'c' })]).toEqual([[[3, { procs: 3, nodes: 1, tenants: 8 }]], [[9, { procs: 1, tenants: 1 }]]])
      expect(told(text, known)).toEqual([['approximated', 'a OverSubscribe', 'a job has its nodes for itself']])
    })

    it('are so for jobs with --exclusive, and such as ask for nodes', () => {
      expect(asked(text, known, { tasks: 2, demand: { procs: 3 } }, { queue: 'c', exclusive: true })).toEqual([[2, { procs: 3, nodes: 1, tenants: 8 }]])
      expect(asked(text, known, { tasks: 3, demand: { nodes: 1 } }, { queue: 'c' })).toEqual([[3, { nodes: 1, tenants: 8 }]])
    })
  })

  it('are not what jobs take that ask for nodes, for more than there is on any, or of one node, the whole of a machine', () => {
    const text = `SelectType=select/linear\n${ALIKE}`
    expect([asked(text, alike, { tasks: 3, demand: { nodes: 1 } }), asked(text, alike, { demand: { procs: 9 } }), asked(text, facts({ all: [{ procs: 32 }] }, 1), {})]).toEqual([
      [[3, { nodes: 1 }]], [[1, { procs: 9 }]], [[1, { procs: 1 }]],
    ])
    expect(told(text, facts({ all: [{ procs: 32 }] }, 1))).toEqual([['ignored', 'SelectType', 'there is one node']])
  })

  it('are the only one of a cluster, too', () => {
    expect([asked('SelectType=select/linear\nNodeName=n1 CPUs=8', facts({ all: [big] }, 1), {}), told('SelectType=select/linear', facts({ all: [big] }, 1))]).toEqual([[[1, { procs: 8, gpus: 2, nodes: 1 }]], [['honoured', 'SelectType', 'jobs get whole nodes']]])
  })

  it('are a task each of a gang that is not one of processors alone', () => {
    const text = `SelectType=select/linear\n${ALIKE}`
    const tasks = (stage: Partial<StageSpec>) => asked(text, alike, { tasks: 3, ...stage })[0]?.[0]
    expect([{}, { gang: false }, { minTasks: 2 }, { duration: [1, 2, 3] }, { use: { cores: 1 } }, { constraints: { distinctNodes: true } }, { demand: { procs: 1, mem: 1 } }, { demand: { procs: 2 } }].map(tasks)).toEqual([1, 3, 3, 3, 3, 3, 3, 3])
  })

  it('are what jobs with --exclusive get, the smallest with room where nodes differ and others share them', () => {
    const ask = (text: string, known: ClusterFacts, stage: Partial<StageSpec>, queue = 'a') => asked(text, known, stage, { queue, exclusive: true })[0]
    const shared = `${ALIKE}\nPartitionName=a`
    expect([ask(shared, alike, { tasks: 9 }), asked(shared, alike, { tasks: 9 })[0]]).toEqual([[2, { procs: 8, gpus: 2, nodes: 1 }], [9, { procs: 1 }]])
    const differ = `${MIXED}\nPartitionName=a Nodes=n[1-2]\nPartitionName=b Nodes=n[3-4]`
    const fitting = [3, 5, 9].map((procs) => ask(differ, mixed, { tasks: 2, demand: { procs } }))
    expect(fitting).toEqual([[2, { procs: 4, nodes: 1 }], [2, { procs: 8, gpus: 2, nodes: 1 }], [2, { procs: 9 }]])
    expect([ask(differ, mixed, { demand: { procs: 1, mem: 50 } }), ask(differ, mixed, { tasks: 5 }, 'b')]).toEqual([[1, { procs: 8, mem: 50, gpus: 2, nodes: 1 }], [2, { procs: 4, nodes: 1 }]])
    expect(ask('NodeName=n1 CPUs=32', facts({ all: [{ procs: 32 }] }, 1), {})).toEqual([1, { procs: 1 }])
  })

  it('are found by looking through the nodes of a partition once, however many jobs come', () => {
    const looks: (string | undefined)[] = []
    const known: ClusterFacts = { ...mixed, sizesWith: (label) => (looks.push(label), mixed.sizesWith?.(label) ?? []) }
    const fill = slurmDefaults(read(`${MIXED}\nPartitionName=a Nodes=n[1-2]\nPartitionName=b Nodes=n[3-4]`), known)
    for (const [i, queue] of ['a', 'b', 'a', 'b', 'a'].entries()) fill?.({ id: `${i}`, submit: i, queue, exclusive: true, stages: [{ name: 's', tasks: 1, gang: true, demand: { procs: 1 }, duration: 1 }] })
    expect(looks).toEqual(['partition:a', undefined, 'partition:b'])
  })

  it('are told of a line DEFAULT as of the partitions below it', () => {
    expect(told(`${MIXED}\nPartitionName=DEFAULT OverSubscribe=EXCLUSIVE\nPartitionName=a Nodes=n[1-2]`, mixed)).toEqual([['approximated', 'DEFAULT OverSubscribe', 'a job has its nodes for itself']])
  })
})
