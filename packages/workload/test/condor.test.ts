import { join } from 'node:path'
import type { JobSpec } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { jobsOf, parseTrace, type ParseOptions } from '../src/index.js'
import { openTraceFile } from '../src/node/index.js'
import { bytesOf, messageOf, streamed } from './reading.js'
import { temporaryFolder, writeFiles } from './temporary.js'

const temporary = temporaryFolder()

/** A job that waited 60 s and ran an hour in a slot of 4 processors and 8 GiB, changed in some attributes; '' leaves one out. */
const usual = {
  ClusterId: '101', ProcId: '3', MyType: '"Job"', QDate: '1700000000', JobStartDate: '1700000060', JobCurrentStartDate: '1700000060', CompletionDate: '1700003660', EnteredCurrentStatus: '1700003661',
  JobStatus: '4', LastJobStatus: '2', JobUniverse: '5', NumJobStarts: '1', ExitCode: '0', ExitBySignal: 'false', RemoteWallClockTime: '3600.0', CumulativeSuspensionTime: '0',
  RequestCpus: '4', RequestMemory: '8192', RequestGPUs: '', CpusProvisioned: '4', MemoryProvisioned: '8192', Owner: '"ada"', AcctGroup: '"physics"', AccountingGroup: '"physics.ada"', ProjectName: '"atlas"',
  Env: '"A=1 ClusterId=9"', Requirements: '(TARGET.Arch == "X86_64") && (TARGET.Memory >= RequestMemory)',
}
type Change = { readonly [K in keyof typeof usual]?: string } & Readonly<Record<string, string>>
const ad = (change: Change = {}) => Object.entries({ ...usual, ...change }).flatMap(([name, value]) => (value === '' ? [] : [`${name} = ${value}`])).join('\n')
const read = (text: string, options: object = {}, more: ParseOptions = {}) => parseTrace(bytesOf(text), { file: 'history', options, ...more })
const first = (change: Change, options: object = {}): JobSpec => [...jobsOf(read(`${ad(change)}\n`, options))][0]!
const rules = (text: string, options?: object) => read(text, options).report.rules!.map(({ rule, jobs }) => [rule, jobs])

describe('condor', () => {
  it('is known by its attributes, and gives a task with all its processors, times from the first submission, and what was recorded', () => {
    const trace = read(`${ad()}\n\n${ad({ ClusterId: '102', QDate: '1700000050' })}\n\n`)
    expect([trace.format, trace.machine?.procs, trace.jobs]).toEqual(['condor', 8, 2])
    expect([...jobsOf(trace)][0]).toEqual({
      id: '101.3', submit: 0, user: 'ada', queue: 'physics', account: 'physics', estimate: 3600, recorded: { wait: 60, status: 'completed' },
      stages: [{ name: 'job', tasks: 1, demand: { procs: 4 }, duration: 3600 }],
    })
  })

  it.each([
    ['with a blank line between ads', `${ad()}\n\n${ad({ ProcId: '4' })}\n`],
    ['as its file keeps them, the last without an end', `${ad()}\n*** Offset = 0 ClusterId = 101 ProcId = 3 Owner = "ada" CompletionDate = 1700003660\n${ad({ ProcId: '4' })}`],
    ['as condor_q prints a queue', `\n\n-- Schedd: ap.site.org : <10.0.0.1:9618?...\n${ad()}\n\n${ad({ ProcId: '4' })}\n\n`],
    ['in small letters, without blanks', `${ad().replaceAll(' = ', '=').replace('RequestCpus', 'requestcpus')}\n\n${ad({ ProcId: '4' })}\n`],
  ])('is read %s', (_, text) => {
    expect([...jobsOf(read(text))].map(({ id, stages }) => [id, stages[0]!.demand])).toEqual([['101.3', { procs: 4 }], ['101.4', { procs: 4 }]])
  })

  const object = (change: object = {}) => ({ ...Object.fromEntries(Object.entries(usual).filter(([, value]) => value !== '').map(([name, value]) => [name, /^["\d]|^(true|false)$/.test(value) ? JSON.parse(value) as unknown : `/Expr(${value})/`])), ...change })
  it.each([
    ['a list in lines', JSON.stringify([object(), object({ ProcId: 4 })], null, 2)],
    ['a list on one line', JSON.stringify([object(), object({ ProcId: 4 })])],
    ['an object on each line', `${JSON.stringify(object())}\n${JSON.stringify(object({ ProcId: 4 }))}\n`],
  ])('is read as JSON: %s, whole and streamed', async (_, text) => {
    const jobs = [...jobsOf(read(text))]
    expect(jobs.map(({ stages, ...job }) => [job.id, job.user, job.recorded, stages[0]!.demand])).toEqual(['101.3', '101.4'].map((id) => [id, 'ada', { wait: 60, status: 'completed' }, { procs: 4 }]))
    const at = writeFiles(join(temporary, 'json'), { 'h.json': text })
    expect(await streamed(await openTraceFile(join(at, 'h.json'), { stream: true }))).toEqual(jobs)
  })

  it('has expressions in JSON that are not known', () => {
    const text = JSON.stringify([object({ RequestCpus: '/Expr(ifThenElse(x, 2, 4))/', CpusProvisioned: 2, ExitBySignal: true })])
    expect([...jobsOf(read(text))].map(({ stages, recorded }) => [stages[0]!.demand, recorded!.status])).toEqual([[{ procs: 2 }, 'failed']])
  })

  it('is read from a folder of files, in which the last ad of one may have no end', async () => {
    const at = writeFiles(join(temporary, 'history'), { history: ad({ ClusterId: '102' }), 'history.20240131T000000': `${ad()}\n` })
    expect([...jobsOf(await openTraceFile(at))].map(({ id }) => id)).toEqual(['102.3', '101.3'])
  })

  it.each<[string, Change, object, (job: JobSpec) => unknown, unknown]>([
    ['memory and GPUs', { RequestGPUs: '2' }, { memory: 'requested', gpuDemand: true }, ({ stages }) => stages[0]!.demand, { procs: 4, mem: 8192, gpus: 2 }],
    ['what it was given where it asked by an expression', { RequestCpus: 'ifThenElse(x > 1, 8, 4)', CpusProvisioned: '8', RequestMemory: 'MY.ImageSize / 1024', MemoryProvisioned: '4096' }, { memory: 'requested' }, ({ stages }) => stages[0]!.demand, { procs: 8, mem: 4096 }],
    ['processors that it was given', { CpusProvisioned: '6' }, { processors: 'allocated' }, ({ stages }) => stages[0]!.demand, { procs: 6 }],
    ['all nodes of a parallel job', { JobUniverse: '11', MaxHosts: '3' }, { tasks: 'node', memory: 'requested' }, ({ stages }) => [stages[0]!.tasks, stages[0]!.demand], [3, { procs: 4, mem: 8192 }]],
    ['a limit of the run', { AllowedExecuteDuration: '7200', AllowedJobDuration: '9000' }, {}, ({ estimate }) => estimate, 7200],
    ['a limit with the transfer of files', { AllowedJobDuration: '9000' }, {}, ({ estimate }) => estimate, 9000],
    ['no limit', {}, { missingEstimate: 'unknown' }, ({ estimate }) => estimate, undefined],
    ['the last run of several, and the wait from submission to it', { NumJobStarts: '2', JobCurrentStartDate: '1700003000', RemoteWallClockTime: '2000.0' }, {}, ({ recorded, stages }) => [recorded!.wait, stages[0]!.duration], [3000, 660]],
    ['a run without the time that it was suspended', { CumulativeSuspensionTime: '600' }, {}, ({ stages }) => stages[0]!.duration, 3000],
    ['the time that one ran which was removed later, while it waited again', { JobStatus: '3', LastJobStatus: '1', CompletionDate: '0', RemoteWallClockTime: '120.0' }, {}, ({ stages, recorded }) => [stages[0]!.duration, recorded!.status], [120, 'cancelled']],
    ['the time until one was removed that ran', { JobStatus: '3', CompletionDate: '0' }, {}, ({ stages }) => stages[0]!.duration, 3601],
    ['the accounting group without its user', { AcctGroup: '', AccountingGroup: '"group_a.sub.ada"' }, {}, ({ account }) => account, 'group_a.sub'],
    ['an accounting group that names no user', { AcctGroup: '', AccountingGroup: '"group_a"' }, {}, ({ account }) => account, 'group_a'],
    ['no priority', { JobPrio: '5' }, {}, ({ priority }) => priority, undefined],
    ['its priority where asked for', { JobPrio: '-5' }, { priority: 'JobPrio' }, ({ priority }) => priority, -5],
    ['none where it has none', {}, { priority: 'JobPrio' }, ({ priority }) => priority, undefined],
    ['its project as queue', {}, { queue: 'project' }, ({ queue }) => queue, 'atlas'],
    ['concurrency limits, in any capitals and with any blanks, 1 where no number above 0 is said, and rounded up', { ConcurrencyLimits: '"XSW:2, matlab, lab.light:0.5 odd:-1"' }, {}, ({ licenses }) => licenses, { xsw: 2, matlab: 1, 'lab.light': 1, odd: 1 }],
    ['no concurrency limits where machines say them', { ConcurrencyLimits: 'TARGET.Limits' }, {}, ({ licenses }) => licenses, undefined],
    ['names with quotes', { Owner: '"a \\"b\\" \\\\ c"' }, {}, ({ user }) => user, 'a "b" \\ c'],
    ['the last value of an attribute, as overlaid on those of its cluster', { Owner: '"x"\nOwner = "ann"' }, {}, ({ user }) => user, 'ann'],
  ])('reads %s', (_, change, options, facts, expected) => {
    expect(facts(first(change, options))).toEqual(expected)
  })

  it.each<[string, Change, string]>([
    ['failed', { ExitCode: '1' }, 'failed'],
    ['killed by a signal', { ExitBySignal: 'true', ExitCode: '' }, 'failed'],
    ['completed, in older versions', { ExitCode: '', ExitStatus: '0' }, 'completed'],
    ['removed', { JobStatus: '3' }, 'cancelled'],
    ['held for its time, and removed', { JobStatus: '3', HoldReasonCode: '47' }, 'timeout'],
    ['held', { JobStatus: '5' }, 'held'],
  ])('says that a job was %s', (_, change, status) => {
    expect(first(change).recorded!.status).toBe(status)
  })

  it('leaves out, counted, what runs on the machine where it was submitted, waits or never started, and numbers ids of another queue', () => {
    const text = [ad(), ad({ JobUniverse: '7' }), ad({ JobUniverse: '12' }), ad({ JobStatus: '1', CompletionDate: '0' }), ad({ JobStatus: '3', JobStartDate: '', JobCurrentStartDate: '' }), ad({ NumJobStarts: '3' })].join('\n\n')
    expect([...jobsOf(read(text))].map(({ id }) => id)).toEqual(['101.3', '101.3#4'])
    expect(rules(text)).toEqual([['neverStarted', 2], ['missingEstimate', 2], ['universe', 2], ['rerun', 1], ['repeated', 3]])
  })

  it('leaves out jobs that run, whose run time is not known, unless told otherwise', () => {
    const text = [ad(), ad({ JobStatus: '2', CompletionDate: '0', ClusterId: '102', AllowedJobDuration: '7200' })].join('\n\n')
    expect([...jobsOf(read(text))].map(({ id }) => id)).toEqual(['101.3'])
    expect([...jobsOf(read(text, { unknownRuntime: 'estimate' }))].map(({ id, stages }) => [id, stages[0]!.duration])).toEqual([['101.3', 3600], ['102.3', 7200]])
  })

  it.each([
    ['what is no attribute', `${ad()}\nwhat is this?\n`, '"history" line 27: found "what is this?", expected an attribute: ClusterId = 1234. Print whole ads, with `condor_history -long`'],
    ['a time that is none', ad({ QDate: '"today"' }), '"history" line 26 QDate: in the object that begins on line 1: found "today", expected a number of at least 0.'],
    ['a part of a processor', ad({ RequestCpus: '1.5' }), '"history" line 26 RequestCpus: in the object that begins on line 1: found 1.5, expected a whole number.'],
    ['an ad of nothing', 'ClusterId = x\nJobStatus = 4\nGlobalJobId = "1"\n', 'ClusterId: in the object that begins on line 1: is missing.'],
  ])('names the line of %s', (_, text, message) => {
    expect(messageOf(() => read(text, {}, { format: 'condor' }))).toContain(message)
  })

  it('drops what is bad where it is told to', () => {
    const trace = read(`${ad()}\n\n${ad({ ClusterId: '102', QDate: '"x"' })}\n\n${ad({ ClusterId: '103' })}\nnonsense\n`, {}, { onBadLine: 'skip' })
    expect([[...jobsOf(trace)].map(({ id }) => id), trace.report.skipped]).toEqual([['101.3', '103.3'], 2])
  })
})
