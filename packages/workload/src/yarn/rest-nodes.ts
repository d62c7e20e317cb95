import { SchedError } from '@sched/core'
import { eachObject } from '../json/each-object.js'
import type { Fields } from '../json/fields.js'
import { grouped, type ListedMachine, type MachineTable } from '../table/machine-table.js'

/** Whether a text is a list of nodes of YARN's resource manager. */
export const isYarnNodes = (head: string): boolean => /^[\s[]*\{/.test(head) && /"nodeHostName"\s*:/.test(head) && /"(availMemoryMB|totalResource)"\s*:/.test(head)

/**
 * Nodes as YARN's resource manager lists them (`ws/v1/cluster/nodes`): `memory-mb`, `vcores` and other resources in total, GPUs as `gpu`; the only
 * label of a node is its label `partition`. Nodes that take no containers (LOST, UNHEALTHY, DECOMMISSIONED, ...) are left out. Several nodes on one
 * host are named with their ports. Throws `BAD_INPUT` with file and line.
 *
 * Source: Apache Hadoop, "ResourceManager REST API's" (`NodeInfo`).
 */
export function yarnNodes(text: string, file?: string): MachineTable {
  const found: { readonly fields: Fields; readonly host: string; readonly id: string }[] = []
  eachObject(text, file, (document) => {
    const fields = document.object('node') ?? document // an answer of ws/v1/cluster/nodes/ID
    const host = fields.text('nodeHostName')
    if (host === undefined) throw fields.bad('nodeHostName', 'is missing.')
    const id = fields.text('id') ?? host
    if (found.some((each) => each.id === id)) throw fields.bad('id', `node "${id}" was listed before.`, 'Give every node once')
    if (/^(RUNNING|NEW)$/.test(fields.text('state') ?? 'RUNNING')) found.push({ fields: checked(fields), host, id })
  }, 'node', 2)
  if (found.length === 0)
    throw new SchedError(
      'BAD_INPUT',
      'lists no node that takes containers.',
      { file },
      'Is it the right file, and whole? curl RESOURCEMANAGER:8088/ws/v1/cluster/nodes',
    )
  const hosts = new Map<string, number>()
  for (const { host } of found) hosts.set(host, (hosts.get(host) ?? 0) + 1)
  return grouped('yarn', found.map(({ fields, host, id }) => nodeOf(fields, hosts.get(host) === 1 ? host : id)), file)
}

/** Checks the fields of a node while its line is known. Throws `BadLine`. */
function checked(fields: Fields): Fields {
  nodeOf(fields, '')
  return fields
}

function nodeOf(fields: Fields, name: string): ListedMachine {
  const rack = fields.text('rack')
  const [label] = fields.texts('nodeLabels')
  return { name, ...(rack !== undefined && { racks: [rack] }), resources: amountsOf(fields), ...(label !== undefined && { labels: { partition: label } }) }
}

/** Total amounts of a node; before Hadoop 3.1 these are the used and the available amounts added up. */
function amountsOf(node: Fields): Record<string, number> {
  const total = node.object('totalResource')
  const sum = (...keys: string[]) => keys.reduce((all, key) => all + (node.whole(key) ?? 0), 0)
  const amounts: Record<string, number> = {
    'memory-mb': total?.whole('memory') ?? sum('usedMemoryMB', 'availMemoryMB'),
    vcores: total?.whole('vCores') ?? sum('usedVirtualCores', 'availableVirtualCores'),
  }
  for (const each of total?.object('resourceInformations')?.list('resourceInformation') ?? []) {
    const resource = each.text('name')
    const amount = each.whole('value') ?? 0
    if (resource !== undefined && resource !== 'memory-mb' && resource !== 'vcores' && amount > 0) amounts[resource === 'yarn.io/gpu' ? 'gpu' : resource] = amount
  }
  return amounts
}
