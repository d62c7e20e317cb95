import type { Config } from '@sched/core'
import type { Findings } from '../finding.js'
import { accrualOf } from './accrual.js'
import { associationPriorities } from './association-priorities.js'
import { partitionBilling } from './billing.js'
import { wholeOf, type SlurmConf } from './conf.js'
import { areLimitsEnforced } from './limits.js'
import { flagsOf, isBasic, multifactorOptions, tellType, weights } from './options.js'
import { requeueDelay } from './preemption.js'
import { haveThresholds, usageFactors } from './quality.js'
import { sharesOf } from './shares.js'
import { withoutEmpty } from './without-empty.js'

type Numbers = Readonly<Record<string, number>>

/** The order in which jobs are considered. */
interface PriorityOrder {
  /** `multifactor`, or `fifo` if nothing but the time of submission counts. */
  readonly order: Config
  /** Whether it goes by a setting of multifactor, not by tiers and priorities of partitions and QOS alone. */
  readonly isWeighted: boolean
  /** Whether past usage counts (PriorityWeightFairshare above 0, or a UsageThreshold). */
  readonly isByUse: boolean
}

/** The order of a slurm.conf. `tiers` of partitions and `priorities` of QOS, by name. Throws `BAD_INPUT` with the line for a value that Slurm does not take. */
export function priorityOrder(conf: SlurmConf, { tiers, priorities }: { readonly tiers: Numbers; readonly priorities: Numbers }, resources: readonly string[], findings: Findings): PriorityOrder {
  const factors = ofPartitions(conf, 'priorityjobfactor')
  const own = multifactorOptions(conf, resources, findings)
  const hasThresholds = haveThresholds(conf)
  const isByUse = Number(own['PriorityWeightFairshare'] ?? 0) > 0 || hasThresholds
  const accounts = isByUse ? sharesOf(conf, findings) : undefined
  const accrue = accrualOf(conf, findings)
  const associations = associationPriorities(conf, Number(own['PriorityWeightAssoc'] ?? 0) > 0, findings)
  const isByAge = Number(own['PriorityWeightAge'] ?? 0) > 0 && !flagsOf(conf.general.get('priorityflags')).includes('ACCRUE_ALWAYS')
  const multifactor = {
    ...own,
    ...withoutEmpty({
      countDown: isBasic(conf),
      accrue,
      associations,
      requeueDelay: isByAge && (requeueDelay(conf) || false),
      tiers: isVaried(tiers) && tiers,
      partitions: isVaried(factors) && factors,
      qosPriorities: own['PriorityWeightQOS'] !== undefined && priorities,
      usageFactors: isByUse && usageFactors(conf),
      partitionBilling: isByUse && partitionBilling(conf, resources),
    }),
    ...(accounts !== undefined && { accounts }),
    ...(isByUse && !areLimitsEnforced(conf) && { chargeEnds: false }),
  }
  tellPriorityType(conf, findings)
  return { order: Object.keys(multifactor).length === 0 && !hasThresholds ? 'fifo' : { multifactor }, isWeighted: Object.keys(own).length > 0, isByUse }
}

/** The highest tier or job factor: they have 16 bits. */
const HIGHEST_TIER = 65_533

/** The tier or job factor of each partition that gives one. The older setting Priority sets both and is preferred, as in Slurm (`_parse_partitionname`). */
export function ofPartitions({ partitions }: SlurmConf, key: 'prioritytier' | 'priorityjobfactor'): Record<string, number> {
  return Object.fromEntries(partitions.flatMap(({ name, settings }) => {
    const setting = settings.get('priority') ?? settings.get(key)
    return setting === undefined ? [] : [[name.value, wholeOf(setting, 0, HIGHEST_TIER)]]
  }))
}

const isVaried = (numbers: Numbers): boolean => Object.values(numbers).some((number) => number !== 1)

/** Adds a finding for PriorityType, or for its default if the file has weights. */
function tellPriorityType({ general }: SlurmConf, findings: Findings): void {
  const type = general.get('prioritytype')
  if (type !== undefined) return tellType(type, ['priority/multifactor', 'priority/basic'], 'taken for priority/multifactor', findings)
  const weighted = weights.flatMap((name) => general.get(name.toLowerCase()) ?? []).find(({ value }) => value !== '0')
  if (weighted !== undefined)
    findings.add(
      'honoured',
      weighted,
      'PriorityType',
      '',
      'is not given: priority/multifactor, as since Slurm 23.11; until then it was priority/basic, where weights count for nothing',
    )
}
