import { quantityAt, type KubernetesObject } from '@sched/cluster'
import { ownValue } from '@sched/core'
import type { KueueOptions } from '@sched/policies'
import { at, fieldsOf, listAt, textOf, unexpected, where, type Path } from '../fields.js'
import type { Findings } from '../finding.js'
import { NOT_OF_NODES, resourceOf, RESOURCES } from '../kubernetes-resources.js'
import { PODS } from './pods.js'

type Transformation = NonNullable<KueueOptions['transformations']>[number]

const TRANSFORMATIONS = ['resources', 'transformations']
/** The gate of transformations, open by default. */
export const TRANSFORMATIONS_GATE = 'ConfigurableResourceTransformations'
/** How much of a node's resource is one of it in Kubernetes: a core, a byte, a device. */
const units: Readonly<Record<string, number>> = { cpu: 1000, mem: 2 ** -20, gpu: 1000 }

/** Which resources of Kubernetes can be transformed: those of the cluster that are not left out. */
interface Known {
  readonly resources: readonly string[]
  readonly isExcluded: (name: string) => boolean
}

const unitsOf = (resources: readonly string[]): Record<string, number> => Object.fromEntries(resources.flatMap((name) => (Object.hasOwn(units, name) ? [[name, units[name] as number]] : [])))

/** Names of resources that jobs do not ask for, and that transformations make of others. */
export const madeBy = (transformations: readonly Transformation[]): readonly string[] => [...new Set(transformations.flatMap(({ outputs = {} }) => Object.keys(outputs)))].filter((name) => !RESOURCES.includes(name))

/**
 * The transformations of resources that a Configuration gives, in the units of nodes, with a finding for each. Throws `BAD_INPUT` with the line for an amount
 * that is none, and for an output `pods`, which Kueue refuses.
 *
 * Source: Kueue, ResourceTransformation of configuration_types.go, KEP-2937.
 */
export function transformationsOf(found: KubernetesObject, known: Known, findings: Findings): Transformation[] {
  const isClosed = at(found.object, ['featureGates', TRANSFORMATIONS_GATE]) === false
  const read = new Map<string, Transformation>()
  for (const i of listAt(found, TRANSFORMATIONS).keys()) {
    const path = [...TRANSFORMATIONS, i]
    const { input, strategy, multiplyBy } = fieldsOf(at(found.object, path))
    const name = textOf(input ?? '')
    const resource = resourceOf(name)
    const outputs = outputsAt(found, [...path, 'outputs'])
    const tell = (verdict: 'honoured' | 'approximated' | 'ignored', note = '') => findings.add(verdict, where(found, path), `${TRANSFORMATIONS.join('.')} of ${name}`, shown(strategy, outputs), note)
    if (isClosed) tell('ignored', `off: the gate ${TRANSFORMATIONS_GATE} is closed`)
    else if (resource === undefined || !known.resources.includes(resource)) tell('ignored', resource === undefined ? NOT_OF_NODES : `the cluster has no ${resource}`)
    else if (known.isExcluded(name)) tell('ignored', 'excludeResourcePrefixes leaves it out')
    else if (read.has(resource)) tell('ignored', 'other GPUs have one: nodes have them as one resource')
    else {
      const multiplier = multiplyBy === undefined ? undefined : resourceOf(textOf(multiplyBy))
      const isMultiplied = multiplier !== undefined && known.resources.includes(multiplier) && !known.isExcluded(textOf(multiplyBy))
      read.set(resource, { input: resource, strategy: strategy === 'Replace' ? 'Replace' : 'Retain', units: unitsOf(isMultiplied ? [resource, multiplier] : [resource]), outputs: inNodes(outputs, known), ...(isMultiplied && { multiplyBy: multiplier }) })
      if (multiplyBy === undefined || isMultiplied) tell('honoured')
      else tell('approximated', `nothing multiplies it: jobs ask for no ${textOf(multiplyBy)}`)
    }
  }
  return [...read.values()]
}

/** The outputs at a path as they stand there, by resource of Kubernetes. */
function outputsAt(found: KubernetesObject, path: Path): Readonly<Record<string, number>> {
  const names = Object.keys(fieldsOf(at(found.object, path)))
  if (names.includes(PODS)) throw unexpected(found, [...path, PODS], 'no amount of pods, which are the pods of a workload', 'Call it something else.')
  return Object.fromEntries(names.map((name) => [name, quantityAt(found, ...path, name)]))
}

/** Outputs in the units of nodes, without those of resources that the cluster does not have. */
function inNodes(outputs: Readonly<Record<string, number>>, { resources }: Known): Record<string, number> {
  const all: Record<string, number> = {}
  for (const [name, amount] of Object.entries(outputs)) {
    const resource = resourceOf(name)
    if (resource !== undefined && !resources.includes(resource)) continue
    const key = resource ?? name
    all[key] = (ownValue(all, key) ?? 0) + amount * (ownValue(units, key) ?? 1)
  }
  return all
}

const shown = (strategy: unknown, outputs: Readonly<Record<string, number>>): string =>
  [strategy === 'Replace' ? 'Replace' : 'Retain', ...Object.entries(outputs).map(([name, amount]) => `${name}=${amount}`)].join(' ')
