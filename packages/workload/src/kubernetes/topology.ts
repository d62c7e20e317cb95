import type { Slice, Topology } from '@sched/core'
import type { Fields } from '../json/fields.js'
import { levelsByKueue } from './kueue-levels.js'
import { marksOf } from './objects.js'

/** A level is given by the label of nodes that names their group, or by the number of a tier. */
type Level = string | number

/** Which groups of nodes pods should share. */
export interface AskedLevels {
  readonly required?: Level | undefined
  readonly preferred?: Level | undefined
  /** Pods of stages with the same name here are in one group together. */
  readonly group?: string | undefined
  /** So many pods each are in one group of a level together, the outermost first. */
  readonly slices?: readonly { readonly level: Level; readonly size: number }[] | undefined
}

/** A pod as far as it matters which subgroup it is in: its labels, and its kind where it names one. */
export interface Member {
  readonly tags: Readonly<Record<string, string>>
  readonly kind?: string | undefined
}

/** How the pods of a group are parted into subgroups. */
export interface Subgroups {
  /** The kind of a pod in its group. */
  kindOf(pod: Member): string | undefined
  /** Which groups of nodes the pods of a kind should share. */
  levelsOf(kind: string): AskedLevels | undefined
}

/**
 * The levels in labels or annotations of pods, or of what controls them; `undefined` if there are none. `count`: the number of pods, where it is known.
 * Throws `BadLine` for what Kueue refuses.
 *
 * Source: Kueue, see `levelsByKueue`; KAI Scheduler, kai.scheduler/topology-required-placement, topology-preferred-placement.
 */
export function levelsAskedBy(metadata: Fields | undefined, count?: number): AskedLevels | undefined {
  const mark = marksOf(metadata)
  const ofKai = { required: mark('kai.scheduler/topology-required-placement'), preferred: mark('kai.scheduler/topology-preferred-placement') }
  if (ofKai.required !== undefined || ofKai.preferred !== undefined) return { ...ofKai, group: 'of the job' }
  return metadata && asked(levelsByKueue(metadata, count))
}

/** The levels of a pod set of a Workload of Kueue. */
export function levelsOfPodSet(set: Fields): AskedLevels | undefined {
  const request = set.object('topologyRequest')
  if (request === undefined) return undefined
  const level = request.text('podSetSliceRequiredTopology')
  const slices = level === undefined ? request.list('podsetSliceRequiredTopologyConstraints').map((each) => ({ level: needed(each, 'topology', each.text('topology')), size: needed(each, 'size', each.whole('size', 1)) }))
    : [{ level, size: needed(request, 'podSetSliceSize', request.whole('podSetSliceSize', 1)) }]
  return asked({ required: request.text('required'), preferred: request.text('preferred'), group: request.text('podSetGroupName'), slices: slices.length === 0 ? undefined : slices })
}

function needed<T>(fields: Fields, key: string, value: T | undefined): T {
  if (value === undefined) throw fields.bad(key, 'is missing.')
  return value
}

/**
 * The levels of a pod group, or of a job of Volcano, as a whole.
 *
 * Source: KAI Scheduler, PodGroup (`topologyConstraint`); Volcano, NetworkTopologySpec; Kubernetes, PodGroupSchedulingConstraints.
 */
export function levelsOfGroup(object: Fields): AskedLevels | undefined {
  const spec = object.object('spec')
  const [ofKubernetes] = spec?.object('schedulingConstraints')?.list('topology') ?? []
  if (ofKubernetes !== undefined) return asked({ required: ofKubernetes.text('key') ?? ofKubernetes.text('level') })
  const [ofKai, ofVolcano] = ['topologyConstraint', 'networkTopology'].map((key) => (typeof spec?.value(key) === 'object' ? spec.object(key) : undefined))
  if (ofKai !== undefined) return constraintOf(ofKai)
  return ofVolcano && levelsOfNetwork(ofVolcano)
}

/** The levels that a `networkTopology` of Volcano asks for. */
export function levelsOfNetwork(network: Fields): AskedLevels | undefined {
  if (network.text('mode') === 'soft') return { preferred: LOWEST }
  const [tier, name] = [network.whole('highestTierAllowed'), network.text('highestTierName')]
  if (tier !== undefined && name !== undefined) throw network.bad('highestTierName', 'is given beside highestTierAllowed.', 'Give one of them.')
  return asked({ required: tier ?? name, preferred: LOWEST })
}

/**
 * The subgroups of a pod group of KAI that hold pods, with their levels.
 *
 * Deviation: the levels of subgroups that contain others have no effect, nor have any where the whole group requires a level.
 */
export function subgroupsOfKai(object: Fields): Subgroups {
  const levels = new Map<string, AskedLevels>()
  for (const each of object.object('spec')?.list('subGroups') ?? []) {
    const [name, constraint] = [each.text('name') ?? '', each.object('topologyConstraint')]
    const own = constraint && constraintOf(constraint)
    if (own !== undefined) levels.set(name, { ...own, group: `subgroup ${name}` })
  }
  return { kindOf: ({ kind }) => kind, levelsOf: (kind) => levels.get(kind) }
}

const constraintOf = (constraint: Fields): AskedLevels | undefined => asked({ required: constraint.text('requiredTopologyLevel'), preferred: constraint.text('preferredTopologyLevel') })

const asked = (levels: AskedLevels): AskedLevels | undefined =>
  (levels.required === undefined && levels.preferred === undefined && levels.slices === undefined ? undefined : levels)

const unsliced = (levels: AskedLevels | undefined): string => JSON.stringify({ ...levels, slices: undefined })

/** What a job and its stages ask for, with levels as numbers. */
interface Topologies {
  readonly job: Topology | undefined
  readonly stages: readonly (Topology | undefined)[]
  /** Whether it names levels that no Topology lists. */
  readonly isUnknown: boolean
}

const HOSTNAME = 'kubernetes.io/hostname'
const LOWEST = 'lowest tier'

/** What a level of a Topology is called: the label of nodes, and its alias in KAI. */
const namesOf = (level: Fields): readonly string[] => [level.text('nodeLabel'), level.text('alias')].filter((name) => name !== undefined)

/**
 * Numbers of the levels that Topology objects list by labels of nodes or aliases: 0 is a node, 1 the smallest group of nodes. If several list a name, the
 * first counts. Tiers of HyperNodes are levels in ascending order; if no HyperNode is listed, the number of a tier is that of a level.
 */
export class TopologyLevels {
  readonly #levels = new Map([[HOSTNAME, 0], [LOWEST, 1]])
  readonly #tiers = new Set<number>()
  readonly #tierNames = new Map<string, number>()

  add(topology: Fields): void {
    const levels = (topology.object('spec')?.list('levels') ?? []).filter((level) => level.text('nodeLabel') !== undefined).reverse()
    const groups = levels.filter((level) => level.text('nodeLabel') !== HOSTNAME)
    for (const [i, level] of groups.entries()) for (const name of namesOf(level)) if (!this.#levels.has(name)) this.#levels.set(name, i + 1)
    for (const node of levels) if (!groups.includes(node)) for (const name of namesOf(node)) if (!this.#levels.has(name)) this.#levels.set(name, 0)
  }

  addHyperNode(object: Fields): void {
    const spec = object.object('spec')
    const [tier, name] = [spec?.whole('tier'), spec?.text('tierName')]
    if (tier !== undefined) this.#tiers.add(tier)
    if (tier !== undefined && name !== undefined && !this.#tierNames.has(name)) this.#tierNames.set(name, tier)
  }

  /** Level of a tier: the number of listed tiers up to it, or the tier itself if none is listed. */
  #levelOfTier(tier: number): number {
    return this.#tiers.size === 0 ? tier : [...this.#tiers].filter((each) => each <= tier).length
  }

  /**
   * What a job asks for by itself, or its stages do. A request of the only stage, or of stages that are in one group together, is a request of the
   * job, with the slices of those among them that have any. Other slices are of stages. Where a job prefers a level, what its stages require counts, and what it prefers for the others.
   */
  of(job: AskedLevels | undefined, stages: readonly (AskedLevels | undefined)[]): Topologies {
    const prefers = job !== undefined && job.required === undefined && stages.some((each) => each?.required !== undefined)
    if (prefers || (job?.slices !== undefined && stages.length > 1)) return this.of(undefined, stages.map((each) => each ?? job))
    const [first] = stages
    const areTogether = stages.length === 1 || (first?.group !== undefined && stages.every((each) => unsliced(each) === unsliced(first)))
    const all = [job, ...stages].filter((each) => each !== undefined)
    return {
      job: this.#of(job ?? (areTogether ? { ...first, slices: stages.find((each) => each?.slices !== undefined)?.slices } : undefined)),
      stages: stages.map((each) => (areTogether || job !== undefined ? undefined : this.#of(each))),
      isUnknown: all.some((each) => [each.required, each.preferred, ...(each.slices ?? []).map(({ level }) => level)].some((level) => level !== undefined && this.#levelOf(level) === undefined)),
    }
  }

  /** The number of a level; `undefined` if no Topology lists it. */
  #levelOf(level: Level | undefined): number | undefined {
    if (level === undefined) return undefined
    const tier = typeof level === 'number' ? level : this.#tierNames.get(level)
    return tier !== undefined ? this.#levelOfTier(tier) : this.#levels.get(level as string)
  }

  #of(levels: AskedLevels | undefined): Topology | undefined {
    const [required, preferred] = [this.#levelOf(levels?.required), this.#levelOf(levels?.preferred)]
    const slices = (levels?.slices ?? []).flatMap(({ level, size }): Slice[] => {
      const known = this.#levelOf(level)
      return known === undefined ? [] : [{ level: known, size }]
    })
    if (required === undefined && preferred === undefined && slices.length === 0) return undefined
    return { ...(required !== undefined && { required }), ...(preferred !== undefined && { preferred }), ...(slices.length > 0 && { slices }) }
  }
}
