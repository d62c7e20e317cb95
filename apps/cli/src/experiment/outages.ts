import type { ClusterModel } from '@sched/cluster'
import type { Workload } from '@sched/core'
import type { Outage, OutageModel } from '@sched/sim'
import { readOutages } from '@sched/workload'
import { resolve } from 'node:path'
import { readTable } from '../read-text.js'
import type { ExperimentSpec } from './schema.js'

/** Nodes that go and come back, and what the user should know of how they were read. */
export interface Outages {
  readonly list?: readonly (Outage | OutageModel)[]
  readonly notes: readonly string[]
}

/** What an experiment says of nodes that go and come back; `workload` is made where its time 0 is asked for. */
export async function outagesOf(spec: ExperimentSpec['outages'], { nodeNames }: ClusterModel, directory: string, workload: () => Workload): Promise<Outages> {
  if (spec === undefined) return { notes: [] }
  const list: (Outage | OutageModel)[] = []
  const notes: string[] = []
  for (const each of listOf(spec)) {
    const given = typeof each === 'string' ? { file: each } : each
    if ('mtbf' in given) list.push(given)
    else {
      const file = resolve(directory, given.file)
      const read = readOutages(await readTable(file), nodeNames, { file, origin: given.origin, workload })
      list.push(...read.outages)
      notes.push(...read.notes)
    }
  }
  return { list, notes }
}

/** Whether outages are drawn, so that they differ from seed to seed. */
export const drawsOutages = (spec: ExperimentSpec['outages']): boolean => spec !== undefined && listOf(spec).some((each) => typeof each === 'object' && 'mtbf' in each)

const listOf = (spec: NonNullable<ExperimentSpec['outages']>) => (Array.isArray(spec) ? spec : [spec])
