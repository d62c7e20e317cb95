import type { KubernetesObject } from '@sched/cluster'
import { byName, nameOf, textOf, unexpected, where } from './fields.js'
import type { Findings } from './finding.js'

/** A PriorityClass of Kubernetes. */
export interface PriorityClass {
  readonly name: string
  /** Priority of its pods, a whole number; higher goes first. */
  readonly value: number
  /** Whether its pods never preempt others (`preemptionPolicy: Never`). */
  readonly isNever: boolean
  /** The object, with the places of its fields. */
  readonly found: KubernetesObject
}

/** The PriorityClasses among objects, highest value first, ties by name. Throws `BAD_INPUT` with the line for a value that Kubernetes does not take. */
export function priorityClasses(objects: readonly KubernetesObject[]): PriorityClass[] {
  const classes = [...byName(objects.filter(({ kind }) => kind === 'PriorityClass'), 'PriorityClass').values()].map(classOf)
  return classes.sort((a, b) => b.value - a.value || (a.name < b.name ? -1 : 1))
}

function classOf(found: KubernetesObject): PriorityClass {
  const { value, preemptionPolicy = 'PreemptLowerPriority' } = found.object
  if (typeof value !== 'number' || !Number.isInteger(value)) throw unexpected(found, ['value'], 'a whole number', 'Give the priority that pods of the class have.')
  if (preemptionPolicy !== 'Never' && preemptionPolicy !== 'PreemptLowerPriority') throw unexpected(found, ['preemptionPolicy'], ['Never', 'PreemptLowerPriority'])
  return { name: nameOf(found), value, isNever: preemptionPolicy === 'Never', found }
}

/** Settings of a class, by name, as written. */
export const classSettings = ({ value, found }: PriorityClass): Record<string, string> => ({
  value: String(value),
  ...('preemptionPolicy' in found.object && { preemptionPolicy: textOf(found.object['preemptionPolicy']) }),
})

/**
 * The priorities whose pods never preempt others. Adds a finding for each class. Jobs here have a number and no class: if classes of one priority differ,
 * none of its jobs preempts.
 */
export function neverOf(classes: readonly PriorityClass[], findings: Findings): number[] {
  for (const { found, name, value, isNever } of classes) {
    const isShared = classes.some((other) => other.value === value && other.isNever !== isNever)
    const policy = [where(found, ['preemptionPolicy']), `${name} preemptionPolicy`, 'Never'] as const
    if (!isNever) findings.add('ignored', where(found, ['value']), `${name} value`, String(value), 'jobs have the number of their class')
    else if (isShared) findings.add('approximated', ...policy, `nobody of priority ${value} preempts here, also of classes that may`)
    else findings.add('honoured', ...policy)
  }
  return [...new Set(classes.filter(({ isNever }) => isNever).map(({ value }) => value))]
}
