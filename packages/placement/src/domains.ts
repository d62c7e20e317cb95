import type { ClusterView, NodeId, Slice } from '@sched/core'
import { balancedDomains, type Room } from './balanced-domains.js'
import type { Domain, Filled } from './domain.js'
import { besideAmong, besideIn, holdingAll, sharedOut, takingAll, type Beside, type Shared } from './partial-slices.js'

/**
 * How the domains of a level are chosen. best-fit: those with room for most tasks first, but what is left goes to the one that holds it with the
 * least to spare; most-free-capacity, least-free-capacity: those with room for most, or fewest, tasks first.
 */
export type Choice = 'best-fit' | 'most-free-capacity' | 'least-free-capacity'

/** The levels at which a domain is searched; level 0 is nodes. */
interface Search {
  readonly from?: number
  readonly to?: number
  readonly isFirm?: boolean
  /** Whether domains of the level `from` share the tasks evenly, where they can. */
  readonly isBalanced?: boolean
  /** Whether the last slice needs the room of a whole one, since its other tasks follow later. */
  readonly isWhole?: boolean
}

const NONE: readonly Slice[] = []
/** The slices of tasks that need not stay together. */
const TASK: Slice = { level: 0, size: 1 }

/**
 * Chooses domains for tasks of one shape, level by level from the largest down. Tasks may be in slices that stay together, of several layers, the outermost
 * first. Above the level of a slice those domains are taken that have room for most slices; inside it tasks are placed without a look at the other domains.
 *
 * A last slice with fewer tasks is in one domain, too.
 *
 * Source: Kueue, tas_flavor_snapshot.go (fillInCountsHelper, findLevelWithFitDomains, updateCountsToMinimumGeneric, buildSliceSizeAtLevel) and
 * tas_partial_slices.go. Deviation: with slices in slices the last one needs the room of a whole one; Kueue refuses such jobs.
 */
export class Domains {
  /** Domains by level. */
  readonly levels: readonly (readonly Domain[])[]
  /** `[level][group]`: the number of tasks for which the domain has room, in whole slices of the layers below the outermost. */
  readonly #room: readonly Float64Array[]
  /** `[level][group]`: the number of outermost slices for which it has room; 0 below their level. */
  readonly #slices: readonly Float64Array[]
  /** The outermost slices, and how many layers of slices there are. */
  #outer = TASK
  #layers = 0
  /** By level below that of the outermost slices: how many tasks stay together in a domain. */
  readonly #sizes: Int32Array
  /** By node: its rank by name among all nodes. */
  readonly ranks: Int32Array

  constructor(cluster: ClusterView) {
    const levels: Domain[][] = []
    for (let level = cluster.levels - 1; level >= 0; level--) levels[level] = domainsOf(level, cluster, levels[level + 1])
    this.levels = levels
    this.#room = levels.map((domains) => new Float64Array(domains.length))
    this.#slices = levels.map((domains) => new Float64Array(domains.length))
    this.#sizes = new Int32Array(cluster.levels)
    this.ranks = new Int32Array(cluster.nodes)
    for (const { group, rank } of levels[0] as readonly Domain[]) this.ranks[group] = rank
  }

  /** Sets the room of all domains; `room`: by node, the number of tasks for which it has room. `slices`: those of the tasks, of levels of the cluster. */
  fill(room: ArrayLike<number>, slices: readonly Slice[] = NONE): void {
    const [outer = TASK] = slices
    this.#outer = outer
    this.#layers = slices.length
    this.#sizes.fill(1)
    for (const [i, { level, size }] of slices.entries()) if (i > 0) this.#sizes.fill(size, level, slices[i - 1]?.level)
    for (const [level, domains] of this.levels.entries()) {
      const [tasks, whole] = [this.#room[level] as Float64Array, this.#slices[level] as Float64Array]
      for (const { group, inside } of domains) {
        tasks[group] = level === 0 ? (room[group] as number) : this.#roomIn(inside)
        whole[group] = level === outer.level ? Math.floor(tasks[group] / outer.size) : level > outer.level ? this.#slicesIn(inside) : 0
      }
    }
  }

  /** The tasks for which these domains have room together. */
  #roomIn(inside: readonly Domain[]): number {
    let sum = 0
    for (const { level, group } of inside) {
      const room = this.#room[level]?.[group] as number
      sum += level < this.#outer.level ? room - (room % (this.#sizes[level] as number)) : room
    }
    return sum
  }

  #slicesIn(inside: readonly Domain[]): number {
    let sum = 0
    for (const { level, group } of inside) sum += this.#slices[level]?.[group] as number
    return sum
  }

  /**
   * Nodes for so many tasks, one entry per task: in one domain of the level `from` if one holds them all, otherwise of the next level, up to `to`.
   * If no domain of that level holds them, they go to several, or with `isFirm` nowhere (`undefined`); also `undefined` if there is too little
   * room. No level is below that of the outermost slices.
   */
  nodes(tasks: number, choice: Choice, { from = 0, to = from, isFirm = false, isBalanced = false, isWhole = false }: Search = {}): NodeId[] | undefined {
    const { level: whole, size } = this.#outer
    const short = isWhole ? 0 : this.#shortOf(tasks)
    if (short > 0) return this.#nodesWithShort(tasks, short, choice, { from, to, isFirm })
    const units = Math.ceil(tasks / size)
    const shares = isBalanced ? this.#balanced(from, units) : undefined
    if (shares !== undefined) return this.#nodesIn(shares, tasks, choice)
    let at = from
    let chosen = this.#one(at, units, choice)
    while (chosen === undefined && at < to) chosen = this.#one(++at, units, choice)
    if (chosen === undefined && !isFirm) chosen = fewest(this.#sorted(this.levels[at] as readonly Domain[], choice), units, choice)
    for (; at > whole && chosen !== undefined; at--) chosen = fewest(this.#sorted(chosen.flatMap(({ domain }) => domain.inside), choice), units, choice)
    return chosen && this.#nodesIn(chosen, tasks, choice)
  }

  /** How many tasks are in a last slice that is not whole; 0: there is none, or slices are in slices. */
  #shortOf(tasks: number): number {
    return this.#layers > 1 ? 0 : tasks % this.#outer.size
  }

  /** Nodes for so many tasks of which the last slice is not whole. */
  #nodesWithShort(tasks: number, short: number, choice: Choice, { from = 0, to = from, isFirm = false }: Search): NodeId[] | undefined {
    const { level: whole, size } = this.#outer
    const units = Math.floor(tasks / size)
    const isTight = choice === 'best-fit'
    const sorted = (domains: readonly Domain[]) => this.#sorted(domains, choice).map((each): Beside => ({ ...each, beside: this.#beside(each.domain, short) }))
    const one = (level: number) => {
      const found = holdingAll(sorted(this.levels[level] as readonly Domain[]), units, isTight)
      return found && [found]
    }
    let at = from
    let taken: readonly Beside[] | undefined = one(at)
    while (taken === undefined && at < to) taken = one(++at)
    if (taken === undefined && !isFirm) taken = takingAll(sorted(this.levels[at] as readonly Domain[]), units, isTight)
    let chosen = taken && sharedOut(taken, units, short, isTight)
    for (; at > whole && chosen !== undefined; at--) chosen = sharedOut(sorted(chosen.flatMap(({ domain }) => domain.inside)), units, short, isTight)
    return chosen && this.#nodesIn(chosen, tasks, choice)
  }

  /** The whole slices for which a domain has room beside one of so many tasks; below 0: it has no room for that. */
  #beside({ level, group, inside }: Domain, short: number): number {
    const { level: whole, size } = this.#outer
    const own = besideIn(this.#room[level]?.[group] as number, short, size)
    return level === whole ? own : Math.min(own, this.#besideAmong(inside, short))
  }

  #besideAmong(domains: readonly Domain[], short: number): number {
    return besideAmong(domains.map((each) => ({ slices: this.#slices[each.level]?.[each.group] as number, beside: this.#beside(each, short) })))
  }

  /** Domains of the level that share the slices evenly, or, above the level of slices, those of the level below it. */
  #balanced(level: number, slices: number): readonly Filled[] | undefined {
    const { level: whole, size } = this.#outer
    if (level > 0 && level === whole) return undefined // in Kueue, too: it leaves out all that is inside domains of the level of slices
    const roomOf = (domain: Domain): Room => ({ domain, tasks: this.#room[domain.level]?.[domain.group] as number, slices: this.#slices[domain.level]?.[domain.group] as number, inside: domain.level === level ? domain.inside.map(roomOf) : [] })
    const siblings = this.levels[level + 1]?.map(({ inside }) => inside) ?? [this.levels[level] as readonly Domain[]]
    return balancedDomains(siblings.map((each) => each.map(roomOf)), slices, size, level > whole)
  }

  /** The nodes inside these domains that take their units, each domain for itself. */
  #nodesIn(chosen: readonly Shared[], tasks: number, choice: Choice): NodeId[] {
    let filled = chosen
    while ((filled[0]?.domain.level ?? 0) > 0) filled = filled.flatMap((each) => this.#inside(each, choice))
    return [...filled].sort((a, b) => a.domain.rank - b.domain.rank).flatMap((each) => Array<NodeId>(this.#tasksOf(each)).fill(each.domain.group as NodeId)).slice(0, tasks)
  }

  /** The domains inside one to which its tasks go. */
  #inside(filled: Shared, choice: Choice): readonly Filled[] {
    const { inside, level } = filled.domain
    const units = level > this.#outer.level ? filled.units : this.#tasksOf(filled) / (this.#sizes[level - 1] as number)
    return fewest(this.#sorted(inside, choice), units, choice) as readonly Filled[]
  }

  #tasksOf({ domain, units, short = 0 }: Shared): number {
    return short + units * (domain.level >= this.#outer.level ? this.#outer.size : (this.#sizes[domain.level] as number))
  }

  /** The domain of a level that holds all units, if there is one. */
  #one(level: number, units: number, choice: Choice): readonly Filled[] | undefined {
    const domains = this.#sorted(this.levels[level] as readonly Domain[], choice)
    const found = choice === 'best-fit' ? tightest(domains, units) : domains.find((each) => each.units >= units)
    return found && [{ ...found, units }]
  }

  /** The domains of a level that have room for so many tasks in whole slices, by name. */
  holding(level: number, tasks: number): number[] {
    return (this.levels[level] as readonly Domain[]).map(({ group }) => group).filter((group) => (this.#slices[level]?.[group] as number) * this.#outer.size >= tasks)
  }

  /** The most tasks, in whole slices, for which any domain of the level has room; without a level that of all domains together. */
  most(level?: number): number {
    if (level === undefined) return this.#slicesIn(this.levels.at(-1) as readonly Domain[]) * this.#outer.size
    return (this.#slices[level] as Float64Array).reduce((most, slices) => Math.max(most, slices), 0) * this.#outer.size
  }

  /**
   * How many of so many tasks any domain of the level, or without a level all domains together, have room for at once: all, the last of them in a slice that
   * may be short, or as many as are in whole slices.
   */
  mostOf(tasks: number, level?: number): number {
    const short = this.#shortOf(tasks)
    const whole = Math.min(tasks, this.most(level))
    if (short === 0 || whole === tasks) return whole
    const beside = level === undefined ? this.#besideAmong(this.levels.at(-1) as readonly Domain[], short) : (this.levels[level] as readonly Domain[]).reduce((most, each) => Math.max(most, this.#beside(each, short)), -1)
    return beside >= Math.floor(tasks / this.#outer.size) ? tasks : whole
  }

  /** Nodes for so many tasks, each on the node with room for the fewest tasks, one after another; there must be room for all. */
  inOrder(tasks: number): NodeId[] {
    const nodes: NodeId[] = []
    for (const { domain, units } of this.#sorted(this.levels[0] as readonly Domain[], 'least-free-capacity'))
      for (let i = 0; i < units && nodes.length < tasks; i++) nodes.push(domain.group as NodeId)
    return nodes
  }

  /** Domains by the slices for which they have room, then those with least room, so that slices leave little beside them; then by name. */
  #sorted(domains: readonly Domain[], choice: Choice): Filled[] {
    const { level: whole } = this.#outer
    const all = domains.map((domain) => {
      const [room, slices] = [this.#room[domain.level]?.[domain.group] as number, this.#slices[domain.level]?.[domain.group] as number]
      return { domain, room, slices, units: domain.level >= whole ? slices : Math.floor(room / (this.#sizes[domain.level] as number)) }
    })
    const sign = choice === 'least-free-capacity' ? 1 : -1
    return all.sort((a, b) => sign * (a.slices - b.slices) || a.room - b.room || a.domain.rank - b.domain.rank)
  }
}

/** As many domains as the units take, in order; `undefined` if all are too small. */
function fewest(domains: readonly Filled[], units: number, choice: Choice): readonly Filled[] | undefined {
  const chosen: Filled[] = []
  let left = units
  for (const [i, each] of domains.entries()) {
    if (each.units >= left) return [...chosen, { ...(choice === 'best-fit' ? (tightest(domains.slice(i), left) as Filled) : each), units: left }]
    if (each.units === 0) continue
    chosen.push(each)
    left -= each.units
  }
  return undefined
}

/** The domain that holds so many units with the least to spare, ties to the first. */
const tightest = (domains: readonly Filled[], units: number): Filled | undefined =>
  domains.reduce<Filled | undefined>((best, each) => (each.units >= units && (best === undefined || each.units < best.units) ? each : best), undefined)

/** Makes the domains of a level and puts each into its domain of the next level, in order of the names of these and then of their own names. */
function domainsOf(level: number, cluster: ClusterView, above: readonly Domain[] | undefined): Domain[] {
  const aboveOf = new Map(above?.map((domain) => [domain.group, domain]))
  const around = new Map<number, Domain>()
  if (above !== undefined) for (let node = 0 as NodeId; node < cluster.nodes; node++) around.set(cluster.group(level, node), aboveOf.get(cluster.group(level + 1, node)) as Domain)
  const nameOf = (group: number) => {
    const name = cluster.groupName(level, group)
    const outer = around.get(group)
    // the name of a group ends with that of the group around it
    return outer === undefined || level === 0 ? name : name.slice(0, -1 - cluster.groupName(level + 1, outer.group).length)
  }
  const groups = Array.from({ length: cluster.groups(level) }, (_, group) => ({ group, name: nameOf(group), place: around.get(group)?.rank ?? 0 }))
  groups.sort((a, b) => a.place - b.place || (a.name < b.name ? -1 : a.name > b.name ? 1 : a.group - b.group))
  return groups.map(({ group }, rank) => {
    const domain: Domain = { level, group, rank, inside: [] }
    around.get(group)?.inside.push(domain)
    return domain
  })
}
