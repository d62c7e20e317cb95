import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csv, csvLine, json, markdownTable, table } from '../src/index.js'

describe('text table', () => {
  it('puts numbers to the right, words to the left, and no spaces at line ends', () => {
    expect(table([{ title: 'policy' }, { title: 'response' }, { title: 'note' }], [['fifo', '104 ± 38 s', 'slow'], ['delay', 63, undefined]])).toBe(
      [
        'policy    response  note',
        '------  ----------  ----',
        'fifo    104 ± 38 s  slow',
        'delay           63',
        '',
      ].join('\n'),
    )
  })

  it('aligns as told', () => {
    expect(table([{ title: 'bin', align: 'left' }, { title: 'x', align: 'right' }], [[1, 'ab'], [10, 'c']])).toBe('bin   x\n---  --\n1    ab\n10    c\n')
  })

  it('aligns wide characters by the columns they take on a terminal', () => {
    expect(table([{ title: 'queue' }, { title: 'n' }], [['队列', 1], ['ads', 22]])).toBe('queue   n\n-----  --\n队列    1\nads    22\n')
  })

  it('emphasises headers only when asked to', () => {
    const [plain, bold] = [false, true].map((color) => table([{ title: 'a' }], [[1]], { color }))
    expect(bold).toBe(`\u001B[1ma\u001B[22m\n-\n1\n`)
    expect(plain).not.toContain('\u001B')
  })

  it('keeps a cell on its line and control characters off the terminal', () => {
    expect(table([{ title: 'a\nb' }], [['x\r\n\u001B[31my']])).toBe('a b\n-------\nx [31my\n')
  })

  it('breaks titles that are longer than told, after spaces and signs, unless the cells are as wide', () => {
    const titled = (title: string, cell: string) => table([{ title: '', align: 'left' }, { title, align: 'right', wrap: 8 }], [['x', cell]])
    expect(titled('easy(order=sjf)', '12')).toBe('    easy(\n   order=\n     sjf)\n-  ------\nx      12\n')
    expect(titled('one two', '12')).toBe('   one two\n-  -------\nx       12\n')
    expect(titled('a longer name', '12')).toBe('   a longer\n       name\n-  --------\nx        12\n')
    expect(titled('unbreakable', '12')).toBe('   unbreaka\n        ble\n-  --------\nx        12\n')
    expect(titled('a longer name', '123,456 ± 789')).toBe('   a longer name\n-  -------------\nx  123,456 ± 789\n')
  })

  it('goes on below where a line would be too long, with the first columns again', () => {
    const columns = ['', 'jobs', 'fifo', 'fair', 'delay'].map((title) => ({ title }))
    const rows = [['all', 10, 1000, 20, 3]]
    const [upper, lower] = ['     jobs  fifo  fair\n---  ----  ----  ----\nall    10  1000    20\n', '     jobs  delay\n---  ----  -----\nall    10      3\n']
    expect(table(columns, rows, { width: 21, keep: 2 })).toBe(`${upper}\n${lower}`)
    expect(table(columns, rows, { width: 27, keep: 2 })).toBe(`${upper}\n${lower}`)
    expect(table(columns, rows, { width: 28, keep: 2 })).toBe(table(columns, rows))
    expect(table(columns, rows, { width: 1, keep: 2 }).split('\n\n')).toHaveLength(3) // a column is never cut
    expect(table(columns.slice(0, 2), rows, { width: 1, keep: 2 })).toBe('     jobs\n---  ----\nall    10\n')
  })

  it('prints headers without rows', () => {
    expect(table([{ title: 'a' }, { title: 'bc' }], [])).toBe('a  bc\n-  --\n')
  })
})

describe('Markdown table', () => {
  it('marks columns of numbers and escapes bars', () => {
    expect(markdownTable([{ title: 'a|b' }, { title: 'n' }], [['x | y\\', 1.5], ['z', NaN]])).toBe(
      ['| a\\|b     |   n |', '| -------- | --: |', '| x \\| y\\\\ | 1.5 |', '| z        |     |', ''].join('\n'),
    )
  })
})

describe('CSV', () => {
  it('quotes commas, quotes, line breaks and outer spaces, and nothing else (RFC 4180)', () => {
    expect(csv(['a', 'b c'], [['x,y', 'say "hi"'], ['two\nlines', ' padded'], ["it's", 'a b']])).toBe('a,b c\n"x,y","say ""hi"""\n"two\nlines"," padded"\nit\'s,a b\n')
  })

  it('writes numbers as short as reads back to the same, and none as an empty field', () => {
    expect(csvLine([0.1 + 0.2, 1e21, -0, NaN, undefined, true, 26410])).toBe('0.30000000000000004,1e+21,0,,,true,26410\n')
  })

  it('reads back to what was written', () => {
    const cell = fc.oneof(fc.string(), fc.constantFrom('"', ',', '\n', '\r\n', '', ' ', '"",'))
    const records = fc.integer({ min: 1, max: 4 }).chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 5 }))
    fc.assert(
      fc.property(records, (rows) => {
        const [titles = [], ...rest] = rows
        expect(parsed(csv(titles, rest))).toEqual(rows)
      }),
      { seed: 1, numRuns: 500 },
    )
  })
})

describe('JSON', () => {
  it('keeps keys in order, or sorts them at every level', () => {
    const data = { b: 1, a: { d: [{ z: 1, y: 2 }], c: null } }
    expect(json(data, { indent: 0 })).toBe('{"b":1,"a":{"d":[{"z":1,"y":2}],"c":null}}\n')
    expect(json(data, { indent: 0, sort: true })).toBe('{"a":{"c":null,"d":[{"y":2,"z":1}]},"b":1}\n')
  })

  it('writes columns as lists and what is no number as null', () => {
    expect(json({ times: Float64Array.of(0.1, 2), none: NaN, all: Infinity }, { indent: 0 })).toBe('{"times":[0.1,2],"none":null,"all":null}\n')
  })

  it('indents by two spaces unless told otherwise', () => {
    expect(json([1])).toBe('[\n  1\n]\n')
  })

  it('is the same text for the same data in another order, when sorted', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.double()), (data) => {
        const other = Object.fromEntries(Object.entries(data).reverse())
        expect(json(other, { sort: true })).toBe(json(data, { sort: true }))
      }),
      { seed: 1, numRuns: 200 },
    )
  })
})

/** A reader of RFC 4180 in its plainest form, character by character. */
function parsed(text: string): string[][] {
  const rows: string[][] = []
  const row: string[] = []
  let [field, quoted] = ['', false]
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string
    if (quoted && char === '"' && text[i + 1] === '"') field += text[++i] as string
    else if (char === '"') quoted = !quoted
    else if (!quoted && (char === ',' || char === '\n')) {
      row.push(field)
      field = ''
      if (char === '\n') rows.push(row.splice(0))
    } else field += char
  }
  return rows
}
