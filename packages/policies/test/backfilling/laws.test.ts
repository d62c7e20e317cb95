import { randomStream, type Observer, type Plug } from '@sched/core'
import { conservative, easy, fattened, strict } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulated } from './machine.js'
import { fattened as referenceFattened } from './reference/disciplines.js'
import { schedule, type RigidJob } from './reference/machine.js'

const PROCS = 256

/**
 * Jobs of a typical machine: a quarter serial, others powers of two up to half the machine; run times spread evenly over
 * orders of magnitude from 20 s to 5 h; estimates up to three times longer, in whole minutes; Poisson arrivals at a load.
 */
function typicalJobs(seed: number, load: number, count = 800): RigidJob[] {
  const draw = randomStream(seed, 'typical jobs')
  const drawn = Array.from({ length: count }, () => {
    const runtime = Math.round(20 * 900 ** draw())
    return { size: draw() < 0.25 ? 1 : 2 ** Math.round(7 * draw()), runtime, estimate: Math.ceil((runtime * (1 + 2 * draw())) / 60) * 60, gap: -Math.log(1 - draw()) }
  })
  const meanGap = drawn.reduce((sum, { size, runtime }) => sum + size * runtime, 0) / (PROCS * load * count)
  let submit = 0
  return drawn.map(({ size, runtime, estimate, gap }) => ({ submit: Math.round((submit += gap * meanGap)), runtime, estimate, size: [size] }))
}

const meanCompletion = (jobs: readonly RigidJob[], policy: Plug<'policy'>) => {
  const starts = simulated(jobs, [PROCS], policy, { validate: false })
  return jobs.reduce((sum, { submit, runtime }, i) => sum + (starts[i] ?? NaN) + runtime - submit, 0) / jobs.length
}

/** Small worlds with exact estimates, jobs in order of submission. */
const exactWorlds = fc.integer({ min: 2, max: 8 }).chain((slots) =>
  fc.record({
    slots: fc.constant(slots),
    jobs: fc
      .array(
        fc
          .record({ submit: fc.integer({ min: 0, max: 15 }), length: fc.integer({ min: 1, max: 9 }), size: fc.integer({ min: 1, max: slots }) })
          .map(({ submit, length, size }): RigidJob => ({ submit, runtime: length, estimate: length, size: [size] })),
        { minLength: 2, maxLength: 14 },
      )
      .map((all) => all.sort((a, b) => a.submit - b.submit)),
  }),
)

/** Starts later than the earliest time that was promised for the job, in seconds. */
function lateness(): { readonly observer: Observer; readonly late: number[]; promises: number } {
  const promised = new Map<number, number>()
  const seen = { late: [] as number[], promises: 0 }
  const observer: Observer = {
    onSubmit: (id) => void promised.delete(id),
    onReserve: (id, start) => {
      seen.promises++
      promised.set(id, Math.min(start, promised.get(id) ?? Infinity))
    },
    onTaskStart: (_task, id, _lane, _node, _level, now) => void (now > (promised.get(id) ?? Infinity) && seen.late.push(now - (promised.get(id) ?? 0))),
  }
  return Object.assign(seen, { observer })
}

describe('laws of the survey, section 8', () => {
  it('SV-BF-order: mean completion on typical loads is least for fattened, then EASY, conservative, FCFS', () => {
    const means = [fattened, easy, conservative, strict].map((policy) => {
      let sum = 0
      for (let seed = 1; seed <= 12; seed++) sum += meanCompletion(typicalJobs(seed, 0.8), policy())
      return Math.round(sum / 12)
    })
    expect(means).toEqual([...means].sort((a, b) => a - b))
    expect(new Set(means).size).toBe(4)
  })

  it('SV-BF-guarantee: conservative starts no job later than promised, however wrong the estimates', () => {
    for (let seed = 21; seed <= 26; seed++) {
      const seen = lateness()
      simulated(typicalJobs(seed, 0.95), [PROCS], conservative(), { validate: false, observers: [seen.observer] })
      expect({ promised: seen.promises > 500, late: seen.late }).toEqual({ promised: true, late: [] })
    }
  })

  it('SV-BF-head: EASY starts no head later than its first shadow time', () => {
    fc.assert(
      fc.property(exactWorlds, ({ slots, jobs }) => {
        const seen = lateness()
        simulated(jobs, [slots], easy(), { observers: [seen.observer] })
        expect(seen.late).toEqual([])
      }),
      { seed: 41, numRuns: 500 },
    )
  })

  it('EASY promises its heads a start, and breaks no promise on a typical load', () => {
    const seen = lateness()
    simulated(typicalJobs(31, 0.9), [PROCS], easy(), { validate: false, observers: [seen.observer] })
    expect(seen.promises).toBeGreaterThan(100)
    expect(seen.late).toEqual([])
  })

  it('SV-BF-fat: fattened delays a head by less than AWT against its first shadow time, at every decision', () => {
    const delays: number[] = []
    fc.assert(
      fc.property(exactWorlds, ({ slots, jobs }) => {
        const onDelay = (delay: number, awt: number) => {
          delays.push(delay)
          expect(delay).toBeLessThan(awt)
        }
        const starts = schedule(jobs, [slots], referenceFattened({ delayReference: 'firstShadow', delayingBackfillsPerHead: Infinity, onDelay }))
        expect(simulated(jobs, [slots], fattened())).toEqual(starts) // so the law holds for the one that ships
      }),
      { seed: 42, numRuns: 500 },
    )
    expect(delays.length).toBeGreaterThan(50)
  })
})
