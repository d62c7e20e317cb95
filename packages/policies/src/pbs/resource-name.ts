import { knownWords, SchedError, suggest, type ClusterView, type ResourceId } from '@sched/core'
import { slurmResource } from '../slurm-limits/amounts.js'

/** Resources as PBS names them, with what they are here. */
const ofNodes = knownWords<string>({ ncpus: 'cpu', mem: 'mem', ngpus: 'gres/gpu' })

/** Whether amounts of it are sizes, in bytes without a unit. */
export const isMemory = (name: string): boolean => name.toLowerCase() === 'mem'

/** Whether it is a resource that PBS itself knows of nodes. */
export const isOfPbs = (name: string): boolean => ofNodes[name.toLowerCase()] !== undefined

/** The index of the resource of the cluster that PBS has under this name, which may also be its own there; -1: there is none. */
export function pbsResourceIndex(name: string, resources: readonly string[]): number {
  const own = resources.indexOf(name)
  const known = ofNodes[name.toLowerCase()]
  return own >= 0 || known === undefined ? own : slurmResource(known, resources)
}

/**
 * The resource of the cluster that PBS has under this name; `undefined` for one that nodes do not have, which is a licence of jobs. Throws `BAD_OPTION` for one
 * of PBS's own that the cluster has not.
 */
export function pbsResource(name: string, { resources }: Pick<ClusterView, 'resources'>, field: string): ResourceId | undefined {
  const resource = pbsResourceIndex(name, resources)
  if (resource >= 0) return resource as ResourceId
  if (!isOfPbs(name)) return undefined
  throw new SchedError('BAD_OPTION', `the cluster has nothing that is "${name}".`, { field }, suggest(name, pbsNames({ resources })))
}

/** What resources of the cluster may be called. */
export const pbsNames = ({ resources }: Pick<ClusterView, 'resources'>): readonly string[] => [
  ...Object.entries(ofNodes).flatMap(([name, slurm]) => (slurmResource(slurm, resources) < 0 ? [] : [name])), ...resources,
]
