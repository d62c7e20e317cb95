import { describe, expect, it } from 'vitest'
import { detectFormatOf, jobsOf, parseTrace, readMachines, streamJobs, type ParseOptions } from '../src/index.js'
import { openTrace, readBytes } from '../src/node/index.js'
import { bytesOf, messageOf, skip } from './reading.js'
import { realTrace } from './traces.js'

const read = (text: string, options: object = {}, more: ParseOptions = {}) => parseTrace(bytesOf(text), { file: 't.json', options, ...more })
const jobs = (text: string, options?: object) => [...jobsOf(read(text, options))]

const map = { 'container.host': '/r1/n1', 'container.start.ms': 1000, 'container.end.ms': 3500, 'container.priority': 20, 'container.type': 'map' }
const reduce = { ...map, 'container.end.ms': 11_000, 'container.type': 'reduce' }
const slsJob = (change: object = {}) => ({ 'am.type': 'mapreduce', 'job.start.ms': 2000, 'job.end.ms': 95_375, 'job.queue.name': 'q', 'job.id': 'job_1', 'job.user': 'ann', 'job.tasks': [map, { ...map, 'container.end.ms': 2000 }, reduce], ...change })

describe('jobs of YARN\'s scheduler load simulator', () => {
  it('have their containers in stages by type, reduces after all maps', () => {
    expect(jobs(JSON.stringify(slsJob()))).toEqual([
      {
        id: 'job_1', submit: 0, user: 'ann', queue: 'q', recorded: { runtime: 93.375 },
        stages: [
          { name: 'map', tasks: 2, demand: { vcores: 1, 'memory-mb': 1024 }, duration: [2.5, 1] },
          { name: 'reduce', tasks: 1, demand: { vcores: 1, 'memory-mb': 1024 }, duration: 10, after: [{ stage: 0, fraction: 1 }] },
        ],
      },
    ])
  })

  it('ask for what a container says, and run for its duration', () => {
    const task = { 'container.duration.ms': 500, 'container.memory-mb': 4096, 'container.vcores': '2', 'container.gpu': 1, count: 3 }
    expect(jobs(JSON.stringify(slsJob({ 'job.tasks': [task] })))[0]!.stages).toEqual([{ name: 'map', tasks: 3, demand: { vcores: 2, 'memory-mb': 4096, gpu: 1 }, duration: 0.5 }])
    expect(jobs(JSON.stringify(slsJob()), { demand: 'slots', slowStart: 0.05 })[0]!.stages.map(({ demand, after }) => [demand, after])).toEqual([[{ map: 1 }, undefined], [{ reduce: 1 }, [{ stage: 0, fraction: 0.05 }]]])
    expect(jobs(JSON.stringify(slsJob()), { hosts: true })[0]!.stages[0]!.data).toEqual({ hosts: [['n1'], ['n1']] })
  })

  it('may be counted, without id and user, with a label', () => {
    const { 'job.id': _, 'job.user': __, ...rest } = slsJob({ 'job.count': 2, 'job.label.expression': 'ssd' })
    expect(jobs(JSON.stringify(rest)).map(({ id, user, stages }) => [id, user, stages[0]!.constraints])).toEqual([['job_1-1', 'default', { require: { partition: 'ssd' } }], ['job_1-2', 'default', { require: { partition: 'ssd' } }]])
  })

  it.each([
    ['one after another on one line', (a: string, b: string) => a + b],
    ['on lines of their own', (a: string, b: string) => `${a}\n${b}\n`],
    ['over many lines', (a: string, b: string) => `${JSON.stringify(JSON.parse(a), null, 2)}\r\n${JSON.stringify(JSON.parse(b), null, 2)}`],
    ['as a list', (a: string, b: string) => `[${a},\n${b}]`],
  ])('are read %s, and sorted', async (_, join) => {
    const text = join(JSON.stringify(slsJob({ 'job.id': 'b', 'job.start.ms': 9000, 'job.queue.name': 'a "quoted" {brace} \\' })), JSON.stringify(slsJob({ 'job.id': 'a' })))
    const trace = read(text)
    expect([...jobsOf(trace)].map(({ id, submit, queue }) => [id, submit, queue])).toEqual([['a', 0, 'q'], ['b', 7, 'a "quoted" {brace} \\']])
    const streamed = []
    for await (const job of streamJobs(trace)) streamed.push(job.id)
    expect(streamed).toEqual(['a', 'b'])
    expect(trace).toMatchObject({ format: 'sls', jobs: 2 })
  })

  it('may come with the size of the cluster, which is noted', () => {
    const trace = read(`{"num.nodes": 3, "num.racks": 1}\n${JSON.stringify(slsJob())}`)
    expect([trace.jobs, trace.report.notes]).toEqual([1, ['meant for 3 nodes: --nodes 3 --racks 1 --resources vcores=10,memory-mb=10240']])
  })

  const good = JSON.stringify(slsJob({ 'job.id': 'good' }))
  it.each<[string, string]>([
    [JSON.stringify(slsJob({ 'job.tasks': [] })), `"t.json" line 2 job.tasks: is empty. Give every job a container, or drop such lines with onBadLine "skip".`],
    [JSON.stringify(slsJob({ 'job.start.ms': -1 })), `"t.json" line 2 job.start.ms: found -1, expected a number of at least 0. ${skip}`],
    [JSON.stringify(slsJob({ 'job.start.ms': 'NaN' })), `"t.json" line 2 job.start.ms: found "NaN", expected a number of at least 0. ${skip}`],
    [JSON.stringify(slsJob({ 'job.tasks': [map, { ...map, 'container.end.ms': 10 }] })), `"t.json" line 2 job.tasks[1].container.end.ms: the container ends 990 ms before it starts. ${skip}`],
    [JSON.stringify(slsJob({ 'job.tasks': [{ 'container.start.ms': 1 }] })), '"t.json" line 2 job.tasks[0].container.end.ms: is missing. Give a container a start and an end, or container.duration.ms, or drop such lines with onBadLine "skip".'],
    [JSON.stringify(slsJob({ 'job.tasks': 'x' })), `"t.json" line 2 job.tasks: found "x", expected a list. ${skip}`],
    [JSON.stringify(slsJob({ 'job.id': 'good' })), '"t.json" line 2 id: job id "good" was used before, on line 1. Give every job an id of its own, or drop such lines with onBadLine "skip".'],
    ['{"job.id": "a",\n "job.start.ms": 1,}', `"t.json" line 3: the object that begins on line 2 is not JSON: found "}" on line 3. ${skip}`],
    ['garbage', `"t.json" line 2: found "garbage" between two objects. ${skip}`],
    ['{"job.id": "a", "job.tasks": [', '"t.json" line 2: the object that begins on line 2 has no end. Was the file cut short? Copy it again, or drop such lines with onBadLine "skip".'],
    ['{"job.id": "a", "job.tasks": ["\xff"]}', `"t.json" line 2 job.tasks[0]: found "ÿ", expected an object. ${skip}`],
  ])('answer the object %j', (text, message) => {
    expect(messageOf(() => read(`${good}\n${text}`))).toBe(message)
    expect(read(`${good}\n${text}`, {}, { onBadLine: 'skip' })).toMatchObject({ jobs: 1, report: { skipped: 1 } })
  })

  it('may call the memory of a container as older versions did', () => {
    const [job] = jobs(JSON.stringify(slsJob({ 'job.tasks': [{ ...map, 'container.memory': 2048 }] })))
    expect(job!.stages[0]!.demand).toEqual({ vcores: 1, 'memory-mb': 2048 })
  })

  it('with a number that is none are answered', () => {
    expect(messageOf(() => read(`${good}\n{"job.id": NaN}`))).toMatch(/^"t\.json" line 2: is not JSON/)
  })

  for (const [name, format, count] of [['sls-inputsls.json', 'sls', 2], ['sls-sls_dag.json', 'sls', 2], ['2jobs2min-rumen-jh.json', 'rumen', 2], ['gridmix-wordcount2.json', 'rumen', 2]] as const) {
    const real = realTrace(`yarn/${name}`)
    it.skipIf(!real.there)(`of Hadoop are read: ${real.title}`, () => {
      const trace = openTrace(real.path)
      expect([trace.format, trace.jobs]).toEqual([format, count])
    })
  }
})

const attempt = { startTime: 1371222061163, finishTime: 1371222078206, hostName: '/default-rack/a.example.org', result: 'SUCCESS' }
const task = { startTime: 1371222059053, finishTime: 1371222078206, taskID: 't0', taskType: 'MAP', attempts: [{ ...attempt, finishTime: 1371222061164, result: 'FAILED' }, attempt] }
const rumenJob = (change: object = {}) => ({ priority: 'NORMAL', jobID: 'job_1', user: 'jen', jobName: 'TeraGen', submitTime: 1371222054499, finishTime: 1371222153874, queue: 'q', mapTasks: [task], reduceTasks: [], ...change })

describe('jobs of Hadoop\'s history as Rumen writes them', () => {
  it('run as long as the last attempt of each task; times count from the first submission', () => {
    expect(jobs(JSON.stringify(rumenJob()))).toEqual([
      { id: 'job_1', submit: 0, user: 'jen', queue: 'q', application: 'TeraGen', recorded: { runtime: 99.375 }, stages: [{ name: 'map', tasks: 1, demand: { vcores: 1, 'memory-mb': 1024 }, duration: 17.043 }] },
    ])
  })

  it('of one id are numbered, and counted', () => {
    const trace = read(JSON.stringify(rumenJob()) + JSON.stringify(rumenJob({ submitTime: 1371222055000 })))
    expect([...jobsOf(trace)].map(({ id, submit }) => [id, submit])).toEqual([['job_1', 0], ['job_1#2', 0.501]])
    expect(trace.report.notes).toEqual(['1 job with the id of one above: called <id>#2, <id>#3, ... (repeated)'])
  })

  it('have the five priorities of Hadoop, and ask for the memory that the job said', () => {
    expect(jobs(JSON.stringify(rumenJob({ priority: 'VERY_LOW', jobMapMB: 2048 })), { jobMemory: true })[0]).toMatchObject({ priority: -2, stages: [{ demand: { 'memory-mb': 2048 } }] })
    expect(messageOf(() => read(JSON.stringify(rumenJob({ priority: 'URGENT' }))))).toBe(`"t.json" line 1 priority: found "URGENT", expected one of VERY_HIGH, HIGH, NORMAL, LOW, VERY_LOW. ${skip}`)
  })

  it('without a submission time are submitted when launched or when the first task started; tasks of unknown run time are left out, and counted', () => {
    const text = JSON.stringify(rumenJob({ submitTime: undefined, jobID: 'b' })) + JSON.stringify(rumenJob({ reduceTasks: [{ startTime: -1, finishTime: -1, attempts: [] }] }))
    const trace = read(text)
    expect([...jobsOf(trace)].map(({ id, submit, stages }) => [id, submit, stages.length])).toEqual([['job_1', 0, 1], ['b', 4.554, 1]])
    expect(trace.report.rules?.map(({ rule, jobs: count }) => [rule, count])).toEqual([['unknownRuntime', 1], ['submitTime', 1], ['sorted', 1]])
  })

  it.each<[object, string]>([
    [{ mapTasks: [] }, `"t.json" line 1 mapTasks: is empty, and so is reduceTasks. ${skip}`],
    [{ mapTasks: [{ ...task, attempts: [{ startTime: 5, finishTime: 3 }] }] }, `"t.json" line 1 mapTasks[0].attempts[0].finishTime: it ends 2 ms before it starts. ${skip}`],
    [{ mapTasks: [{ attempts: [] }] }, `"t.json" line 1 mapTasks: has no task of known run time. ${skip}`],
    [{ jobID: '' }, `"t.json" line 1 jobID: is missing. ${skip}`],
  ])('answer %j', (change, message) => {
    expect(messageOf(() => read(JSON.stringify(rumenJob(change))))).toBe(message)
  })

  it('are told from other JSON', () => {
    expect(detectFormatOf(bytesOf(JSON.stringify(rumenJob()))).name).toBe('rumen')
    expect(messageOf(() => detectFormatOf(bytesOf('{"a": 1}'), 't.json'))).toMatch(/"t\.json": looks like JSON, which is no trace format known here\./)
  })

  const real = realTrace('yarn/2jobs2min-rumen-jh.json')
  it.skipIf(!real.there)(`reads ${real.title}: 96 maps and no reduces each, 105 s apart`, () => {
    expect([...jobsOf(openTrace(real.path))].map(({ submit, stages }) => [Math.round(submit), stages.map(({ name, tasks }) => [name, tasks])])).toEqual([[0, [['map', 96]]], [105, [['map', 96]]]])
  })
})

describe('racks and nodes of YARN\'s SLS', () => {
  it('are in the partition of their label', () => {
    const text = '{"rack": "r", "nodes": [{"node": "n1", "labels": "ssd"}, {"node": "n2", "labels": "gpu(exclusive=false)"}, {"node": "n3", "labels": ""}]}'
    expect(readMachines(text).nodes.map(({ labels }) => labels)).toEqual([{ partition: 'ssd' }, { partition: 'gpu' }, undefined])
  })

  it('are nodes with amounts, racks and labels', () => {
    const text = '{"rack": "r1", "nodes": [{"node": "n1", "memory-mb": 2048, "vcores": 6}, {"node": "n2"}, {"node": "n3", "labels": "l1, l2(exclusive=false)"}]}\n{"rack": "r2", "nodes": [{"node": "n4"}, {}]}'
    expect(readMachines(text)).toEqual({
      name: 'sls',
      nodes: [
        { names: ['n1'], count: 1, racks: ['r1'], resources: { vcores: 6, 'memory-mb': 2048 } },
        { names: ['n2'], count: 1, racks: ['r1'], resources: { vcores: 10, 'memory-mb': 10_240 } },
        { names: ['n3'], count: 1, racks: ['r1'], resources: { vcores: 10, 'memory-mb': 10_240 }, labels: { l1: 'true', l2: 'true' } },
        { names: ['n4'], count: 1, racks: ['r2'], resources: { vcores: 10, 'memory-mb': 10_240 } },
      ],
    })
  })

  it.each([
    ['{"rack": "r", "nodes": [{"node": "n", "vcores": -1}]}', '"n.json" line 1 nodes[0].vcores: found -1, expected a number of at least 0. Correct the line.'],
    ['{"rack": "r", "nodes": [{"node": "n"},\n {"node": "n"}]}', '"n.json" line 2 nodes[1].node: node "n" was listed before. Give every node once.'],
    ['{"rack": "r", "nodes": [{"node": "n"}', '"n.json" line 1: the object that begins on line 1 has no end. Was the file cut short? Copy it again.'],
    ['{"rack": "r", "nodes": []}', '"n.json": lists no machine. Is it the right file, and whole?'],
  ])('answer %j', (text, message) => {
    expect(messageOf(() => readMachines(text, 'n.json'))).toBe(message)
  })

  for (const [name, count] of [['sls-nodes.json', 19], ['sls-nodes-with-resources.json', 4]] as const) {
    const real = realTrace(`yarn/${name}`)
    it.skipIf(!real.there)(`of Hadoop are read: ${real.title}`, () => {
      expect(readMachines(new TextDecoder().decode(readBytes(real.path))).nodes.reduce((sum, group) => sum + group.count, 0)).toBe(count)
    })
  }
})
