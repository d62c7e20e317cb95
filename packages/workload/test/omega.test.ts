import type { JobSpec } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  jobsOf, omegaCluster, omegaClusterCell, omegaClusterPrefill, omegaClusters, omegaDistributions, omegaExample, omegaExampleCell, parseTrace, placeRunning,
  prefill, readCellState, readDistribution, runningRows, type RunningTask,
} from '../src/index.js'
import { quantileOf } from '../src/omega/index.js'
import { bytesOf, messageOf } from './reading.js'

const all = (workload: Parameters<typeof jobsOf>[0]) => [...jobsOf(workload)]
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const ofClass = (jobs: readonly JobSpec[], kind: string) => jobs.filter((job) => job.class === kind)
const gapsOf = (jobs: readonly JobSpec[]) => jobs.map(({ submit }, i) => submit - (jobs[i - 1]?.submit ?? 0))
const percentile80 = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(0.8 * values.length)]!
const stage = (job: JobSpec) => job.stages[0]!

describe('omega-example', () => {
  it('has the published means: 10 s, 100 tasks, 100 s for batch; 20 s, 10 tasks, 500 s for service; 1 CPU and 2 GB', () => {
    const jobs = all(omegaExample({ horizon: 100_000, seed: 3 }))
    const summary = (kind: string) => {
      const own = ofClass(jobs, kind)
      return [mean(gapsOf(own)), mean(own.map((job) => stage(job).tasks)), mean(own.map((job) => stage(job).duration as number))]
    }
    // standard errors are 1 % (10,000 batch jobs) and 1.4 %; rounding tasks up adds half a task
    const expected = { batch: [10, 100.5, 100], service: [20, 10.5, 500] }
    for (const kind of ['batch', 'service'] as const) summary(kind).forEach((value, i) => expect(value / expected[kind][i]!).toBeCloseTo(1, 1))
    expect(new Set(jobs.map((job) => JSON.stringify(stage(job).demand)))).toEqual(new Set(['{"cpu":1000,"mem":2048}']))
  })

  it('submits in order, ends at its horizon and gives the same jobs every time', () => {
    const workload = omegaExample({ horizon: 5000 })
    const jobs = all(workload)
    expect(jobs.map(({ submit }) => submit)).toEqual(jobs.map(({ submit }) => submit).sort((a, b) => a - b))
    expect(jobs.at(-1)!.submit).toBeLessThanOrEqual(5000)
    expect(all(workload)).toEqual(jobs)
    expect(all(omegaExample({ horizon: 5000, seed: 2 }))).not.toEqual(jobs)
  })
})

describe('stand-ins for clusters A to D', () => {
  it('saturate a batch scheduler at 2.5 (A) and 6 (B) times their rate, C by its own published numbers at 13.3', () => {
    const factors = (['A', 'B', 'C'] as const).map((name) => {
      const jobs = ofClass(all(omegaCluster({ cluster: name, horizon: 100_000 })), 'batch')
      return 100_000 / (jobs.length * (0.1 + 0.005 * mean(jobs.map((job) => stage(job).tasks))))
    })
    // large jobs are cut at 5,000 tasks, which raises A's factor by a few per cent
    expect(factors.map((factor) => Number(factor.toFixed(0)))).toEqual([3, 6, 13])
    expect(factors[0]).toBeLessThan(2.7)
  })

  it('keep the published percentiles of gaps and run times, and more than 80 % batch jobs', { tags: 'long' }, () => {
    for (const cluster of ['A', 'B', 'C'] as const) {
      const jobs = all(omegaCluster({ cluster, horizon: 150_000 }))
      const [batch, service] = [ofClass(jobs, 'batch'), ofClass(jobs, 'service')]
      expect(batch.length / jobs.length).toBeGreaterThan(0.8)
      const between = (value: number, from: number, to: number) => expect([value >= from * 0.95, value <= to * 1.05]).toEqual([true, true])
      between(percentile80(gapsOf(batch)), 4, 7)
      between(percentile80(gapsOf(service)), 120, 900)
      between(percentile80(batch.map((job) => stage(job).duration as number)), 12 * 60, 20 * 60)
      const days = percentile80(service.map((job) => stage(job).duration as number)) / 86_400
      // a log-normal of deviation 1: the standard error of the logarithm is sqrt(0.8 * 0.2 / jobs) / 0.28, the density there
      expect(Math.abs(Math.log(days / 29))).toBeLessThan((4 * 0.4) / 0.28 / Math.sqrt(service.length))
    }
  })

  it('make D a quarter of C', () => {
    expect(omegaClusters.D.machines * 4).toBe(omegaClusters.C.machines)
    expect(omegaClusters.D.batch.gap / omegaClusters.C.batch.gap).toBeCloseTo(4)
  })

  it('scale machines and run times but not rates and sizes', () => {
    const [whole, tenth] = [1, 0.1].map((scale) => all(omegaCluster({ scale, horizon: 20_000 }))) as [JobSpec[], JobSpec[]]
    expect(omegaClusterCell('C', 0.1).nodes[0]!.count).toBe(1250)
    expect(tenth.map(({ submit }) => submit)).toEqual(whole.map(({ submit }) => submit))
    expect(tenth.map((job) => stage(job).tasks)).toEqual(whole.map((job) => Math.min(500, stage(job).tasks)))
    expect(stage(tenth[5]!).duration).toBeCloseTo((stage(whole[5]!).duration as number) / 10, 2)
  })
})

describe('MapReduce jobs', () => {
  it('are a part of the batch jobs at the same times, mouldable, with the usual numbers of workers', { tags: 'long' }, () => {
    const [plain, mixed] = [0, 0.2].map((part) => all(omegaCluster({ horizon: 100_000, mapReduce: part }))) as [JobSpec[], JobSpec[]]
    const own = ofClass(mixed, 'mapreduce')
    expect(own.length / ofClass(plain, 'batch').length).toBeCloseTo(0.2, 2)
    expect(mixed.map(({ id, submit }) => [id, submit])).toEqual(plain.map(({ id, submit }) => [id, submit]))
    expect(mixed.filter(({ class: kind }) => kind !== 'mapreduce')).toEqual(plain.filter((_, i) => mixed[i]!.class !== 'mapreduce'))
    expect([...new Set(own.map((job) => stage(job).tasks))].sort((a, b) => a - b)).toEqual([5, 11, 200, 1000])
    for (const job of own.slice(0, 50)) {
      const { tasks, duration, phases = [] } = stage(job)
      const [maps, reduces] = phases.map(({ activities, time }) => (activities * time) / Math.min(tasks, activities))
      expect(duration).toBeCloseTo(maps! + reduces!, 9)
    }
    const perWorker = own.map((job) => stage(job).phases![0]!.activities / stage(job).tasks).sort((a, b) => a - b)
    expect(perWorker[Math.floor(perWorker.length / 2)]).toBeCloseTo(2, 0)
  })
})

describe('prefill', () => {
  const cpuOf = (tasks: readonly RunningTask[]) => tasks.reduce((sum, { demand }) => sum + demand['cpu']!, 0)

  it('fills the example cell to 60 %: 24,000 tasks of 1 CPU on 40,000 CPUs, at most 4 to a machine', () => {
    const tasks = prefill(omegaExampleCell, 0.6, [{ share: 1, demand: { cpu: 1000, mem: 2048 }, remaining: () => 5 }], 1)
    expect(cpuOf(tasks)).toBe(24_000_000)
    const onNode = new Int32Array(10_000)
    for (const { node } of tasks) onNode[node]!++
    expect(Math.max(...onNode)).toBe(4)
    // randomised first fit draws with replacement, so many nodes are full and many are empty
    expect(onNode.filter((count) => count === 0).length).toBeGreaterThan(300)
  })

  it('gives service its share of a cluster, with what is left of long run times', () => {
    const tasks = omegaClusterPrefill('C', { scale: 0.2, seed: 4 })
    expect(cpuOf(tasks) / 10_000_000).toBeCloseTo(0.6, 2)
    const long = tasks.filter(({ end }) => end > 86_400 * 0.2) // a day on the scaled cell
    expect(long.length / tasks.length).toBeGreaterThan(0.65)
    expect(long.length / tasks.length).toBeLessThan(0.78)
  })

  it('keeps every machine within its capacity, whatever the cell (law)', () => {
    const cells = fc.array(fc.record({ count: fc.integer({ min: 1, max: 9 }), cpu: fc.integer({ min: 1, max: 8 }) }), { minLength: 1, maxLength: 4 })
    fc.assert(fc.property(cells, fc.integer({ min: 0, max: 99 }), (groups, seed) => {
      const machines = groups.flatMap(({ count, cpu }) => Array.from({ length: count }, () => cpu))
      const cell = { nodes: groups.map(({ count, cpu }) => ({ count, resources: { cpu } })) }
      const used = machines.map(() => 0)
      for (const { node } of prefill(cell, 1, [{ share: 1, demand: { cpu: 1 }, remaining: () => 1 }], seed)) used[node]!++
      expect(used).toEqual(machines)
    }), { numRuns: 60, seed: 11 })
  })

  it('says when a target cannot be met', () => {
    const cell = { nodes: [{ count: 2, resources: { cpu: 3 } }] }
    expect(messageOf(() => prefill(cell, 1, [{ share: 1, demand: { cpu: 2 }, remaining: () => 1 }])))
      .toBe('prefill: no machine has room for the running task 3 of 3 with {"cpu":2}. Prefill less, or describe larger nodes.')
    expect(messageOf(() => prefill(cell, 1.2, []))).toBe('prefill: the utilisation is 1.2. Use a fraction from 0 to 1.')
  })
})

describe('distribution files', () => {
  it('interpolate between order statistics and stay in their range (the authors\' code adds where it should subtract)', () => {
    expect([0, 0.25, 0.5, 0.9, 1].map((u) => quantileOf([2, 4, 10], u))).toEqual([2, 3, 4, 8.8, 10])
    fc.assert(fc.property(fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1 }), fc.double({ min: 0, max: 1, noNaN: true }), (values, u) => {
      const ascending = [...values].sort((a, b) => a - b)
      const value = quantileOf(ascending, u)
      expect(value).toBeGreaterThanOrEqual(ascending[0]!)
      expect(value).toBeLessThanOrEqual(ascending.at(-1)! * (1 + 1e-12))
    }), { numRuns: 200, seed: 5 })
  })

  it('are split by scheduler: 0 is batch, 1 is service', () => {
    expect(readDistribution('c cmb-new 0 3\nc cmb-new 1 8\nc cmb-new 0 1\n', 'csizes')).toEqual({ batch: [1, 3], service: [8] })
  })

  it('give jobs within the values of their class', () => {
    const given = { interarrival: { batch: [1, 3], service: [5] }, csizes: { batch: [2, 4], service: [9] }, runtimes: { batch: [10], service: [70, 80] } }
    const jobs = all(omegaDistributions({ ...given, horizon: 500 }))
    expect(ofClass(jobs, 'service').map(({ submit }) => submit)).toEqual(Array.from({ length: 100 }, (_, i) => 5 * (i + 1)))
    expect(new Set(ofClass(jobs, 'batch').map((job) => stage(job).tasks))).toEqual(new Set([2, 3, 4]))
    for (const job of ofClass(jobs, 'service')) expect([stage(job).tasks, Math.floor((stage(job).duration as number) / 10)]).toEqual([9, 7])
  })

  it('are refused with the line', () => {
    expect(messageOf(() => readDistribution('c p 0 1\nc p 2 1\n', 'csizes', 'x.log'))).toBe('"x.log" line 2 scheduler: found "2", expected 0 (batch) or 1 (service). Correct the line, or remove it.')
    expect(messageOf(() => readDistribution('c p 0 1.5\n', 'csizes', 'x.log'))).toBe('"x.log" line 1 csizes: found "1.5", expected a whole number of tasks from 1 to 10000000. Correct the line, or remove it.')
    expect(messageOf(() => readDistribution('c p 0\n', 'csizes', 'x.log'))).toBe('"x.log" line 1: found 3 columns, expected 4 (cluster, policy, scheduler, value). Correct the line, or remove it.')
    expect(messageOf(() => readDistribution('c p 0 1\n', 'csizes', 'x.log'))).toBe('"x.log" csizes: no service rows (scheduler 1). Is the file whole? It needs rows of both schedulers, 0 and 1.')
  })
})

describe('cell state logs', () => {
  const log = '11 0.000000 623486366592 0 2 4 1 1074000000\n11 0.0 158249529602 1 3 1 0.17000000178813934 524288000\n12 12.602755 623486366592 0 2 82587\n'

  it('give each task its part of the job, rounded up to millicores and MiB; a job without an end goes on', () => {
    // 1 CPU / 4 = 250 millicores; 1,074,000,000 B / 4 / 2^20 = 256.06 MiB
    expect(readCellState(log)).toMatchObject([
      { id: '623486366592', class: 'batch', tasks: 4, demand: { cpu: 250, mem: 257 }, end: 12.602755 },
      { id: '158249529602', class: 'service', tasks: 1, demand: { cpu: 170, mem: 500 }, end: Infinity },
    ])
  })

  it('are placed on a cell that has room, and refused by line where it has not', () => {
    const cell = { nodes: [{ count: 2, resources: { cpu: 750, mem: 2000 } }] }
    expect(placeRunning(cell, readCellState(log), 1)).toHaveLength(5)
    const small = { nodes: [{ count: 1, resources: { cpu: 600, mem: 2000 } }] }
    expect(messageOf(() => placeRunning(small, readCellState(log), 1, 'x.log')))
      .toBe('"x.log" line 1 prefill: a running task with {"cpu":250,"mem":257} does not fit anywhere. Leave it out, or describe larger nodes.')
  })

  it('are refused where a job ends that was not there, and keep ids longer than a double can', () => {
    expect(messageOf(() => readCellState('12 3 610339428128088085 0 0 5\n'))).toBe('line 1 id: job 610339428128088085 ends, but no line above says that it was there. Put its line 11 before this one, or remove this one.')
    expect(messageOf(() => readCellState('13 0 1 0 0 1\n'))).toBe('line 1 event: found "13", expected 11 (was there) or 12 (was there and ended). Is it a log of the state of a cell?')
    expect(messageOf(() => readCellState('11 0 1 0 0 x 1 1\n'))).toBe('line 1 tasks: found "x", expected a number of at least 0. Correct the line.')
    expect(messageOf(() => readCellState('11 0 1 0 0 1 1 1\n11 0 1 0 0 1 1 1\n'))).toBe('line 2 id: job 1 was there before. Give every job one line 11.')
    expect(readCellState('11 0 610339428128088085 0 0 1 1 1\n')[0]!.id).toBe('610339428128088085')
  })
})

describe('job lists', () => {
  const list = 'id,submit,class,tasks,duration,cpu,mem,node\nold,,,2,50,1000,512,1\nolder,,,1,,500,512,\na,3,service,4,20,1000,2048,\n'

  it('have rows with a submit time as jobs and rows without one as running tasks', () => {
    const trace = parseTrace(bytesOf(list))
    expect([trace.format, trace.report.notes]).toEqual(['job-list', ['2 rows run at time 0 already (no submit time)']])
    expect(all(trace)).toEqual([{ id: 'a', submit: 3, class: 'service', stages: [{ name: 'tasks', tasks: 4, duration: 20, demand: { cpu: 1000, mem: 2048 } }] }])
    expect(placeRunning({ nodes: [{ count: 2, resources: { cpu: 2000, mem: 2048 } }] }, runningRows(list))).toEqual([
      { node: 1, demand: { cpu: 1000, mem: 512 }, end: 50 }, { node: 1, demand: { cpu: 1000, mem: 512 }, end: 50 }, { node: 0, demand: { cpu: 500, mem: 512 }, end: Infinity },
    ])
  })

  it('are no tables of jobs, which say more of them', () => {
    const table = 'id,submit,tasks,duration,status,cpu\na,1,1,2,completed,1\n'
    expect(parseTrace(bytesOf(table), { options: { demands: { cpu: 'cpu' } } }).format).toBe('job-table')
  })

  it('name the line and the column of a mistake', () => {
    const bad = (row: string) => messageOf(() => parseTrace(bytesOf(`id,submit,tasks,duration,cpu\n${row}\n`), { file: 'j.csv' }))
    expect(bad('a,1,0,2,1')).toBe('"j.csv" line 2 tasks: found "0", expected at least 1. Correct the line, or drop such lines with onBadLine "skip".')
    expect(bad('a,1,1,x,1')).toContain('"j.csv" line 2 duration: found "x", expected a number.')
    expect(bad('a,1,1,1e300,1')).toContain('"j.csv" line 2 duration: found "1e300", more than 2^53 - 1, above which numbers are not exact.')
    expect(bad('a,1,1,2,x')).toBe('"j.csv" line 2 cpu: found "x", expected a number. Leave out columns that are no resources, or read the table as a job-table, or drop such lines with onBadLine "skip".')
    expect(bad('a,1,1,2')).toContain('"j.csv" line 2: found 4 columns, the header has 5.')
    expect(messageOf(() => runningRows('id,submit,tasks,duration,cpu\nr,,1,2,0.5\n', 'j.csv'))).toBe('"j.csv" line 2 cpu: found "0.5", expected a whole number.')
    expect(messageOf(() => placeRunning({ nodes: [{ count: 1, resources: { cpu: 9 } }] }, runningRows('id,submit,tasks,duration,cpu,node\nr,,1,2,5,1\n'), 1, 'j.csv')))
      .toBe('"j.csv" line 2 node: a task runs on node 1, but the last one is 0. Correct the node, or describe a larger cluster.')
  })
})
