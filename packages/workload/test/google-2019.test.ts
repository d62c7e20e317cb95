import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { jobsOf, readMachines } from '../src/index.js'
import { google, googleMachines, openTrace } from '../src/node/index.js'
import { messageAfter } from './reading.js'
import { temporaryFolder } from './temporary.js'

const folder = temporaryFolder()
let files = 0
const file = (rows: readonly object[], pack = (text: string): string | Uint8Array => text) => {
  const path = join(folder, `part-${files++}`)
  writeFileSync(path, pack(rows.map((row) => `${JSON.stringify(row)}\n`).join('')))
  return path
}

const types = ['submit', 'queue', 'enable', 'schedule', 'evict', 'fail', 'finish', 'kill', 'lost', 'update pending', 'update running']
/** A row as BigQuery writes it: whole numbers are texts. `time`: seconds since the start of the trace, -600 for what was before it. */
const event = (time: number, type: string, { job = '374999999999', task = 0, priority = 200, cpus = 0.02, memory = 0.01, kind = '0' } = {}) => ({
  time: String(time === -600 ? 0 : (time + 600) * 1e6), type: String(types.indexOf(type)), collection_id: job, collection_type: kind, scheduling_class: '2', priority: String(priority), instance_index: String(task), machine_id: '71',
  resource_request: { cpus, memory }, alloc_instance_index: '-1',
})
const read = (rows: readonly object[], jobs?: readonly object[]) => google({ taskEvents: [file(rows)], ...(jobs !== undefined && { jobEvents: [file(jobs)] }) })
const runOf = (job: string, task: number, submit: number) =>
  [event(submit, 'submit', { job, task }), event(submit, 'queue', { job, task }), event(submit + 1, 'enable', { job, task }), event(submit + 2, 'schedule', { job, task }), event(submit + 30 + task, 'finish', { job, task })]
const messageOf = (run: Promise<unknown>) => messageAfter(run, folder)

describe('instance events of Google\'s ClusterData 2019', () => {
  const rows = [...runOf('5000000000000', 0, 10), ...runOf('5000000000000', 1, 10), ...runOf('5', 0, 4)]
  const jobs = [
    { id: '5', submit: 4, priority: 200, class: 'service', label: 'service', recorded: { status: 'finish' }, stages: [{ name: 'tasks', tasks: 1, demand: { cpu: 20_000, mem: 10_000 }, duration: Float64Array.of(28) }] },
    { id: '5000000000000', submit: 10, priority: 200, class: 'service', label: 'service', recorded: { status: 'finish' }, stages: [{ name: 'tasks', tasks: 2, demand: { cpu: 20_000, mem: 10_000 }, duration: Float64Array.of(28, 29) }] },
  ]

  it('make jobs of collections as those of 2011, in whatever order they stand, packed or in parts', async () => {
    const trace = await read(rows)
    expect([...jobsOf(trace)]).toEqual(jobs)
    expect([trace.window, trace.rules]).toEqual([41, []])
    expect([...jobsOf(await read([...rows].reverse()))].map(({ id, submit }) => [id, submit])).toEqual([['5', 4], ['5000000000000', 10]])
    const parts = [file(rows.slice(0, 7), gzipSync), file(rows.slice(7))]
    expect([...jobsOf(await google({ taskEvents: parts }))]).toEqual(jobs)
  })

  it('are of the state before the window, of reservations, and of tasks that go on', async () => {
    const trace = await read([
      event(-600, 'submit', { job: '1' }), event(-600, 'schedule', { job: '1', priority: 90 }), event(50, 'kill', { job: '1' }),
      event(5, 'schedule', { job: '2', kind: '1' }), event(6, 'submit', { job: '3', priority: 25 }), event(8, 'schedule', { job: '3', priority: 25 }),
    ])
    expect(trace.running).toEqual([{ tasks: 1, demand: { cpu: 20_000, mem: 10_000 }, end: 50 }])
    expect([...jobsOf(trace)].map(({ id, class: kind, stages: [stage] }) => [id, kind, stage!.duration])).toEqual([['3', 'batch', Float64Array.of(42)]])
    expect(trace.rules.map(({ rule, jobs: count }) => [rule, count])).toEqual([['unfinished', 1], ['allocSets', 1]])
  })

  it('take names and users from collection events', async () => {
    const trace = await read(rows, [{ time: '0', type: '0', collection_id: '5', user: 'hash=', collection_name: 'x', collection_logical_name: 'logical' }])
    expect([...jobsOf(trace)].map(({ id, user, application }) => [id, user, application])).toEqual([['5', 'hash=', 'logical'], ['5000000000000', undefined, undefined]])
  })

  it.each<[object, string]>([
    [{ ...event(1, 'submit'), type: '11' }, 'type: found 11, expected 0 to 10.'],
    [{ ...event(1, 'submit'), time: '-1' }, 'time: found "-1", expected a whole number.'],
    [{ ...event(1, 'submit'), instance_index: undefined }, 'instance_index: found "", expected a whole number.'],
    [{ ...event(1, 'submit'), collection_id: 'x' }, 'collection_id: found "x", expected an id in digits.'],
    [{ ...event(1, 'submit'), resource_request: { cpus: -1 } }, 'resource_request.cpus: found "-1", expected a fraction of the largest machine. Correct the line, or remove it.'],
  ])('are refused in place: %j', async (row, message) => {
    expect(await messageOf(read([event(1, 'submit'), row]))).toMatch(/^"\/part-\d+" line 2 /)
    expect(await messageOf(read([event(1, 'submit'), row]))).toContain(message)
  })

  it('are no trace by themselves, which says what they are', async () => {
    const path = file(rows)
    expect(await messageOf(Promise.resolve().then(() => openTrace(path)))).toContain('is an event table of Google\'s ClusterData 2019, one part of several. Name the parts in an experiment')
    const cut = join(folder, 'cut')
    writeFileSync(cut, `${JSON.stringify(rows[0])}\n{"time": "1", `)
    expect(await messageOf(google({ taskEvents: [cut] }))).toBe('"/cut" line 2: is not JSON. Was the file cut short? Copy it again, or export the table from BigQuery as JSON with one object a line.')
  })
})

describe('machine events of Google\'s ClusterData 2019', () => {
  it('list machines, in millionths of the largest', async () => {
    const machine = (id: string, type: string, capacity?: object) => ({ time: '0', machine_id: id, type, switch_id: 's', capacity, platform_id: 'p' })
    const path = file([machine('9', '1', { cpus: 1, memory: 0.5 }), machine('10', '1'), machine('9', '2'), machine('10', '3', { cpus: 0.25, memory: 0.25 })])
    const expected = [{ names: ['9'], count: 1, resources: { cpu: 1_000_000, mem: 500_000 } }, { names: ['10'], count: 1, resources: { cpu: 250_000, mem: 250_000 } }]
    expect(await googleMachines(path)).toMatchObject({ nodes: expected })
    expect(readMachines('{"time":"0","machine_id":"9","type":"1","capacity":{"cpus":1,"memory":0.5}}\n').nodes).toEqual(expected.slice(0, 1))
  })
})
