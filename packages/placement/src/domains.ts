import type { ClusterView, NodeId } from '@sched/core'

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
}

/** A group of nodes of a level. */
interface Domain {
  readonly level: number
  readonly group: number
  /** Its rank by name among the domains of its level; names of the groups around it count first. */
  readonly rank: number
  readonly inside: Domain[]
}

/** A domain with the number of tasks that it has room for, or is to take. */
interface Filled {
  readonly domain: Domain
  readonly tasks: number
}

/**
 * Chooses domains for tasks of one shape, level by level from the largest down.
 *
 * Source: Kueue, tas_flavor_snapshot.go (findLevelWithFitDomains, updateCountsToMinimumGeneric).
 */
export class Domains {
  /** Domains by level. */
  readonly #levels: readonly (readonly Domain[])[]
  /** `[level][group]`: the number of tasks for which the domain has room. */
  readonly #room: readonly Float64Array[]
  readonly #cluster: ClusterView
  /** By node: its rank by name among all nodes. */
  readonly ranks: Int32Array

  constructor(cluster: ClusterView) {
    this.#cluster = cluster
    const levels: Domain[][] = []
    for (let level = cluster.levels - 1; level >= 0; level--) levels[level] = domainsOf(level, cluster, levels[level + 1])
    this.#levels = levels
    this.#room = levels.map((domains) => new Float64Array(domains.length))
    this.ranks = new Int32Array(cluster.nodes)
    for (const { group, rank } of levels[0] as readonly Domain[]) this.ranks[group] = rank
  }

  /** Sets the room of all domains; `room`: by node, the number of tasks for which it has room. */
  fill(room: ArrayLike<number>): void {
    for (const counts of this.#room) counts.fill(0)
    for (let node = 0 as NodeId; node < room.length; node++)
      for (let level = 0; level < this.#cluster.levels; level++) {
        const counts = this.#room[level] as Float64Array
        const group = this.#cluster.group(level, node)
        counts[group] = (counts[group] as number) + (room[node] as number)
      }
  }

  /**
   * Nodes for so many tasks, one entry per task: in one domain of the level `from` if one holds them all, otherwise of the next level, up to `to`.
   * If no domain of that level holds them, they go to several, or with `isFirm` nowhere (`undefined`); also `undefined` if there is too little
   * room.
   */
  nodes(tasks: number, choice: Choice, { from = 0, to = from, isFirm = false }: Search = {}): NodeId[] | undefined {
    let at = from
    let chosen = this.#one(at, tasks, choice)
    while (chosen === undefined && at < to) chosen = this.#one(++at, tasks, choice)
    if (chosen === undefined && !isFirm) chosen = fewest(this.#sorted(this.#levels[at] as readonly Domain[], choice), tasks, choice)
    for (; at > 0 && chosen !== undefined; at--) chosen = fewest(this.#sorted(chosen.flatMap(({ domain }) => domain.inside), choice), tasks, choice)
    return chosen && [...chosen].sort((a, b) => a.domain.rank - b.domain.rank).flatMap(({ domain, tasks: count }) => Array<NodeId>(count).fill(domain.group as NodeId))
  }

  /** The domain of a level that holds all tasks, if there is one. */
  #one(level: number, tasks: number, choice: Choice): readonly Filled[] | undefined {
    const domains = this.#sorted(this.#levels[level] as readonly Domain[], choice)
    const found = choice === 'best-fit' ? tightest(domains, tasks) : domains.find((each) => each.tasks >= tasks)
    return found && [{ ...found, tasks }]
  }

  /** The most tasks for which any domain of the level has room. */
  most(level: number): number {
    return (this.#room[level] as Float64Array).reduce((most, room) => Math.max(most, room), 0)
  }

  /** Nodes for so many tasks, each on the node with room for the fewest tasks, one after another; there must be room for all. */
  inOrder(tasks: number): NodeId[] {
    const nodes: NodeId[] = []
    for (const { domain, tasks: room } of this.#sorted(this.#levels[0] as readonly Domain[], 'least-free-capacity'))
      for (let i = 0; i < room && nodes.length < tasks; i++) nodes.push(domain.group as NodeId)
    return nodes
  }

  #sorted(domains: readonly Domain[], choice: Choice): Filled[] {
    const filled = domains.map((domain): Filled => ({ domain, tasks: this.#room[domain.level]?.[domain.group] as number }))
    const sign = choice === 'least-free-capacity' ? 1 : -1
    return filled.sort((a, b) => sign * (a.tasks - b.tasks) || a.domain.rank - b.domain.rank)
  }
}

/** As many domains as the tasks take, in order; `undefined` if all are too small. */
function fewest(domains: readonly Filled[], tasks: number, choice: Choice): readonly Filled[] | undefined {
  const chosen: Filled[] = []
  let left = tasks
  for (const [i, each] of domains.entries()) {
    if (each.tasks >= left) return [...chosen, { ...(choice === 'best-fit' ? (tightest(domains.slice(i), left) as Filled) : each), tasks: left }]
    if (each.tasks === 0) continue
    chosen.push(each)
    left -= each.tasks
  }
  return undefined
}

/** The domain that holds so many tasks with the least to spare, ties to the first. */
const tightest = (domains: readonly Filled[], tasks: number): Filled | undefined =>
  domains.reduce<Filled | undefined>((best, each) => (each.tasks >= tasks && (best === undefined || each.tasks < best.tasks) ? each : best), undefined)

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
