import { describe, expect, it } from 'vitest'
import { jobsOf, parseTrace, type ParseOptions } from '../src/index.js'
import { bytesOf, messageOf, skip } from './reading.js'

/** A job that waited 10 s and ran 40 minutes of its hour, changed in some fields. */
const line = (change: Readonly<Record<string, string>> = {}) => {
  const usual = {
    JobId: '7', UserId: 'ann(1000)', GroupId: 'users(100)', Name: 'train', JobState: 'COMPLETED', Partition: 'main', TimeLimit: '60', StartTime: '2024-03-04T08:00:10', EndTime: '2024-03-04T08:40:10',
    NodeList: 'n[1-2]', NodeCnt: '2', ProcCnt: '16', WorkDir: 'work', ReservationName: '', Tres: 'cpu=12,mem=8G,node=2,billing=12,gres/gpu=4', Account: 'physics', QOS: 'normal', WcKey: '', Cluster: 'fox',
    SubmitTime: '2024-03-04T08:00:00', EligibleTime: '2024-03-04T08:00:00',
  }
  const { ExitCode = '0:0', ...fields } = { ...usual, ...change }
  return `${Object.entries({ ...fields, DerivedExitCode: '0:0', ExitCode }).map(([name, value]) => `${name}=${value}`).join(' ')} `
}
const read = (lines: readonly string[], options: object = {}, more: ParseOptions = {}) => parseTrace(bytesOf(`${lines.join('\n')}\n`), { file: 'jobcomp.log', options, ...more })
const jobs = (lines: readonly string[], options?: object) => [...jobsOf(read(lines, options))]

describe('jobcomp', () => {
  it('has the GPUs of logs without Tres in Gres', () => {
    const old = (Gres: string) => line({ Gres }).replace(/Tres=\S* /, '')
    expect([old('gpu:2'), old('gpu:v100:3,craynetwork:1'), old('')].map((each) => jobs([each, line()], { gpuDemand: true })[0]!.stages[0]!.demand)).toEqual([
      { procs: 16, gpus: 2 }, { procs: 16, gpus: 3 }, { procs: 16 },
    ])
  })

  it('is known by its lines, and gives rigid jobs in the order of their submission', () => {
    const later = line({ JobId: '8', Name: 'a b=c', SubmitTime: '2024-03-04T07:59:00', JobState: 'TIMEOUT', TimeLimit: 'UNLIMITED' })
    const found = read([line(), later], { memory: 'requested', gpuDemand: true })
    expect([found.format, ...jobsOf(found)]).toEqual(['jobcomp', {
      id: '8', submit: 0, user: 'ann', group: 'users', account: 'physics', queue: 'main', partition: 'main', qos: 'normal', estimate: 2400, recorded: { wait: 70, status: 'timeout' },
      stages: [{ name: 'job', tasks: 1, demand: { procs: 12, mem: 8192, gpus: 4 }, duration: 2400 }],
    }, {
      id: '7', submit: 60, user: 'ann', group: 'users', account: 'physics', queue: 'main', partition: 'main', qos: 'normal', estimate: 3600, recorded: { wait: 10, status: 'completed' },
      stages: [{ name: 'job', tasks: 1, demand: { procs: 12, mem: 8192, gpus: 4 }, duration: 2400 }],
    }])
    expect(jobs([line()], { processors: 'allocated', tasks: 'node' })[0]?.stages).toMatchObject([{ tasks: 2, demand: { procs: 8 } }])
  })

  it('names tasks of arrays, parts of heterogeneous jobs and later runs as sacct does', () => {
    const ids = jobs([line({ ArrayJobId: '5', ArrayTaskId: '2' }), line({ HetJobId: '6', HetJobOffset: '1' }), line({ JobState: 'REQUEUED' }), line({ SubmitTime: '2024-03-04T08:00:05' })]).map(({ id }) => id)
    expect(ids).toEqual(['5_2', '6+1', '7', '7#2'])
  })

  it('goes by eligibility and one cluster where asked, and leaves out who never started', () => {
    expect(jobs([line({ EligibleTime: '2024-03-04T08:00:07' })], { submit: 'eligible' })[0]?.recorded?.wait).toBe(3)
    expect(jobs([line(), line({ JobId: '9', Cluster: 'owl' })], { cluster: 'owl' }).map(({ id }) => id)).toEqual(['9'])
    const cancelled = { JobId: '8', JobState: 'CANCELLED', NodeList: '(null)', EndTime: '2024-03-04T08:00:10' }
    expect(read([line(), line(cancelled), line({ ...cancelled, StartTime: 'Unknown' }), line({ SubmitTime: '' })]).report.rules?.map(({ rule, jobs }) => [rule, jobs])).toEqual([['submit', 1], ['neverStarted', 2], ['noGpus', 1], ['repeated', 2]])
  })

  it.each([
    [line({ StartTime: 'soon' }), 'line 2 StartTime: found "soon", expected a time such as 2024-01-31T10:00:00.'], [line({ ProcCnt: 'many' }), 'line 2 ProcCnt: found "many", expected a whole number of at least 0.'],
    [line({ TimeLimit: 'long' }), 'line 2 TimeLimit: found "long", expected minutes or UNLIMITED.'], ['UserId=ann', 'line 2 JobId: found "UserId=ann", expected a line that begins with JobId=NUMBER.'],
  ])('tells what is wrong with a line', (bad, message) => {
    expect(messageOf(() => read([line(), bad]))).toBe(`"jobcomp.log" ${message} ${skip}`)
  })
})
