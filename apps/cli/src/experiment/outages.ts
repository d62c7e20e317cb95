import type { ClusterModel } from '@sched/cluster'
import type { SimulationOptions } from '@sched/sim'
import { readOutages } from '@sched/workload'
import { resolve } from 'node:path'
import { readTable } from '../read-text.js'
import type { ExperimentSpec } from './schema.js'

/** What an experiment says of nodes that go and come back. */
export async function outagesOf(outages: ExperimentSpec['outages'], { nodeNames }: ClusterModel, directory: string): Promise<SimulationOptions['outages']> {
  if (typeof outages !== 'string') return outages
  const file = resolve(directory, outages)
  return readOutages(await readTable(file), nodeNames, file)
}
