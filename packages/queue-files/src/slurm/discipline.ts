import type { Config } from '@sched/core'
import type { Findings } from '../finding.js'
import type { ClusterFacts } from '../queue-policy.js'
import type { Setting } from '../setting.js'
import { isYes, type SlurmConf } from './conf.js'
import { NOT_ENFORCED } from './database-limits.js'
import { areLimitsEnforced } from './limits.js'
import { minPrioritiesOfAssociations } from './min-priorities.js'
import { leastLoaded, whyNotSerial } from './node-order.js'
import type { NodeWeights } from './node-weights.js'
import { ofOneNode } from './one-node.js'
import { flagsOf, hasParameter, makesPlans, replanOptions, tellType } from './options.js'
import { maxCpusPerNode, maxNodes } from './partition-limits.js'
import { partitionTopologies } from './partition-topologies.js'
import { reservationsOf } from './reservations.js'
import { withoutReservations } from './qos-flags.js'
import { minPriorities } from './quality.js'
import { timeSlices } from './time-slices.js'
import { topologyOf } from './topology.js'
import { isLinear, type WholeNodes } from './whole-nodes.js'
import { withoutEmpty } from './without-empty.js'

/** What a discipline is made of besides the settings that it reads itself. */
interface Parts {
  readonly order: Config
  readonly whole: WholeNodes
  readonly weighing: NodeWeights
  /** Licences that backfill plans count; undefined: they count none. */
  readonly plannedLicenses: Readonly<Record<string, number>> | undefined
  /** Words of SchedulerParameters that are read elsewhere, with why each has no effect (`replanOptions`). */
  readonly flags: Readonly<Record<string, string>>
}

/**
 * The discipline of a slurm.conf: `replan` with Slurm's two passes, or `gang-scheduling` for time slices. Adds findings. Throws `BAD_INPUT` with the line for a
 * value that Slurm does not take.
 */
export function disciplineOf(conf: SlurmConf, facts: ClusterFacts, parts: Parts, findings: Findings): Config {
  const { nodes, resources } = facts
  const noSerial = whyNotSerial(conf, nodes, resources)
  const planning = planningOptions(conf, facts, parts, findings)
  const slices = timeSlices(conf)
  if (slices !== undefined) {
    for (const setting of ['schedulertype', 'schedulerparameters', 'selecttype'].flatMap((name) => conf.general.get(name) ?? []))
      findings.add('ignored', setting, setting.name, setting.value, 'jobs take turns, and start in order in the row that has its turn, without plans')
    return { 'gang-scheduling': { order: planning['order'], ...(![undefined, 'asked'].includes(planning['topology'] as string | undefined) && { placement: { 'topology-tree': { wait: SWITCH_WAIT } } }), ...slices } }
  }
  const type = conf.general.get('schedulertype')
  if (type !== undefined) tellType(type, ['sched/backfill', 'sched/builtin'], 'taken for sched/backfill', findings)
  const flags = { ...parts.flags, defer: '', bf_one_resv_per_job: whyNotOneReservation(conf, nodes), ...(noSerial !== undefined && { pack_serial_at_end: noSerial }) }
  return { replan: { ...planning, twoPass: true, ...mainScheduler(conf), ...reserving(conf, nodes, parts.whole, findings), ...replanOptions(conf, flags, findings) } }
}

/**
 * When the main scheduler of Slurm runs, unless SchedulerParameters say otherwise: for submissions every 3 s at most. So it is for ends of jobs with `defer`, and
 * where nodes have nothing to do at an end: no Epilog, and no step of their own (PrologFlags=Contain, X11).
 *
 * Source: Slurm, `_slurmctld_background` of slurmctld, `_rpc_terminate_job` of slurmd.
 */
function mainScheduler(conf: SlurmConf): Readonly<Record<string, unknown>> {
  const hasEpilog = conf.general.has('epilog') || flagsOf(conf.general.get('prologflags')).some((flag) => flag === 'CONTAIN' || flag === 'X11')
  return { batch_sched_delay: 3, ...((!hasEpilog || hasParameter(conf, 'defer')) && { defer: true }) }
}

/** The default of Slurm's max_switch_wait, in seconds. */
const SWITCH_WAIT = 300

/** The options of `replan` that are not numbers of SchedulerParameters. Those of named nodes are left out on a cluster of one node. */
function planningOptions(conf: SlurmConf, facts: ClusterFacts, { order, weighing, plannedLicenses }: Parts, findings: Findings): Readonly<Record<string, unknown>> {
  const { nodes, nodeNames = [], resources } = facts
  const isOfNodes = nodes > 1
  const topology = topologyOf(conf, facts, findings)
  const bare = makesPlans(conf) ? withoutReservations(conf) : []
  const notEnforced = areLimitsEnforced(conf) ? '' : NOT_ENFORCED
  return withoutEmpty({
    order,
    bf_licenses: plannedLicenses,
    maxCpusPerNode: isOfNodes && maxCpusPerNode(conf, resources),
    maxNodes: isOfNodes && maxNodes(conf),
    exclusiveUsers: isOfNodes && conf.partitions.flatMap(({ name, settings }) => (isYes(settings.get('exclusiveuser')) ? [name.value] : [])),
    reservations: reservationsOf(conf, facts, findings),
    topology: topology !== 'flat' && topology,
    topologies: isOfNodes && partitionTopologies(conf, nodeNames),
    leastLoaded: leastLoaded(conf, nodes),
    pack_serial_at_end: whyNotSerial(conf, nodes, resources) === '',
    bf_one_resv_per_job: whyNotOneReservation(conf, nodes) === '' && hasParameter(conf, 'bf_one_resv_per_job'),
    weights: weighing.weights,
    ...minPriorities(conf, notEnforced, findings),
    ...minPrioritiesOfAssociations(conf, notEnforced, findings),
    noReserve: bare,
    noReserveMinute: bare.length > 0 && !isOff(conf.general.get('preemptmode')),
  })
}

/** Why bf_one_resv_per_job has no effect; empty: it has one. */
function whyNotOneReservation(conf: SlurmConf, nodes: number): string {
  if (!makesPlans(conf)) return 'no plans are made'
  return nodes === 1 ? 'on one node a job of several partitions is in one of them alone' : ''
}

/**
 * Whether PreemptMode is OFF, its default. With any other mode backfill plans give a job without a reservation (QOS flag NoReserve) one minute
 * (`_attempt_backfill` of sched/backfill).
 */
const isOff = (mode: Setting | undefined): boolean => mode === undefined || /^(OFF)?$/i.test(mode.value.trim())

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
      const note = nodes === 1 ? ofOneNode(conf) : isKnown ? '' : 'taken for select/cons_tres'
      findings.add(note === '' ? 'honoured' : 'ignored', type, type.name, type.value, note)
    }
  }
  return nodes === 1 ? {} : { nodes: 'named', select: isLinear(conf) ? 'linear' : 'cons_tres' }
}
