import { describe, expect, it } from 'vitest'
import type { JobSpec } from '@sched/core'
import { jobsOf, parseTrace, type ParseOptions } from '../src/index.js'
import { bytesOf, messageOf } from './reading.js'

interface Finished {
  readonly [field: string]: string | number | readonly string[] | boolean
}
const text = (value: string) => `"${value.replaceAll('"', '""')}"`

/** A job that waited 60 s and ran an hour of its two on 32 slots of 2 hosts, as LSF 10.1 records it, changed in some fields. */
const usual = {
  version: '10.108', event: 1_700_003_660, job: 101, slots: 32, submit: 1_700_000_000, start: 1_700_000_060, user: 'ada', queue: 'normal', resReq: 'span[ptile=16]', command: '#!/bin/sh;#BSUB -R "span[ptile=16]";run',
  asked: [] as readonly string[], hosts: ['16*h1', '16*h2'] as readonly string[], status: 64, project: 'proj', index: 0, reservation: '', exitInfo: 0, extensions: 2, usage: [] as readonly string[],
  limit: 7200 as string | number, requirement: 'select[type == any] order[r15s:pg] rusage[mem=4096.00:duration=0h,ngpus_physical=2.00] ', runTime: 3600,
}
const start = (change: Finished = {}) => {
  const f = { ...usual, ...change }
  const list = (names: readonly string[]) => [names.length, ...names.map(text)].join(' ')
  return [
    `"JOB_FINISH" "${f.version}" ${f.event} ${f.job} 1501 33554434 ${f.slots} ${f.submit} 0 0 ${f.start} ${text(f.user)} ${text(f.queue)} ${text(f.resReq)} "" "" "login1" "/users/ada" "" "out" "" "1700000000.101"`,
    `${list(f.asked)} ${list(f.hosts)} ${f.status} 60.0 "a b" ${text(f.command)} 0.004997 0.006155 3748 0 -1 0 0 436 4 0 928 0 -1 0 0 0 19 2 -1 "" ${text(f.project)} 0 ${f.slots} "" "" ${f.index} 2048 0 "" "" ${text(f.reservation)}`,
  ].join(' ')
}
const record = (change: Finished = {}) => {
  const f = { ...usual, ...change }
  const pairs = Array.from({ length: f.extensions }, (_, i) => `${1032 + i} "0"`).join(' ')
  return [
    start(change), `"" 0 "" ${f.exitInfo} "" -1 "" "" "" "" -1 "" "" 5136 "" 0 "" ""`, `${f.extensions} ${pairs}`.trim(), [f.usage.length, ...f.usage].join(' '),
    `${f.limit} 4194304 1024 ${text(f.requirement)} "" -1 "" -1 0 "" 0 0 "" ${f.runTime} "/users/ada" 0 "" 0.000000 0.00 0.00 0.00 0.00 0 -1 0 0 0`,
  ].join(' ')
}
const read = (lines: readonly string[], options: object = {}, more: ParseOptions = {}) => parseTrace(bytesOf(lines.join('\n')), { file: 'lsb.acct', options, ...more })
const first = (change: Finished, options: object = {}): JobSpec => [...jobsOf(read([record(change)], options))][0]!

describe('lsf', () => {
  it('is known by its records, and gives a task with all its slots, times from the first submission, and what was recorded', () => {
    const trace = read([record()])
    expect([trace.format, trace.machine?.procs]).toEqual(['lsf', 32])
    expect([...jobsOf(trace)]).toEqual([{
      id: '101', submit: 0, user: 'ada', queue: 'normal', account: 'proj', estimate: 7200, recorded: { wait: 60, status: 'completed' },
      stages: [{ name: 'job', tasks: 1, demand: { procs: 32 }, duration: 3600 }],
    }])
  })

  it.each<[string, Finished, object, (job: JobSpec) => unknown, unknown]>([
    ['slots it was given', { slots: 30 }, { processors: 'allocated' }, ({ stages }) => stages[0]!.demand, { procs: 32 }],
    ['slots it was given, a name for each', { hosts: ['h1', 'h1', 'h2'] }, { processors: 'allocated' }, ({ stages }) => stages[0]!.demand, { procs: 3 }],
    ['hosts it asked for before them', { asked: ['h1', 'h2', 'h3'], hosts: ['h1', 'h2'] }, { processors: 'allocated' }, ({ stages, queue }) => [stages[0]!.demand, queue], [{ procs: 2 }, 'normal']],
    ['whole hosts', {}, { unit: 'nodes' }, ({ stages }) => stages[0]!.demand, { nodes: 2 }],
    ['its part on each host', {}, { tasks: 'node', memory: 'requested', gpuDemand: true }, ({ stages }) => stages, [{ name: 'job', tasks: 2, gang: true, demand: { procs: 16, mem: 4096, gpus: 2 }, duration: 3600 }]],
    ['memory for each task', { requirement: 'rusage[mem=2G/task]' }, { memory: 'requested' }, ({ stages }) => stages[0]!.demand, { procs: 32, mem: 65_536 }],
    ['memory and GPUs of the job', { requirement: 'rusage[mem=2000KB/job:ngpus=3/job]' }, { memory: 'requested', gpuDemand: true }, ({ stages }) => stages[0]!.demand, { procs: 32, mem: 2, gpus: 3 }],
    ['memory that the user asked for where the whole requirement is not there', { requirement: '', resReq: 'rusage[mem=100]' }, { memory: 'requested' }, ({ stages }) => stages[0]!.demand, { procs: 32, mem: 200 }],
    ['no memory in what it selects', { requirement: 'select[mem>9000] order[mem]' }, { memory: 'requested' }, ({ stages }) => stages[0]!.demand, { procs: 32 }],
    ['its project as queue', {}, { queue: 'project' }, ({ queue }) => queue, 'proj'],
    ['an element of an array', { index: 7 }, {}, ({ id }) => id, '101[7]'],
    ['no limit', { limit: -1 }, { missingEstimate: 'unknown' }, ({ estimate }) => estimate, undefined],
    ['its limit behind usage by host, as records of 9.1 have it', { extensions: 0, usage: ['h1 1306 0 12 242 0', 'h2 1291 0 6 66 0'] }, {}, ({ estimate, recorded }) => [estimate, recorded], [7200, { wait: 60, status: 'completed' }]],
    ['its limit behind usage by host, as the reference has it', { usage: ['"h1" 1306 0 12 242', '"h2" 1291 0 6 66'] }, {}, ({ estimate }) => estimate, 7200],
    ['the time it ran without pauses', { runTime: 3000 }, {}, ({ stages }) => stages[0]!.duration, 3000],
    ['from start to end where no run time is recorded', { runTime: 0 }, {}, ({ stages }) => stages[0]!.duration, 3600],
    ['a run beyond its limit', { limit: 3540, status: 32, exitInfo: 5 }, {}, ({ stages, recorded }) => [stages[0]!.duration, recorded], [3540, { wait: 60, runtime: 3600, status: 'timeout' }]],
    ['a command with quotes and numbers in it', { command: '""sh"" -c "echo 1 2 ""3""" ' }, {}, ({ estimate, account }) => [estimate, account], [7200, 'proj']],
  ])('reads %s', (_, change, options, facts, expected) => {
    expect(facts(first(change, options))).toEqual(expected)
  })

  it.each<[number, number, string | undefined]>([
    [64, 0, 'completed'], [192, 0, 'completed'], [32, 0, 'failed'], [32, 14, 'cancelled'], [32, 16, 'out_of_memory'], [32, 1, 'preempted'], [32, 11, 'requeued'], [288, 6, 'deadline'], [4, 0, undefined],
  ])('says how a job with status %i and reason %i ended', (status, exitInfo, word) => {
    expect(first({ status, exitInfo }).recorded!.status).toBe(word)
  })

  it('reads records of LSF 5, which end early: without limit', () => {
    const trace = read([start({ version: '5.1' })])
    expect([...jobsOf(trace)]).toMatchObject([{ id: '101', estimate: 3600, account: 'proj', recorded: { wait: 60, status: 'completed' } }])
    expect(trace.report.notes?.at(-1)).toBe('1 job without estimate: estimated at their run time (missingEstimate)')
  })

  it('tells of other records, of jobs that never started and of those that were requeued', () => {
    const trace = read(['"EVENT_ADRSV_FINISH" "10.1" 1700000000 1 2 "user2#0"', record(), record({ event: 1_700_009_000, start: 1_700_005_000 }), record({ job: 9, start: 0, hosts: [], status: 32, exitInfo: 14 })], { procs: 64, gpuDemand: true, gpus: 8 })
    expect([...jobsOf(trace)].map(({ id }) => id)).toEqual(['101', '101#2'])
    expect(trace.report.notes).toEqual([
      '1 job that never started: left out (neverStarted)', '1 event other than the end of a job: passed over (records)', '1 job with the id of one above, requeued: called <id>#2, <id>#3, ... (repeated)',
    ])
  })

  it.each<[string, string, string]>([
    ['a record that ends in a text', record().slice(0, 200), '"lsb.acct" line 2: ends within a text in quotes. Was the file cut short?'],
    ['a text that goes on behind its quotes', record().replace('"ada" "normal"', '"ada"7 "normal"'), '"lsb.acct" line 2: field 12 continues after its closing quote.'],
    ['a record that ends early', record().split(' ').slice(0, 9).join(' '), '"lsb.acct" line 2 numAskedHosts: is missing: the record has 9 fields.'],
    ['a list longer than the record', record({ hosts: [] }).replace(' 0 0 64 60.0', ' 0 9999 64 60.0'), '"lsb.acct" line 2 numExHosts: found 9999, more than the record has fields.'],
    ['a time that is none', record({ submit: 'soon' }), '"lsb.acct" line 2 submitTime: found soon, expected a number.'],
    ['a negative time', record({ start: -5 }), '"lsb.acct" line 2 startTime: found -5, expected a whole number of at least 0.'],
    ['a line that is no record', 'hello 1 2', '"lsb.acct" line 2: found "hello 1 2", expected a record: "JOB_FINISH" "10.1" ...'],
  ])('names file, line and field of %s', (_, line, message) => {
    expect(messageOf(() => read([record({ job: 1 }), line]))).toContain(message)
    const kept = read([record({ job: 1 }), line], {}, { onBadLine: 'skip' })
    expect([[...jobsOf(kept)].map(({ id }) => id), kept.report.skipped]).toEqual([['1'], 1])
  })
})
