import { describe, expect, it } from 'vitest'
import { describe as summaryOf, detectFormatOf, jobsOf, machinesOf, parseTrace, readMachines, type ParseOptions } from '../src/index.js'
import { openTrace, readBytes } from '../src/node/index.js'
import { bytesOf, messageOf } from './reading.js'
import { realTrace } from './traces.js'

const header = 'name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time'
const pod = 'p0,6000,12288,1,460,,LS,Succeeded,10,110,20'
const table = (...rows: string[]) => [header, ...rows].join('\n')
const read = (text: string, options: object = {}, more: ParseOptions = {}) => parseTrace(bytesOf(text), { file: 'pods.csv', options, ...more })
const jobs = (text: string, options?: object) => [...jobsOf(read(text, options))]

describe('pods of Alibaba\'s GPU cluster', () => {
  it('become jobs of one task that run from scheduling to deletion', () => {
    expect(jobs(table(pod))).toEqual([
      { id: 'p0', submit: 10, queue: 'LS', label: 'LS', recorded: { wait: 10, status: 'succeeded' }, stages: [{ name: 'pod', tasks: 1, demand: { cpu: 6000, mem: 12288, gpu: 460 }, duration: 90 }] },
    ])
  })

  it('of lists without times arrive one after the other and run as long as is said', () => {
    const text = 'name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\nx,6000,512,1,460,T4\ny,100,256,0,0,\n'
    expect(jobs(text, { lifetime: 3600, arrivals: 5 })).toEqual([
      { id: 'x', submit: 0, stages: [{ name: 'pod', tasks: 1, demand: { cpu: 6000, mem: 512, gpu: 460 }, duration: 3600, constraints: { require: { model: ['T4'] } } }] },
      { id: 'y', submit: 5, stages: [{ name: 'pod', tasks: 1, demand: { cpu: 100, mem: 256 }, duration: 3600 }] },
    ])
    expect(messageOf(() => read(text))).toBe('openb.lifetime: the pods of the list have no times. Give lifetime, the seconds that a pod runs, and arrivals, those between two pods (default 1).')
  })

  it('ask for whole devices as thousands, and for none without a GPU', () => {
    const rows = table('a,1,1,8,1000,,,,0,1,0', 'b,1,0,0,0,,,,0,1,0', 'c,0,0,1,1000,,,,0,1,0')
    expect(jobs(rows).map(({ stages }) => stages[0]!.demand)).toEqual([{ cpu: 1, mem: 1, gpu: 8000 }, { cpu: 1 }, { gpu: 1000 }])
  })

  it('of a list without memory ask for none, which is told', () => {
    const rows = 'name,cpu_milli,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\na,500,1,250,,LS,Running,3,9,4\nb,700,0,0,,BE,Running,5,8,5'
    expect(jobs(rows).map(({ stages }) => stages[0]!.demand)).toEqual([{ cpu: 500, gpu: 250 }, { cpu: 700 }])
    expect(read(rows).report.notes).toEqual(['2 jobs of a list without memory: none asked for (memory)'])
  })

  it('require the models that gpu_spec allows', () => {
    const rows = table('a,1,1,1,500,V100M16|V100M32,LS,Running,0,1,0')
    expect(jobs(rows)[0]!.stages[0]!.constraints).toEqual({ require: { model: ['V100M16', 'V100M32'] } })
    expect(jobs(rows, { gpuSpec: 'ignore' })[0]!.stages[0]!.constraints).toBeUndefined()
  })

  it('that were never placed run from creation to deletion, or are left out, and are counted', () => {
    const rows = table(pod, 'p1,1,1,0,0,,LS,Pending,30,90,')
    expect(jobs(rows)[1]).toMatchObject({ id: 'p1', submit: 30, stages: [{ duration: 60 }], recorded: { status: 'pending' } })
    expect(read(rows).report.notes).toEqual(['1 job never placed: run from creation to deletion (unscheduled)'])
    expect(jobs(rows, { unscheduled: 'skip' }).map(({ id }) => id)).toEqual(['p0'])
  })

  it('are sorted by creation, equal ones in the order of the file, and keep the times of the trace', () => {
    const rows = table('b,1,1,0,0,,,,7,8,7', 'a,1,1,0,0,,,,5,8,6', 'c,1,1,0,0,,,,7,8,8')
    expect(jobs(rows).map(({ id, submit }) => [id, submit])).toEqual([['a', 5], ['b', 7], ['c', 7]])
    expect(read(rows).report.rules).toContainEqual({ rule: 'sorted', jobs: 1, text: 'submitted before one above: sorted' })
  })

  it('is known by its header, whatever the order of its columns', () => {
    expect(detectFormatOf(bytesOf(table(pod))).name).toBe('openb')
    expect(jobs('gpu_milli,num_gpu,name,cpu_milli,memory_mib,creation_time,deletion_time\n500,1,x,1,2,0,4')).toMatchObject([{ id: 'x', stages: [{ demand: { cpu: 1, mem: 2, gpu: 500 }, duration: 4 }] }])
  })

  const wayOut = 'Correct the line, or drop such lines with onBadLine "skip".'
  it.each([
    ['p1,1,1', '"pods.csv" line 3: found 3 columns, the header has 11. Was the file cut short? Copy it again, or drop such lines with onBadLine "skip".'],
    ['p1,NaN,1,0,0,,,,0,1,0', `"pods.csv" line 3 cpu_milli: found "NaN", expected a number of at least 0. ${wayOut}`],
    ['p1,-5,1,0,0,,,,0,1,0', `"pods.csv" line 3 cpu_milli: found "-5", expected a number of at least 0. ${wayOut}`],
    ['p1,1.5,1,0,0,,,,0,1,0', `"pods.csv" line 3 cpu_milli: found "1.5", expected a whole number from 0 to 2147483647. ${wayOut}`],
    ['p1,1,1,2,500,,,,0,1,0', `"pods.csv" line 3 gpu_milli: found 500 for each of 2 GPUs; only a single GPU can be shared. ${wayOut}`],
    ['p1,1,1,1,0,,,,0,1,0', `"pods.csv" line 3 gpu_milli: found 0, expected 1 to 1000 of each GPU. ${wayOut}`],
    ['p1,1,1,0,10,,,,0,1,0', `"pods.csv" line 3 gpu_milli: found 10, and num_gpu is 0. ${wayOut}`],
    ['p1,0,0,0,0,,,,0,1,0', `"pods.csv" line 3: the pod asks for nothing. ${wayOut}`],
    ['p1,1,1,0,0,,,,5,1,6', `"pods.csv" line 3 deletion_time: the pod is deleted 5 s before it is scheduled. ${wayOut}`],
    ['p1,1,1,0,0,,,,5,9,4', `"pods.csv" line 3 scheduled_time: the pod is scheduled 1 s before it is created. ${wayOut}`],
    ['p1,1,1,0,0,,,,,9,4', `"pods.csv" line 3 creation_time: is empty. ${wayOut}`],
    ['p0,1,1,0,0,,,,0,9,4', '"pods.csv" line 3 id: job id "p0" was used before, on line 2. Give every job an id of its own, or drop such lines with onBadLine "skip".'],
  ])('answers the row %j', (row, message) => {
    expect(messageOf(() => read(table(pod, row)))).toBe(message)
    expect(read(table(pod, row), {}, { onBadLine: 'skip' })).toMatchObject({ jobs: 1, report: { skipped: 1 } })
  })

  it('answers a header without a needed column, and a file without pods', () => {
    expect(messageOf(() => read('cpu_milli,memory_mib,num_gpu,gpu_milli\n'))).toBe('"pods.csv" line 1: column name is missing. A list of pods has name, cpu_milli, memory_mib, num_gpu, gpu_milli, creation_time, deletion_time.')
    expect(messageOf(() => read(header))).toBe('"pods.csv": the trace holds no jobs. Is it the right file, and whole?')
  })

  const real = realTrace('gpu/openb_pod_list_default.csv')
  it.skipIf(!real.there)(`reads ${real.title}`, { tags: 'long' }, () => {
    const trace = openTrace(real.path)
    const gpus = new Map<number, number>()
    for (const { stages } of jobsOf(trace)) gpus.set(stages[0]!.demand['gpu'] ?? 0, (gpus.get(stages[0]!.demand['gpu'] ?? 0) ?? 0) + 1)
    // counts as the README of the trace has them: 1,088 without, 16 of 2, 15 of 4 and 44 of 8 GPUs, 3,078 shares, 897 never placed
    expect([gpus.get(0), gpus.get(2000), gpus.get(4000), gpus.get(8000)]).toEqual([1088, 16, 15, 44])
    expect([...gpus].filter(([amount]) => amount > 0 && amount < 1000).reduce((sum, [, count]) => sum + count, 0)).toBe(3078)
    expect(trace).toMatchObject({ format: 'openb', jobs: 8152, report: { skipped: 0, rules: [{ rule: 'unscheduled', jobs: 897 }] } })
    expect(summaryOf(trace)).toMatchObject({ jobs: 8152, tasks: 8152 })
  })
})

describe('nodes of Alibaba\'s GPU cluster', () => {
  const nodes = 'sn,cpu_milli,memory_mib,gpu,model\nn0,32000,262144,0,\nn1,32000,262144,0,\nn2,96000,393216,8,V100M16\n'

  it('are groups of neighbours that are alike, with names, devices and the model as a label', () => {
    expect(readMachines(nodes)).toEqual({
      name: 'openb',
      nodes: [
        { names: ['n0', 'n1'], count: 2, resources: { cpu: 32000, mem: 262144 } },
        { names: ['n2'], count: 1, resources: { cpu: 96000, mem: 393216 }, devices: { gpu: { count: 8, milli: 1000 } }, labels: { model: 'V100M16' } },
      ],
    })
  })

  it.each([
    ['n3,1,1,0', '"n.csv" line 5: found 4 columns, the header has 5. Was the file cut short? Copy it again.'],
    ['n3,1,1,-1,T4', '"n.csv" line 5 gpu: found "-1", expected a number of at least 0. Correct the line.'],
    ['n3,1,1,64,T4', '"n.csv" line 5 gpu: found "64", expected a whole number from 0 to 30. Correct the line.'],
    ['n0,1,1,0,', '"n.csv" line 5 sn: node "n0" was listed before. Give every node once.'],
    [',1,1,0,', '"n.csv" line 5 sn: is empty. Name the node.'],
  ])('answers the row %j', (row, message) => {
    expect(messageOf(() => readMachines(`${nodes}${row}`, 'n.csv'))).toBe(message)
  })

  it('are told from a description of a cluster, and from a list of pods', () => {
    expect(machinesOf('nodes: 3\nslots: { map: 1 }')).toBeUndefined()
    expect(messageOf(() => readMachines(table(pod), 'p.csv'))).toMatch(/"p\.csv": is no list of machines known here\. Known: nodes of Alibaba's GPU cluster 2023, CSV/)
  })

  const real = realTrace('gpu/openb_node_list_all_node.csv')
  it.skipIf(!real.there)(`reads ${real.title}`, () => {
    const { nodes: groups } = readMachines(new TextDecoder().decode(readBytes(real.path)))
    const count = (of: (group: (typeof groups)[number]) => number) => groups.reduce((sum, group) => sum + group.count * of(group), 0)
    expect([count(() => 1), count(({ devices }) => devices?.['gpu']?.count ?? 0), count(({ resources }) => resources!['cpu']!)]).toEqual([1523, 6212, 125_514_000])
    expect(count(({ labels }) => Number(labels?.['model'] === 'G2'))).toBe(549)
  })
})
