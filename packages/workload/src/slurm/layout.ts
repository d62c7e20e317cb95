import { withoutUndefined } from '@sched/core'
import { ownOptions, valueOf } from './submit-line.js'

/** How a job asked to be laid out on nodes. What its record does not tell is absent. */
export interface Layout {
  /** Fewest and most nodes (`--nodes=2-4`). */
  readonly nodes?: number
  readonly mostNodes?: number
  /** Number of tasks (`--ntasks`), processors of each (`--cpus-per-task`), and most tasks on a node (`--ntasks-per-node`). */
  readonly tasks?: number
  readonly procsPerTask?: number
  readonly tasksPerNode?: number
  /** Whether it asked for an amount on each of its nodes, which may be any number: of memory (`--mem`), or of GPUs (`--gres`, `--gpus-per-node`). */
  readonly isMemByNode?: boolean
  readonly areGpusByNode?: boolean
  /** Its partitions, if it named several (`--partition=short,long`). */
  readonly partitions?: string
}

/** A whole number of at least 1; `undefined` for anything else. */
const countOf = (text: string | undefined): number | undefined => (text !== undefined && /^\d{1,9}$/.test(text) && Number(text) > 0 ? Number(text) : undefined)

/**
 * The layout that a job asked for, from the command that submitted it (SubmitLine) and, where this does not say, from the nodes among the resources
 * that it requested (`node` of ReqTRES), which are the fewest that it takes.
 *
 * Source: Slurm, manual page of `sbatch`.
 */
export function layoutIn(command: string, id: string, requestedNodes: number): Layout {
  const options = ownOptions(command, id)
  const [, least, most] = /^(\d+)(?:-(\d+))?$/.exec(valueOf(options, 'nodes', 'N') ?? '') ?? []
  const nodes = countOf(least) ?? (requestedNodes > 0 ? requestedNodes : undefined)
  const mostNodes = countOf(most ?? least)
  const [tasks, procsPerTask, tasksPerNode] = [valueOf(options, 'ntasks', 'n'), valueOf(options, 'cpus-per-task', 'c'), valueOf(options, 'ntasks-per-node')].map(countOf)
  const partitions = valueOf(options, 'partition', 'p')
  return {
    ...(partitions?.includes(',') === true && { partitions }),
    ...withoutUndefined({ nodes, mostNodes, tasks, procsPerTask, tasksPerNode }),
    ...(valueOf(options, 'mem') !== undefined && { isMemByNode: true }),
    ...((valueOf(options, 'gres') ?? valueOf(options, 'gpus-per-node')) !== undefined && { areGpusByNode: true }),
  }
}
