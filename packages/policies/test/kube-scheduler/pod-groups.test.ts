import { dispatcher } from '@sched/cluster'
import { kubeScheduler, type KubeSchedulerOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'

// Whole runs of kube-scheduler's own tests: preemption/podgroup/podgrouppreemption_test.go, preemption/preemption_test.go (test/integration/scheduler).

/** Tasks with the node of each, from 1 on; a gang where there are several. */
type Held = readonly [id: string, priority: number, on: readonly number[], size?: number, app?: string]
/** Tasks of a gang, each of this size, of which so many must start at once. */
type Group = readonly [priority: number, tasks: number, least: number, size?: number]

function world(nodes: readonly number[], options: KubeSchedulerOptions, held: readonly Held[]) {
  const master = dispatcher({ cluster: instantCluster({ nodes: nodes.map((room, i) => ({ name: `n${i + 1}`, count: 1, resources: { room }, labels: { host: `${i + 1}` } })) }), policy: kubeScheduler(options, firstNode()) })
  for (const [now, [id, priority, on, size = 1, app = '']] of held.entries()) {
    master.submit({ ...job({ id, priority }), tags: { app }, stages: [{ name: 's', tasks: on.length, gang: on.length > 1, demand: { room: size }, duration: 99 }] }, now)
    for (const [task, node] of on.entries()) master.adopt({ job: id, stage: 0, task, node: `n${node}-0` }, now)
  }
  return master
}
/** How many tasks of the group start, and whose go for them. */
function preempt(nodes: readonly number[], held: readonly Held[], [priority, tasks, least, size = 1]: Group, options: KubeSchedulerOptions = {}) {
  const master = world(nodes, { workloadAwarePreemption: true, ...options }, held)
  master.submit({ ...job({ id: 'in', priority }), stages: [{ name: 's', tasks, gang: tasks > 1, ...(least < tasks && { minTasks: least }), demand: { room: size }, duration: 99 }] }, 10)
  const { start, kill } = master.pass(10)
  return [start.filter((each) => each.job === 'in').length, kill.map((each) => each.job).sort().join(' ')]
}

describe('a group of pods (TestPodGroupPreemption)', () => {
  const low: Held[] = [['low1', 10, [1]], ['low2', 10, [1]], ['low3', 10, [1]]]
  it.each<[string, readonly number[], readonly Held[], Group, KubeSchedulerOptions, [number, string]]>([
    ['takes all places of a node (Full PodGroup Preemption)', [3], low, [100, 3, 3], {}, [3, 'low1 low2 low3']],
    ['leaves those who are not in its way (Partial Preemption)', [2, 2], [['low1', 10, [1], 2], ['low2', 10, [2]]], [100, 3, 3], {}, [3, 'low1']],
    [
      'takes whom no budget keeps (PDB Violation Handling)', [6], [['low1', 10, [1], 2, 'foo'], ['low2', 10, [1], 2, 'foo'], ['low3', 10, [1], 2]], [100, 2, 2],
      { disruptionBudgets: [{ of: { tags: { app: 'foo' } }, minAvailable: 2 }] }, [2, 'low3'],
    ],
    ['takes on several nodes (Multi-node Preemption)', [2, 2], [['low1', 10, [1]], ['low2', 10, [1]], ['low3', 10, [2]], ['low4', 10, [2]]], [100, 4, 4], {}, [4, 'low1 low2 low3 low4']],
    ['takes nobody where that is not enough (Insufficient Resources)', [3], [['mid', 500, [1]], ['low1', 10, [1]], ['low2', 10, [1]]], [100, 3, 3], {}, [0, '']],
    ['takes the lower priority (Priority-based Victim Selection)', [3], [['mid', 50, [1]], ['low1', 10, [1]], ['low2', 10, [1]]], [100, 2, 2], {}, [2, 'low1 low2']],
    ['goes whole for a single pod (Preempt the whole PodGroup)', [3], [['group', 10, [1, 1, 1]]], [100, 1, 1], {}, [1, 'group group group']],
    ['takes no group of higher priority', [1, 1, 1, 1], [['p1', 10, [1]], ['p2', 10, [2]], ['p3', 200, [3]], ['p4', 200, [4]]], [100, 3, 2], {}, [2, 'p1 p2']],
    ['lets no group of lower priority stay for which it would start with less', [1, 1, 1], [['group', 50, [1, 2]], ['v3', 10, [3]]], [100, 3, 3], {}, [3, 'group group v3']],
    ['takes a group though not all of its own start', [1, 1, 1, 1], [['group', 50, [1, 2]], ['higher', 200, [3, 4]]], [100, 3, 2], {}, [2, 'group group']],
    ['takes nobody with PreemptNever', [3], low, [100, 3, 3], { never: [100] }, [0, '']],
    ['takes one beside an empty node (preemption with node resources)', [2, 2], [['initial', 10, [1], 2]], [100, 2, 2, 2], {}, [2, 'initial']],
  ])('%s', (_, nodes, held, group, options, expected) => {
    expect(preempt(nodes, held, group, options)).toEqual(expected)
  })
  it('lets the pod of higher priority stay where one of two has room (prioritizes reprieval of higher priority pods)', () => {
    const master = world([2, 2], { workloadAwarePreemption: true }, [['initial1', 5, [1]], ['initial2', 10, [1]]])
    const on = (host: string) => ({ name: `on${host}`, tasks: 1, gang: true, demand: { room: 1 }, duration: 99, constraints: { require: { host } } })
    master.submit({ ...job({ id: 'in', priority: 100 }), gang: true, stages: [on('1'), on('2')] }, 10)
    const { start, kill } = master.pass(10)
    expect([start.length, kill.map((each) => each.job)]).toEqual([2, ['initial1']])
  })
  it('takes nobody else where another stands in the way of its shares of devices alone', () => {
    const nodes = [1, 2].map((node) => ({ name: `n${node}`, count: 1, resources: {}, devices: { gpu: { count: 2, milli: 1000 } } }))
    const master = dispatcher({ cluster: instantCluster({ nodes }), policy: kubeScheduler({ workloadAwarePreemption: true }, firstNode()) })
    const submit = (id: string, priority: number, ...gpus: readonly number[]) =>
      master.submit({ ...job({ id, priority }), gang: gpus.length > 1, stages: gpus.map((gpu, i) => ({ name: `${i}`, tasks: 1, gang: true, demand: { gpu }, duration: 99 })) }, 0)
    // 300 of the second device of node 1, and all of node 2, by `other`, whom nobody needs
    for (const [id, gpu] of [['full', 1000], ['small', 300], ['other', 2000]] as const) {
      submit(id, 10, gpu)
      expect(master.pass(0).start).toHaveLength(1)
    }
    submit('in', 100, 400, 600, 600)
    const { start, kill } = master.pass(1)
    expect([start.map((each) => each.node), kill.map((each) => each.job).sort()]).toEqual([['n1-0', 'n1-0', 'n1-0'], ['full', 'small']])
  })
  it('starts what has room before it takes anybody for the rest of its pods (Binding first before preemption)', () => {
    const master = world([4], { workloadAwarePreemption: true }, [])
    const submit = (id: string, priority: number, tasks: number, minTasks?: number) =>
      master.submit({ ...job({ id, priority }), stages: [{ name: 's', tasks, ...(minTasks !== undefined && { gang: true, minTasks }), demand: { room: 1 }, duration: 99 }] }, 0)
    submit('low', 10, 1)
    submit('group', 100, 4, 2)
    master.adopt({ job: 'low', stage: 0, task: 0, node: 'n1-0' }, 0)
    for (const task of [0, 1]) master.adopt({ job: 'group', stage: 0, task, node: 'n1-0' }, 0)
    const { start, kill } = master.pass(1)
    expect([start.map((each) => each.job), kill.map((each) => each.job)]).toEqual([['group', 'group'], ['low']])
  })
})

describe('groups and pods in one queue (TestPodGroupInterleaving)', () => {
  /** Who starts on a node with room for 4, of jobs that come one after the other before anybody is looked at. */
  const started = (jobs: readonly (readonly [id: string, priority: number, tasks: number, size?: number])[]) => {
    const master = world([4], { workloadAwarePreemption: true }, [])
    for (const [now, [id, priority, tasks, size = 1]] of jobs.entries()) master.submit({ ...job({ id, priority }), stages: [{ name: 's', tasks, gang: tasks > 1, demand: { room: size }, duration: 99 }] }, now)
    return master.pass(10).start.map((each) => each.job).join(' ')
  }
  it.each<[string, Parameters<typeof started>[0], string]>([
    ['a pod of higher priority comes before a group', [['group', 10, 3], ['high', 100, 1, 2]], 'high'],
    ['a group of higher priority before pods', [['s1', 10, 1], ['s2', 10, 1], ['group', 100, 3]], 'group group group s1'],
    ['a pod before a newer group', [['s1', 10, 1, 2], ['group', 10, 3]], 's1'],
    ['a group before newer pods', [['group', 10, 3], ['s1', 10, 1], ['s2', 10, 1]], 'group group group s1'],
  ])('%s', (_, jobs, expected) => {
    expect(started(jobs)).toBe(expected)
  })
  it('a group whose pods are complete later takes the place of a pod of lower priority', () => {
    const master = world([4], { workloadAwarePreemption: true }, [])
    master.submit(job({ id: 'low', priority: 10, demand: { room: 2 } }), 0)
    expect(master.pass(0).start).toHaveLength(1)
    master.submit({ ...job({ id: 'group', priority: 100 }), stages: [{ name: 's', tasks: 3, gang: true, demand: { room: 1 }, duration: 99 }] }, 1)
    const { start, kill } = master.pass(1)
    expect([start.length, kill.map((each) => each.job)]).toEqual([3, ['low']])
  })
})

describe('a pod', () => {
  /** Who goes for it, and on which node it starts. */
  const taken = (nodes: readonly number[], held: readonly Held[], size: number, options: KubeSchedulerOptions = {}) => {
    const master = world(nodes, options, held)
    master.submit(job({ id: 'in', priority: 300, demand: { room: size } }), 10)
    const { start, kill } = master.pass(10)
    return [start.map((each) => each.node.replace('-0', '')).join(), kill.map((each) => each.job).sort().join(' ')]
  }
  const keeping = (...apps: string[]): KubeSchedulerOptions => ({ disruptionBudgets: apps.map((app) => ({ of: { tags: { app } }, minAvailable: 2 })) })
  it.each<[string, readonly number[], readonly Held[], number, KubeSchedulerOptions, [string, string]]>([
    ['basic pod preemption', [500], [['victim', 100, [1], 400]], 300, {}, ['n1', 'victim']],
    ['a non-PDB violating pod is preempted despite its higher priority', [5], [['low1', 100, [1], 1, 'foo'], ['low2', 100, [1], 1, 'foo'], ['mid', 200, [1]]], 3, keeping('foo'), ['n1', 'mid']],
    ['a node without any PDB violating pods is preferred for preemption', [5, 5], [['low', 100, [1], 1, 'foo'], ['mid', 200, [2]]], 5, keeping('foo'), ['n2', 'mid']],
    [
      'a node with fewer PDB violating pods is preferred for preemption', [5, 5, 5],
      [['low1', 100, [1], 1, 'a'], ['mid1', 200, [1]], ['low2', 100, [2], 1, 'b'], ['mid2', 200, [2], 1, 'b'], ['low4', 100, [3], 1, 'b'], ['low5', 100, [3], 1, 'b'], ['low6', 100, [3], 1, 'b']],
      5, keeping('a', 'b'), ['n3', 'low4 low5 low6'],
    ],
  ])('%s (TestPreemption, TestPDBInPreemption)', (_, nodes, held, size, options, expected) => {
    expect(taken(nodes, held, size, options)).toEqual(expected)
  })
  it('starts in the place of others, before all that wait for it (TestPreemptionStarvation, TestPreemptionRaces)', () => {
    const small = (id: string) => job({ id, priority: 200, demand: { room: 1 } })
    const master = world([5], {}, Array.from({ length: 5 }, (_, i): Held => [`r${i}`, 200, [1]]))
    for (let i = 0; i < 5; i++) master.submit(small(`p${i}`), 6)
    expect(master.pass(6).start).toEqual([])
    master.submit(job({ id: 'in', priority: 300, demand: { room: 3 } }), 7)
    for (let i = 5; i < 25; i++) master.submit(small(`p${i}`), 7)
    const { start, kill } = master.pass(7)
    expect([start.map((each) => each.job), kill.map((each) => each.job).sort()]).toEqual([['in'], ['r2', 'r3', 'r4']])
    expect(master.pass(8).start).toEqual([])
  })
  it('of high priority takes the place of one that has just taken it (TestNominatedNodeCleanUp)', () => {
    const master = world([5], {}, [1, 2, 3, 4].map((i): Held => [`low${i}`, 100, [1]]))
    const come = (id: string, priority: number, room: number, now: number) => {
      master.submit(job({ id, priority, demand: { room } }), now)
      return master.pass(now)
    }
    expect(come('medium', 200, 4, 10).kill.map((each) => each.job)).toEqual(['low2', 'low3', 'low4'])
    const { start, kill } = come('high', 300, 3, 11)
    // beside it there is room for one of those that went before; there they are not made anew
    expect([start.map((each) => each.job), kill.map((each) => each.job)]).toEqual([['high', 'low2'], ['medium']])
  })
})
