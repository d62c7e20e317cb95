import { fifo, greedy, slurmLimits, slurmPreempting, type SlurmPreemptingOptions } from '@sched/policies'
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
