import { checkKeys, SchedError, type Seconds } from '@sched/core'

/** Which group gets new nodes, of those that could take waiting tasks. */
export const expanders = ['least-waste', 'most-pods', 'least-nodes', 'priority', 'price', 'random'] as const
export type Expander = (typeof expanders)[number]

const isExpander = (name: Expander): boolean => expanders.includes(name)

/** How the autoscaler works, with the flags of Kubernetes' Cluster Autoscaler and their defaults. */
export interface AutoscalerOptions {
  /** Seconds between two looks at the cluster, from 1 to 86,400. Default 10. */
  readonly scanInterval?: Seconds | undefined
  /**
   * Which group gets new nodes: the one whose new nodes would have the least fraction of each resource unused, summed over resources; where the most
   * tasks would start; that needs the fewest nodes; of the largest `priority`; whose nodes cost the least for what would start there; or any. Of several each chooses among those that are equal to the one before.
   * Ties are drawn. Default `least-waste`.
   */
  readonly expander?: Expander | readonly Expander[] | undefined
  /** Seconds for longer than which a task has waited when nodes are asked for, at least 0. Default 0. */
  readonly newPodScaleUpDelay?: Seconds | undefined
  /** Most nodes that are asked for at once, at least 1. Default 1000. */
  readonly maxNodesPerScaleUp?: number | undefined
  /** Most nodes of the whole cluster, those of other groups included, at least 1. Default: as many as the groups have. */
  readonly maxNodesTotal?: number | undefined
  /** Most of resources, by name, that all nodes of the cluster may have together. Default: as much as the groups have. */
  readonly resourcesTotal?: Readonly<Record<string, number>> | undefined
  /** New nodes are divided among groups whose nodes are alike, the smallest first. Default false. */
  readonly balanceSimilarNodeGroups?: boolean | undefined
  /** Jobs with a priority below this count neither where they wait, for new nodes, nor where they run, for removed ones; those without one do. Default -10. */
  readonly expendablePodsPriorityCutoff?: number | undefined
  /** Whether nodes are removed. Default true. */
  readonly scaleDownEnabled?: boolean | undefined
  /**
   * A node of which a smaller fraction is in use may be removed, if all that runs there would have room elsewhere; in [0, 1]. 0: no node is removed.
   * Default 0.5.
   */
  readonly scaleDownUtilizationThreshold?: number | undefined
  /** The same of nodes with devices, of which these alone count, in [0, 1]. Default 0.5. */
  readonly scaleDownGpuUtilizationThreshold?: number | undefined
  /** Seconds for which a node has been unneeded before it is removed, at least 0. Default 600. */
  readonly scaleDownUnneededTime?: Seconds | undefined
  /** Seconds after nodes were asked for in which none is removed, at least 0. Default 600. */
  readonly scaleDownDelayAfterAdd?: Seconds | undefined
  /** Seconds after nodes were removed in which no more are, at least 0. Default 0. */
  readonly scaleDownDelayAfterDelete?: Seconds | undefined
  /** Seconds after which a node is looked at again that could not be removed since what runs there had to stay, at least 0. Default 300. */
  readonly unremovableNodeRecheckTimeout?: Seconds | undefined
  /** Most nodes that are removed at once, at least 1. Default 10. */
  readonly maxScaleDownParallelism?: number | undefined
  /** Most of these on which something runs: it is evicted, and starts anew elsewhere. 0: only idle nodes are removed. Default 1. */
  readonly maxDrainParallelism?: number | undefined
}

/** The options with their defaults. */
export type AutoscalerSettings = { readonly [K in keyof AutoscalerOptions]-?: NonNullable<AutoscalerOptions[K]> }

const defaults: AutoscalerSettings = {
  scanInterval: 10, expander: 'least-waste', newPodScaleUpDelay: 0, maxNodesPerScaleUp: 1000, maxNodesTotal: Infinity, resourcesTotal: {},
  balanceSimilarNodeGroups: false, expendablePodsPriorityCutoff: -10, scaleDownEnabled: true,
  scaleDownUtilizationThreshold: 0.5, scaleDownGpuUtilizationThreshold: 0.5, scaleDownUnneededTime: 600, scaleDownDelayAfterAdd: 600,
  scaleDownDelayAfterDelete: 0, unremovableNodeRecheckTimeout: 300, maxScaleDownParallelism: 10, maxDrainParallelism: 1,
}

const LONGEST = 366 * 86_400
const counts: readonly (readonly [keyof AutoscalerOptions, least: number])[] = [['maxNodesPerScaleUp', 1], ['maxNodesTotal', 1], ['maxScaleDownParallelism', 1], ['maxDrainParallelism', 0]]
const times = ['newPodScaleUpDelay', 'scaleDownUnneededTime', 'scaleDownDelayAfterAdd', 'scaleDownDelayAfterDelete', 'unremovableNodeRecheckTimeout'] as const
const fractions = ['scaleDownUtilizationThreshold', 'scaleDownGpuUtilizationThreshold'] as const

/** Fills in the defaults. Throws `BAD_OPTION` for a value out of its range. */
export function autoscalerSettings(options: AutoscalerOptions): AutoscalerSettings {
  checkKeys('autoscaler.', options, defaults)
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  const settings: AutoscalerSettings = { ...defaults, ...given }
  const check = (key: keyof AutoscalerOptions, isRight: boolean, expected: string): void => {
    if (!isRight) throw new SchedError('BAD_OPTION', `found ${JSON.stringify(settings[key]) ?? 'nothing'}, expected ${expected}.`, { field: `autoscaler.${key}` })
  }
  check('scanInterval', settings.scanInterval >= 1 && settings.scanInterval <= 86_400, 'seconds from 1 to 86400')
  const { expander } = settings
  check('expander', typeof expander === 'string' ? isExpander(expander) : expander.length > 0 && expander.every(isExpander), `${expanders.join(', ')}, or a list of these`)
  for (const key of times) check(key, settings[key] >= 0 && settings[key] <= LONGEST, 'seconds, at least 0 and at most a year')
  for (const [key, least] of counts) check(key, settings[key] === Infinity || (Number.isInteger(settings[key]) && (settings[key] as number) >= least), `a whole number, at least ${least}`)
  check('expendablePodsPriorityCutoff', Number.isFinite(settings.expendablePodsPriorityCutoff), 'a number')
  const totals = Object.values(settings.resourcesTotal)
  check('resourcesTotal', totals.every((most) => Number.isFinite(most) && most >= 0), 'amounts by resource, at least 0')
  for (const key of fractions) check(key, settings[key] >= 0 && settings[key] <= 1, 'a fraction in [0, 1]')
  return settings
}
