import { describe, expect, it } from 'vitest'
import { nearest, SchedError, suggest } from '../src/index.js'

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
  })
})
