import { describe, expect, it } from 'vitest'
import { detectFormatOf, jobsOf, parseTrace, readMachines, type ParseOptions } from '../src/index.js'
import { openTrace, readBytes } from '../src/node/index.js'
import { bytesOf, messageOf, skip } from './reading.js'
import { realTrace } from './traces.js'

const read = (text: string, options: object = {}, more: ParseOptions = {}) => parseTrace(bytesOf(text), { file: 'b.csv', options, ...more })
const header = 'task_create_time, task_end_time, job_id, task_id,number_of_instances, status, number_of_cpus_requested_per_instance_in_the_task,normalized_memory_requested_per_instance_in_the_task\n'
const row = '6459,6524,3,4,15740,Terminated,50,0.007956928\n'

describe('batch tasks of Alibaba\'s trace of 2017', () => {
  it.each([header, ''])('are stages of their job, submitted with the first of them (header: %j)', (first) => {
    const trace = read(`${first}${row}6400,6410,9,1,2,Terminated,100,0.5\n6457,6533,3,5,1,Terminated,50,\n`)
    expect([...jobsOf(trace)]).toEqual([
      { id: '9', submit: 0, stages: [{ name: 'task1', tasks: 2, demand: { cpu: 100, mem: 500_000 }, duration: 10 }] },
      { id: '3', submit: 57, stages: [
        { name: 'task4', tasks: 15_740, demand: { cpu: 50, mem: 7957 }, duration: 65 },
        { name: 'task5', tasks: 1, demand: { cpu: 50, mem: 5000 }, duration: 76 },
      ] },
    ])
    expect(trace.report.rules).toEqual([
      { rule: 'demand', jobs: 1, text: 'tasks of unknown demand: given the default' },
      { rule: 'later', jobs: 1, text: 'with tasks created after the first: all submitted with it' },
    ])
  })

  it('that did not terminate, or end before they start, are left out and counted', () => {
    const trace = read(`${row}5,10,1,1,1,Waiting,,\n10,5,2,1,1,Terminated,50,0.1\n`)
    expect([trace.jobs, trace.report.rules?.map(({ rule, jobs }) => [rule, jobs])]).toEqual([1, [['status', 1], ['backwards', 1]]])
    expect(trace.report.notes?.[0]).toBe('1 task of a status other than Terminated: left out (status)')
    expect(read(`${row}5,10,1,1,1,Waiting,,\n`, { status: ['Waiting'] }).jobs).toBe(1)
  })

  it.each([
    ['1,2,3', '"b.csv" line 2: found 3 columns, expected 8: create time, end time, job id, task id, number of instances, status, CPU, memory. Was the file cut short? Copy it again, or drop such lines with onBadLine "skip".'],
    ['x,2,3,4,5,Terminated,50,0.1', `"b.csv" line 2 create time: found "x", expected a number. ${skip}`],
    ['1,2,3,4,0,Terminated,50,0.1', `"b.csv" line 2 number of instances: found "0", expected a number of at least 1. ${skip}`],
    ['1,2,3,4,5,Terminated,-50,0.1', `"b.csv" line 2 CPU: found "-50", expected a number of at least 0. ${skip}`],
    ['1,2,3,4,5,Terminated,50,NaN', `"b.csv" line 2 memory: found "NaN", expected a number of at least 0. ${skip}`],
    ['1,2,3,4,5,Terminated,50,1e15', `"b.csv" line 2 memory: found "1e15", more than any machine has. ${skip}`],
    ['1,2,,4,5,Terminated,50,0.1', `"b.csv" line 2 job id: is empty. ${skip}`],
  ])('answer the row %j', (text, message) => {
    expect(messageOf(() => read(row + text))).toBe(message)
  })

  const real = realTrace('alibaba-2017/batch_task.csv.gz')
  it.skipIf(!real.there)(`reads ${real.title}`, { tags: 'long' }, () => {
    const trace = openTrace(real.path)
    let tasks = 0
    for (const { stages } of jobsOf(trace)) tasks += stages.length
    // the README of the trace: 80,553 rows, 67,013 of them terminated, 209 of all end before they start
    const backwards = trace.report.rules?.find(({ rule }) => rule === 'backwards')?.jobs ?? 0
    expect([trace.format, tasks + backwards, trace.report.rules?.find(({ rule }) => rule === 'status')?.jobs]).toEqual(['alibaba-2017', 67_013, 80_553 - 67_013])
  })
})

describe('batch tasks of Alibaba\'s trace of 2018', () => {
  const header2018 = 'task_name,instance_num,job_name,task_type,status,start_time,end_time,plan_cpu,plan_mem\n'
  const shape = ({ stages }: { stages: readonly { name: string; after?: readonly { stage: number }[] }[] }) => stages.map(({ name, after = [] }) => `${name}<${after.map(({ stage }) => stages[stage]!.name).join(' ')}`)

  it.each([header2018, ''])('are stages that wait for those their names tell, whatever their order in the table (header: %j)', (first) => {
    const trace = read(`${first}J3_1_2,4,j_8,1,Terminated,700,760,50,0.25\nR2_1,1.0,j_8,12,Terminated,650,700,100.0,1.5\nM1,2,j_8,1,Terminated,600,650,,\ntask_Nzg=,1,j_9,1,Terminated,640,641,100,0.1\n`)
    const demand = { cpu: 100, mem: 5000 }
    expect([...jobsOf(trace)]).toEqual([
      { id: 'j_8', submit: 0, stages: [
        { name: 'M1', tasks: 2, demand, duration: 50 },
        { name: 'R2_1', tasks: 1, demand: { cpu: 100, mem: 15_000 }, duration: 50, after: [{ stage: 0, fraction: 1 }] },
        { name: 'J3_1_2', tasks: 4, demand: { cpu: 50, mem: 2500 }, duration: 60, after: [{ stage: 0, fraction: 1 }, { stage: 1, fraction: 1 }] },
      ] },
      { id: 'j_9', submit: 40, stages: [{ name: 'task_Nzg=', tasks: 1, demand: { cpu: 100, mem: 1000 }, duration: 1 }] },
    ])
    expect([trace.format, trace.report.rules?.map(({ rule, jobs }) => [rule, jobs])]).toEqual(['alibaba-2018', [['demand', 1]]])
  })

  it('ask for as much as is written, whatever the last bits of a product: 0.57 of 100 are 5700 millionths', () => {
    const read57 = (memory: string) => [...jobsOf(read(`M1,1,j_1,1,Terminated,600,650,100,${memory}\n`))][0]!.stages[0]!.demand['mem']
    expect([(0.57 / 100) * 1_000_000, Math.ceil((0.39 / 100) * 1_000_000), read57('0.57'), read57('0.39'), read57('0.570001')]).toEqual([5699.999999999999, 3901, 5700, 3900, 5701])
  })

  it('take any letters, several of one number, and parts of a name that are no number', () => {
    const rows = ['MergeTask', 'M1', 'N1', 'R4_1_Stg2', 'K5_4_4'].map((name, i) => `${name},1,j_1,1,Terminated,${i + 1},9,100,0.1\n`)
    expect([...jobsOf(read(rows.join('')))].map(shape)).toEqual([['MergeTask<', 'M1<', 'N1<', 'R4_1_Stg2<M1 N1', 'K5_4_4<R4_1_Stg2']])
  })

  it('whose times are not in the trace are left out, with who waits for them told; a job in a circle is left out', () => {
    const rows = 'M1,1,j_1,1,Terminated,0,90,100,0.1\nR2_1,1,j_1,1,Terminated,90,99,100,0.1\nM1,1,j_2,1,Terminated,50,0,100,0.1\nM1_2,1,j_3,1,Terminated,5,6,100,0.1\nM2_1,1,j_3,1,Terminated,5,6,100,0.1\nM1,1,j_4,1,Failed,5,6,100,0.1\n'
    const trace = read(rows)
    expect([[...jobsOf(trace)].map(({ id, stages }) => [id, shape({ stages })]), trace.report.rules?.map(({ rule, jobs }) => [rule, jobs])]).toEqual([[['j_1', ['R2_1<']]], [['status', 1], ['outside', 2], ['missing', 1], ['circle', 1]]])
    expect([...jobsOf(read(rows, { outside: 'keep' }))].map(({ id, submit }) => [id, submit])).toEqual([['j_1', 0]])
  })

  it.each([
    ['M1,1,j_1,1,Terminated,1,2', '"b.csv" line 2: found 7 columns, expected 9: task name, number of instances, job name, task type, status, start time, end time, CPU, memory. Was the file cut short? Copy it again, or drop such lines with onBadLine "skip".'],
    ['M1,0,j_1,1,Terminated,1,2,100,1', `"b.csv" line 2 number of instances: found "0", expected a number of at least 1. ${skip}`],
    [',1,j_1,1,Terminated,1,2,100,1', `"b.csv" line 2 task name: is empty. ${skip}`],
    ['M1,1,j_1,1,Terminated,1,2,0,0', `"b.csv" line 2: an instance asks for nothing. ${skip}`],
  ])('answer the row %j', (text, message) => {
    expect(messageOf(() => read(`${header2018}${text}\n`))).toBe(message)
  })
})

describe('tasks of Alibaba\'s GPU trace of 2020', () => {
  const header2020 = 'job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type\n'
  const rows = '1f,worker,3.0,Terminated,1000.0,1600.0,400.0,2.5,50.0,T4\n2e,ps,1.0,Terminated,1100.0,1130.0,,,,\n1f,ps,1.0,Terminated,900.0,1600.0,600.0,8.0,0.0,\n'

  it.each([header2020, ''])('are stages of their job, those of several instances gangs, with shares of GPUs in thousandths (header: %j)', (first) => {
    const trace = read(first + rows)
    expect([...jobsOf(trace)]).toEqual([
      { id: '1f', submit: 0, stages: [
        { name: 'worker', tasks: 3, gang: true, demand: { cpu: 400, mem: 2560, gpu: 500 }, duration: 600 },
        { name: 'ps', tasks: 1, demand: { cpu: 600, mem: 8192 }, duration: 700 },
      ] },
      { id: '2e', submit: 200, stages: [{ name: 'ps', tasks: 1, demand: { cpu: 600, mem: 30_000 }, duration: 30 }] },
    ])
    expect([trace.format, trace.report.rules?.map(({ rule, jobs }) => [rule, jobs])]).toEqual(['pai', [['demand', 1], ['later', 1]]])
  })

  it('without a time or of another status are left out; of several GPUs whole ones are asked', () => {
    const trace = read('a,x,1,Terminated,5,,600,1,100,\na,y,1,Failed,5,6,600,1,100,\nb,x,1,Terminated,5,6,600,1,150,P100\n', { gpuType: 'require', gang: false })
    expect([[...jobsOf(trace)].map(({ stages }) => stages), trace.report.rules?.map(({ rule, jobs }) => [rule, jobs])]).toEqual([
      [[{ name: 'x', tasks: 1, demand: { cpu: 600, mem: 1024, gpu: 2000 }, duration: 1, constraints: { require: { model: 'P100' } } }]], [['status', 1], ['outside', 1], ['gpu', 1]],
    ])
  })

  it.each([
    ['a,x,1,Terminated,5,6,600,1', '"b.csv" line 2: found 8 columns, expected 10: job name, task name, number of instances, status, start time, end time, CPU, memory, GPU, GPU type. Was the file cut short? Copy it again, or drop such lines with onBadLine "skip".'],
    ['a,x,1,Terminated,5,6,600,much,0,', `"b.csv" line 2 memory: found "much", expected a number of at least 0. ${skip}`],
    ['a,x,1,Terminated,5,6,0,0,0,', `"b.csv" line 2: an instance asks for nothing. ${skip}`],
  ])('answer the row %j', (text, message) => {
    expect(messageOf(() => read(`${header2020}${text}\n`))).toBe(message)
  })

  it('run on the machines of the trace', () => {
    expect(readMachines('a1,CPU,96,512,0\na2,T4,96.0,512.0,2\na3,T4,96,512,2\n')).toEqual({ name: 'pai', nodes: [
      { names: ['a1'], count: 1, resources: { cpu: 9600, mem: 524_288 } },
      { names: ['a2', 'a3'], count: 2, resources: { cpu: 9600, mem: 524_288 }, devices: { gpu: { count: 2, milli: 1000 } }, labels: { model: 'T4' } },
    ] })
    expect(readMachines('machine,gpu_type,cap_cpu,cap_mem,cap_gpu\na1,CPU,96,512,0\n').nodes).toHaveLength(1)
    expect(messageOf(() => readMachines('a1,CPU,96,512,0\na2,T4,96\n', 'm.csv'))).toBe('"m.csv" line 2: found 3 columns, expected 5 (machine, GPU type, CPUs, memory, GPUs). Was the file cut short? Copy it again.')
  })
})

describe('machines of Alibaba\'s traces', () => {
  it('are added in 2017, listed with failure domains in 2018', () => {
    expect(readMachines('0,1,add,,64,0.69,1\n0,2,add,,64,0.69,1\n50,1,softerror,x,64,0.69,1\n')).toEqual({ name: 'alibaba 2017', nodes: [{ names: ['1', '2'], count: 2, resources: { cpu: 6400, mem: 690_000 } }] })
    expect(readMachines('m_1,0,7,120,96,100,USING\nm_1,50,7,120,96,100,USING\nm_2,0,7,121,96,100,IMPORT_INSTALLING\n').nodes).toEqual([
      { names: ['m_1'], count: 1, racks: ['domain 120', 'domain 7'], resources: { cpu: 9600, mem: 1_000_000 } },
    ])
  })

  it.each([
    ['0,1,add,,x,0.5,1', '"m.csv" line 1 CPUs: found "x", expected a number of at least 0. Correct the line.'],
    ['0,1,add,,64,0.5,1\n0,2,add', '"m.csv" line 2: found 3 columns, expected 7. Was the file cut short? Copy it again.'],
  ])('answer %j', (text, message) => {
    expect(messageOf(() => readMachines(text, 'm.csv'))).toBe(message)
  })

  it('are told from other tables', () => {
    expect(messageOf(() => detectFormatOf(bytesOf('m_1,0,7,120,96,100,USING\n'), 'm.csv'))).toBe('"m.csv": is a list of machines (machine table of Alibaba\'s trace of 2018, CSV), not a trace. It is for the cluster: `--nodes FILE`, or `cluster: FILE` in an experiment.')
  })

  const real = realTrace('alibaba-2018/machine_meta.csv.gz')
  it.skipIf(!real.there)(`reads ${real.title}: 4,034 machines of 96 CPUs, one of them never in use`, () => {
    const { nodes } = readMachines(new TextDecoder().decode(readBytes(real.path)))
    expect([nodes.reduce((sum, { count }) => sum + count, 0), new Set(nodes.map(({ resources }) => resources!['cpu']))]).toEqual([4033, new Set([9600])])
  })
})
