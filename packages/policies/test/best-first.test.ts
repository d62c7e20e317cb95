import { randomStream } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { bestFirst } from '../src/condor/best-first.js'

describe('bestFirst', () => {
  it('reads numbers as sorting does, also where only some are read', () => {
    const wrong = Array.from({ length: 300 }, (_, seed) => seed).filter((seed) => {
      const random = randomStream(seed, 'best first')
      const values = Array.from({ length: Math.floor(random() * 40) }, () => Math.floor(random() * 10))
      const compare = (a: number, b: number) => (values[a] as number) - (values[b] as number) || a - b
      const sorted = [...values.keys()].sort(compare)
      const [most, some]: [number, number[]] = [Math.floor(random() * 40), []]
      for (const each of bestFirst(values.length, compare)) {
        if (some.length === most) break
        some.push(each)
      }
      return JSON.stringify([...bestFirst(values.length, compare)]) !== JSON.stringify(sorted) || JSON.stringify(some) !== JSON.stringify(sorted.slice(0, most))
    })
    expect(wrong).toEqual([])
  })
})
