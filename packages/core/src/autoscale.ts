import type { NodeId, Seconds } from './ids.js'

/** A group of equal nodes of which as many are there as the autoscaler asks for. */
export interface ScaledGroup {
  /** Its name; absent: none was given. */
  readonly name?: string | undefined
  /** The first of its nodes; the others follow. */
  readonly first: NodeId
  /** Most nodes. */
  readonly count: number
  /** Fewest nodes. */
  readonly min: number
  /** Nodes at the start. */
  readonly initial: number
  /** Seconds from when a node is asked for to when it takes tasks. */
  readonly provision: Seconds
  /** What an hour of one node costs, in any currency; absent: not counted. */
  readonly price?: number | undefined
  /** The expander `priority` chooses the group with the largest. */
  readonly priority: number
}
