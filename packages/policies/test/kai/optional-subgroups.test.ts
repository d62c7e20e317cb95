import { dispatcher } from '@sched/cluster'
import type { JobSpec, StageSpec } from '@sched/core'
import { fifo, greedy, kaiPreempting } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

// Cases of the KAI Scheduler's own tests of what of a pod group is evicted (TestGetTasksToEvict_Table, TestGetTasksToEvict_HierarchicalTree), of what of a semi-preemptible one is not (TestGetCoreTasks,
// TestGetCoreRequiredQuota_TreeAware, TestSemiPreemptibleMinNonPreemptibleIntegrationTest): subgroups are stages, those beyond `minSubGroup` are of an optional group.

/** A subgroup: its tasks of one GPU, how many of them must run, the optional group that it is of (`''`: none), how many may not be preempted. */
type Subgroup = readonly [tasks: number, least: number, group?: string, kept?: number]

const stage = ([tasks, least, group = '', kept]: Subgroup, i: number): StageSpec => ({
  name: `sub${i}`, tasks, demand: { gpu: 1 }, duration: 100, gang: true,
  ...(least < tasks && { minTasks: least }), ...(group !== '' && { optionalGroup: group }), ...(kept !== undefined && { minNonPreemptible: kept }),
})
const group = (subgroups: readonly Subgroup[], change: Partial<JobSpec> = {}): JobSpec => ({ ...job({ id: 'there', queue: 'q', priority: 50 }), ...(subgroups.length > 1 && { gang: true }), stages: subgroups.map(stage), ...change })
const named = (all: readonly { readonly stage: number; readonly task: number }[]) => all.map((each) => `${each.stage}-${each.task}`).sort()
const policyWith = (gpu: number) => kaiPreempting({ ties: 'submission', queues: { q: { resources: { gpu: { quota: gpu, overQuotaWeight: 1 } } } } })
const on = (gpus: number, quota = gpus) => dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { gpu: gpus } }] }), policy: policyWith(quota) })

/** What is taken of the only running job, which fills the node, for a more important one of so many GPUs. */
function taken(subgroups: readonly Subgroup[], asked: number, change: Partial<JobSpec> = {}): readonly string[] {
  const all = subgroups.reduce((sum, [tasks]) => sum + tasks, 0)
  const master = on(all)
  master.submit(group(subgroups, change), 1)
  expect(master.pass(1).start).toHaveLength(all)
  master.submit(job({ id: 'in', queue: 'q', priority: 100, demand: { gpu: asked } }), 2)
  const { start, kill } = master.pass(2)
  expect(start).toHaveLength(kill.length > 0 ? 1 : 0)
  return named(kill)
}

describe('of a group of pods goes first', () => {
  it.each<[string, readonly Subgroup[], readonly string[]]>([
    ['one pod that it can do without', [[3, 1]], ['0-2']],
    ['all of it where it can do without none', [[2, 2]], ['0-0', '0-1']],
    ['one pod of a subgroup that has more than it must', [[2, 1], [1, 1]], ['0-1']],
    ['all of it where each subgroup has what it must', [[1, 1], [1, 1]], ['0-0', '1-0']],
    ['one pod of the later subgroup inside another', [[1, 1], [2, 1]], ['1-1']],
    ['a subgroup beyond minSubGroup', [[1, 1], [1, 1, 'b']], ['1-0']],
    ['such a subgroup whole', [[2, 2], [2, 2, 'b']], ['1-0', '1-1']],
    ['one pod, of a subgroup beside others in another', [[2, 1], [1, 1], [1, 1]], ['0-1']],
    ['a subgroup whole with all those inside it', [[1, 1], [1, 1], [1, 1, 'b'], [1, 1, 'b']], ['2-0', '3-0']],
    ['one pod beyond what a subgroup must have, before a subgroup that is not needed', [[2, 1], [1, 1, 'b']], ['0-1']],
  ])('%s', (_, subgroups, expected) => {
    expect(taken(subgroups, 1)).toEqual(expected)
  })

  it('the last of several subgroups that are not needed, and the needed ones last', () => {
    const replicas: readonly Subgroup[] = [[2, 2], [2, 2, 'b'], [2, 2, 'c']]
    expect([2, 4, 6].map((asked) => taken(replicas, asked))).toEqual([['2-0', '2-1'], ['1-0', '1-1', '2-0', '2-1'], ['0-0', '0-1', '1-0', '1-1', '2-0', '2-1']])
  })
})

describe('of a semi-preemptible group stays', () => {
  const lost = (subgroups: readonly Subgroup[], asked: number) => taken(subgroups, asked, { preemptible: 'semi' }).length
  it.each<[string, readonly Subgroup[], number]>([
    ['what it must have', [[4, 2]], 2],
    ['minSubGroup of its subgroups', [[2, 2], [2, 2], [2, 2, 'c'], [2, 2, 'd']], 4],
    ['all of it where minSubGroup is all', [[2, 2], [2, 2], [2, 2], [2, 2]], 0],
    ['all of it without minSubGroup', [[2, 2], [2, 2]], 0],
    ['what each of these subgroups must have', [[3, 1], [3, 1], [3, 1, 'c'], [3, 1, 'd']], 10],
    ['what minNonPreemptible says of subgroups', [[1, 1], [1, 1, 'b', 1], [1, 1, 'c'], [1, 1, 'd']], 2],
    ['what minNonPreemptible says of pods', [[4, 1, '', 3]], 1],
  ])('%s', (_, subgroups, most) => {
    expect(lost(subgroups, most + 1)).toBe(0)
    if (most > 0) expect(lost(subgroups, most)).toBe(most)
  })

  it('a pod of a subgroup that is not needed, though others of it could go, where one of it may not', () => {
    expect([1, 2].map((asked) => lost([[1, 1], [2, 2, 'b', 1]], asked))).toEqual([0, 0])
  })
})

describe('the quota of a queue', () => {
  const started = (quota: number, subgroups: readonly Subgroup[]) => {
    const master = on(8, quota)
    master.submit(group(subgroups, { preemptible: 'semi' }), 1)
    return master.pass(1).start.length
  }
  it('holds for all of a semi-preemptible gang', () => {
    expect(() => started(3, [[2, 2], [2, 2]])).toThrow('a gang asks 4 gpu, and the quota of "q" is 3')
    expect(started(4, [[2, 2], [2, 2]])).toBe(4)
  })
  it('does not for a subgroup beyond minSubGroup', () => {
    expect(started(2, [[2, 2], [2, 2, 'b']])).toBe(4)
  })
  it('does for what minNonPreemptible adds', () => {
    expect([3, 2].map((quota) => started(quota, [[4, 2, '', 3]]))).toEqual([4, 2])
  })
})

describe('subgroups beyond minSubGroup', () => {
  it('start whole or not at all, one after the other', () => {
    const started = (gpus: number) => {
      const master = on(8)
      master.submit(job({ id: 'other', queue: 'q', priority: 50, demand: { gpu: 8 - gpus } }), 0)
      master.pass(0)
      master.submit(group([[1, 1], [2, 2, 'b'], [1, 1, 'c'], [2, 2, 'c']]), 1)
      return named(master.pass(1).start)
    }
    expect([2, 3, 5, 6].map(started)).toEqual([['0-0'], ['0-0', '1-0', '1-1'], ['0-0', '1-0', '1-1'], ['0-0', '1-0', '1-1', '2-0', '3-0', '3-1']])
  })

  it('do so under other policies, too', () => {
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { gpu: 3 } }] }), policy: greedy(fifo()) })
    master.submit(job({ id: 'other', demand: { gpu: 1 } }), 0)
    master.pass(0)
    master.submit(group([[1, 1], [2, 2, 'b']]), 1)
    expect(named(master.pass(1).start)).toEqual(['0-0'])
  })

  it('are refused where they can be no groups', () => {
    const submit = (...stages: readonly StageSpec[]) => () => on(4).submit({ ...job({ id: 'a' }), gang: true, stages }, 1)
    const [needed, other] = [stage([1, 1], 0), stage([1, 1, 'b'], 1)] as const
    expect(submit(other, needed)).toThrow('job a has b, and begins with it.')
    expect(submit(needed, { ...other, gang: false })).toThrow('job a has b, and no gang.')
    expect(submit(other)).toThrow('job a has b, and is not one gang of several stages.')
    expect(submit({ ...needed, minNonPreemptible: 2 }, other)).toThrow('job a has 2.')
  })
})
