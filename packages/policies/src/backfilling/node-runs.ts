import type { JobId, NodeId, WorkView } from '@sched/core'

/** On how many nodes tasks that start together are: at least so many, and so many if they have room; and whether these must be consecutive. */
export interface Spread {
  readonly least: number
  readonly wanted: number
  readonly isOneRun?: boolean
}

/**
 * On how many nodes `tasks` tasks of a job are that start together; `undefined` where too few have room. `room`: tasks that each node has room for. Of a job that
 * names most nodes that is as many as have room, up to `most`, those of its partition too; else the fewest that it asks for.
 *
 * Source: Slurm, `req_nodes` of `select_nodes`.
 */
export function spreadOf(job: JobId, work: WorkView, room: Int32Array, tasks: number, most: number): Spread | undefined {
  const [least, isNamed] = [Math.min(work.minNodes(job), tasks), work.maxNodes(job) < Infinity]
  if (least === 1 && !isNamed) return work.isContiguous(job) ? ONE_RUN : ANYWHERE
  let usable = 0
  for (let node = 0; node < room.length; node++) if (room[node] !== 0) usable++
  return usable < least ? undefined : { least, wanted: Math.max(least, Math.min(usable, tasks, isNamed ? most : least)), isOneRun: work.isContiguous(job) }
}

const ANYWHERE: Spread = { least: 1, wanted: 1 }
const ONE_RUN: Spread = { ...ANYWHERE, isOneRun: true }

/**
 * Writes the nodes of `tasks` tasks to `places`, one entry per task: those of the run of consecutive usable nodes with the least room that
 * holds them all. If no run does, the run with the most room is used up and the rest is placed in the same way. Ties: the lower run. Within a
 * run all tasks go to the node with the least room that holds them, ties to the lower one; if no node does, the lowest nodes are filled first.
 * With a `spread` a node leaves a task for each of the others that are wanted; where those are several, no single node takes all, and a run holds them all only
 * if it has as many nodes as must be.
 * With `weights`, by node, all nodes of a run have one weight, and runs of the least weight are used up before any others, whether or not they hold all.
 * With `isOneRun` of the spread only runs count that hold them all, whatever their weight; false, and nothing is written, if there is none.
 *
 * `room[node]` is the number of tasks that a node can take, 0 for one that cannot be used; the sum must be at least `tasks`.
 *
 * Source: Slurm, `_eval_nodes` of select/cons_tres (best fit over consecutive nodes).
 */
export function bestRuns(room: Int32Array, tasks: number, places: NodeId[], weights?: Float64Array, { least, wanted, isOneRun = false }: Spread = ANYWHERE): boolean {
  places.length = 0
  const all = runsOf(room, weights)
  const runs = isOneRun ? all.filter((run) => holds(run, tasks, least)) : all
  if (runs.length === 0) return false
  for (let left = tasks, nodes = wanted; left > 0; ) {
    const run = pick(weights === undefined ? runs : lightest(runs, weights), left, nodes + least - wanted)
    runs.splice(runs.indexOf(run), 1)
    const single = nodes > 1 ? -1 : tightest(room, run, left)
    for (let node = single < 0 ? run.from : single; node < run.to && left > 0; node++, nodes--)
      for (let i = partFor(room[node] as number, left, nodes); i > 0; i--, left--) places.push(node as NodeId)
  }
  return true
}

/** Of the tasks that are left, those for a node which is one of so many that are wanted: each of the others has one at least. */
export const partFor = (room: number, left: number, nodes: number): number => Math.min(room, left - Math.max(0, nodes - 1))

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

const holds = (run: Run, left: number, nodes: number): boolean => run.room >= left && run.to - run.from >= nodes

function pick(runs: readonly Run[], left: number, nodes: number): Run {
  const enough = runs.filter((run) => holds(run, left, nodes))
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
