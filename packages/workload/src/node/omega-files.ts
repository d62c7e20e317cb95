import type { Demand, Workload } from '@sched/core'
import { readCellState, type RunningJob } from '../omega/cell-state-log.js'
import { quantities, readDistribution } from '../omega/distribution-files.js'
import { omegaDistributions } from '../omega/distributions.js'
import { runningRows } from '../omega/job-list.js'
import type { RunningGroup } from '../omega/prefill.js'
import { readBytes } from './read-bytes.js'

/** The distributions of a cluster, and how jobs are drawn from them. */
export interface OmegaFilesOptions {
  /** Path of the file with the gaps between submissions. */
  readonly interarrival: string
  /** Path of the file with the tasks per job. */
  readonly csizes: string
  /** Path of the file with the run times. */
  readonly runtimes: string
  /** Seed of the draws. Default 1. */
  readonly seed?: number
  /** Seconds in which jobs are submitted. Default: one day. */
  readonly horizon?: number
  /** Amounts per task. Default: 1 CPU and 2 GB. */
  readonly demand?: Demand
}

/** Jobs drawn from the distribution files of the authors' simulator. Throws `IO`, `BAD_INPUT` with file and line, and `BAD_OPTION`. */
export function omegaFiles(options: OmegaFilesOptions): Workload {
  const { interarrival, csizes, runtimes, ...rest } = options
  const paths = { interarrival, csizes, runtimes }
  const samples = Object.fromEntries(quantities.map((quantity) => [quantity, readDistribution(text(paths[quantity]), quantity, paths[quantity])]))
  return omegaDistributions.from({ ...rest, ...samples })
}

/** The running jobs in a cell state log, for `placeRunning`. Throws `IO`, `BAD_INPUT`. */
export const omegaCellState = (path: string): RunningJob[] => readCellState(text(path), path)

/** The running rows of a job list, for `placeRunning`. Throws `IO`, `BAD_INPUT`. */
export const runningTasks = (path: string): RunningGroup[] => runningRows(text(path), path)

const text = (path: string): string => new TextDecoder().decode(readBytes(path))
