import { join } from 'node:path'
import type { JobSpec } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { jobsOf, parseTrace, type ParseOptions } from '../src/index.js'
import { openTraceFile } from '../src/node/index.js'
import { bytesOf, messageOf, streamed } from './reading.js'
import { temporaryFolder, writeFiles } from './temporary.js'

const temporary = temporaryFolder()

/** A job that waited 60 s and ran an hour of its two on 8 cores of 2 nodes, changed in some fields. */
const job = (change: object = {}) => ({
  Job_Id: 101, array_id: 101, array_index: 1, name: null, owner: 'ada', state: 'Terminated', assigned_resources: [1, 2, 3, 4, 17, 18, 19, 20], assigned_network_address: ['n-1', 'n-2'], queue: 'default',
  command: 'run.sh', jobType: 'PASSIVE', reservation: 'None', walltime: 7200, submissionTime: 1_700_000_000, startTime: 1_700_000_060, stopTime: 1_700_003_660, message: 'R=8,W=2:0:0', resubmit_job_id: 0,
  wanted_resources: '-l "{type = \'default\'}/host=2/core=4,walltime=2:0:0" ', project: 'atlas', types: ['besteffort'], dependencies: [], exit_code: 0, ...change,
})
const text = (...jobs: ReturnType<typeof job>[]) => JSON.stringify(Object.fromEntries(jobs.map((each) => [each.Job_Id, each])), null, 3)
const read = (content: string, options: object = {}, more: ParseOptions = {}) => parseTrace(bytesOf(content), { file: 'jobs.json', options, ...more })
const first = (change: object, options: object = {}): JobSpec => [...jobsOf(read(text(job(change)), options))][0]!

describe('oar', () => {
  it('is known by its fields, and gives a task with all resources that it was given, sorted by submission', () => {
    const trace = read(text(job(), job({ Job_Id: 99, submissionTime: 1_699_999_990 })))
    expect([trace.format, trace.machine?.procs]).toEqual(['oar', 16])
    expect([...jobsOf(trace)]).toEqual([expect.objectContaining({ id: '99', submit: 0 }), {
      id: '101', submit: 10, user: 'ada', queue: 'default', account: 'atlas', estimate: 7200, recorded: { wait: 60, status: 'completed' },
      stages: [{ name: 'job', tasks: 1, demand: { procs: 8 }, duration: 3600 }],
    }])
  })

  it('may be its jobs one after another, and streamed', async () => {
    const lines = [job(), job({ Job_Id: 102, submissionTime: 1_700_000_030 })].map((each) => JSON.stringify(each)).join('\n')
    const whole = [...jobsOf(read(lines))]
    expect(whole.map(({ id }) => id)).toEqual(['101', '102'])
    const at = writeFiles(temporary, { 'jobs.jsonl': lines })
    expect(await streamed(await openTraceFile(join(at, 'jobs.jsonl'), { stream: true }))).toEqual(whole)
  })

  it.each<[string, object, object, (job: JobSpec) => unknown, unknown]>([
    ['times as text, as older versions write them', { submissionTime: '1700000000', startTime: '1700000010', walltime: '7200' }, {}, ({ recorded, estimate }) => [recorded!.wait, estimate], [10, 7200]],
    ['a task per node', {}, { tasks: 'node' }, ({ stages }) => [stages[0]!.tasks, stages[0]!.demand], [2, { procs: 4 }]],
    ['GPUs of each host', { wanted_resources: '-l "{type = \'default\'}/host=2/gpu=1,walltime=2:0:0" ' }, { gpuDemand: true }, ({ stages }) => stages[0]!.demand, { procs: 8, gpus: 2 }],
    ['GPUs of several groups', { wanted_resources: '-l "{gpu_model=\'A/B=9\'}/gpunum=3+/host=1,walltime=2:0:0" ' }, { gpuDemand: true }, ({ stages }) => stages[0]!.demand, { procs: 8, gpus: 3 }],
    ['none where a level has no number', { wanted_resources: '-l "/host=ALL/gpu=1,walltime=2:0:0" ' }, { gpuDemand: true }, ({ stages }) => stages[0]!.demand, { procs: 8 }],
    ['its project as queue', {}, { queue: 'project' }, ({ queue }) => queue, 'atlas'],
  ])('reads %s', (_, change, options, facts, expected) => {
    expect(facts(first(change, options))).toEqual(expected)
  })

  it.each<[string, object, string]>([
    ['failed', { exit_code: 256 }, 'failed'],
    ['at its limit', { exit_code: 35_072, startTime: 1_699_996_460 }, 'timeout'],
    ['killed', { state: 'Error', exit_code: null }, 'failed'],
  ])('says that a job was %s', (_, change, status) => {
    expect(first(change).recorded!.status).toBe(status)
  })

  it('leaves out, counted, what waits, what runs within a container and what runs still, and tells of advance reservations', () => {
    const jobs = [job({ reservation: 'Scheduled' }), job({ Job_Id: 1, state: 'Waiting', startTime: 0, stopTime: 0 }), job({ Job_Id: 2, types: ['inner=101'] }), job({ Job_Id: 3, state: 'Running', stopTime: 0 })]
    const trace = read(text(...jobs))
    expect(trace.report.rules!.map(({ rule, jobs: count }) => [rule, count])).toEqual([['steps', 1], ['neverStarted', 1], ['reservations', 1], ['unknownRuntime', 1]])
    expect(trace.jobs).toBe(1)
  })

  it('names the field that is bad, and drops such jobs where it is told to', () => {
    const log = text(job(), job({ Job_Id: 102, submissionTime: 'x' }))
    expect(messageOf(() => read(log))).toMatch(/^"jobs.json" line \d+ 102\.submissionTime: in the object that begins on line 1: found "x", expected a number of at least 0/)
    const bad = (Job_Id: number) => job({ Job_Id, submissionTime: 'x' })
    const { jobs, report } = read(text(job(), bad(102), bad(103), bad(104)), {}, { onBadLine: 'skip' })
    expect([jobs, report.skipped, report.rules!.map(({ rule, jobs: count }) => [rule, count])]).toEqual([1, 1, [['bad', 2]]])
    expect(messageOf(() => read('{"1": {"submissionTime": 3}}', {}, { format: 'oar' }))).toContain('line 1 Job_Id: is missing. Print jobs with `oarstat -f -J`')
  })
})
