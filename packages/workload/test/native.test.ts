import { SchedError, type AffinityRule, type CardinalityRule, type JobEvent, type JobSpec, type NodeRequirement, type NodeSelectorTerm, type PlacementRule, type SpreadRule, type StageSpec, type TaskSelector, type Toleration, type Workload } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type * as z from '@sched/bundled/zod'
import {
  facebookMixed, jobSchema, jobsOf, lublin, nativeJsonSchema, parseTrace, scaleLoad, sensitivity, stageSchema, take, timeWindow, workloadOf, writeWorkload, writeWorkloadStream,
} from '../src/index.js'
import { bytesOf, messageOf } from './reading.js'

const write = (jobs: readonly JobSpec[]) => [...writeWorkload(workloadOf('w', jobs))].join('')
const read = (text: string) => [...jobsOf(parseTrace(bytesOf(text), { file: 'w.jsonl' }))]
const stage: StageSpec = { name: 'map', tasks: 2, demand: { map: 1 }, duration: 15 }
const job = (change: Partial<JobSpec> = {}): JobSpec => ({ id: 'a', submit: 0, stages: [stage], ...change })

const seconds = fc.double({ min: 0, max: 1e9, noNaN: true, noDefaultInfinity: true })
const name = fc.string({ minLength: 1, maxLength: 6, unit: 'binary' }).filter((text) => text !== '__proto__')
const optional = <T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }, requiredKeys: (keyof T)[]) =>
  fc.record(model, { requiredKeys }) as fc.Arbitrary<T>

const values = fc.array(fc.string(), { minLength: 1, maxLength: 2 })
const anyRequirement: fc.Arbitrary<NodeRequirement> = fc.oneof(
  fc.record({ key: name, operator: fc.constantFrom('In' as const, 'NotIn' as const), values }),
  fc.record({ key: name, operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const) }),
  fc.record({ key: name, operator: fc.constantFrom('Gt' as const, 'Lt' as const), values: fc.bigInt().map((n) => [String(n)]) }),
)
const anyTerm = optional<NodeSelectorTerm>({
  matchExpressions: fc.array(anyRequirement, { maxLength: 2 }),
  matchFields: fc.array(fc.record({ key: fc.constant('metadata.name'), operator: fc.constantFrom('In' as const, 'NotIn' as const), values }), { maxLength: 1 }),
}, [])
const anyToleration = optional<Toleration>({
  key: name, operator: fc.constantFrom('Equal', 'Exists', 'Gt', 'Lt'), value: fc.string(), effect: fc.constantFrom('NoSchedule', 'NoExecute', 'PreferNoSchedule'),
}, [])

const anyTags = fc.dictionary(name, fc.string(), { maxKeys: 2 })
const anySelector = optional<TaskSelector>({
  tags: anyTags, matchExpressions: fc.array(fc.record({ key: name, operator: fc.constantFrom('In' as const, 'NotIn' as const), values: fc.array(name, { minLength: 1, maxLength: 2 }) }), { maxLength: 2 }),
  users: fc.array(name, { minLength: 1, maxLength: 2 }), job: fc.constantFrom('own' as const, 'other' as const),
}, [])
const among = { of: anySelector, over: name }
const inclusion = fc.constantFrom('Honor' as const, 'Ignore' as const)
const anyRules = fc.array(fc.oneof<fc.Arbitrary<PlacementRule>[]>(
  optional<AffinityRule>({ kind: fc.constantFrom('affinity' as const, 'antiAffinity' as const), ...among, weight: fc.integer({ min: 1, max: 100 }) }, ['kind', 'over']),
  optional<CardinalityRule>({ kind: fc.constant('cardinality' as const), ...among, min: fc.nat({ max: 9 }), max: fc.nat({ max: 9 }) }, ['kind', 'over', 'max']),
  optional<SpreadRule>({ kind: fc.constant('spread' as const), ...among, maxSkew: fc.integer({ min: 1, max: 9 }), minDomains: fc.integer({ min: 1, max: 9 }), nodeAffinityPolicy: inclusion, nodeTaintsPolicy: inclusion, weight: fc.integer({ min: 1, max: 100 }) }, ['kind', 'over', 'maxSkew']),
  fc.record({ kind: fc.constant('nodes' as const), term: anyTerm, weight: fc.integer({ min: 1, max: 100 }) }),
), { maxLength: 3 })

/** A stage of the given index in its job: waits for earlier ones only, has as many durations and hosts as tasks. */
const anyStage = (index: number): fc.Arbitrary<StageSpec> => fc.integer({ min: 1, max: 5 }).chain((tasks) => optional<StageSpec>({
  name,
  tasks: fc.constant(tasks),
  demand: fc.dictionary(name, fc.maxSafeNat(), { minKeys: 1, maxKeys: 3 }).filter((demand) => Object.values(demand).some((n) => n > 0)),
  duration: fc.oneof(
    seconds,
    fc.array(seconds, { minLength: tasks, maxLength: tasks }),
    optional<Extract<StageSpec['duration'], { kind: 'exponential' }>>({ kind: fc.constant('exponential'), mean: seconds, shift: seconds }, ['kind', 'mean']),
    fc.tuple(seconds, seconds).map(([a, b]) => ({ kind: 'uniform' as const, min: Math.min(a, b), max: Math.max(a, b) })),
  ),
  after: index === 0 ? fc.constant([]) : fc.array(fc.record({ stage: fc.nat(index - 1), fraction: fc.double({ min: 0, max: 1, noNaN: true }) }), { maxLength: 2 }),
  data: optional<NonNullable<StageSpec['data']>>({ set: name, first: fc.nat(), hosts: fc.array(fc.array(fc.string(), { maxLength: 3 }), { minLength: tasks, maxLength: tasks }) }, []),
  localityFactors: fc.array(fc.double({ min: 0.1, max: 10, noNaN: true }), { minLength: 1, maxLength: 4 }),
  bytesIn: fc.maxSafeNat(),
  bytesOut: fc.maxSafeNat(),
  constraints: optional<NonNullable<StageSpec['constraints']>>({
    require: fc.dictionary(name, fc.oneof(name, fc.array(name, { minLength: 1, maxLength: 2 })), { maxKeys: 3 }),
    nodeSelectorTerms: fc.array(anyTerm, { maxLength: 2 }), tolerations: fc.array(anyToleration, { maxLength: 2 }), distinctNodes: fc.boolean(),
  }, []),
  use: fc.dictionary(name, seconds, { maxKeys: 3 }),
  ...(index > 0 && { shuffle: fc.record({ from: fc.nat(index - 1), bytes: fc.maxSafeNat() }) }),
  gang: fc.boolean(), tags: anyTags, placementRules: anyRules,
}, ['name', 'tasks', 'demand', 'duration']))

const anyEvents = fc.array(optional<JobEvent>({ job: fc.constant('job 0'), on: fc.constantFrom('start', 'end'), think: seconds }, ['job']), { minLength: 1, maxLength: 3 })

const anyJob: fc.Arbitrary<Omit<JobSpec, 'id' | 'submit'> & { gap: number }> = optional<Omit<JobSpec, 'id' | 'submit'> & { gap: number }>({
  gap: seconds, user: name, queue: name, priority: fc.integer(), weight: fc.double({ min: 0.001, max: 1e6, noNaN: true }), estimate: seconds,
  deadline: seconds, startup: seconds, after: fc.constant('before'), think: seconds, afterAll: anyEvents, afterAny: anyEvents, class: name, label: fc.string(), group: name, account: name, partition: name,
  application: name, qos: name, array: name, arrayThrottle: fc.integer({ min: 1, max: 9 }), exclusive: fc.constantFrom(true, false, 'user' as const), licenses: fc.dictionary(name, fc.integer({ min: 1 }), { maxKeys: 3 }), recorded: optional<NonNullable<JobSpec['recorded']>>({ wait: seconds, runtime: seconds, status: name }, []),
  tags: anyTags, placementRules: anyRules,
  stages: fc.integer({ min: 1, max: 3 }).chain((n) => fc.tuple(...Array.from({ length: n }, (_, i) => anyStage(i)))),
}, ['gap', 'stages'])

/** Jobs in order of submission, each with an id of its own, some waiting for the one before. */
const anyJobs = fc.array(anyJob, { minLength: 1, maxLength: 6 }).map((drafts) => {
  let submit = 0
  return drafts.map(({ gap, after, afterAll, afterAny, ...rest }, i): JobSpec => (
    { id: `job ${i}`, submit: (submit += gap), ...rest, ...(after !== undefined && i > 0 && { after: `job ${i - 1}` }), ...(afterAll && i > 0 && { afterAll }), ...(afterAny && i > 0 && { afterAny }) }))
})

describe('native format', () => {
  it('gives back deeply equal jobs: write, then read', { tags: 'long' }, () => {
    fc.assert(fc.property(anyJobs, (jobs) => {
      expect(read(write(jobs))).toEqual(jobs)
    }), { numRuns: 100, seed: 20_261 })
  })

  it('writes the same bytes for what was read: write, read, write', { tags: 'long' }, () => {
    fc.assert(fc.property(anyJobs, (jobs) => {
      expect(write(read(write(jobs)))).toBe(write(jobs))
    }), { numRuns: 50, seed: 20_262 })
  })

  it('keeps a job of a launcher and workers one gang', () => {
    const mpi = job({ gang: true, stages: [{ ...stage, gang: true, estimate: 60 }, { ...stage, name: 'workers', tasks: 4, demand: { cpu: 2 }, gang: true, minTasks: 2 }] })
    expect(read(write([mpi]))).toEqual([mpi])
  })

  it('writes equal jobs as equal bytes, whatever the order of their fields', { tags: 'long' }, () => {
    const reversed = (value: unknown): unknown =>
      Array.isArray(value) ? value.map(reversed) : typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).reverse().map(([key, each]) => [key, reversed(each)])) : value
    fc.assert(fc.property(anyJobs, (jobs) => {
      expect(write(reversed(jobs) as JobSpec[])).toBe(write(jobs))
    }), { numRuns: 50, seed: 20_263 })
    const mouldable = [job({ stages: [{ ...stage, phases: [{ activities: 4, time: 2 }] }] })]
    expect(write(reversed(mouldable) as JobSpec[])).toBe(write(mouldable))
  })

  it('gives back a generated workload with chains and two stages', () => {
    const jobs = [...jobsOf(facebookMixed())]
    expect(read(write(jobs))).toEqual(jobs)
  })

  it('is one header line and one line per job, in the order of the contract\'s keys', () => {
    expect(write([{ stages: [{ duration: 15, demand: { reduce: 1, map: 1 }, tasks: 2, name: 's' }], submit: 3, id: 'a', label: 'x' }])).toBe([
      '{"format":"sched-workload","version":1,"name":"w","jobs":1}',
      '{"id":"a","submit":3,"label":"x","stages":[{"name":"s","tasks":2,"demand":{"map":1,"reduce":1},"duration":15}]}\n',
    ].join('\n'))
  })

  it('writes durations of a typed array as plain numbers', () => {
    const text = write([job({ stages: [{ ...stage, duration: new Float64Array([1, 2.5]) }] })])
    expect(read(text)[0]!.stages[0]!.duration).toEqual([1, 2.5])
  })

  it('writes a streamed workload alike', async () => {
    const jobs = [...jobsOf(facebookMixed())]
    const lines = []
    for await (const line of writeWorkloadStream(workloadOf('w', jobs))) lines.push(line)
    expect(lines.join('')).toBe(write(jobs))
  })

  it('reads CR LF, blank lines, a byte order mark and a last line without its end', () => {
    const text = write([job({ id: 'ä' }), job({ id: 'b' })])
    expect(read(`\uFEFF${text.replaceAll('\n', '\r\n')}\r\n`)).toEqual(read(text))
    expect(read(text.trimEnd())).toEqual(read(text))
  })

  it('keeps the machine and the header of a log, also of a part of it', () => {
    const log = parseTrace(bytesOf('; MaxProcs: 8\n; Acknowledge: Jane Doe\n1 0 -1 15 6 -1 -1 6 15 -1 1 1 1 -1 1 -1 -1 -1\n2 5 -1 1 1 -1 -1 1 1 -1 1 1 1 -1 1 -1 -1 -1\n'))
    const { machine, header } = parseTrace(bytesOf([...writeWorkload(take(log, 1))].join('')))
    expect({ machine, header }).toEqual({ machine: log.machine, header: [['MaxProcs', '8'], ['Acknowledge', 'Jane Doe']] })
    expect(parseTrace(bytesOf([...writeWorkload(lublin({ jobs: 2, procs: 64 }))].join('')))).toMatchObject({ machine: { resources: { procs: 64 } } })
    expect('machine' in parseTrace(bytesOf(write([job()])))).toBe(false)
    const table = 'JobID|Submit|Start|End|TimelimitRaw|ReqCPUS|ReqTRES|State\n1|2026-01-01T00:00:00|2026-01-01T00:00:01|2026-01-01T00:00:09|1|8|cpu=8,mem=4G,gres/gpu=2|COMPLETED\n'
    const recorded = parseTrace(bytesOf(table), { format: 'sacct', options: { gpuDemand: true, memory: 'requested' } })
    const resources = Object.keys(parseTrace(bytesOf([...writeWorkload(recorded)].join(''))).machine!.resources)
    expect(resources).toEqual(['procs', 'mem', 'gpus']) // by the first that a job asks for its size is told
    const bad = '{"format":"sched-workload","version":1,"machine":{"resources":{"procs":0},"origin":"a guess"}}\n'
    expect(() => read(bad + JSON.stringify(job()))).toThrow('w.jsonl" line 1 machine.resources: found {"procs":0}, expected an amount above 0 of at least one resource.')
  })

  it('keeps when a log began and its time zone, so that calendars of policies go on: of all of it, of a part, and of no clock where its times are scaled', () => {
    const rows = '1 0 -1 15 6 -1 -1 6 15 -1 1 1 1 -1 1 -1 -1 -1\n2 500 -1 1 1 -1 -1 1 1 -1 1 1 1 -1 1 -1 -1 -1\n'
    const log = parseTrace(bytesOf(`; UnixStartTime: 835823160\n; TimeZoneString: US/Eastern\n; MaxProcs: 8\n${rows}`))
    const clockAfter = (workload: Workload) => {
      const { start, timeZone } = parseTrace(bytesOf([...writeWorkload(workload)].join('')))
      return [start, timeZone]
    }
    expect(clockAfter(log)).toEqual([835_823_160, 'US/Eastern'])
    expect(clockAfter(timeWindow(log, 400, 600))).toEqual([835_823_560, 'US/Eastern']) // its header still names the start of the whole
    expect(clockAfter(scaleLoad(log, 2))).toEqual([undefined, 'US/Eastern'])
    expect(scaleLoad(log, 1)).toBe(log) // so that in a sweep over loads this point is the log as it is
    expect(clockAfter(workloadOf('w', [job()]))).toEqual([undefined, undefined])
    const bad = '{"format":"sched-workload","version":1,"timeZone":"Mars"}\n'
    expect(() => read(bad + JSON.stringify(job()))).toThrow('w.jsonl" line 1 timeZone: found "Mars", expected a time zone, for example Europe/Stockholm.')
  })

  it.each<[string, object, string]>([
    ['values of Exists', { key: 'a', operator: 'Exists', values: ['b'] }, 'expected `values` with In and NotIn, one whole number in it with Gt and Lt, and none with others.'],
    ['no values of NotIn', { key: 'a', operator: 'NotIn' }, 'expected `values` with In and NotIn, one whole number in it with Gt and Lt, and none with others.'],
    ['no number for Gt', { key: 'a', operator: 'Gt', values: ['1.5'] }, 'expected `values` with In and NotIn, one whole number in it with Gt and Lt, and none with others.'],
    ['another operator', { key: 'a', operator: 'in', values: ['b'] }, 'expected "In" or "NotIn" or "Exists" or "DoesNotExist" or "Gt" or "Lt".'],
  ])('refuses %s in a requirement of nodes', (_, requirement, message) => {
    const text = `{"format":"sched-workload","version":1}\n${JSON.stringify(job({ stages: [{ ...stage, constraints: { nodeSelectorTerms: [{ matchExpressions: [requirement as NodeRequirement] }] } }] }))}`
    expect(messageOf(() => read(text))).toContain(message)
  })

  it.each<[string, object, string]>([
    ['of no kind', { kind: 'near', over: 'node' }, 'placementRules[0].kind'],
    ['without groups', { kind: 'affinity' }, 'placementRules[0].over'],
    ['that asks for no number', { kind: 'cardinality', over: 'node' }, 'expected `min` or `max`'],
    ['with a weight of 0', { kind: 'affinity', over: 'node', weight: 0 }, 'placementRules[0].weight'],
    ['of tags above a number', { kind: 'affinity', over: 'node', of: { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] } }, 'expected In, NotIn, Exists or DoesNotExist'],
  ])('refuses a placement rule %s', (_, rule, message) => {
    const text = (change: object) => `{"format":"sched-workload","version":1}\n${JSON.stringify(job({ ...change }))}`
    expect(messageOf(() => read(text({ placementRules: [rule] })))).toContain(message)
    expect(messageOf(() => read(text({ stages: [{ ...stage, placementRules: [rule] }] })))).toContain(message.replace(/^p/, 'stages[0].p'))
  })

  it('has the keys of JobSpec and StageSpec, no more and no fewer', () => {
    expectTypeOf<keyof z.output<typeof jobSchema>>().toEqualTypeOf<keyof JobSpec>()
    expectTypeOf<keyof z.output<typeof stageSchema>>().toEqualTypeOf<keyof StageSpec>()
    expect([Object.keys(jobSchema.shape).at(-1), Object.keys(stageSchema.shape).at(-1)]).toEqual(['stages', 'phases'])
  })

  it('is published as JSON Schema (refresh with vitest run -u)', async () => {
    await expect(`${JSON.stringify(nativeJsonSchema(), null, 2)}\n`).toMatchFileSnapshot('../schema/workload.schema.json')
  })
})

describe('writing what could not be read', () => {
  it.each<[string, readonly JobSpec[], string]>([
    ['a duration that is no number', [job({ stages: [{ ...stage, duration: NaN }] })], 'job "a" stages[0].duration: found NaN'],
    ['an endless deadline', [job({ deadline: Infinity })], 'job "a" deadline: found Infinity, expected a number.'],
    ['an id used twice', [job(), job()], 'job "a" id: job id "a" was used before.'],
    ['times going backwards', [job({ submit: 5 }), job({ id: 'b', submit: 4 })], 'job "b" submit: submitted at 4 s, before the job above it (5 s).'],
    ['a job waiting for one that comes later', [job({ after: 'b' }), job({ id: 'b' })], 'job "a" after: job "a" waits for "b", which no line above defines.'],
    ['a job waiting for a start of one that is not there', [job({ afterAny: [{ job: 'z', on: 'start' }] })], 'job "a" afterAny[0].job: job "a" waits for "z", which no line above defines.'],
    ['a job waiting for itself', [job(), job({ id: 'b', afterAll: [{ job: 'a' }, { job: 'b' }] })], 'job "b" afterAll[1].job: job "b" waits for itself.'],
    ['a job waiting for the first of none', [job({ afterAny: [] })], 'job "a" afterAny: '],
    ['one gang without a stage that is', [job({ gang: true, stages: [stage, stage] })], 'job "a" gang: none of its stages is a gang.'],
    ['one gang of which a stage waits', [job({ gang: true, stages: [{ ...stage, gang: true }, { ...stage, gang: true, after: [{ stage: 0, fraction: 1 }] }] })], 'job "a" stages[1]: it waits for another, and the job is one gang.'],
    ['a key that is not in the contract', [{ ...job(), usr: 'x' } as JobSpec], 'job "a" usr: unknown key "usr". Did you mean "user"?'],
  ])('is refused: %s', (_, jobs, message) => {
    expect(() => write(jobs)).toThrow(SchedError)
    expect(() => write(jobs)).toThrow(message)
  })

  it('is refused for a closed loop, whose submit times depend on the run', () => {
    expect(() => [...writeWorkload(sensitivity())]).toThrow('"sensitivity 4 maps" is a closed loop')
  })

  it('is refused when the workload announces another number of jobs than it has', () => {
    expect(() => [...writeWorkload({ ...workloadOf('w', [job()]), jobs: 2 })]).toThrow('announces 2 jobs and has 1. Let its `jobs` be what open() gives, or leave it out.')
  })
})
