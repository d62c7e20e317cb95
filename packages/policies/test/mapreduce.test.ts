import { SchedError } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseWorkers, completionTime, globalCap, mapReduceJob, maxParallelism, relativeSize, speedUp, type MapReduceJob } from '../src/index.js'

/** Acceptance fact 8 of the Omega sheet. */
const counts: MapReduceJob = { maps: 1000, mapTime: 20, reduces: 50, reduceTime: 60, requested: 11 }
const job = mapReduceJob(counts)

describe('speed-up model of the MapReduce scheduler (Schwarzkopf et al., EuroSys 2013, section 6.1)', () => {
  it('gives the run times of the worked example: 2090.909 s with 11 workers', () => {
    // 1000 x 20 / 11 + 50 x 60 / 11 = 23000 / 11; 44: a quarter; 111: 20000 / 111 + 3000 / 50; 511: 20000 / 511 + 60; 1000: 20 + 60
    expect([11, 44, 111, 511, 1000, 5000].map((workers) => completionTime(job, workers).toFixed(3)))
      .toEqual(['2090.909', '522.727', '240.180', '99.139', '80.000', '80.000'])
    expect([111, 511, 1000].map((workers) => speedUp(job, workers).toFixed(3))).toEqual(['8.706', '21.091', '26.136'])
    expect(speedUp(job, 44)).toBe(4)
  })

  it('chooses 511 workers under max-parallelism and 44 under relative size, with 500 idle', () => {
    const room = { total: 2000, used: 1500, idle: 500 }
    expect([maxParallelism, relativeSize()].map((limit) => chooseWorkers(job, limit, room))).toEqual([511, 44])
  })

  it('adds none above a cap of 60 % and what is left below it: used 700 of 1,000 and used 500', () => {
    const usedBy = (used: number) => chooseWorkers(job, globalCap(0.6), { total: 1000, used, idle: 1000 - used })
    expect([usedBy(700), usedBy(500)]).toEqual([11, 111])
    expect(speedUp(job, usedBy(700))).toBe(1)
  })

  it('leaves a job alone that has a worker for every activity: 150 maps, 20 reduces, 200 workers', () => {
    const wide = mapReduceJob({ maps: 150, mapTime: 30, reduces: 20, reduceTime: 90, requested: 200 })
    for (const limit of [maxParallelism, globalCap(), relativeSize()]) expect(chooseWorkers(wide, limit, { total: 9000, used: 1000, idle: 8000 })).toBe(200)
    expect(completionTime(wide, 200)).toBe(120)
  })

  it('takes the fewest workers that finish earliest, and never makes a job slower (law)', { tags: 'long' }, () => {
    const jobs = fc.record({
      maps: fc.integer({ min: 1, max: 300 }), mapTime: fc.integer({ min: 0, max: 50 }), reduces: fc.integer({ min: 0, max: 300 }),
      reduceTime: fc.integer({ min: 0, max: 50 }), requested: fc.integer({ min: 1, max: 200 }),
    })
    const limits = fc.constantFrom(maxParallelism, globalCap(), relativeSize())
    fc.assert(fc.property(jobs, limits, fc.integer({ min: 0, max: 400 }), (drawn, limit, idle) => {
      const one = mapReduceJob(drawn)
      const room = { total: 500, used: 500 - idle, idle }
      const workers = chooseWorkers(one, limit, room)
      expect(workers - one.requested).toBeLessThanOrEqual(idle)
      for (let fewer = one.requested; fewer < workers; fewer++) expect(completionTime(one, fewer)).toBeGreaterThan(completionTime(one, workers))
      expect(completionTime(one, workers)).toBeLessThanOrEqual(completionTime(one, limit(one, room)))
    }), { numRuns: 200, seed: 8 })
  })

  it('refuses nonsense', () => {
    expect(() => completionTime(job, 0)).toThrow(new SchedError('BAD_OPTION', 'workers is 0.', { field: 'workers' }, 'Use a whole number of at least 1.'))
    expect(() => mapReduceJob({ ...counts, maps: 1.5 })).toThrow('maps: maps is 1.5.')
    expect(() => globalCap(60)).toThrow('cap: the cap is 60. Use a fraction from 0 to 1.')
    expect(() => relativeSize(0)).toThrow('factor: the factor is 0.')
  })
})
