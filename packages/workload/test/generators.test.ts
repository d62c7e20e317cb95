import { SchedError, type JobSpec } from '@sched/core'
import { describe, expect, it } from 'vitest'
import {
  describe as summaryOf, facebook, facebookMixed, generate, generators, jobsOf, poissonJobs, schedulerOverhead, sensitivity, smallJobs,
  stickySlots, writeWorkload,
} from '../src/index.js'

const all = (workload: Parameters<typeof jobsOf>[0]) => [...jobsOf(workload)]
const countBy = <T>(items: readonly T[], key: (item: T) => string) =>
  items.reduce<Record<string, number>>((counts, item) => ({ ...counts, [key(item)]: (counts[key(item)] ?? 0) + 1 }), {})
const tasksOf = (jobs: readonly JobSpec[], stage: string) =>
  jobs.flatMap((job) => job.stages).filter(({ name }) => name === stage).reduce((sum, { tasks }) => sum + tasks, 0)
const firstStage = (job: JobSpec) => job.stages[0]!

describe('facebook', () => {
  it('has the 100 jobs and 26,410 maps of DS-T2, in bins of 38, 16, 14, 8, 6, 6, 4, 4 and 4', () => {
    // 38*1 + 16*2 + 14*10 + 8*50 + 6*100 + 6*200 + 4*400 + 4*800 + 4*4800 = 26,410
    const jobs = all(facebook({ seed: 7 }))
    expect(tasksOf(jobs, 'map')).toBe(26_410)
    expect(countBy(jobs, (job) => `${job.label}: ${firstStage(job).tasks}`)).toEqual({
      'bin 1: 1': 38, 'bin 2: 2': 16, 'bin 3: 10': 14, 'bin 4: 50': 8, 'bin 5: 100': 6, 'bin 6: 200': 6, 'bin 7: 400': 4, 'bin 8: 800': 4, 'bin 9: 4800': 4,
    })
  })

  it('lasts 100 mean gaps of 14 s = 1,400 s under every seed, in order of submission', () => {
    for (let seed = 0; seed < 20; seed++) {
      const submits = all(facebook({ seed })).map((job) => job.submit)
      expect(submits.at(-1)).toBe(1400)
      expect(submits).toEqual([...submits].sort((a, b) => a - b))
    }
  })

  it('has exponential gaps: over 40 seeds the standard deviation is about the mean', () => {
    const gaps = Array.from({ length: 40 }, (_, seed) => all(facebook({ seed })).map((job) => job.submit))
      .flatMap((submits) => submits.map((submit, i) => submit - (submits[i - 1] ?? 0)))
    const variance = gaps.reduce((sum, gap) => sum + (gap - 14) ** 2, 0) / gaps.length
    // an exponential has a coefficient of variation of 1; its standard error over 4,000 gaps is about 0.02
    expect(Math.sqrt(variance) / 14).toBeGreaterThan(0.93)
    expect(Math.sqrt(variance) / 14).toBeLessThan(1.07)
  })

  it('gives every job its own user and every map its own block', () => {
    const jobs = all(facebook())
    expect(new Set(jobs.map((job) => job.user)).size).toBe(100)
    expect(jobs.every((job) => firstStage(job).data?.set === undefined && firstStage(job).data !== undefined)).toBe(true)
    expect(jobs.every((job) => firstStage(job).demand['map'] === 1)).toBe(true)
  })

  it('shuffles the order by the seed', () => {
    const order = (seed: number) => all(facebook({ seed })).map((job) => job.label)
    expect(order(1)).not.toEqual(order(2))
    expect([...order(1)].sort()).toEqual([...order(2)].sort())
  })

  it('makes CPU-heavy jobs 2 to 7 times slower, the largest most, without a gain from locality', () => {
    const byBin = new Map(all(facebook({ kind: 'cpu', spread: 0 })).map((job) => [job.label, firstStage(job)]))
    // 15 s * (2 + 5 * (bin - 1) / 8)
    expect([1, 5, 9].map((bin) => byBin.get(`bin ${bin}`)!.duration)).toEqual([30, 67.5, 105])
    expect(byBin.get('bin 1')!.localityFactors).toEqual([1, 1, 1])
    expect(firstStage(all(facebook())[0]!).localityFactors).toBeUndefined()
  })
})

describe('facebookMixed', () => {
  const jobs = all(facebookMixed())
  const tails = jobs.filter((job) => job.after !== undefined)
  const heads = jobs.filter((job) => job.after === undefined)

  it('has the 100 jobs, 21,610 maps and 1,782 reduces of DS-T3, and three small jobs after each of the two joins', () => {
    expect([heads.length, tasksOf(heads, 'map'), tasksOf(heads, 'reduce'), tails.length]).toEqual([100, 21_610, 1_782, 6])
    expect(countBy(heads, (job) => `${job.label}: ${job.stages.map((stage) => stage.tasks).join('+')}`)).toEqual({
      'bin 1: 1': 38, 'bin 2: 2': 16, 'bin 3: 10+3': 14, 'bin 4: 50': 8, 'bin 5: 100': 6, 'bin 6: 200+50': 6, 'bin 7: 400': 4,
      'bin 8: 800+180': 4, 'bin 9: 2400+360': 2, 'bin 10: 4800': 2,
    })
  })

  it('chains each join to its small jobs one after another', () => {
    const join = heads.find((job) => job.label === 'bin 9')!
    const chain = tails.filter((job) => job.user === join.user)
    expect(chain.map((job) => job.after)).toEqual([join.id, `${join.id}.1`, `${join.id}.2`])
    expect(chain.every((job) => job.submit === join.submit && job.label === 'bin 9 chain')).toBe(true)
  })

  it('opens reduces at 5 % of the maps', () => {
    const reduces = jobs.flatMap((job) => job.stages).filter((stage) => stage.name === 'reduce')
    expect(countBy(reduces, (stage) => JSON.stringify([stage.after, stage.demand]))).toEqual({ '[[{"stage":0,"fraction":0.05}],{"reduce":1}]': 32 })
  })
})

describe('smallJobs', () => {
  it('submits as much local work as the slots can do in the span', () => {
    for (const maps of [3, 10, 100]) {
      const { lastSubmit, resources } = summaryOf(smallJobs({ maps }))
      // 600 slots * 900 s = 540,000 slot seconds, in jobs of maps * 15 s
      expect(resources[0]!.work).toBeCloseTo(540_000, -4)
      expect(lastSubmit).toBeCloseTo(900, 6)
    }
  })
})

describe('stickySlots', () => {
  it('submits scans of one set of 1,440 blocks (180 GB of 128 MB) together', () => {
    const jobs = all(stickySlots({ jobs: 5 }))
    expect(jobs.map((job) => [job.submit, firstStage(job).tasks, firstStage(job).data])).toEqual(Array(5).fill([0, 1440, { set: 'scanned' }]))
    expect(180 * 1024 / 128).toBe(1440)
  })
})

describe('sensitivity', () => {
  it('starts 50 jobs and one more whenever one ends, until there were 200', () => {
    const source = sensitivity().open()
    const started: (string | undefined)[] = []
    for (let job = source.next(); job !== undefined; job = source.next()) started.push(job.id)
    expect(started.length).toBe(50)
    expect(source.ended!('job3', 17.5)).toMatchObject({ id: 'job50', submit: 17.5 })
    for (let i = 51; i < 200; i++) expect(source.ended!(`job${i}`, i)!.id).toBe(`job${i}`)
    expect(source.ended!('job199', 500)).toBeUndefined()
  })

  it('starts anew with every opening', () => {
    const workload = sensitivity({ jobs: 3, active: 2 })
    const ids = () => all(workload).map((job) => job.id)
    expect(ids()).toEqual(['job0', 'job1', 'job2'])
    expect(ids()).toEqual(['job0', 'job1', 'job2'])
  })
})

describe('schedulerOverhead', () => {
  it('has 100 jobs of 1,000 maps and 1,000 reduces in 20 pools of 5, all at the start', () => {
    const jobs = all(schedulerOverhead())
    expect([jobs.length, tasksOf(jobs, 'map'), tasksOf(jobs, 'reduce')]).toEqual([100, 100_000, 100_000])
    expect(Object.values(countBy(jobs, (job) => job.queue!))).toEqual(Array(20).fill(5))
    expect(new Set(jobs.map((job) => job.submit))).toEqual(new Set([0]))
    expect(jobs[0]!.stages.map((stage) => stage.duration)).toEqual(
      [{ kind: 'exponential', shift: 5, mean: 15 }, { kind: 'exponential', shift: 10, mean: 30 }])
  })
})

describe('poissonJobs', () => {
  it('submits at the given rate on the average', () => {
    const { gaps } = summaryOf(poissonJobs({ jobs: 20_000, rate: 4 }))
    // mean 0.25 s, standard error 0.25 / sqrt(20,000) = 0.0018
    expect(Math.abs(gaps.mean - 0.25)).toBeLessThan(0.008)
  })

  it('draws sizes, users and queues evenly over what is given', () => {
    const jobs = all(poissonJobs({ jobs: 6_000, tasks: { min: 2, max: 4 }, users: 3, queues: ['a', 'b'] }))
    const expected: [Record<string, number>, number][] = [
      [countBy(jobs, (job) => String(firstStage(job).tasks)), 3], [countBy(jobs, (job) => job.user!), 3], [countBy(jobs, (job) => job.queue!), 2],
    ]
    for (const [counts, kinds] of expected) {
      expect(Object.keys(counts).length).toBe(kinds)
      // 6,000 / kinds, within 4 standard deviations of a binomial (at most 155)
      for (const n of Object.values(counts)) expect(Math.abs(n - 6_000 / kinds)).toBeLessThan(155)
    }
  })

  it('keeps sizes when only users change', () => {
    const sizes = (users: number) => all(poissonJobs({ users, tasks: { min: 1, max: 50 } })).map((job) => firstStage(job).tasks)
    expect(sizes(1)).toEqual(sizes(9))
  })
})

/** Another value than the default for every option of every generator. */
const others: Record<string, Record<string, unknown>> = {
  facebook: { seed: 2, kind: 'cpu', meanGap: 10, localMapTime: 20, spread: 0, startup: 10 },
  'facebook-mixed': {
    seed: 2, meanGap: 10, mapTime: { select: 5 }, reduceTime: 100, slowstart: 1, chainMaps: 8, chainReduces: 0, spread: 0, startup: 10,
  },
  'small-jobs': { seed: 2, maps: 10, span: 600, slots: 400, load: 0.5, localMapTime: 20, spread: 0, startup: 10 },
  'sticky-slots': { jobs: 5, blocks: 100, taskTime: 10, spread: 0 },
  sensitivity: { maps: 12, jobs: 100, active: 20, localMapTime: 20, spread: 0 },
  'scheduler-overhead': { jobs: 10, maps: 10, reduces: 0, pools: 2, mapTime: { mean: 1 }, reduceTime: { shift: 0 }, slowstart: 1 },
  lublin: {
    seed: 2, jobs: 50, procs: 64, kind: 'both', load: 0.5, estimates: 3, maxEstimate: 7200, parameters: { serial: 1 },
  },
  'poisson-jobs': {
    seed: 2, jobs: 10, rate: 1, tasks: { min: 1, max: 5 }, duration: 7, demand: { cpu: 2 }, data: false, users: 5, queues: ['a'], startup: 3,
  },
  hibench: {
    types: ['kc', 'st'], input: 10, scale: 2, gap: 60, blockSize: 64, reduces: 8, speedUp: 3, slowstart: 1, spread: 0, startup: 10,
  },
  'hibench-tenants': {
    seed: 2, types: ['kc', 'st'], dataSets: 3, scale: 2, meanGap: 30, blockSize: 64, reduces: 8, speedUp: 3, slowstart: 1, spread: 0, startup: 10,
  },
  'omega-example': { seed: 2, horizon: 1000, batch: { gap: 5 }, service: { tasks: 3 }, demand: { cpu: 500 } },
  'omega-cluster': { seed: 2, cluster: 'A', scale: 0.5, horizon: 1000, batchRate: 2, batchRunTime: 0.5, mapReduce: 0.5 },
  'omega-distributions': {
    seed: 2, horizon: 1000, interarrival: { batch: [5], service: [9] }, csizes: { batch: [3], service: [1] }, runtimes: { batch: [7], service: [8] },
    demand: { cpu: 500 },
  },
}

/** What a generator cannot do without, and a size that keeps its jobs few. */
const needed: Record<string, Record<string, unknown>> = {
  'omega-example': { horizon: 2000 },
  'omega-cluster': { horizon: 2000 },
  'omega-distributions': {
    horizon: 2000, interarrival: { batch: [10, 20], service: [30] }, csizes: { batch: [1, 4], service: [2] }, runtimes: { batch: [20, 50], service: [100] },
  },
}

describe.each(generators.map((one) => [one.generator, one] as const))('every generator: %s', (name, generator) => {
  // a closed loop is opened without its end, so that how many are active shows
  const base = needed[name] ?? {}
  const open = (options: object) => {
    const source = generator.from({ ...base, ...options }).open()
    const jobs = []
    for (let job = source.next(); job !== undefined; job = source.next()) jobs.push(job)
    return JSON.stringify([generator.from({ ...base, ...options }).jobs, jobs])
  }

  it('gives the same jobs every time', { tags: 'long' }, () => {
    const workload = generator.from(base)
    expect(all(workload)).toEqual(all(workload))
    expect(all(generator.from(base))).toEqual(all(workload))
  })

  it('gives jobs that the native format accepts, as many as it announces', () => {
    const workload = generator.from(name === 'small-jobs' ? { span: 60 } : base)
    const count = workload.jobs ?? all(workload).length // a stream in time is not counted beforehand
    expect(count).toBeGreaterThan(0)
    if (workload.open().ended === undefined) expect([...writeWorkload(workload)].length).toBe(1 + count)
    expect(all(workload).length).toBeGreaterThanOrEqual(count)
  })

  it('has no option without effect', { tags: 'long' }, () => {
    const options = Object.keys(generator.options.shape).filter((option) => option !== 'cpuFactors') // has a test below
    expect(Object.keys(others[name]!)).toEqual(options)
    const usual = open({})
    for (const option of options) expect(open({ [option]: others[name]![option] }), option).not.toBe(usual)
  })

  it('describes itself and its options', () => {
    expect(generator.summary.length).toBeGreaterThan(20)
    expect(generate(name, base).name.length).toBeGreaterThan(0)
  })
})

describe('options of generators', () => {
  it('cpuFactors set the slow-down of the smallest and the largest bin', () => {
    const jobs = all(facebook({ kind: 'cpu', cpuFactors: [1, 3], spread: 0 }))
    expect(jobs.filter((job) => job.label === 'bin 9').map((job) => firstStage(job).duration)).toEqual(Array(4).fill(45))
  })

  it('spread makes durations vary uniformly around their mean', () => {
    expect(firstStage(all(stickySlots({ spread: 0.25 }))[0]!).duration).toEqual({ kind: 'uniform', min: 15, max: 25 })
    expect(firstStage(all(stickySlots({ spread: 0 }))[0]!).duration).toBe(20)
  })

  it.each<[string, unknown, string]>([
    ['poisson-jobs', { tasks: 2 ** 31 }, 'poisson-jobs.tasks: found 2147483648, expected at most 10000000'],
    ['poisson-jobs', { rate: 1e-320 }, 'poisson-jobs: draws job "job0" that is submitted at Infinity s. Choose options that are nearer to their defaults.'],
    ['poisson-jobs', { duration: 1e300 }, 'poisson-jobs: draws job "job0" with a task of 1e+300 s. '],
    ['hibench', { scale: 1e12 }, 'hibench: draws job "st-0" of '],
  ])('%s with %j draws nothing of a size that cannot be', (name, options, message) => {
    expect(() => all(generate(name, options))).toThrow(message)
  })

  it.each<[string, unknown, string]>([
    ['facebook', { sed: 3 }, 'facebook.sed: unknown key "sed". Did you mean "seed"? Known: seed, kind, meanGap, localMapTime, cpuFactors, spread, startup.'],
    ['facebook', { kind: 'gpu' }, 'facebook.kind: found "gpu", expected "io" or "cpu".'],
    ['facebook', { meanGap: 0 }, 'facebook.meanGap: found 0, expected more than 0.'],
    ['facebook', { seed: 1.5 }, 'facebook.seed: found 1.5, expected a whole number.'],
    ['facebook', { meanGap: NaN }, 'facebook.meanGap: found NaN, expected a number.'],
    ['facebook', 7, 'facebook: found 7, expected a mapping.'],
    ['poisson-jobs', { tasks: { min: 4, max: 2 } }, 'poisson-jobs.tasks: found {"min":4,"max":2}, expected min to be at most max.'],
    ['poisson-jobs', { tasks: { min: 4, mx: 2 } }, 'poisson-jobs.tasks.mx: unknown key "mx". Did you mean "max"? Known: min, max.'],
    ['poisson-jobs', { duration: { kind: 'uniform', min: -1, max: 2 } }, 'poisson-jobs.duration.min: found -1, expected at least 0.'],
    ['poisson-jobs', { demand: { map: 0 } }, 'poisson-jobs.demand: found {"map":0}, expected an amount above 0 of at least one resource.'],
    ['poisson-jobs', { queues: [] }, 'poisson-jobs.queues: found [], expected at least 1 element.'],
    ['facebok', {}, 'no generator is called "facebok". Did you mean "facebook"?'],
  ])('%s refuses %j', (name, options, message) => {
    expect(() => generate(name, options)).toThrow(SchedError)
    expect(() => generate(name, options)).toThrow(message)
  })
})
