export { clusterSchema, readCluster, type ClusterInput } from './description.js'
export { YamlSource } from './description-yaml.js'
export {
  buildCluster,
  nodeIds,
  resourceId,
  type ClusterDescription,
  type ClusterModel,
  type Heartbeat,
  type NodeGroup,
  type ReplicaRule,
} from './model.js'
export { CellState } from './cell-state.js'
export { Shapes } from './shapes.js'
export { BlockLists } from './block-lists.js'
export { placeReplicas } from './replicas.js'
export { Work, type BlockPlaces } from './work.js'
export { Draft, type DraftSink } from './draft.js'
