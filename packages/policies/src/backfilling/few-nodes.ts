import type { NodeId } from '@sched/core'

/** Writes a node for each task to `places`, of the nodes with room, which suffice for the tasks; false: they are too few for the job. */
type Choose = (room: Int32Array, places: NodeId[]) => boolean

/**
 * Chooses nodes for `tasks` tasks, at most `most` of them, into `places`; false if there is no such choice. `room`: tasks that each node has room for,
 * enough in all. If the chosen nodes are too many, nodes without room for two tasks are left out, then those without room for three, and so on, until
 * the choice is small enough.
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
    if (!choose(left, places)) break
    if (new Set(places).size <= most) return true
  }
  places.length = 0
  return false
}
