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

const event = (type: string, after: number) => ({ event_id: 1, type, job_id: 101, date: 1_700_000_060 + after, description: 'root', to_check: 'NO' })
/** The job as it waits, changed in some fields. */
const waiting = (change: object = {}) => job({ state: 'Waiting', startTime: 0, stopTime: 0, walltime: null, assigned_resources: [], assigned_network_address: [], exit_code: null, ...change })

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
    ['GPUs of the alternative that a moldable job got', { wanted_resources: '-l "{type = \'default\'}/gpu=4,walltime=1:0:0" -l "{type = \'default\'}/host=1+/gpu=2,walltime=2:0:0" ' }, { gpuDemand: true }, ({ stages }) => stages[0]!.demand, { procs: 8, gpus: 2 }],
    ['none where a level has no number', { wanted_resources: '-l "/host=ALL/gpu=1,walltime=2:0:0" ' }, { gpuDemand: true }, ({ stages }) => stages[0]!.demand, { procs: 8 }],
    ['its project as queue', {}, { queue: 'project' }, ({ queue }) => queue, 'atlas'],
  ])('reads %s', (_, change, options, facts, expected) => {
    expect(facts(first(change, options))).toEqual(expected)
  })

  it.each<[string, object, string]>([
    ['failed', { exit_code: 256 }, 'failed'],
    ['at its limit', { exit_code: 35_072, startTime: 1_699_996_460 }, 'timeout'],
    ['killed', { state: 'Error', exit_code: null }, 'failed'],
    ['not known to have failed', { exit_code: null }, 'completed'],
    ['deleted', { state: 'Error', exit_code: null, events: [event('FRAG_JOB_REQUEST', 0)] }, 'cancelled'],
    ['deleted, of the type noop', { exit_code: null, events: [event('FRAG_JOB_REQUEST', 0)] }, 'cancelled'],
    ['at its limit, of the type noop', { exit_code: null, walltime: 3600, events: [event('FRAG_JOB_REQUEST', 0), event('WALLTIME', 0)] }, 'timeout'],
    ['well ended, with more walltime asked for', { events: [event('WALLTIME', 0)] }, 'completed'],
    ['killed for a job that is not besteffort', { exit_code: null, events: [event('BESTEFFORT_KILL', 0), event('FRAG_JOB_REQUEST', 0)] }, 'preempted'],
  ])('says that a job was %s', (_, change, status) => {
    expect(first(change).recorded!.status).toBe(status)
  })

  it.each<[string, object[], number, string]>([
    ['between hold and resumption, whatever their order', [event('RESUME_JOB', 1000), event('HOLD_RUNNING_JOB', 100)], 2700, 'completed'],
    ['until it was deleted', [event('HOLD_RUNNING_JOB', 3000), event('FRAG_JOB_REQUEST', 3600)], 3000, 'cancelled'],
    ['not, if only its wait was', [event('HOLD_WAITING_JOB', -50), event('RESUME_JOB', -10)], 3600, 'completed'],
  ])('does not count the time for which a job was suspended, %s', (_, events, duration, status) => {
    const { stages, recorded } = first({ events, ...(status === 'cancelled' && { state: 'Error', exit_code: null }) })
    expect([stages[0]!.duration, recorded!.status]).toEqual([duration, status])
  })

  it.each<[string, object, object, unknown]>([
    ['on the resources of its message, for the walltime that it asked for', {}, {}, [1, { procs: 8 }, 7200]],
    ['for its walltime, once it has one', { walltime: 3600 }, {}, [1, { procs: 8 }, 3600]],
    ['not from the start of its reservation', { reservation: 'Scheduled', startTime: 1_700_009_000 }, {}, [1, { procs: 8 }, 7200]],
    ['on the cores of its request, where the message does not say', { message: 'FIFO scheduling OK' }, {}, [1, { procs: 8 }, 7200]],
    ['on the cores of a level', { message: 'FIFO scheduling OK', wanted_resources: '-l "{type = \'default\'}/host=2/cpu=1+{type = \'default\'}/core=3,walltime=0:30:5" ' }, { levels: { cpu: 16 } }, [1, { procs: 35 }, 1805]],
    ['with a task per node', {}, { tasks: 'node' }, [2, { procs: 4 }, 7200]],
  ])('runs a job that waits, with pending: estimate, %s', (_, change, options, expected) => {
    const { stages, recorded } = [...jobsOf(read(text(waiting(change)), { pending: 'estimate', ...options }))][0]!
    expect([stages[0]!.tasks, stages[0]!.demand, stages[0]!.duration]).toEqual(expected)
    expect(recorded).toEqual({ status: 'pending' })
  })

  it('leaves out what waits and is held, or asks for a level of unknown size', () => {
    const asks = (Job_Id: number, level: string) => waiting({ Job_Id, message: 'FIFO scheduling OK', wanted_resources: `-l "/${level},walltime=2:0:0" ` })
    const { report, jobs: left } = read(text(job(), waiting({ Job_Id: 102, state: 'Hold' }), asks(103, 'host=2'), asks(104, 'cpu=2')), { pending: 'estimate' })
    expect([left, report.rules!.map(({ rule, jobs: count }) => [rule, count])]).toEqual([1, [['neverStarted', 1], ['pending', 2], ['nodesAlone', 1], ['noProcs', 1]]])
  })

  it('keeps the jobs that others wait for', () => {
    const log = text(job(), waiting({ Job_Id: 102, dependencies: [101] }), waiting({ Job_Id: 103, dependencies: [101, 102] }))
    const after = (options: object) => [...jobsOf(read(log, { pending: 'estimate', ...options }))].slice(1).map((each) => each.after ?? each.afterAll)
    expect(after({ dependencies: 'keep' })).toEqual(['101', [{ job: '101' }, { job: '102' }]])
    expect(after({})).toEqual([undefined, undefined])
  })

  it('leaves out, counted, what waits, what runs within a container and what runs still, and tells of advance reservations', () => {
    const jobs = [job({ reservation: 'Scheduled' }), job({ Job_Id: 1, state: 'Waiting', startTime: 0, stopTime: 0 }), job({ Job_Id: 4, state: 'Waiting', reservation: 'Scheduled', stopTime: 0 }), job({ Job_Id: 2, types: ['inner=101'] }), job({ Job_Id: 3, state: 'Running', stopTime: 0 })]
    const trace = read(text(...jobs))
    expect(trace.report.rules!.map(({ rule, jobs: count }) => [rule, count])).toEqual([['steps', 1], ['neverStarted', 2], ['reservations', 1], ['unknownRuntime', 1]])
    expect(trace.jobs).toBe(1)
  })

  it('names the field that is bad, and drops such jobs where it is told to', () => {
    const log = text(job(), job({ Job_Id: 102, submissionTime: 'x' }))
    expect(messageOf(() => read(log))).toMatch(/^"jobs.json" line \d+ 102\.submissionTime: in the object that begins on line 1: found "x", expected a number of at least 0/)
    const bad = (Job_Id: number) => job({ Job_Id, submissionTime: 'x' })
    const { jobs, report } = read(text(job(), bad(102), bad(103), bad(104)), {}, { onBadLine: 'skip' })
    expect([jobs, report.skipped, report.rules!.map(({ rule, jobs: count }) => [rule, count])]).toEqual([1, 1, [['bad', 2]]])
    expect(messageOf(() => read(JSON.stringify({ Job_Id: 1, submissionTime: 3 })))).toContain('line 1 stopTime: is missing. Print jobs with `oarstat -f -J`, with all their fields')
    expect(messageOf(() => read('{"1": {"submissionTime": 3}}', {}, { format: 'oar' }))).toContain('line 1 Job_Id: is missing. Print jobs with `oarstat -f -J`')
  })
})
