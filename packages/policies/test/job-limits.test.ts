import type { JobId, UserId, WorkView } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JobLimits } from '../src/orders/job-limits.js'

interface Job {
  readonly user: number
  readonly pool: number
  readonly priority: number
}
/** A root with two pools, of which the second holds two more. */
const pools = [[-1, 6], [0, 3], [0, 4], [2, 2], [2, Infinity]].map(([parent, most], id) => ({ path: `p${id}`, parent: parent as number, maxRunningJobs: most as number }))
const most = (user: number) => [1, 2, 3][user] ?? 2
const job = fc.record({ user: fc.integer({ min: 0, max: 4 }), pool: fc.constantFrom(1, 3, 4), priority: fc.integer({ min: 0, max: 2 }) })

/** The limits for jobs that come in the order of their ids, and how often they have asked for the place of a job among those that wait. */
function limitsOf(jobs: readonly Job[], byPriority: boolean) {
  const counts = { looks: 0 }
  const work = {
    user: (id: JobId) => (jobs[id] as Job).user as UserId,
    userName: (user: UserId) => `u${user}`,
    priority: (id: JobId) => (jobs[id] as Job).priority,
    rank: (id: JobId) => (counts.looks++, id),
    jobs: () => jobs.map((_, id) => id as JobId),
    name: (id: JobId) => `j${id}`,
  } as unknown as WorkView
  const limits = new JobLimits(work, { pools, poolOf: (id) => (jobs[id] as Job).pool, users: { u0: 1, u2: 3 }, userDefault: 2, poolDefault: Infinity, option: 'most' }, byPriority)
  return { limits, counts }
}

/** Whom the limits let run of those that wait, by going through all of them in order: the reference. */
function letIn(jobs: readonly Job[], running: Set<number>, waiting: Set<number>, byPriority: boolean): number[] {
  const isIn = (pool: number, outer: number): boolean => pool === outer || (pool > 0 && isIn(pools[pool]?.parent as number, outer))
  const count = (of: (job: Job) => boolean) => [...running].filter((id) => of(jobs[id] as Job)).length
  const mayRun = ({ user, pool }: Job) => count((other) => other.user === user) < most(user) && pools.every(({ maxRunningJobs }, outer) => !isIn(pool, outer) || count((other) => isIn(other.pool, outer)) < maxRunningJobs)
  const order = [...waiting].sort((a, b) => (byPriority ? (jobs[b] as Job).priority - (jobs[a] as Job).priority : 0) || a - b)
  return order.filter((id) => {
    if (!mayRun(jobs[id] as Job)) return false
    waiting.delete(id)
    running.add(id)
    return true
  })
}

describe('limits of running jobs', () => {
  it.each([[true], [false]])('let in whom a look at every waiting job lets in, by priority: %s', (byPriority) => {
    fc.assert(
      fc.property(fc.array(job, { minLength: 1, maxLength: 60 }), fc.array(fc.record({ leaves: fc.boolean(), pick: fc.nat(99) }), { maxLength: 120 }), (jobs, steps) => {
        const { limits } = limitsOf(jobs, byPriority)
        const running = new Set<number>()
        const waiting = new Set<number>()
        let next = 0
        for (const { leaves, pick } of steps) {
          const inSystem = [...running, ...waiting].sort((a, b) => a - b)
          if (leaves && inSystem.length > 0) {
            const gone = inSystem[pick % inSystem.length] as number
            const out: JobId[] = []
            limits.leave(gone as JobId, out)
            waiting.delete(gone)
            expect(out).toEqual(running.delete(gone) ? letIn(jobs, running, waiting, byPriority) : [])
          } else if (next < jobs.length) {
            waiting.add(next)
            expect(limits.ask(next as JobId)).toBe(letIn(jobs, running, waiting, byPriority).length === 1)
            next++
          }
          for (const id of [...running, ...waiting]) expect(limits.admitted(id as JobId)).toBe(running.has(id))
        }
      }),
      { seed: 5, numRuns: 200 },
    )
  })

  it('look at no waiting job when one comes that may run, and at none but the new one when it may not', () => {
    const jobs = [...Array.from({ length: 2000 }, () => ({ user: 0, pool: 1, priority: 0 })), { user: 1, pool: 3, priority: 0 }, { user: 0, pool: 1, priority: 0 }]
    const { limits, counts } = limitsOf(jobs, true)
    for (let id = 0 as JobId; id < 2000; id++) limits.ask(id)
    const looks = [2000, 2001].map((id) => {
      const before = counts.looks
      return [limits.ask(id as JobId), counts.looks - before]
    })
    expect(looks).toEqual([[true, 0], [false, 1]])
  })
})
