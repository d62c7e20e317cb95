import type { JobSpec, Observer } from '@sched/core'
import { fifo, slurmLimits, strict, type SlurmLimitsOptions } from '@sched/policies'
import { simulate } from '@sched/sim'
import { modelOf } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { queuePasses } from './backfilling/machine.js'

const cluster = modelOf({ nodes: [{ count: 1, resources: { procs: 8 } }] })

/** A job of a user that comes at a time, with processors and seconds. */
const job = (id: string, submit: number, procs: number, seconds: number): JobSpec => ({
  id, submit, user: id.split('_')[0] as string, account: 'a', queue: 'main', qos: 'n', estimate: seconds, stages: [{ name: 's', tasks: 1, demand: { procs }, duration: seconds }],
})

/** What a job is told to wait for, each time that it changes. */
function waits(id: string, jobs: readonly JobSpec[], options: SlurmLimitsOptions): string[] {
  const names: string[] = []
  const told: string[] = []
  const watch: Observer = {
    onSubmit: (job, spec) => void (names[job] = spec.id),
    onDefer: (job, _lane, _reason, now, limit) => void (names[job] === id && limit !== undefined && told.at(-1)?.split(': ')[1] !== limit && told.push(`${now}: ${limit}`)),
  }
  let next = 0
  simulate({
    cluster, workload: { name: 'jobs', open: () => ({ next: () => jobs[next++] }) }, policy: slurmLimits(strict(fifo()), options), architecture: queuePasses.plug({}),
    runtime: { localityFactors: [1], jitter: 0 }, observers: [watch], validate: true, until: 900,
  })
  return told
}

describe('of several limits that hold a job back', () => {
  it('one of an association on jobs or time is told before one of a QOS on amounts (acct_policy_job_runnable_pre_select of Slurm)', () => {
    // ann_2 would make it 5 of 4 processors in its QOS, and 2 of 1 job of its account
    const jobs = [job('ann_1', 0, 3, 100), job('ann_2', 1, 2, 10)]
    expect(waits('ann_2', jobs, { qos: { n: { GrpTRES: 'cpu=4' } }, accounts: { a: { GrpJobs: 1 } } })).toEqual(['1: AssocGrpJobsLimit of account a'])
    expect(waits('ann_2', jobs, { qos: { n: { GrpTRES: 'cpu=4' } }, accounts: { a: { GrpJobs: 2 } } })).toEqual(['1: QOSGrpCpuLimit of QOS n'])
  })

  it.each([
    ['GrpTRES before GrpTRESRunMins', { GrpTRES: 'cpu=4', GrpTRESRunMins: 'cpu=1' }, 'QOSGrpCpuLimit of QOS n'],
    ['MaxTRESPerUser before MaxTRESRunMinsPerUser', { MaxTRESPerUser: 'cpu=4', MaxTRESRunMinsPerUser: 'cpu=1' }, 'QOSMaxCpuPerUserLimit of user ann in QOS n'],
  ])('of amounts %s, as Slurm looks at them', (_, limits, told) => {
    // 5 of 4 processors; 3 x 19 and 2 x 10 s are more than a cpu-minute
    expect(waits('ann_2', [job('ann_1', 0, 3, 20), job('ann_2', 1, 2, 10)], { qos: { n: limits } })[0]).toBe(`1: ${told}`)
  })

  it('the first that holds it now is told, also where it was another when it came', () => {
    // ann_1 asks for 5 of the 4 processors that a user may have; from 10 s on bob_1 has 4 of the 8 of all
    const jobs = [job('ann_1', 0, 5, 10), job('bob_1', 10, 4, 300)]
    expect(waits('ann_1', jobs, { qos: { n: { GrpTRES: 'cpu=8', MaxTRESPerUser: 'cpu=4' } } }).slice(0, 2)).toEqual(['0: QOSMaxCpuPerUserLimit of user ann in QOS n', '10: QOSGrpCpuLimit of QOS n'])
  })
})
