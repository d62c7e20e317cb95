import { parquetAsText } from '@sched/workload/node'
import { parquetWriteBuffer, type ColumnSource } from 'hyparquet-writer'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { directory, removeDirectories, sched } from './sched.js'

afterAll(removeDirectories)

const packed = (columnData: ColumnSource[]) => new Uint8Array(parquetWriteBuffer({ columnData }))
const at = (seconds: number) => new Date((1_700_000_000 + seconds) * 1000)
/** Four jobs of two processors on four, as an export of Slurm's accounting. */
const sacct = packed([
  { name: 'JobID', data: [1n, 2n, 3n, 4n], type: 'INT64' },
  { name: 'User', data: ['ann', 'bob', undefined, 'ann, "a"'], type: 'STRING' },
  { name: 'Submit', data: [0, 10, 20, 30].map(at), type: 'TIMESTAMP' },
  { name: 'Start', data: [0, 10, 100, 110].map(at), type: 'TIMESTAMP' },
  { name: 'End', data: [100, 110, 200, 210].map(at), type: 'TIMESTAMP' },
  { name: 'NCPUS', data: [2, 2, 2, 2], type: 'INT32' },
])
const lines = ['JobID|User|Submit|Start|End|NCPUS', ...[['1', 'ann', 0, 0, 100], ['2', 'bob', 10, 10, 110], ['3', '', 20, 100, 200], ['4', 'ann, "a"', 30, 110, 210]].map(([id, user, ...times]) =>
  [id, user, ...times.map((time) => at(time as number).toISOString().slice(0, 19)), 2].join('|'))].join('\n')

describe('a trace in Parquet', () => {
  it('is described, converted and run as the table of text is', async () => {
    const cwd = directory({ 'a.parquet': sacct, 'a.txt': lines })
    for (const args of [['trace', 'describe', '--json'], ['run', '--policy', 'easy', '--json', '-', '--trace']]) {
      const [parquet, text] = [await sched([...args, 'a.parquet'], { cwd }), await sched([...args, 'a.txt'], { cwd })]
      expect([parquet.code, parquet.out.replaceAll('a.parquet', 'a.txt')]).toEqual([0, text.out])
    }
    const [parquet, text] = [await sched(['trace', 'convert', 'a.parquet', '-'], { cwd }), await sched(['trace', 'convert', 'a.txt', '-'], { cwd })]
    expect([parquet.code, parquet.out.replace('a.parquet', 'a.txt')]).toEqual([0, text.out])
  })

  it('is read but for its bad rows when told so, a directory of histories, too', async () => {
    const log = ['SparkListenerLogStart', 'SparkListenerJobEnd'].map((event) => JSON.stringify({ Event: event })).join('\n')
    const bad = packed([{ name: 'id', data: ['a', 'b'], type: 'STRING' }, { name: 'submit', data: ['1', 'soon'], type: 'STRING' }, { name: 'duration', data: [5, 5], type: 'INT32' }, { name: 'cpu', data: [1, 1], type: 'INT32' }])
    const cwd = directory({ 'bad.parquet': bad, 'logs/app-1': log })
    const args = ['trace', 'convert', 'bad.parquet', '-', '--option', 'demands={cpu: cpu}']
    const message = 'bad.parquet" row 2 submit: found "soon", expected a number or a date such as 2024-01-31T10:00:00.'
    const [failed, skipped] = [await sched(args, { cwd }), await sched([...args, '--on-bad-line', 'skip'], { cwd })]
    expect([failed.code, failed.err]).toEqual([2, expect.stringContaining(message)])
    expect([skipped.code, skipped.out.trimEnd().split('\n').length, skipped.err]).toEqual([0, 2, expect.stringMatching(/^warning: 1 bad row skipped, for example:\n/)])
    expect(skipped.err).toContain(message)
    expect(await sched(['trace', 'describe', 'logs'], { cwd })).toMatchObject({ code: 2, err: expect.stringContaining('the trace holds no jobs') as string })
  })

  it('is refused with one line and 2 where it is damaged, and where it is no trace', async () => {
    const cwd = directory({ 'cut.parquet': sacct.slice(0, 300), 'a.parquet': sacct, 'list/part-0.parquet': sacct.slice(0, 300) })
    const cut = 'is a Parquet file that cannot be read: its end is missing. Was it cut short? Copy it again.'
    for (const [args, message] of [
      [['trace', 'describe', 'cut.parquet'], `cut.parquet": ${cut}`], [['run', '--trace', 'cut.parquet'], `cut.parquet": ${cut}`], [['trace', 'convert', 'list', '-'], `part-0.parquet": ${cut}`],
      [['run', '--trace', 'a.parquet', '--nodes', 'cut.parquet'], `cut.parquet": ${cut}`], [['run', 'a.parquet'], 'a.parquet": is a Parquet file.'],
    ] as const) {
      const { code, err } = await sched(args, { cwd })
      expect([args, code, err.trimEnd().split('\n').length]).toEqual([args, 2, 1])
      expect(err).toContain(message)
    }
  })
})

describe('a trace converted to Parquet', () => {
  const native = (job: object) => `{"format":"sched-workload","version":1}\n${JSON.stringify({ id: 'a', submit: 0, stages: [{ name: 's', tasks: 2, demand: { cpu: 1 }, duration: 5 }], ...job })}\n`

  it('has a row per job, from which the same jobs are read', async () => {
    const cwd = directory({ 'a.txt': lines })
    const { code, err } = await sched(['trace', 'convert', 'a.txt', 'jobs.parquet'], { cwd })
    expect([code, err.split('\n')]).toEqual([0, [
      'jobs.parquet: 4 jobs, a row each', expect.stringMatching(/^note: procs of the machine: 4, inferred/), 'note: 4 jobs without requested processors: the allocated ones taken (processors)',
      'note: 4 jobs without estimate: estimated at their run time (missingEstimate)', '',
    ]])
    expect(await parquetAsText(join(cwd, 'jobs.parquet'))).toBe('id,submit,start,duration,tasks,user,estimate,procs\n1,0,0,100,1,ann,100,2\n2,10,10,100,1,bob,100,2\n3,20,100,100,1,,100,2\n4,30,110,100,1,"ann, ""a""",100,2\n')
    const jobs = async (...args: string[]) => (await sched(['trace', 'convert', ...args], { cwd })).out.split('\n').slice(1).map((line) => line.replace(/"name":"\w+"/, ''))
    expect(await jobs('jobs.parquet', '-')).toEqual(await jobs('a.txt', '-'))
    expect(await jobs('jobs.parquet', '-', '--format', 'job-table', '--option', 'demands={cpu: procs}')).not.toEqual(await jobs('a.txt', '-'))
    expect((await sched(['trace', 'convert', 'a.txt', 'jobs.parquet'], { cwd })).err).toBe('error: "jobs.parquet": exists already. Choose another name, or replace it with --force.\n')
  })

  it('keeps what a log says of a job that was cut at its estimate, of its application, and an estimate of 0', async () => {
    const row = (...fields: number[]) => fields.join(' ')
    const log = [row(1, 0, 5, 200, 4, 80.5, 3, 4, 100, -1, 1, 7, 3, 42, 1, -1, -1, -1), row(2, 10, -1, 0, 2, -1, -1, 2, -1, -1, 5, 7, 3, -1, 1, -1, -1, -1)]
    const cwd = directory({ 'a.swf': `; MaxProcs: 8\n${log.join('\n')}\n` })
    expect((await sched(['trace', 'convert', 'a.swf', 'jobs.parquet'], { cwd })).code).toBe(0)
    const jobs = async (file: string) => (await sched(['trace', 'convert', file, '-'], { cwd })).out.trimEnd().split('\n').slice(1).map((line) => JSON.parse(line.replace(/"name":"\w+"/, '"name":"a"')) as object)
    const found = await jobs('jobs.parquet')
    expect(found).toMatchObject([{ application: '42', estimate: 100, recorded: { wait: 5, runtime: 200 } }, { estimate: 0, recorded: { status: 'cancelled' } }])
    expect(found).toEqual(await jobs('a.swf'))
    expect((await sched(['trace', 'convert', 'a.swf', 'used.parquet', '--option', 'recordedUse=keep'], { cwd })).code).toBe(0)
    expect((await jobs('used.parquet'))[0]).toMatchObject({ recorded: { cpuTime: 80.5, mem: 3 / 1024 } })
  })

  it.each<[string, object, string]>([
    ['several stages', { stages: [1, 2].map((n) => ({ name: `s${n}`, tasks: 1, demand: { cpu: 1 }, duration: 5 })) }, '2 stages'],
    ['tasks of several run times', { stages: [{ name: 's', tasks: 2, demand: { cpu: 1 }, duration: [5, 6] }] }, 'tasks of different run times'],
    ['required labels', { stages: [{ name: 's', tasks: 1, demand: { cpu: 1 }, duration: 5, constraints: { require: { model: 'T4' } } }] }, 'the field "constraints"'],
    ['a start-up', { startup: 3 }, 'the field "startup"'],
  ])('is refused for jobs with %s', async (_, job, what) => {
    const cwd = directory({ 'a.jsonl': native(job) })
    const { code, err } = await sched(['trace', 'convert', 'a.jsonl', 'jobs.parquet'], { cwd })
    expect([code, err]).toEqual([2, `error: job "a" has ${what}, for which a table of jobs has no column. Write the native format, which holds any job: name the file jobs.jsonl.\n`])
    expect(readdirSync(cwd)).toEqual(['a.jsonl'])
  })
})

describe('--parquet', () => {
  const args = ['compare', '--trace', 'a.txt', '--policies', 'easy,strict', '--quiet', '--schedule']
  const filesOf = (path: string) => readdirSync(path).filter((name) => /\.(csv|parquet)$/.test(name)).sort()

  it('writes the tables of jobs and schedules that --out has as CSV otherwise, the same bytes on any number of threads', { tags: 'long' }, async () => {
    const cwd = directory({ 'a.txt': lines })
    for (const more of [['--out', 'csv'], ['--out', 'one', '--parquet', '--threads', '1'], ['--out', 'two', '--parquet', '--threads', '2']]) expect((await sched([...args, ...more], { cwd })).code).toBe(0)
    expect(filesOf(join(cwd, 'one'))).toEqual(['jobs-easy.parquet', 'jobs-strict.parquet', 'schedule-easy.parquet', 'schedule-strict.parquet', 'table.csv'])
    for (const name of filesOf(join(cwd, 'csv')).filter((each) => each !== 'table.csv')) {
      const same = name.replace('.csv', '.parquet')
      expect(await parquetAsText(join(cwd, 'one', same))).toBe(readFileSync(join(cwd, 'csv', name), 'utf8'))
      expect(readFileSync(join(cwd, 'two', same)).equals(readFileSync(join(cwd, 'one', same)))).toBe(true)
    }
    expect(readFileSync(join(cwd, 'one/jobs-easy.parquet'), 'latin1')).toMatch(/sched\.policy.*easy/s)
  })

  it('has a file of no rows where no job ended, and needs a directory', async () => {
    const cwd = directory({ 'a.txt': lines })
    expect((await sched([...args, '--until', '1', '--out', 'r', '--parquet'], { cwd })).code).toBe(0)
    expect(await parquetAsText(join(cwd, 'r/jobs-easy.parquet'))).toBe('seed,id,label,user,queue,submit,start,end,wait,response,tasks,procs_seconds\n')
    expect(await sched([...args, '--parquet', '--schedule', '--html', 'x.html'], { cwd })).toMatchObject({ code: 2, err: 'error: --parquet: has no place to go. Name a directory with --out.\n' })
  })
})
