import type { NodeId } from '@sched/core'

/**
 * Writes the nodes of `tasks` tasks to `places`, one entry per task: those of the run of consecutive usable nodes with the least room that
 * holds them all. If no run does, the run with the most room is used up and the rest is placed in the same way. Ties: the lower run. Within a
 * run all tasks go to the node with the least room that holds them, ties to the lower one; if no node does, the lowest nodes are filled first.
 * With `weights`, by node, all nodes of a run have one weight, and runs of the least weight are used up before any others, whether or not they hold all.
 *
 * `room[node]` is the number of tasks that a node can take, 0 for one that cannot be used; the sum must be at least `tasks`.
 *
 * Source: Slurm, `_eval_nodes` of select/cons_tres (best fit over consecutive nodes).
 */
export function bestRuns(room: Int32Array, tasks: number, places: NodeId[], weights?: Float64Array): void {
  places.length = 0
  const runs = runsOf(room, weights)
  for (let left = tasks; left > 0; ) {
    const run = pick(weights === undefined ? runs : lightest(runs, weights), left)
    runs.splice(runs.indexOf(run), 1)
    const single = tightest(room, run, left)
    for (let node = single < 0 ? run.from : single; node < run.to && left > 0; node++)
      for (let i = Math.min(room[node] as number, left); i > 0; i--, left--) places.push(node as NodeId)
  }
}

interface Run {
  readonly from: number
  readonly to: number
  readonly room: number
}

/** The runs of the least weight. */
function lightest(runs: readonly Run[], weights: Float64Array): readonly Run[] {
  const least = Math.min(...runs.map(({ from }) => weights[from] as number))
  return runs.filter(({ from }) => weights[from] === least)
}

function pick(runs: readonly Run[], left: number): Run {
  const enough = runs.filter((run) => run.room >= left)
  return enough.length > 0 ? enough.reduce((best, run) => (run.room < best.room ? run : best)) : runs.reduce((best, run) => (run.room > best.room ? run : best))
}

/** The node of the run with the least room for all that is left, or -1. */
function tightest(room: Int32Array, run: Run, left: number): number {
  let best = -1
  for (let node = run.from; node < run.to; node++) if ((room[node] as number) >= left && (best < 0 || (room[node] as number) < (room[best] as number))) best = node
  return best
}

function runsOf(room: Int32Array, weights?: Float64Array): Run[] {
  const runs: Run[] = []
  for (let node = 0; node < room.length; ) {
    if (room[node] === 0) {
      node++
      continue
    }
    const from = node
    let sum = 0
    while (node < room.length && room[node] !== 0 && (weights === undefined || weights[node] === weights[from])) sum += room[node++] as number
    runs.push({ from, to: node, room: sum })
  }
  return runs
}
