import { describe, expect, it } from 'vitest'
import { comparison, comparisonRecords, comparisonTable, csv, table, type Measured } from '../src/index.js'

// Response: fair is 20, 21.3, 15.1 s below fifo: mean 18.8, s = 3.27, t(2, 0.975) = 4.3027: ± 8.1 s.
const response: Measured = { title: 'mean response', unit: 's', values: [[100, 121.3, 90.1], [80, 100, 75]] }
const near: Measured = { title: 'node-local', unit: '%', values: [[0.05, 0.06, 0.055], [1, 1, 1]] }

describe('comparison', () => {
  it('pairs every policy with the first one by seed', () => {
    const [row] = comparison(['fifo', 'fair'], [response])
    const [fifo, fair] = row?.cells ?? []
    expect(fifo?.difference).toBeUndefined()
    expect(fair?.difference?.mean).toBeCloseTo(-18.8, 9)
    expect(fair?.difference?.halfWidth).toBeCloseTo((4.302653 * Math.sqrt((1.2 ** 2 + 2.5 ** 2 + 3.7 ** 2) / 2)) / Math.sqrt(3), 4)
  })

  it('prints a column per policy and one per difference', () => {
    const { columns, rows } = comparisonTable(comparison(['fifo', 'fair'], [response, near]))
    expect(table(columns, rows)).toBe(
      [
        '                     fifo       fair         - fifo',
        '-------------  ----------  ---------  -------------',
        'mean response  104 ± 40 s  85 ± 33 s  -18.8 ± 8.1 s',
        'node-local     5.5 ± 1.2%   100 ± 0%   +94.5 ± 1.2%',
        '',
      ].join('\n'),
    )
  })

  it('writes records in the unit of the figure', () => {
    const { titles, rows } = comparisonRecords(comparison(['fifo', 'fair'], [{ title: 'x', unit: '%', values: [[0.5], [0.25]] }]))
    expect(csv(titles, rows)).toBe(
      'figure,unit,policy,runs,mean,low,high,difference,difference low,difference high\nx,fraction,fifo,1,0.5,,,,,\nx,fraction,fair,1,0.25,,,-0.25,,\n',
    )
  })

  it('has no difference where a seed has no value, and refuses unequal numbers of seeds', () => {
    const [row] = comparison(['a', 'b'], [{ title: 'x', unit: '', values: [[1, NaN], [1, 2]] }])
    expect(row?.cells[1]?.difference?.mean).toBeNaN()
    expect(() => comparison(['a', 'b'], [{ title: 'x', unit: '', values: [[1, 2], [1]] }])).toThrow(/same seeds/)
  })

  it('prints no table of nothing', () => {
    expect(comparisonTable([])).toEqual({ columns: [{ title: '', align: 'left' }], rows: [] })
  })
})
