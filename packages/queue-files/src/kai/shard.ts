import type { KubernetesObject } from '@sched/cluster'
import { knownWords, type Config } from '@sched/core'
import type { KaiOptions } from '@sched/policies'
import { secondsWithDays } from '../durations.js'
import { at, fieldsOf, nameOf, textOf, unexpected, where, type Path } from '../fields.js'
import { notSimulated, type Findings, type Verdict } from '../finding.js'
import type { ClusterFacts } from '../queue-policy.js'

/** The settings that a SchedulingShard gives besides those of its queues. */
export interface ShardSettings {
  /** Options of the policy `kai-preempting`. */
  readonly options: Pick<KaiOptions, 'defaultPreemptMinRuntime' | 'defaultReclaimMinRuntime' | 'reclaimResolveMethod' | 'maxConsolidationPreemptees' | 'reclaimerSaturationMultiplier' | 'stalenessGracePeriod' | 'queuePriorityInQuotaReclaim' | 'steadyFairShareReclaim' | 'gpuJobOrder' | 'gangCascadeOrder' | 'pastUsage'>
  /** Undefined: the cluster has neither of the resources by which KAI packs or spreads. */
  readonly placement: Config | undefined
}

/** The placement strategies of a resource. `binpack` is the default; with `spread` no running tasks are moved. */
const [BINPACK, SPREAD] = ['binpack', 'spread'] as const
const strategies: readonly string[] = [BINPACK, SPREAD]
/** The flag for the most jobs whose tasks are moved to make room for one, and its default. */
const MOST_MOVED = 'max-consolidation-preemptees'
const USUALLY_MOVED = 16
/** The flag for the time until a gang that lacks tasks is evicted. */
const GRACE = 'default-staleness-grace-period'
/** The action that moves tasks to make room, which may be switched on and off. */
const CONSOLIDATION = 'consolidation'
/** Resources by which nodes are packed or spread. */
const PLACED_BY = ['gpu', 'cpu']
/** Plug-ins whose arguments are read. */
const WITH_ARGUMENTS = ['minruntime', 'nodeplacement', 'proportion']
/** Plug-ins that are off unless they are named, and the values of the argument of the first. */
const GPU_JOB_ORDER = 'gpujoborder'
const GANG_CASCADE_ORDER = 'gangcascadeorder'
const LARGER = 'evict-larger-first'
const modes: readonly string[] = [LARGER, 'evict-smaller-first']
/** KAI spells the argument like this. */
const MULTIPLIER = 'relcaimerSaturationMultiplier'
const PRIORITY = 'queuePriorityInQuotaReclaim'
const STEADY = 'steadyFairShareReclaim'
const [K_VALUE, TUMBLING, SLIDING, CRON] = ['kValue', 'tumbling', 'sliding', 'cron'] as const
/** Fields of `minRuntime`, and the options that they give. */
const times = { preemptMinRuntime: 'defaultPreemptMinRuntime', reclaimMinRuntime: 'defaultReclaimMinRuntime' } as const
const methods = ['lca', 'queue']
/** Actions that cannot be switched here: whether the policy performs them. */
const isThere = knownWords({ allocate: true, reclaim: true, preempt: true, stalegangeviction: true })
const why = knownWords<string>({
  args: 'flags of the scheduler', partitionLabelValue: 'all nodes, queues and jobs are in one shard', queueDepthPerAction: 'all jobs are tried',
})
/** Lengths of time that `usageParams` may give, and whether they may be 0, which is the same as not given. */
const usageTimes = { windowSize: false, fetchInterval: false, halfLifePeriod: true } as const
const isUsageTime = (field: string): field is keyof typeof usageTimes => Object.hasOwn(usageTimes, field)
const whyNotOfUsage = knownWords<string>({ tumblingWindowStartTime: 'windows begin with the run', cronString: 'windows of a cron expression are not simulated' })

/**
 * The settings of a SchedulingShard. If there are several, the one without `partitionLabelValue` counts, or else the first. Adds a finding for each setting.
 * Throws `BAD_INPUT` with the line.
 *
 * Source: KAI Scheduler, schedulingshard_types.go.
 */
export function shardSettings(shards: readonly KubernetesObject[], cluster: ClusterFacts, findings: Findings): ShardSettings {
  const isWhole = ({ object }: KubernetesObject) => textOf(at(object, ['spec', 'partitionLabelValue']) ?? '') === ''
  const chosen = shards.find(isWhole) ?? shards[0]
  for (const other of shards) if (other !== chosen) findings.add('ignored', where(other, []), `SchedulingShard ${nameOf(other)}`, '', why['partitionLabelValue'])
  return chosen === undefined ? { options: { maxConsolidationPreemptees: USUALLY_MOVED }, placement: placementBy({}, cluster) } : new Reading(chosen, cluster, findings).settings()
}

class Reading {
  readonly #found: KubernetesObject
  readonly #cluster: ClusterFacts
  readonly #findings: Findings
  readonly #options: Record<string, unknown> = {}

  constructor(found: KubernetesObject, cluster: ClusterFacts, findings: Findings) {
    this.#found = found
    this.#cluster = cluster
    this.#findings = findings
  }

  settings(): ShardSettings {
    const { args, placementStrategy, minRuntime, plugins, actions, [K_VALUE]: kValue, usageDBConfig, ...others } = fieldsOf(this.#found.object['spec'])
    for (const [field, value] of Object.entries(others)) if (value !== '' && value !== null) this.#tell('ignored', [field], why[field] ?? 'not simulated')
    for (const field of Object.keys(fieldsOf(args))) if (field !== MOST_MOVED && field !== GRACE) this.#tell('ignored', ['args', field], why['args'] as string)
    const argumentsOf = (plugin: string) => fieldsOf(fieldsOf(fieldsOf(plugins)[plugin])['arguments'])
    this.#options['maxConsolidationPreemptees'] = this.#moved(fieldsOf(args)[MOST_MOVED], fieldsOf(placementStrategy), fieldsOf(fieldsOf(actions)[CONSOLIDATION])['enabled'])
    if (fieldsOf(args)[GRACE] !== undefined) this.#grace(['args', GRACE], fieldsOf(args)[GRACE])
    this.#minRuntimes(fieldsOf(minRuntime), argumentsOf('minruntime'))
    this.#proportion(argumentsOf('proportion'), kValue, usageDBConfig)
    const { [GPU_JOB_ORDER]: gpuJobOrder, [GANG_CASCADE_ORDER]: gangCascadeOrder, ...otherPlugins } = fieldsOf(plugins)
    if (gpuJobOrder !== undefined && gpuJobOrder !== null) this.#gpuJobOrder(fieldsOf(gpuJobOrder))
    if (gangCascadeOrder !== undefined && gangCascadeOrder !== null) this.#gangCascadeOrder(fieldsOf(gangCascadeOrder), fieldsOf(gpuJobOrder))
    this.#tellOthers(otherPlugins, fieldsOf(actions))
    return { options: this.#options, placement: this.#placement(fieldsOf(placementStrategy), argumentsOf('nodeplacement')) }
  }

  /** Adds findings for the settings of plug-ins that are not read, and for those of actions. */
  #tellOthers(plugins: Readonly<Record<string, unknown>>, actions: Readonly<Record<string, unknown>>): void {
    for (const [name, given] of Object.entries(plugins))
      for (const field of Object.keys(fieldsOf(given))) if (!WITH_ARGUMENTS.includes(name) || field !== 'arguments') this.#tell('ignored', ['plugins', name, field], 'not simulated')
    for (const [name, given] of Object.entries(actions))
      for (const [field, value] of Object.entries(fieldsOf(given))) {
        const isSo = field === 'enabled' && (name === CONSOLIDATION || value === (isThere[name] ?? true))
        this.#tell(isSo ? 'honoured' : 'ignored', ['actions', name, field], isSo ? '' : field === 'enabled' && value === false ? 'it cannot be switched off' : 'not simulated')
      }
  }

  /**
   * Reads the plug-in gpujoborder. It is on where it is named, unless it is switched off. Its priority changes nothing: no other plug-in orders victims.
   *
   * Source: KAI Scheduler, its operator (mergePluginOverrides), gpujoborder.go.
   */
  #gpuJobOrder({ enabled = true, arguments: given, ...others }: Readonly<Record<string, unknown>>): void {
    const path = ['plugins', GPU_JOB_ORDER]
    const whyNot = enabled !== true ? 'the plug-in is off' : this.#cluster.resources.includes('gpu') ? '' : 'the cluster has no gpu'
    this.#tell(whyNot === 'the cluster has no gpu' ? 'ignored' : 'honoured', path, whyNot)
    const { mode = LARGER, ...unknown } = fieldsOf(given)
    const isKnown = modes.includes(textOf(mode))
    if (fieldsOf(given)['mode'] !== undefined) this.#tell(whyNot === '' ? 'honoured' : 'ignored', [...path, 'arguments', 'mode'], whyNot !== '' || isKnown ? whyNot : `KAI takes it as ${LARGER}`)
    for (const field of Object.keys(unknown)) this.#tell('ignored', [...path, 'arguments', field], notSimulated(field, ['mode']))
    for (const field of Object.keys(others)) if (field !== 'priority') this.#tell('ignored', [...path, field], notSimulated(field, ['enabled', 'priority', 'arguments']))
    if (enabled === true) this.#options['gpuJobOrder'] = isKnown ? textOf(mode) : LARGER
  }

  /**
   * Reads the plug-in gangcascadeorder, which is on where it is named, too. Of the two plug-ins that order victims it comes first here.
   *
   * Source: KAI Scheduler, its operator (resolvePlugins: by priority, then by name).
   */
  #gangCascadeOrder({ enabled = true, priority = 0, ...others }: Readonly<Record<string, unknown>>, gpuJobOrder: Readonly<Record<string, unknown>>): void {
    const path = ['plugins', GANG_CASCADE_ORDER]
    const isSecond = this.#options['gpuJobOrder'] !== undefined && Number(gpuJobOrder['priority'] ?? 0) > Number(priority)
    if (enabled !== true) this.#tell('honoured', path, 'the plug-in is off')
    else this.#tell(isSecond ? 'approximated' : 'honoured', path, isSecond ? `it comes before ${GPU_JOB_ORDER}` : '')
    for (const field of Object.keys(others)) this.#tell('ignored', [...path, field], notSimulated(field, ['enabled', 'priority']))
    if (enabled === true) this.#options['gangCascadeOrder'] = true
  }

  /** Reads the least run times, of the shard or of the arguments of the plug-in minruntime; if any argument is given, those of the shard do not count. */
  #minRuntimes(own: Readonly<Record<string, unknown>>, replaced: Readonly<Record<string, unknown>>): void {
    const path = ['plugins', 'minruntime', 'arguments']
    const whyNot = Object.keys(replaced).length > 0 ? 'arguments of the plug-in minruntime take its place' : ''
    for (const [field, option] of Object.entries(times)) {
      if (own[field] !== undefined) this.#time(['minRuntime', field], option, whyNot)
      if (replaced[option] !== undefined) this.#time([...path, option], option, '')
    }
    if (replaced['reclaimResolveMethod'] !== undefined) this.#method([...path, 'reclaimResolveMethod'], replaced['reclaimResolveMethod'])
  }

  /** Reads the time until a gang that lacks tasks is evicted; a negative one: never. */
  #grace(path: Path, given: unknown): void {
    this.#options['stalenessGracePeriod'] = /^-\d/.test(textOf(given)) ? -1 : this.#seconds(path, true)
    this.#tell('honoured', path, '')
  }

  /** Reads a duration. `whyNot`: why it does not count, or empty. */
  #time(path: Path, option: string, whyNot: string): void {
    const seconds = this.#seconds(path, true)
    this.#tell(whyNot === '' ? 'honoured' : 'ignored', path, whyNot)
    if (whyNot === '') this.#options[option] = seconds
  }

  /** Reads the arguments of the plug-in proportion. If any is given, `kValue` of the shard does not count, even if the arguments have none. */
  #proportion(replaced: Readonly<Record<string, unknown>>, kValue: unknown, usage: unknown): void {
    const path = ['plugins', 'proportion', 'arguments']
    const known = [MULTIPLIER, PRIORITY, STEADY, K_VALUE]
    for (const field of Object.keys(replaced)) if (!known.includes(field)) this.#tell('ignored', [...path, field], notSimulated(field, known))
    if (replaced[MULTIPLIER] !== undefined) {
      this.#options['reclaimerSaturationMultiplier'] = this.#number([...path, MULTIPLIER], 'a number from 1 on', 1)
      this.#tell('honoured', [...path, MULTIPLIER], '')
    }
    for (const name of [PRIORITY, STEADY]) {
      if (replaced[name] === undefined) continue
      const counts = textOf(replaced[name])
      if (counts !== 'true' && counts !== 'false') throw unexpected(this.#found, ['spec', ...path, name], ['true', 'false'])
      this.#options[name] = counts === 'true'
      this.#tell('honoured', [...path, name], '')
    }
    const isReplaced = Object.keys(replaced).length > 0
    if (isReplaced && kValue !== undefined) this.#tell('ignored', [K_VALUE], 'arguments of the plug-in proportion take its place')
    const counts = usage !== undefined && usage !== null
    const k = isReplaced ? [...path, K_VALUE] : [K_VALUE]
    const isGiven = at(this.#found.object, ['spec', ...k]) !== undefined
    if (isGiven) this.#tell(counts ? 'honoured' : 'ignored', k, counts ? '' : 'past usage does not count without usageDBConfig')
    if (counts) this.#options['pastUsage'] = { ...(isGiven && { kValue: Math.max(0, this.#number(k, 'a number')) }), ...this.#usage(fieldsOf(usage)) }
  }

  /** Reads how past usage counts. */
  #usage({ usageParams, ...others }: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const options: Record<string, unknown> = {}
    const path = ['usageDBConfig', 'usageParams']
    for (const field of Object.keys(others)) this.#tell('ignored', ['usageDBConfig', field], 'past usage is measured in the run')
    for (const [field, value] of Object.entries(fieldsOf(usageParams))) {
      const isCron = field === 'windowType' && value === CRON
      if (isUsageTime(field)) {
        const seconds = this.#seconds([...path, field], usageTimes[field])
        if (seconds > 0) options[field] = seconds
      } else if (field === 'windowType' && !isCron) {
        if (value !== TUMBLING && value !== SLIDING) throw unexpected(this.#found, ['spec', ...path, field], [SLIDING, TUMBLING, CRON])
        options[field] = value
      }
      const isThereToo = field in options || isUsageTime(field)
      this.#tell(isThereToo ? 'honoured' : 'ignored', [...path, field], isThereToo ? '' : isCron ? 'the window is sliding' : (whyNotOfUsage[field] ?? 'past usage is measured in the run'))
    }
    return options
  }

  #number(path: Path, expected: string, least = -Infinity): number {
    const number = Number(textOf(at(this.#found.object, ['spec', ...path])))
    if (!Number.isFinite(number) || number < least) throw unexpected(this.#found, ['spec', ...path], expected)
    return number
  }

  #seconds(path: Path, mayBeZero: boolean): number {
    const given = at(this.#found.object, ['spec', ...path])
    const seconds = typeof given === 'string' ? secondsWithDays(given) : undefined
    if (seconds === undefined || (seconds === 0 && !mayBeZero)) throw unexpected(this.#found, ['spec', ...path], `a duration such as 10m or 1h30m${mayBeZero ? '' : ', above 0'}`)
    return seconds
  }

  /** The most jobs whose tasks are moved for one; -1: any number. It is 0 if a resource is spread, unless the action is switched on (`setDefaultActions`). */
  #moved(most: unknown, strategy: Readonly<Record<string, unknown>>, isEnabled: unknown): number {
    const isSwitchedOn = isEnabled ?? !PLACED_BY.some((name) => strategy[name] === SPREAD)
    if (most === undefined) return isSwitchedOn === true ? USUALLY_MOVED : 0
    const path = ['args', MOST_MOVED]
    const number = Number(textOf(most))
    if (!Number.isInteger(number) || number < -1) throw unexpected(this.#found, ['spec', ...path], 'a whole number from -1 on')
    this.#tell(isSwitchedOn === true ? 'honoured' : 'ignored', path, isSwitchedOn === true ? '' : 'the action consolidation is off')
    return isSwitchedOn === true ? number : 0
  }

  #method(path: Path, given: unknown): void {
    if (!methods.includes(given as string)) throw unexpected(this.#found, ['spec', ...path], methods)
    this.#tell('honoured', path, '')
    this.#options['reclaimResolveMethod'] = given
  }

  /** The placement by the strategy of the shard, or by the arguments of the plug-in nodeplacement, which replace it as a whole. */
  #placement(strategy: Readonly<Record<string, unknown>>, replaced: Readonly<Record<string, unknown>>): Config | undefined {
    const isReplaced = Object.keys(replaced).length > 0
    this.#strategies(['placementStrategy'], strategy, isReplaced ? 'arguments of the plug-in nodeplacement take its place' : '')
    this.#strategies(['plugins', 'nodeplacement', 'arguments'], replaced, '')
    return placementBy(isReplaced ? replaced : strategy, this.#cluster)
  }

  #strategies(path: Path, given: Readonly<Record<string, unknown>>, whyNot: string): void {
    for (const [name, value] of Object.entries(given)) {
      if (!strategies.includes(textOf(value))) throw unexpected(this.#found, ['spec', ...path, name], strategies)
      const hasIt = this.#cluster.resources.includes(name)
      const note = whyNot !== '' ? whyNot : PLACED_BY.includes(name) ? (hasIt ? '' : `the cluster has no ${name}`) : notSimulated(name, PLACED_BY)
      this.#tell(note === '' ? 'honoured' : 'ignored', [...path, name], note)
    }
  }

  #tell(verdict: Verdict, path: Path, note: string): void {
    const value = at(this.#found.object, ['spec', ...path])
    this.#findings.add(verdict, where(this.#found, ['spec', ...path]), `${nameOf(this.#found)} ${path.join('.')}`, typeof value === 'object' ? '' : textOf(value), note)
  }
}

/** The placement by the given strategies; a resource without one is packed (`PlacementStrategy.SetDefaultWhereNeeded`). */
function placementBy({ gpu = BINPACK, cpu = BINPACK }: Readonly<Record<string, unknown>>, { resources }: ClusterFacts): Config | undefined {
  return PLACED_BY.some((name) => resources.includes(name)) ? { 'kai-scores': { gpu: textOf(gpu), cpu: textOf(cpu) } } : undefined
}
