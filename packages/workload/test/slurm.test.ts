import type { JobSpec } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describe as summaryOf, detectFormatOf, jobsOf, parseTrace, streamJobs, writeWorkload, type ParseOptions, type Trace } from '../src/index.js'
import { openTrace } from '../src/node/index.js'
import { gresGpus, requestedMemory, tresGpus } from '../src/slurm/amounts.js'
import { splitCsv } from '../src/slurm/csv.js'
import { sacctFormat } from '../src/slurm/sacct.js'
import { instant, timeSpan } from '../src/slurm/times.js'
import { LineDecoder } from '../src/trace/line-decoder.js'
import { bytesOf, messageOf } from './reading.js'
import { realTrace } from './traces.js'

const columns = [
  'JobID', 'JobIDRaw', 'User', 'Group', 'Account', 'Partition', 'QOS', 'Priority', 'Submit', 'Start', 'End', 'Elapsed', 'Timelimit', 'State', 'NNodes',
  'ReqCPUS', 'NCPUS', 'ReqMem', 'AllocTRES',
] as const
type Record = Partial<{ readonly [C in (typeof columns)[number]]: string }>
const header = columns.join('|')

/** A job that waited 60 s and ran an hour of its two on 32 processors of 2 nodes, changed in some columns. */
const record = (change: Record = {}) => {
  const usual: Record = {
    JobID: '101', JobIDRaw: '101', User: 'ada', Group: 'math', Account: 'proj', Partition: 'main', QOS: 'normal', Priority: '500',
    Submit: '2024-01-31T10:00:00', Start: '2024-01-31T10:01:00', End: '2024-01-31T11:01:00', Elapsed: '01:00:00', Timelimit: '02:00:00', State: 'COMPLETED',
    NNodes: '2', ReqCPUS: '30', NCPUS: '32', ReqMem: '64G', AllocTRES: 'billing=32,cpu=32,gres/gpu=4,mem=64G,node=2',
  }
  return columns.map((column) => change[column] ?? usual[column]).join('|')
}
const table = (...records: Record[]) => [header, ...records.map(record)].join('\n')
const read = (text: string, options: object = {}, more: ParseOptions = {}) => parseTrace(bytesOf(text), { file: 's.txt', options, ...more })
const jobs = (text: string, options?: object) => [...jobsOf(read(text, options))]
const first = (change: Record, options?: object) => jobs(table(change, { JobID: '999' }), options)[0]!

/** But for what is told of GPUs, which the usual job held and is not asked to. */
const notesOf = (trace: Trace) => trace.report.notes?.filter((note) => !note.endsWith('(noGpus)'))

describe('sacct', () => {
  it.each([',', ';', '\t'])('may have separated its fields by %j; in CSV some stand in quotes', (separator) => {
    const head = ['JobID', 'Submit', 'Start', 'End', 'NCPUS', 'State', 'AllocTRES']
    const fields = ['7', '2024-01-31T10:00:00', '2024-01-31T10:00:10', '2024-01-31T10:01:10', '4', 'CANCELLED by 1', separator === ',' ? '"cpu=4,mem=8G"' : 'cpu=4,mem=8G']
    const text = [head, fields].map((each) => each.join(separator)).join('\n')
    expect([read(text).format, ...jobs(text, { memory: 'requested' })]).toEqual(['sacct', {
      id: '7', submit: 0, estimate: 60, recorded: { wait: 10, status: 'cancelled' }, stages: [{ name: 'job', tasks: 1, demand: { procs: 4, mem: 8192 }, duration: 60 }],
    }])
    expect(messageOf(() => read(`${text}\n8${separator}9`))).toContain(`found 2 columns, the header has 7. A name may hold a ${JSON.stringify(separator)}: leave JobName`)
  })

  it('leaves out a job that was cancelled while it waited, also where it is said to have the processors it asked for', () => {
    const cancelled: Record = { State: 'CANCELLED by 1000', Start: '2024-01-31T10:05:00', End: '2024-01-31T10:05:00', Elapsed: '00:00:00', AllocTRES: '' }
    const notes = (change: Record) => notesOf(read(table(change, { JobID: '102' })))
    expect(notes(cancelled)).toContain('1 job that never started: left out (neverStarted)')
    expect(notes({ ...cancelled, AllocTRES: 'cpu=32,node=2' })).toContain('1 job of run time 0: kept (zeroRuntime)')
    expect(notes({ ...cancelled, Elapsed: '00:00:01', End: '2024-01-31T10:05:01' })!.join()).not.toContain('neverStarted')
    const text = 'JobID|Submit|Start|End|Elapsed|NCPUS|State|NodeList\n1|1|5|5|00:00:00|8|CANCELLED by 1|None assigned\n2|1|5|5|00:00:00|8|CANCELLED by 1|n1\n'
    expect(jobs(text).map(({ id }) => id)).toEqual(['2'])
    // a job that no node can take fails as it is submitted, and is said to have what it asked for (Slurm 22.05)
    const failed = 'JobID|Submit|Start|End|ElapsedRaw|NCPUS|State|NodeList|AllocTRES\n1|1|5|5|0|8|FAILED|None assigned|cpu=8,node=1\n2|1|5|5|0|8|FAILED|n1|cpu=8,node=1\n'
    expect(jobs(failed).map(({ id }) => id)).toEqual(['2'])
  })

  it('reads jobs of which only the nodes are told, below comments of who made the table', () => {
    const text = '# zone: UTC\n# by ada\nJobID|Submit|Start|End|ReqNodes|Timelimit|\n7|2024-01-31T10:00|2024-01-31T10:05|2024-01-31T11:05|12|02:00:00\n'
    expect([read(text, { unit: 'nodes' }).format, ...jobs(text, { unit: 'nodes' })]).toEqual(['sacct', {
      id: '7', submit: 0, estimate: 7200, recorded: { wait: 300 }, stages: [{ name: 'job', tasks: 1, demand: { nodes: 12 }, duration: 3600 }],
    }])
    expect(messageOf(() => read(`${text}8|x`))).toContain('line 5')
  })

  it('rounds the parts of nodes up, and tells of how many jobs', () => {
    const found = read(table({ NNodes: '4' }, { JobID: '102', NNodes: '', AllocTRES: '' }, { JobID: '103', NNodes: '3' }), { tasks: 'node' })
    expect([...jobsOf(found)].map(({ stages }) => [stages[0]!.tasks, stages[0]!.demand])).toEqual([[4, { procs: 8 }], [1, { procs: 30 }], [3, { procs: 10 }]])
    expect(found.report.notes?.slice(-2)).toEqual([
      '1 job whose processors, memory or GPUs cannot be divided evenly among their nodes: parts rounded up (uneven)', '1 job without a number of nodes: on one node (onOne)',
    ])
    expect(messageOf(() => read(table({}), { tasks: 'each', gpuDemand: true }))).toContain('Leave tasks at "one", or gpus out. For records that tell the nodes of jobs, of Slurm, PBS and LSF, tasks "node" shares them out.')
  })

  it('gives a task with all its processors, times from the first submission, and what was recorded', () => {
    expect(jobs(table({}))[0]).toEqual({
      id: '101', submit: 0, user: 'ada', queue: 'main', group: 'math', account: 'proj', partition: 'main', qos: 'normal', priority: 500, estimate: 7200,
      recorded: { wait: 60, status: 'completed' },
      stages: [{ name: 'job', tasks: 1, demand: { procs: 30 }, duration: 3600 }],
    })
  })

  it.each<[string, Record, object, (job: JobSpec) => unknown, unknown]>([
    ['processors it was given', {}, { processors: 'allocated' }, ({ stages }) => stages[0]!.demand, { procs: 32 }],
    ['processors it was given where none are requested', { ReqCPUS: '' }, {}, ({ stages }) => stages[0]!.demand, { procs: 32 }],
    ['nodes in units of 1024, as up to Slurm 15', { NNodes: '2K' }, { unit: 'nodes' }, ({ stages }) => stages[0]!.demand, { nodes: 2048 }],
    ['a task per node', {}, { unit: 'nodes', tasks: 'each' }, ({ stages }) => stages[0]!, { name: 'job', tasks: 2, gang: true, demand: { nodes: 1 }, duration: 3600 }],
    ['its part on each of its nodes', {}, { tasks: 'node', memory: 'requested', gpuDemand: true }, ({ stages }) => stages, [{ name: 'job', tasks: 2, gang: true, demand: { procs: 15, mem: 32_768, gpus: 2 }, duration: 3600 }]],
    ['all on the only node', { NNodes: '1' }, { tasks: 'node', gpuDemand: true }, ({ stages }) => stages, [{ name: 'job', tasks: 1, demand: { procs: 30, gpus: 4 }, duration: 3600 }]],
    ['a node per processor at most', { NNodes: '64' }, { tasks: 'node' }, ({ stages }) => [stages[0]!.tasks, stages[0]!.demand], [30, { procs: 1 }]],
    ['whole nodes', {}, { unit: 'nodes' }, ({ stages }) => stages[0]!.demand, { nodes: 2 }],
    ['memory of the job', {}, { memory: 'requested' }, ({ stages }) => stages[0]!.demand, { procs: 30, mem: 65_536 }],
    ['memory per node', { AllocTRES: '', ReqMem: '4Gn' }, { memory: 'requested' }, ({ stages }) => stages[0]!.demand, { procs: 30, mem: 8192 }],
    ['memory per processor of a record of Slurm 16.05 that a later one prints', { AllocTRES: '', ReqMem: '2147487648Mn' }, { memory: 'requested' }, ({ stages }) => stages[0]!.demand, { procs: 30, mem: 120_000 }],
    ['memory per processor of a record of Slurm 15, which has it once in AllocTRES', { AllocTRES: 'cpu=32,mem=2000M,node=2', ReqMem: '2000Mc' }, { memory: 'requested' }, ({ stages }) => stages[0]!.demand, { procs: 30, mem: 60_000 }],
    ['memory per processor', { AllocTRES: '', ReqMem: '2000Mc' }, { memory: 'requested' }, ({ stages }) => stages[0]!.demand, { procs: 30, mem: 60_000 }],
    ['GPUs', {}, { gpuDemand: true }, ({ stages }) => stages[0]!.demand, { procs: 30, gpus: 4 }],
    ['another queue', {}, { queue: 'account' }, ({ queue }) => queue, 'proj'],
    ['its quality of service as queue', {}, { queue: 'qos' }, ({ queue }) => queue, 'normal'],
    ['no limit', { Timelimit: 'UNLIMITED' }, { missingEstimate: 'unknown' }, ({ estimate }) => estimate, undefined],
    ['the limit of its partition', { Timelimit: 'Partition_Limit' }, {}, ({ estimate }) => estimate, 3600],
    ['a limit of days', { Timelimit: '1-12:00:00' }, {}, ({ estimate }) => estimate, 129_600],
    ['a run beyond its limit', { Timelimit: '00:59:30', State: 'TIMEOUT' }, {}, ({ stages, recorded }) => [stages[0]!.duration, recorded], [3570, { wait: 60, runtime: 3600, status: 'timeout' }]],
    ['a run beyond its limit, kept', { Timelimit: '00:59:30' }, { overrun: 'keep' }, ({ stages }) => stages[0]!.duration, 3600],
    ['a cancelled run', { State: 'CANCELLED by 1234' }, {}, ({ recorded }) => recorded!.status, 'cancelled'],
    ['run time 0', { Elapsed: '00:00:00', End: '2024-01-31T10:01:00' }, { zeroRuntime: 1 }, ({ stages }) => stages[0]!.duration, 1],
    ['a task of an array', { JobID: '101_7' }, {}, ({ id }) => id, '101_7'],
    ['a job that still waits, if asked to', { Start: '2024-01-31T18:00:00', End: 'Unknown', State: 'PENDING', Elapsed: '00:00:00' }, { pending: 'estimate' }, ({ stages, recorded, estimate }) => [stages[0]!.duration, estimate, recorded], [7200, 7200, { status: 'pending' }]],
    ['no elapsed time', { Elapsed: '' }, {}, ({ stages }) => stages[0]!.duration, 3600],
  ])('reads %s', (_, change, options, facts, expected) => {
    expect(facts(first(change, options))).toEqual(expected)
  })

  it('counts jobs that still wait and are read', () => {
    const { report } = read(table({ Start: 'Unknown', End: 'Unknown', State: 'PENDING' }), { pending: 'estimate' })
    expect(report.rules).toContainEqual(expect.objectContaining({ rule: 'pending', jobs: 1 }))
  })

  it('reads a job that may run in several partitions as one of the first of them', () => {
    const { report } = read(table({ Partition: 'short,main' }, { JobID: '102' }))
    expect(report.notes).toContain('1 job that may run in several partitions (--partition=short,long): in the first of them (partitions)')
    expect(jobs(table({ Partition: 'short,main' }, { JobID: '102' })).map(({ queue, partition }) => [queue, partition])).toEqual([['short', 'short'], ['main', 'main']])
    expect(jobs(table({ Partition: 'short,main' }), { queue: 'account' }).map(({ queue, partition }) => [queue, partition])).toEqual([['proj', 'short']])
  })

  it('reads tasks of an array that wait, for all of which there is one record', () => {
    const waits = { Start: 'Unknown', End: 'Unknown', State: 'PENDING' }
    const ids = (JobID: string, change: Record = waits) => jobs(table({ ...change, JobID }, { JobID: '999' }), { pending: 'estimate' }).map(({ id }) => id)
    expect(ids('7_[4-6,9%2]')).toEqual(['7_4', '7_5', '7_6', '7_9', '999'])
    expect(ids('7_[0-20:10]')).toEqual(['7_0', '7_10', '7_20', '999'])
    expect(ids('7_[3]', {})).toEqual(['7_[3]', '999'])
    expect(ids('7_[1,3,5,...]')).toEqual(['7_[1,3,5,...]', '999'])
    const arrays = jobs(table({ ...waits, JobID: '7_[4-5]' }, { JobID: '7_3' }, { JobID: '8' }, { JobID: '9+0' }), { pending: 'estimate' }).map(({ id, array }) => [id, array])
    expect(arrays).toEqual([['7_4', '7'], ['7_5', '7'], ['7_3', '7'], ['8', undefined], ['9+0', undefined]])
    const trace = read(table({ ...waits, JobID: '7_[4-5]' }, { ...waits, JobID: '8_[1-2,...' }), { pending: 'estimate', procs: 64 })
    expect(notesOf(trace)).toEqual([
      '3 jobs that still wait: run as long as the limit says (pending)',
      '2 jobs that are tasks of a waiting array, which has one record for all (waitingTasks)',
      '1 job that stand for a waiting array whose record does not list all tasks: one job each (cutArrays)',
    ])
    expect(messageOf(() => read(table({ ...waits, JobID: '7_[1-99999999]' })))).toContain('more tasks than an array may have')
  })

  it('tells how many tasks of an array may run at once, also of those above the record that says so', () => {
    const waits = { Start: 'Unknown', End: 'Unknown', State: 'PENDING' }
    const told = (text: string, options: object = {}) => jobs(text, options).map(({ id, arrayThrottle }) => [id, arrayThrottle])
    const text = table({ JobID: '7_0' }, { JobID: '8_0' }, { ...waits, JobID: '7_[4-5%2]' }, { JobID: '7_1' })
    expect(told(text, { pending: 'estimate' })).toEqual([['7_0', 2], ['8_0', undefined], ['7_4', 2], ['7_5', 2], ['7_1', 2]])
    expect(told(text)).toEqual([['7_0', 2], ['8_0', undefined], ['7_1', 2]])
    expect(read(text).report.rules).toContainEqual(expect.objectContaining({ rule: 'arrayThrottles', jobs: 2 }))
    const lines = (...commands: string[]) => [`${header}|SubmitLine`, ...commands.map((command, i) => `${record({ JobID: `${i}_1` })}|${command}`), `${record({ JobID: '99' })}|sbatch --array=1-3%5 x`].join('\n')
    expect(told(lines('sbatch --array=0-99%4 job.sh', 'sbatch -a 1,3%2 job.sh', 'sbatch -a1-9:2%3 x', 'sbatch --array 0-9 x', 'sbatch x --array-size=3%4', 'sbatch -a 1-5%0 x'))).toEqual([
      ['0_1', 4], ['1_1', 2], ['2_1', 3], ['3_1', undefined], ['4_1', undefined], ['5_1', undefined], ['99', undefined],
    ])
  })

  it.each<[string, Record, object, string]>([
    ['steps', { JobID: '101.batch' }, {}, '1 step of a job: left out (steps)'],
    ['jobs that never started', { Start: 'Unknown', End: 'Unknown', State: 'PENDING' }, {}, '1 job that never started: left out (neverStarted)'],
    ['jobs that still wait, without a limit', { Start: 'Unknown', End: 'Unknown', State: 'PENDING', Timelimit: 'UNLIMITED' }, { pending: 'estimate' }, '1 job that never started: left out (neverStarted)'],
    ['jobs cancelled in the queue', { Start: 'None', State: 'CANCELLED' }, {}, '1 job that never started: left out (neverStarted)'],
    ['jobs that still run', { End: 'Unknown', State: 'RUNNING' }, {}, '1 job of unknown run time: left out (unknownRuntime)'],
    ['other states', { State: 'FAILED' }, { status: ['completed'] }, '1 job of a status other than completed: left out (status)'],
    ['jobs without submit time', { Submit: 'Unknown' }, {}, '1 job without submit time: left out (submit)'],
    ['wide jobs', { ReqCPUS: '64' }, { wide: 'skip', procs: 40 }, '1 job wider than the machine: left out (wide)'],
  ])('leaves out %s, counted', (_, change, options, note) => {
    const trace = read(table(change, { JobID: '999' }), { procs: 100, ...options })
    expect([...jobsOf(trace)].map(({ id }) => id)).toEqual(['999'])
    expect(notesOf(trace)).toEqual([note])
  })

  it('takes CPU counts and nodes from trackable resources where they have no column, minutes and seconds from raw columns', () => {
    const text = [
      'JobIDRaw|Submit|Start|End|ElapsedRaw|TimelimitRaw|State|AllocTRES|', '7|1730212549|1730212550|1730212650|100|144|COMPLETED|cpu=40,mem=10G,node=3,gres/gpu:a100=2,gres/gpu:v100=1|',
    ].join('\n')
    expect(jobs(text, { gpuDemand: true })[0]).toMatchObject({ id: '7', submit: 0, estimate: 8640, stages: [{ demand: { procs: 40, gpus: 3 }, duration: 100 }] })
    expect(jobs(text, { unit: 'nodes' })[0]!.stages[0]!.demand).toEqual({ nodes: 3 })
  })

  it('ends a job its run time after its start where the table has no ends, unless it goes on', () => {
    const text = 'JobID|Submit|Start|Elapsed|ReqCPUS|State\n5|100|110|00:01:10|8|COMPLETED\n6|105|Unknown|00:00:00|8|CANCELLED by 3\n7|120|130|00:00:20|2|RUNNING\n'
    expect(jobs(text)).toMatchObject([{ id: '5', recorded: { wait: 10 }, stages: [{ duration: 70 }] }])
    expect(read(text).report.notes!.slice(1)).toEqual(['1 job that never started: left out (neverStarted)', '1 job of unknown run time: left out (unknownRuntime)', '1 job without estimate: estimated at their run time (missingEstimate)'])
  })

  it('reads the licences of jobs among their TRES, or where sacct prints them', () => {
    const licenses = (Licenses: string, ReqTRES: string) => jobs(`JobID|Submit|Start|End|NCPUS|Licenses|ReqTRES\n7|1700000000|1700000010|1700000100|8|${Licenses}|${ReqTRES}`)[0]!.licenses
    expect(licenses('', 'cpu=8,license/fluent=2,license/mat.lab=1')).toEqual({ fluent: 2, 'mat.lab': 1 })
    expect(licenses('fluent:2,matlab', 'cpu=8')).toEqual({ fluent: 2, matlab: 1 })
    expect(licenses('fluent:2,matlab,fluent', '')).toEqual({ fluent: 3, matlab: 1 }) // Slurm adds up what is said twice
    expect(licenses('', 'cpu=8,license/fluent=0')).toBeUndefined()
    expect(read('JobID|Submit|Start|End|NCPUS|ReqTRES\n7|1700000000|1700000010|1700000100|8|license/a=1').report.notes).toContain('1 job with licences: only policies that limit licences count them (licenses)')
  })

  it.each([['gpu:2', 2], ['gpu:k80:3', 3], ['gpu', 1], ['gpu:a100', 1], ['gres:gpu:4', 4], ['craynetwork:1,gpu:tesla:2,gpu:1', 3], ['gpu_mem:20,mps:100', 0], ['gpu:0', 0], ['', 0]])('counts the GPUs of generic resources, as Slurm wrote them before those were trackable: %j', (gres, gpus) => {
    expect(gresGpus(gres)).toBe(gpus)
    const text = (column: string) => `JobID|Submit|Start|End|NCPUS|${column}\n5|100|110|170|8|${gres}\n`
    for (const column of ['AllocGRES', 'ReqGRES']) expect(jobs(text(column), { gpuDemand: true })[0]!.stages[0]!.demand).toEqual({ procs: 8, ...(gpus > 0 && { gpus }) })
  })

  it('tells where jobs should ask for GPUs and the table has none', () => {
    const text = 'JobID|Submit|Start|End|NCPUS\n5|100|110|170|8\n6|120|130|170|8\n'
    expect(read(text, { gpuDemand: true }).report.notes).toContain('2 jobs without GPUs, and none with: AllocTRES or ReqTRES tells them (gpus)')
    expect(read(text, { gpuDemand: true }).report.notes!.join()).not.toContain('gpus of the machine')
    expect(read(text, { gpuDemand: true }).machine!.resources).toEqual(read(text).machine!.resources)
    expect(read(text, { gpuDemand: true, gpus: 4 }).machine!.resources).toMatchObject({ gpus: 4 })
    expect(read(text).report.notes!.join()).not.toContain('GPUs')
    expect(read(table({}, { JobID: '102', AllocTRES: 'cpu=4' }), { gpuDemand: true }).report.notes!.join()).not.toContain('GPUs')
  })

  it('sorts by submit time, equal ones as they stand, and says so', () => {
    const trace = read(table({ JobID: '3', Submit: '2024-01-31T10:00:30' }, { JobID: '1' }, { JobID: '2' }))
    expect([...jobsOf(trace)].map(({ id, submit }) => [id, submit])).toEqual([['1', 0], ['2', 0], ['3', 30]])
    expect(trace.report.rules!.find(({ rule }) => rule === 'sorted')!.jobs).toBe(1)
  })

  it('infers the machine from what ran at once, and says so, unless told', () => {
    const text = table({ JobID: '1' }, { JobID: '2' })
    expect(read(text).machine!.resources).toEqual({ procs: 60 })
    expect(notesOf(read(text))).toEqual(['procs of the machine: 60, inferred, the log does not say how many: up to 60 are recorded in use at once; give procs if that is wrong'])
    expect(read(text, { procs: 128, memory: 'requested', mem: 1_000_000 }).machine).toMatchObject({ procs: 128, resources: { procs: 128, mem: 1_000_000 } })
  })

  it('has every run of a requeued job, and the tasks of arrays; what still waits has none', () => {
    const again = { Submit: '2024-01-31T12:00:00', Start: '2024-01-31T12:01:00', End: '2024-01-31T13:01:00' }
    const trace = read(table({ State: 'NODE_FAIL' }, again, { JobID: '7_1' }, { JobID: '7_[2-9%2]', Start: 'Unknown', End: 'Unknown', NCPUS: '0' }))
    expect([...jobsOf(trace)].map(({ id }) => id)).toEqual(['101', '7_1', '101#2'])
    expect(trace.report.notes).toContain('1 job with the id of one above, requeued: called <id>#2, <id>#3, ... (repeated)')
  })

  it('knows how few switches jobs wait for, each part of a heterogeneous job for itself', () => {
    const asked = (command: string, JobID = '1') => jobs(`${header}|SubmitLine\n${record({ JobID })}|${command}`)[0]?.topology
    expect(['sbatch --switches=1 a', 'sbatch --switches 2@10 a', 'sbatch --switches=1@1:30 a', 'sbatch --switches=1@2-3 a', 'sbatch --switches=1@2-3:04 a', 'sbatch --switches=1@1-00:00:05 a'].map((command) => asked(command))).toEqual([
      { racks: 1 }, { racks: 2, wait: 600 }, { racks: 1, wait: 90 }, { racks: 1, wait: 51 * 3600 }, { racks: 1, wait: 51 * 3600 + 240 }, { racks: 1, wait: 86_405 },
    ])
    expect(['sbatch a', 'sbatch --switches=0 a', 'sbatch --wrap=x --switches=1'].map((command) => asked(command))).toEqual([undefined, undefined, undefined])
    expect(['sbatch -N8 --segment=4 a', 'sbatch --segment 2 --switches=1@10 a', 'sbatch --segment=0 a'].map((command) => asked(command))).toEqual([{ segment: 4 }, { racks: 1, segment: 2, wait: 600 }, undefined])
    const parts = ['7+0', '7+1'].map((JobID) => `${record({ JobID })}|sbatch -N2 : --switches=1 -N4 a`)
    expect(jobs([`${header}|SubmitLine`, ...parts].join('\n')).map(({ topology, stages }) => [topology, stages.map((stage) => stage.topology)])).toEqual([[undefined, [undefined, { racks: 1 }]]])
    expect(read(`${header}|SubmitLine\n${record()}|sbatch --switches=1 a`).report.rules!.find(({ rule }) => rule === 'switches')?.jobs).toBe(1)
    expect(read(`${header}|SubmitLine\n${record()}|sbatch --segment=2 a`).report.rules!.filter(({ rule }) => ['switches', 'segments'].includes(rule))).toMatchObject([{ rule: 'segments', jobs: 1 }])
  })

  describe('of jobs with --exclusive', () => {
    const commands = ['sbatch --exclusive -N2 job.sh', 'sbatch -N2 job.sh', 'sbatch --exclusive=user job.sh', 'sbatch -n4 --wrap=srun --exclusive -n1 step.sh', 'sbatch --exclusive=mcs job.sh']
    const log = [`${header}|SubmitLine`, ...commands.map((command, i) => `${record({ JobID: String(i) })}|${command}`)].join('\n')

    it('asks for what they were given, all of their nodes, and says that they share none', () => {
      expect(jobs(log, { tasks: 'node' }).map(({ exclusive, stages }) => [exclusive, stages[0]!.demand['procs']])).toEqual([
        [true, 16], [undefined, 15], ['user', 15], [undefined, 15], [undefined, 15],
      ])
    })

    it('tells of how many, and of those that share their nodes with other jobs of their user', () => {
      expect(read(log).report.rules!.filter(({ rule }) => /exclusive/.test(rule)).map(({ rule, jobs: count }) => [rule, count])).toEqual([['exclusive', 1], ['exclusiveUser', 1]])
    })
  })

  describe('of jobs that depend on others', () => {
    // an hour each; what is not said of a job is as of the usual one, submitted at 10:00 and started at 10:01
    const withCommands = (...rows: (Record & { readonly Eligible?: string; readonly SubmitLine?: string; readonly JobName?: string })[]) =>
      [`${header}|Eligible|SubmitLine|JobName`, ...rows.map(({ Eligible = '', SubmitLine = 'sbatch a.sh', JobName = '', ...change }) => `${record(change)}|${Eligible}|${SubmitLine}|${JobName}`)].join('\n')
    const end = (time: string): Record => ({ Start: `2024-01-31T${time}:00`, End: `2024-01-31T${time.replace(/^../, (hour) => String(Number(hour) + 1))}:00` })
    const after = (...rows: Parameters<typeof withCommands>) => jobs(withCommands(...rows), { dependencies: 'keep' }).map(({ id, after: other }) => [id, other])
    const needs = (JobID: string, dependency: string) => ({ JobID, SubmitLine: `sbatch --dependency=${dependency} a.sh` })

    it('wait for the ends of all, of the task of an array that ended last or that of their own number', () => {
      const above = [{ JobID: '1', ...end('12:00') }, { JobID: '2', ...end('11:00') }, { JobID: '3_1', ...end('15:00') }, { JobID: '3_2', ...end('14:00') }]
      const kept = [needs('10', 'afterok:1:2'), needs('11', 'afterany:2,afternotok:1'), needs('12', 'afterok:3'), needs('13', 'afterok:3_2'), needs('14_2', 'aftercorr:3'), { JobID: '15', SubmitLine: 'sbatch -d afterok:2 a.sh' }]
      const whole = jobs(withCommands(...above, ...kept), { dependencies: 'keep' }).slice(4)
      expect(whole.map(({ id, after: other, afterAll }) => [id, other ?? afterAll?.map(({ job }) => job)])).toEqual([['10', ['1', '2']], ['11', ['2', '1']], ['12', '3_1'], ['13', '3_2'], ['14_2', '3_2'], ['15', '2']])
    })

    it('wait for a heterogeneous job as a whole, and for the last run of one that was requeued', () => {
      const again = { Submit: '2024-01-31T11:00:00', ...end('16:00') }
      expect(after({ JobID: '8+0' }, { JobID: '8+1' }, { JobID: '9' }, { JobID: '9', ...again }, { ...needs('10', 'afterok:8'), Submit: again.Submit, ...end('17:00') }, { ...needs('11', 'afterok:9'), Submit: again.Submit, ...end('18:00') }).slice(-2))
        .toEqual([['10', '8'], ['11', '9#2']])
    })

    it('wait for the part of a heterogeneous job beside which no other is read', () => {
      expect(after({ JobID: '8+0' }, needs('9+0', 'afterok:8'), needs('9+1', 'afterok:8'), needs('10', 'afterok:9'))).toEqual([['8+0', undefined], ['9', '8+0'], ['10', '9']])
    })

    const waits = (...rows: Parameters<typeof withCommands>) => jobs(withCommands(...rows), { dependencies: 'keep' }).map(({ id, afterAll, afterAny }) => [id, ...(afterAll ?? []), ...(afterAny === undefined ? [] : ['?', ...afterAny])])

    it('wait for starts, and so many minutes more; of an array for the task that started last', () => {
      const above = [{ JobID: '1', ...end('12:00') }, { JobID: '2_1', ...end('11:00') }, { JobID: '2_2', ...end('10:30') }]
      const log = withCommands(...above, needs('3', 'after:1+30'), needs('4', 'after:1:2,afterok:2_2'), { ...needs('5', 'after:1+30'), ...end('13:00') })
      const read = jobs(log, { dependencies: 'keep' }).slice(3)
      expect(read.map(({ afterAll }) => afterAll)).toEqual([
        [{ job: '1', on: 'start', think: 1800 }],
        [{ job: '1', on: 'start' }, { job: '2_1', on: 'start' }, { job: '2_2' }],
        [{ job: '1', on: 'start', think: 1800 }],
      ])
      expect(read[2]!.recorded!.wait).toBe(1800) // from 12:30 to 13:00
    })

    it('wait for the first of several, if all of them are above', () => {
      const log = [{ JobID: '1' }, { JobID: '2' }, needs('3', 'afterok:1?after:2'), needs('4', 'afterany:1:2?afterok:3'), needs('5', 'afterok:1?afterok:9')]
      expect(waits(...log).slice(2)).toEqual([['3', '?', { job: '1' }, { job: '2', on: 'start' }], ['4', '?', { job: '1' }, { job: '2' }, { job: '3' }], ['5']])
    })

    it('count their wait from the first of several that had ended', () => {
      const log = withCommands({ JobID: '1', ...end('11:00') }, { JobID: '2', ...end('15:00') }, { ...needs('3', 'afterok:1?afterok:2'), ...end('12:30') })
      expect(jobs(log, { dependencies: 'keep' })[2]!.recorded!.wait).toBe(1800)
    })

    it('wait for all of their name and user before them, back to the last that did so too', () => {
      const of = (JobID: string, dependency = '', change: Record = {}) => ({ ...(dependency === '' ? { JobID } : needs(JobID, dependency)), JobName: 'train', ...change })
      const log = [of('1'), of('2', '', { User: 'eve' }), { JobID: '3', JobName: 'other' }, of('4'), of('5', 'singleton'), of('6'), of('7', 'singleton,afterok:3'), of('8', 'afterok:3?singleton'), { ...of('9', 'singleton'), JobName: 'first' }]
      expect(waits(...log).slice(4)).toEqual([
        ['5', { job: '1' }, { job: '4' }],
        ['6'],
        ['7', { job: '5' }, { job: '6' }, { job: '3' }],
        ['8', '?', { job: '3' }, { job: '7' }],
        ['9'],
      ])
      const rules = read(withCommands(...log), { dependencies: 'keep' }).report.rules ?? []
      expect(rules.map(({ rule }) => rule)).not.toContain('notFollowed')
    })

    it('come when all of their name have ended, in any log: who has waited for them need not name them again', { tags: 'long' }, () => {
      const draft = fc.record({ runs: fc.integer({ min: 1, max: 9 }), isSingleton: fc.boolean(), JobName: fc.constantFrom('x', 'y') })
      fc.assert(fc.property(fc.array(draft, { minLength: 1, maxLength: 12 }), (drafts) => {
        const log = withCommands(...drafts.map(({ isSingleton, JobName }, i) => ({ ...(isSingleton ? needs(String(i), 'singleton') : { JobID: String(i) }), JobName })))
        const ends: number[] = [] // where all find room
        const named = jobs(log, { dependencies: 'keep' }).map(({ after: one, afterAll = [] }, i) => {
          const from = Math.max(0, ...[...(one === undefined ? [] : [{ job: one }]), ...afterAll].map(({ job }) => ends[Number(job)]!))
          return (ends[i] = from + drafts[i]!.runs)
        })
        const all: number[] = []
        for (const [i, { runs, isSingleton, JobName }] of drafts.entries())
          all.push(runs + Math.max(0, ...(isSingleton ? all.filter((_, earlier) => earlier < i && drafts[earlier]!.JobName === JobName) : [])))
        expect(named).toEqual(all)
      }), { numRuns: 100, seed: 1 })
    })

    it('count for the size of the machine at the time at which they ran', () => {
      const log = withCommands({ JobID: '1', ...end('10:10') }, { ...needs('2', 'afterok:1'), ...end('11:10') }, { ...needs('3', 'afterok:2'), ...end('12:10') })
      expect([{}, { dependencies: 'keep' }].map((options) => read(log, options).machine?.procs)).toEqual([30, 30])
    })

    it('wait for a heterogeneous job as a whole with others, and its parts not for each other', () => {
      const part = (JobID: string) => ({ ...needs(JobID, 'singleton'), JobName: 'x' })
      expect(waits({ JobID: '8+0', JobName: 'x' }, { JobID: '8+1', JobName: 'y' }, { JobID: '9' }, part('10+0'), part('10+1'), needs('11', 'afterok:8:9')).slice(2))
        .toEqual([['10'], ['11', { job: '8' }, { job: '9' }]])
      expect(after({ JobID: '8', JobName: 'x' }, part('10+0'), part('10+1')).at(-1)).toEqual(['10', '8'])
    })

    it('wait for none that is not there, nor of a name that is not told; which is counted', () => {
      const log = [{ JobID: '1' }, needs('2', 'afterok:99'), needs('3', 'after:1'), needs('4', 'afterok:1?afterok:9'), needs('5', 'singleton'), { JobID: '6', SubmitLine: 'sbatch a.sh -d data' }, { JobID: '7', SubmitLine: 'sbatch --wrap=srun --dependency=afterok:1' }]
      expect(after(...log).filter(([, other]) => other !== undefined)).toEqual([])
      const rules = (options: object) => read(withCommands(...log, needs('8', 'afterok:1')), options).report.rules!.filter(({ rule }) => /depend|follow/i.test(rule)).map(({ rule, jobs: count }) => [rule, count])
      expect([rules({}), rules({ dependencies: 'keep' })]).toEqual([[['dependencies', 5]], [['notFollowed', 3]]])
    })

    it('come when they were submitted and not when they became eligible, but never before the other one; waits count from then on', () => {
      const held = { JobID: '1', Eligible: '2024-01-31T12:00:00', ...end('12:10') }
      const next = { ...needs('2', 'afterok:1'), Submit: '2024-01-31T10:30:00', Eligible: '2024-01-31T13:10:00', ...end('13:20') }
      const shown = (options: object) => jobs(withCommands({ JobID: '0' }, held, next), options).slice(1).map(({ id, submit, after: other, recorded }) => [id, submit, other, recorded!.wait])
      expect(shown({ dependencies: 'keep' })).toEqual([['1', 0, undefined, 7800], ['2', 1800, '1', 600]])
      expect(shown({ dependencies: 'keep', submit: 'eligible' })).toEqual([['1', 7200, undefined, 600], ['2', 7200, '1', 600]])
      // where nobody tells when it became eligible, its wait counts from the end of the other one
      const untold = jobs(withCommands({ JobID: '0' }, { ...held, Eligible: '' }, { ...next, Eligible: '' }), { dependencies: 'keep' })
      expect(untold[2]).toMatchObject({ after: '1', recorded: { wait: 600 } })
      expect(shown({ submit: 'eligible' })).toEqual([['1', 7200, undefined, 600], ['2', 11_400, undefined, 600]])
    })
  })

  describe('of jobs that become eligible later', () => {
    // the usual job is submitted at 10:00 and starts at 10:01
    const withEligible = (...rows: (Record & { readonly Eligible: string })[]) =>
      [`${header}|Eligible`, ...rows.map(({ Eligible, ...change }) => `${record(change)}|${Eligible}`)].join('\n')
    const at = (time: string) => `2024-01-31T${time}`
    const log = withEligible(
      { JobID: '1', Eligible: at('10:00:50') },
      { JobID: '2', Start: at('12:00:30'), End: at('13:00:30'), Eligible: at('12:00:00') },
      { JobID: '3', Eligible: 'Unknown' },
      { JobID: '4', Eligible: at('10:01:30') },
    )
    const shown = (options?: object) => jobs(log, options).map(({ id, submit, recorded }) => [id, submit, recorded!.wait])

    it('submits them then where it is told to, and counts their waits from then on', () => {
      expect(shown()).toEqual([['1', 0, 60], ['2', 0, 7230], ['3', 0, 60], ['4', 0, 60]])
      // the time of the last one is after its start, which cannot be
      expect(shown({ submit: 'eligible' })).toEqual([['3', 0, 60], ['4', 0, 60], ['1', 50, 10], ['2', 7200, 30]])
    })

    it('tells of those that waited for more than a minute, and of those whose time is not told', () => {
      const rules = (options?: object) => read(log, options).report.rules!.filter(({ rule }) => /eligible/i.test(rule)).map(({ rule, jobs: count }) => [rule, count])
      expect([rules(), rules({ submit: 'eligible' })]).toEqual([[['eligibleLater', 1]], [['notEligible', 1]]])
    })

    it('keeps the parts of a heterogeneous job together', () => {
      const parts = withEligible({ JobID: '8+0', Eligible: at('10:00:10') }, { JobID: '8+1', Eligible: at('10:00:11') })
      expect(jobs(parts, { submit: 'eligible' }).map(({ id, stages }) => [id, stages.length])).toEqual([['8', 2]])
    })
  })

  describe('of heterogeneous jobs', () => {
    const head = { JobID: '8+0', ReqCPUS: '2', NNodes: '1', Partition: 'cpu' }
    const gpus = { JobID: '8+1', ReqCPUS: '8', Partition: 'gpu', Timelimit: '03:00:00', End: '2024-01-31T10:31:00', Elapsed: '00:30:00', State: 'CANCELLED' }

    it('makes one job that is one gang of the parts, each of which runs for its own time', () => {
      const trace = read(table(head, { JobID: '8+0.batch' }, gpus, { JobID: '9' }), { gpuDemand: true })
      expect([...jobsOf(trace)].map(({ id }) => id)).toEqual(['8', '9'])
      expect([...jobsOf(trace)][0]).toEqual({
        id: '8', submit: 0, user: 'ada', queue: 'cpu', group: 'math', account: 'proj', partition: 'cpu', qos: 'normal', priority: 500, estimate: 10_800, gang: true,
        recorded: { wait: 60, status: 'completed' },
        stages: [{ name: '+0', tasks: 1, gang: true, estimate: 7200, demand: { procs: 2, gpus: 4 }, duration: 3600 }, { name: '+1', tasks: 1, gang: true, partition: 'gpu', demand: { procs: 8, gpus: 4 }, duration: 1800 }],
      })
      expect(trace.report.notes).toContain('1 job made of the parts of a heterogeneous one (<id>+0, <id>+1, ...), which start together; hetjobs: apart makes each part a job (hetJobs)')
      expect(trace.report.notes).toContain('1 job with parts in several queues: in that of the first; on nodes of their own partitions if a slurm.conf names these (hetQueues)')
      expect(read(table(head, { ...gpus, Partition: 'cpu' })).report.notes!.join()).not.toContain('hetQueues')
    })

    it('counts the parts together in what the machine must have', () => {
      const requested = (...records: Record[]) => read(table(...records)).machine!.resources
      expect(requested(head, gpus)).toEqual({ procs: 10 })
      expect(requested(head, gpus, { JobID: '9', ReqCPUS: '5', Start: '2024-01-31T10:31:00' })).toEqual({ procs: 10 }) // 8 of them have ended then, 2 + 5 are held
      const waits = { Start: 'Unknown', End: 'Unknown', State: 'PENDING' }
      expect(read(table({ ...head, ...waits }, { ...gpus, ...waits }), { pending: 'estimate' }).machine!.resources).toEqual({ procs: 10 })
    })

    it('leaves parts apart where it is told to, and one of which no other is read', () => {
      const ids = (text: string, options?: object) => jobs(text, options).map(({ id, gang }) => [id, gang])
      expect(ids(table(head, gpus), { hetjobs: 'apart' })).toEqual([['8+0', undefined], ['8+1', undefined]])
      const lone = read(table(head, gpus), { status: ['completed'] })
      expect([...jobsOf(lone)].map(({ id, gang }) => [id, gang])).toEqual([['8+0', undefined]])
      expect(lone.report.notes).toContain('1 job made of the only part of a heterogeneous one that is read (hetAlone)')
      expect(ids(table(head, { JobID: '9' }, gpus))).toEqual([['8+0', undefined], ['9', undefined], ['8+1', undefined]])
    })

    it('tells the runs of a requeued one apart, whose parts stand run by run', () => {
      const again = { Submit: '2024-01-31T12:00:00', Start: '2024-01-31T12:01:00', End: '2024-01-31T13:01:00', Elapsed: '01:00:00' }
      const found = jobs(table(head, { ...head, ...again }, gpus, { ...gpus, ...again }))
      expect(found.map(({ id, submit, stages }) => [id, submit, stages.map(({ demand }) => demand['procs'])])).toEqual([['8', 0, [2, 8]], ['8#2', 7200, [2, 8]]])
    })

    it('has the tasks, licences, limits and recorded times of the parts', () => {
      const each = jobs(table(head, gpus), { tasks: 'each' })[0]!
      expect(each.stages.map(({ name, tasks, gang, demand }) => [name, tasks, gang, demand])).toEqual([['+0', 2, true, { procs: 1 }], ['+1', 8, true, { procs: 1 }]])
      expect(jobs(table({ ...head, Timelimit: 'UNLIMITED' }, gpus), { missingEstimate: 'unknown' })[0]!.estimate).toBeUndefined()
      const cut = jobs(table({ ...head, Timelimit: '00:45:00' }, gpus))[0]!
      expect([cut.estimate, cut.recorded, cut.stages.map(({ duration }) => duration)]).toEqual([10_800, { wait: 60, status: 'completed', runtime: 3600 }, [2700, 1800]])
      const licensed = ['JobID|Submit|Start|End|NCPUS|Licenses', '7+0|1700000000|1700000010|1700000100|8|fluent:2', '7+1|1700000000|1700000010|1700000100|1|fluent,matlab'].join('\n')
      expect(jobs(licensed)[0]!.licenses).toEqual({ fluent: 3, matlab: 1 })
    })

    it('is written and read again as the same job', () => {
      const [job] = jobs(table(head, gpus))
      const text = [...writeWorkload(read(table(head, gpus)))].join('')
      expect([...jobsOf(read(text))]).toEqual([job])
    })
  })

  it('streams the same jobs, cut anywhere', () => {
    const text = `${table({}, { JobID: '101.batch' }, { JobID: '102', Submit: '2024-01-31T10:00:30' }, { JobID: '103+0', Submit: '2024-01-31T10:00:40' }, { JobID: '103+1', Submit: '2024-01-31T10:00:40' }, { JobID: '104+0', Submit: '2024-01-31T10:00:50' }, { JobID: '104+1', Submit: '2024-01-31T10:00:50' })}\r\n`
    fc.assert(fc.property(fc.integer({ min: 1, max: text.length }), (chunk) => {
      const decoder = new LineDecoder((place) => sacctFormat.create(sacctFormat.options.parse({}), place), {})
      const found: JobSpec[] = []
      for (let at = 0; at <= text.length; at += chunk) {
        decoder.push(bytesOf(text.slice(at, at + chunk)))
        if (at + chunk >= text.length) decoder.end()
        for (let job = decoder.next(); job !== undefined; job = decoder.next()) found.push(job)
      }
      expect(found).toEqual(jobs(text))
    }), { numRuns: 30, seed: 20_266 })
  })
})

describe('the Grid Workload Format', () => {
  /** A job of 4 processors that waited 5 s and ran 60 of its 90 s, changed in some of its 29 columns. */
  const gwf = (change: { readonly [column: number]: string | number } = {}) =>
    Array.from({ length: 29 }, (_, i) => change[i] ?? { 0: 7, 1: 1000, 2: 5, 3: 60, 4: 4, 7: -1, 8: 90, 10: 1, 11: 'U3', 12: 'G1', 14: 'Q2', 15: 'P1' }[i] ?? -1).join('\t')
  const log = (...rows: string[]) => `# JobID SubmitTime ...\n#\n${rows.join('\n')}\n`

  it('gives rigid jobs with what was recorded, of numbers and names', () => {
    const trace = read(log(gwf(), gwf({ 0: 8, 1: 1010.5, 2: -1, 7: 2, 8: -1, 10: 0, 14: -1 })))
    expect([...jobsOf(trace)]).toEqual([
      { id: '7', submit: 0, user: 'U3', queue: 'Q2', group: 'G1', partition: 'Q2', estimate: 90, recorded: { wait: 5, status: 'completed' }, stages: [{ name: 'job', tasks: 1, demand: { procs: 4 }, duration: 60 }] },
      { id: '8', submit: 10.5, user: 'U3', queue: 'P1', group: 'G1', partition: 'P1', estimate: 60, recorded: { status: 'failed' }, stages: [{ name: 'job', tasks: 1, demand: { procs: 2 }, duration: 60 }] },
    ])
    expect([trace.format, trace.report.rules?.map(({ rule, jobs: count }) => [rule, count])]).toEqual(['gwf', [['processors', 1], ['missingEstimate', 1]]])
  })

  it('has the machine that comments above the jobs name, which options come before', () => {
    const withHeader = `# Computer: DAS-2\n# MaxNodes: 200 (dual)\n# MaxProcs: 400\n${log(gwf())}`
    expect(read(withHeader).machine).toMatchObject({ procs: 400, nodes: 200, resources: { procs: 400 }, origin: '400 procs: MaxProcs of the header' })
    expect(read(withHeader, { procs: 64 }).machine!.origin).toBe('64 procs: option procs')
    expect(read(withHeader.replace('400', 'many')).machine!.origin).toContain('inferred')
    expect(messageOf(() => read(withHeader.replace('400', '2')))).toContain('the job asks for 4 procs, the machine has 2 (MaxProcs of the header)')
  })

  it('numbers jobs of several sites that have one id', () => {
    const trace = read(log(gwf(), gwf({ 1: 1001 }), gwf({ 1: 1002 })))
    expect([...jobsOf(trace)].map(({ id }) => id)).toEqual(['7', '7#2', '7#3'])
    expect(trace.report.notes).toContain('2 jobs with the id of one above, of another site: called <id>#2, <id>#3, ... (repeated)')
  })

  it('refuses options about what its columns do not tell', () => {
    for (const option of ['hetjobs', 'dependencies', 'cluster', 'constraints', 'pending', 'submit'])
      expect(messageOf(() => read(log(gwf()), { [option]: 'together' }))).toContain(`gwf.${option}: unknown key`)
  })

  it('leaves out jobs that never ran, and answers bad lines', () => {
    expect(read(log(gwf(), gwf({ 0: 8, 3: -1 }))).report.rules).toMatchObject([{ rule: 'neverStarted', jobs: 1 }, { rule: 'processors' }])
    expect(messageOf(() => read(log(gwf(), '1 2 3')))).toBe('"s.txt" line 4: found 3 columns, expected 29. Was the file cut short? Copy it again, or drop such lines with onBadLine "skip".')
    expect(messageOf(() => read(log(gwf(), gwf({ 4: 0.5 }))))).toBe('"s.txt" line 4: the job asks for 0.5 procs, expected a whole number. Correct the line, or drop such lines with onBadLine "skip".')
    expect(messageOf(() => read(log(gwf(), gwf({ 3: 'long' }))))).toBe('"s.txt" line 4 RunTime: found "long", expected a number. Correct the line, or drop such lines with onBadLine "skip".')
  })
})

describe('bad records', () => {
  it.each<[string, string, object, string]>([
    ['no submit times', 'JobID|Start|End|NCPUS\n1|2|3|4', {}, '"s.txt" line 1: column Submit is missing. Ask for example: sacct --allusers'],
    ['no sizes', 'JobID|Submit|Start|End\n1|2|3|4', {}, 'column NCPUS or AllocCPUS or ReqCPUS or AllocTRES or ReqTRES or NNodes or AllocNodes or ReqNodes is missing.'],
    ['a name with a separator', `${header}\n${record()}|x`, {}, '"s.txt" line 2: found 20 columns, the header has 19. A name may hold a "|": leave JobName, WorkDir and SubmitLine out of --format, or drop such lines with onBadLine "skip".'],
    ['a day that does not exist', table({ Submit: '2023-02-29T00:00:00' }), {}, '"s.txt" line 2 Submit: found "2023-02-29T00:00:00", expected a time such as 2024-01-31T10:00:00.'],
    ['a time in words', table({ Start: 'yesterday' }), {}, 'Start: found "yesterday", expected a time'],
    ['a wrong span', table({ Timelimit: '1-00' }), {}, 'Timelimit: found "1-00", expected a span of time such as 1-12:00:00.'],
    ['half a processor', table({ ReqCPUS: '1.5' }), {}, 'ReqCPUS: found "1.5", expected a whole number.'],
    ['nodes that are rounded', table({ NNodes: '1.50K' }), {}, 'NNodes: found "1.50K", which is rounded. Ask sacct with --noconvert'],
    ['memory in words', table({ AllocTRES: '', ReqMem: 'lots' }), {}, 'ReqMem: found "lots", expected an amount of memory such as 64G, 4Gn or 2000Mc.'],
    ['too wide a job', table({}), { procs: 16 }, 'the job asks for 30 procs, the machine has 16 (option procs). Leave such jobs out with the option wide=skip'],
    ['no jobs', header, {}, '"s.txt": the trace holds no jobs.'],
    ['jobs of nodes alone', 'JobID|Submit|Start|End|ReqNodes\n1|2|3|4|5', {}, 'none is left: 1 job with a number of nodes but not of processors: left out; unit: nodes reads them (nodesAlone).'],
    ['no jobs left', table({ Start: 'Unknown' }), {}, 'the trace holds no jobs or none is left: 1 job that never started: left out (neverStarted).'],
  ])('%s', (_, text, options, message) => {
    expect(messageOf(() => read(text, options))).toContain(message)
  })

  it('are dropped when told so', () => {
    const trace = read(table({}, { JobID: '2', Submit: 'x' }, { JobID: '3' }), {}, { onBadLine: 'skip' })
    expect([[...jobsOf(trace)].length, trace.report.skipped, trace.report.problems.length]).toEqual([2, 1, 1])
  })

  it('unsorted, as a stream: an error that says what to do', () => {
    const decoder = new LineDecoder((place) => sacctFormat.create(sacctFormat.options.parse({}), place), { file: 's.txt' })
    decoder.push(bytesOf(table({}, { JobID: '2', Submit: '2024-01-31T09:00:00' })))
    decoder.end()
    decoder.next()
    expect(messageOf(() => decoder.next())).toContain('"s.txt" line 3 submit: submitted before the job above it. Hold the table in memory (stream: false), where it is sorted')
  })
})

describe('times', () => {
  it('count seconds as Date.UTC does, on any day of 1600 to 2400', () => {
    fc.assert(fc.property(fc.integer({ min: Date.UTC(1600, 0, 1) / 1000, max: Date.UTC(2400, 0, 1) / 1000 }), (seconds) => {
      expect(instant(new Date(seconds * 1000).toISOString().slice(0, 19))).toBe(seconds)
    }), { numRuns: 300, seed: 20_267 })
  })

  it.each<[string, number | undefined]>([
    ['2024-02-29T12:00:00', Date.UTC(2024, 1, 29, 12) / 1000], ['2019-01-01 08:55:55', Date.UTC(2019, 0, 1, 8, 55, 55) / 1000], ['2024-01-31T10:00:00Z', Date.UTC(2024, 0, 31, 10) / 1000],
    ['2024-01-31T10:00:00+01:30', Date.UTC(2024, 0, 31, 8, 30) / 1000], ['2024-01-31T10:00:00.25', Date.UTC(2024, 0, 31, 10) / 1000 + 0.25], ['1730212549', 1_730_212_549],
    ['Unknown', NaN], ['None', NaN], ['', NaN], ['2024-13-01T00:00:00', undefined], ['2100-02-29T00:00:00', undefined], ['2024-01-31T24:00:00', undefined], ['31.1.2024', undefined],
  ])('%j is %d', (text, expected) => {
    expect(instant(text)).toBe(expected)
  })

  it.each<[string, number | undefined]>([
    ['00:00:10', 10], ['01:02:03', 3723], ['3-08:24:04', 289_444], ['02:30', 150], ['00:01:14.500', 74.5], ['100:00:00', 360_000], ['UNLIMITED', Infinity], ['inf', Infinity], ['Infinity', Infinity], ['Partition_Limit', NaN],
    ['', NaN], ['1-00', undefined], ['1-02:03', undefined], ['x', undefined],
  ])('a span %j is %d s', (text, expected) => {
    expect(timeSpan(text)).toBe(expected)
  })
})

describe('amounts', () => {
  it.each<[string, number | undefined]>([['64G', 65_536], ['4Gn', 8192], ['2000Mc', 12_000], ['500K', 1], ['62.50G', 64_000], ['10?', 10], ['0n', -1], ['', -1], ['1X', undefined]])(
    'memory %j of 2 nodes and 6 processors is %d MiB', (text, expected) => {
      expect(requestedMemory(text, 2, 6)).toBe(expected)
    })

  it('counts GPUs of all kinds once', () => {
    expect([tresGpus('cpu=2,gres/gpu=4,gres/gpu:v100=4'), tresGpus('gres/gpu:a=1,gres/gpu:b=2'), tresGpus('cpu=2')]).toEqual([4, 3, 0])
  })

  it('splits CSV with quotes', () => {
    expect(splitCsv('a,"b, ""c""",,"d"')).toEqual(['a', 'b, "c"', '', 'd'])
    expect(splitCsv('a,,b,')).toEqual(['a', '', 'b', ''])
  })
})

const eagle = realTrace('slurm/nrel-eagle-sample-1000.csv')
describe.skipIf(!eagle.there)(`the table ${eagle.title}`, () => {
  it('has the jobs, users, partitions, sizes and states that its README counts', () => {
    expect(openTrace(eagle.path, { options: { unit: 'nodes', tasks: 'each' } }).machine!.resources).toEqual(openTrace(eagle.path, { options: { unit: 'nodes' } }).machine!.resources)
    const trace = openTrace(eagle.path, { options: { overrun: 'keep', unit: 'nodes' } })
    const all = [...jobsOf(trace)]
    const summary = summaryOf(trace)
    expect([trace.format, trace.jobs, summary.users, summary.queues, summary.resources[0]!.largest]).toEqual(['eagle', 1000, 15, 5, 360])
    expect([all.filter(({ recorded }) => recorded!.status === 'timeout').length, trace.report.rules]).toEqual([15, [
      { rule: 'noGpus', jobs: 4, text: 'that held GPUs: they do not ask for them here (gpuDemand: true makes them ask)' },
      { rule: 'overrun', jobs: 14, text: 'longer than estimated: kept' },
      { rule: 'repeated', jobs: 451, text: 'with the id of one above, tasks of an array: called <id>#2, <id>#3, ...' },
    ]])
    // job 532939 is an array of 452 tasks
    expect(all.filter(({ id }) => id.startsWith('532939')).map(({ id }) => id).slice(0, 3)).toEqual(['532939', '532939#2', '532939#3'])
    expect(all[0]).toEqual({
      id: '532209', submit: 0, user: 'user0014', queue: 'partition001', account: 'account0003', partition: 'partition001', qos: 'normal', estimate: 172_800,
      recorded: { wait: 1, status: 'completed' }, stages: [{ name: 'job', tasks: 1, demand: { nodes: 10 }, duration: 99_825 }],
    })
  })

  it('has 4 jobs with GPUs', () => {
    expect([...jobsOf(openTrace(eagle.path, { options: { gpuDemand: true } }))].filter(({ stages }) => (stages[0]!.demand['gpus'] ?? 0) > 0).length).toBe(4)
  })

  it('gives the same jobs as a stream', async () => {
    const streamed: JobSpec[] = []
    for await (const job of streamJobs(openTrace(eagle.path, { stream: true }))) streamed.push(job)
    expect(streamed).toEqual([...jobsOf(openTrace(eagle.path))])
  })
})

describe('detection', () => {
  it.each<[string, string]>([[table({}), 'sacct'], ['JobIDRaw|Submit\n', 'sacct'], ['job_id,user,processors_req,submit_time\n', 'eagle']])('%# knows it', (text, format) => {
    expect(detectFormatOf(bytesOf(text)).name).toBe(format)
  })

  it('does not take another CSV for it, or a job table without what it needs', () => {
    expect(messageOf(() => detectFormatOf(bytesOf('job_id,submit\n1,2\n')))).toContain('looks like a table of 2 comma-separated columns')
    expect(messageOf(() => read('job_id,submit_time,processors_req\n1,2,3\n'))).toContain('column start_time is missing. A job table of Eagle has job_id, submit_time, start_time')
  })
})
