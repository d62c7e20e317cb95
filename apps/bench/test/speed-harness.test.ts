import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { answer } from '../src/speed/harness/answer.js'
import { DecisionHash } from '../src/speed/harness/decision-hash.js'
import { cost, rate, single, verdict } from '../src/speed/harness/figures.js'
import { digits, page, result } from '../src/speed/harness/page.js'
import { mustAgree, summarise } from '../src/speed/harness/summarise.js'
import { speedCommand } from '../src/speed/index.js'
import type { Benchmark, Measurement, Row } from '../src/speed/harness/benchmark.js'
import type { Ran } from '../src/speed/harness/messages.js'

const ran = (over: Partial<Ran> = {}): Ran => ({ work: 10, check: 0, cpu: 1, peak: 1000, hash: '', ...over })
const measurement = (over: Partial<Measurement> = {}): Measurement => ({ work: 1000, cold: 2, warm: 1, peak: 0, hash: 'aa', facts: {}, ...over })
const digest = (...decisions: readonly [number, number, number][]) => {
  const hash = new DecisionHash()
  for (const decision of decisions) hash.add(...decision)
  return hash.digest
}

describe('decision hash', () => {
  it('is FNV-1a over the bytes of task, node and time', () => {
    // 0x01, 0, 0, 0 | 0x02, 0, 0, 0 | 1.5 = 0x3ff8000000000000, all little endian
    const bytes = [1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f]
    const expected = bytes.reduce((hash, byte) => ((hash ^ BigInt(byte)) * 0x01000193n) & 0xffffffffn, 0x811c9dc5n)
    expect(digest([1, 2, 1.5])).toBe(expected.toString(16).padStart(8, '0'))
    expect(digest()).toBe('811c9dc5')
  })

  it('tells the order of decisions and the last bit of a time apart', () => {
    const one = digest([1, 2, 0.5], [2, 1, 0.5])
    expect(digest([1, 2, 0.5], [2, 1, 0.5])).toBe(one)
    expect(digest([2, 1, 0.5], [1, 2, 0.5])).not.toBe(one)
    expect(digest([1, 2, 0.5], [2, 1, 0.5 + 2 ** -53])).not.toBe(one)
  })
})

describe('measurements', () => {
  it('take the first run of every process as cold, the later ones as warm, and leave the hashed last one out', () => {
    const processes = [
      [ran({ cpu: 9, peak: 5 }), ran({ cpu: 2 }), ran({ cpu: 4 }), ran({ cpu: 100, hash: 'ab' })],
      [ran({ cpu: 7, peak: 7 }), ran({ cpu: 3 }), ran({ cpu: 3 }), ran({ cpu: 100, hash: 'ab' })],
    ]
    expect(summarise('x', processes)).toEqual({ work: 10, cold: 8, warm: 3, peak: 6, hash: 'ab', facts: {} })
  })

  it('take the only run of a variant that is too slow to repeat', () => {
    expect(summarise('x', [[ran({ cpu: 30, hash: 'ab', facts: { bytes: 5 } })]])).toEqual({ work: 10, cold: 30, warm: NaN, peak: 1000, hash: 'ab', facts: { bytes: 5 } })
  })

  it('are refused when runs of one variant did different things', () => {
    const differs = /x did different things in different runs/
    expect(() => summarise('x', [[ran(), ran({ work: 11 }), ran()]])).toThrow(differs)
    expect(() => summarise('x', [[ran(), ran({ check: 1 }), ran()]])).toThrow(differs)
    expect(() => summarise('x', [[ran({ hash: 'a' })], [ran({ hash: 'b' })]])).toThrow(differs)
  })

  it('are refused when variants that must agree decide differently', () => {
    const agree = (naive: Partial<Measurement>) => () => mustAgree('w1', ['shipped', 'naive'], { shipped: measurement(), naive: measurement(naive) })
    expect(agree({})).not.toThrow()
    expect(agree({ hash: 'bb' })).toThrow('w1: "shipped" and "naive" decide differently (aa and bb')
    expect(agree({ work: 999 })).toThrow('1000 and 999 units of work')
  })
})

describe('figures', () => {
  it('are rates or costs per unit of work, with the ratio to the baseline', () => {
    const baseline = measurement({ work: 10, cold: 0.5, warm: NaN }) // 0.05 s per unit against 0.001 s
    expect(rate('a', 'launches/s', measurement(), { baseline })).toMatchObject({ value: 1000, cold: 500, warm: 1000, ratio: 50, hash: 'aa' })
    expect(cost('a', 'ns', measurement(), { headline: 'cold' })).toMatchObject({ value: 2e6, cold: 2e6, warm: 1e6, ratio: null })
    expect(rate('a', 'launches/s', baseline)).toMatchObject({ value: 20, cold: 20, warm: null })
  })

  it('say by how much they miss a goal', () => {
    const figure = single('a', 120, 'ns')
    const verdicts = [{ atMost: 120 }, { atMost: 100 }, { atLeast: 121 }, { atLeast: 240 }].map((goal) => verdict(figure, { of: 'value', ...goal }))
    expect(verdicts).toEqual(['met', 'missed by 20 %', 'missed by 1 %', 'missed by 50 %'])
    expect(verdict(figure, { of: 'warm', atMost: 1 })).toBe('not measured')
  })

  it('are written with three significant digits', () => {
    expect([1_234_567, 64.06, 0.0012345, 999.9, 12, NaN, null].map(digits)).toEqual(['1,230,000', '64.1', '0.00123', '1,000', '12', '', ''])
  })

  it('stand on the page beside goal and verdict, with the machine and its load', () => {
    const benchmark = { name: 'w1', summary: 'What it does.' } as Benchmark
    const figure = { ...single('w1', 90, 'ns'), goals: [{ of: 'value', atMost: 80 }] as const }
    const text = page([result(benchmark, [figure]), result({ ...benchmark, name: 'day' }, [], 'no trace')], { machine: 'Some CPU, 2 cores', runs: 5, loads: [1, 3.5] })
    expect(text).toContain('Machine: Some CPU, 2 cores.')
    expect(text).toContain('1 to 3.5')
    expect(text).toMatch(/\| w1 +\| +90 \| ns +\| +\| +\| +\| <= 80 +\| missed by 13 % \|/)
    expect(text).toContain('## day\n\nWhat it does.\n\nNot measured: no trace.\n')
  })
})

describe('the process of a variant', () => {
  it('prepares once, sets up before every run, hashes when asked and tells its errors', async () => {
    const calls: string[] = []
    const prepared = {
      setUp: () => void calls.push('set up'),
      run: (hash?: DecisionHash) => {
        calls.push('run')
        hash?.add(1, 2, 3)
        return { work: 5, check: 6 }
      },
    }
    const reply = answer(async (name) => {
      if (name !== 'known') throw new Error(`no ${name}`)
      return { name, summary: '', variants: [{ name: 'v', prepare: () => prepared }], figures: () => [] }
    })
    const prepare = (benchmark: string) => reply({ kind: 'prepare', benchmark, variant: 'v', size: 'small' })
    expect(await prepare('unknown')).toMatchObject({ kind: 'failed', message: expect.stringContaining('no unknown') })
    expect(await prepare('known')).toEqual({ kind: 'prepared' })
    expect(await reply({ kind: 'run', how: {} })).toMatchObject({ kind: 'ran', run: { work: 5, check: 6, hash: '' } })
    expect(await reply({ kind: 'run', how: { hashed: true } })).toMatchObject({ kind: 'ran', run: { hash: digest([1, 2, 3]) } })
    expect(calls).toEqual(['set up', 'run', 'set up', 'run'])
  })
})

describe('bench speed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'speed-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const run = (...args: string[]) => speedCommand(folder).parseAsync(args, { from: 'user' })

  it('measures in fresh processes and writes rows', { tags: 'long' }, async () => {
    const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    vi.spyOn(console, 'error').mockReturnValue()
    const file = join(folder, 'rows.json')
    await run('--only', 'event-queue-1e3', '--small', '--runs', '1', '--json', file)
    const rows = JSON.parse(readFileSync(file, 'utf8')) as Row[]
    expect(rows.map(({ id, unit }) => ({ id, unit }))).toEqual([{ id: 'event-queue-1e3', unit: 'ns' }, { id: 'event-queue-1e3/objects', unit: 'ns' }])
    for (const row of rows) {
      expect(Object.keys(row)).toEqual(['id', 'value', 'unit', 'cold', 'warm', 'ratio', 'hash'])
      expect(row).toMatchObject({ value: row.warm, cold: expect.any(Number), warm: expect.any(Number), hash: rows[0]?.hash })
    }
    expect(rows.map(({ ratio }) => ratio === null)).toEqual([false, true])
    expect(printed.mock.calls.map(([text]) => text).join('')).toMatch(/^\| id .*\n\| -+ .*\n\| event-queue-1e3 /)
    vi.restoreAllMocks()
  })

  it('names the nearest benchmark for one that there is not', async () => {
    await expect(run('--only', 'event-quee-1e3')).rejects.toThrow('Did you mean "event-queue-1e3"?')
  })

  it('writes the page only of all benchmarks at full size', async () => {
    await expect(run('--write', '--small')).rejects.toThrow('--write: the page holds all benchmarks')
  })
})
