import { describeIssues, fieldOf, SchedError, type Seconds } from '@sched/core'
import { z } from 'zod'

/** Heartbeats of worker nodes; without them every change reaches the master at once. */
export interface Heartbeat {
  /** Seconds between two heartbeats of one node, > 0. */
  readonly interval: Seconds
  /** Node i of N beats i/N of an interval after node 0; otherwise all beat together. */
  readonly stagger: boolean
}

/** How the replicas of a block are spread over nodes. */
export interface ReplicaRule {
  /** Replicas per block, at least 1 (HDFS default 3). */
  readonly factor: number
  /** `hdfs`: one anywhere, two on distinct nodes of one other rack, further ones anywhere; `uniform`: distinct nodes anywhere. */
  readonly placement: 'hdfs' | 'uniform'
}

/** Nodes of one kind. */
export interface NodeGroup {
  /** Node names are `<name>-<index>`; default `node`. */
  readonly name?: string
  readonly count: number
  /** Spread over this many racks, as evenly as can be, in order; or the path of group names from the rack up (`['r1', 'row A']`). */
  readonly racks?: number | readonly string[]
  /** Named slots: every slot type is scheduled on its own. */
  readonly slots?: Readonly<Record<string, number>>
  /** Named amounts (millicores, MiB, milli-GPU, ...), scheduled together. */
  readonly resources?: Readonly<Record<string, number>>
  /** Relative speed, 1 = nominal. */
  readonly speed?: number
  /** What constraints of jobs may ask for, for example `{ model: 'T4' }`. */
  readonly labels?: Readonly<Record<string, string>>
}

/** A cluster as a file or a program describes it. */
export interface ClusterDescription {
  readonly name?: string
  readonly nodes: readonly NodeGroup[]
  readonly heartbeat?: Heartbeat | undefined
  readonly replicas?: ReplicaRule | undefined
}

/** Above this a number of nodes is a slip of the hand: ten times the largest cluster of the literature. */
const MOST_NODES = 1_000_000

const name = z.string().min(1)
const amounts = z.record(name, z.int().min(0).max(2 ** 31 - 1))
const shape = {
  racks: z
    .union([z.int().min(1), z.array(name).min(1)])
    .optional()
    .describe('number of racks that the nodes are spread over, as evenly as can be; or the names of their groups from the rack up; default: no racks'),
  slots: amounts.optional().describe('slots per node by type, for example { map: 4, reduce: 2 }: every type is scheduled on its own'),
  resources: amounts.optional().describe('amounts per node by resource (millicores, MiB, ...), scheduled together; instead of slots'),
  speed: z.number().positive().optional().describe('relative speed; default 1'),
  labels: z
    .union([z.array(name), z.record(name, z.union([z.string(), z.number(), z.boolean()]))])
    .optional()
    .describe('what constraints of jobs may ask for, for example { model: T4 }; or names alone, whose value is then "true"'),
}
const count = z.int().min(1).max(MOST_NODES)

const nodeGroup = z.strictObject({
  name: name.optional().describe('nodes are called <name>-0, <name>-1, ...; default node'),
  count: count.describe('number of nodes'),
  ...shape,
})

const heartbeat = z.strictObject({
  interval: z.number().positive().describe('seconds between two heartbeats of a node; Hadoop on small clusters: 3'),
  stagger: z.boolean().default(true).describe('spread the beats of the nodes over the interval; otherwise all beat together'),
})

const replicas = z.strictObject({
  factor: z.int().min(1).max(100).default(3).describe('replicas per block'),
  placement: z
    .enum(['hdfs', 'uniform'])
    .default('hdfs')
    .describe('hdfs: one anywhere, two on distinct nodes of one other rack, further ones anywhere; uniform: distinct nodes anywhere'),
})

/** A cluster as a file describes it: a list of node groups, or a number of nodes that are all alike. */
export const clusterSchema = z
  .strictObject({
    name: name.optional().describe('for reports; default cluster'),
    nodes: z.union([count, z.array(nodeGroup).min(1)]).describe('groups of nodes; or a number of nodes, which the keys beside it describe'),
    ...shape,
    heartbeat: heartbeat.optional().describe('heartbeats carry reports and tasks; without them every change reaches the master at once'),
    replicas: replicas.optional().describe('how the replicas of blocks are spread over the nodes; default: 3, as HDFS does'),
  })
  .describe('Nodes, racks, slots or resources, heartbeats and block replicas of a cluster')
export type ClusterInput = z.input<typeof clusterSchema>

/** A described cluster with its short forms written out. Throws `BAD_INPUT` with the field, what was found and what was expected. */
export function readCluster(value: unknown): ClusterDescription {
  const read = clusterSchema.safeParse(value)
  if (read.success) return written(read.data)
  const { at, fact, wayOut } = describeIssues(clusterSchema, value, read.error.issues)
  throw bad(fact, fieldOf(at), wayOut)
}

const bad = (fact: string, field: string, wayOut = '') => new SchedError('BAD_INPUT', fact, field === '' ? {} : { field }, wayOut)

/** What a schema cannot say, and the short form as a list of one group. */
function written({ nodes, racks, slots, resources, speed, labels, ...rest }: z.output<typeof clusterSchema>): ClusterDescription {
  const beside = { racks, slots, resources, speed, labels }
  const groups = typeof nodes === 'number' ? [{ count: nodes, ...beside }] : nodes
  if (groups === nodes)
    for (const [key, value] of Object.entries(beside))
      if (value !== undefined) throw bad('stands beside a list of node groups.', key, 'Put it into the groups, or give `nodes` a number.')
  const at = (index: number, key: string) => (groups === nodes ? `nodes[${index}].${key}` : key)
  for (const [index, { count, racks }] of groups.entries())
    if (typeof racks === 'number' && racks > count) throw bad(`${racks} racks for ${count} nodes.`, at(index, 'racks'), 'Use at most one rack per node.')
  if (groups.reduce((sum, group) => sum + group.count, 0) > MOST_NODES) throw bad(`more than ${MOST_NODES} nodes.`, 'nodes')
  const names = groups.flatMap((group) => ('name' in group && group.name !== undefined ? [group.name] : []))
  const twice = names.findIndex((each, index) => names.indexOf(each) !== index)
  if (twice !== -1) throw bad(`two node groups are called "${names[twice]}".`, 'nodes', 'Give every group a name of its own.')
  if (!groups.some((group) => Object.values({ ...group.slots, ...group.resources }).some((amount) => amount > 0)))
    throw bad('no node has a slot or a resource.', 'nodes', 'Add for example `slots: { map: 4, reduce: 2 }`.')
  const written = groups.map((group) => defined({ ...group, labels: namedLabels(group.labels) }))
  return defined({ ...rest, nodes: written }) as unknown as ClusterDescription
}

/** Labels as text by name. */
function namedLabels(labels: z.output<typeof shape.labels>): Record<string, string> | undefined {
  if (labels === undefined) return undefined
  return Object.fromEntries(Array.isArray(labels) ? labels.map((label) => [label, 'true']) : Object.entries(labels).map(([label, value]) => [label, String(value)]))
}

/** Without the keys that are not set: exact optional properties tell them from absent ones. */
const defined = <T extends object>(value: T) => Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined))
