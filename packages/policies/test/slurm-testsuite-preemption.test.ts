import type { JobSpec } from '@sched/core'
import { fifo, greedy, replan, slurmLimits, slurmPreempting, type SlurmPreemptingOptions } from '@sched/policies'
import { instantCluster, job, run, type JobChange } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

// Slurm's own tests of preemption, named at each: a job of `low` has all of the one node for 120 s, and one of `high` wants it for 20 s.

const whole = (change: JobChange) => job({ demand: { cpu: 4 }, estimate: 200, ...change })
/** From when to when they run in the end, `high` from `submit` on, and who is given up. */
const played = (options: SlurmPreemptingOptions, submit: number, of: (name: 'low' | 'high') => JobChange) => {
  const abandoned: string[] = []
  const { recorder } = run({
    cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 4 } }] }),
    jobs: [whole({ id: 'low', duration: 120, ...of('low') }), whole({ id: 'high', submit, duration: 20, ...of('high') })],
    policy: slurmPreempting(greedy(fifo()), options),
    observers: [{ onAbandon: (_job, { id }) => void abandoned.push(id) }],
  })
  return { runs: recorder.ends.map(({ job: id, started, stopped }) => `${id} ${started} to ${stopped}`), abandoned }
}
const byTier = { tiers: { high: 2 } }
const byQos = { qos: { high: { preempt: ['low'], priority: 1 }, low: {} } }
const inQueue = (name: string): JobChange => ({ queue: name })
const ofQos = (name: string): JobChange => ({ qos: name })
const cancelled = (at: number) => ({ runs: [`low 0 to ${at}`, `high ${at} to ${at + 20}`], abandoned: ['low'] })
const suspended = (at: number) => ({ runs: [`low 0 to ${at}`, `high ${at} to ${at + 20}`, `low ${at + 20} to 140`], abandoned: [] })
const requeued = (at: number) => ({ runs: [`low 0 to ${at}`, `high ${at} to ${at + 20}`, `low ${at + 20} to ${at + 140}`], abandoned: [] })

describe('preemption (test34.1, test34.2 and test_preempt_exempt_time of Slurm)', () => {
  it.each([['cancel', cancelled(5)], ['suspend', suspended(5)], ['requeue', requeued(5)]] as const)('by partition with PreemptMode=%s of the lower one', (mode, expected) => {
    expect(played({ ...byTier, mode: 'off', modes: { low: mode } }, 5, inQueue)).toEqual(expected)
  })

  it.each([['cancel', cancelled(5)], ['requeue', requeued(5)]] as const)('by QOS with PreemptMode=%s of the lower one', (mode, expected) => {
    expect(played({ ...byQos, mode: 'suspend', modes: { low: mode } }, 5, ofQos)).toEqual(expected)
  })

  it.each([['suspend', suspended(10)], ['requeue', requeued(10)], ['cancel', cancelled(10)]] as const)('with PreemptMode=%s when PreemptExemptTime is over, until when the job of the higher partition waits', (mode, expected) => {
    expect(played({ ...byTier, mode, exemptTime: 10 }, 1, inQueue)).toEqual(expected)
  })

  it('requeues once when GraceTime is over, whereafter the job runs to its end (test_gracetime_requeue_clears_before_next_run)', () => {
    expect(played({ ...byTier, mode: 'requeue', graceTime: { low: 15 } }, 5, inQueue)).toEqual(requeued(20))
  })

  it('never goes from a lower QOS to a higher one (test_no_preemption_without_qos_config)', () => {
    expect(played(byQos, 5, (name) => ofQos(name === 'low' ? 'high' : 'low'))).toEqual({ runs: ['low 0 to 120', 'high 120 to 140'], abandoned: [] })
  })

  it('goes beyond limits that are inside it, which is warned of', () => {
    const told = (policy: ReturnType<typeof greedy>) => {
      const warnings: string[] = []
      run({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 4 } }] }), jobs: [], policy: slurmPreempting(policy, byTier), warn: (message) => void warnings.push(message) })
      return warnings
    }
    expect(told(slurmLimits(greedy(fifo())))).toEqual(['the limits of slurm-limits inside slurm-preempting do not bind jobs that preempt others: put slurm-limits around it'])
    expect(told(greedy(fifo()))).toEqual([])
  })
})

describe('preemption of and by heterogeneous jobs (test_128_4, test_128_6 of Slurm)', () => {
  // 2 nodes of 2 processors: a component of a heterogeneous job, or a task of another one, has one of them
  const stage = (name: string, tasks: number) => ({ name, tasks, gang: true, demand: { cpu: 2 }, duration: 100 })
  const hetjob = (id: string, submit: number) => ({ id, queue: id, submit, estimate: 120, gang: true, stages: [stage('first', 1), stage('second', 1)] })
  const plain = (id: string, submit: number) => ({ id, queue: id, submit, estimate: 120, stages: [stage('task', 2)] })
  const nodes = instantCluster({ nodes: [{ count: 2, resources: { cpu: 2 } }] })
  const parts = (mode: 'requeue' | 'cancel', jobs: readonly JobSpec[]) => {
    const policy = slurmPreempting(replan(fifo(), { nodes: 'named', twoPass: true, bf_interval: 1 }), { ...byTier, mode })
    return run({ cluster: nodes, jobs, policy }).recorder.ends.map(({ job: id, started, stopped }) => `${id} ${started} to ${stopped}`).sort()
  }
  const twice = (piece: string) => [piece, piece]

  it.each([['requeue', twice('low 105 to 205')], ['cancel', []]] as const)('takes all components with PreemptMode=%s (test_hetjob_victim_is_preempted_by_higher_priority_partition)', (mode, again) => {
    expect(parts(mode, [hetjob('low', 0), plain('high', 5)])).toEqual([...twice('high 5 to 105'), ...twice('low 0 to 5'), ...again].sort())
  })

  it.each([['requeue', twice('low 105 to 205')], ['cancel', []]] as const)('makes room for all components with PreemptMode=%s (test_hetjob_preemptor_preempts_lower_priority_job)', (mode, again) => {
    expect(parts(mode, [plain('low', 0), hetjob('high', 5)])).toEqual([...twice('high 5 to 105'), ...twice('low 0 to 5'), ...again].sort())
  })

  const suspending: SlurmPreemptingOptions = { qos: { high: { preempt: ['low'], priority: 2 }, low: {} }, mode: 'requeue', modes: { low: 'suspend' } }
  const ends = (options: SlurmPreemptingOptions, ...jobs: readonly JobSpec[]) =>
    run({ cluster: nodes, jobs: jobs.map((each) => ({ ...each, qos: each.queue as string })), policy: slurmPreempting(greedy(fifo()), options) })
      .recorder.ends.map(({ job: id, started, stopped }) => `${id} ${started} to ${stopped}`).sort()

  it.each<[string, SlurmPreemptingOptions]>([['partition', { ...byTier, mode: 'suspend' }], ['QOS', suspending]])('suspends none of them, by %s (test_normal_job_is_suspend_preempted beside it)', (_, options) => {
    expect(ends(options, hetjob('low', 0), plain('high', 5))).toEqual([...twice('high 100 to 200'), ...twice('low 0 to 100')])
    expect(ends(options, plain('low', 0), plain('high', 5))).toEqual([...twice('high 5 to 105'), ...twice('low 0 to 5'), ...twice('low 105 to 200')].sort())
  })

  it.each<[string, SlurmPreemptingOptions]>([['partition', { ...byTier, mode: 'requeue', modes: { low: 'suspend' } }], ['QOS', suspending]])('suspends nobody for them, by %s (test_hetjob_does_not_preempt_victim_resolving_to_suspend)', (_, options) => {
    expect(ends(options, plain('low', 0), hetjob('high', 5))).toEqual([...twice('high 100 to 200'), ...twice('low 0 to 100')])
  })

  const ofOne = (id: string, queue: string, submit: number, cpu = 1) => ({ id, queue, submit, estimate: 120, stages: [{ ...stage('task', 1), demand: { cpu } }] })
  const small = { ...hetjob('het', 10), queue: 'high', stages: ['first', 'second'].map((name) => ({ ...stage(name, 1), demand: { cpu: 1 } })) }

  it('takes those that start anew, whoever else runs of the same tier', () => {
    const jobs = [ofOne('a', 'low', 0), ofOne('b', 'other', 1), ofOne('c', 'other', 2), ofOne('d', 'low', 3)]
    expect(ends({ ...byTier, mode: 'requeue', modes: { low: 'suspend' } }, ...jobs, small)).toEqual([
      'a 0 to 100', 'b 1 to 10', 'b 100 to 200', 'c 2 to 10', 'c 103 to 203', 'd 3 to 103', ...twice('het 10 to 110'),
    ].sort())
  })

  it('leaves what a suspended job needs to go on, which others of their tier may have', () => {
    // `low` had both nodes and waits for the one that `first` has; the other one is free
    const jobs = [plain('low', 0), ofOne('first', 'high', 5, 2)]
    expect(ends({ ...byTier, mode: 'suspend' }, ...jobs, small)).toEqual(['first 5 to 105', ...twice('het 200 to 300'), ...twice('low 0 to 5'), ...twice('low 105 to 200')].sort())
    expect(ends({ ...byTier, mode: 'suspend' }, ...jobs, ofOne('one', 'high', 10, 2))).toEqual(['first 5 to 105', ...twice('low 0 to 5'), ...twice('low 110 to 205'), 'one 10 to 110'].sort())
  })
})
