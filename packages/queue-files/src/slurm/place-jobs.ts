import type { JobSpec } from '@sched/core'
import type { ClusterFacts } from '../queue-policy.js'
import { isYes, type SlurmConf } from './conf.js'
import type { Declared } from './declared.js'
import { settingOf } from './database-settings.js'
import type { Database, Entity } from './database.js'
import { markedPartitions, onNodesOf } from './partition-nodes.js'
import { onWholeNodes, WholeNodes } from './whole-nodes.js'
import { PartitionsOfJob, timeOf } from './partitions-of-job.js'
import type { Setting } from '../setting.js'

/**
 * Returns a function that fills in what Slurm fills in when a job is submitted; undefined if there is nothing to fill in. A job that names no partition gets
 * the default one; no account: the default account of its user; no QOS: the default QOS of its user's association or of the accounts around it; no time
 * limit: DefaultTime or else MaxTime of its partition. One that names several partitions has the first of them in which it can be for its queue, and may start in any of these. Its tasks are on as many
 * nodes as the partition demands, are kept on the nodes of its partition if the cluster marks these, and get whole nodes if the partition or the job demands it.
 */
export function slurmDefaults(conf: SlurmConf, facts: Pick<ClusterFacts, 'nodes' | 'nodeNames' | 'nodesWith' | 'sizesWith'> = { nodes: 1 }): ((spec: JobSpec) => JobSpec) | undefined {
  const { partitions, database: { accounts, users } } = conf
  const marked = markedPartitions(conf, facts)
  const whole = new WholeNodes(conf, facts)
  const times = new Map(partitions.flatMap(({ name, settings }) => {
    const time = timeOf(defaultTime(settings) ?? settings.get('maxtime'))
    return time === undefined ? [] : [[name.value, time] as const]
  }))
  const ofJobs = new PartitionsOfJob(conf)
  const partition = partitions.find(({ settings }) => isYes(settings.get('default')))?.name.value
  const usualAccounts = new Map(users.flatMap((user) => {
    const account = settingOf(user, 'defaultaccount', 'defacct')?.value
    return account === undefined ? [] : [[user.name, account] as const]
  }))
  if (!whole.areSizesKnown && marked.size === 0 && times.size === 0 && partition === undefined && usualAccounts.size === 0 && !ofJobs.demandNodes && ![...accounts, ...users].some((each) => defaultQos(each) !== undefined)) return undefined
  const qosOf = defaultQosIn(conf.database)
  return (given) => {
    const account = given.account ?? usualAccounts.get(given.user ?? 'user')
    const spec = account === undefined ? given : { ...given, account }
    const asked = spec.queue?.includes(',') === true ? ofJobs.among(spec.queue, spec) : undefined
    const queue = asked?.[0] ?? spec.queue ?? partition
    const qos = spec.qos ?? qosOf(spec, queue)
    const estimate = spec.estimate ?? times.get(queue ?? '')
    const wide = ofJobs.demandNodes && queue !== undefined ? ofJobs.onEnoughNodes(spec, asked ?? [queue]) : spec
    const filled = onNodesOf({ ...wide, ...(estimate !== undefined && { estimate }), ...(queue !== undefined && { queue }), ...(qos !== undefined && { qos }) }, marked, asked)
    return whole.any || spec.exclusive === true ? onWholeNodes(filled, whole) : filled
  }
}

/**
 * Returns a function that finds the default QOS of a job in a partition: that of its user's association, or else of the nearest account around it that has one.
 * A job that names no account is in that of its user's first association.
 */
function defaultQosIn({ accounts, users }: Database): (job: JobSpec, partition: string | undefined) => string | undefined {
  const byName = new Map(accounts.map((account) => [account.name, account]))
  const associations = new Map(users.map((user) => [keyOf(user.name, user.parent, user.partition), user]))
  const usual = new Map(users.map(({ name, parent }) => [name, parent] as const).reverse()) // the first of equal names
  return ({ user = 'user', account = usual.get(user) }, partition) => {
    const own = account === undefined ? undefined : (associations.get(keyOf(user, account, partition)) ?? associations.get(keyOf(user, account)))
    return (own && defaultQos(own)) ?? nearestQos(byName.get((own === undefined ? account : own.parent) || 'root'), byName)
  }
}

/** Most accounts around each other: one that lies in itself, which the policy refuses, would have no end. */
const DEEPEST = 100

/** The default QOS of an account or of the nearest one around it that has one. */
function nearestQos(account: Entity | undefined, byName: ReadonlyMap<string, Entity>): string | undefined {
  for (let each = account, depth = 0; each !== undefined && depth < DEEPEST; depth++) {
    const qos = defaultQos(each)
    if (qos !== undefined) return qos
    each = each.name === 'root' ? undefined : byName.get(each.parent || 'root')
  }
  return undefined
}

/** DefaultTime of a partition; undefined if it is not given or NONE. */
const defaultTime = (settings: Declared['settings']): Setting | undefined => (/^NONE$/i.test(settings.get('defaulttime')?.value ?? '') ? undefined : settings.get('defaulttime'))

const keyOf = (user: string, account: string, partition = '') => JSON.stringify([account, user, partition.toLowerCase()])
const defaultQos = (entity: Entity): string | undefined => settingOf(entity, 'defaultqos', 'defqos')?.value
