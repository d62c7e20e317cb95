import type { NodeId } from '@sched/core'

/**
 * Nodes for a number of tasks, one entry per task, lowest first: the run of consecutive usable nodes with the least room
 * that holds them all; if none does, the one with the most room is used up and the rest placed in the same way. Ties: the
 * lower run.
 *
 * Source: Slurm's select plug-ins (best fit over consecutive nodes). `room[node]` is the number of tasks a node can take,
 * 0 for one that cannot be used; the sum is at least `tasks`.
 */
export function bestRuns(room: Int32Array, tasks: number, places: NodeId[]): void {
  places.length = 0
  const runs = runsOf(room)
  for (let left = tasks; left > 0; ) {
    const run = pick(runs, left)
    runs.splice(runs.indexOf(run), 1)
    for (let node = run.from; node < run.to && left > 0; node++)
      for (let i = Math.min(room[node] as number, left); i > 0; i--, left--) places.push(node as NodeId)
  }
}

interface Run {
  readonly from: number
  readonly to: number
  readonly room: number
}

function pick(runs: readonly Run[], left: number): Run {
  const enough = runs.filter((run) => run.room >= left)
  return enough.length > 0 ? enough.reduce((best, run) => (run.room < best.room ? run : best)) : runs.reduce((best, run) => (run.room > best.room ? run : best))
}

function runsOf(room: Int32Array): Run[] {
  const runs: Run[] = []
  for (let node = 0; node < room.length; node++) {
    if (room[node] === 0) continue
    const from = node
    let sum = 0
    while (node < room.length && room[node] !== 0) sum += room[node++] as number
    runs.push({ from, to: node, room: sum })
  }
  return runs
}
