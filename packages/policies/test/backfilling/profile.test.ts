import { randomStream } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { Profile } from '../../src/backfilling/profile.js'

const CAPACITY = [9, 7]
const HORIZON = 2000

/** Free amounts second by second. */
class Plain {
  readonly #free = Array.from({ length: HORIZON }, () => [...CAPACITY])

  take(start: number, end: number, vector: readonly number[], sign: 1 | -1 = 1): void {
    for (const free of this.#free.slice(start, end)) for (const [r, amount] of vector.entries()) free[r] = (free[r] ?? NaN) - sign * amount
  }

  earliest(length: number, vector: readonly number[], notBefore: number, before = Infinity): number {
    for (let start = notBefore, second = start; start < before; ) {
      if (vector.some((amount, r) => amount > 0 && amount > (this.#free[second]?.[r] ?? NaN))) start = second = second + 1
      else if (++second >= Math.min(start + length, before)) return start
    }
    return Infinity
  }
}

describe('Profile', () => {
  it('finds the starts that a search second by second finds, whatever was searched, taken and given back before', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const draw = randomStream(seed, 'searches')
      const below = (count: number) => Math.floor(count * draw())
      const profile = new Profile(2)
      profile.reset(0, Float64Array.from(CAPACITY))
      const plain = new Plain()
      const taken: { start: number; end: number; vector: number[] }[] = []
      for (let i = 0; i < 200; i++) {
        const [length, vector, time] = [below(13), [below(10), below(8)], below(300)]
        const column = Float64Array.from(vector)
        expect([seed, i, profile.earliestBefore(time, length, column, 0)]).toEqual([seed, i, plain.earliest(length, vector, 0, time)])
        expect([seed, i, profile.earliest(length, column, 0, time)]).toEqual([seed, i, plain.earliest(length, vector, time)])
        const start = plain.earliest(length, vector, 0)
        expect([seed, i, profile.earliest(length, column, 0)]).toEqual([seed, i, start])
        profile.take(start, start + length, column, 0)
        plain.take(start, start + length, vector)
        taken.push({ start, end: start + length, vector })
        if (draw() < 0.98) continue
        for (const back of taken.splice(below(taken.length), 3)) {
          profile.take(back.start, back.end, Float64Array.from(back.vector), 0, -1)
          plain.take(back.start, back.end, back.vector, -1)
        }
      }
    }
  })
})
