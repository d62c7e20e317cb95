import { describe, expect, it } from 'vitest'
import { compareQueues, queuePolicy, queueTable, readQueues, slurmNodes } from '../src/index.js'
import { messageOf } from './message-of.js'

const source = (text: string) => ({ file: 'slurm.conf', text })
const nodesOf = (text: string) => slurmNodes(source(text)).nodes
const made = (text: string, nodes = 2) => queuePolicy(readQueues(source(text)), { resources: ['procs'], nodes, heartbeat: false })
const policyOf = (text: string) => made(`ClusterName=c\n${text}`).policy
/** What became of the settings of the last lines. */
const told = (text: string) => made(`ClusterName=c\n${text}`).findings.filter(({ line }) => line > 1).map(({ verdict, line, setting, note }) => [verdict, line, setting, note])

describe('the weights of nodes', () => {
  const hosts = ['n1', 'n2', 'g1']
  const weighed = (text: string, nodeNames: readonly string[] = hosts, nodes = 3) => {
    const { policy, findings } = queuePolicy(readQueues(source(`ClusterName=c\n${text}`)), { resources: ['procs'], nodes, heartbeat: false, nodeNames })
    return [(policy as { replan: { weights?: object } }).replan.weights, ...findings.filter(({ setting }) => setting.endsWith('Weight')).map(({ verdict, line, setting }) => [verdict, line, setting])]
  }

  it('are those of the nodes that the cluster has, if they differ', () => {
    const text = 'NodeName=DEFAULT Weight=5\nNodeName=n[1-3] CPUs=2\nNodeName=g1 CPUs=4 Weight=50'
    expect(weighed(text)).toEqual([{ n1: 5, n2: 5, g1: 50 }, ['honoured', 2, 'DEFAULT Weight'], ['honoured', 4, 'g1 Weight']])
    expect(weighed('NodeName=n[1-2] Weight=1\nNodeName=g1 Weight=7')[0]).toEqual({ g1: 7 })
    expect(weighed('NodeName=n[1-2],g1 Weight=7')).toEqual([undefined, ['honoured', 2, 'n[1-2],g1 Weight']])
    expect(weighed('SelectType=select/linear\nNodeName=g1 Weight=7')).toEqual([{ g1: 7 }, ['approximated', 3, 'g1 Weight']])
  })

  it('do not bind jobs that preempt others, which is told', () => {
    const ofPreempting = (...lines: string[]) => queuePolicy(readQueues(source(['ClusterName=c', ...lines, 'NodeName=n[1-2]', 'NodeName=g1 Weight=7'].join('\n'))), { resources: ['procs'], nodes: 3, heartbeat: false, nodeNames: hosts })
      .findings.filter(({ setting }) => setting.endsWith('Weight')).map(({ verdict, note }) => [verdict, note])
    expect(ofPreempting('PreemptType=preempt/partition_prio', 'PreemptMode=REQUEUE')).toEqual([['approximated', 'but for the nodes of jobs that preempt others']])
    expect(ofPreempting('PreemptType=preempt/partition_prio', 'PreemptMode=OFF')).toEqual([['honoured', '']])
  })

  it('mean nothing on one node, and on nodes of other names', () => {
    const text = 'NodeName=n1 CPUs=2\nNodeName=g1 CPUs=4 Weight=50'
    for (const found of [weighed(text, hosts, 1), weighed(text, ['x1', 'x2'])]) expect(found).toEqual([undefined, ['ignored', 3, 'g1 Weight']])
  })
})

describe('the nodes of a slurm.conf', () => {
  it.each(['constructor', '__proto__'])('knows no setting that is called %s', (name) => {
    expect(told(`${name}=1\nPartitionName=p ${name}=1`)).toContainEqual(['ignored', 3, `p ${name}`, 'not simulated'])
  })

  it.each([
    ['ranges with zeros in front', 'a[08-11]', ['a08', 'a09', 'a10', 'a11']],
    ['several parts', 'x1,y[1,3-4]-ib', ['x1', 'y1-ib', 'y3-ib', 'y4-ib']],
    ['several brackets, the last one quickest', 'r[1-2]n[0-1]', ['r1n0', 'r1n1', 'r2n0', 'r2n1']],
    ['parts with blanks between them', '"x1 y[1, 3-4]"', ['x1', 'y1', 'y3', 'y4']],
  ])('have names of %s', (_, name, names) => {
    expect(nodesOf(`NodeName=${name} CPUs=2`)[0]!.names).toEqual(names)
  })

  it.each([
    ['CPUs', 'CPUs=48 Sockets=2 CoresPerSocket=12 ThreadsPerCore=2', { procs: 48 }],
    ['CPUs that are the cores, so that their threads are not scheduled', 'CPUs=24 Sockets=2 CoresPerSocket=12 ThreadsPerCore=2', { procs: 24 }],
    ['cores less those of the system, where threads are not scheduled', 'CPUs=24 Sockets=2 CoresPerSocket=12 ThreadsPerCore=2 CoreSpecCount=2', { procs: 22 }],
    ['threads, where CPUs are neither these nor the cores nor the sockets', 'CPUs=56 Sockets=2 CoresPerSocket=18 ThreadsPerCore=2', { procs: 72 }],
    ['sockets of boards whatever the sockets are said to be', 'Sockets=3 Boards=2 SocketsPerBoard=2 CoresPerSocket=4', { procs: 16 }],
    ['Procs, the older name', 'Procs=8', { procs: 8 }],
    ['sockets, cores and threads', 'Sockets=2 CoresPerSocket=12 ThreadsPerCore=2', { procs: 48 }],
    ['boards', 'Boards=2 SocketsPerBoard=2 CoresPerSocket=4', { procs: 16 }],
    ['nothing: one', '', { procs: 1 }],
    ['cores less those of the system', 'CoresPerSocket=12 ThreadsPerCore=2 CoreSpecCount=1', { procs: 22 }],
    ['sockets by the CPUs, where they are not given', 'CPUs=48 ThreadsPerCore=2 CoreSpecCount=1', { procs: 46 }],
    ['memory less that of the system', 'CPUs=4 RealMemory=64000 MemSpecLimit=4000', { procs: 4, mem: 60_000 }],
    ['GPUs', 'CPUs=4 Gres=gpu:4,nic:2', { procs: 4, gpus: 4 }],
    ['GPUs of several types', 'CPUs=4 gres=gpu:a100:2(S:0-1),gpu:v100:1', { procs: 4, gpus: 3 }],
    ['a GPU without a number', 'CPUs=4 Gres=gpu', { procs: 4, gpus: 1 }],
  ])('have %s', (_, settings, resources) => {
    expect(nodesOf(`NodeName=n1 ${settings}`)[0]!.resources).toEqual({ nodes: 1, ...resources })
  })

  it('take what a DEFAULT line above says until another one says otherwise; features and types of GPUs are labels', () => {
    const text = ['nodename=DEFAULT CPUs=8 RealMemory=1000', 'NodeName=a Feature=fast,ib', 'NodeName=DEFAULT RealMemory=2000', 'NodeName=b[1-2] CPUS=4 Gres=gpu:h100:8 # of CPUs'].join('\n')
    expect(slurmNodes(source(`ClusterName=site\r\n${text}`))).toEqual({
      name: 'site',
      nodes: [
        { names: ['a'], count: 1, resources: { nodes: 1, procs: 8, mem: 1000 }, labels: { fast: 'true', ib: 'true' } },
        { names: ['b1', 'b2'], count: 2, resources: { nodes: 1, procs: 4, mem: 2000, gpus: 8 }, labels: { model: 'h100' } },
      ],
    })
  })

  it('are marked with the partitions that have not all of them', () => {
    const text = ['NodeName=n[1-3] CPUs=2', 'NodeName=g[1-2] Feature=ib', 'DownNodes=n3', 'PartitionName=DEFAULT Nodes=ALL', 'PartitionName=all', 'PartitionName=gpu Nodes=g[1-2]', 'PartitionName=some Nodes=n2,g1'].join('\n')
    expect(nodesOf(text).map(({ names, labels }) => [names, labels])).toEqual([
      [['g1'], { ib: 'true', 'partition:gpu': 'true', 'partition:some': 'true' }], [['g2'], { ib: 'true', 'partition:gpu': 'true' }], [['n1'], undefined], [['n2'], { 'partition:some': 'true' }],
    ])
  })

  it('stand in the order of their names, numbers by their value, whichever line declares them (_sort_nodes_by_name of Slurm)', () => {
    const text = ['NodeName=n[1-2,10] CPUs=2', 'NodeName=n3,m12 CPUs=4', 'NodeName=n01,m2-b,m2 CPUs=8'].join('\n')
    expect(nodesOf(text).map(({ names, resources }) => [names, resources['procs']])).toEqual([[['m2', 'm2-b'], 8], [['m12'], 4], [['n01'], 8], [['n1', 'n2'], 2], [['n3'], 4], [['n10'], 2]])
  })

  it('are marked with partitions of node sets: their nodes, and those with their feature', () => {
    const text = ['NodeName=a[1-2] Features=fast,ib', 'NodeName=b[1-2]', 'NodeName=c', 'NodeSet=quick Feature=fast', 'NodeSet=odd Nodes=b1,c', 'PartitionName=q Nodes=quick', 'PartitionName=o Nodes=odd,a1'].join('\n')
    expect(nodesOf(text).map(({ names, labels }) => [names, Object.keys(labels ?? {}).filter((label) => label.startsWith('partition'))])).toEqual([
      [['a1'], ['partition:q', 'partition:o']], [['a2'], ['partition:q']], [['b1'], ['partition:o']], [['b2'], []], [['c'], ['partition:o']],
    ])
  })

  it('keep their order, since jobs get nodes that follow each other, where a partition lies inside another', () => {
    const text = ['NodeName=n[1-5]', 'PartitionName=outer Nodes=n[2-5]', 'PartitionName=inner Nodes=n[3-4]'].join('\n')
    expect(nodesOf(text).map(({ names }) => names)).toEqual([['n1'], ['n2'], ['n3', 'n4'], ['n5']])
  })

  it('leave out those that are down, draining or for the future', () => {
    const text = ['DownNodes=a[2-3] State=DOWN Reason="fan # 2"', 'NodeName=a[1-4]', 'NodeName=b State=DRAIN', 'NodeName=c State=FUTURE', 'NodeName=d State=CLOUD', 'DownNodes=d State=FAIL', 'NodeName=e State=UNKNOWN'].join('\n')
    expect(nodesOf(text).flatMap(({ names }) => names)).toEqual(['a1', 'a4', 'e'])
  })

  it('may go on after a backslash', () => {
    expect(nodesOf('NodeName=a[1-2],\\\nb \\\n  CPUs=2\nNodeName=c')).toEqual([
      { names: ['a1', 'a2', 'b'], count: 3, resources: { nodes: 1, procs: 2 } },
      { names: ['c'], count: 1, resources: { nodes: 1, procs: 1 } },
    ])
  })

  it.each([
    ['NodeName=a[1-', '"slurm.conf" line 1 NodeName: has a bracket without its other in "a[1-". Write hosts as node[1-4,6].'],
    ['NodeName=a[3-1]', '"slurm.conf" line 1 NodeName: found the range "3-1", expected a number, or two with a - between them. Write hosts as node[1-4,6].'],
    ['NodeName=a[0-99999999]', '"slurm.conf" line 1 NodeName: names more than 1000000 hosts. Write hosts as node[1-4,6].'],
    ['NodeName=a[000x333]', '"slurm.conf" line 1 NodeName: found the range "000x333", expected a number, or two with a - between them. Write hosts as node[1-4,6].'],
    ['NodeName=a\n\nNodeName=b,a', '"slurm.conf" line 3 NodeName: node "a" was declared before. Give every node once.'],
    ['NodeName=a CPUs=many', '"slurm.conf" line 1 CPUs: found "many", expected a whole number from 0 to 2147483647. Correct it, or leave it out for the default of Slurm.'],
    ['NodeName=a CPUs=2 CoreSpecCount=2', '"slurm.conf" line 1 NodeName: has 0 CPUs for jobs. Give it CPUs, more than CoreSpecCount keeps for the system.'],
    ['NodeName=a CPUs=2 RealMemory=1 MemSpecLimit=2', '"slurm.conf" line 1 NodeName: has -1 MiB for jobs. Give it more RealMemory than MemSpecLimit keeps for the system.'],
    ['NodeName=a CPUs 2', '"slurm.conf" line 1: found "CPUs 2", expected NAME=VALUE. Put values with blanks in quotes.'],
    ['ClusterName=x\ninclude nodes.conf', '"slurm.conf" line 2: includes nodes.conf, which is not read. Put the lines of that file in the place of this one.'],
    ['ClusterName=x', '"slurm.conf": declares no nodes. Nodes stand in lines such as NodeName=n[1-8] CPUs=32.'],
    ['NodeName=a State=DOWN', '"slurm.conf": declares no node that is up. Give one another State than DOWN, or take it out of DownNodes.'],
  ])('%j is answered', (text, message) => {
    expect(messageOf(() => slurmNodes(source(text)))).toBe(message)
  })
})

const MIDNIGHT = 'at midnight of the time zone of the log, of UTC where none is known, if it says when it began; otherwise as if that had been at midnight of 1 January, a Sunday'

describe('the policy of a slurm.conf', () => {
  it('is backfilling in two passes, first in first out, unless it says otherwise', () => {
    expect(policyOf('')).toEqual({ replan: { order: 'fifo', twoPass: true, batch_sched_delay: 3, defer: true, nodes: 'named', select: 'cons_tres' } })
    expect(policyOf('SelectType=select/linear')).toEqual({ replan: { order: 'fifo', twoPass: true, batch_sched_delay: 3, defer: true, nodes: 'named', select: 'linear' } })
    expect(policyOf('SelectType=select/cons_res')).toEqual(policyOf(''))
    expect(made('ClusterName=c', 1).policy).toEqual({ replan: { order: 'fifo', twoPass: true, batch_sched_delay: 3, defer: true } }) // a machine that is one node
  })

  it('makes no plans with sched/builtin, nor with bf_interval=-1: what plans alone read is then of no effect', () => {
    const off = { replan: { order: 'fifo', twoPass: true, batch_sched_delay: 3, defer: true, nodes: 'named', select: 'cons_tres', bf_interval: -1 } }
    expect([policyOf('SchedulerType=sched/builtin'), policyOf('SchedulerParameters=BF_interval=-1')]).toEqual([off, off])
    expect(told('SchedulerType=sched/builtin\nPartitionName=a\nPartitionName=b')[0]?.slice(0, 3)).toEqual(['honoured', 2, 'SchedulerType'])
    const parameters = 'SchedulerParameters=bf_window=2880,bf_interval=-1,sched_interval=0,default_queue_depth=5,bf_min_age_reserve=60'
    expect(policyOf(parameters)).toEqual({ replan: { ...off.replan, sched_interval: 1, default_queue_depth: 5, bf_min_age_reserve: 60 } })
    expect(told(parameters).map(([verdict, , setting, note]) => [verdict, setting, note])).toEqual([
      ['ignored', 'SchedulerParameters bf_window', 'no plans are made'],
      ['honoured', 'SchedulerParameters bf_interval', 'no plans are made'],
      ['honoured', 'SchedulerParameters sched_interval', ''],
      ['honoured', 'SchedulerParameters default_queue_depth', ''],
      ['honoured', 'SchedulerParameters bf_min_age_reserve', ''],
    ])
    expect(policyOf('SchedulerParameters=bf_interval=60,bf_interval=-1')).toMatchObject({ replan: { bf_interval: 60 } }) // the first counts
    expect(policyOf(`SchedulerType=sched/builtin\n${parameters}`)).toEqual(policyOf(parameters))
  })

  it('has the numbers of SchedulerParameters; the others say why not', () => {
    const line = 'SchedulerParameters=bf_window=2880,BF_MAX_JOB_TEST=1000,bf_continue,bf_resolution=0,no_such,sched_interval=10'
    expect(policyOf(line)).toEqual({ replan: { order: 'fifo', twoPass: true, batch_sched_delay: 3, defer: true, nodes: 'named', select: 'cons_tres', bf_window: 2880, bf_max_job_test: 1000 } })
    expect(told(line)).toEqual([
      ['honoured', 2, 'SchedulerParameters bf_window', ''],
      ['honoured', 2, 'SchedulerParameters BF_MAX_JOB_TEST', ''],
      ['ignored', 2, 'SchedulerParameters bf_continue', 'decisions take no time, so a plan is never cut off'],
      ['ignored', 2, 'SchedulerParameters bf_resolution', 'Slurm takes its default for it'],
      ['ignored', 2, 'SchedulerParameters no_such', 'not simulated'],
      ['ignored', 2, 'SchedulerParameters sched_interval', 'the plan looks at the whole queue every bf_interval'],
    ])
  })

  it('looks at submissions every 3 s, and at ends at once where nodes report them one by one: with an Epilog or a step of their own', () => {
    const main = (text: string) => (policyOf(text) as { replan: { batch_sched_delay: number; defer?: boolean } }).replan
    expect(main('')).toMatchObject({ batch_sched_delay: 3, defer: true })
    for (const line of ['Epilog=/etc/slurm/epilog.sh', 'PrologFlags=Alloc,Contain', 'PrologFlags=x11']) expect(main(line).defer).toBeUndefined()
    expect(main('Epilog=/etc/slurm/epilog.sh\nSchedulerParameters=defer,batch_sched_delay=10')).toMatchObject({ batch_sched_delay: 10, defer: true })
    expect(main('SchedulerParameters=batch_sched_delay=0')).toMatchObject({ batch_sched_delay: 0 })
    expect(told('SchedulerParameters=defer,batch_sched_delay=10').map(([verdict, , setting, note]) => [verdict, setting, note])).toEqual([
      ['honoured', 'SchedulerParameters defer', ''],
      ['honoured', 'SchedulerParameters batch_sched_delay', ''],
    ])
  })

  it('says that jobs start at events although sched_interval=-1 switches the main scheduler off, with plans and without', () => {
    for (const more of ['', ',bf_interval=-1'])
      expect(told(`SchedulerParameters=sched_interval=-1${more}`)[0]?.slice(2)).toEqual([
        'SchedulerParameters sched_interval', 'it switches the main scheduler off in Slurm, and here jobs start at events all the same',
      ])
  })

  it('takes defaults in the place of numbers that Slurm does not take, and the first of several (_load_config of sched/backfill)', () => {
    const line = 'SchedulerParameters=bf_interval=-2,bf_window=86400,bf_resolution=3601,bf_max_job_test=-5,bf_max_job_array_resv=0,bf_min_prio_reserve=4294967295,default_queue_depth=1000000,default_queue_depth=7'
    expect(policyOf(line)).toMatchObject({ replan: { bf_max_job_array_resv: 1, bf_min_prio_reserve: 4_294_967_295, default_queue_depth: 1_000_000 } })
    expect(Object.keys((policyOf(line) as { replan: object }).replan).filter((key) => /^bf_/.test(key))).toEqual(['bf_max_job_array_resv', 'bf_min_prio_reserve'])
    expect(told(line).filter(([verdict]) => verdict === 'ignored').map(([, , setting, note]) => [setting, note])).toEqual([
      ['SchedulerParameters bf_interval', 'Slurm takes its default for it'],
      ['SchedulerParameters bf_window', 'Slurm takes its default for it, since it is more than 43200'],
      ['SchedulerParameters bf_resolution', 'Slurm takes its default for it, since it is more than 3600'],
      ['SchedulerParameters bf_max_job_test', 'Slurm takes its default for it'],
      ['SchedulerParameters default_queue_depth', 'it is given before, and Slurm takes the first'],
    ])
  })

  it.each(['YES', 'up', 'True', '1'])('takes %s for yes', (yes) => {
    expect(policyOf(`PriorityWeightJobSize=1\nPriorityFavorSmall=${yes}`)).toMatchObject({ replan: { order: { multifactor: { PriorityFavorSmall: 'YES' } } } })
    expect(told(`PartitionName=a Default=${yes}`)).toContainEqual(['honoured', 2, 'a Default', 'for jobs that name no queue'])
    expect(told('PartitionName=a Default=FALSE LLN=0')).toEqual([['honoured', 2, 'a Default', ''], ['honoured', 2, 'a LLN', '']])
  })

  it('has accounts and QOS in letters of any case', () => {
    expect(policyOf('PartitionName=a AllowAccounts=Physics,chem DenyQos=LOW')).toMatchObject({ 'slurm-limits': { partitions: { a: { AllowAccounts: ['Physics', 'physics', 'chem'], DenyQos: ['LOW', 'low'] } } } })
  })

  it('says where Slurm gives whole nodes, which jobs have to ask for where nodes are not known', () => {
    const note = 'jobs get whole nodes in Slurm, and here where they ask for nodes (of a log: --option unit=nodes --option tasks=each)'
    expect(told('PartitionName=a OverSubscribe=Exclusive\nPartitionName=b Shared=EXCLUSIVE\nPartitionName=c OverSubscribe=NO\nPartitionName=d OverSubscribe=FORCE:2\nPartitionName=e OverSubscribe=force:1')).toEqual([
      ['ignored', 2, 'a OverSubscribe', note], ['ignored', 3, 'b Shared', note], ['honoured', 4, 'c OverSubscribe', ''], ['ignored', 5, 'd OverSubscribe', 'jobs do not share what they run on'], ['honoured', 6, 'e OverSubscribe', ''],
    ])
  })

  it('says where Slurm gives whole cores of several threads, or whole sockets', () => {
    const note = (value: string, threads = 2) => told(`SelectTypeParameters=${value}\nNodeName=a Sockets=2 CoresPerSocket=4 ThreadsPerCore=${threads}`)[0]?.[3]
    const whole = (units: string) => `jobs get whole ${units} in Slurm, and here the processors that they ask for (of a log: --option processors=allocated, which it gave them)`
    expect([note('CR_Core_Memory'), note('cr_socket', 1)]).toEqual([whole('cores'), whole('sockets')])
    const usual = 'what is scheduled are the resources that jobs ask for (of a log memory with --option memory=requested)'
    expect([note('CR_Core', 1), note('CR_CPU_Memory'), note('CR_CPU,CR_CORE_DEFAULT_DIST_BLOCK')]).toEqual([usual, usual, usual])
    expect(told('DefMemPerCPU=2000')).toEqual([['ignored', 2, 'DefMemPerCPU', 'jobs ask for the memory that the workload says (of a log: --option memory=requested)']])
  })

  it('gives the least loaded nodes, to all or in some partitions, and the last ones to jobs of one processor', () => {
    const read = (text: string, nodes = 2) => {
      const { policy, findings } = made(`ClusterName=c\n${text}`, nodes)
      const { leastLoaded, pack_serial_at_end: serial } = (policy as { replan?: Record<string, unknown> }).replan ?? {}
      return [leastLoaded, serial, ...findings.filter(({ setting }) => /LLN|TypeParam|serial/.test(setting)).map(({ verdict, note }) => [verdict, note])]
    }
    const lln = 'PartitionName=p Nodes=ALL LLN=YES\nPartitionName=q Nodes=ALL LLN=NO'
    expect(read(lln)).toEqual([['p'], undefined, ['honoured', ''], ['honoured', '']])
    expect(read(lln, 1)).toEqual([undefined, undefined, ['ignored', 'there is one node, of which amounts are reserved'], ['honoured', '']])
    expect(read(`${lln}\nSelectType=select/linear`)).toEqual([undefined, undefined, ['ignored', 'nodes are taken by weight and best fit'], ['honoured', '']])
    expect(read('SelectTypeParameters=CR_CPU,CR_LLN')).toEqual([true, undefined, ['honoured', '']])
    expect(read('SelectTypeParameters=CR_Core,CR_LLN\nNodeName=n1 CPUs=4 CoresPerSocket=2 ThreadsPerCore=2')).toEqual([true, undefined, ['approximated', expect.stringContaining('whole cores')]])
    expect(read('SelectTypeParameters=CR_LLN\nPreemptType=preempt/partition_prio\nPreemptMode=REQUEUE').slice(2)).toEqual([['approximated', 'but for jobs that preempt others']])
    expect(read('SelectTypeParameters=CR_LLN\nPreemptMode=GANG\nPartitionName=p Nodes=ALL OverSubscribe=FORCE:2 LLN=YES')).toEqual([undefined, undefined, ['ignored', 'nodes are taken by weight and best fit'], ['ignored', 'jobs take turns']])
    expect(read('SchedulerParameters=pack_serial_at_end')).toEqual([undefined, true, ['honoured', '']])
    expect(read('SchedulerParameters=pack_serial_at_end', 1)).toEqual([undefined, undefined, ['ignored', 'there is one node, of which amounts are reserved']])
    expect(read('SchedulerParameters=pack_serial_at_end\nNodeName=n[1-2]', 1)[2]).toEqual(['ignored', 'there is one node, of which amounts are reserved: give the nodes of this file (--nodes)'])
    expect(read('SchedulerParameters=pack_serial_at_end\nSelectType=select/linear')).toEqual([undefined, undefined, ['ignored', 'nodes are taken by weight and best fit']])
  })

  it('gives jobs of several partitions one reservation where it says so (bf_one_resv_per_job)', () => {
    const read = (text: string, nodes = 2) => {
      const { policy, findings } = made(`ClusterName=c\nSchedulerParameters=bf_one_resv_per_job\n${text}`, nodes)
      return [(policy as { replan: Record<string, unknown> }).replan['bf_one_resv_per_job'], ...findings.filter(({ setting }) => setting.includes('one_resv')).map(({ verdict, note }) => [verdict, note])]
    }
    expect([read(''), read('', 1), read('SchedulerType=sched/builtin')]).toEqual([
      [true, ['honoured', '']],
      [undefined, ['ignored', 'on one node a job of several partitions is in one of them alone']],
      [undefined, ['ignored', 'no plans are made']],
    ])
  })

  it('says which settings put jobs on other nodes, and which hold a job that was interrupted too often', () => {
    const best = 'nodes are taken by weight and best fit'
    expect(told('SelectTypeParameters=CR_PACK_NODES\nSchedulerParameters=bf_busy_nodes').map(([verdict, , setting, note]) => [verdict, setting, note])).toEqual(expect.arrayContaining([
      ['ignored', 'SelectTypeParameters', best], ['ignored', 'SchedulerParameters bf_busy_nodes', best],
    ]))
    expect(told('MaxPreemptRequeue=2\nMaxNodeFailRequeue=3\nMaxBatchRequeue=5\nMaxPreemptRequeue=0')).toEqual([
      ['ignored', 3, 'MaxNodeFailRequeue', 'interrupted jobs always run again'], ['ignored', 4, 'MaxBatchRequeue', 'interrupted jobs always run again'], ['honoured', 5, 'MaxPreemptRequeue', ''],
    ])
    expect(told('MaxPreemptRequeue=2')).toEqual([['ignored', 2, 'MaxPreemptRequeue', 'preempted jobs always run again']])
  })

  it('tells of CPUs that are overruled', () => {
    expect(told('NodeName=a[1-2] CPUs=56 Sockets=2 CoresPerSocket=18 ThreadsPerCore=2')).toContainEqual(['ignored', 2, 'a[1-2] CPUs', 'neither the sockets nor the cores nor the threads that are declared: 72, the threads, as in Slurm'])
    expect(told('NodeName=a[1-2] CPUs=36 Sockets=2 CoresPerSocket=18 ThreadsPerCore=2\nNodeName=b CPUs=8\nNodeName=c').filter(([, , setting]) => /CPUs/.test(String(setting)))).toEqual([])
  })

  it('has the weights, times and flags of multifactor, tiers and factors of partitions', () => {
    const text = [
      'PriorityType=priority/multifactor', 'PriorityWeightAge=1000', 'PriorityMaxAge=1-0', 'PriorityWeightPartition=500', 'PriorityFavorSmall=yes', 'PriorityFlags=MAX_TRES,DEPTH_OBLIVIOUS,NO_NORMAL_PART,FUTURE_FLAG', 'PriorityUsageResetPeriod=MONTHLY',
      'PartitionName=DEFAULT PriorityTier=2', 'PartitionName=a PriorityJobFactor=10', 'PartitionName=b Priority=7 PriorityTier=3', 'PartitionName=c Priority=4',
    ].join('\n')
    expect(policyOf(text)).toEqual({
      replan: {
        order: { multifactor: { PriorityWeightAge: 1000, PriorityMaxAge: '1-0', PriorityWeightPartition: 500, PriorityFavorSmall: 'YES', PriorityFlags: 'MAX_TRES,DEPTH_OBLIVIOUS,NO_NORMAL_PART', PriorityUsageResetPeriod: 'MONTHLY', tiers: { a: 2, b: 7, c: 4 }, partitions: { a: 10, b: 7, c: 4 } } },
        twoPass: true, batch_sched_delay: 3, defer: true, nodes: 'named', select: 'cons_tres',
      },
    })
    expect(told(text).filter(([verdict]) => verdict !== 'honoured')).toEqual([
      ['approximated', 7, 'PriorityFlags', 'without FUTURE_FLAG, which is not simulated'],
      ['approximated', 8, 'PriorityUsageResetPeriod', MIDNIGHT],
      ['ignored', 11, 'b PriorityTier', 'Priority, the older name of PriorityTier and PriorityJobFactor, comes before it'],
    ])
  })

  it.each(['NONE', 'now', 'DAILY', 'Weekly', 'QUARTERLY', 'YEARLY'])('forgets usage %s', (period) => {
    const isNever = /^no/i.test(period)
    expect(policyOf(`PriorityUsageResetPeriod=${period}`)).toMatchObject({ replan: { order: { multifactor: { PriorityUsageResetPeriod: period.toUpperCase() } } } })
    expect(told(`PriorityUsageResetPeriod=${period}`)).toEqual([isNever ? ['honoured', 2, 'PriorityUsageResetPeriod', ''] : ['approximated', 2, 'PriorityUsageResetPeriod', MIDNIGHT]])
  })

  it('says which periods Slurm takes', () => {
    expect(told('PriorityUsageResetPeriod=14-0')).toEqual([['ignored', 2, 'PriorityUsageResetPeriod', 'Slurm takes NONE, NOW, DAILY, WEEKLY, MONTHLY, QUARTERLY, YEARLY']])
  })

  it('has the default of Slurm 23.11 and later where no PriorityType is given, and says so where there are weights', () => {
    expect(policyOf('PriorityWeightAge=5')).toEqual(policyOf('PriorityType=priority/multifactor\nPriorityWeightAge=5'))
    expect(policyOf('PriorityWeightTRES=CPU=1000,GRES/gpu=9')).toMatchObject({ replan: { order: { multifactor: { tres: { procs: 1000 } } } } })
    expect(told('PriorityWeightTRES=CPU=1000,GRES/gpu=9')[0]).toEqual(['approximated', 2, 'PriorityWeightTRES', 'the cluster has no GRES/gpu'])
    expect(told('PriorityWeightTRES=CPU=1000')[0]).toEqual(['honoured', 2, 'PriorityWeightTRES', ''])
    expect(policyOf('PriorityWeightTRES=CPU=1000,Node=5')).toMatchObject({ replan: { order: { multifactor: { tres: { procs: 1000, node: 5 } } } } })
    expect(told('PriorityWeightTRES=CPU=1000,Node=5')[0]).toEqual(['honoured', 2, 'PriorityWeightTRES', ''])
    expect(told('PriorityWeightAge=0').map(([, , setting]) => setting)).toEqual(['PriorityWeightAge'])
    expect(told('PriorityWeightAge=5')).toContainEqual(['honoured', 2, 'PriorityType', 'is not given: priority/multifactor, as since Slurm 23.11; until then it was priority/basic, where weights count for nothing'])
  })

  it('has no weights where priorities are basic, but nice values', () => {
    expect(policyOf('PriorityType=priority/basic\nPriorityWeightAge=5')).toEqual({ replan: { order: { multifactor: { countDown: true } }, twoPass: true, batch_sched_delay: 3, defer: true, nodes: 'named', select: 'cons_tres' } })
    expect(told('PriorityType=priority/basic\nPriorityWeightAge=5')[1]).toEqual(['ignored', 3, 'PriorityWeightAge', 'PriorityType is priority/basic'])
  })

  it('has the licences of the cluster', () => {
    expect(policyOf('Licenses=fluent:30,matlab')).toEqual({ 'slurm-limits': { licenses: { fluent: 30, matlab: 1 }, policy: policyOf('') } })
    expect(policyOf('Licenses=fluent:30,fluent:5')).toMatchObject({ 'slurm-limits': { licenses: { fluent: 35 } } })
    expect(policyOf('Licenses=')).toEqual(policyOf(''))
    expect(told('Licenses=fluent:30')[0]?.[0]).toBe('honoured')
  })

  it('has the licences in its plans with bf_licenses, or without plans in its first pass, unless jobs preempt one another', () => {
    const text = 'SchedulerParameters=bf_licenses\nLicenses=fluent:30'
    expect(policyOf(text)).toEqual({ replan: { order: 'fifo', bf_licenses: { fluent: 30 }, twoPass: true, batch_sched_delay: 3, defer: true, nodes: 'named', select: 'cons_tres' } })
    expect(told(text).slice(0, 2)).toEqual([
      ['honoured', 2, 'SchedulerParameters bf_licenses', ''], ['honoured', 3, 'Licenses', 'of jobs whose records name them (license/... among their TRES); those that wait for one get a reservation for when it is free'],
    ])
    const ofBuiltin = `SchedulerType=sched/builtin\n${text}`
    expect(policyOf(ofBuiltin)).toMatchObject({ replan: { bf_licenses: { fluent: 30 }, bf_interval: -1 } })
    expect(told(ofBuiltin).slice(1)).toEqual([
      ['honoured', 3, 'SchedulerParameters bf_licenses', ''], ['honoured', 4, 'Licenses', 'of jobs whose records name them (license/... among their TRES); those that wait for one keep all behind them from starting'],
    ])
    const preempting = `PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\nPartitionName=a PriorityTier=2\n${text}`
    expect(policyOf(preempting)).toMatchObject({ 'slurm-limits': { licenses: { fluent: 30 } } })
    expect(told(preempting)).toContainEqual(['ignored', 5, 'SchedulerParameters bf_licenses', 'jobs preempt one another, and those that wait for a licence get no reservation then'])
    expect(told('SchedulerParameters=bf_licenses')[0]).toEqual(['ignored', 2, 'SchedulerParameters bf_licenses', 'there are no Licenses'])
  })

  it('has jobs take licences from those whom they preempt with reclaim_licenses, unless some are suspended', () => {
    const text = (mode: string) => `PreemptType=preempt/partition_prio\nPreemptMode=${mode}\nPartitionName=a PriorityTier=2\nLicenses=fluent:30\nPreemptParameters=reclaim_licenses,send_user_signal`
    const told2 = (mode: string) => told(text(mode)).filter(([, , name]) => name === 'PreemptParameters' || name === 'Licenses')
    expect(policyOf(text('CANCEL'))).toMatchObject({ 'slurm-preempting': { mode: 'cancel', licenses: { fluent: 30 } } })
    expect(told2('CANCEL')).toEqual([
      ['honoured', 5, 'Licenses', 'of jobs whose records name them (license/... among their TRES); those that wait for one get no reservation, and take it from others'],
      ['approximated', 6, 'PreemptParameters', 'without send_user_signal, since jobs heed no signals'],
    ])
    expect(policyOf(text('SUSPEND,GANG'))).toMatchObject({ 'slurm-limits': { licenses: { fluent: 30 }, policy: { 'slurm-preempting': { mode: 'suspend' } } } })
    expect(told2('SUSPEND,GANG')[1]).toEqual(['ignored', 6, 'PreemptParameters', 'without reclaim_licenses, since suspended jobs keep their licences; without send_user_signal, since jobs heed no signals'])
  })

  it.each([
    ['preempt_strict_order', { strictOrder: true }], ['preempt_youngest_first', { youngestFirst: true }], ['preempt_reorder_count=3', { reorderCount: 3 }],
  ])('reads %s of SchedulerParameters where jobs are preempted', (word, option) => {
    const text = `SchedulerParameters=${word}\nPreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\nPartitionName=a PriorityTier=2`
    expect(policyOf(text)).toMatchObject({ 'slurm-preempting': option })
    expect(told(text)[0]?.slice(0, 2)).toEqual(['honoured', 2])
    expect(told(`SchedulerParameters=${word}`)[0]?.slice(3)).toEqual(['nobody is preempted'])
  })

  it.each([
    ['enable_user_top', 'nobody puts jobs of his own before others'], ['reduce_completing_frag', 'nodes are clear at once'], ['bf_running_job_reserve', 'running jobs keep their nodes in plans as it is'],
    ['delay_boot=300', 'nodes are up or down'], ['allow_zero_lic', 'jobs that ask for more licences than there are are refused'],
  ])('tells why %s of SchedulerParameters has no effect', (word, why) => {
    expect(told(`SchedulerParameters=${word}`)[0]).toEqual(['ignored', 2, `SchedulerParameters ${word.split('=')[0]}`, why])
  })

  it('refuses licences that are none', () => {
    expect(messageOf(() => policyOf('Licenses=fluent:many'))).toBe('"slurm.conf" line 2 Licenses: found "fluent:many", expected a licence and how many there are. Write Licenses=fluent:30,matlab:5.')
  })

  const tiers = 'PartitionName=low\nPartitionName=high PriorityTier=9'
  it.each([
    ['requeued', 'PreemptMode=REQUEUE', {}, 'honoured'],
    ['requeued, with time slices for others', 'PreemptMode=GANG,REQUEUE', {}, 'approximated'],
    ['cancelled', 'PreemptMode=CANCEL', { mode: 'cancel' }, 'honoured'],
    ['suspended', 'PreemptMode=SUSPEND,GANG', { mode: 'suspend' }, 'approximated'],
    ['spared for a while', 'PreemptMode=REQUEUE PreemptExemptTime=00:10:00', { exemptTime: 600 }, 'honoured'],
    ['spared for minutes and seconds', 'PreemptMode=REQUEUE PreemptExemptTime=30:05', { exemptTime: 1805 }, 'honoured'],
    ['spared for days', 'PreemptMode=REQUEUE PreemptExemptTime=1-2', { exemptTime: 93_600 }, 'honoured'],
    ['taken by age', 'PreemptMode=REQUEUE PreemptParameters=youngest_first', { youngestFirst: true }, 'honoured'],
    ['looked at again', 'PreemptMode=REQUEUE PreemptParameters=reorder_count=4', { reorderCount: 4 }, 'honoured'],
    ['taken in a strict order, and not above a priority', 'PreemptMode=REQUEUE PreemptParameters=strict_order,min_exempt_priority=500', { minExemptPriority: 500, strictOrder: true }, 'honoured'],
    ['taken by priority, too', 'PreemptMode=REQUEUE,PRIORITY', { byPriority: true }, 'honoured'],
  ])('preempts by tier: jobs are %s', (_, settings, options, verdict) => {
    const text = `PreemptType=preempt/partition_prio\n${settings}\n${tiers}`
    const policy = { replan: { order: { multifactor: { tiers: { high: 9 } } }, twoPass: true, batch_sched_delay: 3, defer: true, nodes: 'named', select: 'cons_tres' } }
    expect(policyOf(text)).toEqual({ 'slurm-preempting': { tiers: { high: 9 }, ...(settings.includes('REQUEUE') && { requeueDelay: 121 }), ...options, policy } })
    expect(told(text).find(([, , setting]) => setting === 'PreemptMode')?.[0]).toBe(verdict)
  })

  it('gives up preempted jobs that may not be requeued (JobRequeue=0)', () => {
    const made = (again: string) => {
      const text = `PreemptType=preempt/partition_prio\nPreemptMode=CANCEL\nJobRequeue=${again}\n${tiers}\nPartitionName=mid PreemptMode=REQUEUE`
      const { mode, modes, requeueDelay } = (policyOf(text) as { 'slurm-preempting': Record<string, unknown> })['slurm-preempting']
      return [mode, modes, requeueDelay, told(text).find(([, , setting]) => setting === 'JobRequeue')]
    }
    expect(made('1')).toEqual(['cancel', { mid: 'requeue' }, 121, ['honoured', 4, 'JobRequeue', '']])
    expect(made('0')).toEqual(['cancel', undefined, undefined, ['approximated', 4, 'JobRequeue', 'preempted jobs are given up instead of requeued, but interrupted jobs run again']])
    const requeued = `PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\nJobRequeue=0\n${tiers}`
    expect(policyOf(requeued)).toMatchObject({ 'slurm-preempting': { mode: 'cancel' } })
    expect(told('JobRequeue=0')).toContainEqual(['ignored', 2, 'JobRequeue', 'interrupted jobs always run again'])
  })

  it('lets requeued jobs wait until their credentials are void (cred_expire of AuthInfo)', () => {
    const made = (authInfo: string) => {
      const text = `PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\n${authInfo}\n${tiers}`
      return [policyOf(text), told(text).filter(([, , setting]) => setting === 'AuthInfo')] as const
    }
    const [policy, findings] = made('AuthInfo=socket=/run/munge.socket,cred_expire=30')
    expect(policy).toMatchObject({ 'slurm-preempting': { requeueDelay: 31 } })
    expect(findings).toEqual([['approximated', 4, 'AuthInfo', 'of it cred_expire, for which requeued jobs wait']])
    expect(made('AuthInfo=cred_expire=4')[0]).toMatchObject({ 'slurm-preempting': { requeueDelay: 121 } })
    const orderOf = (flags: string) => policyOf(`PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\nPriorityWeightAge=9\nPriorityFlags=${flags}\n${tiers}`)
    const order = { multifactor: { PriorityWeightAge: 9, requeueDelay: 121 } } // from then on they grow older again
    expect(orderOf('INCR_ONLY')).toMatchObject({ 'slurm-preempting': { order, policy: { replan: { order } } } })
    expect(JSON.stringify(orderOf('ACCRUE_ALWAYS')).match(/"requeueDelay":\d+/g)).toEqual(['"requeueDelay":121']) // that of the preemption
  })

  it('lets preempted jobs run on for the GraceTime of their partition', () => {
    const text = (type: string) => `PreemptType=${type}\nPreemptMode=REQUEUE\nPartitionName=DEFAULT GraceTime=60\n${tiers} GraceTime=0`
    expect(policyOf(text('preempt/partition_prio'))).toMatchObject({ 'slurm-preempting': { graceTime: { low: 60 } } })
    expect(told(text('preempt/partition_prio')).filter(([, , setting]) => String(setting).endsWith('GraceTime'))).toEqual([['approximated', 4, 'DEFAULT GraceTime', 'plans count on the time limits of jobs that run on for it'], ['honoured', 6, 'high GraceTime', '']])
    expect(told(text('preempt/none')).filter(([, , setting]) => setting === 'DEFAULT GraceTime')).toEqual([['ignored', 4, 'DEFAULT GraceTime', 'nobody is preempted by tier']])
  })

  it('does with the jobs of partitions what these say', () => {
    const text = (type: string) => `PreemptType=${type}\nPreemptMode=REQUEUE\n${tiers} PreemptMode=off\nPartitionName=mid PriorityTier=2 PreemptMode=REQUEUE\nPartitionName=slow PreemptMode=SUSPEND`
    expect(policyOf(text('preempt/partition_prio'))).toMatchObject({ 'slurm-preempting': { modes: { high: 'off', slow: 'suspend' } } })
    expect(told(text('preempt/partition_prio')).filter(([, , setting]) => String(setting).endsWith(' PreemptMode'))).toEqual([
      ['honoured', 5, 'high PreemptMode', 'its jobs are not preempted'], ['honoured', 6, 'mid PreemptMode', ''], ['approximated', 7, 'slow PreemptMode', 'suspended jobs go on when those that took their place have ended; free processors of a node are counted, not told apart'],
    ])
    expect(told(text('preempt/qos')).find(([, , setting]) => setting === 'high PreemptMode')?.[0]).toBe('ignored')
  })

  it('bills what the weights of partitions say', () => {
    const weights = 'PartitionName=DEFAULT TRESBillingWeights="CPU=1.0,Mem=0.25G"\nPartitionName=main\nPartitionName=gpu TRESBillingWeights=cpu=.5,GRES/gpu=2.0'
    const withMemory = (text: string) => queuePolicy(readQueues(source(text)), { resources: ['procs', 'mem'], nodes: 2, heartbeat: false })
    const order = (text: string) => (withMemory(text).policy as { replan: { order: { multifactor: Record<string, unknown> } } }).replan.order.multifactor
    expect(order(`PriorityWeightFairshare=10\n${weights}`)).toEqual({ PriorityWeightFairshare: 10, chargeEnds: false, partitionBilling: { main: { procs: 1, mem: 0.25 / 1024 }, gpu: { procs: 0.5 } } })
    expect(withMemory(`PriorityWeightFairshare=10\n${weights}`).findings.filter(({ line }) => line > 1).map(({ verdict, line, note }) => [verdict, line, note])).toEqual([['honoured', 2, ''], ['approximated', 4, 'the cluster has no GRES/gpu']])
    expect(told(weights)[0]).toEqual(['ignored', 2, 'DEFAULT TRESBillingWeights', 'neither PriorityWeightFairshare nor a limit of billing is given'])
  })

  it.each([
    ['PreemptType=preempt/qos', 'PreemptMode=REQUEUE', 'nobody is preempted: QOS are not in this file; give what `sacctmgr show qos --parsable2` prints, as slurm.conf+qos.txt'],
    ['PreemptType=preempt/partition_prio', 'PreemptMode=GANG', 'nobody is preempted: PreemptMode is GANG, not REQUEUE, CANCEL or SUSPEND'],
  ])('says that %s with %s preempts nobody', (type, mode, note) => {
    expect(policyOf(`${type}\n${mode}\n${tiers}`)).toEqual({ replan: { order: { multifactor: { tiers: { high: 9 } } }, twoPass: true, batch_sched_delay: 3, defer: true, nodes: 'named', select: 'cons_tres' } })
    expect(told(`${type}\n${mode}\n${tiers}`)[0]).toEqual(['ignored', 2, 'PreemptType', note])
  })

  it('says which limits of partitions are not those of Slurm, and which are looked for elsewhere', () => {
    const text = 'NodeName=n[1-2] CPUs=4\nPartitionName=a Nodes=ALL MaxNodes=2 MinNodes=0 QOS=high DefaultTime=60 MaxTime=2-0\nPartitionName=b Nodes=ALL MaxNodes=UNLIMITED MinNodes=2 DefaultTime=NONE'
    const ofPartitions = told(text).flatMap(([verdict, line, setting, note]) => (/ (Max|Min|Default|QOS)/.test(String(setting)) ? [[verdict, line, setting, note]] : []))
    expect(ofPartitions).toEqual([
      ['honoured', 3, 'a MaxNodes', ''],
      ['honoured', 3, 'a MinNodes', ''],
      ['ignored', 3, 'a QOS', 'QOS are not in this file; give what `sacctmgr show qos --parsable2` prints, as slurm.conf+qos.txt'],
      ['honoured', 3, 'a DefaultTime', 'for jobs without a time limit'],
      ['honoured', 3, 'a MaxTime', ''],
      ['honoured', 4, 'b MaxNodes', ''],
      ['honoured', 4, 'b MinNodes', ''],
      ['honoured', 4, 'b DefaultTime', ''],
    ])
    const onNodes = queuePolicy(readQueues(source(text)), { resources: ['nodes'], nodes: 2, heartbeat: false })
    expect(onNodes.policy).toMatchObject({ 'slurm-limits': { partitions: { a: { MaxTRESPerJob: { node: 2 } }, b: { MinNodes: 2, MinTRESPerJob: { node: 2 } } } } })
    expect(onNodes.findings).toContainEqual(expect.objectContaining({ setting: 'b MinNodes', verdict: 'honoured', note: '' }))
  })

  it('has the partitions whose users share no node, where nodes are named', () => {
    const text = 'PartitionName=a ExclusiveUser=YES\nPartitionName=b ExclusiveUser=no'
    const of = (before: string, nodes: number) => {
      const { policy, findings } = made(`ClusterName=c\n${before}${text}`, nodes)
      return [JSON.stringify(policy).match(/"exclusiveUsers":(\[[^\]]*\])/)?.[1], ...findings.filter(({ setting }) => setting.endsWith('ExclusiveUser')).map(({ verdict }) => verdict)]
    }
    expect([of('', 2), of('', 1)]).toEqual([['["a"]', 'honoured', 'honoured'], [undefined, 'ignored', 'honoured']])
    expect(of('PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\n', 2)).toEqual(['["a"]', 'approximated', 'honoured'])
  })

  it('has the processors of a node that jobs of a partition may have, where these are single ones', () => {
    const text = 'PartitionName=a MaxCPUsPerNode=28\nPartitionName=b MaxCPUsPerNode=UNLIMITED'
    const of = (before: string, nodes: number) => {
      const { policy, findings } = made(`ClusterName=c\n${before}${text}`, nodes)
      return [JSON.stringify(policy).match(/"maxCpusPerNode":({[^}]*})/)?.[1], ...findings.filter(({ setting }) => setting.endsWith('MaxCPUsPerNode')).map(({ verdict }) => verdict)]
    }
    expect([of('', 2), of('', 1)]).toEqual([['{"a":28}', 'honoured', 'honoured'], [undefined, 'ignored', 'honoured']])
    expect(of('PartitionName=none MaxCPUsPerNode=0\n', 2)).toEqual(['{"none":0,"a":28}', 'honoured', 'honoured', 'honoured']) // nobody starts there
    expect([of('SelectType=select/linear\n', 2), of('PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\n', 2)]).toEqual([[undefined, 'ignored', 'honoured'], ['{"a":28}', 'approximated', 'honoured']])
  })

  it('has the nodes that tasks of a job may be on, where plans name nodes and no QOS may exceed it', () => {
    const text = 'PartitionName=a MaxNodes=3\nPartitionName=b MaxNodes=UNLIMITED'
    const of = (before: string, nodes: number, ...beside: readonly string[]) => {
      const files = [{ file: 'slurm.conf', text: `ClusterName=c\n${before}${text}` }, ...beside.map((qos) => ({ file: 'qos.txt', text: qos }))] as const
      const { policy, findings } = queuePolicy(readQueues(...files), { resources: ['procs'], nodes, heartbeat: false })
      return [JSON.stringify(policy).match(/"maxNodes":({[^}]*})/)?.[1], ...findings.filter(({ setting }) => setting.endsWith('MaxNodes')).map(({ verdict }) => verdict)]
    }
    expect([of('', 4), of('', 1), of('SelectType=select/linear\n', 4)]).toEqual([['{"a":3}', 'honoured', 'honoured'], [undefined, 'approximated', 'honoured'], [undefined, 'approximated', 'honoured']])
    expect([of('PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\n', 4), of('', 4, 'Name|Flags\nwide|PartitionMaxNodes\n')]).toEqual([['{"a":3}', 'approximated', 'honoured'], [undefined, 'approximated', 'honoured']])
  })

  it('has every setting of partitions, or says why not', () => {
    // all of Slurm 25, with values that are not what holds anyway
    const honoured = { AllowAccounts: 'a', AllowQos: 'q', Default: 'YES', DefaultTime: '60', DenyAccounts: 'b', DenyQos: 'r', ExclusiveUser: 'YES', LLN: 'YES', MaxCPUsPerNode: '4', MaxNodes: '2', MaxTime: '90', MinNodes: '2', Nodes: 'n[1-2]', PriorityTier: '2', State: 'DRAIN' }
    const ignored = {
      AllocNodes: 'x', AllowGroups: 'g', Alternate: 'p', CpuBind: 'core', DefCpuPerGPU: '2', DefMemPerCPU: '1', DefMemPerGPU: '1', DefMemPerNode: '1', DisableRootJobs: 'YES', ExclusiveTopo: 'YES', GraceTime: '9', Hidden: 'YES',
      MaxCPUsPerSocket: '2', MaxMemPerCPU: '1', MaxMemPerNode: '1', OverSubscribe: 'YES', OverTimeLimit: '5', PowerDownOnIdle: 'YES', PreemptMode: 'CANCEL', PriorityJobFactor: '3', QOS: 'q', ReqResv: 'YES', ResumeTimeout: '9', RootOnly: 'YES', SelectTypeParameters: 'CR_Core',
      SuspendTime: '9', SuspendTimeout: '9', Topology: 't', TRESBillingWeights: 'CPU=1',
    }
    const text = `NodeName=n[1-2] CPUs=4\nPartitionName=p ${Object.entries({ ...honoured, ...ignored }).map(([name, value]) => `${name}=${value}`).join(' ')}`
    const { findings } = queuePolicy(readQueues(source(text)), { resources: ['procs', 'nodes'], nodes: 2, heartbeat: false })
    const of = (verdict: string) => findings.filter((each) => each.verdict === verdict && each.setting.startsWith('p ')).map(({ setting }) => setting.slice(2)).sort()
    expect([of('honoured'), of('approximated'), of('ignored')]).toEqual([honoured, {}, ignored].map((each) => Object.keys(each).sort()))
    expect(findings.filter(({ verdict, setting, note }) => verdict === 'ignored' && setting.startsWith('p ') && /^(not simulated.*|)$/.test(note))).toEqual([])
    expect(told('KillWait=30\nJobDefaults=DefMemPerGPU=9\nOverTimeLimit=5').map(([verdict, , setting, note]) => [verdict, setting, note])).toEqual([
      ['ignored', 'KillWait', 'a job gives its nodes back as soon as it ends'], ['ignored', 'JobDefaults', 'jobs ask for what the workload says'], ['ignored', 'OverTimeLimit', 'what becomes of jobs that run too long is chosen when the log is read (overrun)'],
    ])
  })

  it('tells settings of partitions, slips of the pen, and those of daemons in one line', () => {
    const text = ['PartitionName=p Nodes=a[1-2] MaxTime=60 PreemptMode=OFF PriorityTeir=3', 'SlurmctldPort=1', 'PriorityWeightAges=3', 'SelectType=select/linear', 'SlurmUser=s'].join('\n')
    expect(told(text)).toEqual([
      ['ignored', 2, 'p Nodes', 'jobs of the partition may run on all nodes: give the nodes of this file (--nodes) to keep them on their own'],
      ['honoured', 2, 'p MaxTime', ''],
      ['honoured', 2, 'p PreemptMode', ''],
      ['ignored', 2, 'p PriorityTeir', 'not simulated; did you mean PriorityTier?'],
      ['ignored', 4, 'PriorityWeightAges', 'not simulated; did you mean PriorityWeightAge?'],
      ['approximated', 5, 'SelectType', 'jobs get whole nodes in Slurm, and here where they ask for nodes (of a log: --option unit=nodes --option tasks=each)'],
    ])
    expect(told('PartitionName=p Nodes=ALL MaxTmie=60 Stat=UP AllowAcounts=a OverSubscrib=NO').slice(1).map(([, , , note]) => note))
      .toEqual(['MaxTime', 'State', 'AllowAccounts', 'OverSubscribe'].map((name) => `not simulated; did you mean ${name}?`))
    expect(told('SchedulerParameters=bf_widnow=60,bf_contineu')).toEqual([
      ['ignored', 2, 'SchedulerParameters bf_widnow', 'not simulated; did you mean bf_window?'],
      ['ignored', 2, 'SchedulerParameters bf_contineu', 'not simulated; did you mean bf_continue?'],
    ])
    expect(made(`ClusterName=c\n${text}`).findings[0]).toEqual({ verdict: 'ignored', file: 'slurm.conf', line: 1, setting: '3 other settings', value: 'ClusterName SlurmctldPort SlurmUser', note: 'of daemons, accounts, logs: nothing of that is simulated' })
  })

  it('takes settings of accounting for no slips, and says where those of partitions and nodes belong', () => {
    expect(told('AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageTRES=gres/gpu\nGraceTime=60\nRealMemory=8000\nPartitionName=p')).toEqual([
      ['ignored', 4, 'GraceTime', 'it stands in a line that begins with PartitionName'], ['ignored', 5, 'RealMemory', 'it stands in a line that begins with NodeName'],
    ])
    expect(made('ClusterName=c\nAccountingStorageType=x\nAccountingStorageEnforced=limits').findings.map(({ note }) => note)).toContain('not simulated; did you mean AccountingStorageEnforce?')
    expect(told('PartitionName=default MaxTime=60\nNodeName=a')).toEqual([['honoured', 2, 'default MaxTime', '']])
    expect(made('PartitionName=default MaxTime=60\nNodeName=a').findings).toContainEqual(expect.objectContaining({ setting: 'PartitionName', note: 'none is declared: all jobs have one tier; DEFAULT, in letters of any case, says what is true of those below it' }))
  })

  it('keeps jobs of a partition waiting that has no node which is up, and says so; one without Nodes may use all', () => {
    const text = ['NodeName=a[1-2]', 'NodeName=b State=DRAIN', 'PartitionName=p Nodes=a1', 'PartitionName=q Nodes=b', 'PartitionName=r Nodes=""', 'PartitionName=s'].join('\n')
    expect(policyOf(text)).toMatchObject({ 'slurm-limits': { partitions: { q: { State: 'DOWN' }, r: { State: 'DOWN' } } } })
    expect(told(text)).toEqual([
      ['ignored', 4, 'p Nodes', 'jobs of the partition may run on all nodes: give the nodes of this file (--nodes) to keep them on their own'], ['honoured', 5, 'q Nodes', 'none of them is up: its jobs wait'],
      ['honoured', 6, 'r Nodes', 'none of them is up: its jobs wait'], ['approximated', 7, 's Nodes', 'none are given: its jobs may run on all nodes, in Slurm on none'],
    ])
  })

  it('refuses a partition with a node that is not declared, if any is', () => {
    const message = '"slurm.conf" line 3 Nodes: partition "p" has the node "a3", which no NodeName declares. Declare it, or take it from the list; Slurm does not start with it either.'
    expect(messageOf(() => policyOf('NodeName=a[1-2]\nPartitionName=p Nodes=a[2-3]'))).toBe(message)
    expect(messageOf(() => nodesOf('ClusterName=c\nNodeName=a[1-2]\nPartitionName=p Nodes=a[2-3]'))).toBe(message)
    expect(messageOf(() => policyOf('PartitionName=p Nodes=a[2-3]'))).toBe('no error')
  })

  it('preempts in the order of priorities where there are any', () => {
    const order = { multifactor: { PriorityWeightAge: 1000, tiers: { high: 9 } } }
    expect(policyOf(`PriorityWeightAge=1000\nPreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\n${tiers}`)).toMatchObject({ 'slurm-preempting': { order, policy: { replan: { order } } } })
  })

  it('tells what of nodes, and of the way jobs are preempted, is left out', () => {
    const text = ['NodeName=a CPUs=4 Weight=10 Gres=gpu:2,shard:8(S:0-1) TmpDisk=100 Wieght=3 NodeAddr=x', 'NodeName=b', 'PartitionName=p Nodes=a,b', 'PreemptType=preempt/partition_prio', 'PreemptMode=REQUEUE', 'PreemptParameters=youngest_first,send_user_signal'].join('\n')
    expect(told(text).filter(([verdict]) => verdict !== 'honoured')).toEqual([
      ['ignored', 2, 'a Weight', 'the cluster has no node of the file: give the nodes of this file (--nodes)'], ['approximated', 2, 'a Gres', 'GPUs alone, without shard:8'],
      ['ignored', 2, 'a TmpDisk', 'jobs ask for no disk'], ['ignored', 2, 'a Wieght', 'not simulated; did you mean weight?'], ['approximated', 7, 'PreemptParameters', 'without send_user_signal, since jobs heed no signals'],
    ])
  })

  it('has its partitions as rows, which are compared', () => {
    const side = (text: string) => {
      const file = readQueues(source(text))
      return { file, table: queueTable(file) }
    }
    const before = side('PriorityWeightAge=1\nPartitionName=a prioritytier=2 AllowGroups=x')
    expect(before.table).toEqual({ rows: [{ path: 'a', depth: 0, isParent: false, settings: { PriorityTier: '2', AllowGroups: 'x' }, shares: {} }], totals: {}, leavesOutAmounts: false })
    expect(side('PartitionName=a.b Priority=7').table.rows[0]!.settings).toMatchObject({ PriorityTier: '7' })
    expect(compareQueues(before, side('PriorityWeightAge=2\nPartitionName=a PriorityTier=3\nPartitionName=b'))).toEqual({
      added: ['b'], removed: [],
      changed: [
        { path: '', setting: 'PriorityWeightAge', before: '1', after: '2' },
        { path: 'a', setting: 'PriorityTier', before: '2', after: '3' },
        { path: 'a', setting: 'AllowGroups', before: 'x', after: undefined },
      ],
    })
    expect(compareQueues(side('SchedulerParameters=bf_window=60,defer,bf_interval=30\nPartitionName=a'), side('SchedulerParameters=bf_interval=30,bf_window=90,bf_continue\nPartitionName=a')).changed).toEqual([
      { path: '', setting: 'SchedulerParameters bf_window', before: '60', after: '90' },
      { path: '', setting: 'SchedulerParameters defer', before: 'yes', after: undefined },
      { path: '', setting: 'SchedulerParameters bf_continue', before: undefined, after: 'yes' },
    ])
  })

  it.each([
    ['SchedulerParameters=bf_window=soon', '"slurm.conf" line 2 SchedulerParameters bf_window: found "soon", expected a whole number from 0 to 4294967295. Correct it, or leave it out for the default of Slurm.'],
    ['PriorityMaxAge=long', '"slurm.conf" line 2 PriorityMaxAge: found "long", expected a time. Write minutes, hours:minutes:seconds or days-hours, for example 7-0.'],
    ['PriorityWeightAge=-1', '"slurm.conf" line 2 PriorityWeightAge: found "-1", expected a whole number from 0 to 4294967295. Correct it, or leave it out for the default of Slurm.'],
    ['PartitionName=a PriorityTier=70000', '"slurm.conf" line 2 PriorityTier: found "70000", expected a whole number from 0 to 65533. Correct it, or leave it out for the default of Slurm.'],
    ['PriorityWeightFairshare=1\nPartitionName=a TRESBillingWeights=CPU', '"slurm.conf" line 3 TRESBillingWeights: found "CPU". Write weights as CPU=1.0,Mem=0.25G,GRES/gpu=2.0.'],
    ['PartitionName=a\nPartitionName=a', '"slurm.conf" line 3 PartitionName: partition "a" was declared before. Give every partition once.'],
  ])('%j is answered', (text, message) => {
    expect(messageOf(() => made(`ClusterName=c\n${text}`))).toBe(message)
  })
})
