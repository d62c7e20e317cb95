import { SchedError, type Config } from '@sched/core'
import { pbsResourceIndex } from '@sched/policies'
import type { ClusterFacts } from '../queue-policy.js'
import { withoutEmpty } from '../slurm/without-empty.js'
import { wholeOf } from './attributes.js'
import type { PbsFile } from './pbs-file.js'
import type { ConfigSetting, Status } from './sched-config.js'
import type { Verdicts } from './verdicts.js'

type Facts = Pick<ClusterFacts, 'resources' | 'nodeNames'>

/** The key of the sched_config that is shipped, which holds where none is given. */
const SHIPPED = ['sort_priority HIGH']
const PRIORITY = /^sort_priority\b/
const WRITTEN = /^(\S+)\s+(high|low)(?:\s+(total|assigned|unused))?$/i

/**
 * The order of nodes at this time, as `node-sort` has it: by each node_sort_key, and the Priority of nodes (`set node n1 Priority = 5`); `undefined`: that of the cluster.
 * Throws `BAD_INPUT` with the line for a key or a priority that PBS does not take.
 */
export function nodeSortOf(file: PbsFile, status: Status, facts: Facts): Config | undefined {
  const keys = keysAt(file, status, facts)
  const nodes = keys.some((key) => PRIORITY.test(key)) ? prioritiesOf(file, facts) : {}
  const counting = keys.filter((key) => !PRIORITY.test(key) || Object.keys(nodes).length > 0)
  return counting.length === 0 ? undefined : { 'node-sort': { node_sort_key: counting, ...withoutEmpty({ nodes }) } }
}

function keysAt({ config }: PbsFile, status: Status, facts: Facts): string[] {
  if (config.settings.length === 0) return SHIPPED
  return config.all('node_sort_key', status).filter((key) => whyNoKey(key, facts) === '').map(({ value }) => {
    const [name = '', ...more] = value.trim().split(/\s+/)
    return [facts.resources[pbsResourceIndex(name, facts.resources)] ?? name, ...more].join(' ')
  })
}

function prioritiesOf({ nodes }: PbsFile, { nodeNames }: Facts): Readonly<Record<string, object>> {
  return Object.fromEntries([...nodes].flatMap(([name, attribute]) => {
    const priority = wholeOf(attribute, -1024, 1023) ?? 0
    return priority === 0 || nodeNames?.includes(name) === false ? [] : [[name, { Priority: priority }]]
  }))
}

/** Why nodes are not sorted by a key; empty: they are. */
function whyNoKey({ name, value, file, line }: ConfigSetting, { resources }: Facts): string {
  const [found, key = ''] = WRITTEN.exec(value.trim()) ?? []
  if (found === undefined) throw new SchedError('BAD_INPUT', `found "${value}".`, { file, line, field: name }, 'Write for example "ncpus HIGH unused".')
  if (key === 'sort_priority' || pbsResourceIndex(key, resources) >= 0) return ''
  return key === 'last_used_time' ? 'when a node was used last does not count' : `nodes have nothing that is ${key}`
}

/** Tells what becomes of node_sort_key and the priorities of nodes. `acts`: when nodes are sorted. */
export function tellNodeSort(file: PbsFile, facts: Facts, acts: readonly Status[], verdicts: Verdicts): void {
  const { config, nodes } = file
  for (const key of config.settings.filter(({ name }) => name === 'node_sort_key'))
    verdicts.honour(key, whyNoKey(key, facts) || (key.holds.some((status) => acts.includes(status)) ? '' : 'smp_cluster_dist counts'))
  const counts = acts.some((status) => keysAt(file, status, facts).some((key) => PRIORITY.test(key)))
  for (const [name, attribute] of nodes) verdicts.honour(attribute, facts.nodeNames?.includes(name) === false ? 'no node has this name' : counts ? '' : 'nodes are not sorted by sort_priority')
}
