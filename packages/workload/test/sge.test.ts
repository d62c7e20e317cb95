import { describe, expect, it } from 'vitest'
import type { JobSpec } from '@sched/core'
import { jobsOf, parseTrace, type ParseOptions } from '../src/index.js'
import { bytesOf, messageOf } from './reading.js'

/** A job that waited 60 s and ran an hour of its two in 16 slots, changed in some fields. */
const usual = {
  queue: 'all.q', group: 'math', owner: 'ada', job: 101, account: 'sge', submit: 1_700_000_000, start: 1_700_000_060, end: 1_700_003_660, failed: 0, exit: 0, project: 'proj', department: 'dep', slots: 16, task: 0,
  category: '-U users -l h_rt=7200,h_vmem=2G,gpu=2 -pe mpi 16', peTask: 'NONE', rest: ':0:0',
}
type Change = { readonly [K in keyof typeof usual]?: string | number }
const record = (change: Change = {}) => {
  const f = { ...usual, ...change }
  return `${f.queue}:n1:${f.group}:${f.owner}:run:${f.job}:${f.account}:0:${f.submit}:${f.start}:${f.end}:${f.failed}:${f.exit}:3600:1.5:0.2:1000.0${':0'.repeat(14)}:${f.project}:${f.department}:mpi:${f.slots}:${f.task}:22.5:3.4:0.1:${f.category}:0.000000:${f.peTask}:104857600.000000${f.rest}`
}
const head = ['# Version: 8.1.9', '#', '# DO NOT MODIFY', '#']
const read = (lines: readonly string[], options: object = {}, more: ParseOptions = {}) => parseTrace(bytesOf([...head, ...lines].join('\n')), { file: 'accounting', options, ...more })
const first = (change: Change, options: object = {}): JobSpec => [...jobsOf(read([record(change)], options))][0]!

describe('sge', () => {
  it('is known by its records, and gives a task with all its slots, times from the first submission, and what was recorded', () => {
    const trace = read([record()])
    expect([trace.format, trace.machine?.procs]).toEqual(['sge', 16])
    expect([...jobsOf(trace)]).toEqual([{
      id: '101', submit: 0, user: 'ada', queue: 'all.q', group: 'math', account: 'proj', estimate: 7200, recorded: { wait: 60, status: 'completed' },
      stages: [{ name: 'job', tasks: 1, demand: { procs: 16 }, duration: 3600 }],
    }])
  })

  it.each<[string, Change, object, (job: JobSpec) => unknown, unknown]>([
    ['times in milliseconds', { submit: 1_700_000_000_000, start: 1_700_000_060_500, end: 1_700_003_660_500 }, {}, ({ recorded, stages }) => [recorded!.wait, stages[0]!.duration], [60.5, 3600]],
    ['memory for each slot', {}, { memory: 'requested' }, ({ stages }) => stages[0]!.demand, { procs: 16, mem: 32_768 }],
    ['memory that Univa reserves rather than a limit', { category: '-l h_vmem=8G,m_mem_free=500M' }, { memory: 'requested' }, ({ stages }) => stages[0]!.demand, { procs: 16, mem: 8000 }],
    ['memory in thousands, by small letters', { category: '-l mem_free=1048576k' }, { memory: 'requested' }, ({ stages }) => stages[0]!.demand, { procs: 16, mem: 16_000 }],
    ['GPUs of the job', {}, { gpuDemand: true }, ({ stages }) => stages[0]!.demand, { procs: 16, gpus: 2 }],
    ['GPUs of each slot', {}, { gpuDemand: true, gpusPer: 'slot' }, ({ stages }) => stages[0]!.demand, { procs: 16, gpus: 32 }],
    ['no soft requests', { category: '-l h_rt=60 -soft -l gpu=4,h_vmem=9G -pe mpi 16' }, { gpuDemand: true, memory: 'requested', overrun: 'keep' }, ({ stages, estimate }) => [stages[0]!.demand, estimate], [{ procs: 16 }, 60]],
    ['limits with colons', { category: '-l h_rt=24:00:00,gpu=1 -pe mpi 16' }, {}, ({ estimate }) => estimate, 86_400],
    ['colons at the end of a category', { category: '-q all.q -l h_rt=01:30:00 ' }, {}, ({ estimate }) => estimate, 5400],
    ['a soft limit where there is no hard one', { category: '-l s_rt=4000' }, {}, ({ estimate }) => estimate, 4000],
    ['no limit', { category: '-l h_rt=INFINITY' }, { missingEstimate: 'unknown' }, ({ estimate }) => estimate, undefined],
    ['no category', { category: 'NONE' }, {}, ({ estimate }) => estimate, 3600],
    ['a task of an array', { task: 5 }, {}, ({ id }) => id, '101.5'],
    ['the account where there is no project', { project: 'NONE', account: 'acc' }, {}, ({ account }) => account, 'acc'],
    ['another queue', {}, { queue: 'department' }, ({ queue }) => queue, 'dep'],
    ['its project as queue', {}, { queue: 'project' }, ({ queue }) => queue, 'proj'],
    ['records of Univa', { rest: ':0:0:NONE:NONE:1000:900:host:/home:qsub run.sh' }, {}, ({ recorded }) => recorded!.status, 'completed'],
    ['records before version 6.2', { rest: '' }, {}, ({ recorded }) => recorded!.status, 'completed'],
    ['a run beyond its limit', { category: '-l h_rt=3540', failed: 37, exit: 137 }, {}, ({ stages, recorded }) => [stages[0]!.duration, recorded], [3540, { wait: 60, runtime: 3600, status: 'timeout' }]],
  ])('reads %s', (_, change, options, facts, expected) => {
    expect(facts(first(change, options))).toEqual(expected)
  })

  it.each<[string, Change, string]>([
    ['failed', { exit: 1 }, 'failed'],
    ['killed', { failed: 100, exit: 137 }, 'failed'],
    ['killed at its limit', { failed: 100, exit: 137, category: '-l h_rt=3600' }, 'timeout'],
    ['killed at its soft limit', { failed: 100, exit: 138, category: '-l h_rt=7200,s_rt=3600' }, 'timeout'],
    ['killed for its memory, within its time', { failed: 37, exit: 137 }, 'failed'],
    ['killed for its memory, without a limit of time', { failed: 37, exit: 137, category: '-l h_vmem=2G' }, 'failed'],
    ['killed at a limit of its queue', { failed: 37, exit: 137, category: 'NONE' }, 'timeout'],
    ['begun again', { failed: 25 }, 'requeued'],
    ['deleted, which Univa records', { failed: 100, exit: 137, rest: ':0:0:NONE:ada@login:1000:900:host:/home:qsub' }, 'cancelled'],
    ['not to be started', { failed: 21 }, 'failed'],
  ])('says that a job was %s', (_, change, status) => {
    expect(first(change).recorded!.status).toBe(status)
  })

  it('tells of tasks of parallel jobs, of jobs that never started and of those that were begun again', () => {
    const trace = read([record({ peTask: '1.n2' }), record(), record({ start: 1_700_005_000, end: 1_700_006_000 }), record({ job: 9, start: 0, end: 0, failed: 21 })], { gpuDemand: true })
    expect([...jobsOf(trace)].map(({ id }) => id)).toEqual(['101', '101#2'])
    expect(trace.report.notes?.slice(2)).toEqual([
      '1 step of a job: left out (steps)', '1 job that never started: left out (neverStarted)', '1 job with the id of one above, begun again: called <id>#2, <id>#3, ... (repeated)',
    ])
  })

  it('submits a run again when the run before it ended, unless its record says later', () => {
    const [submit, start] = [1_700_000_000, 1_700_000_060]
    const runs: Change[] = [
      { job: 1, end: start + 40, failed: 24, exit: 137 }, { job: 2, end: start + 50, failed: 25, exit: 99 }, { job: 1, start: start + 45, end: start + 90, failed: 100, exit: 137 },
      { job: 2, submit: submit + 120, start: start + 70, end: start + 80 }, { job: 1, start: start + 95, end: start + 99 },
    ]
    const trace = read(runs.map(record))
    expect([...jobsOf(trace)].map(({ id, submit: at, recorded }) => [id, at, recorded!.wait])).toEqual([['1', 0, 60], ['2', 0, 60], ['1#2', 100, 5], ['2#2', 120, 10], ['1#3', 150, 5]])
    expect(trace.report.notes).toContain('2 jobs begun again after a run that failed: submitted when that ended (again)')
  })

  it('gives no id to attempts that never ran, also to those of qmod -rj, whose records have no times', () => {
    const trace = read([record({ submit: 0, start: 0, end: 0, failed: 25 }), record({ start: 0, end: 0, failed: 27 }), record()])
    expect([...jobsOf(trace)].map(({ id, submit }) => [id, submit])).toEqual([['101', 0]])
    expect(trace.report.notes).toContain('2 jobs that never started: left out (neverStarted)')
  })

  it('counts jobs in an advance reservation', () => {
    expect(read([record({ rest: ':12:1699990000' }), record({ job: 1 })]).report.notes).toContain('1 job in a reservation of nodes: run like all others, except under replan with such a reservation (reservations)')
  })

  it.each<[string, string, string]>([
    ['a record that ends early', record().split(':').slice(0, 30).join(':'), '"accounting" line 6: found 30 fields, expected at least 43.'],
    ['a record that ends in its category', record().split(':').slice(0, 40).join(':'), '"accounting" line 6 category: found "-U users -l h_rt=7200,h_vmem=2G,gpu=2 -pe mpi 16", expected a category, iow, pe_taskid and maxvmem.'],
    ['a time that is none', record({ submit: 'soon' }), '"accounting" line 6 submission_time: found "soon", expected a whole number of at least 0.'],
    ['a limit that is none', record({ category: '-l h_rt=long' }), '"accounting" line 6 category: found h_rt=long, expected a span of time such as 3600 or 1:00:00.'],
    ['a soft limit that is none', record({ category: '-l s_rt=long' }), '"accounting" line 6 category: found s_rt=long, expected a span of time such as 3600 or 1:00:00.'],
    ['memory that is none', record({ category: '-l h_vmem=much' }), '"accounting" line 6 category: found h_vmem=much, expected an amount such as 4G.'],
  ])('names file, line and field of %s', (_, line, message) => {
    expect(messageOf(() => read([record({ job: 1 }), line]))).toContain(message)
    const kept = read([record({ job: 1 }), line], {}, { onBadLine: 'skip' })
    expect([[...jobsOf(kept)].map(({ id }) => id), kept.report.skipped]).toEqual([['1'], 1])
  })
})
