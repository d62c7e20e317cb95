import { describe, expect, it } from 'vitest'
import type { Trial } from '../src/papers/claim.js'
import { crossing, valueAt } from '../src/papers/omega/conflicts.js'
import { mapReduce } from '../src/papers/omega/map-reduce.js'
import { omega } from '../src/papers/omega/omega.js'
import { runPoint, type Point, type PointResult } from '../src/papers/omega/point.js'
import { rowOf } from '../src/papers/row.js'
import { idsOf } from '../src/papers/sheet.js'

/** Section 5 of the sheet, its shorthands written out. */
const ids = [
  'OM-F5a/F6a', 'OM-F5b/F6b', 'OM-F5c/F6c', 'OM-F7', 'OM-F8-A', 'OM-F8-B', 'OM-F8-C', 'OM-F9', 'OM-F10', 'OM-F11', 'OM-F12-conf', 'OM-F12-slo', 'OM-F12-40',
  'OM-F12-ttask', 'OM-F13', 'OM-F14-gang', 'OM-F14-coarse', 'OM-F15-share', 'OM-F15-p80', 'OM-F15-rel', 'OM-F15-cap', 'OM-F16', 'OM-S1',
]

const point = (change: Partial<Point>): PointResult =>
  runPoint({ cluster: 'C', scale: 0.2, seed: 1, horizon: 1800, validate: false, system: 'omega', ...change })
const trial: Trial = { seed: 1, validate: false, quick: true }
const mapReduceFindings = mapReduce.run([trial])

describe('the sheet of Omega', () => {
  it('has every id of the published table once', () => {
    expect(idsOf(omega).sort()).toEqual([...ids].sort())
  })

  it('measures as many figures as a claim names', { tags: 'long' }, () => {
    for (const experiment of omega.experiments.filter(({ title }) => /12|13|15/.test(title))) {
      const { byId } = experiment === mapReduce ? mapReduceFindings : experiment.run([trial])
      for (const { id, measures } of experiment.claims) expect([id, byId[id]?.length ?? 0]).toEqual([id, measures.length])
    }
  })
})

describe('a point of a sweep', () => {
  it('breaks no rule of the cell under any architecture', () => {
    for (const system of ['single', 'multi', 'omega', 'mesos'] as const) {
      const { batch } = point({ system, scale: 0.02, horizon: 300, validate: true })
      expect([system, batch.jobs > 50]).toEqual([system, true])
    }
  })

  it('depends on its arguments alone', () => {
    expect(point({ horizon: 600 })).toEqual(point({ horizon: 600 }))
    expect(point({ horizon: 600, seed: 2 })).not.toEqual(point({ horizon: 600 }))
  })

  it('is busy for 0.26 x (t_job + 0.005 x tasks) of the time with batch jobs, without conflicts (section 2)', { tags: 'long' }, () => {
    const { batch } = point({ batch: { job: 1 }, horizon: 7200 })
    const { batch: free } = point({ batch: { job: 0 }, horizon: 7200 })
    expect(batch.busyness - free.busyness).toBeCloseTo(batch.jobs / 7200, 2) // one second per job
  })

  it('scales single path < multi path < shared state, and batch jobs wait for service jobs under offers (figures 5 to 7)', { tags: 'long' }, () => {
    const at = (system: Point['system'], job: number) => point({ system, scale: 1, service: { job }, horizon: 3600 })
    const [single, multi, shared] = (['single', 'multi', 'omega'] as const).map((system) => at(system, 10).batch.wait) as [number, number, number]
    expect([single > 500, multi < single / 100, shared < multi / 4]).toEqual([true, true, true])
    const [offers, own] = (['mesos', 'omega'] as const).map((system) => at(system, 100).batch) as [PointResult['batch'], PointResult['batch']]
    expect(offers.wait).toBeGreaterThan(100 * own.wait)
    expect(own.unscheduled).toBe(0)
  })

  it('has more conflicts under coarse detection and under all-or-nothing commits (figure 14)', { tags: 'long' }, () => {
    const conflicts = (change: Partial<Point>) => point({ service: { job: 30 }, horizon: 4 * 3600, ...change }).service.conflictFraction
    const [fine, gang, coarse] = [conflicts({}), conflicts({ commit: 'all-or-nothing' }), conflicts({ conflict: 'coarse' })] as [number, number, number]
    expect([gang > fine, coarse > 1.5 * fine]).toEqual([true, true])
  })

  it('has no conflicts with one scheduler', () => {
    const { batch, service } = point({ system: 'multi' })
    expect([batch.conflictFraction, service.conflictFraction]).toEqual([0, 0])
  })
})

describe('MapReduce jobs', () => {
  it('never gain more than 4x under relative size', () => {
    const findings = mapReduceFindings
    const claim = mapReduce.claims.find(({ id }) => id === 'OM-F15-rel')!
    expect(rowOf(claim, findings.byId[claim.id]).simulated).toHaveLength(6)
    for (const { mean } of findings.byId['OM-F15-rel']!.slice(3)) expect(mean).toBeLessThanOrEqual(4.0000001)
  })
})

describe('curves', () => {
  it('cross a limit between points, or not at all', () => {
    const curve = [[0, 1], [10, 3], [20, 5]] as const
    expect([crossing(curve, 2), crossing(curve, 4), crossing(curve, 9), crossing(curve, 0.5)]).toEqual([5, 15, 20, 0])
    expect([valueAt(curve, 5), valueAt(curve, 15), valueAt(curve, 99)]).toEqual([2, 4, 5])
  })
})
