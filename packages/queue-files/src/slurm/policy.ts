import type { Config } from '@sched/core'
import { Findings } from '../finding.js'
import { accrualOf } from './accrual.js'
import { partitionBilling } from './billing.js'
import { isYes, wholeOf, type SlurmConf } from './conf.js'
import { NOT_ENFORCED } from './database-limits.js'
import { licensesOf } from './licenses.js'
import { areLimitsEnforced, limitsOptions } from './limits.js'
import { hasParameter, makesPlans, multifactorOptions, replanOptions, weights } from './options.js'
import { tellGeneral, tellNodes } from './general-settings.js'
import { markedPartitions } from './partition-nodes.js'
import { tellPartitions } from './partition-settings.js'
import { preempting, preemptionActs } from './preemption.js'
import { withoutReservations } from './qos-flags.js'
import { nodeWeights } from './node-weights.js'
import { maxCpusPerNode, maxNodes } from './partition-limits.js'
import { leastLoaded, whyNotSerial } from './node-order.js'
import { partitionTopologies } from './partition-topologies.js'
import { minPrioritiesOfAssociations } from './min-priorities.js'
import { minPriorities, qosPriorities, usageFactors } from './quality.js'
import { sharesOf } from './shares.js'
import { timeSlices } from './time-slices.js'
import { topologyOf } from './topology.js'
import type { Setting } from '../setting.js'
import type { ClusterFacts, QueuePolicy } from '../queue-policy.js'
import { isLinear, WholeNodes } from './whole-nodes.js'

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
  const whole = new WholeNodes(conf, facts)
  const findings = new Findings(conf.file)
  const tiers = ofPartitions(conf, 'prioritytier')
  const factors = ofPartitions(conf, 'priorityjobfactor')
  const priorities = qosPriorities(conf, findings)
  const own = multifactorOptions(conf, resources, findings)
  const isByUse = Number(own['PriorityWeightFairshare'] ?? 0) > 0
  const accounts = isByUse ? sharesOf(conf, findings) : undefined
  const factorsOfQos = isByUse ? usageFactors(conf) : {}
  const billing = isByUse ? partitionBilling(conf, resources) : {}
  const hasQos = own['PriorityWeightQOS'] !== undefined && Object.keys(priorities).length > 0
  const accrue = accrualOf(conf, findings)
  const multifactor = {
    ...own,
    ...(accrue !== undefined && { accrue }),
    ...(isVaried(tiers) && { tiers }),
    ...(isVaried(factors) && { partitions: factors }),
    ...(hasQos && { qosPriorities: priorities }),
    ...(accounts !== undefined && { accounts }),
    ...(Object.keys(factorsOfQos).length > 0 && { usageFactors: factorsOfQos }),
    ...(Object.keys(billing).length > 0 && { partitionBilling: billing }),
  }
  const order = Object.keys(multifactor).length === 0 ? 'fifo' : { multifactor }
  const type = conf.general.get('prioritytype')
  const weighted = weights.flatMap((name) => conf.general.get(name.toLowerCase()) ?? []).find(({ value }) => value !== '0')
  if (type === undefined && weighted !== undefined)
    findings.add(
      'honoured',
      weighted,
      'PriorityType',
      '',
      'is not given: priority/multifactor, as since Slurm 23.11; until then it was priority/basic, where weights count for nothing',
    )
  if (type !== undefined) tellType(type, ['priority/multifactor', 'priority/basic'], 'taken for priority/multifactor', findings)
  const noPlan = whyNoLicensePlan(conf)
  const arePlanned = noPlan === '' && hasParameter(conf, 'bf_licenses')
  const licenses = licensesOf(conf, !arePlanned ? 'skips' : makesPlans(conf) ? 'reserves' : 'stops', findings)
  const limits = limitsOptions(conf, facts, arePlanned ? undefined : licenses, findings)
  const bare = makesPlans(conf) ? withoutReservations(conf) : []
  const weighing = nodeWeights(conf, facts)
  const topology = topologyOf(conf, facts, findings)
  const topologies = partitionTopologies(conf, facts.nodeNames ?? [])
  const [isLeastLoaded, noSerial] = [leastLoaded(conf, nodes), whyNotSerial(conf, nodes, resources)]
  const capped = maxCpusPerNode(conf, resources)
  const few = maxNodes(conf)
  const exclusive = conf.partitions.flatMap(({ name, settings }) => (isYes(settings.get('exclusiveuser')) ? [name.value] : []))
  const notEnforced = areLimitsEnforced(conf) ? '' : NOT_ENFORCED
  const inner = discipline(
    conf,
    nodes,
    whole,
    {
      order,
      ...(arePlanned && licenses !== undefined && { bf_licenses: licenses }),
      ...(nodes > 1 && Object.keys(capped).length > 0 && { maxCpusPerNode: capped }),
      ...(nodes > 1 && Object.keys(few).length > 0 && { maxNodes: few }),
      ...(nodes > 1 && exclusive.length > 0 && { exclusiveUsers: exclusive }),
      ...(topology !== 'flat' && { topology }),
      ...(nodes > 1 && Object.keys(topologies).length > 0 && { topologies }),
      ...(isLeastLoaded !== false && { leastLoaded: isLeastLoaded }),
      ...(noSerial === '' && { pack_serial_at_end: true }),
      ...(Object.keys(weighing.weights).length > 0 && { weights: weighing.weights }),
      ...minPriorities(conf, notEnforced, findings),
      ...minPrioritiesOfAssociations(conf, notEnforced, findings),
      ...(bare.length > 0 && { noReserve: bare }), ...(bare.length > 0 && !isOff(conf.general.get('preemptmode')) && { noReserveMinute: true }),
    },
    { bf_licenses: noPlan, ...(noSerial !== undefined && { pack_serial_at_end: noSerial }), assoc_limit_stop: 'assocLimitStop' in limits ? '' : 'no limit of a QOS or an association holds a job back' },
    findings,
  )
  const preempts = preempting(conf, { tiers, priorities, order: Object.keys(own).length === 0 ? undefined : order }, inner, findings)
  const policy = Object.keys(limits).length === 0 ? preempts : { 'slurm-limits': { ...limits, policy: preempts } }
  tellPartitions(conf, { marked: markedPartitions(conf, facts), present: facts.nodeNames ?? [], whole, isBilled: isByUse || 'partitionBilling' in limits, resources, nodes }, findings)
  tellNodes(conf, weighing, findings)
  tellGeneral(conf, isLeastLoaded === true, findings)
  const files = [...new Set([conf.file, ...findings.all.map(({ file }) => file)])]
  const fileOf = ({ file }: { readonly file: string }) => files.indexOf(file)
  return { kind: 'slurm', policy, options: Object.values(policy)[0] as Record<string, unknown>, findings: findings.all.sort((a, b) => fileOf(a) - fileOf(b) || a.line - b.line) }
}

/**
 * Whether PreemptMode is OFF, its default. With any other mode backfill plans give a job without a reservation (QOS flag NoReserve) one minute
 * (`_attempt_backfill` of sched/backfill).
 */
const isOff = (mode: Setting | undefined): boolean => mode === undefined || /^(OFF)?$/i.test(mode.value.trim())

/** The highest tier or job factor: they have 16 bits. */
const HIGHEST_TIER = 65_533

/** The tier or job factor of each partition that gives one. The older setting Priority sets both and is preferred, as in Slurm (`_parse_partitionname`). */
function ofPartitions({ partitions }: SlurmConf, key: string): Record<string, number> {
  return Object.fromEntries(partitions.flatMap(({ name, settings }) => {
    const setting = settings.get('priority') ?? settings.get(key)
    return setting === undefined ? [] : [[name.value, wholeOf(setting, 0, HIGHEST_TIER)]]
  }))
}

const isVaried = (numbers: Readonly<Record<string, number>>): boolean => Object.values(numbers).some((number) => number !== 1)

function tellType(setting: Setting, known: readonly string[], otherwise: string, findings: Findings): void {
  const isKnown = known.includes(setting.value.toLowerCase())
  findings.add(isKnown ? 'honoured' : 'ignored', setting, setting.name, setting.value, isKnown ? '' : `not simulated: ${otherwise}`)
}

/** Why backfill plans do not count licences even if SchedulerParameters has bf_licenses; empty: they can. */
function whyNoLicensePlan(conf: SlurmConf): string {
  const { general } = conf
  if (!general.has('licenses')) return 'there are no Licenses'
  return preemptionActs(conf) ? 'jobs preempt one another, and those that wait for a licence get no reservation then' : ''
}

/** The default of Slurm's max_switch_wait, in seconds. */
const SWITCH_WAIT = 300

/**
 * The discipline: `replan`, or `gang-scheduling` for time slices. `planning`: options of `replan`; `flags`: words of SchedulerParameters that are read
 * elsewhere (`replanOptions`).
 */
function discipline(
  conf: SlurmConf,
  nodes: number,
  whole: WholeNodes,
  planning: Readonly<Record<string, unknown>>,
  flags: Readonly<Record<string, string>>,
  findings: Findings,
): Config {
  const slices = timeSlices(conf)
  if (slices !== undefined) {
    for (const setting of ['schedulertype', 'schedulerparameters', 'selecttype'].flatMap((name) => conf.general.get(name) ?? []))
      findings.add('ignored', setting, setting.name, setting.value, 'jobs take turns, and start in order in the row that has its turn, without plans')
    return { 'gang-scheduling': { order: planning['order'], ...(![undefined, 'asked'].includes(planning['topology'] as string | undefined) && { placement: { 'topology-tree': { wait: SWITCH_WAIT } } }), ...slices } }
  }
  const type = conf.general.get('schedulertype')
  if (type !== undefined) tellType(type, ['sched/backfill', 'sched/builtin'], 'taken for sched/backfill', findings)
  return { replan: { ...planning, twoPass: true, ...reserving(conf, nodes, whole, findings), ...replanOptions(conf, flags, findings) } }
}

/**
 * The options of `replan` by which reservations are of named nodes and a later start is looked for as in select/linear or select/cons_tres, the default. On a
 * cluster of one node, which stands for a whole machine, amounts are reserved. Adds a finding for SelectType.
 */
function reserving(conf: SlurmConf, nodes: number, whole: WholeNodes, findings: Findings): Record<string, string> {
  const type = conf.general.get('selecttype')
  if (type !== undefined) {
    const isKnown = isLinear(conf) || /^select\/cons_(tres|res)$/i.test(type.value)
    const { verdict, note: ofNodes } = whole.ofAll()
    if (isLinear(conf) && (nodes > 1 || whole.any)) findings.add(verdict, type, type.name, type.value, ofNodes)
    else {
      const note = nodes === 1 ? 'there is one node, of which amounts are reserved' : isKnown ? '' : 'taken for select/cons_tres'
      findings.add(note === '' ? 'honoured' : 'ignored', type, type.name, type.value, note)
    }
  }
  return nodes === 1 ? {} : { nodes: 'named', select: isLinear(conf) ? 'linear' : 'cons_tres' }
}
