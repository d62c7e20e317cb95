import type { JobSpec, Plug } from '@sched/core'
import { easy, fifo, greedy, multifactor, replan, slurmLimits, slurmPreempting, strict, type SlurmLimitsOptions } from '@sched/policies'
import type { JobChange } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { startsOf } from './backfilling/machine.js'
import { machine, procs } from './slurm-limits-machine.js'

describe('associations of one partition', () => {
  it('count the jobs of a user there, apart from those of all other partitions, and both for the account (assoc_mgr_fill_in_assoc of Slurm)', () => {
    const accounts = { a: { GrpJobs: 4, users: { ann: { MaxJobs: 2 } }, usersOfPartitions: { Long: { ann: { MaxJobs: 1 } } } } }
    const in_ = (queue: string) => ({ account: 'a', queue })
    const { come, end } = machine({ accounts })
    expect(come(0, procs('ann_1', 1, in_('long')), procs('ann_2', 1, in_('long')), procs('ann_3', 1, in_('short')), procs('ann_4', 1, in_('main')), procs('ann_5', 1, in_('short')))).toEqual(['ann_1', 'ann_3', 'ann_4'])
    expect(end(10, 'ann_3')).toEqual(['ann_5'])
    expect(end(20, 'ann_1')).toEqual(['ann_2'])
  })

  it('are those of jobs that name no account, too, and refuse a user elsewhere who has no other', () => {
    const { refusal } = machine({ enforce: ['associations'], accounts: { a: { usersOfPartitions: { long: { ann: { MaxSubmitJobs: 0 } } } } } })
    expect(refusal(procs('ann_1', 1, { queue: 'short' }))).toBe('job ann_1: user ann has no association with any account in partition short.')
    expect(refusal(procs('ann_1', 1, { queue: 'long' }))).toBe('job ann_1: user ann in account a and partition long has 0 of 0 jobs in the system (AssocMaxSubmitJobLimit).')
  })
})

describe('limits of a QOS', () => {
  it('let the jobs of a user wait beyond MaxJobsPerUser, and nobody behind them', () => {
    const { come, end } = machine({ qos: { normal: { MaxJobsPerUser: 2 } } })
    expect(come(0, procs('ann_1', 1), procs('ann_2', 1), procs('ann_3', 1), procs('bob_1', 1))).toEqual(['ann_1', 'ann_2', 'bob_1'])
    expect(end(10, 'ann_1')).toEqual(['ann_3'])
  })

  it('of resources count what runs and what the next job asks', () => {
    const { come, end } = machine({ qos: { normal: { MaxTRESPerUser: 'cpu=4', GrpTRES: { cpu: 6 } } } })
    // ann: 3 + 2 > 4, 3 + 1 = 4; all: 4 + bob's 3 > 6, + 2 = 6
    expect(come(0, procs('ann_1', 3), procs('ann_2', 2), procs('ann_3', 1), procs('bob_1', 3), procs('bob_2', 2))).toEqual(['ann_1', 'ann_3', 'bob_2'])
    expect(end(10, 'ann_1')).toEqual(['ann_2'])
    expect(end(20, 'ann_2', 'ann_3')).toEqual([]) // 2 of bob run, and 2 + 3 > 4
    expect(end(30, 'bob_2')).toEqual(['bob_1'])
  })

  it('of a gang count it as a whole', () => {
    const { come, end } = machine({ qos: { normal: { GrpTRES: 'cpu=6' } } }, { policy: easy() })
    const gang = (id: string, tasks: number): JobChange => ({ id, tasks, gang: true, demand: { procs: 1 } })
    expect(come(0, gang('ann_1', 4), gang('ann_2', 3), gang('ann_3', 2))).toEqual(['ann_1', 'ann_3'])
    expect(end(10, 'ann_1')).toEqual(['ann_2'])
  })

  it('limit jobs whose tasks start one by one task by task', () => {
    const { come, end } = machine({ qos: { normal: { MaxTRESPerUser: 'cpu=3' } } }, { policy: greedy(fifo()) })
    expect(come(0, { id: 'ann_1', tasks: 5, demand: { procs: 1 } }, procs('bob_1', 1))).toEqual(['ann_1', 'bob_1'])
    expect(end(10, 'bob_1')).toEqual([])
    expect(end(20, 'ann_1')).toEqual(['ann_1']) // three tasks end, the other two start
  })

  it('keep jobs of the wrong size or time waiting for ever, and refuse them with DenyOnLimit', () => {
    const limits = { MaxTRESPerJob: 'cpu=4,mem=8G', MinTRESPerJob: 'cpu=2', MaxWall: '1:00' }
    const wrong = [procs('a', 5), procs('b', 1), { id: 'c', demand: { procs: 2, mem: 8193 } }, procs('d', 2, { estimate: 61 }), procs('e', 4, { estimate: 60 })]
    expect(machine({ qos: { normal: limits } }).come(0, ...wrong)).toEqual(['e'])
    const { refusal } = machine({ qos: { normal: { ...limits, Flags: ['DenyOnLimit'] } } })
    expect(wrong.map((each) => refusal({ estimate: 60, ...each }))).toEqual([
      'job a: it asks for more, less or longer than it may (QOSMaxCpuPerJobLimit).', 'job b: it asks for more, less or longer than it may (QOSMinCpuNotSatisfied).',
      'job c: it asks for more, less or longer than it may (QOSMaxMemoryPerJob).', 'job d: it asks for more, less or longer than it may (QOSMaxWallDurationPerJobLimit).', undefined,
    ])
  })

  it('refuse jobs beyond numbers of jobs in the system', () => {
    const { come, refusal, end } = machine({ qos: { normal: { MaxSubmitJobsPerUser: 2, GrpSubmitJobs: 3 } } })
    come(0, procs('ann_1', 8), procs('ann_2', 8), procs('bob_1', 8))
    expect(refusal(procs('ann_3', 1))).toBe('job ann_3: QOS normal has 3 of 3 jobs in the system (QOSGrpSubmitJobsLimit).')
    end(10, 'ann_1')
    expect(refusal(procs('bob_2', 1), 10)).toBeUndefined()
    end(20, 'ann_2')
    expect(refusal(procs('bob_3', 1), 20)).toBe('job bob_3: user bob in QOS normal has 2 of 2 jobs in the system (QOSMaxSubmitJobPerUserLimit).')
  })

  it('are of the QOS that the job asks for, that its association has by default, or `normal`', () => {
    const { come } = machine({ qos: { normal: { GrpJobs: 0 }, debug: { GrpJobs: 1 }, long: { GrpJobs: 2 } }, accounts: { physics: { DefaultQOS: 'long', users: { ann: {} } } } })
    expect(come(0, procs('bob_1', 1), procs('bob_2', 1, { qos: 'debug' }), procs('bob_3', 1, { qos: 'debug' }), procs('ann_1', 1), procs('ann_2', 1), procs('ann_3', 1))).toEqual(['bob_2', 'ann_1', 'ann_2'])
  })

  it('per account count users together', () => {
    const { come } = machine({ qos: { normal: { MaxJobsPerAccount: 2, MaxTRESPerAccount: 'cpu=4' } } })
    const of = (account: string) => ({ account })
    expect(come(0, procs('ann_1', 1, of('a')), procs('bob_1', 4, of('a')), procs('bob_2', 2, of('a')), procs('cid_1', 1, of('a')), procs('ann_2', 4, of('b')))).toEqual(['ann_1', 'bob_2', 'ann_2'])
  })
})

describe('licences', () => {
  const licensed = (id: string, licenses: Record<string, number>, change: JobChange = {}) => procs(id, 1, { licenses, ...change })

  it('are held by running jobs; who finds none waits, and nobody behind it (Licenses of Slurm)', () => {
    const { come, end } = machine({ licenses: { fluent: 3, matlab: 1 } })
    expect(come(0, licensed('a', { fluent: 2 }), licensed('b', { fluent: 2 }), licensed('c', { fluent: 1, matlab: 1 }), licensed('d', { matlab: 1 }), procs('e', 1))).toEqual(['a', 'c', 'e'])
    expect(end(10, 'c')).toEqual(['d']) // 2 + 2 > 3
    expect(end(20, 'a')).toEqual(['b'])
  })

  it('are held once by a job of many tasks, from its first to its last', () => {
    const { come, end } = machine({ licenses: { fluent: 1 } })
    expect(come(0, licensed('a', { fluent: 1 }, { tasks: 4, gang: true }), licensed('b', { fluent: 1 }, { tasks: 2 }))).toEqual(['a'])
    expect(end(10, 'a')).toEqual(['b'])
  })

  it('beyond what there is refuse a job; those that are not named are not counted, which is told', () => {
    const told: string[] = []
    const { come, refusal } = machine({ licenses: { fluent: 1 } }, { warn: (message) => void told.push(message) })
    expect(refusal(licensed('a', { fluent: 2 }))).toContain('it asks for 2 of licence fluent, and there is 1 (InvalidLicenses)')
    expect(come(0, licensed('b', { other: 9 }), licensed('c', { other: 9 }))).toEqual(['b', 'c'])
    expect(told).toEqual(['licence "other" is not among the licenses of slurm-limits: jobs hold as many as they ask for'])
  })

  it('leave room to those behind a job that finds none any more: in one pass, or with bf_max_job_test at the next plan', () => {
    const jobs = ([['run', 0, 4, 1000], ['head', 10, 8, 50], ['a', 10, 2, 50], ['b', 10, 2, 50], ['c', 10, 2, 50]] as const).map(([id, submit, amount, duration]): JobSpec => ({
      id, submit, estimate: duration, ...((id === 'a' || id === 'b') && { licenses: { fluent: 1 } }), stages: [{ name: 'job', tasks: 1, demand: { procs: amount }, duration }],
    }))
    const starts = (policy: Plug<'policy'>) => Object.fromEntries(startsOf(jobs, [8], slurmLimits(policy, { licenses: { fluent: 1 } })))
    expect(starts(easy())).toMatchObject({ a: 10, b: 60, c: 10 })
    expect(starts(replan(fifo(), { bf_max_job_test: 2, bf_interval: 30 }))).toMatchObject({ a: 10, b: 60, c: 30 })
  })

  it('that a job finds no more keep none that is like it otherwise from preempting', () => {
    const { come } = machine({ licenses: { fluent: 1 } }, { policy: slurmPreempting(strict(multifactor({ tiers: { high: 2 } })), { tiers: { high: 2 } }) })
    come(0, procs('low_1', 4), procs('low_2', 4))
    const high = (id: string, change: JobChange = {}) => procs(id, 4, { queue: 'high', ...change })
    expect(come(10, high('a', { licenses: { fluent: 1 } }), high('b', { licenses: { fluent: 1 } }), high('c'))).toEqual(['a', 'c'])
  })

  it('are free again when their job is preempted', () => {
    const policy = slurmPreempting(strict(fifo()), { tiers: { high: 2 } })
    const { come } = machine({ licenses: { fluent: 1 } }, { policy })
    expect(come(0, licensed('low', { fluent: 1 }, { demand: { procs: 8 } }))).toEqual(['low'])
    expect(come(10, procs('high', 8, { queue: 'high' }), licensed('next', { fluent: 1 }))).toEqual(['high'])
  })
})

describe('limits of associations', () => {
  const accounts = { root: { GrpTRES: 'cpu=7' }, science: { GrpTRES: 'cpu=6', MaxJobs: 2, accounts: { physics: { GrpJobs: 3, users: { ann: { MaxJobs: 1 }, bob: {}, cid: {} } } } } }
  const jobs = (n: number, user: string, change: JobChange = {}) => Array.from({ length: n }, (_, i) => procs(`${user}_${i + 1}`, 1, change))

  it('hold for each user where they are Max, own or of the account around, and for all below where they are Grp', () => {
    const { come, end } = machine({ accounts })
    expect(come(0, ...jobs(3, 'ann'), ...jobs(3, 'bob'), ...jobs(3, 'cid'))).toEqual(['ann_1', 'bob_1', 'bob_2']) // 1, 2, and 3 in physics
    expect(end(10, 'ann_1')).toEqual(['ann_2'])
    expect(end(20, 'bob_1', 'bob_2')).toEqual(['bob_3', 'cid_1'])
  })

  it('of all accounts on the way to the root count', () => {
    const { come } = machine({ accounts: { ...accounts, arts: { users: { dan: {} } } } })
    expect(come(0, procs('bob_1', 4), procs('cid_1', 3), procs('cid_2', 2), procs('dan_1', 2), procs('dan_2', 1))).toEqual(['bob_1', 'cid_2', 'dan_2']) // 4 + 2 = 6 in science, 6 + 1 = 7 in all
  })

  it('do not count where a QOS has the same limit; that of the partition comes before that of the job (resource_limits.html)', () => {
    // MaxJobs=3 in the QOS of the partition, nothing in that of the job, MaxJobs=1 and MaxSubmitJobs=4 in the association: 3 and 4 are in effect
    const options: SlurmLimitsOptions = { partitions: { main: { QOS: 'part' } }, qos: { part: { MaxJobsPerUser: 3 }, normal: {} }, accounts: { a: { users: { ann: { MaxJobs: 1, MaxSubmitJobs: 4 } } } } }
    const { come, refusal } = machine(options)
    expect(come(0, ...jobs(4, 'ann'))).toEqual(['ann_1', 'ann_2', 'ann_3'])
    expect(refusal(procs('ann_5', 1))).toBe('job ann_5: user ann in account a has 4 of 4 jobs in the system (AssocMaxSubmitJobLimit).')
    expect(machine({ ...options, qos: { part: { MaxJobsPerUser: 3 }, normal: { MaxJobsPerUser: 2 } } }).come(0, ...jobs(4, 'ann'))).toHaveLength(3)
    expect(machine({ ...options, qos: { part: { MaxJobsPerUser: 3 }, normal: { MaxJobsPerUser: 2, Flags: ['OverPartQOS'] } } }).come(0, ...jobs(4, 'ann'))).toHaveLength(2)
    expect(machine({ ...options, partitions: {} }).come(0, ...jobs(4, 'ann'))).toHaveLength(1)
  })

  it('of a resource give way to a QOS that limits this resource', () => {
    const options: SlurmLimitsOptions = { qos: { normal: { GrpTRES: 'cpu=5' } }, accounts: { a: { GrpTRES: 'cpu=2,mem=4G', users: { ann: {} } } } }
    const big = { demand: { procs: 1, mem: 2048 } }
    expect(machine(options).come(0, ...jobs(8, 'ann'))).toHaveLength(5)
    expect(machine(options).come(0, ...jobs(8, 'ann', big))).toHaveLength(2)
  })

  it('refuse users without one, and QOS that are not theirs, where that is enforced', () => {
    const { refusal } = machine({ enforce: ['associations', 'qos'], qos: { normal: {}, long: {} }, accounts: { a: { QOS: ['normal'], users: { ann: {} } } } })
    expect(refusal(procs('ann_1', 1, { account: 'a' }))).toBeUndefined()
    expect(refusal(procs('ann_2', 1, { account: 'b' }))).toBe('job ann_2: user ann has no association with account b.')
    expect(refusal(procs('bob_1', 1))).toBe('job bob_1: user bob has no association with any account.')
    expect(refusal(procs('ann_3', 1, { qos: 'long' }))).toBe('job ann_3: QOS long is not one that user ann may ask for (InvalidQOS).')
  })

  it('refuse a QOS that is Relative where it is that of a partition (_determine_and_validate_qos of Slurm)', () => {
    const refused = (Flags: string[], QOS: string) => machine({ partitions: { main: { QOS } }, qos: { part: { Flags } } }).refusal(procs('ann', 1, { qos: 'part' }))
    expect(refused(['Relative'], 'part')).toBe('job ann: QOS part is Relative and that of a partition, for which no job may ask (InvalidQOS).')
    expect([refused([], 'part'), refused(['Relative'], 'other')]).toEqual([undefined, undefined])
  })

  it('take QOS that are added to or taken from those around them, as dumps of sacctmgr have them', () => {
    const physics = { QOS: ['+long', '-debug'], users: { ann: {}, bob: { QOS: ['+debug'] }, carl: { QOS: ['normal'] } } }
    const { refusal } = machine({ enforce: ['qos'], qos: { normal: {}, debug: {}, long: {} }, accounts: { science: { QOS: ['normal', 'debug'], accounts: { physics } } } })
    const mayAsk = (user: string) => ['normal', 'debug', 'long'].filter((qos) => refusal(procs(`${user}_${qos}`, 1, { user, account: 'physics', qos })) === undefined)
    expect(Object.fromEntries(['ann', 'bob', 'carl'].map((user) => [user, mayAsk(user)]))).toEqual({ ann: ['normal', 'long'], bob: ['normal', 'debug', 'long'], carl: ['normal'] })
  })

  it('on past use let jobs wait until it has decayed (GrpTRESMins)', () => {
    const { come, pass, end } = machine({ accounts: { a: { GrpTRESMins: 'cpu=10', users: { ann: {} } } }, halfLife: 600, calcPeriod: 300 })
    expect(come(0, procs('ann_1', 2))).toEqual(['ann_1'])
    expect(end(300, 'ann_1')).toEqual([]) // 2 x 5 min = 10 processor minutes
    expect(come(310, procs('ann_2', 1), procs('bob_1', 1))).toEqual(['bob_1'])
    expect(pass(599)).toEqual([])
    expect(pass(600)).toEqual(['ann_2']) // 10 x 2^-1/2 = 7.07
  })
})

describe('limits of what jobs cost (billing)', () => {
  const billing = { procs: 1, mem: 1 / 1024 }

  it('count amounts times their weights, those of the partition where it has some, rounded down for a job as a whole (assoc_mgr_tres_weighted of Slurm)', () => {
    // ann_1: 2 + 1.75 is 3; ann_2 asks 4 more than the 4 left of 7, bob_1 in `cheap` 3 x 1.25 = 3.75 is 3, bob_2 1
    const { come, end } = machine({ qos: { normal: { GrpTRES: 'billing=7' } }, billing, partitionBilling: { cheap: { procs: 1.25 } } })
    expect(come(0, procs('ann_1', 2, { demand: { procs: 2, mem: 1792 } }), procs('ann_2', 5), procs('bob_1', 3, { queue: 'cheap' }), procs('bob_2', 1), procs('bob_3', 1))).toEqual(['ann_1', 'bob_1', 'bob_2'])
    expect(end(10, 'bob_1')).toEqual(['bob_3']) // 4 + 5 > 7
    expect(end(20, 'ann_1')).toEqual(['ann_2']) // 1 + 1 + 5
  })

  it('take the larger amount in place of the sum with MAX_TRES, and one of each processor where nothing is said', () => {
    const jobs = [procs('ann_1', 2, { demand: { procs: 2, mem: 3072 } }), procs('ann_2', 2)]
    expect(machine({ qos: { normal: { MaxTRESPerUser: 'billing=5' } }, billing }).come(0, ...jobs)).toEqual(['ann_1'])
    expect(machine({ qos: { normal: { MaxTRESPerUser: 'billing=5' } }, billing, maxTres: true }).come(0, ...jobs)).toEqual(['ann_1', 'ann_2'])
    expect(machine({ qos: { normal: { MaxTRESPerUser: 'billing=3' } } }).come(0, ...jobs)).toEqual(['ann_1'])
  })

  it('of a gang are of all its tasks, of other jobs of as many as run', () => {
    const gang = (id: string, tasks: number): JobChange => ({ id, tasks, gang: true, demand: { procs: 1 } })
    const half = { qos: { normal: { GrpTRES: 'billing=2' } }, billing: { procs: 0.5 } } // 5 tasks cost 2, 3 cost 1
    const { come, end } = machine(half)
    expect(come(0, gang('ann_1', 3), gang('ann_2', 4), gang('ann_3', 3))).toEqual(['ann_1', 'ann_3'])
    expect(end(10, 'ann_1', 'ann_3')).toEqual(['ann_2'])
    const { come: comeOne } = machine(half, { policy: greedy(fifo()) })
    expect(comeOne(0, { id: 'ann_1', tasks: 5, demand: { procs: 1 } }, procs('bob_1', 1), procs('bob_2', 2))).toEqual(['ann_1', 'bob_1']) // one costs nothing
  })

  it('on past use and on one job hold it back (GrpTRESMins, MaxTRESMinsPerJob), or refuse it with DenyOnLimit', () => {
    const { come, end } = machine({ accounts: { a: { GrpTRESMins: 'billing=20', users: { ann: {} } } }, billing: { procs: 2 }, calcPeriod: 60, halfLife: 0 })
    come(0, procs('ann_1', 2))
    expect(end(300, 'ann_1')).toEqual([]) // 2 x 2 x 5 minutes
    expect(come(301, procs('ann_2', 1), procs('bob_1', 1))).toEqual(['bob_1'])
    const { come: comeShort, refusal } = machine({ qos: { normal: { MaxTRESMinsPerJob: 'billing=20' }, own: { MaxTRESPerJob: 'billing=3', Flags: ['DenyOnLimit'] } }, billing: { procs: 2 } })
    expect(comeShort(0, procs('ann_1', 6), procs('ann_2', 7))).toEqual(['ann_1']) // 12 and 14 x 100 s, of 1200 at most
    expect(refusal(procs('ann_3', 2, { qos: 'own' }))).toContain('(QOSMaxBillingPerJob)')
  })

  it('name resources of the cluster', () => {
    expect(() => machine({ qos: { normal: { GrpTRES: 'billing=7' } }, billing: { gpus: 1 } })).toThrow('the cluster has no resource "gpus"')
    expect(() => machine({ qos: { normal: { GrpTRES: 'biling=7' } } })).toThrow('"billing"')
  })
})

describe('limits on past use', () => {
  const accounts = { science: { GrpTRESMins: 'cpu=10', users: { ann: {}, bob: {} } } }
  const ofAccount = (id: string, amount: number, estimate: number) => procs(id, amount, { account: 'science', estimate })

  it('hold back only jobs that ask for the resource (_validate_tres_usage_limits of Slurm)', () => {
    const { come, end } = machine({ qos: { normal: { GrpTRESMins: 'mem=100' } }, calcPeriod: 60 })
    come(0, { id: 'ann_1', demand: { procs: 1, mem: 1000 } })
    expect(end(60, 'ann_1')).toEqual([])
    expect(come(61, { id: 'ann_2', demand: { procs: 1, mem: 1 } }, procs('ann_3', 1))).toEqual(['ann_3'])
  })

  it('let a job start whatever it asks until they are reached, and with `safe` only where all that run can end within them', () => {
    // 10 cpu-minutes: ann_1 may take 8 of them (4 x 120 s), bob_1 3 (1 x 180 s) and bob_2 2; ann_1 ends after 60 s with 4 used, so 6 are left
    const jobs = [ofAccount('ann_1', 4, 120), ofAccount('bob_1', 1, 180), ofAccount('bob_2', 1, 120), ofAccount('ann_2', 8, 180)]
    expect(machine({ accounts, calcPeriod: 60 }).come(0, ...jobs)).toEqual(['ann_1', 'bob_1', 'bob_2'])
    const { come, end } = machine({ accounts, safe: true, calcPeriod: 60 })
    expect(come(0, ...jobs)).toEqual(['ann_1', 'bob_2'])
    expect(end(60, 'ann_1')).toEqual(['bob_1'])
    expect(end(120, 'bob_2')).toEqual([]) // 6 used, 2 of bob_1 left, 24 asked
  })

  it('count with `safe` whole minutes of what was used and of what runs, each (_validate_tres_usage_limits of Slurm)', () => {
    // 10 cpu-minutes: of ann_1 119 s are used, 1 minute; of ann_2 61 s are left, 1 minute: 8 more may start, 9 not
    const { come, end } = machine({ accounts, safe: true, calcPeriod: 60, halfLife: 0 })
    come(0, ofAccount('ann_1', 1, 119))
    end(119, 'ann_1')
    expect(come(120, ofAccount('ann_2', 1, 61), ofAccount('bob_1', 3, 180), ofAccount('bob_2', 4, 120))).toEqual(['ann_2', 'bob_2'])
  })

  it('count what jobs use for which another QOS has the limit', () => {
    // ann_1 uses 2 of the 2 cpu-minutes of the partition, and is limited by her own QOS, which comes first
    const qos = { high: { GrpTRESMins: 'cpu=100', Flags: ['OverPartQOS'] }, part: { GrpTRESMins: 'cpu=2' } }
    const { come, end } = machine({ partitions: { main: { QOS: 'part' } }, qos, calcPeriod: 60, halfLife: 0 })
    come(0, procs('ann_1', 1, { qos: 'high' }))
    end(120, 'ann_1')
    expect(come(121, procs('ann_2', 1, { qos: 'high' }), procs('bob_1', 1))).toEqual(['ann_2'])
  })

  it('close as what runs is counted, and then keep nobody else back', () => {
    // ann_2 (8 processors) is protected at 400, so bob_1 (400 s) waits; by 240 ann_1 has used 4 minutes, and ann_2 may not start any more
    const spec = (id: string, amount: number, duration: number, submit: number): JobSpec => ({ id, user: id.split('_')[0] as string, submit, queue: 'main', qos: id.startsWith('ann') ? 'ann' : 'bob', estimate: duration, stages: [{ name: 'job', tasks: 1, demand: { procs: amount }, duration }] })
    const jobs = [spec('ann_1', 1, 400, 0), spec('ann_2', 8, 60, 1), spec('bob_1', 1, 400, 2)]
    const limited = slurmLimits(easy(), { qos: { ann: { GrpWall: 4 } }, calcPeriod: 60, halfLife: 0 })
    expect([...startsOf(jobs, [8], limited)]).toEqual([['ann_1', 0], ['bob_1', 240]])
  })

  it('of time, with `safe`, let jobs start that can end within them, whatever runs beside them (acct_policy_job_runnable_pre_select of Slurm)', () => {
    const { come, end } = machine({ qos: { normal: { GrpWall: 5 } }, safe: true, calcPeriod: 60, halfLife: 0 })
    expect(come(0, procs('ann_1', 1, { estimate: 300 }), procs('ann_2', 1, { estimate: 300 }), procs('ann_3', 1, { estimate: 301 }))).toEqual(['ann_1', 'ann_2'])
    expect(end(120, 'ann_1', 'ann_2')).toEqual([])
    expect(come(121, procs('bob_1', 1, { estimate: 61 }), procs('bob_2', 1, { estimate: 60 }))).toEqual(['bob_2']) // 240 of 300 s
  })

  it('of time, with `safe`, count whole minutes of what was used', () => {
    const { come, end } = machine({ qos: { normal: { GrpWall: 5 } }, safe: true, calcPeriod: 60, halfLife: 0 })
    come(0, procs('ann_1', 1, { estimate: 119 }))
    end(119, 'ann_1')
    expect(come(121, procs('bob_1', 1, { estimate: 241 }), procs('bob_2', 1, { estimate: 240 }))).toEqual(['bob_2']) // 60 of 300 s
  })

  it.each([false, true])('open when use is forgotten, without anything else happening then (PriorityUsageResetPeriod), with safe %s', (safe) => {
    const spec = (id: string, submit: number): JobSpec => ({ id, user: 'ann', submit, estimate: 120, stages: [{ name: 'job', tasks: 1, demand: { procs: 8 }, duration: 120 }] })
    const limited = (usageReset?: number) => slurmLimits(easy(), { qos: { normal: { GrpTRESMins: 'cpu=16' } }, calcPeriod: 60, halfLife: 0, safe, ...(usageReset !== undefined && { usageReset }) })
    const jobs = [spec('ann_1', 0), spec('ann_2', 600)]
    expect([...startsOf(jobs, [8], limited())]).toEqual([['ann_1', 0]])
    expect([...startsOf(jobs, [8], limited(86_430))]).toEqual([['ann_1', 0], ['ann_2', 86_460]]) // at the end of the period in which that is
  })

  it('keep what jobs of a QOS with NoDecay have used, while that of their account decays and is forgotten', () => {
    // 8 minutes in each of two periods count 15.5 at the end of the second one, and 14.4 at that of the next
    const limits = (Flags: string[]) => machine({ qos: { normal: { GrpTRESMins: 'cpu=15', Flags } }, accounts: { science: { GrpTRESMins: 'cpu=15', users: { ann: {} } } }, calcPeriod: 60, halfLife: 600, usageReset: 86_400 })
    for (const [flags, starts] of [[[], ['ann_2']], [['NoDecay'], []]] as const) {
      const { come, end, pass } = limits([...flags])
      come(0, ofAccount('ann_1', 8, 120))
      expect(end(120, 'ann_1')).toEqual([])
      expect(come(121, ofAccount('ann_2', 1, 60))).toEqual([])
      expect([pass(180), pass(90_000)]).toEqual([starts, []])
    }
  })

  it('with `safe` open as use decays', () => {
    // 7.95 of 10 used at 120, halved in an hour: 5 more fit when 7.95 x 2^-t is below 6, and so 5 whole minutes, after 1464 s, at the end of that period
    const { come, end, pass } = machine({ accounts, safe: true, halfLife: 3600, calcPeriod: 60 })
    come(0, ofAccount('ann_1', 4, 120))
    end(120, 'ann_1')
    expect(come(121, ofAccount('bob_1', 1, 300))).toEqual([])
    expect([pass(1560), pass(1620)]).toEqual([[], ['bob_1']])
  })
})

describe('limits on what running jobs have left', () => {
  it('hold for each user and each account of a QOS (MaxTRESRunMinsPerUser, MaxTRESRunMinsPerAccount)', () => {
    // cpu-minutes: 10 of a user, 15 of an account. ann_1 has 8 of them left, ann_2 would add 3, bob_1 8 (16 of the account), bob_2 7
    const { come, pass, end } = machine({ qos: { normal: { MaxTRESRunMinsPerUser: 'cpu=10', MaxTRESRunMinsPerAccount: 'cpu=15' } }, calcPeriod: 1 })
    const jobs = [procs('ann_1', 1, { estimate: 480 }), procs('ann_2', 1, { estimate: 180 }), procs('bob_1', 1, { estimate: 480 }), procs('bob_2', 1, { estimate: 420 })].map((each) => ({ ...each, account: 'science' }))
    expect(come(0, ...jobs, procs('ann_3', 1, { estimate: 120, account: 'arts' }))).toEqual(['ann_1', 'bob_2', 'ann_3'])
    expect([pass(60), pass(150)]).toEqual([[], ['ann_2']]) // of ann 7 + 1 are left, then 5.5 - 0.5, of the account 10; bob_1 would add 8 to 4.5
    expect(end(200, 'bob_2')).toEqual(['bob_1']) // 4.7 + 2.2 of the account
  })
})

describe('UsageFactor', () => {
  // GrpTRESRunMins of 10 cpu-minutes: a job of 1 processor and 10 minutes has 10 left, 20 times 2, 5 times 0.5
  const limited = { GrpTRESRunMins: 'cpu=10' }
  const long = (id: string, qos: string, estimate = 600) => procs(id, 1, { qos, estimate })

  it('is that of the QOS of the job, not of its partition, and scales what running jobs have left, not what is asked for (Slurm, tests of TRESRunMins)', () => {
    const cheap = { root: { ...limited } }
    expect(machine({ accounts: cheap, qos: { half: { UsageFactor: 0.5 } } }).come(0, long('a_1', 'half'), long('a_2', 'half', 300), long('a_3', 'half', 300), long('a_4', 'half', 150))).toEqual(['a_1', 'a_2', 'a_4'])
    expect(machine({ accounts: cheap, qos: { twice: { UsageFactor: 2 } } }).come(0, long('a_1', 'twice', 240), long('a_2', 'twice', 121), long('a_3', 'twice', 120))).toEqual(['a_1', 'a_3'])
    expect(machine({ partitions: { main: { QOS: 'twice' } }, qos: { normal: {}, twice: { ...limited, UsageFactor: 2 } } }).come(0, long('a_1', '', 300), long('a_2', '', 300))).toEqual(['a_1', 'a_2'])
  })

  it('of 0 counts nothing, and such jobs do not wait for what others use', () => {
    const { come } = machine({ accounts: { root: limited }, qos: { free: { UsageFactor: 0 } } })
    expect(come(0, long('a_1', 'free'), long('a_2', 'free'), long('a_3', 'free', 660), long('b_1', ''), long('a_4', 'free'), long('b_2', '', 60))).toEqual(['a_1', 'a_2', 'b_1', 'a_4'])
    const used = machine({ accounts: { root: { GrpTRESMins: 'cpu=1' } }, qos: { free: { UsageFactor: 0 } }, calcPeriod: 60 })
    used.come(0, procs('b_1', 1))
    expect(used.end(60, 'b_1')).toEqual([])
    expect(used.come(61, procs('b_2', 1), long('a_1', 'free'))).toEqual(['a_1'])
  })
})

describe('UsageFactorSafe', () => {
  const safe = { Flags: ['UsageFactorSafe'] }
  const long = (id: string, qos: string, estimate: number) => procs(id, 1, { qos, estimate })
  const starts = (limits: object, options: object = {}) =>
    machine({ qos: { half: { ...safe, UsageFactor: 0.5, ...limits }, plain: { UsageFactor: 0.5, ...limits }, twice: { ...safe, UsageFactor: 2, ...limits } }, ...options })
      .come(0, long('a_1', 'half', 1200), long('a_2', 'half', 1320), long('b_1', 'plain', 600), long('b_2', 'plain', 660), long('c_1', 'twice', 300), long('c_2', 'twice', 360))

  it.each([
    ['GrpTRESMins with safe', { GrpTRESMins: 'cpu=10' }, { safe: true }],
    ['GrpWall with safe', { GrpWall: 10 }, { safe: true }],
    ['GrpTRESRunMins', { MaxTRESRunMinsPerUser: 'cpu=10' }, {}],
    ['MaxTRESMinsPerJob', { MaxTRESMinsPerJob: 'cpu=10' }, {}],
  ])('counts what a job asks for %s times the factor of its QOS, too (acct_policy_job_runnable_post_select of Slurm)', (_, limits, options) => {
    // of 10 minutes a job of half its time may run 20, one of twice its time 5
    expect(starts(limits, options)).toEqual(['a_1', 'b_1', 'c_1'])
  })

  it('counts whole minutes, and does not bear on the longest time limit', () => {
    const { come } = machine({ qos: { half: { ...safe, UsageFactor: 0.5, MaxTRESMinsPerJob: 'cpu=2', MaxWall: 5 } } })
    expect(come(0, long('a_1', 'half', 300), long('a_2', 'half', 360))).toEqual(['a_1']) // 2.5 minutes count as 2
  })

  it('refuses with DenyOnLimit by what a job asks', () => {
    const { refusal, come } = machine({ qos: { half: { Flags: ['UsageFactorSafe', 'DenyOnLimit'], UsageFactor: 0.5, MaxTRESMinsPerJob: 'cpu=10' }, twice: { Flags: ['UsageFactorSafe', 'DenyOnLimit'], UsageFactor: 2, MaxTRESMinsPerJob: 'cpu=10' } } })
    expect([refusal(long('a_1', 'half', 1200)), refusal(long('a_2', 'twice', 600))].map((each) => each?.includes('QOSMaxCpuMinutesPerJobLimit'))).toEqual([true, undefined])
    expect(come(0, long('a_3', 'twice', 600), long('a_4', 'twice', 300))).toEqual(['a_4'])
  })
})

describe('LimitFactor', () => {
  it('is of amounts that associations limit, rounded down, and not of those that QOS do (_apply_limit_factor of Slurm)', () => {
    const accounts = { a: { GrpTRES: 'cpu=3', MaxTRESPerJob: 'cpu=2', GrpJobs: 9 } }
    const starts = (qos: object) => machine({ accounts, qos: { normal: { MaxTRESPerUser: 'cpu=7', ...qos } } }).come(0, ...[3, 2, 1, 1].map((amount, i) => procs(`ann_${i}`, amount, { account: 'a' })))
    expect(starts({})).toEqual(['ann_1', 'ann_2'])
    expect(starts({ LimitFactor: 1.5 })).toEqual(['ann_0', 'ann_2']) // 3 and 4
    expect(starts({ LimitFactor: 10 })).toEqual(['ann_0', 'ann_1', 'ann_2', 'ann_3'])
    expect(starts({ LimitFactor: 10, MaxTRESPerUser: 'cpu=5' })).toEqual(['ann_0', 'ann_1'])
  })

  it('is the first that the QOS of the partition and of the job have', () => {
    const accounts = { a: { GrpTRES: 'cpu=2' } }
    const starts = (own: object, part: object) => machine({ accounts, partitions: { main: { QOS: 'part' } }, qos: { normal: own, part } }).come(0, ...[1, 2, 3, 4, 5, 6, 7].map((i) => procs(`ann_${i}`, 1, { account: 'a' }))).length
    expect([starts({ LimitFactor: 2 }, {}), starts({ LimitFactor: 2 }, { LimitFactor: 3 }), starts({ LimitFactor: 2, Flags: ['OverPartQOS'] }, { LimitFactor: 3 })]).toEqual([4, 6, 4])
  })
})

describe('limits on time', () => {
  it('that running jobs have left open as it passes (GrpTRESRunMins)', () => {
    const { come, pass } = machine({ qos: { normal: { GrpTRESRunMins: 'cpu=10' } }, calcPeriod: 1 })
    // 2 x 200 s are left to the first: with 2 x 200 s more that is 800 s of 600, until 2 x (200 - 100) + 400 = 600
    expect(come(0, procs('ann_1', 2, { estimate: 200 }), procs('ann_2', 2, { estimate: 200 }), procs('bob_1', 1, { estimate: 200 }), procs('cid_1', 7, { estimate: 100 }))).toEqual(['ann_1', 'bob_1'])
    expect([pass(99), pass(132)]).toEqual([[], []]) // with the one of bob: 2 x (200 - t) + (200 - t) + 400 = 600 at 133.3
    expect(pass(134)).toEqual(['ann_2'])
  })

  it('that running jobs have left falls at the ends of periods (_apply_new_usage of Slurm)', () => {
    const { come, end, pass } = machine({ qos: { normal: { GrpTRESRunMins: 'cpu=40' } }, calcPeriod: 60 })
    expect(come(30, procs('ann_1', 3, { estimate: 630 }), procs('ann_2', 3, { estimate: 200 }))).toEqual(['ann_1']) // 1890, with 600 more 2490 of 2400
    expect([pass(59), pass(60)]).toEqual([[], ['ann_2']]) // 3 x (630 - 30) + 600 = 2400
    expect([...come(61, procs('bob_1', 1, { estimate: 240 })), ...pass(119)]).toEqual([])
    expect(pass(120)).toEqual(['bob_1']) // 3 x (630 - 90) + 3 x (200 - 60) + 240 = 2280, 2640 a period before
    expect(come(121, procs('bob_2', 1, { estimate: 121 }))).toEqual([]) // 2401
    expect(end(122, 'bob_1')).toEqual(['bob_2']) // what has ended has nothing left at once
  })

  it('that running jobs have left is what it was when one is updated', () => {
    const { come, update, pass } = machine({ qos: { normal: { GrpTRESRunMins: 'cpu=10' } }, calcPeriod: 1 })
    come(0, procs('ann_1', 2, { estimate: 200 }))
    update('ann_1', { priority: 1 }, 100)
    expect(come(100, procs('bob_1', 2, { estimate: 200 }))).toEqual(['bob_1']) // 2 x (200 - 100) + 2 x 200 s of 600: as if it had begun now it would be 800
    update('bob_1', { estimate: 300 }, 100)
    expect([come(150, procs('cid_1', 1, { estimate: 1 })), pass(151)]).toEqual([[], ['cid_1']]) // 2 x 50 + 2 x 250 + 1, then 2 x 49 + 2 x 249 + 1 of 600
  })

  it('of one job keep it waiting (MaxTRESMinsPerJob)', () => {
    const { come } = machine({ qos: { normal: { MaxTRESMinsPerJob: 'cpu=5' } }, accounts: { a: { MaxTRESMinsPerJob: 'mem=1' } } })
    expect(come(0, procs('ann_1', 4), procs('bob_1', 3), { id: 'cid_1', account: 'a', demand: { procs: 1, mem: 1 } })).toEqual(['bob_1']) // 400, 300 and 100 processor seconds of 300, 100 MiB s of 60
  })

  it('that jobs have run count it, whatever their size, times UsageFactor (GrpWall)', () => {
    const { come, end } = machine({ qos: { normal: { GrpWall: 10 }, cheap: { GrpWall: 10, UsageFactor: 0.5 } }, calcPeriod: 60, halfLife: 0 })
    expect(come(0, procs('ann_1', 1), procs('bob_1', 1), procs('cid_1', 4, { qos: 'cheap' }))).toEqual(['ann_1', 'bob_1', 'cid_1'])
    expect(end(300, 'ann_1', 'bob_1', 'cid_1')).toEqual([]) // 2 x 5 min of normal, 2.5 min of cheap
    expect(come(310, procs('ann_2', 1), procs('cid_2', 1, { qos: 'cheap' }))).toEqual(['cid_2'])
  })
})

describe('limits of partitions', () => {
  const partitions = { main: { MaxTime: 10, MaxTRESPerJob: 'node=2', MinTRESPerJob: 'cpu=2', DenyAccounts: ['guests'], AllowQos: ['normal'] }, old: { State: 'DOWN' as const }, gone: { State: 'DRAIN' as const } }
  const wrong = [
    procs('a', 2, { estimate: 601 }), { id: 'b', demand: { procs: 2, nodes: 1 }, tasks: 3, gang: true }, procs('c', 1), procs('d', 2, { account: 'guests' }), procs('e', 2, { qos: 'long' }), procs('f', 2, { queue: 'old' }), procs('g', 2, { estimate: 600 }),
  ]

  it('keep jobs that they never take waiting for ever, nobody behind them, and refuse them with EnforcePartLimits', () => {
    expect(machine({ partitions }, { nodes: 3 }).come(0, ...wrong)).toEqual(['g'])
    const { refusal } = machine({ partitions, enforcePartLimits: 'ALL' }, { nodes: 3 })
    expect(wrong.map((each) => /\((\w+)\)/.exec(refusal(each) ?? '')?.[1])).toEqual(['PartitionTimeLimit', 'PartitionNodeLimit', 'PartitionNodeLimit', 'AccountNotAllowed', 'QOSNotAllowed', 'PartitionDown', undefined])
    expect(refusal(procs('h', 2, { queue: 'gone' }))).toBe('job h: partition gone is DRAIN and takes no jobs.')
  })

  it('name accounts with all that lie inside them', () => {
    const tree = { science: { accounts: { physics: { users: { ann: {} } } } }, arts: {} }
    const jobs = [procs('ann_1', 1), procs('ann_2', 1, { account: 'arts' }), procs('bob_1', 1, { account: 'science' })]
    expect(machine({ partitions: { main: { AllowAccounts: ['science'] } }, accounts: tree }).come(0, ...jobs)).toEqual(['ann_1', 'bob_1'])
    expect(machine({ partitions: { main: { DenyAccounts: ['science'] } }, accounts: tree }).come(0, ...jobs)).toEqual(['ann_2'])
  })

  it('of nodes do not hold for a QOS that says so; a job that asks for no number of nodes may have too few', () => {
    const nodes = (id: string, tasks: number) => ({ id, user: 'x', demand: { procs: 1, nodes: 1 }, tasks, gang: true })
    const runs = (limits: object, Flags: string[] = []) => machine({ partitions: { main: limits }, qos: { normal: { Flags } } }, { nodes: 4 }).come(0, nodes('one', 1), nodes('three', 3), procs('a', 4))
    expect(runs({ MaxTRESPerJob: 'node=2' })).toEqual(['one', 'a'])
    expect(runs({ MaxTRESPerJob: 'node=2' }, ['PartitionMaxNodes'])).toEqual(['one', 'three', 'a'])
    expect(runs({ MinTRESPerJob: 'node=2' })).toEqual(['three', 'a'])
    expect(runs({ MinTRESPerJob: 'node=2' }, ['PartitionMinNodes'])).toEqual(['one', 'three', 'a'])
    expect(runs({ MaxTRESPerJob: 'node=2', MinTRESPerJob: 'node=2' }, ['PartitionMinNodes'])).toEqual(['one', 'a'])
  })

  it('of time do not hold for a QOS that says so; a job without a time limit gets the longest', () => {
    expect(machine({ partitions: { main: { MaxTime: 1 } }, qos: { normal: { Flags: ['PartitionTimeLimit'] } } }).come(0, procs('a', 1, { estimate: 100 }))).toEqual(['a'])
    expect(machine({ partitions: { main: { MaxTime: 1 } } }).come(0, procs('a', 1, { estimate: 100 }), procs('b', 1, { estimate: 60 }), { id: 'c', demand: { procs: 1 }, user: 'x' })).toEqual(['b'])
    const both = (MaxTime: string) => machine({ partitions: { main: { MaxTime } } }).come(0, procs('a', 1, { estimate: 60 }), procs('b', 1, { estimate: 120 }))
    expect(['0:30', '1:00', '1:01'].map(both)).toEqual([['a'], ['a'], ['a', 'b']]) // rounded up to whole minutes
  })
})
