import type { ClusterModel } from '@sched/cluster'
import type { Workload } from '@sched/core'
import type { SimulationOptions } from '@sched/sim'
import { readOutages } from '@sched/workload'
import { resolve } from 'node:path'
import { readTable } from '../read-text.js'
import type { ExperimentSpec } from './schema.js'

/** Nodes that go and come back, and what the user should know of how they were read. */
export interface Outages {
  readonly list?: NonNullable<SimulationOptions['outages']>
  readonly notes: readonly string[]
}

/** What an experiment says of nodes that go and come back; `workload` is made where its time 0 is asked for. */
export async function outagesOf(spec: ExperimentSpec['outages'], { nodeNames }: ClusterModel, directory: string, workload: () => Workload): Promise<Outages> {
  if (spec === undefined) return { notes: [] }
  const given = typeof spec === 'string' ? { file: spec } : spec
  if ('mtbf' in given) return { list: given, notes: [] }
  const file = resolve(directory, given.file)
  const { outages, notes } = readOutages(await readTable(file), nodeNames, { file, origin: given.origin, workload })
  return { list: outages, notes }
}
