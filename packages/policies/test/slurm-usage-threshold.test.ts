import { dispatcher, type DispatcherMemory } from '@sched/cluster'
import type { JobSpec, Observer, Plug } from '@sched/core'
import { easy, fairShare, fifo, gangScheduling, greedy, multifactor, replan, slurmLimits, slurmPreempting, strict, type MultifactorOptions, type SlurmLimitsOptions } from '@sched/policies'
import { simulate } from '@sched/sim'
import { modelOf } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { queuePasses } from './backfilling/machine.js'
import { machine, procs } from './slurm-limits-machine.js'

// ann and bob have one share each of the root, periods are minutes, use does not decay
const accounts = { root: { users: { ann: 1, bob: 1 } } }
const minutes = { accounts, calcPeriod: 60, halfLife: 0 }
const atLeast = (least: number, more: object = {}): SlurmLimitsOptions => ({ qos: { normal: { UsageThreshold: least, Flags: ['EnforceUsageThreshold'], ...more } } })
const weighted = (options: MultifactorOptions) => strict(multifactor({ ...minutes, ...options }))

/** Whether a second job of ann starts at 61 s, where she alone has used anything. */
const starts = (policy: Plug<'policy'>, options: SlurmLimitsOptions) => {
  const { come } = machine(options, { policy })
  come(0, procs('ann_1', 1))
  return come(61, procs('ann_2', 1)).length === 1
}

describe('UsageThreshold', () => {
  it('holds jobs back while fair share adds less to their priority (job_limits_check of Slurm)', () => {
    // fair tree: F of ann is 1/2 when she alone has used anything, and 1 when bob has used more
    const { come, end, pass } = machine(atLeast(0.6), { policy: strict(fairShare(minutes)) })
    expect(come(0, procs('ann_1', 1), procs('bob_1', 1))).toEqual(['ann_1', 'bob_1'])
    expect(end(30, 'bob_1')).toEqual([])
    expect(come(59, procs('ann_2', 1))).toEqual(['ann_2']) // the period has not ended
    expect(come(60, procs('ann_3', 1), procs('bob_2', 4))).toEqual(['bob_2']) // 60 + 1 against 30 processor seconds
    end(70, 'ann_1', 'ann_2')
    expect([pass(119), pass(120)]).toEqual([[], ['ann_3']]) // 60 + 10 + 11 against 30 + 240
  })

  it('is compared with the factor times its weight', () => {
    expect([starts(weighted({ fairShare: 1 }), atLeast(0.5)), starts(weighted({ fairShare: 1 }), atLeast(0.6))]).toEqual([true, false])
    expect([starts(weighted({ fairShare: 1000 }), atLeast(0.6)), starts(weighted({ fairShare: 1000 }), atLeast(500)), starts(weighted({ fairShare: 1000 }), atLeast(501))]).toEqual([true, true, false])
  })

  it.each(['fair-tree', 'classic', 'depth-oblivious'] as const)('without a weight is compared with 2^(-usage / shares): %s', (algorithm) => {
    // ann has all usage and half of the shares: 2^-2; with dampening 2: 2^-1
    expect([starts(weighted({ algorithm }), atLeast(0.25)), starts(weighted({ algorithm }), atLeast(0.26))]).toEqual([true, false])
    expect([starts(weighted({ algorithm, dampening: 2 }), atLeast(0.5)), starts(weighted({ algorithm, dampening: 2 }), atLeast(0.51))]).toEqual([true, false])
  })

  it('without a weight looks at the siblings alone with fair-tree', () => {
    // all that is used is of account a, in which ann has a fourth of the shares and all usage: 2^-4; classic adds what a has used too much
    const deep = { a: { shares: 1, users: { ann: 1, cid: 3 } }, b: { shares: 7, users: { bob: 1 } } }
    const least = (algorithm: 'fair-tree' | 'classic') => {
      const policy = weighted({ algorithm, accounts: deep })
      const held = [2 ** -3.99, 2 ** -4, 2 ** -31.9, 2 ** -32].map((least) => {
        const { come } = machine(atLeast(least), { policy })
        come(0, procs('ann_1', 1, { account: 'a' }))
        return come(61, procs('ann_2', 1, { account: 'a' })).length === 0
      })
      return held
    }
    expect(least('fair-tree')).toEqual([true, false, false, false])
    expect(least('classic')).toEqual([true, true, true, false]) // S = 1/8 x 1/4, UE = UA = 1
  })

  it('of 0.6 holds back whom it held back under Slurm 22.05.8', () => {
    // games and news have a third of the shares of their account each, and 4/5 and 1/5 of its use: F is 1/4 and 2/4 among four users, and 2^-2.4 and 2^-0.6 without a weight
    const tree = { root: { users: { root: 1 } }, a: { shares: 1, users: { root: 1, games: 1, news: 1 } } }
    const held = (weight: number) => {
      const { come } = machine(atLeast(0.6), { policy: weighted({ fairShare: weight, accounts: tree }) })
      come(0, procs('games_1', 4, { account: 'a' }), procs('news_1', 1, { account: 'a' }))
      const started = come(130, procs('games_2', 1, { account: 'a' }), procs('news_2', 1, { account: 'a' }))
      return ['games_2', 'news_2'].filter((id) => !started.includes(id))
    }
    expect([held(1), held(1000), held(0)]).toEqual([['games_2', 'news_2'], [], ['games_2']])
  })

  it('needs the flag, and that the job asks for the QOS itself', () => {
    expect(starts(weighted({ fairShare: 1 }), { qos: { normal: { UsageThreshold: 0.6 } } })).toBe(true)
    const ofPartition = { qos: { part: { UsageThreshold: 0.6, Flags: ['EnforceUsageThreshold'] }, normal: {} }, partitions: { main: { QOS: 'part' } } }
    expect(starts(weighted({ fairShare: 1 }), ofPartition)).toBe(true)
    expect(starts(weighted({ fairShare: 1 }), { ...ofPartition, qos: { normal: ofPartition.qos.part, part: {} } })).toBe(false)
  })

  it('refuses nobody, not even with DenyOnLimit', () => {
    expect(machine(atLeast(9, { Flags: ['EnforceUsageThreshold', 'DenyOnLimit'] }), { policy: weighted({ fairShare: 1 }) }).refusal(procs('ann_1', 1))).toBeUndefined()
  })

  const policies: Record<string, (order: Plug<'order'>) => Plug<'policy'>> = {
    greedy, strict, easy, replan: (order) => replan(order, { twoPass: true }), 'gang-scheduling': (order) => gangScheduling(order),
    'slurm-preempting': (order) => slurmPreempting(replan(order), { tiers: { main: 1 } }),
  }
  it.each(Object.entries(policies))('reaches the order inside %s', (_, policy) => {
    const order = fairShare(minutes)
    expect([starts(policy(order), atLeast(0.5)), starts(policy(order), atLeast(0.6))]).toEqual([true, false])
  })

  it('is warned of where the order has no fair-share factors', () => {
    const warnings: string[] = []
    const { come } = machine(atLeast(9), { policy: strict(fifo()), warn: (message) => void warnings.push(message) })
    expect(come(0, procs('ann_1', 1))).toEqual(['ann_1'])
    expect(warnings).toEqual(['UsageThreshold of QOS normal holds nobody back: the policy in slurm-limits has no fair-share factors; give it the order multifactor or fair-share'])
  })

  it('holds back the same jobs after a restart', () => {
    const cluster = { nodes: [{ count: 1, name: 'n', resources: { procs: 8 } }] }
    const policy = slurmLimits(strict(fairShare(minutes)), atLeast(0.6))
    const job = (id: string): JobSpec => ({ id, submit: 0, user: 'ann', queue: 'main', stages: [{ name: 's', tasks: 1, demand: { procs: 1 }, duration: 1 }] })
    const before = dispatcher({ cluster, policy })
    before.submit(job('first'), 0)
    expect(before.pass(0).start).toHaveLength(1)
    before.submit(job('second'), 70)
    expect(before.pass(70).start).toEqual([])
    const after = dispatcher({ cluster, policy })
    after.submit(job('first'), 0, { again: true })
    after.adopt({ job: 'first', task: 0, node: 'n-0' }, 0)
    after.submit(job('second'), 70, { again: true })
    after.recall(JSON.parse(JSON.stringify(before.memory())) as DispatcherMemory)
    expect(after.pass(70).start).toEqual([])
  })
})

describe('a job below UsageThreshold', () => {
  const cluster = modelOf({ nodes: [{ count: 1, resources: { procs: 8 } }] })
  const job = (id: string, submit: number, procs: number, seconds: number): JobSpec => ({
    id, submit, user: id.split('_')[0] as string, queue: 'main', estimate: seconds, stages: [{ name: 's', tasks: 1, demand: { procs }, duration: seconds }],
  })

  /** When jobs start, and what they are told to wait for. */
  function run(jobs: readonly JobSpec[], least: number): { readonly starts: Record<string, number>; readonly told: readonly string[]; readonly end: number } {
    const names: string[] = []
    const told: string[] = []
    const starts: Record<string, number> = {}
    const watch: Observer = {
      onSubmit: (job, spec) => void (names[job] = spec.id),
      onTaskStart: (_task, job, _lane, _node, _level, now) => void (starts[names[job] as string] = now),
      onDefer: (job, _lane, _reason, now, limit) => void (limit !== undefined && told.at(-1) !== `${names[job]}: ${limit}` && told.push(`${names[job]}: ${limit}`)),
    }
    let next = 0
    const { now } = simulate({
      cluster, workload: { name: 'jobs', open: () => ({ next: () => jobs[next++] }) }, policy: slurmLimits(strict(fairShare(minutes)), atLeast(least)), architecture: queuePasses.plug({}),
      runtime: { localityFactors: [1], jitter: 0 }, observers: [watch], validate: true,
    })
    return { starts, told, end: now }
  }

  it('is told so, and starts at the end of the period in which others have used more, though nothing else happens then', () => {
    // at 60 s ann has used 60 processor seconds and bob nothing; at 120 s ann 120 and bob 4 x 50
    const { starts, told } = run([job('ann_1', 0, 1, 1000), job('ann_2', 65, 1, 10), job('bob_1', 70, 4, 1000)], 0.6)
    expect(told).toEqual(['ann_2: QOSUsageThreshold of QOS normal'])
    expect(starts).toEqual({ ann_1: 0, bob_1: 70, ann_2: 120 })
  })

  it('that can never start any more does not keep a run from ending', () => {
    const { starts, end } = run([job('ann_1', 0, 1, 100), job('ann_2', 65, 1, 10)], 0.6)
    expect([starts, end]).toEqual([{ ann_1: 0 }, 120])
  })
})
