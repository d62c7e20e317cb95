import { maxTresOf, usageResetOf } from '@sched/policies'
import type { Findings } from '../finding.js'
import type { ClusterFacts } from '../queue-policy.js'
import { listed } from '../setting.js'
import { partitionBilling } from './billing.js'
import type { SlurmConf } from './conf.js'
import { DatabaseLimits } from './database-limits.js'
import { flagsOf, hasParameter } from './options.js'
import { partitionLimits } from './partition-limits.js'
import { withoutNodes } from './partition-nodes.js'
import { minutesOf } from './times.js'

type Options = Record<string, unknown>

/**
 * The options of `slurm-limits` by the limits of partitions, QOS and associations; empty if there is no limit. Limits of the database are enforced if
 * AccountingStorageEnforce says so or there is no slurm.conf. `licenses`: licences that `slurm-limits` is to count; undefined: none. Throws `BAD_INPUT` with
 * the line.
 */
export function limitsOptions(conf: SlurmConf, facts: ClusterFacts, licenses: Options | undefined, findings: Findings): Options {
  const { resources } = facts
  const empty = withoutNodes(conf)
  const partitions = Object.fromEntries(conf.partitions.flatMap((each) => {
    const own = partitionLimits(each, conf, resources)
    const limits: Options = empty.includes(each.name.value) ? { State: 'DOWN', ...own } : own
    return Object.keys(limits).length === 0 ? [] : [[each.name.value, limits]]
  }))
  const enforced = enforce(conf)
  const limits = new DatabaseLimits(conf, facts, findings, enforced.limits)
  const qos = limits.qos()
  const accounts = limits.accounts()
  const isNeeded = (check: string, tree: Options, acts: boolean) => enforced.checks.includes(check) || (acts && hasSettings(tree))
  const ofDatabase = { ...(isNeeded('qos', qos, true) && { qos }), ...(isNeeded('associations', accounts, enforced.limits) && { accounts }) }
  const given = { ...(licenses !== undefined && { licenses }), ...(Object.keys(partitions).length > 0 && { partitions }), ...ofDatabase }
  if (Object.keys(given).length === 0) return {}
  const [parts, halfLife, period, reset] = ['enforcepartlimits', 'prioritydecayhalflife', 'prioritycalcperiod', 'priorityusageresetperiod'].map((name) => conf.general.get(name))
  const usageReset = usageResetOf(reset?.value)
  const text = JSON.stringify(ofDatabase)
  const isPast = /GrpTRESMins|GrpWall/.test(text)
  const billing = /billing=/i.test(text) ? billingOptions(conf, resources) : {}
  return {
    ...given, ...billing,
    ...(parts !== undefined && 'partitions' in given && /^(ALL|ANY|YES)$/i.test(parts.value) && { enforcePartLimits: /^ANY$/i.test(parts.value) ? 'ANY' : 'ALL' }),
    ...(Object.keys(ofDatabase).length > 0 && hasParameter(conf, 'assoc_limit_stop') && { assocLimitStop: true }),
    ...(enforced.checks.length > 0 && { enforce: enforced.checks }), ...(enforced.isSafe && isPast && { safe: true }),
    ...(isPast && usageReset !== undefined && { usageReset }), ...(isPast && halfLife !== undefined && { halfLife: minutesOf(halfLife) }), ...((isPast || /TRESRunMins/.test(text)) && period !== undefined && { calcPeriod: minutesOf(period) }),
  }
}

/** The options by which jobs are billed, needed if billing is limited. */
function billingOptions(conf: SlurmConf, resources: readonly string[]): Options {
  const weights = partitionBilling(conf, resources)
  const maxTres = maxTresOf(flagsOf(conf.general.get('priorityflags')))
  return { ...(Object.keys(weights).length > 0 && { partitionBilling: weights }), ...(maxTres !== undefined && { maxTres }) }
}

/** Whether a tree of options has any value. */
const hasSettings = (tree: unknown): boolean => typeof tree !== 'object' || tree === null || Array.isArray(tree) || Object.values(tree).some(hasSettings)

/** Whether limits of QOS and associations are enforced (AccountingStorageEnforce). */
export const areLimitsEnforced = (conf: SlurmConf): boolean => enforce(conf).limits

/**
 * What AccountingStorageEnforce enforces: limits; whether jobs must have an association or a QOS of the database; whether jobs must be able to run to their
 * time limits within a limit (safe).
 */
function enforce({ general, database, isConf }: SlurmConf): { readonly limits: boolean; readonly checks: readonly string[]; readonly isSafe: boolean } {
  const flags = listed((general.get('accountingstorageenforce')?.value ?? '').toLowerCase())
  const has = (...names: string[]) => names.some((name) => flags.includes(name)) || flags.includes('all')
  const checks = [...(has('associations', 'limits', 'qos', 'safe') && database.users.length > 0 ? ['associations'] : []), ...(has('qos') && database.qos.length > 0 ? ['qos'] : [])]
  return { limits: !isConf || has('limits', 'safe'), checks, isSafe: has('safe') }
}
