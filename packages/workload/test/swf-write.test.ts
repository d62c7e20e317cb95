import { SchedError, type JobSpec } from '@sched/core'
import fc from 'fast-check'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { facebook, jobsOf, parseSwf, swfResultHeader, swfRows, writeSwf, writeSwfStream, type SwfRow, type SwfWriteOptions } from '../src/index.js'
import { saveLines, swf } from '../src/node/index.js'

const write = (rows: Iterable<SwfRow>, options?: SwfWriteOptions) => [...writeSwf(rows, options)].join('')
const read = (text: string) => parseSwf(new TextEncoder().encode(text), { overrun: 'keep', missingEstimate: 'unknown' })
const job = (change: Partial<JobSpec> = {}): JobSpec => (
  { id: '1', submit: 0, stages: [{ name: 'job', tasks: 1, demand: { procs: 4 }, duration: 100 }], ...change })

describe('writing SWF', () => {
  it('gives a header and 18 fields a line, -1 for what is absent', () => {
    const header = [['Version', '2.1'], ['Computer', 'x'], ['MaxProcs', '8'], ['Note', 'one\ntwo']] as const
    expect(write([{ job: 3, submit: 10, wait: 2, runtime: 100, allocated: 4, status: 1 }], { header })).toBe([
      '; Version: 2.2', '; Computer: x', '; MaxProcs: 8', '; Note: one', ';       two', ';', '3 10 2 100 4 -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1', '',
    ].join('\n'))
  })

  it('gives back its header when it is read', () => {
    const header: [string, string][] = [['Version', '2.2'], ['MaxProcs', '8'], ['Note', 'one\ntwo\nthree'], ['Queue', '1 a'], ['Queue', '2 b'], ['Note', 'four']]
    expect(read(write([{ job: 1, submit: 0, runtime: 1, allocated: 1 }], { header })).header).toEqual(header)
  })

  it('gives results the header of their log, without its counts and with the machine that was used', () => {
    const header = [['Version', '2'], ['Computer', 'x'], ['MaxJobs', '9'], ['MaxRecords', '9'], ['UnixStartTime', '5'], ['MaxProcs', '100'], ['Note', 'cleaned']] as const
    const machine = { procs: 128, resources: { procs: 128 }, origin: '' }
    expect(swfResultHeader({ header, machine, note: 'simulated: easy' })).toEqual([
      ['Version', '2.2'], ['Computer', 'x'], ['UnixStartTime', '5'], ['Note', 'cleaned'], ['MaxProcs', '128'], ['Note', 'simulated: easy']])
    expect(swfResultHeader({ note: 'n' })).toEqual([['Version', '2.2'], ['UnixStartTime', '0'], ['Note', 'n']])
  })

  it('rounds seconds unless told to keep fractions', () => {
    const rows = [{ job: 1, submit: 0.4, wait: 1.5, runtime: 0.0000001 }]
    expect(write(rows)).toContain('\n1 0 2 0 -1')
    expect(write(rows, { fractions: true })).toContain('\n1 0.4 1.5 0.0000001 -1')
  })

  it('writes rows that come one by one alike', async () => {
    const rows = [{ job: 1, submit: 0 }, { job: 2, submit: 5 }]
    const lines: string[] = []
    for await (const line of writeSwfStream((async function* () { yield* rows })(), { header: [['MaxProcs', '1']] })) lines.push(line)
    expect(lines.join('')).toBe(write(rows, { header: [['MaxProcs', '1']] }))
  })

  it('gives back the jobs it was given: write, then read', () => {
    const name = fc.nat(50).map(String)
    const time = fc.oneof(fc.nat(1e6), fc.double({ min: 0.001, max: 1e6, noNaN: true }))
    const anyJob = fc.record({
      submit: time, runtime: time, procs: fc.integer({ min: 1, max: 100_000 }), estimate: fc.option(time.filter((seconds) => seconds > 0), { nil: undefined }), user: name, group: name,
      queue: name, partition: name, application: name, wait: time, status: fc.constantFrom('completed', 'failed', 'cancelled'),
    })
    fc.assert(fc.property(fc.array(anyJob, { minLength: 1, maxLength: 8 }), (drafts) => {
      const jobs = drafts.sort((a, b) => a.submit - b.submit).map(({ submit, runtime, procs, estimate, wait, status, ...names }, i) => job({
        id: String(i), submit, ...names, ...(estimate !== undefined && { estimate }), recorded: { wait, status },
        stages: [{ name: 'job', tasks: 1, demand: { procs }, duration: runtime }],
      }))
      const row = swfRows()
      expect([...jobsOf(read(write(jobs.map((one) => row(one, { wait: one.recorded!.wait })), { fractions: true })))]).toEqual(jobs)
    }), { numRuns: 100, seed: 20_265 })
  })

  it('numbers names in order of use, past the numbers that are taken', () => {
    const row = swfRows()
    const users = ['ada', '1', 'bob', '7', 'ada', '2'].map((user, i) => row(job({ id: `job${i}`, user })))
    // "1" is taken by ada when it comes, so it is numbered like a name
    expect(users.map(({ user }) => user)).toEqual([1, 2, 3, 7, 1, 4])
    expect(users.map((one) => one.job)).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('takes run time, wait and status from a run, memory per processor from the demand', () => {
    const wide = job({ stages: [{ name: 'job', tasks: 1, demand: { procs: 3, mem: 10 }, duration: 100 }], recorded: { status: 'failed' } })
    // 10 MiB * 1,024 / 3 = 3,413.3; 3,413 x 3 KiB are 9.999 MiB, which is read as 10, and 3,414 x 3 are 10.002, read as 11
    expect(swfRows()(wide, { wait: 7, runtime: 90, status: 'completed' })).toMatchObject({ wait: 7, runtime: 90, status: 1, requestedMemory: 3413 })
    expect(swfRows()(wide)).toMatchObject({ wait: undefined, runtime: 100, status: 0 })
    const gang = job({ stages: [{ name: 'job', tasks: 3, gang: true, demand: { procs: 2, mem: 10 }, duration: 100 }] })
    expect(swfRows()(gang)).toMatchObject({ requested: 6, allocated: 6, requestedMemory: (30 * 1024) / 6 })
    const stages = [{ ...gang.stages[0]!, duration: 80 }, { name: 'b', tasks: 2, gang: true, demand: { procs: 5 }, duration: 120 }]
    expect(swfRows()(job({ gang: true, stages }))).toMatchObject({ requested: 16, runtime: 120, requestedMemory: Math.ceil((30 * 1024) / 16) })
  })

  it.each<[string, () => unknown, string]>([
    ['two stages', () => swfRows()(job({ stages: [...job().stages, ...job().stages] })), 'job "1": is more than one task, and no gang.'],
    ['slots', () => swfRows()([...jobsOf(facebook())].find(({ stages }) => stages[0]!.tasks === 1)!), 'asks for map, not for procs or nodes.'],
    ['a distribution', () => swfRows()(job({ stages: [{ ...job().stages[0]!, duration: { kind: 'exponential', mean: 1 } }] })), 'job "1": has no fixed run time. The Standard Workload Format holds rigid jobs only'],
    ['NaN', () => write([{ job: 5, submit: NaN }]), 'job 5 submit time: found NaN, expected a number. Give a finite one, or -1 for what is not known.'],
    ['a header field that is no name', () => write([], { header: [['max procs', '3']] }), 'header field "max procs" is no name of letters'],
  ])('refuses %s', (_, doing, message) => {
    expect(doing).toThrow(SchedError)
    expect(doing).toThrow(message)
  })

  it('writes files, packed by their name, that are read again', { tags: 'long' }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sched-swf-'))
    const rows = Array.from({ length: 2_000 }, (_, i) => ({ job: i, submit: i, runtime: 5, allocated: 2, requestedTime: 10 }))
    for (const name of ['a.swf', 'b.swf.gz']) await saveLines(writeSwf(rows), join(folder, name))
    expect(gunzipSync(readFileSync(join(folder, 'b.swf.gz')))).toEqual(readFileSync(join(folder, 'a.swf')))
    expect(swf(join(folder, 'b.swf.gz')).jobs).toBe(2_000)
    rmSync(folder, { recursive: true })
  })
})
