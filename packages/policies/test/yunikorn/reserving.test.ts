import { dispatcher } from '@sched/cluster'
import type { Plug } from '@sched/core'
import { greedy, yunikorn, yunikornPreempting, yunikornReserving, type YunikornPolicyOptions } from '@sched/policies'
import { checkPolicyLaws, cluster, firstDifference, instantCluster, job, run, worlds, type JobChange, type WorldOptions } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'
import { recorded } from '../reference/recorded.js'
import { naiveYunikornReserving } from '../reference/yunikorn-reserving.js'
import { naiveYunikorn } from '../reference/yunikorn.js'

// Cases of YuniKorn's own tests (scheduler/tests/reservation_test.go, partition_test.go, resources_test.go), in numbers of ours.

type Wanted = readonly [id: string, tasks: number, cpu: number, change?: JobChange]

/** Nodes `n0`, `n1`, ... with so many CPUs each, which have their number as the label `place`. */
function play(nodes: readonly number[], options: YunikornPolicyOptions = {}, make = yunikornReserving) {
  const described = instantCluster({ nodes: nodes.map((cpu, i) => ({ name: `n${i}`, count: 1, resources: { cpu }, labels: { place: `${i}` } })) })
  const master = dispatcher({ cluster: described, policy: make(options) })
  const nameOf = (node: string) => node.replace(/-0$/, '')
  const running: { readonly id: number; readonly job: string; readonly node: string }[] = []
  return {
    master,
    /** What starts, and where, once these have come. */
    at: (now: number, ...wanted: readonly Wanted[]) => {
      for (const [id, tasks, cpu, change] of wanted) master.submit(job({ id, queue: id.split(' ')[0] as string, tasks, demand: { cpu }, ...change }), now)
      const { start, kill } = master.pass(now)
      for (const { id } of kill) running.splice(running.findIndex((each) => each.id === id), 1)
      running.push(...start)
      return start.map((each) => `${each.job} on ${nameOf(each.node)}`)
    },
    /** So many tasks of a job end on a node. */
    end: (id: string, node: string, tasks: number, now: number) => {
      for (let left = tasks; left > 0; left--) {
        const at = running.findIndex((each) => each.job === id && nameOf(each.node) === node)
        master.taskEnded(running.splice(at, 1)[0] as (typeof running)[number], now)
      }
    },
  }
}
describe('a reservation', () => {
  it('is made for each task that fits nowhere, on one node each, once it has waited 2 s (TestBasicReservation)', () => {
    const small = (options: YunikornPolicyOptions, at: number) => {
      const world = play([5, 5], options)
      world.at(0, ['a 1', 6, 2])
      expect(world.master.nextWake).toBe(options.reservations === false ? Infinity : (options.reservationDelay ?? 2))
      world.at(at)
      return world.at(at, ['b 1', 2, 1])
    }
    const both = ['b 1 on n0', 'b 1 on n1']
    expect([small({}, 1.9), small({}, 2)]).toEqual([both, []])
    expect([small({ reservationDelay: 5 }, 4), small({ reservationDelay: 5 }, 5)]).toEqual([both, []])
    expect(small({ reservations: false }, 60)).toEqual(both)
  })

  it('keeps jobs behind off, and is filled first when there is room (TestReservationForTwoQueues)', () => {
    const { at, end } = play([5, 5])
    at(0, ['a 1', 4, 2])
    at(1, ['b large', 2, 2])
    expect(at(3)).toEqual([])
    expect(at(4, ['b small', 2, 1])).toEqual([])
    for (const node of ['n0', 'n1']) end('a 1', node, 2, 5)
    expect(at(5)).toEqual(['b large on n0', 'b large on n1', 'b small on n0', 'b small on n0'])
  })

  it('ends with its node, the others stay (TestRemoveReservedNode)', () => {
    const { master, at } = play([5, 5])
    at(0, ['a 1', 6, 2])
    at(2)
    master.nodeDown('n1-0', 3)
    expect(at(3, ['b 1', 1, 1])).toEqual([]) // n0 is reserved still
    master.nodeUp('n1-0', 4)
    expect(at(4)).toEqual(['b 1 on n1'])
  })

  it('ends where its task starts on a node that comes (TestAddNewNode, TestAllocReserveNewNode)', () => {
    const { master, at } = play([5, 5, 5])
    master.nodeDown('n2-0', 0)
    at(0, ['a 1', 6, 2])
    at(2)
    master.nodeUp('n2-0', 3)
    expect(at(3)).toEqual(['a 1 on n2', 'a 1 on n2'])
    expect(at(4, ['b 1', 3, 1])).toEqual(['b 1 on n0', 'b 1 on n1', 'b 1 on n2'])
  })

  it('ends with its job (TestUnReservationAndDeletion)', () => {
    const { master, at } = play([3, 3])
    at(0, ['a 1', 1, 2], ['a 2', 1, 2], ['a 3', 1, 2])
    at(2)
    expect(at(3, ['b 1', 2, 1])).toEqual(['b 1 on n1']) // n0 is reserved for a 3
    master.cancel('a 3', 4)
    expect(at(4)).toEqual(['b 1 on n0'])
  })

  it('is of no node that could not hold the task (TestTryAllocateLarge)', () => {
    const { at, end } = play([2, 9])
    at(0, ['a 1', 11, 1])
    at(1, ['b 1', 1, 8])
    at(3)
    end('a 1', 'n0', 1, 4)
    end('a 1', 'n1', 1, 4)
    expect(at(4, ['c 1', 2, 1])).toEqual(['c 1 on n0'])
  })

  it('is of the node that lacks least, by parts of what the task asks (FitInScore)', () => {
    const nodes = [0, 1].map((i) => ({ name: `n${i}`, count: 1, resources: { cpu: 4, mem: 100 } }))
    const master = dispatcher({ cluster: instantCluster({ nodes }), policy: yunikornReserving() })
    const at = (now: number, id: string, tasks: number, demand: Readonly<Record<string, number>>) => {
      master.submit(job({ id, tasks, demand }), now)
      return master.pass(now).start.map(({ node }) => node)
    }
    expect([at(0, 'a', 1, { cpu: 3, mem: 10 }), at(0, 'b', 1, { cpu: 2, mem: 50 })]).toEqual([['n0-0'], ['n1-0']])
    at(1, 'c', 1, { cpu: 4, mem: 100 }) // lacks 3/4 + 10/100 on the first, 2/4 + 50/100 on the second
    master.pass(3)
    expect(at(4, 'd', 9, { cpu: 1, mem: 1 })).toEqual(['n1-0', 'n1-0'])
  })

  it('goes before higher priorities, on other nodes too', () => {
    const { at, end } = play([2, 2])
    at(0, ['a 1', 2, 2])
    at(1, ['b 1', 1, 2])
    at(3) // n0
    at(4, ['b 2', 1, 2, { priority: 5 }])
    end('a 1', 'n1', 1, 5)
    expect(at(5)).toEqual(['b 1 on n1'])
    end('a 1', 'n0', 1, 6)
    expect(at(6)).toEqual(['b 2 on n0'])
  })

  it('is not made where labels or taints keep the task off the node that lacks least (preReserveConditions)', () => {
    const small = (free: number) => {
      const { master, at, end } = play([4, 4])
      at(0, ['a 1', 8, 1])
      const { stages, ...picky } = job({ id: 'b 1', demand: { cpu: 4 } })
      master.submit({ ...picky, stages: stages.map((stage) => ({ ...stage, constraints: { require: { place: '1' } } })) }, 1)
      end('a 1', 'n0', free, 2)
      end('a 1', 'n1', 1, 2)
      at(3)
      return at(4, ['c 1', 9, 1])
    }
    expect(small(0)).toEqual([])
    expect(small(2)).toEqual(['c 1 on n0', 'c 1 on n0', 'c 1 on n1'])
  })

  it('stays where its queue has no room for now, and ends where as many jobs run as may', () => {
    const seen = (settings: object) => {
      const { at, end } = play([4, 4, 4], { root: { queues: { q: settings } } })
      at(0, ['a 1', 11, 1])
      at(1, ['q 1', 1, 4])
      at(3) // n2 lacks least
      end('a 1', 'n0', 1, 4)
      expect(at(4, ['q 2', 1, 1, { priority: 1 }])).toEqual(['q 2 on n0'])
      return at(5, ['b 1', 1, 1])
    }
    expect(seen({})).toEqual([])
    expect(seen({ max: { cpu: 4 } })).toEqual([])
    expect(seen({ maxApplications: 1 })).toEqual(['b 1 on n2'])
    expect(seen({ limits: [{ users: ['*'], maxApplications: 1 }] })).toEqual(['b 1 on n2'])
  })

  it('is made by a gang for each task for which reserved nodes have no room, and kept until all start', () => {
    const { at, end } = play([4, 4, 4, 4])
    at(0, ['a 1', 16, 1])
    at(1, ['g 1', 4, 1, { gang: true }])
    end('a 1', 'n0', 2, 2)
    at(3) // n0 has room for two; n1 and n2
    end('a 1', 'n3', 1, 4)
    expect(at(4, ['b 1', 2, 1])).toEqual(['b 1 on n3'])
    end('a 1', 'n1', 1, 5)
    expect(at(5)).toEqual([])
    end('a 1', 'n2', 1, 6)
    expect(at(6)).toEqual(['g 1 on n0', 'g 1 on n0', 'g 1 on n1', 'g 1 on n2'])
    end('a 1', 'n1', 1, 7)
    expect(at(7)).toEqual(['b 1 on n1'])
  })

  it('is made by no gang while another one has too few nodes', () => {
    const small = (others: readonly Wanted[]) => {
      const { at, end } = play([4, 4, 2, 2])
      at(0, ['a 1', 12, 1])
      at(1, ['s 1', 1, 4])
      at(3) // n0
      at(3, ...others)
      at(5)
      at(5, ['h 1', 2, 2, { gang: true }])
      at(7)
      end('a 1', 'n2', 1, 8)
      return at(8, ['b 1', 1, 1])
    }
    expect(small([])).toEqual([])
    expect(small([['g 1', 2, 4, { gang: true }]])).toEqual(['b 1 on n2']) // g has n1 and waits for n0
  })

  it('is given up by one of two gangs that both lack nodes since some have gone', () => {
    const { master, at, end } = play([2, 2, 2, 2])
    at(0, ['a 1', 8, 1])
    at(1, ['g 1', 2, 2, { gang: true }], ['g 2', 2, 2, { gang: true }])
    at(3) // n0 and n1 for the one, n2 and n3 for the other
    for (const node of ['n1', 'n3']) master.nodeDown(`${node}-0`, 4)
    at(4)
    for (const node of ['n0', 'n2']) end('a 1', node, 2, 5)
    expect(at(5)).toEqual(['g 1 on n0', 'g 1 on n2'])
  })

  it('is not made at heartbeats', () => {
    const jobs = Array.from({ length: 30 }, (_, i) => job({ id: `${i}`, submit: i, tasks: 2, duration: 9, demand: { cpu: (i % 3) + 1 } }))
    const nodes = [{ name: 'n', count: 2, resources: { cpu: 3 } }]
    const recorded = (policy: Plug<'policy'>, beats: boolean) => run({ cluster: beats ? cluster({ nodes }) : instantCluster({ nodes }), policy, jobs }).recorder
    for (const beats of [true, false]) {
      const difference = firstDifference(recorded(yunikornReserving(), beats), recorded(greedy(yunikorn()), beats), 'greedy')
      expect(difference === undefined).toBe(beats)
    }
  })
})

describe('yunikorn-preempting', () => {
  it('takes nothing on nodes that are reserved for others', () => {
    const taken = (reservations: boolean) => {
      const options: YunikornPolicyOptions = { root: { queues: { a: {}, b: { guaranteed: { cpu: 1 } } } }, reservations }
      const { at } = play([2, 2], options, yunikornPreempting)
      at(0, ['a 1', 4, 1])
      at(1, ['b large', 2, 2])
      at(3)
      at(4, ['b small', 1, 1])
      return at(34)
    }
    expect([taken(false), taken(true)]).toEqual([['b small on n0'], []])
  })
  it('gives up what a task had reserved that starts in the place of others', () => {
    const options: YunikornPolicyOptions = { root: { queues: { a: {}, b: { guaranteed: { cpu: 2 } } } } }
    const { at, end } = play([2, 2], options, yunikornPreempting)
    at(0, ['a 1', 2, 1], ['a 2', 1, 2])
    at(1, ['b 1', 1, 2])
    at(3) // n0
    expect(at(31)).toEqual(['b 1 on n1']) // where one has to go
    end('a 1', 'n0', 1, 32)
    expect(at(32, ['c 1', 1, 1])).toEqual(['c 1 on n0'])
  })
})

describe('yunikorn-reserving in any small world', { tags: 'long' }, () => {
  it.each<[string, number, WorldOptions]>([
    ['alone', 60, {}],
    ['where stages are gangs', 220, { gangs: true, outages: true, failures: true }], // two lack nodes in the 206th, all of which are reserved
    ['where jobs have masters', 60, { masters: true, outages: true, failures: true }],
  ])('keeps the laws of policies: %s', (_, runs, worlds) => {
    const { launches } = checkPolicyLaws(() => yunikornReserving({ reservationDelay: 0.5 }, firstNode()), { runs, seed: 3, worlds, skip: { reservations: 'jobs outlive their estimates' } })
    expect(launches).toBeGreaterThan(150)
  })

  it.each<[string, WorldOptions]>([
    ['tasks', { slots: false, jobs: 24 }],
    ['gangs of stages, where nodes go', { slots: false, gangs: true, outages: true, failures: true, jobs: 20 }],
    ['gangs of jobs, where nodes go', { slots: false, gangJobs: true, outages: true, jobs: 14 }],
  ])('finds by what it remembers of nodes with room what a search of all nodes finds, for %s', (_, kind) => {
    let launches = 0
    fc.assert(
      fc.property(worlds(kind), fc.constantFrom(0, 1), (world, reservationDelay) => {
        const recorder = recorded(world, yunikornReserving({ reservationDelay }))
        launches += recorder.launches.length
        expect(firstDifference(recorder, recorded(world, yunikornReserving({ reservationDelay }, firstNode())), 'a search of all nodes')).toBeUndefined()
      }),
      { seed: 9, numRuns: 120 },
    )
    expect(launches).toBeGreaterThan(1500)
  })

  it('decides as YuniKorn does cycle by cycle, one start or one reservation in each', () => {
    let launches = 0
    let differ = 0
    fc.assert(
      fc.property(worlds({ jobs: 10 }), fc.constantFrom(0, 1, 4), fc.boolean(), (world, reservationDelay, isLimited) => {
        const resources = [...new Set(world.jobs.flatMap(({ stages }) => stages.flatMap(({ demand }) => Object.keys(demand))))]
        const options: YunikornPolicyOptions = { root: { queues: { a: isLimited ? { max: Object.fromEntries(resources.map((name) => [name, 9])) } : {} } } }
        const recorder = recorded(world, yunikornReserving({ ...options, reservationDelay }, firstNode()))
        launches += recorder.launches.length
        expect(firstDifference(recorder, recorded(world, naiveYunikornReserving(naiveYunikorn(options), reservationDelay)), 'the reference')).toBeUndefined()
        if (firstDifference(recorder, recorded(world, greedy(yunikorn(options), firstNode())), 'greedy') !== undefined) differ++
      }),
      { seed: 5, numRuns: 80 },
    )
    expect(launches).toBeGreaterThan(240)
    expect(differ).toBeGreaterThan(5)
  })
})
