import type { KubernetesObject } from '@sched/cluster'
import { at, fieldsOf, listAt, textOf, where, type Path } from '../fields.js'
import type { Findings } from '../finding.js'

/** The plug-ins of a profile. */
export interface Plugins {
  /** Weights of the plug-ins that score nodes; 0: switched off. ImageLocality is not simulated. */
  readonly weights: Record<Scoring, number>
  /** Whether DefaultPreemption is switched on. */
  preempts: boolean
}
type Scoring = 'NodeResourcesFit' | 'NodeResourcesBalancedAllocation' | 'TaintToleration' | 'InterPodAffinity' | 'PodTopologySpread' | 'NodeAffinity'
const PREEMPTION = 'DefaultPreemption'

/** Extension points that are read, in order: a later one overrides `multiPoint`. */
const points: readonly string[] = ['multiPoint', 'score', 'postFilter']

/**
 * kube-scheduler's default plug-ins after what a profile switches on and off. Adds a finding for each entry. Throws `BAD_INPUT` with the line.
 *
 * Source: Kubernetes, kube-scheduler configuration (kubescheduler.config.k8s.io/v1), `Plugins`.
 */
export function pluginsOf(configuration: KubernetesObject, path: Path, findings: Findings): Plugins {
  const plugins: Plugins = { weights: { NodeResourcesFit: 1, NodeResourcesBalancedAllocation: 1, TaintToleration: 3, InterPodAffinity: 2, PodTopologySpread: 2, NodeAffinity: 2 }, preempts: true }
  for (const point of Object.keys(fieldsOf(at(configuration.object, path))))
    if (!points.includes(point))
      findings.add('ignored', where(configuration, [...path, point]), `plugins.${point}`, '', 'filters and binding are those of the simulator, and the order is by priority')
  for (const point of points) {
    for (const how of ['disabled', 'enabled'] as const) {
      for (const [i, each] of listAt(configuration, [...path, point, how]).entries()) {
        const { name, weight } = fieldsOf(each)
        const line = where(configuration, [...path, point, how, i])
        const text = weight === undefined ? textOf(name) : `${textOf(name)} weight ${textOf(weight)}`
        const note = apply(plugins, { point, isEnabled: how === 'enabled', name: textOf(name), weight })
        findings.add(note === undefined ? 'honoured' : 'ignored', line, `plugins.${point}.${how}`, text, note)
      }
    }
  }
  return plugins
}

/** One entry of a list: the name of a plug-in, or `*` for all. */
interface Entry {
  readonly point: string
  readonly isEnabled: boolean
  readonly name: string
  readonly weight: unknown
}

/** Applies an entry. Returns why it changes nothing, or undefined if it changes something. */
function apply(plugins: Plugins, { point, isEnabled, name, weight }: Entry): string | undefined {
  const isAll = name === '*' && !isEnabled
  const scoring = point === 'postFilter' ? [] : (Object.keys(plugins.weights) as Scoring[]).filter((each) => isAll || each === name)
  const isPreemption = point !== 'score' && (isAll || name === PREEMPTION)
  for (const each of scoring) plugins.weights[each] = !isEnabled ? 0 : typeof weight === 'number' && weight > 0 ? weight : 1
  if (isPreemption) plugins.preempts = isEnabled
  if (isAll || isPreemption || scoring.length > 0) return undefined
  return point === 'postFilter' ? 'only DefaultPreemption preempts here' : 'nodes are scored by resources, taints, labels and other tasks alone'
}
