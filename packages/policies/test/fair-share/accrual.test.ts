import { dispatcher, type DispatcherMemory, type Placed } from '@sched/cluster'
import { multifactor, slurmPreempting, strict, type MultifactorOptions } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { machine, procs } from '../slurm-limits-machine.js'

type Accrue = NonNullable<MultifactorOptions['accrue']>
const aging = (accrue?: Accrue, more: MultifactorOptions = {}) => multifactor({ age: 1000, maxAge: 1000, calcPeriod: 10, ...(accrue !== undefined && { accrue }), ...more })

/** In which order jobs of the whole machine start that came at 10 s, and of another account and QOS at 100 s, when all can at 300 s. */
function startsOf(accrue?: Accrue, more: MultifactorOptions = {}): string[] {
  const { come, end } = machine({}, { policy: strict(aging(accrue, more)) })
  come(0, procs('root_1', 8, { account: 'z', qos: 'other' }))
  come(10, ...['ann_1', 'ann_2', 'bob_1'].map((id) => procs(id, 8, { account: 'a' })))
  come(100, procs('zed_1', 8, { account: 'z', qos: 'other' }))
  const starts: string[] = []
  for (let next = 'root_1'; next !== undefined; next = starts.at(-1) as string) {
    const started = end(300, next)
    if (started.length === 0) return starts
    starts.push(...started)
  }
  return starts
}

describe('jobs that grow older', () => {
  const all = ['ann_1', 'ann_2', 'bob_1', 'zed_1']
  const oneOfAccount = ['ann_1', 'zed_1', 'ann_2', 'bob_1']
  const oneOfUser = ['ann_1', 'bob_1', 'zed_1', 'ann_2']
  const noneOfAnn = ['bob_1', 'zed_1', 'ann_1', 'ann_2']

  it.each<[string, Accrue | undefined, string[]]>([
    ['are all without limits', undefined, all],
    ['are so many of a QOS', { qos: { normal: { GrpJobsAccrue: 1 } } }, oneOfAccount],
    ['are so many of a QOS, of which another is none', { qos: { long: { GrpJobsAccrue: 1 } } }, all],
    ['are so many of an account in a QOS', { qos: { normal: { MaxJobsAccruePerAccount: 1 } } }, oneOfAccount],
    ['are so many of a user in a QOS', { qos: { normal: { MaxJobsAccruePerUser: 1 } } }, oneOfUser],
    ['are so many of an account', { accounts: { a: { GrpJobsAccrue: 1 } } }, oneOfAccount],
    ['are so many of the accounts inside one', { accounts: { b: { GrpJobsAccrue: 1, accounts: { a: {} } } } }, oneOfAccount],
    ['are so many of each user of an account', { accounts: { b: { MaxJobsAccrue: 1, accounts: { a: {} } } } }, oneOfUser],
    ['are so many of one user', { accounts: { a: { users: { ann: { MaxJobsAccrue: 0 } } } } }, noneOfAnn],
    ['are so many of one user in a partition', { accounts: { a: { users: { ann: {} }, usersOfPartitions: { main: { ann: { GrpJobsAccrue: 0 } } } } } }, noneOfAnn],
    ['go by the first limit alone: that of the QOS', { qos: { normal: { MaxJobsAccruePerUser: 2 } }, accounts: { a: { GrpJobsAccrue: 0 } } }, all],
    ['go by the first limit alone: that of the user', { accounts: { a: { GrpJobsAccrue: 0, users: { ann: { GrpJobsAccrue: 2 } } } } }, ['ann_1', 'ann_2', 'zed_1', 'bob_1']],
  ])('%s', (_, accrue, expected) => {
    expect(startsOf(accrue)).toEqual(expected)
  })

  it('are all with PriorityFlags=ACCRUE_ALWAYS', () => {
    expect(startsOf({ accounts: { a: { GrpJobsAccrue: 0 } } }, { PriorityFlags: 'ACCRUE_ALWAYS' })).toEqual(all)
  })

  it('are followed by the next one from when one starts', () => {
    const { come, end } = machine({}, { policy: strict(aging({ qos: { normal: { MaxJobsAccruePerUser: 1 } } })) })
    come(0, procs('root_1', 8))
    come(10, procs('ann_1', 8), procs('ann_2', 8), procs('ann_3', 8))
    expect(end(100, 'root_1')).toEqual(['ann_1']) // from now on ann_2 grows older
    come(150, procs('bob_1', 8))
    expect(end(200, 'ann_1')).toEqual(['ann_2']) // 100 s against 50 s, and ann_3 grows older
    come(210, procs('cid_1', 8))
    expect(end(300, 'ann_2')).toEqual(['bob_1'])
    expect(end(400, 'bob_1')).toEqual(['ann_3'])
  })

  it('are those of the QOS that a job has been given since, not of the one that it had', () => {
    const { come, end, update } = machine({}, { policy: strict(aging({ qos: { few: { GrpJobsAccrue: 1 }, none: { GrpJobsAccrue: 0 } } })) })
    come(0, procs('root_1', 8))
    come(10, procs('ann_1', 8, { qos: 'few' }), procs('ann_2', 8, { qos: 'few' }))
    update('ann_2', { qos: 'none' }, 20)
    expect(end(100, 'root_1')).toEqual(['ann_1']) // another of few could grow older
    come(150, procs('bob_1', 8))
    expect([end(300, 'ann_1'), end(400, 'bob_1')]).toEqual([['bob_1'], ['ann_2']])
  })

  it.each([[1, ['ann_2', 'bob_1']], [9, ['ann_2', 'ann_1']]])('of which %d of a user may: one that is preempted begins again, behind those that came first', (most, expected) => {
    const order = aging({ qos: { normal: { MaxJobsAccruePerUser: most } } })
    const { come, end } = machine({}, { policy: slurmPreempting(strict(order), { tiers: { urgent: 2 } }) })
    expect(come(0, procs('ann_1', 8))).toEqual(['ann_1'])
    come(10, procs('ann_2', 8))
    expect(come(100, procs('eve_1', 8, { queue: 'urgent' }))).toEqual(['eve_1'])
    come(150, procs('bob_1', 8))
    expect([end(200, 'eve_1'), end(210, 'ann_2')].flat()).toEqual(expected)
  })

  it.each([[0, ['ann_1']], [121, ['bob_1']]])('begin anew when they are preempted, %d s later', (requeueDelay, expected) => {
    // ann_1 comes at 0 s and is preempted at 100 s, so that it is 200 s old at 300 s, or 79 s; bob_1 comes at 150 s and is 150 s old
    const { come, end } = machine({}, { policy: slurmPreempting(strict(aging(undefined, { requeueDelay })), { tiers: { urgent: 2 } }) })
    expect(come(0, procs('ann_1', 8))).toEqual(['ann_1'])
    expect(come(100, procs('eve_1', 8, { queue: 'urgent' }))).toEqual(['eve_1'])
    come(150, procs('bob_1', 8))
    expect(end(300, 'eve_1')).toEqual(expected)
  })

  it('begin anew when they are preempted, behind those that came before that', () => {
    // at 300 s ann_1, preempted at 200 s, is 100 s old, and bob_1 150 s
    const { come, end } = machine({}, { policy: slurmPreempting(strict(aging()), { tiers: { urgent: 2 } }) })
    come(0, procs('ann_1', 8))
    come(150, procs('bob_1', 8))
    expect(come(200, procs('eve_1', 8, { queue: 'urgent' }))).toEqual(['eve_1'])
    expect([end(300, 'eve_1'), end(310, 'bob_1')]).toEqual([['bob_1'], ['ann_1']])
  })
})

describe('the memory of a dispatcher', () => {
  it('says from when on a job grows older that came when others of its user did', () => {
    const [remembers, forgets] = [true, false].map((recalls) => {
      const make = () => dispatcher({ cluster: { nodes: [{ count: 1, name: 'm', resources: { procs: 8 } }] }, policy: strict(aging({ qos: { normal: { MaxJobsAccruePerUser: 1 } } })) })
      const of = (id: string) => ({ id, user: id.split('_')[0] as string, estimate: 100, stages: [{ name: 's', tasks: 1, demand: { procs: 8 } }] })
      const before = make()
      before.submit(of('root_1'), 0)
      const [root] = before.pass(0).start as readonly [Placed]
      for (const id of ['ann_1', 'ann_2']) before.submit(of(id), 10)
      before.taskEnded(root, 100)
      const [running] = before.pass(100).start as readonly [Placed] // ann_1: from now on ann_2 grows older
      before.submit(of('bob_1'), 150)
      before.pass(150)
      const after = make()
      for (const id of ['ann_1', 'ann_2']) after.submit(of(id), 10)
      const adopted = after.adopt(running, 100)
      after.submit(of('bob_1'), 150)
      if (recalls) after.recall(JSON.parse(JSON.stringify(before.memory())) as DispatcherMemory)
      after.taskEnded(adopted, 200)
      return after.pass(200).start.map(({ job }) => job)
    })
    expect([remembers, forgets]).toEqual([['ann_2'], ['bob_1']])
  })

  it('says from when on a job grows older that was preempted', () => {
    const [remembers, forgets] = [true, false].map((recalls) => {
      const make = () => dispatcher({ cluster: { nodes: [{ count: 1, name: 'm', resources: { procs: 8 } }] }, policy: slurmPreempting(strict(aging()), { tiers: { urgent: 2 } }) })
      const of = (id: string, queue = 'main') => ({ id, user: id, queue, estimate: 100, stages: [{ name: 's', tasks: 1, demand: { procs: 8 } }] })
      const before = make()
      before.submit(of('ann'), 0)
      before.pass(0)
      before.submit(of('bob'), 150)
      before.submit(of('eve', 'urgent'), 200)
      const [eve] = before.pass(200).start as readonly [Placed] // from now on ann grows older anew
      const after = make()
      after.submit(of('ann'), 0)
      after.submit(of('bob'), 150)
      after.submit(of('eve', 'urgent'), 200)
      const adopted = after.adopt(eve, 200)
      if (recalls) after.recall(JSON.parse(JSON.stringify(before.memory())) as DispatcherMemory)
      after.taskEnded(adopted, 300)
      return after.pass(300).start.map(({ job }) => job)
    })
    expect([remembers, forgets]).toEqual([['bob'], ['ann']])
  })
})
