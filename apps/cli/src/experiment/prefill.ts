import type { ClusterModel } from '@sched/cluster'
import { portableLog, randomStream, SchedError, type Seconds } from '@sched/core'
import { placeRunning, prefill, readCellState, type CellGroups, type RunningKind } from '@sched/workload'
import { runningTasks } from '@sched/workload/node'
import { resolve } from 'node:path'
import { readText } from '../read-text.js'
import type { PrefillSpec } from './schema.js'
import { refuseTarget, type Running, type WorkloadOfSeed } from './workload.js'

/** What runs at time 0, which may depend on the seed of a run. */
export interface PrefillOfSeed {
  of(seed: number): Running
}

const nothing: Running = { prefill: [], notes: [] }
const none: PrefillOfSeed = { of: () => nothing }

/** What an experiment says of tasks that run at time 0. Throws with fields that start with `prefill`. */
export function prefillOfSeed(spec: PrefillSpec | undefined, cluster: ClusterModel, workload: WorkloadOfSeed, directory: string): PrefillOfSeed {
  if (spec === undefined) return none
  const { from, tasks, utilisation } = typeof spec === 'string' ? { from: spec } : spec
  if ((from === undefined) === (tasks === undefined))
    throw new SchedError(
      'BAD_INPUT',
      'needs either `from` or `tasks`.',
      { field: 'prefill' },
      'For example `from: workload`, `from: running.csv` or `{ utilisation: 0.6, tasks: [{ demand: { cpu: 1 } }] }`.',
    )
  const cell = cellOf(cluster)
  if (tasks !== undefined) return drawn(tasks, utilisation, cell)
  return from === 'workload' ? ofWorkload(workload, cell, utilisation) : ofFile(resolve(directory, from as string), cell, utilisation)
}

function ofWorkload(workload: WorkloadOfSeed, cell: CellGroups, utilisation: number | undefined): PrefillOfSeed {
  if (workload.running === undefined)
    throw new SchedError(
      'BAD_INPUT',
      'the workload does not say what runs at time 0.',
      { field: 'prefill' },
      'The generator omega-cluster, a job list and Google events do. Name a file, or give `tasks` and `utilisation`.',
    )
  return { of: (seed) => workload.running?.(cell, seed, utilisation) ?? nothing }
}

/** Running rows of a job list, or a cell state log, whose lines begin with 11 or 12. */
function ofFile(file: string, cell: CellGroups, utilisation: number | undefined): PrefillOfSeed {
  refuseTarget(utilisation, 'The tasks of a file')
  const text = readText(file)
  const groups = /^\s*1[12]\s/.test(text) ? readCellState(text, file) : runningTasks(file)
  return { of: (seed) => ({ prefill: placeRunning(cell, groups, seed, file), notes: [] }) }
}

type DrawnTasks = NonNullable<Exclude<PrefillSpec, string>['tasks']>

function drawn(tasks: DrawnTasks, utilisation: number | undefined, cell: CellGroups): PrefillOfSeed {
  if (utilisation === undefined)
    throw new SchedError(
      'BAD_INPUT',
      'is missing.',
      { field: 'prefill.utilisation' },
      'Give the fraction of the scarcest resource that is in use at time 0.',
    )
  const known = new Set(cell.nodes.flatMap(({ resources }) => Object.keys(resources ?? {})))
  for (const [index, { demand }] of tasks.entries())
    for (const name of Object.keys(demand))
      if (!known.has(name)) throw new SchedError('BAD_INPUT', `no node has "${name}".`, { field: `prefill.tasks[${index}].demand` }, `The nodes have ${[...known].join(', ')}.`)
  const kinds = (seed: number) =>
    tasks.map(({ share, demand, remaining }, index): RunningKind => ({ share, demand, remaining: remainingTime(remaining, randomStream(seed, `prefill/${index}`)) }))
  return { of: (seed) => ({ prefill: prefill(cell, utilisation, kinds(seed), seed), notes: [] }) }
}

function remainingTime(remaining: DrawnTasks[number]['remaining'], next: () => number): () => Seconds {
  if (remaining === undefined) return () => Infinity
  if (typeof remaining === 'number') return () => remaining
  return () => -remaining.mean * portableLog(1 - next())
}

/** Nodes of a cluster as tasks are placed on them, alike neighbours together. */
function cellOf({ nodes, resources, total }: ClusterModel): CellGroups {
  const groups: { count: number; readonly resources: Readonly<Record<string, number>> }[] = []
  let before = ''
  for (let node = 0; node < nodes; node++) {
    const amounts = Object.fromEntries(resources.map((name, r) => [name, total[r * nodes + node] as number]))
    const text = JSON.stringify(amounts)
    const last = groups.at(-1)
    if (last !== undefined && text === before) last.count++
    else groups.push({ count: 1, resources: amounts })
    before = text
  }
  return { nodes: groups }
}
