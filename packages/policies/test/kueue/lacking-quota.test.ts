import type { JobSpec, Observer } from '@sched/core'
import { simulate } from '@sched/sim'
import { kueue, type KueueOptions } from '@sched/policies'
import { expect, it } from 'vitest'
import { queuePasses } from '../backfilling/machine.js'

const job = (id: string, tasks: number, demand: Record<string, number>): JobSpec => ({ id, submit: 0, queue: 'a', stages: [{ name: 's', tasks, gang: true, demand, duration: 10 }] })

/** The limits that jobs were told when they came. */
function told(options: KueueOptions, ...jobs: readonly JobSpec[]): Record<string, string | undefined> {
  const limits: Record<string, string | undefined> = {}
  const names: string[] = []
  const observer: Observer = { onSubmit: (id, { id: name }) => void (names[id] = name), onDefer: (id, _lane, _reason, now, limit) => void (now === 0 && (limits[names[id] as string] = limit)) }
  let next = 0
  simulate({
    cluster: { nodes: [{ count: 4, resources: { cpu: 10, gpu: 2 } }] }, workload: { name: 'jobs', open: () => ({ next: () => jobs[next++] }) },
    policy: kueue(options), architecture: queuePasses.plug({}), runtime: { localityFactors: [1], jitter: 0 }, observers: [observer], validate: true,
  })
  return limits
}

it('a job that waits for quota is told of what, all of its gang counted', () => {
  const queues = { a: { nominalQuota: { cpu: 20, gpu: 4 } } }
  expect(told({ queues }, job('first', 2, { cpu: 8, gpu: 1 }), job('gpus', 3, { cpu: 1, gpu: 1 }), job('both', 3, { cpu: 2, gpu: 1 })))
    .toEqual({ gpus: 'quota of gpu in a', both: 'quota of cpu and gpu in a' })
})

it('behind the first of a strict queue it is told of none', () => {
  const queues = { a: { nominalQuota: { cpu: 20, gpu: 4 }, queueingStrategy: 'StrictFIFO' as const } }
  expect(told({ queues }, job('first', 2, { cpu: 8, gpu: 1 }), job('gpus', 3, { cpu: 1, gpu: 1 }), job('small', 1, { cpu: 1 }))).toEqual({ gpus: 'quota of gpu in a', small: undefined })
})
