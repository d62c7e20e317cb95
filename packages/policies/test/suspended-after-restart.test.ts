import { dispatcher, type DispatcherMemory, type Placed } from '@sched/cluster'
import { describe, expect, it } from 'vitest'
import { easy, fifo, slurmPreempting, strict } from '../src/index.js'

const nodes = (names: string) => [...names].map((name) => ({ count: 1, name, resources: { cpu: 4, mem: 8 } }))
const make = (names: string, policy = strict(fifo()), promised?: (job: string, start: number) => void) =>
  dispatcher({ cluster: { nodes: nodes(names) }, policy: slurmPreempting(policy, { tiers: { high: 2, low: 1 }, mode: 'suspend' }), ...(promised && { promised }) })
const job = (id: string, queue: string, mem = 1, tasks = 1) => ({ id, queue, estimate: 100, stages: [{ name: 's', tasks, gang: tasks > 1, demand: { cpu: 4, mem } }] })
const ids = (placed: readonly Placed[] = []) => placed.map(({ job: id, node }) => `${id} on ${node}`)
const written = (memory: DispatcherMemory) => JSON.parse(JSON.stringify(memory)) as DispatcherMemory

describe('a suspended task after a restart', () => {
  /** `low` is suspended on all nodes, in the place of which `high` runs on one; then a dispatcher begins anew with these or other nodes. */
  function restarted(nodes: string, after: string, { remembers = true, mem = 1 } = {}) {
    const tasks = nodes.length
    const [low, high] = [job('low', 'low', mem, tasks), job('high', 'high')]
    const before = make(nodes)
    before.submit(low, 0)
    before.pass(0)
    before.submit(high, 10)
    const { start, suspend } = before.pass(10)
    expect([ids(start), ids(suspend).length]).toEqual([['high on a-0'], tasks])
    const master = make(after)
    master.submit(low, 0)
    master.submit(high, 10)
    const running = master.adopt(start[0] as Placed, 10)
    if (remembers) master.recall(written(before.memory()))
    return { master, running }
  }

  it('goes on where it was, and would start anew without the memory', () => {
    const [after, forgetful] = [true, false].map((remembers) => {
      const { master, running } = restarted('a', 'a', { remembers })
      master.taskEnded(running, 20)
      const { start, resume } = master.pass(20)
      return { start: ids(start), resume: ids(resume) }
    })
    expect([after, forgetful]).toEqual([{ start: [], resume: ['low on a-0'] }, { start: ['low on a-0'], resume: [] }])
  })

  it('holds its memory meanwhile', () => {
    const { master } = restarted('a', 'a', { mem: 6 })
    expect([master.cell.free(0 as never, 0 as never), master.cell.free(0 as never, 1 as never)]).toEqual([0, 1]) // all 4 CPUs are those of `high`; 8 - 6 - 1
  })

  it('starts anew with its gang where one of their nodes is not there any more', () => {
    const { master, running } = restarted('ab', 'ab')
    master.taskEnded(running, 20)
    expect(ids(master.pass(20).resume).sort()).toEqual(['low on a-0', 'low on b-0'])
    const { master: other, running: last } = restarted('ab', 'ac')
    other.taskEnded(last, 20)
    const { start, resume } = other.pass(20)
    expect([ids(start), ids(resume)]).toEqual([['low on a-0', 'low on c-0'], []])
  })

  it('that went on is expected to end as if nothing had happened', () => {
    const promises: string[] = []
    const begin = () => make('a', easy(fifo()), (id, start) => promises.push(`${id} by ${start}`))
    const [low, high, next] = [job('low', 'low'), job('high', 'high'), job('next', 'low')]
    const before = begin()
    before.submit(low, 0)
    before.pass(0)
    before.submit(high, 10)
    before.taskEnded(before.pass(10).start[0] as Placed, 40)
    const [again] = before.pass(40).resume as readonly [Placed]
    promises.length = 0
    const after = begin()
    after.submit(low, 0)
    after.adopt(again, 40)
    after.recall(written(before.memory()))
    after.submit(next, 50)
    after.pass(50)
    expect(promises).toEqual(['next by 130']) // it ran from 0 to 10, and has 90 of 100 s left at 40
  })
})
