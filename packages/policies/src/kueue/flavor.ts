import type { NodeId } from '@sched/core'

/** Nodes of one kind. */
export interface Flavor {
  readonly name: string
  /** By node; undefined: all nodes are of it. */
  readonly has: Uint8Array | undefined
  /** Amounts of its nodes together, by resource. */
  readonly capacity: Float64Array
  /** By resource: where its quota is. */
  readonly columns: Int32Array
  /** Of what the parts of a job that is one gang have, by part: what each has, by index. */
  readonly ofParts?: readonly number[]
}

export const isOf = ({ has }: Flavor, node: NodeId): boolean => has === undefined || has[node] === 1

/** Whether so many tasks could be on the nodes of the flavor together, each of which could take as many as `roomOn` says if it were empty. */
export function holds({ has }: Flavor, tasks: number, roomOn: (node: NodeId) => number): boolean {
  if (has === undefined) return true // a job that no nodes could hold is refused before
  let room = 0
  for (let node = 0; node < has.length && room < tasks; node++) if (has[node] === 1) room += roomOn(node as NodeId)
  return room >= tasks
}
