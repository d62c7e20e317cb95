import { expect, it } from 'vitest'
import { passes } from '../src/index.js'

const pass = { kind: 'plan', waiting: 3, looked: 2, tried: 1, started: 1, entries: 4 } as const

it('adds up passes by kind: means, the most and the last', () => {
  const metric = passes()
  metric.onPass(pass, 0)
  metric.onPass({ kind: 'first', waiting: 1, looked: 1, tried: 1, started: 0 }, 30)
  metric.onPass({ ...pass, waiting: 6, started: 0, entries: 1 }, 60)
  metric.onPass({ ...pass, waiting: 0, looked: 0 }, 120)
  expect(metric.result()).toEqual([
    {
      kind: 'plan', passes: 3, perMinute: 1, started: 2,
      waiting: { mean: 3, max: 6, last: 0 }, looked: { mean: 4 / 3, max: 2, last: 0 }, tried: { mean: 1, max: 1, last: 1 }, entries: { mean: 3, max: 4, last: 4 },
    },
    {
      kind: 'first', passes: 1, perMinute: NaN, started: 0,
      waiting: { mean: 1, max: 1, last: 1 }, looked: { mean: 1, max: 1, last: 1 }, tried: { mean: 1, max: 1, last: 1 }, entries: { mean: NaN, max: NaN, last: NaN },
    },
  ])
})

it('counts those of a period only, and says nothing where nobody told of any', () => {
  const metric = passes({ from: 10, to: 20 })
  metric.onPass(pass, 9)
  expect(metric.result()).toBeUndefined()
  metric.onPass(pass, 10)
  metric.onPass(pass, 20)
  expect(metric.result()?.[0]?.passes).toBe(1)
})
