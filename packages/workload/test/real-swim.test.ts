import { describe, expect, it } from 'vitest'
import { describe as summaryOf, jobsOf, scaleLoad, writeWorkload, parseTrace } from '../src/index.js'
import { detectFormat, swim } from '../src/node/index.js'
import { realTrace } from './traces.js'

/** Facts of the trace folder's README; the counts of tasks and medians follow from the rate model and are ours. */
const facts = [
  { file: 'swim/FB-2009_samples_24_times_1hr_0.tsv', jobs: 5_894, mapOnly: 4_448, noInput: 86, lastSubmit: 86_404, maps: 205_713, reduceMedian: 234 },
  { file: 'swim/FB-2009_samples_24_times_1hr_1.tsv', jobs: 6_638, mapOnly: 4_833, noInput: 149, lastSubmit: 86_402, maps: 256_051, reduceMedian: 235 },
]

describe.each(facts)('the Facebook day $file', ({ file, jobs, mapOnly, noInput, lastSubmit, maps, reduceMedian }) => {
  const { path, there, title } = realTrace(file)

  it.skipIf(!there)(`has the jobs of its README: ${title}`, () => {
    const all = [...jobsOf(swim(path))]
    expect({
      jobs: all.length,
      mapOnly: all.filter((job) => job.stages.length === 1).length,
      noInput: all.filter((job) => job.stages[0]!.data === undefined).length,
      lastSubmit: all.at(-1)!.submit,
      ids: [all[0]!.id, all.at(-1)!.id],
    }).toEqual({ jobs, mapOnly, noInput, lastSubmit, ids: ['job0', `job${jobs - 1}`] })
    expect(detectFormat(path)).toBe('swim')
  })

  it.skipIf(!there)(`has medians near Facebook's 19 s per map and 231 s per reduce: ${title}`, () => {
    const summary = summaryOf(swim(path), { map: 3600, reduce: 1200 })
    const [map, reduce] = summary.resources
    expect(map!.tasks).toBe(maps)
    expect(map!.medianDuration).toBeCloseTo(19, 1)
    expect(Math.round(reduce!.medianDuration)).toBe(reduceMedian)
    expect(summary.classes.reduce((sum, one) => sum + one.jobs, 0)).toBe(jobs)
  })

  it.skipIf(!there)(`is the same after a round trip through the native format: ${title}`, () => {
    const trace = scaleLoad(swim(path), 3)
    const text = [...writeWorkload(trace)].join('')
    expect([...jobsOf(parseTrace(new TextEncoder().encode(text)))]).toEqual([...jobsOf(trace)])
  })
})

describe.skipIf(!realTrace(facts[0]!.file).there)('the first Facebook day', () => {
  it('reads 26.9 TB, 7.55 TB of it in its largest job', () => {
    const inputs = [...jobsOf(swim(realTrace(facts[0]!.file).path))].map((job) => job.stages[0]!.bytesIn!)
    expect(inputs.reduce((sum, bytes) => sum + bytes, 0)).toBe(26_886_497_357_605)
    expect(Math.max(...inputs)).toBe(7_551_263_722_208)
  })
})
