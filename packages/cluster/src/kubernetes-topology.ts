import { SchedError } from '@sched/core'
import type { NodeGroup } from './description.js'
import { listIn, objectIn, type Json, type KubernetesObject } from './kubernetes-objects.js'
import { HOSTNAME } from './node-selector.js'

/** The node labels of a Topology's levels, racks (the smallest groups) first, without the level of single nodes. */
type TopologyLabels = readonly string[]

/**
 * The levels of the Topology objects of a file, the object with most levels first. Throws `BAD_INPUT` with the place.
 *
 * Source: Kueue and KAI Scheduler, Topology (`spec.levels`, the largest groups first); KAI's topology_validator.go for aliases.
 */
export function topologiesIn(objects: readonly KubernetesObject[]): readonly TopologyLabels[] {
  return objects.filter(({ kind }) => kind === 'Topology').map(levelsOf).sort((a, b) => b.length - a.length)
}

function levelsOf({ object, place }: KubernetesObject): TopologyLabels {
  const labels = listIn(objectIn(object['spec'])['levels']).map(({ nodeLabel }, i) => {
    if (typeof nodeLabel === 'string' && nodeLabel !== '') return nodeLabel
    throw new SchedError('BAD_INPUT', 'is missing.', place('spec', 'levels', i, 'nodeLabel'), 'Give the label of nodes that names their group of this level.')
  })
  const aliases = listIn(objectIn(object['spec'])['levels']).map(({ alias }) => alias)
  for (const [i, alias] of aliases.entries())
    if (typeof alias === 'string' && alias !== '' && (labels.includes(alias) || aliases.indexOf(alias) < i)) throw new SchedError('BAD_INPUT', `"${alias}" is another level.`, place('spec', 'levels', i, 'alias'), 'Give each level a name of its own.')
  if (labels.length === 0) throw new SchedError('BAD_INPUT', 'is missing.', place('spec', 'levels'), 'Give the labels of its levels, the largest groups first.')
  return labels.filter((label) => label !== HOSTNAME).reverse()
}

/** The racks of a node: by the first Topology of which it has all labels, otherwise a rack of its own. None if no Topology has levels above nodes. */
export function racksOf(node: KubernetesObject, name: string, topologies: readonly TopologyLabels[]): Pick<NodeGroup, 'racks'> {
  if (topologies.every((labels) => labels.length === 0)) return {}
  const labels = labelsOf(node)
  const found = topologies.find((each) => each.length > 0 && each.every((label) => typeof labels[label] === 'string'))
  return { racks: found === undefined ? [name] : found.map((label) => labels[label] as string) }
}

/** The labels of an object. */
export const labelsOf = ({ object }: KubernetesObject): Json => objectIn(objectIn(object['metadata'])['labels'])
