import { randomStream } from '@sched/core'
import { easy, fifo, greedy, pbsLevels, pbsPreempting, strict } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

/** A random queue under soft limits, in which jobs suspend each other: the parts of jobs that never end, and how many were suspended. */
function played(seed: number) {
  const random = randomStream(seed, 'digest')
  const draw = (from: number, to: number) => from + Math.floor(random() * (to - from + 1))
  const oneOf = <T>(of: readonly T[]) => of[draw(0, of.length - 1)] as T
  const soft = () => `[u:PBS_GENERIC=${draw(0, 3)}]`
  const options = {
    preempt_prio: oneOf(['express_queue, normal_jobs', 'express_queue, normal_jobs, queue_softlimits, server_softlimits']),
    server: { max_run_soft: soft() }, queues: { fast: { Priority: 150 }, urgent: { Priority: 200 }, work: { max_run_soft: soft() } },
  }
  const jobs = Array.from({ length: draw(4, 25) }, (_, i) => job({
    id: `j${i}`, submit: draw(0, 60), user: oneOf(['ann', 'bob', 'cy']), queue: oneOf(['work', 'work', 'other', 'fast', 'urgent']), demand: { cpu: draw(1, 4) }, tasks: oneOf([1, 1, 2]),
    duration: draw(3, 30), estimate: 30, ...(random() < 0.2 && { gang: true }),
  })).sort((a, b) => a.submit - b.submit)
  const inner = oneOf([greedy, strict, easy])
  const refused = new Set<string>()
  const { recorder } = run({
    cluster: instantCluster({ nodes: [{ count: draw(1, 3), resources: { cpu: draw(4, 8) } }] }), jobs, policy: pbsPreempting(inner(pbsLevels(fifo(), options)), options), infeasible: 'reject',
    observers: [{ onReject: ({ id }) => void refused.add(id) }],
  })
  const left = jobs.filter(({ id, stages }) => !refused.has(id) && recorder.ends.filter((end) => end.job === id && end.how === 'done').length !== stages[0]?.tasks)
  return { left: left.length, suspended: recorder.ends.filter(({ how }) => how === 'evicted').length }
}

describe('jobs that suspend each other under soft limits', () => {
  it('all end', { timeout: 60_000, tags: 'long' }, () => {
    const all = Array.from({ length: 600 }, (_, seed) => ({ seed, ...played(seed) }))
    expect(all.filter(({ left }) => left > 0)).toEqual([])
    expect(all.reduce((sum, { suspended }) => sum + suspended, 0)).toBeGreaterThan(1000)
  })

  it('go on one after another on a node that has no room for all of them together', () => {
    // low is over its limit as it runs, and not while it is suspended: then it comes first, since it was suspended first
    const options = { preempt_prio: 'express_queue, normal_jobs, server_softlimits', server: { max_run_soft: '[u:low=0], [u:high=1]' }, queues: { urgent: { Priority: 200 } } }
    const one = (id: string, user: string, submit: number, cpu: number, duration: number, queue = 'work') => job({ id, user, submit, queue, demand: { cpu }, duration, estimate: duration })
    const { recorder } = run({
      cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 4 } }] }), policy: pbsPreempting(greedy(pbsLevels(fifo(), options)), options),
      jobs: [one('low', 'low', 0, 3, 20), one('high', 'high', 5, 3, 20), one('urgent', 'root', 10, 4, 10, 'urgent')],
    })
    expect(recorder.ends.map(({ job: id, started, stopped }) => `${id} ${started} to ${stopped}`)).toEqual(['low 0 to 5', 'high 5 to 10', 'urgent 10 to 20', 'low 20 to 35', 'high 35 to 50'])
  })
})
