import type { JobSpec, StageSpec } from '@sched/core'
import fc from 'fast-check'
import { parquetWriteBuffer, type ColumnSource } from 'hyparquet-writer'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { jobsOf, parseTrace, readMachines, workloadOf, writeWorkload, type ParseOptions, type Trace } from '../src/index.js'
import { openTraceFile } from '../src/node/index.js'
import { circleIn, stagesInOrder } from '../src/workflow/order.js'
import { bytesOf, messageAfter, messageOf, streamed } from './reading.js'
import { temporaryFolder, writeFiles } from './temporary.js'

const folder = temporaryFolder()
const files = (name: string, contents: Parameters<typeof writeFiles>[1]) => writeFiles(join(folder, name), contents)
const read = (text: string, options: object = {}, more: ParseOptions = {}) => parseTrace(bytesOf(text), { file: 'w', options, ...more })
const jobs = (text: string, options?: object): JobSpec[] => [...jobsOf(read(text, options))]
const counts = ({ report }: Trace) => report.rules!.map(({ rule, jobs: count }) => [rule, count])
/** Stages with those they wait for: `c<a b`. */
const shape = ({ stages }: Pick<JobSpec, 'stages'>) => stages.map(({ name, after = [] }) => `${name}<${after.map(({ stage }) => stages[stage]!.name).join(' ')}`)
const again = (all: readonly JobSpec[]) => [...jobsOf(parseTrace(bytesOf([...writeWorkload(workloadOf('w', all))].join(''))))]

describe('an order of stages', () => {
  const stages = (count: number) => Array.from({ length: count }, (_, i): StageSpec => ({ name: `${i}`, tasks: 1, demand: { cpu: 1 }, duration: 1 }))

  it('has each after those it waits for, and of what is ready always the first; there is none in a circle, which is found', () => {
    const graph = fc.array(fc.array(fc.nat(19), { maxLength: 3 }), { minLength: 1, maxLength: 20 }).map((rows) => rows.map((row) => [...new Set(row.map((each) => each % rows.length))]))
    let circles = 0
    fc.assert(fc.property(graph, (before) => {
      const left = new Set(before.keys())
      const expected: string[] = []
      for (let next; (next = [...left].find((i) => before[i]!.every((each) => !left.has(each)))) !== undefined; left.delete(next)) expected.push(`${next}`)
      const order = stagesInOrder(stages(before.length), before)
      if (left.size === 0) {
        expect(order!.map(({ name }) => name)).toEqual(expected)
        for (const { name, after = [] } of order!) expect(after.map(({ stage }) => Number(order![stage]!.name))).toEqual(before[Number(name)])
        return
      }
      circles++
      const circle = circleIn(before)
      expect([order, circle.length]).toEqual([undefined, new Set(circle).size])
      circle.forEach((each, i) => expect(before[each]).toContain(circle[(i + 1) % circle.length]))
    }), { seed: 3, numRuns: 500 })
    expect(circles).toBeGreaterThan(100)
  })

  it('is found of 100,000 in a row, written from the last to the first, in a moment', { tags: 'long' }, () => {
    const before = Array.from({ length: 100_000 }, (_, i) => (i === 99_999 ? [] : [i + 1]))
    expect(stagesInOrder(stages(100_000), before)![0]!.name).toBe('99999')
  })
})

interface Made { readonly id: string; readonly parents?: readonly string[]; readonly children?: readonly string[]; readonly run?: object }
const wf = (name: string, tasks: readonly Made[], more: { readonly execution?: object; readonly document?: object } = {}) => JSON.stringify({
  name, schemaVersion: '1.5', createdAt: '2024-01-02T00:00:00.5Z', ...more.document,
  workflow: {
    specification: { tasks: tasks.map(({ id, parents = [], children = [] }) => ({ name: 'program', id, parents, children })), files: [{ id: 'f', sizeInBytes: 7 }] },
    execution: { makespanInSeconds: 99.5, executedAt: '2024-01-01T00:00:10Z', tasks: tasks.flatMap(({ id, run }) => (run === undefined ? [] : [{ id, ...run }])), ...more.execution },
  },
}, undefined, 2)
const ran = (runtimeInSeconds: unknown, more: object = {}) => ({ run: { runtimeInSeconds, coreCount: 1, ...more } })
const diamond: Made[] = [
  { id: 'join', parents: ['left', 'right'], ...ran(4) },
  { id: 'left', parents: ['split'], ...ran(2.5, { coreCount: 1.5, memoryInBytes: 3 * 2 ** 20 + 1, readBytes: 10, writtenBytes: 20, priority: 3, machines: ['n1'] }) },
  { id: 'right', parents: ['split'], ...ran(3) },
  { id: 'split', children: ['left'], ...ran(1) },
]
const one = [{ id: 'a', ...ran(1) }]

describe('a workflow of WfCommons', () => {
  const after = (...stages: number[]) => ({ after: stages.map((stage) => ({ stage, fraction: 1 })) })
  const expected: JobSpec = {
    id: 'd', submit: 0, recorded: { runtime: 99.5 }, stages: [
      { name: 'split', tasks: 1, demand: { cpu: 1000 }, duration: 1 },
      { name: 'left', tasks: 1, demand: { cpu: 1500 }, duration: 2.5, bytesIn: 10, bytesOut: 20, ...after(0) },
      { name: 'right', tasks: 1, demand: { cpu: 1000 }, duration: 3, ...after(0) },
      { name: 'join', tasks: 1, demand: { cpu: 1000 }, duration: 4, ...after(1, 2) },
    ],
  }

  it('is a job whose tasks are stages that wait for their parents, whatever their order in the file, and the same through the native format', () => {
    const trace = read(wf('d', diamond))
    expect([trace.format, [...jobsOf(trace)], trace.report.rules, trace.report.notes]).toEqual(['wfformat', [expected], [], []])
    expect(again([expected])).toEqual([expected])
  })

  it('is the same in one line, with children for parents, and in earlier versions, of which names are the ids', () => {
    const bare = { ...expected, stages: expected.stages.map(({ name, tasks, demand, duration, after: waits }) => ({ name, tasks, demand, duration, ...(waits && { after: waits }) })) }
    const children = (id: string) => diamond.filter(({ parents = [] }) => parents.includes(id)).map((each) => each.id)
    expect(jobs(JSON.stringify(JSON.parse(wf('d', diamond.map(({ id, run }) => ({ id, children: children(id), ...(run && { run }) }))))))).toEqual([expected])
    const before = (key: string, runtime: string, refer: (id: string) => string, ids: boolean) => JSON.stringify({ name: 'd', schemaVersion: '1.3', wms: { name: 'Pegasus' }, workflow: {
      makespan: 99.5, executedAt: '2024-01-01T00:00:10Z',
      [key]: diamond.map(({ id, parents = [], run }) => ({ name: id, ...(ids && { id: `ID-${id}` }), type: 'compute', [runtime]: (run as Record<string, unknown>)['runtimeInSeconds'], cores: (run as Record<string, unknown>)['coreCount'], memory: 4000, parents: parents.map(refer) })),
    } })
    expect(jobs(before('jobs', 'runtime', (id) => id, false))).toEqual([bare])
    expect(jobs(before('tasks', 'runtimeInSeconds', (id) => id, true))).toEqual([bare])
    expect(jobs(before('tasks', 'runtime', (id) => `ID-${id}`, true), { memory: 'used' })[0]!.stages[0]!.demand).toEqual({ cpu: 1000, mem: 4 }) // 4000 kB
  })

  it('asks for memory, or for so many cores, where that is chosen; what is not said is told', () => {
    const trace = read(wf('d', [...diamond, { id: 'more', parents: [], run: { runtimeInSeconds: null } }]), { memory: 'used' })
    const [job] = [...jobsOf(trace)] as [JobSpec]
    expect(job.stages.map(({ name, demand, duration }) => [name, demand, duration])).toEqual([['split', { cpu: 1000 }, 1], ['left', { cpu: 1500, mem: 4 }, 2.5], ['right', { cpu: 1000 }, 3], ['join', { cpu: 1000 }, 4], ['more', { cpu: 1000 }, 0]])
    expect(counts(trace)).toEqual([['cores', 1], ['memory', 4], ['unknownRuntime', 1]])
    expect(trace.report.notes).toContain('1 task of unknown run time: run 0 s (unknownRuntime)')
    expect(jobs(wf('d', diamond), { cores: 0.25 })[0]!.stages.map(({ demand }) => demand['cpu'])).toEqual([250, 250, 250, 250])
    expect(jobs(JSON.stringify({ name: 'planned', workflow: { specification: { tasks: [{ name: 'p', id: 'a', parents: [], children: [] }] } } }), { unknownRuntime: 7 })[0]!.stages[0]!.duration).toBe(7)
  })

  it('is submitted at 0, some seconds after the one before, or when it was executed or its file made', () => {
    const at = (date: string) => ({ execution: { executedAt: date } })
    const three = [wf('x', one, at('2024-03-01T10:00:30+01:00')), wf('y', one, at('03-01-24T09:00:10Z')), wf('x', one, at('2024-03-01T09:00:20'))].join('\n')
    const submits = (options: object) => jobs(three, options).map(({ id, submit }) => [id, submit])
    expect(submits({})).toEqual([['x', 0], ['y', 0], ['x#2', 0]])
    expect(submits({ gap: 2.5 })).toEqual([['x', 0], ['y', 2.5], ['x#2', 5]])
    expect(submits({ submit: 'executedAt' })).toEqual([['y', 0], ['x#2', 10], ['x', 20]])
    expect(submits({ submit: 'createdAt' })).toEqual([['x', 0], ['y', 0], ['x#2', 0]])
    expect(messageOf(() => read(wf('x', one, at('20240301')), { submit: 'executedAt' }))).toContain('found "20240301", expected a date')
    expect(messageOf(() => read(wf('x', one, at('20240301T090000Z')), { submit: 'executedAt' }))).toContain('workflow.execution.executedAt: in the object that begins on line 1: found "20240301T090000Z", expected a date such as 2024-01-31T10:00:00Z. Let all be submitted at once with submit=zero, or drop')
  })

  it('is one of several in a file, in a list, or of a directory, where a file that was cut short is told', async () => {
    expect(jobs(`[${wf('x', one)},\n${wf('y', one)}]`).map(({ id }) => id)).toEqual(['x', 'y'])
    const path = files('many', { 'b-10.json': wf('z', one), 'b-9.json.gz': gzipSync(wf('y', diamond)), 'a/1.json': wf('x', one), 'README.md': '# Workflows', '.hidden': 'x' })
    expect((await streamed(await openTraceFile(path))).map(({ id }) => id)).toEqual(['x', 'y', 'z'])
    const cut = files('cut', { '1.json': wf('x', one), '2.json': wf('y', diamond).slice(0, 300), '3.json': wf('z', one) })
    const message = 'the object that begins on line 1 of "cut/2.json" has no end. Was the file cut short? Copy it again, or drop such lines with onBadLine "skip".'
    expect((await messageAfter(openTraceFile(cut).then(streamed), `${folder}/`))).toBe(`"cut/3.json" line 1: ${message}`)
    const skipped = await openTraceFile(cut, { onBadLine: 'skip' })
    expect([(await streamed(skipped)).map(({ id }) => id), skipped.report.skipped]).toEqual([['x', 'z'], 1])
  })

  it.each([
    ['was cut short', wf('d', diamond).slice(0, -30), ': the object that begins on line 1 has no end. Was the file cut short? Copy it again'],
    ['has no name', wf('', one), 'name: in the object that begins on line 1: is missing.'],
    ['has no workflow', '{"schemaVersion":"1.5","name":"d","workflow":null}', 'workflow: is missing.'],
    ['has no tasks', wf('d', []), 'workflow.specification.tasks: in the object that begins on line 1: is missing or empty.'],
    ['has a list of tasks that is none', '{"name":"d","workflow":{"specification":{"tasks":{"a":1}}}}', 'workflow.specification.tasks: found {"a":1}, expected a list.'],
    ['has no run times', wf('d', [{ id: 'a' }]), 'workflow.specification.tasks[0].runtimeInSeconds: in the object that begins on line 1: no task says how long it ran. Set it for all of them with unknownRuntime=SECONDS'],
    ['has a negative run time', wf('d', [{ id: 'a', ...ran(-1) }]), 'workflow.execution.tasks[0].runtimeInSeconds: in the object that begins on line 1: found -1, expected a number of at least 0.'],
    ['has a run time that is none', wf('d', [{ id: 'a', ...ran('long') }]), 'workflow.execution.tasks[0].runtimeInSeconds: in the object that begins on line 1: found "long", expected a number of at least 0.'],
    ['has cores that are none', wf('d', [{ id: 'a', ...ran(1, { coreCount: [2] }) }]), 'workflow.execution.tasks[0].coreCount: in the object that begins on line 1: found [2], expected a number of at least 0.'],
    ['has more cores than numbers count', wf('d', [{ id: 'a', ...ran(1, { coreCount: 9e15 }) }]), ': in the object that begins on line 1: a task asks for 9000000000000000000 cpu, more than any machine has.'],
    ['has an id twice', wf('d', [...one, ...one]), 'workflow.execution.tasks[1].id: in the object that begins on line 1: "a" is the id of a task above, too. Give every task one of its own'],
    ['has an id twice that never ran', wf('d', [...one, { id: 'b' }, { id: 'b' }]), 'workflow.specification.tasks[2].id: in the object that begins on line 1: "b" is the id of a task above, too. Give every task one of its own'],
    ['has an execution of another task', wf('d', one, { execution: { tasks: [{ id: 'b', runtimeInSeconds: 1 }] } }), 'workflow.execution.tasks[0].id: in the object that begins on line 1: the specification has no task "b".'],
    ['has an unknown parent', wf('d', [{ id: 'a', parents: ['x'], ...ran(1) }]), 'workflow.specification.tasks[0].parents: in the object that begins on line 1: task "a" names "x", which no task is called.'],
    ['has an unknown child', wf('d', [{ id: 'a', children: ['x'], ...ran(1) }]), 'workflow.specification.tasks[0].children: in the object that begins on line 1: task "a" names "x", which no task is called.'],
    ['has a parent that is no name', wf('d', [{ id: 'a', parents: [{}] as never, ...ran(1) }]), 'workflow.specification.tasks[0].parents.0: in the object that begins on line 1: found {}, expected text.'],
    ['has a task that waits for itself', wf('d', [{ id: 'a', parents: ['a'], ...ran(1) }]), 'workflow.specification.tasks[0].parents: in the object that begins on line 1: tasks wait for each other in a circle: "a" for "a".'],
    ['has tasks in a circle', wf('d', [...one, { id: 'b', parents: ['c', 'a'], ...ran(1) }, { id: 'c', children: ['d'], parents: ['d'], ...ran(1) }, { id: 'd', ...ran(1) }]), 'workflow.specification.tasks[2].parents: in the object that begins on line 1: tasks wait for each other in a circle: "c" for "d" for "c".'],
  ])('that %s is a mistake, told with its field', (_, text, message) => {
    const format = 'wfformat'
    expect(messageOf(() => read(text, {}, { format })).replace(/^"w" line \d+ ?/, '')).toContain(message)
    expect(messageOf(() => read(text, {}, { format, onBadLine: 'skip' }))).toMatch(/^all 1 lines with jobs are bad, the first: "w" line/)
  })

  it('tells the machines on which it ran, which are a list of machines', () => {
    const machines = [{ nodeName: 'n1', memoryInBytes: 2 ** 30 + 5, cpu: { coreCount: 24, speedInMHz: 3600 } }, { nodeName: 'n2', memoryInBytes: 2 ** 30, cpu: { coreCount: 24 } }, { nodeName: 'n1', cpu: { coreCount: 24 } }]
    const text = wf('d', diamond, { execution: { machines } })
    expect(read(text).report.notes).toEqual(['recorded on 2 machines of 48 cores in all, which --nodes FILE takes from the same file'])
    expect(readMachines(text)).toEqual({ name: 'wfformat', nodes: [{ names: ['n1', 'n2'], count: 2, resources: { cpu: 24_000, mem: 1024 } }] })
    expect(readMachines(JSON.stringify({ name: 'd', schemaVersion: '1.3', workflow: { tasks: [], machines: [{ nodeName: 'm', memory: 2048, cpu: { count: 4 } }] } })).nodes).toEqual([{ names: ['m'], count: 1, resources: { cpu: 4000, mem: 1 } }])
    expect(messageOf(() => readMachines(JSON.stringify(JSON.parse(wf('d', one, { execution: { machines: [{ nodeName: 'n' }] } }))), 'm'))).toBe('"m" line 1 workflow.execution.machines[0].cpu.coreCount: is missing. Correct the line.')
    expect(messageOf(() => readMachines(wf('d', one, { execution: { machines: [] } }), 'm'))).toBe('"m": lists no machine. Is it the right file, and whole?')
  })
})

type Options = Omit<Parameters<typeof parquetWriteBuffer>[0], 'columnData'>
const packed = (columnData: ColumnSource[], options: Options = {}) => new Uint8Array(parquetWriteBuffer({ columnData, ...options }))
const leaf = (name: string, type: string, more: object = {}) => ({ name, type, repetition_type: 'OPTIONAL', ...more })
const list = (name: string, type: string, more: object = {}) => [{ name, num_children: 1, repetition_type: 'OPTIONAL', converted_type: 'LIST' }, { name: 'list', num_children: 1, repetition_type: 'REPEATED' }, leaf('element', type, more)]

describe('tasks of the Workflow Trace Archive', () => {
  const header = 'workflow_id,id,ts_submit,runtime,resource_type,resource_amount_requested,memory_requested,parents,children,user_id,group_id\n'
  const rows = [
    '7,-300,1700000005000,2500,core,2.0,-1.0,"[20]",[],3,-1', '9,20,1700000001000,10,gpu,0.5,64.2,[],[],-1,4',
    '7,20,1700000004000,1000,core,1.0,100.5,[],"[40, -300]",3,-1', '7,40,1700000009000,0,N/A,-1.0,-1.0,,,3,-1',
  ]

  it('are stages of their workflow, submitted with the first, which wait for parents and for those that call them children', () => {
    const trace = read(header + rows.join('\n'))
    const expected = [
      { id: '9', submit: 0, group: '4', stages: [{ name: 'task20', tasks: 1, demand: { gpu: 500 }, duration: 0.01 }] },
      { id: '7', submit: 3, user: '3', stages: [
        { name: 'task20', tasks: 1, demand: { cpu: 1000 }, duration: 1 },
        { name: 'task-300', tasks: 1, demand: { cpu: 2000 }, duration: 2.5, after: [{ stage: 0, fraction: 1 }] },
        { name: 'task40', tasks: 1, demand: { cpu: 1000 }, duration: 0, after: [{ stage: 0, fraction: 1 }] },
      ] },
    ]
    expect([trace.format, [...jobsOf(trace)], counts(trace)]).toEqual(['wta', expected, [['demand', 1], ['sorted', 1]]])
    expect(again(expected)).toEqual(expected)
    expect(jobs(header + rows.join('\n'), { scale: 10, memory: 'requested' }).map(({ stages }) => stages.map(({ demand }) => demand))).toEqual([[{ gpu: 5, mem: 65 }], [{ cpu: 10, mem: 101 }, { cpu: 20 }, { cpu: 10 }]])
  })

  it('are left out where they wait for each other, and do not wait for those that are not there', () => {
    const trace = read(`${header}1,1,0,5,cpu,1,-1,[2],[],-1,-1\n1,2,0,5,cpu,1,-1,[1],[],-1,-1\n2,1,0,5,cpu,1,-1,[9],[],-1,-1\n2,2,50,5,cpu,1,-1,[],[],-1,-1\n3,1,0,5,cpu,1,-1,"[2,2]",[],-1,-1\n3,2,0,5,cpu,1,-1,[],[1],-1,-1\n`)
    expect([[...jobsOf(trace)].map((job) => [job.id, shape(job)]), counts(trace)]).toEqual([[['2', ['task1<', 'task2<']], ['3', ['task2<', 'task1<task2']]], [['missing', 1], ['circle', 1], ['later', 1]]])
  })

  it.each([
    ['7,1,1,-5,cpu,1,-1,[],[],3,4', 'runtime: found "-5", expected a number of at least 0.'],
    ['7,1,1,long,cpu,1,-1,[],[],3,4', 'runtime: found "long", expected a number of at least 0.'],
    ['7,1,soon,5,cpu,1,-1,[],[],3,4', 'ts_submit: found "soon", expected a number of milliseconds or a date.'],
    ['7,1,,5,cpu,1,-1,[],[],3,4', 'ts_submit: is empty.'],
    ['7,1,1,5,cpu,many,-1,[],[],3,4', 'resource_amount_requested: found "many", expected a number.'],
    ['7,1,1,5,cpu,1,-1,none,[],3,4', 'parents: found "none", expected a list of ids such as [1,2].'],
    ['7,1,1,5,cpu,1,-1,[],[{}],3,4', 'children: found "[{}]", expected a list of ids such as [1,2].'],
    ['7,20,1,5,cpu,1,-1,[],[],3,4', 'id: task "20" was listed before. Give every task an id of its own'],
    [',1,1,5,cpu,1,-1,[],[],3,4', 'workflow_id: is empty.'],
    ['7,1,1,5', ': found 4 columns, the header has 11. Was the file cut short? Copy it again'],
  ])('answer the row %s', (row, message) => {
    expect(messageOf(() => read(`${header}${rows.join('\n')}\n${row}`)).replace(/^"w" line 6 ?/, '')).toContain(message)
  })

  it('are a table of their own, and need the parents', () => {
    expect(messageOf(() => read('id,ts_submit,task_count,critical_path_length\n1,2,3,4\n'))).toBe('"w" line 1: column workflow_id is missing. Give the table of tasks (the directory tasks/schema-1.0), whose parents are lists of whole numbers.')
    expect(messageOf(() => read('workflow_id,id,ts_submit,runtime\n1,2,3,4\n'))).toContain('column parents is missing.')
    expect(messageOf(() => read(header))).toBe('"w": the trace holds no jobs. Is it the right file, and whole?')
  })

  it('are read from Parquet, whose lists keep whole numbers of 64 bits, in the directories of the archive', async () => {
    const ids = [2n ** 62n + 1n, -(2n ** 62n) - 1n, 5n]
    const schema = [
      { name: 'root', num_children: 8 }, ...['workflow_id', 'id', 'ts_submit', 'runtime'].map((name) => leaf(name, 'INT64')), leaf('resource_amount_requested', 'DOUBLE'), ...list('parents', 'INT64'), ...list('children', 'INT64'), leaf('user_id', 'INT32'),
    ] as NonNullable<Options['schema']>
    const part = (from: number, to: number) => packed(Object.entries({
      workflow_id: ids.map(() => 1n), id: ids, ts_submit: [1000n, 1000n, 1000n], runtime: [5n, 6n, 7n], resource_amount_requested: [1, 2, 4], parents: [[], [ids[0]!], [ids[0]!, ids[1]!]], children: [undefined, undefined, []], user_id: [3, 3, 3],
    }).map(([name, data]) => ({ name, data: data.slice(from, to) as never[] })), { schema })
    const path = files('archive', { 'tasks/schema-1.0/part.0.parquet': part(0, 2), 'tasks/schema-1.0/part.1.parquet': part(2, 3), 'tasks/schema-1.0/_SUCCESS': '', 'workflows/schema-1.0/part.0.parquet': 'not read', 'workload/schema-1.0/generic_information.json': '{}' })
    const [job] = await streamed(await openTraceFile(path)) as [JobSpec]
    expect([job.submit, shape(job), job.stages.map(({ duration }) => duration)]).toEqual([0, [`task${ids[0]}<`, `task${ids[1]}<task${ids[0]}`, `task5<task${ids[0]} task${ids[1]}`], [0.005, 0.006, 0.007]])
    for (const inner of ['tasks', 'tasks/schema-1.0']) expect(await streamed(await openTraceFile(join(path, inner)))).toEqual([job])
  })
})

describe('tasks of OpenDC', () => {
  const header = 'id,submission_time,duration,cpu_count,cpu_capacity,mem_capacity,gpu_count,parents,children\n'

  it('are jobs, or stages of one where they are related', () => {
    const trace = read(`${header}1,2024-01-01 00:00:01.5,2000,2,2600.0,512,,,\n2,2024-01-01 00:00:01,500,1,2600.0,0,1,[],[4]\n3,2024-01-01 00:00:09,1000,1,2600.0,7,0,,\n4,2024-01-01 00:00:01,250,1,2600.0,9,,[1],\n`)
    const expected = [
      { id: '1', submit: 0, stages: [
        { name: 'task1', tasks: 1, demand: { cpu: 2000, mem: 512 }, duration: 2 },
        { name: 'task2', tasks: 1, demand: { cpu: 1000, gpu: 1000 }, duration: 0.5 },
        { name: 'task4', tasks: 1, demand: { cpu: 1000, mem: 9 }, duration: 0.25, after: [{ stage: 0, fraction: 1 }, { stage: 1, fraction: 1 }] },
      ] },
      { id: '3', submit: 8, stages: [{ name: 'task3', tasks: 1, demand: { cpu: 1000, mem: 7 }, duration: 1 }] },
    ]
    expect([trace.format, [...jobsOf(trace)], counts(trace), trace.report.notes!.at(-1)]).toEqual(['opendc', expected, [['later', 1]], 'what tasks use from one moment to the next (fragments) is not modelled: a task asks for all its cores as long as it runs'])
    expect(again(expected)).toEqual(expected)
    expect(jobs(`${header}1,5,2000,2,2600.0,512,,,\n`, { memory: 'none' })[0]!.stages[0]!.demand).toEqual({ cpu: 2000 })
  })

  it('had other columns and ids in earlier versions', () => {
    const [job] = jobs('id,submissionTime,endTime,maxCores,requiredMemory\nvm a,2013-08-12 13:40:46,2013-08-12 13:40:48.5,4,1024\n')
    expect(job).toEqual({ id: 'vm a', submit: 0, stages: [{ name: 'taskvm a', tasks: 1, demand: { cpu: 4000, mem: 1024 }, duration: 2.5 }] })
    expect(jobs('id,submission_time,duration,cpu_count,mem_capacity,parents\nx-1,0,5,1,1,\n"y, 2",0,5,1,1,"[""x-1""]"\n').map(shape)).toEqual([['taskx-1<', 'tasky, 2<taskx-1']])
  })

  it.each([
    ['1,5,-1,2,1,512,,,', 'duration: found "-1", expected a number of at least 0.'],
    ['1,5,10,,1,512,,,', 'cpu_count: is empty.'],
    ['1,5,10,0,1,0,,,', ': a task asks for nothing.'],
    ['1,5,10,1,1,x,,,', 'mem_capacity: found "x", expected a number of at least 0.'],
  ])('answer the row %s', (row, message) => {
    expect(messageOf(() => read(`${header}${row}\n`)).replace(/^"w" line 2 ?/, '')).toContain(message)
  })

  it('are told from fragments, beside which they lie', async () => {
    expect(messageOf(() => read('id,duration,cpu_count,cpu_usage\n1,2,3,4\n'))).toBe('"w" line 1: column submission_time or submissionTime or start_time or startTime is missing. Give the table of tasks (tasks.parquet, earlier meta.parquet), and not that of fragments.')
    expect(messageOf(() => read('id,submissionTime,endTime,maxCores,requiredMemory\na,5000,1000,4,1024\n'))).toContain('endTime: it ends 4000 ms before it starts.')
    const schema = [{ name: 'root', num_children: 6 }, leaf('id', 'INT32'), leaf('submission_time', 'INT64', { converted_type: 'TIMESTAMP_MILLIS' }), leaf('duration', 'INT64'), leaf('cpu_count', 'INT32'), leaf('mem_capacity', 'INT64'), ...list('parents', 'INT32')] as NonNullable<Options['schema']>
    const tasks = packed(Object.entries({ id: [1, 2], submission_time: [new Date(1000), new Date(2500)], duration: [5n, 6n], cpu_count: [1, 2], mem_capacity: [1n, 2n], parents: [[], [1]] }).map(([name, data]) => ({ name, data: data as never[] })), { schema })
    const path = files('opendc', { 'tasks.parquet': tasks, 'fragments.parquet': 'not read' })
    expect((await streamed(await openTraceFile(path))).map((job) => [job.submit, shape(job)])).toEqual([[0, ['task1<', 'task2<task1']]])
  })
})
