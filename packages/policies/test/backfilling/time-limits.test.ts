import type { JobSpec, NodeId, Observer, Plug } from '@sched/core'
import { conservative, easy, fattened, fifo, greedy, replan, strict } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { startsOf, type Options } from './machine.js'
import { easyPass, lowered, planPass, type LoweredJob } from './reference/lowered.js'
import type { RigidJob } from './reference/machine.js'
import { plainNamed } from './reference/plain-named.js'

const MINUTE = 60
interface Change extends Partial<JobSpec> {
  readonly runtime?: number
}
/** A gang of so many tasks of a processor, for so many minutes; `minEstimate` and `runtime` in minutes, too. */
const spec = (id: string, size: number, minutes: number, { minEstimate, runtime = minutes, ...change }: Change = {}): JobSpec => ({
  id, submit: 0, estimate: minutes * MINUTE, ...(minEstimate !== undefined && { minEstimate: minEstimate * MINUTE }),
  stages: [{ name: 'job', tasks: size, gang: true, demand: { procs: 1 }, duration: runtime * MINUTE }], ...change,
})

/** Start and end of each job, in minutes; jobs that are given up have the time of that alone. */
function timesOf(specs: readonly JobSpec[], nodes: number, policy: Plug<'policy'>, options: Options = {}): Record<string, number[]> {
  const times: Record<string, number[]> = {}
  const watch: Observer = {
    onJobEnd: (_job, { id }, now) => void (times[id] ??= []).push(now / MINUTE),
  }
  const starts = startsOf(specs, [1], policy, { nodes, ...options, observers: [watch, ...(options.observers ?? [])] })
  return Object.fromEntries(specs.flatMap(({ id }) => (times[id] === undefined ? [] : [[id, [...(starts.has(id) ? [(starts.get(id) as number) / MINUTE] : []), ...(times[id])]]])))
}

// A holds 3 of 4 processors for 5 minutes, B waits for all 4, C may run for 10 minutes or for as few as 2
const passing = [spec('A', 3, 5), spec('B', 4, 3, { submit: 1 }), spec('C', 1, 10, { submit: 2, minEstimate: 2 })]
const policies: Record<string, Plug<'policy'>> = {
  easy: easy(), 'easy with two reservations': easy(fifo(), { reservations: 2 }), replan: replan(), 'replan with named nodes': replan(fifo(), { nodes: 'named' }),
}

describe('a least estimate', () => {
  for (const [name, policy] of Object.entries(policies)) {
    it(`lets a job pass those that wait, and end when the first of them is to start: ${name}`, () => {
      // the plan has whole minutes: 4 of them are left at 2 s
      const end = name.startsWith('replan') ? 4 + 2 / MINUTE : 5
      expect(timesOf(passing, 4, policy)).toEqual({ A: [0, 5], B: [5, 8], C: [2 / MINUTE, end] })
    })

    it(`leaves a job waiting for which there is less: ${name}`, () => {
      expect(timesOf([...passing.slice(0, 2), spec('C', 1, 10, { submit: 2, minEstimate: 6 })], 4, policy)['C']).toEqual([8, 18])
    })

    it(`leaves the estimate where it is where nobody waits: ${name}`, () => {
      expect(timesOf([spec('A', 3, 5), spec('C', 1, 10, { minEstimate: 2 })], 4, policy)['C']).toEqual([0, 10])
    })

    it(`leaves alone what ends before, and what has no estimate: ${name}`, () => {
      expect(timesOf([...passing.slice(0, 2), spec('C', 1, 10, { submit: 2, minEstimate: 2, runtime: 3 })], 4, policy)['C']).toEqual([2 / MINUTE, 3 + 2 / MINUTE])
      const { estimate: _, ...endless } = passing[2] as JobSpec
      expect(timesOf([...passing.slice(0, 2), endless], 4, policy)['C']).toEqual([8, 18])
    })
  }

  it('is of no use to a job whose tasks start one by one', () => {
    const oneByOne: JobSpec = { ...(passing[2] as JobSpec), stages: [{ name: 'job', tasks: 2, demand: { procs: 1 }, duration: 600 }] }
    for (const policy of Object.values(policies)) expect(timesOf([...passing.slice(0, 2), oneByOne], 4, policy)['C']).toEqual([8, 18])
  })

  it('takes no extra processors where a job with its own estimate does, under easy', () => {
    // B waits for 3 of 5 processors, so that 2 are extra: C has one of them and its whole estimate, D the other; for E there is none left, so it ends at 5
    const specs = [spec('A', 3, 5), spec('B', 3, 3, { submit: 1 }), ...['C', 'D'].map((id) => spec(id, 1, 10, { submit: 1, minEstimate: 2 }))]
    expect(timesOf(specs, 5, easy())).toEqual({ A: [0, 5], B: [5, 8], C: [1 / MINUTE, 10 + 1 / MINUTE], D: [1 / MINUTE, 10 + 1 / MINUTE] })
    expect(timesOf(specs, 5, easy(fifo(), { extra: false }))).toMatchObject({ C: [1 / MINUTE, 5], D: [1 / MINUTE, 5] })
    expect(timesOf(specs, 5, easy(fifo(), { margin: 60 }))).toMatchObject({ A: [0, 5], C: [1 / MINUTE, 10 + 1 / MINUTE] })
    expect(timesOf(passing, 4, easy(fifo(), { margin: 60 }))).toMatchObject({ C: [2 / MINUTE, 5] }) // B is planned for 6, and C a minute longer than it may run
  })

  it('lets a job end before maintenance begins', () => {
    for (const policy of [easy(fifo(), { windows: [{ from: 240, to: 600, demand: 'all' }] }), replan(fifo(), { windows: [{ from: 240, to: 600, demand: 'all' }] }), replan(fifo(), { nodes: 'named', windows: [{ from: 240, to: 600, demand: 'all' }] })])
      expect(timesOf([spec('A', 1, 10, { minEstimate: 3 }), spec('B', 1, 10, { minEstimate: 5 })], 2, policy)).toEqual({ A: [0, 4], B: [10, 20] })
  })

  it('lets a job end before nodes are kept for others (job_time_adj_resv of Slurm)', () => {
    const reservations = [{ name: 'r', from: 270, to: 600, nodes: ['node-0'], users: ['ann'] }]
    const jobs = [spec('A', 2, 10, { minEstimate: 3 }), spec('B', 2, 1, { submit: 1, user: 'ann', reservation: 'r' })]
    expect(timesOf(jobs, 2, replan(fifo(), { nodes: 'named', reservations }))).toMatchObject({ A: [0, 4] })
    // one whose own it is runs on, and one on other nodes, too
    expect(timesOf([spec('A', 1, 10, { minEstimate: 3, user: 'ann', reservation: 'r', submit: 300 })], 2, replan(fifo(), { nodes: 'named', reservations }))).toEqual({ A: [5, 15] })
    expect(timesOf([spec('A', 1, 10, { minEstimate: 3 }), spec('C', 1, 10, { minEstimate: 3 })], 2, replan(fifo(), { nodes: 'named', reservations }))).toEqual({ A: [0, 4], C: [0, 10] })
  })

  it('does not count at events of Slurm: its main scheduler starts jobs with their own limits', () => {
    const jobs = [spec('A', 1, 10, { minEstimate: 3 }), spec('B', 2, 1, { submit: 1 })]
    for (const nodes of ['counted', 'named'] as const) {
      expect(timesOf(jobs, 2, replan(fifo(), { nodes, twoPass: true }))).toEqual({ A: [0, 10], B: [10, 11] })
      expect(timesOf(passing, 4, replan(fifo(), { nodes, twoPass: true, bf_interval: 1 }))['C']).toEqual([2 / MINUTE, 4 + 2 / MINUTE]) // by the plan
    }
  })

  it('holds until the job stops: when it starts anew it has its own estimate again', () => {
    // its node fails at 1 minute, and comes back at 60: at 5 C starts on another one, and nobody who waits could use what is there
    const outages = [{ node: 3 as NodeId, from: MINUTE, to: 60 * MINUTE }]
    for (const [name, policy] of Object.entries(policies)) expect([name, timesOf(passing, 4, policy, { outages })]).toEqual([name, { A: [0, 5], B: [60, 63], C: [2 / MINUTE, 15] }])
  })

  it('is told of where no policy heeds it', () => {
    for (const [policy, isTold] of [[easy(), false], [replan(), false], [greedy(fifo()), true], [strict(), true], [conservative(), true], [fattened(), true], [easy(fifo(), { nodes: 'named' }), true]] as const) {
      const told: string[] = []
      expect(timesOf(passing, 4, policy, { warn: (message) => told.push(message) })['A']).toEqual([0, 5])
      expect(told).toEqual(isTold ? ['job C may run for less than its estimate (minEstimate), and no policy here lowers that: it is planned, and runs, as one that may not. Use `easy` with counted nodes, or `replan`.'] : [])
    }
  })

  /** Times in minutes. */
  const world = fc.integer({ min: 2, max: 6 }).chain((slots) =>
    fc.record({
      slots: fc.constant(slots),
      jobs: fc.array(
        fc.record({
          submit: fc.integer({ min: 0, max: 8 }), size: fc.integer({ min: 1, max: slots }), runtime: fc.integer({ min: 1, max: 12 }), more: fc.integer({ min: 0, max: 6 }),
          least: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }), late: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined, freq: 2 }),
        }).map(({ more, least, late, ...job }): LoweredJob => {
          const estimate = job.runtime + more
          return { ...job, estimate, least: least !== undefined && least < estimate ? least : undefined, deadline: late === undefined ? undefined : job.submit + late }
        }),
        { minLength: 1, maxLength: 10 },
      ).map((jobs) => jobs.sort((a, b) => a.submit - b.submit)),
    }),
  )
  const specOf = ({ submit, size, runtime, estimate, least, deadline }: LoweredJob, i: number) =>
    spec(`J${i}`, size, estimate, { submit: submit * MINUTE, runtime, ...(least !== undefined && { minEstimate: least }), ...(deadline !== undefined && { deadline: deadline * MINUTE, firmDeadline: true }) })
  const inMs = (minutes: number | undefined) => (minutes === undefined ? undefined : Math.round(minutes * 60_000))
  const msOf = ({ size, ...times }: LoweredJob) => ({ size, ...Object.fromEntries(Object.entries(times).map(([key, minutes]) => [key, inMs(minutes)])) }) as unknown as LoweredJob

  for (const [name, pass, policy] of [['easy', easyPass, easy()], ['easy with reservations', easyPass, easy(fifo(), { passOn: true, overrun: 'kill' })], ['replan', planPass, replan(fifo(), { bf_window: 43_200, overrun: 'kill' })]] as const) {
    it(`gives jobs the times of a plain loop in random small worlds: ${name}`, () => {
      fc.assert(
        fc.property(world, ({ slots, jobs }) => {
          const times = timesOf(jobs.map(specOf), slots, policy)
          const found = jobs.map((_, i) => (times[`J${i}`]?.length === 2 ? times[`J${i}`]?.map(inMs) : undefined))
          expect(found).toEqual(lowered(jobs.map(msOf), pass(jobs.map(msOf), slots)))
        }),
        { seed: 5_021, numRuns: 1500 },
      )
    })
  }

  it('gives jobs the times and nodes of a plain loop where nodes are named, of those that ask for consecutive ones, too', () => {
    const queue = fc.array(
      fc.record({
        submit: fc.integer({ min: 0, max: 600 }), minutes: fc.integer({ min: 1, max: 9 }), less: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 200 })), size: fc.oneof(fc.constant(8), fc.integer({ min: 1, max: 8 })),
        least: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }), isContiguous: fc.boolean(),
      }).map(({ submit, minutes, less, size, least, isContiguous }): RigidJob => ({
        submit, runtime: Math.max(1, minutes * MINUTE - less), estimate: minutes * MINUTE, size: [size], isContiguous, ...(least !== undefined && least < minutes && { least: least * MINUTE }),
      })),
      { minLength: 1, maxLength: 16 },
    ).map((all) => all.sort((a, b) => a.submit - b.submit))
    fc.assert(
      fc.property(queue, fc.constantFrom(1, 2), fc.constantFrom(1, 60), (jobs, perNode, step) => {
        const specs = jobs.map(({ submit, runtime, estimate, size, least, isContiguous = false }, i): JobSpec => ({
          id: `J${i}`, submit, estimate, ...(least !== undefined && { minEstimate: least }), ...(isContiguous && { contiguous: true }),
          stages: [{ name: 'job', tasks: size[0] as number, gang: true, demand: { procs: 1 }, duration: runtime }],
        }))
        const places = new Map<string, number[]>()
        const names: string[] = []
        const byName: Observer = { onSubmit: (job, { id }) => void (names[job] = id), onTaskStart: (_task, job, _lane, node) => void places.set(names[job] as string, [...(places.get(names[job] as string) ?? []), node]) }
        const starts = startsOf(specs, [perNode], replan(fifo(), { nodes: 'named', bf_resolution: step, overrun: 'kill' }), { nodes: 8 / perNode, observers: [byName] })
        const ours = specs.map(({ id }) => ({ start: starts.get(id), nodes: places.get(id)?.sort((a, b) => a - b) }))
        expect(ours).toEqual(plainNamed(jobs, 8 / perNode, perNode, step))
      }),
      { seed: 3_021, numRuns: 500 },
    )
  })
})
