import type { JobSpec, StageSpec } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { describe as summaryOf, describeStream, facebook, facebookMixed, sensitivity, sizeClass, sizeClasses, sizeRanges, workloadOf } from '../src/index.js'

const stage = (tasks: number, duration: StageSpec['duration'], demand: StageSpec['demand'] = { map: 1 }): StageSpec => ({ name: 's', tasks, demand, duration })
const job = (id: string, submit: number, stages: StageSpec[], rest: Partial<JobSpec> = {}): JobSpec => ({ id, submit, stages, ...rest })

describe('describe', () => {
  const small = workloadOf('small', [
    job('a', 10, [stage(2, 5), stage(1, 100, { reduce: 1 })], { user: 'u', queue: 'q' }),
    job('b', 14, [stage(3, [1, 2, 6])], { user: 'u', after: 'a' }),
    job('c', 30, [stage(1, { kind: 'exponential', mean: 4, shift: 1 }, { map: 2 })], { user: 'v' }),
  ])

  it('counts jobs, stages, tasks, users, queues and waits, and the time between submissions', () => {
    expect(summaryOf(small)).toMatchObject({
      name: 'small', jobs: 3, stages: 4, tasks: 7, users: 2, queues: 1, chained: 1, closedLoop: false,
      firstSubmit: 10, lastSubmit: 30, span: 20, gaps: { mean: 10, median: 10, max: 16 }, medianJobTasks: 3,
    })
  })

  it('sums work as duration times amount and takes medians over tasks', () => {
    // map: 2 x 5 + (1 + 2 + 6) + mean 5 x 2 slots = 29; durations 1 2 5 5 5 6: median 5
    expect(summaryOf(small, { map: 2 }).resources).toEqual([
      { resource: 'map', tasks: 6, work: 29, medianDuration: 5, largest: 2, load: 29 / (2 * 20) },
      { resource: 'reduce', tasks: 1, work: 100, medianDuration: 100, largest: 1 },
    ])
  })

  it('takes the mean of the two middle tasks where their number is even', () => {
    expect(summaryOf(workloadOf('w', [job('a', 0, [stage(4, [1, 2, 4, 9])])])).resources[0]!.medianDuration).toBe(3)
    expect(summaryOf(workloadOf('w', [job('a', 0, [stage(2, 3), stage(2, 7)])])).resources[0]!.medianDuration).toBe(5)
  })

  it('says how long jobs take at least where stages wait for all of others, with the longest chain of stages', () => {
    const after = (...stages: number[]) => stages.map((each) => ({ stage: each, fraction: 1 }))
    const diamond = [stage(1, 1), { ...stage(2, [2, 7]), after: after(0) }, { ...stage(1, 3), after: after(0) }, { ...stage(1, { kind: 'uniform', min: 2, max: 4 }), after: after(1, 2) }] as StageSpec[]
    const early = [stage(2, 5), { ...stage(1, 4), after: [{ stage: 0, fraction: 0.5 }] }] // may start before the first stage is over
    // 1 + 7 + 3 = 11; 5; 30: median 11
    expect(summaryOf(workloadOf('w', [job('a', 0, diamond), job('b', 0, early), job('c', 0, [stage(1, 30)])])).criticalPath).toEqual({ median: 11, max: 30, stages: 3 })
    expect(summaryOf(workloadOf('w', [job('b', 0, early)]))).not.toHaveProperty('criticalPath')
    const master = { ...stage(1, 6), master: true }
    const behind = [master, stage(1, 1), { ...stage(1, 2), after: after(1) }] as StageSpec[] // these open when the master has run for 6 s
    expect(summaryOf(workloadOf('w', [job('m', 0, behind)])).criticalPath).toEqual({ median: 9, max: 9, stages: 2 })
  })

  it('counts jobs that may be on some nodes only, or on nodes with taints', () => {
    const on = (...constraints: NonNullable<StageSpec['constraints']>[]) => job('a', 0, [stage(1, 1), ...constraints.map((each) => ({ ...stage(1, 1), constraints: each }))])
    const jobs = [
      on({ require: { model: 'T4' } }, { require: { model: 'P100' } }), on({ nodeSelectorTerms: [] }), on({ tolerations: [{ operator: 'Exists' }], distinctNodes: true }), on({ require: {}, tolerations: [] }),
    ]
    expect(summaryOf(workloadOf('w', jobs)).constrained).toEqual({ labels: 2, tolerations: 1, apart: 1 })
    expect(summaryOf(workloadOf('w', [on({ require: {} })]))).not.toHaveProperty('constrained')
    const rules = [{ kind: 'antiAffinity' as const, over: 'node' }]
    expect(summaryOf(workloadOf('w', [{ ...on(), placementRules: rules }, job('b', 0, [{ ...stage(1, 1), placementRules: rules }]), on()])).ruled).toBe(2)
    expect(summaryOf(workloadOf('w', [on()]))).not.toHaveProperty('ruled')
  })

  it('counts a uniform duration with the middle of its range, and durations of a typed array', () => {
    const work = (duration: StageSpec['duration']) => summaryOf(workloadOf('w', [job('a', 0, [stage(2, duration)])])).resources[0]!.work
    expect([work({ kind: 'uniform', min: 2, max: 4 }), work(new Float64Array([1, 2.5]))]).toEqual([6, 3.5])
  })

  it('sorts jobs into the size classes of DS-T2 by their maps, or by all tasks where there are no maps', () => {
    expect(summaryOf(small).classes).toEqual([
      { label: 'bin 1', jobs: 1, tasks: 1, work: { map: 10 } }, { label: 'bin 2', jobs: 1, tasks: 3, work: { map: 10, reduce: 100 } }, { label: 'bin 3', jobs: 1, tasks: 3, work: { map: 9 } },
    ])
    expect(summaryOf(workloadOf('w', [job('a', 0, [stage(70, 1, { cpu: 4 })])])).classes[0]!.label).toBe('bin 5')
  })

  it('sorts rigid jobs by all the processors or nodes that they ask for, unless a job asks for none', () => {
    const rigid = (...demands: StageSpec['demand'][]) => summaryOf(workloadOf('w', demands.map((demand, i) => job(`j${i}`, 0, [stage(1, 10, demand)]))))
    expect(rigid({ procs: 1 }, { procs: 8, mem: 2 }, { procs: 9 }, { procs: 33 }, { procs: 2 })).toMatchObject({
      classesBy: 'procs',
      classes: [
        { label: '1', jobs: 1, work: { procs: 10 } }, { label: '2-8', jobs: 2, work: { procs: 100, mem: 20 } },
        { label: '9-32', jobs: 1, work: { procs: 90 } }, { label: '>32', jobs: 1, work: { procs: 330 } },
      ],
    })
    const gang = job('g', 0, [stage(40, 1, { nodes: 1 })])
    expect(summaryOf(workloadOf('w', [gang]))).toMatchObject({ classesBy: 'nodes', classes: [{ label: '>32', tasks: 40 }] })
    expect(rigid({ procs: 1 }, { cpu: 1 }).classesBy).toBe('tasks')
  })

  it('says 0.71 for the Facebook schedule of 15 s maps on 400 slots', () => {
    // 26,410 x 15 s / (400 x 1,400 s) = 0.7074; the span starts at the first job, a few seconds in
    const { resources, span } = summaryOf(facebook(), { map: 400 })
    expect(resources[0]!.work / (400 * 1400)).toBeCloseTo(0.7074, 4)
    expect(resources[0]!.load).toBeCloseTo(396_150 / (400 * span), 9)
  })

  it('gives plain data', () => {
    const summary = summaryOf(facebookMixed(), { map: 1, reduce: 1 })
    expect(JSON.parse(JSON.stringify(summary))).toEqual(summary)
  })

  it('marks a closed loop and counts its jobs', () => {
    expect(summaryOf(sensitivity())).toMatchObject({ jobs: 200, tasks: 800, closedLoop: true, span: 0 })
  })

  it('has zeros for a workload without jobs', () => {
    expect(summaryOf(workloadOf('none', []))).toMatchObject({
      jobs: 0, span: 0, firstSubmit: 0, gaps: { mean: 0, median: 0, max: 0 }, medianJobTasks: 0, resources: [], classes: [],
    })
  })

  it('says the same of a workload as of its stream', async () => {
    expect(await describeStream(facebookMixed())).toEqual(summaryOf(facebookMixed()))
  })
})

describe('sizeClass', () => {
  it('has the bounds of DS-T2', () => {
    const bounds = [1, 2, 3, 20, 21, 60, 61, 150, 151, 300, 301, 500, 501, 1500, 1501, 25_000]
    expect(bounds.map(sizeClass).map((label) => Number(label.slice(4)))).toEqual([1, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9])
    expect(sizeRanges.slice(0, 8).map((range) => Number(range.split('-').at(-1))).map(sizeClass)).toEqual(sizeClasses.slice(0, 8))
    expect(sizeRanges).toEqual(['1', '2', '3-20', '21-60', '61-150', '151-300', '301-500', '501-1500', '>1500'])
  })
})
