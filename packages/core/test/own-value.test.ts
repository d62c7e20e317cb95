import { describe, expect, it } from 'vitest'
import { ownValue } from '../src/index.js'

describe('ownValue', () => {
  it('is what a record says under a name, and nothing under a name that only all objects know', () => {
    const weights: Readonly<Record<string, number>> = { ann: 2 }
    expect(['ann', 'bob', 'constructor', 'toString', '__proto__'].map((name) => ownValue(weights, name))).toEqual([2, undefined, undefined, undefined, undefined])
    expect(ownValue({ constructor: 3 }, 'constructor')).toBe(3)
    expect(ownValue(undefined, 'ann')).toBeUndefined()
  })
})
