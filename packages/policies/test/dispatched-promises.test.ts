import { dispatcher, type Dispatcher, type DispatcherMemory, type Placed } from '@sched/cluster'
import { describe, expect, it } from 'vitest'
import { conservative, easy, fair, fifo, greedy, priority } from '../src/index.js'

type Policy = Parameters<typeof dispatcher>[0]['policy']

/** A dispatcher over nodes of 4 CPUs, and what it says of promises. */
function begin(policy: Policy, nodes = 1): { readonly master: Dispatcher; readonly said: () => string[] } {
  const lines: string[] = []
  const master = dispatcher({
    cluster: { nodes: [{ count: nodes, name: 'n', resources: { cpu: 4 } }] },
    policy,
    promised: (job, start) => lines.push(`${job} by ${start}`),
    withdrawn: (job) => lines.push(`${job} by no time`),
  })
  return { master, said: () => lines.splice(0) }
}
const job = (id: string, cpu: number, change: object = {}) => ({ id, estimate: 60, stages: [{ name: 's', tasks: 1, demand: { cpu } }], ...change })

describe('a promised start that no longer holds', () => {
  it.each<[string, Policy]>([
    ['easy', easy(priority())],
    ['easy with named nodes', easy(priority(), { nodes: 'named' })],
  ])('is withdrawn when a more urgent job takes its place: %s', (_, policy) => {
    const { master, said } = begin(policy)
    for (const id of ['runs', 'first']) master.submit(job(id, 4), 0)
    master.pass(0)
    expect(said()).toEqual(['first by 60'])
    master.submit(job('urgent', 4, { priority: 5 }), 10)
    master.pass(10)
    expect(said()).toEqual(['urgent by 60', 'first by no time'])
    master.pass(20)
    expect(said().filter((line) => line.startsWith('first'))).toEqual([]) // once
  })

  it('holds beside that of a more urgent job where both have one, and is kept by a start', () => {
    const { master, said } = begin(easy(priority(), { reservations: 2 }))
    for (const id of ['runs', 'first', 'second']) master.submit(job(id, 4), 0)
    const [runs] = master.pass(0).start as [Placed]
    expect(said()).toEqual(['first by 60', 'second by 120'])
    master.submit(job('urgent', 4, { priority: 5 }), 10)
    master.pass(10)
    expect(said()).toEqual(['urgent by 60', 'first by 120', 'second by no time'])
    master.taskEnded(runs, 30)
    master.pass(30) // urgent starts, as promised
    expect(said()).toEqual(['first by 90', 'second by 150'])
    master.cancel('first', 40)
    master.pass(40)
    expect(said()).toEqual(['second by 90'])
  })

  it.each<[string, Policy]>([['amounts', conservative(fifo())], ['named nodes', conservative(fifo(), { nodes: 'named' })]])('is withdrawn when no start is left, and made anew: conservative by %s', (_, policy) => {
    const { master, said } = begin(policy, 2)
    master.submit(job('runs', 4), 0)
    master.submit({ id: 'wide', estimate: 60, stages: [{ name: 's', tasks: 2, gang: true, demand: { cpu: 4 } }] }, 0)
    master.pass(0)
    expect(said()).toEqual(['runs by 0', 'wide by 60'])
    master.nodeDown('n-1', 10)
    master.pass(10)
    expect(said()).toEqual(['wide by no time'])
    master.nodeUp('n-1', 20)
    master.pass(20)
    expect(said()).toEqual(['wide by 60'])
  })

  it('is withdrawn when a limit holds the job back', () => {
    const { master, said } = begin(easy(fair({ pools: { a: { maxRunningJobs: 1 } } })))
    master.submit(job('runs', 2, { queue: 'a' }), 0)
    master.submit(job('wide', 4, { queue: 'b' }), 0)
    master.pass(0)
    expect(said()).toEqual(['wide by 60'])
    master.update('wide', { queue: 'a' }, 10)
    master.pass(10)
    expect(said()).toEqual(['wide by no time'])
    master.update('wide', { queue: 'b' }, 20)
    master.pass(20)
    expect(said()).toEqual(['wide by 60']) // as before, which is told again
  })

  it('still holds for a job that has changed and is promised the same', () => {
    const { master, said } = begin(easy(fifo()))
    for (const id of ['runs', 'first']) master.submit(job(id, 4), 0)
    master.pass(0)
    said()
    master.update('first', { estimate: 30 }, 10)
    master.pass(10)
    master.cancel('first', 20)
    master.pass(20)
    expect(said()).toEqual([])
  })

  it('is known to a successor that has the memory', () => {
    const submitted = [job('runs', 4), job('first', 4)]
    const one = begin(conservative(priority()))
    for (const each of submitted) one.master.submit(each, 0)
    const [runs] = one.master.pass(0).start as [Placed]
    const memory = JSON.parse(JSON.stringify(one.master.memory())) as DispatcherMemory
    const { master, said } = begin(conservative(priority()))
    for (const each of submitted) master.submit(each, 0, { again: true })
    master.adopt(runs, 0)
    master.recall(memory)
    expect(said()).toEqual([])
    master.nodeDown('n-0', 10)
    master.pass(10)
    expect(said()).toEqual(['first by no time'])
  })

  it('is of no policy that promises nothing', () => {
    const { master, said } = begin(greedy(fifo()))
    for (const id of ['runs', 'first']) master.submit(job(id, 4), 0)
    master.pass(0)
    master.update('first', { priority: 2 }, 1)
    master.pass(1)
    expect(said()).toEqual([])
  })
})
