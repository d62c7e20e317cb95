import { kubernetesObjects, type KubernetesObject } from '@sched/cluster'
import { SchedError } from '@sched/core'
import { priorityClasses, type PriorityClass } from '../priority-classes.js'
import { configurationSettings, specSettings } from '../settings-by-path.js'
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
  if (second !== undefined) throw new SchedError('BAD_INPUT', 'is a second KubeSchedulerConfiguration.', second.place(), 'Give one.')
  const classes = priorityClasses(all)
  const others = all.filter(({ kind }) => kind !== 'KubeSchedulerConfiguration' && kind !== 'PriorityClass' && kind !== BUDGET)
  return { kind: 'kube-scheduler', file, configuration, classes, budgets: all.filter(({ kind }) => kind === BUDGET), others }
}

/** Settings of the configuration by path, and those of PodDisruptionBudgets. */
export const kubeGeneral = ({ configuration, budgets }: KubeFile): Record<string, string> => ({ ...configurationSettings(configuration), ...specSettings(budgets) })
