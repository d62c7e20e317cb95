import { dispatcher } from '@sched/cluster'
import { defineOrder, type Plug } from '@sched/core'
import { conservative, delay, easy, fattened, greedy, replan, strict } from '@sched/policies'
import { describe, expect, it } from 'vitest'

/** Gives the same job for ever, whether it waits or not. */
const stuck = (job: number): Plug<'order'> =>
  defineOrder({
    name: 'stuck',
    summary: 'one job, always',
    create: () => {
      let isRead = false
      return {
        begin: () => void (isRead = false),
        next: () => {
          if (isRead) return undefined
          isRead = true
          return { ids: Int32Array.of(job), from: 0, to: 1 }
        },
      }
    },
  }).plug({})

const begin = (policy: Plug<'policy'>) => {
  const master = dispatcher({ cluster: { nodes: [{ count: 1, resources: { cpu: 4 } }] }, policy })
  for (const id of ['a', 'b']) master.submit({ id, estimate: 10, stages: [{ name: 's', tasks: 1, demand: { cpu: 1 } }] }, 0)
  return master
}

describe('an order that gives a job which has no task to place', () => {
  const wayOut = 'An order gives jobs that have tasks to place: from `onReady` until `onDrained`, in each lane. A discipline asks for room as long as `work.unplaced` of the job is above 0.'

  it.each([greedy, delay, strict, easy, fattened])('is named, where it went on for ever (%o)', (policy) => {
    expect(() => begin(policy(stuck(0))).pass(0)).toThrow(`job a was to be started and has no task to place. ${wayOut}`)
  })

  it('is named where the job has left', () => {
    const master = begin(greedy(stuck(0)))
    const first = master.adopt({ job: 'a', node: 'node-0' })
    master.taskEnded(first, 5)
    expect(() => master.pass(5)).toThrow(`job with the number 0 was to be started and is not in the system. ${wayOut}`)
  })

  it('starts nobody else where each is read once', () => {
    for (const policy of [conservative, replan]) expect(begin(policy(stuck(0))).pass(0).start.map(({ job }) => job)).toEqual(['a'])
  })
})
