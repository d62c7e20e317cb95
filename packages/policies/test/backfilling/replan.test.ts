import type { JobSpec, Observer } from '@sched/core'
import { easy, fifo, multifactor, replan, strict } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulated, startsOf } from './machine.js'
import type { RigidJob } from './reference/machine.js'
import { plainNamed } from './reference/plain-named.js'

const MINUTE = 60
const job = (size: number, minutes: number, submit = 0, runMinutes = minutes): RigidJob => ({ submit, runtime: runMinutes * MINUTE, estimate: minutes * MINUTE, size: [size] })
/** One task per node. */
const nodesFor = (id: string, nodes: number, minutes: number, submit = 0): JobSpec => ({
  id,
  submit,
  estimate: minutes * MINUTE,
  stages: [{ name: 'nodes', tasks: nodes, gang: true, demand: { procs: 1 }, duration: minutes * MINUTE }],
})
const exact = { bf_resolution: 1 }

/** Notes the nodes of every job by name. */
function placesIn(places: Map<string, number[]>): Observer {
  const names: string[] = []
  return {
    onSubmit: (id, spec) => void (names[id] = spec.id),
    onTaskStart: (_task, id, _lane, node) => void places.set(names[id] ?? '', [...(places.get(names[id] ?? '') ?? []), node]),
  }
}

/** Jobs of whole minutes that arrive at any second. */
const jobsOn = (slotCount: fc.Arbitrary<number>, most: number) =>
  slotCount.chain((slots) => {
    const job = fc.record({
      submit: fc.integer({ min: 0, max: 600 }),
      minutes: fc.integer({ min: 1, max: 9 }),
      less: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 200 })),
      size: fc.oneof(fc.constant(slots), fc.integer({ min: 1, max: slots })),
    })
    const rigid = job.map(({ submit, minutes, less, size }): RigidJob => ({ submit, runtime: Math.max(0, minutes * MINUTE - less), estimate: minutes * MINUTE, size: [size] }))
    return fc.record({ slots: fc.constant(slots), queue: fc.array(rigid, { minLength: 1, maxLength: most }).map((all) => all.sort((a, b) => a.submit - b.submit)) })
  })
const jobs = jobsOn(fc.integer({ min: 1, max: 8 }), 14)

describe('replan', () => {
  it('is EASY when one job gets a reservation, estimates are whole minutes and the resolution is a second', () => {
    fc.assert(
      fc.property(jobs, ({ slots, queue }) => {
        expect(simulated(queue, [slots], replan(fifo(), { ...exact, bf_job_part_count_reserve: 1 }))).toEqual(simulated(queue, [slots], easy()))
      }),
      { seed: 31, numRuns: 300 },
    )
  })

  it('is EASY with reservations for all when nothing else is limited', { tags: 'long' }, () => {
    fc.assert(
      fc.property(jobs, ({ slots, queue }) => {
        expect(simulated(queue, [slots], replan(fifo(), exact))).toEqual(simulated(queue, [slots], easy(fifo(), { reservations: 'all' })))
      }),
      { seed: 32, numRuns: 300 },
    )
  })

  it('rounds limits up to whole minutes: a job of 61 s does not fit before a shadow 100 s away', () => {
    // 2 slots, one held until 120: at 20 the shadow of the second job is 100 s away; 61 s are planned as 120 s
    const queue: RigidJob[] = [
      { submit: 0, runtime: 120, estimate: 120, size: [1] },
      { submit: 20, runtime: 60, estimate: 60, size: [2] },
      { submit: 20, runtime: 61, estimate: 61, size: [1] },
    ]
    expect(simulated(queue, [2], easy())).toEqual([0, 120, 20])
    expect(simulated(queue, [2], replan(fifo(), exact))).toEqual([0, 120, 180])
  })

  it('begins reservations at multiples of bf_resolution before, and ends them at multiples after (_set_slot_time of Slurm)', () => {
    // 2 slots; R holds one until 119 s, planned until 120. The head (both, 120 s) is planned for [120, 240): with 100 s that is
    // [100, 300), in the way of a job from 50 to 110
    const small = (length: number): RigidJob[] => [
      { submit: 0, runtime: 119, estimate: 119, size: [1] },
      { submit: 30, runtime: 120, estimate: 120, size: [2] },
      { submit: 50, runtime: length, estimate: length, size: [1] },
    ]
    expect(simulated(small(60), [2], replan(fifo(), { bf_resolution: 1 }))).toEqual([0, 119, 50])
    expect(simulated(small(60), [2], replan(fifo(), { bf_resolution: 100 }))).toEqual([0, 119, 239])
    expect(simulated(small(120), [2], replan(fifo(), { bf_resolution: 1 }))).toEqual([0, 119, 239])
    // 3 slots, 2 held until 300: X (2 slots, 1 min) is planned for [300, 360), with 100 s until 400; Y (3 slots) comes after it.
    // A job of one slot from 70 to 370 is in Y's way at 360, not at 400
    const three = [job(2, 5), job(2, 1, 10), job(3, 1, 10), job(1, 5, 70)]
    expect(simulated(three, [3], replan(fifo(), { bf_resolution: 1 }))).toEqual([0, 300, 360, 420])
    expect(simulated(three, [3], replan(fifo(), { bf_resolution: 100 }))).toEqual([0, 300, 370, 70])
  })

  it('leaves starts beyond bf_window unplanned, so that small jobs go on overtaking a wide one', () => {
    // 2 slots, R holds one for 10 min; the wide job could start in 10 min, beyond a window of 5: the one-slot job of 20 min starts at once
    const queue = [job(1, 10), job(2, 1), job(1, 20)]
    expect(simulated(queue, [2], replan())).toEqual([0, 600, 660])
    expect(simulated(queue, [2], replan(fifo(), { bf_window: 5 }))).toEqual([0, 1200, 0])
  })

  it('looks at bf_max_job_test jobs only', () => {
    const queue = [job(1, 10), job(2, 1), job(1, 5)]
    expect(simulated(queue, [2], replan())).toEqual([0, 600, 0])
    expect(simulated(queue, [2], replan(fifo(), { bf_max_job_test: 1 }))).toEqual([0, 600, 660])
  })

  it('reserves nothing for jobs younger than bf_min_age_reserve', () => {
    // the wide job is 0 s old when the one-slot job of 20 min comes, and 60 s old at the next one, which ends before R
    const queue = [job(1, 10), job(2, 1), job(1, 20), job(1, 1, 1260)]
    expect(simulated(queue, [2], replan(fifo(), { bf_min_age_reserve: 60 }))).toEqual([0, 1200, 0, 1260])
    expect(simulated(queue, [2], replan())).toEqual([0, 600, 660, 1260])
  })

  it('reserves nothing for jobs of a lower priority than bf_min_prio_reserve, as the order computes it', () => {
    // 2 slots, R holds one for 10 min; the wide job of priority 10 would keep the small one of 20 min from starting
    const spec = (id: string, procs: number, minutes: number, priority: number, submit = 0): JobSpec => ({ id, submit, queue: 'x', priority, estimate: minutes * MINUTE, stages: [{ name: 'job', tasks: 1, demand: { procs }, duration: minutes * MINUTE }] })
    const specs = [spec('R', 1, 10, 30), spec('W', 2, 1, 10), spec('S', 1, 20, 1)]
    const small = (least: number, order = fifo(), options = {}) => startsOf(specs, [2], replan(order, { bf_min_prio_reserve: least, ...options })).get('S')
    expect([0, 10, 11].map((least) => small(least))).toEqual([660, 660, 0])
    expect([20, 21].map((least) => small(least, multifactor({ site: 2 })))).toEqual([660, 0])
    expect([10, 11].map((least) => small(least, multifactor({ site: 1, tiers: { x: 5 } })))).toEqual([660, 0]) // whatever the tier
    // of single QOS, before that of all, and of queues before these unless the QOS goes first (acct_policy_get_prio_thresh of Slurm)
    expect([{ normal: 10 }, { normal: 11 }, { other: 11 }].map((minPriorities) => small(0, fifo(), { minPriorities }))).toEqual([660, 0, 660])
    expect(small(11, fifo(), { minPriorities: { normal: 10 } })).toBe(660)
    expect([[], ['normal']].map((ownQosFirst) => small(0, fifo(), { minPriorities: { normal: 10 }, minPrioritiesOfQueues: { x: 11 }, ownQosFirst }))).toEqual([0, 660])
    // of users before their account, where no QOS says it; W is of `user` in no account, which is the root
    const ofRoot = { minPrioritiesOfAccounts: { root: 11, other: 5 } }
    expect([ofRoot, { ...ofRoot, minPrioritiesOfUsers: { root: { user: 10 } } }, { ...ofRoot, minPriorities: { normal: 10 } }].map((options) => small(0, fifo(), options))).toEqual([0, 660, 660])
    // and of users in queues before those, where 0 is that of all
    const inQueue = (least: number, queue = 'X') => ({ ...ofRoot, minPrioritiesOfUsersOfPartitions: { root: { [queue]: { user: least } } } })
    expect([inQueue(10), inQueue(11), inQueue(10, 'y'), inQueue(0)].map((options) => small(0, fifo(), options))).toEqual([660, 0, 0, 660])
    expect(small(11, fifo(), inQueue(0))).toBe(0)
    // at an event, 5 s after the plan
    specs.splice(1, 2, spec('W', 2, 1, 10, 35), spec('S', 1, 5, 1, 36))
    expect([0, 11].map((least) => small(least, fifo(), { twoPass: true }))).toEqual([60, 36])
  })

  it('with two passes starts in order at events, and backfills bf_interval after the last plan', () => {
    const queue = [job(1, 10), job(2, 1, 5), job(1, 5, 7), job(1, 2, 31)]
    expect(simulated(queue, [2], replan())).toEqual([0, 600, 7, 307])
    expect(simulated(queue, [2], replan(fifo(), { twoPass: true }))).toEqual([0, 600, 30, 330])
    expect(simulated(queue, [2], replan(fifo(), { twoPass: true, bf_interval: 100 }))).toEqual([0, 600, 100, 400])
  })

  it('with two passes lets jobs behind a young one start at events, too (bf_min_age_reserve in schedule() of Slurm)', () => {
    // 2 slots, R holds one for 10 min; the wide job comes at 65, the small ones at 70 and 140 and end before R. Plans at 65, 95 and so on; or at 65, 85,
    // 130, where the young one has no reservation, and 160
    const queue = [job(1, 10), job(2, 1, 65), job(1, 1, 70), job(1, 1, 140)]
    expect(simulated(queue, [2], replan(fifo(), { twoPass: true }))).toEqual([0, 600, 95, 155])
    expect(simulated(queue, [2], replan(fifo(), { twoPass: true, bf_min_age_reserve: 60 }))).toEqual([0, 600, 70, 160])
  })

  it('with two passes starts sched_max_job_start jobs at an event, and looks at one more than default_queue_depth, or at partition_job_depth', () => {
    // 3 slots beside a job of 0 s; what does not start at 5 starts in the plan at 30
    const queue = [job(1, 10), job(1, 10, 5), job(1, 10, 5), job(1, 10, 5)]
    const three = (options: object) => simulated(queue, [4], replan(fifo(), { twoPass: true, ...options })).slice(1)
    expect(three({})).toEqual([5, 5, 5])
    expect(three({ sched_max_job_start: 2 })).toEqual([5, 5, 30])
    expect(three({ default_queue_depth: 1 })).toEqual([5, 5, 30]) // job_depth++ > def_job_limit ends the pass of Slurm
    expect(three({ default_queue_depth: 0 })).toEqual([5, 30, 30])
    expect(three({ default_queue_depth: 1, partition_job_depth: 1 })).toEqual([5, 30, 30])
    expect(three({ partition_job_depth: 2 })).toEqual([5, 5, 30])
  })

  describe.each([['counted', 0], ['named', 1]] as const)('jobs of QOS with NoReserve, with %s nodes', (nodes, gap) => {
    const spec = (id: string, procs: number, minutes: number, qos?: string, submit = 0): JobSpec => ({
      ...nodesFor(id, procs, minutes, submit), ...(qos !== undefined && { qos }),
    })
    const starts = (specs: readonly JobSpec[], options: object) => Object.fromEntries(startsOf(specs, [1], replan(fifo(), { nodes, ...exact, ...options }), { nodes: 2 }))

    it('get no reservation and are overtaken', () => {
      // R holds one of two nodes for 10 min; W of two, if planned, keeps S of 20 min from starting
      const specs = (qos?: string) => [spec('R', 1, 10), spec('W', 2, 1, qos), spec('S', 1, 20, 'high')]
      const [planned, overtaken] = [{ R: 0, W: 600, S: 660 }, { R: 0, S: 0, W: 1200 }]
      expect(starts(specs('scavenger'), {})).toEqual(planned)
      expect(starts(specs('scavenger'), { noReserve: ['scavenger'] })).toEqual(overtaken)
      expect(starts(specs(), { noReserve: ['normal'] })).toEqual(overtaken)
      expect(starts(specs('other'), { noReserve: ['scavenger'], noReserveMinute: true })).toEqual(planned)
    })

    it('start in the place of a reservation that begins a minute later or more, where others may take it back (time_limit = 1 of _attempt_backfill)', () => {
      // W of two nodes is planned for 10 min; L runs 20 min on one of them
      const specs = (submit: number) => [spec('R', 1, 10), spec('W', 2, 1, 'high'), spec('L', 1, 20, 'scavenger', submit)]
      expect(starts(specs(0), { noReserve: ['scavenger'] })).toEqual({ R: 0, W: 600, L: 660 })
      expect(starts(specs(0), { noReserve: ['scavenger'], noReserveMinute: true })).toEqual({ R: 0, L: 0, W: 1200 })
      expect(starts(specs(540 - gap), { noReserve: ['scavenger'], noReserveMinute: true })).toMatchObject({ L: 540 - gap })
      expect(starts(specs(541), { noReserve: ['scavenger'], noReserveMinute: true })).toEqual({ R: 0, W: 600, L: 660 })
    })

    it('keep others from starting at events, where plans have no part (schedule() of Slurm)', () => {
      const specs = [spec('R', 1, 10), spec('W', 2, 1, 'scavenger', 1), spec('S', 1, 20, 'high', 2)]
      expect(starts(specs, { noReserve: ['scavenger'], twoPass: true })).toEqual({ R: 0, S: 30, W: 1230 })
    })
  })

  describe('without plans (bf_interval -1)', () => {
    const off = { twoPass: true, bf_interval: -1 } as const

    it('starts jobs in order alone: one that does not fit keeps all behind it from starting, however short they are', () => {
      const queue = [job(1, 10), job(2, 1, 5), job(1, 5, 7)]
      expect(simulated(queue, [2], replan(fifo(), { twoPass: true }))).toEqual([0, 600, 30])
      expect(simulated(queue, [2], replan(fifo(), off))).toEqual([0, 600, 660])
      expect(simulated(queue, [2], replan(fifo(), off))).toEqual(simulated(queue, [2], strict(fifo())))
    })

    it('looks at the whole queue every sched_interval seconds, with partition_job_depth alone', () => {
      const queue = [job(1, 10, 5), job(1, 10, 5), job(1, 10, 5)]
      const three = (options: object) => simulated(queue, [3], replan(fifo(), { ...off, ...options }))
      expect(three({ default_queue_depth: 0 })).toEqual([5, 60, 60]) // full_queue of schedule() knows no depth
      expect(three({ default_queue_depth: 0, sched_interval: 7 })).toEqual([5, 7, 7])
      expect(three({ partition_job_depth: 1 })).toEqual([5, 60, 120])
    })

    it('leaves jobs that are one gang waiting for ever, which is told, and so what they keep from starting', () => {
      const gang: JobSpec = { id: 'H', submit: 0, gang: true, estimate: MINUTE, stages: [1, 2].map((procs) => ({ name: `${procs}`, tasks: 1, gang: true, demand: { procs }, duration: MINUTE })) }
      const told: string[] = []
      expect(() => startsOf([gang], [4], replan(fifo(), off), { warn: (message) => told.push(message) })).toThrow('job H waits although nothing runs')
      expect(told).toEqual([expect.stringContaining('of which bf_interval -1 makes none: they never start, as in Slurm')])
    })

    it('is refused without twoPass', () => {
      expect(() => simulated([job(1, 1)], [1], replan(fifo(), { bf_interval: -1 }))).toThrow('without plans nothing ever starts')
    })
  })

  it('starts no more than bf_max_job_start jobs in a plan, and looks at no more of a user or queue than it is told', () => {
    const spec = (id: string, user: string, queue: string): JobSpec => ({ id, submit: 0, user, queue, estimate: MINUTE, stages: [{ name: 'job', tasks: 1, demand: { procs: 1 }, duration: MINUTE }] })
    const specs = [spec('a', 'ann', 'x'), spec('b', 'ann', 'y'), spec('c', 'bob', 'x'), spec('d', 'bob', 'y')]
    const first = (options: object) => [...startsOf(specs, [4], replan(fifo(), options))].filter(([, start]) => start === 0).map(([id]) => id).join('')
    expect(first({})).toBe('abcd')
    expect(first({ bf_max_job_start: 3 })).toBe('abc')
    expect(startsOf(specs, [4], replan(fifo(), { bf_max_job_start: 3 })).get('d')).toBe(30) // the next pass
    const plans = (options: object) => [...startsOf(specs, [4], replan(fifo(), options)).values()].join(' ')
    expect(plans({ bf_max_job_test: 1 })).toBe('0 30 60 90') // each plan looks at the first that waits
    expect(plans({ bf_max_job_user: 1, bf_interval: 10 })).toBe('0 0 10 10')
    expect(first({ bf_max_job_user: 1 })).toBe('ac')
    expect(first({ bf_max_job_part: 1 })).toBe('ab')
    expect(first({ bf_max_job_part: 1, bf_max_job_user: 1 })).toBe('ad') // b is one more of ann and c one more of x, and neither counts
    expect(first({ bf_max_job_user: 1, bf_max_job_test: 1 })).toBe('a')
    expect(first({ bf_max_job_user_part: 1 })).toBe('abcd')
    for (const [i, account] of ['p', 'q', 'p', 'p'].entries()) specs[i] = { ...(specs[i] as JobSpec), account }
    expect(first({ bf_max_job_assoc: 1 })).toBe('abc') // ann under p, ann under q, bob under p
    expect(first({ bf_max_job_assoc: 2, bf_max_job_user: 1 })).toBe('abcd') // the limit of users does not count beside it
    specs.push(spec('e', 'ann', 'x'))
    expect([...startsOf(specs, [8], replan(fifo(), { bf_max_job_user_part: 1 }))].filter(([, start]) => start > 0)).toEqual([['e', 30]])
    specs.pop()
    expect(first({ bf_max_job_user: 1, bf_max_job_test: 2 })).toBe('ac') // who is not looked at does not count
  })

  it('takes jobs that end in one second as ended in the order of their submission, with named nodes', () => {
    // 4 nodes of 2: from 60 on A is on node 0, B on node 3, both to 600, and nodes 1 and 2 have one free processor each. W (3) is planned on 1 to 3
    // with the room of B, which came first; on 0 and 1 with that of A, and then S would start at once on node 2
    const specs = [nodesFor('X', 2, 1), nodesFor('P', 1, 60), nodesFor('Q', 1, 1), nodesFor('P2', 1, 60), nodesFor('Q2', 1, 1), nodesFor('B', 2, 10), nodesFor('A', 2, 9, 60), nodesFor('W', 3, 5, 80), nodesFor('S', 1, 20, 90)]
    const places = new Map<string, number[]>()
    const starts = startsOf(specs, [2], replan(fifo(), { ...exact, nodes: 'named' }), { nodes: 4, observers: [placesIn(places)] })
    expect([places.get('A'), places.get('B'), starts.get('A')]).toEqual([[0, 0], [3, 3], 60])
    expect([starts.get('W'), starts.get('S')]).toEqual([600, 600])
  })

  it('counts the reservations of each queue (bf_job_part_count_reserve)', () => {
    // 4 slots, 3 held for 10 min. Wide jobs of x and y; a small one of 20 min would be in the way of the second, of 4 slots
    const spec = (id: string, queue: string, procs: number, minutes: number): JobSpec => ({ id, submit: 0, queue, estimate: minutes * MINUTE, stages: [{ name: 'job', tasks: 1, demand: { procs }, duration: minutes * MINUTE }] })
    const specs = (of: string) => [spec('R', 'x', 3, 10), spec('W', 'x', 3, 5), spec('Y', of, 4, 5), spec('S', 'x', 1, 20)]
    const small = (of: string) => startsOf(specs(of), [4], replan(fifo(), { bf_job_part_count_reserve: 1 })).get('S')
    expect(small('x')).toBe(0)
    expect(small('y')).toBe(1200)
  })

  it('keeps no promise: a job planned for a time is planned anew when something ends early', () => {
    // 3 slots: A holds 2 until 10 (ends at 2), B holds 1 until 4. C (3 slots) is planned for 10, D (1 slot, 9 min) waits for it.
    const queue = [job(2, 10, 0, 2), job(1, 4), job(3, 5), job(1, 9)]
    expect(simulated(queue, [3], replan())).toEqual([0, 0, 240, 540])
    expect(simulated(queue, [3], strict())).toEqual([0, 0, 240, 540])
  })
})

describe('replan with named nodes', () => {
  const asGang = (rigid: RigidJob, i: number): JobSpec => ({
    id: `J${i}`,
    submit: rigid.submit,
    estimate: rigid.estimate,
    stages: [{ name: 'nodes', tasks: rigid.size[0] ?? 1, gang: true, demand: { procs: 1 }, duration: rigid.runtime }],
  })

  const looks: [object, ((window: number) => number)?][] = [
    [{}],
    [{ select: 'cons_tres' }, (window) => 2 * window],
    [{ select: 'cons_tres', bf_window_linear: 45 }, (window) => window + 45],
  ]

  it('starts every job at the time and on the nodes of a plain reading of Slurm', { tags: 'long' }, () => {
    fc.assert(
      fc.property(jobsOn(fc.integer({ min: 4, max: 12 }), 20), fc.constantFrom(1, 1, 2, 3, 4), fc.constantFrom(1, 60, 100), fc.constantFrom(...looks), ({ slots, queue }, perNode, step, [options, windows]) => {
        const places = new Map<string, number[]>()
        const nodes = Math.ceil(slots / perNode)
        const starts = startsOf(queue.map(asGang), [perNode], replan(fifo(), { nodes: 'named', bf_resolution: step, ...options }), { nodes, observers: [placesIn(places)] })
        const ours = queue.map((_, i) => ({ start: starts.get(`J${i}`), nodes: places.get(`J${i}`)?.sort((a, b) => a - b) }))
        expect(ours).toEqual(plainNamed(queue, nodes, perNode, step, windows).map(({ start, nodes }) => ({ start, nodes })))
      }),
      { seed: 33, numRuns: 300 },
    )
  })

  it('plans so, too, where jobs are small and large, and many have no start within the window of a plan', { tags: 'long' }, () => {
    const size = fc.constantFrom(1, 1, 1, 2, 3, 12)
    const rigid = fc.record({ submit: fc.integer({ min: 0, max: 400 }), minutes: fc.integer({ min: 1, max: 9 }), size }).map(({ submit, minutes, size }) => job(size, minutes, submit))
    const queues = fc.array(rigid, { minLength: 12, maxLength: 40 }).map((all) => all.sort((a, b) => a.submit - b.submit))
    fc.assert(
      fc.property(queues, fc.constantFrom(1, 2), fc.constantFrom(1, 60), fc.constantFrom(...looks), fc.constantFrom(1, 4, 10, 60), (queue, perNode, step, [options, windows], bf_window) => {
        const nodes = Math.ceil(12 / perNode)
        const passes: [ours: (readonly number[])[], plain: (readonly number[])[]] = [[], []]
        const watch: Observer = { onPass: ({ entries }, now) => void passes[0].push([now, entries ?? NaN]) }
        const starts = startsOf(queue.map(asGang), [perNode], replan(fifo(), { nodes: 'named', bf_window, bf_resolution: step, ...options }), { nodes, observers: [watch], validate: false })
        const plain = plainNamed(queue, nodes, perNode, step, windows, bf_window * MINUTE, (now, times) => void passes[1].push([now, times]))
        expect(queue.map((_, i) => starts.get(`J${i}`))).toEqual(plain.map(({ start }) => start))
        expect(passes[0]).toEqual(passes[1])
      }),
      { seed: 34, numRuns: 60 },
    )
  })

  const named = (specs: readonly JobSpec[], nodes: number, options = {}) => Object.fromEntries(startsOf(specs, [1], replan(fifo(), { nodes: 'named', ...options }), { nodes }))

  it('forbids what counts allow: a small job may not take the nodes that a reservation has named', () => {
    // 4 nodes: A on 0 and 1 for 10 min, B on 2 for 5. C (3 nodes, 10 min) is planned for 10, on nodes 0 to 2; node 3 stays
    // free for D (1 node, 30 min) now. E (1 node, 30 min) finds node 2 at 5, but that is C's from 10 on
    const specs = [nodesFor('A', 2, 10), nodesFor('B', 1, 5), nodesFor('C', 3, 10), nodesFor('D', 1, 30), nodesFor('E', 1, 30)]
    expect(named(specs, 4)).toEqual({ A: 0, B: 0, C: 600, D: 0, E: 1200 })
  })

  it('takes the nodes that are free first, not the best of all that are free at the start', () => {
    // 6 nodes: A (0, 1) until 1 min, B (2, 3) until 2, C (4, 5) until 3. D (6 nodes, 1 min) is planned for 3; E (2 nodes, 1 min) starts
    // at 1 on 0 and 1; F (2 nodes, 5 min) is planned for 4, behind D, when all are free
    const places = new Map<string, number[]>()
    const specs = [nodesFor('A', 2, 1), nodesFor('B', 2, 2), nodesFor('C', 2, 3), nodesFor('D', 6, 1), nodesFor('E', 2, 1), nodesFor('F', 2, 5)]
    const starts = startsOf(specs, [1], replan(fifo(), { nodes: 'named' }), { nodes: 6, observers: [placesIn(places)] })
    expect(Object.fromEntries(starts)).toEqual({ A: 0, B: 0, C: 0, D: 180, E: 60, F: 240 })
    expect(places.get('E')).toEqual([0, 1])
  })

  it('lets no job end in the very second in which a reservation begins (begin_time <= end_time of Slurm)', () => {
    // 2 nodes: A on 0 until 2 min; B (2 nodes) is planned for 2. C (1 min) may start at 1 s before 1 min, not at 1 min
    const of = (submit: number) => named([nodesFor('A', 1, 2), nodesFor('B', 2, 1), nodesFor('C', 1, 1, submit)], 2)['C']
    expect(of(59)).toBe(59)
    expect(of(60)).toBe(180)
  })

  it('looks at ends within 30 s together, as select/cons_tres: a start is planned later, and another job fits before it', () => {
    // 3 nodes: A (node 0) until 60, B (node 1) until 80. At 1 C (2 nodes, 1 min) is planned for 60 on 0 and 2, or with B in one look for 80, on 0 and 1.
    const job = (id: string, tasks: number, estimate: number, submit: number, duration = estimate): JobSpec => ({ ...nodesFor(id, tasks, 1, submit), estimate, stages: [{ name: 'nodes', tasks, gang: true, demand: { procs: 1 }, duration }] })
    const specs = [nodesFor('A', 1, 1), nodesFor('B', 1, 1, 20), nodesFor('C', 2, 1, 21), job('D', 1, 60, 22)]
    expect(named(specs, 3, { bf_resolution: 1 })).toEqual({ A: 0, B: 20, C: 60, D: 80 })
    expect(named(specs, 3, { bf_resolution: 1, select: 'cons_tres' })).toEqual({ A: 0, B: 20, C: 80, D: 22 })
  })

  it('widens the time within which ends count together from the first end on, as _will_run_test of select/cons_tres', () => {
    // 4 nodes: A ends at 60, B at 130, C at 200, node 3 is free. 30, 60, ... s are counted from 90, the multiple of 30 after 60: B is within 60 of it, C is not,
    // so D (3 nodes) is planned for 130, and F (2 min) may not have node 3 at 22
    const specs = [nodesFor('A', 1, 1), nodesFor('B', 1, 2, 10), nodesFor('C', 1, 3, 20), nodesFor('D', 3, 1, 21), nodesFor('F', 1, 2, 22)]
    expect(named(specs, 4, { select: 'cons_tres', bf_resolution: 1 })).toEqual({ A: 0, B: 10, C: 20, D: 130, F: 190 })
  })

  it('looks no further than ends that are known', () => {
    // 2 nodes: A ends at 60, B when nobody knows; C asks for both and gets no start, D runs meanwhile
    const specs = [nodesFor('A', 1, 1), { id: 'B', submit: 0, stages: nodesFor('B', 1, 5).stages }, nodesFor('C', 2, 1), nodesFor('D', 1, 9, 10)]
    for (const bf_window_linear of [0, 45]) expect(named(specs, 2, { select: 'cons_tres', bf_window_linear })).toEqual({ A: 0, B: 0, C: 600, D: 60 })
  })

  it('puts what fits on one node on the one with the least room for it, as _eval_nodes of select/cons_tres', () => {
    // 3 nodes of 4: A (3) on node 0. B and C (2 each) fit on none but 1 and 2: both on 1; D (1) beside A; E (5) has 4 on node 2 and waits for A
    const places = new Map<string, number[]>()
    const specs = [nodesFor('A', 3, 1), nodesFor('B', 2, 5), nodesFor('C', 2, 5), nodesFor('D', 1, 5), nodesFor('E', 5, 1)]
    const starts = startsOf(specs, [4], replan(fifo(), { nodes: 'named' }), { nodes: 3, observers: [placesIn(places)] })
    expect(Object.fromEntries(starts)).toEqual({ A: 0, B: 0, C: 0, D: 0, E: 60 })
    expect(Object.fromEntries(places)).toEqual({ A: [0, 0, 0], B: [1, 1], C: [1, 1], D: [0], E: [2, 2, 2, 2, 0] })
  })

  it('fits jobs best into runs of consecutive free nodes', () => {
    const places = new Map<string, number[]>()
    // 10 nodes: at 60 s P1 (nodes 0 to 2) and P3 (5, 6) have ended, P2 (3, 4) and P4 (7 to 9) run on: free runs of 3 and 2.
    // X (2 nodes) takes the run of 2, Y (3 nodes) the other
    const specs = [nodesFor('P1', 3, 1), nodesFor('P2', 2, 10), nodesFor('P3', 2, 1), nodesFor('P4', 3, 10), nodesFor('X', 2, 1, 90), nodesFor('Y', 3, 1, 90)]
    const best = { P1: [0, 1, 2], P2: [3, 4], P3: [5, 6], P4: [7, 8, 9], X: [5, 6], Y: [0, 1, 2] }
    startsOf(specs, [1], replan(fifo(), { nodes: 'named' }), { nodes: 10, observers: [placesIn(places)] })
    expect(Object.fromEntries(places)).toEqual(best)
    places.clear()
    startsOf(specs, [1], replan(fifo(), { nodes: 'named', twoPass: true }), { nodes: 10, observers: [placesIn(places)] }) // at the event, before the plan
    expect(Object.fromEntries(places)).toEqual(best)
  })

  it('wants windows of everything, since amounts name no nodes', () => {
    const windows = [{ from: 0, to: 60, demand: { procs: 1 } }]
    expect(() => named([nodesFor('A', 1, 1)], 2, { windows })).toThrow("a window takes amounts, but reservations name nodes. Take 'all'")
  })
})
