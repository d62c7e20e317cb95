import { SchedError } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { describe as summaryOf, detectFormatOf, jobsOf, parseSwim, type SwimOptions } from '../src/index.js'
import { bytesOf } from './reading.js'

const MiB = 1 << 20
const read = (rows: readonly (readonly (string | number)[])[], options: SwimOptions = {}) =>
  parseSwim(bytesOf(rows.map((row) => `${row.join('\t')}\n`).join('')), { file: 'fb.tsv', ...options })
const one = (input: number, shuffle: number, output: number, options: SwimOptions = {}) =>
  [...jobsOf(read([['job0', 5, 5, input, shuffle, output]], options))][0]!

describe('SWIM bytes to tasks', () => {
  it('has one map per block of 128 MiB, at least one, with equal parts', () => {
    const maps = (input: number) => one(input, 0, 0).stages[0]!
    expect([0, 1, 128 * MiB, 128 * MiB + 1, 1280 * MiB].map((input) => maps(input).tasks)).toEqual([1, 1, 1, 2, 10])
    // 3 s + 128 MiB / (8 MiB/s) = 19 s; 200 MiB in 2 maps: 3 s + 100 / 8 = 15.5 s
    expect([128 * MiB, 200 * MiB].map((input) => maps(input).duration)).toEqual([19, 15.5])
  })

  it('has no reduce without shuffle, one per GiB of it with, and never more than 999', () => {
    expect(one(MiB, 0, 5 * MiB).stages.map((stage) => stage.name)).toEqual(['map'])
    const reduces = (shuffle: number) => one(MiB, shuffle, 0).stages[1]!.tasks
    expect([1, 1024 * MiB, 1024 * MiB + 1, 5000 * 1024 * MiB].map(reduces)).toEqual([1, 1, 2, 999])
  })

  it('times a reduce by its part of shuffle and output', () => {
    // 2 reduces: 6 s + 900 MiB / (4.5 MiB/s) + 100 MiB / (20 MiB/s) = 6 + 200 + 5
    expect(one(MiB, 1800 * MiB, 200 * MiB).stages[1]).toEqual({
      name: 'reduce', tasks: 2, demand: { reduce: 1 }, duration: 211, after: [{ stage: 0, fraction: 0.05 }], bytesIn: 1800 * MiB, bytesOut: 200 * MiB,
    })
  })

  it('reads a block per map where there is input', () => {
    expect(one(MiB, 0, 0).stages[0]!.data).toEqual({})
    expect(one(0, 0, MiB).stages[0]!.data).toBeUndefined()
  })

  it('makes every job its own user and labels it with its size class', () => {
    const job = one(21 * 128 * MiB, 7, 0)
    expect([job.id, job.user, job.label, job.submit]).toEqual(['job0', 'job0', 'bin 4', 5])
  })

  it('notes the bytes of each stage: maps write the shuffle, or the output where there is none', () => {
    expect(one(10, 20, 30).stages.map((stage) => [stage.bytesIn, stage.bytesOut])).toEqual([[10, 20], [20, 30]])
    expect(one(10, 0, 30).stages.map((stage) => [stage.bytesIn, stage.bytesOut])).toEqual([[10, 30]])
  })

  it.each<[keyof SwimOptions, number]>([
    ['blockSize', 64 * MiB], ['mapStartup', 1], ['mapRate', MiB], ['reduceSize', 100 * MiB], ['maxReduces', 1], ['reduceStartup', 1], ['shuffleRate', MiB],
    ['outputRate', MiB], ['slowstart', 1],
  ])('follows the option %s', (option, value) => {
    const stages = (options: SwimOptions) => one(300 * MiB, 3000 * MiB, 70 * MiB, options).stages
    expect(stages({ [option]: value })).not.toEqual(stages({}))
  })

  it('asks for slots, or for containers as YARN counts them', () => {
    const demands = (options: SwimOptions) => one(100, 5000, 100, options).stages.map(({ demand }) => demand)
    expect(demands({})).toEqual([{ map: 1 }, { reduce: 1 }])
    expect(demands({ demand: 'containers', vcores: 2 })).toEqual([{ vcores: 2, 'memory-mb': 1024 }, { vcores: 2, 'memory-mb': 1024 }])
  })

  it('refuses options that make no sense', () => {
    expect(() => one(1, 1, 1, { mapRate: 0 })).toThrow('swim.mapRate: found 0, expected more than 0.')
    expect(() => one(1, 1, 1, { blocksize: 1 } as SwimOptions)).toThrow('swim.blocksize: unknown key "blocksize". Did you mean "blockSize"?')
  })
})

describe('SWIM rows', () => {
  it('may have decimal times, CR LF, blank lines and no line end at the end', () => {
    const trace = parseSwim(bytesOf('a\t0.5\t0.5\t1\t0\t0\r\n\r\nb\t1.25\t0.75\t1\t0\t0'))
    expect([...jobsOf(trace)].map((job) => [job.id, job.submit])).toEqual([['a', 0.5], ['b', 1.25]])
    expect(trace.report).toEqual({ lines: 3, jobs: 2, skipped: 0, problems: [] })
  })

  it('may name the path of the input in a seventh column (FB-2010_samples_24_times_1hr_withInputPaths_0)', () => {
    const text = 'job0\t9\t9\t1762\t100\t14347\tinputPath7\njob1\t18\t9\t970\t609\t697\tinputPath8\n'
    expect([...jobsOf(parseSwim(bytesOf(text)))]).toEqual([...jobsOf(parseSwim(bytesOf(text.replaceAll(/\tinputPath\d/g, ''))))])
    expect(detectFormatOf(bytesOf(text)).name).toBe('swim')
  })

  it('keeps byte counts above 2^32 exactly', () => {
    const [job] = [...jobsOf(read([['j', 0, 0, '8822021618207', '9007199254740991', 1]]))]
    expect(job!.stages.map((stage) => stage.bytesIn)).toEqual([8_822_021_618_207, 9_007_199_254_740_991])
  })

  const good = ['ok', 5, 5, 1, 0, 0]
  it.each<[string, readonly (string | number)[], string]>([
    ['too few columns', ['j', 6, 1, 1, 0], ': found 5 tab-separated columns, expected 6 (job id, submit time, gap, map input bytes, shuffle bytes, reduce output bytes).'],
    ['too many columns', ['j', 6, 1, 1, 0, 0, 0, 0], ': found 8 tab-separated columns, expected 6'],
    ['one column', ['j'], ': found 1 tab-separated column, expected 6'],
    ['no id', ['', 6, 1, 1, 0, 0], ' job id: is empty.'],
    ['an empty field', ['j', 6, 1, '', 0, 0], ' map input bytes: found "", expected a number.'],
    ['a negative number', ['j', 6, 1, 1, -5, 0], ' shuffle bytes: found "-5", expected no negative number.'],
    ['a negative time', ['j', -6, 1, 1, 5, 0], ' submit time: found "-6", expected no negative number.'],
    ['a bad gap', ['j', 6, 'x', 1, 5, 0], ' gap: found "x", expected a number in plain digits.'],
    ['NaN', ['j', 6, 1, 'NaN', 0, 0], ' map input bytes: found "NaN", expected a number in plain digits.'],
    ['infinity', ['j', 'Infinity', 1, 1, 0, 0], ' submit time: found "Infinity", more than 2^53 - 1, above which numbers are not exact.'],
    ['a number above 2^53', ['j', 6, 1, 1, 0, '9007199254740992'], ' reduce output bytes: found "9007199254740992", more than 2^53 - 1, above which numbers are not exact.'],
    ['a number of 400 digits', ['j', 6, 1, '9'.repeat(400), 0, 0], ` map input bytes: found "${'9'.repeat(37)}"..., more than 2^53 - 1`],
    ['a fraction of a byte', ['j', 6, 1, '1.5', 0, 0], ' map input bytes: found "1.5", expected a whole number in plain digits.'],
    ['an exponent', ['j', 6, 1, '1e6', 0, 0], ' map input bytes: found "1e6", expected a whole number in plain digits.'],
    ['a hexadecimal number', ['j', 6, 1, '0x10', 0, 0], ' map input bytes: found "0x10", expected a whole number in plain digits.'],
    ['a byte that is not text', ['j', 6, 1, '\u0001', 0, 0], ' map input bytes: found "\\u0001", expected a number in plain digits.'],
    ['a time going backwards', ['j', 4, 1, 1, 0, 0], ' submit: submitted at 4 s, before the job above it (5 s).'],
    ['an id used before', ['ok', 6, 1, 1, 0, 0], ' id: job id "ok" was used before.'],
    ['more tasks than anybody means', ['j', 6, 1, '9007199254740991', 0, 0], ': job "j" has 67108864 tasks, more than maxTasks (10000000). Raise maxTasks if that is meant,'],
  ])('with %s stop the reading, or are dropped and counted', (_, bad, message) => {
    const rows = [good, bad, ['last', 9, 4, 1, 0, 0]]
    expect(() => read(rows)).toThrow(SchedError)
    expect(() => read(rows)).toThrow(`"fb.tsv" line 2${message}`)
    expect(() => read(rows)).toThrow('or drop such lines with onBadLine "skip".')
    const trace = read(rows, { onBadLine: 'skip' })
    expect([...jobsOf(trace)].map((job) => job.id)).toEqual(['ok', 'last'])
    expect(trace.report).toMatchObject({ lines: 3, jobs: 2, skipped: 1 })
    expect(trace.report.problems).toEqual([expect.stringContaining(`"fb.tsv" line 2${message.split(' Raise')[0]}`)])
  })

  it('that are not UTF-8 in the id are refused', () => {
    const row = bytesOf('j?\t1\t1\t1\t0\t0\n')
    row[1] = 0xe9
    expect(() => parseSwim(row, { file: 'fb.tsv' })).toThrow('"fb.tsv" line 1 job id: is not UTF-8. Save the file as UTF-8, or')
  })

  it('are needed: an empty file holds no jobs', () => {
    expect(() => parseSwim(new Uint8Array(0), { file: 'fb.tsv' })).toThrow('"fb.tsv": the trace holds no jobs.')
  })

  it('count in summaries like any others', () => {
    expect(summaryOf(read([['a', 0, 0, 256 * MiB, 0, 0], ['b', 10, 10, 0, 1024 * MiB, 0]])).resources.map(({ resource, tasks }) => [resource, tasks]))
      .toEqual([['map', 3], ['reduce', 1]])
  })
})
