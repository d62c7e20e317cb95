import { dispatcher, type Decisions } from '@sched/cluster'
import { randomStream, type NodeId, type Plug } from '@sched/core'
import { conservative, easy, fifo, greedy, multifactor, replan, slurmLimits, slurmPreempting, strict, type SlurmPreemptingOptions } from '@sched/policies'
import { checkPolicyLaws, instantCluster, job, run, type JobChange, type RunOptions } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

const tiers = { high: 3, mid: 2 }
const cpu = (id: string, amount: number, change: JobChange = {}): JobChange => ({ id, demand: { cpu: amount }, ...change })
const withQueue = (each: JobChange) => job({ queue: (each.id as string).split('_')[0] as string, estimate: 100, ...each })

/** A machine whose jobs end when told: the jobs of every decision, in order. */
const machine = (options: SlurmPreemptingOptions, { nodes = 1, resources = { cpu: 4 }, policy = strict(multifactor({ tiers })) }: { nodes?: number; resources?: Record<string, number>; policy?: Plug<'policy'> } = {}) => {
  const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: nodes, resources }] }), policy: slurmPreempting(policy, { tiers, ...options }) })
  const running = new Map<string, Decisions['start'][number][]>()
  const pass = (now: number) => {
    const decisions = master.pass(now)
    for (const { job: id } of [...decisions.kill, ...(decisions.suspend ?? [])]) running.delete(id)
    for (const task of [...decisions.start, ...(decisions.resume ?? [])]) running.set(task.job, [...(running.get(task.job) ?? []), task])
    const named = (['start', 'kill', 'suspend', 'resume'] as const).map((kind) => [kind, [...new Set((decisions[kind] ?? []).map((task) => task.job))]] as const)
    return Object.fromEntries([...named, ['cancelled', decisions.cancelled ?? []] as const].filter(([, jobs]) => jobs.length > 0))
  }
  return {
    master,
    nodesOf: (id: string) => (running.get(id) ?? []).map(({ node }) => node),
    come: (now: number, ...jobs: readonly JobChange[]) => {
      for (const each of jobs) master.submit(withQueue(each), now)
      return pass(now)
    },
    end: (now: number, id: string) => {
      for (const task of running.get(id) ?? []) master.taskEnded(task, now)
      running.delete(id)
      return pass(now)
    },
    pass,
  }
}

/** A run to its end on nodes of 4 CPUs. */
const played = (jobs: readonly JobChange[], options: SlurmPreemptingOptions, change: Partial<RunOptions> = {}) => {
  const { recorder } = run({
    cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 4 } }] }),
    jobs: jobs.map(withQueue),
    policy: slurmPreempting(replan(multifactor({ tiers })), { tiers, ...options }),
    ...change,
  })
  return recorder
}
const endsOf = ({ ends }: ReturnType<typeof played>) => Object.fromEntries(ends.filter(({ how }) => how === 'done').map(({ job: name, stopped }) => [name, stopped]))

describe('PreemptMode=SUSPEND,PRIORITY', () => {
  it('lets suspended jobs keep the priority that they started with, so that one goes on over whom it has preempted, however long that has waited', () => {
    const order = multifactor({ tiers, age: 1000, maxAge: 10_000 })
    const jobs = [cpu('low_1', 4, { duration: 10_000 }), cpu('mid_1', 4, { submit: 1000, duration: 5000 }), cpu('high_1', 4, { submit: 2000, duration: 1000 })]
    const recorder = played(jobs.map((each) => ({ ...each, estimate: each.duration as number })), { mode: 'suspend' }, { policy: slurmPreempting(easy(order), { tiers, mode: 'suspend', byPriority: true, order }) })
    expect(endsOf(recorder)).toEqual({ high_1: 3000, mid_1: 7000, low_1: 16_000 })
  })
})

describe('PreemptMode=CANCEL', () => {
  it('gives preempted jobs up for good', () => {
    const { come, end } = machine({ mode: 'cancel' })
    come(0, cpu('low_1', 4))
    expect(come(10, cpu('high_1', 3))).toEqual({ start: ['high_1'], kill: ['low_1'], cancelled: ['low_1'] })
    expect(end(20, 'high_1')).toEqual({})
  })

  it('gives up what waits of them, too', () => {
    const { come, end } = machine({ mode: 'cancel' }, { policy: greedy(fifo()) })
    come(0, cpu('low_1', 4, { tasks: 3 }))
    expect(come(10, cpu('high_1', 1))).toEqual({ start: ['high_1'], kill: ['low_1'], cancelled: ['low_1'] })
    expect(end(20, 'high_1')).toEqual({})
  })

  it('is told of as abandoned, and holds nothing any more', () => {
    const told: string[] = []
    const observer = { onAbandon: (_job: unknown, { id }: { id: string }, unplaced: number, now: number) => void told.push(`${id} ${unplaced} ${now}`) }
    const recorder = played([cpu('low_1', 2, { tasks: 2, gang: true, duration: 50 }), cpu('high_1', 4, { submit: 10, duration: 5 }), cpu('low_2', 4, { submit: 11, duration: 7 })], { mode: 'cancel' }, { observers: [observer] })
    expect(told).toEqual(['low_1 2 10'])
    expect(endsOf(recorder)).toEqual({ high_1: 15, low_2: 22 })
  })

  it('of single queues: others start anew (PreemptMode of partitions)', () => {
    const { come, end } = machine({ modes: { mid: 'cancel' } }, { nodes: 2 })
    come(0, cpu('mid_1', 4), cpu('low_1', 4))
    expect(come(10, cpu('high_1', 4), cpu('high_2', 4))).toEqual({ start: ['high_1', 'high_2'], kill: ['low_1', 'mid_1'], cancelled: ['mid_1'] })
    expect(end(20, 'high_1')).toEqual({ start: ['low_1'] })
  })

  it('is for QOS what it is for queues', () => {
    const qos = { urgent: { preempt: ['normal', 'scavenge'], priority: 10 }, normal: { priority: 5 }, scavenge: {} }
    const { come } = machine({ qos, modes: { scavenge: 'cancel', normal: 'off' } }, { nodes: 2, policy: greedy(fifo()) })
    come(0, cpu('a', 4), cpu('b', 4, { qos: 'scavenge' }))
    expect(come(10, cpu('c', 4, { qos: 'urgent' }), cpu('d', 4, { qos: 'urgent' }))).toEqual({ start: ['c'], kill: ['b'], cancelled: ['b'] })
  })
})

describe('PreemptMode=SUSPEND', () => {
  it('stops jobs where they are until those that took their place have ended (preempt.html of Slurm)', () => {
    // five nodes with a job each; a job for three of them takes the place of three, whose jobs go on when it has ended
    const { come, end, nodesOf } = machine({ mode: 'suspend' }, { nodes: 5 })
    come(0, ...['a', 'b', 'c', 'd', 'e'].map((name) => cpu(`low_${name}`, 4)))
    const before = nodesOf('low_a')
    expect(come(10, cpu('high_1', 4, { tasks: 3, gang: true }))).toEqual({ start: ['high_1'], suspend: ['low_a', 'low_b', 'low_c'] })
    expect(end(40, 'high_1')).toEqual({ resume: ['low_a', 'low_b', 'low_c'] })
    expect(nodesOf('low_a')).toEqual(before)
  })

  it('loses no work: what is left goes on', () => {
    const recorder = played([cpu('low_1', 4, { duration: 50 }), cpu('high_1', 3, { submit: 10, duration: 30 }), cpu('high_2', 4, { submit: 60, duration: 5 })], { mode: 'suspend' })
    expect(endsOf(recorder)).toEqual({ low_1: 85, high_1: 40, high_2: 65 })
    expect(recorder.ends.filter(({ how }) => how === 'evicted').map(({ started, stopped }) => [started, stopped])).toEqual([[0, 10], [40, 60]])
  })

  it('keeps the place of a suspended job from those that may not preempt it', () => {
    // low_1 has all 4, high_1 takes 2: the other 2 are low_1's, so neither low_2 nor a later high_1 of its own tier may have them, but high_2 may
    const { come, end } = machine({ mode: 'suspend' }, { policy: greedy(fifo()) })
    come(0, cpu('low_1', 4))
    expect(come(10, cpu('high_1', 2), cpu('low_2', 1))).toEqual({ start: ['high_1'], suspend: ['low_1'] })
    expect(come(20, cpu('high_2', 1))).toEqual({ start: ['high_2'] })
    expect(end(30, 'high_1')).toEqual({})
    expect(end(40, 'high_2')).toEqual({ resume: ['low_1'] })
    expect(end(50, 'low_1')).toEqual({ start: ['low_2'] })
  })

  it('lets others have what suspended jobs do not need to go on', () => {
    const { come } = machine({ mode: 'suspend' }, { policy: greedy(fifo()) })
    come(0, cpu('low_1', 3), cpu('high_0', 1))
    expect(come(10, cpu('high_1', 2))).toEqual({ start: ['high_1'], suspend: ['low_1'] }) // 4 of 4 are asked for if both highs end: 1 is free, 3 are taken, 3 are owed
    expect(come(20, cpu('low_2', 1))).toEqual({ start: ['low_2'] })
    expect(come(21, cpu('low_3', 1))).toEqual({})
  })

  it('does not free memory or devices, so that takes no place where these are short', () => {
    const resources = { cpu: 4, memory: 10, gpus: 2 }
    const start = () => machine({ mode: 'suspend' }, { resources })
    const one = start()
    one.come(0, cpu('low_1', 4, { demand: { cpu: 4, memory: 6 } }))
    expect(one.come(10, cpu('high_1', 4, { demand: { cpu: 4, memory: 5 } }))).toEqual({})
    const other = start()
    other.come(0, cpu('low_1', 4, { demand: { cpu: 4, memory: 6, gpus: 1 } }))
    expect(other.come(10, cpu('high_1', 4, { demand: { cpu: 4, memory: 4, gpus: 1 } }))).toEqual({ start: ['high_1'], suspend: ['low_1'] })
    expect(other.come(20, cpu('high_2', 1, { demand: { gpus: 1 } }))).toEqual({})
    expect(other.end(30, 'high_1')).toEqual({ start: ['high_2'], resume: ['low_1'] })
    expect(start().come(0, cpu('low_1', 4, { demand: { cpu: 4, memory: 10 } }), cpu('high_1', 4, { demand: { cpu: 4, memory: 10 } }))).toEqual({ start: ['high_1'] })
  })

  it('stops no more jobs than are in the way, of the lowest tier first', () => {
    const { come } = machine({ mode: 'suspend' }, { nodes: 2, policy: greedy(fifo()) })
    come(0, cpu('mid_1', 2), cpu('low_1', 1), cpu('low_2', 1), cpu('mid_2', 4))
    expect(come(10, cpu('high_1', 2))).toEqual({ start: ['high_1'], suspend: ['low_1', 'low_2'] })
    expect(come(20, cpu('high_2', 2))).toEqual({ start: ['high_2'], suspend: ['mid_1'] })
  })

  it('lets those of higher tiers go on first, and nobody whose place a higher one waits for', () => {
    const { come, end } = machine({ mode: 'suspend' })
    come(0, cpu('low_1', 2))
    expect(come(10, cpu('mid_1', 4))).toEqual({ start: ['mid_1'], suspend: ['low_1'] })
    expect(come(20, cpu('high_1', 2), cpu('high_2', 2))).toEqual({ start: ['high_1', 'high_2'], suspend: ['mid_1'] })
    expect(end(30, 'high_1')).toEqual({}) // low_1 would fit, and be in the way of mid_1 when high_2 has ended
    expect(end(40, 'high_2')).toEqual({ resume: ['mid_1'] })
    expect(end(50, 'mid_1')).toEqual({ resume: ['low_1'] })
  })

  it('comes before anybody is preempted for good, and can make room together with it', () => {
    const modes = { low: 'suspend', mid: 'requeue' } as const
    const one = machine({ modes }, { nodes: 2 })
    one.come(0, cpu('mid_1', 4), cpu('low_1', 4))
    expect(one.come(10, cpu('high_1', 4))).toEqual({ start: ['high_1'], suspend: ['low_1'] })
    const both = machine({ modes }, { nodes: 2 })
    both.come(0, cpu('mid_1', 4), cpu('low_1', 4))
    expect(both.come(10, cpu('high_1', 4, { tasks: 2, gang: true }))).toEqual({ start: ['high_1'], kill: ['mid_1'], suspend: ['low_1'] })
    expect(both.end(20, 'high_1')).toEqual({ start: ['mid_1'], resume: ['low_1'] })
  })

  it('of a job of many tasks stops those that run, lets each go on alone, and starts no others of it meanwhile', () => {
    const { come, end } = machine({ mode: 'suspend' }, { policy: greedy(fifo()) })
    come(0, cpu('low_1', 1, { tasks: 6 }))
    expect(come(10, cpu('high_1', 3))).toEqual({ start: ['high_1'], suspend: ['low_1'] })
    expect(come(20)).toEqual({ resume: ['low_1'] }) // one of the four
    expect(end(30, 'high_1')).toEqual({ resume: ['low_1'] })
    expect(end(40, 'low_1')).toEqual({ start: ['low_1'] })
  })

  it('lets nothing of a cancelled job go on, though some of it still runs, and keeps no place for it', () => {
    const { master, come, end } = machine({ mode: 'suspend' })
    come(0, cpu('low_1', 2, { tasks: 2 }))
    expect(come(10, cpu('high_1', 2), cpu('high_2', 2))).toEqual({ start: ['high_1', 'high_2'], suspend: ['low_1'] })
    expect(end(20, 'high_1')).toEqual({ resume: ['low_1'] })
    expect(master.cancel('low_1', 30)).toHaveLength(1)
    expect(end(40, 'high_2')).toEqual({})
    expect(come(50, cpu('low_2', 2))).toEqual({ start: ['low_2'] })
    expect(end(60, 'low_1')).toEqual({})
    expect(master.work.active).toBe(1)
  })

  it('starts a job anew whose node goes away, wherever there is room', () => {
    const outages = [{ node: 0 as NodeId, from: 20, to: 500 }]
    const two = instantCluster({ nodes: [{ count: 2, resources: { cpu: 4 } }] })
    const jobs = [cpu('low_1', 4, { duration: 50 }), cpu('low_2', 4, { submit: 5, duration: 100 }), cpu('high_1', 4, { submit: 10, duration: 30 })]
    expect(endsOf(played(jobs, { mode: 'suspend' }, { cluster: two, outages }))).toEqual({ low_2: 135, low_1: 185, high_1: 50 }) // high_1 is lost at 20, and stops low_2 until 50
  })

  it('has saved its work where tasks save it', () => {
    const jobs = [cpu('low_1', 4, { duration: 50 }), cpu('high_1', 4, { submit: 15, duration: 30 })]
    expect(endsOf(played(jobs, { mode: 'suspend' }, { checkpoint: { interval: 10, cost: 1 } }))).toEqual({ high_1: 47, low_1: 86 }) // 14 s done and one save by 15; 36 s and 3 saves left
    expect(endsOf(played(jobs, { mode: 'suspend' }, { checkpoint: { interval: 10, cost: 1, restore: 5, whenPreempted: true } }))).toEqual({ high_1: 47, low_1: 86 }) // it is in memory
    expect(endsOf(played(jobs, { mode: 'requeue' }, { checkpoint: { restore: 5, whenPreempted: true } }))).toEqual({ high_1: 45, low_1: 85 })
  })

  it('is planned with: what is left of the time limit counts', () => {
    // low_1 (limit 100) ran 20 s, so that it ends by 130 when it goes on at 50: low_3 backfills before low_2 if it ends by then
    const jobs = [cpu('low_1', 3, { duration: 100 }), cpu('high_1', 3, { submit: 20, duration: 30 }), cpu('low_2', 4, { submit: 60, duration: 10, estimate: 60 }), cpu('low_3', 1, { submit: 61, duration: 60, estimate: 60 })]
    const policy = slurmPreempting(easy(multifactor({ tiers })), { tiers, mode: 'suspend' })
    expect(endsOf(played(jobs, {}, { policy }))).toEqual({ high_1: 50, low_1: 130, low_2: 140, low_3: 121 })
    const late = jobs.map((each) => (each.id === 'low_3' ? { ...each, estimate: 120, duration: 120 } : each))
    expect(endsOf(played(late, {}, { policy }))['low_3']).toBe(260)
  })

  it('stands around limits: a suspended job counts again when it goes on', () => {
    const policy = slurmLimits(greedy(fifo()), { partitions: { low: { MaxTRESPerJob: 'cpu=4' } } })
    const { come, end } = machine({ mode: 'suspend' }, { policy })
    come(0, cpu('low_1', 4))
    expect(come(10, cpu('high_1', 4), cpu('low_2', 4))).toEqual({ start: ['high_1'], suspend: ['low_1'] })
    expect(end(20, 'high_1')).toEqual({ resume: ['low_1'] })
  })

  it('stands inside limits, too: what is suspended does not count against them', () => {
    const inner = slurmPreempting(greedy(multifactor({ tiers })), { tiers, mode: 'suspend' })
    const recorder = played([cpu('low_1', 4, { duration: 50 }), cpu('low_2', 4, { submit: 1, duration: 10 }), cpu('high_1', 4, { submit: 10, duration: 30 })], {}, { policy: slurmLimits(inner, { partitions: { low: { QOS: 'one' } }, qos: { one: { GrpJobs: 1 } } }) })
    expect(endsOf(recorder)).toEqual({ high_1: 40, low_1: 80, low_2: 90 })
  })

  it('runs every task for as long as it takes, in pieces on one node, whatever happens on random machines', { tags: 'long' }, () => {
    let pieces = 0
    for (let seed = 1; seed <= 150; seed++) {
      const random = randomStream(seed, 'suspended')
      const whole = (least: number, most: number) => least + Math.floor(random() * (most - least + 1))
      const jobs = Array.from({ length: whole(5, 25) }, (_, i) => {
        const [name, gang] = [['high', 'mid', 'low'][whole(0, 2)] as string, random() < 0.5]
        return { id: `${name}_${i}`, submit: whole(0, 60), tasks: whole(1, gang ? 4 : 3), gang, duration: whole(0, 40), estimate: whole(40, 90), demand: { cpu: whole(1, 4), memory: whole(1, 4) } }
      })
      const inner = [greedy(fifo()), easy(multifactor({ tiers })), replan(multifactor({ tiers }), { nodes: 'named' }), conservative()][seed % 4] as Plug<'policy'>
      const modes = seed % 3 === 0 ? ({ mid: 'requeue' } as const) : {}
      const cluster = instantCluster({ nodes: [{ count: whole(1, 4), resources: { cpu: 4, memory: 9 } }] })
      const { ends, launches } = played(jobs.filter(({ tasks, gang }) => !gang || tasks <= cluster.nodes.reduce((sum, { count }) => sum + count, 0)), {}, { cluster, infeasible: 'reject', policy: slurmPreempting(inner, { tiers, mode: 'suspend', modes }) })
      const ofTask = new Map<string, { seconds: number; nodes: Set<string>; pieces: number }>()
      for (const { job: id, task, node, started, stopped } of ends) {
        const key = `${id} ${task}`
        const found = ofTask.get(key) ?? { seconds: 0, nodes: new Set<string>(), pieces: 0 }
        ofTask.set(key, { seconds: found.seconds + stopped - started, nodes: found.nodes.add(node), pieces: found.pieces + 1 })
      }
      expect(ends.filter(({ how }) => how === 'done')).toHaveLength(ofTask.size)
      expect(launches).toHaveLength(ends.length)
      for (const [key, { seconds, nodes, pieces: parts }] of ofTask) {
        if (modes.mid !== undefined && key.startsWith('mid')) continue
        const { duration } = jobs.find(({ id }) => key.startsWith(`${id} `)) as { duration: number }
        expect([seed, key, Math.round(seconds * 1e6) / 1e6, nodes.size]).toEqual([seed, key, duration, 1])
        pieces += parts - 1
      }
    }
    expect(pieces).toBeGreaterThan(300)
  })

  it('needs to see all nodes at once', () => {
    const beating = { ...instantCluster({ nodes: [{ count: 1, resources: { cpu: 4 } }] }), heartbeat: { interval: 3 } }
    expect(() => dispatcher({ cluster: beating, policy: slurmPreempting(greedy(fifo()), { tiers, mode: 'suspend' }) })).toThrow('slurm-preempting.mode: jobs are suspended only where all nodes are seen at once')
  })

  it.each([
    { mode: 'suspend' },
    { mode: 'suspend', gangs: true },
    { mode: 'cancel' },
    { modes: { a: 'suspend', b: 'cancel' }, gangs: true },
    { modes: { a: 'suspend', b: 'suspend' }, gangJobs: true },
  ] as const)('obeys the laws of policies: %j', { tags: 'long' }, ({ gangs = false, gangJobs = false, ...options }) => {
    const cancels = 'jobs that are cancelled do not end'
    const { evictions } = checkPolicyLaws(() => slurmPreempting(greedy(fifo()), { tiers: { a: 2, b: 3 }, ...options }), {
      runs: 100,
      worlds: { heartbeats: false, outages: true, gangs: gangs || gangJobs, gangJobs },
      skip: options.mode === 'suspend' ? {} : { once: cancels, completion: cancels, failures: 'jobs that are cancelled are given up, too' },
    })
    expect(evictions).toBeGreaterThan(20)
  })
})
