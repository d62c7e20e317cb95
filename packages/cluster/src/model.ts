import { SchedError, ownValue, type Lane, type NodeId, type NodePower, type NodeSleep, type ResourceId, type ScaledGroup } from '@sched/core'
import { scaledOf } from './autoscale.js'
import { DeviceTable } from './devices.js'
import { hardwareOf, type Hardware } from './hardware.js'
import { Labels } from './labels.js'
import { nodeNamesOf } from './node-names.js'
import { powerOf } from './power.js'
import { sleepOf } from './sleep.js'
import { readCluster, type ClusterDescription, type ClusterInput, type DynamicSlotsRule, type Devices, type Heartbeat, type NodeGroup, type ReplicaRule } from './description.js'

/** The facts of a cluster that never change, in columns; what changes is in `CellState`. */
export interface ClusterModel {
  /** For reports. */
  readonly name: string
  /** Number of nodes; their ids are 0 to `nodes` - 1. */
  readonly nodes: number
  /** Names of the nodes, by id. */
  readonly nodeNames: readonly string[]
  /** Names of all resources, including slot types, by id. */
  readonly resources: readonly string[]
  /** Lanes, by id. */
  readonly lanes: readonly Lane[]
  /** Amounts, `[resource * nodes + node]`. */
  readonly total: Int32Array
  /** Relative speed by node; 1 is nominal. */
  readonly speed: Float64Array
  /** What nodes have of each kind of hardware. */
  readonly hardware: Hardware
  /** Power model by node; `undefined` if no description gives one. */
  readonly power: readonly (NodePower | undefined)[] | undefined
  /** Sleep settings by node; `undefined` if no node ever sleeps. */
  readonly sleep: readonly (NodeSleep | undefined)[] | undefined
  /** Groups of nodes whose size follows demand; `undefined` if there is none. */
  readonly autoscale: readonly ScaledGroup[] | undefined
  /** Labels and taints by node. */
  readonly labels: Labels
  /** Resources that come in devices; `undefined` if none does. */
  readonly devices: DeviceTable | undefined
  /** `groups[level][node]` is the node's group at a level: the node itself at level 0, its rack at 1. */
  readonly groups: readonly Int32Array[]
  /** By level: names of the nodes, of the racks, of larger groups. */
  readonly groupNames: readonly (readonly string[])[]
  /** Nodes sorted by rack. */
  readonly byRack: Int32Array
  /** Index of each rack's first node in `byRack`; one entry more than racks. */
  readonly rackStart: Int32Array
  /** How nodes report; absent: the master knows every change at once. */
  readonly heartbeat: Heartbeat | undefined
  /** Where replicas of blocks without given hosts are placed. */
  readonly replicas: ReplicaRule
  /** How nodes change their slots by use; `undefined`: they do not. */
  readonly dynamicSlots: DynamicSlotsRule | undefined
}

/** Builds the columns of a described cluster. Throws `BAD_INPUT` for an impossible description. */
export function buildCluster(given: ClusterDescription | ClusterInput): ClusterModel {
  const description = readCluster(given)
  const { slots, names: resources } = resourceNames(description.nodes)
  const nodes = description.nodes.reduce((sum, { count }) => sum + count, 0)
  const { total, speed, nodeNames, paths } = nodeColumns(description.nodes, nodes, resources)
  const { groups, groupNames } = levelsOf(paths, nodes)
  return {
    name: description.name ?? 'cluster',
    nodes,
    nodeNames,
    resources,
    lanes: lanesOf(resources, slots),
    total,
    speed,
    hardware: hardwareOf(description.nodes, nodes),
    power: powerOf(description.nodes, resources),
    sleep: sleepOf(description.nodes),
    autoscale: scaledOf(description.nodes),
    labels: new Labels(description.nodes.flatMap((group) => Array<NodeGroup>(group.count).fill(group)), nodeNames),
    devices: deviceTable(description.nodes, resources, nodes),
    groups,
    groupNames: [nodeNames, ...groupNames],
    ...sortByRack(groups[1] ?? new Int32Array(nodes)),
    heartbeat: description.heartbeat,
    replicas: description.replicas ?? { factor: 3, placement: 'hdfs' },
    dynamicSlots: description.dynamicSlots,
  }
}

const bad = (fact: string, field: string, wayOut = '') => new SchedError('BAD_INPUT', fact, { field }, wayOut)

/** Names, resources, speeds and rack paths of the nodes, group by group. */
function nodeColumns(
  given: readonly NodeGroup[],
  nodes: number,
  resources: readonly string[],
): Pick<ClusterModel, 'total' | 'speed' | 'nodeNames'> & {
  readonly paths: readonly (readonly string[])[]
} {
  const total = new Int32Array(resources.length * nodes)
  const speed = new Float64Array(nodes)
  const nodeNames = nodeNamesOf(given)
  let node = 0
  const paths: (readonly string[])[] = []
  for (const group of given) {
    for (let i = 0; i < group.count; i++, node++) {
      speed[node] = group.speed ?? 1
      paths.push(rackPath(group, i))
      for (const [r, name] of resources.entries()) total[r * nodes + node] = ownValue(group.slots, name) ?? ownValue(group.resources, name) ?? amountOf(ownValue(group.devices, name))
    }
  }
  return { total, speed, nodeNames, paths }
}

const amountOf = (devices: Devices | undefined) => (devices === undefined ? 0 : devices.count * devices.milli)

function deviceTable(groups: readonly NodeGroup[], resources: readonly string[], nodes: number): DeviceTable | undefined {
  const sizes = resources.map((name) => groups.flatMap(({ devices }) => ownValue(devices, name)?.milli ?? [])[0] ?? 0)
  if (sizes.every((size) => size === 0)) return undefined
  const counts = new Int32Array(resources.length * nodes)
  let node = 0
  for (const group of groups)
    for (let i = 0; i < group.count; i++, node++)
      for (const [r, name] of resources.entries()) counts[r * nodes + node] = ownValue(group.devices, name)?.count ?? 0
  return new DeviceTable(sizes, counts, nodes)
}

function resourceNames(groups: readonly NodeGroup[]): { slots: Set<string>; names: string[] } {
  const slots = new Set(groups.flatMap((group) => Object.keys(group.slots ?? {})))
  const amounts = new Set(groups.flatMap((group) => [...Object.keys(group.resources ?? {}), ...Object.keys(group.devices ?? {})]))
  if (slots.size > 0 && amounts.size > 0)
    throw bad('a cluster has either slots or resources, not both', 'nodes', 'Describe slots as resources with one name each.')
  if (slots.size + amounts.size === 0) throw bad('no node group names slots or resources', 'nodes', 'Add for example `slots: { map: 2, reduce: 2 }`.')
  return { slots, names: [...slots, ...amounts] }
}

function lanesOf(resources: readonly string[], slots: ReadonlySet<string>): Lane[] {
  const ids = resources.map((_, r) => r as ResourceId)
  if (slots.size === 0) return [{ name: 'all', resources: ids }]
  return ids.map((r) => ({ name: resources[r] ?? '', resources: [r] }))
}

function rackPath(group: NodeGroup, index: number): readonly string[] {
  if (group.racks === undefined) return []
  if (typeof group.racks !== 'number') return group.racks
  return [`${group.name === undefined ? '' : `${group.name}-`}rack${Math.floor((index * group.racks) / group.count)}`]
}

/** By level above the nodes: the group of each node, and the groups' names. Throws `BAD_INPUT` where two are called alike, by names with a slash. */
function levelsOf(paths: readonly (readonly string[])[], nodes: number): { groups: Int32Array[]; groupNames: string[][] } {
  const depth = Math.max(0, ...paths.map((path) => path.length))
  const groups = [Int32Array.from({ length: nodes }, (_, node) => node)]
  const groupNames: string[][] = []
  for (let level = 0; level < depth; level++) {
    const ids = new Map<string, number>()
    const named = new Map<string, readonly string[]>()
    const column = new Int32Array(nodes)
    for (const [node, path] of paths.entries()) {
      const own = path.slice(level)
      const name = own.join('/') || `no group at level ${level + 1}`
      const other = named.get(name) ?? own
      if (other.length !== own.length || other.some((part, i) => part !== own[i]))
        throw bad(`the groups ${JSON.stringify(other)} and ${JSON.stringify(own)} are both called ${JSON.stringify(name)}`, 'nodes.racks', 'Name racks and larger groups without a slash.')
      named.set(name, own)
      column[node] = ids.get(name) ?? ids.size
      ids.set(name, column[node] ?? 0)
    }
    groups.push(column)
    groupNames.push([...ids.keys()])
  }
  return { groups, groupNames }
}

function sortByRack(racks: Int32Array): { byRack: Int32Array; rackStart: Int32Array } {
  const count = racks.reduce((most, rack) => Math.max(most, rack + 1), 0)
  const rackStart = new Int32Array(count + 1)
  for (const rack of racks) rackStart[rack + 1] = (rackStart[rack + 1] as number) + 1
  for (let rack = 0; rack < count; rack++) rackStart[rack + 1] = (rackStart[rack + 1] as number) + (rackStart[rack] as number)
  const byRack = Int32Array.from(racks.keys()).sort((a, b) => (racks[a] as number) - (racks[b] as number) || a - b)
  return { byRack, rackStart }
}

/** The id of a resource. Throws `BAD_INPUT` if the cluster has no resource of that name. */
export function resourceId(model: ClusterModel, name: string): ResourceId {
  const id = model.resources.indexOf(name)
  if (id < 0) throw bad(`the cluster has no resource "${name}"; it has ${model.resources.join(', ')}`, 'demand', 'Give its nodes that kind of slot or resource.')
  return id as ResourceId
}

/** All nodes in id order. */
export const nodeIds = (model: ClusterModel): NodeId[] => Array.from({ length: model.nodes }, (_, node) => node as NodeId)
