import type { JobSpec, Observer } from '@sched/core'
import { fifo, slurmLimits, strict, type SlurmLimitsOptions } from '@sched/policies'
import { simulate } from '@sched/sim'
import { modelOf } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { queuePasses } from './backfilling/machine.js'
import { machine, procs } from './slurm-limits-machine.js'

const cluster = modelOf({ nodes: [{ count: 2, resources: { procs: 8, mem: 500, nodes: 1 } }] })

/** The jobs that have started at once, and of the others the limit that held them back first, or why they were refused. */
function met(jobs: readonly JobSpec[], options: SlurmLimitsOptions): { started: string[]; held: Record<string, string> } {
  const names: string[] = []
  const started = new Set<string>()
  const held: Record<string, string> = {}
  const watch: Observer = {
    onSubmit: (job, spec) => void (names[job] = spec.id),
    onTaskStart: (_task, job, _lane, _node, _level, now) => void (now === jobs.find(({ id }) => id === names[job])?.submit && started.add(names[job] as string)),
    onDefer: (job, _lane, _reason, _now, limit) => void (limit !== undefined && (held[names[job] as string] ??= limit)),
    onReject: (spec, reason) => void (held[spec.id] ??= /\((\w+)\)/.exec(reason)?.[1] ?? reason),
  }
  let next = 0
  simulate({
    cluster, workload: { name: 'jobs', open: () => ({ next: () => jobs[next++] }) }, policy: slurmLimits(strict(fifo()), options), architecture: queuePasses.plug({}),
    runtime: { localityFactors: [1], jitter: 0 }, observers: [watch], validate: true, until: 900,
  })
  return { started: [...started].sort(), held }
}

interface Asked {
  readonly procs?: number
  readonly mem?: number
  readonly nodes?: number
  readonly minutes?: number
  readonly submit?: number
}
const job = (id: string, { procs = 1, mem = 0, nodes = 0, minutes = 10, submit = 0 }: Asked): JobSpec => {
  const demand = { procs: nodes > 0 ? 8 : procs, ...(mem > 0 && { mem }), ...(nodes > 0 && { nodes: 1 }) }
  return { id, submit, user: 'ann', queue: 'main', estimate: 60 * minutes, stages: [{ name: 's', tasks: Math.max(1, nodes), gang: true, demand, duration: 60 * minutes }] }
}

/** Limits of test21.34, the jobs that they let start, the one that they do not, and the reason that the test waits for. */
const cases: readonly (readonly [limit: Record<string, number | string>, start: readonly Asked[], other: Asked, reason: string])[] = [
  [{ GrpTRES: 'node=2' }, [{ nodes: 2 }], { nodes: 1 }, 'QOSGrpNodeLimit'],
  [{ GrpTRES: 'cpu=7' }, [{ procs: 7 }], { procs: 1 }, 'QOSGrpCpuLimit'],
  [{ GrpJobs: 2 }, [{}, {}], {}, 'QOSGrpJobsLimit'],
  [{ GrpSubmitJobs: 2 }, [{}, {}], {}, 'QOSGrpSubmitJobsLimit'],
  [{ MaxTRESPerJob: 'cpu=7' }, [{ procs: 7 }], { procs: 8 }, 'QOSMaxCpuPerJobLimit'],
  [{ MaxTRESPerJob: 'node=1' }, [{ nodes: 1 }], { nodes: 2 }, 'QOSMaxNodePerJobLimit'],
  [{ MaxJobsPerUser: 2 }, [{}, {}], {}, 'QOSMaxJobsPerUserLimit'],
  [{ MaxSubmitJobsPerUser: 2 }, [{}, {}], {}, 'QOSMaxSubmitJobPerUserLimit'],
  [{ GrpTRESMins: 'cpu=8' }, [{ minutes: 8 }], { minutes: 9 }, 'QOSGrpCPUMinutesLimit'],
  [{ GrpTRESRunMins: 'cpu=40' }, [{ procs: 4, minutes: 7 }], { procs: 4, minutes: 11 }, 'QOSGrpCPURunMinutesLimit'],
  [{ GrpTRES: 'mem=100' }, [{ mem: 100 }], { mem: 100 }, 'QOSGrpMemLimit'],
  [{ GrpWall: 1 }, [{ minutes: 1 }], { minutes: 1, submit: 301 }, 'QOSGrpWallLimit'],
  [{ MaxTRESMinsPerJob: 'cpu=4' }, [{ procs: 4, minutes: 1 }], { procs: 5, minutes: 1 }, 'QOSMaxCpuMinutesPerJobLimit'],
  [{ MaxWall: 2 }, [{ minutes: 2 }], { minutes: 3 }, 'QOSMaxWallDurationPerJobLimit'],
  [{ MaxTRESPerUser: 'cpu=2' }, [{ procs: 2 }], { procs: 2 }, 'QOSMaxCpuPerUserLimit'],
  [{ MaxTRESPerUser: 'node=2' }, [{ nodes: 2 }], { nodes: 2 }, 'QOSMaxNodePerUserLimit'],
]
/** The same of what jobs cost, 1 of each processor where nothing else is said. */
const ofBilling = cases.flatMap(([limit, start, other, reason]): typeof cases =>
  JSON.stringify(limit).includes('cpu=') ? [[JSON.parse(JSON.stringify(limit).replace('cpu=', 'billing=')) as Record<string, string>, start, other, reason.replace(/cpu/i, 'Billing').replace(/Limit$/, '')]] : [],
)
const ones = (limits: Record<string, number | string>) => Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, typeof value === 'string' ? value.replace(/\d+$/, '1') : 1]))

describe('limits of the QOS of the partition and of the job (test21.30 and test21.34 of Slurm)', () => {
  for (const [limit, start, other, reason] of [...cases, ...ofBilling]) {
    const jobs = [...start, other].map((asked, i) => job(`j${i}`, asked))
    const kind = Object.keys(limit)[0]!
    // what is counted for several jobs tells whose limit it is
    const whose = (qos: string) => (/Submit|PerJob|MaxWall/.test(kind) ? '' : /PerUser/.test(kind) ? ` of user ann in QOS ${qos}` : ` of QOS ${qos}`)
    const expected = (qos: string) => ({ started: start.map((_, i) => `j${i}`), held: { [`j${start.length}`]: `${reason}${whose(qos)}` } })
    // nothing decays: a minute that a job has run stays a whole one, as in the test, where jobs run on for some seconds after their time
    const options: SlurmLimitsOptions = { partitions: { main: { QOS: 'part' } }, safe: true, calcPeriod: 60, halfLife: 0 }
    it(`${JSON.stringify(limit)} holds back with ${reason}, of the partition's QOS whatever the job's says, and of the job's with OverPartQOS`, () => {
      expect(met(jobs, { ...options, qos: { part: limit, normal: ones(limit) } })).toEqual(expected('part'))
      expect(met(jobs, { ...options, qos: { part: ones(limit), normal: { ...limit, Flags: ['OverPartQOS'] } } })).toEqual(expected('normal'))
      expect(met(jobs, { ...options, partitions: {}, qos: { normal: limit } })).toEqual(expected('normal'))
    })
  }
})

describe('EnforcePartLimits (test_enforcePartLimits of Slurm)', () => {
  const nodes = (id: string, tasks: number) => ({ id, tasks, gang: true, demand: { procs: 1, nodes: 1 } })
  /** A limit of p1, a job that is over it, one that is not, and the reason. */
  it.each([
    ['MaxNodes', { MaxTRESPerJob: 'node=1' }, nodes('over', 2), nodes('within', 1), 'PartitionNodeLimit'],
    ['MinNodes', { MinTRESPerJob: 'node=2' }, nodes('over', 1), nodes('within', 2), 'PartitionNodeLimit'],
    ['MaxTime', { MaxTime: 1 }, procs('over', 1, { estimate: 120 }), procs('within', 1, { estimate: 60 }), 'PartitionTimeLimit'],
    ['AllowAccounts', { AllowAccounts: ['good'] }, procs('over', 1, { account: 'bad' }), procs('within', 1, { account: 'good' }), 'AccountNotAllowed'],
    ['AllowQos', { AllowQos: ['good'] }, procs('over', 1, { qos: 'bad' }), procs('within', 1, { qos: 'good' }), 'QOSNotAllowed'],
    ['DenyAccounts (test2.18)', { DenyAccounts: ['bad'] }, procs('over', 1, { account: 'bad' }), procs('within', 1, { account: 'good' }), 'AccountNotAllowed'],
    ['DenyQos (test2.19)', { DenyQos: ['bad'] }, procs('over', 1, { qos: 'bad' }), procs('within', 1, { qos: 'good' }), 'QOSNotAllowed'],
  ] as const)('%s is of the partition alone: refused with ALL and ANY, and waits with NO', (_, limit, over, within, reason) => {
    const in1 = { ...over, queue: 'p1' }
    for (const enforcePartLimits of ['ALL', 'ANY', 'NO'] as const) {
      const { refusal, come } = machine({ partitions: { p1: limit as object }, enforcePartLimits }, { nodes: 4 })
      expect(/\((\w+)\)/.exec(refusal(in1) ?? '')?.[1], enforcePartLimits).toBe(enforcePartLimits === 'NO' ? undefined : reason)
      expect(come(0, { ...over, id: 'in p2', queue: 'p2' }, { ...within, queue: 'p1' }), enforcePartLimits).toEqual(['in p2', 'within'])
    }
  })
})

describe('UsageFactor in GrpTRESRunMins (test21.43, test_130_5)', () => {
  /** How many of four jobs of 10 minutes start, and whether another one does when the first has ended. */
  const started = (limit: number, factors: { readonly part?: number; readonly own: number }) => {
    const isOfPartition = factors.part !== undefined
    const qos = { part: { GrpTRESRunMins: `cpu=${limit}`, UsageFactor: factors.part ?? 1 }, normal: { UsageFactor: factors.own, ...(!isOfPartition && { GrpTRESRunMins: `cpu=${limit}` }) } }
    const { come, end } = machine({ qos, ...(isOfPartition && { partitions: { main: { QOS: 'part' } } }) })
    return [come(0, ...['a', 'b', 'c', 'd'].map((id) => procs(id, 1, { estimate: 600 }))).length, end(1, 'a').length]
  }
  it.each<[string, number, { readonly part?: number; readonly own: number }, readonly number[]]>([
    ['test_usage_factor_above_one_given_back: 20 each while they run', 30, { own: 2 }, [2, 1]],
    ['test_usage_factor_zero_books_nothing', 10, { own: 0 }, [4, 0]],
    ['test_usage_factor_below_one_leaves_running_usage: 5 each, beside the 10 that the next asks', 20, { own: 0.5 }, [3, 1]],
    ['test_partition_qos_ignores_usage_factor: 10 each by the QOS of the job', 20, { part: 2, own: 1 }, [2, 1]],
  ])('%s', (_, limit, factors, expected) => {
    expect(started(limit, factors)).toEqual(expected)
  })
})

describe('DenyOnLimit on limits of QOS and associations (Slurm: acct_policy_validate)', () => {
  const large = procs('ann_1', 5, { estimate: 120 })
  const long = procs('ann_1', 1, { estimate: 120 })
  const inQos = (limit: object, Flags: string[]): SlurmLimitsOptions => ({ qos: { normal: { ...limit, Flags } } })
  const ofAccount = (limit: object, Flags: string[]): SlurmLimitsOptions => ({ qos: { normal: { Flags } }, accounts: { physics: { ...limit, users: { ann: {} } } } })
  const byPartition = (limit: object, Flags: string[]): SlurmLimitsOptions => ({ partitions: { main: { QOS: 'part' } }, qos: { part: { Flags }, normal: limit } })
  const ofBoth = [[{ GrpTRES: 'cpu=4' }, large, 'GrpCpuLimit'], [{ GrpTRESMins: 'cpu=8' }, large, 'GrpCPUMinutesLimit'], [{ GrpTRESRunMins: 'cpu=8' }, large, 'GrpCPURunMinutesLimit'], [{ GrpWall: 1 }, long, 'GrpWallLimit'],
    [{ MaxTRESPerJob: 'cpu=4' }, large, 'MaxCpuPerJobLimit'], [{ MaxTRESMinsPerJob: 'cpu=8' }, large, 'MaxCpuMinutesPerJobLimit'], [{ MaxWall: 1 }, long, 'MaxWallDurationPerJobLimit']] as const
  const kinds = [['the QOS of the job', inQos, 'QOS'], ['an account of the user', ofAccount, 'Assoc'], ['the QOS of the job, by the flag of that of the partition', byPartition, 'QOS']] as const
  for (const [whose, options, prefix] of kinds)
    for (const [limit, job, reason] of [...ofBoth, ...(prefix === 'QOS' ? ([[{ MaxTRESPerUser: 'cpu=4' }, large, 'MaxCpuPerUserLimit'], [{ MinTRESPerJob: 'cpu=2' }, long, 'MinCpuNotSatisfied']] as const) : [])])
      it(`${JSON.stringify(limit)} of ${whose} refuses a job that alone is over it`, () => {
        expect(machine(options(limit, ['DenyOnLimit'])).refusal(job)).toContain(`(${prefix}${reason})`)
        expect(machine(options(limit, [])).refusal(job)).toBeUndefined()
      })

  it('waits with a job that is over a limit beside others alone, of a number of jobs, or of what a user has left', () => {
    const { come, refusal } = machine(ofAccount({ GrpTRES: 'cpu=8' }, ['DenyOnLimit']))
    expect(come(0, procs('ann_0', 5))).toEqual(['ann_0'])
    expect(refusal(large)).toBeUndefined()
    for (const limit of [{ GrpJobs: 0 }, { MaxTRESRunMinsPerUser: 'cpu=8' }]) expect(machine(inQos(limit, ['DenyOnLimit'])).refusal(large)).toBeUndefined()
  })
})
