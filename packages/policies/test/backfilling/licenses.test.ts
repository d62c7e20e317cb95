import { Reason, SchedError, type JobSpec, type Observer } from '@sched/core'
import { dispatcher } from '@sched/cluster'
import { fifo, replan, slurmLimits } from '@sched/policies'
import { instantCluster } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { startsOf } from './machine.js'

interface Asked {
  readonly submit: number
  readonly procs: number
  readonly licenses: number
  readonly minutes: number
  readonly runtime: number
}
const job = (id: string, { submit, procs, licenses, minutes, runtime }: Asked): JobSpec => ({
  id, submit, estimate: minutes * 60, ...(licenses > 0 && { licenses: { fluent: licenses } }), stages: [{ name: 'job', tasks: 1, demand: { procs }, duration: runtime }],
})
const rigid = (id: string, submit: number, licenses: number, minutes: number, procs = 1) => job(id, { submit, procs, licenses, minutes, runtime: minutes * 60 })

describe('replan with bf_licenses', () => {
  // `wide` waits for both licences, which `first` gives back at 600 s
  const queue = [rigid('first', 0, 1, 10), rigid('wide', 10, 2, 5), rigid('long', 20, 1, 20), rigid('short', 30, 1, 5), rigid('other', 40, 0, 20)]

  it('reserves licences for a job that waits for them, so that others pass only where they are done by then', () => {
    const plain = Object.fromEntries(startsOf(queue, [8], slurmLimits(replan(), { licenses: { fluent: 2 } })))
    expect(plain).toEqual({ first: 0, wide: 1220, long: 20, short: 600, other: 40 }) // `long` takes the second licence until 1220 s
    const planned = Object.fromEntries(startsOf(queue, [8], replan(fifo(), { bf_licenses: { fluent: 2 } })))
    expect(planned).toEqual({ first: 0, wide: 600, long: 900, short: 30, other: 40 })
  })

  it('counts licences that are called as what all objects of JavaScript know', () => {
    const odd = queue.map(({ licenses, ...rest }): JobSpec => ({ ...rest, ...(licenses !== undefined && { licenses: { valueOf: licenses['fluent'] ?? 0 } }) }))
    const both = [...odd, { ...rigid('free', 50, 1, 5) }]
    const starts = Object.fromEntries(startsOf(both, [8], replan(fifo(), { bf_licenses: { valueOf: 2, fluent: 9 } as unknown as Record<string, number> })))
    expect(starts).toEqual({ first: 0, wide: 600, long: 900, short: 30, other: 40, free: 50 })
  })

  it('leaves all that is behind such a job to the plan (Slurm: "Stopping scheduling so license backfill can handle this")', () => {
    const starts = Object.fromEntries(startsOf(queue, [8], replan(fifo(), { bf_licenses: { fluent: 2 }, twoPass: true, bf_interval: 60 })))
    expect(starts).toMatchObject({ wide: 600, short: 60, other: 60 })
  })

  it('on named nodes does so, too', () => {
    const nodesFor = (spec: JobSpec): JobSpec => ({ ...spec, stages: spec.stages.map((stage) => ({ ...stage, gang: true, tasks: stage.demand['procs'] ?? 1, demand: { procs: 1 } })) })
    const starts = Object.fromEntries(startsOf(queue.map(nodesFor), [1], replan(fifo(), { bf_licenses: { fluent: 2 }, nodes: 'named' }), { nodes: 8 }))
    expect(starts).toEqual({ first: 0, wide: 600, long: 900, short: 30, other: 40 })
  })

  it('knows that a job holds its licences longer when another of its tasks starts in the same pass', () => {
    // the second task of `two` starts at 30 s and keeps the licence until 90, so that `next` does not keep `small` from the processor that is free before
    const task = (id: string, submit: number, tasks: number, procs: number, seconds: number, licenses = 0): JobSpec => ({ id, submit, estimate: seconds, ...(licenses > 0 && { licenses: { fluent: licenses } }), stages: [{ name: 'job', tasks, demand: { procs }, duration: seconds }] })
    const jobs = [task('first', 0, 1, 2, 30), task('two', 0, 2, 1, 60, 1), task('next', 0, 1, 2, 60, 1), task('small', 10, 1, 1, 60)]
    expect(Object.fromEntries(startsOf(jobs, [3], replan(fifo(), { bf_licenses: { fluent: 1 }, bf_resolution: 1 })))).toMatchObject({ two: 0, next: 90, small: 30 })
  })

  it('expects licences back at the very end of who holds them, as it does processors, and gives nobody those that are held on', () => {
    // `late` should end at 120 s and does not: `wide` would start then, and keeps its two for its minute; the third is for `small`
    const jobs = [job('late', { submit: 0, procs: 1, licenses: 2, minutes: 2, runtime: 500 }), rigid('wide', 0, 2, 1), rigid('small', 120, 1, 2)]
    for (const nodes of ['counted', 'named'] as const)
      expect(Object.fromEntries(startsOf(jobs, [1], replan(fifo(), { bf_licenses: { fluent: 3 }, nodes }), { nodes: 8 }))).toEqual({ late: 0, small: 120, wide: 500 })
  })

  it('is what a plan does that has licences among the resources', { tags: 'long' }, () => {
    const asked = fc.record({ submit: fc.integer({ min: 0, max: 600 }), procs: fc.integer({ min: 1, max: 6 }), licenses: fc.integer({ min: 0, max: 3 }), minutes: fc.integer({ min: 1, max: 9 }), runtime: fc.integer({ min: 1, max: 600 }) })
    const options = fc.record({ bf_resolution: fc.constantFrom(1, 60, 100), twoPass: fc.boolean(), bf_job_part_count_reserve: fc.integer({ min: 0, max: 2 }), bf_window: fc.constantFrom(5, 1440) })
    fc.assert(
      fc.property(fc.array(asked, { minLength: 1, maxLength: 14 }), options, (all, given) => {
        const sorted = all.sort((a, b) => a.submit - b.submit)
        const asResource = sorted.map((each, i): JobSpec => ({ ...job(`J${i}`, { ...each, licenses: 0 }), stages: [{ name: 'job', tasks: 1, demand: { procs: each.procs, ...(each.licenses > 0 && { memory: each.licenses }) }, duration: each.runtime }] }))
        expect(startsOf(sorted.map((each, i) => job(`J${i}`, each)), [6], replan(fifo(), { ...given, bf_licenses: { fluent: 3 } }))).toEqual(startsOf(asResource, [6, 3], replan(fifo(), given)))
      }),
      { seed: 33, numRuns: 400 },
    )
  })

  it('refuses a job that asks for more than there are, and tells of licences that it does not know', () => {
    const told: string[] = []
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { procs: 8 } }] }), policy: replan(fifo(), { bf_licenses: { fluent: 1 } }), warn: (message) => void told.push(message) })
    expect(() => master.submit(rigid('a', 0, 2, 1), 0)).toThrow(SchedError)
    expect(() => master.submit(rigid('a', 0, 2, 1), 0)).toThrow('it asks for 2 of licence fluent, and there is 1 (InvalidLicenses)')
    master.submit({ ...rigid('b', 0, 1, 1), licenses: { other: 1 } }, 0)
    expect(told).toEqual(['licence "other" is not among the licences of bf_licenses: jobs hold as many as they ask for'])
  })

  it('says why such a job waits', () => {
    const reasons: unknown[] = []
    const watch: Observer = { onDefer: (_job, _lane, reason, now, limit) => void (now === 10 && reasons.push([reason, limit])) }
    startsOf(queue, [8], replan(fifo(), { bf_licenses: { fluent: 2 } }), { observers: [watch] })
    expect(reasons).toEqual([[Reason.Limit, 'Licenses']])
  })
})
