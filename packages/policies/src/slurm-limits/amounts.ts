import { knownWords, SchedError, suggest, type ClusterView, type ResourceId } from '@sched/core'
import { slurmSeconds } from './slurm-time.js'

/** What Slurm counts, and the names that resources of clusters go by for it. */
const names = knownWords<readonly string[]>({
  cpu: ['cpu', 'cpus', 'procs', 'processors', 'cores', 'vcores'],
  mem: ['mem', 'memory', 'memory-mb', 'ram'],
  node: ['nodes', 'node'],
  gres: ['gpus', 'gpu'],
})
export type Tres = 'cpu' | 'mem' | 'node' | 'gres' | 'billing'
/** What jobs cost, which is counted as the resource after the last one of the cluster. */
const BILLING = 'billing'

/** An amount of a resource that a limit is about. */
export interface Amount {
  readonly resource: ResourceId
  readonly tres: Tres
  readonly most: number
}

/** Amounts of `cpu=64,mem=256G,gres/gpu=4`; memory is in MiB unless it has a suffix, -1 is no limit. Throws `BAD_OPTION`. */
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

/** Whether a resource is what Slurm counts of a node itself (processors, memory, nodes), and not one of its generic ones or of the whole cluster. */
export const isOfNode = (resource: string): boolean => ['cpu', 'mem', 'node'].some((tres) => names[tres]?.includes(resource.toLowerCase()) === true)

/** Which of the resources Slurm's name for one means (`cpu`, `mem`, `node`, `gres/gpu`), -1: none; names of resources are taken as they are. */
export function slurmResource(name: string, resources: readonly string[]): number {
  const own = resources.indexOf(name)
  const aliases = /^gres\/gpu(:|$)/i.test(name) ? names['gres'] : names[name.toLowerCase()]
  return own >= 0 ? own : resources.findIndex((each) => aliases?.includes(each.toLowerCase()) === true)
}

/** Names by which something of these resources may be called. */
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

/** Seconds of minutes or of a time as Slurm writes it; `Infinity` of UNLIMITED, INFINITE, -1 and where nothing is said. Throws `BAD_OPTION`. */
export function secondsOf(time: number | string | undefined, field: string): number {
  if (time === undefined) return Infinity
  if (typeof time === 'number') return time * 60
  if (/^(UNLIMITED|INFINITE|-1)$/i.test(time.trim())) return Infinity
  const seconds = slurmSeconds(time)
  if (seconds !== undefined) return seconds
  throw new SchedError('BAD_OPTION', `the time "${time}" is not one that Slurm reads.`, { field }, 'Write minutes, hours:minutes:seconds or days-hours, for example 7-0.')
}
