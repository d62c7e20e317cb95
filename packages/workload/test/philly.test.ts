import { describe, expect, it } from 'vitest'
import { detectFormatOf, jobsOf, parseTrace, readMachines, type ParseOptions } from '../src/index.js'
import { openTrace } from '../src/node/index.js'
import { bytesOf, messageOf, skip } from './reading.js'
import { realTrace } from './traces.js'

const read = (text: string, options: object = {}, more: ParseOptions = {}) => parseTrace(bytesOf(text), { file: 'p', options, ...more })
const jobs = (text: string, options?: object) => [...jobsOf(read(text, options))]
const cut = 'Was the file cut short? Copy it again, or drop such lines with onBadLine "skip".'

describe('the simplified table of the Philly trace', () => {
  const header = 'timestamp,duration,num_gpus,gpu_time,cluster\n'
  const row = '2017-10-09 06:13:36,2759.0,2,5518.0,6214e9\n'

  it('has gangs of a task per GPU, sorted, in the queue of their virtual cluster', () => {
    const trace = read(`${header}${row}2017-10-09 06:13:06,5,1,5,a\n`)
    expect([...jobsOf(trace)]).toEqual([
      { id: 'job-2', submit: 0, queue: 'a', stages: [{ name: 'gpus', tasks: 1, demand: { gpu: 1000 }, duration: 5 }] },
      { id: 'job-1', submit: 30, queue: '6214e9', stages: [{ name: 'gpus', tasks: 2, demand: { gpu: 1000 }, duration: 2759, gang: true }] },
    ])
    expect(trace.format).toBe('philly-table')
    expect(jobs(header + row, { unit: 'task', gpu: 1 })[0]!.stages).toEqual([{ name: 'gpus', tasks: 1, demand: { gpu: 2 }, duration: 2759 }])
  })

  it.each([
    ['2017-10-09 06:13:36,5,1', `"p" line 3: found 3 columns, the header has 5. ${cut}`],
    ['yesterday,5,1,5,a', `"p" line 3 timestamp: found "yesterday", expected a time such as 2024-01-31T10:00:00. ${skip}`],
    ...['1e300', '1e400'].map((huge): [string, string] => [`2017-10-09 06:13:36,${huge},1,5,a`, `"p" line 3 duration: found "${huge}", more than 2^53 - 1, above which numbers are not exact. ${skip}`]),
    ['2017-10-09 06:13:36,NaN,1,5,a', `"p" line 3 duration: found "NaN", expected a number of at least 0. ${skip}`],
    ['2017-10-09 06:13:36,5,-1,5,a', `"p" line 3 num_gpus: found "-1", expected a number of at least 0. ${skip}`],
    ['2017-10-09 06:13:36,5,0,5,a', `"p" line 3 num_gpus: found 0, expected at least 1. ${skip}`],
  ])('answers the row %j', (text, message) => {
    expect(messageOf(() => read(header + row + text))).toBe(message)
  })

  const real = realTrace('gpu/philly_5vc.csv.gz')
  it.skipIf(!real.there)(`reads ${real.title}`, { tags: 'long' }, () => {
    const trace = openTrace(real.path)
    const queues = new Map<string, number>()
    for (const { queue } of jobsOf(trace)) queues.set(queue!, (queues.get(queue!) ?? 0) + 1)
    // the README of the trace: 46,154 jobs of five virtual clusters
    expect([trace.jobs, Object.fromEntries(queues)]).toEqual([46_154, { '6214e9': 41_226, '103959': 1934, '0e4a51': 1435, 'ed69ec': 1137, '2869ce': 422 }])
  })
})

describe('the job log of Philly', () => {
  const attempt = { start_time: '2017-10-09 07:00:00', end_time: '2017-10-09 07:10:00', detail: [{ ip: 'm1', gpus: ['gpu0', 'gpu1'] }, { ip: 'm2', gpus: ['gpu3'] }] }
  const job = (change: object = {}) => ({ status: 'Pass', vc: 'ee9e8c', jobid: 'application_1', attempts: [attempt], submitted_time: '2017-10-09 06:59:00', user: 'ce2f4c', ...change })

  it('has the GPUs of the last attempt and the time of all of them', () => {
    const two = job({ attempts: [{ ...attempt, detail: [{ ip: 'm1', gpus: ['gpu0'] }], end_time: '2017-10-09 07:01:00' }, attempt] })
    const text = JSON.stringify([two, job({ jobid: 'b', attempts: [{ start_time: 'None', end_time: 'None', detail: [] }] }), job({ jobid: 'c', submitted_time: '2017-10-09 06:58:30' })], null, 1)
    const trace = read(text)
    expect([...jobsOf(trace)]).toEqual([
      expect.objectContaining({ id: 'c', submit: 0 }),
      { id: 'application_1', submit: 30, user: 'ce2f4c', queue: 'ee9e8c', recorded: { wait: 60, status: 'pass' }, stages: [{ name: 'gpus', tasks: 3, demand: { gpu: 1000 }, duration: 660, gang: true }] },
    ])
    expect(trace.report.rules?.map(({ rule, jobs: count }) => [rule, count])).toEqual([['neverRan', 1], ['openAttempt', 1], ['sorted', 1]])
    expect(detectFormatOf(bytesOf(text)).name).toBe('philly')
  })

  it('leaves out and counts jobs without submit time, whose attempts are not looked at', () => {
    const trace = read(JSON.stringify([job({ submitted_time: 'None' }), job({ jobid: 'b', submitted_time: 'None', attempts: [{ start_time: 'None', detail: [] }] }), job({ jobid: 'c' })]))
    expect([...jobsOf(trace)].map(({ id, submit }) => [id, submit])).toEqual([['c', 0]])
    expect(trace.report.rules?.map(({ rule, jobs: count }) => [rule, count])).toEqual([['submit', 2]])
  })

  it.each([
    [job({ submitted_time: 'soon' }), `"p" line 1 submitted_time: found "soon", expected a time such as 2017-10-09 06:13:03. ${skip}`],
    [job({ attempts: [{ ...attempt, detail: [{ gpus: 4 }] }] }), `"p" line 1 attempts[0].detail[0].gpus: found 4, expected a list. ${skip}`],
    [job({ jobid: '' }), `"p" line 1 jobid: is missing. ${skip}`],
  ])('answers %j', (value, message) => {
    expect(messageOf(() => read(JSON.stringify(value)))).toBe(message)
  })

  it('does not count an attempt that ends before it starts', () => {
    const trace = read(JSON.stringify(job({ attempts: [{ ...attempt, end_time: '2017-10-09 06:00:00' }, attempt] })))
    expect([...jobsOf(trace)][0]!.stages[0]!.duration).toBe(600)
    expect(trace.report.rules).toEqual([expect.objectContaining({ rule: 'backwards', jobs: 1 })])
  })

  it('has a list of machines with GPUs', () => {
    expect(readMachines('machineId,number of GPUs,single GPU mem\nm1,8,24GB\nm2,8,24GB\nm3,2,12GB\n').nodes).toEqual([
      { names: ['m1', 'm2'], count: 2, devices: { gpu: { count: 8, milli: 1000 } }, labels: { gpu_memory: '24GB' } },
      { names: ['m3'], count: 1, devices: { gpu: { count: 2, milli: 1000 } }, labels: { gpu_memory: '12GB' } },
    ])
    expect(messageOf(() => readMachines('machineId,number of GPUs\nm1,x', 'm'))).toBe('"m" line 2 number of GPUs: found "x", expected a number of at least 0. Correct the line.')
    expect(messageOf(() => readMachines('machineId,number of GPUs\n,8', 'm'))).toBe('"m" line 2 machineId: is empty. Name the machine.')
    expect(messageOf(() => readMachines('machineId,number of GPUs\nm1,8\nm1,8', 'm'))).toBe('"m" line 3 machineId: machine "m1" was listed before. Give every machine once.')
  })
})
