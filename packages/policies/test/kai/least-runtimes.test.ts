import { dispatcher } from '@sched/cluster'
import { kaiPreempting, type KaiOptions } from '@sched/policies'
import { instantCluster, job, run, type JobChange } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'

// Cases of KAI's own tests (minruntime_test.go, resolver_test.go), and the example of its page docs/plugins/minruntime.md, on a node of so many GPUs.

type Queues = NonNullable<KaiOptions['queues']>
const due = (quota = 0): Queues[string] => ({ resources: { gpu: { quota } } })

/** Whose tasks are taken when `taker` comes to jobs that started at 0, after so many seconds. */
function taken(options: KaiOptions, victims: JobChange[], taker: JobChange, after: number) {
  const gpu = victims.reduce((sum, { tasks = 1 }) => sum + tasks, 0)
  const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { gpu } }] }), policy: kaiPreempting(options, firstNode()) })
  const come = (spec: JobChange, now: number) => master.submit(job({ demand: { gpu: 1 }, ...spec }), now)
  for (const each of victims) come(each, 0)
  expect(master.pass(0).start).toHaveLength(gpu)
  come(taker, after)
  return master.pass(after).kill.map((each) => each.job)
}

describe('jobs run for a while before they are taken', () => {
  const pair: Queues = { a: { ...due(), preemptMinRuntime: 15, reclaimMinRuntime: 35 }, b: due(1) }

  it('by more important ones of their queue, and for longer by other queues', () => {
    const preempts = (after: number) => taken({ queues: pair }, [{ id: 'v', queue: 'a' }], { id: 'in', queue: 'a', priority: 1 }, after)
    expect([preempts(10), preempts(14.9), preempts(15), preempts(30)]).toEqual([[], [], ['v'], ['v']])
    const reclaims = (after: number) => taken({ queues: pair }, [{ id: 'v', queue: 'a' }], { id: 'in', queue: 'b' }, after)
    expect([reclaims(20), reclaims(40)]).toEqual([[], ['v']])
  })

  it('but for those of their tasks that they can do without', () => {
    const elastic = { id: 'v', queue: 'a', tasks: 3, gang: true, minTasks: 2 }
    const preempts = (tasks: number, after: number) => taken({ queues: pair }, [elastic], { id: 'in', queue: 'a', priority: 1, tasks, gang: tasks > 1 }, after)
    expect([preempts(1, 10), preempts(2, 10), preempts(2, 20)]).toEqual([['v'], [], ['v', 'v', 'v']])
  })

  it('as long as defaults say where no queue does, or the next around it that does', () => {
    const preempts = (queues: Queues, after: number) => taken({ queues, defaultPreemptMinRuntime: 5 }, [{ id: 'v', queue: 'team.a' }], { id: 'in', queue: 'team.a', priority: 1 }, after)
    const team = { ...due(), preemptMinRuntime: 20 }
    expect([preempts({}, 4), preempts({}, 5), preempts({ team }, 19), preempts({ team }, 20), preempts({ team, 'team.a': { preemptMinRuntime: 0 } }, 1)]).toEqual([[], ['v'], [], ['v'], ['v']])
  })

  // A > B (600) > C > leaf1 (0), leaf2 (180); B > D (60) > leaf3
  const tree: Queues = {
    'A.B': { ...due(9), reclaimMinRuntime: 600 }, 'A.B.C': due(1), 'A.B.C.leaf1': { ...due(), reclaimMinRuntime: 0 }, 'A.B.C.leaf2': { ...due(), reclaimMinRuntime: 180 },
    'A.B.D': { ...due(1), reclaimMinRuntime: 60 }, 'A.B.D.leaf3': due(), A: due(9),
  }
  const [leaf1, leaf2, leaf3] = ['A.B.C.leaf1', 'A.B.C.leaf2', 'A.B.D.leaf3'] as const
  it.each<[string, string, number, number]>([[leaf1, leaf2, 180, 180], [leaf2, leaf1, 0, 0], [leaf3, leaf1, 0, 600], [leaf3, leaf2, 180, 600], [leaf1, leaf3, 60, 60], [leaf2, leaf3, 60, 60]])(
    '%s takes of %s after the time of its own queue, or of that which lies beside the taker\'s',
    (taker, victim, byQueue, byLca) => {
      const queues: Queues = { ...tree, [taker]: { ...tree[taker], ...due(1) } }
      const after = (seconds: number, method: 'lca' | 'queue') => taken({ queues, reclaimResolveMethod: method }, [{ id: 'v1', queue: victim }, { id: 'v2', queue: victim }], { id: 'in', queue: taker }, seconds).length
      for (const [method, least] of [['queue', byQueue], ['lca', byLca]] as const) expect([method, after(Math.max(1, least), method), least === 0 ? 0 : after(least - 1, method)]).toEqual([method, 1, 0])
    },
  )

  const times = (preemptMinRuntime?: number, reclaimMinRuntime?: number): Queues[string] =>
    ({ ...due(), ...(preemptMinRuntime !== undefined && { preemptMinRuntime }), ...(reclaimMinRuntime !== undefined && { reclaimMinRuntime }) })
  const teams: Queues = {
    dev: times(5, 10), 'dev.one': times(undefined, 8), 'dev.two': times(3), prod: times(20, 30), 'prod.one': times(undefined, 25), 'prod.two': times(15, 35),
    research: times(4, 6), 'research.project': times(7, 9), other: due(), 'other.leaf': due(),
  }
  const defaults = { defaultPreemptMinRuntime: 2, defaultReclaimMinRuntime: 1 }
  it.each([['prod.two', 15], ['prod.one', 20], ['dev.one', 5], ['dev.two', 3], ['research.project', 7], ['other.leaf', 2]])('%s for %d s before its own more important ones (getPreemptMinRuntime)', (queue, least) => {
    const after = (seconds: number) => taken({ ...defaults, queues: teams }, [{ id: 'v', queue }], { id: 'in', queue, priority: 1 }, seconds)
    expect([after(least - 0.5), after(least)]).toEqual([[], ['v']])
  })
  it.each([
    ['dev.one', 'prod.two', 35, 30], ['dev.two', 'dev.one', 8, 8], ['dev.one', 'dev.two', 10, 10], ['prod.one', 'prod.two', 35, 35], ['dev.one', 'research.project', 9, 6], ['dev.one', 'other.leaf', 1, 1],
  ])('for %s those of %s, by its own time or by that of where they part (getReclaimMinRuntime)', (taker, victim, byQueue, byLca) => {
    const around = taker.split('.')[0] as string
    const queues: Queues = { ...teams, [around]: { ...teams[around], ...due(1) }, [taker]: { ...teams[taker], ...due(1) } }
    const after = (seconds: number, reclaimResolveMethod: 'lca' | 'queue') => taken({ ...defaults, queues, reclaimResolveMethod }, [{ id: 'v', queue: victim }], { id: 'in', queue: taker }, seconds)
    for (const [method, least] of [['queue', byQueue], ['lca', byLca]] as const) expect([method, after(least - 0.5, method), after(least, method)]).toEqual([method, [], ['v']])
  })

  it('and are taken then, though nothing else happens', () => {
    const jobs = [job({ id: 'v', queue: 'a', duration: 100, demand: { gpu: 1 } }), job({ id: 'in', queue: 'b', submit: 10, duration: 5, demand: { gpu: 1 } })]
    const { recorder } = run({ policy: kaiPreempting({ queues: pair }), cluster: instantCluster({ nodes: [{ count: 1, resources: { gpu: 1 } }] }), jobs })
    expect(recorder.events.flatMap((each) => (each.kind === 'launch' ? [`${each.time} ${each.job}`] : []))).toEqual(['0 v', '35 in', '40 v'])
  })
})
