// @module-tag long
import { greedy, yunikorn, type YunikornOptions } from '@sched/policies'
import { checkPolicyLaws, firstDifference, worlds, type World } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { QueueOptions } from '../../src/yunikorn/options.js'
import { firstNode } from '../first-node.js'
import { naiveGreedy } from '../reference/disciplines.js'
import { recorded } from '../reference/recorded.js'
import { naiveYunikorn } from '../reference/yunikorn.js'

describe('the order yunikorn in any small world', () => {
  const resourcesOf = ({ jobs }: World) => [...new Set(jobs.flatMap(({ stages }) => stages.flatMap(({ demand }) => Object.keys(demand))))]
  const usersOf = ({ jobs }: World) => [...new Set(jobs.map(({ user }) => user ?? 'default'))]
  /** Settings that depend on the name of a queue and on `kind` alone. */
  const optionsOf = (world: World, kind: number): YunikornOptions => {
    const resources = resourcesOf(world)
    const amounts = (i: number) => Object.fromEntries(resources.flatMap((name, r) => ((i + r + kind) % 3 === 0 ? [] : [[name, (i + r + kind) % 4]])))
    const settingsOf = (name: string) => {
      const i = name.charCodeAt(name.length - 1) + kind
      return {
        guaranteed: amounts(i), sort: i % 2 === 0 ? ('fair' as const) : ('fifo' as const), sortPriority: i % 3 !== 0, priorityOffset: (i % 3) - 1,
        priorityPolicy: i % 4 === 0 ? ('fence' as const) : ('default' as const), maxApplications: kind === 1 ? 2 : 0,
        ...(kind === 2 && name === 'a' && { max: Object.fromEntries(resources.map((resource) => [resource, 9])) }),
      }
    }
    const queues: Record<string, QueueOptions> = {}
    for (const path of world.queues) {
      let inside = queues
      for (const name of path.split('.')) {
        inside[name] ??= { ...settingsOf(name), queues: {} }
        inside = inside[name].queues as Record<string, QueueOptions>
      }
    }
    const [first = 'ann', second = 'bob'] = usersOf(world)
    const limits = kind !== 3 ? [] : [{ users: [first], maxApplications: 1 }, { users: ['*'], maxApplications: 2 }, { groups: ['team'], maxApplications: 2 }, { groups: ['*'], maxApplications: 1 }]
    return { root: { sortPriority: kind !== 2, limits, queues }, groups: { [first]: ['team'], [second]: ['other'] } }
  }

  it('keeps the laws of policies', () => {
    expect(checkPolicyLaws((world) => greedy(yunikorn(optionsOf(world, 0)), firstNode()), { runs: 20 }).launches).toBeGreaterThan(150)
  })

  it('decides as one that counts and compares everything anew at every decision', () => {
    let launches = 0
    fc.assert(
      fc.property(worlds({ jobs: 10 }), fc.integer({ min: 0, max: 3 }), (world, kind) => {
        const recorder = recorded(world, greedy(yunikorn(optionsOf(world, kind)), firstNode()))
        launches += recorder.launches.length
        expect(firstDifference(recorder, recorded(world, naiveGreedy(naiveYunikorn(optionsOf(world, kind)))), 'the reference')).toBeUndefined()
      }),
      { seed: 13, numRuns: 80 },
    )
    expect(launches).toBeGreaterThan(240)
  })
})
