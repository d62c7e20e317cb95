import { slurmResource } from '@sched/policies'
import { listed, type Setting } from '../setting.js'
import { wholeOf, type SlurmConf } from './conf.js'
import type { Declared } from './declared.js'
import type { Entity } from './database.js'
import { procsOf } from './nodes.js'
import { withFlag } from './qos-flags.js'
import { checkedLimit, UNLIMITED } from './times.js'
import { isLinear } from './whole-nodes.js'

/** Settings of a partition that limit its jobs. */
export const limitingSettings = ['maxtime', 'maxnodes', 'minnodes', 'state', 'allowaccounts', 'denyaccounts', 'allowqos', 'denyqos', 'qos']

/** The QOS of a name, in letters of any case. */
export const qosNamed = (name: string, { database }: SlurmConf): Entity | undefined => database.qos.find((each) => each.name.toLowerCase() === name.toLowerCase())

/** Accounts or QOS, which in Slurm have small letters however they are written here; jobs that are none of Slurm's may have them as they are written. */
const namesOf = (value: string): string[] => [...new Set(listed(value).flatMap((name) => [name, name.toLowerCase()]))]

/** What they come to, as `slurm-limits` has it. Throws `BAD_INPUT` with the line. */
export function partitionLimits({ settings }: Declared, conf: SlurmConf, resources: readonly string[]): Record<string, unknown> {
  const value = (key: string) => settings.get(key)?.value
  const [time, state, qos] = [value('maxtime'), value('state')?.toUpperCase(), value('qos')]
  const size = maxSize(settings.get('maxnodes'), conf, resources)
  const least = settings.get('minnodes')
  const isLeast = least !== undefined && wholeOf(least) > 1 && slurmResource('node', resources) >= 0
  const lists = ([['allowaccounts', 'AllowAccounts'], ['denyaccounts', 'DenyAccounts'], ['allowqos', 'AllowQos'], ['denyqos', 'DenyQos']] as const)
    .flatMap(([key, name]) => (value(key) === undefined || /^ALL$/i.test(value(key) ?? '') ? [] : [[name, namesOf(value(key) as string)] as const]))
  return {
    ...(time !== undefined && !UNLIMITED.test(time) && { MaxTime: checkedLimit(settings.get('maxtime') as Setting) }), ...(size !== undefined && { MaxTRESPerJob: size }),
    ...(isLeast && { MinTRESPerJob: { node: wholeOf(least) } }),
    ...(state !== undefined && ['DOWN', 'DRAIN', 'INACTIVE'].includes(state) && { State: state }), ...Object.fromEntries(lists), ...(qos !== undefined && { QOS: qosNamed(qos, conf)?.name ?? qos }),
  }
}

/** So many nodes, and what these have at most of processors, which logs tell more often. */
function maxSize(setting: Setting | undefined, conf: SlurmConf, resources: readonly string[]): Record<string, number> | undefined {
  if (setting === undefined || UNLIMITED.test(setting.value)) return undefined
  const nodes = wholeOf(setting)
  const procs = Math.max(0, ...conf.nodes.map((each) => procsOf(each)))
  const sizes = { ...(slurmResource('node', resources) >= 0 && { node: nodes }), ...(procs > 0 && slurmResource('cpu', resources) >= 0 && { cpu: nodes * procs }) }
  return Object.keys(sizes).length === 0 ? undefined : sizes
}

/** Most processors of each node that the jobs of partitions may have together, where that is limited and the cluster has processors; not with select/linear, which gives whole nodes. */
export function maxCpusPerNode(conf: SlurmConf, resources: readonly string[]): Readonly<Record<string, number>> {
  if (isLinear(conf) || slurmResource('cpu', resources) < 0) return {}
  return Object.fromEntries(conf.partitions.flatMap(({ name, settings }) => {
    const setting = settings.get('maxcpuspernode')
    return setting === undefined || UNLIMITED.test(setting.value) || setting.value === '0' ? [] : [[name.value, wholeOf(setting)]]
  }))
}

/** Most nodes of the jobs of partitions that ask for processors; not with select/linear, where they get whole nodes, nor where a QOS may exceed it (PartitionMaxNodes). */
export function maxNodes(conf: SlurmConf): Readonly<Record<string, number>> {
  if (isLinear(conf) || withFlag(conf, 'PartitionMaxNodes').length > 0) return {}
  return Object.fromEntries(conf.partitions.flatMap(({ name, settings }) => {
    const setting = settings.get('maxnodes')
    return setting === undefined || UNLIMITED.test(setting.value) ? [] : [[name.value, wholeOf(setting)]]
  }))
}
