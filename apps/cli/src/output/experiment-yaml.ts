import { relative, resolve } from 'node:path'
import { stringify } from 'yaml'
import type { Experiment } from '../experiment/experiment.js'

/** The experiment as it ran, paths relative to the directory it is written to: `sched compare` on it gives the same numbers. */
export function experimentYaml({ description, seeds }: Experiment, directory: string): string {
  const { spec } = description
  const moved = (path: string) => relative(directory, resolve(description.directory, path))
  const plugins = spec.plugins?.map((plugin) => (/^(\.|\/)/.test(plugin) ? `./${moved(plugin)}` : plugin))
  const asRun = {
    ...spec,
    ...(plugins !== undefined && { plugins }),
    seed: seeds[0],
    seeds: seeds.length,
    cluster: typeof spec.cluster === 'string' ? moved(spec.cluster) : spec.cluster,
    workload: { ...spec.workload, ...(spec.workload.trace !== undefined && { trace: moved(spec.workload.trace) }) },
  }
  return `# As run; paths are relative to this file.\n${stringify(asRun)}`
}
