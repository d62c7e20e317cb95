import { dispatcher } from '@sched/cluster'
import { yunikornPreempting, type YunikornOptions, type YunikornPolicyOptions } from '@sched/policies'
import { checkPolicyLaws, instantCluster, job, type JobChange } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'

/** Nodes with so many CPUs each; tasks ask one, unless told otherwise. */
function play(nodes: readonly number[], options: YunikornPolicyOptions) {
  const master = dispatcher({ cluster: instantCluster({ nodes: nodes.map((cpu) => ({ count: 1, resources: { cpu } })) }), policy: yunikornPreempting(options) })
  const running: { readonly id: number }[] = []
  const names = (tasks: readonly { readonly job: string }[]) => tasks.map((each) => each.job).sort()
  return {
    /** What starts, and what is taken for it, once these have come. */
    at: (now: number, ...wanted: readonly (readonly [id: string, tasks: number, change?: JobChange])[]) => {
      for (const [id, tasks, change] of wanted) master.submit(job({ id, queue: id.split(' ')[0] as string, tasks, demand: { cpu: 1 }, ...change }), now)
      const { start, kill } = master.pass(now)
      running.push(...start)
      return [names(start), names(kill)]
    },
    /** So many of those that started first end. */
    end: (tasks: number, now: number) => {
      for (const task of running.splice(0, tasks)) master.taskEnded(task, now)
    },
  }
}
const cpu = (amount: number) => ({ guaranteed: { cpu: amount } })
const two = (a: object, b: object, root: object = {}): YunikornOptions => ({ root: { ...root, queues: { a, b } } })

describe('yunikorn-preempting', () => {
  it('takes back what is guaranteed once the delay is over, the latest first, and no more', () => {
    const { at } = play([4], two(cpu(2), { ...cpu(2), preemptionDelay: 20 }))
    expect(at(0, ['a 1', 3], ['a 2', 1])).toEqual([['a 1', 'a 1', 'a 1', 'a 2'], []])
    expect(at(10, ['b 1', 3])).toEqual([[], []])
    expect(at(29)).toEqual([[], []])
    expect(at(30)).toEqual([['b 1', 'b 1'], ['a 1', 'a 2']])
    expect(at(300)).toEqual([[], []])
  })
  it('takes nothing where nothing is guaranteed, of its own queue, or of higher priorities', () => {
    const fails = (options: YunikornOptions, change: JobChange = {}) => {
      const { at } = play([2], options)
      at(0, ['a 1', 2])
      return at(0, ['b 1', 1, change])[1]?.length === 0 && at(60)[1]?.length === 0
    }
    expect(fails(two({}, {}))).toBe(true)
    expect(fails(two({}, cpu(1)), { queue: 'a', priority: 5 })).toBe(true)
    expect(fails(two({}, cpu(1)), { priority: -1 })).toBe(true)
    expect(fails(two({}, cpu(1)))).toBe(false)
    expect(fails(two({ preemptionPolicy: 'disabled' }, cpu(1)))).toBe(true)
    expect(fails(two({}, { ...cpu(1), preemptionPolicy: 'fence' }))).toBe(true)
    expect(fails(two({ priorityOffset: 1 }, cpu(1)))).toBe(true)
  })
  it('makes room below the maximum of a queue around both', () => {
    const { at } = play([9], { root: { queues: { t: { max: { cpu: 3 }, queues: { a: {}, b: cpu(2) } } } } })
    expect(at(0, ['t.a', 5])).toEqual([['t.a', 't.a', 't.a'], []])
    at(1, ['t.b', 3])
    expect(at(31)).toEqual([['t.b', 't.b'], ['t.a', 't.a']])
  })
  it('takes for all tasks of a gang or none', () => {
    const { at } = play([2, 2], { ...two({}, cpu(3)), reservations: false })
    at(0, ['a 1', 4])
    at(1, ['b 1', 4, { gang: true }])
    expect(at(31)).toEqual([[], []]) // more than is guaranteed
    at(32, ['b 2', 3, { gang: true }])
    expect(at(62)).toEqual([['b 2', 'b 2', 'b 2'], ['a 1', 'a 1', 'a 1']])
  })
  it('takes nothing for a gang that is larger than what is guaranteed, though a gang that went whole would make room for all of it', () => {
    const { at } = play([3, 4], { ...two(cpu(6), { ...cpu(6), preemptionDelay: 2 }), reservations: false })
    at(0, ['a 1', 7, { gang: true }])
    expect(at(1, ['b 1', 7, { gang: true }], ['b 2', 6, { gang: true }])).toEqual([[], []])
    expect(at(4)).toEqual([Array(6).fill('b 2'), Array(7).fill('a 1')])
    expect(at(90)).toEqual([[], []])
  })
  it('takes a gang whole', () => {
    const { at } = play([3], two({}, cpu(1)))
    at(0, ['a 1', 3, { gang: true }])
    at(1, ['b 1', 1])
    expect(at(31)).toEqual([['b 1'], ['a 1', 'a 1', 'a 1']])
  })
  it('looks again after an interval, if anything has changed', () => {
    // b 1 waits from 40 on, and finds at 70 that all that runs is more important; c gets what a leaves at 71
    const found = (attemptInterval: number, change = true) => {
      const { at, end } = play([4], { root: { queues: { a: {}, b: cpu(4), c: {} } }, attemptInterval, reservations: false })
      at(0, ['a 1', 4, { priority: 5 }])
      at(40, ['b 1', 1, { demand: { cpu: 4 } }])
      expect(at(70)).toEqual([[], []])
      if (change)
        for (const now of [71, 72, 73, 74]) {
          end(1, now)
          at(now, [`c ${now}`, 1])
        }
      return [75, 85].map((now) => at(now)[1]?.length)
    }
    expect(found(15)).toEqual([0, 4])
    expect(found(5)).toEqual([4, 0])
    expect(found(5, false)).toEqual([0, 0])
  })
  it('looks at the tasks in front only', () => {
    const taken = (large: number) => {
      const { at } = play([2, 2], { ...two({}, cpu(1)), reservations: false })
      at(0, ['a 1', 4])
      at(1, ['b large', large, { demand: { cpu: 2 } }], ['b small', 1])
      return at(31)
    }
    expect(taken(10)).toEqual([[], []])
    expect(taken(9)).toEqual([['b small'], ['a 1']])
  })
  it('keeps the laws of policies', { tags: 'long' }, () => {
    const known = (resources: readonly string[]): YunikornOptions =>
      two({ guaranteed: Object.fromEntries(resources.map((name) => [name, 4])), preemptionDelay: 1 }, { guaranteed: Object.fromEntries(resources.map((name) => [name, 2])), preemptionDelay: 2 })
    const { launches } = checkPolicyLaws(({ jobs }) => yunikornPreempting(known([...new Set(jobs.flatMap(({ stages }) => stages.flatMap(({ demand }) => Object.keys(demand))))]), firstNode()), { runs: 20 })
    expect(launches).toBeGreaterThan(150)
  })
})
