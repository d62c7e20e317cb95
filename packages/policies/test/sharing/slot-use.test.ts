import { portableExp2 } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { Decay } from '../../src/orders/slot-use.js'

describe('decay of use', () => {
  it('leaves a tenth after its time, and nothing goes where that is 0', () => {
    expect(new Decay(100).left(100)).toBeCloseTo(0.1, 15)
    expect(new Decay(0).left(1e9)).toBe(1)
  })

  it('is the same to the last bit whether kept or computed: whole seconds, parts of them, and long times', () => {
    const decay = new Decay(18000)
    const plain = (seconds: number) => portableExp2((-seconds / 18000) * 3.321928094887362)
    for (const seconds of [0, 1, 7, 7, 0.5, 7.25, 65535, 65535, 65536, 1e6, 1e9, -1, -0.5]) expect(decay.left(seconds)).toBe(plain(seconds))
    for (let seconds = 0; seconds < 3000; seconds += 7) expect([decay.left(seconds), decay.left(seconds)]).toEqual([plain(seconds), plain(seconds)])
  })
})
