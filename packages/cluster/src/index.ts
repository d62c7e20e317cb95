export {
  clusterSchema, readCluster, type ClusterDescription, type ClusterInput, type Devices, type DynamicSlotsRule, type Heartbeat,
  type NodeGroup, type ReplicaRule,
} from './description.js'
export { YamlSource } from './description-yaml.js'
export { isKubernetesNodes, kubernetesNodes } from './kubernetes-nodes.js'
export { kubernetesObjects, quantityAt, type KubernetesObject } from './kubernetes-objects.js'
export { taintsAt, tolerationsAt } from './kubernetes-taints.js'
export { taintText } from './taints.js'
export { buildCluster, nodeIds, type ClusterModel } from './model.js'
export type { Hardware, HardwareUse } from './hardware.js'
export { CellState } from './cell-state.js'
export { infeasible, refusedWhole } from './infeasible.js'
export { Shapes } from './shapes.js'
export { placedBlocks, type BlockPlaces } from './block-places.js'
export { Work } from './work.js'
export type { DraftSink } from './draft-sink.js'
export { Draft } from './draft.js'
export { loseSuspended, loseSuspendedOn } from './interruptions.js'
export {
  Dispatcher, dispatcher, type Decisions, type DispatcherOptions, type HeartbeatOptions, type Placed, type RunningTask, type SubmittedJob,
  type SubmittedStage,
} from './dispatcher.js'
export { taskName, type TaskName } from './task-name.js'
