import { dispatcher } from '@sched/cluster'
import { capacityScheduler, type CapacitySchedulerOptions } from '@sched/policies'
import { cluster, instantCluster, job, run, type JobChange } from '@sched/testkit'
import type { Plug } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { queuePasses } from '../backfilling/machine.js'

type Preemption = NonNullable<CapacitySchedulerOptions['preemption']>
const halves: CapacitySchedulerOptions['queues'] = { a: { capacity: 50 }, b: { capacity: 50 } }
/** Everything wanted is taken in one look, killed at once in the next. */
const eager: Preemption = { maxWaitBeforeKill: 0, totalPreemptionPerRound: 1, naturalTerminationFactor: 1, maxIgnoredOverCapacity: 0 }
const asking = (id: string, queue: string, tasks: number, change: JobChange & { mem?: number } = {}) => {
  const { mem = 1, ...rest } = change
  return job({ id, queue, user: id, tasks, demand: { mem }, duration: 1000, ...rest })
}
/** A takes all 100; B comes at 10 s and wants 50. Times at which tasks are killed, and how many. */
const kills = (preemption: Preemption, { architecture, ...options }: CapacitySchedulerOptions & { architecture?: Plug<'architecture'> } = {}, jobs = [asking('a0', 'a', 100), asking('b0', 'b', 50, { submit: 10 })], until = 200) => {
  const policy = capacityScheduler({ queues: halves, defaults: { userLimitFactor: -1 }, preemption, ...options })
  const { recorder } = run({ cluster: instantCluster({ nodes: [{ count: 10, resources: { mem: 10 } }] }), jobs, policy, until, ...(architecture === undefined ? {} : { architecture }) })
  const byTime = new Map<number, string[]>()
  for (const { time, job: id } of recorder.evictions) byTime.set(time, [...(byTime.get(time) ?? []), id])
  return { byTime: [...byTime].map(([time, ids]) => [time, ids.length] as const), recorder }
}

describe('preemption of the capacity scheduler', () => {
  it('marks at the first multiple of 3 s and kills 15 s later what is chosen again: a tenth of the cluster each time, a fifth of that', () => {
    // the look at 12 s: A has 50 too much, scaled to 10 % of 100 = 10, a fifth of it: 2; the same two at 15, ..., 27 s, when they die;
    // at 30 s 48 are too much, scaled to 10 again: two more, which die at 45 s
    expect(kills({}, {}, undefined, 100).byTime).toEqual([27, 45, 63, 81, 99].map((time) => [time, 2]))
  })

  it('takes all at once where it may, and the freed room goes to the queue that it was taken for', () => {
    const { byTime, recorder } = kills(eager)
    expect(byTime).toEqual([[15, 50]]) // marked at 12 s, killed at the next look
    expect(recorder.launches.filter(({ job: id, time }) => id === 'b0' && time === 15)).toHaveLength(50)
  })

  it('looks again where a multiple of the interval is a little less than it should be', () => {
    const jobs = [asking('a0', 'a', 100), asking('b0', 'b', 50, { submit: 7 })]
    expect(3 * 3.3).toBeLessThan(9.9)
    expect(kills({ ...eager, monitoringInterval: 3.3 }, {}, jobs).byTime).toEqual([[4 * 3.3, 50]]) // marked at the third multiple
  })

  it('takes the newest task of the last job first', () => {
    const jobs = [asking('a0', 'a', 60), asking('a1', 'a', 40, { submit: 1 }), asking('b0', 'b', 45, { submit: 10 })]
    const { recorder } = kills(eager, {}, jobs)
    expect(recorder.evictions.map(({ job: id, task }) => `${id}.${task}`)).toEqual([...Array.from({ length: 40 }, (_, i) => `a1.${39 - i}`), ...Array.from({ length: 5 }, (_, i) => `a0.${59 - i}`)])
  })

  it('takes from low priorities before high ones', () => {
    const jobs = [asking('low', 'a', 50, { priority: 1 }), asking('high', 'a', 50, { submit: 1, priority: 2 }), asking('b0', 'b', 30, { submit: 10 })]
    const { recorder } = kills(eager, { queues: { a: { capacity: 50, ordering: 'priority' }, b: { capacity: 50 } } }, jobs)
    expect(new Set(recorder.evictions.map(({ job: id }) => id))).toEqual(new Set(['low']))
  })

  it('takes nothing from a queue that forbids it, nor for one that has its guarantee', () => {
    expect(kills(eager, { queues: { a: { capacity: 50, disablePreemption: true }, b: { capacity: 50 } } }).byTime).toEqual([])
    expect(kills(eager, { queues: { a: { capacity: 95 }, b: { capacity: 5 } } }, [asking('b0', 'b', 10), asking('a0', 'a', 90, { submit: 1 }), asking('b1', 'b', 50, { submit: 10 })]).byTime).toEqual([])
  })

  it('balances queues above their guarantees where that is asked for, after a wait of its own', () => {
    // c wants nothing; a has 67, b its 33, and as much again is wanted in it: 50 each
    const queues = { a: { capacity: 33 }, b: { capacity: 33 }, c: { capacity: 34 } }
    const jobs = [asking('a0', 'a', 67), asking('b0', 'b', 33), asking('b1', 'b', 50, { submit: 10 })]
    expect(kills(eager, { queues }, jobs).byTime).toEqual([])
    expect(kills({ ...eager, maxWaitBeforeKill: 4, balance: { maxWaitBeforeKill: 6 } }, { queues }, jobs).byTime).toEqual([[18, 17]])
    expect(kills({ ...eager, balance: { enabled: false, maxWaitBeforeKill: 0 } }, { queues }, jobs).byTime).toEqual([])
  })

  it('takes at once what is due of a guarantee, and more later to balance', () => {
    // a has all; b should have 33 of that in any case, and 50 where both are to have equal parts
    const queues = { a: { capacity: 33 }, b: { capacity: 33 }, c: { capacity: 34 } }
    const jobs = [asking('a0', 'a', 100), asking('b0', 'b', 30, { submit: 10 }), asking('b1', 'b', 30, { submit: 10 })]
    expect(kills({ ...eager, balance: { maxWaitBeforeKill: 0 } }, { queues }, jobs).byTime).toEqual([[15, 50]])
    expect(kills({ ...eager, maxWaitBeforeKill: 3, balance: { maxWaitBeforeKill: 6 } }, { queues }, jobs).byTime).toEqual([[15, 33], [18, 17]])
    expect(kills({ ...eager, maxWaitBeforeKill: 3, balance: {} }, { queues }, jobs).byTime).toEqual([[15, 33]]) // marks are forgotten after 6 s
    const warnings: string[] = []
    dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { mem: 10 } }] }), policy: capacityScheduler({ preemption: { balance: {} } }), warn: (message) => void warnings.push(message) })
    expect(warnings).toEqual([expect.stringContaining('nobody is killed to balance queues, since marks are forgotten after 30 s')])
  })

  it('marks one more to balance than is due, where what was chosen before is all of it (testPreemptionToBalanceWithVcoreResource)', () => {
    // a uses 40 of its 60, b 60 of its 40: 20 are due to a, and to balance no more. What is chosen is deducted while more is left, so that the last is not, and one more is marked
    const queues = { a: { capacity: 60 }, b: { capacity: 40 } }
    const jobs = [job({ id: 'b0', queue: 'b', tasks: 60, demand: { mem: 1, cpu: 1 }, duration: 1000 }), job({ id: 'a0', queue: 'a', tasks: 40, demand: { mem: 1, cpu: 1 }, duration: 1000 }), job({ id: 'a1', queue: 'a', submit: 10, tasks: 30, demand: { mem: 1, cpu: 1 }, duration: 1000 }), job({ id: 'b1', queue: 'b', submit: 10, tasks: 50, demand: { mem: 1, cpu: 2 }, duration: 1000 })]
    const killed = (balance: Preemption['balance']) => {
      const policy = capacityScheduler({ queues, defaults: { userLimitFactor: -1 }, resourceCalculator: 'dominant', preemption: { ...eager, balance } })
      const { recorder } = run({ cluster: instantCluster({ nodes: [{ count: 1, resources: { mem: 100, cpu: 100 } }] }), jobs, policy, until: 16 })
      return recorder.evictions.map(({ job: id }) => id)
    }
    expect([killed({ maxWaitBeforeKill: 0 }), killed({ enabled: false })].map((ids) => [ids.length, new Set(ids)])).toEqual([[21, new Set(['b0'])], [20, new Set(['b0'])]])
  })

  it('only computes where it is to observe, and does nothing where it is off', () => {
    expect(kills({ ...eager, observeOnly: true }).byTime).toEqual([])
    expect(kills({ ...eager, enabled: false }).byTime).toEqual([])
  })

  it('looks once in an instant, also where all that waited has started and what was killed for it waits then', () => {
    // at 15 s two of a's 30 are killed for b's 55, more than its 50: these start, nobody waits then but those killed, and b is to give them up at the next look, at 18 s, and the one after
    const { recorder } = run({
      cluster: instantCluster({ nodes: [{ count: 1, resources: { mem: 100 } }] }), until: 22, jobs: [asking('a', 'a', 3, { mem: 30 }), asking('b', 'b', 1, { mem: 55, submit: 10 })],
      policy: capacityScheduler({ queues: halves, defaults: { userLimitFactor: -1 }, preemption: eager }),
    })
    expect(recorder.evictions.map(({ job: id, time }) => [id, time])).toEqual([['a', 15], ['a', 15], ['b', 21]])
  })

  it('forgets marks while nobody waits: what is chosen much later waits anew', () => {
    // of 100 B is guaranteed 80. At 12 s 50 of A are marked, a0's 40 first; at 20 s 60 of A end, and nobody waits. At 300 s B wants 80 of A's 100
    const jobs = [
      asking('short', 'a', 60, { duration: 20 }),
      asking('a0', 'a', 40),
      asking('b0', 'b', 50, { submit: 10, duration: 5 }),
      asking('a1', 'a', 60, { submit: 30 }),
      asking('b1', 'b', 80, { submit: 300 }),
    ]
    const queues = { a: { capacity: 20 }, b: { capacity: 80 } }
    expect(kills({ ...eager, maxWaitBeforeKill: 15 }, { queues, architecture: queuePasses.plug({}) }, jobs, 400).byTime).toEqual([[315, 80]])
  })

  it('kills none of which enough ends by itself during the wait', () => {
    const jobs = [asking('a0', 'a', 50), asking('short', 'a', 50, { duration: 20 }), asking('b0', 'b', 50, { submit: 10 })]
    expect(kills({ ...eager, maxWaitBeforeKill: 15 }, {}, jobs).byTime).toEqual([]) // 50 end at 20 s, before 27 s
  })

  it('forgets a mark that was not renewed for twice the wait', () => {
    // b0 is served by what ends at 14 s; b1 comes at 100 s: the tasks marked at 12 s must wait 15 s again
    const jobs = [asking('a0', 'a', 90), asking('short', 'a', 10, { duration: 14 }), asking('b0', 'b', 10, { submit: 10, duration: 80 }), asking('a1', 'a', 10, { submit: 11 }), asking('b1', 'b', 5, { submit: 100 })]
    expect(kills({ ...eager, maxWaitBeforeKill: 15 }, {}, jobs)).toMatchObject({ byTime: [[117, 5]] }) // marked at 102 s
  })

  it('heeds levels: B in A gives before E in D, which is further above its own share', () => {
    const queues: CapacitySchedulerOptions['queues'] = { A: { capacity: 50 }, 'A.B': { capacity: 50 }, 'A.C': { capacity: 50 }, D: { capacity: 50 }, 'D.E': { capacity: 10 }, 'D.F': { capacity: 90 } }
    const jobs = [asking('b', 'A.B', 30), asking('c', 'A.C', 25), asking('e', 'D.E', 45), asking('f', 'D.F', 5, { submit: 10 })]
    const { recorder } = kills(eager, { queues }, jobs)
    expect(recorder.evictions.map(({ job: id }) => id)).toEqual(Array(5).fill('b')) // A has 55 of 50, D 45 of 50; B 30 of 25
  })

  it('takes gangs whole, as long as their queue keeps its guarantee', () => {
    // A runs 60 single tasks and two gangs of 20; B wants 30
    const jobs = [asking('solo', 'a', 60), asking('gang1', 'a', 20, { submit: 1, gang: true }), asking('gang2', 'a', 20, { submit: 2, gang: true }), asking('b0', 'b', 30, { submit: 10 })]
    const taken = (guaranteed: number, preemption = eager, until = 20) => {
      const { recorder } = kills(preemption, { queues: { a: { capacity: guaranteed }, b: { capacity: 100 - guaranteed } } }, jobs, until)
      const counts = new Map<string, number>()
      for (const { job: id, time } of recorder.evictions) counts.set(`${id} at ${time}`, (counts.get(`${id} at ${time}`) ?? 0) + 1)
      return [...counts]
    }
    expect(taken(50)).toEqual([['gang2 at 15', 20], ['gang1 at 15', 20]])
    expect(taken(70)).toEqual([['gang2 at 15', 20], ['solo at 15', 10]]) // without both A would have 60
    expect(taken(90)).toEqual([['solo at 15', 10]])
    // a tenth of the cluster is 10: each gang alone in its look
    expect(taken(50, { ...eager, totalPreemptionPerRound: 0.1 })).toEqual([['gang2 at 15', 20]])
    expect(taken(50, { ...eager, totalPreemptionPerRound: 0.1 }, 30)).toEqual([['gang2 at 15', 20], ['gang1 at 21', 20]])
  })

  it('gives reservations of a queue above its share up before it kills', () => {
    // A runs 7 of 1 GB on each of two nodes of 8 GB and has reserved both for tasks of 2 GB: it uses 14 + 4 = 18, guaranteed are 8
    const policy = capacityScheduler({ queues: halves, defaults: { userLimitFactor: -1 }, maximumOffswitchAssignments: 9, preemption: { ...eager, maxWaitBeforeKill: 100 } })
    const master = dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count: 2, resources: { mem: 8 } }] }), policy })
    master.submit(asking('small', 'a', 14), 0)
    master.heartbeat('n-0', 0, { free: 7 })
    master.heartbeat('n-1', 0, { free: 7 })
    master.submit(asking('big', 'a', 2, { mem: 2 }), 1)
    master.heartbeat('n-0', 1)
    master.heartbeat('n-1', 1)
    master.submit(asking('b', 'b', 2), 2)
    expect(master.heartbeat('n-0', 2).start).toEqual([]) // reserved
    master.tick(3) // the look: B wants 2, so both reservations go
    expect(master.heartbeat('n-0', 4).start.map(({ job: id }) => id)).toEqual(['b'])
  })
})
