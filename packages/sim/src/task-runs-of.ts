import { SchedError } from '@sched/core'
import { Avoidance, type AvoidanceEnv } from './avoid/avoidance.js'
import { Checkpoints } from './checkpoints.js'
import type { SimulationOptions } from './options.js'
import { Failures } from './failures.js'
import { progressOf } from './progress/progress-of.js'
import { runtimeModel } from './runtime.js'
import { Speculation } from './speculation/speculation.js'
import { TaskRuns } from './task-runs.js'
import type { TaskRunsOptions } from './task-runs-options.js'
import { JobKeys } from './task-start.js'

/** The task runs of a simulation, as its options say. Throws `BAD_INPUT` for options that do not go together. */
export function taskRunsOf(options: SimulationOptions, seed: number, parts: Pick<TaskRunsOptions, 'model' | 'work' | 'cell' | 'queue' | 'observers' | 'sleep' | 'host'> & Pick<AvoidanceEnv, 'architecture' | 'outages'>): TaskRuns {
  const { runtime, checkpoint, failures, avoid, speculation, commitPendingBug = false, passPerEvent } = options
  const progress = progressOf(runtime, parts.model, parts.cell)
  if (progress !== undefined && checkpoint !== undefined) throw ownTime('checkpoint', 'checkpoints')
  if (progress !== undefined && parts.sleep !== undefined) throw ownTime('sleep', 'their sleep')
  if (avoid !== undefined && failures === undefined) throw new SchedError('BAD_INPUT', 'is for nodes on which tasks have failed, and none fails.', { field: 'avoid' }, 'Say how tasks fail (failures), or leave it out.')
  return new TaskRuns({
    ...parts,
    runtime: runtime !== undefined && 'runtime' in runtime ? runtime : runtimeModel(seed, runtime),
    keys: new JobKeys(),
    sharesEvents: passPerEvent === undefined && speculation === undefined, // an end may cancel another one of the same instant
    commitPending: commitPendingBug,
    checkpoints: checkpoint === undefined ? undefined : new Checkpoints(checkpoint),
    failures: failures === undefined ? undefined : new Failures(seed, failures, parts.model.nodes),
    avoidance: avoid === undefined ? undefined : (failJob) => new Avoidance(avoid, { ...parts, failJob }),
    speculation: speculation === undefined
      ? undefined
      : new Speculation(speculation === true ? {} : speculation, { work: parts.work, cell: parts.cell, queue: parts.queue, movesEnds: progress !== undefined }),
    progress,
  })
}

const ownTime = (field: string, what: string) =>
  new SchedError('BAD_INPUT', 'is for tasks that take their own time, and these depend on what else runs.', { field }, `Leave out \`network\` and the \`hardware\` of the nodes, or ${what}.`)
