import type { JobSpec } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { readQueues, slurmDefaults, type SlurmConf } from '../src/index.js'

const nodesOf: Readonly<Record<string, readonly string[]>> = { 'partition:first': ['n1', 'n2'], 'partition:last': ['n3', 'n4'] }
const facts = { resources: ['procs', 'nodes'], nodes: 4, heartbeat: false, nodeNames: ['n1', 'n2', 'n3', 'n4'], nodesWith: (label: string) => nodesOf[label] ?? [] }
const head = 'ClusterName=c\nNodeName=n[1-4] CPUs=4\n'
const placing = (text: string, ...beside: readonly string[]) =>
  slurmDefaults(readQueues({ file: 'slurm.conf', text: head + text }, ...beside.map((each, i) => ({ file: `beside-${i + 1}`, text: each }))) as SlurmConf, facts) as (job: JobSpec) => JobSpec
const job = (queue: string, more: Partial<JobSpec> = {}, tasks = 2, procs = 1): JobSpec =>
  ({ id: 'j', submit: 0, queue, stages: [{ name: 's', tasks, ...(tasks > 1 && { gang: true }), demand: { procs }, duration: 1 }], ...more })

describe('a job in several partitions', () => {
  const both = 'PartitionName=all Nodes=ALL Default=YES\nPartitionName=first PriorityTier=5 Nodes=n[1-2]\nPartitionName=last PriorityJobFactor=3 Nodes=n[3-4]'
  it('is in the one of the highest tier, or else of the highest job factor where that counts, on nodes of any of them', () => {
    const placed = (queue: string, settings = '') => {
      const { queue: found, stages: [stage] } = placing(`${settings}${both}`)(job(queue))
      return [found, stage?.constraints]
    }
    expect(placed('last,first')).toEqual(['first', { require: { 'partition:first|partition:last': 'true' }, alike: ['partition:first', 'partition:last'] }])
    expect(placed('all,last', 'PriorityWeightPartition=1\n')).toEqual(['last', { alike: ['partition:last', 'partition:all|*'] }])
    // without a weight as they are named: Slurm 22.05.8 started -p pb,pa in pb, whose factor was 1, and that of pa 4
    expect(placed('all,last')).toEqual(['all', { alike: ['partition:all|*', 'partition:last'] }])
    expect(placed('last')).toEqual(['last', { require: { 'partition:last': 'true' } }])
    expect(placed('x,last')).toEqual(['last', { require: { 'partition:last': 'true' } }])
    expect(placed('x,y')).toEqual(['x,y', undefined])
  })

  const first = (limits: string) => `PartitionName=first PriorityTier=5 Nodes=n[1-2] ${limits}\nPartitionName=last Nodes=n[3-4]`
  it.each<[string, string, Partial<JobSpec>, number?]>([
    ['a shorter MaxTime', 'MaxTime=10', { estimate: 601 }],
    ['a MinNodes above its fewest nodes', 'MinNodes=2', {}],
    ['a MaxNodes below its fewest nodes', 'MaxNodes=1', { minNodes: 2 }],
    ['a MaxNodes below its tasks, which share no node', 'MaxNodes=1', { stages: [{ name: 's', tasks: 2, gang: true, demand: { procs: 1 }, duration: 1, constraints: { distinctNodes: true } }] }],
    ['a MaxNodes below its most nodes', 'MaxNodes=1', { maxNodes: 2 }],
    ['fewer processors of a node than a task has', 'MaxCPUsPerNode=1', {}, 2],
    ['its nodes down', 'State=DOWN', {}],
  ])('is not in one with %s', (_, limits, asked, procs) => {
    const places = (text: string) => {
      const { queue, stages: [stage] } = placing(text)(job('first,last', asked, 2, procs))
      return [queue, stage?.constraints?.require]
    }
    expect(places(first(''))).toEqual(['first', { 'partition:first|partition:last': 'true' }])
    expect(places(first(limits))).toEqual(['last', { 'partition:last': 'true' }])
    expect(places(`EnforcePartLimits=ALL\n${first(limits)}`)).toEqual(['first', { 'partition:first': 'true' }]) // where it is refused, or waits
    expect(places(`EnforcePartLimits=ANY\n${first(limits)}`)).toEqual(['last', { 'partition:last': 'true' }])
  })

  it('is in the first one if it can be in none, and where its QOS knows no limits of partitions', () => {
    expect(placing(`${first('MaxTime=10')} MaxTime=20`)(job('first,last', { estimate: 3600 })).queue).toBe('first')
    const long = placing(first('MaxTime=10'), 'Name|Priority|Flags\nlong|1|PartitionTimeLimit\n')
    expect([long(job('first,last', { estimate: 3600, qos: 'long' })).queue, long(job('first,last', { estimate: 3600 })).queue]).toEqual(['first', 'last'])
  })
})

describe('a job of a partition with MinNodes', () => {
  const on = (queue: string, more: Partial<JobSpec>, tasks: number, procs: number) => {
    const { minNodes, stages: [stage] } = placing('PartitionName=a MinNodes=2\nPartitionName=b MinNodes=3\nPartitionName=c')(job(queue, more, tasks, procs))
    return [minNodes, stage?.tasks, stage?.demand['procs']]
  }
  it('is on so many nodes at least, in equal parts', () => {
    expect([on('a', {}, 1, 1), on('a', {}, 1, 3), on('a', {}, 4, 1), on('b', {}, 2, 3)]).toEqual([[2, 2, 1], [2, 2, 2], [2, 4, 1], [3, 3, 2]])
  })
  it('is on more if it asks for more, and on fewer if it may not be on so many', () => {
    expect([on('a', { minNodes: 3 }, 4, 1), on('a', { maxNodes: 2 }, 4, 1), on('a', { maxNodes: 1 }, 4, 1), on('c', {}, 4, 1)]).toEqual([[3, 4, 1], [2, 4, 1], [undefined, 4, 1], [undefined, 4, 1]])
  })
  it('has the least that its partitions demand, and is in none that demands more', () => {
    expect([on('b,a', {}, 1, 1), on('a,b,c', {}, 1, 1)]).toEqual([[2, 2, 1], [undefined, 1, 1]])
    expect(placing('PartitionName=a MinNodes=2\nPartitionName=b MinNodes=3 PriorityTier=2')(job('b,a')).queue).toBe('a')
  })
})
