import { describe, expect, it } from 'vitest'
import { hibench, hibenchTenants, jobsOf, writeWorkload } from '../src/index.js'

const total = (jobs: readonly { readonly stages: readonly { readonly bytesIn?: number; readonly bytesOut?: number }[] }[], stage: number, which: 'bytesIn' | 'bytesOut') =>
  jobs.reduce((sum, job) => sum + (job.stages[stage]?.[which] ?? 0), 0)

describe('hibench', () => {
  it('has the volumes of BC-T1: input, what is shuffled, output', () => {
    const rows = [...jobsOf(hibench())].map(({ label, stages: [map, reduce] }) => [label, map?.bytesIn, reduce?.shuffle?.bytes, reduce?.bytesOut].map((each) => (typeof each === 'number' ? each / 1e9 : each)))
    expect(rows).toEqual([
      ['st', 120, 120, 120], ['wc', 200, 11.23, 4.1], ['ts', 1000, 140, 1000], ['bc', 78, 49, 43], ['kc', 66, 0.33, 0.0046],
    ])
  })

  it('has a map per block, which takes as long as its rate says; all in proportion to the input', () => {
    // 32 GB in blocks of 128 MB: 250 maps of 128 / 40 s; 140 / 1000 x 32 GB shuffled; (4.48 + 32) GB / 16 reduces / 40 MB/s
    const [job] = [...jobsOf(hibench({ types: ['ts'], input: 32, spread: 0 }))]
    expect(job?.stages.map(({ tasks }) => tasks)).toEqual([250, 16])
    expect(job?.stages[0]?.duration).toBeCloseTo(3.2, 12)
    expect(job?.stages[1]?.shuffle).toEqual({ from: 0, bytes: 4.48e9 })
    expect(job?.stages[1]?.duration).toBeCloseTo(36_480 / 16 / 40, 9)
    const [faster] = [...jobsOf(hibench({ types: ['ts'], input: 32, spread: 0, speedUp: 2 }))]
    expect(faster?.stages[0]?.duration).toBeCloseTo(1.6, 12)
  })

  it('refuses a type that there is not', () => {
    expect(() => hibench.from({ types: ['sort'] })).toThrow(/hibench\.types\[0\]: found "sort"/)
  })
})

describe('hibenchTenants', () => {
  it('has 50 users with one job each: 5 types x 10 data sets of a tenth to the whole of table 1', () => {
    const jobs = [...jobsOf(hibenchTenants({ seed: 3 }))]
    expect(new Set(jobs.map(({ user }) => user)).size).toBe(50)
    expect(new Set(jobs.map(({ id }) => id)).size).toBe(50)
    // 0.1 + 0.2 + ... + 1.0 = 5.5 times 120 + 200 + 1000 + 78 + 66 GB
    expect(total(jobs, 0, 'bytesIn') / 1e9).toBeCloseTo(5.5 * 1464, 6)
    const sorts = jobs.filter(({ label }) => label === 'st').map(({ stages }) => (stages[0]?.bytesIn ?? 0) / 1e9)
    expect(sorts.sort((a, b) => a - b)).toEqual([12, 24, 36, 48, 60, 72, 84, 96, 108, 120])
  })

  it('comes in another order at other times under another seed, the same under the same', () => {
    const written = (seed: number) => [...writeWorkload(hibenchTenants({ seed, dataSets: 2 }))].join('')
    expect(written(1)).toBe(written(1))
    expect(written(1)).not.toBe(written(2))
  })
})
