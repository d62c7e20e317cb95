import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory, sched } from './sched.js'

const cwd = join(import.meta.dirname, '../../../examples/data')
const table = ['--trace', 'gpu-jobs.csv', '--mapping', 'gpu-jobs.mapping.yaml', '--cluster', 'gpu-nodes.yaml']

describe('a table of jobs with a mapping of its columns', () => {
  interface Runs {
    readonly runs: readonly { readonly summary: { readonly utilisation: { readonly resources: readonly { readonly resource: string; readonly utilisation: number }[] }; readonly fragmentation: readonly { readonly free: number; readonly capacity: number }[] } }[]
  }
  it.each(['monolithic', 'two-level'])('runs, gangs and shares of GPUs heeded, every law checked (%s)', { tags: 'long' }, async (architecture) => {
    const { code, out } = await sched(['run', ...table, '--architecture', architecture, '--validate', '--json', '-', '--quiet'], { cwd })
    expect(code).toBe(0)
    const { summary } = (JSON.parse(out) as Runs).runs[0] as Runs['runs'][number]
    expect(summary).toMatchObject({ counts: { jobs: 48 }, fragmentation: [{ resource: 'gpu', capacity: 32_000 }] })
    const [fragments] = summary.fragmentation
    const used = summary.utilisation.resources.find(({ resource }) => resource === 'gpu')?.utilisation ?? NaN
    expect((fragments?.free ?? NaN) / 32_000).toBeCloseTo(1 - used, 9) // what is free is what is not in use, whoever holds offers
  })

  it('takes the run times that it says, unless jitter is asked for', async () => {
    const own = directory({ 'jobs.csv': 'id,submit,run\na,0,100\nb,0,50\n', 'm.yaml': 'columns: {id: id, submit: submit, duration: run}\ndefaults: {demand: {cpu: 1}}\n', 'c.yaml': 'nodes: [{count: 1, resources: {cpu: 1}}]\n' })
    const end = async (...more: string[]) => {
      const { out } = await sched(['run', '--trace', 'jobs.csv', '--mapping', 'm.yaml', '--cluster', 'c.yaml', '--policy', 'fifo', '--json', '-', '--quiet', ...more], { cwd: own })
      return (JSON.parse(out) as { readonly runs: readonly [{ readonly summary: { readonly counts: { readonly end: number } } }] }).runs[0].summary.counts.end
    }
    expect(await end()).toBe(150)
    expect(await end('--jitter', '0.1')).not.toBe(150)
  })

  const rigid = 'id,submit,start,run,width\na,0,5,100,4\nb,10,20,100,8\n'
  const published = 'user_ID,group_ID,submit_time,start_time,end_time,wallclock_limit,job_status,node_count,tasks_requested\n' +
    '3,1,2012-03-11 01:00:00-07:00,2012-03-11 01:00:30-07:00,2012-03-11 03:00:30-07:00,16:00:00,COMPLETED,64,1536\n4,1,2012-03-11 08:00:10+00:00,,,02:00:00,CANCELLED,8,192\n'
  it.each([
    ['by a mapping', rigid, ['--mapping', 'm.yaml'], { procs: 12 }],
    ['a published one by its columns', published, [], { nodes: 64 }],
  ])('runs on the machine of its jobs where they are rigid, %s, as does what it was converted to', { tags: 'long' }, async (_, jobs, options, resources) => {
    const own = directory({ 'jobs.csv': jobs, 'm.yaml': 'columns: {duration: run}\ndemands: {procs: width}\n' })
    const compared = async (...trace: string[]) => (await sched(['compare', '--trace', ...trace], { cwd: own })).out.replace(/^.*?: /, '')
    const [[resource, amount] = ['', 0]] = Object.entries(resources)
    expect(await compared('jobs.csv', ...options)).toContain(`on one node of ${amount} ${resource}\nstrict, easy, conservative, fattened on seed 1`)
    await sched(['trace', 'convert', 'jobs.csv', 'n.jsonl', ...options], { cwd: own })
    expect(await compared('n.jsonl')).toBe(await compared('jobs.csv', ...options))
  })

  it('is described and converted as what it means', async () => {
    const described = await sched(['trace', 'describe', 'gpu-jobs.csv', '--mapping', 'gpu-jobs.mapping.yaml', '--json'], { cwd })
    expect(JSON.parse(described.out)).toMatchObject({ format: 'job-table', jobs: 48, tasks: 84, users: 4, queues: 3, resources: [{ resource: 'cpu', largest: 8000 }, { resource: 'mem', largest: 32_768 }, { resource: 'gpu', largest: 1000 }] })
    const native = join(directory(), 'jobs.jsonl')
    expect((await sched(['trace', 'convert', 'gpu-jobs.csv', native, '--mapping', 'gpu-jobs.mapping.yaml'], { cwd })).err).toContain('48 jobs')
    const again = await sched(['trace', 'describe', native, '--json'], { cwd })
    expect(JSON.parse(again.out)).toMatchObject({ format: 'sched-workload', jobs: 48, tasks: 84 })
  })

  it('may be written out where it is asked for', async () => {
    const own = directory({ 'jobs.csv': 'when,run,cores\n0,100,2\n' })
    const described = (mapping: string) => sched(['trace', 'describe', 'jobs.csv', '--mapping', mapping, '--json'], { cwd: own })
    expect(JSON.parse((await described('{ columns: { submit: when, duration: run }, demands: { cpu: cores } }')).out)).toMatchObject({ jobs: 1, resources: [{ resource: 'cpu', largest: 2 }] })
    expect((await described('{ columns: { submitt: when } }')).err).toContain('"--mapping" line 1 column 14 columns.submitt: unknown key "submitt". Did you mean "submit"?')
  })

  it('takes single options over those of the file', async () => {
    const { out } = await sched(['trace', 'describe', 'gpu-jobs.csv', '--mapping', 'gpu-jobs.mapping.yaml', '--option', 'columns={submit: submitted, duration: run_s}', '--json'], { cwd })
    expect(JSON.parse(out)).toMatchObject({ tasks: 48, users: 0, resources: [{ resource: 'cpu' }, { resource: 'mem' }, { resource: 'gpu' }] })
  })

  const message = async (mapping: string, ...more: string[]) => {
    const path = join(directory({ 'm.yaml': mapping }), 'm.yaml')
    return (await sched(['run', '--trace', 'gpu-jobs.csv', '--mapping', path, '--cluster', 'gpu-nodes.yaml', ...more], { cwd })).err.replaceAll(path, 'm.yaml')
  }

  it('says what is wrong with the mapping, and where', async () => {
    expect(await message('colums:\n  submit: submitted\n')).toContain('"m.yaml" line 1 column 1 colums: unknown key "colums". Did you mean "columns"?')
    expect(await message('columns:\n  submit: submitted\n  duration: [run_s]\n')).toContain('"m.yaml" line 3 column 3 columns.duration: found ["run_s"], expected')
    expect(await message('columns: {submit: when, duration: run_s}\ndemands: {gpu: gpus}\n')).toContain('gpu-jobs.csv" line 1: the table has no column "when", which columns.submit names.')
    expect(await message('columns: {submit: submitted, duration: run_s}\n')).toContain('nothing says what a job asks for')
    expect(await message('columns: {}\n', '--format', 'swf')).toContain('--mapping: is for tables of jobs, not for the format swf.')
    expect((await sched(['run', '--trace', 'gpu-jobs.csv', '--mapping', 'absent.yaml'], { cwd })).err).toMatch(/absent\.yaml/)
  })
})
