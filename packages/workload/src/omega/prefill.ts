import { randomStream, SchedError, type Demand, type NodeId, type Seconds } from '@sched/core'
import { clusters, type ClusterName } from './clusters.js'
import { omegaClusterCell } from './cluster-jobs.js'
import { drawLogNormal, lengthBiased } from './log-normal.js'
import { EmptyCell, type CellGroups } from './random-first-fit.js'

/** A task that runs at time 0 and belongs to no job, in the form of `SimulationOptions.prefill`. */
export interface RunningTask {
  /** The node that it runs on. */
  readonly node: NodeId
  /** Amounts that it holds, by resource. */
  readonly demand: Demand
  /** End in seconds from the start of the run; `Infinity` if it never ends. */
  readonly end: Seconds
}

/** Running tasks of one kind, drawn one by one. */
export interface RunningKind {
  /** Share of the prefilled amount that tasks of this kind hold, relative to the shares of the other kinds. */
  readonly share: number
  /** Amounts per task, by resource. */
  readonly demand: Demand
  /** Draws the seconds that a running task continues. */
  readonly remaining: () => Seconds
}

/**
 * Fills a cell to the fraction `utilisation` of the scarcest resource of each kind of task, by seeded randomised first fit. Throws `BAD_OPTION` for a
 * utilisation outside [0, 1], and `BAD_INPUT` if no machine has room for a task before it is reached.
 */
export function prefill(cell: CellGroups, utilisation: number, kinds: readonly RunningKind[], seed = 1): RunningTask[] {
  if (!(utilisation >= 0 && utilisation <= 1))
    throw new SchedError('BAD_OPTION', `the utilisation is ${utilisation}.`, { field: 'prefill' }, 'Use a fraction from 0 to 1.')
  const empty = new EmptyCell(cell, randomStream(seed, 'omega/prefill/nodes'))
  const shares = kinds.reduce((sum, { share }) => sum + share, 0)
  return kinds.flatMap((kind) => fill(empty, kind, (utilisation * kind.share) / shares))
}

function fill(cell: EmptyCell, { demand, remaining }: RunningKind, utilisation: number): RunningTask[] {
  const most = Math.min(...Object.entries(demand).filter(([, amount]) => amount > 0).map(([name, amount]) => (cell.totals[name] ?? 0) / amount))
  const tasks = Math.floor(most * utilisation)
  return Array.from({ length: tasks }, (_, placed) => {
    const node = cell.place(demand)
    if (node === undefined) throw tooFull(demand, placed, tasks)
    return { node, demand, end: remaining() }
  })
}

const tooFull = (demand: Demand, placed: number, tasks: number) =>
  new SchedError(
    'BAD_INPUT',
    `no machine has room for the running task ${placed + 1} of ${tasks} with ${JSON.stringify(demand)}.`,
    { field: 'prefill' },
    'Prefill less, or describe larger nodes.',
  )

/**
 * The tasks that run on the stand-in of a cluster at time 0, as if it had run for ever: a running task is met in proportion to its run time and has
 * done a uniform part of it. `utilisation` defaults to that of the cluster.
 */
export function omegaClusterPrefill(
  cluster: ClusterName,
  { scale = 1, cell = omegaClusterCell(cluster, scale), seed = 1, utilisation, batchRunTime = 1 }: OmegaPrefillOptions = {},
): RunningTask[] {
  const model = clusters[cluster]
  const kinds = (['service', 'batch'] as const).map((kind): RunningKind => {
    const next = randomStream(seed, `omega/prefill/${kind}`)
    const whole = drawLogNormal(lengthBiased(model[kind].duration), next)
    const factor = scale * (kind === 'batch' ? batchRunTime : 1)
    const share = kind === 'service' ? model.serviceShare : 1 - model.serviceShare
    return { share, demand: model[kind].demand, remaining: () => whole() * next() * factor }
  })
  return prefill(cell, utilisation ?? model.utilisation, kinds, seed)
}

/** Options of `omegaClusterPrefill`. */
export interface OmegaPrefillOptions {
  /** The cell to fill. Default: the stand-in for the cluster. */
  readonly cell?: CellGroups
  /** Size of the cell relative to the cluster, as in `omega-cluster`. Default 1. */
  readonly scale?: number
  /** Seed of the draws. Default 1. */
  readonly seed?: number
  /** Fraction of the cell's scarcest resource that is in use at time 0. */
  readonly utilisation?: number
  /** Factor on the run times of batch jobs, as in `omega-cluster`. Default 1. */
  readonly batchRunTime?: number
}

/** Tasks of one job that run at time 0. */
export interface RunningGroup {
  /** Number of tasks. */
  readonly tasks: number
  /** Amounts per task, by resource. */
  readonly demand: Demand
  /** End in seconds from the start of the run; `Infinity` if they never end. */
  readonly end: Seconds
  /** Index of the node that they run on. Default: placed by randomised first fit. */
  readonly node?: number
  /** Line of the file that lists them, for messages. */
  readonly line?: number
}

/**
 * Places tasks that are known to run: those with a node first, then the others by seeded randomised first fit. Throws `BAD_INPUT` with the line for a
 * task that does not fit.
 */
export function placeRunning(cell: CellGroups, groups: readonly RunningGroup[], seed = 1, file?: string): RunningTask[] {
  const empty = new EmptyCell(cell, randomStream(seed, 'omega/prefill/nodes'))
  const fixed = groups.filter(({ node }) => node !== undefined)
  const others = groups.filter(({ node }) => node === undefined)
  return [...fixed, ...others].flatMap((group) => Array.from({ length: group.tasks }, () => placeOne(empty, group, file)))
}

function placeOne(cell: EmptyCell, { node, demand, end, line }: RunningGroup, file: string | undefined): RunningTask {
  if (node !== undefined && !(node < cell.nodes))
    throw new SchedError('BAD_INPUT', `a task runs on node ${node}, but the last one is ${cell.nodes - 1}.`, { file, line, field: 'node' }, 'Correct the node, or describe a larger cluster.')
  const found = node === undefined ? cell.place(demand) : cell.take(demand, node) ? (node as NodeId) : undefined
  if (found !== undefined) return { node: found, demand, end }
  const where = node === undefined ? 'anywhere' : `on node ${node}`
  throw new SchedError(
    'BAD_INPUT',
    `a running task with ${JSON.stringify(demand)} does not fit ${where}.`,
    { file, line, field: 'prefill' },
    'Leave it out, or describe larger nodes.',
  )
}
