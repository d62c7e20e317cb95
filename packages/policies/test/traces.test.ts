import { delay, fair, fifo, greedy, skipDelay } from '@sched/policies'
import { examples, playScript, type Script } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { naiveDelay, naiveGreedy, naiveSkipDelay } from './reference/disciplines.js'
import { naiveByRunning } from './reference/orders.js'

const byRunning = fair({ pools: false })
const expected = ({ steps }: Script) => steps.map(({ starts }) => starts)

// Jobs a (block on n3) and b (both blocks on n1); heartbeats of n1, n2, n3, n3, n2 with one free slot each.
describe('the trace of Algorithm 2 (Zaharia et al., EuroSys 2010)', () => {
  it('with D = 0 starts a and both of b far from their data, as Algorithm 1 does', () => {
    expect(playScript(examples.naiveFair, skipDelay(byRunning, { skips: 0 }))).toEqual(expected(examples.naiveFair))
    expect(playScript(examples.naiveFair, greedy(byRunning))).toEqual(expected(examples.naiveFair))
  })

  it('with D = 1 skips each job once', () => {
    expect(playScript(examples.skipOnce, skipDelay(byRunning, { skips: 1 }))).toEqual(expected(examples.skipOnce))
  })

  it('with D = 2 finds the data of a', () => {
    expect(playScript(examples.skipTwice, skipDelay(byRunning, { skips: 2 }))).toEqual(expected(examples.skipTwice))
  })

  it('is also that of the pseudo-code', () => {
    expect(playScript(examples.naiveFair, naiveGreedy(naiveByRunning))).toEqual(expected(examples.naiveFair))
    expect([0, 1, 2].map((skips) => playScript(examples.skipTwice, naiveSkipDelay(naiveByRunning, skips)))).toEqual(
      [examples.naiveFair, examples.skipOnce, examples.skipTwice].map(expected),
    )
  })
})

// One job with all its data on n0; n1 is on the same rack, n2 on another. W1 = 5 s, W2 = 10 s.
describe('the trace of Algorithm 3 (Zaharia et al., EuroSys 2010)', () => {
  const scripts = Object.entries({ 'level by level': examples.delay, 'from the node straight to anywhere': examples.delayFromNode, 'with a heartbeat without a free slot': examples.delayGap })

  it.each(scripts)('goes %s', (_, script) => {
    for (const order of [byRunning, fifo(), fair()]) expect(playScript(script, delay(order, { node: 5, rack: 10 }))).toEqual(expected(script))
    expect(playScript(script, delay(fifo(), { waits: [5, 10] }))).toEqual(expected(script))
    expect(playScript(script, naiveDelay(naiveByRunning, [5, 10]))).toEqual(expected(script))
  })
})
