import { nearest, SchedError, suggest, type ClusterView, type NodeId } from '@sched/core'
import * as z from '@sched/bundled/zod'

/** Options for which nodes a partition has. */
export const nodeOptions = z.union([
  z.strictObject({ fraction: z.number().positive().max(1).describe('part of the nodes, by id after those of the partitions named before it') }),
  z.strictObject({ names: z.array(z.string()).min(1).describe('names of nodes') }),
  z.strictObject({ groups: z.array(z.string()).min(1).describe('names of racks or larger groups') }),
  z.literal('rest').describe('all nodes that no other partition has'),
])
export type NodeOptions = z.output<typeof nodeOptions>

/** Options for which nodes are reserved: the same without `rest`. */
export const reservedNodes = z.union([
  z.strictObject({ fraction: z.number().positive().max(1).describe('part of the nodes, by id after those that are named') }),
  z.strictObject({ names: z.array(z.string()).min(1).describe('names of nodes') }),
  z.strictObject({ groups: z.array(z.string()).min(1).describe('names of racks or larger groups') }),
])

export interface Partition {
  readonly name: string
  readonly nodes: NodeOptions
}

/**
 * The nodes of each partition, ascending. Nodes given by name or group are assigned first; then each `fraction` takes from what is left, in the order
 * of the partitions; `rest` gets the remaining nodes. Throws `BAD_OPTION` unless every node is in exactly one partition and no partition is empty.
 */
export function divide(partitions: readonly Partition[], cluster: ClusterView): NodeId[][] {
  const owner = namedParts(partitions, cluster, ofPartitions)
  const rest = partitions.findIndex(({ nodes }) => nodes === 'rest')
  if (rest >= 0) owner.forEach((each, node) => void (each < 0 && (owner[node] = rest)))
  checkCovered(owner, partitions, cluster)
  return partitions.map((_, index) => Array.from(owner.keys()).filter((node) => owner[node] === index) as NodeId[])
}

/** Words for error messages. */
interface Wording {
  /** The option that holds all parts, the field of a part with its nodes, and the rule that was broken. */
  readonly all: string
  readonly field: string
  readonly rule: string
}
const ofPartitions: Wording = { all: 'partitions', field: 'nodes', rule: 'A node belongs to one partition.' }
const fieldOf = ({ all, field }: Wording, name: string) => `${all}.${name}.${field}`

/** By node: index of the part that has it by name, group or fraction; -1: none. */
export function namedParts(parts: readonly Partition[], cluster: ClusterView, wording: Wording): Int32Array {
  const owner = new Int32Array(cluster.nodes).fill(-1)
  for (const index of parts.keys()) claimNamed(owner, index, parts, cluster, wording)
  claimFractions(owner, parts, wording)
  return owner
}

function claimNamed(owner: Int32Array, index: number, partitions: readonly Partition[], cluster: ClusterView, wording: Wording): void {
  const partition = partitions[index] as Partition
  for (const node of namedNodes(partition, cluster, fieldOf(wording, partition.name))) {
    const other = owner[node] as number
    if (other >= 0 && other !== index) {
      const [first, second] = [partitions[other] as Partition, partition]
      throw new SchedError(
        'BAD_OPTION',
        `node ${cluster.name(node)} is in both "${first.name}" and "${second.name}".`,
        { field: fieldOf(wording, second.name) },
        wording.rule,
      )
    }
    owner[node] = index
  }
}

function namedNodes({ nodes }: Partition, cluster: ClusterView, field: string): NodeId[] {
  const all = Array.from({ length: cluster.nodes }, (_, node) => node as NodeId)
  if (typeof nodes !== 'object') return []
  if ('names' in nodes) return nodes.names.map((name) => all[indexOf(name, all.map((node) => cluster.name(node)), 'node', field)] as NodeId)
  return 'groups' in nodes ? nodes.groups.flatMap((name) => membersOf(name, field, all, cluster)) : []
}

function membersOf(name: string, field: string, all: readonly NodeId[], cluster: ClusterView): NodeId[] {
  const levels = Array.from({ length: Math.max(0, cluster.levels - 1) }, (_, level) => level + 1)
  const known = levels.flatMap((level) => Array.from({ length: cluster.groups(level) }, (_, group) => ({ level, group, name: cluster.groupName(level, group) })))
  const { level, group } = known[indexOf(name, known.map((each) => each.name), 'rack or group', field)] as (typeof known)[number]
  return all.filter((node) => cluster.group(level, node) === group)
}

function indexOf(name: string, known: readonly string[], what: string, field: string): number {
  const index = known.indexOf(name)
  if (index >= 0) return index
  const close = nearest(name, known)
  throw new SchedError(
    'UNKNOWN_NAME',
    `no ${what} is called "${name}".`,
    { field },
    known.length <= 20 ? suggest(name, known) : close === undefined ? `There are ${known.length}, such as ${known.slice(0, 3).join(', ')}.` : `Did you mean "${close}"?`,
  )
}

function claimFractions(owner: Int32Array, partitions: readonly Partition[], { all }: Wording): void {
  const fractions = partitions.map(({ nodes }) => (typeof nodes === 'object' && 'fraction' in nodes ? nodes.fraction : 0))
  const sum = fractions.reduce((a, b) => a + b, 0)
  if (sum > 1 + 1e-9) throw new SchedError('BAD_OPTION', `the fractions of the ${all} add up to ${sum}.`, { field: all }, 'Together they may be at most 1.')
  const left = Array.from(owner.keys()).filter((node) => (owner[node] as number) < 0)
  let upTo = 0
  let taken = 0
  for (const [index, fraction] of fractions.entries()) {
    if (fraction === 0) continue
    upTo += fraction
    const end = Math.min(left.length, Math.round(upTo * owner.length))
    for (; taken < end; taken++) owner[left[taken] as number] = index
  }
}

function checkCovered(owner: Int32Array, partitions: readonly Partition[], cluster: ClusterView): void {
  const alone = Array.from(owner.keys()).filter((node) => (owner[node] as number) < 0)
  const [first] = alone
  if (first !== undefined) {
    const others = alone.length === 1 ? '' : ` and ${alone.length - 1} more`
    throw new SchedError(
      'BAD_OPTION',
      `node ${cluster.name(first as NodeId)}${others} ${alone.length === 1 ? 'is' : 'are'} in no partition.`,
      { field: 'partitions' },
      'Give one partition `nodes: rest`, or name them.',
    )
  }
  for (const [index, partition] of partitions.entries())
    if (!owner.includes(index)) throw new SchedError('BAD_OPTION', `partition "${partition.name}" has no nodes.`, { field: fieldOf(ofPartitions, partition.name) }, 'Give it some, or leave it out.')
}
