import type { JobSpec } from '@sched/core'
import { easy, fifo, score, type EasyOptions } from '@sched/policies'
import { checkPolicyLaws } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { startsOf } from './machine.js'

interface Draft {
  readonly submit: number
  readonly tasks: number
  readonly runtime: number
  readonly estimate: number
}
const specs = (drafts: readonly Draft[]): JobSpec[] =>
  drafts.map(({ submit, tasks, runtime, estimate }, i) => ({ id: `J${i}`, submit, estimate, stages: [{ name: 'job', tasks, gang: true, demand: { procs: 1 }, duration: runtime }] }))
const starts = (drafts: readonly Draft[], nodes: number, options: EasyOptions) => {
  const known = new Map(startsOf(specs(drafts), [1], easy(fifo(), options), { nodes }))
  return drafts.map((_, i) => known.get(`J${i}`))
}

/** Reservations and backfilling window by window on nodes by name, with everything looked up anew: the starts. */
function plain(drafts: readonly Draft[], nodes: number, reservations: number, valueOf?: (job: Draft) => number): (number | undefined)[] {
  const all = Array.from({ length: nodes }, (_, node) => node)
  const started: (number | undefined)[] = drafts.map(() => undefined)
  const held: (readonly number[])[] = []
  const of = (job: number) => drafts[job] as Draft
  const endOf = (job: number) => (started[job] as number) + of(job).runtime
  const timeAfter = (now: number) => Math.min(...drafts.map(({ submit }, i) => (started[i] === undefined ? submit : endOf(i))).filter((time) => time > now))

  for (let now = timeAfter(-1); now < Infinity; now = timeAfter(now)) {
    const taken = all.map((node) => drafts.flatMap(({ estimate }, i) => (started[i] !== undefined && endOf(i) > now && held[i]?.includes(node) === true ? [[now, started[i] + estimate]] : [])))
    const isFree = (node: number, from: number, to: number) => (taken[node] ?? []).every(([begin = 0, end = 0]) => end <= from || begin >= to)
    const find = (job: number, from: number) => {
      const free = all.filter((node) => isFree(node, from, from + of(job).estimate)).slice(0, of(job).tasks)
      return free.length === of(job).tasks ? free : undefined
    }
    const take = (job: number, from: number) => {
      held[job] = find(job, from) ?? []
      for (const node of held[job]) taken[node]?.push([from, from + of(job).estimate])
    }
    const waiting = () => drafts.flatMap(({ submit }, i) => (submit <= now && started[i] === undefined ? [i] : []))
    const tryNow = (job: number): boolean => {
      if (find(job, now) === undefined) return false
      take(job, now)
      started[job] = now
      return true
    }

    const reserved = new Set<number>()
    for (const job of waiting()) {
      if (reserved.size === reservations) break
      if (tryNow(job)) continue
      take(job, Math.min(...taken.flat().map(([, end = 0]) => end).filter((end) => end > now && find(job, end) !== undefined)))
      reserved.add(job)
    }
    const rest = waiting().filter((job) => !reserved.has(job))
    if (valueOf !== undefined) rest.sort((a, b) => valueOf(of(b)) - valueOf(of(a)) || a - b)
    for (let last = now; last < Infinity; ) {
      // until when the nodes that are idle now stay so: of those that stay idle for longer than before, the soonest
      const idleUntil = all.filter((node) => isFree(node, now, now + 1e-9)).map((node) => Math.min(Infinity, ...(taken[node] ?? []).map(([begin = 0]) => begin).filter((begin) => begin > now)))
      last = Math.min(...idleUntil.filter((time) => time > last))
      for (const job of rest) if (started[job] === undefined && now + of(job).estimate <= last) tryNow(job)
    }
  }
  return started
}

/** The same with amounts of the whole machine, where bands end at the starts that are reserved. */
function plainCounted(drafts: readonly Draft[], procs: number, reservations: number): (number | undefined)[] {
  const started: (number | undefined)[] = drafts.map(() => undefined)
  const of = (job: number) => drafts[job] as Draft
  const endOf = (job: number) => (started[job] as number) + of(job).runtime
  const timeAfter = (now: number) => Math.min(...drafts.map(({ submit }, i) => (started[i] === undefined ? submit : endOf(i))).filter((time) => time > now))

  for (let now = timeAfter(-1); now < Infinity; now = timeAfter(now)) {
    const taken = drafts.flatMap(({ estimate, tasks }, i) => (started[i] !== undefined && endOf(i) > now ? [{ from: now, to: started[i] + estimate, tasks }] : []))
    const takenAt = (time: number) => taken.reduce((sum, { from, to, tasks }) => sum + (from <= time && time < to ? tasks : 0), 0)
    const fits = (job: number, from: number) =>
      [from, ...taken.map((each) => each.from)].filter((time) => time >= from && time < from + of(job).estimate).every((time) => takenAt(time) + of(job).tasks <= procs)
    const take = (job: number, from: number) => taken.push({ from, to: from + of(job).estimate, tasks: of(job).tasks })
    const waiting = () => drafts.flatMap(({ submit }, i) => (submit <= now && started[i] === undefined ? [i] : []))
    const tryNow = (job: number): boolean => {
      if (!fits(job, now)) return false
      take(job, now)
      started[job] = now
      return true
    }

    const reserved = new Map<number, number>()
    for (const job of waiting()) {
      if (reserved.size === reservations) break
      if (tryNow(job)) continue
      const start = Math.min(...taken.map(({ to }) => to).filter((to) => to > now && fits(job, to)))
      take(job, start)
      reserved.set(job, start)
    }
    const rest = waiting().filter((job) => !reserved.has(job))
    for (const last of [...reserved.values(), Infinity].sort((a, b) => a - b)) for (const job of rest) if (started[job] === undefined && now + of(job).estimate <= last) tryNow(job)
  }
  return started
}

const drafts = fc
  .array(fc.record({ submit: fc.integer({ min: 0, max: 20 }), tasks: fc.integer({ min: 1, max: 5 }), runtime: fc.integer({ min: 1, max: 9 }), more: fc.integer({ min: 0, max: 6 }) }), { minLength: 1, maxLength: 16 })
  .map((all) => all.sort((a, b) => a.submit - b.submit).map(({ more, ...each }) => ({ ...each, estimate: each.runtime + more })))

describe('shortFirst', () => {
  // of four nodes A has two until 10, and H, which asks for three, is planned then; L would run for 20 s, S and T for 5
  const job = (tasks: number, estimate: number): Draft => ({ submit: 0, tasks, runtime: estimate, estimate })
  const queue = [job(2, 10), job(3, 10), job(1, 20), job(1, 5), job(1, 5)]

  it.each(['counted', 'named'] as const)('tries what ends before the reservation before what lasts longer, with nodes %s', (nodes) => {
    expect(starts(queue, 4, { nodes })).toEqual([0, 10, 0, 0, 5])
    expect(starts(queue, 4, { nodes, shortFirst: true })).toEqual([0, 10, 5, 0, 0])
  })

  it('goes by the reservations of idle nodes, from one to the next', () => {
    fc.assert(
      fc.property(drafts, fc.constantFrom(1, 2, 4), fc.constantFrom('none', 'lqf', 'laf'), (given, reservations, by) => {
        const valueOf = by === 'lqf' ? ({ tasks }: Draft) => tasks : by === 'laf' ? ({ tasks, estimate }: Draft) => tasks * estimate : undefined
        const options: EasyOptions = { nodes: 'named', reservations, shortFirst: true, ...(valueOf !== undefined && { backfillOrder: score({ formula: by }) }) }
        expect(starts(given, 5, options)).toEqual(plain(given, 5, reservations, valueOf))
      }),
      { seed: 17, numRuns: 300 },
    )
  })

  it('goes by the reserved starts, from one to the next, where amounts are counted', () => {
    fc.assert(
      fc.property(drafts, fc.constantFrom(1, 2, 3, 6), (given, reservations) => {
        expect(starts(given, 7, { reservations, shortFirst: true })).toEqual(plainCounted(given, 7, reservations))
      }),
      { seed: 19, numRuns: 500 },
    )
  })

  it('changes nothing where nothing is reserved', () => {
    fc.assert(
      fc.property(drafts, fc.constantFrom('counted' as const, 'named' as const), (given, nodes) => {
        expect(starts(given, 5, { nodes, reservations: 0, shortFirst: true })).toEqual(starts(given, 5, { nodes, reservations: 0 }))
      }),
      { seed: 18, numRuns: 100 },
    )
  })

  it('obeys the laws of policies', { tags: 'long' }, () => {
    const skip = { reservations: 'jobs outlive their estimates' }
    const launched = (options: EasyOptions) => checkPolicyLaws(() => easy(fifo(), { shortFirst: true, ...options }), { runs: 60, seed: 3, skip, worlds: { gangs: true, outages: true, failures: true } }).launches
    for (const options of [{}, { reservations: 3 }, { nodes: 'named', reservations: 2 }] as const) expect(launched(options)).toBeGreaterThan(200)
  })
})
