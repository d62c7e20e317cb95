import { dispatcher, type Dispatcher, type JobUpdate, type Placed } from '@sched/cluster'
import type { Plug } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { adaptive, capacityScheduler, easy, fair, fifo, greedy, pbsSort, priority, slurmPreempting, strict, volcano, type PbsSortOptions } from '../src/index.js'

/** A machine of 8 processors with jobs of one task, by name. */
function machine(policy: Plug<'policy'>) {
  const promised: [string, number][] = []
  const master = dispatcher({ cluster: { nodes: [{ count: 1, name: 'm', resources: { cpu: 8 } }] }, policy, promised: (job, start) => promised.push([job, start]) })
  const running = new Map<string, Placed>()
  const look = (now: number) => {
    const { start, suspend = [], resume = [] } = master.pass(now)
    for (const placed of [...start, ...resume]) running.set(placed.job, placed)
    return [...start.map(({ job }) => job), ...suspend.map(({ job }) => `${job} stops`), ...resume.map(({ job }) => `${job} goes on`)]
  }
  const submit = (id: string, cpu: number, rest: object = {}, now = 0) => {
    master.submit({ id, ...rest, stages: [{ name: 'work', tasks: 1, demand: { cpu } }] }, now)
    return look(now)
  }
  const end = (id: string, now: number) => {
    master.taskEnded(running.get(id) as Placed, now)
    return look(now)
  }
  return { master, promised, submit, end, look }
}

describe('a job that is updated', () => {
  it('has its new priority among those that wait, and of equal ones its old place', () => {
    const { master, submit, end } = machine(greedy(priority()))
    submit('first', 8)
    for (const id of ['a', 'b', 'c']) submit(id, 8)
    master.update('c', { priority: 5 }, 1)
    expect(end('first', 2)).toEqual(['c'])
    master.update('b', { priority: 5 }, 3)
    master.update('a', { priority: 5 }, 3)
    expect([end('c', 4), end('a', 5)]).toEqual([['a'], ['b']])
  })

  it('is expected to end when it was before, or after its new estimate from its start on', () => {
    const { master, promised, submit, look } = machine(easy(fifo()))
    submit('long', 8, { estimate: 100 })
    submit('next', 8, { estimate: 10 })
    master.update('long', { priority: 3 }, 50)
    look(50)
    master.update('long', { estimate: 70 }, 60)
    look(60)
    expect(promised).toEqual([['next', 100], ['next', 70]])
  })

  it('counts in its new queue with what runs of it', () => {
    const { master, submit, look } = machine(greedy(fair()))
    submit('a1', 6, { queue: 'a' })
    submit('b1', 2, { queue: 'b' })
    for (const queue of ['a', 'b']) for (const n of [2, 3]) submit(`${queue}${n}`, 2, { queue })
    master.update('a1', { queue: 'b' }, 1)
    for (const placed of master.cancel('b1', 2)) master.taskEnded(placed, 2)
    expect(look(2)).toEqual(['a2'])
  })

  it('has its new values in the formula, the keys and the fair share of OpenPBS', () => {
    const order = (options: PbsSortOptions, update: JobUpdate) => {
      const { master, submit, end } = machine(greedy(pbsSort({ unknown_shares: 1, ...options })))
      submit('ran', 8, { user: 'ann', estimate: 10 })
      for (const [id, user] of [['a', 'ann'], ['b', 'bob'], ['c', 'cyd']] as const) submit(id, 8, { user, estimate: 10 })
      master.update('c', update, 1)
      submit('later', 8, { user: 'dan', estimate: 10 }, 2) // a cycle, until which what runs is counted
      const started = end('ran', 3)
      for (let now = 4; started.length === now - 3; now++) started.push(...end(started.at(-1) as string, now))
      return started
    }
    expect(order({ job_sort_formula: 'job_priority' }, { priority: 5 })).toEqual(['c', 'a', 'b', 'later'])
    expect(order({ job_sort_formula: 'walltime', job_sort_formula_threshold: 9 }, { estimate: 9 })).toEqual(['a', 'b', 'later'])
    expect(order({ job_sort_key: ['walltime HIGH'] }, { estimate: 20 })).toEqual(['c', 'a', 'b', 'later'])
    expect(order({ job_sort_formula: 'queue_priority', queues: { fast: { Priority: 3 } } }, { queue: 'fast' })).toEqual(['c', 'a', 'b', 'later'])
    // bob and dan have used nothing, ann 2 s on 8 processors; with each start its user has used 80 more until time goes on
    expect(order({ fair_share: true, fairshare_usage_res: 'ncpus*walltime' }, { user: 'ann' })).toEqual(['b', 'later', 'a', 'c'])
  })

  it('counts for its new user what it uses from then on, and until then for the old one', () => {
    const first = (isUpdated: boolean) => {
      const { master, submit, end } = machine(greedy(pbsSort({ unknown_shares: 1, fair_share: true, fairshare_usage_res: 'walltime' })))
      submit('ran', 8, { user: 'ann' })
      submit('a', 8, { user: 'ann' }, 4)
      if (isUpdated) master.update('ran', { user: 'bob' }, 5)
      submit('b', 8, { user: 'bob' }, 100)
      return end('ran', 101)
    }
    expect([first(false), first(true)]).toEqual([['b'], ['a']])
  })

  it('is refused where its policy would refuse it, and is as before then; it does not count against its own place', () => {
    const { master, submit, end } = machine(capacityScheduler({ queues: { a: { capacity: 50, maximumApplications: 1 }, b: { capacity: 50, maximumApplications: 1 } } }))
    submit('a1', 8, { queue: 'a' })
    submit('b1', 8, { queue: 'b' })
    expect(() => master.update('a1', { queue: 'b' }, 1)).toThrow(/job a1: .*b.* 1 of 1/)
    expect(master.work.queueName(master.work.queue(0 as never))).toBe('a')
    expect(() => submit('a2', 8, { queue: 'a' }, 1)).toThrow(/root.a holds 1 of 1/) // where it still counts
    master.update('a1', { priority: 2 }, 1)
    expect(end('a1', 2)).toEqual(['b1'])
  })

  it.each<[string, JobUpdate, RegExp]>([
    ['what is not there', { tasks: 3 } as JobUpdate, /job a cannot be given another.*tasks|tasks.*job a cannot be given another/s],
    ['no number', { priority: NaN }, /priority.*job a has NaN/s],
    ['a time below 0', { estimate: -1 }, /estimate.*job a has -1/s],
  ])('is not given %s', (_, changes, message) => {
    const { master, submit } = machine(greedy(fifo()))
    submit('a', 8)
    expect(() => master.update('a', changes, 1)).toThrow(message)
    expect(master.work.priority(0 as never)).toBe(0)
  })

  it('stays suspended, and goes on as its new queue has it', () => {
    const [told, untold] = [true, false].map((isTold) => {
      const { master, submit, end } = machine(slurmPreempting(strict(fifo()), { tiers: { high: 3, mid: 2, low: 1 }, mode: 'suspend' }))
      for (const id of ['a', 'b']) submit(id, 4, { queue: 'low' })
      expect(submit('high', 8, { queue: 'high' }, 1)).toEqual(['high', 'a stops', 'b stops'])
      submit('mid', 4, { queue: 'mid' }, 2)
      if (isTold) master.update('b', { queue: 'mid' }, 3)
      return end('high', 4)
    })
    expect([told, untold]).toEqual([['mid', 'b goes on'], ['mid', 'a goes on']])
  })

  it.each([[false], [true]])('gives up no more tasks to a gang under volcano than it can spare, updated: %s', (isUpdated) => {
    // low has two tasks and needs one of them, so a gang of two does not get the room of both, nor does it take that of one in vain
    const master = dispatcher({ cluster: { nodes: [{ count: 1, name: 'n', resources: { cpu: 2 } }] }, policy: volcano({ actions: ['enqueue', 'allocate', 'preempt'], tiers: [{ plugins: ['priority', 'gang'] }] }) })
    master.submit({ id: 'low', queue: 'q', priority: -1, stages: [{ name: 'work', tasks: 2, demand: { cpu: 1 } }] }, 0)
    expect(master.pass(0).start).toHaveLength(2)
    if (isUpdated) master.update('low', {}, 1)
    master.submit({ id: 'high', queue: 'q', priority: 1, stages: [{ name: 'work', tasks: 2, demand: { cpu: 1 }, gang: true }] }, 2)
    expect(master.pass(2).kill).toEqual([])
  })

  it.each([[false], [true]])('needs as many slots under adaptive as before, by the tasks that have ended, updated: %s', (isUpdated) => {
    const master = dispatcher({ cluster: { nodes: [{ count: 1, name: 'n', resources: { cpu: 2 } }] }, policy: greedy(adaptive()) })
    for (const [id, deadline] of [['late', 45], ['free', Infinity]] as const) master.submit({ id, deadline, stages: [{ name: 'work', tasks: 6, demand: { cpu: 1 } }] }, 0)
    const [first, other] = master.pass(0).start as readonly [Placed, Placed]
    master.taskEnded(first, 10)
    expect([first.job, other.job, master.pass(10).start.map(({ job }) => job)]).toEqual(['late', 'free', ['late']])
    if (isUpdated) master.update('late', { user: 'ann' }, 11)
    master.taskEnded(other, 12)
    expect(master.pass(12).start.map(({ job }) => job)).toEqual(['late']) // 6 tasks of 10 s until 45 s need both slots
  })

  it('has as many ended tasks as before, by which Volcano tells who has enough', () => {
    const next = (isUpdated: boolean) => {
      const master = dispatcher({ cluster: { nodes: [{ count: 1, resources: { cpu: 4 } }] }, policy: volcano() })
      for (const [id, tasks] of [['a', 2], ['b', 1]] as const) master.submit({ id, stages: [{ name: 'work', tasks, demand: { cpu: 4 } }] }, 0)
      const [first] = master.pass(0).start as readonly [Placed]
      master.taskEnded(first, 2) // a has had the one task that it must have, b has not
      if (isUpdated) master.update('a', { estimate: 50 }, 2)
      const started = master.pass(2).start.map(({ job }) => job)
      return [started, (master.memory().remembered as readonly unknown[])[0]] // which jobs are enqueued, by lane
    }
    const lane = { queues: ['default'], enqueued: ['a', 'b'] }
    expect([next(false), next(true)]).toEqual([[['b'], [lane]], [['b'], [lane]]])
  })

  it('is in the system, and not cancelled', () => {
    const { master, submit } = machine(greedy(fifo()))
    submit('high', 8)
    const refusal = (master: Dispatcher, job: string) => () => master.update(job, { priority: 1 }, 2)
    expect(refusal(master, 'none')).toThrow(/no job in the system is called "none"/)
    master.cancel('high', 2)
    expect(refusal(master, 'high')).toThrow(/job high has been cancelled/)
  })
})
