import { SchedError, type JobSpec, type StageSpec, type Workload } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jobsOf, lublin, parseSwf, swfLog, workloadOf, type Machine, type SwfOptions, type TraceFacts } from '../src/index.js'
import { swfFormat } from '../src/swf/format.js'
import { LineDecoder } from '../src/trace/line-decoder.js'
import { bytesOf } from './reading.js'

const job = (change: Partial<JobSpec> = {}, stage: Partial<StageSpec> = {}): JobSpec => (
  { id: '1', submit: 0, estimate: 200, stages: [{ name: 'job', tasks: 1, demand: { procs: 4 }, duration: 100, ...stage }], ...change })
const machineOf = (facts: Partial<Machine> = {}): Machine => ({ procs: 8, resources: { procs: 8 }, origin: '', ...facts })
const workload = (jobs: readonly JobSpec[], facts: TraceFacts = { machine: machineOf() }): Workload => ({ ...workloadOf('jobs', jobs), ...facts })

async function written(of: Workload): Promise<{ readonly text: string; readonly notes: readonly string[] }> {
  const { lines, notes } = await swfLog(of)
  let text = ''
  for await (const line of lines([])) text += line
  return { text, notes }
}
const rowsOf = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith(';'))
/** The options that a note says for reading the same jobs again. */
const optionsIn = (notes: readonly string[]): SwfOptions =>
  Object.fromEntries([...notes.join('\n').matchAll(/--option (\w+)=(\S+)/g)].map(([, name, value]) => [name!, /^\d+$/.test(value!) ? Number(value) : value]))
const readAgain = ({ text, notes }: { readonly text: string; readonly notes: readonly string[] }) => parseSwf(bytesOf(text), optionsIn(notes))

describe('a workload as SWF', () => {
  it('is a header and a line per job: recorded waits, KiB per processor, numbers for names in order of appearance, and their names', async () => {
    const jobs = [
      job({ id: 'b', user: 'ada', group: 'staff', queue: 'batch', partition: 'thin nodes', application: 'solver', recorded: { wait: 7, status: 'timeout' } }, { demand: { procs: 4, mem: 100 } }),
      job({ id: 'a', submit: 10, user: 'bob', queue: 'short', partition: 'thin nodes', after: 'b', think: 5, recorded: { wait: 0, status: 'completed' } }),
      job({ id: 'c', submit: 20, user: 'ada', queue: 'batch' }),
    ]
    const { text, notes } = await written(workload(jobs, { machine: machineOf({ nodes: 2 }), header: [['Computer', 'x'], ['MaxJobs', '99'], ['Queue', '1 old']], start: 1_000_000 }))
    // 100 MiB x 1,024 / 4 = 25,600 KiB
    expect(text).toBe([
      '; Version: 2.2', '; Computer: x', '; MaxJobs: 3', '; MaxRecords: 3', '; UnixStartTime: 1000000', '; MaxNodes: 2', '; MaxProcs: 8', '; User: 1 ada', '; User: 2 bob',
      '; Group: 1 staff', '; Application: 1 solver', '; MaxQueues: 2', '; Queue: 1 batch', '; Queue: 2 short', '; MaxPartitions: 1', '; Partition: 1 thin nodes', ';',
      '1 0 7 100 4 -1 -1 4 200 25600 0 1 1 1 1 1 -1 -1', '2 10 0 100 4 -1 -1 4 200 -1 1 2 -1 -1 2 1 1 5', '3 20 -1 100 4 -1 -1 4 200 -1 -1 1 -1 -1 1 -1 -1 -1', '',
    ].join('\n'))
    expect(notes).toEqual([
      'the Standard Workload Format has no place for recorded.status (1 job)',
      '3 jobs numbered anew: their ids are no whole numbers, or taken by others',
      'the same jobs are read from it with --option memory=requested --option dependencies=keep',
    ])
  })

  it('has the CPU time and the memory that a log recorded, where they were read', async () => {
    const log = '; MaxProcs: 8\n1 0 5 100 4 80.5 2048 4 200 -1 1 1 -1 -1 1 1 -1 -1\n2 10 5 100 4 -1 -1 4 200 -1 1 1 -1 -1 1 1 -1 -1\n3 20 -1 100 4 -1 512 4 200 -1 -1 1 -1 -1 1 1 -1 -1\n'
    const kept = parseSwf(bytesOf(log), { recordedUse: 'keep' })
    expect([...jobsOf(kept)].map(({ recorded }) => recorded)).toEqual([{ wait: 5, status: 'completed', cpuTime: 80.5, mem: 2 }, { wait: 5, status: 'completed' }, { mem: 0.5 }])
    expect(rowsOf((await written(kept)).text)).toEqual(rowsOf(log))
    expect((await written(kept)).notes).toContain('the same jobs are read from it with --option recordedUse=keep')
    expect(rowsOf((await written(parseSwf(bytesOf(log)))).text)[0]).toBe('1 0 5 100 4 -1 -1 4 200 -1 1 1 -1 -1 1 1 -1 -1')
    const decoder = new LineDecoder((place) => swfFormat.create(swfFormat.options.parse({ recordedUse: 'keep', memory: 'requested' }), place), {})
    decoder.push(bytesOf(log))
    decoder.end()
    expect(decoder.next()?.recorded).toEqual({ wait: 5, status: 'completed', cpuTime: 80.5, mem: 2 })
  })

  it('has no size of the machine and no start where they are not known', async () => {
    expect((await written(workload([job()], {}))).text).toBe('; Version: 2.2\n; UnixStartTime: 0\n; MaxJobs: 1\n; MaxRecords: 1\n;\n1 0 -1 100 4 -1 -1 4 200 -1 -1 -1 -1 -1 -1 -1 -1 -1\n')
  })

  it('gives the same jobs and machine when it is read as its notes say', async () => {
    const name = fc.nat(50).map(String)
    const time = fc.oneof(fc.nat(1e6), fc.double({ min: 0.001, max: 1e6, noNaN: true }))
    const anyJob = fc.record({
      submit: time, runtime: time, procs: fc.integer({ min: 1, max: 512 }), mem: fc.option(fc.integer({ min: 1, max: 1e6 }), { nil: undefined }), estimate: fc.option(time.filter((seconds) => seconds > 0), { nil: undefined }),
      user: name, group: name, queue: name, partition: name, application: name, wait: time, status: fc.constantFrom('completed', 'failed', 'cancelled'), chained: fc.boolean(), think: fc.integer({ min: 1, max: 100 }),
      cpuTime: fc.option(time, { nil: undefined }), kib: fc.option(fc.nat(1e9), { nil: undefined }),
    })
    await fc.assert(fc.asyncProperty(fc.array(anyJob, { minLength: 1, maxLength: 8 }), fc.boolean(), async (drafts, withMem) => {
      const jobs = drafts.sort((a, b) => a.submit - b.submit).map(({ submit, runtime, procs, mem, estimate, wait, status, chained, think, cpuTime, kib, ...names }, i): JobSpec => ({
        id: String(i + 1), submit, ...names, ...(estimate !== undefined && { estimate }), ...(chained && i > 0 && { after: String(i), think }), recorded: { wait, status, ...(cpuTime !== undefined && { cpuTime }), ...(kib !== undefined && { mem: kib / 1024 }) },
        stages: [{ name: 'job', tasks: 1, demand: { procs, ...(withMem && mem !== undefined && { mem }) }, duration: runtime }],
      }))
      const asksMem = jobs.some(({ stages }) => stages[0]!.demand['mem'] !== undefined)
      const machine = machineOf({ procs: 512, resources: { procs: 512, ...(asksMem && { mem: 2_000_000 }) } })
      const again = readAgain(await written(workload(jobs, { machine })))
      expect([[...jobsOf(again)], again.machine!.resources]).toEqual([jobs, machine.resources])
    }), { numRuns: 100, seed: 20_267 })
  })

  it('writes whole nodes as their processors, and gives as many nodes again', async () => {
    const jobs = Array.from({ length: 100 }, (_, i) => job({ id: String(i + 1) }, { demand: { nodes: i + 1 } }))
    for (const machine of [machineOf({ procs: 338, nodes: 100, resources: { nodes: 100 } }), { nodes: 100, resources: { nodes: 100 }, origin: '' }]) {
      const log = await written(workload(jobs, { machine }))
      expect(rowsOf(log.text).at(-1)!.split(' ')[7]).toBe(String('procs' in machine ? 338 : 100))
      const again = readAgain(log)
      expect([[...jobsOf(again)], again.machine!.resources]).toEqual([jobs, { nodes: 100 }])
    }
  })

  it('writes a gang of one task per processor as its processors, and gives the gang again on such a machine', async () => {
    const jobs = [job({}, { tasks: 6, gang: true, demand: { procs: 1 } })]
    const log = await written(workload(jobs, { machine: machineOf({ separate: true }) }))
    expect([rowsOf(log.text)[0]!.split(' ')[7], log.notes, [...jobsOf(readAgain(log))]]).toEqual(['6', ['the same jobs are read from it with --option tasks=each'], jobs])
    expect((await written(workload(jobs))).notes).toEqual(['the Standard Workload Format has no place for tasks on nodes of their own (1 job)'])
  })

  it('has the recorded run time of a job that was cut at its estimate, which readers cut again, unless another job runs longer than estimated', async () => {
    const cut = job({ estimate: 100, recorded: { runtime: 130 } })
    const log = await written(workload([cut]))
    expect([rowsOf(log.text)[0]!.split(' ')[3], log.notes, [...jobsOf(readAgain(log))]]).toEqual(['130', ['1 job with the recorded run time, which readers cut at the estimate again'], [cut]])
    const longer = job({ id: '2', estimate: 50 })
    const both = await written(workload([cut, longer]))
    expect([rowsOf(both.text).map((row) => row.split(' ')[3]), both.notes]).toEqual([['100', '100'], ['the Standard Workload Format has no place for recorded.runtime (1 job)', 'the same jobs are read from it with --option overrun=keep']])
    expect([...jobsOf(readAgain(both))]).toEqual([job({ estimate: 100 }), longer])
  })

  it('counts what it has no place for, by the names of the native format', async () => {
    const jobs = [
      job({ account: 'a', qos: 'q', licenses: { fluent: 1 }, priority: 3, recorded: { runtime: 50 } }, { constraints: { require: { fast: 'true' } } }),
      job({ id: '2', account: 'a', submit: 0.5, estimate: 0 }, { duration: 0 }), job({ id: '0', submit: 1 }), job({ id: '3', submit: 1, after: '0' }),
    ]
    expect((await written(workload(jobs))).notes).toEqual([
      'the Standard Workload Format has no place for account (2 jobs), qos (1 job), licenses (1 job), priority (1 job), constraints (1 job), recorded.runtime (1 job)',
      '1 job after job 0, which is none in the format', '1 job with fractions of seconds, which the format allows and some readers do not know',
    ])
  })

  it.each<[string, Workload, string]>([
    ['a job of several stages', workload([job(), job({ id: 'x', stages: [...job().stages, ...job().stages] })]), 'job "x": is more than one task, and no gang.'],
    ['tasks that are no gang', workload([job({}, { tasks: 2 })]), 'job "1": is more than one task, and no gang.'],
    ['a gang of several kinds of tasks', workload([job({ gang: true, stages: [2, 3].map((procs) => ({ name: 's', tasks: 1, gang: true, demand: { procs }, duration: 5 })) })]),
      'job "1": is a gang of 2 kinds of tasks, and a line of the Standard Workload Format is of one. Parts of a heterogeneous job are jobs of their own with --option hetjobs=apart. Or write the native format'],
    ['GPUs', workload([job({}, { demand: { procs: 1, gpus: 2 } })]), 'job "1": asks for gpus, for which the Standard Workload Format has no field. Leave gpus out where the trace is read. Or write the native format, which holds any job: name the file jobs.jsonl.'],
    ['nodes beside processors', workload([job({}, { demand: { procs: 1, nodes: 1 } })]), 'job "1": asks for nodes, for which'],
    ['a distribution of durations', workload([job({}, { duration: { kind: 'exponential', mean: 3 } })]), 'job "1": has no fixed run time.'],
    ['a closed loop', { ...workload([job()]), open: () => ({ next: () => undefined, ended: () => undefined }) }, 'is a closed loop'],
  ])('refuses %s', async (_, of, message) => {
    const doing = swfLog(of)
    await expect(doing).rejects.toThrow(SchedError)
    await expect(doing).rejects.toThrow(message)
  })

  it('is the same for jobs that are generated', async () => {
    const jobs = lublin({ jobs: 200, seed: 3 })
    const again = readAgain(await written(jobs))
    expect([[...jobsOf(again)], again.machine!.resources]).toEqual([[...jobsOf(jobs)], { procs: 128 }])
  })
})
