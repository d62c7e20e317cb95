import type { BlockPlaces, ClusterModel } from '@sched/cluster'
import { SchedError } from '@sched/core'

/** Blocks where `data.hosts` says they are, by node name. A task with fewer hosts than another repeats its first. */
export function hostedBlocks(model: ClusterModel): BlockPlaces {
  const ids = new Map(model.nodeNames.map((name, id) => [name, id]))
  return ({ id }, { name, tasks, data }) => {
    if (data === undefined) return undefined
    const { hosts } = data
    if (hosts?.length !== tasks) throw new SchedError('BAD_INPUT', `stage ${name} of job ${id} has ${tasks} tasks and ${hosts?.length ?? 0} lists of hosts.`, { field: 'data.hosts' })
    const factor = Math.max(1, ...hosts.map((names) => names.length))
    const node = (host: string | undefined): number => {
      const known = ids.get(host ?? '')
      if (known === undefined) throw new SchedError('BAD_INPUT', `stage ${name} of job ${id} has a block on "${host ?? ''}", which is no node.`, { field: 'data.hosts' })
      return known
    }
    return { replicas: Int32Array.from({ length: tasks * factor }, (_, i) => node(hosts[Math.floor(i / factor)]?.[i % factor] ?? hosts[Math.floor(i / factor)]?.[0])), factor }
  }
}
