import { dispatcher } from '@sched/cluster'
import type { PlacementRule } from '@sched/core'
import { kaiPreempting, type KaiOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { weighted } from '../../src/index.js'

// Cases of the KAI Scheduler's own tests of reclaim and allocate with rules among pods (reclaim_pod_anti_affinity_test.go), on one node.

type Load = readonly [id: string, gpus: number, rules?: readonly PlacementRule[], tags?: Readonly<Record<string, string>>]
const preprocess = { tier: 'preprocess' }
const apart: PlacementRule = { kind: 'antiAffinity', of: { tags: preprocess }, over: 'node' }
const deserves = (quota: number): NonNullable<KaiOptions['queues']>[string] => ({ resources: { gpu: { quota, overQuotaWeight: quota } } })

/** What starts and what goes when the last job comes; the queue of a job is the part of its name before `_`. */
function come(nodes: readonly number[], before: readonly Load[], last: Load) {
  const cluster = instantCluster({ nodes: nodes.map((gpu) => ({ count: 1, resources: { gpu } })) })
  const master = dispatcher({ cluster, policy: kaiPreempting({ ties: 'submission', queues: { q0: deserves(0), q1: deserves(2), q2: deserves(2) } }, weighted({ scores: { 'most-allocated': 1 } })) })
  const submit = ([id, gpu, placementRules = [], tags = {}]: Load, now: number) => {
    master.submit({ ...job({ id, queue: id.split('_')[0] as string, demand: { gpu } }), placementRules, tags }, now)
    return master.pass(now)
  }
  for (const [now, load] of before.entries()) expect(submit(load, now).start).toHaveLength(1)
  const { start, kill } = submit(last, 10)
  return [start.map((each) => each.job), kill.map((each) => each.job)]
}

describe('reclaim for a job that must be apart from who runs (TestReclaimWithRequiredAntiAffinityAgainstVictims)', () => {
  it('takes those from whom it must be apart, and starts in their place', () => {
    expect(come([2], [['q0_0', 1, [], preprocess]], ['q1_in', 2, [apart]])).toEqual([['q1_in'], ['q0_0']])
  })
  it('takes nobody where one stays from whom it must be apart', () => {
    expect(come([3], [['q0_0', 1, [], preprocess], ['q2_0', 1, [], preprocess]], ['q1_in', 2, [apart]])).toEqual([[], []])
  })
  it('takes those from whom it must be apart though there is room', () => {
    expect(come([3], [['q0_0', 1, [], preprocess]], ['q1_in', 2, [apart]])).toEqual([['q1_in'], ['q0_0']])
  })
})
