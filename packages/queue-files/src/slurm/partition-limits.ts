import { slurmResource } from '@sched/policies'
import { listed, type Setting } from '../setting.js'
import { wholeOf, type SlurmConf } from './conf.js'
import type { Declared } from './declared.js'
import type { Entity } from './database.js'
import { procsOf } from './nodes.js'
import { withFlag } from './qos-flags.js'
import { checkedLimit, UNLIMITED } from './times.js'
import { isLinear } from './whole-nodes.js'

/** Settings of a partition that limit its jobs, in small letters. */
export const limitingSettings = ['maxtime', 'maxnodes', 'minnodes', 'state', 'allowaccounts', 'denyaccounts', 'allowqos', 'denyqos', 'qos']

/** The QOS of a name, in any case; undefined if there is none. */
export const qosNamed = (name: string, { database }: SlurmConf): Entity | undefined => database.qos.find((each) => each.name.toLowerCase() === name.toLowerCase())

/** Names of accounts or QOS in a list. Slurm turns them into small letters; they are kept as written too, for jobs that are not from Slurm. */
const namesOf = (value: string): string[] => [...new Set(listed(value).flatMap((name) => [name, name.toLowerCase()]))]

/** The limits of a partition as `slurm-limits` takes them. Throws `BAD_INPUT` with the line. */
export function partitionLimits({ settings }: Declared, conf: SlurmConf, resources: readonly string[]): Record<string, unknown> {
  const value = (key: string) => settings.get(key)?.value
  const [time, state, qos] = [value('maxtime'), value('state')?.toUpperCase(), value('qos')]
  const [most, least] = [settings.get('maxnodes'), settings.get('minnodes')]
  const size = maxSize(most, conf, resources)
  const isLeast = least !== undefined && wholeOf(least) > 1
  const lists = ([['allowaccounts', 'AllowAccounts'], ['denyaccounts', 'DenyAccounts'], ['allowqos', 'AllowQos'], ['denyqos', 'DenyQos']] as const)
    .flatMap(([key, name]) => (value(key) === undefined || /^ALL$/i.test(value(key) ?? '') ? [] : [[name, namesOf(value(key) as string)] as const]))
  return {
    ...(time !== undefined && !UNLIMITED.test(time) && { MaxTime: checkedLimit(settings.get('maxtime') as Setting) }), ...(size !== undefined && { MaxTRESPerJob: size }),
    ...(most !== undefined && !UNLIMITED.test(most.value) && { MaxNodes: wholeOf(most) }),
    ...(isLeast && { MinNodes: wholeOf(least), ...(slurmResource('node', resources) >= 0 && { MinTRESPerJob: { node: wholeOf(least) } }) }),
    ...(state !== undefined && ['DOWN', 'DRAIN', 'INACTIVE'].includes(state) && { State: state }), ...Object.fromEntries(lists), ...(qos !== undefined && { QOS: qosNamed(qos, conf)?.name ?? qos }),
  }
}

/** MaxNodes as a number of nodes, and as the processors that so many of the largest nodes have: logs more often tell processors. Undefined: no limit. */
function maxSize(setting: Setting | undefined, conf: SlurmConf, resources: readonly string[]): Record<string, number> | undefined {
  if (setting === undefined || UNLIMITED.test(setting.value)) return undefined
  const nodes = wholeOf(setting)
  const procs = Math.max(0, ...conf.nodes.map((each) => procsOf(each)))
  const sizes = { ...(slurmResource('node', resources) >= 0 && { node: nodes }), ...(procs > 0 && slurmResource('cpu', resources) >= 0 && { cpu: nodes * procs }) }
  return Object.keys(sizes).length === 0 ? undefined : sizes
}

/**
 * The processors of each node that jobs of a partition may use together (MaxCPUsPerNode), by partition. Empty without processors in the cluster, and with
 * select/linear, which gives whole nodes.
 */
export function maxCpusPerNode(conf: SlurmConf, resources: readonly string[]): Readonly<Record<string, number>> {
  if (isLinear(conf) || slurmResource('cpu', resources) < 0) return {}
  return Object.fromEntries(conf.partitions.flatMap(({ name, settings }) => {
    const setting = settings.get('maxcpuspernode')
    return setting === undefined || UNLIMITED.test(setting.value) ? [] : [[name.value, wholeOf(setting)]]
  }))
}

/**
 * The nodes that a job of a partition may use (MaxNodes), by partition, for jobs that ask for processors. Empty with select/linear, which gives whole nodes,
 * and if a QOS has the flag PartitionMaxNodes, whose jobs may exceed it.
 */
export function maxNodes(conf: SlurmConf): Readonly<Record<string, number>> {
  if (isLinear(conf) || withFlag(conf, 'PartitionMaxNodes').length > 0) return {}
  return Object.fromEntries(conf.partitions.flatMap(({ name, settings }) => {
    const setting = settings.get('maxnodes')
    return setting === undefined || UNLIMITED.test(setting.value) ? [] : [[name.value, wholeOf(setting)]]
  }))
}
