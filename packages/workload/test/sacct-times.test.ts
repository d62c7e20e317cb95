import { describe, expect, it } from 'vitest'
import { jobsOf, parseTrace, scaleLoad } from '../src/index.js'
import { bytesOf } from './reading.js'

const head = 'JobID;Submit;Start;End;TimelimitRaw;State;NCPUS;SubmitLine'
const SUBMIT = '2026-03-02T10:30:00'
/** A job that was submitted at 10:30, an hour after another one, and ran for 10 minutes with a limit of 30. */
const row = (command: string, limit = '30', id = 2) => `${id};${SUBMIT};2026-03-02T10:40:00;2026-03-02T10:50:00;${limit};TIMEOUT;1;sbatch ${command}`
const first = '1;2026-03-02T09:30:00;2026-03-02T09:30:00;2026-03-02T09:31:00;5;COMPLETED;1;sbatch job.sh'
const trace = (...commands: readonly string[]) => parseTrace(bytesOf([head, first, ...commands.map((command, i) => row(command, '30', 2 + i))].join('\n')), { file: 's.txt' })
const jobOf = (command: string, limit?: string) => [...jobsOf(parseTrace(bytesOf([head, first, row(command, limit)].join('\n')), { file: 's.txt' }))][1]!
const boundsOf = (command: string, limit?: string) => {
  const { estimate, minEstimate, deadline, firmDeadline } = jobOf(command, limit)
  return [estimate, minEstimate, deadline, firmDeadline]
}
const HOUR = 3600

describe('the least time limit of a job of Slurm', () => {
  it.each([
    ['--time-min=10 job.sh', [1800, 600]],
    ['--time-min 0:20:00 job.sh', [1800, 1200]],
    ['-t 2:00:00 --time-min=1:00:00 job.sh', [7200, 3600]], // it was given 30 minutes of 2 hours
    ['--time=1-0 --time-min=0-12 job.sh', [86_400, 43_200]],
    ['--time=20 --time-min=10 job.sh', [1800, 600]], // which an administrator has raised
    ['--time-min=30 job.sh', [1800, undefined]], // no less than its limit
    ['--time-min=later job.sh', [1800, undefined]],
    ['--time=2:00:00 job.sh', [1800, undefined]],
    ['job.sh --time-min=10 --wrap "x"', [1800, 600]],
    ['--wrap "x --time-min=10"', [1800, undefined]],
  ])('of %s', (command, [estimate, least]) => expect(boundsOf(command)).toEqual([estimate, least, undefined, undefined]))

  it('is counted, as the other two', () => {
    expect(trace('--time-min=10 job.sh', '--deadline=18:00 job.sh', '--contiguous job.sh').report.rules).toMatchObject([
      { rule: 'processors' }, { rule: 'timeMin', jobs: 1 }, { rule: 'deadlines', jobs: 1 }, { rule: 'contiguous', jobs: 1 },
    ])
  })
})

describe('the deadline of a job of Slurm', () => {
  it.each([
    ['2026-03-02T12:00:00', 2.5], ['2026-03-02T12:00', 2.5], ['2026-03-03', 14.5], ['12:00', 2.5], ['10:00', 24.5], ['12:30:30', 3 + 30 / HOUR], ['1:30pm', 4], ['12:30am', 15], ['noon', 2.5], ['midnight', 14.5],
    ['teatime', 6.5], ['tomorrow', 14.5], ['today', -9.5], ['tomorrow-10:00', 24.5], ['12:00 --deadline=13:00', 3.5], ['10:30', 25], ['2026-03-02T13:00:00+01', 2.5], ['now', 1], ['now+3600', 2], ['now+90minutes', 2.5], ['now+2hours', 3], ['now+1day', 25], ['now+1week', 169], ['uts1772451000', 2.5 - 1 + 10 / 60],
  ])('%s is so many hours after the first submission: %d', (text, hours) => {
    if (text.startsWith('uts')) expect(boundsOf(`--deadline=${text} job.sh`)[2]).toBe(1772451000 - Date.UTC(2026, 2, 2, 9, 30) / 1000)
    else expect(boundsOf(`--deadline=${text} job.sh`)).toEqual([1800, undefined, hours * HOUR, true])
  })

  it('may be in quotes, and moves with the job', () => {
    expect(boundsOf('--deadline "1:30 pm" job.sh')[2]).toBe(4 * HOUR)
    const [, second] = jobsOf(scaleLoad(trace('--deadline=now+2hours job.sh'), 2))
    expect(second).toMatchObject({ submit: HOUR / 2, deadline: HOUR / 2 + 2 * HOUR })
  })

  it('is no time of day where the log has times of another clock', () => {
    for (const submit of ['1772447400', '2026-03-02T10:30:00Z', '2026-03-02T11:30:00+01:00']) {
      const read = (command: string) => [...jobsOf(parseTrace(bytesOf([head, `1;${submit};${submit};${submit};30;COMPLETED;1;sbatch ${command}`].join('\n')), { file: 's.txt' }))][0]
      expect([read('--deadline=12:00 job.sh')?.deadline, read('--deadline=now+1hour job.sh')?.deadline]).toEqual([undefined, HOUR])
    }
  })

  it('is told of where it cannot be read', () => {
    expect(boundsOf('--deadline=someday job.sh')).toEqual([1800, undefined, undefined, undefined])
    expect(trace('--deadline=someday job.sh', '--deadline=0302 job.sh').report.rules).toMatchObject([{ rule: 'processors' }, { rule: 'unreadDeadlines', jobs: 2, text: 'with a --deadline whose time is not known: run like all others' }])
  })

  it('in JSON, whose times are in no zone, is that which counts from the submission alone', () => {
    const json = (line: string) => ({
      job_id: 1, name: 'a', submit_line: `sbatch ${line}`, state: { current: ['COMPLETED'] }, required: { CPUs: 1 }, tres: { requested: [], allocated: [{ type: 'cpu', name: '', count: 1 }] },
      time: { submission: 1000, eligible: 1000, start: 1000, end: 1060, elapsed: 60, limit: { set: true, infinite: false, number: 30 } },
    })
    const read = (line: string) => {
      const all = parseTrace(bytesOf(JSON.stringify({ jobs: [json(line)] })), { file: 's.json' })
      return [[...jobsOf(all)][0], all.report.rules?.map(({ rule }) => rule)]
    }
    expect(read('--deadline=now+1hour -t 60 --time-min=10 --contiguous x')).toMatchObject([{ estimate: 3600, minEstimate: 600, deadline: 3600, firmDeadline: true, contiguous: true }, ['timeMin', 'deadlines', 'contiguous']])
    expect(read('--deadline=12:00 x')).toMatchObject([{ estimate: 1800 }, ['unreadDeadlines']])
  })
})

describe('consecutive nodes that a job of Slurm asked for', () => {
  it('are asked for by its command', () => {
    expect([jobOf('-N2 --contiguous job.sh').contiguous, jobOf('-N2 job.sh').contiguous, jobOf('--wrap "x --contiguous"').contiguous]).toEqual([true, undefined, undefined])
  })
})
