import { describe, expect, it } from 'vitest'
import { jobsOf, parseTrace, type ParseOptions } from '../src/index.js'
import { sacctFormat } from '../src/slurm/sacct.js'
import { LineDecoder } from '../src/trace/line-decoder.js'
import { bytesOf, messageOf } from './reading.js'

/** A row of the named columns; what is not given is that of a usual job. */
const rowOf = (columns: string, change: Record<string, string>) => {
  const usual: Record<string, string> = {
    JobID: '1', User: 'ada', Submit: '2024-01-31T10:00:00', Start: '2024-01-31T10:01:00', End: '2024-01-31T11:01:00', TimelimitRaw: '120', ReqCPUS: '4', State: 'COMPLETED', WorkDir: '/data/ada',
  }
  return columns.split('|').map((name) => change[name] ?? usual[name] ?? '').join('|')
}
const table = (columns: string, ...rows: readonly Record<string, string>[]) => `${[columns, ...rows.map((row) => rowOf(columns, row))].join('\n')}\n`
const read = (text: string, options: object = {}, more: ParseOptions = {}) => parseTrace(bytesOf(text), { file: 's.txt', options, ...more })
const idsOf = (text: string, more: ParseOptions = {}) => [...jobsOf(read(text, {}, more))].map(({ id }) => id)
const rulesOf = (text: string) => read(text).report.rules!.map(({ rule, jobs }) => [rule, jobs])
const named = 'JobID|JobName|User|Submit|Start|End|TimelimitRaw|ReqCPUS|State|SubmitLine|WorkDir'
const ending = 'JobID|User|Submit|Start|End|TimelimitRaw|ReqCPUS|State|SubmitLine'

describe('rows of sacct whose names and commands hold separators', () => {
  it('are told by the form of the other columns', () => {
    const text = table(named, { JobName: 'a||b' }, { JobID: '2', SubmitLine: 'sbatch -d afterok:1 --wrap=env | sort', JobName: 'x|y' }, { JobID: '3' }, { JobID: '3.batch', JobName: 'c|d' })
    const jobs = [...jobsOf(read(text, { dependencies: 'keep' }))]
    expect(jobs.map(({ id, user, estimate, afterAll, after }) => ({ id, user, estimate, waits: afterAll ?? after }))).toEqual([
      { id: '1', user: 'ada', estimate: 7200, waits: undefined }, { id: '2', user: 'ada', estimate: 7200, waits: expect.anything() }, { id: '3', user: 'ada', estimate: 7200, waits: undefined },
    ])
    expect(rulesOf(text)).toContainEqual(['separators', 3])
    expect(read(text).report.notes).toContain('3 jobs with "|" or a line end in a name or a command, steps too: read by the form of the other columns (separators)')
  })

  it('are told in tables whose lines end in a separator, too', () => {
    expect(idsOf(table(`${named}|`, { JobName: 'a|b' }, { JobID: '2', SubmitLine: 'srun a | b' }))).toEqual(['1', '2'])
  })

  it('are bad where there are several ways, or none', () => {
    const text = table('JobID|JobName|Comment|Submit|Start|End|ReqCPUS|State', { JobName: 'a|b', Comment: 'c' })
    expect(messageOf(() => read(text))).toContain('"s.txt" line 2: found 9 columns, the header has 8. A name may hold a "|": leave JobName, WorkDir and SubmitLine out of --format')
    expect(messageOf(() => read(table(named, { User: 'a|b' })))).toContain('found 12 columns, the header has 11.')
  })
})

describe('commands of several lines', () => {
  const script = 'sbatch --wrap=if [ ! -d x ]\nthen\n  ls | sort\nfi'

  it('are read to their end, of jobs and of steps', () => {
    const text = table(named, { SubmitLine: script }, { JobID: '1.0', SubmitLine: 'srun bash -c a |\n b', WorkDir: '' }, { JobID: '2' })
    expect(idsOf(text)).toEqual(['1', '2'])
    expect(rulesOf(text)).toEqual([['steps', 1], ['separators', 1], ['scripts', 1]]) // what follows a separator at the end of a line looks like the end of the row
  })

  it('are passed over where nothing stands behind them', () => {
    const text = table(ending, { SubmitLine: script }, { JobID: '2', SubmitLine: 'sbatch a' })
    expect(idsOf(text)).toEqual(['1', '2'])
    expect(read(text).report.notes).toContain('3 lines that go on a command above: passed over (scripts)')
  })

  it('and names of several lines are read to their end', () => {
    const text = table(named, { JobName: 'two\nlines' }, { JobID: '2', JobName: 'a|b\n\nc', User: 'bob' }, { JobID: '3' })
    expect(idsOf(text)).toEqual(['1', '2', '3'])
    expect(rulesOf(text)).toEqual([['separators', 2]])
  })

  it('that never end are one bad record, and cost no other', () => {
    const cut = `${rowOf(named, { SubmitLine: 'sbatch --wrap=a' }).replace('|/data/ada', '')}\nb\n`
    const text = `${named}\n${cut}${rowOf(named, { JobID: '2' })}\n${rowOf(named, { JobID: '3' })}\n`
    expect(messageOf(() => read(text))).toContain('"s.txt" line 4: the record that begins on line 2 has no end. Was the file cut short? Copy it again')
    expect(idsOf(text, { onBadLine: 'skip' })).toEqual(['2', '3'])
    expect(messageOf(() => read(`${named}\n${rowOf(named, {})}\n${cut}`))).toContain('the record that begins on line 3 has no end.')
    const stream = new LineDecoder((place) => sacctFormat.create(sacctFormat.options.parse({}), place), { file: 's.txt', onBadLine: 'skip' })
    stream.push(bytesOf(text))
    stream.end()
    expect([1, 2, 3].map(() => stream.next()?.id)).toEqual(['2', '3', undefined])
  })

  it('leave rows that are cut short elsewhere bad', () => {
    expect(messageOf(() => read(`${table(ending, {})}2|ada|2024-01-31T10:0\n`))).toContain('"s.txt" line 3: found 3 columns, the header has 9.')
    const noCommand = 'JobID|User|Submit|Start|End|ReqCPUS|JobName'
    expect(messageOf(() => read(`${table(noCommand, {})}no record\n`))).toContain('"s.txt" line 3: found 1 column, the header has 7.')
  })
})
