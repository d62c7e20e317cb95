import type { Demand } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { kubeScores, weighted, type KubeScoresOptions } from '../src/index.js'
import { Play } from './world.js'

// What kube-scheduler counts as it comes; cases of its own tests (least_allocated_test.go, balanced_allocation_test.go).

const pair = (small: Demand, large: Demand) => ({ nodes: [['small', small], ['large', large]].map(([name, resources]) => ({ name: name as string, count: 1, resources: resources as Demand })) })
const chosen = (options: KubeScoresOptions, cluster: ReturnType<typeof pair>, used: readonly Demand[], asked: Demand) => {
  const play = new Play(cluster, kubeScores(options))
  for (const [node, demand] of used.entries()) if (Object.keys(demand).length > 0) play.use(node, demand)
  return play.places(1, asked)[0]
}

describe('kube-scores', () => {
  const gpus = pair({ cpu: 100, mem: 100, gpu: 8 }, { cpu: 100, mem: 100, gpu: 8 })
  const used = [{ cpu: 10, mem: 10 }, { cpu: 1, mem: 1, gpu: 7 }]
  const all = ['cpu', 'mem', 'gpu']

  it.each<[string, KubeScoresOptions, string]>([
    // (80 + 80) / 2 = 80 against (89 + 89) / 2 = 89, both in balance
    ['counts CPUs and memory alone', {}, 'large-0'],
    // (80 + 80 + 87) / 3 = 82 and 75, 96 after 95, against (89 + 89 + 0) / 3 = 59 and 74, 58 after 59
    ['counts others where they are named', { resources: { cpu: 1, mem: 1, gpu: 1 }, balanced: all }, 'small-0'],
    // 82 against 59, both in balance by CPUs and memory
    ['counts others where they are named, apart for the balance', { resources: { cpu: 1, mem: 1, gpu: 1 } }, 'small-0'],
    // 80 and 75 against 89 and 74; 80 and 96 against 89 and 58 before Kubernetes 1.36
    ['goes by how much the task improves the balance', { balanced: all }, 'large-0'],
    ['balances others where they are named', { balanced: all, balance: 'outcome' }, 'small-0'],
    // (60 x 80 + 87) / 61 = 80 against (60 x 89 + 0) / 61 = 87
    ['weighs resources', { resources: { cpu: 60, gpu: 1 } }, 'large-0'],
    // 87 against 0
    ['counts those alone that are named', { resources: { gpu: 1 } }, 'small-0'],
  ])('%s', (_, options, expected) => {
    expect(chosen(options, gpus, used, { cpu: 10, mem: 10, gpu: 1 })).toBe(expected)
  })

  it.each<[string, KubeScoresOptions, ReturnType<typeof pair>, readonly Demand[], Demand, string]>([
    // TestLeastAllocatedScoringStrategy, beside the balance: 37 + 68 against 50 + 75; (25 + 2 x 50) / 3 = 41 and 68 against 50 and 75
    ['nothing scheduled, resources requested, differently sized nodes', {}, pair({ cpu: 4000, memory: 10000 }, { cpu: 6000, memory: 10000 }), [], { cpu: 3000, memory: 5000 }, 'large-0'],
    ['with different weight on CPU and memory', { resources: { memory: 2, cpu: 1 } }, pair({ cpu: 4000, mem: 0, memory: 10000 }, { cpu: 6000, mem: 0, memory: 10000 }), [], { cpu: 3000, memory: 5000 }, 'large-0'],
    // (50 + 50 + 50) / 3 = 50 against (50 + 50 + 80) / 3 = 60
    ['honor extended resource if the pod requests', { resources: { cpu: 1, mem: 1, 'abc.com/xyz': 1 } }, pair({ cpu: 6000, mem: 10000, 'abc.com/xyz': 4 }, { cpu: 6000, mem: 10000, 'abc.com/xyz': 10 }), [], { cpu: 3000, mem: 5000, 'abc.com/xyz': 2 }, 'large-0'],
    // 85 against 80; with their balance, which says nothing of a pod that asks for no CPUs and no memory, it would be 85 + 85 against 80 + 100 before Kubernetes 1.36
    ['does not balance for pods that ask for nothing of what is balanced (kubernetes#129138)', {}, gpus, [{ cpu: 30 }, { cpu: 20, mem: 20 }], { gpu: 1 }, 'small-0'],
  ])('%s', (_, options, cluster, before, asked, expected) => {
    expect(chosen(options, cluster, before, asked)).toBe(expected)
  })

  it('counts all where nodes have neither CPUs nor memory, or one of them, as it is called', () => {
    const place = (resources: Demand, before: Demand) => chosen({}, pair(resources, resources), [before, {}], { [Object.keys(resources)[0] as string]: 1 })
    expect(place({ slots: 4, gpu: 4 }, { gpu: 3 })).toBe('large-0')
    expect(place({ cpu: 4, gpu: 4 }, { gpu: 3 })).toBe('small-0')
    expect(place({ memory: 4, gpu: 4 }, { memory: 1 })).toBe('large-0')
  })

  it.each([['improvement', 'balance-improvement'], ['outcome', 'balanced-allocation']] as const)('is weighted with the weights of the default plug-ins, the balance by %s', (balance, score) => {
    const scores = { 'least-allocated': 1, [score]: 1, 'taint-toleration': 3, 'inter-pod-affinity': 2, 'pod-topology-spread': 2, 'node-affinity': 2 }
    const places = [kubeScores({ balance }), weighted({ scores, resourceWeights: { gpu: 0 } })].map((plug) => {
      const play = new Play({ nodes: [{ name: 'n', count: 5, resources: { cpu: 8, mem: 13, gpu: 4 } }] }, plug)
      return [...play.places(6, { cpu: 2, mem: 1, gpu: 1 }), ...play.places(6, { cpu: 1, mem: 4 })]
    })
    expect(places[0]).toEqual(places[1])
  })

  it.each<[KubeScoresOptions, string]>([
    [{ resources: { gpus: 1 } }, 'kube-scores.resources.gpus'],
    [{ balanced: ['gpus'] }, 'kube-scores.balanced.gpus'],
    [{ resources: { gpu: 0 } }, 'gpu'],
    [{ resources: { gpu: 101 } }, 'gpu'],
  ])('refuses resources that are not there, and weights that kube-scheduler refuses: %o', (options, expected) => {
    expect(() => chosen(options, gpus, [], { cpu: 1 })).toThrow(expected)
  })
})
