import type { KubernetesObject } from '@sched/cluster'
import { knownWords, type Config } from '@sched/core'
import type { KaiOptions } from '@sched/policies'
import { secondsWithDays } from '../durations.js'
import { at, fieldsOf, nameOf, textOf, unexpected, where, type Path } from '../fields.js'
import type { Findings, Verdict } from '../finding.js'
import type { ClusterFacts } from '../queue-policy.js'

/** What the scheduler of a shard adds to its queues. */
export interface ShardSettings {
  readonly options: Pick<KaiOptions, 'defaultPreemptMinRuntime' | 'defaultReclaimMinRuntime' | 'reclaimResolveMethod'>
  /** Undefined: nothing is said. */
  readonly placement: Config | undefined
}

const strategies = knownWords<string>({ binpack: 'most-allocated', spread: 'least-allocated' })
const times = { preemptMinRuntime: 'defaultPreemptMinRuntime', reclaimMinRuntime: 'defaultReclaimMinRuntime' } as const
const methods = ['lca', 'queue']
/** Actions that are not here. */
const absent = ['consolidation', 'stalegangeviction']
const why = knownWords<string>({
  args: 'flags of the scheduler', partitionLabelValue: 'all nodes, queues and jobs are in one shard', queueDepthPerAction: 'all jobs are tried', kValue: 'past usage does not count', usageDBConfig: 'past usage does not count',
})

/**
 * What a SchedulingShard says: of several the one without `partitionLabelValue`, or else the first. Tells of each setting what becomes of it. Throws `BAD_INPUT` with the line.
 *
 * Source: KAI Scheduler, schedulingshard_types.go. Deviation: nodes are scored by the part that is taken of them, in KAI by what is left of GPUs, of CPUs for jobs without.
 */
export function shardSettings(shards: readonly KubernetesObject[], cluster: ClusterFacts, findings: Findings): ShardSettings {
  const isWhole = ({ object }: KubernetesObject) => textOf(at(object, ['spec', 'partitionLabelValue']) ?? '') === ''
  const chosen = shards.find(isWhole) ?? shards[0]
  for (const other of shards) if (other !== chosen) findings.add('ignored', where(other, []), `SchedulingShard ${nameOf(other)}`, '', why['partitionLabelValue'])
  return chosen === undefined ? { options: {}, placement: undefined } : new Reading(chosen, cluster, findings).settings()
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
    const { placementStrategy, minRuntime, plugins, actions, ...others } = fieldsOf(this.#found.object['spec'])
    for (const [field, value] of Object.entries(others)) if (value !== '' && value !== null) this.#tell('ignored', [field], why[field] ?? 'not simulated')
    const path = ['plugins', 'minruntime', 'arguments']
    const replaced = fieldsOf(fieldsOf(fieldsOf(plugins)['minruntime'])['arguments'])
    const isReplaced = Object.keys(replaced).length > 0
    for (const [field, option] of Object.entries(times)) {
      if (fieldsOf(minRuntime)[field] !== undefined) this.#time(['minRuntime', field], option, isReplaced ? 'arguments of the plug-in minruntime take its place' : '')
      if (replaced[option] !== undefined) this.#time([...path, option], option, '')
    }
    if (replaced['reclaimResolveMethod'] !== undefined) this.#method([...path, 'reclaimResolveMethod'], replaced['reclaimResolveMethod'])
    for (const [name, given] of Object.entries(fieldsOf(plugins)))
      for (const field of Object.keys(fieldsOf(given))) if (name !== 'minruntime' || field !== 'arguments') this.#tell('ignored', ['plugins', name, field], 'not simulated')
    for (const [name, given] of Object.entries(fieldsOf(actions)))
      for (const [field, value] of Object.entries(fieldsOf(given))) {
        const isSo = field === 'enabled' && value !== absent.includes(name)
        this.#tell(isSo ? 'honoured' : 'ignored', ['actions', name, field], isSo ? '' : field === 'enabled' && value === false ? 'it cannot be switched off' : 'not simulated')
      }
    return { options: this.#options, placement: this.#placement(fieldsOf(placementStrategy)) }
  }

  #time(path: Path, option: string, whyNot: string): void {
    const given = at(this.#found.object, ['spec', ...path])
    const seconds = typeof given === 'string' ? secondsWithDays(given) : undefined
    if (seconds === undefined) throw unexpected(this.#found, ['spec', ...path], 'a duration such as 10m or 1h30m')
    this.#tell(whyNot === '' ? 'honoured' : 'ignored', path, whyNot)
    if (whyNot === '') this.#options[option] = seconds
  }

  #method(path: Path, given: unknown): void {
    if (!methods.includes(given as string)) throw unexpected(this.#found, ['spec', ...path], methods.join(', '))
    this.#tell('honoured', path, '')
    this.#options['reclaimResolveMethod'] = given
  }

  /** That of GPUs where the cluster has any, since these are what jobs are packed by. */
  #placement(given: Readonly<Record<string, unknown>>): Config | undefined {
    const counting = this.#cluster.resources.includes('gpu') ? 'gpu' : 'cpu'
    const score = given[counting] === undefined ? undefined : strategies[textOf(given[counting])]
    for (const [name, value] of Object.entries(given)) {
      if (strategies[textOf(value)] === undefined) throw unexpected(this.#found, ['spec', 'placementStrategy', name], Object.keys(strategies).join(', '))
      const counts = name === counting && this.#cluster.resources.includes(name)
      this.#tell(counts ? 'approximated' : 'ignored', ['placementStrategy', name], counts ? `as ${score} of the placement weighted, for all jobs` : `nodes are chosen by ${counting}`)
    }
    if (score === undefined || !this.#cluster.resources.includes(counting)) return undefined
    return { weighted: { scores: { [score]: 1 }, resourceWeights: Object.fromEntries(this.#cluster.resources.map((name) => [name, name === counting ? 1 : 0])) } }
  }

  #tell(verdict: Verdict, path: Path, note: string): void {
    const value = at(this.#found.object, ['spec', ...path])
    this.#findings.add(verdict, where(this.#found, ['spec', ...path]), `${nameOf(this.#found)} ${path.join('.')}`, typeof value === 'object' ? '' : textOf(value), note)
  }
}
