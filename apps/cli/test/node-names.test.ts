// @module-tag long
import { buildCluster, readCluster } from '@sched/cluster'
import { resolve, SchedError, type ClusterView, type JobId, type JobSpec, type LaneId, type NodeId, type Observer, type Seconds, type TaskId, type WorkView } from '@sched/core'
import { standardMetrics } from '@sched/metrics'
import { Simulation } from '@sched/sim'
import { workloadOf } from '@sched/workload'
import { describe, expect, it } from 'vitest'
import { builtIns } from '../src/registry.js'

const registry = builtIns()

/** Names of nodes, racks, labels, their values, taints, tags and hardware, each kind in its order. */
interface Named {
  readonly nodes: readonly [string, string, string, string]
  readonly racks: readonly [string, string]
  readonly label: string
  readonly values: readonly [string, string]
  readonly taint: string
  readonly tag: string
  readonly hardware: string
}
const plain: Named = { nodes: ['n0', 'n1', 'n2', 'n3'], racks: ['r0', 'r1'], label: 'zone', values: ['a', 'b'], taint: 'old', tag: 'app', hardware: 'part' }
const odd: readonly Named[] = [
  { nodes: ['0', '1', '10', '2'], racks: ['00', '7'], label: '3', values: ['1', '5'], taint: '0', tag: '12', hardware: '4' },
  { nodes: ['constructor', 'hasOwnProperty', 'toString', 'valueOf'], racks: ['constructor', 'toString'], label: 'constructor', values: ['length', 'name'], taint: 'valueOf', tag: 'toString', hardware: 'isPrototypeOf' },
  { nodes: [' ', ' a b', 'a,b;c', 'x'.repeat(5000)], racks: ['all', 'rest'], label: 'a b', values: ['"', '日本'], taint: 'a b', tag: 'é', hardware: '%' },
  { nodes: ['$&', '*', 'n[1-3]', '😀'], racks: ['node', 'rack'], label: 'rack', values: ['*', 'undefined'], taint: '*', tag: '.', hardware: 'NaN' },
]

/** Two racks of two nodes, and jobs that ask for them by name, by label and by what they tolerate, that read data there or keep away from each other. */
function world({ nodes, racks, label, values, taint, tag, hardware }: Named) {
  const groups = racks.map((rack, i) => ({
    count: 2, names: nodes.slice(2 * i, 2 * i + 2), racks: [rack], resources: { cpu: 4, mem: 8 }, labels: { [label]: values[i] as string }, hardware: { [hardware]: 4 + i }, speeds: { [hardware]: 2 - i },
    ...(i === 1 && { taints: [{ key: taint, effect: 'NoSchedule' as const }] }),
  }))
  const asked: readonly Partial<JobSpec['stages'][number]>[] = [
    { constraints: { tolerations: [{ key: taint, operator: 'Exists' }] } }, { constraints: { require: { [label]: [values[0]] } } },
    { constraints: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodes[1]] }] }] } },
    { data: { hosts: [[nodes[1]], [nodes[0]]] } }, { tags: { [tag]: 'x' }, placementRules: [{ kind: 'antiAffinity', of: { tags: { [tag]: 'x' } }, over: `label:${label}` }] }, { topology: { preferred: 1 } },
  ]
  const jobs = asked.flatMap((own, i) => [0, 1].map((again): JobSpec => ({
    id: `job-${i}-${again}`, submit: i + 4 * again, user: ['ann', 'bob'][i % 2] as string, queue: ['a', 'b'][again] as string, estimate: 10, priority: again,
    stages: [{ name: 's', tasks: 2, demand: { cpu: 1 + (i % 2), mem: 2 }, duration: 4 + i, ...own }],
  })))
  return { cluster: readCluster({ nodes: groups }), jobs: jobs.sort((one, other) => one.submit - other.submit) }
}

/** Starts by number of the node, and what is measured of them. */
function played(named: Named, policy: unknown, architecture: unknown): string {
  const { cluster, jobs } = world(named)
  const lines: string[] = []
  let work!: WorkView
  const log: Observer = {
    onRunStart: (start: { readonly cluster: ClusterView; readonly work: WorkView }) => void ({ work } = start),
    onTaskStart: (_task: TaskId, job: JobId, _lane: LaneId, node: NodeId, level: number, now: Seconds) => void lines.push(`${now} ${work.name(job)} on ${node} at ${level}`),
  }
  const metrics = standardMetrics()
  try {
    new Simulation({
      cluster: buildCluster(cluster), workload: workloadOf('jobs', jobs), policy: resolve(registry, 'policy', policy), architecture: resolve(registry, 'architecture', architecture),
      observers: [log, metrics], infeasible: 'reject', runtime: { jitter: 0 },
    }).run()
  } catch (error) {
    if (error instanceof SchedError) return error.code
    throw error
  }
  const { times, locality, utilisation, preemption } = metrics.result()
  return `${lines.join('\n')}\n${JSON.stringify([times, locality, utilisation, preemption])}`
}

const needed: Readonly<Record<string, object>> = { 'skip-delay': { skips: 5 } }
const unnamed = (name: string) => name !== 'node-weight' && name !== 'bayes-comm'
/** Every policy with every placement. */
const policies = registry.list('policy').filter(({ name }) => unnamed(name)).flatMap(({ name, inner }) =>
  ('placement' in inner ? registry.names('placement').filter(unnamed) : [undefined]).map((placement) => ({ [name]: { ...needed[name], ...(placement !== undefined && { placement }) } })))
const byName: readonly ((named: Named) => readonly [policy: unknown, architecture: unknown])[] = [
  ({ nodes: [first, , third] }) => [{ replan: { nodes: 'named', weights: { [first]: 5 }, reservations: [{ name: 'x', from: 3, to: 9, nodes: [third], users: ['ann'] }] } }, 'monolithic'],
  ({ nodes }) => [{ greedy: { placement: { 'node-weight': { weights: Object.fromEntries(nodes.map((node, i) => [node, 1 + ((3 * i) % 4)])) } } } }, 'monolithic'],
  ({ label, values: [a, b] }) => [{ greedy: { placement: { weighted: { labels: { [label]: [a, b] }, scores: { spread: 1 } } } } }, 'monolithic'],
  ({ label, values: [a, b] }) => [{ 'capacity-scheduler': { partitionLabel: label, queues: { a: { capacity: 50, labels: { [a]: { capacity: 40 }, [b]: { capacity: 50 } } }, b: { capacity: 50, labels: { [a]: { capacity: 60 }, [b]: { capacity: 50 } } } } } }, 'monolithic'],
  ({ racks: [rack] }) => ['fifo', { partitioned: { partitions: { one: { nodes: { groups: [rack] }, classes: ['*'] }, two: { nodes: 'rest', classes: ['x'] } } } }],
  ({ nodes: [, second] }) => ['fifo', { partitioned: { partitions: { one: { nodes: { names: [second] }, classes: ['x'] }, two: { nodes: 'rest', classes: ['*'] } } } }],
]

describe('nodes, racks, labels, taints, tags and hardware may have any names', () => {
  it.each(odd.map((named, at) => [named.nodes.join(' ').slice(0, 60), named, at] as const))('such as %s', (_, named, at) => {
    let ran = 0
    // one kind of names for each pair, in turn
    for (const [index, policy] of policies.entries()) {
      if (index % odd.length !== at) continue
      const before = played(plain, policy, 'monolithic')
      if (before.includes(' on ')) ran++
      expect([policy, played(named, policy, 'monolithic')]).toEqual([policy, before])
    }
    expect(ran).toBeGreaterThan(30)
    for (const of of byName) {
      expect(played(plain, ...of(plain))).toContain(' on ')
      expect(played(named, ...of(named))).toBe(played(plain, ...of(plain)))
    }
  })
})
