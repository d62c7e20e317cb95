import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jobsOf, parseTrace, type ParseOptions } from '../src/index.js'
import { openTraceFile } from '../src/node/index.js'
import { sacctFormat } from '../src/slurm/sacct.js'
import { LineDecoder } from '../src/trace/line-decoder.js'
import { bytesOf, messageOf } from './reading.js'
import { temporaryFolder } from './temporary.js'

const header = 'JobID|Cluster|User|Submit|Start|End|TimelimitRaw|ReqCPUS|State'
/** A job that waited 60 s and ran an hour of its two; times in minutes after January 31, 10:00. */
const row = (id: string, { cluster = '', user = 'ada', submit = 0, ended = true, state = 'COMPLETED' } = {}) => {
  const at = (minutes: number) => new Date(Date.UTC(2024, 0, 31, 10, minutes)).toISOString().slice(0, 19)
  return [id, cluster, user, at(submit), at(submit + 1), ended ? at(submit + 61) : 'Unknown', '120', '4', ended ? state : 'RUNNING'].join('|')
}
const lines = (...all: string[]) => `${all.join('\n')}\n`
const read = (text: string, options: object = {}, more: ParseOptions = {}) => parseTrace(bytesOf(text), { file: 's.txt', options, ...more })
const idsOf = (text: string, options?: object) => [...jobsOf(read(text, options))].map(({ id }) => id)
const rulesOf = (text: string, options?: object) => read(text, options).report.rules!.map(({ rule, jobs }) => [rule, jobs])

describe('exports of sacct that follow one another', () => {
  const january = lines(header, row('1'), row('2', { submit: 5 }), row('3', { submit: 6, ended: false }))
  const february = lines(header, row('2', { submit: 5 }), row('3', { submit: 6 }), row('2', { submit: 70 }), row('4', { submit: 80 }))

  it('may overlap: a job that both have is one, by the record that tells its end; one that was requeued is two', () => {
    expect(idsOf(january + february)).toEqual(['1', '2', '3', '2#2', '4'])
    expect(rulesOf(january + february)).toEqual([['unknownRuntime', 1], ['repeated', 1], ['twice', 1]])
    expect(rulesOf(february + january)).toEqual([['repeated', 1], ['twice', 2], ['sorted', 1]]) // the one that tells no end comes last
  })

  it('give a job no two run times, one recorded and one estimated', () => {
    expect(messageOf(() => read(january + february, { unknownRuntime: 'estimate' }))).toBe(
      '"s.txt" line 7: job 3 was recorded above when it had not ended, and a job was made of that record. Keep only its last record, or drop such lines with onBadLine "skip".')
  })

  it('are read from a directory, each with a header of its own', async () => {
    const folder = join(temporaryFolder(), 'exports')
    mkdirSync(folder)
    writeFileSync(join(folder, '2024-01.txt'), january)
    writeFileSync(join(folder, '2024-02.csv'), february.replaceAll('|', ','))
    const trace = await openTraceFile(folder)
    expect([trace.format, ...[...jobsOf(trace)].map(({ id }) => id)]).toEqual(['sacct', '1', '2', '3', '2#2', '4'])
    expect(trace.report.notes).toContain('1 job with the id and the submit time of one above, as in overlapping exports: left out (twice)')
  })

  it('leave out a record that a stream has twice, and remember none beyond its submit time', () => {
    const decoder = new LineDecoder((place) => sacctFormat.create(sacctFormat.options.parse({}), place), { file: 's.txt' })
    decoder.push(bytesOf(lines(header, row('1'), row('2'), row('1'), header, row('2', { submit: 5 }))))
    decoder.end()
    expect([1, 2, 3, 4].map(() => decoder.next()?.id)).toEqual(['1', '2', '2#2', undefined])
  })

  it('may be of several clusters, of which one is chosen', () => {
    const text = lines(header, row('7', { cluster: 'fox' }), row('7', { cluster: 'owl' }), row('8', { cluster: 'owl', submit: 1 }))
    expect(idsOf(text)).toEqual(['7', '7#2', '8'])
    expect(read(text).report.notes).toContain('2 jobs of another cluster than the first one, fox: all on one machine (cluster: fox reads only its jobs) (clusters)')
    expect([idsOf(text, { cluster: 'owl' }), rulesOf(text, { cluster: 'owl' })]).toEqual([['7', '8'], [['cluster', 1]]])
    const objects = ['fox', 'owl'].map((cluster) => ({ job_id: 7, cluster, required: { CPUs: 4 }, time: { submission: 60, start: 70, end: 80, elapsed: 10 } }))
    const json = JSON.stringify({ jobs: objects })
    expect([idsOf(json), idsOf(json, { cluster: 'fox' })]).toEqual([['7', '7#2'], ['7']])
    expect(rulesOf(JSON.stringify({ jobs: [...objects, ...objects] }), { cluster: 'fox' })).toContainEqual(['twice', 1])
  })
})

it('GPUs that a job held are what it asked for where its request tells none', () => {
  const asked = (requested: string, allocated: string) => [...jobsOf(read(`JobID|Submit|Start|End|ReqTRES|AllocTRES\n1|0|10|110|${requested}|${allocated}\n`, { gpuDemand: true, gpus: 8 }))][0]!.stages[0]!.demand['gpus']
  expect([asked('cpu=4,gres/gpu=2', 'cpu=4,gres/gpu=4'), asked('cpu=4', 'cpu=4,gres/gpu:a100=4'), asked('cpu=4', 'cpu=4')]).toEqual([2, 4, undefined])
  const cpu = { type: 'cpu', count: 4 }
  const json = (requested: object[], allocated: object[]) => JSON.stringify({ jobs: [{ job_id: 7, tres: { requested: [cpu, ...requested], allocated: [cpu, ...allocated] }, time: { submission: 60, start: 70, end: 80, elapsed: 10 } }] })
  const gpus = (count: number) => [{ type: 'gres', name: 'gpu', count }]
  expect([json(gpus(2), gpus(4)), json([], gpus(4))].map((text) => [...jobsOf(read(text, { gpuDemand: true, gpus: 8 }))][0]!.stages[0]!.demand['gpus'])).toEqual([2, 4])
})

it('the CPU time that steps used is recorded for each processor, where it is told', () => {
  const used = (totalCpu: string) => [...jobsOf(read(`JobID|Submit|Start|End|AllocCPUS|TotalCPU\n1|0|10|110|4|${totalCpu}\n`))][0]!.recorded
  expect(['06:20.500', '1-00:00:00', '00:00:00', ''].map(used)).toEqual([{ wait: 10, cpuTime: 95.125 }, { wait: 10, cpuTime: 21_600 }, { wait: 10 }, { wait: 10 }])
  const json = JSON.stringify({ jobs: [{ job_id: 7, required: { CPUs: 4 }, time: { submission: 60, start: 70, end: 80, elapsed: 10, total: { seconds: 30, microseconds: 500_000 } } }] })
  expect([...jobsOf(read(json))][0]!.recorded).toEqual({ wait: 10, cpuTime: 7.625 })
})

describe('separators of sacct', () => {
  it.each(['^', '@@', '#', '~', '\u0001', '||'])('may be %j', (separator) => {
    const text = lines(header, row('1'), row('2', { submit: 5 })).replaceAll('|', separator)
    expect([read(text).format, ...idsOf(text)]).toEqual(['sacct', '1', '2'])
  })
})

describe('columns of sacct for people', () => {
  const widths = [-12, -9, 9, 19, 19, 19, 10, 8, 10]
  /** As printf does: right-justified, to the left where the width is negative; what is too long ends in a +, names of columns are cut. */
  const cell = (text: string, width: number, mark = '+') => {
    const size = Math.abs(width)
    const bytes = Buffer.byteLength(text)
    const cut = bytes > size ? `${text.slice(0, size - mark.length)}${mark}` : text
    const blanks = ' '.repeat(Math.max(0, size - bytes))
    return width < 0 ? cut + blanks : blanks + cut
  }
  const printed = (...rows: string[]) => lines(
    header.split('|').map((name, i) => cell(name, widths[i]!, '')).join(' '), widths.map((width) => '-'.repeat(Math.abs(width))).join(' '),
    ...rows.map((each) => each.split('|').map((text, i) => cell(text, widths[i]!)).join(' ')))

  it('are read where the header is underlined, names of two bytes a letter too, and a limit whose name is cut', () => {
    const text = printed(row('1', { user: 'Jörg' }), row('1.batch'), row('2', { submit: 5, state: 'OUT_OF_MEMORY' }))
    expect(read(text).format).toBe('sacct')
    expect([...jobsOf(read(text))].map(({ id, user, estimate, recorded }) => ({ id, user, estimate, recorded }))).toEqual([
      { id: '1', user: 'Jörg', estimate: 7200, recorded: { wait: 60, status: 'completed' } }, { id: '2', user: 'ada', estimate: 7200, recorded: { wait: 60, status: 'out_of_memory' } },
    ])
    expect(rulesOf(text, { status: ['out_of_memory'] })).toEqual([['steps', 1], ['status', 1]])
    expect(idsOf(text + text)).toEqual(['1', '2'])
  })

  it('tell names that are cut short, and refuse such numbers', () => {
    expect(rulesOf(printed(row('1', { user: 'ada.lovelace' })))).toEqual([['cut', 1]])
    expect(messageOf(() => read(printed(row('12345678_1234'))))).toBe('"s.txt" line 3 JobID: found "12345678_12+", which is cut short. Print a wider column (JobID%30) or a table (--parsable2), or drop such lines with onBadLine "skip".')
    expect(messageOf(() => read('JobID  User\n7  ann\n', {}, { format: 'sacct' }))).toContain('"s.txt" line 2: column JobID or JobIDRaw is missing.')
  })
})
