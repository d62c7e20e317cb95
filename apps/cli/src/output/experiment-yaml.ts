import { relative, resolve } from 'node:path'
import { stringify } from '@sched/bundled/yaml'
import { DEFAULT_SEEDS, type Description } from '../experiment/experiment.js'
import { withPaths } from '../experiment/paths.js'
import { experimentSchema } from '../experiment/schema.js'
import { version } from '../version.js'

/** The experiment as it ran, paths relative to the directory it is written to: the same command on it gives the same numbers. */
export function experimentYaml({ spec, directory: from }: Description, directory: string): string {
  const moved = withPaths(spec, from, (path) => relative(directory, resolve(from, path)))
  const asRun = {
    ...moved,
    seed: spec.seed ?? 1,
    ...(spec.seeds === undefined && spec.matrix !== undefined ? {} : { seeds: spec.seeds ?? DEFAULT_SEEDS }), // points of a matrix may differ in it
  }
  const inOrder = Object.keys(experimentSchema.shape).flatMap((key) => (Object.hasOwn(asRun, key)
    ? [[key, asRun[key as keyof typeof asRun]] as const]
    : [])) // as its own copy has them
  return `# As run by sched ${version}; paths are relative to this file.\n${stringify(Object.fromEntries(inOrder))}`
}
