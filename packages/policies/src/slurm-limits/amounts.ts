import { knownWords, SchedError, suggest, type ClusterView, type ResourceId } from '@sched/core'
import { inWholeMinutes } from './slurm-time.js'

/** What Slurm counts (TRES), and the names that resources of clusters have for it. */
const names = knownWords<readonly string[]>({
  cpu: ['cpu', 'cpus', 'procs', 'processors', 'cores', 'vcores'],
  mem: ['mem', 'memory', 'memory-mb', 'ram'],
  node: ['nodes', 'node'],
  gres: ['gpus', 'gpu'],
})
export type Tres = 'cpu' | 'mem' | 'node' | 'gres' | 'billing'
/** The cost of jobs. It is counted like a resource, after the last one of the cluster. */
const BILLING = 'billing'

/** A limited amount of a resource. */
export interface Amount {
  readonly resource: ResourceId
  /** What Slurm calls the resource; `cpu` for one of which it knows nothing. */
  readonly tres: Tres
  /** The limit, in the unit of the cluster. */
  readonly most: number
}

/**
 * The amounts in a limit such as `cpu=64,mem=256G,gres/gpu=4`. Memory is in MiB unless it has a suffix; amounts of a resource in devices are numbers of
 * devices; -1 is no limit. Throws `BAD_OPTION` for a resource that the cluster does not have and for a text that is no amount.
 */
export function amountsOf(written: string | Readonly<Record<string, number>> | undefined, cluster: ClusterView, field: string): Amount[] {
  if (written === undefined) return []
  const pairs = typeof written === 'string' ? written.split(',').filter((part) => part.trim() !== '').map((part) => part.split('=').map((side) => side.trim())) : Object.entries(written).map(([name, amount]) => [name, String(amount)])
  return pairs.flatMap(([name = '', text = '']) => {
    if (text === '-1') return []
    const { resource, tres } = resourceOf(name, cluster, field)
    const device = tres === BILLING ? 0 : cluster.deviceSize(resource)
    return [{ resource, tres, most: numberOf(text, tres === 'mem', field) * (device > 0 ? device : 1) }]
  })
}

/** Whether a resource is one that Slurm counts for every node (processors, memory, nodes), rather than a generic one or one of the whole cluster. */
export const isOfNode = (resource: string): boolean => ['cpu', 'mem', 'node'].some((tres) => names[tres]?.includes(resource.toLowerCase()) === true)

/** The index of the resource that a name means, which may be Slurm's (`cpu`, `mem`, `node`, `gres/gpu`) or the resource's own; -1: none. */
export function slurmResource(name: string, resources: readonly string[]): number {
  const own = resources.indexOf(name)
  const aliases = /^gres\/gpu(:|$)/i.test(name) ? names['gres'] : names[name.toLowerCase()]
  return own >= 0 ? own : resources.findIndex((each) => aliases?.includes(each.toLowerCase()) === true)
}

/** All names by which these resources may be called. */
export const slurmNames = (resources: readonly string[]): readonly string[] => [...['cpu', 'mem', 'node', 'gres/gpu'].filter((name) => slurmResource(name, resources) >= 0), ...resources]

function resourceOf(name: string, { resources }: ClusterView, field: string): { readonly resource: ResourceId; readonly tres: Tres } {
  const resource = slurmResource(name, resources)
  if (resource < 0 && name.toLowerCase() === BILLING) return { resource: resources.length as ResourceId, tres: BILLING }
  if (resource < 0) throw new SchedError('BAD_OPTION', `the cluster has nothing that is "${name}".`, { field }, suggest(name, [...slurmNames(resources), BILLING]))
  const own = (resources[resource] as string).toLowerCase()
  return { resource: resource as ResourceId, tres: (Object.keys(names).find((each) => names[each]?.includes(own)) ?? 'cpu') as Tres }
}

const UNITS: Readonly<Record<string, number>> = { K: 1 / 1024, M: 1, G: 1024, T: 1024 ** 2, P: 1024 ** 3 }

function numberOf(text: string, isMemory: boolean, field: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([KMGTP]?)B?$/i.exec(text) ?? []
  if (number !== undefined && (unit === '' || isMemory)) return Math.floor(Number(number) * (unit === '' ? 1 : (UNITS[unit.toUpperCase()] as number)))
  throw new SchedError('BAD_OPTION', `found the amount ${JSON.stringify(text)}.`, { field }, 'Write cpu=64,mem=256G,gres/gpu=4,node=8.')
}

/** The seconds of a time in minutes, or in Slurm's form, in whole minutes; `Infinity` for UNLIMITED, INFINITE and -1, and if it is not given. Throws `BAD_OPTION`. */
export function secondsOf(time: number | string | undefined, field: string): number {
  if (time === undefined) return Infinity
  if (typeof time === 'number') return time * 60
  if (/^(UNLIMITED|INFINITE|-1)$/i.test(time.trim())) return Infinity
  const seconds = inWholeMinutes(time)
  if (seconds !== undefined) return seconds
  throw new SchedError('BAD_OPTION', `the time "${time}" is not one that Slurm reads.`, { field }, 'Write minutes, hours:minutes:seconds or days-hours, for example 7-0.')
}
