import { dispatcher } from '@sched/cluster'
import type { JobSpec, Plug } from '@sched/core'
import { greedy, yarnFair, yarnPreempting, type QueueOptions, type YarnFairOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

// Cases of YuniKorn's own tests, under the policy that docs/kubernetes.md names for its queues: `yarn-fair`.

const unit = { mem: 100, cpu: 100 }
/** A cluster with room for so many units, and all that runs on it. */
function world(units: number, policy: Plug<'policy'>) {
  const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { mem: 100 * units, cpu: 100 * units } }] }), policy })
  const running: ReturnType<typeof master.pass>['start'][number][] = []
  let now = 0
  const pass = () => {
    const { start, kill } = master.pass(now)
    for (const { job: id, task } of kill) running.splice(running.findIndex((each) => each.job === id && each.task === task), 1)
    running.push(...start)
    return { started: start.map((each) => each.job), killed: kill.map((each) => each.job) }
  }
  return {
    come: (...specs: readonly JobSpec[]) => {
      for (const spec of specs) master.submit(spec, now)
      return pass().started
    },
    /** One task of the job ends. */
    end: (id: string) => {
      now++
      const [task] = running.splice(running.findIndex((each) => each.job === id), 1)
      if (task === undefined) throw new Error(`${id} does not run`)
      master.taskEnded(task, now)
      return pass().started
    },
    wait: (seconds: number) => {
      now += seconds
      return pass().killed
    },
  }
}
const fair = (options: YarnFairOptions) => greedy(yarnFair({ defaults: { policy: 'drf' }, ...options }))
const wants = (id: string, queue: string, tasks: number, change: Partial<JobSpec> & { readonly demand?: Readonly<Record<string, number>> } = {}) => job({ id, queue, tasks, demand: unit, ...change })

describe('queues, sorted fair (sorters_test.go)', () => {
  const guaranteed = (units: number): QueueOptions => ({ minResources: { mem: 100 * units, cpu: 100 * units } })
  /** Who is served as one unit after another becomes free, where queues have so many and ask for as many as they want. */
  const served = (queues: Readonly<Record<string, QueueOptions>>, held: Readonly<Record<string, number>>, units: number) => {
    const total = Object.values(held).reduce((sum, each) => sum + each, 0)
    const { come, end } = world(total + units, fair({ root: { queues: { ...queues, pool: { weight: 0 } } } }))
    for (const [queue, tasks] of Object.entries(held)) come(wants(queue, queue, tasks))
    come(wants('pool', 'pool', units))
    come(...Object.keys(held).map((queue) => wants(`${queue} more`, queue, 99)))
    return Array.from({ length: units }, () => end('pool').map((id) => id.split(' ')[0]).join()).join(' ')
  }

  it('come by what they have of what is guaranteed to them (TestSortQueues)', () => {
    const queues = { q0: guaranteed(5), q1: guaranteed(3), q2: guaranteed(2) }
    expect(served(queues, { q0: 3, q1: 2, q2: 1 }, 4)).toBe('q2 q0 q1 q0') // 3/5, 2/3, 1/2; then q0 has 4/5
    expect(served(queues, { q0: 2, q1: 3, q2: 1 }, 4)).toBe('q0 q2 q0 q0') // 2/5, 3/3, 1/2; 3/5, 4/5
    expect(served(queues, { q0: 1, q1: 1, q2: 1 }, 3)).toBe('q0 q1 q0') // 1/5, 1/3, 1/2; 2/5 and 2/3
  })
  it('come by what they have where nothing is guaranteed (TestNoQueueLimits)', () => {
    expect(served({}, { q0: 3, q1: 2, q2: 1 }, 3)).toBe('q2 q1 q2')
  })
})

describe('applications of a queue (sorters_test.go)', () => {
  const starts = (policy: 'fifo' | 'drf', apps: readonly JobSpec[], units: number) => {
    const { come } = world(units, fair({ root: { queues: { q: { policy } } } }))
    return come(...apps).join(' ')
  }
  const apps = (...priorities: readonly number[]) => priorities.map((priority, i) => wants(`app-${i}`, 'q', 1, { priority }))

  it('come in the order of their submission with fifo, higher priorities first (TestSortAppsFifo, TestSortAppsPriorityFifo)', () => {
    expect(starts('fifo', apps(0, 0, 0, 0), 4)).toBe('app-0 app-1 app-2 app-3')
    expect(starts('fifo', apps(0, 5, 0, 4), 4)).toBe('app-1 app-3 app-0 app-2')
  })
  it('come by what they have with fair (TestSortAppsFair)', () => {
    const { come, end } = world(8, fair({ root: { queues: { q: {}, pool: { weight: 0 } } } }))
    come(wants('app-0', 'q', 3), wants('app-1', 'q', 2))
    come(wants('pool', 'pool', 3))
    come(wants('app-2', 'q', 2))
    expect([end('pool'), end('pool')]).toEqual([['app-2'], ['app-2']])
  })
})

describe('limits (queue_test.go)', () => {
  it('of resources hold at every level', () => {
    const most = (units: number): QueueOptions => ({ maxResources: { mem: 100 * units, cpu: 100 * units } })
    const { come } = world(20, fair({ root: { queues: { parent: { ...most(4), queues: { a: most(3), b: most(3) } }, alone: most(2) } } }))
    const started = come(wants('a', 'parent.a', 9), wants('b', 'parent.b', 9), wants('c', 'alone', 9))
    expect(['a', 'b', 'c'].map((id) => started.filter((each) => each === id).length)).toEqual([2, 2, 2])
    expect(world(20, fair({ root: { queues: { parent: { ...most(4), queues: { a: most(3) } } } } })).come(wants('a', 'parent.a', 9)).length).toBe(3)
  })
  it('of applications hold at every level', () => {
    const { come, end } = world(20, fair({ root: { queues: { parent: { maxRunningApps: 2, queues: { a: { maxRunningApps: 1 }, b: {} } } } } }))
    expect(come(...['a1', 'a2', 'b1', 'b2'].map((id) => wants(id, `parent.${id[0]}`, 1)))).toEqual(['a1', 'b1'])
    expect(end('a1')).toEqual(['a2'])
  })
})

describe('preemption (preemption_test.go)', () => {
  const guaranteed = { minResources: { mem: 500, cpu: 500 }, minSharePreemptionTimeout: 30 }
  const preempting = (queues: Readonly<Record<string, QueueOptions>>) => yarnPreempting(fair({ root: { queues } }), { waitBeforeKill: 0, waitBeforeNextCheck: 0, utilizationThreshold: 0 })

  it('takes after a while what is guaranteed to a queue, of one that has more than is guaranteed to it', () => {
    const { come, wait } = world(10, preempting({ a: guaranteed, b: guaranteed }))
    come(wants('over', 'a', 10))
    come(wants('starved', 'b', 5))
    expect(wait(29)).toEqual([])
    expect(wait(2).length + wait(1).length + wait(1).length).toBe(5)
    expect(wait(60)).toEqual([])
  })
  it('takes nothing of a queue that has no more than is guaranteed to it', () => {
    const { come, wait } = world(10, preempting({ a: { ...guaranteed, minResources: { mem: 1000, cpu: 1000 } }, b: guaranteed }))
    come(wants('own', 'a', 10))
    come(wants('starved', 'b', 5))
    expect([wait(31), wait(1), wait(60)].flat()).toEqual([])
  })
})
