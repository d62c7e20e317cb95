import { dispatcher } from '@sched/cluster'
import type { JobSpec, StageSpec } from '@sched/core'
import { kaiPreempting } from '@sched/policies'
import { instantCluster } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

// Cases of the KAI Scheduler's own tests of subgroups (allocate_subgroups_test.go, preempt_subgroups_test.go, reclaim_sub_group_test.go, preempt_min_subgroup_test.go): each subgroup is a
// stage of a job that is one gang, and one that is not needed is no gang.

const [train, build] = [50, 100]
/** A subgroup: its tasks, how many of them must run (0: it is not needed), GPUs of a task. */
type Subgroup = readonly [tasks: number, least: number, gpus?: number]
type Load = readonly [id: string, subgroups: readonly Subgroup[], priority?: number, queue?: string]

const stage = ([tasks, least, gpus = 1]: Subgroup, i: number): StageSpec => ({ name: `sub${i}`, tasks, demand: { gpu: gpus }, duration: 100, ...(least > 0 && { gang: true, ...(least < tasks && { minTasks: least }) }) })
const job = ([id, subgroups, priority = train, queue = 'q']: Load): JobSpec => ({ id, submit: 0, queue, priority, ...(subgroups.length > 1 && { gang: true }), stages: subgroups.map(stage) })

/** What is started of the last jobs, as job-subgroup-task, and taken of those before, on one node. */
const come = (gpus: number, before: readonly Load[], ...last: readonly Load[]) => comeTo(gpus, { q: 1 }, before, ...last)

/** The same with queues that deserve so many GPUs. */
function comeTo(gpus: number, quotas: Readonly<Record<string, number>>, before: readonly Load[], ...last: readonly Load[]) {
  const queues = Object.fromEntries(Object.entries(quotas).map(([queue, quota]) => [queue, { resources: { gpu: { quota, overQuotaWeight: 1 } } }]))
  const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { gpu: gpus } }] }), policy: kaiPreempting({ ties: 'submission', queues }) })
  for (const load of before) master.submit(job(load), 0)
  master.pass(0)
  for (const load of last) master.submit(job(load), 1)
  const { start, kill } = master.pass(1)
  const named = (all: readonly { readonly job: string; readonly stage: number; readonly task: number }[]) => all.map((each) => `${each.job}-${each.stage}-${each.task}`).sort()
  return { started: named(start), killed: named(kill) }
}

describe('subgroups of KAI', () => {
  it.each<[string, number, readonly Load[], readonly string[]]>([
    ['all of them', 2, [['a', [[1, 1], [1, 1]]]], ['a-0-0', 'a-1-0']],
    ['what each must have', 2, [['a', [[2, 1], [2, 1]]]], ['a-0-0', 'a-1-0']],
    ['one task more than these must have', 4, [['a', [[5, 2], [2, 1]]]], ['a-0-0', 'a-0-1', 'a-0-2', 'a-1-0']],
    ['those inside others', 8, [['a', [[2, 2], [2, 2], [1, 1, 4]]]], ['a-0-0', 'a-0-1', 'a-1-0', 'a-1-1', 'a-2-0']],
    ['what each must have of two jobs', 4, [['a', [[2, 1], [2, 1]]], ['b', [[2, 1], [2, 1]]]], ['a-0-0', 'a-1-0', 'b-0-0', 'b-1-0']],
  ])('start with %s (TestHandleSubGroupsAllocation)', (_, gpus, loads, started) => {
    expect(come(gpus, [], ...loads)).toEqual({ started, killed: [] })
  })

  it('start not at all where what each must have does not fit together (cannot satisfy sub group gang)', () => {
    expect(come(5, [['other', [[1, 1]]]], ['a', [[2, 1, 3], [2, 2]]])).toEqual({ started: [], killed: [] })
  })

  it('start with those that are needed, and with the others where there is room (minSubGroup: 1)', () => {
    const load: Load = ['a', [[1, 1], [2, 0]]]
    expect([1, 2, 3].map((gpus) => come(gpus, [], load).started)).toEqual([['a-0-0'], ['a-0-0', 'a-1-0'], ['a-0-0', 'a-1-0', 'a-1-1']])
  })

  type Fight = readonly [name: string, gpus: number, victim: readonly Subgroup[], taker: readonly Subgroup[], started: readonly string[], killed: readonly string[]]
  const fights: readonly Fight[] = [
    ['take the place of a gang', 2, [[2, 2]], [[1, 1], [1, 1]], ['in-0-0', 'in-1-0'], ['there-0-0', 'there-0-1']],
    ['take for what each must have alone', 2, [[2, 2]], [[2, 1], [2, 1]], ['in-0-0', 'in-1-0'], ['there-0-0', 'there-0-1']],
    ['give what each can do without', 4, [[2, 1], [2, 1]], [[1, 1, 2]], ['in-0-0'], ['there-0-1', 'there-1-1']],
    ['give all where each has what it must', 4, [[2, 2], [2, 2]], [[1, 1, 2]], ['in-0-0'], ['there-0-0', 'there-0-1', 'there-1-0', 'there-1-1']],
  ]
  it.each(fights)('%s, of lower priority (TestHandlePreemptSubGroups)', (_, gpus, victim, taker, started, killed) => {
    expect(comeTo(gpus, { q: 2 }, [['there', victim]], ['in', taker, build])).toEqual({ started, killed })
  })
  it.each(fights)('%s, of another queue (TestHandleReclaimSubGroups)', (_, gpus, victim, taker, started, killed) => {
    expect(comeTo(gpus, { q: gpus - 2, other: 2 }, [['there', victim]], ['in', taker, train, 'other'])).toEqual({ started, killed })
  })
  it('take nothing where what each must have does not fit together (cannot satisfy sub group gang)', () => {
    const taker: readonly Subgroup[] = [[1, 1, 2], [1, 1, 2]]
    expect(comeTo(4, { q: 4 }, [['there', [[2, 2]]], ['stays', [[1, 1]], build]], ['in', taker, build])).toEqual({ started: [], killed: [] })
    expect(comeTo(4, { q: 0, other: 4 }, [['there', [[2, 2]]], ['stays', [[1, 1]], train, 'other']], ['in', taker, train, 'other'])).toEqual({ started: [], killed: [] })
  })

  it('take no more than those need that must run (TestPreemptMinSubGroupSolvedIntegrationTest)', () => {
    expect(come(1, [['victim', [[1, 1]]]], ['a', [[1, 1], [1, 0]], build])).toEqual({ started: ['a-0-0'], killed: ['victim-0-0'] })
  })
})

it('a gang of which each task asks for a node of its own takes who is there (TestHandleScatteredNodesForGangPreempt)', () => {
  const host = (node: number) => ({ require: { host: `${node}` } })
  const nodes = [0, 1, 2, 3].map((node) => ({ name: `n${node}`, count: 1, resources: { gpu: 1 }, labels: { host: `${node}` } }))
  const master = dispatcher({ cluster: instantCluster({ nodes }), policy: kaiPreempting({ ties: 'submission', queues: { q: { resources: { gpu: { quota: 0, overQuotaWeight: 1 } } } } }) })
  const on = (id: string, priority: number, ...places: readonly number[]): JobSpec => ({ ...job([id, places.map((): Subgroup => [1, 1]), priority]), stages: places.map((node, i) => ({ ...stage([1, 1], i), constraints: host(node) })) })
  for (const node of [3, 2, 1, 0]) {
    master.submit(on(`job-${node}`, train, node), 3 - node)
    expect(master.pass(3 - node).start).toHaveLength(1)
  }
  master.submit(on('in', 75, 1, 3), 4)
  const { start, kill } = master.pass(4)
  expect([start.map((each) => each.node).sort(), kill.map((each) => each.job).sort()]).toEqual([['n1-0', 'n3-0'], ['job-1', 'job-3']])
})
