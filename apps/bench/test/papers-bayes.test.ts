import { hibench } from '@sched/workload'
import { describe, expect, it } from 'vitest'
import { bayesCommunication } from '../src/papers/bayes-communication/bayes-communication.js'
import { alwaysActive, constants, jobOptions, mapReducePolicy, runJobs, samples, withBayes } from '../src/papers/bayes-communication/setting.js'
import type { Trial } from '../src/papers/claim.js'
import { idsOf } from '../src/papers/sheet.js'

const trial: Trial = { seed: 1, validate: false, quick: true }
const types = ['st', 'wc', 'ts', 'bc', 'kc']

describe('the sheet of the communication classifier', () => {
  it('has every row of its table', () => {
    const ids = [
      'BC-F1', ...['st', 'ts', 'bc', 'wc', 'kc'].map((type) => `BC-F2-${type}`), ...[32, 64, 128, 512, 1000].map((size) => `BC-F3-${size}GB`), 'BC-F4-2', 'BC-F4-4', 'BC-F4-8',
      ...types.map((type) => `BC-T2-${type}`), ...types.map((type) => `BC-T3-${type}`), 'BC-S-4to5',
    ]
    expect(idsOf(bayesCommunication)).toEqual(ids)
  })

  it.each(bayesCommunication.experiments.filter(({ title }) => !title.includes('Fifty')).map((each) => [each.title, each] as const))('measures each row: %s', { tags: 'long' }, (_title, { claims, run }) => {
    const { byId } = run([trial])
    for (const claim of claims) expect([claim.id, byId[claim.id]?.length]).toEqual([claim.id, claim.measures.length])
    for (const claim of claims) for (const { mean } of byId[claim.id] ?? []) expect(mean).not.toBeNaN()
  })
})

describe('a run of it', () => {
  it('moves a job to one rack: no byte of its shuffle goes to another, and all of them move', () => {
    const workload = hibench({ types: ['st'], scale: 0.05, ...jobOptions(constants) })
    const [spread, moved] = [mapReducePolicy, withBayes(alwaysActive(2))].map((policy) => runJobs({ perRack: 2, workload, policy, trial: { seed: 3, validate: true } }).shuffle)
    for (const bytes of [spread, moved]) expect((bytes!.local + bytes!.intra + bytes!.cross) / 6e9).toBeCloseTo(1, 9)
    expect(spread!.crossShare).toBeGreaterThan(0.7) // three of four racks are others
    expect(moved!.cross).toBe(0)
  })

  it('has samples of both classes, the active ones those with the largest shuffles', () => {
    const { samples: found, activities } = samples(2, trial)
    const active = activities.filter((_, i) => found[i]?.isActive)
    expect(active.length).toBeGreaterThan(0)
    expect(Math.min(...active)).toBeGreaterThanOrEqual(0.38)
    expect(Math.max(...activities.filter((_, i) => found[i]?.isActive === false))).toBeLessThan(0.38)
  })
})
