import { describe, expect, it } from 'vitest'
import { describeIssues } from '../src/index.js'

/** Schemas as zod has them inside; this package depends on no library. */
const schema = (def: object) => ({ _zod: { def } })
const text = schema({ type: 'string' })
const word = (value: string) => schema({ type: 'literal', values: [value] })
const either = (...options: object[]) => schema({ type: 'union', options })
const mapping = (shape: object) => schema({ type: 'object', shape })

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
