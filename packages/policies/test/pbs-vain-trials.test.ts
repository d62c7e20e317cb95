import { randomStream } from '@sched/core'
import { easy, fifo, greedy, pbsLevels, pbsPreempting, strict } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { VainTrials } from '../src/pbs/vain-trials.js'

afterEach(() => {
  vi.restoreAllMocks()
})

/** A random queue of users and groups under soft limits, on equal or different nodes: what ran where and when, and how it ended. */
function played(seed: number) {
  const random = randomStream(seed, 'vain trials')
  const draw = (from: number, to: number) => from + Math.floor(random() * (to - from + 1))
  const oneOf = <T>(of: readonly T[]) => of[draw(0, of.length - 1)] as T
  const soft = () => {
    const [kind, most] = [oneOf(['u:PBS_GENERIC', 'u:PBS_GENERIC', 'g:PBS_GENERIC', 'o:PBS_ALL']), draw(0, 3)]
    return random() < 0.7 ? { max_run_soft: `[${kind}=${most}]` } : { max_run_res_soft: { ncpus: `[${kind}=${2 * most}]` } }
  }
  const levels = {
    preempt_prio: oneOf(['express_queue, normal_jobs, queue_softlimits, server_softlimits', 'express_queue, server_softlimits, normal_jobs, queue_softlimits']),
    server: soft(), queues: { fast: { Priority: 150 }, work: soft() },
  }
  const options = {
    ...levels, preempt_order: oneOf(['S', 'S', 'R', 'SR 50 R']),
    ...(random() < 0.2 && { preempt_targets: { fast: ['work'] } }),
    ...(random() < 0.2 && { restrict_res_to_release_on_suspend: ['ncpus'] }),
  }
  const nodes = oneOf([[{ count: 1, resources: { cpu: 8, mem: 8 } }], [{ count: 3, resources: { cpu: 4, mem: 8 } }], [{ count: 1, resources: { cpu: 4, mem: 8 } }, { count: 1, resources: { cpu: 8, mem: 4 } }]])
  const jobs = Array.from({ length: draw(15, 40) }, (_, i) => job({
    id: `j${i}`, submit: draw(0, 60), user: `u${draw(0, 5)}`, account: `g${draw(0, 2)}`, queue: oneOf(['work', 'work', 'other', 'fast']), demand: { cpu: draw(1, 4), mem: draw(0, 4) }, tasks: oneOf([1, 1, 2]),
    duration: draw(3, 30), estimate: 30, ...(random() < 0.3 && { gang: true }),
  })).sort((a, b) => a.submit - b.submit)
  const { recorder } = run({
    cluster: instantCluster({ nodes }), jobs, infeasible: 'reject',
    policy: pbsPreempting(oneOf([greedy, strict, easy])(pbsLevels(fifo(), levels)), options),
  })
  return recorder.ends
}

describe('trials that pbs-preempting need not make', () => {
  it('would have been in vain: without it the same runs at the same times, where users and sizes differ', { timeout: 120_000, tags: 'long' }, () => {
    const seeds = Array.from({ length: 250 }, (_, seed) => seed)
    const has = vi.spyOn(VainTrials.prototype, 'has')
    const found = seeds.map(played)
    const spared = has.mock.results.filter(({ value }) => value === true).length
    has.mockReturnValue(false)
    expect(seeds.filter((seed, i) => JSON.stringify(played(seed)) !== JSON.stringify(found[i]))).toEqual([])
    expect(spared).toBeGreaterThan(600)
  })
})
