import { greedy, priority, strict } from '@sched/policies'
import { firstDifference, play, worlds } from '@sched/testkit'
import fc from 'fast-check'
import { expect, it } from 'vitest'

it.each([false, true])('by size jobs stand as with an age that counts for nothing, which is computed at every instant: also where nodes go and come, and with them the parts that all ask for (favorSmall: %s)', { tags: 'long' }, (favorSmall) => {
  let outages = 0
  fc.assert(
    fc.property(worlds({ outages: true, jobs: 12 }), (world) => {
      for (const policy of [greedy, strict]) {
        const { recorder } = play(world, () => policy(priority({ size: 5, favorSmall })))
        const every = play(world, () => policy(priority({ size: 5, favorSmall, age: 1e-12, maxAge: 1e9 }))).recorder
        expect(firstDifference(recorder, every)).toBe(undefined)
      }
      if ((world.outages ?? []).length > 0) outages++
    }),
    { seed: 7, numRuns: 150 },
  )
  expect(outages).toBeGreaterThan(20)
})
