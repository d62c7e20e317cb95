import { describeIssues, fieldOf, lostKey, nearest, SchedError, withoutUndefined, type Seconds, type Taint } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { checkPower, powerSchema, type PowerRule } from './power.js'
import { autoscaleSchema, wrongSize, type AutoscaleRule } from './autoscale.js'
import { sleepSchema, type SleepRule } from './sleep.js'
import { taintOf } from './taints.js'
import { nodeTwice } from './node-names.js'

/** Heartbeats of nodes. Without them every change reaches the master at once. */
export interface Heartbeat {
  /** Seconds between two heartbeats of one node, > 0. */
  readonly interval: Seconds
  /** True: node i of N beats i/N of an interval after node 0. False: all beat together. Default true. */
  readonly stagger?: boolean | undefined
}

/** How the replicas of a block are spread over nodes. */
export interface ReplicaRule {
  /** Replicas per block, at least 1 (HDFS default 3). */
  readonly factor: number
  /** `hdfs`: one anywhere, two on distinct nodes of one other rack, further ones anywhere; `uniform`: distinct nodes anywhere. */
  readonly placement: 'hdfs' | 'uniform'
}

/** Devices of one kind on each node. */
export interface Devices {
  /** Number of devices per node, at most 30. */
  readonly count: number
  /** Amount of one device, the same in the whole cluster: 1000 lets tasks ask for thousandths. */
  readonly milli: number
}

/** Nodes change their number of slots by how much of their hardware tasks really use. The described slots are the maximum. */
export interface DynamicSlotsRule {
  /** Slots of each type that a node always keeps. */
  readonly min: number
  /** Slots of each type at the start; default all. */
  readonly initial?: number | undefined
  /** Seconds between two checks, > 0. */
  readonly interval: Seconds
  /** A node gains a slot when less than this fraction of every kind of hardware is used. */
  readonly below: number
  /** A node loses a slot when more than this fraction of any kind of hardware is used. */
  readonly above: number
}

/** Nodes of one kind. */
export interface NodeGroup {
  /** Prefix of the node names, `<name>-<index>`; default `node`. */
  readonly name?: string
  /** Names of the nodes, one for each, in place of `name`. */
  readonly names?: readonly string[]
  /** How many nodes, at least 1. */
  readonly count: number
  /**
   * Number of racks, over which the nodes are spread as evenly as possible, in order: of groups without a `name` the same `rack0`, `rack1`, ... for all,
   * of one with a name its own (`old-rack0`); or one path of group names from the rack up (`['r1', 'row A']`), which several groups may share.
   */
  readonly racks?: number | readonly string[]
  /** Slots per node by type; every slot type is scheduled on its own. */
  readonly slots?: Readonly<Record<string, number>>
  /** Amounts per node by resource (millicores, MiB, milli-GPU, ...), scheduled together. */
  readonly resources?: Readonly<Record<string, number>>
  /** Resources in devices of equal size, scheduled together with the others: a task gets a share of one device, or whole devices. */
  readonly devices?: Readonly<Record<string, Devices>>
  /** Relative speed, 1 = nominal. */
  readonly speed?: number
  /** Real hardware of a node by kind: `{ cores: 8, disks: 2, memory: 16 }`. Tasks that use more than that slow each other down. */
  readonly hardware?: Readonly<Record<string, number>>
  /** Relative speed by kind of hardware, in addition to `speed`: `{ cores: 2, disks: 1 }`; default 1. */
  readonly speeds?: Readonly<Record<string, number>>
  /** What each node draws, in watts; absent: its energy is not counted. */
  readonly power?: PowerRule
  /** When each node goes to sleep; absent: never. Not possible with heartbeats. */
  readonly sleep?: SleepRule
  /** How the number of nodes follows demand, up to `count`; absent: all are always there. Not possible with heartbeats. */
  readonly autoscale?: AutoscaleRule
  /** Labels that constraints of jobs may ask for, for example `{ model: 'T4' }`. */
  readonly labels?: Readonly<Record<string, string>>
  /** Taints, which keep off tasks that do not tolerate them. */
  readonly taints?: readonly Taint[]
}

/** A cluster as a file or a program describes it. */
export interface ClusterDescription {
  /** For reports. */
  readonly name?: string
  /** Groups of equal nodes; nodes are numbered through them in order. */
  readonly nodes: readonly NodeGroup[]
  /** How nodes report; absent: the master knows every change at once. */
  readonly heartbeat?: Heartbeat | undefined
  /** Where replicas of blocks without given hosts are placed. Default: 3 replicas, as in HDFS. */
  readonly replicas?: ReplicaRule | undefined
  /** How nodes change their number of slots; absent: they do not. */
  readonly dynamicSlots?: DynamicSlotsRule | undefined
}

/** Most devices per node, since an integer with one bit per device says which of them a task holds. */
const MOST_DEVICES = 30
/** A larger number of nodes is a typing error: ten times the largest cluster of the literature. */
const MOST_NODES = 1_000_000
/** Bounds in seconds. Below, a run consists of heartbeats only; above, work waits so long that it looks forgotten. */
const [LEAST_INTERVAL, MOST_INTERVAL] = [0.001, 86_400]

/** A factor beyond these bounds is a typing error; one near 0 would let tasks run for ever. */
const speed = z.number().positive().min(1e-6).max(1e6)

const name = z.string().min(1)
const amounts = z.record(name, z.int().min(0).max(2 ** 31 - 1))
const devices = z.record(
  name,
  z.union([
    z.int().min(0).max(MOST_DEVICES),
    z.strictObject({
      count: z.int().min(0).max(MOST_DEVICES).describe('devices per node'),
      milli: z.int().min(1).max(1_000_000).default(1000).describe('amount of one device; a task asks for a share of one or a multiple of this'),
    }),
  ]),
)
const shape = {
  racks: z
    .union([z.int().min(1), z.array(name).min(1)])
    .optional()
    .describe('number of racks that the nodes are spread over, as evenly as can be: the same for all groups of nodes without a name, its own for one with a name; or the names of their groups from the rack up; default: no racks'),
  slots: amounts.optional().describe('slots per node by type, for example { map: 4, reduce: 2 }: every type is scheduled on its own'),
  resources: amounts.optional().describe('amounts per node by resource (millicores, MiB, ...), scheduled together; instead of slots'),
  devices: devices.optional().describe('devices per node by resource, for example { gpu: 8 } or { gpu: { count: 8, milli: 1000 } }: tasks ask for a share of one (gpu: 500) or for whole ones (gpu: 2000)'),
  speed: speed.optional().describe('relative speed; default 1'),
  hardware: z
    .record(name, z.number().positive().min(1e-6).max(Number.MAX_SAFE_INTEGER))
    .optional()
    .describe('what a node really has, for example { cores: 8, disks: 2, memory: 16 }: tasks that together use more slow each other down'),
  speeds: z.record(name, speed).optional().describe('relative speed by kind of hardware, for example { cores: 2, disks: 1 }; default 1'),
  power: powerSchema.optional().describe('what a node draws, for example { idle: 100, busy: 250 }; default: its energy is not counted'),
  sleep: sleepSchema.optional().describe('when a node goes to sleep and how long it takes to wake, for example { after: 600, wake: 120 }; only without heartbeats; default: never'),
  autoscale: autoscaleSchema.optional().describe('the number of nodes follows demand, from min to the count of the group, for example { min: 2, provision: 120 }; only without heartbeats; default: all are always there'),
  labels: z
    .union([z.array(name), z.record(name, z.union([z.string(), z.number(), z.boolean()]))])
    .optional()
    .describe('what constraints of jobs may ask for, for example { model: T4 }; or names alone, whose value is then "true"'),
  taints: z
    .array(z.union([
      z.string().refine((text) => taintOf(text) !== undefined, 'a taint such as gpu=present:NoSchedule'),
      z.strictObject({
        key: name.describe('what tolerations name'),
        value: z.string().optional().describe('what tolerations compare with theirs; default: empty'),
        effect: z.enum(['NoSchedule', 'NoExecute', 'PreferNoSchedule']).describe('PreferNoSchedule keeps nobody off, the others do'),
      }),
    ]))
    .optional()
    .describe('what keeps jobs off that do not tolerate it, as kubectl writes it: gpu=present:NoSchedule; or { key, value, effect }. PreferNoSchedule keeps nobody off'),
}
const count = z.int().min(1).max(MOST_NODES)

/** Advice for an unknown key with a number: it is most likely an amount per node, since resource names are free. */
const amountsInside = (issue: { readonly code?: string; readonly keys?: readonly string[]; readonly input?: unknown }): string | undefined => {
  const [key = ''] = issue.keys ?? []
  const amount = (issue.input as Readonly<Record<string, unknown>> | undefined)?.[key]
  if (issue.code !== 'unrecognized_keys'
    || typeof amount !== 'number'
    || nearest(key, ['name', 'names', 'nodes', 'count', 'heartbeat', ...Object.keys(shape)]) !== undefined)
    return undefined
  const written = `{ ${key}: ${amount} }`
  return /^gpus?$/i.test(key)
    ? `What a node has stands inside: resources: ${written}, or devices: ${written} where tasks take shares of one`
    : /^(map|reduce)s?$/i.test(key) ? `What a node has stands inside: slots: ${written}` : `What a node has stands inside: resources: ${written}, by the names that the jobs use`
}

const nodeGroup = z.strictObject(
  {
    name: name.optional().describe('nodes are called <name>-0, <name>-1, ...; default node'),
    names: z.array(name).optional().describe('the names of the nodes instead, one each'),
    count: count.describe('number of nodes'),
    ...shape,
  },
  { error: amountsInside },
)

const heartbeat = z.strictObject({
  interval: z.number().min(LEAST_INTERVAL).max(MOST_INTERVAL).describe('seconds between two heartbeats of a node; Hadoop on small clusters: 3'),
  stagger: z.boolean().default(true).describe('spread the beats of the nodes over the interval; otherwise all beat together'),
})

const replicas = z.strictObject({
  factor: z.int().min(1).max(100).default(3).describe('replicas per block'),
  placement: z
    .enum(['hdfs', 'uniform'])
    .default('hdfs')
    .describe('hdfs: one anywhere, two on distinct nodes of one other rack, further ones anywhere; uniform: distinct nodes anywhere'),
})

const fraction = z.number().nonnegative()
const dynamicSlots = z.strictObject({
  min: z.int().min(0).default(1).describe('slots of each type that a node keeps at least; those described are the most'),
  initial: z.int().min(0).optional().describe('slots of each type at the start; default those described'),
  interval: z.number().min(LEAST_INTERVAL).default(10).describe('seconds between two looks at what is used'),
  below: fraction.default(0.7).describe('one slot more when less than this fraction of every kind of hardware is used'),
  above: fraction.default(0.9).describe('one slot fewer when more than this fraction of any kind is used'),
})

/** A cluster as a file describes it: a list of node groups, or a number of nodes that are all alike. */
export const clusterSchema = z
  .strictObject(
    {
      name: name.optional().describe('for reports; default cluster'),
      nodes: z.union([count, z.array(nodeGroup).min(1)]).describe('a number of nodes, which the keys beside it describe; or groups of nodes'),
      ...shape,
      heartbeat: heartbeat.optional().describe('heartbeats carry reports and tasks; without them every change reaches the master at once'),
      replicas: replicas.optional().describe('how the replicas of blocks are spread over the nodes; default: 3, as HDFS does'),
      dynamicSlots: dynamicSlots.optional().describe("nodes change their slots by what tasks really use of their hardware (SlotsAdjuster); default: they do not"),
    },
    { error: amountsInside },
  )
  .describe('Nodes, racks, slots or resources, heartbeats and block replicas of a cluster')
/** A cluster as a file or a program writes it: `readCluster` checks it and fills in what it leaves out. */
export type ClusterInput = z.input<typeof clusterSchema>

/** Descriptions that `readCluster` has returned. They are not checked again, which took noticeable time for thousands of machines. */
const known = new WeakSet<ClusterDescription>()

/** A described cluster with its short forms expanded. Throws `BAD_INPUT` with the field, what was found and what was expected. */
export function readCluster(value: unknown): ClusterDescription {
  if (known.has(value as ClusterDescription)) return value as ClusterDescription
  if (value === undefined) throw bad('is missing.', 'cluster', 'Describe one, for example { nodes: [{ count: 10, resources: { cpu: 8 } }] }.')
  const read = clusterSchema.safeParse(value)
  if (read.success) {
    const lost = lostKey(value)
    if (lost !== undefined) throw bad('nothing can be called "__proto__".', fieldOf(lost), 'Take another name.')
    const description = written(read.data)
    known.add(description)
    return description
  }
  const { at, fact, wayOut } = describeIssues(clusterSchema, value, read.error.issues)
  throw bad(fact, fieldOf(at), wayOut)
}

const bad = (fact: string, field: string, wayOut = '') => new SchedError('BAD_INPUT', fact, field === '' ? {} : { field }, wayOut)

/** Checks what a schema cannot express, and expands the short form to a list of one group. */
function written({ nodes, racks, slots, resources, devices, speed, hardware, speeds, power, sleep, autoscale, labels, taints, ...rest }: z.output<typeof clusterSchema>): ClusterDescription {
  const beside = { racks, slots, resources, devices, speed, hardware, speeds, power, sleep, autoscale, labels, taints }
  const groups = typeof nodes === 'number' ? [{ count: nodes, ...beside }] : nodes
  if (groups === nodes)
    for (const [key, value] of Object.entries(beside))
      if (value !== undefined) throw bad('stands beside a list of node groups.', key, 'Put it into the groups, or give `nodes` a number.')
  const at = (index: number, key: string) => (groups === nodes ? `nodes[${index}].${key}` : key)
  for (const [index, { count, racks }] of groups.entries())
    if (typeof racks === 'number' && racks > count) throw bad(`${racks} racks for ${count} node${count === 1 ? '' : 's'}.`, at(index, 'racks'), 'Use at most one rack per node.')
  if (groups.reduce((sum, group) => sum + group.count, 0) > MOST_NODES) throw bad(`more than ${MOST_NODES} nodes.`, 'nodes', `Simulate at most ${MOST_NODES}, a part of the cluster.`)
  for (const [index, group] of groups.entries()) {
    const given = 'names' in group ? group.names : undefined
    if (given !== undefined && given.length !== group.count) throw bad(`${given.length} names for ${group.count} nodes.`, at(index, 'names'), 'Give one per node.')
  }
  for (const [index, { hardware = {}, speeds = {} }] of groups.entries())
    for (const kind of Object.keys(speeds))
      if (!Object.hasOwn(hardware, kind)) throw bad(`a speed of "${kind}", which the nodes do not have.`, at(index, 'speeds'), 'Name it in `hardware`, too.')
  const names = groups.flatMap((group) => ('name' in group && group.name !== undefined ? [group.name] : []))
  const twice = names.findIndex((each, index) => names.indexOf(each) !== index)
  if (twice !== -1) throw bad(`two node groups are called "${names[twice]}".`, 'nodes', 'Give every group a name of its own.')
  const called = groups === nodes ? nodeTwice(groups) : undefined
  if (called !== undefined) throw bad(`two nodes are called "${called}".`, 'nodes', 'Give every node a name of its own.')
  const written = groups.map((group) => withoutUndefined({ ...group, devices: countedDevices(group.devices), labels: namedLabels(group.labels), taints: asTaints(group.taints) }))
  for (const [index, group] of written.entries()) checkResourceNames(group, (kind) => at(index, kind))
  checkDevices(written)
  for (const [index, group] of written.entries()) checkPower(group, at(index, 'power'))
  if (!groups.some((group) => Object.values({ ...group.slots, ...group.resources, ...group.devices }).some((amount) => (typeof amount === 'number' ? amount : amount.count) > 0)))
    throw bad('no node has a slot or a resource.', 'nodes', 'Add for example `slots: { map: 4, reduce: 2 }`.')
  if (rest.dynamicSlots !== undefined) checkDynamicSlots(groups)
  const asleep = written.findIndex(({ sleep }) => sleep !== undefined)
  if (asleep !== -1 && rest.heartbeat !== undefined)
    throw bad('nodes that sleep send no heartbeats.', at(asleep, 'sleep'), 'Leave out `heartbeat`, so that every change is known at once, or `sleep`.')
  for (const [index, group] of written.entries()) checkScale(group, rest.heartbeat !== undefined, (key) => at(index, key))
  return withoutUndefined({ ...rest, nodes: written })
}

/** Throws for a group whose size cannot follow demand as described. */
function checkScale({ autoscale, sleep, count }: NodeGroup, hasHeartbeats: boolean, at: (key: string) => string): void {
  if (autoscale === undefined) return
  if (hasHeartbeats) throw bad('nodes that come and go send no heartbeats.', at('autoscale'), 'Leave out `heartbeat`, so that every change is known at once, or `autoscale`.')
  if (sleep !== undefined) throw bad('nodes either sleep or are removed.', at('autoscale'), 'Leave out `sleep` or `autoscale`, or describe two groups.')
  const wrong = wrongSize(autoscale, count)
  if (wrong !== undefined) throw bad(wrong[1], at(`autoscale.${wrong[0]}`), 'The `count` of the group is the most that it may have.')
}

function checkDynamicSlots(groups: readonly Pick<z.output<typeof nodeGroup>, 'slots' | 'hardware'>[]): void {
  if (groups.some(({ slots }) => slots === undefined)) throw bad('the nodes have no slots.', 'dynamicSlots', 'Describe their most slots as `slots`.')
  if (groups.some(({ hardware }) => hardware === undefined))
    throw bad('nothing says what the nodes really have.', 'dynamicSlots', 'Add `hardware`, for example { cores: 8, memory: 16 }.')
}

function countedDevices(devices: z.output<typeof shape.devices>): Record<string, Devices> | undefined {
  if (devices === undefined) return undefined
  return Object.fromEntries(Object.entries(devices).map(([kind, each]) => [kind, typeof each === 'number' ? { count: each, milli: 1000 } : each]))
}

/** Throws for a name that is a whole number: such keys of an object come before all others, and which resource is the first matters. */
function checkResourceNames(group: NodeGroup, at: (kind: string) => string): void {
  for (const kind of ['slots', 'resources', 'devices'] as const) {
    const number = Object.keys(group[kind] ?? {}).find((name) => /^(0|[1-9]\d*)$/.test(name))
    if (number !== undefined) throw bad(`"${number}" is no name of a resource.`, at(kind), `Begin it with a letter, as in r${number}.`)
  }
}

/** Throws unless a resource that comes in devices does so in all groups, with one size: otherwise its amounts would mean two things. */
function checkDevices(groups: readonly NodeGroup[]): void {
  const sizes = new Map<string, number>()
  for (const [index, group] of groups.entries()) {
    const field = `nodes[${index}].devices`
    for (const [kind, { milli }] of Object.entries(group.devices ?? {})) {
      const size = sizes.get(kind) ?? milli
      if (size !== milli) throw bad(`devices of ${size} and of ${milli} milli.`, `${field}.${kind}`, 'Give all devices of one name the same size, or name them differently.')
      sizes.set(kind, size)
    }
    if (Object.values(group.devices ?? {}).reduce((sum, { count }) => sum + count, 0) > MOST_DEVICES) throw bad(`more than ${MOST_DEVICES} devices on a node.`, field, 'Give it fewer, or describe them as a resource, which is counted alone.')
    if (group.devices !== undefined && group.slots !== undefined) throw bad('devices stand beside slots.', field, 'Describe slots as resources with one name each.')
  }
  for (const [index, { resources = {} }] of groups.entries())
    for (const kind of Object.keys(resources))
      if (sizes.has(kind))
        throw bad('is a resource here and comes in devices.', `nodes[${index}].resources.${kind}`, 'Describe it as devices in all groups.')
}

/** Labels as text, by name. */
function namedLabels(labels: z.output<typeof shape.labels>): Record<string, string> | undefined {
  if (labels === undefined) return undefined
  return Object.fromEntries(Array.isArray(labels) ? labels.map((label) => [label, 'true']) : Object.entries(labels).map(([label, value]) => [label, String(value)]))
}

function asTaints(taints: z.output<typeof shape.taints>): Taint[] | undefined {
  return taints?.flatMap((taint) => (typeof taint === 'string' ? (taintOf(taint) ?? []) : withoutUndefined(taint)))
}
