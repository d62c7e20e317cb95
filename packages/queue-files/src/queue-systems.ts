import { SchedError } from '@sched/core'
import { kaiSettings } from './kai/kai-file.js'
import { kaiPolicy, type KaiPolicy } from './kai/kai-policy.js'
import { placeInKai } from './kai/place-jobs.js'
import { kubeGeneral } from './kube-scheduler/kube-file.js'
import { kubePolicy, type KubePolicy } from './kube-scheduler/kube-policy.js'
import { nameOf } from './fields.js'
import { kueuePolicy, type KueuePolicy } from './kueue/kueue-policy.js'
import { placeInKueue } from './kueue/place-jobs.js'
import { queueSettings } from './kueue/queue-settings.js'
import { pbsPolicy, type PbsPolicy } from './pbs/pbs-policy.js'
import { pbsGeneral, pbsTable } from './pbs/rows.js'
import type { Place } from './placed.js'
import type { QueueFile } from './queue-file.js'
import type { ClusterFacts } from './queue-policy.js'
import { rowsByPath, withoutShares, type QueueTable, type Totals } from './queue-rows.js'
import { classSettings } from './priority-classes.js'
import { asWritten } from './setting.js'
import { configurationSettings, specSettings } from './settings-by-path.js'
import type { Asked } from './share-tree.js'
import { slurmPolicy, type SlurmPolicy } from './slurm/policy.js'
import { slurmGeneral, slurmTable } from './slurm/rows.js'
import type { SourceText } from './source-text.js'
import { placeInSpark } from './spark/place-jobs.js'
import { sparkTable } from './spark/rows.js'
import { sparkPolicy, type SparkPolicy } from './spark/spark-policy.js'
import { placeInVolcano } from './volcano/place-jobs.js'
import { ROOT, volcanoSettings } from './volcano/volcano-file.js'
import { volcanoGeneral, volcanoPolicy, type VolcanoPolicy } from './volcano/volcano-policy.js'
import { capacityPolicy, type CapacityPolicy } from './yarn/capacity-policy.js'
import { capacityTable } from './yarn/capacity-rows.js'
import { fairPolicy, type FairPolicy } from './yarn/fair-policy.js'
import { fairGeneral, fairTable } from './yarn/fair-rows.js'
import { placeJob } from './yarn/place-jobs.js'
import { readAllProperties } from './yarn/site.js'
import { placeInYunikorn } from './yunikorn/rules.js'
import { yunikornGeneral, yunikornPolicy, yunikornSettings, type YunikornPolicy } from './yunikorn/yunikorn-policy.js'
import type { YunikornQueue } from './yunikorn/yunikorn-queue.js'

/** The type of the policy that each kind of queue file becomes. */
interface PolicyOf {
  readonly fair: FairPolicy
  readonly capacity: CapacityPolicy
  readonly slurm: SlurmPolicy
  readonly kueue: KueuePolicy
  readonly kai: KaiPolicy
  readonly yunikorn: YunikornPolicy
  readonly volcano: VolcanoPolicy
  readonly spark: SparkPolicy
  readonly pbs: PbsPolicy
  readonly 'kube-scheduler': KubePolicy
}

/** What can be done with one kind of queue file. */
interface QueueSystem<File, Policy> {
  /** The policy that the file describes. `sites`: a yarn-site.xml and files that add to it; only YARN's schedulers read them. */
  policy(file: File, cluster: ClusterFacts, sites: readonly SourceText[]): Policy
  /** The queues as a table, with shares if they can be told. */
  table(file: File, asked: Asked): QueueTable
  /** Settings that belong to no single queue, by name, as written. */
  general(file: File): Record<string, string>
  /** How jobs come into queues and what they get there; absent or undefined: jobs name their queues or the policy places them, and they get what they ask. */
  place?(file: File, policy: Policy): Place | undefined
}

const systems: { readonly [Kind in QueueFile['kind']]: QueueSystem<Extract<QueueFile, { readonly kind: Kind }>, PolicyOf[Kind]> } = {
  fair: {
    policy: (file, cluster, sites) => fairPolicy(file, cluster, readAllProperties(sites)),
    table: fairTable,
    general: fairGeneral,
    place: ({ root }, { rules, fit }) => (spec) => {
      const placed = placeJob(spec, rules, root)
      if (placed.queue === undefined) return placed
      const fitted = fit(spec, placed.queue)
      return fitted.refused === undefined ? { ...placed, ...fitted } : fitted
    },
  },
  capacity: {
    policy: (file, cluster, sites) => capacityPolicy(file, cluster, readAllProperties(sites)),
    table: capacityTable,
    general: ({ general, unlisted }) => asWritten([...general.values(), ...[...unlisted.values()].flatMap((settings) => [...settings.values()])]),
    place: (_, { place }) => place,
  },
  slurm: { policy: slurmPolicy, table: slurmTable, general: slurmGeneral },
  kueue: {
    policy: kueuePolicy,
    table: ({ clusterQueues }) =>
      withoutShares(clusterQueues.map((found) => ({ path: nameOf(found), depth: 0, isParent: false, settings: queueSettings(found) }))),
    general: ({ configuration, cohorts, flavors, topologies, localQueues }) =>
      ({ ...configurationSettings(configuration), ...specSettings([...cohorts, ...flavors, ...topologies, ...localQueues]) }),
    place: (_, policy) => placeInKueue(policy),
  },
  kai: {
    policy: kaiPolicy,
    table: ({ queues }) => withoutShares(rowsByPath(queues, kaiSettings)),
    general: ({ shards }) => specSettings(shards),
    place: (_, policy) => placeInKai(policy),
  },
  yunikorn: {
    policy: yunikornPolicy,
    table: ({ root }) => withoutShares(rowsByPath(withAllInside(root), yunikornSettings)),
    general: yunikornGeneral,
    place: (file) => (spec) => placeInYunikorn(spec, file),
  },
  volcano: {
    policy: volcanoPolicy,
    table: ({ queues }) => withoutShares(rowsByPath(queues.filter(({ name }) => name !== ROOT), volcanoSettings)),
    general: volcanoGeneral,
    place: (_, policy) => placeInVolcano(policy),
  },
  spark: { policy: sparkPolicy, table: sparkTable, general: ({ conf }) => asWritten(conf), place: placeInSpark },
  pbs: { policy: pbsPolicy, table: pbsTable, general: pbsGeneral, place: (_, { place }) => place },
  'kube-scheduler': {
    policy: kubePolicy,
    table: ({ classes }) => withoutShares(classes.map((each) => ({ path: each.name, depth: 0, isParent: false, settings: classSettings(each) }))),
    general: kubeGeneral,
  },
}

const withAllInside = (queue: YunikornQueue): YunikornQueue[] => [queue, ...queue.queues.flatMap(withAllInside)]

/** The entry of `systems` for a file. The cast says what the types cannot: file and policy are of the same kind. */
const systemOf = (file: QueueFile) => systems[file.kind] as QueueSystem<QueueFile, PolicyOf[QueueFile['kind']]>

/**
 * The policy that a queue file describes on a cluster, with what becomes of each setting. `sites`: files beside a file of YARN, such as a yarn-site.xml and
 * a resource-types.xml; if several give one property, the last counts. Throws `BAD_INPUT` with the line for a value that the scheduler does not take.
 */
export const queuePolicy = (file: QueueFile, cluster: ClusterFacts, ...sites: readonly (SourceText | undefined)[]): PolicyOf[QueueFile['kind']] =>
  systemOf(file).policy(file, cluster, sites.filter((site) => site !== undefined))

/**
 * The queues of a file with their instantaneous shares: what each gets while all leaves that take jobs, or those in `active`, have more work than there is
 * room for. Fair: by weight, between minimum and maximum. Capacity: the guarantee, and what idle queues leave in proportion to the guarantees, up to the
 * maximum. Spark: by weight above the minimum; the minimum counts only if the cluster has one resource. Partitions of Slurm, queues of OpenPBS, Kueue, KAI,
 * Volcano and YuniKorn, and classes of kube-scheduler have no shares. `totals`: capacity of the cluster by resource; without it shares are fractions.
 * `labelTotals`: that of the nodes of each label, for amounts that a capacity scheduler's file gives of them. Throws `BAD_OPTION` if a name in `active` is
 * no queue, and for any name where queues have no shares.
 */
export function queueTable(file: QueueFile, totals?: Totals, active?: readonly string[], labelTotals?: Readonly<Record<string, Totals>>): QueueTable {
  const table = systemOf(file).table(file, { totals, active, labelTotals })
  if (active !== undefined && table.rows.every(({ shares }) => Object.keys(shares).length === 0))
    throw new SchedError('BAD_OPTION', `says whose shares to show, and a file of ${file.kind} has none: they depend on the jobs that come.`, { field: '--active' }, 'Leave it out. Queues of YARN and pools of Spark have shares.')
  return table
}

/** Settings of a file that belong to no single queue, by name, as written. */
export const generalSettings = (file: QueueFile): Record<string, string> => systemOf(file).general(file)

/** How a file puts jobs into the queues of `policy`, which `queuePolicy` made of it; undefined: jobs name their queues, or the policy places them. */
export const jobPlace = (file: QueueFile, policy: PolicyOf[QueueFile['kind']]): Place | undefined => systemOf(file).place?.(file, policy)
