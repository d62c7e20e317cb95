import { dispatcher, type Dispatcher, type Placed } from '@sched/cluster'
import type { JobSpec, NodeId, Plug, Policy, Round, TaskId } from '@sched/core'
import { delay, fair, fifo, greedy, preempting, yarnFair, type FairOptions, type PreemptingOptions } from '@sched/policies'
import { checkPolicyLaws, cluster, instantCluster, job, prepare, run, worlds, type MakePolicy } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { queuePasses } from './backfilling/machine.js'
import { firstNode } from './first-node.js'

const oneNode = (map: number) => cluster({ nodes: [{ name: 'n', count: 1, slots: { map } }] })
const beat = (slots: Dispatcher, now: number, free: number) => slots.heartbeat('n-0', now, { free })
/** Killed tasks as `job first..last`, in order of killing. */
const span = (killed: readonly Placed[]) => [killed.length, killed[0]?.job, killed[0]?.task, killed.at(-1)?.task]

/**
 * 100 slots: Q runs 60 tasks, of which 30 started at 0 s and 30 at 1 s, R runs 30 since 2 s, P runs `p` of 50 since 3 s; all
 * slots are taken. P is short of tasks since it came; at 2 s was the last look at which it wanted none.
 */
function full(options: PreemptingOptions, pools: FairOptions['pools'] = { P: { minShare: 30 } }, p = 10): Dispatcher {
  const slots = dispatcher({ cluster: oneNode(90 + p), policy: preempting(greedy(fair({ pools })), options) })
  slots.submit(job({ id: 'q', queue: 'Q', tasks: 1000 }), 0)
  beat(slots, 0, 30)
  beat(slots, 1, 30)
  slots.submit(job({ id: 'r', queue: 'R', tasks: 1000 }), 2)
  beat(slots, 2, 30)
  slots.submit(job({ id: 'p', queue: 'P', tasks: 50 }), 3)
  const { start } = beat(slots, 3, p)
  expect(start.every((each) => each.job === 'p')).toBe(true)
  return slots
}

// Fact 11: S = 100, equal weights; P runs 10 (minimum 30, demand 50), Q 60, R 30. Fair shares are 33.3 each.
describe('preemption (Zaharia et al., EuroSys 2010, section 3)', () => {
  it('takes 20 tasks for the minimum share after Tmin, all from Q, the newest first: R is below its fair share', () => {
    const slots = full({ minTimeout: 60 })
    expect([beat(slots, 45, 0).kill, beat(slots, 60, 0).kill]).toEqual([[], []]) // 58 s below since 2 s
    const { kill } = beat(slots, 75, 0)
    expect([span(kill), kill.every((each) => each.job === 'q')]).toEqual([[20, 'q', 59, 40], true])
  })

  it('claims what pools lacked before anything was taken: one that gives a task takes no other for it at once', () => {
    // 8 slots: a, b, c and t.x run 2 each; a has nearly all weight. At 9 d has lacked its one for 5 s, t.x one of its 3 for 7 s
    const pools: FairOptions['pools'] = {
      a: { weight: 100 }, b: { weight: 0.01 }, c: { weight: 0.01 }, d: { minShare: 1, minTimeout: 5 }, t: { weight: 0.01, pools: { x: { minShare: 3, minTimeout: 7 } } },
    }
    const jobs = [['a', 0, 2], ['c', 1, 2], ['b', 1.5, 2], ['t.x', 2, 10], ['a', 3, 8], ['d', 4, 1]] as const
    const { recorder } = run({
      policy: preempting(greedy(fair({ pools }), firstNode()), { interval: 1 }), cluster: instantCluster({ nodes: [{ count: 1, slots: { map: 8 } }] }), until: 9,
      jobs: jobs.map(([queue, submit, tasks], i) => job({ id: `${queue}${i}`, queue, submit, tasks, duration: 100 })),
    })
    expect(recorder.evictions.map((end) => `${end.time} ${end.job}`)).toEqual(['9 t.x3', '9 b2']) // the newest for d, the newest that is left for t.x
  })

  it('gives the freed slots to the starved pool through the wrapped policy', () => {
    const slots = full({ minTimeout: 60 })
    const { kill, start } = beat(slots, 75, 100)
    expect([kill.length, start.length, new Set(start.map((each) => each.job))]).toEqual([20, 20, new Set(['p'])])
    expect(beat(slots, 150, 100)).toEqual({ kill: [], start: [] })
  })

  it('takes 23 tasks for the fair share after Tfair: floor(33.3) - 10, all from Q', () => {
    const slots = full({ fairTimeout: 60 }, { P: {} })
    expect(beat(slots, 60, 0).kill).toEqual([])
    expect(span(beat(slots, 75, 0).kill)).toEqual([23, 'q', 59, 37])
  })

  it('takes the larger number when both timeouts have passed', () => {
    expect(beat(full({ minTimeout: 60, fairTimeout: 60 }), 75, 0).kill).toHaveLength(23)
    expect(beat(full({ minTimeout: 60, fairTimeout: 600 }), 75, 0).kill).toHaveLength(20)
  })

  it('starves a pool only below half of its fair share, unless told otherwise: of 106 slots, 17 is half of 35.3', () => {
    expect(beat(full({ fairTimeout: 60 }, {}, 16), 75, 0).kill).toHaveLength(35 - 16)
    expect(beat(full({ fairTimeout: 60 }, {}, 18), 75, 0).kill).toHaveLength(0)
    // of 108 slots everybody's share is 36: with the whole share as the limit R is starved too
    expect(beat(full({ fairTimeout: 60, starvationFraction: 1 }, {}, 18), 75, 0).kill).toHaveLength(36 - 18 + 36 - 30)
  })

  it('kills the longest running first on demand', () => {
    expect(span(beat(full({ minTimeout: 60, victims: 'oldest' }), 75, 0).kill)).toEqual([20, 'q', 0, 19])
  })

  it('takes no pool below its fair share: with weight 8 P wants 50, Q and R keep 25 each', () => {
    const { kill } = beat(full({ fairTimeout: 60 }, { P: { weight: 8 } }), 75, 0)
    expect([kill.filter((each) => each.job === 'q').length, kill.filter((each) => each.job === 'r').length]).toEqual([35, 5])
  })

  it('has timeouts of single pools', () => {
    expect(beat(full({}, { P: { minShare: 30, minTimeout: 60 } }), 75, 0).kill).toHaveLength(20)
    expect(beat(full({ minTimeout: 60 }, { P: { minShare: 30, minTimeout: 5 } }), 15, 0).kill).toHaveLength(20)
    const patient = full({ minTimeout: 5 }, { P: { minShare: 30, minTimeout: 60 } }) // its own, longer too
    expect([beat(patient, 15, 0).kill.length, beat(patient, 75, 0).kill.length]).toEqual([0, 20])
    expect(beat(full({}), 1000, 0).kill).toEqual([])
  })

  it('looks for tasks to kill every `interval`, and at who is short every `updateInterval`', () => {
    expect(beat(full({ minTimeout: 60, interval: 65 }), 65, 0).kill).toHaveLength(20)
    // the last look at which P wanted nothing was at 0 s, so it counts as short since then
    expect(beat(full({ minTimeout: 60, updateInterval: 30 }), 60, 0).kill).toHaveLength(20)
  })

  it('asks for its looks itself: tasks are killed between heartbeats too', () => {
    const slots = full({ minTimeout: 60 })
    let kills = 0
    for (let looks = 0; looks < 400 && kills === 0; looks++) kills = slots.tick(slots.nextWake).kill.length
    expect([kills, slots.nextWake]).toEqual([20, 75.5])
  })

  describe('gives away what is free before it looks', () => {
    /** Of 8 slots Q has all, or all but one. P has a minimum share and a timeout; R waits for its fair share and has none. */
    const killed = (jobs: readonly JobSpec[], minShare: number, options: PreemptingOptions) => {
      const policy = preempting(greedy(fair({ pools: { P: { minShare } } })), { minTimeout: 5, ...options })
      const { recorder } = run({ policy, cluster: instantCluster({ nodes: [{ count: 1, slots: { map: 8 } }] }), jobs })
      return recorder.evictions.map((end) => `${end.time} ${end.job}`)
    }
    const r = job({ id: 'r', queue: 'R', submit: 5, tasks: 2, duration: 90 })

    it('so that nothing is killed for slots that come free at that instant', () => {
      const q = (first: number) => job({ id: 'q', queue: 'Q', submit: 0, tasks: 16, duration: [first, first, ...Array.from({ length: 14 }, () => 90)] })
      const p = job({ id: 'p', queue: 'P', submit: 5, tasks: 2, duration: 90 })
      expect(killed([q(90), p, r], 2, { interval: 1 })).toEqual(['10 q', '10 q'])
      expect(killed([q(10), p, r], 2, { interval: 1 })).toEqual([]) // two tasks of Q end at 10 s, when P has been short for 5 s
    })

    it('so that a pool is not short of a task that ends just then, and of which the next one starts', () => {
      const jobs = [job({ id: 'p', queue: 'P', submit: 0, tasks: 12, duration: 5 }), job({ id: 'q', queue: 'Q', submit: 0, tasks: 16, duration: 90 }), r]
      expect(killed(jobs, 1, { updateInterval: 5 })).toEqual([])
    })
  })

  it('starts the clocks anew when nobody has been waiting', () => {
    const slots = dispatcher({ cluster: oneNode(2), policy: preempting(greedy(fair({ pools: { P: { minShare: 1 } } })), { minTimeout: 20, interval: 1 }) })
    slots.submit(job({ id: 'q', queue: 'Q', tasks: 2 }), 0)
    beat(slots, 0, 2)
    beat(slots, 50, 2)
    slots.submit(job({ id: 'p', queue: 'P' }), 100)
    expect([100, 110, 119].map((now) => beat(slots, now, 2).kill.length)).toEqual([0, 0, 0])
    expect(beat(slots, 120, 2)).toMatchObject({ kill: [{ job: 'q', task: 1 }], start: [{ job: 'p' }] })
  })

  it('starts them anew too where nobody asks it while nobody waits', () => {
    // both slots are Q's from 0 s on, and nothing waits until P's job comes at 40 s
    const jobs = [job({ id: 'q', queue: 'Q', tasks: 2, duration: 100 }), job({ id: 'p', queue: 'P', submit: 40 })]
    const policy = preempting(greedy(fair({ pools: { P: { minShare: 1 } } })), { minTimeout: 20, interval: 1 })
    const { recorder } = run({ jobs, cluster: instantCluster({ nodes: [{ name: 'n', count: 1, slots: { map: 2 } }] }), policy, architecture: queuePasses.plug({}) })
    const killed = recorder.events.flatMap((event) => (event.kind === 'end' && event.how === 'evicted' ? [event.time] : []))
    expect(killed).toEqual([60])
  })

  it('does not delay the jobs of a pool that has waited out a timeout', () => {
    const nodes = cluster({ nodes: [{ name: 'n', count: 2, slots: { map: 1 } }] })
    const policy = (options: PreemptingOptions) => preempting(delay(fair({ pools: { P: { minShare: 1 } } }), { node: 1000 }), options)
    const startOf = (options: PreemptingOptions) => {
      const slots = dispatcher({ cluster: nodes, policy: policy(options) })
      slots.submit(job({ id: 'q', queue: 'Q', tasks: 2 }), 0)
      const [first] = [...slots.heartbeat('n-0', 0).start, ...slots.heartbeat('n-1', 0).start]
      slots.submit(job({ id: 'p', queue: 'P', data: { hosts: [['n-1']] } }), 1)
      slots.heartbeat('n-1', 1)
      slots.taskEnded(first as Placed, 2)
      return [3, 30].find((now) => slots.heartbeat('n-0', now).start.length > 0)
    }
    expect([startOf({ minTimeout: 20 }), startOf({})]).toEqual([30, undefined])
  })

  it('warns that it has no effect over an order without shares', () => {
    const warnings: string[] = []
    dispatcher({ cluster: oneNode(1), policy: preempting(greedy(fifo())), warn: (message) => void warnings.push(message) })
    expect(warnings).toEqual([expect.stringMatching(/no effect.*no shares/)])
  })

  it('has an effect only on slots of one task each, and says so', () => {
    const told = (resources: Record<string, number>, demand: Record<string, number>, options: PreemptingOptions = { fairTimeout: 1 }) => {
      const warnings: string[] = []
      const policy = preempting(greedy(yarnFair({})), { ...options, interval: 1 })
      const slots = dispatcher({ cluster: instantCluster({ nodes: [{ name: 'n', count: 1, resources }] }), policy, warn: (message) => void warnings.push(message) })
      slots.submit(job({ id: 'a', queue: 'a', tasks: 4, demand }), 0)
      slots.pass(0)
      slots.submit(job({ id: 'b', queue: 'b', tasks: 4, demand }), 1)
      return [...[1, 5, 10].map((now) => slots.pass(now).kill.length), ...warnings.map((warning) => /(several resources|more or less than one)/.exec(warning)?.[0])]
    }
    expect(told({ map: 4 }, { map: 1 })).toEqual([0, 2, 0])
    expect(told({ mem: 4096 }, { mem: 1024 })).toEqual([0, 0, 0, 'more or less than one'])
    expect(told({ cpu: 4, mem: 4096 }, { cpu: 1, mem: 1024 })).toEqual([0, 0, 0, 'several resources'])
    expect(told({ cpu: 4, mem: 4096 }, { cpu: 1, mem: 1024 }, {})).toEqual([0, 0, 0]) // without a timeout it is not asked for
  })

  it('looks at the times it says where it checks more often than it looks', () => {
    // P is short since 1 s; looks are at 1, 2, 4, 6, ... s, and nothing else happens
    const policy = preempting(greedy(fair({ pools: { P: { minShare: 1 } } })), { minTimeout: 5, interval: 1, updateInterval: 2 })
    const jobs = [job({ id: 'q', queue: 'Q', duration: 100 }), job({ id: 'p', queue: 'P', submit: 1 })]
    const { recorder } = run({ jobs, cluster: instantCluster({ nodes: [{ name: 'n', count: 1, slots: { map: 1 } }] }), policy })
    expect(recorder.launchLines().slice(0, 2)).toEqual(['0 q.0 on n-0', '6 p.0 on n-0'])
  })

  it('takes what a scaled minimum share leaves nothing of: 4 and 2 of 4 slots are 8/3 and 4/3', () => {
    // a has no minimum and runs 2, c has 4/3 and runs 2; b wants floor(8/3) = 2, both of a
    const pools = { b: { minShare: 4 }, c: { minShare: 2 }, a: { weight: 0.3 } }
    const policy = preempting(greedy(fair({ pools })), { minTimeout: 1, interval: 1 })
    const slots = dispatcher({ cluster: instantCluster({ nodes: [{ name: 'n', count: 1, slots: { map: 4 } }] }), policy, warn: () => undefined })
    for (const id of ['a', 'c']) slots.submit(job({ id, queue: id, tasks: id === 'a' ? 9 : 2 }), 0)
    slots.pass(0)
    slots.submit(job({ id: 'c2', queue: 'c', tasks: 5 }), 1)
    slots.submit(job({ id: 'b', queue: 'b', tasks: 9 }), 1)
    expect([1, 2, 3].flatMap((now) => slots.pass(now).kill.map((each) => each.job))).toEqual(['a', 'a'])
  })

  it('takes of tasks launched together those of the job that came later, whatever ids were used before', () => {
    const slots = dispatcher({ cluster: oneNode(2), policy: preempting(greedy(fair({ pools: { P: { minShare: 1 } } })), { minTimeout: 5 }) })
    for (const id of ['old', 'first']) slots.submit(job({ id, queue: 'Q' }), 0)
    for (const each of beat(slots, 0, 1).start) slots.taskEnded(each, 1)
    beat(slots, 1, 0)
    slots.submit(job({ id: 'second', queue: 'Q' }), 2) // with the ids of old
    expect(beat(slots, 3, 2).start.map((each) => each.job)).toEqual(['first', 'second'])
    slots.submit(job({ id: 'p', queue: 'P' }), 4)
    expect([4, 15, 30].flatMap((now) => beat(slots, now, 0).kill.map((each) => each.job))).toEqual(['second'])
  })

  it('kills nothing on a drained node, where the slot is nobody else\'s', () => {
    // node 1 takes nothing any more: of the two slots left P is due one; the newer tasks of q are on node 1
    const jobs = [job({ id: 'q', queue: 'Q', tasks: 4, duration: 100 }), job({ id: 'p', queue: 'P', submit: 1, tasks: 2 })]
    const policy = preempting(greedy(fair()), { fairTimeout: 2, interval: 5, starvationFraction: 1 })
    const { recorder } = run({ jobs, cluster: instantCluster({ nodes: [{ name: 'n', count: 2, slots: { map: 2 } }] }), policy, until: 9, outages: [{ node: 1 as NodeId, from: 1, to: 1000, drain: true }] })
    expect(recorder.evictions.map(({ time, job, task, node }) => `${time} ${job}.${task} on ${node}`)).toEqual(['5 q.1 on n-0'])
    expect(recorder.launchLines().at(-1)).toBe('5 p.0 on n-0')
  })

  describe('of gangs', () => {
    const four = (jobs: JobSpec[], until = 40) =>
      run({ jobs, cluster: instantCluster({ nodes: [{ name: 'n', count: 2, slots: { map: 2 } }] }), policy: preempting(greedy(fair()), { fairTimeout: 2, interval: 5, starvationFraction: 1 }), until }).recorder
    const killed = (recorder: ReturnType<typeof four>) => recorder.evictions.map(({ time, job, stage, task }) => `${time} ${job}.${stage}.${task}`)

    it('kills all that runs of one, on all nodes, and of no other stage', () => {
      const stages = [
        { name: 'lead', tasks: 1, demand: { map: 1 }, duration: 100 },
        { name: 'gang', tasks: 3, demand: { map: 1 }, duration: 100, gang: true },
      ]
      // q may keep 3 of 4 slots: its gang stays, its single task goes though it is as old
      const kept = four([job({ id: 'q', queue: 'Q', stages }), job({ id: 'p', queue: 'P', submit: 1 })])
      expect([killed(kept), kept.launchLines().filter((line) => line.includes('p'))]).toEqual([['5 q.0.0'], ['5 p.0 on n-0']])
      const gangs = ['q', 'r'].map((id) => job({ id, queue: 'Q', tasks: 2, gang: true, duration: 100 }))
      expect(killed(four([...gangs, job({ id: 'p', queue: 'P', submit: 1, tasks: 2 })]))).toEqual(['5 r.0.1', '5 r.0.0'])
    })

    it('kills nothing for one that what its pool may take has no room for', () => {
      const q = job({ id: 'q', queue: 'Q', tasks: 9, duration: 20 })
      expect(killed(four([q, job({ id: 'p', queue: 'P', submit: 1, tasks: 3, gang: true })]))).toEqual([])
      expect(killed(four([q, job({ id: 'p', queue: 'P', submit: 1, tasks: 2, gang: true })]))).toEqual(['5 q.0.3', '5 q.0.2'])
    })

    it('kills nothing for one that has to start at the heartbeat of one node', () => {
      const jobs = [job({ id: 'q', queue: 'Q', tasks: 3, duration: 100 }), job({ id: 'r', queue: 'Q', submit: 1, duration: 100, tasks: 2, gang: true }), job({ id: 'p', queue: 'P', submit: 2, tasks: 2, gang: true })]
      const { recorder } = run({ jobs, cluster: cluster({ nodes: [{ name: 'n', count: 2, slots: { map: 2 } }] }), policy: preempting(greedy(fair()), { fairTimeout: 2, interval: 5 }), until: 60 })
      expect(recorder.evictions).toEqual([])
    })
  })
})

describe('preemption on random worlds', () => {
  const options: PreemptingOptions = { minTimeout: 4, fairTimeout: 6, interval: 2, updateInterval: 2 }
  const make: MakePolicy = () => preempting(greedy(fair({ pools: { a: { minShare: 2 }, b: { minShare: 1, weight: 3 } } }), firstNode()), options)

  /** Long tasks, more than slots, from one queue after the other, so that the later ones have to take theirs. */
  const crowded = worlds({ slots: true, jobs: 4 }).map((world) => ({
    ...world,
    jobs: world.jobs.map(({ after: _, startup: _startup, ...each }, i) => ({
      ...each,
      submit: 3 * i,
      queue: ['c', 'a', 'b'][i % 3] as string,
      stages: each.stages.map((stage) => ({ ...stage, tasks: 9, demand: { map: 1 }, duration: 20 })),
    })),
  }))

  it('obeys all laws, killing tasks', { tags: 'long' }, () => {
    expect(checkPolicyLaws(make, { runs: 25, worlds: crowded }).evictions).toBeGreaterThan(30)
  })

  it('never takes a pool below its fair share', { tags: 'long' }, () => {
    let kills = 0
    fc.assert(
      fc.property(crowded, (world) => {
        const wrong: string[] = []
        const policy = watched(make(world), (task, round, { sharing }) => {
          const pool = sharing?.poolOf(round.work.jobOf(task)) ?? 0
          const left = (sharing?.running(pool, round.lane) ?? 0) - 1
          const share = sharing?.fairShares(round.lane)[pool] ?? 0
          kills++
          if (left < share) wrong.push(`${sharing?.name(pool)} is left with ${left} of ${share} at ${round.now} s`)
        })
        prepare({ policy, cluster: world.cluster, jobs: world.jobs, seed: world.seed, infeasible: 'reject' }).simulation.run()
        expect(wrong).toEqual([])
      }),
      { seed: 5, numRuns: 35 },
    )
    expect(kills).toBeGreaterThan(30)
  })
})

/** The policy, with every eviction shown before it is drafted. */
function watched(plug: Plug<'policy'>, onEvict: (task: TaskId, round: Round, policy: Policy) => void): Plug<'policy'> {
  return {
    ...plug,
    create(env) {
      const policy = plug.create(env)
      const schedule = policy.schedule.bind(policy)
      policy.schedule = (round) =>
        schedule(
          new Proxy(round, {
            get: (target, name) => {
              const value: unknown = Reflect.get(target, name)
              if (name === 'evict') return (task: TaskId) => {
                onEvict(task, target, policy)
                target.evict(task)
              }
              return typeof value === 'function' ? (value.bind(target) as unknown) : value
            },
          }),
        )
      return policy
    },
  }
}
