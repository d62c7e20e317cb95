import { buildCluster, type ClusterDescription } from '@sched/cluster'
import type { JobSpec, Plug } from '@sched/core'
import { delay, easy, fair, fifo, greedy, preempting } from '@sched/policies'
import { checkPolicyLaws, cluster, instantCluster, job, mapReduceJob, run, worlds, type RunOptions, type World } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bayesComm, bayesCommPolicy, trainBayes, type BayesCommOptions, type BayesModel, type Plan } from '../src/index.js'

/** A model that says the same of every plan. */
function always(isActive: boolean, racks: number, nodes: number): BayesModel {
  const plan: Plan = Array.from({ length: racks }, () => Array.from({ length: nodes }, () => 1))
  const model = trainBayes([{ plan, isActive: true }, { plan, isActive: false }], { kind: 'bernoulli' })
  const { C0, C1 } = model.classes
  const [sure, unlikely] = [0.999, 0.001]
  return { ...model, classes: { C0: { ...C0, prior: isActive ? unlikely : sure }, C1: { ...C1, prior: isActive ? sure : unlikely } } } as BayesModel
}

const active = always(true, 2, 2)
const lazy = always(false, 2, 2)

/** Where the tasks of each stage of a job started, as node numbers in order of their start. */
function places(options: Omit<RunOptions, 'policy'> & { readonly policy?: Plug<'policy'> }, bayes: BayesCommOptions, id = 'job') {
  const { policy = greedy(fifo()), ...rest } = options
  const { recorder } = run({ ...rest, policy: bayesComm(policy, bayes) })
  const launches = recorder.launches.filter((launch) => launch.job === id)
  return [0, 1].map((stage) => launches.filter((launch) => launch.stage === stage).map(({ node, time }) => ({ node: Number(node.split('-').at(-1)), time })))
}
const nodesOf = (launches: readonly { readonly node: number }[] | undefined) => launches?.map(({ node }) => node).sort() ?? []

/** 2 racks of 2 nodes with 2 map slots and 1 reduce slot each; nodes 0 and 1 are rack 0. */
const instant = instantCluster()

describe('bayes-comm', () => {
  it('puts all tasks of an active job on one rack, in waves where there is no room, and its reducers too', () => {
    const [maps = [], reduces = []] = places({ cluster: instant, jobs: [mapReduceJob(6, 4)] }, { model: active, rackChoice: 'mostFree' })
    expect(nodesOf(maps)).toEqual([0, 0, 0, 1, 1, 1]) // equal speeds: 3 and 3 on 2 slots each
    expect(maps.map(({ time }) => time)).toEqual([0, 0, 0, 0, 10, 10])
    expect(nodesOf(reduces)).toEqual([0, 0, 1, 1])
  })

  it('keeps the plan of a lazy job', () => {
    expect(nodesOf(places({ cluster: instant, jobs: [mapReduceJob(6, 4)] }, { model: lazy })[0])).toEqual([0, 0, 1, 1, 2, 2])
  })

  it('divides an active job over the rack by performance: node 3 is three times as good as node 2', () => {
    const performance = { 'node-0': 1, 'node-1': 1, 'node-2': 1, 'node-3': 3 }
    const jobs = [job({ id: 'first', tasks: 4, duration: 1000 }), job({ tasks: 8 })] // nodes 0 and 1 are full
    expect(nodesOf(places({ cluster: instant, jobs }, { model: active, rackChoice: 'mostFree', performance })[0])).toEqual([2, 2, 3, 3, 3, 3, 3, 3])
  })

  it('goes by the speed of nodes unless performance is given', () => {
    const nodes = [{ name: 'slow', count: 1, racks: ['r0'], slots: { map: 9 } }, { name: 'fast', count: 1, racks: ['r0'], slots: { map: 9 }, speed: 2 }]
    const launches = run({ cluster: instantCluster({ nodes }), jobs: [job({ tasks: 9 })], policy: bayesComm(greedy(fifo()), { model: always(true, 1, 2) }) }).recorder.launches
    expect(launches.map(({ node }) => node.split('-')[0]).sort()).toEqual([...Array.from({ length: 6 }, () => 'fast'), ...Array.from({ length: 3 }, () => 'slow')])
  })

  it('lets other jobs have the nodes that a moved job leaves', () => {
    const jobs = [job({ tasks: 8 }), job({ id: 'next', tasks: 1 })]
    const options: BayesCommOptions = { model: active, rackChoice: 'mostFree' }
    expect(places({ cluster: instant, jobs }, options)[0]?.map(({ time }) => time)).toEqual([0, 0, 0, 0, 10, 10, 10, 10])
    expect(places({ cluster: instant, jobs }, options, 'next')[0]).toEqual([{ node: 2, time: 0 }])
  })

  it('chooses any rack, the same on the same seed', () => {
    const rackOn = (seed: number) => nodesOf(places({ cluster: instant, jobs: [job({ tasks: 2 })], seed }, { model: active })[0])
    const racks = Array.from({ length: 12 }, (_, seed) => rackOn(seed))
    expect(racks).toEqual(Array.from({ length: 12 }, (_, seed) => rackOn(seed)))
    expect(new Set(racks.map(String))).toEqual(new Set(['0,1', '2,3']))
  })

  it('divides lazy jobs over all nodes on request', () => {
    expect(nodesOf(places({ cluster: instant, jobs: [job({ tasks: 4 })] }, { model: lazy, rebalanceLazy: true })[0])).toEqual([0, 1, 2, 3])
  })

  it('plans at a heartbeat what the other nodes would get as they beat', () => {
    // 4 tasks fill nodes 0 and 1 of rack 0, 8 tasks both racks; the model moves what uses both
    const both: Plan = [[2, 2], [2, 2]]
    const model = trainBayes([{ plan: both, isActive: true }, { plan: both, isActive: true }, { plan: [[2, 2], [0, 0]], isActive: false }, { plan: [[0, 0], [2, 2]], isActive: false }])
    const tasks = (count: number) => nodesOf(places({ cluster: cluster(), jobs: [job({ tasks: count, duration: 100 })] }, { model, rackChoice: 'mostFree' })[0])
    expect(tasks(4)).toEqual([0, 0, 1, 1])
    expect(tasks(8)).toEqual([0, 0, 0, 0, 1, 1, 1, 1])
    expect(nodesOf(places({ cluster: cluster(), jobs: [job({ tasks: 8, duration: 100 })] }, { model, threshold: 0.999_999_9, rackChoice: 'mostFree' })[0])).toEqual([0, 0, 0, 0, 1, 1, 1, 1])
  })

  it('charges moved tasks for the way to their data, or not', () => {
    const data = { hosts: Array.from({ length: 2 }, () => ['node-0']) }
    const jobs = [job({ id: 'first', tasks: 4, duration: 1000 }), job({ tasks: 2, data })] // the first fills rack 0, where the data is
    const lasted = (chargeMapLocality: boolean) => {
      const policy = bayesComm(greedy(fifo()), { model: active, rackChoice: 'mostFree', chargeMapLocality })
      const { ends, launches } = run({ cluster: instant, jobs, policy, runtime: { jitter: 0, localityFactors: [1, 1.7, 2] } }).recorder
      expect(launches.filter((launch) => launch.job === 'job').map(({ node, level }) => [node, level])).toEqual([['node-2', 2], ['node-3', 2]])
      return ends.filter((end) => end.job === 'job').map(({ started, stopped }) => stopped - started)
    }
    expect(lasted(true)).toEqual([20, 20])
    expect(lasted(false)).toEqual([10, 10])
  })

  it('leaves all of a job alone that begins with a gang; one task is none', () => {
    const stage = { name: 'map', demand: { map: 1 }, duration: 10 }
    const options: BayesCommOptions = { model: active, rackChoice: 'mostFree' }
    const gangFirst = job({ stages: [{ ...stage, tasks: 2, gang: true }, { ...stage, name: 'more', tasks: 4, after: [{ stage: 0, fraction: 1 }] }] })
    const [gang, more] = places({ cluster: instant, jobs: [job({ id: 'first', tasks: 3, duration: 1000, gang: true }), gangFirst] }, options)
    expect([nodesOf(gang), nodesOf(more)]).toEqual([[1, 2], [1, 2, 2, 3]]) // moved, the four would be on nodes 2 and 3
    const alone = job({ stages: [{ ...stage, tasks: 1, gang: true }] })
    expect(nodesOf(places({ cluster: instant, jobs: [job({ id: 'first', tasks: 2, duration: 1000, gang: true }), alone] }, options)[0])).toEqual([2])
  })

  it('never moves a gang, nor a job that no rack could hold', () => {
    expect(nodesOf(places({ cluster: instant, jobs: [job({ tasks: 5, gang: true })] }, { model: active })[0])).toEqual([0, 0, 1, 1, 2])
    const nodes = [{ name: 'small', count: 3, racks: ['r0'], resources: { cpu: 1 } }, { name: 'large', count: 1, racks: ['r1'], resources: { cpu: 4 } }]
    const only = run({ cluster: instantCluster({ nodes }), jobs: [job({ tasks: 4, demand: { cpu: 2 } })], policy: bayesComm(greedy(fifo()), { model: always(true, 2, 3) }) })
    expect(new Set(only.recorder.launches.map(({ node }) => node))).toEqual(new Set(['large-0']))
  })
})

describe('bayes-comm on random worlds', () => {
  const modelFor = ({ cluster: description }: { readonly cluster: ClusterDescription }, isActive: boolean) => {
    const racks = [...(buildCluster(description).groups[1] ?? [])]
    const sizes = racks.reduce<number[]>((counts, rack) => ((counts[rack] = (counts[rack] ?? 0) + 1), counts), [])
    return always(isActive, sizes.length, Math.max(...sizes))
  }
  const policies: Readonly<Record<string, () => Plug<'policy'>>> = { greedy: () => greedy(fair()), delay: () => delay(fair()), preempting: () => preempting(greedy(fair()), { fairTimeout: 5, interval: 2 }) }

  it.each(Object.keys(policies))('keeps all laws when all jobs move, over %s', { tags: 'long' }, (name) => {
    const make = (world: World) => bayesComm((policies[name] as () => Plug<'policy'>)(), { model: modelFor(world, true) })
    expect(checkPolicyLaws(make, { runs: 6, skip: { restarts: 'it decides anew which jobs move' } }).launches).toBeGreaterThan(50)
  })

  it.each(Object.keys(policies))('decides as %s alone when no job moves', { tags: 'long' }, (name) => {
    const make = policies[name] as () => Plug<'policy'>
    fc.assert(
      fc.property(worlds(), (world) => {
        const { cluster: description, jobs, seed, runtime } = world
        const events = (policy: Plug<'policy'>) => run({ cluster: description, jobs, seed, runtime, policy, infeasible: 'reject' }).recorder.events
        expect(events(bayesComm(make(), { model: modelFor(world, false) }))).toEqual(events(make()))
      }),
      { seed: 3, numRuns: 8 },
    )
  })

  it('starts tasks of one stage of a moved job on one rack, as many on each node as performance says', () => {
    fc.assert(
      fc.property(worlds(), (world) => {
        const jobs = world.jobs.map(({ stages: [stage], ...rest }): JobSpec => ({ ...rest, stages: [{ ...(stage as JobSpec['stages'][number]), demand: world.cluster.nodes[0]?.slots === undefined ? { cpu: 1 } : { map: 1 } }] }))
        const { recorder } = run({ cluster: world.cluster, jobs, seed: world.seed, policy: bayesComm(greedy(fifo()), { model: modelFor(world, true) }) })
        const { groups, nodeNames } = names(world.cluster)
        for (const { id, stages: [stage] } of jobs) {
          const nodes = recorder.launches.filter((launch) => launch.job === id).map(({ node }) => nodeNames.indexOf(node))
          expect(nodes).toHaveLength(stage?.tasks ?? 0)
          expect(new Set(nodes.map((node) => groups[node])).size).toBe(1)
        }
      }),
      { seed: 5, numRuns: 12 },
    )
  })

  const names = (description: ClusterDescription) => {
    const model = buildCluster(description)
    return { groups: model.groups[1] as Int32Array, nodeNames: model.nodeNames }
  }
})

describe('bad input of bayes-comm', () => {
  const made = (options: object, policy: Plug<'policy'> = greedy(fifo())) => () => run({ cluster: instant, jobs: [job()], policy: bayesCommPolicy.plug({ policy }, options as never) })

  it('is a model of another cluster shape, one that is none, or a path', () => {
    expect(made({ model: always(true, 4, 8) })).toThrow('bayes-comm.model: is of a cluster of 4 racks x 8 nodes, and this one has 2 racks x 2 nodes. Train a model on runs of this cluster.')
    expect(made({ model: { ...active, version: 7 } })).toThrow('bayes-comm.model.version: is 7, and this program reads version 1.')
    expect(made({ model: 'model.json' })).toThrow('bayes-comm.model: is the path "model.json". Give the model itself; only the command line reads files.')
    expect(made({})).toThrow('bayes-comm.model: is missing')
  })

  it('is a policy that promises starts, and performance of an absent node or without one', () => {
    expect(made({ model: active }, easy())).toThrow('bayes-comm.policy: "easy" promises jobs when they start')
    expect(made({ model: active, performance: { node: 1, other: 1 } })).toThrow('bayes-comm.performance: no node is called "other".')
    expect(made({ model: active, performance: { 'node-0': 1 } })).toThrow('bayes-comm.performance: node "node-1" has no weight.')
  })
})
