import { Reason, type Env, type JobId, type JobSpec, type LaneId, type NodeId, type TaskId } from '@sched/core'
import { easy, fifo, greedy, pbsLevels, pbsPreempting, score, strict, type PbsPreemptingOptions } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { PreemptedJobs } from '../src/pbs/preempted-jobs.js'

// Tests of OpenPBS, named at each. `expressq` is its express queue.

const levels = { queues: { expressq: { Priority: 200 } } }

interface Asked {
  readonly queue?: string
  readonly user?: string
  readonly account?: string
  readonly submit?: number
  readonly ncpus?: number
  readonly foo?: number
  readonly walltime?: number
  readonly runtime?: number
  readonly licenses?: Readonly<Record<string, number>>
}

const jobOf = (id: string, { queue = 'workq', user = 'ann', account, submit = 0, ncpus = 1, foo, walltime = 100, runtime = walltime, licenses }: Asked): JobSpec =>
  job({
    id, submit, queue, user, demand: { cpu: ncpus, ...(foo !== undefined && { foo }) }, duration: runtime, estimate: walltime,
    ...(account !== undefined && { account }), ...(licenses !== undefined && { licenses }),
  })

/** From when to when each runs, piece by piece, on one node. */
const played = (resources: Readonly<Record<string, number>>, jobs: Readonly<Record<string, Asked>>, options: PbsPreemptingOptions = {}, policy = greedy(pbsLevels(fifo(), levelsOf(options)))) => {
  const { recorder } = run({
    cluster: instantCluster({ nodes: [{ count: 1, resources }] }),
    jobs: Object.entries(jobs).map(([id, asked]) => jobOf(id, asked)),
    policy: pbsPreempting(policy, { ...levels, ...options }),
  })
  const pieces: Record<string, string[]> = {}
  for (const { job: id, started, stopped } of recorder.ends) (pieces[id] ??= []).push(`${started} to ${stopped}`)
  return Object.fromEntries(Object.entries(pieces).map(([id, of]) => [id, of.join(', ')]))
}
const levelsOf = ({ preempt_prio, server, queues }: PbsPreemptingOptions) => ({ ...levels, ...(preempt_prio !== undefined && { preempt_prio }), ...(server !== undefined && { server }), ...(queues !== undefined && { queues }) })

describe('how jobs are preempted (submit_and_preempt_jobs of pbs_preemption)', () => {
  const jobs = (at: number): Record<string, Asked> => ({ low: { walltime: 40 }, high: { queue: 'expressq', submit: at, walltime: 10 } })
  it.each([
    ['S', 5, '0 to 5, 15 to 50'],
    ['R', 5, '0 to 5, 15 to 55'],
    ['D', 5, '0 to 5'],
    ['CR', 5, '0 to 5, 15 to 55'], // nobody is checkpointed, as where that fails (test_preempt_checkpoint_requeue, ..._delete)
    ['CD', 5, '0 to 5'],
    ['R 50 S', 5, '0 to 5, 15 to 55'], // test_preempt_order_requeue_first
    ['S 50 R', 30, '0 to 30, 40 to 80'], // test_preempt_order_requeue_second: 10 s of 40 are left
    ['S 50 R', 19, '0 to 19, 29 to 50'], // 21 s are 52 %
    ['S 50 R', 20, '0 to 20, 30 to 70'], // 50 % are no more than 50
    ['S 80 R 20 D', 20, '0 to 20, 30 to 70'],
    ['S 80 R 20 D', 33, '0 to 33'],
  ])('%s after %i s', (order, at, low) => {
    expect(played({ cpu: 1 }, jobs(at), { preempt_order: order })).toEqual({ low, high: `${at} to ${at + 10}` })
  })

  it('warns where nobody can be preempted, since jobs are not checkpointed', () => {
    const warnings = (preempt_order: string) => {
      const said: string[] = []
      run({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 1 } }] }), jobs: [jobOf('a', {})], policy: pbsPreempting(greedy(fifo()), { preempt_order }), warn: (text) => said.push(text) })
      return said
    }
    expect([...warnings('SCR'), ...warnings('CD 50 S')]).toEqual([])
    expect(warnings('S 50 C')).toEqual(['jobs are not checkpointed here: where preempt_order (S 50 C) names C alone, nobody is preempted. Name S, R or D beside it.'])
  })

  it('counts what a job has run before it was suspended', () => {
    // 15 of 40 s are left at the second time, of which 25 were run in two pieces
    expect(played({ cpu: 1 }, { ...jobs(5), again: { queue: 'expressq', submit: 35, walltime: 5 } }, { preempt_order: 'S 50 R' }).low).toBe('0 to 5, 15 to 35, 40 to 80')
  })
})

describe('whom a job preempts', () => {
  it('takes those of two express queues by their priorities', () => {
    const queues = { expressq: { Priority: 200 }, urgentq: { Priority: 300 }, slowq: { Priority: 149 } }
    const jobs = { low: { queue: 'slowq' }, high: { queue: 'expressq', submit: 1, walltime: 10 }, top: { queue: 'urgentq', submit: 2, walltime: 5 } }
    expect(played({ cpu: 1 }, jobs, { queues })).toEqual({ low: '0 to 1, 16 to 115', high: '1 to 2, 7 to 16', top: '2 to 7' })
    expect(played({ cpu: 1 }, jobs, { queues, preempt_queue_prio: 250 })).toEqual({ low: '0 to 2, 7 to 105', high: '105 to 115', top: '2 to 7' })
  })

  it('takes those in the queues alone that are its targets', () => {
    const jobs = { a: { queue: 'q1' }, b: { queue: 'q2' }, high: { queue: 'expressq', submit: 5, walltime: 10 } }
    expect(played({ cpu: 2 }, jobs, { preempt_targets: { expressq: ['q1'] } })).toMatchObject({ a: '0 to 5, 15 to 110', b: '0 to 100' })
    expect(played({ cpu: 2 }, jobs, { preempt_targets: { expressq: ['q2'] } })).toMatchObject({ a: '0 to 100', b: '0 to 5, 15 to 110' })
    expect(played({ cpu: 2 }, jobs, { preempt_targets: { expressq: [] } })).toEqual({ a: '0 to 100', b: '0 to 100', high: '100 to 110' })
  })

  it('spares a job that is not needed after all, the last first', () => {
    // by start: the last two free 1 and 2 of 3 processors that are asked for with 1 free, so the one in between would do
    const jobs = { a: { ncpus: 4 }, b: { ncpus: 2, submit: 1 }, c: { ncpus: 1, submit: 2 }, high: { queue: 'expressq', ncpus: 3, submit: 5, walltime: 10 } }
    expect(played({ cpu: 8 }, jobs)).toEqual({ a: '0 to 100', b: '1 to 5, 15 to 111', c: '2 to 102', high: '5 to 15' })
  })

  it('takes the last started first, or with an empty preempt_sort the first submitted (test_preempt_sort_when_set, ..._unset)', () => {
    const jobs = { a: {}, b: { submit: 1 }, high: { queue: 'expressq', submit: 5, walltime: 10 } }
    expect(played({ cpu: 2 }, jobs)).toMatchObject({ a: '0 to 100', b: '1 to 5, 15 to 111' })
    expect(played({ cpu: 2 }, jobs, { preempt_sort: '' })).toMatchObject({ a: '0 to 5, 15 to 110', b: '1 to 101' })
  })
})

describe('what the whole cluster has', () => {
  it('is taken from others, too, of a resource that nodes have (test_insufficient_server_rassn_select_resc)', () => {
    const jobs = { low: { ncpus: 3 }, high: { queue: 'expressq', ncpus: 3, submit: 5, walltime: 10 } }
    expect(played({ cpu: 8 }, jobs, { resources_available: { ncpus: 4 } })).toEqual({ low: '0 to 5, 15 to 110', high: '5 to 15' })
    expect(played({ cpu: 8 }, jobs)).toEqual({ low: '0 to 100', high: '5 to 15' })
  })

  it('and of a licence (test_preempt_requeue_resc)', () => {
    const jobs = { a: { licenses: { foo: 1 } }, b: { licenses: { foo: 1 }, submit: 1 }, c: {}, high: { queue: 'expressq', licenses: { foo: 1 }, submit: 5, walltime: 10 } }
    const options = { resources_available: { foo: 2 }, preempt_order: 'R' }
    expect(played({ cpu: 8 }, jobs, options)).toEqual({ a: '0 to 100', b: '1 to 5, 15 to 115', c: '0 to 100', high: '5 to 15' })
    // where there is no room either, c goes for that
    expect(played({ cpu: 3 }, { ...jobs, c: { submit: 2 }, high: { ...jobs.high, ncpus: 2 } }, options)).toEqual({ a: '0 to 100', b: '1 to 5, 15 to 115', c: '2 to 5, 15 to 115', high: '5 to 15' })
  })

  it('keeps others waiting, those behind as well where the order is strict', () => {
    const jobs = { a: { licenses: { foo: 2 }, walltime: 20 }, b: { licenses: { foo: 1 }, walltime: 20 }, c: { walltime: 20 } }
    const options = { resources_available: { foo: 2 } }
    expect(played({ cpu: 8 }, jobs, options)).toEqual({ a: '0 to 20', b: '20 to 40', c: '0 to 20' })
    expect(played({ cpu: 8 }, jobs, options, strict())).toEqual({ a: '0 to 20', b: '20 to 40', c: '20 to 40' })
  })

  it('says of those that wait for it what they lack', () => {
    const reasons: unknown[] = []
    run({
      cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 8 } }] }),
      jobs: [jobOf('a', { ncpus: 3, licenses: { foo: 2 } }), jobOf('b', { submit: 5, licenses: { foo: 1 } }), jobOf('c', { submit: 5, ncpus: 2 }), jobOf('d', { submit: 5, ncpus: 1, walltime: 10 })],
      policy: pbsPreempting(greedy(fifo()), { resources_available: { foo: 2, ncpus: 4 } }),
      observers: [{ onDefer: (id, _lane, reason, now, limit) => void (now === 5 && reason === Reason.Limit && reasons.push([id, limit])) }],
    })
    expect(reasons).toEqual([[1, 'resources_available of foo'], [2, 'resources_available of ncpus']])
  })

  it('is counted for all tasks of a gang together', () => {
    const gang = (id: string, tasks: number, stages = 1): JobSpec => ({
      id, submit: 0, gang: true, stages: Array.from({ length: stages }, (_, i) => ({ name: `${i}`, tasks, gang: true, demand: { cpu: 2 }, duration: 10 })),
    })
    const ends = (...jobs: JobSpec[]) => run({ cluster: instantCluster({ nodes: [{ count: 2, resources: { cpu: 8 } }] }), jobs, policy: pbsPreempting(greedy(fifo()), { resources_available: { ncpus: 6 } }) }).recorder.ends
    expect(ends(gang('fits', 3), gang('none', 4), gang('two stages', 2, 2)).map((end) => [end.job, end.started])).toEqual(Array.from({ length: 3 }, () => ['fits', 0]))
  })

  it('may be called as what all objects know', () => {
    const licenses = { constructor: 1 }
    const options = { resources_available: licenses, preempt_prio: 'normal_jobs, server_softlimits', server: { max_run_res_soft: { constructor: '[u:PBS_GENERIC=0]' } } }
    const jobs = { a: { licenses, walltime: 30 }, b: { walltime: 30 }, c: { submit: 5, walltime: 10 }, d: { licenses, submit: 6, walltime: 10 } }
    // a is over the limit, since it has a licence, and goes for c; b and c have none
    expect(played({ cpu: 2 }, jobs, options)).toEqual({ a: '0 to 5, 15 to 40', b: '0 to 30', c: '5 to 15', d: '40 to 50' })
  })

  it('refuses who asks for more', () => {
    expect(played({ cpu: 8 }, { a: { licenses: { foo: 3 } }, b: { walltime: 10 } }, { resources_available: { foo: 2 } })).toEqual({ b: '0 to 10' })
  })
})

describe('soft limits', () => {
  it('makes jobs over one go after those that are not, and these preempt them', () => {
    const queues = { workq: { max_run_soft: '[u:PBS_GENERIC=1]' } }
    const options = { queues, preempt_prio: 'express_queue, normal_jobs, queue_softlimits' }
    const jobs = { a: { walltime: 30 }, b: { submit: 1, walltime: 30 }, c: { submit: 2, walltime: 30 }, other: { user: 'bob', submit: 5, walltime: 10 } }
    // two of ann run, so that she is over her limit: c comes after other, which takes the place of b, after which she is within
    expect(played({ cpu: 2 }, jobs, options)).toEqual({ a: '0 to 30', b: '1 to 5, 15 to 41', c: '30 to 60', other: '5 to 15' })
    expect(played({ cpu: 2 }, jobs, { queues })).toEqual({ a: '0 to 30', b: '1 to 31', c: '30 to 60', other: '31 to 41' })
  })

  it('preempts nobody by whose going others come to a higher level (test_preemption_priority_escalation)', () => {
    const options: PbsPreemptingOptions = {
      preempt_prio: 'express_queue, normal_jobs, server_softlimits, queue_softlimits',
      queues: { ...levels.queues, workq: { max_run_res_soft: { ncpus: '[u:ann=4]' } } },
      server: { max_run_res_soft: { ncpus: '[u:bob=2]' } },
    }
    const ofAnn = Object.fromEntries(Array.from({ length: 5 }, (_, i): [string, Asked] => [`ann${i}`, { submit: i }]))
    const found = played({ cpu: 8 }, { ...ofAnn, bob0: { user: 'bob', queue: 'workq2', ncpus: 3, submit: 6 }, bob1: { user: 'bob', queue: 'workq2', submit: 7 } }, options)
    expect(found).toMatchObject({ ann0: '0 to 100', ann4: '4 to 104', bob0: '6 to 106', bob1: '100 to 200' })
  })

  it('but takes others where only those come to its own level that are yet to be looked at (test_preemption_priority_escalation_2)', () => {
    const options: PbsPreemptingOptions = {
      preempt_prio: 'express_queue, normal_jobs, queue_softlimits',
      queues: { workq: { max_run_res_soft: { ncpus: '[u:PBS_GENERIC=5]', foo: '[u:PBS_GENERIC=0]' } } },
    }
    const jobs = {
      j0: { foo: 2 }, j1: { foo: 2, submit: 1 }, j2: { submit: 2 }, j3: { foo: 2, submit: 3 }, j4: { ncpus: 2, foo: 2, submit: 4 },
      high: { queue: 'workq2', ncpus: 8, foo: 3, submit: 6, walltime: 10 },
    }
    expect(played({ cpu: 10, foo: 10 }, jobs, options)).toEqual({
      j0: '0 to 100', j1: '1 to 6, 16 to 111', j2: '2 to 102', j3: '3 to 6, 16 to 113', j4: '4 to 6, 16 to 114', high: '6 to 16',
    })
  })

  it('lets nobody preempt who would be over a limit once he runs', () => {
    const options = { preempt_prio: 'normal_jobs, server_softlimits', server: { max_run_soft: '[u:ann=0], [u:bob=0]' } }
    expect(played({ cpu: 1 }, { a: { walltime: 30 }, b: { user: 'bob', submit: 5, walltime: 10 } }, options)).toEqual({ a: '0 to 30', b: '30 to 40' })
    expect(played({ cpu: 1 }, { a: { walltime: 30 }, b: { user: 'cy', submit: 5, walltime: 10 } }, options)).toEqual({ a: '0 to 5, 15 to 40', b: '5 to 15' })
  })

  it('are of groups and of all, and a limit of one\'s own is in place of the generic one', () => {
    const at = (max_run_soft: string) => played({ cpu: 2 }, { a: { account: 'x', walltime: 30 }, b: { account: 'x', walltime: 30 }, c: { user: 'bob', account: 'y', submit: 5, walltime: 10 } }, { preempt_prio: 'normal_jobs, server_softlimits', server: { max_run_soft } }).c
    expect(at('[g:x=1]')).toBe('5 to 15')
    expect(at('[g:PBS_GENERIC=1]')).toBe('5 to 15')
    expect(at('[g:PBS_GENERIC=1], [g:x=2]')).toBe('30 to 40')
    expect(at('[o:PBS_ALL=1]')).toBe('30 to 40') // all are over it, so nobody is above another
  })

  it('of an amount holds for those that ask for it', () => {
    const options = { preempt_prio: 'normal_jobs, server_softlimits', server: { max_run_res_soft: { foo: '[u:PBS_GENERIC=1]' } } }
    expect(played({ cpu: 2 }, { a: { licenses: { foo: 2 }, walltime: 30 }, b: { walltime: 30 }, c: { submit: 5, walltime: 10 } }, options)).toEqual({ a: '0 to 5, 15 to 40', b: '0 to 30', c: '5 to 15' })
  })

  it.each([
    ['a level that names two things comes before those that name one', 'queue_softlimits+server_softlimits, normal_jobs, queue_softlimits, server_softlimits', '2 to 12', '0 to 2, 12 to 40'],
    ['without one the higher of two counts', 'normal_jobs, queue_softlimits, server_softlimits', '30 to 40', '0 to 30'],
  ])('%s', (_, preempt_prio, c, a) => {
    const options = { preempt_prio, server: { max_run_soft: '[u:bob=0], [u:ann=0]' }, queues: { q: { max_run_soft: '[u:bob=0]' } } }
    // bob runs one job in each queue, so he is over both limits; ann is over that of the server alone
    const jobs = { a: { walltime: 30 }, b: { user: 'bob', queue: 'q', walltime: 50 }, c: { user: 'bob', queue: 'q', submit: 2, walltime: 10 } }
    expect(played({ cpu: 2 }, jobs, options)).toMatchObject({ a, c })
  })
})

describe('a suspended job that comes to be over a soft limit as it goes on', () => {
  const soft = { max_run_res_soft: { ncpus: '[u:u1=2]' } }
  const jobs = { j1: { user: 'u1', ncpus: 4, walltime: 50 }, j2: { queue: 'expressq', submit: 2, ncpus: 2, walltime: 20 }, j3: { submit: 4, ncpus: 2, walltime: 25 } }
  it.each<[string, PbsPreemptingOptions]>([
    ['the server (test_preempted_job_server_soft_limits)', { preempt_prio: 'express_queue, normal_jobs, server_softlimits', server: soft }],
    ['its queue (test_preempted_job_queue_soft_limits)', { preempt_prio: 'express_queue, normal_jobs, queue_softlimits', queues: { expressq: { Priority: 151 }, workq: soft } }],
  ])('is preempted by one that waits, of %s', (_, options) => {
    // while j2 runs, j1 is over no limit and comes first, so that j3 would be in its way until 29; at 22 it is over it, and j3 runs until 47 (and 1 ms)
    for (const make of [strict, greedy, easy]) {
      const { j1 = '', ...others } = played({ cpu: 4 }, jobs, options, make(pbsLevels(fifo(), levelsOf(options))))
      expect(others).toEqual({ j2: '2 to 22', j3: expect.stringMatching(/^22\.001 to 47\.001/) })
      expect(j1).toMatch(/^0 to 2, 22 to 22\.001, 47\.001\d* to 95$/)
    }
  })
})

describe('a job that misses something of a node that is not counted (test_preempt_wrong_cull)', () => {
  it('preempts who runs where it has that', () => {
    const on = (app: string, spec: JobSpec): JobSpec => ({ ...spec, stages: spec.stages.map((stage) => ({ ...stage, constraints: { require: { app } } })) })
    const { recorder } = run({
      cluster: instantCluster({ nodes: ['A', 'B'].map((app) => ({ count: 1, resources: { cpu: 1 }, labels: { app } })) }),
      jobs: [on('A', jobOf('low', { walltime: 40 })), on('A', jobOf('high', { queue: 'expressq', submit: 5, walltime: 10 }))],
      policy: pbsPreempting(greedy(pbsLevels(fifo(), levels)), { ...levels, preempt_order: 'R' }),
    })
    expect(recorder.ends.map(({ job: id, started, stopped }) => [id, started, stopped])).toEqual([['low', 0, 5], ['high', 5, 15], ['low', 15, 55]])
  })
})

describe('a cluster with heartbeats', () => {
  const played = (preempt_order: string) => run({
    cluster: { ...instantCluster({ nodes: [{ count: 1, resources: { cpu: 2 } }] }), heartbeat: { interval: 1 } },
    jobs: [job({ id: 'low', queue: 'workq', demand: { cpu: 1 }, tasks: 2, duration: 100 }), job({ id: 'high', queue: 'expressq', submit: 5, demand: { cpu: 1 }, duration: 10 })],
    policy: pbsPreempting(greedy(pbsLevels(fifo(), levels)), { ...levels, preempt_order }),
  }).recorder

  it('has nobody suspended', () => {
    expect(() => played('S')).toThrow('jobs are suspended only where all nodes are seen at once')
    expect(played('SR').ends).toEqual(played('R').ends)
    expect(played('SR').evictions.length).toBeGreaterThan(0)
  })
})

describe('pbs-levels', () => {
  it('takes for preempted only who is, not whom a trial took down and let run on', () => {
    const [job, other, lane, node] = [0 as JobId, 1 as JobId, 0 as LaneId, 0 as NodeId]
    const [runs, waits] = [0 as TaskId, 1 as TaskId]
    const preempted = new PreemptedJobs({ work: { comesAgain: () => false } } as unknown as Env)
    preempted.onRelease(job, lane, runs, node, 'evicted')
    preempted.onClaim(job, lane, runs) // all as before
    preempted.onClaim(job, lane, waits)
    preempted.onRelease(job, lane, waits, node, 'withdrawn')
    expect([preempted.first([other, job]), preempted.first([job, other])]).toEqual([[other, job], [job, other]])
    preempted.onRelease(job, lane, runs, node, 'evicted')
    preempted.onClaim(job, lane, waits)
    preempted.onRelease(job, lane, waits, node, 'withdrawn')
    expect([preempted.first([other, job]), preempted.first([job, other])]).toEqual([[job, other], [job, other]])
  })

  it('puts preempted jobs first, the first to be, before others of their level', () => {
    const jobs = { a: { walltime: 10 }, b: { submit: 1, walltime: 5 }, high: { queue: 'expressq', submit: 2, walltime: 10 } }
    // by size or submission b would be first
    const order = score({ formula: 'submit' })
    expect(played({ cpu: 1 }, jobs, { preempt_order: 'R' }, greedy(pbsLevels(order, levels)))).toEqual({ a: '0 to 2, 12 to 22', b: '22 to 27', high: '2 to 12' })
    expect(played({ cpu: 1 }, jobs, { preempt_order: 'R' }, greedy(order))).toEqual({ a: '0 to 2, 17 to 27', b: '12 to 17', high: '2 to 12' })
  })

  it.each([
    ['preempt_prio', { preempt_prio: 'express_queue, starving_jobs' }],
    ['names one thing twice', { preempt_prio: 'express_queue + express_queue, normal_jobs' }],
    ['twice, and the lower one', { preempt_prio: 'server_softlimits + express_queue, normal_jobs, express_queue+server_softlimits' }],
    ['normal jobs are those', { preempt_prio: 'express_queue, normal_jobs + queue_softlimits' }],
    ['preempt_order', { preempt_order: 'SS' }],
    ['preempt_order', { preempt_order: 'S 50 R 60 D' }],
    ['max_run_soft', { server: { max_run_soft: 'u:ann=2' } }],
    ['ngpus', { resources_available: { ngpus: 1 } }],
    ['"ncpu". Did you mean "ncpus"?', { restrict_res_to_release_on_suspend: ['ncpu'] }],
    ['Priority', { queues: { expressq: { Priority: 1024 } } }],
  ])('refuses a mistake in %s', (field, options) => {
    expect(() => played({ cpu: 1 }, { a: {} }, options)).toThrow(field)
  })
})
