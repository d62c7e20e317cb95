import { pbsResourceIndex } from '@sched/policies'
import type { ClusterFacts } from '../queue-policy.js'
import type { PbsFile } from './pbs-file.js'

/** Resources that the files create, or have limits on: licences of jobs, where nodes have none of the name. */
export const created = ({ unused, server }: PbsFile): string[] => [
  ...unused.flatMap(([{ name }]) => /^create resource (\S+)$/i.exec(name)?.[1]?.split(',') ?? []), ...[...server.keys()].flatMap((key) => /^resources_available\.(.+)$/.exec(key)?.[1] ?? []),
]

/** Why a name stands for nothing here; empty: it does. */
export function whyNoName(name: string, known: readonly string[], file: PbsFile, { resources }: Pick<ClusterFacts, 'resources'>): string {
  if (known.includes(name) || created(file).includes(name) || pbsResourceIndex(name, resources) >= 0) return ''
  return ['ncpus', 'mem', 'ngpus'].includes(name) ? `the cluster has nothing that is ${name}` : `there is no ${name} here`
}
