import { describe, expect, it } from 'vitest'
import { grown } from '../src/index.js'

describe('grown', () => {
  it('keeps a column that is large enough, and copies one that is not into at least half as much again', () => {
    const column = Int32Array.of(...Array.from({ length: 20 }, (_, i) => i))
    expect(grown(column, 20)).toBe(column)
    const larger = grown(column, 21)
    expect(larger).toHaveLength(30)
    expect(larger.subarray(0, 20)).toEqual(column)
    expect(grown(new Float64Array(0), 1)).toHaveLength(16)
  })

  it('fills what is new', () => {
    expect(grown(Float64Array.of(1, 2), 3, NaN).subarray(0, 4)).toEqual(Float64Array.of(1, 2, NaN, NaN))
    expect(grown(Int8Array.of(1), 2, -1).at(-1)).toBe(-1)
  })
})
