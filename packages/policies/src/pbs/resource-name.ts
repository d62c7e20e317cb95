import { knownWords, SchedError, suggest, type ClusterView, type ResourceId } from '@sched/core'
import { slurmNames, slurmResource } from '../slurm-limits/amounts.js'

const ofNodes = knownWords<string>({ ncpus: 'cpu', mem: 'mem', ngpus: 'gres/gpu' })

/**
 * The resource of the cluster that PBS has under this name; `undefined` for one that nodes do not have, which is a licence of jobs. Throws `BAD_OPTION` for one
 * of PBS's own that the cluster has not.
 */
export function pbsResource(name: string, { resources }: ClusterView, field: string): ResourceId | undefined {
  const known = ofNodes[name.toLowerCase()]
  const resource = known === undefined ? resources.indexOf(name) : slurmResource(known, resources)
  if (resource >= 0) return resource as ResourceId
  if (known === undefined) return undefined
  throw new SchedError('BAD_OPTION', `the cluster has nothing that is "${name}".`, { field }, suggest(name, slurmNames(resources)))
}
