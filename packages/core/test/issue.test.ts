import { describe, expect, it } from 'vitest'
import { describeIssues } from '../src/index.js'

/** Schemas as zod has them inside; this package depends on no library. */
const schema = (def: object) => ({ _zod: { def } })
const text = schema({ type: 'string' })
const word = (value: string) => schema({ type: 'literal', values: [value] })
const either = (...options: object[]) => schema({ type: 'union', options })
const mapping = (shape: object) => schema({ type: 'object', shape })

describe('a value that is not what a schema expects', () => {
  const any = schema({ type: 'any' })
  const wayOut = (value: unknown, issue: object) => describeIssues(any, value, [{ message: 'Invalid input', ...issue }]).wayOut

  it.each<[string, unknown, object, string]>([
    ['a mistyped word', 'hdsf', { code: 'invalid_value', values: ['hdfs', 'uniform'] }, 'Did you mean "hdfs"?'],
    ['a word that is near none', 'zzz', { code: 'invalid_value', values: ['hdfs', 'uniform'] }, ''],
    ['a number where words are known', 5, { code: 'invalid_value', values: ['hdfs', 5.5] }, ''],
    ['a number in quotes', '8', { code: 'invalid_type', expected: 'number' }, 'Write it without quotes: 8.'],
    ['text for a number', 'eight', { code: 'invalid_type', expected: 'int' }, ''],
    ['a number for a text', 8, { code: 'invalid_type', expected: 'string' }, 'Write it in quotes: "8".'],
    ['yes', 'yes', { code: 'invalid_type', expected: 'boolean' }, 'Write true, without quotes.'],
    ['off', 'Off', { code: 'invalid_type', expected: 'boolean' }, 'Write false, without quotes.'],
    ['what the schema knows better', 8, { code: 'custom', params: { wayOut: 'Use 9.' } }, 'Use 9.'],
    ['what a schema without codes knows', 8, { params: { wayOut: 'Use 9.' } }, 'Use 9.'],
  ])('is told the way out: %s', (_, value, issue, expected) => {
    expect(wayOut(value, issue)).toBe(expected)
  })

  it('is told what it stands for where it is beyond a bound, and what counts without it', () => {
    const number = schema({ type: 'number' })
    const described = (description: string, def: object) => ({ description, _zod: { def } })
    const optional = (innerType: object, description: string) => described(description, { type: 'optional', innerType })
    const options = mapping({
      wait: described('seconds before it gives up', { type: 'default', innerType: number, defaultValue: 5 }),
      speed: optional(number, 'Relative speed; default 1'),
      slots: optional(schema({ type: 'record', valueType: number }), 'slots by type'),
      nodes: optional(either(number, schema({ type: 'array', element: mapping({ count: number, cores: optional(number, 'processors') }) })), 'a number of nodes, or groups'),
      long: optional(number, `what it is: ${'words '.repeat(40)}`),
      bare: number,
    })
    const at = (...path: (string | number)[]) => describeIssues(options, {}, [{ code: 'too_small', minimum: 1, message: 'too small', path } as never]).wayOut
    expect([at('wait'), at('speed'), at('slots', 'map'), at('nodes'), at('nodes', 0), at('nodes', 0, 'cores'), at('nodes', 0, 'count'), at('long'), at('bare'), at()]).toEqual([
      '"wait" stands for seconds before it gives up. Leave it out for 5.', '"speed" stands for relative speed; default 1.', '"slots" stands for slots by type.',
      '"nodes" stands for a number of nodes, or groups.', '"nodes" stands for a number of nodes, or groups.', '"cores" stands for processors.', '', '"long" stands for what it is.', '', '',
    ])
  })

  it('is told what it stands for, and so its unit, where a number has another', () => {
    const options = mapping({ wait: { description: 'seconds before it gives up', ...schema({ type: 'number' }) } })
    const wayOut = (wait: string, issue: object) => describeIssues(options, { wait }, [{ message: 'Invalid input', path: ['wait'], ...issue }]).wayOut
    const number = { code: 'invalid_type', expected: 'number' }
    const numberOrWord = { code: 'invalid_union', errors: [[number], [{ code: 'invalid_value', values: ['auto'] }]] }
    const told = '"wait" stands for seconds before it gives up.'
    expect([wayOut('5m', number), wayOut('1-00:00', { ...number, expected: 'int' }), wayOut('1.5 h', numberOrWord)]).toEqual([told, told, told])
    expect([wayOut('soon', number), wayOut('1e3', number), wayOut('5m', { ...number, expected: 'boolean' })]).toEqual(['', 'Write it without quotes: 1e3.', ''])
  })

  it('is told the nearest word of the kinds of a mapping', () => {
    const kinds = either(mapping({ kind: word('exponential') }), mapping({ kind: word('uniform') }))
    expect(describeIssues(kinds, { kind: 'unifrom' }, [{ code: 'invalid_union', message: 'Invalid input', errors: [], path: ['kind'] } as never]))
      .toEqual({ at: ['kind'], fact: 'found "unifrom", expected "exponential" or "uniform".', wayOut: 'Did you mean "uniform"?' })
  })
})

describe('a value of a union that is a branch of another', () => {
  const duration = either(schema({ type: 'number' }), either(mapping({ kind: word('exponential'), mean: schema({ type: 'number' }) }), mapping({ kind: word('uniform'), min: schema({ type: 'number' }) })))
  const wrong = (expected: string, ...path: string[]) => ({ code: 'invalid_type', expected, message: 'Invalid input', path })
  const otherKind = (kind: string) => ({ code: 'invalid_value', values: [kind], message: 'Invalid input', path: ['kind'] })
  /** As zod reports it: number, or a mapping of one of two kinds. */
  const issueOf = (...kinds: readonly object[][]) => [{ code: 'invalid_union', message: 'Invalid input', errors: [[wrong('number')], [{ code: 'invalid_union', message: 'Invalid input', path: [], errors: kinds }]] } as never]

  it('is judged by the branch that was meant', () => {
    expect(describeIssues(duration, { kind: 'uniform', min: 'a' }, issueOf([otherKind('exponential'), wrong('number', 'mean')], [wrong('number', 'min')])))
      .toEqual({ at: ['min'], fact: 'found "a", expected a number.', wayOut: '' })
  })

  it('is told all kinds where it is of none', () => {
    expect(describeIssues(duration, { kind: 'unifrom', min: 1 }, issueOf([otherKind('exponential')], [otherKind('uniform')])))
      .toEqual({ at: ['kind'], fact: 'found "unifrom", expected "exponential" or "uniform".', wayOut: 'Did you mean "uniform"?' })
  })

  it('is told once what is expected where it is of no branch', () => {
    expect(describeIssues(duration, 'soon', issueOf([wrong('object')], [wrong('object')])).fact).toBe('found "soon", expected a number or a mapping.')
  })
})

describe('an unknown key of a mapping of several kinds', () => {
  const kinds = either(mapping({ kind: either(word('a'), word('b')), size: either(word('all'), text), x: text }), mapping({ kind: word('c'), y: text }))
  const unknown = (key: string) => [{ code: 'unrecognized_keys', message: `Unrecognized key: "${key}"`, keys: [key] }]

  it('is told with the keys of the kind that the value is of, and the kind that knows it', () => {
    // fields that may be other than a word tell no kinds apart
    expect(describeIssues(kinds, { kind: 'b', size: 'large', y: 1 }, unknown('y'))).toEqual({ at: ['y'], fact: 'unknown key "y".', wayOut: 'It is a key of kind: c. Known: kind, size, x.' })
    expect(describeIssues(kinds, { kind: 'c', x: 1 }, unknown('x')).wayOut).toBe('It is a key of kind: a or b. Known: kind, y.')
  })

  it('is told with all keys where the value is of no kind', () => {
    expect(describeIssues(kinds, { kind: 'd', other: 1 }, unknown('other')).wayOut).toBe('Known: kind, size, x, y.')
  })
})
