import { partitionPoint } from '@sched/core'
import { describe, expect, it } from 'vitest'

describe('partitionPoint', () => {
  it('finds the first index at which it is false, wherever that is', () => {
    for (let low = 0; low < 4; low++)
      for (let high = low; high < 12; high++)
        for (let first = low; first <= high; first++) {
          const asked: number[] = []
          expect(partitionPoint(low, high, (i) => asked.push(i) > 0 && i < first)).toBe(first)
          expect(asked.every((i) => i >= low && i < high)).toBe(true)
          expect(asked.length).toBeLessThanOrEqual(Math.ceil(Math.log2(high - low + 1)))
        }
  })
})
