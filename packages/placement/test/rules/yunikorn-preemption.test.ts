import { dispatcher } from '@sched/cluster'
import type { PlacementRule } from '@sched/core'
import { yunikornPreempting } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { weighted } from '../../src/index.js'

const apart: PlacementRule = { kind: 'antiAffinity', of: { tags: { app: 'foo' } }, over: 'node' }

/** On nodes of so many CPUs tasks of queue `a` run, the first ones with the tag; then a job of `b` waits that must not be beside those. */
function take(cpus: readonly number[], running: readonly (readonly [node: number, app: string])[], gang: number) {
  const cluster = instantCluster({ nodes: cpus.map((cpu, i) => ({ name: `n${i}`, count: 1, resources: { cpu }, labels: { host: `${i}` } })) })
  const policy = yunikornPreempting({ root: { queues: { a: {}, b: { guaranteed: { cpu: 2 }, preemptionDelay: 5 } } }, reservations: false }, weighted({ scores: { 'least-allocated': 1 } }))
  const master = dispatcher({ cluster, policy })
  for (const [i, [node, app]] of running.entries()) {
    master.submit({ ...job({ id: `a${i}`, queue: 'a' }), tags: { app }, stages: [{ name: 's', tasks: 1, demand: { cpu: 1 }, duration: 999, constraints: { require: { host: `${node}` } } }] }, i)
    expect(master.pass(i).start).toHaveLength(1)
  }
  master.submit({ ...job({ id: 'b', queue: 'b' }), placementRules: [apart], stages: [{ name: 's', tasks: gang, gang: gang > 1, demand: { cpu: 1 }, duration: 999 }] }, 50)
  expect(master.pass(50).start).toEqual([])
  const { start, kill } = master.pass(90)
  return [start.map(({ node }) => node).sort(), kill.map((each) => each.job).sort()]
}

describe('who takes the places of others in queues of YuniKorn heeds rules about other tasks', () => {
  const full = [[0, 'foo'], [1, 'bar'], [1, 'bar'], [0, 'bar']] as const
  it('passes a node on which somebody stays who keeps it off', () => {
    expect(take([2, 2], full, 1)).toEqual([['n1-0'], ['a2']])
    expect(take([2, 2], full, 2)).toEqual([['n1-0', 'n1-0'], ['a1', 'a2']])
  })
  it('takes the one who keeps it off', () => {
    expect(take([1], [[0, 'foo']], 1)).toEqual([['n0-0'], ['a0']])
  })
  it('waits beside free room on the only node', () => {
    expect(take([3], [[0, 'foo']], 1)).toEqual([[], []])
  })
})
