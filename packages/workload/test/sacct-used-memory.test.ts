import { describe, expect, it } from 'vitest'
import { jobsOf, parseTrace, type ParseOptions } from '../src/index.js'
import { sacctFormat } from '../src/slurm/sacct.js'
import { LineDecoder } from '../src/trace/line-decoder.js'
import { bytesOf, messageOf } from './reading.js'

const names = ['MaxRSS', 'AveRSS', 'NTasks', 'TRESUsageInTot', 'TRESUsageInMax', 'TRESUsageInAve'] as const
type Use = Partial<Record<(typeof names)[number], string>>
const header = `JobID|Submit|Start|End|TimelimitRaw|ReqCPUS|NCPUS|${names.join('|')}`
const at = (minutes: number) => new Date(Date.UTC(2024, 0, 31, 10, minutes)).toISOString().slice(0, 19)
/** A job of 4 processors, and what is told of it or of a step. */
const row = (id: string, use: Use = {}, submit = 0) => [id, at(submit), at(submit + 1), at(submit + 61), '120', '4', '4', ...names.map((name) => use[name] ?? '')].join('|')
const text = (...rows: string[]) => `${[header, ...rows].join('\n')}\n`
const read = (table: string, options: object = {}, more: ParseOptions = {}) => parseTrace(bytesOf(table), { file: 's.txt', options, ...more })
/** MiB of each processor, by job. */
const used = (...rows: string[]) => Object.fromEntries([...jobsOf(read(text(...rows)))].map(({ id, recorded }) => [id, recorded?.mem]))

describe('memory that the steps of a job of sacct used', () => {
  it('is that of the largest, each of all its tasks, of which every processor has an equal part', () => {
    // 8 GiB of four processors; the batch script has 3 MiB
    expect(used(row('1'), row('1.batch', { MaxRSS: '3M', NTasks: '1' }), row('1.0', { MaxRSS: '2G', AveRSS: '1G', NTasks: '8' }), row('1.extern', { MaxRSS: '0' }))).toEqual({ 1: 2048 })
  })

  it('is the sum of tasks where it is told, otherwise their mean, otherwise the most of one times their number', () => {
    const of = (use: Use) => used(row('1'), row('1.0', use))['1']
    const all: Use = { TRESUsageInTot: 'cpu=00:01:00,mem=4096M,pages=0', AveRSS: '512M', TRESUsageInAve: 'mem=256M', MaxRSS: '2048M', TRESUsageInMax: 'mem=128M', NTasks: '4' }
    const { TRESUsageInTot: _, ...withoutSum } = all
    const { AveRSS: __, ...withoutMean } = withoutSum
    const { TRESUsageInAve: ___, ...most } = withoutMean
    const { MaxRSS: ____, ...ofTres } = most
    expect([all, withoutSum, withoutMean, most, ofTres].map(of)).toEqual([1024, 512, 256, 2048, 128])
    expect(of({ MaxRSS: '2048M' })).toBe(512) // one task, where it is not told how many
  })

  it('has units, bytes without one, and is none where it was not measured', () => {
    const of = (MaxRSS: string) => used(row('1'), row('1.0', { MaxRSS }))['1']
    expect(['4096K', '4M', '0.5G', String(8 * 2 ** 20), '0', '', '12?'].map(of)).toEqual([1, 1, 128, 2, undefined, undefined, undefined])
  })

  it('is of the job that its steps stand below, in every run and task of an array', () => {
    expect(used(row('1'), row('1.0', { MaxRSS: '4M' }), row('1', {}, 90), row('1.0', { MaxRSS: '8M' }), row('2_3', {}, 91), row('2_3.batch', { MaxRSS: '12M' }), row('4', {}, 92), row('3.0', { MaxRSS: '16M' })))
      .toEqual({ 1: 1, '1#2': 2, '2_3': 3, 4: undefined })
    expect(used(row('1', { MaxRSS: '4M' }), row('2', {}, 1))).toEqual({ 1: 1, 2: undefined }) // a table that has it beside the job
  })

  it('is the same of a stream, and in exports that follow one another', () => {
    const rows = [row('1'), row('1.0', { MaxRSS: '4M' }), row('2', {}, 1), row('2.0', { MaxRSS: '8M' })]
    const decoder = new LineDecoder((place) => sacctFormat.create(sacctFormat.options.parse({}), place), { file: 's.txt' })
    decoder.push(bytesOf(text(...rows)))
    decoder.end()
    const found: unknown[] = []
    for (let job = decoder.next(); job !== undefined; job = decoder.next()) found.push([job.id, job.recorded?.mem])
    expect(found).toEqual([['1', 1], ['2', 2]])
    expect([...jobsOf(read(text(...rows) + text(row('3', {}, 2), row('3.0', { MaxRSS: '12M' }))))].map(({ id, recorded }) => [id, recorded?.mem])).toEqual([['1', 1], ['2', 2], ['3', 3]])
  })

  it('tells the line of a job that is bad, which it finds when its steps are read', () => {
    const wide = text(row('1').replace('|4|4|', '|4|9|'), row('1.0', { MaxRSS: '4M' }), row('2', {}, 1))
    expect(messageOf(() => read(wide, { procs: 8, processors: 'allocated' }))).toContain('"s.txt" line 4: in the job of line 2: ')
    const kept = read(wide, { procs: 8, processors: 'allocated' }, { onBadLine: 'skip' })
    expect([...jobsOf(kept)].map(({ id }) => id)).toEqual(['2'])
  })

  it('is read of sacct --json, too', () => {
    const bytes = (mib: number) => [{ type: 'cpu', count: 9 }, { type: 'mem', count: mib * 2 ** 20 }]
    const of = (steps: unknown) => {
      const job = {
        job_id: 7, steps, required: { CPUs: 4 }, tres: { allocated: [{ type: 'cpu', count: 4 }], requested: [] }, state: { current: ['COMPLETED'] }, array: { job_id: 0 }, het: { job_id: 0 },
        time: { submission: 100, start: 110, eligible: 100, end: 210, elapsed: 100, limit: { set: true, number: 5 } },
      }
      return [...jobsOf(parseTrace(bytesOf(JSON.stringify({ jobs: [job] })), { format: 'sacct-json' }))][0]?.recorded?.mem
    }
    const step = (requested: object, tasks = 2) => ({ tasks: { count: tasks }, tres: { requested } })
    expect(of([step({ total: bytes(12), max: bytes(99) }), step({ total: bytes(8) })])).toBe(3)
    expect(of([step({ average: bytes(8), max: bytes(99) })])).toBe(4)
    expect(of([step({ max: [{ type: 'mem', count: { set: true, number: 4 * 2 ** 20 }, node: 'n1' }] })])).toBe(2)
    expect([of([]), of(undefined), of([step({})]), of('none')]).toEqual([undefined, undefined, undefined, undefined])
  })
})
