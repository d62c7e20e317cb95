import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { JobSpec } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describe as summaryOf, jobsOf, parseTrace, traceFormat } from '../src/index.js'
import { openTraceFile } from '../src/node/index.js'
import { piecesOf } from '../src/node/chunks.js'
import { LineDecoder } from '../src/trace/line-decoder.js'
import { bytesOf, messageAfter, messageOf, streamed } from './reading.js'
import { temporaryFolder, writeFiles } from './temporary.js'

/** A job as a site might have had it. */
interface Run {
  readonly id: number
  readonly task: number
  readonly user: string
  readonly account: string
  readonly queue: string
  readonly submit: number
  readonly wait: number
  readonly runtime: number
  readonly limit: number
  readonly nodes: number
  readonly perNode: number
  /** MiB and GPUs of a node; a multiple of its processors. */
  readonly mem: number
  readonly gpus: number
  readonly isFailed: boolean
}
const runs = fc.array(
  fc.record({
    task: fc.constantFrom(0, 0, 1, 7), user: fc.constantFrom('ann', 'bob', 'a-name-that-is-longer'), account: fc.constantFrom('p1', 'p2'), queue: fc.constantFrom('short', 'long.q'),
    submit: fc.integer({ min: 0, max: 400_000 }), wait: fc.integer({ min: 0, max: 90_000 }), runtime: fc.integer({ min: 1, max: 200_000 }), limit: fc.integer({ min: 1, max: 400_000 }),
    nodes: fc.integer({ min: 1, max: 5 }), perNode: fc.integer({ min: 1, max: 64 }), perSlot: fc.integer({ min: 1, max: 4096 }), gpus: fc.integer({ min: 0, max: 8 }), isFailed: fc.boolean(),
  }),
  { minLength: 1, maxLength: 30 },
).map((all) => all.map(({ perSlot, ...run }, i): Run => ({ ...run, id: i + 1, mem: perSlot * run.perNode })))

const origin = 1_704_000_000
const startOf = ({ submit, wait }: Run) => origin + submit + wait
const endOf = (run: Run) => startOf(run) + run.runtime
const names = ({ nodes, id }: Run) => Array.from({ length: nodes }, (_, n) => `n${id + n}`)
const two = (n: number) => String(n).padStart(2, '0')
const span = (s: number) => `${two(Math.floor(s / 3600))}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`
const day = (at: number) => {
  const [date, time] = new Date(at * 1000).toISOString().slice(0, 19).split('T') as [string, string]
  return `${date.slice(5, 7)}/${date.slice(8)}/${date.slice(0, 4)} ${time}`
}

interface Entry {
  readonly at: number
  readonly line: string
}
interface Log {
  /** The records of a job, each with its time. */
  readonly lines: (run: Run) => Entry[]
  readonly id: (run: Run) => string
  /** Where something else names the queue by default. */
  readonly more?: object
}
const arrayId = ({ id, task }: Run) => (task > 0 ? `${id}[${task}]` : `${id}`)
const pbsRecord = (run: Run, at: number, kind: string, text: string): Entry => ({ at, line: `${day(at)};${kind};${arrayId(run)}.pbs.site.org;${text}` })
const pbs = (asked: (run: Run) => string): Log => ({
  id: arrayId,
  lines(run) {
    const { user, account, queue, submit, limit, isFailed } = run
    const common = `user=${user} group=g account="${account}" jobname=j queue=${queue} ctime=${origin + submit} qtime=${origin + submit} etime=${origin + submit} start=${startOf(run)}`
    return [
      pbsRecord(run, origin + submit, 'Q', `queue=${queue}`), pbsRecord(run, startOf(run), 'S', common),
      pbsRecord(run, endOf(run), 'E', `${common} ${asked(run)} Resource_List.walltime=${span(limit)} session=9 end=${endOf(run)} Exit_status=${isFailed ? 1 : 0} resources_used.walltime=00:00:01`),
    ]
  },
})
const logs: Readonly<Record<string, readonly [string, Log]>> = {
  'PBS Pro': ['pbs', pbs((run) => `exec_host=${names(run).map((n) => `${n}/3*${run.perNode}`).join('+')} Resource_List.mem=${run.mem * run.nodes}mb Resource_List.ncpus=${run.perNode * run.nodes} Resource_List.ngpus=${run.gpus * run.nodes} Resource_List.nodect=${run.nodes} Resource_List.select=${run.nodes}:ncpus=${run.perNode}:mem=${run.mem}mb:ngpus=${run.gpus} run_count=1`)],
  'PBS Pro without sums': ['pbs', pbs((run) => `exec_host=${names(run).map((n) => `${n}/3*${run.perNode}`).join('+')} Resource_List.select=${run.nodes}:ncpus=${run.perNode}:mem=${run.mem * 1024}kb:ngpus=${run.gpus} run_count=1`)],
  Torque: ['pbs', pbs((run) => `exec_host=${names(run).flatMap((n) => Array.from({ length: run.perNode }, (_, i) => `${n}/${i}`)).join('+')} Resource_List.nodes=${run.nodes}:ppn=${run.perNode}:gpus=${run.gpus} Resource_List.pmem=${run.mem / run.perNode}mb`)],
  LSF: ['lsf', {
    id: arrayId,
    lines: (run) => [{
      at: endOf(run),
      line: `"JOB_FINISH" "10.1" ${endOf(run)} ${run.id} 1 2 ${run.nodes * run.perNode} ${origin + run.submit} 0 0 ${startOf(run)} "${run.user}" "${run.queue}" "" "" "" "h" "d" "" "" "" "f" 0 ${run.nodes} ${names(run).map((n) => `"${run.perNode}*${n}"`).join(' ')} `
        + `${run.isFailed ? 32 : 64} 60.0 "" "say ""a"" 1" 1 1 0 0 -1 0 0 9 8 0 0 0 -1 0 0 0 0 0 -1 "" "${run.account}" 0 1 "" "" ${run.task} 31 33 "" "" "" "" 0 "" 0 "" -1 "" "" "" "" -1 "" "" 16 "" 0 "" "" 0 0 `
        + `${run.limit} 0 9 "select[a] rusage[mem=${run.mem}.00:ngpus_physical=${run.gpus}.00]" "" -1 "" -1 0 "" 0 0 "" ${run.runtime} "/d"`,
    }],
  }],
  'Grid Engine': ['sge', {
    id: ({ id, task }) => (task > 0 ? `${id}.${task}` : `${id}`),
    lines: (run) => [{
      at: endOf(run),
      line: `${run.queue}:n:g:${run.user}:j:${run.id}:sge:0:${origin + run.submit}:${startOf(run)}:${endOf(run)}:0:${run.isFailed ? 1 : 0}:1${':0'.repeat(17)}:${run.account}:dep:mpi:${run.nodes * run.perNode}:${run.task}:1:1:1`
        + `:-l h_rt=${span(run.limit)},gpu=${run.gpus * run.nodes},h_vmem=${run.mem / run.perNode}M -pe mpi 4:0.0:NONE:9.0:0:0`,
    }],
  }],
  HTCondor: ['condor', {
    more: { queue: 'project' },
    id: ({ id, task }) => `${id}.${task}`,
    lines: (run) => [{
      at: endOf(run),
      line: [
        `AccountingGroup = "${run.account}.${run.user}"`, `ProjectName = "${run.queue}"`, `ClusterId = ${run.id}`, 'Cmd = "/bin/run"', `CompletionDate = ${endOf(run)}`, 'Env = "A=1 B=\\"x y\\""', `ExitCode = ${run.isFailed ? 1 : 0}`, 'JobStatus = 4', `JobCurrentStartDate = ${startOf(run)}`, 'JobUniverse = 11',
        `MaxHosts = ${run.nodes}`, `Owner = "${run.user}"`, `ProcId = ${run.task}`, `QDate = ${origin + run.submit}`, `RemoteWallClockTime = ${run.runtime}.0`, `RequestCpus = ${run.perNode}`, `RequestGPUs = ${run.gpus}`, `RequestMemory = ${run.mem}`, 'Requirements = (TARGET.Memory >= RequestMemory) && (Arch == "X86_64")',
        `AllowedExecuteDuration = ${run.limit}`, `*** Offset = 0 ClusterId = ${run.id} ProcId = ${run.task}`,
      ].join('\n'),
    }],
  }],
}
const written = ({ lines }: Log, all: readonly Run[]): Entry[] => all.flatMap(lines).sort((a, b) => a.at - b.at)
const textOf = (entries: readonly Entry[]) => entries.map(({ line }) => `${line}\n`).join('')

/** What the jobs are: in order of submission, those of one second in that of their ends. */
function expected({ id }: Log, all: readonly Run[]): Partial<JobSpec>[] {
  const first = Math.min(...all.map(({ submit }) => submit))
  return [...all].sort((a, b) => a.submit - b.submit || endOf(a) - endOf(b)).map((run) => ({
    id: id(run), submit: run.submit - first, user: run.user, queue: run.queue, account: run.account, estimate: run.limit, recorded: { wait: run.wait, status: run.isFailed ? 'failed' : 'completed' },
    stages: [{ name: 'job', tasks: 1, demand: { procs: run.nodes * run.perNode, mem: run.nodes * run.mem, ...(run.gpus > 0 && { gpus: run.nodes * run.gpus }) }, duration: run.runtime }],
  }))
}
const shared = { memory: 'requested', gpuDemand: true, overrun: 'keep' }
const withoutGroup = (jobs: Iterable<JobSpec>) => [...jobs].map(({ group: _, ...job }) => job)
const folder = temporaryFolder()

describe.each(Object.entries(logs))('an accounting log of %s', (name, [format, log]) => {
  const options = { ...shared, ...log.more }

  it('is read back as the jobs that were written', { tags: 'long' }, () => {
    fc.assert(fc.property(runs, (all) => {
      const trace = parseTrace(bytesOf(textOf(written(log, all))), { options })
      expect(trace.format).toBe(format)
      expect(withoutGroup(jobsOf(trace))).toEqual(expected(log, all))
    }), { numRuns: 60, seed: 23_11 })
  })

  it('is streamed as the same jobs, cut anywhere', { tags: 'long' }, () => {
    fc.assert(fc.property(runs, fc.integer({ min: 1, max: 3000 }), (all, chunk) => {
      const bytes = bytesOf(textOf(written(log, all)))
      const { create: parser, options: schema } = traceFormat(format)
      const decoder = new LineDecoder((place) => parser(schema.parse(options), place), {})
      const found: JobSpec[] = []
      for (let at = 0; at < bytes.length; at += chunk) {
        decoder.push(bytes.slice(at, at + chunk))
        if (at + chunk >= bytes.length) decoder.end()
        for (let job = decoder.next(); job !== undefined; job = decoder.next()) found.push(job)
      }
      expect(found).toEqual([...jobsOf(parseTrace(bytes, { options }))])
    }), { numRuns: 20, seed: 23_12 })
  })

  it('is the same in one file, packed, streamed, and in a file for each day, some of them packed or empty', { tags: 'long' }, async () => {
    const [all] = fc.sample(runs, { numRuns: 1, seed: 23_13 }) as [Run[]]
    const entries = written(log, all)
    const days = byDay(entries)
    const files = Object.fromEntries([...days].map(([at, some], i) => [at, i % 2 === 0 ? textOf(some) : gzipSync(textOf(some))]))
    const at = writeFiles(join(folder, name), { 'whole.log': textOf(entries), 'whole.gz': gzipSync(textOf(entries)), ...Object.fromEntries(Object.entries({ 1: '', ...files }).map(([file, content]) => [join('days', file), content])) })
    const whole = await openTraceFile(join(at, 'whole.log'), { options })
    const jobs = [...jobsOf(whole)]
    const unnamed = (trace: typeof whole) => ({ ...summaryOf(trace), name: '' })
    expect(withoutGroup(jobs)).toEqual(expected(log, all))
    for (const file of ['whole.gz', 'days']) {
      const trace = await openTraceFile(join(at, file), { options })
      expect([file, [...jobsOf(trace)], trace.machine, trace.report, unnamed(trace)]).toEqual([file, jobs, whole.machine, whole.report, unnamed(whole)])
    }
    for (const file of ['whole.log', 'whole.gz']) expect(await streamed(await openTraceFile(join(at, file), { options, stream: true }))).toEqual(jobs)
  })

  it('with damage gives jobs that hold, or one of our errors', { tags: 'long' }, () => {
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat(5), fc.constantFrom(...';:"\' =+*/-09a\n\r[],#', '999999999999999999', '-1', '')), { minLength: 1, maxLength: 4 })
    fc.assert(fc.property(runs, damage, fc.constantFrom('fail' as const, 'skip' as const), (all, places, onBadLine) => {
      const damaged = places.reduce((text, [at, length, by]) => text.slice(0, at % text.length) + by + text.slice((at % text.length) + length), textOf(written(log, all.slice(0, 5))))
      let jobs: JobSpec[] = []
      messageOf(() => (jobs = [...jobsOf(parseTrace(bytesOf(damaged), { format, options: { ...options, wide: 'clip' }, onBadLine }))]))
      const numbers = jobs.flatMap(({ submit, estimate = 0, recorded, stages: [stage] }) => [submit, estimate, recorded?.wait ?? 0, recorded?.runtime ?? 0, stage!.duration as number])
      expect([numbers.filter((number) => !(number >= 0)), jobs.flatMap(({ stages: [stage] }) => Object.values(stage!.demand)).filter((amount) => !(Number.isSafeInteger(amount) && amount > 0))]).toEqual([[], []])
    }), { numRuns: 150, seed: 23_14 })
  })

  it('is the same piece by piece', { tags: 'long' }, async () => {
    await fc.assert(fc.asyncProperty(runs, fc.integer({ min: 1, max: 3000 }), async (all, size) => {
      const bytes = bytesOf(`${textOf(written(log, all))}what is this?\n${textOf(written(log, all))}`)
      const reading = { file: 'f', onBadLine: 'skip' } as const
      const { readParts, options: schema } = traceFormat(format)
      const parts = readParts!(schema.parse(options), reading)
      const packed = [bytes, gzipSync(bytes)][size % 2]!
      for await (const piece of piecesOf(join(writeFiles(join(folder, name), { pieces: packed }), 'pieces'), size)) parts.add(piece, 'f')
      const [whole, found] = [parseTrace(bytes, { ...reading, format, options }), parts.trace('f')]
      expect([[...jobsOf(found)], found.report, found.machine]).toEqual([[...jobsOf(whole)], whole.report, whole.machine])
    }), { numRuns: 20, seed: 23_15 })
  })

  it('names the day whose line is bad, or drops the line', async () => {
    const at = writeFiles(join(folder, `${name} bad`), { '20240101': textOf(written(log, [one])), '20240102': `${textOf(written(log, [{ ...one, id: 2 }]))}what is this?\n` })
    expect(await messageAfter(openTraceFile(at), at)).toMatch(/^"\/20240102" line \d+: found /)
    const kept = await openTraceFile(at, { onBadLine: 'skip' })
    expect([[...jobsOf(kept)].length, kept.report.skipped]).toEqual([2, 1])
  })
})

it('a log too large to be held is read piece by piece, so that its machine is known, unless it is to be streamed', { tags: 'long' }, async () => {
  const [, log] = logs['Grid Engine']!
  const comments = `# ${'x'.repeat(2 ** 20)}\n`.repeat(33) // packed files are held up to 32 MiB
  const at = writeFiles(join(folder, 'large'), { 'sge.gz': gzipSync(`${textOf(written(log, [one]))}${comments}${textOf(written(log, [{ ...one, id: 2, perNode: 9 }]))}`, { level: 0 }) })
  const trace = await openTraceFile(join(at, 'sge.gz'))
  expect([trace.name, trace.jobs, trace.machine?.procs, trace.report.lines]).toEqual(['sge.gz', 2, 13, 35])
  expect((await openTraceFile(join(at, 'sge.gz'), { stream: true })).machine).toBeUndefined()
})

const one: Run = { id: 1, task: 0, user: 'ann', account: 'p', queue: 'q', submit: 0, wait: 5, runtime: 60, limit: 90, nodes: 1, perNode: 4, mem: 400, gpus: 0, isFailed: false }

function byDay(entries: readonly Entry[]): Map<string, Entry[]> {
  const days = new Map<string, Entry[]>()
  for (const entry of entries) {
    const name = new Date(entry.at * 1000).toISOString().slice(0, 10).replaceAll('-', '')
    days.set(name, [...(days.get(name) ?? []), entry])
  }
  return days
}
