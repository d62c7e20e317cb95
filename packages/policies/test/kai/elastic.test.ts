import { dispatcher } from '@sched/cluster'
import { kaiPreempting, type KaiOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'

// Cases of the KAI Scheduler's own tests of elastic jobs, of which so many tasks must run at once (allocateElastic_test.go, reclaimElastic_test.go, preemptElastic_test.go,
// and of whole nodes preempt_recorded_victims_test.go and reclaim_recorded_victims_test.go), on one node of so many GPUs.

/** A job: its name (of which the part before `_` is its queue), GPUs of a task, tasks, how many must run at once, priority. */
type Load = readonly [id: string, gpus: number, tasks?: number, least?: number, priority?: number]
type Queues = NonNullable<KaiOptions['queues']>
const [train, inference] = [50, 75]
const deserves = (quota: number, overQuotaWeight = 1): Queues[string] => ({ resources: { gpu: { quota, overQuotaWeight } } })
const named = (tasks: readonly { readonly job: string; readonly task: number }[]) => tasks.map((each) => `${each.job}-${each.task}`).sort()

/** What is started, of the last ones, and taken, of those before, when jobs come one after the other and the last ones together. */
function come(gpus: number, queues: Queues, before: readonly Load[], last: readonly Load[]) {
  const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { gpu: gpus } }] }), policy: kaiPreempting({ ties: 'submission', queues }) })
  let now = 0
  const submit = ([id, gpu, tasks = 1, least = tasks, priority = train]: Load) =>
    void master.submit(job({ id, queue: id.split('_')[0] as string, tasks, gang: true, minTasks: least, priority, demand: { gpu } }), now)
  for (const load of before) {
    submit(load)
    expect(master.pass(++now).start).toHaveLength(load[2] ?? 1)
  }
  now++
  for (const load of last) submit(load)
  const { start, kill } = master.pass(now)
  return { started: named(start), killed: named(kill) }
}

describe('allocation (TestHandleElasticAllocation)', () => {
  it.each<[string, number, readonly Load[], readonly string[]]>([
    ['all of a job', 2, [['q_0', 1, 2, 1]], ['q_0-0', 'q_0-1']],
    ['a part of it', 1, [['q_0', 1, 2, 1]], ['q_0-0']],
    ['all of one and a part of another', 5, [['q_0', 1, 3, 1], ['q_1', 1, 3, 1]], ['q_0-0', 'q_0-1', 'q_0-2', 'q_1-0', 'q_1-1']],
    ['a part of two', 5, [['q_0', 1, 4, 1], ['q_1', 1, 4, 1]], ['q_0-0', 'q_0-1', 'q_0-2', 'q_1-0', 'q_1-1']],
  ])('starts %s', (_, gpus, loads, started) => {
    expect(come(gpus, { q: deserves(gpus) }, [], loads)).toEqual({ started, killed: [] })
  })
})

describe('of two jobs the first is (TestJobOrderFn of the plug-in elastic)', () => {
  type Job = readonly [runs: number, least: number]
  /** Who has the one place that is free, where both have one more task than run. */
  const next = (...jobs: readonly [Job, Job]) => {
    const running = jobs[0][0] + jobs[1][0]
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { gpu: running + 1 } }] }), policy: kaiPreempting({ ties: 'submission', queues: { q: deserves(running + 1) } }) })
    for (const [i, [runs, least]] of jobs.entries()) {
      master.submit(job({ id: `${i}`, queue: 'q', tasks: runs + 1, gang: true, minTasks: Math.min(least, runs + 1), demand: { gpu: 1 } }), i)
      for (let task = 0; task < runs; task++) master.adopt({ job: `${i}`, stage: 0, task, node: 'node-0' }, i)
    }
    return master.pass(2).start.map((each) => each.job).join()
  }
  it.each<[string, Job, Job, string]>([
    ['who came first, if both have their minimum', [1, 1], [1, 1], '0'],
    ['or both more', [2, 1], [3, 2], '0'],
    ['who has none', [1, 1], [0, 1], '1'],
    ['who has less than its minimum, before one that has it', [2, 2], [1, 2], '1'],
    ['and before one that has more', [3, 2], [1, 2], '1'],
    ['who has its minimum, before one that has more', [2, 1], [1, 1], '1'],
  ])('%s', (_, first, second, expected) => {
    expect(next(first, second)).toBe(expected)
    if (expected === '1') expect(next(second, first)).toBe('0')
  })
})

describe('reclaim (TestHandleElasticReclaim)', () => {
  it.each<[string, number, readonly [number, number], readonly [number, number], readonly Load[], Load, readonly string[]]>([
    ['one task', 2, [1, 1], [1, 1], [['a_0', 1, 2, 1]], ['b_0', 1], ['a_0-1']],
    ['several tasks', 4, [1, 1], [1, 1], [['a_0', 1, 4, 1]], ['b_0', 2], ['a_0-2', 'a_0-3']],
    ['only what is over quota', 2, [1, 0], [1, 0], [['a_0', 1, 2, 1]], ['b_0', 1, 3, 1], ['a_0-1']],
    ['all tasks', 2, [0, 0], [2, 1], [['a_0', 1, 2, 1]], ['b_0', 2], ['a_0-0', 'a_0-1']],
    ['a job and one task of another', 3, [0, 0], [3, 1], [['a_0', 1, 2, 1], ['a_1', 1]], ['b_0', 2], ['a_0-1', 'a_1-0']],
    ['tasks of several jobs', 4, [0, 0], [2, 1], [['a_0', 1, 2, 1], ['a_1', 1, 2, 1]], ['b_0', 2], ['a_0-1', 'a_1-1']],
    ['several jobs, one of them elastic', 3, [0, 0], [3, 1], [['a_0', 1, 2, 1], ['a_1', 1]], ['b_0', 3], ['a_0-0', 'a_0-1', 'a_1-0']],
    ['a job for an elastic one', 2, [0, 0], [1, 1], [['a_0', 2]], ['b_0', 1, 2, 1], ['a_0-0']],
    ['nothing within the quota', 3, [2, 1], [2, 1], [['a_0', 1, 3, 2]], ['b_0', 2], []],
  ])('takes %s', (_, gpus, a, b, running, incoming, killed) => {
    const found = come(gpus, { a: deserves(...a), b: deserves(...b) }, running, [incoming])
    expect(found.killed).toEqual(killed)
    expect(found.started.includes(`${incoming[0]}-0`)).toBe(killed.length > 0)
  })
})

describe('preemption (TestHandlePreemptElastic)', () => {
  it.each<[string, number, readonly Load[], Load, readonly string[]]>([
    ['one task', 2, [['q_0', 1, 2, 1]], ['q_in', 1, 1, 1, inference], ['q_0-1']],
    ['several tasks', 4, [['q_0', 1, 4, 1]], ['q_in', 2, 1, 1, inference], ['q_0-2', 'q_0-3']],
    ['all tasks', 2, [['q_0', 1, 2, 1]], ['q_in', 2, 1, 1, inference], ['q_0-0', 'q_0-1']],
    ['a job and one task of another', 3, [['q_0', 1, 2, 1], ['q_1', 1]], ['q_in', 2, 1, 1, inference], ['q_0-1', 'q_1-0']],
    ['one task of each of several jobs', 4, [['q_0', 1, 2, 1], ['q_1', 1, 2, 1]], ['q_in', 2, 1, 1, inference], ['q_0-1', 'q_1-1']],
    ['several jobs, one of them elastic', 4, [['q_0', 1], ['q_1', 1, 2, 1], ['q_2', 1]], ['q_in', 4, 1, 1, inference], ['q_0-0', 'q_1-0', 'q_1-1', 'q_2-0']],
    ['a job for an elastic one', 2, [['q_0', 2]], ['q_in', 1, 2, 1, inference], ['q_0-0']],
  ])('takes %s', (_, gpus, running, incoming, killed) => {
    const found = come(gpus, { q: deserves(gpus) }, running, [incoming])
    expect(found.killed).toEqual(killed)
    expect(found.started).toContain('q_in-0')
  })
})

describe('tasks of an elastic job that fills nodes', () => {
  /** Nodes that lose tasks of it to a gang of whole nodes, as often as they do, and those where that starts; two tasks of the job are on each. */
  const taken = (nodes: number, gang: number, queues: Queues, [own, other]: readonly [string, string], priority: number) => {
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: nodes, resources: { gpu: 8 } }] }), policy: kaiPreempting({ ties: 'submission', queues }, firstNode()) })
    master.submit(job({ id: 'elastic', queue: own, tasks: 2 * nodes, gang: true, minTasks: 1, priority: train, demand: { gpu: 4 } }), 0)
    expect(master.pass(0).start).toHaveLength(2 * nodes)
    master.submit(job({ id: 'gang', queue: other, tasks: gang, gang: true, priority, demand: { gpu: 8 } }), 1)
    const { start, kill } = master.pass(1)
    const on = (tasks: typeof start) => tasks.map(({ node }) => node).sort()
    return { lose: on(kill), start: on(start.filter((each) => each.job === 'gang')) }
  }
  const sizes = [[4, 2], [6, 3], [8, 4], [8, 8]] as const
  const whole = (nodes: readonly string[]) => nodes.flatMap((node) => [node, node])
  it.each(sizes)('are taken two by two where a gang of their queue starts: of %i nodes on %i (TestPreemptEvictsEachVictimOnce)', (nodes, gang) => {
    const { lose, start } = taken(nodes, gang, { q: deserves(8 * gang) }, ['q', 'q'], inference)
    expect(start).toHaveLength(gang)
    expect(lose).toEqual(whole(start))
  })
  it.each(sizes)('are taken two by two where a gang of another queue starts: of %i nodes on %i (TestReclaimEvictsEachVictimOnce)', (nodes, gang) => {
    const { lose, start } = taken(nodes, gang, { a: deserves(0, 0), b: deserves(0, 1) }, ['a', 'b'], train)
    expect(start).toHaveLength(gang)
    expect(lose).toEqual(whole(start))
  })
})
