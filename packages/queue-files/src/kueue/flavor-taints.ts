import { isHard, taintsAt, taintText, tolerationsAt, type KubernetesObject } from '@sched/cluster'
import type { Toleration } from '@sched/core'
import type { Findings } from '../finding.js'
import type { ClusterFacts } from '../queue-policy.js'
import { fieldsOf, nameOf, where } from '../fields.js'
import type { KueueFile } from './kueue-file.js'
import { groupsOf } from './resource-groups.js'

/**
 * The tolerations that jobs get from the flavors of their ClusterQueue, by queue. Adds findings for the tolerations and the taints of flavors; which taints
 * a node has is decided by the node, not by its flavor. Throws `BAD_INPUT` with the line.
 *
 * Source: Kueue, ResourceFlavor: a workload gets the tolerations of the flavor in which it is admitted. Deviation: it gets those of all flavors of its queue.
 */
export function flavorTolerations({ flavors, clusterQueues }: KueueFile, { taintsOf }: ClusterFacts, findings: Findings): Map<string, Toleration[]> {
  for (const flavor of flavors) tellTaints(flavor, taintsOf, findings)
  const byFlavor = new Map(flavors.map((flavor) => [nameOf(flavor), tolerationsAt(flavor, ['spec', 'tolerations'])]))
  const named = new Map(clusterQueues.map((queue) => [nameOf(queue), [...new Set(groupsOf(queue).flat().map(({ name }) => name))]]))
  const isAlone = (name: string): boolean => [...named.values()].every((names) => !names.includes(name) || names.length === 1)
  for (const flavor of flavors)
    for (const [i, toleration] of (byFlavor.get(nameOf(flavor)) ?? []).entries())
      findings.add(
        isAlone(nameOf(flavor)) ? 'honoured' : 'approximated',
        lineOf(flavor, 'tolerations', i),
        `${nameOf(flavor)} tolerations`,
        inWords(toleration),
        isAlone(nameOf(flavor)) ? '' : 'jobs of its queues have this toleration in all their flavors',
      )
  return new Map([...named].map(([queue, names]) => [queue, names.flatMap((name) => byFlavor.get(name) ?? [])]))
}

function tellTaints(flavor: KubernetesObject, taintsOf: ClusterFacts['taintsOf'], findings: Findings): void {
  const there = taintsOf?.(fieldsOf(fieldsOf(flavor.object['spec'])['nodeLabels']) as Readonly<Record<string, string>>)
  for (const [i, taint] of taintsAt(flavor, ['spec', 'nodeTaints']).entries()) {
    if (!isHard(taint)) continue
    const has = there?.includes(taintText(taint))
    const verdict = has === undefined ? 'approximated' : has ? 'honoured' : 'ignored'
    const note = { approximated: 'the taints of its nodes count', honoured: '', ignored: 'not all of its nodes have this taint; the taints of the nodes count' }[verdict]
    findings.add(verdict, lineOf(flavor, 'nodeTaints', i), `${nameOf(flavor)} nodeTaints`, taintText(taint), note)
  }
}

const lineOf = (found: KubernetesObject, field: string, i: number) => where(found, ['spec', field, i])

function inWords({ key = '*', operator = 'Equal', value = '', effect }: Toleration): string {
  const compared = { Equal: `=${value}`, Exists: '', Gt: `>${value}`, Lt: `<${value}` }[operator]
  return `${key}${compared}${effect === undefined ? '' : `:${effect}`}`
}
