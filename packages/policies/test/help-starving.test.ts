import { easy, fifo, greedy, helpStarving, sjf } from '@sched/policies'
import { checkPolicyLaws, firstDifference, instantCluster, job, run, worlds } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstNode } from './first-node.js'
import { naiveGreedy } from './reference/disciplines.js'
import { JobsInSystem, type MakeOrder } from './reference/naive.js'
import { recorded } from './reference/recorded.js'

/** Jobs by submission; if the first has waited for too long, that one alone. */
const naiveHelpStarving = (longest: number): MakeOrder => ({ work }) => {
  const all = new JobsInSystem()
  return {
    onSubmit: all.add,
    onFinish: all.remove,
    list(round) {
      const waiting = all.runnable(round)
      const [oldest] = waiting
      const byPriority = [...waiting].sort((a, b) => work.priority(b) - work.priority(a) || work.rank(a) - work.rank(b))
      return oldest !== undefined && work.submitted(oldest) + longest < round.now ? [oldest] : byPriority
    },
  }
}

describe('help-starving', () => {
  // s0 at 0, s1 at 2, ... run for 3 s each, so one of the two slots is taken until 25; `wide` comes at 1 and asks for both
  const small = Array.from({ length: 12 }, (_, i) => job({ id: `s${i}`, submit: 2 * i, tasks: 1, demand: { slots: 1 }, duration: 3 }))
  const wide = job({ id: 'wide', submit: 1, tasks: 1, demand: { slots: 2 }, duration: 5 })
  const starts = (order: Parameters<typeof greedy>[0]) => {
    const { launches } = run({ policy: greedy(order), jobs: [...small, wide], cluster: instantCluster({ nodes: [{ count: 1, resources: { slots: 2 } }] }) }).recorder
    return Object.fromEntries(launches.filter((launch) => ['wide', 's4', 's5'].includes(launch.job)).map((launch) => [launch.job, launch.time]))
  }

  it('lets a job that has waited for too long start before all others', () => {
    expect(starts(fifo())).toEqual({ s4: 8, s5: 10, wide: 25 })
    // from after 9 on it starves: s5 does not start at 10, wide when s4 ends
    expect(starts(helpStarving(fifo(), { max_starve: 8 }))).toEqual({ s4: 8, wide: 11, s5: 16 })
    expect(starts(helpStarving(fifo(), { max_starve: 9 }))).toEqual({ s4: 8, s5: 10, wide: 13 }) // at 10 it has waited for just 9
  })

  it('lists what its definition lists', () => {
    let launches = 0
    fc.assert(
      fc.property(worlds({ jobs: 10 }), fc.constantFrom(0, 1, 4, 12), (world, longest) => {
        const recorder = recorded(world, greedy(helpStarving(fifo(), { max_starve: longest }), firstNode()))
        launches += recorder.launches.length
        expect(firstDifference(recorder, recorded(world, naiveGreedy(naiveHelpStarving(longest))), 'the reference')).toBeUndefined()
      }),
      { seed: 9, numRuns: 150 },
    )
    expect(launches).toBeGreaterThan(1000)
  })

  it('obeys the laws of policies', { tags: 'long' }, () => {
    const skip = { reservations: 'jobs outlive their estimates' }
    for (const policy of [greedy(helpStarving(fifo(), { max_starve: 3 }), firstNode()), easy(helpStarving(sjf(), { max_starve: 3 }))])
      expect(checkPolicyLaws(() => policy, { runs: 80, seed: 3, skip, worlds: { gangs: true, outages: true, failures: true } }).launches).toBeGreaterThan(300)
  })
})
