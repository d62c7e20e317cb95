import type { JobSpec, Observer, Plug } from '@sched/core'
import { job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { capacityScheduler, greedy, volcano, yarnFair } from '../src/index.js'

// Where nodes come by demand, jobs that a limit holds back ask for nodes if the limit is a part of the cluster, which rises with it, and for none if it is an amount.

class Sizes implements Observer {
  readonly all: number[] = []
  onScale(_group: number, nodes: number): void {
    this.all.push(nodes)
  }
}

/** The sizes that a group of nodes of 4 processors has, one at the start, with a job that keeps running. */
function sizes(policy: Plug<'policy'>, jobs: readonly JobSpec[], count = 4): number[] {
  const watch = new Sizes()
  const long = job({ id: 'long', queue: 'other', demand: { cpu: 1 }, duration: 200 })
  const nodes = [{ count, resources: { cpu: 4 }, autoscale: { min: 1, provision: 20 } }]
  run({ policy, jobs: [long, ...jobs], cluster: { nodes }, autoscaler: { scaleDownEnabled: false }, observers: [watch], until: 150, infeasible: 'reject' })
  return watch.all
}
const asks = (tasks: number, cpu = 1) => [job({ id: 'a', submit: 1, queue: 'a', tasks, demand: { cpu }, duration: 1000 })]

describe('capacity-scheduler', () => {
  const queues = (a: object, root: object = {}) => capacityScheduler({ queues: { root, 'root.other': { capacity: { cpu: 1 } }, 'root.a': { capacity: { cpu: 1 }, userLimitFactor: 100, ...a } } })
  const percents = (a: object) => capacityScheduler({ queues: { 'root.other': { capacity: 50 }, 'root.a': { capacity: 50, userLimitFactor: 100, ...a } } })

  it('lets nodes be asked for below a maximum in percent, which rises with them', () => {
    expect(sizes(percents({ maximumCapacity: 50 }), asks(6))).toEqual([2]) // two of four, then four of eight, where the last two would have room
  })

  it('lets none be asked for beyond a maximum in amounts, once there is as much', () => {
    expect(sizes(queues({ maximumCapacity: { cpu: 2 } }), asks(6))).toEqual([])
    expect(sizes(queues({ maximumCapacity: { cpu: 6 } }), asks(9))).toEqual([3]) // the cluster has less than that: what waits asks for all it needs
    expect(sizes(queues({ elastic: false }), asks(6))).toEqual([])
  })

  it('reckons with a user\'s part of a capacity in amounts, which does not rise either', () => {
    // one, and one more step
    expect(sizes(queues({ userLimitFactor: 1 }), asks(6))).toEqual([])
    expect(sizes(percents({ capacity: 50, userLimitFactor: 0.5 }), asks(6))).toEqual([2])
  })
})

describe('limits of masters of capacity-scheduler', () => {
  const sizesOf = (capacity: object | number, more = {}) => {
    const policy = capacityScheduler({ queues: { 'root.other': { capacity: typeof capacity === 'number' ? 100 - capacity : { cpu: 1 } }, 'root.a': { capacity, maximumAmResourcePercent: 0.3, ...more } } as never })
    const of = (id: string) => job({ id, submit: 1, queue: 'a', user: id, stages: [{ name: 'am', tasks: 1, demand: { cpu: 1 }, duration: 0, master: true }, { name: 'work', tasks: 1, demand: { cpu: 2 }, duration: 1000 }] })
    return sizes(policy, [of('one'), of('two')])
  }
  it('let nodes be asked for where they are parts of the cluster, and not of amounts', () => {
    // one job may always have its master, of which two are more than 0.3 of the four or three that the queue may use
    expect([sizesOf(50), sizesOf({ cpu: 2 }, { maximumCapacity: { cpu: 3 } })]).toEqual([[2], []])
  })
})

describe('yarn-fair', () => {
  const queues = (cpu: number | string, root = {}) => greedy(yarnFair({ root: { ...root, queues: { other: {}, a: { maxResources: { cpu } } } } }))
  it('lets nodes be asked for below maxResources in percent, and for none in amounts', () => {
    expect(sizes(queues('50%'), asks(6))).toEqual([2])
    expect(sizes(queues('25%'), asks(3, 2))).toEqual([2]) // not even the smallest that waits fits
    expect(sizes(queues(2), asks(6))).toEqual([])
  })
})

describe('volcano', () => {
  it('lets none be asked for by a job that is not enqueued, of which there are no pods, and enqueues more the more nodes there are', () => {
    const policy = volcano({ tiers: [{ plugins: [{ name: 'overcommit' }, { name: 'gang' }] }] })
    const of = (id: string, submit: number, tasks: number, minTasks = tasks) => job({ id, submit, queue: 'a', tasks, demand: { cpu: 1 }, duration: 1000, gang: true, minTasks })
    // `long` has one of four processors, of which 1.2 times as many may be enqueued: five more are too many, and so are two beside three
    expect(sizes(policy, [of('five', 1, 5)], 9)).toEqual([])
    expect(sizes(policy, [of('three', 1, 3), of('two', 60, 2)], 9)).toEqual([])
    // of six one is the minimum; those that have no room bring a node, and then 9.6 may be enqueued: two beside seven
    expect(sizes(policy, [of('six', 1, 6, 1), of('two', 60, 2)], 9)).toEqual([2, 3])
  })
})
