import { dispatcher, type Dispatcher, type DispatcherMemory } from '@sched/cluster'
import { kueue } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { expect, it } from 'vitest'

it('kueue does not look again after a restart at whom it has set aside, while others take the turn of the next one in its queue', () => {
  const none = { cohort: 'all', nominalQuota: { cpu: 0 } }
  const make = () => dispatcher({ cluster: instantCluster({ nodes: 1, racks: 1, resources: { cpu: 9 } }), policy: kueue({ queues: { lends: { cohort: 'all', nominalQuota: { cpu: 4 } }, a: none, b: none } }) })
  const submit = (master: Dispatcher, id: string, queue: string, cpu: number, now: number) => master.submit(job({ id, queue, demand: { cpu } }), now)
  const begun = make()
  submit(begun, 'runs', 'a', 3, 0)
  submit(begun, 'large', 'a', 2, 0)
  expect(begun.pass(0).start.map((each) => each.job)).toEqual(['runs']) // nobody can be preempted for the large one

  const after = make()
  submit(after, 'runs', 'a', 3, 0)
  submit(after, 'large', 'a', 2, 0)
  after.adopt({ job: 'runs', node: 'node-0' }, 0)
  after.recall(JSON.parse(JSON.stringify(begun.memory())) as DispatcherMemory)

  const next = (master: Dispatcher) => {
    submit(master, 'small', 'a', 1, 1)
    submit(master, 'later', 'b', 1, 1)
    return master.pass(1).start.map((each) => each.job)
  }
  expect([next(begun), next(after)]).toEqual([['small'], ['small']])
})

it('kueue takes a job again after a restart that is too large without the queues of others, which have left', () => {
  const make = () => dispatcher({ cluster: instantCluster({ nodes: 1, racks: 1, resources: { cpu: 9 } }), policy: kueue({ defaults: { cohort: 'all', nominalQuota: { cpu: 3 } } }) })
  const large = job({ id: 'large', queue: 'b', demand: { cpu: 5 } })
  expect(() => { make().submit(large, 0) }).toThrow(/queue b: 5 cpu of at most 3/)
  const begun = make()
  begun.submit(job({ id: 'small', queue: 'a', demand: { cpu: 1 } }), 0) // its queue has 3, and lends them
  const [small] = begun.pass(0).start
  begun.submit(large, 1)
  begun.taskEnded(small as NonNullable<typeof small>, 2)

  const after = make()
  after.submit(large, 1, { again: true })
  after.recall(JSON.parse(JSON.stringify(begun.memory())) as DispatcherMemory)
  expect([begun, after].map((master) => master.pass(2).start.map((each) => each.job))).toEqual([['large'], ['large']])
})
