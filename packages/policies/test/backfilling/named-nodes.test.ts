import type { JobSpec, Observer, Plug } from '@sched/core'
import { conservative, easy, fifo, ljf } from '@sched/policies'
import { checkPolicyLaws, run } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { startsOf } from './machine.js'
import type { RigidJob } from './reference/machine.js'
import { conservativeByName, easyByName, scheduleByName, type Now } from './reference/named.js'

const named = { nodes: 'named' } as const

const specOf = ({ submit, runtime, estimate, size }: RigidJob, index: number): JobSpec =>
  ({ id: `J${index}`, submit, estimate, stages: [{ name: 'job', tasks: size[0] ?? 1, gang: true, demand: { procs: 1 }, duration: runtime }] })

/** When and on which nodes each job starts, one node per task. */
function placed(jobs: readonly RigidJob[], nodes: number, room: number, policy: Plug<'policy'>): { start: number; nodes: number[] }[] {
  const ids: string[] = []
  const places = new Map<string, number[]>()
  const watch: Observer = {
    onSubmit: (job, { id }) => void (ids[job] = id),
    onTaskStart: (_task, job, _lane, node) => void places.set(ids[job] ?? '', [...(places.get(ids[job] ?? '') ?? []), node]),
  }
  const starts = startsOf(jobs.map(specOf), [room], policy, { nodes, observers: [watch] })
  return jobs.map((_, i) => ({ start: starts.get(`J${i}`) ?? NaN, nodes: places.get(`J${i}`) ?? [] }))
}

const worlds = (overrun: boolean) =>
  fc.record({ nodes: fc.integer({ min: 1, max: 7 }), room: fc.integer({ min: 1, max: 3 }) }).chain(({ nodes, room }) =>
    fc.record({
      nodes: fc.constant(nodes),
      room: fc.constant(room),
      jobs: fc
        .array(
          fc
            .record({
              submit: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 12 })),
              runtime: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 9 })),
              more: fc.oneof(fc.constant(0), fc.integer({ min: overrun ? -4 : 0, max: 6 })),
              tasks: fc.oneof(fc.constant(nodes * room), fc.integer({ min: 1, max: nodes * room })),
            })
            .map(({ submit, runtime, more, tasks }): RigidJob => ({ submit, runtime, estimate: Math.max(1, runtime + more), size: [tasks] })),
          { minLength: 1, maxLength: 12 },
        )
        .map((all) => all.sort((a, b) => a.submit - b.submit)),
    }),
  )

const pairs: Record<string, () => [policy: Plug<'policy'>, reference: (now: Now) => number | void]> = {
  EASY: () => [easy(fifo(), named), easyByName()],
  'EASY with three reservations': () => [easy(fifo(), { ...named, reservations: 3 }), easyByName(3)],
  'a plan of all, made anew at every pass': () => [easy(fifo(), { ...named, reservations: 'all' }), easyByName(Infinity)],
  conservative: () => [conservative(fifo(), named), conservativeByName(false)],
  'conservative, compressed at all ends': () => [conservative(fifo(), { ...named, compress: 'all-ends' }), conservativeByName(true)],
}

describe('plans of nodes by name', () => {
  for (const [name, make] of Object.entries(pairs)) {
    const agrees = (overrun: boolean, numRuns: number) =>
      fc.assert(
        fc.property(worlds(overrun), ({ jobs, nodes, room }) => {
          const [policy, reference] = make()
          expect(placed(jobs, nodes, room, policy)).toEqual(scheduleByName({ jobs, rooms: Array.from({ length: nodes }, () => room) }, reference))
        }),
        { seed: 20_261_129, numRuns },
      )
    it(`${name} starts the jobs of small worlds when, and on the nodes where, its second-by-second reference does`, { tags: 'long' }, () => agrees(false, 1000))
    it(`${name} does so when jobs outlive their estimates`, { tags: 'long' }, () => agrees(true, 500))
  }

  it('with a margin are those of longer estimates', { tags: 'long' }, () => {
    const later = (jobs: readonly RigidJob[]) => jobs.map((job) => ({ ...job, estimate: job.estimate + 3 }))
    fc.assert(
      fc.property(worlds(false), ({ jobs, nodes, room }) => {
        const rooms = Array.from({ length: nodes }, () => room)
        expect(placed(jobs, nodes, room, easy(fifo(), { ...named, margin: 3 }))).toEqual(scheduleByName({ jobs: later(jobs), rooms }, easyByName()))
        expect(placed(jobs, nodes, room, conservative(fifo(), { ...named, margin: 3 }))).toEqual(scheduleByName({ jobs: later(jobs), rooms }, conservativeByName(false)))
      }),
      { seed: 61, numRuns: 300 },
    )
  })

  it('keep a job off reserved nodes, though as many others will be free in their place', () => {
    const job = (submit: number, length: number, tasks: number): RigidJob => ({ submit, runtime: length, estimate: length, size: [tasks] })
    // at 2 s nodes 1 and 2 are free, and reserved for the fourth job from 10 s on; node 3, which will be free beside it, is not yet
    const jobs = [job(0, 10, 1), job(0, 1, 2), job(0, 10, 1), job(1, 20, 3), job(2, 25, 1)]
    const shown = (policy: Plug<'policy'>) => placed(jobs, 4, 1, policy).slice(3).map(({ start, nodes }) => `${start} s on ${nodes.join()}`)
    expect(shown(easy(fifo(), named))).toEqual(['10 s on 0,1,2', '10 s on 3'])
    expect(shown(conservative(fifo(), named))).toEqual(['10 s on 0,1,2', '10 s on 3'])
    expect(shown(easy())).toEqual(['10 s on 0,2,3', '2 s on 1'])
  })

  it('give windows of the whole cluster all nodes, and refuse those of amounts', () => {
    const job = (length: number): RigidJob => ({ submit: 0, runtime: length, estimate: length, size: [1] })
    const windows = [{ from: 5, to: 20, demand: 'all' as const }]
    for (const discipline of [easy, conservative])
      expect(placed([job(5), job(6), job(4)], 2, 1, discipline(fifo(), { ...named, windows })).map(({ start }) => start)).toEqual([0, 20, 0])
    for (const discipline of [easy, conservative])
      expect(() => placed([job(5)], 2, 1, discipline(fifo(), { ...named, windows: [{ from: 5, to: 20, demand: { procs: 1 } }] }))).toThrow("windows[0].demand: a window takes amounts, but reservations name nodes. Take 'all', or use { nodes: 'counted' }.")
  })

  it('have nothing to choose from on a cluster of one node, which is told', () => {
    const told: string[] = []
    const job: RigidJob = { submit: 0, runtime: 5, estimate: 5, size: [1] }
    const starts = startsOf([job, job].map(specOf), [4], easy(fifo(), named), { warn: (message) => void told.push(message) })
    expect([...starts.values()]).toEqual([0, 5])
    expect(told).toEqual(['nodes: named gives every job whole nodes, and the cluster is one node: jobs run one after another. Read a log with its option tasks: each, for one node per processor.'])
  })

  it('take no nodes that are smaller than a task, or that others use', () => {
    const specs = [1, 3, 2].map((procs, i): JobSpec => ({ id: `J${i}`, submit: i, estimate: 10, stages: [{ name: 'job', tasks: 1, demand: { procs }, duration: 10 }] }))
    const cluster = { nodes: [{ name: 'small', count: 1, resources: { procs: 2 } }, { name: 'large', count: 1, resources: { procs: 4 } }] }
    const { recorder } = run({ policy: easy(fifo(), named), jobs: specs, cluster })
    expect(recorder.launches.map(({ job, node, time }) => `${job} on ${node} at ${time}`)).toEqual(['J0 on small-0 at 0', 'J1 on large-0 at 1', 'J2 on small-0 at 10'])
  })

  it('keep the promises of conservative however wrong the estimates', { tags: 'long' }, () => {
    let kept = 0
    fc.assert(
      fc.property(worlds(false), ({ jobs, nodes, room }) => {
        const promised = new Map<number, number>()
        const observer: Observer = {
          onSubmit: (job) => void promised.delete(job),
          onReserve: (job, start) => {
            expect(start).toBeLessThanOrEqual(promised.get(job) ?? Infinity)
            promised.set(job, start)
          },
          onTaskStart: (_task, job, _lane, _node, _level, now) => {
            if (!promised.has(job)) return
            expect(now).toBeLessThanOrEqual(promised.get(job) as number)
            kept++
          },
        }
        startsOf(jobs.map(specOf), [room], conservative(fifo(), named), { nodes, observers: [observer] })
      }),
      { seed: 5, numRuns: 500 },
    )
    expect(kept).toBeGreaterThan(2000)
  })
})

describe('laws of policies with nodes by name', { tags: 'long' }, () => {
  const worldsOf = { gangs: true, outages: true, failures: true }
  const skip = { reservations: 'jobs outlive their estimates' }
  it.each([
    ['easy', () => easy(fifo(), named)],
    ['easy by size with two reservations', () => easy(ljf(), { ...named, reservations: 2 })],
    ['conservative', () => conservative(fifo(), named)],
    ['conservative by size, the earliest start first', () => conservative(ljf(), { ...named, compressOrder: 'start' })],
  ])('hold for %s', (_, make) => {
    expect(checkPolicyLaws(make, { runs: 60, skip }).launches).toBeGreaterThan(300)
    expect(checkPolicyLaws(make, { runs: 60, seed: 3, worlds: worldsOf, skip }).launches).toBeGreaterThan(150)
  })
})
