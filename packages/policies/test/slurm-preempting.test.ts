import { dispatcher } from '@sched/cluster'
import type { NodeId } from '@sched/core'
import { conservative, easy, fattened, fifo, greedy, multifactor, replan, slurmPreempting, strict, type SlurmPreemptingOptions } from '@sched/policies'
import { checkPolicyLaws, instantCluster, job, type JobChange } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { startsOf, type Options } from './backfilling/machine.js'

const tiers = { high: 3, mid: 2 }
/** A machine of so many nodes with 4 CPUs. What starts and what is preempted when jobs come together. */
const machine = (options: SlurmPreemptingOptions = {}, { nodes = 1, policy = strict(multifactor({ tiers })) } = {}) => {
  const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: nodes, resources: { cpu: 4 } }] }), policy: slurmPreempting(policy, { tiers, ...options }) })
  const running = new Map<string, ReturnType<typeof master.pass>['start'][number][]>()
  const pass = (now: number) => {
    const { start, kill } = master.pass(now)
    for (const { job: id } of kill) running.delete(id)
    for (const task of start) running.set(task.job, [...(running.get(task.job) ?? []), task])
    return { start: [...new Set(start.map((task) => task.job))], kill: [...new Set(kill.map((task) => task.job))].sort() }
  }
  return {
    come: (now: number, ...jobs: readonly JobChange[]) => {
      for (const each of jobs) master.submit(job({ queue: (each.id as string).split('_')[0] as string, estimate: 100, ...each }), now)
      return pass(now)
    },
    end: (now: number, id: string) => {
      for (const task of running.get(id) ?? []) master.taskEnded(task, now)
      running.delete(id)
      return pass(now)
    },
  }
}
const cpu = (id: string, amount: number, change: JobChange = {}): JobChange => ({ id, demand: { cpu: amount }, ...change })

describe('preemption by tier', () => {
  it('takes the place of a lower tier, which waits and starts anew', () => {
    const { come, end } = machine()
    expect(come(0, cpu('low_1', 4))).toEqual({ start: ['low_1'], kill: [] })
    expect(come(10, cpu('high_1', 3))).toEqual({ start: ['high_1'], kill: ['low_1'] })
    expect(end(20, 'high_1')).toEqual({ start: ['low_1'], kill: [] })
  })

  it('lets a job that was preempted start anew after a delay, with nobody in its way until then', () => {
    // 2 nodes: low_1 goes at 10, and low_2 behind it has node 0 at 20; low_1 starts when 121 s are over
    const { come, end } = machine({ requeueDelay: 121 }, { nodes: 2, policy: replan(multifactor({ tiers })) })
    come(0, cpu('low_1', 4), cpu('mid_1', 4))
    expect(come(10, cpu('high_1', 4), cpu('low_2', 4))).toEqual({ start: ['high_1'], kill: ['low_1'] })
    expect(end(20, 'high_1')).toEqual({ start: ['low_2'], kill: [] })
    expect(end(30, 'mid_1')).toEqual({ start: [], kill: [] })
    expect([come(130), come(131)]).toEqual([{ start: [], kill: [] }, { start: ['low_1'], kill: [] }])
  })

  it('takes nothing from its own tier or a higher one', () => {
    const { come } = machine()
    come(0, cpu('mid_1', 4))
    expect(come(10, cpu('mid_2', 1), cpu('low_1', 1))).toEqual({ start: [], kill: [] })
    expect(come(20, cpu('high_1', 1))).toEqual({ start: ['high_1', 'mid_2', 'low_1'], kill: ['mid_1'] }) // the room that is left is others' at once
  })

  it('comes before lower tiers take what is free', () => {
    // 2 nodes: high_1 needs both, and low_2 would fit beside low_1 until that has ended
    const { come } = machine({}, { nodes: 2, policy: replan(multifactor({ tiers })) })
    come(0, cpu('low_1', 4))
    expect(come(10, cpu('low_2', 4, { estimate: 60 }), cpu('high_1', 4, { tasks: 2, gang: true }))).toEqual({ start: ['high_1'], kill: ['low_1'] })
  })

  it('is part of a plan of named nodes: a job takes a place when its turn comes, on nodes that nobody before it has reserved', () => {
    // node 0 has 1 of 4 left beside mid_1 (until 120), node 1 nothing beside mid_0 and low_1. mid_2 (3) is planned on node 0, where mid_3 (1, 200 s) would be in
    // its way: it takes the place of low_1. With 60 s it has node 0
    const of = (estimate: number) => {
      const { come } = machine({}, { nodes: 2, policy: replan(multifactor({ tiers }), { nodes: 'named' }) })
      come(0, cpu('mid_1', 3))
      come(1, cpu('mid_0', 2, { estimate: 400 }), cpu('low_1', 2))
      return come(10, cpu('mid_2', 3, { estimate: 60 }), cpu('mid_3', 1, { estimate }))
    }
    expect([of(200), of(60)]).toEqual([{ start: ['mid_3'], kill: ['low_1'] }, { start: ['mid_3'], kill: [] }])
  })

  it('leaves those that find room to the policy first', () => {
    // 2 nodes: at 10 high_1 (4) fits on node 1 as it is, and high_2 (4) takes node 0 from low_1
    const { come } = machine({}, { nodes: 2, policy: replan(multifactor({ tiers })) })
    come(0, cpu('low_1', 4))
    expect(come(10, cpu('high_1', 4), cpu('high_2', 4))).toEqual({ start: ['high_1', 'high_2'], kill: ['low_1'] })
  })

  it('plans the end of what has taken a place from its start on', () => {
    // 1 node of 4: high_1 (2, 100 s) starts at 50 in the place of low_1, so mid_2 (3) can start at 150: low_2 (1, 100 s) may start at 50, with 101 s it would be in the way
    const until = (estimate: number) => {
      const { come } = machine({}, { policy: easy(multifactor({ tiers })) })
      come(0, cpu('high_0', 1, { estimate: 1000 }), cpu('low_1', 3))
      return come(50, cpu('high_1', 2), cpu('mid_2', 3), cpu('low_2', 1, { estimate })).start
    }
    expect(until(100)).toEqual(['high_1', 'low_2'])
    expect(until(101)).toEqual(['high_1'])
  })

  it('takes the lowest tier first, there the smallest job or the youngest, and no more than are needed', () => {
    const small = { nodes: 3, policy: greedy(fifo()) }
    const jobs = (come: ReturnType<typeof machine>['come']) => {
      come(0, cpu('low_big', 2, { tasks: 4, gang: true }))
      come(1, cpu('mid_1', 1))
      come(2, cpu('low_one', 2), cpu('mid_2', 1))
    }
    const first = (options: SlurmPreemptingOptions, amount: number) => {
      const { come } = machine(options, small)
      jobs(come)
      return come(10, cpu('high_1', amount)).kill
    }
    expect(first({}, 2)).toEqual(['low_one'])
    expect(first({ youngestFirst: true }, 2)).toEqual(['low_one'])
    expect(first({}, 4)).toEqual(['low_big']) // low_one alone leaves 2 and 2; with low_big two nodes are empty, and it need not go
    expect(first({ tiers: { high: 3, mid: 1, low: 2 } }, 2)).toEqual(['mid_1', 'mid_2'])
  })

  it('takes the youngest first whatever its tier, if asked to (_sort_by_youngest of Slurm)', () => {
    const killed = (options: SlurmPreemptingOptions) => {
      const { come } = machine(options, { nodes: 2, policy: greedy(fifo()) })
      come(0, cpu('low_1', 4))
      come(5, cpu('mid_1', 4))
      return come(10, cpu('high_1', 4)).kill
    }
    expect(killed({})).toEqual(['low_1'])
    expect(killed({ youngestFirst: true })).toEqual(['mid_1'])
  })

  it('looks again with the job at the head that made room in the end (_run_now of select/cons_tres)', () => {
    // node 0: high_0 (2), low_1 (1), low_2 (1); node 1: low_3 (4). high_1 asks 5: with all three gone there are 6, so low_3 is needed; with it and low_1 there are 5
    const { come } = machine({}, { nodes: 2, policy: greedy(fifo()) })
    come(0, cpu('high_0', 2), cpu('low_1', 1), cpu('low_2', 1), cpu('low_3', 4))
    expect(come(10, cpu('high_1', 1, { tasks: 5, gang: true })).kill).toEqual(['low_1', 'low_3'])
  })

  it('keeps the order in which jobs go, if asked to (preempt_strict_order of select/cons_tres)', () => {
    // nodes 0 and 1: low_0 (2, node 0), low_1 (2 of node 0, 1 of node 1), low_2 (2, node 1), 1 free; nodes 2 and 3: low_3. high_1 asks 6 times 2, for which
    // all go, in the order low_0, low_2, low_1, low_3. With low_3 there are 4, then 2 more with low_1, which is on most of the nodes found, or with low_0 and low_2
    const killed = (options: SlurmPreemptingOptions) => {
      const { come } = machine(options, { nodes: 4, policy: greedy(fifo()) })
      come(0, ...[[1, 2], [1, 3], [1, 2], [3, 2]].map(([amount = 0, tasks = 0], i) => cpu(`low_${i}`, amount, { tasks, gang: true })))
      return come(10, cpu('high_1', 2, { tasks: 6, gang: true })).kill
    }
    expect(killed({})).toEqual(['low_1', 'low_3'])
    expect(killed({ strictOrder: true })).toEqual(['low_0', 'low_2', 'low_3'])
  })

  it('takes no job that is on none of the nodes found, and of two that are alike the earlier one', () => {
    // node 0: high_0 (2), low_1 (2); nodes 1 and 2: low_2 and low_3 (4). high_1 asks 4 on one node: low_1 alone makes no room, low_2 does
    const { come } = machine({}, { nodes: 3, policy: greedy(fifo()) })
    come(0, cpu('high_0', 2), cpu('low_1', 2), cpu('low_2', 4), cpu('low_3', 4))
    expect(come(10, cpu('high_1', 4)).kill).toEqual(['low_2'])
  })

  it('takes nothing where that would not be enough, nor from jobs that started lately', () => {
    const { come } = machine({ exemptTime: 60 })
    come(0, cpu('low_1', 2))
    come(30, cpu('low_2', 2))
    expect(come(50, cpu('high_1', 2))).toEqual({ start: [], kill: [] })
    expect(come(70, cpu('mid_1', 4))).toEqual({ start: ['high_1'], kill: ['low_1'] })
  })

  it('leaves jobs of a QOS alone for as long as that says, whatever holds for the others', () => {
    const { come } = machine({ exemptTime: 60, exemptTimes: { long: 100, none: 0 } })
    come(0, cpu('low_1', 1, { qos: 'long' }), cpu('low_2', 1, { qos: 'none' }), cpu('low_3', 2))
    expect(come(1, cpu('high_1', 1))).toEqual({ start: ['high_1'], kill: ['low_2'] })
    expect(come(59, cpu('high_2', 1))).toEqual({ start: [], kill: [] })
    expect(come(60, cpu('high_3', 2)).kill).toEqual(['low_3'])
    expect(come(99, cpu('high_4', 1)).kill).toEqual([])
    expect(come(100, cpu('high_5', 1)).kill).toEqual(['low_1'])
  })

  it('leaves jobs alone for as long as the QOS of their partition says, unless their own comes before it (acct_policy_get_preemptable_time of Slurm)', () => {
    const { come } = machine({ exemptTime: 10, exemptTimes: { long: 100, own: 20 }, exemptTimesOfQueues: { low: 50 }, ownQosFirst: ['own', 'other'] })
    come(0, cpu('low_1', 1, { qos: 'long' }), cpu('low_2', 1, { qos: 'own' }), cpu('low_3', 1, { qos: 'other' }), cpu('mid_1', 1))
    expect([come(9, cpu('high_1', 1)).kill, come(10, cpu('high_2', 1)).kill]).toEqual([[], ['mid_1']])
    expect([come(20, cpu('high_3', 1)).kill, come(49, cpu('high_4', 1)).kill]).toEqual([['low_2'], []])
    expect(come(50, cpu('high_5', 1)).kill).toEqual(['low_1', 'low_3'])
  })

  it('spares the jobs of queues that say so (PreemptMode=OFF of a partition)', () => {
    const { come } = machine({ modes: { mid: 'off' } }, { nodes: 2 })
    come(0, cpu('mid_1', 4), cpu('low_1', 4))
    expect(come(10, cpu('high_1', 4), cpu('high_2', 4))).toEqual({ start: ['high_1'], kill: ['low_1'] })
    expect(come(20, cpu('mid_2', 4))).toEqual({ start: [], kill: [] })
  })

  it('takes the first nodes of the lower partition, and leaves the others running (preempt.html of Slurm)', () => {
    // five nodes with a job each; a job for three of them takes the place of three
    const { come, end } = machine({}, { nodes: 5 })
    come(0, ...['a', 'b', 'c', 'd', 'e'].map((name) => cpu(`low_${name}`, 4)))
    expect(come(10, cpu('high_1', 4, { tasks: 3, gang: true })).kill).toEqual(['low_a', 'low_b', 'low_c'])
    expect(end(40, 'high_1').start).toEqual(['low_a', 'low_b', 'low_c'])
  })

  it('comes back when the time is over for which a job is left alone that has just started', () => {
    // 5 processors: at 150 high_0 gives back 4, which low_1 gets, since it came first; nothing else happens until high_1 takes its place at 210
    const jobs = ([['low_0', 0, 1, 1000], ['high_0', 0, 4, 150], ['low_1', 90, 4, 1000], ['high_1', 100, 4, 50]] as const).map(([id, submit, procs, duration]) => ({
      id, submit, queue: id.split('_')[0] as string, estimate: duration, stages: [{ name: 'job', tasks: 1, demand: { procs }, duration }],
    }))
    expect(startsOf(jobs, [5], slurmPreempting(greedy(fifo()), { tiers: { high: 2 }, exemptTime: 60 })).get('high_1')).toBe(210)
  })

  describe('with a grace time', () => {
    type Row = readonly [id: string, submit: number, procs: number, duration: number]
    const jobs = (rows: readonly Row[]) =>
      rows.map(([id, submit, procs, duration]) => ({ id, submit, queue: id.split('_')[0] as string, estimate: duration, stages: [{ name: 'job', tasks: 1, demand: { procs }, duration }] }))
    const starts = (graceTime: Record<string, number>, ...rows: Row[]) =>
      Object.fromEntries(startsOf(jobs(rows), [4], slurmPreempting(strict(multifactor({ tiers })), { tiers, graceTime })))

    it('chosen jobs run on for it, or to their end (GraceTime of Slurm)', () => {
      expect(starts({ low: 30 }, ['low_1', 0, 4, 1000], ['high_1', 10, 4, 50])['high_1']).toBe(40)
      expect(starts({ low: 30 }, ['low_1', 0, 4, 25], ['high_1', 10, 4, 50])['high_1']).toBe(25)
      expect(starts({ mid: 30 }, ['low_1', 0, 4, 1000], ['high_1', 10, 4, 50])['high_1']).toBe(10)
    })

    it('all go together, when the last is over, and those that were chosen before come first', () => {
      // mid_1 may go at 70, and until then low_1 stays, which has no grace time; high_2 chooses when low_1 has gone at 70 for high_1, so 60 s later
      expect(starts({ mid: 60 }, ['mid_1', 0, 2, 1000], ['low_1', 0, 2, 1000], ['high_1', 10, 4, 50])['high_1']).toBe(70)
      expect(starts({ low: 60 }, ['low_1', 0, 2, 1000], ['low_2', 1, 2, 1000], ['high_1', 10, 2, 500], ['high_2', 20, 2, 50])).toMatchObject({ high_1: 70, high_2: 130 })
    })

    it('those go when it is over whose place nobody needs any more, but not who would start anew at once (preempted ... for JobId=Invalid)', () => {
      // of 2 nodes high_1 gets the one of high_0 at 20
      const killed = (options: SlurmPreemptingOptions) => {
        const { come, end } = machine({ graceTime: { low: 30 }, ...options }, { nodes: 2 })
        come(0, cpu('high_0', 4), cpu('low_1', 4))
        expect([come(10, cpu('high_1', 4)), end(20, 'high_0'), come(39)]).toEqual([{ start: [], kill: [] }, { start: ['high_1'], kill: [] }, { start: [], kill: [] }])
        return come(40)
      }
      expect([{ requeueDelay: 121 }, { mode: 'cancel' } as const, {}].map((options) => killed(options).kill)).toEqual([['low_1'], ['low_1'], []])
    })

    it('those without it go at once, while others run on, and who would start anew at once with the last of them', () => {
      const kills = (options: SlurmPreemptingOptions) => {
        const { come } = machine({ graceTime: { mid: 60 }, ...options })
        come(0, cpu('mid_1', 2), cpu('low_1', 2))
        return [come(10, cpu('high_1', 4)), come(70)]
      }
      expect(kills({ requeueDelay: 121 })).toEqual([{ start: [], kill: ['low_1'] }, { start: ['high_1'], kill: ['mid_1'] }])
      expect(kills({})).toEqual([{ start: [], kill: [] }, { start: ['high_1'], kill: ['low_1', 'mid_1'] }])
    })

    it.each([
      ['a job', { stages: [{ name: 'job', tasks: 2, gang: true, demand: { procs: 3 }, duration: 50 }] }],
      ['a job of several stages', { gang: true, stages: ['first', 'second'].map((name) => ({ name, tasks: 1, gang: true, demand: { procs: 3 }, duration: 50 })) }],
    ])('a plan keeps the nodes for %s that waits for them (planned start failed, in sched/backfill)', (_, parts) => {
      // 2 nodes of 4: low_3 would fit beside one of those who go, on a node that is kept, and starts beside high_1 when that has it
      const all = [...jobs([['low_1', 0, 3, 1000], ['low_2', 0, 3, 1000], ['low_3', 11, 1, 20]]), { id: 'high_1', submit: 10, queue: 'high', estimate: 50, ...parts }]
      const policy = slurmPreempting(replan(multifactor({ tiers }), { nodes: 'named' }), { tiers, graceTime: { low: 30 } })
      const { high_1, low_3 } = Object.fromEntries(startsOf(all.sort((a, b) => a.submit - b.submit), [4], policy, { nodes: 2 }))
      expect([high_1, low_3]).toEqual([40, 40])
    })
  })

  it.each([
    ['names', { minNodes: 2, maxNodes: 2 }, strict(multifactor({ tiers }))],
    ['names, in a plan', { minNodes: 2, maxNodes: 2 }, replan(multifactor({ tiers }), { nodes: 'named' })],
    ['has from its queue', { minNodes: 2 }, replan(multifactor({ tiers }), { nodes: 'named', maxNodes: { mid: 2 } })],
  ] as const)('preempts nobody where that leaves room on more nodes than the job %s', (_, nodes, policy) => {
    // of 3 nodes two have 1 CPU free, and the third has 2 when low_1 is gone (-N2 -n4 of Slurm)
    const { come, end } = machine({}, { nodes: 3, policy })
    come(0, cpu('high_1', 3), cpu('high_2', 3), cpu('high_3', 2), cpu('low_1', 2))
    expect(come(10, cpu('mid_1', 1, { tasks: 4, gang: true, ...nodes }))).toEqual({ start: [], kill: [] })
    expect(end(20, 'high_1')).toEqual({ start: ['mid_1'], kill: [] })
  })

  it('comes back at once for one that found no room since the same pass had started others', () => {
    // 5 processors: high_0 has 4 of them until 150, which low_1 then gets, since it came first; high_1 takes its place a moment later, and not when low_1 ends at 1150
    const jobs = ([['low_0', 0, 1, 1000], ['high_0', 0, 4, 150], ['low_1', 90, 4, 1000], ['high_1', 100, 4, 50]] as const).map(([id, submit, procs, duration]) => ({
      id, submit, queue: id.split('_')[0] as string, estimate: duration, stages: [{ name: 'job', tasks: 1, demand: { procs }, duration }],
    }))
    for (const policy of [greedy(fifo()), strict(fifo()), replan(fifo())]) expect(startsOf(jobs, [5], slurmPreempting(policy, { tiers: { high: 2 } })).get('high_1')).toBeCloseTo(150.001, 6)
  })

  it('comes back a moment later, too, where nobody could be preempted when the pass began', () => {
    // both wait for the machine, and fifo gives it to low_1 at 10
    const jobs = ([['high_0', 0, 10], ['low_1', 1, 1000], ['high_1', 2, 50]] as const).map(([id, submit, duration]) => ({
      id, submit, queue: id.split('_')[0] as string, estimate: duration, stages: [{ name: 'job', tasks: 1, demand: { procs: 4 }, duration }],
    }))
    for (const policy of [greedy(fifo()), strict(fifo()), easy(), conservative(), replan(fifo())]) {
      expect(startsOf(jobs, [4], slurmPreempting(policy, { tiers: { high: 2 } })).get('high_1')).toBeCloseTo(10.001, 6)
      expect(startsOf(jobs, [4], slurmPreempting(policy, { tiers: { high: 2 }, exemptTime: 60 })).get('high_1')).toBe(70)
    }
  })

  it('refuses QOS that preempt each other in a loop, which would go on for ever (QOS Preemption loop of Slurm)', () => {
    const made = (qos: NonNullable<SlurmPreemptingOptions['qos']>) => () => machine({ qos })
    expect(made({ a: { preempt: ['b'] }, b: { preempt: ['c'] }, c: { preempt: ['b'] } })).toThrow('QOS preempt each other in a loop: b, c, b.')
    expect(made({ a: { preempt: ['a'] } })).toThrow('QOS preempt each other in a loop: a, a.')
    expect(made(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`q${i}`, { preempt: Array.from({ length: i }, (_, k) => `q${k}`) }])))).not.toThrow()
  })

  it('starts a gang on what it needs of many jobs', () => {
    const { come } = machine({}, { nodes: 3 })
    come(0, cpu('low_1', 4), cpu('low_2', 4), cpu('mid_1', 4))
    expect(come(5, cpu('high_1', 3, { tasks: 2, gang: true }))).toEqual({ start: ['high_1'], kill: ['low_1', 'low_2'] })
  })

  it('goes with backfilling, in which the others go on', () => {
    for (const policy of [replan(multifactor({ tiers })), easy(multifactor({ tiers }))]) {
      const { come, end } = machine({}, { policy })
      come(0, cpu('low_1', 2), cpu('low_2', 2))
      expect(come(10, cpu('high_1', 2))).toEqual({ start: ['high_1'], kill: ['low_1'] })
      expect(end(20, 'low_2')).toEqual({ start: ['low_1'], kill: [] })
    }
  })

  it('leaves the mean wait of fattened as it is: what takes the place of others waits until it does', () => {
    // high waits from 5 to 10, until low may be preempted: AWT 5. From 20 on low holds 3 of 4 processors until 40, when wide could start; beside it
    // narrow would run until 44, a delay of 4 < 5
    const jobs = [['low', 0, 3, 20], ['high', 5, 4, 10], ['wide', 21, 4, 10], ['narrow', 22, 1, 22]] as const
    const specs = jobs.map(([id, submit, procs, seconds]) => ({ id, submit, queue: id, estimate: seconds, stages: [{ name: 's', tasks: 1, demand: { procs }, duration: seconds }] }))
    const starts = startsOf(specs, [4], slurmPreempting(fattened(), { tiers: { high: 2 }, exemptTime: 10 }))
    expect(Object.fromEntries(starts)).toEqual({ low: 0, high: 10, narrow: 22, wide: 44 })
  })

  describe('around conservative', () => {
    /** First starts, and starts that are promised. */
    const run = (rows: readonly (readonly [id: string, submit: number, procs: number, seconds: number, estimate: number, priority?: number])[], change: Options = {}) => {
      const promised: [string, number, number][] = []
      const specs = rows.map(([id, submit, procs, seconds, estimate, priority = 0]) => ({ id, submit, priority, queue: id.split('_')[0] as string, estimate, stages: [{ name: 's', tasks: 1, demand: { procs }, duration: seconds }] }))
      const starts = startsOf(specs, [change.nodes === 2 ? 4 : 8], slurmPreempting(conservative(), { tiers: { high: 3 } }), { observers: [{ onReserve: (job, start, now) => void promised.push([rows[job]?.[0] ?? '', start, now]) }], ...change })
      return { starts: Object.fromEntries(starts), promised }
    }

    it('is planned with: what has taken the place of others holds its own', () => {
      // high_1 takes 5 of 8 processors from low_0 at 22, until 155; low_1 goes first of those that wait, then high_2, which takes its place a moment later
      const { starts, promised } = run([['low_0', 2, 6, 300, 1201], ['low_1', 22, 8, 5, 5, 1], ['high_1', 22, 5, 44, 133], ['high_2', 22, 7, 192, 192]])
      expect(promised.filter(([, , now]) => now === 22)).toEqual([['low_1', 155, 22], ['high_2', 160, 22], ['low_0', 352, 22]])
      expect(starts).toEqual({ low_0: 2, low_1: 66, high_1: 22, high_2: 66.001 })
    })

    it('is planned with, too, where it starts anew: it has lost its node', () => {
      // high_1 has node 0 from 0 to 50, and at 10, when that fails, takes node 1 from low_1 and needs 50 s again
      const outages = [{ node: 0 as NodeId, from: 10, to: 1000 }]
      const { starts, promised } = run([['high_1', 0, 4, 50, 50], ['low_1', 0, 4, 100, 100], ['low_2', 5, 4, 20, 20]], { nodes: 2, outages })
      expect(promised.filter(([, , now]) => now >= 5)).toEqual([['low_2', 50, 5], ['low_2', 60, 10], ['low_1', 80, 10]])
      expect(starts).toEqual({ high_1: 0, low_1: 0, low_2: 60 })
    })

    it('leaves its plan as it is where what is tried makes no room', () => {
      // at 10 and 20 the 4 of low_1 would not be enough for high_2, which waits for high_1
      const { starts, promised } = run([['low_1', 0, 4, 100, 100], ['high_1', 0, 4, 100, 100], ['high_2', 10, 6, 10, 10], ['low_2', 20, 4, 50, 50]])
      expect(promised).toEqual([['low_1', 0, 0], ['high_1', 0, 0], ['high_2', 100, 10], ['low_2', 110, 20]])
      expect(starts).toEqual({ low_1: 0, high_1: 0, high_2: 100, low_2: 110 })
    })
  })

  it('goes by QOS where these say whom they preempt, the lowest priority first (preempt/qos)', () => {
    const qos = { urgent: { preempt: ['normal', 'scavenge'], priority: 10 }, normal: { preempt: ['scavenge'], priority: 5 }, scavenge: {} }
    const { come } = machine({ qos }, { nodes: 2, policy: greedy(fifo()) })
    come(0, cpu('a', 4), cpu('b', 4, { qos: 'scavenge' }))
    expect(come(10, cpu('c', 1, { qos: 'other' }), cpu('d', 1, { qos: 'scavenge' }))).toEqual({ start: [], kill: [] })
    expect(come(20, cpu('e', 4, { qos: 'urgent' }))).toEqual({ start: ['e'], kill: ['b'] })
    expect(come(30, cpu('f', 4, { qos: 'urgent' }), cpu('g', 4))).toEqual({ start: ['f'], kill: ['a'] })
  })

  describe('by priority', () => {
    it('takes from its own QOS what has a lower one, if that may be (PreemptMode=WITHIN)', () => {
      const { come } = machine({ qos: { normal: { within: true }, other: {} } }, { policy: greedy(fifo()) })
      come(0, cpu('a', 2, { priority: 5 }), cpu('b', 2, { qos: 'other' }))
      expect(come(10, cpu('c', 2, { priority: 5 }), cpu('d', 2, { qos: 'other', priority: 9 }))).toEqual({ start: [], kill: [] })
      expect(come(20, cpu('e', 2, { priority: 6 }))).toEqual({ start: ['e'], kill: ['a'] })
    })

    it('takes only what has no higher one by tier, and what has a lower one by QOS, if both must be (PreemptMode=PRIORITY)', () => {
      const killed = (options: SlurmPreemptingOptions, priority: number) => {
        const { come } = machine({ ...options, byPriority: true }, { policy: greedy(fifo()) })
        come(0, cpu('low_1', 4, { priority: 5 }))
        return come(10, cpu('high_1', 4, { priority, qos: 'urgent' })).kill
      }
      expect([4, 5, 6].map((priority) => killed({}, priority))).toEqual([[], ['low_1'], ['low_1']])
      expect([4, 5, 6].map((priority) => killed({ qos: { urgent: { preempt: ['normal'] } } }, priority))).toEqual([[], [], ['low_1']])
    })

    it('leaves jobs alone above a threshold (min_exempt_priority)', () => {
      const { come } = machine({ minExemptPriority: 7 }, { nodes: 2, policy: greedy(fifo()) })
      come(0, cpu('low_1', 4, { priority: 8 }), cpu('low_2', 4, { priority: 7 }))
      expect(come(10, cpu('high_1', 4), cpu('high_2', 4))).toEqual({ start: ['high_1'], kill: ['low_2'] })
    })

    it('comes by those of an order; of what runs they stay as they were at its start', () => {
      // 1000 for 1000 s of waiting, counted every 300 s: b has 1 at 10 and a third of that more at 310
      const order = multifactor({ age: 1000, maxAge: 1000 })
      const { come } = machine({ qos: { normal: { within: true } }, order }, { policy: greedy(fifo()) })
      come(0, cpu('a', 4))
      expect(come(10, cpu('b', 4))).toEqual({ start: [], kill: [] })
      expect(come(310, cpu('c', 4))).toEqual({ start: ['b'], kill: ['a'] })
      const first = (order?: SlurmPreemptingOptions['order']) => {
        const { come: next } = machine({ ...(order !== undefined && { order }) }, { policy: greedy(fifo()) })
        next(0, cpu('low_1', 4))
        return next(10, cpu('high_1', 3), cpu('high_2', 4)).start
      }
      expect([first(), first(multifactor({ jobSize: 1000 }))]).toEqual([['high_1'], ['high_2']])
    })
  })

  it.each<SlurmPreemptingOptions>([{}, { graceTime: { a: 5, default: 2 } }, { byPriority: true, strictOrder: true, order: multifactor({ age: 100, maxAge: 60, jobSize: 50, PriorityCalcPeriod: 5 }) }])('obeys the laws of policies: %j', { tags: 'long' }, (options) => {
    const { evictions } = checkPolicyLaws(() => slurmPreempting(greedy(fifo()), { tiers: { a: 2, b: 3 }, ...options }), { runs: 40 })
    expect(evictions).toBeGreaterThan(20)
  })
})
