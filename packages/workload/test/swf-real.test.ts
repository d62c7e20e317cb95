import type { JobSpec, Workload } from '@sched/core'
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { describe as summaryOf, jobsOf, parseSwf, parseTrace, streamJobs, take, writeWorkload, type SwfOptions } from '../src/index.js'
import { readBytes, swf } from '../src/node/index.js'
import { swfFormat } from '../src/swf/format.js'
import { LineDecoder } from '../src/trace/line-decoder.js'
import { realTrace } from './traces.js'

/** Digest of all jobs, hashed in pieces: a call per job costs more than reading it. */
class Digest {
  readonly #hash = createHash('sha256')
  #text = ''
  add(job: JobSpec): void {
    this.#text += keyOf(job)
    if (this.#text.length > 1 << 16) this.#flush()
  }
  hex(): string {
    this.#flush()
    return this.#hash.digest('hex')
  }
  #flush(): void {
    this.#hash.update(this.#text)
    this.#text = ''
  }
}
const digestOf = (jobs: Iterable<JobSpec>) => {
  const digest = new Digest()
  for (const job of jobs) digest.add(job)
  return digest.hex()
}
/** All fields of a job in a fixed order. */
const keyOf = ({ id, submit, user, queue, group, partition, application, estimate, recorded, stages: [stage, ...others] }: JobSpec) =>
  `${id} ${submit} ${user} ${queue} ${group} ${partition} ${application} ${estimate} ${recorded?.wait} ${recorded?.runtime} ${recorded?.status} ` +
  `${stage!.name} ${stage!.tasks} ${stage!.demand['procs']} ${stage!.duration as number} ${others.length}\n`
const all = (workload: Workload) => [...jobsOf(workload)]
const logs = {
  nasa: realTrace('swf/NASA-iPSC-1993-3.1-cln.swf.gz'), kth: realTrace('swf/KTH-SP2-1996-2.swf.gz'), ctc: realTrace('swf/CTC-SP2-1996-3.1-cln.swf.gz'),
  hpc2n: realTrace('swf/HPC2N-2002-2.2-cln.swf.gz'), lublin: realTrace('swf/lublin_256.swf.gz'),
}

/** Jobs, processors, offered load (of run times as recorded, over the span of submissions) and counts of the README of the traces. */
const facts = [
  { log: logs.nasa, jobs: 18_239, procs: 128, load: 0.47, rules: { processors: 18_239, zeroRuntime: 173, missingEstimate: 18_239 } },
  { log: logs.kth, jobs: 28_489, procs: 100, load: 0.69, rules: { zeroRuntime: 8, overrun: 475 } },
  { log: logs.ctc, jobs: 77_222, procs: 338, load: 0.84, rules: { processors: 77_222, zeroRuntime: 17, missingEstimate: 6, overrun: 7_174 } },
  { log: logs.hpc2n, jobs: 202_871, procs: 240, load: 0.6, rules: { overrun: 14_817 } },
  { log: logs.lublin, jobs: 10_000, procs: 256, load: 1.06, rules: { processors: 10_000, missingEstimate: 10_000 } },
]

describe.each(facts)('the log $log.title', ({ log, jobs, procs, load, rules }) => {
  it.skipIf(!log.there)('has the jobs, processors and oddities that its README counts', { tags: 'long' }, () => {
    const trace = swf(log.path, { overrun: 'keep' })
    expect([trace.jobs, trace.machine!.resources, Object.fromEntries(trace.report.rules!.map((one) => [one.rule, one.jobs]))]).toEqual([jobs, { procs }, rules])
    expect(summaryOf(trace, { procs }).resources[0]!.load).toBeCloseTo(load, 1)
  })
})

describe.skipIf(!logs.hpc2n.there)(`the log ${logs.hpc2n.title}`, () => {
  const bytes = logs.hpc2n.there ? readBytes(logs.hpc2n.path) : new Uint8Array()
  const read = (options: SwfOptions = {}) => parseSwf(bytes, options)

  it('knows used memory of 200,733 jobs, requested memory of 175,359, and no status of 878', { tags: 'long' }, () => {
    const unknown = (memory: 'used' | 'requested') => read({ memory, mem: 1e9 }).report.rules!.find(({ rule }) => rule === 'memory')!.jobs
    expect([202_871 - unknown('used'), 202_871 - unknown('requested')]).toEqual([200_733, 175_359])
    expect(read({ status: ['completed', 'failed', 'cancelled'] }).jobs).toBe(202_871 - 878)
  })

  it('gives 729 jobs another number of processors than they requested', { tags: 'long' }, () => {
    const [requested, allocated] = (['requested', 'allocated'] as const).map((processors) => read({ processors }).open())
    let different = 0
    for (let job = requested!.next(); job !== undefined; job = requested!.next())
      if (job.stages[0]!.demand['procs'] !== allocated!.next()!.stages[0]!.demand['procs']) different++
    expect(different).toBe(729)
  })

  it('gives the same jobs read twice, and as a stream of chunks', { tags: 'long' }, async () => {
    const once = read()
    const digest = digestOf(jobsOf(once))
    expect(digestOf(jobsOf(once))).toBe(digest)
    const streamed = new Digest()
    for await (const job of streamJobs(swf(logs.hpc2n.path, { stream: true }))) streamed.add(job)
    expect(streamed.hex()).toBe(digest)
  })
})

describe.skipIf(!logs.ctc.there)(`the log ${logs.ctc.title}`, () => {
  it('keeps a header whose values are not bare numbers', () => {
    const { header, machine } = swf(logs.ctc.path)
    expect(header!.find(([name]) => name === 'MaxNodes')![1]).toBe('338 (batch partition; 512 total)')
    expect(header!.find(([name]) => name === 'Acknowledge')![1]).toBe('Dan Dwyer and Steve Hotovy')
    expect(machine).toEqual({ procs: 338, nodes: 338, resources: { procs: 338 }, origin: '338 procs: MaxProcs of the header' })
  })

  const bytes = logs.ctc.there ? readBytes(logs.ctc.path) : new Uint8Array()

  it('gives the same jobs split into pieces of any size', { tags: 'long' }, () => {
    const digest = digestOf(jobsOf(parseTrace(bytes)))
    const checked = swfFormat.options.parse({})
    const decoder = new LineDecoder((place) => swfFormat.create(checked, place), {})
    const jobs: JobSpec[] = []
    for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 7919 + 13) % 70_001) {
      decoder.push(bytes.subarray(at, at + size))
      for (let job = decoder.next(); job !== undefined; job = decoder.next()) jobs.push(job)
    }
    decoder.end()
    for (let job = decoder.next(); job !== undefined; job = decoder.next()) jobs.push(job)
    expect(digestOf(jobs)).toBe(digest)
  })

})

/** Checking every field takes a while, so it is the first 8,000 jobs unless `SCHED_WHOLE_LOGS=1`. */
const most = process.env['SCHED_WHOLE_LOGS'] === undefined ? 8_000 : Infinity

describe.each([logs.hpc2n, logs.ctc])('the log $title through the native format', ({ path, there }) => {
  it.skipIf(!there)(`gives the same jobs, machine and header (${most === Infinity ? 'all of it' : `its first ${most} jobs`})`, { timeout: 600_000, tags: 'long' }, () => {
    const log = swf(path)
    const some = most === Infinity ? log : take(log, most)
    const native = parseTrace(new TextEncoder().encode([...writeWorkload(some)].join('')))
    expect(digestOf(jobsOf(native))).toBe(digestOf(jobsOf(some)))
    expect([native.machine, native.header]).toEqual([log.machine, log.header])
  })
})

describe.skipIf(!logs.kth.there)(`the log ${logs.kth.title}`, () => {
  it('lacks job 27313, which the header counts', () => {
    const trace = swf(logs.kth.path)
    expect(all(trace).some(({ id }) => id === '27313')).toBe(false)
    expect(trace.report.notes![0]).toBe('the header announces 28490 records (MaxRecords), the log has 28489')
  })

  it('uses up to 104 processors at once where the header says 100, so that only an absent header is helped by what was recorded', () => {
    const text = new TextDecoder().decode(readBytes(logs.kth.path)).replaceAll(/^;.*\n/gm, '')
    expect(parseTrace(new TextEncoder().encode(text), { format: 'swf', options: { overrun: 'keep' } }).machine!.resources).toEqual({ procs: 104 })
  })
})
