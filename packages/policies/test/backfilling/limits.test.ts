import type { JobSpec } from '@sched/core'
import { capacity, conservative, easy, fair, fattened, fifo, maxMin, replan, strict } from '@sched/policies'
import { checkPolicyLaws, instantCluster, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { startsOf } from './machine.js'

const disciplines = { strict, easy, conservative, fattened, replan }

describe('an order that holds jobs back by limits, under backfilling', () => {
  it.each(Object.entries(disciplines))('lets all work be done (%s)', { tags: 'long' }, (_, discipline) => {
    const { worlds } = checkPolicyLaws(() => discipline(capacity({})), { runs: 60, seed: 3, skip: { reservations: 'jobs outlive their estimates' } })
    expect(worlds).toBe(60)
  })

  it('starts a job whose reservation passed while it was held back', () => {
    // the user may have one slot, which a holds from 0 to 25 though it said 5: b was promised 5, and cannot be seen then
    const stage = (tasks: number, duration: number | number[]) => ({ name: 's', tasks, demand: { map: 1 }, duration })
    const { recorder } = run({
      policy: conservative(capacity({})),
      cluster: instantCluster({ nodes: [{ count: 1, slots: { map: 1 } }] }),
      jobs: [{ id: 'a', submit: 0, estimate: 5, stages: [stage(3, [0, 0, 25])] }, { id: 'b', submit: 0, stages: [stage(1, 0)] }],
    })
    expect(recorder.launchLines().at(-1)).toBe('25 b.0 on node-0')
  })

  const limited = { 'fair, of running jobs': () => fair({ userMaxRunningJobs: 1 }), 'max-min, of processors': () => maxMin({ by: 'user', shares: { ann: { max: 2 } } }) }
  const cases = Object.entries(limited).flatMap(([limit, order]) => [
    ...Object.entries(disciplines).map(([name, discipline]) => [`${name}, ${limit}`, discipline(order())] as const),
    [`easy, ${limit}, of those behind the first`, easy(fifo(), { backfillOrder: order() })] as const,
  ])
  it.each(cases)(
    'starts nobody beyond a limit who comes alone (%s)',
    (_, policy) => {
      // ann may have one job, or two processors, and her first holds two of four processors for an hour; bob waits for all four, and ann's second would fit beside
      const job = (id: string, user: string, procs: number, minutes: number, submit: number): JobSpec => ({
        id, user, submit, estimate: minutes * 60, stages: [{ name: 'job', tasks: 1, demand: { procs }, duration: minutes * 60 }],
      })
      expect(startsOf([job('first', 'ann', 2, 60, 0), job('wide', 'bob', 4, 10, 10), job('second', 'ann', 1, 5, 20)], [4], policy).get('second')).toBeGreaterThanOrEqual(3600)
    },
  )
})
