import type { JobId, WorkView } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { TakenJobs } from '../src/disciplines/taken-jobs.js'

describe('jobs that were taken', () => {
  const [a, b] = [0, 1] as JobId[] as [JobId, JobId]
  /** When two take each other in turn, at looks a second apart. */
  const inTurn = (isExpected: boolean) => {
    const taken = new TakenJobs()
    const at: number[] = []
    let [waits, runs] = [b, a]
    for (let now = 0; now < 9; now++) {
      taken.begin(now)
      if (!taken.isBarred(waits)) {
        taken.add(runs)
        at.push(now)
        ;[waits, runs] = [runs, waits]
      }
      if (isExpected) taken.expect(now + 1)
    }
    return at
  }

  it('take nothing at that instant, and something at a later one', () => {
    const taken = new TakenJobs()
    taken.begin(5)
    taken.add(a)
    expect([taken.isBarred(a), taken.mayLater(a), taken.isBarred(b)]).toEqual([true, true, false])
    taken.begin(5)
    expect(taken.isBarred(a)).toBe(true)
    taken.begin(taken.expect(6))
    expect(taken.isBarred(a)).toBe(false)
  })

  it('are forgotten when they leave, but not when they come again as others', () => {
    const bars = (comesAgain: boolean) => {
      const work = { comesAgain: () => comesAgain, name: (job: JobId) => `j${job}` } as unknown as WorkView
      const taken = new TakenJobs()
      for (const now of [5, taken.expect(6)]) {
        taken.begin(now)
        taken.add(a)
      }
      taken.forget(a, work)
      return [taken.isBarred(a), taken.mayLater(a), taken.memory(work).at.map(([job]) => job)]
    }
    expect([bars(true), bars(false)]).toEqual([[true, false, ['j0']], [false, true, []]])
  })

  it('take each other in turn as long as anything else happens, and not for ever by looks of the policy\'s own', () => {
    expect(inTurn(false)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    expect(inTurn(true)).toEqual([0, 1, 2])
  })

  it('do not take each other in turn for ever where looks of the policy\'s own are a moment apart', () => {
    const taken = new TakenJobs()
    const at: number[] = []
    let [waits, runs] = [b, a]
    for (let now = 0; now < 9; now += 0.5) {
      taken.begin(now)
      if (!taken.isBarred(waits)) {
        taken.add(runs)
        at.push(now)
        ;[waits, runs] = [runs, waits]
      }
      taken.expect(now + 1)
    }
    expect(at).toEqual([0, 0.5, 1, 1.5])
  })
})
