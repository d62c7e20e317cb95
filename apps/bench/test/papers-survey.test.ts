import type { JobSpec } from '@sched/core'
import { easy, fattened, fifo } from '@sched/policies'
import { workloadOf } from '@sched/workload'
import { describe, expect, it } from 'vitest'
import type { Trial } from '../src/papers/claim.js'
import { rowOf } from '../src/papers/row.js'
import { idsOf } from '../src/papers/sheet.js'
import { HeadDelays } from '../src/papers/survey/head-delays.js'
import { reservations } from '../src/papers/survey/reservations.js'
import { runRigid } from '../src/papers/survey/rigid-machine.js'
import { utilisations } from '../src/papers/survey/resource-models.js'
import { survey } from '../src/papers/survey/survey.js'

const trial: Trial = { seed: 1, validate: true, quick: true }
const ofBackfilling = survey.experiments.filter(({ title }) => title.startsWith('Backfilling'))

describe('the rows of backfilling in the sheet of the survey', () => {
  it('are those of its table, and two more', () => {
    const ids = idsOf({ ...survey, experiments: ofBackfilling })
    expect(ids).toEqual(['SV-BF-order-example', 'SV-BF-order', 'SV-BF-order-wide', 'SV-BF-guarantee', 'SV-BF-head', 'SV-BF-fat'])
    expect(new Set(idsOf(survey)).size).toBe(idsOf(survey).length)
  })

  it('have a figure per measure, and what has no chance in it holds on any seed', { tags: 'long' }, () => {
    for (const { title, claims, run } of ofBackfilling.filter((each) => !each.title.includes('faster'))) {
      const { byId } = run([trial])
      for (const claim of claims) expect([title, claim.id, byId[claim.id]?.length, rowOf(claim, byId[claim.id]).verdict]).toEqual([title, claim.id, claim.measures.length, 'within'])
    }
  })
})

describe('the row of resource models', () => {
  it('has more of the same nodes in use the closer their description comes to what tasks ask', { tags: 'long' }, () => {
    const { typed, typeless, dynamic, vectors } = utilisations({ seed: 1, validate: false })
    expect(vectors.cores).toBeGreaterThan(typeless.cores)
    expect(typeless.cores).toBeGreaterThan(typed.cores)
    for (const { cores, memory } of [typed, typeless, dynamic, vectors]) expect([cores > 0 && cores <= 1, memory > 0 && memory <= 1]).toEqual([true, true])
  })

  it('and those of delay and of architectures are in the sheet', () => {
    expect(idsOf(survey)).toEqual(expect.arrayContaining(['SV-SLOT-util', 'SV-CAP-res', 'SV-FAIR-delay', 'SV-AR']))
  })
})

describe('the row of reservations', () => {
  it('has big tasks start that starve without them, and none waits for two of the small ones', { tags: 'long' }, () => {
    const found = reservations.run([{ seed: 3, validate: false }]).byId['SV-CAP-res'] ?? []
    const [ratio, longest, started, startedWithout] = found.map(({ mean }) => mean)
    expect(ratio).toBeGreaterThan(10)
    expect(longest).toBeLessThan(2)
    expect([started, Number(startedWithout) < 0.5]).toEqual([1, true])
    expect(found).toHaveLength(reservations.claims[0]?.measures.length ?? 0)
  })
})

describe('HeadDelays', () => {
  const job = (id: string, submit: number, procs: number, seconds: number): JobSpec => ({
    id, submit, estimate: seconds, stages: [{ name: 'job', tasks: 1, demand: { procs }, duration: seconds }],
  })
  // 4 processors. A (2) runs 0 to 10, B (4) comes at 1 with shadow 10; C (2, 14 s) comes at 2 and would move it to 16
  const jobs = [job('A', 0, 2, 10), job('B', 1, 4, 5), job('C', 2, 2, 14)]

  it('finds the first shadow time of a head that starts when it comes', () => {
    const delays = new HeadDelays()
    runRigid(workloadOf('jobs', jobs), easy(fifo()), trial, { procs: 4, observers: [delays] })
    // B starts at 10, its shadow; then C waits for B until 15, as it does
    expect(delays).toMatchObject({ heads: 2, latest: 0, delayings: 0, overlong: 0 })
  })

  it('sees a head that is delayed, and by how much of AWT', () => {
    const delays = new HeadDelays()
    runRigid(workloadOf('jobs', jobs), fattened(fifo(), { awt: 8 }), trial, { procs: 4, observers: [delays] })
    // C starts at 2 and moves B from 10 to 16; no job has finished by then, so the mean wait is 0 and 6 s are too long
    expect(delays).toMatchObject({ heads: 1, latest: 6, delayings: 1, overlong: 1, largest: Infinity })
  })
})
