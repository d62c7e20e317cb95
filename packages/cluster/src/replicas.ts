import { hashUnit } from '@sched/core'
import type { ClusterModel } from './model.js'

/**
 * Writes the nodes that hold a block's replicas to `out[at ..]`. The result depends only on (key, block), so jobs that read one data set, and all
 * policies compared on one seed, find the same blocks.
 *
 * `hdfs`: the first replica anywhere, the second and third on distinct nodes of one other rack, further ones anywhere; `uniform`: anywhere. Replicas
 * are on distinct nodes while the cluster has enough of them; the rest repeat the first node.
 */
export function placeReplicas(model: ClusterModel, key: number, block: number, out: Int32Array, at: number): void {
  const { factor, placement } = model.replicas
  const first = Math.floor(hashUnit(key, block, 0) * model.nodes)
  out[at] = first
  let placed = 1
  if (placement === 'hdfs' && model.rackStart.length > 2) placed = otherRack(model, key, block, out, at)
  for (let draw = 3; placed < factor; placed++) {
    let node = first
    if (placed < model.nodes) while (holds(out, at, placed, node)) node = Math.floor(hashUnit(key, block, draw++) * model.nodes)
    out[at + placed] = node
  }
}

/** Places replicas 2 and 3 on one rack other than that of the first; returns the number of replicas placed now. */
function otherRack(model: ClusterModel, key: number, block: number, out: Int32Array, at: number): number {
  const { byRack, rackStart, nodes } = model
  const { factor } = model.replicas
  if (factor === 1) return 1
  const racks = model.groups[1] as Int32Array
  const taken = racks[out[at] as number] as number
  const from = rackStart[taken] as number
  const size = (rackStart[taken + 1] as number) - from
  let index = Math.floor(hashUnit(key, block, 1) * (nodes - size))
  if (index >= from) index += size
  const second = byRack[index] as number
  out[at + 1] = second
  const start = rackStart[racks[second] as number] as number
  const mates = (rackStart[(racks[second] as number) + 1] as number) - start - 1
  if (factor === 2 || mates === 0) return 2
  let mate = start + Math.floor(hashUnit(key, block, 2) * mates)
  if (mate >= index) mate += 1
  out[at + 2] = byRack[mate] as number
  return 3
}

function holds(out: Int32Array, at: number, count: number, node: number): boolean {
  for (let i = 0; i < count; i++) if (out[at + i] === node) return true
  return false
}
