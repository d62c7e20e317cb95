import type { JobSpec, StageSpec } from '@sched/core'
import type { SlurmLimitsOptions } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { machine } from './slurm-limits-machine.js'

// Limits of heterogeneous jobs as they are submitted: the cases of Slurm's own test of parts with QOS of their own that have one QOS and partition here, by name.

const part = (nodes: number, change: Partial<StageSpec> = {}): StageSpec => ({ name: 's', tasks: nodes, gang: true, demand: { procs: 8, nodes: 1 }, duration: 60, ...change })
const het = (id: string, ...sizes: readonly number[]): JobSpec => ({ id, submit: 0, user: 'ann', queue: 'main', estimate: 60, gang: true, stages: sizes.map((nodes) => part(nodes)) })
const deny = { Flags: ['DenyOnLimit'] }
const of = (options: SlurmLimitsOptions) => machine(options, { nodes: 4 })

describe('what parts of a heterogeneous job ask for together (acct_policy_validate_het_job of Slurm)', () => {
  it.each<[string, SlurmLimitsOptions, JobSpec, string]>([
    ['test_het_job_duplicate_same_qos_partition_rejected', { qos: { normal: { ...deny, MaxTRESPerUser: 'node=1' } } }, het('a', 1, 1), 'QOSMaxNodePerUserLimit'],
    ['test_het_job_qos_combined_limit_rejected', { qos: { normal: { ...deny, MaxTRESPerUser: 'node=3' } } }, het('a', 2, 2), 'QOSMaxNodePerUserLimit'],
    ['test_het_job_partition_combined_limit_rejected', { partitions: { main: { QOS: 'part' } }, qos: { part: { ...deny, MaxTRESPerUser: 'node=1' }, normal: { MaxTRESPerUser: 'node=10' } } }, het('a', 1, 1), 'QOSMaxNodePerUserLimit'],
    ['test_het_job_limit_factor_combined_limit_rejected', { qos: { normal: { ...deny, LimitFactor: 0.3, MaxTRESPerUser: 'node=10' } }, accounts: { lf: { GrpTRES: 'node=10', users: { ann: {} } } } }, het('a', 2, 2), 'AssocGrpNodeLimit'],
    ['a limit of single jobs', { qos: { normal: { ...deny, MaxTRESPerJob: 'node=3' } } }, het('a', 2, 2), 'QOSMaxNodePerJobLimit'],
    ['minutes, for the time limit of the first part', { qos: { normal: { ...deny, GrpTRESMins: 'node=3' } } }, { ...het('a'), stages: [part(2), part(2, { estimate: 10 })] }, 'QOSGrpNodeMinutes'],
  ])('%s: is refused with DenyOnLimit', (_, options, job, reason) => {
    expect(of(options).refusal(job)).toContain(`(${reason})`)
  })

  it('is taken within the limit (test_het_job_duplicate_same_qos_partition_accept) and without the flag', () => {
    expect(of({ qos: { normal: { ...deny, MaxTRESPerUser: 'node=2' } } }).come(0, het('a', 1, 1))).toEqual(['a'])
    expect(of({ qos: { normal: { ...deny, GrpTRESMins: 'node=3' } } }).refusal({ ...het('a'), stages: [part(2, { estimate: 10 }), part(2)] })).toBeUndefined()
    expect(of({ qos: { normal: { MaxTRESPerUser: 'node=3' } } }).refusal(het('a', 2, 2))).toBeUndefined()
  })

  it('holds for no limit of the partition, and not for stages that do not start together', () => {
    expect(of({ partitions: { main: { MaxTRESPerJob: 'node=3' } }, enforcePartLimits: 'ALL' }).come(0, het('a', 2, 2))).toEqual(['a'])
    expect(of({ qos: { normal: { ...deny, MaxTRESPerUser: 'node=3' } } }).refusal({ ...het('a', 2, 2), gang: false })).toBeUndefined()
  })
})

describe('GrpTRES of an association with heterogeneous jobs', () => {
  const account = (most: number): SlurmLimitsOptions => ({ qos: { normal: { MaxTRESPerUser: 'node=10' } }, accounts: { grp: { GrpTRES: `node=${most}`, users: { ann: {} } } } })

  it('keeps one waiting while another job has a node, until that ends (test_het_job_grp_tres_pend_with_running_alloc..., ..._runs_after_running_alloc_completes_same_account)', () => {
    const { come, end } = of(account(2))
    expect(come(0, { ...het('block'), gang: false, stages: [part(1)] })).toEqual(['block'])
    expect(come(1, het('a', 1, 1))).toEqual([])
    expect(end(10, 'block')).toEqual(['a'])
  })

  it('keeps a smaller one waiting behind one that has all (test_het_job_grp_tres_three_running_second_smaller_pends_same_account)', () => {
    const { come, end } = of(account(3))
    expect(come(0, het('first', 1, 2))).toEqual(['first'])
    expect(come(1, het('second', 1, 1))).toEqual([])
    expect(end(10, 'first')).toEqual(['second'])
  })
})
