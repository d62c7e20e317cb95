import { describe, expect, it } from 'vitest'
import { secondsOfGo } from '../src/index.js'

describe('secondsOfGo', () => {
  it.each<[string, number | undefined]>([
    ['30s', 30], ['1h2m3s', 3723], ['1.5m', 90], ['250ms', 0.25], ['0', 0], ['0s', 0], ['5', undefined], ['', undefined], ['-5s', undefined], ['5 s', undefined], ['2d', undefined],
  ])('reads %s as %s', (text, seconds) => {
    expect(secondsOfGo(text)).toBe(seconds)
  })
})
