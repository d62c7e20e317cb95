import type { Config } from '@sched/core'
import { Findings } from '../finding.js'
import type { SlurmConf } from './conf.js'
import { disciplineOf } from './discipline.js'
import { licensesOf } from './licenses.js'
import { limitsOptions } from './limits.js'
import { hasParameter, makesPlans } from './options.js'
import { tellGeneral, tellNodes } from './general-settings.js'
import { leastLoaded } from './node-order.js'
import { markedPartitions } from './partition-nodes.js'
import { tellPartitions } from './partition-settings.js'
import { preempting, preemptionActs, reclaimsLicenses } from './preemption.js'
import { ofPartitions, priorityOrder } from './priority-order.js'
import { nodeWeights } from './node-weights.js'
import { qosPriorities } from './quality.js'
import type { ClusterFacts, QueuePolicy } from '../queue-policy.js'
import { WholeNodes } from './whole-nodes.js'

/** The policy that a slurm.conf describes. */
export interface SlurmPolicy extends QueuePolicy {
  /** Tells the policies of files apart. */
  readonly kind: 'slurm'
  /** Options of the outermost policy. */
  readonly options: Readonly<Record<string, unknown>>
}

/**
 * The policy of a slurm.conf on a cluster: `replan` with Slurm's two passes (only the first for sched/builtin) in the order `multifactor`, or
 * `gang-scheduling` if all partitions share their processors in time slices. `slurm-preempting` is around it if partitions or QOS preempt, and
 * `slurm-limits` around all if anything is limited. Throws `BAD_INPUT` with the line for a value that Slurm does not take.
 */
export function slurmPolicy(conf: SlurmConf, facts: ClusterFacts): SlurmPolicy {
  const { nodes, resources } = facts
  const findings = new Findings(conf.file)
  const tiers = ofPartitions(conf, 'prioritytier')
  const priorities = qosPriorities(conf, findings)
  const { order, isByUse, isWeighted } = priorityOrder(conf, { tiers, priorities }, resources, findings)
  const { licenses, arePlanned, noPlan } = plannedLicenses(conf, findings)
  const reclaims = reclaimsLicenses(conf)
  const limits = limitsOptions(conf, facts, arePlanned || reclaims ? undefined : licenses, findings)
  const [whole, weighing] = [new WholeNodes(conf, facts), nodeWeights(conf, facts)]
  const noneTaken = preemptionActs(conf) ? '' : 'nobody is preempted'
  const flags = { preempt_youngest_first: noneTaken, preempt_reorder_count: noneTaken, preempt_strict_order: noneTaken, bf_licenses: noPlan, assoc_limit_stop: 'assocLimitStop' in limits ? '' : 'no limit of a QOS or an association holds a job back' }
  const inner = disciplineOf(conf, facts, { order, whole, weighing, plannedLicenses: arePlanned ? licenses : undefined, flags }, findings)
  const preempts = preempting(conf, { tiers, priorities, order: isWeighted ? order : undefined, licenses: reclaims ? licenses : undefined }, inner, findings)
  const policy: Config = Object.keys(limits).length === 0 ? preempts : { 'slurm-limits': { ...limits, policy: preempts } }
  tellPartitions(conf, { marked: markedPartitions(conf, facts), present: facts.nodeNames ?? [], whole, isBilled: isByUse || 'partitionBilling' in limits, resources, nodes }, findings)
  tellNodes(conf, weighing, findings)
  tellGeneral(conf, leastLoaded(conf, nodes) === true, findings)
  return { kind: 'slurm', policy, options: Object.values(policy)[0] as Record<string, unknown>, findings: sorted(findings) }
}

/** Findings file by file, that of the conf first, and in each from the top. */
function sorted({ file, all }: Findings): SlurmPolicy['findings'] {
  const files = [...new Set([file, ...all.map((each) => each.file)])]
  return [...all].sort((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line)
}

/** The licences of the cluster, whether backfill plans count them, and why they do not (`noPlan`, empty: they can). Adds a finding. */
function plannedLicenses(conf: SlurmConf, findings: Findings) {
  const noPlan = whyNoLicensePlan(conf)
  const arePlanned = noPlan === '' && hasParameter(conf, 'bf_licenses')
  return { licenses: licensesOf(conf, reclaimsLicenses(conf) ? 'reclaims' : !arePlanned ? 'skips' : makesPlans(conf) ? 'reserves' : 'stops', findings), arePlanned, noPlan }
}

/** Why backfill plans do not count licences even if SchedulerParameters has bf_licenses; empty: they can. */
function whyNoLicensePlan(conf: SlurmConf): string {
  const { general } = conf
  if (!general.has('licenses')) return 'there are no Licenses'
  return preemptionActs(conf) ? 'jobs preempt one another, and those that wait for a licence get no reservation then' : ''
}
