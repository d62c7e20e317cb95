import { describe, expect, it } from 'vitest'
import { examples, playScript, type Script } from '../src/index.js'
import { inOrder } from './policies.js'

describe('a script', () => {
  it('is played heartbeat by heartbeat, with the free slots it says', () => {
    const script: Script = {
      ...examples.naiveFair,
      steps: [
        { at: 0, node: 'n-0', starts: ['a.0 at 1'] },
        { at: 1, node: 'n-1', free: 0, starts: [] },
        { at: 2, node: 'n-1', free: 2, starts: ['b.0 at 0', 'b.1 at 0'] },
      ],
    }
    expect(playScript(script, inOrder())).toEqual(script.steps.map(({ starts }) => starts))
  })

  it('tells a policy from another: one that never waits plays Algorithm 1 only', () => {
    const played = Object.entries(examples).filter(([, script]) => JSON.stringify(playScript(script, inOrder())) === JSON.stringify(script.steps.map(({ starts }) => starts)))
    expect(played.map(([name]) => name)).toEqual(['naiveFair'])
  })
})
