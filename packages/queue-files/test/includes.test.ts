import { describe, expect, it } from 'vitest'
import { queuePolicy, readProperties, readQueues, slurmNodes, type SourceText } from '../src/index.js'
import { messageOf } from './message-of.js'

/** A file among others, which it may include by their names. */
const among = (files: Readonly<Record<string, string>>, file: string): SourceText => {
  const of = (name: string): SourceText | undefined => (files[name] === undefined ? undefined : { file: name, text: files[name], include: of })
  return of(file) as SourceText
}
const facts = { resources: ['memory-mb', 'vcores'], nodes: 4, heartbeat: true }

describe('a slurm.conf that includes others', () => {
  const files = {
    'slurm.conf': 'ClusterName=c\nNodeName=DEFAULT RealMemory=1000\nInclude nodes.conf\ninclude "parts.conf" # quoted\nPreemptType=preempt/none',
    'nodes.conf': 'NodeName=n[1-2] CPUs=4\nInclude more.conf', 'more.conf': 'NodeName=m1 CPUs=8', 'parts.conf': '\nPartitionName=main Nodes=n1 PriorityTier=x\n',
  }

  it('has their lines in the place of its own, and those of files that they include', () => {
    expect(slurmNodes(among({ ...files, 'parts.conf': 'PartitionName=main Nodes=ALL' }, 'slurm.conf')).nodes.map(({ names, resources }) => [names, resources])).toEqual([
      [['m1'], { procs: 8, mem: 1000, nodes: 1 }], [['n1', 'n2'], { procs: 4, mem: 1000, nodes: 1 }],
    ])
    const { findings } = queuePolicy(readQueues(among({ ...files, 'parts.conf': '\nPartitionName=main Nodes=ALL MaxTime=60' }, 'slurm.conf')), facts)
    expect(findings.filter(({ setting }) => setting === 'main MaxTime').map(({ file, line }) => [file, line])).toEqual([['parts.conf', 2]])
  })

  it('has the name of the cluster for %c in the names of files, in small letters', () => {
    const named = { 'slurm.conf': 'Include name.conf\nInclude %c-nodes.conf', 'name.conf': 'ClusterName=Big', 'big-nodes.conf': 'NodeName=n[1-2]' }
    expect(slurmNodes(among(named, 'slurm.conf')).nodes.map(({ names }) => names)).toEqual([['n1', 'n2']])
  })

  it('tells mistakes with the file that has them', () => {
    expect(messageOf(() => queuePolicy(readQueues(among(files, 'slurm.conf')), facts))).toBe('"parts.conf" line 2 PriorityTier: found "x", expected a whole number from 0 to 65533. Correct it, or leave it out for the default of Slurm.')
    expect(messageOf(() => readQueues(among({ ...files, 'parts.conf': 'Include gone.conf' }, 'slurm.conf')))).toBe('"parts.conf" line 1: includes gone.conf, which is not there. Put that file beside this one, or its lines in the place of this one.')
    expect(messageOf(() => readQueues(among({ ...files, 'more.conf': '\nInclude slurm.conf' }, 'slurm.conf')))).toBe('"more.conf" line 2: includes slurm.conf, which includes this file. Remove the one or the other.')
    expect(messageOf(() => readQueues(among({ ...files, 'more.conf': 'PartitionName=main\nPartitionName=main' }, 'slurm.conf')))).toContain('"more.conf" line 2 PartitionName: partition "main" was declared before.')
  })
})

describe('properties that include others', () => {
  const property = (name: string, value: string) => `<property><name>yarn.scheduler.capacity.${name}</name><value>${value}</value></property>`
  const configuration = (...lines: readonly string[]) => `<configuration xmlns:xi="http://www.w3.org/2001/XInclude">\n${lines.join('\n')}\n</configuration>`
  const files = {
    'capacity-scheduler.xml': configuration(property('root.queues', 'a,b'), '<xi:include href="queues.xml"/>', property('root.b.capacity', '60')),
    'queues.xml': configuration(property('root.a.capacity', '40'), property('root.a.state', 'STOPPED'), property('root.b.capacity', '10')),
  }

  it('have theirs in that place, so that later ones go before', () => {
    const { findings, policy } = queuePolicy(readQueues(among(files, 'capacity-scheduler.xml')), facts)
    expect(policy).toMatchObject({ 'capacity-scheduler': { queues: { 'root.a': { capacity: 40, state: 'STOPPED' }, 'root.b': { capacity: 60 } } } })
    expect(findings.map(({ file, line, setting }) => [file, line, setting.replace('yarn.scheduler.capacity.', '')])).toEqual([
      ['capacity-scheduler.xml', 2, 'root.queues'], ['capacity-scheduler.xml', 4, 'root.b.capacity'], ['queues.xml', 2, 'root.a.capacity'], ['queues.xml', 3, 'root.a.state']])
  })

  it('have those of the fallback where the file is not there', () => {
    const text = configuration(`<xi:include href="gone.xml"><xi:fallback>${property('x', '1')}</xi:fallback></xi:include>`)
    expect([...readProperties(among({ 'site.xml': text }, 'site.xml')).values()].map(({ value }) => value)).toEqual(['1'])
    expect([...readProperties({ file: 'site.xml', text }).values()].map(({ value }) => value)).toEqual(['1'])
  })

  it('tell mistakes with the file that has them', () => {
    const message = (changed: Readonly<Record<string, string>>) => messageOf(() => queuePolicy(readQueues(among({ ...files, ...changed }, 'capacity-scheduler.xml')), facts))
    expect(message({ 'queues.xml': configuration(property('root.a.capacity', '40'), '<xi:include href="capacity-scheduler.xml"/>') })).toBe('"queues.xml" line 3: includes capacity-scheduler.xml, which includes this file. Remove the one or the other.')
    expect(message({ 'capacity-scheduler.xml': configuration(property('root.queues', 'a,b'), property('root.b.capacity', '70'), '<xi:include href="queues.xml"/>'), 'queues.xml': configuration(property('root.a.capacity', '40'), property('root.b.capacity', '50')) }))
      .toContain('"queues.xml" line 3 yarn.scheduler.capacity.root.b.capacity: the capacities of the queues in "root" sum to 90, not 100')
    expect(message({ 'queues.xml': configuration('', property('root.c.queues', 'd')) })).toContain('"queues.xml" line 3 yarn.scheduler.capacity.root.c.queues: it lists queues inside "root.c", and there is no such queue.')
    expect(message({ 'queues.xml': '<allocations/>' })).toBe('"queues.xml" line 1: begins with <allocations>, expected <configuration>. Is it the right file? Properties of Hadoop stand in <configuration>.')
    expect(message({ 'capacity-scheduler.xml': configuration('<xi:include/>') })).toContain('"capacity-scheduler.xml" line 2: <xi:include> has no href.')
    expect(messageOf(() => readProperties({ file: 'site.xml', text: configuration('<xi:include href="a.xml"/>') }))).toBe('"site.xml" line 2: includes a.xml, which is not read. Put the lines of that file in the place of this one.')
  })

  it('are not those of the fair scheduler, whose queue file YARN reads alone', () => {
    const { findings } = queuePolicy(readQueues({ file: 'fair.xml', text: '<allocations xmlns:xi="x">\n<xi:include href="a.xml"/><queue name="a"/></allocations>' }), facts)
    expect(findings[0]).toMatchObject({ verdict: 'ignored', line: 2, note: expect.stringContaining('YARN reads no includes in this file') as string })
  })
})

it('settings of Slurm that say what holds here anyway are honoured', () => {
  const text = 'ClusterName=c\nJobRequeue=1\nSuspendTime=-1\nPartitionName=p OverSubscribe=NO AllowGroups=ALL RootOnly=YES\nSuspendTimeout=3\nCompleteWait=8'
  const { findings } = queuePolicy(readQueues({ file: 'slurm.conf', text }), facts)
  expect(findings.map(({ verdict, setting }) => `${verdict} ${setting}`)).toEqual(expect.arrayContaining(['honoured JobRequeue', 'honoured SuspendTime', 'honoured p OverSubscribe', 'honoured p AllowGroups', 'ignored p RootOnly', 'ignored CompleteWait']))
})
