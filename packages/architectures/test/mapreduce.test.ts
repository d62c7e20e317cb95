import { phasesTime, type JobSpec, type Phase } from '@sched/core'
import { fifo, greedy, mapReduce, type MapReduceOptions } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { monolithic, partitioned, sharedState, twoLevel } from '../src/index.js'
import { cpuJob, cpus, play } from './world.js'

/** 1,000 maps of 20 s and 50 reduces of 60 s; acceptance fact 8 of the Omega sheet. */
const phases: readonly Phase[] = [{ activities: 1000, time: 20 }, { activities: 50, time: 60 }]
const mouldable = (id: string, workers: number, change: Parameters<typeof cpuJob>[1] = {}, what = phases): JobSpec => {
  const job = cpuJob(id, { tasks: workers, duration: phasesTime(what, workers), class: 'mapreduce', ...change })
  return { ...job, stages: job.stages.map((stage) => ({ ...stage, phases: what })) }
}
const policy = (options: MapReduceOptions = {}) => mapReduce(fifo(), options)
const kinds = { batch: { decision: { job: 2, task: 0 } }, mapreduce: { decision: { job: 1, task: 0.005 } } }

describe('a MapReduce scheduler beside others over one cell', () => {
  /** Workers and run time of the worked example on 1,000 CPUs, so many of which are in use without the job. */
  const sized = (options: MapReduceOptions, used: number) => {
    const prefill = Array.from({ length: used }, (_, node) => ({ node: node as never, demand: { cpu: 1 }, end: Infinity }))
    const { recorder, decided } = play(sharedState({ schedulers: kinds }), [mouldable('j', 11)], { cluster: cpus(1000, 1), policy: policy(options), prefill })
    expect(new Set(recorder.launches.map(({ time }) => time)).size).toBe(1)
    return [recorder.launches.length, ((recorder.finishes()['j'] ?? NaN) - (decided.all[0]?.closed ?? NaN)).toFixed(3), Number((decided.all[0]?.closed ?? NaN).toFixed(9))]
  }

  it('starts 511 workers for 99.139 s, or 44 for a quarter of the time, where 500 are idle beside the 11 asked for', () => {
    expect(sized({}, 489)).toEqual([511, '99.139', 3.555]) // 1 + 511 x 0.005 s of decision
    expect(sized({ limit: 'relative-size' }, 489)).toEqual([44, '522.727', 1.22])
    expect(sized({ limit: 'as-requested' }, 489)).toEqual([11, '2090.909', 1.055])
  })

  it('adds 100 under a cap of 60 % where 500 of 1,000 are in use with those asked for, none where 700 are', () => {
    expect(sized({ limit: 'global-cap' }, 489)).toEqual([111, '240.180', 1.555])
    expect(sized({ limit: 'global-cap' }, 689)).toEqual([11, '2090.909', 1.055])
    expect(sized({ limit: 'global-cap', cap: 1 }, 689).slice(0, 2)).toEqual([311, phasesTime(phases, 311).toFixed(3)])
  })

  it('chooses anew when a transaction has placed nothing, and keeps the number where it has placed a part', () => {
    const few: readonly Phase[] = [{ activities: 4, time: 10 }]
    const rival = (tasks: number) => cpuJob('b', { class: 'batch', tasks, duration: 100 })
    const run = (tasks: number) => play(sharedState({ schedulers: { batch: { decision: { job: 0.5, task: 0 } }, mapreduce: { decision: { job: 1, task: 0 } } } }), [rival(tasks), mouldable('m', 1, {}, few)], { cluster: cpus(4, 1), policy: mapReduce(fifo()), until: 3 })
    const lines = (tasks: number) => run(tasks).decided.lines().filter((line) => line.startsWith('mapreduce'))
    // both see four free CPUs; the rival commits first
    expect(lines(4)[0]).toBe('mapreduce m#1 0-1: 4 claimed, 0 accepted, 4 conflicted, 4 left')
    expect(lines(4)[1]).toBe('mapreduce m#2 2-3: 0 claimed, 0 accepted, 0 conflicted, 1 left')
    const part = run(2).decided.all.find(({ scheduler }) => scheduler === 'mapreduce')
    expect([part?.claimed, (part?.accepted ?? 0) + (part?.unplaced ?? 0)]).toEqual([4, 4])
  })

  it('leaves jobs of fixed size and jobs that another policy serves as they are', () => {
    const jobs = [cpuJob('b', { class: 'batch', tasks: 3 }), cpuJob('m', { class: 'mapreduce', tasks: 2 })]
    expect(play(sharedState({ schedulers: kinds }), jobs, { cluster: cpus(20, 1), policy: policy() }).recorder.launches).toHaveLength(5)
    const asked = play(sharedState({ schedulers: kinds }), [mouldable('j', 11)], { cluster: cpus(20, 1), policy: greedy(fifo()) })
    expect([asked.recorder.launches.length, (asked.recorder.finishes()['j'] ?? NaN).toFixed(3)]).toEqual([11, (1.055 + 23_000 / 11).toFixed(3)])
  })

  it('chooses workers in a partition of one node, too', () => {
    const partitions = { mapreduce: { nodes: { fraction: 0.5 } }, others: { nodes: 'rest' as const, classes: ['*'] } }
    const run = play(partitioned({ partitions }), [mouldable('j', 1, {}, [{ activities: 4, time: 10 }])], { cluster: cpus(2, 4), policy: policy() })
    expect(run.recorder.launches).toHaveLength(4)
  })

  it('never runs a job slower than with what was asked for, counts right, and ends every job, under any architecture (law)', () => {
    const jobs = fc.array(fc.record({ gap: fc.integer({ min: 0, max: 20 }), maps: fc.integer({ min: 1, max: 30 }), reduces: fc.integer({ min: 1, max: 9 }), workers: fc.integer({ min: 1, max: 8 }), isFixed: fc.boolean() }), { minLength: 1, maxLength: 8 })
    const architectures = [() => sharedState({ schedulers: 2, conflict: 'coarse' }), () => sharedState({ schedulers: 2, commit: 'all-or-nothing' }), () => twoLevel({ frameworks: 2 }), () => monolithic({ decision: {} }), () => monolithic()]
    const limits = fc.constantFrom('max-parallelism' as const, 'relative-size' as const, 'global-cap' as const)
    fc.assert(
      fc.property(jobs, fc.constantFrom(...architectures), limits, (drawn, architecture, limit) => {
        let submit = 0
        const specs = drawn.map(({ gap, maps, reduces, workers, isFixed }, i) => {
          submit += gap
          const what = [{ activities: maps, time: 3 }, { activities: reduces, time: 5 }]
          return isFixed ? cpuJob(`j${i}`, { submit, tasks: workers, duration: 7 }) : mouldable(`j${i}`, workers, { submit }, what)
        })
        const { recorder } = play(architecture(), specs, { cluster: cpus(4, 4), policy: policy({ limit }) })
        for (const [id, end] of Object.entries(recorder.finishes())) {
          const own = recorder.launches.filter(({ job }) => job === id)
          const [stage] = specs.find((spec) => spec.id === id)?.stages as [JobSpec['stages'][number]]
          const starts = own.map(({ time }) => time)
          expect(own.length).toBeGreaterThanOrEqual(stage.tasks)
          expect(end - Math.max(...starts)).toBeLessThanOrEqual((stage.duration as number) + 1e-9)
        }
        expect(Object.keys(recorder.finishes())).toHaveLength(specs.length)
      }),
      { seed: 9, numRuns: 60 },
    )
  })
})
