import { dispatcher } from '@sched/cluster'
import { conservative, easy, fifo, greedy, primeTime, strict, type PrimeTimeOptions } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

const MINUTE = 60
const HOUR = 3600
const DAY = 86_400
type Policy = Parameters<typeof primeTime>[0]

/** A job: when it comes, for how long it runs, by its estimate, too, what it asks for, and its queue. */
type Row = readonly [submit: number, seconds: number, procs: number, queue?: string]
/** When the jobs start, from midnight of a Sunday on. */
function startsOf(rows: readonly Row[], procs: number, policy: Policy): number[] {
  const { recorder } = run({
    cluster: instantCluster({ nodes: [{ count: 1, resources: { procs } }] }),
    jobs: rows.map(([submit, duration, asked, queue = 'workq'], i) => job({ id: `${i}`, submit, queue, demand: { procs: asked }, duration, estimate: duration })),
    policy,
  })
  const starts = rows.map(() => NaN)
  for (const { job: id, started } of recorder.ends) starts[Number(id)] = started
  return starts
}

/** Prime time from 8 to 18 h on weekdays, as the file says it. */
const OFFICE = 'YEAR 2026\n  weekday 0800 1800\n  saturday none all\n  sunday none all\n'
const [MONDAY_8, MONDAY_18, TUESDAY_8] = [DAY + 8 * HOUR, DAY + 18 * HOUR, 2 * DAY + 8 * HOUR]
const prime = (options: PrimeTimeOptions = {}, policy: Policy = greedy(fifo())) => primeTime(policy, { holidays: OFFICE, ...options })
const one = (options: PrimeTimeOptions, row: Row) => startsOf([row], 1, prime(options))[0]

describe('prime-time', () => {
  it('starts jobs of queues for prime time in it alone, and those for non-prime time outside it (pbs_multi_sched, test_prime_time_multisched)', () => {
    const rows: Row[] = [[0, 10, 1, 'p_day'], [0, 10, 1, 'np_night'], [0, 10, 1], [MONDAY_8, 10, 1, 'np_night'], [MONDAY_18 - 1, 10, 1, 'p_day'], [MONDAY_18, 10, 1, 'p_day']]
    expect(startsOf(rows, 9, prime())).toEqual([MONDAY_8, 0, 0, MONDAY_18, MONDAY_18 - 1, TUESDAY_8])
    expect(startsOf(rows, 9, prime({ primetime_prefix: 'x', nonprimetime_prefix: '' }))).toEqual(rows.map(([submit]) => submit))
  })

  it('lets jobs go on into the other time, unless they must end before it, or little later (pbs_soft_walltime, test_soft_before_prime)', () => {
    const before = [MONDAY_8 - HOUR, 1.5 * HOUR, 1] as const
    expect(one({}, before)).toBe(MONDAY_8 - HOUR)
    expect(one({ backfill_prime: true }, before)).toBe(MONDAY_8)
    expect(one({ backfill_prime: 'true prime' }, before)).toBe(MONDAY_8 - HOUR) // of jobs that start in prime time
    expect(one({ backfill_prime: ['false all', 'true non_prime'] }, before)).toBe(MONDAY_8)
    expect(one({ backfill_prime: true }, [MONDAY_8 - HOUR, HOUR, 1])).toBe(MONDAY_8 - HOUR)
    expect(one({ backfill_prime: true, prime_spill: '30:00' }, before)).toBe(MONDAY_8 - HOUR)
    expect(one({ backfill_prime: true, prime_spill: '0:29:59' }, before)).toBe(MONDAY_8)
    expect(one({ backfill_prime: true, prime_spill: '1:00:00 prime' }, before)).toBe(MONDAY_8 - HOUR)
    expect(one({ backfill_prime: true, prime_spill: '1:00:00 non_prime' }, before)).toBe(MONDAY_8)
    expect(one({ backfill_prime: true, prime_spill: '1:00:00 non_prime' }, [MONDAY_18 - HOUR, 2 * HOUR, 1])).toBe(MONDAY_18 - HOUR)
  })

  it('lets jobs of other queues go on with prime_exempt_anytime_queues', () => {
    const options = { backfill_prime: true, prime_exempt_anytime_queues: true }
    expect(one(options, [MONDAY_8 - HOUR, 2 * HOUR, 1])).toBe(MONDAY_8 - HOUR)
    expect(one(options, [MONDAY_18 - HOUR, 2 * HOUR, 1, 'p_day'])).toBe(TUESDAY_8)
  })

  it('refuses a job that may never start', () => {
    const refused = (options: PrimeTimeOptions, row: Row) => {
      const reasons: string[] = []
      run({
        cluster: instantCluster({ nodes: [{ count: 1, resources: { procs: 1 } }] }),
        jobs: [job({ id: 'j', submit: row[0], queue: row[3] ?? 'workq', demand: { procs: 1 }, duration: row[1], estimate: row[1] })],
        policy: prime(options), observers: [{ onReject: (_spec, reason) => void reasons.push(reason) }],
      })
      return reasons
    }
    expect(refused({ backfill_prime: true }, [0, 11 * HOUR, 1, 'p_day'])).toEqual([expect.stringContaining('no time comes at which it may start')])
    expect(refused({ backfill_prime: true }, [0, 10 * HOUR, 1, 'p_day'])).toEqual([])
    expect(refused({ holidays: '' }, [0, 10, 1, 'np_night'])).toEqual([expect.stringContaining('non-prime time only')])
  })

  it('plans jobs for when they may start: nobody passes who would run then on what they need', () => {
    // 4 processors; the first is for prime time and needs them all, 2 run for an hour before it begins, 1 for longer
    const from = MONDAY_8 - HOUR
    const rows: Row[] = [[from, HOUR, 4, 'p_day'], [from, HOUR, 2], [from, HOUR + MINUTE, 1], [from, HOUR / 2, 1]]
    const expected = [MONDAY_8, from, MONDAY_8 + HOUR, from]
    expect(startsOf(rows, 4, prime({}, easy()))).toEqual(expected)
    expect(startsOf(rows, 4, prime({}, easy(fifo(), { reservations: 2 })))).toEqual(expected)
    expect(startsOf(rows, 4, prime({}, easy(fifo(), { reservations: 2, windows: [{ from: MONDAY_8, to: MONDAY_8 + 2 * HOUR, demand: 'all' }] }))).slice(0, 2)).toEqual([MONDAY_8 + 2 * HOUR, from])
    expect(startsOf(rows, 4, prime({}, greedy(fifo())))).toEqual([MONDAY_8 + MINUTE, from, from, from])
    expect(startsOf(rows, 4, prime({}, strict()))).toEqual([MONDAY_8, MONDAY_8 + HOUR, MONDAY_8 + HOUR, MONDAY_8 + HOUR])
    const promised: [string, number][] = []
    run({
      cluster: instantCluster({ nodes: [{ count: 1, resources: { procs: 4 } }] }), policy: prime({}, easy()),
      jobs: [job({ id: 'first', submit: from, queue: 'p_day', demand: { procs: 4 }, duration: HOUR, estimate: HOUR })], observers: [{ onReserve: (_id, start) => void promised.push(['first', start]) }],
    })
    expect(promised).toEqual([['first', MONDAY_8]])
  })

  it('plans so on nodes by name, too', () => {
    const from = MONDAY_8 - HOUR
    const { recorder } = run({
      cluster: instantCluster({ nodes: [{ count: 2, resources: { procs: 1 } }] }), policy: prime({}, easy(fifo(), { nodes: 'named' })),
      jobs: ([['both', 2, HOUR, 'p_day'], ['long', 1, 2 * HOUR, 'workq'], ['short', 1, HOUR, 'workq']] as const).map(([id, tasks, seconds, queue]) => job({ id, submit: from, queue, tasks, gang: true, demand: { procs: 1 }, duration: seconds, estimate: seconds })),
    })
    expect(Object.fromEntries(recorder.ends.map(({ job: id, started }) => [id, started]))).toEqual({ both: MONDAY_8, long: MONDAY_8 + HOUR, short: from })
  })

  it('says why a job waits', () => {
    const made = dispatcher({ cluster: { nodes: 1, resources: { procs: 2 } }, policy: prime({ backfill_prime: true }, strict()), explained: true })
    for (const [id, queue, estimate] of [['day', 'p_day', 9], ['night', 'np_night', 50 * HOUR], ['long', 'workq', 33 * HOUR]] as const) made.submit(job({ id, queue, demand: { procs: 1 }, estimate }))
    made.pass(0)
    expect(['day', 'night', 'long'].map((id) => made.explain(id)?.limit)).toEqual(['prime time only', 'it would cross into prime time', 'it would cross into prime time'])
    expect(made.nextWake).toBe(MONDAY_8)
    expect(made.pass(MONDAY_8).start.map(({ job: id }) => id)).toEqual(['day'])
    expect(['night', 'long'].map((id) => made.explain(id)?.limit)).toEqual(['non-prime time only', 'it would cross into non-prime time'])
  })

  it('lets a gang that runs have the tasks that it lacks', () => {
    const made = dispatcher({ cluster: { nodes: 1, resources: { procs: 2 } }, policy: prime() })
    made.submit(job({ id: 'gang', queue: 'np_night', tasks: 2, gang: true, demand: { procs: 1 } }))
    const [task] = made.pass(0).start
    made.taskFailed({ id: task?.id as number }, MONDAY_8 + 1)
    expect(made.pass(MONDAY_8 + 1).start.map(({ job: id }) => id)).toEqual(['gang'])
  })

  it('may have another policy outside prime time', () => {
    const rows: Row[] = [[0, HOUR, 3], [1, HOUR, 2], [2, HOUR, 1]]
    expect(startsOf(rows, 4, prime({ nonPrime: strict() }))).toEqual([0, HOUR, HOUR]) // a Sunday
    const monday = rows.map(([submit, ...rest]): Row => [MONDAY_8 + submit, ...rest])
    expect(startsOf(monday, 4, prime({ nonPrime: strict() })).map((start) => start - MONDAY_8)).toEqual([0, HOUR, 2])
  })

  it('says what is wrong', () => {
    expect(() => startsOf([[0, 1, 1]], 1, prime({}, conservative()))).toThrow('prime-time.policy: it plans starts, and does not know that jobs may start at some times of the day alone. Use greedy, strict or easy.')
    expect(() => startsOf([[0, 1, 1]], 1, prime({ holidays: 'YEAR 2026\nmonday 8 o\'clock' }))).toThrow('prime-time.holidays: line 2 is "monday 8 o\'clock".')
    expect(() => startsOf([[0, 1, 1]], 1, prime({ backfill_prime: 'true at night' }))).toThrow('prime-time.backfill_prime: found "true at night".')
    expect(() => startsOf([[0, 1, 1]], 1, prime({ backfill_prime: 'constructor' }))).toThrow('prime-time.backfill_prime: found "constructor".')
    expect(() => startsOf([[0, 1, 1]], 1, prime({ prime_spill: 'an hour' }))).toThrow('prime-time.prime_spill: found "an hour".')
  })
})
