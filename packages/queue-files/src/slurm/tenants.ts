import type { SlurmConf } from './conf.js'
import { isExclusive } from './whole-nodes.js'

/**
 * How much of the resource `tenants` (`TENANTS`) each node needs: as many as the largest node has processors if the nodes of a partition whose jobs get whole
 * nodes differ and jobs of another partition share any of them, otherwise 0. `procs`: processors of each host that is up; `partitions`: hosts of the
 * partitions that do not have all.
 */
export function tenantsOf(conf: SlurmConf, procs: ReadonlyMap<string, number>, partitions: ReadonlyMap<string, ReadonlySet<string>>): number {
  const hostsOf = (name: string): Iterable<string> => partitions.get(name) ?? procs.keys()
  const shared = new Set(conf.partitions.filter((each) => !isExclusive(each, conf)).flatMap(({ name }) => [...hostsOf(name.value)]))
  const isMixed = conf.partitions.some((each) => {
    const hosts = isExclusive(each, conf) ? [...hostsOf(each.name.value)] : []
    return new Set(hosts.map((host) => procs.get(host))).size > 1 && hosts.some((host) => shared.has(host))
  })
  return isMixed ? Math.max(...procs.values()) : 0
}
