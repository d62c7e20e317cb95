import { describe, expect, it, vi } from 'vitest'
import { adviseWord, knownWords, nearest, SchedError, suggest } from '../src/index.js'

describe('SchedError', () => {
  it('says place, fact and way out in one message', () => {
    const error = new SchedError('BAD_INPUT', 'run time -1.', { file: 'a.swf', line: 120, column: 3, field: 'runtime' }, 'Drop such jobs.')
    expect(error.message).toBe('"a.swf" line 120 column 3 runtime: run time -1. Drop such jobs.')
    expect([error.code, error.name, error instanceof Error]).toEqual(['BAD_INPUT', 'SchedError', true])
  })

  it('says only what is known of the place', () => {
    expect(new SchedError('IO', 'gone.').message).toBe('gone.')
    expect(new SchedError('IO', 'gone.', { file: 'x' }).message).toBe('"x": gone.')
    expect(new SchedError('IO', 'gone.', { field: 'a.b' }).message).toBe('a.b: gone.')
    expect(new SchedError('BAD_INPUT', 'is empty.', { file: 'x', row: 7, field: 'id' }).message).toBe('"x" row 7 id: is empty.')
  })

  it('is known in another copy of the package, and other errors are not taken for it', async () => {
    vi.resetModules()
    const copy = await import('../src/index.js')
    expect(copy.SchedError).not.toBe(SchedError)
    expect([new copy.SchedError('IO', 'gone.'), new Error('gone'), 'gone', undefined].map((error) => error instanceof SchedError)).toEqual([true, false, false, false])
  })

  it('is one line of a length that can be read, whatever input says', () => {
    const long = 'x'.repeat(1000)
    expect(new SchedError('BAD_INPUT', `found "${long}", expected less.`, { file: long, field: long }).message).toBe(`"${long}" ${'x'.repeat(200)}...: found "${'x'.repeat(199)}... expected less.`)
    expect(new SchedError('BAD_INPUT', 'x'.repeat(50_000_000)).message).toBe(`${'x'.repeat(200)}...`)
    expect(new SchedError('BAD_INPUT', 'x '.repeat(50_000)).message).toHaveLength(10_003)
    expect(new SchedError('BAD_INPUT', 'found "a\n\u001b[2J\u202eb".', { file: 'a\u0000', field: '\ufeffid' }).message).toBe('"a\\u0000" \\ufeffid: found "a\\n\\u001b[2J\\u202eb".')
  })

  it('can be told more of its place by who knows it', () => {
    const error = new SchedError('BAD_OPTION', 'found 3.', { field: 'wait' }, 'Use 4.').at({ file: 'e.yaml', line: 2 })
    expect([error.code, error.message]).toEqual(['BAD_OPTION', '"e.yaml" line 2 wait: found 3. Use 4.'])
  })
})

describe('the nearest name', () => {
  const known = ['fifo', 'fair', 'delay', 'skip-delay']

  it.each([
    ['fifo', 'fifo'],
    ['FIFO', 'fifo'],
    ['dealy', 'delay'],
    ['skipdelay', 'skip-delay'],
    ['far', 'fair'],
    ['zzz', undefined],
    ['', undefined],
  ])('to "%s" is %s', (name, expected) => {
    expect(nearest(name, known)).toBe(expected)
  })

  it('is suggested with all that are known', () => {
    expect(suggest('dealy', known)).toBe('Did you mean "delay"? Known: fifo, fair, delay, skip-delay.')
    expect(suggest('zzz', known)).toBe('Known: fifo, fair, delay, skip-delay.')
    expect(suggest('zzz', ['cpu', 'mem', 'cpu'])).toBe('Known: cpu, mem.') // known by several lists
    expect([adviseWord('dealy', known), adviseWord('zzz', known), adviseWord(5, known)]).toEqual(['Did you mean "delay"?', 'Write one of these.', 'Write one of these.'])
  })
})

describe('a table of known words', () => {
  it('has no others, also not those that every object knows', () => {
    const table = knownWords({ fifo: 1 })
    expect(['fifo', 'fair', 'constructor', 'toString', '__proto__'].map((word) => table[word])).toEqual([1, undefined, undefined, undefined, undefined])
    expect(Object.keys(table)).toEqual(['fifo'])
  })
})
