import { describe, expect, it } from 'vitest'
import { queuePolicy, readQueues, type VolcanoPolicy } from '../src/index.js'

// How Volcano's configuration scores nodes, and what it keeps on them.

/** Weights of what jobs prefer, as nodeorder comes. */
const preferences = { 'inter-pod-affinity': 2, 'pod-topology-spread': 2, 'node-affinity': 2 }

const facts = { resources: ['cpu', 'mem', 'gpu'], nodes: 4, heartbeat: false, totals: { cpu: 64_000, mem: 262_144, gpu: 8000 } }
const source = (text: string) => ({ file: 'volcano.yaml', text })
const made = (text: string) => queuePolicy(readQueues(source(text)), facts) as VolcanoPolicy

describe('plug-ins of Volcano score nodes', () => {
  const scoring = (plugins: string, resources = facts.resources) => queuePolicy(readQueues(source(`actions: allocate\ntiers:\n- plugins: [${plugins}]\n`)), { ...facts, resources }) as VolcanoPolicy
  const placement = (plugins: string, resources?: readonly string[]) => (scoring(plugins, resources as string[]).policy as { readonly volcano: { readonly placement?: { readonly weighted: object } } }).volcano.placement?.weighted
  const binpack = (args: string) => `{ name: binpack, arguments: { ${args} } }`
  const fit = (args: string) => `{ name: resource-strategy-fit, arguments: { ${args} } }`
  const all = 'binpack.resources: "nvidia.com/gpu, example.com/foo", binpack.resources.nvidia.com/gpu: 7, binpack.resources.example.com/foo: -3'

  it.each<[string, string, object | undefined, (readonly string[])?]>([
    ['by nodeorder, in which GPUs are balanced and no more', '{ name: nodeorder, arguments: { mostrequested.weight: 3 } }', { scores: { 'least-allocated': 1, 'balanced-allocation': 1, 'taint-toleration': 3, ...preferences, 'most-allocated': 3 }, resourceWeightsOf: { 'least-allocated': { gpu: 0 }, 'most-allocated': { gpu: 0 } } }],
    ['by nodeorder on a cluster without GPUs', '{ name: nodeorder }', { scores: { 'least-allocated': 1, 'balanced-allocation': 1, 'taint-toleration': 3, ...preferences } }, ['cpu', 'mem']],
    ['by CPUs and memory, if binpack lists nothing else', '{ name: binpack }', { scores: { 'binpack-percentage': 1 }, resourceWeightsOf: { 'binpack-percentage': { gpu: 0 } } }],
    // binpack_test.go: TestArguments
    ['by weights', binpack(`binpack.weight: 10, binpack.cpu: 5, binpack.memory: 2, ${all}`), { scores: { 'binpack-percentage': 10 }, resourceWeightsOf: { 'binpack-percentage': { gpu: 7, cpu: 5, mem: 2 } } }],
    ['by weights of 1 where they are below 0, or left out', binpack('binpack.cpu: -5, binpack.resources: nvidia.com/gpu'), { scores: { 'binpack-percentage': 1 } }],
    ['by no weight of what is not listed', binpack('binpack.resources.nvidia.com/gpu: 7'), { scores: { 'binpack-percentage': 1 }, resourceWeightsOf: { 'binpack-percentage': { gpu: 0 } } }],
    ['by weights of what the cluster has', binpack(`binpack.memory: 2, ${all}`), { scores: { 'binpack-percentage': 1 } }, ['cpu']],
    ['by nothing of weight 0', binpack('binpack.weight: 0'), undefined],
    // resource_strategy_fit_test.go: Test_calculateWeight
    ['by strategies', fit('resourceStrategyFitWeight: 10, resources: { cpu: { type: MostAllocated, weight: 1 }, memory: { type: LeastAllocated, weight: 2 } }'), { scores: { 'strategy-fit-percentage': 10 }, resourceWeightsOf: { 'strategy-fit-percentage': { mem: 2, gpu: 0 } }, strategies: { cpu: 'most-allocated' } }],
    ['by strategies, without a weight of the plug-in', fit('resources: { cpu: { type: MostAllocated, weight: 1 }, memory: { type: LeastAllocated, weight: 2 } }'), { scores: { 'strategy-fit-percentage': 10 }, resourceWeightsOf: { 'strategy-fit-percentage': { mem: 2, gpu: 0 } }, strategies: { cpu: 'most-allocated' } }],
    ['by CPUs and memory, if no strategies are given', fit('resourceStrategyFitWeight: 3'), { scores: { 'strategy-fit-percentage': 3 }, resourceWeightsOf: { 'strategy-fit-percentage': { gpu: 0 } } }],
    ['by strategies beside nodeorder and binpack', `{ name: binpack }, ${fit('resources: { nvidia.com/gpu: { type: MostAllocated, weight: 2 }, cpu: {} }')}`, { scores: { 'binpack-percentage': 1, 'strategy-fit-percentage': 10 }, resourceWeightsOf: { 'binpack-percentage': { gpu: 0 }, 'strategy-fit-percentage': { mem: 0, gpu: 2 } }, strategies: { gpu: 'most-allocated' } }],
    ['by strategies of what the cluster has', fit('resources: { nvidia.com/gpu: { type: MostAllocated } }'), undefined, ['cpu', 'mem']],
    ['by strategies of names that begin so, but for those that are named', fit('resources: { "nvidia.com/*": { type: MostAllocated, weight: 3 }, nvidia.com/gpu: { weight: 2 }, "m*": { weight: 5 }, "mem*": { weight: 4 } }'), { scores: { 'strategy-fit-percentage': 10 }, resourceWeightsOf: { 'strategy-fit-percentage': { cpu: 0, mem: 4, gpu: 2 } } }],
    // sra_test.go: TestArguments, TestNode
    ['by scarce resources alone', fit('resourceStrategyFitWeight: 0, sra: { enable: true, resources: "nvidia.com/gpu, nvidia.com/a10", weight: 5, resourceWeight: { nvidia.com/gpu: 2 } }'), { scores: { 'scarcity-percentage': 5 }, resourceWeightsOf: { 'scarcity-percentage': { cpu: 0, mem: 0, gpu: 2 } } }],
    ['by scarce resources and strategies', fit('resourceStrategyFitWeight: 8, resources: { cpu: {} }, sra: { enable: true, resources: nvidia.com/gpu, weight: 5, resourceWeight: { nvidia.com/gpu: -2 } }'), { scores: { 'strategy-fit-percentage': 8, 'scarcity-percentage': 5 }, resourceWeightsOf: { 'strategy-fit-percentage': { mem: 0, gpu: 0 }, 'scarcity-percentage': { cpu: 0, mem: 0, gpu: 1 } } }],
    ['by no scarce resources without a weight', fit('resourceStrategyFitWeight: 0, sra: { enable: true, resources: nvidia.com/gpu }'), undefined],
    ['by none that are not enabled', fit('resourceStrategyFitWeight: 0, sra: { resources: nvidia.com/gpu, weight: 5 }'), undefined],
    ['by none on a cluster without them', fit('resourceStrategyFitWeight: 0, sra: { enable: true, resources: nvidia.com/gpu, weight: 5 }'), undefined, ['cpu', 'mem']],
    // in MiB for a thousandth of a GPU: 8 GB are 8 x 10^9 bytes
    ['with what is kept for GPUs', fit('resourceStrategyFitWeight: 0, proportional: { enable: true, resources: nvidia.com/gpu, resourceProportion: { nvidia.com/gpu.cpu: 4, nvidia.com/gpu.memory: 8 } }'), { scores: {}, proportional: { gpu: { cpu: 4, mem: 8e6 / 2 ** 20 } } }],
    ['with 1 where nothing is said, or less than 0', fit('resourceStrategyFitWeight: 0, proportional: { enable: true, resources: nvidia.com/gpu, resourceProportion: { nvidia.com/gpu.cpu: -4 } }'), { scores: {}, proportional: { gpu: { cpu: 1, mem: 1e6 / 2 ** 20 } } }],
    ['with what predicates keeps for GPUs, as a text, too', '{ name: predicates, arguments: { predicate.ProportionalEnable: "true", predicate.resources: nvidia.com/gpu, predicate.resources.nvidia.com/gpu.cpu: 3, predicate.resources.nvidia.com/gpu.memory: 0 } }, { name: binpack }', { scores: { 'binpack-percentage': 1 }, resourceWeightsOf: { 'binpack-percentage': { gpu: 0 } }, proportional: { gpu: { cpu: 3 } } }],
    ['with nothing that is kept where it is off', '{ name: predicates, arguments: { predicate.resources: nvidia.com/gpu } }, { name: predicates, enablePredicate: false, arguments: { predicate.ProportionalEnable: true, predicate.resources: nvidia.com/gpu } }', undefined],
    ['by no strategies that are switched off', fit('resources: { cpu: {} }').replace('name:', 'enableNodeOrder: false, name:'), undefined],
  ])('%s', (_, plugins, expected, resources = facts.resources) => {
    expect(placement(plugins, resources)).toEqual(expected)
  })

  it('and tell what becomes of it', () => {
    const told = (args: string) => scoring(binpack(args)).findings.filter(({ setting }) => setting.startsWith('binpack ')).map(({ verdict, setting, note }) => [verdict, setting.slice(16), note].join(' | '))
    expect(told(`binpack.cpu: -5, ${all}, binpack.gpu: 2, binpack.resources.amd.com/gpu: 2`)).toEqual([
      'honoured | cpu | below 0: Volcano takes 1 then', 'honoured | resources | ', 'honoured | resources.nvidia.com/gpu | ', 'ignored | resources.example.com/foo | jobs ask for CPU, memory and GPUs',
      'ignored | gpu | not simulated', 'ignored | resources.amd.com/gpu | binpack.resources does not list it',
    ])
    expect(told('binpack.resources: example.com/foo')).toEqual(['ignored | resources | jobs ask for CPU, memory and GPUs'])
  })

  it('and tell what becomes of strategies', () => {
    const told = (args: string) => scoring(fit(args)).findings.flatMap(({ verdict, setting, note }) => (setting.startsWith('resource-strategy-fit') ? [[verdict, setting.slice(22), note].join(' | ')] : []))
    expect(told('resourceStrategyFitWeight: -1, resources: { cpu: { type: Most, weight: 2 }, memory: { type: MostAllocated }, example.com/foo: { weight: 2 } }, sra: { enable: true }')).toEqual([
      'approximated |  | as scores of the placement weighted; annotations of pods are not read', 'honoured | resourceStrategyFitWeight | below 0: Volcano takes 10 then',
      'honoured | cpu | no such type: Volcano takes LeastAllocated then', 'honoured | memory | no weight above 0: Volcano takes 1 then', 'ignored | example.com/foo | jobs ask for CPU, memory and GPUs', 'ignored | sra | jobs ask for CPU, memory and GPUs',
    ])
    expect(told('resourceStrategyFitWeight: 0, resources: { "*": {}, "foo*": {} }, sra: { enable: true, resources: nvidia.com/gpu }, proportional: { enable: true, resources: example.com/foo }').slice(1)).toEqual([
      'honoured | resourceStrategyFitWeight | nodes are not scored by strategies', 'ignored | foo* | jobs ask for CPU, memory and GPUs', 'ignored | * | Volcano takes no asterisk alone',
      'honoured | sra | no weight above 0: it does not count', 'ignored | proportional | jobs ask for CPU, memory and GPUs',
    ])
    expect(told('sra: {}, proportional: { enable: false }').slice(1)).toEqual(['honoured | sra | nothing is spared: it is not enabled', 'honoured | proportional | nothing is kept for GPUs: it is not enabled'])
    expect(() => scoring(fit('sra: { enable: true, resources: nvidia.com/gpu, weight: much }'))).toThrow('found "much", expected a number')
    expect(() => scoring(fit('resources: { cpu: { weight: much } }'))).toThrow('found "much", expected a number. Correct it, or leave it out for the default.')
  })
})

it('tell what predicates keeps for GPUs', () => {
  const told = (args: string) => made(`actions: allocate\ntiers:\n- plugins: [{ name: predicates, arguments: { ${args} } }]\n`).findings.flatMap(({ verdict, setting, note }) => (setting.startsWith('predicates predicate') ? [[verdict, setting.slice(21), note].join(' | ')] : []))
  const all = 'predicate.resources: "nvidia.com/gpu, example.com/foo", predicate.resources.nvidia.com/gpu.cpu: 4, predicate.resources.example.com/foo.cpu: 2, predicate.resources.amd.com/gpu.cpu: 2, predicate.CacheEnable: true'
  expect(told(`predicate.ProportionalEnable: true, ${all}`)).toEqual([
    'honoured | ProportionalEnable | ', 'honoured | resources | ', 'honoured | resources.nvidia.com/gpu.cpu | ', 'ignored | resources.example.com/foo.cpu | jobs ask for CPU, memory and GPUs',
    'ignored | resources.amd.com/gpu.cpu | predicate.resources does not list it', 'ignored | CacheEnable | not simulated',
  ])
  expect(told('predicate.ProportionalEnable: false, predicate.resources: nvidia.com/gpu')).toEqual(['honoured | ProportionalEnable | nothing is kept for GPUs then', 'ignored | resources | it counts with predicate.ProportionalEnable'])
})
