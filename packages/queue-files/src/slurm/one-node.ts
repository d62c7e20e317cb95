import type { SlurmConf } from './conf.js'
import { hostNames } from './hosts.js'

/** Why settings of nodes have no effect on a cluster of one node, which stands for a whole machine, and the way out if the file declares several. */
export function ofOneNode({ nodes }: Pick<SlurmConf, 'nodes'>): string {
  const fact = 'there is one node, of which amounts are reserved'
  return nodes.flatMap(({ name }) => hostNames(name)).length > 1 ? `${fact}: give the nodes of this file (--nodes)` : fact
}
