import { dispatcher, type Dispatcher, type DispatcherMemory, type Placed } from '@sched/cluster'
import { definePolicy } from '@sched/core'
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

  it.each<[string, () => Policy]>([
    ['easy', () => easy(priority())],
    ['easy with two reservations', () => easy(priority(), { reservations: 2 })],
    ['easy with named nodes', () => easy(priority(), { nodes: 'named' })],
    ['conservative', () => conservative(priority())],
  ])('is known to a successor of which the policy has yet to plan, and one that was withdrawn, too: %s', (_, policy) => {
    const submitted = [job('runs', 4), job('first', 4), job('second', 4)]
    const urgent = job('urgent', 4, { priority: 5 })
    const one = begin(policy())
    for (const each of submitted) one.master.submit(each, 0)
    const [runs] = one.master.pass(0).start as [Placed]
    const successor = (of: Dispatcher, jobs: readonly (typeof urgent)[]) => {
      const next = begin(policy())
      for (const each of jobs) next.master.submit(each, 0, { again: true })
      next.master.adopt(runs, 0)
      next.master.recall(JSON.parse(JSON.stringify(of.memory())) as DispatcherMemory)
      return next
    }
    const heard = ({ master, said }: typeof one, act: (master: Dispatcher) => void, now: number) => {
      said()
      act(master)
      master.pass(now)
      return said().sort()
    }
    const two = successor(one.master, submitted)
    const comes = (master: Dispatcher) => { master.submit(urgent, 10) }
    const before = heard(one, comes, 10)
    expect(before.some((line) => line.endsWith('no time'))).toBe(!policy().name.startsWith('conservative'))
    expect(heard(two, comes, 10)).toEqual(before)
    const three = successor(one.master, [...submitted, urgent])
    const leaves = (master: Dispatcher) => { master.cancel('urgent', 20) }
    expect(heard(three, leaves, 20)).toEqual(heard(one, leaves, 20))
  })

  it('is not said to be withdrawn of a policy that does not say which promises it goes by', () => {
    const own = definePolicy({
      name: 'own',
      summary: 'promises every job the same start, once',
      source: 'none',
      create: (_, { work }) => {
        const told = new Set<string>()
        return { schedule: (round) => { for (const each of work.jobs()) if (!told.has(work.name(each))) { told.add(work.name(each)); round.reserve(each, 100) } } }
      },
    })
    const { master, said } = begin(own.plug({}))
    master.submit(job('first', 4), 0)
    for (const now of [0, 1]) master.pass(now)
    expect(said()).toEqual(['first by 100'])
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
