// @module-tag long
import { defineOrder, forwarding, randomStream, type JobSpec, type Plug } from '@sched/core'
import { drf, easy, fairShare, fifo, kai, lxf, maxMin, multifactor, sjf, yunikorn } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { startsOf } from './machine.js'

/** Another order, which does not say that it reads all. */
const reticent = defineOrder({
  name: 'reticent',
  summary: 'another order, read anew at every look',
  inner: { order: 'order' },
  defaults: { order: 'fifo' },
  create(_, env, parts) {
    const order = parts.order.create(env)
    return { ...forwarding(order), begin: (round) => order.begin(round), next: () => order.next() }
  },
})

const users = ['ann', 'bob', 'cat']

/** Jobs of three users on eight processors, which ask for more than there is; many come while others wait. */
function jobsOf(seed: number): JobSpec[] {
  const random = randomStream(seed, 'newcomers')
  const whole = (least: number, most: number) => least + Math.floor(random() * (most - least + 1))
  return Array.from({ length: 40 }, (_, i) => ({ submit: whole(0, 300), i }))
    .sort((a, b) => a.submit - b.submit)
    .map(({ submit }, i) => {
      const duration = whole(1, 60)
      return { id: `J${i}`, user: users[whole(0, 2)] as string, submit, estimate: Math.max(0, duration + whole(-5, 20)), stages: [{ name: 'job', tasks: 1, demand: { procs: whole(1, 6) }, duration }] }
    })
}

const orders: Record<string, () => Plug<'order'>> = {
  fifo,
  sjf,
  lxf,
  drf: () => drf({ by: 'user' }),
  'max-min': () => maxMin({ by: 'user' }),
  'max-min with a maximum': () => maxMin({ by: 'user', shares: { ann: { max: 6 }, bob: { max: 6 }, cat: { max: 6, weight: 2 } } }),
  kai: () => kai({ queues: { bob: { priority: 200 } } }),
  'kai with a limit': () => kai({ queues: { bob: { resources: { procs: { limit: 6 } } } } }),
  'kai with jobs that are never preempted': () => kai({ nonPreemptiblePriority: 0, defaults: { resources: { procs: { quota: 6 } } } }),
  yunikorn,
  'yunikorn with a maximum': () => yunikorn({ root: { queues: { bob: { max: { procs: 6 } } } } }),
  'yunikorn with a number of jobs': () => yunikorn({ root: { queues: { bob: { maxApplications: 1 } } } }),
  'yunikorn with a limit of users': () => yunikorn({ root: { limits: [{ users: ['*'], maxResources: { procs: 6 } }] } }),
  'fair-share': () => fairShare({ halfLife: 100, calcPeriod: 10 }),
  multifactor: () => multifactor({ fairShare: 1000, age: 10, halfLife: 100, calcPeriod: 10 }),
}

describe('easy, when a job comes and nothing else has happened', () => {
  it.each(Object.entries(orders))('starts whom it would start by reading all of %s again', (_, order) => {
    for (let seed = 1; seed <= 40; seed++) {
      const jobs = jobsOf(seed)
      expect(startsOf(jobs, [8], easy(order())), `seed ${seed}`).toEqual(startsOf(jobs, [8], easy(reticent.plug({ order: order() }))))
    }
  })

  it.each(Object.entries(orders))('is told by %s whether it reads all', (name, order) => {
    const said: unknown[] = []
    const asked = defineOrder({
      name: 'asked',
      summary: 'another order, whose word is kept',
      inner: { order: 'order' },
      defaults: { order: 'fifo' },
      create(_, env, parts) {
        const made = parts.order.create(env)
        said.push(made.readsAll)
        return made
      },
    })
    startsOf([], [8], easy(asked.plug({ order: order() })))
    expect(said).toEqual([!name.includes(' with ')])
  })
})
