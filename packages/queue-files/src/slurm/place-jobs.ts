import type { JobSpec, Seconds } from '@sched/core'
import { slurmSeconds } from '@sched/policies'
import type { ClusterFacts } from '../queue-policy.js'
import { isYes, type SlurmConf } from './conf.js'
import type { Declared } from './declared.js'
import { keyAndValue } from './database-settings.js'
import type { Entity } from './database.js'
import { markedPartitions, onNodesOf } from './partition-nodes.js'
import { onWholeNodes, WholeNodes } from './whole-nodes.js'
import { checkedLimit, UNLIMITED } from './times.js'
import type { Setting } from '../setting.js'

/**
 * Returns a function that fills in what Slurm fills in when a job is submitted; undefined if there is nothing to fill in. A job that names no partition gets
 * the default one; no account: the default account of its user; no QOS: the default QOS of its user's association or of the accounts around it; no time
 * limit: DefaultTime or else MaxTime of its partition. Its tasks are kept on the nodes of its partition if the cluster marks these, and get whole nodes if
 * the partition or the job demands it.
 */
export function slurmDefaults(conf: SlurmConf, facts: Pick<ClusterFacts, 'nodes' | 'nodeNames' | 'nodesWith' | 'sizesWith'> = { nodes: 1 }): ((spec: JobSpec) => JobSpec) | undefined {
  const { partitions, database: { accounts, users } } = conf
  const marked = markedPartitions(conf, facts)
  const whole = new WholeNodes(conf, facts)
  const times = new Map(partitions.flatMap(({ name, settings }) => timeOf(defaultTime(settings) ?? settings.get('maxtime')).map((time) => [name.value, time] as const)))
  const partition = partitions.find(({ settings }) => isYes(settings.get('default')))?.name.value
  const around = new Map(accounts.map((account) => [account.name, account]))
  const [own, usual] = [new Map(users.map((user) => [keyOf(user.name, user.parent, user.partition), user])), new Map(users.map(({ name, parent }) => [name, parent] as const).reverse())]
  const usualAccounts = new Map(users.flatMap((user) => settingOf(user, ['defaultaccount', 'defacct']).map((account) => [user.name, account] as const)))
  if (!whole.areSizesKnown && marked.size === 0 && times.size === 0 && partition === undefined && usualAccounts.size === 0 && ![...accounts, ...users].some((each) => defaultQos(each) !== undefined)) return undefined
  const qosOf = ({ user = 'user', account = usual.get(user) }: JobSpec, queue: string | undefined): string | undefined => {
    const found = account === undefined ? undefined : (own.get(keyOf(user, account, queue)) ?? own.get(keyOf(user, account)))
    for (let each = found ?? around.get(account ?? 'root'), steps = 0; each !== undefined && steps < 100; each = each.name === 'root'
      ? undefined
      : around.get(each.parent === '' ? 'root' : each.parent), steps++) {
      const qos = defaultQos(each)
      if (qos !== undefined) return qos
    }
    return undefined
  }
  return (asked) => {
    const account = asked.account ?? usualAccounts.get(asked.user ?? 'user')
    const spec = account === undefined ? asked : { ...asked, account }
    const queue = spec.queue ?? partition
    const qos = spec.qos ?? qosOf(spec, queue)
    const estimate = spec.estimate ?? times.get(queue ?? '')
    const filled = onNodesOf({ ...spec, ...(estimate !== undefined && { estimate }), ...(queue !== undefined && { queue }), ...(qos !== undefined && { qos }) }, marked)
    return whole.any || spec.exclusive === true ? onWholeNodes(filled, whole) : filled
  }
}

/** DefaultTime of a partition; undefined if it is not given or NONE. */
const defaultTime = (settings: Declared['settings']): Setting | undefined => (/^NONE$/i.test(settings.get('defaulttime')?.value ?? '') ? undefined : settings.get('defaulttime'))

/** The seconds of a time limit; an empty list if it is not given or unlimited. Throws `BAD_INPUT` with the line. */
function timeOf(setting: Setting | undefined): Seconds[] {
  return setting === undefined || UNLIMITED.test(setting.value) ? [] : [slurmSeconds(checkedLimit(setting)) as Seconds]
}

const keyOf = (user: string, account: string, partition = '') => JSON.stringify([account, user, partition.toLowerCase()])
const defaultQos = (entity: Entity): string | undefined => settingOf(entity, ['defaultqos', 'defqos'])[0]

/** The value of a setting under any of its names; an empty list if it has none. */
const settingOf = ({ settings }: Entity, names: readonly string[]): string[] =>
  settings.filter((setting) => names.includes(keyAndValue(setting)[0]) && setting.value !== '').map(({ value }) => value).slice(0, 1)
