import type { NodeId } from '@sched/core'

/** Puts nodes for all tasks into `places`, of those with room, which is enough. */
type Choose = (room: Int32Array, places: NodeId[]) => void

/**
 * Nodes for so many tasks, on at most so many nodes, into `places`; false where none are found. `room` is that of each node, enough in all. Where those that would be chosen
 * are too many, nodes without room for two tasks are left out, then those without room for three, and so on: the first that are few enough are taken.
 *
 * Source: Slurm, `_choose_nodes` of select/cons_tres. Deviation: nodes are left out by the tasks that they have room for (Slurm: by processors).
 */
export function onFewNodes(choose: Choose, room: Int32Array, tasks: number, most: number, places: NodeId[]): boolean {
  const left = room.slice()
  const largest = room.reduce((all, each) => Math.max(all, each), 0)
  for (let least = 1; least <= largest; least++) {
    let [sum, isLess] = [0, least === 1]
    for (let node = 0; node < left.length; node++) {
      const here = left[node] as number
      if (here > 0 && here < least) {
        left[node] = 0
        isLess = true
      } else sum += here
    }
    if (sum < tasks) break
    if (!isLess) continue
    choose(left, places)
    if (new Set(places).size <= most) return true
  }
  places.length = 0
  return false
}
