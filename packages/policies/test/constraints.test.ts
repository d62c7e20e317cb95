import type { Constraints, JobSpec, Plug } from '@sched/core'
import { conservative, easy, fattened, fifo, greedy, replan, strict } from '@sched/policies'
import { cluster, instantCluster, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { readyDisciplines } from './ready-disciplines.js'

const labelled: NonNullable<Parameters<typeof cluster>[0]>['nodes'] = [
  { name: 'plain', count: 2, resources: { cpu: 2 } },
  { name: 't4', count: 2, resources: { cpu: 2 }, labels: { model: 'T4' } },
]
const job = (id: string, constraints: Constraints | undefined, { submit = 0, tasks = 2, gang = false, duration = 10 } = {}): JobSpec => ({
  id, submit, estimate: 10, stages: [{ name: 's', tasks, gang, demand: { cpu: 1 }, duration, ...(constraints !== undefined && { constraints }) }],
})
const T4 = { require: { model: 'T4' } }

const policies: Readonly<Record<string, () => Plug<'policy'>>> = {
  ...readyDisciplines,
  'replan, nodes named': () => replan(fifo(), { nodes: 'named' }),
  'easy, nodes named': () => easy(fifo(), { nodes: 'named' }),
  'conservative, nodes named': () => conservative(fifo(), { nodes: 'named' }),
}
const planned: Readonly<Record<string, () => Plug<'policy'>>> = {
  easy: () => easy(),
  conservative: () => conservative(),
  fattened: () => fattened(),
  'replan with counted nodes': () => replan(),
  'strict with windows': () => strict(fifo(), { windows: [{ from: 100, to: 110, demand: 'all' }] }),
}

describe.each(Object.entries(policies))('%s', (_, policy) => {
  it.each([true, false])('starts tasks only where labels allow them, and apart where they must be (heartbeats: %s)', (beats) => {
    const description = (beats ? cluster : instantCluster)({ nodes: labelled })
    const { recorder } = run({ cluster: description, policy: policy(), jobs: [job('a', T4, { tasks: 6 }), job('b', { distinctNodes: true }, { tasks: 5 }), job('c', undefined, { tasks: 5 })] })
    expect(recorder.launches.filter((each) => each.job === 'a').map(({ node }) => node).every((node) => node.startsWith('t4'))).toBe(true)
    const ends = new Map(recorder.events.flatMap((event) => (event.kind === 'end' && event.job === 'b' ? [[event.task, event.time] as const] : [])))
    for (const one of recorder.launches.filter((each) => each.job === 'b'))
      for (const other of recorder.launches.filter((each) => each.job === 'b' && each.task > one.task && each.node === one.node))
        expect(Math.max(one.time, other.time)).toBeGreaterThanOrEqual(Math.min(ends.get(one.task)!, ends.get(other.task)!))
    expect(recorder.launches.length).toBe(16)
  })
})

describe.each(Object.entries(policies))('%s', (_, policy) => {
  it.each([true, false])('keeps tasks off nodes with taints that they do not tolerate (heartbeats: %s)', (beats) => {
    const open = { open: 'true' }
    const launched = (hasTaints: boolean) => {
      const gpu = { name: 'gpu', count: 2, resources: { cpu: 2 }, ...(hasTaints && { taints: [{ key: 'gpu', effect: 'NoSchedule' as const }] }) }
      const nodes = [{ name: 'plain', count: 2, resources: { cpu: 2 }, labels: open }, gpu]
      const tolerant: Constraints = hasTaints ? { tolerations: [{ key: 'gpu', operator: 'Exists' }] } : {}
      const others = hasTaints ? [undefined, { tolerations: [{ key: 'other' }] }] : [{ require: open }, { require: open }]
      const jobs = [job('a', tolerant, { tasks: 6 }), job('b', others[0], { tasks: 6 }), job('c', others[1], { tasks: 3 })]
      return run({ cluster: (beats ? cluster : instantCluster)({ nodes }), policy: policy(), jobs }).recorder.launches
    }
    const launches = launched(true)
    expect(launches.filter((each) => each.job !== 'a' && each.node.startsWith('gpu'))).toEqual([])
    expect(launches.length).toBe(15)
    expect(launches).toEqual(launched(false)) // labels that stand for them come to the same
  })
})

describe.each(Object.entries(planned))('%s', (name, policy) => {
  it('refuses a job that requires labels, since amounts of the whole cluster say nothing of its nodes', () => {
    expect(() => run({ cluster: instantCluster({ nodes: labelled }), policy: policy(), jobs: [job('a', T4)] })).toThrow(
      new RegExp(`policy: job a may run on some nodes only, by labels that it requires, by taints, or since its virtual cluster needs larger ones, and ${name} plans by amounts over the whole cluster. Use \`replan\``),
    )
  })

  it('keeps tasks of a job on different nodes all the same', () => {
    const { recorder } = run({ cluster: instantCluster({ nodes: labelled }), policy: policy(), jobs: [job('a', { distinctNodes: true }, { tasks: 4, gang: true })] })
    expect(new Set(recorder.launches.map(({ node }) => node)).size).toBe(4)
  })
})

it('rejects at submission what no node can host, and the run goes on', () => {
  const reasons: string[] = []
  const { recorder } = run({
    cluster: instantCluster({ nodes: labelled }),
    policy: greedy(fifo()),
    infeasible: 'reject',
    observers: [{ onReject: (_spec, reason) => void reasons.push(reason) }],
    jobs: [job('a', { require: { model: 'H100' } }), job('b', T4)],
  })
  expect(reasons).toEqual(['job a requires model = H100, which no node of cluster has (model: T4)'])
  expect(Object.keys(recorder.finishes())).toEqual(['b'])
})
