import { randomStream, type JobId, type NodeId, type ResourceId, type Round, type ShapeId, type TaskId } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { FreeBeside } from '../src/disciplines/free-beside.js'

const [cpu, memory] = [0 as ResourceId, 1 as ResourceId]
const nodes = [0, 1, 2] as NodeId[]

/** Three nodes on which tasks run, of which some leave on paper, and a gang of tasks that asks for room; the shape of a task is its id. */
function world(seed: number) {
  const random = randomStream(seed, 'free beside')
  const below = (most: number) => Math.floor(random() * most)
  const demands = Array.from({ length: 9 }, () => [below(4), below(4)] as const)
  const free = nodes.map(() => [below(4), below(4)] as const)
  const leaving = demands.slice(1).map((_, i) => [i + 1, below(3)] as unknown as readonly [TaskId, NodeId]).filter(() => random() < 0.6)
  const tasks = 1 + below(5)
  const work = {
    isGangJob: () => false, together: () => tasks, shape: () => 0, shapeOf: (task: TaskId) => task,
    demand: (shape: ShapeId, resource: ResourceId) => demands[shape]?.[resource] as number,
  }
  const cluster = { lanes: [{ resources: [cpu, memory] }], free: (node: NodeId, resource: ResourceId) => free[node]?.[resource] as number }
  return { round: { lane: 0, nodes, work, cluster } as unknown as Round, demands, free, leaving, tasks }
}

/** Whether there is room, by putting one task after another where it still fits. */
function hasRoomPlainly({ demands, free, leaving, tasks }: ReturnType<typeof world>, given: readonly ResourceId[]): boolean {
  const left = free.map((amounts) => [...amounts])
  const change = (node: NodeId, shape: number, sign: 1 | -1, of: readonly ResourceId[]) => {
    for (const resource of of) (left[node] as number[])[resource] = (left[node]?.[resource] as number) + sign * (demands[shape]?.[resource] as number)
  }
  for (const [task, node] of leaving) change(node, task, 1, given)
  for (let i = 0; i < tasks; i++) {
    const node = nodes.find((each) => [cpu, memory].every((resource) => (left[each]?.[resource] as number) >= (demands[0]?.[resource] as number)))
    if (node === undefined) return false
    change(node, 0, -1, [cpu, memory])
  }
  return true
}

describe('room on paper', () => {
  it.each([['all that those who leave hold', [cpu, memory]], ['their processors alone', [cpu]]])('is what there is with %s, as found task by task', (_, given) => {
    const outcomes = Array.from({ length: 500 }, (_, seed) => {
      const made = world(seed)
      const paper = new FreeBeside(made.round, given)
      const before = paper.mayHold(0 as JobId)
      for (const place of made.leaving) paper.give(new Map([place]))
      const may = paper.mayHold(0 as JobId)
      expect([seed, before, may]).toEqual([seed, hasRoomPlainly({ ...made, leaving: [] }, given), hasRoomPlainly(made, given)])
      return `${before} ${may}`
    })
    expect(new Set(outcomes)).toEqual(new Set(['true true', 'false true', 'false false']))
  })
})
