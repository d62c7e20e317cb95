import { kubernetesObjects, type KubernetesObject } from '@sched/cluster'
import { SchedError } from '@sched/core'
import { byName, fieldsOf, nameOf, textOf, unexpected } from '../fields.js'
import type { SourceText } from '../source-text.js'
import { refuseTemplate } from '../template.js'

/** The configuration of kube-scheduler, or the PriorityClasses of a cluster, or both. */
export interface KubeFile {
  /** Tells the models of files apart. */
  readonly kind: 'kube-scheduler'
  /** Name of the file, for messages. */
  readonly file: string
  /** The KubeSchedulerConfiguration; absent: that of kube-scheduler as it comes. */
  readonly configuration: KubernetesObject | undefined
  /** By priority, the highest first. */
  readonly classes: readonly PriorityClass[]
  /** Objects of other kinds. */
  readonly others: readonly KubernetesObject[]
}

/** A PriorityClass: what a priority means. */
export interface PriorityClass {
  readonly name: string
  readonly value: number
  /** Whether its pods preempt nobody. */
  readonly isNever: boolean
  /** The object, with the places of its fields. */
  readonly found: KubernetesObject
}

/** Whether a text has the configuration of kube-scheduler or PriorityClasses, as manifests or as kubectl prints them. */
export const isKube = (text: string): boolean =>
  (/\bkubescheduler\.config\.k8s\.io\//.test(text) && /\bkind["']?\s*:\s*["']?KubeSchedulerConfiguration\b/.test(text))
  || /\bkind["']?\s*:\s*["']?PriorityClass(List)?\b/.test(text)

/** Reads a KubeSchedulerConfiguration and PriorityClasses, from one file or several. Throws `BAD_INPUT` with the line. */
export function readKube(...sources: readonly SourceText[]): KubeFile {
  for (const source of sources) refuseTemplate(source)
  const file = sources.map((each) => each.file).join('+')
  const all = sources.flatMap((source) => [...kubernetesObjects(source.text, source.file)])
  const [configuration, second] = all.filter(({ kind }) => kind === 'KubeSchedulerConfiguration')
  if (second !== undefined) throw new SchedError('BAD_INPUT', 'is a second KubeSchedulerConfiguration.', second.place(), 'Put each into a file of its own.')
  const classes = [...byName(all.filter(({ kind }) => kind === 'PriorityClass'), 'PriorityClass').values()].map(classOf)
  classes.sort((a, b) => b.value - a.value || (a.name < b.name ? -1 : 1))
  const others = all.filter(({ kind }) => kind !== 'KubeSchedulerConfiguration' && kind !== 'PriorityClass')
  return { kind: 'kube-scheduler', file, configuration, classes, others }
}

function classOf(found: KubernetesObject): PriorityClass {
  const { value, preemptionPolicy = 'PreemptLowerPriority' } = found.object
  if (typeof value !== 'number' || !Number.isInteger(value)) throw unexpected(found, ['value'], 'a whole number', 'Give the priority that pods of the class have.')
  if (preemptionPolicy !== 'Never' && preemptionPolicy !== 'PreemptLowerPriority') throw unexpected(found, ['preemptionPolicy'], 'Never or PreemptLowerPriority')
  return { name: nameOf(found), value, isNever: preemptionPolicy === 'Never', found }
}

/** Settings of a class as written. */
export const classSettings = ({ value, found }: PriorityClass): Record<string, string> => ({
  value: String(value),
  ...('preemptionPolicy' in found.object && { preemptionPolicy: textOf(found.object['preemptionPolicy']) }),
})

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
