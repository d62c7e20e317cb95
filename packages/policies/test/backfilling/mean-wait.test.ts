import { dispatcher, type DispatcherMemory, type Placed } from '@sched/cluster'
import { definePolicy, forwarding } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { MeanWait } from '../../src/backfilling/mean-wait.js'
import { fifo, greedy } from '../../src/index.js'

/** A machine for one job at a time, with the mean wait of those that have finished. */
function machine() {
  const made: MeanWait[] = []
  const watched = definePolicy({
    name: 'watched',
    summary: 'the order of submission, watched',
    create: (_, env) => {
      const waits = new MeanWait(env)
      const inner = greedy(fifo()).create(env)
      made.push(waits)
      return { ...forwarding(inner, waits), schedule: (round) => { inner.schedule(round) } }
    },
  })
  const master = dispatcher({ cluster: { nodes: [{ count: 1, name: 'm', resources: { cpu: 1 } }] }, policy: watched.plug({}, {}) })
  const submit = (id: string, now: number) => { master.submit({ id, stages: [{ name: 's', tasks: 1, demand: { cpu: 1 } }] }, now) }
  return { master, submit, mean: () => (made[0] as MeanWait).mean }
}

describe('the mean wait', () => {
  it('counts a job that is updated while it runs once, from submission to start', () => {
    const { master, submit, mean } = machine()
    for (const id of ['a', 'b']) submit(id, 0)
    master.taskEnded(master.pass(0).start[0] as Placed, 10)
    const [b] = master.pass(10).start
    master.update('b', { priority: 1 }, 15)
    expect(mean()).toBe(0) // of a alone
    master.taskEnded(b as Placed, 20)
    expect(mean()).toBe(5) // 0 and 10 s
  })

  it('is kept over a restart, with the start of what runs', () => {
    const before = machine()
    for (const id of ['a', 'b']) before.submit(id, 0)
    before.master.taskEnded(before.master.pass(0).start[0] as Placed, 10)
    const [b] = before.master.pass(10).start
    const after = machine()
    after.submit('b', 0)
    const running = after.master.adopt(b as Placed, 10)
    after.master.recall(JSON.parse(JSON.stringify(before.master.memory())) as DispatcherMemory)
    after.master.taskEnded(running, 20)
    expect(after.mean()).toBe(5)
  })
})
