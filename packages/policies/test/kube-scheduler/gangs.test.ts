import { dispatcher } from '@sched/cluster'
import { None, type NodeId, type Plug } from '@sched/core'
import { kubeScheduler, type KubeSchedulerOptions } from '@sched/policies'
import { checkPolicyLaws, instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

/** Each task goes to the next node with room after the one before, as in kube-scheduler's own tests. */
const inTurn = (): Plug<'placement'> => ({
  kind: 'placement', name: 'in-turn',
  create: () => {
    let next = 0
    return {
      pick: (id, round) => {
        const { nodes } = round.cluster
        for (let i = 0; i < nodes; i++) {
          const node = ((next + i) % nodes) as NodeId
          if (!round.fits(id, node)) continue
          next = node + 1
          return node
        }
        return None
      },
    }
  },
})

const [low, mid, high] = [0, 100, 1000]
/** Where each task of what runs is, from node 1 on: of several that are a gang, unless it says how many must run at once. */
type Held = readonly [id: string, priority: number, on: readonly number[], options?: { readonly size?: number; readonly least?: number; readonly app?: string }]
/** Tasks of a gang, of which so many must start at once. */
type Group = readonly [priority: number, tasks: number, least: number, size?: number]

/** Who goes for the gang from nodes of so much room, and how many of its tasks start; those that run have started one after the other. */
function preempt(nodes: readonly number[], held: readonly Held[], [priority, tasks, least, size = 1]: Group, options: KubeSchedulerOptions = { workloadAwarePreemption: true }) {
  const master = dispatcher({ cluster: instantCluster({ nodes: nodes.map((room, i) => ({ name: `n${i + 1}`, count: 1, resources: { room } })) }), policy: kubeScheduler(options, inTurn()) })
  for (const [now, [id, own, on, { size: each = 1, least: must = on.length, app = '' } = {}]] of held.entries()) {
    master.submit({ ...job({ id, priority: own }), tags: { app }, stages: [{ name: 's', tasks: on.length, gang: on.length > 1, ...(must < on.length && { minTasks: must }), demand: { room: each }, duration: 99 }] }, now)
    for (const [task, node] of on.entries()) master.adopt({ job: id, stage: 0, task, node: `n${node}-0` }, now)
  }
  master.submit({ ...job({ id: 'p', priority }), stages: [{ name: 's', tasks, gang: tasks > 1, ...(least < tasks && { minTasks: least }), demand: { room: size }, duration: 99 }] }, 10)
  const { start, kill } = master.pass(10)
  return [start.filter((each) => each.job === 'p').length, kill.map((each) => each.job).sort().join(' ')]
}

describe('whom a gang preempts, by cases of TestPodGroupEvaluator_Preempt_Victims', () => {
  const ones = (count: number): number[] => Array.from({ length: count }, () => 1)
  // there gangs of one task are groups, too: here one task more of each stands on a node of its own
  it.each<[string, readonly number[], readonly Held[], Group, [number, string]]>([
    ['of equal tasks the later ones, and no more than must', [3], [['p1', low, [1]], ['p2', low, [1]], ['p3', low, [1]]], [high, 2, 2], [2, 'p2 p3']],
    ['the lower priority, and none of its own', [3], [['p1', low, [1]], ['p2', mid, [1]], ['p3', high, [1]]], [high, 2, 2], [2, 'p1 p2']],
    ['a gang that is in the way whole', [1, 1, 1], [['g', low, [1, 2]], ['p3', high, [3]]], [high, 2, 2], [2, 'g g']],
    ['a gang that is in the way on one of its nodes whole', [2, 1], [['g', low, [1, 2]]], [high, 2, 2], [2, 'g g']],
    ['single tasks before a gang', [4], [['p1', low, [1]], ['p2', low, [1]], ['g', low, [1, 1]]], [high, 2, 2], [2, 'p1 p2']],
    ['a gang before single tasks of a higher priority', [4], [['g', low, [1, 1]], ['p1', mid, [1]], ['p2', mid, [1]]], [high, 2, 2], [2, 'g g']],
    [
      'whom it leaves no room where it starts, of tasks and others beside it (complex mixed)',
      [2, 1, 2, 2, 2],
      [['p3', low, [3]], ['p2', low, [2]], ['p1', low, [1]], ['p4', mid, [4]], ['p5', high, [5]]],
      [high, 5, 5],
      [5, 'p2'],
    ],
    ['nobody of a higher priority', [1, 1], [['p1', high, [1]], ['p2', high, [2]]], [mid, 2, 2], [0, '']],
    ['nobody of its own priority', [1, 1], [['p1', mid, [1]], ['p2', mid, [2]]], [mid, 2, 2], [0, '']],
    ['for as many tasks as there is room for without those of its priority, if its minimum is among them', ones(4), [['p1', low, [1]], ['p2', low, [2]], ['p3', high, [3]], ['p4', high, [4]]], [high, 3, 1], [2, 'p1 p2']],
    ['a gang though its minimum would start without', ones(3), [['g', mid, [1, 2]], ['p3', low, [3]]], [high, 3, 1], [3, 'g g p3']],
    ['one gang, of which it needs the room, and not the other of its priority', ones(4), [['g1', mid, [1, 2]], ['g2', high, [3, 4]]], [high, 3, 1], [2, 'g1 g1']],
    ['the large one, for which there is no room beside both of its tasks', [10], [['v1', 10, [1]], ['v2', 20, [1]], ['v3', 30, [1]], ['v4', 40, [1], { size: 6 }]], [high, 2, 2, 3], [2, 'v4']],
  ])('%s', (_, nodes, held, group, expected) => {
    expect(preempt(nodes, held, group)).toEqual(expected)
  })
  it.each<[string, number, number | `${number}%`, readonly Held[], [without: string, budget: string]]>([
    ['whose budgets allow it', 3, 0, [['n1', low, [1]], ['n2', low, [1]], ['v', low, [1], { app: 'foo' }]], ['n2 v', 'n1 n2']],
    ['whose budgets allow it, rather than of a lower priority', 3, 0, [['n1', mid, [1]], ['n2', mid, [1]], ['v', low, [1], { app: 'foo' }]], ['n2 v', 'n1 n2']],
    ['of a lower priority where no budget allows it', 3, 0, [['v1', low, [1], { app: 'foo' }], ['v2', mid, [1], { app: 'foo' }], ['v3', mid, [1], { app: 'foo' }]], ['v1 v3', 'v1 v3']],
    ['that are single, rather than a gang of which one must not', 4, 1, [['g', low, [1, 1], { app: 'foo' }], ['p1', mid, [1]], ['p2', mid, [1]]], ['g g', 'p1 p2']],
    ['of a gang of which all may', 4, '100%', [['g', low, [1, 1], { app: 'foo' }], ['p1', mid, [1]], ['p2', mid, [1]]], ['g g', 'g g']],
  ])('those %s (PDB)', (_, room, maxUnavailable, held, [without, budget]) => {
    const taken = (options: KubeSchedulerOptions) => preempt([room], held, [high, 2, 2], { workloadAwarePreemption: true, ...options })
    expect(taken({})).toEqual([2, without])
    expect(taken({ disruptionBudgets: [{ of: { tags: { app: 'foo' } }, maxUnavailable }] })).toEqual([2, budget])
  })
  it('what a gang can do without before the gang, and with it', () => {
    const elastic: Held = ['g', low, [1, 1, 1], { least: 2 }]
    expect(preempt([4], [elastic], [high, 2, 2])).toEqual([2, 'g'])
    expect(preempt([4], [elastic], [high, 3, 3])).toEqual([3, 'g g g'])
  })
  it('nobody for priorities that never preempt', () => {
    expect(preempt([2], [['p1', low, [1]]], [high, 2, 2], { workloadAwarePreemption: true, never: [high] })).toEqual([0, ''])
  })
})

describe('workloadAwarePreemption', () => {
  it('has a gang start where it would if all of lower priorities were gone: without, each of its tasks looks for the node where the least important go', () => {
    const held: Held[] = [['old', mid, [1]], ['new', low, [2]], ['newer', low, [3]]]
    expect(preempt([1, 1, 1], held, [high, 2, 2])).toEqual([2, 'new old'])
    expect(preempt([1, 1, 1], held, [high, 2, 2], {})).toEqual([2, 'new newer'])
  })
  it('has a task see that a gang is larger than what of it is on the node', () => {
    const held: Held[] = [['p3', low, [3]], ['g', low, [1, 2]]]
    expect(preempt([1, 1, 1], held, [high, 1, 1])).toEqual([1, 'p3'])
    expect(preempt([1, 1, 1], held, [high, 1, 1], {})).toEqual([1, 'g g'])
  })
  it('keeps the laws of policies', { tags: 'long' }, () => {
    const { evictions } = checkPolicyLaws(() => kubeScheduler({ workloadAwarePreemption: true }), { runs: 40, seed: 3, worlds: { gangs: true, outages: true, failures: true } })
    expect(evictions).toBeGreaterThan(10)
  })
})
