import type { JobSpec } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { describe as summaryOf, jobsOf, scaleLoad, timeWindow, type SwfOptions } from '../src/index.js'
import { swfFormat } from '../src/swf/format.js'
import { LineDecoder } from '../src/trace/line-decoder.js'
import { bytesOf, messageOf } from './reading.js'
import { first, header, jobs, read, row, ruleNotes, runtimeOf, streamed, type Row } from './swf-log.js'

describe('the clock of a log', () => {
  it('is that of its header, with the time zone that it names, if there is such a one', () => {
    const facts = (lines: string) => {
      const { start, timeZone } = swfFormat.facts!(swfFormat.options.parse({}), bytesOf(`${lines}${header}`))
      return [start, timeZone]
    }
    const unix = '; UnixStartTime: 835823160\n'
    expect([`${unix}; TimeZoneString: US/Eastern\n`, `${unix}; TimeZoneString: somewhere\n`, unix, '; TimeZoneString: US/Eastern\n'].map(facts)).toEqual([
      [835_823_160, 'US/Eastern'], [835_823_160, undefined], [835_823_160, undefined], [undefined, undefined],
    ])
    const log = read(`${unix}; TimeZoneString: US/Eastern\n${header}${row({})}\n`)
    expect(timeWindow(log, 10, 20)).toMatchObject({ start: 835_823_170, timeZone: 'US/Eastern' })
  })
})

describe('a job of a log', () => {
  it('is one task that takes all its processors, with what the log recorded beside it', () => {
    expect(first({ job: 12, submit: 30, application: 5, partition: 1 })).toEqual({
      id: '12', submit: 30, user: '7', group: '3', queue: '2', partition: '1', application: '5', estimate: 200,
      recorded: { wait: 5, status: 'completed' },
      stages: [{ name: 'job', tasks: 1, demand: { procs: 4 }, duration: 100 }],
    })
  })

  it('has no field for what the log does not know', () => {
    const job = first({ wait: -1, status: -1, user: -1, group: -1, queue: -1 })
    expect(Object.keys(job).sort()).toEqual(['estimate', 'id', 'stages', 'submit'])
  })

  it('gives a gang of one task per processor, or per node, on a machine of so many nodes if asked', () => {
    const text = `${header}${row({ requested: 3 })}\n`
    for (const [unit, tasks, nodes] of [['procs', 3, 8], ['nodes', 2, 4]] as const) {
      const trace = read(text, { unit, tasks: 'each' })
      expect([...jobsOf(trace)][0]!.stages).toEqual([{ name: 'job', tasks, gang: true, demand: { [unit]: 1 }, duration: 100 }])
      expect(trace.machine).toMatchObject({ resources: { [unit]: nodes }, separate: true })
      expect(streamed(text, 7, { unit, tasks: 'each' })).toEqual([...jobsOf(trace)])
    }
    expect(messageOf(() => read(`${header}${row({ requested: 9 })}\n`, { tasks: 'each' }))).toContain('the job asks for 9 procs, the machine has 8')
  })

  it('may be some whole nodes: 8 processors on 4 nodes are 2 a node, so 3 processors take 2 nodes', () => {
    const trace = read(`${header}${row({ requested: 3 })}\n`, { unit: 'nodes' })
    expect([...jobsOf(trace)][0]!.stages[0]!.demand).toEqual({ nodes: 2 })
    expect(trace.machine).toMatchObject({ procs: 8, nodes: 4, resources: { nodes: 4 } })
  })

  it('asks for memory when told: KiB per processor, times processors, in MiB rounded up', () => {
    // 1,000 KiB * 4 / 1,024 = 3.9; 300 KiB * 4 / 1,024 = 1.2
    const change = { memory: 1000, usedMemory: 300 }
    expect(first(change, { memory: 'requested', mem: 100 }).stages[0]!.demand).toEqual({ procs: 4, mem: 4 })
    expect(first(change, { memory: 'used', mem: 100 }).stages[0]!.demand).toEqual({ procs: 4, mem: 2 })
    expect(first(change).stages[0]!.demand).toEqual({ procs: 4 })
  })

  it('waits for the job before it when told, if that one was read', () => {
    const text = [row({ job: 1 }), row({ job: 2, submit: 9, preceding: 1, think: 30 }), row({ job: 3, submit: 10, preceding: 99, think: 1 })].join('\n')
    const chains = (options?: SwfOptions) => jobs(text, options).map(({ after, think }) => [after, think])
    expect(chains({ dependencies: 'keep' })).toEqual([[undefined, undefined], ['1', 30], [undefined, undefined]])
    const failed = [row({ job: 1, status: 0 }), row({ job: 2, submit: 9, preceding: 1, think: 30 })].join('\n')
    expect(jobs(failed, { dependencies: 'keep', status: ['completed'] })[0]).not.toHaveProperty('after')
    expect(chains()).toEqual([[undefined, undefined], [undefined, undefined], [undefined, undefined]])
    const lost = '1 job after a job that is not above them or was left out: submitted when the log says (dependencies)'
    expect(ruleNotes(text, { dependencies: 'keep' })).toContain(lost)
    const decoder = new LineDecoder((place) => swfFormat.create(swfFormat.options.parse({ dependencies: 'keep' }), place), {})
    decoder.push(bytesOf(`${text}\n`))
    decoder.end()
    while (decoder.next() !== undefined) continue
    expect(decoder.more.notes).toContain(lost)
    expect(ruleNotes(text)).toContain('2 jobs after another job: submitted when the log says, all the same (dependencies)')
  })
})

describe('rules', () => {
  /** The first job with the rule's default and with another choice, and the rule's note. */
  const cases: [string, Row, SwfOptions, (job: JobSpec | undefined) => unknown, unknown, string][] = [
    ['processors requested', { requested: 2 }, {}, (job) => job?.stages[0]!.demand, { procs: 2 }, ''],
    ['processors allocated', { requested: 2 }, { processors: 'allocated' }, (job) => job?.stages[0]!.demand, { procs: 4 }, ''],
    ['processors, requested unknown', { requested: -1 }, {}, (job) => job?.stages[0]!.demand, { procs: 4 }, '1 job without requested processors: the allocated ones taken (processors)'],
    ['processors, allocated unknown', { allocated: -1 }, { processors: 'allocated' }, (job) => job?.stages[0]!.demand, { procs: 4 }, '1 job without allocated processors: the requested ones taken (processors)'],
    ['missing estimate: run time', { time: -1 }, {}, (job) => job?.estimate, 100, '1 job without estimate: estimated at their run time (missingEstimate)'],
    ['missing estimate: factor', { time: -1 }, { missingEstimate: 2.5 }, (job) => job?.estimate, 250, '1 job without estimate: estimated at 2.5 times their run time (missingEstimate)'],
    ['missing estimate: unknown', { time: 0 }, { missingEstimate: 'unknown' }, (job) => job?.estimate, undefined, '1 job without estimate: left so (missingEstimate)'],
    ['overrun: kill', { runtime: 250 }, {}, (job) => [runtimeOf(job!), job?.estimate, job?.recorded!.runtime], [200, 200, 250], '1 job longer than estimated: cut at the estimate (overrun)'],
    ['overrun: extend', { runtime: 250 }, { overrun: 'extend' }, (job) => [runtimeOf(job!), job?.estimate, job?.recorded!.runtime], [250, 250, undefined], '1 job longer than estimated: estimate raised to the run time (overrun)'],
    ['overrun: keep', { runtime: 250 }, { overrun: 'keep' }, (job) => [runtimeOf(job!), job?.estimate], [250, 200], '1 job longer than estimated: kept (overrun)'],
    ['run time 0: keep', { runtime: 0 }, {}, (job) => runtimeOf(job!), 0, '1 job of run time 0: kept (zeroRuntime)'],
    ['run time 0: skip', { runtime: 0 }, { zeroRuntime: 'skip' }, (job) => job, undefined, '1 job of run time 0: left out (zeroRuntime)'],
    ['run time 0: seconds', { runtime: 0 }, { zeroRuntime: 1 }, (job) => [runtimeOf(job!), job?.recorded!.runtime], [1, 0], '1 job of run time 0: run 1 s (zeroRuntime)'],
    ['run time unknown: skip', { runtime: -1 }, {}, (job) => job, undefined, '1 job of unknown run time: left out (unknownRuntime)'],
    ['run time unknown: zero', { runtime: -1 }, { unknownRuntime: 'zero' }, (job) => runtimeOf(job!), 0, '1 job of unknown run time: run 0 s (unknownRuntime)'],
    ['run time unknown: estimate', { runtime: -1 }, { unknownRuntime: 'estimate' }, (job) => runtimeOf(job!), 200, '1 job of unknown run time: run as long as estimated, left out without estimate (unknownRuntime)'],
    ['run time and estimate unknown', { runtime: -1, time: -1 }, { unknownRuntime: 'estimate' }, (job) => job, undefined, '1 job of unknown run time: run as long as estimated, left out without estimate (unknownRuntime)'],
    ['status: all', { status: 5 }, {}, (job) => job?.recorded!.status, 'cancelled', ''],
    ['status: completed', { status: 0 }, { status: ['completed'] }, (job) => job, undefined, '1 job of a status other than completed: left out (status)'],
    ['status: unknown', { status: -1 }, { status: ['completed', 'unknown'] }, (job) => job?.id, '1', ''],
    ['status: not unknown', { status: -1 }, { status: ['failed'] }, (job) => job, undefined, '1 job of a status other than failed: left out (status)'],
    ['no processors', { requested: 0, allocated: -1 }, {}, (job) => job, undefined, '1 job without processors: left out (noProcs)'],
    ['no submit time', { submit: -1 }, {}, (job) => job, undefined, '1 job without submit time: left out (submit)'],
    ['wide: skip', { requested: 9 }, { wide: 'skip' }, (job) => job, undefined, '1 job wider than the machine: left out (wide)'],
    ['wide: clip', { requested: 9 }, { wide: 'clip' }, (job) => job?.stages[0]!.demand, { procs: 8 }, '1 job wider than the machine: cut to the machine (wide)'],
    ['wide in memory: clip', { memory: 1024 * 50 }, { wide: 'clip', memory: 'requested', mem: 100 }, (job) => job?.stages[0]!.demand, { procs: 4, mem: 100 }, '1 job wider than the machine: cut to the machine (wide)'],
    ['no memory known', { memory: -1 }, { memory: 'requested', mem: 100 }, (job) => job?.stages[0]!.demand, { procs: 4 }, '1 job without requested memory: none asked for (memory)'],
    ['memory that is a flag of Slurm', { memory: '9223372036854779904' }, { memory: 'requested', mem: 100 }, (job) => job?.stages[0]!.demand, { procs: 4 }, '1 job without requested memory: none asked for (memory)'],
    ['the same where no memory is asked for', { memory: '9223372036854779904' }, {}, (job) => job?.stages[0]!.demand, { procs: 4 }, ''],
  ]

  it.each(cases)('%s', (_, change, options, facts, expected, note) => {
    const text = `${header}${row(change)}\n${row({ job: 2, submit: 1, memory: 10, status: options.status?.[0] === 'failed' ? 0 : 1 })}\n` // the second is always kept
    const found = [...jobsOf(read(text, options))]
    expect(facts(found.find(({ id }) => id === '1'))).toEqual(expected)
    expect(found.at(-1)!.id).toBe('2')
    const notes = read(text, options).report.notes
    expect(note === '' ? notes : notes!.map((one) => one.replace(/^2 jobs/, '1 job'))).toEqual(note === '' ? [] : [note])
    expect(streamed(text, 7, options)).toEqual(found)
  })

  it('leave out a job wider than the machine that did not run, cancelled while it waited, and refuse one that ran', () => {
    const waited = row({ job: 1, requested: 4000, allocated: -1, runtime: 0, status: 5 })
    const found = read(`${header}${waited}\n${row({ job: 2, submit: 3 })}\n`)
    expect([...jobsOf(found)].map(({ id }) => id)).toEqual(['2'])
    expect(found.report.rules!.map(({ rule, jobs }) => [rule, jobs])).toEqual([['zeroRuntime', 1], ['wideNeverRan', 1]])
    expect(messageOf(() => read(`${header}${waited.replace(' 0 -1 ', ' 1 -1 ')}\n`))).toContain('asks for 4000 procs, the machine has 8')
  })

  it('tell of jobs that are known by their pieces alone', () => {
    const text = [row({ job: 1 }), row({ job: 1, status: 2 }), row({ job: 1, status: 3, submit: -1 }), row({ job: 2, status: 2 }), row({ job: 2, status: 4, submit: -1 })].join('\n')
    expect(ruleNotes(header + text)).toEqual([
      '1 job has lines about pieces only (status 2, 3 or 4), and none about the whole that is read: not among the jobs',
      '4 jobs with status 2, 3 or 4, pieces of a job that has a line of its own: left out (partial)',
    ])
    expect([jobs(header + text), streamed(header + text, 7)].map((found) => found.map(({ id }) => id))).toEqual([['1'], ['1']])
  })

  it('tell of numbers below 0 other than -1, which are as unknown', () => {
    const text = [row({ job: 1, wait: -3, user: -2 }), row({ job: 2, runtime: -5, cpu: -7 }), row({ job: 3, runtime: -1 }), row({ job: 4 })].join('\n')
    expect(ruleNotes(header + text)).toEqual([
      '2 jobs with a number below 0 other than -1 (wait time -3 in line 5): taken as unknown, like -1 (negative)', '2 jobs of unknown run time: left out (unknownRuntime)',
    ])
    for (const found of [jobs(header + text), streamed(header + text, 9)]) expect(found.map(({ id, user, recorded }) => [id, user, recorded])).toEqual([['1', undefined, { status: 'completed' }], ['4', '7', { wait: 5, status: 'completed' }]])
  })

  it('are counted per job, by name', () => {
    const text = [row({ job: 1, runtime: 0 }), row({ job: 2, runtime: 300 }), row({ job: 3, runtime: 400 }), row({ job: 4 })].join('\n')
    expect(read(text).report.rules!.map(({ rule, jobs }) => [rule, jobs])).toEqual([['zeroRuntime', 1], ['overrun', 2]])
  })

  it('sort jobs that are out of order, equal times in the order of the log', () => {
    const text = [row({ job: 1, submit: 50 }), row({ job: 2, submit: 20 }), row({ job: 3, submit: 50 }), row({ job: 4, submit: 20 }), row({ job: 5, submit: 60 })].join('\n')
    expect(jobs(text).map(({ id, submit }) => [id, submit])).toEqual([['2', 20], ['4', 20], ['1', 50], ['3', 50], ['5', 60]])
    expect(ruleNotes(text)).toContain('2 jobs submitted before one above: sorted (sorted)')
  })
})

describe('a log with other transformations', () => {
  const text = `${header}${[0, 100, 200, 300].map((submit, i) => row({ job: i + 1, submit })).join('\n')}\n`

  it('may be cut to a time window and loaded more', () => {
    const some = timeWindow(read(text), 100, 300)
    expect([...jobsOf(some)].map(({ id, submit }) => [id, submit])).toEqual([['2', 0], ['3', 100]])
    expect([...jobsOf(scaleLoad(some, 2))].map(({ submit }) => submit)).toEqual([0, 50])
  })

  it('has the load of its processors: 4 x 100 s of 8 over 300 s each', () => {
    // 4 jobs * 4 procs * 100 s / (8 procs * 300 s)
    const trace = read(text)
    expect(summaryOf(trace, trace.machine!.resources).resources).toMatchObject([{ resource: 'procs', work: 1600, load: 1600 / 2400 }])
  })
})
