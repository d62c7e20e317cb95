import type { NodeId } from '@sched/core'

/** A flavor: nodes of one kind, which have quota of their own. */
export interface Flavor {
  readonly name: string
  /** By node: 1 if it is of this flavor; `undefined`: all nodes are. */
  readonly has: Uint8Array | undefined
  /** Total of its nodes, by resource. */
  readonly capacity: Float64Array
  /** By resource: the column of its quota. */
  readonly columns: Int32Array
  /** Only for a choice of the parts of a job that is one gang: by part, the index of the flavor or mix of the part. */
  readonly ofParts?: readonly number[]
}

export const isOf = ({ has }: Flavor, node: NodeId): boolean => has === undefined || has[node] === 1

/** Whether so many tasks fit on the nodes of the flavor at once; `roomOn`: the tasks that a node holds when it is empty. */
export function holds({ has }: Flavor, tasks: number, roomOn: (node: NodeId) => number): boolean {
  if (has === undefined) return true // with all nodes nothing need be checked: a job that they could not hold was refused before
  let room = 0
  for (let node = 0; node < has.length && room < tasks; node++) if (has[node] === 1) room += roomOn(node as NodeId)
  return room >= tasks
}
