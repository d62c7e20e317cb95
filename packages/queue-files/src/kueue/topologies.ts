import type { KubernetesObject } from '@sched/cluster'
import type { Config } from '@sched/core'
import type { ClusterFacts } from '../queue-policy.js'
import { at, fieldsOf, nameOf, textOf, where } from '../fields.js'
import type { Findings } from '../finding.js'
import type { KueueFile } from './kueue-file.js'

/** Kueue's feature gates for the profiles of topology-aware scheduling. The first is open by default, the others are closed. */
export const PROFILE_GATES = ['TASProfileMixed', 'TASProfileLeastFreeCapacity', 'TASProfileMostFreeCapacity', 'TASBalancedPlacement'] as const

/**
 * The placement `topology-aware` if a flavor names a Topology of the file; undefined if none does or the gate TopologyAwareScheduling is closed. Adds a
 * finding for each name and each Topology.
 *
 * Source: Kueue, KEP-2724. Deviation: this placement is used for flavors without a Topology too, whose pods it places as those that ask for no topology.
 */
export function topologyPlacement({ flavors, topologies, configuration }: KueueFile, cluster: Pick<ClusterFacts, 'racks'>, findings: Findings): Config | undefined {
  const gates = configuration === undefined ? {} : fieldsOf(configuration.object['featureGates'])
  const isOff = gates['TopologyAwareScheduling'] === false
  const used = new Set<string>()
  for (const found of flavors) {
    const name = at(found.object, ['spec', 'topologyName']) ?? undefined
    if (name === undefined) continue
    const isThere = topologies.some((each) => nameOf(each) === name)
    if (isThere && !isOff) used.add(textOf(name))
    const why = isOff ? OFF : isThere ? '' : 'the file has no Topology of this name'
    findings.add(isThere && !isOff ? 'honoured' : 'ignored', where(found, ['spec', 'topologyName']), `${nameOf(found)} topologyName`, textOf(name), why)
  }
  for (const found of topologies) tellTopology(found, isOff ? OFF : used.has(nameOf(found)) ? undefined : 'no ResourceFlavor names it', cluster, findings)
  return used.size > 0 ? { 'topology-aware': { profile: profileOf(gates) } } : undefined
}

const OFF = 'the gate TopologyAwareScheduling is closed'

function tellTopology(found: KubernetesObject, why: string | undefined, { racks = 0 }: Pick<ClusterFacts, 'racks'>, findings: Findings): void {
  const name = `Topology ${nameOf(found)}`
  if (why !== undefined) findings.add('ignored', where(found, []), name, '', why)
  else findings.add('honoured', where(found, []), name, '', racks === 0 ? 'the nodes here stand in no racks: read them, too, from a file with this Topology and their labels' : '')
}

function profileOf(gates: Readonly<Record<string, unknown>>): string {
  const [mixed, least, most, balanced] = PROFILE_GATES.map((gate) => gates[gate])
  if (balanced === true) return 'balanced'
  if (least === true) return 'least-free-capacity'
  if (most === true) return 'most-free-capacity'
  return mixed === false ? 'best-fit' : 'mixed'
}
