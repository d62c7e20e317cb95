import { dispatcher, type Dispatcher, type DispatcherMemory } from '@sched/cluster'
import type { Plug } from '@sched/core'
import { policyLaws } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { capacity, capacityScheduler, fifo, greedy, priority, reserving, slurmLimits, strict, volcano, yunikornReserving, type CapacitySchedulerOptions } from '../../src/index.js'

const job = (id: string, queue: string, tasks: number, cpu: number) => ({ id, queue, stages: [{ name: 's', tasks, demand: { cpu } }] })
const written = (memory: DispatcherMemory) => JSON.parse(JSON.stringify(memory)) as DispatcherMemory

/** Job a has both nodes of 4 processors, b of another queue comes at 5 s; when which tasks are killed, after a restart at that time with the memory or without it, or with none. */
function kills(options: NonNullable<CapacitySchedulerOptions['preemption']>, restart: 'remembers' | 'forgets' | 'none', at = 12): string[] {
  const make = () =>
    dispatcher({
      cluster: { nodes: [{ count: 2, name: 'n', resources: { cpu: 4 } }] },
      policy: capacityScheduler({ queues: { a: { capacity: 50 }, b: { capacity: 50 } }, defaults: { userLimitFactor: 9 }, preemption: { monitoringInterval: 1, maxWaitBeforeKill: 10, totalPreemptionPerRound: 1, ...options } }),
    })
  const [a, b] = [job('a', 'a', 8, 1), job('b', 'b', 1, 2)]
  const before = make()
  before.submit(a, 0)
  const { start } = before.pass(0)
  before.submit(b, 5)
  for (let now = 5; now <= at; now++) expect(before.pass(now).kill).toEqual([])
  const after = restart === 'none' ? before : make()
  if (restart !== 'none') {
    after.submit(a, 0)
    for (const placed of start) after.adopt(placed, 0)
    after.submit(b, 5)
  }
  if (restart === 'remembers') after.recall(written(before.memory()))
  const told: string[] = []
  for (let now = at; now <= 30; now++) for (const { job: id, task } of after.pass(now).kill) told.push(`${now} ${id}.${task}`)
  return told
}

describe('the memory of a dispatcher with the Capacity Scheduler', () => {
  it('says since when tasks are marked, so that they are killed when their wait is over', () => {
    expect([kills({}, 'remembers')[0], kills({}, 'forgets')[0]]).toEqual(['15 a.7', '22 a.7']) // marked at 5 s, or anew at 12 s
  })

  it('says whom lazy preemption may kill where room is needed', () => {
    const lazy = { lazyPreemption: true, maxWaitBeforeKill: 3 }
    expect(kills(lazy, 'remembers', 8)).toEqual(kills(lazy, 'none', 8))
    expect(kills(lazy, 'forgets', 8)).not.toEqual(kills(lazy, 'none', 8))
  })
})

describe.each([
  ['reserving', () => reserving(priority())],
  ['yunikorn-reserving', () => yunikornReserving({ reservationDelay: 0 })],
])('a node reserved by %s', (_, policy) => {
  it('is so after a restart, and not without the memory', () => {
    const ends = [true, false].map((remembers) => {
      const make = () => dispatcher({ cluster: { nodes: [{ count: 2, name: 'n', resources: { cpu: 4 } }] }, policy: policy() })
      const jobs = [job('tiny', 'a', 1, 1), job('small', 'a', 2, 3), job('large', 'a', 1, 4)]
      const before = make()
      for (const each of jobs) before.submit(each, 0)
      const { start } = before.pass(0) // 1 is free on n-1, which large reserves
      const after = make()
      for (const each of jobs) after.submit(each, 0)
      for (const placed of start) after.adopt(placed, 0)
      if (remembers) after.recall(written(before.memory()))
      after.submit({ ...job('urgent', 'a', 1, 1), priority: 1 }, 1)
      return after.pass(1).start.map(({ job: id, node }) => `${id} on ${node}`)
    })
    expect(ends).toEqual([[], ['urgent on n-1']])
  })
})

it('jobs of which the master runs go on after a restart, and those that waited longer wait (TestFifoOrderingPolicyForPendingApps of Hadoop)', () => {
  // masters may ask for 4 of 40: those of first and third have 2 each, that of second wants 3
  const managed = (id: string, am: number, tasks: number) => ({ id, queue: 'a', stages: [{ name: 'm', tasks: 1, demand: { mem: am }, duration: 0, master: true }, { name: 's', tasks, demand: { mem: 1 } }] })
  const make = () => dispatcher({ cluster: { nodes: [{ count: 1, name: 'n', resources: { mem: 40 } }] }, policy: capacityScheduler({ queues: { a: { capacity: 100 } } }) })
  const end = (master: Dispatcher, id: string, now: number) => {
    for (const placed of master.cancel(id, now)) master.taskEnded(placed, now)
  }
  const before = make()
  const second = managed('second', 3, 1)
  const third = managed('third', 2, 2)
  for (const each of [managed('first', 2, 1), second, third]) before.submit(each, 0)
  const masters = before.pass(0).start.filter(({ stage }) => stage === 0)
  expect(masters.map((each) => each.job)).toEqual(['first', 'third'])
  end(before, 'first', 1)
  expect(before.pass(1).start.filter(({ job: id }) => id === 'second')).toEqual([])
  const after = make()
  for (const each of [second, third]) after.submit(each, 1, { again: true })
  after.adopt(masters[1]!, 1)
  expect(after.pass(1).start.map(({ job: id, stage }) => `${id} ${stage}`)).toEqual(['third 1', 'third 1'])
  end(after, 'third', 2)
  expect(after.pass(3).start.map(({ job: id }) => id)).toEqual(['second'])
})

describe.each<[string, (isFull: boolean) => Plug<'policy'>, RegExp]>([
  ['a queue of the Capacity Scheduler that has been stopped', (isFull) => capacityScheduler({ queues: { a: { capacity: 100, ...(isFull && { state: 'STOPPED' }) } } }), /queue root.a is STOPPED/],
  ['one with as many applications as there may be', (isFull) => capacityScheduler({ queues: { a: { capacity: 100, maximumApplications: isFull ? 1 : 9 } } }), /queue root.a holds 2 of 1 applications/],
  ['a queue of Volcano that has been closed', (isFull) => volcano({ queues: { a: isFull ? { state: 'Closed' } : {} } }), /queue a is closed/],
  ['a partition of Slurm that drains', (isFull) => slurmLimits(strict(fifo()), { partitions: { a: isFull ? { State: 'DRAIN' } : {} } }), /partition a is DRAIN and takes no jobs/],
  ['a QOS with as many jobs as there may be', (isFull) => slurmLimits(strict(fifo()), { qos: { normal: { GrpSubmitJobs: isFull ? 1 : 9 } } }), /has 2 of 1 jobs in the system/],
])('%s', (_, policy, refusal) => {
  it('takes back after a restart what was in it (addApplicationOnRecovery of Hadoop), and nothing else', () => {
    const make = (isFull: boolean) => dispatcher({ cluster: { nodes: [{ count: 1, name: 'n', resources: { cpu: 4 } }] }, policy: policy(isFull) })
    const jobs = [job('runs', 'a', 1, 4), job('waits', 'a', 1, 4)]
    const before = make(false)
    for (const each of jobs) before.submit(each, 0)
    const [running] = before.pass(0).start
    const after = make(true)
    for (const each of jobs) after.submit(each, 0, { again: true })
    const adopted = after.adopt(running!, 0)
    after.recall(written(before.memory()))
    expect(() => { after.submit(job('new', 'a', 1, 4), 1) }).toThrow(refusal)
    after.update('runs', { priority: 3 }, 1)
    expect(after.taskEnded(adopted, 2)).toBe(true)
  })
})

it.each<['DRAIN' | 'INACTIVE', readonly string[]]>([['DRAIN', ['waits']], ['INACTIVE', []]])('a job that waited in a partition of Slurm starts after a restart in the state DRAIN, and waits on in INACTIVE (%s)', (State, expected) => {
  const after = dispatcher({ cluster: { nodes: [{ count: 1, name: 'n', resources: { cpu: 4 } }] }, policy: slurmLimits(strict(fifo()), { partitions: { a: { State } }, enforcePartLimits: 'ALL' }) })
  after.submit(job('waits', 'a', 1, 4), 0, { again: true })
  expect(after.pass(0).start.map(({ job: id }) => id)).toEqual(expected)
  expect(() => { after.submit(job('new', 'a', 1, 4), 1) }).toThrow(`partition a is ${State} and takes no jobs`)
})

/** What becomes of queues that were made at first use, also of those of which all jobs have ended: they count among their siblings. */
const madeQueues: Record<string, () => Plug<'policy'>> = {
  'count without the legacy mode, where shares are rounded': () => greedy(capacity({ queues: {}, legacyQueueMode: false })),
  'count for the limits of users': () => capacityScheduler({ queues: { root: { autoCreate: true, template: { capacity: '3w', userLimitFactor: 1 } } } }),
  'expire': () => capacityScheduler({ queues: { root: { autoCreate: true, template: { capacity: '3w', userLimitFactor: 1 } } }, queueExpiration: 3 }),
  'pass their capacity on': () => capacityScheduler({ queues: { root: { autoCreate: true, template: { capacity: 40, userLimitFactor: 1 } } }, queueManagementInterval: 2 }),
  'keep it': () => capacityScheduler({ queues: { root: { autoCreate: true, template: { capacity: 40, userLimitFactor: 1 } } } }),
}
describe.each(Object.entries(madeQueues))('after a restart queues that were made at first use %s', { tags: 'long' }, (_, make) => {
  for (const { name, check } of policyLaws(make, { runs: 80, seed: 3, worlds: { failures: false }})) if (name === 'restarts') it('as before', check)
})

it('a remembered queue that may not be made any more is left out', () => {
  const make = (options: CapacitySchedulerOptions) => dispatcher({ cluster: { nodes: [{ count: 1, name: 'n', resources: { cpu: 4 } }] }, policy: capacityScheduler(options) })
  const before = make({ queues: { a: { autoCreate: true, template: {} }, b: { capacity: 50 } } })
  before.submit(job('one', 'a.x', 1, 1), 0)
  const after = make({ queues: { a: { capacity: 50 }, b: { capacity: 50 } } })
  after.submit(job('two', 'b', 1, 1), 0)
  after.recall(written(before.memory()))
  expect(after.pass(1).start.map(({ job: id }) => id)).toEqual(['two'])
})
