import type { Plug } from '@sched/core'
import { capacity, conservative, easy, fattened, greedy, kai, replan, strict } from '@sched/policies'
import { job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

/** Half of four nodes is all that the jobs' queue may have. */
const orders: Record<string, () => Plug<'order'>> = {
  capacity: () => capacity({ queues: { default: { capacity: 50, maximumCapacity: 50 }, other: { capacity: 50 } } }),
  kai: () => kai({ queues: { default: { resources: { procs: { quota: 2, limit: 2 } } } } }),
}
const disciplines: Record<string, (order: Plug<'order'>) => Plug<'policy'>> = {
  greedy: (order) => greedy(order),
  strict: (order) => strict(order),
  easy: (order) => easy(order),
  conservative: (order) => conservative(order),
  fattened: (order) => fattened(order),
  replan: (order) => replan(order),
}

describe.each(Object.entries(orders))('a job that %s never lets run', (_, order) => {
  it.each(Object.entries(disciplines))('is refused under %s, and keeps nobody back', (_, discipline) => {
    const rigid = (id: string, submit: number, tasks: number) => ({ ...job({ id, submit, queue: 'default', tasks, gang: true, demand: { procs: 1 }, duration: 5 }), estimate: 5 })
    const cluster = { nodes: [{ count: 4, resources: { procs: 1 } }] }
    const { recorder } = run({ policy: discipline(order()), jobs: [rigid('a', 0, 1), rigid('large', 1, 3), rigid('c', 2, 1)], cluster, infeasible: 'reject' })
    expect(recorder.events.filter(({ kind }) => ['reject', 'launch'].includes(kind)).map(({ kind, job: id, time }) => `${kind} ${id} at ${time}`)).toEqual(['launch a at 0', 'reject large at 1', 'launch c at 2'])
  })
})
