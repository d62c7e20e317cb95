import { randomStream, type JobId, type Round } from '@sched/core'
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
    const seeds = Array.from({ length: 400 }, (_, seed) => seed)
    const has = vi.spyOn(VainTrials.prototype, 'has')
    const found = seeds.map(played)
    const spared = has.mock.results.filter(({ value }) => value === true).length
    has.mockReturnValue(false)
    expect(seeds.filter((seed, i) => JSON.stringify(played(seed)) !== JSON.stringify(found[i]))).toEqual([])
    expect(spared).toBeGreaterThan(1000)
  })

  it('are those of jobs that ask for more than was free at any step, may run on all nodes, and share no soft limit with those that would have gone', () => {
    // one node of 8 processors, of which 3 are free after the first step and 2 after the second, as somebody went to whom suspended jobs leave less
    const asked = [4, 1, 3, 4, 4, 4]
    const [failed, victim, smaller, sharing, elsewhere, other] = [0, 1, 2, 3, 4, 5] as [JobId, JobId, JobId, JobId, JobId, JobId]
    const [ann, bob] = [{}, {}]
    let free = 0
    const round = {
      nodes: [0], lane: 0, cluster: { nodes: 1, lanes: [{ resources: [0] }], free: () => free, total: () => 8 },
      work: { isGangJob: () => false, shape: (job: number) => job, together: () => 1, demand: (job: number) => asked[job], mayRunOn: (job: JobId) => job !== elsewhere },
    } as unknown as Round
    const trials = new VainTrials({ limitsOf: (job) => (job === sharing || job === victim ? [ann] : [bob]) }, undefined)
    trials.begin(round)
    for (free of [3, 2]) trials.step(failed, round)
    trials.end(failed, 1000, [victim], round)
    const has = (job: JobId, kind = 1000) => trials.has(job, kind, round)
    expect({ other: has(other), kind: has(other, 2000), smaller: has(smaller), sharing: has(sharing), elsewhere: has(elsewhere) }).toEqual({ other: true, kind: false, smaller: false, sharing: false, elsewhere: false })
    trials.clear()
    expect(has(other)).toBe(false)
  })
})
