import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { jobsOf, placeGoogle, readMachines } from '../src/index.js'
import { machineClasses } from '../src/google/index.js'
import { google, googleMachines } from '../src/node/index.js'
import { messageAfter } from './reading.js'
import { temporaryFolder } from './temporary.js'
import { realTrace } from './traces.js'

const folder = temporaryFolder()
let files = 0
const file = (content: string | Uint8Array) => {
  const path = join(folder, `part-${files++}`)
  writeFileSync(path, content)
  return path
}

/** `event(610, 'finish')`: a row of task 0 of job 6251812952, ten seconds after the start of the trace. */
const types = ['submit', 'schedule', 'evict', 'fail', 'finish', 'kill', 'lost', 'update pending', 'update running']
interface Change {
  readonly job?: string
  readonly task?: number
  readonly schedulingClass?: number
  readonly priority?: number
  readonly requests?: string
  readonly distinct?: number
}
const event = (time: number, type: string, { job = '6251812952', task = 0, schedulingClass = 0, priority = 2, requests = '0.025,0.08,0.0004', distinct = 0 }: Change = {}) =>
  `${Math.round(time * 1e6)},,${job},${task},1306108,${types.indexOf(type)},user=,${schedulingClass},${priority},${requests},${distinct}`
const read = (...rows: readonly string[]) => google({ taskEvents: [file(`${rows.join('\n')}\n`)] })
const messageOf = (run: Promise<unknown>) => messageAfter(run, folder)

describe('Google task events', () => {
  it('may say neither the scheduling class nor the requests nor the user (missing info)', async () => {
    const bare = (time: number, type: number, requests: string) => `${time},1,42,0,,${type},,,9,${requests}`
    const trace = await read(bare(610e6, 0, '0.5,0.1,,'), bare(611e6, 1, '0.5,0.1,,'), bare(620e6, 4, ',,,'))
    expect([...jobsOf(trace)].map(({ user, class: kind, stages }) => [user, kind, stages[0]!.demand])).toEqual([[undefined, 'batch', { cpu: 500_000, mem: 100_000 }]])
  })

  it('make a job of the tasks that run in the window, in millionths of the largest machine, from 600 s on', async () => {
    const trace = await read(event(610, 'submit'), event(612, 'schedule'), event(700.5, 'finish'))
    expect([...jobsOf(trace)]).toEqual([{
      id: '6251812952', submit: 10, user: 'user=', priority: 2, class: 'batch', label: 'batch', recorded: { status: 'finish' },
      stages: [{ name: 'tasks', tasks: 1, demand: { cpu: 25_000, mem: 80_000 }, duration: Float64Array.of(88.5) }],
    }])
  })

  it('count the last run of a task that was evicted or failed, and say how often', async () => {
    const trace = await read(event(610, 'submit'), event(611, 'schedule'), event(650, 'evict'), event(650, 'submit'), event(660, 'schedule'), event(700, 'fail'),
      event(701, 'submit'), event(702, 'schedule'), event(709, 'kill'))
    const [job] = [...jobsOf(trace)]
    expect([job!.submit, job!.stages[0]!.duration, job!.recorded]).toEqual([10, Float64Array.of(7), { status: 'kill' }])
    expect(trace.rules).toEqual([{ rule: 'resubmitted', jobs: 2, text: 'submissions of tasks that had run before: the latest run counts' }])
  })

  it('count the run of a task that waits for another one when the window ends', async () => {
    const trace = await read(event(610, 'submit'), event(611, 'schedule'), event(650, 'evict'), event(650, 'submit'), event(900, 'submit', { task: 1 }))
    expect([...jobsOf(trace)].map(({ submit, stages, recorded }) => [submit, stages[0]!.tasks, stages[0]!.duration, recorded])).toEqual([[10, 1, Float64Array.of(39), { status: 'unfinished' }]])
    expect(trace.rules.map(({ rule, jobs }) => [rule, jobs])).toEqual([['neverRan', 1], ['resubmitted', 1]])
  })

  it('run tasks that do not end to the end of the window, and leave out those that never run', async () => {
    const trace = await read(event(610, 'submit'), event(610, 'submit', { task: 1 }), event(620, 'schedule'), event(900, 'update running', { task: 1 }), event(1000, 'kill', { task: 1 }))
    expect([...jobsOf(trace)].map(({ stages }) => stages)).toEqual([[{ name: 'tasks', tasks: 1, demand: { cpu: 25_000, mem: 80_000 }, duration: Float64Array.of(380) }]])
    expect(trace.rules.map(({ rule, jobs }) => [rule, jobs])).toEqual([['unfinished', 1], ['neverRan', 1]])
    expect(trace.counts.updates).toBe(1)
  })

  it('hold what ran at time 0 apart, until its first end, and submit what was pending then at 0', async () => {
    const trace = await read(event(0, 'submit'), event(0, 'schedule'), event(0, 'submit', { task: 1 }), event(630, 'schedule', { task: 1 }), event(640, 'evict'), event(641, 'submit'), event(650, 'finish', { task: 1 }))
    expect(trace.running).toEqual([{ tasks: 1, demand: { cpu: 25_000, mem: 80_000 }, end: 40 }])
    expect([...jobsOf(trace)].map(({ submit, stages }) => [submit, stages[0]!.duration])).toEqual([[0, Float64Array.of(20)]])
  })

  it('divide a job into stages of equal requests, carry the different-machine constraint and never lose a digit of an id', async () => {
    const job = '9007199254740993' // 2^53 + 1, which no double holds
    const rows = [0, 1, 2].flatMap((task) => {
      const change = { job, task, requests: task === 1 ? '0.5,0.25,0' : '0.1,0.1,0', distinct: 1 }
      return [event(610, 'submit', change), event(610, 'schedule', change)]
    })
    const trace = await read(...rows, ...[0, 1, 2].map((task) => event(611 + task, 'finish', { job, task })))
    const [only] = [...jobsOf(trace)]
    expect(only).toMatchObject({ id: job, stages: [
      { tasks: 2, demand: { cpu: 100_000, mem: 100_000 }, constraints: { distinctNodes: true }, duration: Float64Array.of(1, 3) },
      { tasks: 1, demand: { cpu: 500_000, mem: 250_000 }, constraints: { distinctNodes: true }, duration: Float64Array.of(2) },
    ] })
  })

  it('are service jobs with production priority and a scheduling class above 1', async () => {
    const kind = async (schedulingClass: number, priority: number) => {
      const rows = (['submit', 'schedule', 'finish'] as const).map((type, i) => event(610 + i, type, { schedulingClass, priority }))
      return [...jobsOf(await read(...rows))][0]!.class
    }
    expect([await kind(2, 9), await kind(3, 11), await kind(1, 9), await kind(3, 8)]).toEqual(['service', 'service', 'batch', 'batch'])
  })

  it('read several parts in order, plain and packed, with the names of job events', async () => {
    const parts = [file(gzipSync(`${event(610, 'submit')}\n${event(611, 'schedule')}\n`)), file(`${event(620, 'finish')}\r\n`)]
    const names = file('610000000,,6251812952,0,user=,0,name=,logical=\n')
    const trace = await google({ taskEvents: parts, jobEvents: [names], disk: true })
    expect([...jobsOf(trace)][0]).toMatchObject({ application: 'logical=', stages: [{ demand: { cpu: 25_000, mem: 80_000, disk: 400 } }] })
  })

  it('are refused where columns are missing or events are out of order beyond the bound', async () => {
    const short = event(610, 'submit').split(',').slice(0, 12).join(',')
    expect(await messageOf(read(event(610, 'submit'), short))).toMatch(/^"\/part-\d+" line 2: found 12 columns, expected 13 \(time, missing info, job id, .*\)\. Is it a part of task_events\? If it was cut short, copy it again\.$/)
    const late = [event(612, 'submit'), event(610.5, 'submit', { task: 1 })]
    expect(await messageOf(read(...late))).toMatch(/line 2 time: the event is 1.5 s before one above it, more than maxDisorder \(0 s\)\. Give the parts in their order, or raise maxDisorder\.$/)
    expect((await google({ taskEvents: [file(late.join('\n'))], maxDisorder: 2 })).counts.events['submit']).toBe(2)
    expect(await messageOf(read(event(610, 'submit', { requests: '1.5,0.1,0' })))).toMatch(/line 1 CPU request: found "1.5", expected a fraction of the largest machine, 0 to 1\. Correct the line, or remove it\.$/)
    expect(await messageOf(read(event(610, 'submit').replace(',0,user=', ',9,user=')))).toMatch(/line 1 event type: found "9", expected 0 to 8\. Correct the line, or remove it\.$/)
    expect(await messageOf(google({ taskEvents: [file('')] }))).toMatch(/^"\/part-\d+": is empty\. A part of an event table holds at least one event\.$/)
    expect(await messageOf(google({ taskEvents: [] }))).toBe('taskEvents: no part of the task events table is given. Name its files in their order.')
  })
})

describe('machine events', () => {
  const rows = '0,5,0,HofLGzk1Or/8Ildj2+Lqv0UGGvY82NLoni8+J/Yy0RU=,0.5,0.2493\n0,6,0,HofL=,0.5,0.2493\n0,7,0,JQ1t=,,\n835025,6,1,HofL=,0.5,0.2493\n840000,6,0,HofL=,1,1\n900000,7,2,JQ1t=,1,0.5\n'

  it('are machines as first added, or as updated where nothing was known; they do not come and go', async () => {
    const nodes = [
      { names: ['5', '6'], count: 2, resources: { cpu: 500_000, mem: 249_300 } },
      { names: ['7'], count: 1, resources: { cpu: 1_000_000, mem: 500_000 } },
    ]
    expect([readMachines(rows).nodes, (await googleMachines(file(rows))).nodes]).toEqual([nodes, nodes])
  })

  it('name the line of a mistake', () => {
    expect(() => readMachines(`${rows}1,8,0`, 'm.csv')).toThrow('"m.csv" line 7: found 3 columns, expected 6 (time, machine id')
    expect(() => readMachines('0,7,0,JQ1t=,,\n', 'm.csv')).toThrow('"m.csv": lists no machine.')
  })
})

describe('machine classes', () => {
  it('name the line and the column of a mistake', () => {
    const header = 'cpu,memory,capacity,number_of_machines,machine_percentage'
    expect(machineClasses(`${header}\n0.5,0.2493,0.37,3,30\n`).nodes).toEqual([{ name: 'class-1', count: 3, resources: { cpu: 500_000, mem: 249_300 } }])
    expect(() => machineClasses(`${header}\n0.5,2,0.37,3,30\n`, 'm.csv')).toThrow('"m.csv" line 2 memory: found "2", expected a fraction of the largest machine. Divide by what the largest machine has, so that it has 1.')
    expect(() => machineClasses('cpu,memory\n1,1\n', 'm.csv')).toThrow('"m.csv" line 1 number_of_machines: the header has no column "number_of_machines".')
  })
})

const part = (table: string, number: number) => realTrace(`google-2011/${table}_events-part-0000${number}-of-00500.csv.gz`)
const machines = realTrace('google-2011/machine-classes.csv')

describe(`the real trace: ${part('task', 0).title}`, () => {
  it.skipIf(!machines.there)('has 12,583 machines in 10 classes', async () => {
    const { nodes } = await googleMachines(machines.path)
    expect([nodes.length, nodes.reduce((sum, { count }) => sum + count, 0)]).toEqual([10, 12_583])
  })

  it.skipIf(!part('task', 0).there)('has the events of both parts, and 132,982 tasks that run at time 0', { tags: 'long' }, async () => {
    const trace = await google({ taskEvents: [0, 1].map((number) => part('task', number).path), jobEvents: [0, 1].map((number) => part('job', number).path) })
    expect(trace.counts.events).toMatchObject({ // part 0 + part 1
      submit: 201_491 + 25_822, schedule: 189_994 + 26_231, evict: 4338 + 2500, fail: 581 + 501, finish: 43_237 + 14_551, kill: 10_505 + 8171,
    })
    expect(Math.round(trace.window)).toBe(10_622 - 600)
    expect(Object.fromEntries(trace.rules.map(({ rule, jobs }) => [rule, jobs]))).toEqual({ unfinished: 7461, neverRan: 11_054, noRequest: 2, resubmitted: 1990 })
    expect(trace.running.length + 2).toBe(132_982) // scheduled at time 0
    // they ask for 7,493 times the largest machine's CPUs where the cell has 6,659: Borg over-commits, a cell here does not
    const cell = await googleMachines(machines.path)
    const asked = trace.running.reduce((sum, { demand }) => sum + (demand['cpu'] ?? 0), 0) / 1e6
    expect([Math.round(asked), Math.round(cell.nodes.reduce((sum, { count, resources }) => sum + count * resources!.cpu, 0) / 1e6)]).toEqual([7493, 6659])
    const { tasks, left } = placeGoogle(cell, trace.running)
    expect([tasks.length + left, left > 0]).toEqual([trace.running.length, true])
    const some = placeGoogle(cell, trace.running, { utilisation: 0.6 }).tasks.reduce((sum, { demand }) => sum + (demand['cpu'] ?? 0), 0) / 1e6
    expect(some / 6659).toBeCloseTo(0.6, 2)
    const jobs = [...jobsOf(trace)]
    expect(jobs.length).toBe(trace.jobs)
    expect(jobs.every(({ submit }, i) => i === 0 || submit >= jobs[i - 1]!.submit)).toBe(true)
    expect(new Set(jobs.map((job) => job.class))).toEqual(new Set(['batch', 'service']))
    expect(jobs.filter((job) => job.class === 'batch').length / jobs.length).toBeGreaterThan(0.8)
  })
})
