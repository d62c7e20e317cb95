import { amountsByName, definePlacement, type Plug } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { weighted } from './weighted.js'

const kubeScoresOptions = z.strictObject({
  resources: z
    .record(z.string(), z.number().int().min(1).max(100))
    .default({})
    .describe('what each resource counts in what is left free; those that are not named do not count (`scoringStrategy.resources` of NodeResourcesFit). Default: `cpu` and `mem` or `memory`, 1 each; if the nodes have neither, all, 1 each'),
  balanced: z
    .array(z.string())
    .default([])
    .describe('the resources that should be in use in like parts (`resources` of NodeResourcesBalancedAllocation); default: `cpu` and `mem` or `memory`, if the nodes have neither all'),
  balance: z
    .enum(['improvement', 'outcome'])
    .default('improvement')
    .describe('what counts of the balance of a node: how much the task improves it, as in Kubernetes from 1.36 on, or the balance with the task, as before'),
})
/** Options of `kubeScores`; all may be left out. */
export type KubeScoresOptions = z.input<typeof kubeScoresOptions>

/** What nodes may call the resources that kube-scheduler counts as it comes, each by the first name that they have. */
const COUNTED: readonly (readonly string[])[] = [['cpu'], ['mem', 'memory']]
const SCORES = { 'least-allocated': 1, 'taint-toleration': 3, 'inter-pod-affinity': 2, 'pod-topology-spread': 2, 'node-affinity': 2 }
/** The score by which each option goes. */
const BALANCE = { improvement: 'balance-improvement', outcome: 'balanced-allocation' } as const

/**
 * Scores nodes as kube-scheduler does as it comes: a preset of `weighted`.
 *
 * Source: Kubernetes, pkg/scheduler/apis/config/v1: default_plugins.go, defaults.go (defaultResourceSpec).
 */
export const kubeScoresPlacement = definePlacement({
  name: 'kube-scores',
  summary: 'where the least is in use, in like parts of CPUs and memory, no taint is disliked, and jobs would rather be',
  source: 'Kubernetes, kube-scheduler: NodeResourcesFit (LeastAllocated), NodeResourcesBalancedAllocation, TaintToleration, InterPodAffinity, PodTopologySpread, NodeAffinity',
  options: kubeScoresOptions,
  create({ resources, balanced, balance }, env) {
    const all = env.cluster.resources
    const found = COUNTED.flatMap((names) => names.find((name) => all.includes(name)) ?? [])
    const usual = Object.fromEntries((found.length > 0 ? found : all).map((name) => [name, 1]))
    const weightsOf = (given: Readonly<Record<string, number>>, field: string): Record<string, number> => {
      const weights = amountsByName(Object.keys(given).length > 0 ? given : usual, all, `kube-scores.${field}`)
      return Object.fromEntries(all.map((name, r) => [name, weights[r] as number]))
    }
    return weighted({
      scores: { ...SCORES, [BALANCE[balance]]: 1 },
      resourceWeights: weightsOf(resources, 'resources'),
      resourceWeightsOf: { [BALANCE[balance]]: weightsOf(Object.fromEntries(balanced.map((name) => [name, 1])), 'balanced') },
    }).create(env)
  },
})

/** Scores nodes as kube-scheduler does as it comes. */
export const kubeScores = (options: KubeScoresOptions = {}): Plug<'placement'> => kubeScoresPlacement.plug({}, options)
