import { leastTasks, type JobSpec, type Seconds, type StageSpec } from '@sched/core'
import { inWholeMinutes, slurmResource } from '@sched/policies'
import { listed, type Setting } from '../setting.js'
import { wholeOf, type SlurmConf } from './conf.js'
import type { Declared } from './declared.js'
import { isBasic } from './options.js'
import { ofPartitions } from './priority-order.js'
import { withFlag } from './qos-flags.js'
import { checkedLimit, UNLIMITED } from './times.js'

/** A partition with what it demands of a single job. */
interface Partition {
  readonly name: string
  readonly tier: number
  readonly factor: number
  readonly isUp: boolean
  readonly longest: Seconds
  readonly fewestNodes: number
  readonly mostNodes: number
  readonly procsOfNode: number
}

/**
 * In which of the partitions that a job names it can be, and on how many nodes it must be there.
 *
 * Source: Slurm, `_valid_job_part`, `_part_access_check` and `job_limits_check` of job_mgr.c. Deviations: whom a partition allows is looked at when the job waits;
 * MaxCPUsPerNode is compared with the processors of a task.
 */
export class PartitionsOfJob {
  readonly #known: ReadonlyMap<string, Partition>
  readonly #unlimited: Readonly<Record<'time' | 'fewest' | 'most', readonly string[]>>
  readonly #mustKeepAll: boolean
  /** Whether the job factor of its partition counts for the priority of a job. */
  readonly #byFactor: boolean

  constructor(conf: SlurmConf) {
    const [tiers, factors] = [ofPartitions(conf, 'prioritytier'), ofPartitions(conf, 'priorityjobfactor')]
    this.#known = new Map(conf.partitions.map((each) => [each.name.value, demandsOf(each, tiers[each.name.value] ?? 1, factors[each.name.value] ?? 1)]))
    this.#unlimited = { time: withFlag(conf, 'PartitionTimeLimit'), fewest: withFlag(conf, 'PartitionMinNodes'), most: withFlag(conf, 'PartitionMaxNodes') }
    this.#mustKeepAll = /^(ALL|YES)$/i.test(conf.general.get('enforcepartlimits')?.value ?? '')
    this.#byFactor = Number(conf.general.get('priorityweightpartition')?.value ?? 0) > 0 && !isBasic(conf)
  }

  /** Whether a partition demands several nodes. */
  get demandNodes(): boolean {
    return [...this.#known.values()].some(({ fewestNodes }) => fewestNodes > 1)
  }

  /**
   * The partitions of a list, between commas, in which the job can be: the highest tier first, then the highest job factor if that counts (PriorityWeightPartition),
   * then as they are listed. All of them, if it can be in none; with EnforcePartLimits=ALL those in which it cannot be, if there are any, so that it is refused
   * there. `undefined`: none is declared.
   */
  among(list: string, spec: JobSpec): readonly string[] | undefined {
    const all = listed(list).flatMap((name) => this.#known.get(name) ?? []).sort((a, b) => b.tier - a.tier || (this.#byFactor ? b.factor - a.factor : 0))
    if (all.length === 0) return undefined
    const fewest = leastOf(spec, all)
    const within = all.filter((each) => this.#admits(each, spec, fewest))
    const chosen = this.#mustKeepAll && within.length < all.length ? all.filter((each) => !within.includes(each)) : within
    return (chosen.length === 0 ? all : chosen).map(({ name }) => name)
  }

  #admits({ isUp, longest, fewestNodes, mostNodes, procsOfNode }: Partition, { estimate = 0, qos = '', maxNodes, stages }: JobSpec, fewest: number): boolean {
    const { time, fewest: anyFewest, most: anyMost } = this.#unlimited
    const isShort = estimate <= longest || estimate === Infinity || time.includes(qos)
    const isWide = fewest >= fewestNodes || anyFewest.includes(qos)
    const isNarrow = Math.max(fewest, maxNodes ?? 0, ...stages.map((stage) => (stage.constraints?.distinctNodes === true ? leastTasks(stage) : 1))) <= mostNodes || anyMost.includes(qos)
    return isUp && isShort && isWide && isNarrow && stages.every(({ demand }) => (demand[Object.keys(demand)[slurmResource('cpu', Object.keys(demand))] ?? ''] ?? 0) <= procsOfNode)
  }

  /**
   * The job on as many nodes as its partitions demand (MinNodes), `names`. One of fewer tasks has so many, with equal parts, rounded up. A job that may not be on
   * so many nodes, and one with partitions for its stages, is left as it is; so are tasks that need not start together.
   */
  onEnoughNodes(spec: JobSpec, names: readonly string[]): JobSpec {
    const fewest = leastOf(spec, names.flatMap((name) => this.#known.get(name) ?? []))
    if (fewest <= (spec.minNodes ?? 1) || spec.stages.some(({ partition }) => partition !== undefined)) return spec
    return { ...spec, minNodes: fewest, stages: spec.stages.map((stage) => (stage.tasks < fewest && isDivisible(stage) ? divided(stage, fewest) : stage)) }
  }
}

/** The fewest nodes that a job has in any of the partitions: the least that they demand, unless it may not be on so many or asks for more. */
function leastOf({ minNodes = 1, maxNodes = Infinity }: JobSpec, partitions: readonly Partition[]): number {
  const demanded = partitions.length === 0 ? 1 : Math.min(...partitions.map(({ fewestNodes }) => fewestNodes))
  return demanded <= maxNodes ? Math.max(minNodes, demanded) : minNodes
}

/** Whether a stage is one task or a gang, of whose tasks nothing is said for each by itself. */
const isDivisible = ({ gang, tasks, minTasks, duration, data, use, phases }: StageSpec): boolean =>
  (tasks === 1 || gang === true) && minTasks === undefined && typeof duration === 'number' && data === undefined && use === undefined && phases === undefined

const divided = (stage: StageSpec, tasks: number): StageSpec => ({
  ...stage, tasks, gang: true, demand: Object.fromEntries(Object.entries(stage.demand).map(([resource, amount]) => [resource, Math.ceil((amount * stage.tasks) / tasks)])),
})

function demandsOf({ name, settings }: Declared, tier: number, factor: number): Partition {
  const wholeIn = (key: string, none: number): number => {
    const setting = settings.get(key)
    return setting === undefined || UNLIMITED.test(setting.value) ? none : wholeOf(setting)
  }
  const state = settings.get('state')?.value ?? 'UP'
  return {
    name: name.value, tier, factor, isUp: !/^(DOWN|DRAIN|INACTIVE)$/i.test(state), longest: timeOf(settings.get('maxtime')) ?? Infinity,
    fewestNodes: Math.max(1, wholeIn('minnodes', 1)), mostNodes: wholeIn('maxnodes', Infinity), procsOfNode: wholeIn('maxcpuspernode', Infinity),
  }
}

/** The seconds of a time limit; undefined if it is not given or unlimited. Throws `BAD_INPUT` with the line. */
export const timeOf = (setting: Setting | undefined): Seconds | undefined =>
  setting === undefined || UNLIMITED.test(setting.value) ? undefined : inWholeMinutes(checkedLimit(setting))
