import { describe, expect, it } from 'vitest'
import { barChart, ganttChart, lineChart, type GanttBar } from '../src/charts/index.js'
import { palette } from '../src/charts/palette.js'

const evil = `<script>alert("x")</script>&'\u001B[31m`
const count = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].length
/** Texts of a chart, as a reader sees them. */
const texts = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text)
/** x, y, width and height of the bars of a Gantt chart. */
const rects = (svg: string) => [...svg.slice(svg.indexOf('class="bars"')).matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/g)].map((found) => found.slice(1).map(Number) as [number, number, number, number])
/** Length of the bars of one colour along x: ECharts draws them as paths that begin with a line to the right. */
const lengths = (svg: string, color: string) => [...svg.matchAll(new RegExp(`<path d="M[\\d.]+ [\\d.]+l([\\d.]+) 0[^"]*" fill="${color}"`, 'g'))].map(([, length]) => Number(length))

const bars = (change: Partial<Parameters<typeof barChart>[0]> = {}) =>
  barChart({ title: 'Mean response', unit: 's', series: [{ name: 'fifo', bars: [{ value: 7200, low: 6480, high: 7920 }] }, { name: 'fair', bars: [{ value: 3600 }] }], ...change })

const lines = (change: Partial<Parameters<typeof lineChart>[0]> = {}) =>
  lineChart({ title: 'Use', x: { title: 'time', unit: 's', from: 0, to: 3600 * 24 }, y: { title: 'use of map', unit: '%', from: 0, to: 1 }, lines: [{ name: 'fifo', points: [[0, 0.1], [86_400, 1]] }, { name: 'fair', points: [[0, 0.2], [86_400, 0.5]] }], ...change })

const bar = (label: string, start: number, end: number, rows: GanttBar['rows'], change: Partial<GanttBar> = {}): GanttBar => ({ label, start, end, rows, ...change })
const gantt = (change: Partial<Parameters<typeof ganttChart>[0]> = {}) =>
  ganttChart({ title: 'Schedule', rowTitle: 'node', rows: 2, names: ['n0', 'n1'], to: 100, bars: [bar('a', 0, 50, [[0, 1]]), bar('b', 50, 100, [[1, 1]])], ...change })

describe('bar chart', () => {
  it('has a bar for each policy, as long as its value, with the value and its interval in one unit', () => {
    const svg = bars()
    const [[fifo = NaN], [fair = NaN]] = [lengths(svg, palette[0] ?? ''), lengths(svg, palette[1] ?? '')] as [number[], number[]]
    expect(fifo / fair).toBeCloseTo(2, 1) // 7200 s and 3600 s
    expect(texts(svg)).toEqual(expect.arrayContaining(['fifo', 'fair', 'Mean response, min', '120 ± 12 min', '1 h']))
  })

  it('has whiskers only where there are intervals, and none below 0', () => {
    const whiskers = (svg: string) => count(svg, /<path d="M[\d.]+ [\d.]+L[\d.]+ [\d.]+" [^>]*stroke="currentColor"/g)
    const plain = whiskers(bars({ series: [{ name: 'fifo', bars: [{ value: 7200 }] }, { name: 'fair', bars: [{ value: 3600 }] }] }))
    expect(whiskers(bars()) - plain).toBe(3) // the line and two caps
    const wide = bars({ series: [{ name: 'fifo', bars: [{ value: 1, low: -9, high: 11 }] }] })
    const left = Math.min(...[...wide.matchAll(/<path d="M([\d.-]+) /g)].map(([, x]) => Number(x)))
    expect(left).toBeGreaterThan(40) // beside the name of the policy
  })

  it('groups bars by class with a legend, and leaves out what does not exist', () => {
    const series = ['fifo', 'fair'].map((name, i) => ({ name, bars: [{ value: 10 + i }, { value: i === 0 ? NaN : 5 }] }))
    const svg = bars({ groups: ['small', 'large'], series })
    expect(lengths(svg, palette[0] ?? '')).toHaveLength(1)
    expect(lengths(svg, palette[1] ?? '')).toHaveLength(2)
    expect(texts(svg)).toEqual(expect.arrayContaining(['small', 'large', 'fifo', 'fair', '-']))
  })
})

describe('line chart', () => {
  it('has a line per policy, and axes in units that people know', () => {
    const svg = lines()
    expect(palette.slice(0, 2).map((color) => count(svg, new RegExp(`<path d="M[^"]*" fill="none" stroke="${color}"`, 'g')))).toEqual([1, 1])
    expect(texts(svg)).toEqual(expect.arrayContaining(['time, h', 'use of map, %', '0', '5', '10', '15', '20', '100']))
  })

  it('names times that people know on a logarithmic axis, on which what is too small stands at its start', () => {
    const svg = lines({ x: { title: 'wait', unit: 's', log: true, from: 1 }, lines: [{ name: 'fifo', points: [[0, 0], [1, 0.5], [86_400, 1]] }] })
    expect(texts(svg)).toEqual(expect.arrayContaining(['1 s', '10 s', '1 min', '10 min', '1 h', '10 h', '1 d']))
    const [, path = ''] = new RegExp(`<path d="([^"]*)" fill="none" stroke="${palette[0] ?? ''}"`).exec(svg) ?? []
    const [a, b] = [...path.matchAll(/[ML]([\d.]+) /g)].map(([, x]) => Number(x))
    expect(a).toBe(b) // 0 s stands where 1 s does
  })

  it('takes colours again with other dashes', () => {
    const svg = lines({ lines: Array.from({ length: 8 }, (_, i) => ({ name: `p${i}`, points: [[0, i / 8], [86_400, 1]] as const })) })
    expect(count(svg, /<path d="M[^"]*" fill="none"[^>]*stroke-dasharray/g)).toBe(1)
  })
})

describe('Gantt chart', () => {
  it('draws a bar from its start to its end over the rows that it held', () => {
    const [[ax, ay, aw, ah], [bx, by, bw, bh]] = rects(gantt()) as [[number, number, number, number], [number, number, number, number]]
    expect(aw).toBeCloseTo(bw, 0) // 50 s each, one after the other
    expect(ax + aw).toBeCloseTo(bx, 0)
    expect(ah).toBeCloseTo(2 * bh, 0) // two rows and one
    expect(by).toBeCloseTo(ay + bh, 0) // the second row
  })

  it('puts bars of one row below each other while they overlap', () => {
    const svg = gantt({ rows: 1, names: ['n0'], bars: [bar('a', 0, 60, [[0, 0]]), bar('b', 30, 90, [[0, 0]]), bar('c', 60, 100, [[0, 0]])] })
    const [[, ay, , ah], [, by], [, cy]] = rects(svg) as [[number, number, number, number], [number, number], [number, number]]
    expect(by).toBeCloseTo(ay + ah, 0)
    expect(cy).toBe(ay) // a has ended by then
  })

  it('writes a label where it fits, and says all to who points at a bar', () => {
    const svg = gantt({ bars: [bar('fits', 0, 50, [[0, 0]], { note: 'ann' }), bar('does not fit here', 50, 51, [[0, 0]])] })
    expect(texts(svg)).toContain('fits')
    expect(texts(svg)).not.toContain('does not fit here')
    expect(svg).toContain('<title>fits: from 0 s to 50.0 s (50.0 s), ann</title>')
    expect(svg).toContain('<title>does not fit here: from 50.0 s to 51.0 s (1.00 s)</title>')
  })

  it('shades rows that were away, and pales what was evicted', () => {
    const svg = gantt({ away: [{ row: 1, from: 10, to: 20 }], bars: [bar('a', 0, 5, [[0, 0]], { isPale: true })] })
    expect(svg).toContain('<title>n1: away from 10.0 s to 20.0 s (10.0 s)</title>')
    expect(count(svg, /fill-opacity="\.4"[^>]*stroke-dasharray/g)).toBe(1)
  })

  it('draws the first rows of many, and says so', () => {
    const rows = 1000
    const svg = gantt({ rows, names: Array.from({ length: rows }, (_, i) => `n${i}`), bars: Array.from({ length: rows }, (_, i) => bar(`j${i}`, i / 10, i / 10 + 1, [[i, i]])) })
    expect(rects(svg)).toHaveLength(253) // 760 pixels, at least 3 each
    expect(texts(svg)).toContain('The first 253 of 1000 rows.')
  })

  it('draws processors that are told apart by their numbers alone, however many', () => {
    const svg = gantt({ rowTitle: 'procs', rows: 100_000, names: undefined, bars: [bar('a', 0, 100, [[0, 49_999], [75_000, 99_999]])] } as never)
    const [[, , , upper], [, , , lower]] = rects(svg) as [[number, number, number, number], [number, number, number, number]]
    expect(upper / lower).toBeCloseTo(2, 1)
  })

  it('has a legend where colours stand for kinds', () => {
    const svg = gantt({ bars: [bar('x', 0, 10, [[0, 0]], { kind: 'no room' }), bar('y', 10, 20, [[0, 0]], { kind: 'reservation' })] })
    expect(texts(svg)).toEqual(expect.arrayContaining(['no room', 'reservation']))
  })
})

describe('every chart', () => {
  const all = [() => bars(), () => lines(), () => lines({ stacked: true }), () => gantt(), () => bars({ groups: ['a', 'b'] })]

  it('is the same bytes every time, whatever was drawn before', () => {
    const first = all.map((draw) => draw())
    const again = [...all].reverse().map((draw) => draw()).reverse()
    expect(again).toEqual(first)
  })

  it('has a title and a description, and ids that those of other charts do not meet', () => {
    const ids = all.flatMap((draw) => {
      const svg = draw()
      for (const [, id = ''] of svg.matchAll(/url\(#([^)]*)\)/g)) expect(svg).toContain(`id="${id}"`)
      expect(svg).toMatch(/<svg [^>]*role="img" aria-labelledby="(\S+)-title \1-desc">\n<title id="\1-title">[^<]+<\/title>\n<desc id="\1-desc">[^<]+<\/desc>/)
      return [...svg.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
    })
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('needs no script and nothing from elsewhere, and takes its text colour from the page', () => {
    for (const svg of all.map((draw) => draw())) {
      expect(svg).not.toMatch(/<script|\bon\w+=|href|<image|@import|ecmeta|class="zr/)
      expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:/)
      expect(svg).toMatch(/<text[^>]*fill="currentColor"/)
      expect(svg).not.toMatch(/<text[^>]*fill="#(?!000"|fff")/)
    }
  })

  it('writes any name as text', () => {
    const named = [
      bars({ title: evil, series: [{ name: evil, bars: [{ value: 1 }] }] }),
      bars({ groups: [evil, 'b'], series: [{ name: evil, bars: [{ value: 1 }, { value: 1 }] }, { name: 'z', bars: [] }] }),
      lines({ title: evil, x: { title: evil, unit: 's' }, y: { title: evil, unit: '' }, lines: [{ name: evil, points: [[0, 1]] }, { name: 'z', points: [[0, 1]] }] }),
      gantt({ title: evil, note: evil, rowTitle: evil, names: [evil, evil], bars: [bar(evil, 0, 100, [[0, 1]], { note: evil, kind: evil }), bar('z', 0, 1, [[0, 0]], { kind: 'z' })], away: [{ row: 0, from: 0, to: 1 }] }),
    ]
    for (const svg of named) {
      expect(svg).not.toContain('<script')
      expect(svg).not.toMatch(/(?!\n)\p{Cc}/u)
      expect(svg).toMatch(/&lt;script|&#60;script/)
    }
  })
})
