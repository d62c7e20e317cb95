import { dispatcher } from '@sched/cluster'
import { definePolicy, type JobId, type LaneId } from '@sched/core'
import { instantCluster, job } from '@sched/testkit'
import { expect, it } from 'vitest'
import { kueueOptions } from '../../src/kueue/options.js'
import { QueueTimes } from '../../src/kueue/queue-times.js'
import { Queues } from '../../src/kueue/queues.js'
import { TimeSharing } from '../../src/kueue/time-sharing.js'
import { Workloads } from '../../src/kueue/workloads.js'

it('what asks the same is alike while it waits, and nothing is kept of what nobody waits for', () => {
  let kept: Workloads | undefined
  const settings = kueueOptions.parse({})
  const policy = definePolicy({
    name: 'waiting', summary: '', create: (_, env) => {
      const workloads = (kept = new Workloads(env, new Queues(settings, env.cluster), false, undefined, new QueueTimes(env), new TimeSharing(settings.timeSharing, () => env.now())))
      return { onReady: (id, lane) => workloads.onReady(id, lane), onDrained: (id, lane) => workloads.onDrained(id, lane), schedule: () => undefined }
    },
  })
  const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 4 } }] }), policy: policy.plug({}) })
  const likenessOf = (id: string, priority: number) => {
    master.submit(job({ id, priority, demand: { cpu: 4 } }), 0)
    const slot = master.work.jobSpec.findLastIndex((spec) => spec?.id === id) as JobId
    return (kept as Workloads).next(slot, 0 as LaneId).likeness
  }
  const [a, b, c] = [likenessOf('a', 1), likenessOf('b', 1), likenessOf('c', 2)]
  expect([a === b, a === c, a.waiting, c.waiting]).toEqual([true, false, 2, 1])
  for (const id of ['a', 'b']) master.cancel(id, 0)
  expect([a.waiting, likenessOf('d', 1) === a, likenessOf('e', 2) === c]).toEqual([0, false, true])
})
