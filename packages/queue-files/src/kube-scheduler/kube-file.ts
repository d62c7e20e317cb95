import { kubernetesObjects, type KubernetesObject } from '@sched/cluster'
import { SchedError } from '@sched/core'
import { fieldsOf, textOf } from '../fields.js'
import { priorityClasses, type PriorityClass } from '../priority-classes.js'
import type { SourceText } from '../source-text.js'
import { refuseTemplate } from '../template.js'

/** The configuration of kube-scheduler, the PriorityClasses and the PodDisruptionBudgets of a cluster, or some of these. */
export interface KubeFile {
  /** Tells the models of files apart. */
  readonly kind: 'kube-scheduler'
  /** Name of the file, for messages. */
  readonly file: string
  /** The KubeSchedulerConfiguration; undefined: kube-scheduler's default. */
  readonly configuration: KubernetesObject | undefined
  /** PriorityClasses, highest value first. */
  readonly classes: readonly PriorityClass[]
  /** PodDisruptionBudgets, in the order of the file. */
  readonly budgets: readonly KubernetesObject[]
  /** Objects of other kinds. */
  readonly others: readonly KubernetesObject[]
}

const BUDGET = 'PodDisruptionBudget'

/** Whether a text has the configuration of kube-scheduler, PriorityClasses or PodDisruptionBudgets, as manifests or as kubectl prints them. */
export const isKube = (text: string): boolean =>
  (/\bkubescheduler\.config\.k8s\.io\//.test(text) && /\bkind["']?\s*:\s*["']?KubeSchedulerConfiguration\b/.test(text))
  || /\bkind["']?\s*:\s*["']?(PriorityClass|PodDisruptionBudget)(List)?\b/.test(text)

/** Reads a KubeSchedulerConfiguration, PriorityClasses and PodDisruptionBudgets, from one file or several. Throws `BAD_INPUT` with the line. */
export function readKube(...sources: readonly SourceText[]): KubeFile {
  for (const source of sources) refuseTemplate(source)
  const file = sources.map((each) => each.file).join('+')
  const all = sources.flatMap((source) => [...kubernetesObjects(source.text, source.file)])
  const [configuration, second] = all.filter(({ kind }) => kind === 'KubeSchedulerConfiguration')
  if (second !== undefined) throw new SchedError('BAD_INPUT', 'is a second KubeSchedulerConfiguration.', second.place(), 'Put each into a file of its own.')
  const classes = priorityClasses(all)
  const others = all.filter(({ kind }) => kind !== 'KubeSchedulerConfiguration' && kind !== 'PriorityClass' && kind !== BUDGET)
  return { kind: 'kube-scheduler', file, configuration, classes, budgets: all.filter(({ kind }) => kind === BUDGET), others }
}

/** Settings of the configuration as written, by path: `profiles[0].percentageOfNodesToScore`. */
export function kubeGeneral({ configuration }: KubeFile): Record<string, string> {
  const { apiVersion: _, kind: __, metadata: ___, ...settings } = configuration?.object ?? {}
  const found: Record<string, string> = {}
  const walk = (value: unknown, path: string): void => {
    if (Array.isArray(value)) for (const [i, each] of value.entries()) walk(each, `${path}[${i}]`)
    else if (typeof value !== 'object' || value === null) found[path] = textOf(value)
    else for (const [name, each] of Object.entries(fieldsOf(value))) walk(each, path === '' ? name : `${path}.${name}`)
  }
  walk(settings, '')
  return found
}
