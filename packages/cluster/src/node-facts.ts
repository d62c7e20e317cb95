import type { Constraints, Lane, NodeId, NodePower, NodeSleep, ResourceId, ScaledGroup, Seconds, StageSpec } from '@sched/core'
import type { ClusterModel } from './model.js'
import type { Shapes } from './shapes.js'

/** What nodes are, whatever runs on them: a part of `ClusterView`. */
export class NodeFacts {
  readonly nodes: number
  readonly resources: readonly string[]
  readonly lanes: readonly Lane[]
  readonly levels: number
  readonly heartbeat: Seconds
  readonly labels: readonly string[]
  /** The cluster whose state this is. */
  readonly model: ClusterModel
  /** What tasks ask for, by shape. */
  readonly shapes: Shapes
  readonly power: readonly (NodePower | undefined)[] | undefined
  readonly sleep: readonly (NodeSleep | undefined)[] | undefined
  readonly autoscale: readonly ScaledGroup[] | undefined

  constructor(model: ClusterModel, shapes: Shapes) {
    this.model = model
    this.shapes = shapes
    this.nodes = model.nodes
    this.resources = model.resources
    this.lanes = model.lanes
    this.levels = model.groups.length
    this.labels = model.labels.keys
    this.power = model.power
    this.sleep = model.sleep
    this.autoscale = model.autoscale
    this.heartbeat = model.heartbeat?.interval ?? 0
  }

  deviceSize(resource: ResourceId): number {
    return this.model.devices?.sizes[resource] ?? 0
  }
  devices(node: NodeId, resource: ResourceId): number {
    return this.model.devices?.counts[resource * this.nodes + node] ?? 0
  }
  couldHold({ demand, constraints }: StageSpec, node: NodeId): number {
    return this.shapes.roomOn(this.shapes.intern(demand, constraints), node)
  }
  group(level: number, node: NodeId): number {
    return (this.model.groups[level] as Int32Array)[node] as number
  }
  groups(level: number): number {
    return (this.model.groupNames[level] as readonly string[]).length
  }
  groupName(level: number, group: number): string {
    return this.model.groupNames[level]?.[group] ?? ''
  }
  speed(node: NodeId): number {
    return this.model.speed[node] as number
  }
  name(node: NodeId): string {
    return this.model.nodeNames[node] ?? ''
  }
  label(node: NodeId, key: string): string | undefined {
    return this.model.labels.of(node, key)
  }
  get hasSoftTaints(): boolean {
    return this.model.labels.softTaints.length > 0
  }
  keepsOff(constraints: Constraints | undefined, node: NodeId): string | undefined {
    return this.shapes.keepsOff(constraints, node)
  }
}
