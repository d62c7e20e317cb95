import { randomStream } from '@sched/core'
import { fifo, greedy, pbsLevels, pbsPreempting } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { pbsCycles, type PbsWorld } from './reference/pbs.js'
import { softOf } from './soft-limits-of.js'

const levels = [
  [['express_queue'], ['normal_jobs']],
  [['express_queue'], ['normal_jobs'], ['queue_softlimits'], ['server_softlimits']],
  [['express_queue'], ['server_softlimits', 'queue_softlimits'], ['normal_jobs'], ['server_softlimits']],
  [['express_queue'], ['normal_jobs'], ['express_queue', 'server_softlimits'], ['queue_softlimits']],
]

function worldOf(seed: number): PbsWorld {
  const random = randomStream(seed, 'pbs')
  const draw = (from: number, to: number) => from + Math.floor(random() * (to - from + 1))
  const oneOf = <T>(of: readonly T[]) => of[draw(0, of.length - 1)] as T
  const soft = () => ({ run: draw(0, 3), ncpus: draw(2, 8) })
  const jobs = Array.from({ length: draw(4, 25) }, (_, i) => ({
    id: `j${i}`, submit: draw(0, 60), user: oneOf(['ann', 'bob', 'cy']), queue: oneOf(['work', 'work', 'other', 'fast', 'urgent']), ncpus: draw(1, 4), foo: Math.max(0, draw(-2, 1)), walltime: draw(3, 30),
  }))
  return {
    jobs: jobs.sort((a, b) => a.submit - b.submit), ncpus: draw(4, 8), foo: draw(1, 3), method: oneOf(['R', 'D'] as const), youngestFirst: random() < 0.5, sparesNew: true,
    priorities: { fast: 150, urgent: 200 }, levels: oneOf(levels), soft: { ...(random() < 0.6 && { server: soft() }), ...(random() < 0.6 && { work: soft() }) },
  }
}

/** The same with hard limits, which all jobs could meet by themselves. */
function limitedWorldOf(seed: number): PbsWorld {
  const random = randomStream(seed, 'pbs hard limits')
  const hard = () => ({ run: 1 + Math.floor(random() * 3), ncpus: 4 + Math.floor(random() * 4) })
  return { ...worldOf(seed), hard: { ...(random() < 0.6 && { server: hard() }), ...(random() < 0.6 && { work: hard() }), ...(random() < 0.4 && { urgent: hard() }) } }
}

function simulated({ jobs, ncpus, foo, method, youngestFirst, priorities, levels: all, soft, hard = {} }: PbsWorld) {
  const limits = (scope: string) => {
    const [found, most] = [soft[scope], hard[scope]]
    return {
      ...(found && { max_run_soft: `[u:PBS_GENERIC=${found.run}]`, max_run_res_soft: { ncpus: `[u:PBS_GENERIC=${found.ncpus}]` } }),
      ...(most && { max_run: `[u:PBS_GENERIC=${most.run}]`, max_run_res: { ncpus: `[u:PBS_GENERIC=${most.ncpus}]` } }),
    }
  }
  const options = {
    preempt_prio: all.map((each) => each.join(' + ')).join(', '),
    server: limits('server'),
    queues: Object.fromEntries(['work', ...Object.keys(priorities)].map((name) => [name, { Priority: priorities[name] ?? 0, ...limits(name) }])),
  }
  const { recorder } = run({
    cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: ncpus } }] }),
    jobs: jobs.map(({ id, submit, user, queue, ncpus: cpu, foo: licence, walltime }) => job({ id, submit, user, queue, demand: { cpu }, duration: walltime, estimate: walltime, licenses: { foo: licence } })),
    policy: pbsPreempting(greedy(pbsLevels(fifo(), softOf(options))), { ...options, preempt_order: method, preempt_sort: youngestFirst ? 'min_time_since_start' : '', resources_available: { foo } }),
  })
  const ran: Record<string, [number, number][]> = {}
  for (const { job: id, started, stopped } of recorder.ends) (ran[id] ??= []).push([started, stopped])
  return ran
}

describe('pbs-preempting over greedy and pbs-levels', () => {
  it('runs the same jobs at the same times as cycles in which everything is computed anew', { tags: 'long' }, () => {
    let preempted = 0
    const differ: number[] = []
    for (let seed = 0; seed < 800; seed++) {
      const world = worldOf(seed)
      const expected = pbsCycles(world)
      preempted += Object.values(expected).filter((pieces) => pieces.length > 1).length
      if (JSON.stringify(sorted(simulated(world))) !== JSON.stringify(sorted(expected))) differ.push(seed)
    }
    expect(differ).toEqual([])
    expect(preempted).toBeGreaterThan(100)
  })

  it('does so under hard limits, too, for which jobs take the place of others', { tags: 'long' }, () => {
    let preempted = 0
    const differ: number[] = []
    for (let seed = 0; seed < 800; seed++) {
      const world = limitedWorldOf(seed)
      const expected = pbsCycles(world)
      preempted += Object.values(expected).filter((pieces) => pieces.length > 1).length
      if (JSON.stringify(sorted(simulated(world))) !== JSON.stringify(sorted(expected))) differ.push(seed)
    }
    expect(differ).toEqual([])
    expect(preempted).toBeGreaterThan(100)
  })
})

const sorted = (ran: Readonly<Record<string, unknown>>) => Object.entries(ran).sort(([a], [b]) => (a < b ? -1 : 1))
