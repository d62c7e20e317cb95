import type { JobSpec, Observer, StageSpec } from '@sched/core'
import { conservative, easy, fattened, fifo, replan, strict } from '@sched/policies'
import { run } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulated, startsOf } from './machine.js'
import { worldOfNodes, worldOfParts } from './parts.js'
import { conservative as referenceConservative } from './reference/conservative.js'
import { everySecond } from './reference/disciplines.js'
import { schedule, type RigidJob } from './reference/machine.js'
import { plainNamed } from './reference/plain-named.js'
import { reserving } from './reference/reserving.js'

// Jobs that are one gang of several stages, which ask different amounts: Slurm's heterogeneous jobs, say.

const MINUTE = 60
const atLeastASecond = (job: RigidJob): RigidJob => ({ ...job, estimate: Math.max(1, job.estimate) })
const sorted = (jobs: readonly RigidJob[]) => [...jobs].sort((a, b) => a.submit - b.submit)
const window = fc.record({ from: fc.integer({ min: 0, max: 20 }), length: fc.integer({ min: 1, max: 12 }) })
const kind = { overrun: false, resources: 2 }

describe('on random small worlds of jobs of several parts', { tags: 'long' }, () => {
  it('easy with reservations for the first k starts as its reference does', () => {
    fc.assert(
      fc.property(worldOfParts(kind), fc.constantFrom(0, 1, 2, 3, Infinity), ({ capacity, jobs }, k) => {
        const queue = sorted(jobs).map(atLeastASecond)
        expect(simulated(queue, capacity, easy(fifo(), { reservations: k === Infinity ? 'all' : k }))).toEqual(schedule(queue, capacity, reserving(k)))
      }),
      { seed: 51, numRuns: 1500 },
    )
  })

  it('easy and conservative with a window do so', () => {
    fc.assert(
      fc.property(worldOfParts(kind), window, ({ capacity, jobs }, { from, length }) => {
        const queue = sorted(jobs).map(atLeastASecond)
        const [amount = 0] = capacity
        const windows = [{ from, to: from + length, demand: { procs: amount, memory: amount } }]
        const reserved = new Map([[{ submit: 0, runtime: length, estimate: length, size: capacity }, from]])
        expect(simulated(queue, capacity, easy(fifo(), { windows }))).toEqual(schedule(queue, capacity, reserving(1, reserved)))
        expect(simulated(queue, capacity, conservative(fifo(), { windows }))).toEqual(schedule(queue, capacity, referenceConservative(everySecond, reserved)))
      }),
      { seed: 52, numRuns: 800 },
    )
  })

  it('replan does so with plans to the second, for limits of whole minutes', () => {
    fc.assert(
      fc.property(worldOfParts(kind), ({ capacity, jobs }) => {
        const minutes = (seconds: number) => Math.max(1, seconds) * MINUTE - 7 // the run ends before its limit, which is rounded up
        const queue = sorted(jobs).map((job): RigidJob => ({
          ...job,
          submit: job.submit * 20,
          runtime: minutes(job.runtime),
          estimate: Math.max(1, job.estimate) * MINUTE,
          ...(job.parts !== undefined && { parts: job.parts.map((part) => ({ ...part, runtime: minutes(part.runtime) })) }),
        }))
        const moments = (now: number, ends: readonly number[]) => [now, ...ends.filter((end) => end > now).sort((a, b) => a - b)]
        expect(simulated(queue, capacity, replan(fifo(), { bf_resolution: 1 }))).toEqual(schedule(queue, capacity, reserving(Infinity, new Map(), moments)))
      }),
      { seed: 53, numRuns: 800 },
    )
  })
})

describe('replan with named nodes', () => {
  const looks: [object, ((window: number) => number)?][] = [[{}], [{ select: 'cons_tres' }, (window) => 2 * window]]
  const asSpec = ({ submit, estimate, parts = [] }: RigidJob, i: number): JobSpec => ({
    id: `J${i}`, submit, estimate, gang: parts.length > 1,
    stages: parts.map(({ runtime, tasks, size: [procs = 0] }, k) => ({ name: `part ${k}`, tasks, gang: true, demand: { procs }, duration: runtime })),
  })

  it('starts every job of several parts at the time and on the nodes of a plain reading of Slurm', { tags: 'long' }, () => {
    let together = 0
    fc.assert(
      fc.property(worldOfNodes, fc.constantFrom(1, 60, 100), fc.constantFrom(...looks), ({ count, slots, queue }, step, [options, windows]) => {
        const places = new Map<string, number[]>()
        const names: string[] = []
        const observer: Observer = {
          onSubmit: (id, spec) => void (names[id] = spec.id),
          onTaskStart: (_task, id, _lane, node) => void places.set(names[id] ?? '', [...(places.get(names[id] ?? '') ?? []), node]),
        }
        const starts = startsOf(queue.map(asSpec), [slots], replan(fifo(), { nodes: 'named', bf_resolution: step, ...options }), { nodes: count, observers: [observer] })
        together += queue.filter(({ parts = [] }) => parts.length > 1).length
        const ours = queue.map((_, i) => ({ start: starts.get(`J${i}`), nodes: places.get(`J${i}`)?.sort((a, b) => a - b) }))
        expect(ours).toEqual(plainNamed(queue, count, slots, step, windows).map(({ start, nodes }) => ({ start, nodes })))
      }),
      { seed: 56, numRuns: 1500 },
    )
    expect(together).toBeGreaterThan(3000)
  })

  it('gives every part nodes of its own, in the order of the parts, as Slurm does', () => {
    // 3 nodes of 4: A holds node 0. The head is put on node 1, and the others, of which 4 fit on a node, all on node 2; B (1 node) waits for A
    const spec = (id: string, estimate: number, tasks: readonly number[]): JobSpec => asSpec({ submit: 0, runtime: estimate, estimate, size: [], parts: tasks.map((count) => ({ runtime: estimate, tasks: count, size: [1] })) }, Number(id))
    const specs = [spec('0', 2 * MINUTE, [4]), spec('1', MINUTE, [1, 4]), spec('2', MINUTE, [4])]
    expect(Object.fromEntries(startsOf(specs, [4], replan(fifo(), { nodes: 'named' }), { nodes: 3 }))).toEqual({ J0: 0, J1: 0, J2: MINUTE })
    expect(Object.fromEntries(startsOf(specs, [4], replan(fifo(), { nodes: 'named' }), { nodes: 2 }))).toEqual({ J0: 0, J1: 2 * MINUTE, J2: 0 })
    expect(() => startsOf(specs, [8], replan(fifo(), { nodes: 'named' }), { nodes: 1 })).toThrow('job J1 waits although nothing runs')
  })
})

describe('the laws of the survey, section 8, with jobs of several parts', { tags: 'long' }, () => {
  /** How much later than promised jobs start. */
  const lateness = () => {
    const promised = new Map<number, number>()
    const late: number[] = []
    const observer: Observer = {
      onSubmit: (id) => void promised.delete(id),
      onReserve: (id, start) => void promised.set(id, Math.min(start, promised.get(id) ?? Infinity)),
      onTaskStart: (_task, id, _lane, _node, _level, now) => void (now > (promised.get(id) ?? Infinity) && late.push(now)),
    }
    return { late, observer }
  }

  it.each([['SV-BF-guarantee', conservative()], ['SV-BF-head', easy()]])('%s: no job starts later than it was promised', (_, policy) => {
    fc.assert(
      fc.property(worldOfParts(kind), ({ capacity, jobs }) => {
        const { late, observer } = lateness()
        simulated(sorted(jobs).map(atLeastASecond), capacity, policy, { observers: [observer] })
        expect(late).toEqual([])
      }),
      { seed: 54, numRuns: 800 },
    )
  })

  it('SV-BF-order: the mean start comes in the order fattened, EASY, conservative, FCFS over many worlds', () => {
    const means = [fattened, easy, conservative, strict].map((policy) => {
      let sum = 0
      for (const { capacity, jobs } of fc.sample(worldOfParts({ overrun: false, resources: 1 }), { seed: 55, numRuns: 1500 }))
        for (const start of simulated(sorted(jobs), capacity, policy(), { validate: false })) sum += start
      return sum
    })
    expect(means).toEqual([...means].sort((a, b) => a - b))
    expect(new Set(means).size).toBe(4)
  })
})

describe('a job of several parts', () => {
  const stage = (name: string, tasks: number, procs: number, duration: number): StageSpec => ({ name, tasks, gang: true, demand: { procs }, duration })
  const single = (id: string, submit: number, procs: number, seconds: number): JobSpec => ({ id, submit, estimate: seconds, stages: [stage('job', 1, procs, seconds)] })
  const parts = (id: string, submit: number, estimate: number, ...stages: StageSpec[]): JobSpec => ({ id, submit, estimate, gang: true, stages })
  const starts = (specs: readonly JobSpec[], capacity: number, policy = easy(), nodes = 1) => Object.fromEntries(startsOf(specs, [capacity], policy, { nodes }))

  it('is planned with the sum of what its parts ask until its estimate, and what ends before is free for others then', () => {
    // 4 procs: A holds 3 until 10 s; H (1 + 2) gets them at 10. S (1 proc, 15 s) may use the one left over, T (1 proc, 9 s) waits for a proc
    const two = parts('H', 1, 20, stage('head', 1, 1, 20), stage('others', 2, 1, 5))
    const specs = [single('A', 0, 3, 10), two, single('S', 2, 1, 15), single('T', 3, 1, 9)]
    expect(starts(specs, 4)).toEqual({ A: 0, H: 10, S: 2, T: 15 }) // the two others end at 15
    expect(starts(specs, 4, conservative())).toEqual({ A: 0, H: 10, S: 2, T: 15 })
    expect(starts(specs, 4, strict())).toEqual({ A: 0, H: 10, S: 10, T: 15 })
    const apart: JobSpec = { ...two, gang: false }
    expect(starts([specs[0] as JobSpec, apart], 4)).toEqual({ A: 0, H: 1 }) // its first part alone
  })

  it('may use nodes for a later part that had no room for one before it', () => {
    // 2 nodes of 2: A holds one of node 0; the part of 2 goes on node 1, that of 1 on node 0
    const specs = [single('A', 0, 1, 10), parts('H', 1, 5, stage('wide', 1, 2, 5), stage('narrow', 1, 1, 5))]
    expect(starts(specs, 2, easy(), 2)).toEqual({ A: 0, H: 1 })
  })

  it('keeps its place where the nodes have room by amounts and not for all parts', () => {
    // 2 nodes of 3: from 1 s on C holds one proc of node 0 until 12 s, B one of node 1. H asks the 4 that are free, but 3 of them on one node: D waits behind it
    const specs = [single('A', 0, 3, 1), single('B', 0, 1, 40), single('C', 1, 1, 11), parts('H', 2, 5, stage('wide', 1, 3, 5), stage('narrow', 1, 1, 5)), single('D', 3, 1, 30)]
    expect(starts(specs, 3, easy(), 2)).toEqual({ A: 0, B: 0, C: 1, H: 12, D: 12 })
  })

  it('is started by the plan alone with two passes, and keeps others from starting at events, as in Slurm', () => {
    // plans at 0 and 30 s
    const specs = [single('A', 0, 1, 1), parts('H', 5, MINUTE, stage('a', 1, 1, 50), stage('b', 1, 2, 50)), { ...single('S', 6, 1, 50), estimate: MINUTE }]
    expect(starts(specs, 4, replan())).toEqual({ A: 0, H: 5, S: 6 })
    expect(starts(specs, 4, replan(fifo(), { twoPass: true }))).toEqual({ A: 0, H: 30, S: 30 })
    const alone = specs.map((spec): JobSpec => ({ ...spec, gang: false }))
    expect(starts(alone, 4, replan(fifo(), { twoPass: true }))).toEqual({ A: 0, H: 5, S: 6 })
  })

  it('is refused by plans of amounts where any of its parts requires labels', () => {
    const labelled = { ...stage('b', 1, 1, 5), constraints: { require: { kind: 'gpu' } } }
    const cluster = { nodes: [{ count: 2, resources: { procs: 2 }, labels: { kind: 'gpu' } }] }
    const start = (policy: ReturnType<typeof easy>) => run({ policy, jobs: [parts('H', 0, 5, stage('a', 1, 1, 5), labelled)], cluster }).recorder.launches.length
    expect(() => start(easy())).toThrow('job H may run on some nodes only')
    expect(start(strict())).toBe(2)
  })
})
