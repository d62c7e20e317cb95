import { streamKey, type JobSpec, type StageSpec } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { runtimeModel, type RuntimeOptions, type Start } from '../src/index.js'
import { exact, job, run, stage, twoNodes } from './world.js'

const start = (change: Partial<Start> & { readonly work?: Partial<StageSpec> } = {}): Start => {
  const { work, ...rest } = change
  return { spec: job('a'), stage: stage(work), stageIndex: 0, task: 0, tasks: 1, key: streamKey(0, 'a'), level: -1, levels: 2, speed: 1, isCopy: false, ...rest }
}
const seconds = (options: RuntimeOptions, change?: Parameters<typeof start>[0], seed = 1) => runtimeModel(seed, options).runtime(start(change))

describe('the runtime of a task', () => {
  it('is its duration on a node of speed 1 with its data', () => {
    expect(seconds({ jitter: 0 }, { level: 0 })).toBe(10)
    expect([0, 1, 2].map((task) => seconds({ jitter: 0 }, { task, work: { duration: [3, 5, 7] } }))).toEqual([3, 5, 7])
    expect(seconds({ jitter: 0 }, { task: 1, work: { duration: Float64Array.of(3, 5) } })).toBe(5)
  })

  it('is divided by the speed of the node', () => {
    expect(seconds({ jitter: 0 }, { speed: 2.5 })).toBe(4)
  })

  it('grows with the distance of the data: 1, 1.7 and 2 by default, 1 without data', () => {
    expect([-1, 0, 1, 2].map((level) => seconds({ jitter: 0 }, { level }))).toEqual([10, 10, 17, 20])
    expect([0, 1, 2].map((level) => seconds({ jitter: 0, localityFactors: [1, 3, 4] }, { level }))).toEqual([10, 30, 40])
  })

  it('takes the last factor for anywhere, however many levels the cluster has', () => {
    expect([0, 1].map((level) => seconds({ jitter: 0 }, { level, levels: 1 }))).toEqual([10, 20])
    expect([0, 1, 2, 3, 4].map((level) => seconds({ jitter: 0 }, { level, levels: 4 }))).toEqual([10, 17, 20, 20, 20])
    expect([0, 1, 2].map((level) => seconds({ jitter: 0, localityFactors: [1.5] }, { level }))).toEqual([15, 15, 15])
  })

  it('follows the factors of its stage before those of the run', () => {
    expect(seconds({ jitter: 0 }, { level: 2, work: { localityFactors: [1, 1, 1.2] } })).toBe(12)
  })

  it('is drawn from a distribution once per task: mean and range are those asked for', () => {
    const draws = (duration: StageSpec['duration']) => Array.from({ length: 20_000 }, (_, task) => seconds({ jitter: 0 }, { task, work: { duration } }))
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
    const exponential = draws({ kind: 'exponential', mean: 8, shift: 2 })
    // standard error 8 / sqrt(20000) = 0.057
    expect(Math.abs(mean(exponential) - 10)).toBeLessThan(4 * 0.057)
    expect(Math.min(...exponential)).toBeGreaterThanOrEqual(2)
    const uniform = draws({ kind: 'uniform', min: 4, max: 10 })
    expect(Math.abs(mean(uniform) - 7)).toBeLessThan(4 * (6 / Math.sqrt(12 * 20_000)))
    expect([Math.min(...uniform) >= 4, Math.max(...uniform) < 10]).toEqual([true, true])
    // above x an exponential has e^-(x - shift) / mean: half of them above 2 + 8 ln 2
    expect(exponential.filter((each) => each > 2 + 8 * Math.LN2).length / 20_000).toBeCloseTo(0.5, 2) // standard error 0.0035
  })

  it('varies by jitter to either side, for each task by itself', () => {
    const values = Array.from({ length: 5000 }, (_, task) => seconds({ jitter: 0.1 }, { task }))
    expect([Math.min(...values) >= 9, Math.max(...values) < 11, new Set(values).size > 4900]).toEqual([true, true, true])
    expect(Math.min(...values)).toBeLessThan(9.01)
    expect(Math.max(...values)).toBeGreaterThan(10.99)
  })

  it('depends on seed, job, stage and task alone', () => {
    const one = seconds({}, {})
    expect(seconds({}, {})).toBe(one)
    const others = [seconds({}, {}, 2), seconds({}, { key: streamKey(0, 'b') }), seconds({}, { stageIndex: 1 }), seconds({}, { task: 1 })]
    expect(new Set([one, ...others]).size).toBe(5)
    const drawn = { work: { duration: { kind: 'exponential' as const, mean: 8 } } }
    expect(seconds({ jitter: 0 }, { ...drawn, level: 2 })).toBe(2 * seconds({ jitter: 0 }, { ...drawn, level: 0 }))
  })

  it.each<[RuntimeOptions, RegExp]>([
    [{ jitter: 1 }, /runtime\.jitter.*is 1/],
    [{ jitter: -0.1 }, /jitter/],
    [{ jitter: NaN }, /jitter/],
    [{ localityFactors: [1, 0] }, /runtime\.localityFactors.*factor is 0/],
    [{ localityFactors: [Infinity] }, /localityFactors/],
  ])('cannot be made with %j', (options, message) => {
    expect(() => runtimeModel(1, options)).toThrow(message)
  })
})

describe('a run', () => {
  it('takes a runtime model of any make', () => {
    const runtime = { runtime: ({ spec, task }: Start) => (spec.id === 'a' ? 3 : 5) + task }
    expect(run([job('a', { tasks: 2 }), job('b')], { runtime }).ends).toEqual({ a: 4, b: 8 })
  })

  it('gives its tasks the speed of their node and the distance of their data', () => {
    const cluster = { nodes: [{ name: 'n', count: 2, racks: 2, slots: { slot: 1 }, speed: 2 }], replicas: { factor: 1, placement: 'uniform' as const } }
    const log = run([job('a', { tasks: 20, data: {} })], { cluster, runtime: { jitter: 0, localityFactors: [1, 2, 4] } })
    const durations = new Map<string, Set<number>>()
    const starts = new Map<string, [number, string]>()
    for (const line of log.lines) {
      const [, time, what, node, level] = /^(\S+) (start|done) a on (\d)(?: at (level \d))?/.exec(line) ?? []
      if (what === 'start') starts.set(node as string, [Number(time), level as string])
      if (what !== 'done') continue
      const [begun, at] = starts.get(node as string) as [number, string]
      durations.set(at, (durations.get(at) ?? new Set()).add(Number(time) - begun))
    }
    expect(Object.fromEntries(durations)).toEqual({ 'level 0': new Set([5]), 'level 2': new Set([20]) })
  })
})

describe('tasks that run before the first job', () => {
  it('take their room until they end, and belong to no job', () => {
    const prefill = [{ node: 0 as never, demand: { slot: 1 }, end: 4 }, { node: 1 as never, demand: { slot: 1 }, end: Infinity }]
    expect(run([job('a', { tasks: 2 })], { prefill }).starts()).toEqual(['4 start a on 0', '14 start a on 0'])
    expect(run([job('a', { tasks: 2 })], {}).starts()).toEqual(['0 start a on 0', '0 start a on 1'])
  })

  it('may be on nodes with taints, where they run already', () => {
    const nodes = [{ count: 2, slots: { slot: 1 }, taints: [{ key: 'gpu', effect: 'NoSchedule' as const }] }]
    const tolerant = { ...job('a'), stages: [stage({ tasks: 2, constraints: { tolerations: [{ key: 'gpu', operator: 'Exists' }] } })] }
    expect(run([tolerant], { cluster: { nodes }, prefill: [{ node: 0 as never, demand: { slot: 1 }, end: 4 }, { node: 1 as never, demand: { slot: 1 }, end: 6 }] }).starts()).toEqual(['4 start a on 0', '6 start a on 1'])
  })

  it('must fit', () => {
    expect(() => run([job('a')], { prefill: [{ node: 0 as never, demand: { slot: 2 }, end: 4 }] })).toThrow(/does not fit on node-0/)
  })
})

describe('a pass per event', () => {
  // at 10 the first of two slots becomes free, and two jobs arrive
  const jobs = [job('a'), job('x', { duration: 99 }), job('b', { submit: 10 }), job('c', { submit: 10, duration: 1 })]

  it('sees events of one time one by one, ends or submissions first', () => {
    const atTen = (passPerEvent?: 'submits-first' | 'ends-first') =>
      run(jobs, { cluster: twoNodes, runtime: exact, ...(passPerEvent && { passPerEvent }) }).lines.filter((line) => line.startsWith('10 '))
    expect(atTen()).toEqual(['10 done a on 0', '10 submit b', '10 submit c', '10 start b on 0'])
    expect(atTen('ends-first')).toEqual(['10 done a on 0', '10 submit b', '10 start b on 0', '10 submit c'])
    expect(atTen('submits-first')).toEqual(['10 submit b', '10 submit c', '10 done a on 0', '10 start b on 0'])
  })

  const at = (second: number, jobs: readonly JobSpec[], passPerEvent: 'submits-first' | 'ends-first') =>
    run(jobs, { cluster: twoNodes, runtime: exact, passPerEvent }).lines.filter((line) => line.startsWith(`${second} `))

  it('takes jobs that have waited for others as submissions, which come before the next end or after all', () => {
    // a and q end at 10, when f, which has thought since p ended, is due; g follows a at once
    const jobs = [job('a'), job('p', { duration: 4 }), job('f', { after: 'p', think: 6 }), job('g', { after: 'a' }), job('q', { submit: 4, duration: 6 })]
    expect(at(10, jobs, 'submits-first')).toEqual(['10 submit f', '10 done a on 0', '10 start f on 0', '10 submit g', '10 done q on 1', '10 start g on 1'])
    expect(at(10, jobs, 'ends-first')).toEqual(['10 done a on 0', '10 done q on 1', '10 submit f', '10 start f on 0', '10 submit g', '10 start g on 1'])
  })

  it('sees tasks of a gang that end together go at once, and others one by one', () => {
    const jobs = (gang: boolean) => [{ ...job('a'), stages: [stage({ tasks: 2, gang })] }, job('b', { submit: 5 })]
    expect(at(10, jobs(true), 'ends-first')).toEqual(['10 done a on 0', '10 done a on 1', '10 start b on 0'])
    expect(at(10, jobs(false), 'ends-first')).toEqual(['10 done a on 0', '10 start b on 0', '10 done a on 1'])
  })

  it('submits all of an instant before what one of them starts and ends at once has ended', () => {
    // f and g follow a; f takes no time
    const jobs = [job('a'), job('x', { duration: 99 }), job('f', { after: 'a', duration: 0 }), job('g', { after: 'a' })]
    for (const first of ['submits-first', 'ends-first'] as const)
      expect(at(10, jobs, first)).toEqual(['10 done a on 0', '10 submit f', '10 start f on 0', '10 submit g', '10 done f on 0', '10 start g on 0'])
  })
})
