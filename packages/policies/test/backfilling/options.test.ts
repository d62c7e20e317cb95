import type { JobSpec, NodeId, Observer } from '@sched/core'
import { conservative, easy, fattened, fifo, ljf, lxf, priority, replan, sjf, strict } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulated, startsOf } from './machine.js'
import { conservative as referenceConservative } from './reference/conservative.js'
import { easy as referenceEasy } from './reference/disciplines.js'
import { schedule, type RigidJob } from './reference/machine.js'
import { reserving } from './reference/reserving.js'

const job = (size: number, length: number, submit = 0, estimate = length): RigidJob => ({ submit, runtime: length, estimate, size: [size] })

/** Small worlds with estimates of at least 1 s. */
const worlds = fc.integer({ min: 1, max: 6 }).chain((slots) =>
  fc.record({
    slots: fc.constant(slots),
    window: fc.record({ from: fc.integer({ min: 0, max: 20 }), length: fc.integer({ min: 1, max: 12 }), size: fc.integer({ min: 1, max: slots }) }),
    jobs: fc
      .array(
        fc
          .record({
            submit: fc.integer({ min: 0, max: 12 }),
            runtime: fc.integer({ min: 0, max: 8 }),
            more: fc.integer({ min: 0, max: 5 }),
            size: fc.integer({ min: 1, max: slots }),
          })
          .map(({ submit, runtime, more, size }) => job(size, runtime, submit, Math.max(1, runtime + more))),
        { minLength: 1, maxLength: 9 },
      )
      .map((all) => all.sort((a, b) => a.submit - b.submit)),
  }),
)
type World = typeof worlds extends fc.Arbitrary<infer W> ? W : never
const windowsOf = ({ window: { from, length, size } }: World) => [{ from, to: from + length, demand: { procs: size } }]
const reservedFor = ({ window: { from, length, size } }: World) => new Map([[job(size, length), from]])

describe('easy', () => {
  it('with reservations for the first k agrees with its reference', { tags: 'long' }, () => {
    fc.assert(
      fc.property(worlds, fc.constantFrom(0, 1, 2, 3, Infinity), ({ slots, jobs }, k) => {
        expect(simulated(jobs, [slots], easy(fifo(), { reservations: k === Infinity ? 'all' : k }))).toEqual(schedule(jobs, [slots], reserving(k)))
      }),
      { seed: 11, numRuns: 400 },
    )
  })

  it('with a window agrees with its reference', { tags: 'long' }, () => {
    fc.assert(
      fc.property(worlds, fc.constantFrom(1, 2), (world, k) => {
        const policy = easy(fifo(), { reservations: k, windows: windowsOf(world) })
        expect(simulated(world.jobs, [world.slots], policy)).toEqual(schedule(world.jobs, [world.slots], reserving(k, reservedFor(world))))
      }),
      { seed: 12, numRuns: 400 },
    )
  })

  it.each([1, 2])('protects a first job of estimate 0 (%i reservations)', (reservations) => {
    expect(simulated([job(2, 10), job(3, 0), job(1, 20)], [3], easy(fifo(), { reservations }))).toEqual([0, 10, 10])
  })

  it('tries jobs behind the head in another order (EASY-SJBF), and so starts more of them', () => {
    // 3 slots, 2 held until 10; the head wants 3: one slot until 10 for one of B (9 s) and C, D (4 s each): the shortest first
    const jobs = [job(2, 10), job(3, 5), job(1, 9), job(1, 4), job(1, 4)]
    expect(simulated(jobs, [3], easy())).toEqual([0, 10, 0, 15, 15])
    expect(simulated(jobs, [3], easy(fifo(), { backfillOrder: sjf() }))).toEqual([0, 10, 15, 0, 4])
  })

  it('tries those that have no reservation in another order, and refuses one where all have some', () => {
    const jobs = [job(2, 10), job(3, 5), job(3, 5), job(1, 9), job(1, 4), job(1, 4)]
    expect(simulated(jobs, [3], easy(fifo(), { reservations: 2 }))).toEqual([0, 10, 15, 0, 20, 20])
    expect(simulated(jobs, [3], easy(fifo(), { reservations: 2, backfillOrder: sjf() }))).toEqual([0, 10, 15, 20, 0, 4])
    expect(() => simulated(jobs, [3], easy(fifo(), { reservations: 'all', backfillOrder: sjf() }))).toThrow('Leave out `reservations: all` or backfillOrder.')
    expect(() => simulated(jobs, [3], easy(fifo(), { reservations: 'all', shortFirst: true }))).toThrow('easy.shortFirst: all jobs get reservations, so jobs are tried in the order of these. Leave out `reservations: all` or shortFirst.')
    expect(() => simulated(jobs, [3], easy(fifo(), { depths: { a: 1 }, shortFirst: true }))).toThrow('Leave out depths or shortFirst.')
  })

  it('in another order agrees with its reference', () => {
    const shortestFirst = (jobs: RigidJob[]) => [...jobs].sort((a, b) => a.estimate - b.estimate)
    fc.assert(
      fc.property(worlds, ({ slots, jobs }) => {
        expect(simulated(jobs, [slots], easy(fifo(), { backfillOrder: sjf() }))).toEqual(schedule(jobs, [slots], referenceEasy(undefined, shortestFirst)))
      }),
      { seed: 13, numRuns: 300 },
    )
  })

  it('takes a job without an estimate as endless: what cannot be promised a start protects nobody', () => {
    const endless: JobSpec = { id: 'endless', submit: 0, stages: [{ name: 'job', tasks: 1, demand: { procs: 1 }, duration: 10 }] }
    const rigid = (id: string, procs: number, length: number): JobSpec => ({ id, submit: 0, estimate: length, stages: [{ name: 'job', tasks: 1, demand: { procs }, duration: length }] })
    const specs = [endless, rigid('wide', 2, 5), rigid('long', 1, 30)]
    expect(Object.fromEntries(startsOf(specs, [2], easy()))).toEqual({ endless: 0, long: 0, wide: 30 })
  })

  it('protects nobody in the place of a first job that cannot be promised a start, with windows as without', () => {
    // 3 slots, one of them held by the endless one, one until 12: `wide` has no shadow time, and `next` is not the first
    const rigid = (id: string, procs: number, length?: number): JobSpec => ({
      id, submit: 2, ...(length !== undefined && { estimate: length }), stages: [{ name: 'job', tasks: 1, demand: { procs }, duration: length ?? 10 }],
    })
    const specs = [rigid('endless', 1), rigid('until12', 1, 10), rigid('wide', 3, 5), rigid('next', 2, 5), rigid('long', 1, 30)]
    for (const windows of [[], [{ from: 0, to: 1, demand: 'all' as const }]])
      expect(Object.fromEntries(startsOf(specs, [3], easy(fifo(), { windows })))).toEqual({ endless: 2, until12: 2, long: 2, next: 12, wide: 32 })
    // with passOn `next` is protected, for which `long` keeps the free slot; the endless one ends at 12, so that `wide` starts after all
    for (const reservations of [1, 2])
      expect(Object.fromEntries(startsOf(specs, [3], easy(fifo(), { reservations, passOn: true })))).toEqual({ endless: 2, until12: 2, wide: 12, next: 17, long: 17 })
    expect(Object.fromEntries(startsOf(specs, [3], easy(fifo(), { reservations: 0, passOn: true })))).toEqual({ endless: 2, until12: 2, long: 2, next: 12, wide: 32 })
  })

  it('passes on the reservation of a job that asks for more than is there while a node is away', () => {
    // node 1 is away until 100, and `wide` wants all of both; one of 3 slots of the other node is held until 12, and `next` wants 3
    const rigid = (id: string, tasks: number, procs: number, length: number): JobSpec => ({
      id, submit: 2, estimate: length, stages: [{ name: 'job', tasks, gang: true, demand: { procs }, duration: length }],
    })
    const specs = [rigid('until12', 1, 1, 10), rigid('wide', 2, 3, 5), rigid('next', 1, 3, 5), rigid('long', 1, 1, 30)]
    const away = { nodes: 2, outages: [{ node: 1 as NodeId, from: 0, to: 100 }] }
    expect(Object.fromEntries(startsOf(specs, [3], easy(), away))).toEqual({ until12: 2, long: 2, next: 32, wide: 100 })
    expect(Object.fromEntries(startsOf(specs, [3], easy(fifo(), { passOn: true }), away))).toEqual({ until12: 2, next: 12, long: 17, wide: 100 })
  })
})

describe('conservative', () => {
  it('compresses jobs that ask nothing of the first resource, too: the order of resources does not matter', () => {
    // 3 procs, 1 gpu: g has the gpu until 100; a until 30, d until 40; c (2 procs) reserved at 40, b (20 s) behind it at 70.
    // a ends at 10: b has room from 10 to 40
    const jobs = (size: (gpus: number, procs: number) => number[]): RigidJob[] =>
      [[1, 1, 100], [0, 1, 30, 10], [0, 1, 40], [0, 2, 30], [0, 1, 20]].map(([gpus = 0, procs = 0, estimate = 0, runtime = estimate]) => ({ submit: 0, runtime, estimate, size: size(gpus, procs) }))
    expect(simulated(jobs((gpus, procs) => [procs, gpus]), [3, 1], conservative())).toEqual([0, 0, 0, 40, 10])
    expect(simulated(jobs((gpus, procs) => [gpus, procs]), [1, 3], conservative())).toEqual([0, 0, 0, 40, 10])
  })
  it('compresses when a job ends early, or when any job ends, as its reference does', () => {
    // 3 slots, A (all of them) ends at 2 instead of 4: B and C come forward to 2, D (2 slots) not, since E behind it still has
    // [4, 7), then E. At 5 C and E end as expected: D could have started, and does so only if that compresses again
    const queue = [job(3, 2, 0, 4), job(1, 5), job(1, 3), job(2, 2, 0, 5), job(1, 3)]
    expect(simulated(queue, [3], conservative())).toEqual([0, 2, 2, 7, 2])
    expect(simulated(queue, [3], conservative(fifo(), { compress: 'all-ends' }))).toEqual([0, 2, 2, 5, 2])
    fc.assert(
      fc.property(worlds, ({ slots, jobs }) => {
        expect(simulated(jobs, [slots], conservative(fifo(), { compress: 'all-ends' }))).toEqual(schedule(jobs, [slots], referenceConservative(undefined, undefined, true)))
      }),
      { seed: 14, numRuns: 300 },
    )
  })
  it('compresses in the order of the queue, or of reserved starts, as its reference does', { tags: 'long' }, () => {
    // 3 slots, A (two of them) ends at 1 instead of 2, C has the third until 2: B (2 slots) and D (1 slot), both reserved at 2,
    // have room for one of them at 1. B is the first in the queue, D the shorter of two with one start
    const queue = [job(2, 1, 0, 2), job(2, 6), job(1, 2), job(1, 1)]
    expect(simulated(queue, [3], conservative())).toEqual([0, 1, 0, 2])
    expect(simulated(queue, [3], conservative(fifo(), { compressOrder: 'start' }))).toEqual([0, 2, 0, 1])
    fc.assert(
      fc.property(worlds, fc.constantFrom('early-ends' as const, 'all-ends' as const), ({ slots, jobs }, compress) => {
        const reference = referenceConservative(undefined, undefined, compress === 'all-ends', true)
        expect(simulated(jobs, [slots], conservative(fifo(), { compress, compressOrder: 'start' }))).toEqual(schedule(jobs, [slots], reference))
      }),
      { seed: 15, numRuns: 300 },
    )
  })
})

describe('a job that outlives its estimate', () => {
  // 2 slots: R holds one, planned until 10, until 100. The wide head's shadow: 10, then 70 (60 s more), then 190 (120 s more)
  const jobs = [job(1, 100, 0, 10), job(2, 5, 1), job(1, 40, 20), job(1, 90, 71)]

  it('is given 60 s more, then 120 s, and what ends before may start', () => {
    expect(simulated(jobs, [2], easy())).toEqual([0, 161, 20, 71])
  })

  it('is seen in the very second of its expected end, since all that ends then has left; but not where a pass comes between the ends', () => {
    // a job of 40 s that comes at 10 ends by 70, when the first is expected to end from then on
    const comes = (submit: number, passPerEvent?: 'ends-first') => simulated([job(1, 100, 0, 10), job(2, 5, 1), job(1, 40, submit)], [2], easy(), passPerEvent === undefined ? {} : { passPerEvent })[2]
    expect([comes(9), comes(10), comes(11)]).toEqual([105, 10, 11])
    expect([comes(10, 'ends-first'), comes(11, 'ends-first')]).toEqual([105, 11])
  })

  it('is not seen in the second of its start', () => {
    // Z is expected to end as it starts, and that its neighbour of 0 s has ended makes no second pass take it as late: X passes the wide head at 1 only
    const jobs = [job(1, 30, 0, 0), job(1, 0, 0, 0), job(2, 5, 0, 5), job(1, 5, 0, 5), job(1, 5, 1, 5)]
    expect(simulated(jobs, [2], easy())).toEqual([0, 0, 30, 1, 6])
  })

  it('is seen at the end of a window, too, by all that know windows', () => {
    // the first, which was to end at 12, ends at 60; the second waits for it, and the third may go before the second as soon as that is seen: by conservative at 12, since it plans a start then
    const outlived = [job(6, 60, 0, 12), job(8, 11, 1), job(4, 12, 2)]
    const window = [{ from: 20, to: 22, demand: { procs: 1 } }]
    expect([[], window].map((windows) => simulated(outlived, [10], conservative(fifo(), { windows })))).toEqual([[0, 60, 12], [0, 60, 22]])
    expect([[], window].map((windows) => simulated(outlived, [10], easy(fifo(), { windows })))).toEqual([[0, 60, 71], [0, 60, 22]])
  })

  it('is given another extension if wanted', () => {
    expect(simulated(jobs, [2], easy(fifo(), { extension: 11 }))).toEqual([0, 100, 105, 105]) // at 20 it is planned until 21, at 71 until 87
  })

  it('is an error where jobs are said to be killed at their estimate', () => {
    expect(() => simulated(jobs, [2], easy(fifo(), { overrun: 'kill' }))).toThrow(/^estimate: job \S+ still runs at 20 s, its estimated end was 10 s/)
  })
})

describe('windows', () => {
  const maintenance = [{ from: 10, to: 20, demand: 'all' as const }]
  it('are run into by nobody: 2 slots, all in maintenance from 10 to 20', () => {
    const jobs = [job(1, 8), job(1, 12), job(1, 2)]
    const starts = { strict: [0, 20, 20], easy: [0, 20, 0], conservative: [0, 20, 0], fattened: [0, 20, 0] }
    expect({
      strict: simulated(jobs, [2], strict(fifo(), { windows: maintenance })),
      easy: simulated(jobs, [2], easy(fifo(), { windows: maintenance })),
      conservative: simulated(jobs, [2], conservative(fifo(), { windows: maintenance })),
      fattened: simulated(jobs, [2], fattened(fifo(), { windows: maintenance })),
    }).toEqual(starts)
  })

  it('into which a job runs that outlives its estimate keep nobody who asks nothing of what is short there', () => {
    // 4 slots, 10 of memory. R should end at 60 and runs until 300; from 100 to 400 all memory is promised to others. P comes at 120 and asks slots alone
    const jobs: RigidJob[] = [
      { submit: 0, runtime: 300, estimate: 60, size: [1, 6] },
      { submit: 120, runtime: 4, estimate: 4, size: [2, 0] },
    ]
    const windows = [{ from: 100, to: 400, demand: { memory: 10 } }]
    for (const policy of [strict, easy, conservative, fattened, replan]) expect(simulated(jobs, [4, 10], policy(fifo(), { windows }))).toEqual([0, 120])
  })

  it('of conservative agree with its reference', { tags: 'long' }, () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const policy = conservative(fifo(), { windows: windowsOf(world) })
        expect(simulated(world.jobs, [world.slots], policy)).toEqual(schedule(world.jobs, [world.slots], referenceConservative(undefined, reservedFor(world))))
      }),
      { seed: 14, numRuns: 400 },
    )
  })

  it('must end after they begin and take what the cluster has', () => {
    const open = (window: { from: number; to: number; demand: 'all' | Record<string, number> }) => () => simulated([job(1, 1)], [1], easy(fifo(), { windows: [window] }))
    expect(open({ from: 5, to: 5, demand: 'all' })).toThrow('windows[0].to: the window ends at 5 s and begins at 5 s.')
    expect(open({ from: 5, to: 6, demand: { proc: 1 } })).toThrow('windows[0].demand: the cluster has no resource "proc". Did you mean "procs"?')
  })
})

describe('orders', () => {
  it('give the queue its order: 1 slot, held until 10 by a job that came first', () => {
    const jobs = [job(1, 10), job(1, 6, 1), job(1, 2, 2), job(1, 9, 3)]
    expect({
      fifo: simulated(jobs, [1], strict(fifo())),
      sjf: simulated(jobs, [1], strict(sjf())),
      ljf: simulated(jobs, [1], strict(ljf())),
      // at 10: (9 + 6)/6 = 2.5, (8 + 2)/2 = 5, (7 + 9)/9 = 1.8
      lxf: simulated(jobs, [1], strict(lxf())),
    }).toEqual({ fifo: [0, 10, 16, 18], sjf: [0, 12, 10, 18], ljf: [0, 19, 25, 10], lxf: [0, 12, 10, 18] })
  })

  it('lxf changes places as time passes: a long wait outranks a short job', () => {
    // at 100 A: (99 + 50)/50 = 2.98, B: (1 + 1)/1 = 2; at 10 with B at 9: A: (9 + 50)/50 = 1.18, B: 2
    expect(simulated([job(1, 100), job(1, 50, 1), job(1, 1, 99)], [1], strict(lxf()))).toEqual([0, 100, 150])
    expect(simulated([job(1, 10), job(1, 50, 1), job(1, 1, 9)], [1], strict(lxf()))).toEqual([0, 11, 10])
  })

  it('priority weighs priority, age and size', () => {
    const spec = (id: string, submit: number, procs: number, own = 0): JobSpec => ({
      id,
      submit,
      priority: own,
      estimate: 10,
      stages: [{ name: 'job', tasks: 1, demand: { procs }, duration: 10 }],
    })
    const specs = [spec('first', 0, 4), spec('old', 1, 1), spec('wide', 5, 4), spec('dear', 9, 2, 1)]
    const order = (options: Parameters<typeof priority>[0]) => [...startsOf(specs, [4], strict(priority(options)))].sort((a, b) => a[1] - b[1]).map(([id]) => id)
    expect({
      own: order({}),
      size: order({ priority: 0, size: 1 }),
      small: order({ priority: 0, size: 1, favorSmall: true }),
      age: order({ priority: 1, age: 10, maxAge: 100 }), // dear: 1 + 0.1, wide: 0.5, old: 0.9 at 10 s
      aged: order({ priority: 1, age: 20, maxAge: 100 }), // dear: 1 + 0.2, wide: 1, old: 1.8
    }).toEqual({
      own: ['first', 'dear', 'old', 'wide'],
      size: ['first', 'wide', 'dear', 'old'],
      small: ['first', 'old', 'dear', 'wide'],
      age: ['first', 'dear', 'old', 'wide'],
      aged: ['first', 'old', 'dear', 'wide'],
    })
  })

  it('do not break promises of conservative: each job starts no later than it was first told', () => {
    fc.assert(
      fc.property(worlds, fc.constantFrom(fifo, sjf, ljf, lxf), ({ slots, jobs }, order) => {
        const promised = new Map<number, number>()
        const late: number[] = []
        const watch: Observer = {
          onSubmit: (id) => void promised.delete(id),
          onReserve: (id, start) => void promised.set(id, Math.min(start, promised.get(id) ?? Infinity)),
          onTaskStart: (_task, id, _lane, _node, _level, now) => void (now > (promised.get(id) ?? NaN) && late.push(id)),
        }
        simulated(jobs, [slots], conservative(order()), { observers: [watch] })
        expect(late).toEqual([])
      }),
      { seed: 15, numRuns: 300 },
    )
  })
})

describe('jobs of many tasks', () => {
  const tasks = (id: string, count: number, procs: number, length: number, gang: boolean, submit = 0): JobSpec => ({
    id,
    submit,
    estimate: length,
    stages: [{ name: 'tasks', tasks: count, gang, demand: { procs }, duration: length }],
  })

  it('start together where they are a gang, one by one where they are not', () => {
    // 2 nodes of 2; F holds 1 slot of node 0 until 5. A gang of 2 tasks of 2 waits for both nodes, free tasks do not
    const starts = (gang: boolean) => {
      const all: number[] = []
      const watch: Observer = { onTaskStart: (_task, _job, _lane, _node, _level, now) => void all.push(now) }
      startsOf([tasks('F', 1, 1, 5, false), tasks('T', 2, 2, 10, gang)], [2], easy(), { nodes: 2, observers: [watch] })
      return all
    }
    expect(starts(true)).toEqual([0, 5, 5])
    expect(starts(false)).toEqual([0, 0, 5])
  })

  it('wait for a node when there is room only in pieces, and hold what they need', () => {
    // 2 nodes of 2, one slot of each held until 10: W wants 2 slots on one node. S (1 slot, 20 s) would leave it too little
    const specs = [tasks('A', 1, 1, 10, false), tasks('P', 1, 2, 4, false), tasks('B', 1, 1, 10, false), tasks('W', 1, 2, 5, false, 5), tasks('S', 1, 1, 20, false, 6)]
    const spread = [tasks('A', 1, 2, 3, false), tasks('B', 1, 1, 10, false), tasks('C', 1, 1, 10, false, 1)]
    expect(Object.fromEntries(startsOf(spread, [2], strict(), { nodes: 2 }))).toEqual({ A: 0, B: 0, C: 1 })
    for (const policy of [strict(), easy(), conservative(), fattened()]) {
      const starts = startsOf(specs, [2], policy, { nodes: 2 })
      expect({ all: starts.size, W: starts.get('W') }).toEqual({ all: 5, W: 5 })
    }
  })

  it('have waited until they start, also where the amounts were there before and the nodes were not', () => {
    // 3 nodes of 2. From 1 on B and C hold a slot of nodes 1 and 2: the gang G (2 x 2) has room in pieces only, and starts at 10. AWT = 9/5 at
    // 20, when D and E hold 4 until 23 and 26: J (2 until 24) delays H (4 from 23 on) by 1 < 1.8
    const early = [tasks('X', 1, 2, 1, false), tasks('B', 1, 1, 10, false), tasks('Y', 1, 1, 1, false), tasks('C', 1, 1, 10, false), tasks('G', 2, 2, 5, true, 1)]
    const late = [tasks('D', 1, 2, 3, false, 20), tasks('E', 1, 2, 6, false, 20), tasks('H', 2, 2, 5, true, 20), tasks('J', 1, 2, 4, false, 20)]
    const starts = startsOf([...early, ...late], [2], fattened(), { nodes: 3 })
    expect(Object.fromEntries(starts)).toEqual({ X: 0, B: 0, Y: 0, C: 0, G: 10, D: 20, E: 20, J: 20, H: 24 })
  })

  it('that the whole cluster cannot hold at once are refused', () => {
    expect(() => startsOf([tasks('G', 3, 2, 5, true)], [2], easy(), { nodes: 2 })).toThrow('job G starts 3 tasks of {"procs":2} at once, the nodes of cluster have room for 2')
  })
})

describe('a pass after every event', () => {
  it('changes schedules: two jobs of one instant do not see each other', () => {
    // 2 slots; at 10 R ends and A (2 slots) and B (1 slot, 20 s) come, B last
    const jobs = [job(1, 10), job(2, 5, 10), job(1, 20, 10)]
    expect(simulated(jobs, [2], easy())).toEqual([0, 10, 15])
    expect(simulated(jobs, [2], easy(), { passPerEvent: 'ends-first' })).toEqual([0, 10, 15])
    const late = [job(1, 10), job(1, 20, 10), job(2, 5, 10)]
    expect(simulated(late, [2], easy(sjf()))).toEqual([0, 15, 10])
    expect(simulated(late, [2], easy(sjf()), { passPerEvent: 'ends-first' })).toEqual([0, 10, 30])
  })

  it('sees the end of a job of no length behind all submissions, or before them if an end has started it', () => {
    // 2 slots; A of no length (20 s estimated), B (2 slots) and C (10 s) come at 10: C passes B while A is there
    const come = [job(1, 0, 10, 20), job(2, 5, 10), job(1, 10, 10)]
    expect(simulated(come, [2], easy(), { passPerEvent: 'ends-first' })).toEqual([10, 20, 10])
    // the same, but A has waited for one that ends at 10
    expect(simulated([job(2, 10), job(1, 0, 1, 20), ...come.slice(1)], [2], easy(), { passPerEvent: 'ends-first' })).toEqual([0, 10, 10, 15])
  })
})
