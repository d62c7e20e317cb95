import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { analysis } from '../src/papers/delay-scheduling/analysis.js'
import { measure, type Experiment } from '../src/papers/claim.js'
import { papersCommand } from '../src/papers/command.js'
import { page, resultTable, tally } from '../src/papers/page.js'
import type { Row } from '../src/papers/row.js'
import { runSheet, type Sheet } from '../src/papers/sheet.js'
import { above, about } from '../src/papers/range.js'

const experiment: Experiment = {
  title: 'A | test',
  setup: ['One node.', 'One job.'],
  claims: [
    { id: 'T-1', class: 'Q', published: 0.5, measures: [measure('locality', 'share', about(0.5, 0.1))], why: 'it is a test' },
    { id: 'T-2', class: 'R', published: '|up|', measures: [measure('speedup', 'ratio', above(1))] },
  ],
  run: () => ({ byId: { 'T-1': [{ mean: 0.7, low: 0.6, high: 0.8 }], 'T-2': [{ mean: 2, low: 2, high: 2 }] }, remarks: ['More could be said.'] }),
}
const sheet: Sheet = { name: 'test', title: 'A test', source: 'Nobody.', experiments: [experiment, analysis] }
const trials = [{ seed: 1, validate: false }]

describe('the page of a sheet', () => {
  it('has a table, the measures and a reason for each row that does not hold', () => {
    const text = page(sheet, runSheet(sheet, trials, ['T-1', 'T-2']), 10)
    expect(text.slice(text.indexOf('Q: '))).toBe(
      [
        'Q: 0 of 1 within. R: 1 of 1 directions hold. N: 0 not reproducible.', '',
        '## A | test', '', 'One node. One job.', '',
        '| id | published | simulated (interval) | class | verdict |', '| --- | --- | --- | --- | --- |',
        '| T-1 | 50% | 70.0% (60.0% to 80.0%) | Q | outside by 0.1 |', '| T-2 | \\|up\\| | 2.00x | R | direction holds |', '',
        '- `T-1`: locality: 40.0% to 60.0%', '- `T-2`: speedup: above 1.00x', '',
        'Remarks:', '', '- `T-1`, outside by 0.1: it is a test.', '- More could be said.', '',
      ].join('\n'))
    expect(text).toContain('with the seeds 1 to 10')
  })

  it('runs only the experiments behind the rows asked for', () => {
    const started: string[] = []
    const results = runSheet(sheet, trials, ['DS-F3-15jobs'], (title) => started.push(title))
    expect([started, results.map(({ claims }) => claims.length)]).toEqual([['Analysis'], [1]])
    expect(resultTable(results).trimEnd().split('\n')).toHaveLength(3)
    expect(tally(results)).toContain('Q: 1 of 1 within')
    expect(() => runSheet(sheet, trials, ['DS-F3-15job'])).toThrow('"DS-F3-15job" is no row of test. Did you mean "DS-F3-15jobs"?')
  })
})

describe('bench papers', () => {
  let folder: string
  let printed: string
  let told: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'bench-papers-'))
    printed = ''
    told = ''
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => (told += String(text)) !== '')
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => (printed += String(text)) !== '')
  })
  afterEach(() => {
    vi.restoreAllMocks()
    rmSync(folder, { recursive: true })
  })
  const papers = (...args: string[]) => papersCommand(folder).exitOverride().configureOutput({ writeErr: () => undefined }).parseAsync(args, { from: 'user' })

  it('prints the rows asked for and writes them to a file', async () => {
    const file = join(folder, 'in/rows.json')
    await papers('delay-scheduling', '--quick', '--only', 'DS-F11,DS-F4,DS-S35-Dmin', '--json', file)
    const rows = JSON.parse(readFileSync(file, 'utf8')) as Row[]
    expect(rows.map(({ id }) => id)).toEqual(['DS-S35-Dmin', 'DS-F4', 'DS-F11'])
    for (const row of rows) expect(Object.keys(row)).toEqual(['id', 'published', 'simulated', 'low', 'high', 'class', 'verdict'])
    const slots = [60, 40, 0, 30, 30, 40, 0, 0]
    expect(rows.slice(1)).toEqual([
      { id: 'DS-F4', published: slots, simulated: slots, low: slots, high: slots, class: 'Q', verdict: 'within' },
      { id: 'DS-F11', published: 'a timeline of three pools', simulated: null, low: null, high: null, class: 'N', verdict: expect.stringMatching(/^not reproducible: ./) },
    ])
    expect(rows[0]?.simulated).toBeCloseTo(0.231049, 6)
    expect(printed).toContain('| DS-S35-Dmin | 0.23 | 0.231 | Q | within |\n')
    expect(printed).toMatch(/^- `DS-F4`: \S.*;/m) // what each figure of the row is
    expect(told).toContain('neither figures nor verdicts are those of docs/papers/delay-scheduling.md')
  })

  it('leaves nothing behind where a file cannot be written', async () => {
    const rows = ['--only', 'DS-F3-15jobs', '--json']
    await expect(papers(...rows, folder)).rejects.toMatchObject({ code: 'IO' })
    await expect(papers(...rows, '/dev/null/rows.json')).rejects.toMatchObject({ code: 'IO' })
    expect([existsSync(`${folder}.part`), readdirSync(folder)]).toEqual([false, []])
    expect(printed).toBe('') // told before anything ran
  })

  it('refuses a page of a part, an unknown row or sheet and a single seed', async () => {
    await expect(papers('--write', '--only', 'DS-F4')).rejects.toThrow('--write: the page holds all rows, over at least 10 seeds.')
    await expect(papers('--write', '--quick')).rejects.toThrow('--write')
    await expect(papers('--write', '--quick', '--seeds', '10')).rejects.toThrow('--write')
    await expect(papers('--only', 'DS-F44')).rejects.toThrow('Did you mean "DS-F4"?')
    await expect(papers('delay-sheduling')).rejects.toThrow('Did you mean "delay-scheduling"?')
    await expect(papers('--seeds', '1')).rejects.toThrow('Give a whole number from 2 to 9999.')
    expect(printed).toBe('')
  })
})
