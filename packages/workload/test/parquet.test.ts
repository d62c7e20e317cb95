import fc from 'fast-check'
import { parquetWriteBuffer, type ColumnSource } from 'hyparquet-writer'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { streamJobs, type Trace } from '../src/index.js'
import { google, googleMachines, openTrace, openTraceFile, parquetAsText } from '../src/node/index.js'
import { bufferOf, parquetTable } from '../src/parquet/table.js'
import { csvRows, headerLine } from '../src/parquet/text.js'
import { messageAfter, messageOf } from './reading.js'
import { temporaryFolder } from './temporary.js'

const folder = temporaryFolder()
let files = 0
function file(content: string | Uint8Array, name = `${files++}`): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

type Options = Omit<Parameters<typeof parquetWriteBuffer>[0], 'columnData'>
const packed = (columnData: ColumnSource[], options: Options = {}) => new Uint8Array(parquetWriteBuffer({ columnData, ...options }))
const strings = (name: string, data: (string | undefined)[]): ColumnSource => ({ name, data, type: 'STRING' })
const doubles = (name: string, data: (number | undefined)[]): ColumnSource => ({ name, data, type: 'DOUBLE' })
const ints = (name: string, data: (number | undefined)[]): ColumnSource => ({ name, data, type: 'INT32' })
const textOf = async (bytes: Uint8Array) => {
  const table = await parquetTable(bufferOf(bytes))
  const pieces = [headerLine(table)]
  for await (const piece of csvRows(table)) pieces.push(piece)
  return pieces.join('')
}
const jobsOf = async (trace: Trace) => {
  const jobs = []
  for await (const job of streamJobs(trace)) jobs.push(job)
  return jobs
}
const errorOf = (run: Promise<unknown>) => messageAfter(run, `${folder}/`)

describe('a table in Parquet', () => {
  it('has the texts that its CSV would have, whatever types its columns are of', async () => {
    const leaf = (name: string, type: string, more: object = {}) => ({ name, type, repetition_type: 'OPTIONAL', ...more })
    const stamp = (unit: string) => ({ logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit } })
    const columns: [schema: object, value: unknown, text: string][] = [
      [leaf('whole', 'INT64'), 9_007_199_254_740_993n, '9007199254740993'],
      [leaf('small', 'INT32'), -7, '-7'],
      [leaf('double', 'DOUBLE'), 0.1, '0.1'],
      [leaf('single', 'FLOAT'), Math.fround(0.1), '0.1'],
      [leaf('yes', 'BOOLEAN'), true, 'true'],
      [leaf('name', 'BYTE_ARRAY', { converted_type: 'UTF8' }), 'a "b", c\r\nd', '"a ""b"", c d"'],
      [leaf('plain bytes', 'BYTE_ARRAY'), new TextEncoder().encode('grün'), 'grün'],
      [leaf('price', 'INT32', { converted_type: 'DECIMAL', scale: 1, precision: 9 }), 0.3, '0.3'],
      [leaf('debt', 'INT64', { converted_type: 'DECIMAL', scale: 3, precision: 18 }), -0.007, '-0.007'],
      [leaf('day', 'INT32', { converted_type: 'DATE' }), new Date('2024-02-29'), '2024-02-29'],
      [leaf('early', 'INT32', { converted_type: 'DATE' }), new Date('1600-03-01'), '1600-03-01'],
      [leaf('millis', 'INT64', { converted_type: 'TIMESTAMP_MILLIS' }), new Date('2024-01-31T10:00:00.250Z'), '2024-01-31 10:00:00.25'],
      [leaf('before', 'INT64', stamp('MILLIS')), new Date(-500), '1969-12-31 23:59:59.5'],
      [leaf('micros', 'INT64', stamp('MICROS')), new Date('2024-12-31T23:59:59Z'), '2024-12-31 23:59:59'],
      [leaf('nanos', 'INT64', stamp('NANOS')), new Date('2023-03-01T00:00:00.001Z'), '2023-03-01 00:00:00.001'],
      [leaf('clock', 'INT32', { converted_type: 'TIME_MILLIS' }), 3_723_500, '01:02:03.5'],
    ]
    const schema = [{ name: 'root', num_children: columns.length }, ...columns.map(([element]) => element)] as NonNullable<Options['schema']>
    const rows = columns.map(([element, value]) => ({ name: (element as { name: string }).name, data: [value, undefined] as never[] }))
    const [header, first, second] = (await textOf(packed(rows, { schema }))).split('\n')
    expect(header).toBe(rows.map(({ name }) => name).join(','))
    expect(first).toBe(columns.map(([, , text]) => text).join(','))
    expect(second).toBe(','.repeat(columns.length - 1))
  })

  it('has the fields of structs as columns of their own, and no lists, maps or bytes, which are told', async () => {
    const schema: NonNullable<Options['schema']> = [
      { name: 'root', num_children: 4 },
      { name: 'submit', type: 'INT32', repetition_type: 'REQUIRED' },
      { name: 'asks', num_children: 2, repetition_type: 'OPTIONAL' },
      { name: 'cpu', type: 'INT32', repetition_type: 'OPTIONAL' },
      { name: 'more', num_children: 1, repetition_type: 'OPTIONAL' },
      { name: 'gpu', type: 'INT32', repetition_type: 'OPTIONAL' },
      { name: 'power', num_children: 1, repetition_type: 'OPTIONAL', converted_type: 'LIST' },
      { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
      { name: 'element', type: 'DOUBLE', repetition_type: 'OPTIONAL' },
      { name: 'key', type: 'FIXED_LEN_BYTE_ARRAY', type_length: 2, repetition_type: 'OPTIONAL' },
    ]
    const bytes = packed([
      { name: 'submit', data: [1, 2, 3] },
      { name: 'asks', data: [{ cpu: 4, more: { gpu: 2 } }, { cpu: 5, more: undefined }, undefined] },
      { name: 'power', data: [[1, 2], [], undefined] },
      { name: 'key', data: [Uint8Array.of(1, 2), undefined, undefined] },
    ], { schema })
    expect(await textOf(bytes)).toBe('submit,asks.cpu,asks.more.gpu\n1,4,2\n2,5,\n3,,\n')
    const trace = await openTraceFile(file(bytes), { format: 'job-table', options: { demands: { cpu: 'asks.cpu' }, defaults: { duration: 9 } } })
    expect((await jobsOf(trace)).map(({ submit, stages: [stage] }) => [submit, stage!.demand])).toEqual([[0, { cpu: 4 }], [1, { cpu: 5 }]])
    expect(trace.report.notes).toContain('columns of values that are not read: power (a list), key (bytes)')
  })

  it('has the relatives of tasks as JSON has lists, whole numbers and texts, whatever the names of the levels; other lists are left out', async () => {
    const leaf = (name: string, type: string, more: object = {}) => ({ name, type, repetition_type: 'OPTIONAL', ...more })
    const list = (name: string, level: string, element: object) => [{ name, num_children: 1, repetition_type: 'OPTIONAL', converted_type: 'LIST' }, { name: level, num_children: 1, repetition_type: 'REPEATED' }, element]
    const table = (parents: unknown[], children: unknown[], elements: readonly [object, object]) => {
      const schema = [{ name: 'root', num_children: 4 }, leaf('id', 'INT32'), ...list('parents', 'list', elements[0]), ...list('children', 'bag', elements[1]), ...list('power', 'list', leaf('element', 'INT64'))]
      return packed([{ name: 'id', data: [1, 2, 3] }, { name: 'parents', data: parents }, { name: 'children', data: children }, { name: 'power', data: [[5n], [], []] }] as ColumnSource[], { schema: schema as NonNullable<Options['schema']> })
    }
    const known = table([[], [9_007_199_254_740_993n, -2n], undefined], [['a', 'b "c", d'], undefined, []], [leaf('item', 'INT64'), leaf('array', 'BYTE_ARRAY', { converted_type: 'UTF8' })])
    expect((await textOf(known)).split('\n')).toEqual(['id,parents,children', '1,[],"[""a"",""b \\""c\\"", d""]"', '2,"[9007199254740993,-2]",', '3,,[]', ''])
    expect((await parquetTable(bufferOf(known))).leftOut).toEqual([{ name: 'power', what: 'a list' }])
    const dates = table([[], [], []], [[], [], []], [leaf('element', 'DOUBLE'), leaf('element', 'INT32', { converted_type: 'DATE' })])
    expect((await parquetTable(bufferOf(dates))).leftOut.map(({ name }) => name)).toEqual(['parents', 'children', 'power'])
  })

  it('is read in parts of a row group where it is large, and as a whole otherwise, with the same texts', async () => {
    const data = Array.from({ length: 700 }, (_, i) => i)
    const table = await parquetTable(bufferOf(packed([ints('a', data), strings('b', data.map((i) => `u${i % 3}`))], { rowGroupSize: 300 })))
    const texts = async (most?: number) => {
      const pieces = []
      for await (const piece of csvRows(table, most)) pieces.push(piece)
      return [pieces.length, pieces.join('')]
    }
    const whole = data.map((i) => `${i},u${i % 3}\n`).join('')
    expect([await texts(), await texts(70)]).toEqual([[3, whole], [12, whole]]) // 300 + 300 + 100; 5 + 5 + 2 parts of at most 70
  })
})

describe('a trace in Parquet', () => {
  const known = fc.record({
    submit: fc.integer({ min: 0, max: 2_000_000_000 }), wait: fc.integer({ min: 0, max: 1000 }), run: fc.integer({ min: 0, max: 100_000 }),
    cores: fc.integer({ min: 1, max: 500 }), hours: fc.option(fc.double({ min: 0.01, max: 48, noNaN: true }), { nil: undefined }),
    user: fc.option(fc.constantFrom('ann', 'bob, "b"', 'Zoë', ' x', 'line\nend'), { nil: undefined }), gang: fc.boolean(), mem: fc.integer({ min: 0, max: 4000 }),
  })
  const dateOf = (seconds: number) => new Date(seconds * 1000)
  const csvOf = (text: string | undefined) => (text === undefined ? '' : `"${text.replaceAll('"', '""').replace('\n', ' ')}"`)

  it('makes the jobs that the CSV of the same table makes', { tags: 'long' }, async () => {
    const mapping = {
      columns: { id: 'jid', submit: 'sub', start: 'beg', duration: 'run', user: 'who', estimate: 'hours', gang: 'gang' }, demands: { procs: 'cores', mem: { column: 'mem', scale: 0.5 } },
      time: { estimate: 'h' },
    }
    await fc.assert(fc.asyncProperty(fc.array(known, { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 15 }), async (rows, rowGroupSize) => {
      const text = (seconds: number) => dateOf(seconds).toISOString().replace('T', ' ').replace('.000Z', '')
      const csv = ['jid,sub,beg,run,who,hours,gang,cores,mem', ...rows.map((row, i) =>
        [`9${i}`, text(row.submit), text(row.submit + row.wait), row.run, csvOf(row.user), row.hours ?? '', row.gang, row.cores, row.mem].join())].join('\n')
      const bytes = packed([
        { name: 'jid', data: rows.map((_, i) => BigInt(`9${i}`)), type: 'INT64' },
        { name: 'sub', data: rows.map(({ submit }) => dateOf(submit)), type: 'TIMESTAMP' },
        { name: 'beg', data: rows.map(({ submit, wait }) => dateOf(submit + wait)), type: 'TIMESTAMP' },
        ints('run', rows.map(({ run }) => run)), strings('who', rows.map(({ user }) => user)), doubles('hours', rows.map(({ hours }) => hours)),
        { name: 'gang', data: rows.map(({ gang }) => gang), type: 'BOOLEAN' }, ints('cores', rows.map(({ cores }) => cores)), doubles('mem', rows.map(({ mem }) => mem)),
      ], { rowGroupSize })
      const options = { format: 'job-table', options: mapping }
      const expected = await openTraceFile(file(csv), options)
      const path = file(bytes)
      for (const stream of [false, true]) {
        const found = await openTraceFile(path, { ...options, stream })
        expect(await jobsOf(found)).toEqual(await jobsOf(expected))
        if (!stream) expect(found.machine).toEqual(expected.machine)
      }
    }), { numRuns: 40, seed: 4 })
  })

  const slurm = (n: number, wrong?: number) => packed([
    { name: 'JobID', data: Array.from({ length: n }, (_, i) => BigInt(i + 1)), type: 'INT64' },
    { name: 'Submit', data: Array.from({ length: n }, (_, i) => dateOf(1000 + ((i * 7) % n))), type: 'TIMESTAMP' },
    { name: 'Start', data: Array.from({ length: n }, () => dateOf(5000)), type: 'TIMESTAMP' },
    { name: 'End', data: Array.from({ length: n }, () => dateOf(5600)), type: 'TIMESTAMP' },
    strings('NCPUS', Array.from({ length: n }, (_, i) => (i === wrong ? 'many' : '4'))), strings('AllocTRES', Array.from({ length: n }, () => 'cpu=4,mem=8G,node=1')),
  ], { rowGroupSize: 4 })

  it('is known by the names of its columns and sorted like a table of text, also packed or in a directory of parts', async () => {
    const trace = await openTraceFile(file(slurm(9)))
    const jobs = await jobsOf(trace)
    expect([trace.format, trace.machine!.resources, jobs.length, jobs.map(({ submit }) => submit)]).toEqual(['sacct', { procs: 36 }, 9, [0, 1, 2, 3, 4, 5, 6, 7, 8]])
    expect(trace.report).toMatchObject({ lines: 9, jobs: 9, counted: 'row' })
    expect(await jobsOf(await openTraceFile(file(gzipSync(slurm(9)))))).toEqual(jobs)
    const parts = join(folder, 'table')
    mkdirSync(parts)
    const part = (from: number, to: number) => packed([ints('id', [from, to]), ints('submit', [from, to]), ints('duration', [5, 5]), ints('cpu', [1, 1])])
    for (const [name, content] of [['part-00001.parquet', part(3, 4)], ['part-00000.parquet', part(1, 2)], ['_SUCCESS', ''], ['.part-00000.parquet.crc', 'crc']] as const) writeFileSync(join(parts, name), content)
    const options = { options: { demands: { cpu: 'cpu' } } }
    expect((await jobsOf(await openTraceFile(parts, options))).map(({ id, submit }) => [id, submit])).toEqual([['1', 0], ['2', 1], ['3', 2], ['4', 3]])
    writeFileSync(join(parts, 'part-00002.parquet'), slurm(1))
    expect(await errorOf(openTraceFile(parts, options))).toBe('"table/part-00002.parquet": has other columns than ' + `${parts}/part-00000.parquet. Give files of one table.`.replace(`${folder}/`, ''))
  })

  it('tells the row of what cannot be used, or leaves it out', async () => {
    const path = file(slurm(9, 6), 'jobs.parquet')
    expect(await errorOf(openTraceFile(path))).toBe('"jobs.parquet" row 7 NCPUS: found "many", expected a whole number. Correct the row, or drop such rows with onBadLine "skip".')
    const { report } = await openTraceFile(path, { onBadLine: 'skip' })
    expect([report.skipped, report.jobs, report.problems[0]!.replace(`${folder}/`, '')]).toEqual([1, 8, '"jobs.parquet" row 7 NCPUS: found "many", expected a whole number.'])
    const twice = file(packed([strings('id', ['a', 'b', 'a']), ints('submit', [1, 2, 3]), ints('duration', [1, 1, 1]), ints('cpu', [1, 1, 1])]), 'twice')
    expect(await errorOf(openTraceFile(twice, { options: { demands: { cpu: 'cpu' } } }))).toContain('"twice" row 3 id: job id "a" was used before, on row 1.')
    expect(await errorOf(openTraceFile(twice, { options: { demands: { cpu: 'cores' } } }))).toBe('"twice": the table has no column "cores", which demands.cpu names. Known: id, submit, duration, cpu.')
  })

  it('is refused in one sentence where it is damaged, holds no job or no columns that are known', async () => {
    const bytes = slurm(9)
    const cut = 'is a Parquet file that cannot be read: its end is missing. Was it cut short? Copy it again.'
    for (const length of [4, 11, 200, bytes.length - 1]) expect(await errorOf(openTraceFile(file(bytes.slice(0, length), 'cut')))).toBe(`"cut": ${cut}`)
    for (let at = 4; at < bytes.length - 4; at += 97) {
      const message = await errorOf(openTraceFile(file(bytes.map((byte, i) => (i >= at && i < at + 8 ? byte ^ 0x5a : byte)), 'bad')))
      expect(message).toMatch(/^"bad"|^nothing was thrown$/)
    }
    expect(await errorOf(openTraceFile(file(packed([ints('submit', []), ints('duration', []), ints('cpu', [])]), 'none'), { options: { demands: { cpu: 'cpu' } } }))).toBe('"none": the trace holds no jobs. Is it the right file, and whole?')
    expect(await errorOf(openTraceFile(file(packed([ints('submit_time', [1]), doubles('runtime', [2]), doubles('cores', [0.5])]), 'other'))))
      .toBe('"other": looks like a table of 3 comma-separated columns, which is no trace format known here. Any table of jobs is read with a mapping of its columns (`--mapping FILE`, options of the format job-table). It may be: { columns: { submit: submit_time, duration: runtime }, demands: { cpu: { column: cores, scale: 1000 } } }.')
    expect(messageOf(() => openTrace(file(bytes, 'sync')))).toContain('looks like a Parquet file')
    mkdirSync(join(folder, 'empty'))
    expect(await errorOf(openTraceFile(join(folder, 'empty')))).toContain('is a directory')
  })
})

describe('other tables in Parquet', () => {
  it('are lists of machines', async () => {
    const bytes = packed([strings('sn', ['n1', 'n2']), ints('cpu_milli', [32000, 64000]), ints('memory_mib', [1024, 2048]), ints('gpu', [0, 2]), strings('model', [undefined, 'T4'])])
    expect(await parquetAsText(file(bytes))).toBe('sn,cpu_milli,memory_mib,gpu,model\nn1,32000,1024,0,\nn2,64000,2048,2,T4\n')
    expect(await parquetAsText(file('text'))).toBeUndefined()
  })

  it('are events of Google 2019 as BigQuery exports them, with the jobs that its JSON gives', async () => {
    const rows = [[600, 0, 1], [601, 3, 1], [650, 6, 1], [602, 0, 2], [603, 3, 2], [700, 6, 2]] as const
    const json = rows.map(([time, type, job]) => JSON.stringify({ time: String(time * 1e6), type: String(type), collection_id: String(job), collection_type: '0', instance_index: '0', priority: '200', resource_request: { cpus: 0.5, memory: 0.25 } }))
    const schema = [
      { name: 'root', num_children: 7 }, ...['time', 'type', 'collection_id', 'collection_type', 'instance_index', 'priority'].map((name) => ({ name, type: 'INT64', repetition_type: 'OPTIONAL' })),
      { name: 'resource_request', num_children: 2, repetition_type: 'OPTIONAL' }, ...['cpus', 'memory'].map((name) => ({ name, type: 'DOUBLE', repetition_type: 'OPTIONAL' })),
    ] as NonNullable<Options['schema']>
    const column = (name: string, of: (row: (typeof rows)[number]) => number) => ({ name, data: rows.map((row) => BigInt(of(row))) })
    const events = (change = (time: number) => time * 1e6) => packed([
      column('time', ([time]) => change(time)), column('type', ([, type]) => type), column('collection_id', ([, , job]) => job), column('collection_type', () => 0), column('instance_index', () => 0), column('priority', () => 200),
      { name: 'resource_request', data: rows.map(() => ({ cpus: 0.5, memory: 0.25 })) },
    ], { schema })
    const found = await google({ taskEvents: [file(events())] })
    const expected = await google({ taskEvents: [file(json.join('\n'))] })
    expect((await jobsOf(found as never)).length).toBe(2)
    expect(await jobsOf(found as never)).toEqual(await jobsOf(expected as never))
    expect(await errorOf(google({ taskEvents: [file(events(() => -1), 'early')] }))).toBe('"early" row 1 time: found "-1", expected a whole number. Correct the row, or remove it.')
    const machines = packed([{ name: 'time', data: [0n] }, { name: 'machine_id', data: [7n] }, { name: 'type', data: [1n] }, { name: 'switch_id', data: ['x'] }, { name: 'capacity', data: [{ cpus: 0.5, memory: 1 }] }], {
      schema: [
        { name: 'root', num_children: 5 }, ...['time', 'machine_id', 'type'].map((name) => ({ name, type: 'INT64', repetition_type: 'OPTIONAL' })), { name: 'switch_id', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
        { name: 'capacity', num_children: 2, repetition_type: 'OPTIONAL' }, ...['cpus', 'memory'].map((name) => ({ name, type: 'DOUBLE', repetition_type: 'OPTIONAL' })),
      ] as NonNullable<Options['schema']>,
    })
    expect(await googleMachines(file(machines))).toMatchObject({ nodes: [{ count: 1, resources: { cpu: 500_000, mem: 1_000_000 } }] })
  })
})
