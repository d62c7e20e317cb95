import type { ClusterView, GangPart, JobId, NodeId, ResourceId, Round, ShapeId } from '@sched/core'
import { freeNow, Packing, type Amounts } from './packing.js'
import { partsOf } from './whole-gang.js'

/** How well a node suits for a task of a shape, by what is free. */
type Score = (node: NodeId, shape: ShapeId, round: Round, free: Amounts) => number

/** Tasks of one shape that start at once. */
type Part = Pick<GangPart, 'shape' | 'tasks'>
/** The levels of the domains that a job prefers and requires; absent: none. */
interface Levels {
  readonly preferred?: number | undefined
  readonly required?: number | undefined
}

/** A group of nodes of a level of the cluster. */
interface Domain {
  readonly nodes: NodeId[]
  readonly inside: Domain[]
}

/** A domain, and which part of what is free there the tasks take; above 1: they do not fit. */
interface Ranked {
  readonly domain: Domain
  readonly full: number
}

/** In so many steps nodes are told apart by the place of their preferred domain. */
const STEPS = 10

/**
 * Finds nodes for the tasks that a job starts at once, all in one domain of the level that is preferred, if one has room, or else of a level above, up to the
 * one that is required. Of the domains of a level that comes first which is the fullest with these tasks, by the resource that is scarcest there, in the
 * fullest domain around it. In a domain of a higher level nodes of those preferred domains come first that are the fullest; otherwise the score decides.
 *
 * Source: KAI Scheduler, plug-in topology (job_filtering.go: sortTree, getJobAllocatableDomains, sortDomainInfos; node_scoring.go). Deviation: of equal
 * domains the one of the lowest node comes first, in KAI the first by its label.
 */
export class KaiDomains {
  /** Domains by level. */
  readonly #levels: readonly (readonly Domain[])[]
  readonly #score: Score

  constructor(cluster: ClusterView, score: Score) {
    this.#levels = Array.from({ length: cluster.levels }, (_, level) => Array.from({ length: cluster.groups(level) }, (): Domain => ({ nodes: [], inside: [] })))
    this.#score = score
    for (let node = 0 as NodeId; node < cluster.nodes; node++)
      for (const [level, domains] of this.#levels.entries()) {
        const domain = domains[cluster.group(level, node)] as Domain
        const above = this.#levels[level + 1]?.[cluster.group(level + 1, node)]
        if (domain.nodes.length === 0) above?.inside.push(domain)
        domain.nodes.push(node)
      }
  }

  /** The nodes of the tasks, part by part; none if no domain has room. `running`: the nodes where tasks of the job run. */
  plan({ preferred, required }: Levels, parts: readonly Part[], running: readonly NodeId[], job: JobId, round: Round): readonly NodeId[] {
    const { cluster } = round
    const top = this.#levels.length
    const to = Math.min(required ?? top, top)
    const from = Math.min(preferred ?? to, to)
    const inSight = new Set(round.nodes.filter((node) => cluster.up(node) && round.bars?.(job, node) !== true))
    const fullness = new Fullness(parts, inSight, round)
    if (fullness.of(inSight) > 1) return []
    const sorted = this.#sorted(from, fullness)
    const ranks = preferred === undefined ? undefined : this.#ranks(sorted[from] ?? [])
    const taken = to === top ? undefined : new Set(running.map((node) => cluster.group(to, node)))
    for (let level = from; level <= to && level < top; level++)
      for (const { domain: { nodes }, full } of sorted[level] ?? []) {
        if (full > 1 || (taken !== undefined && taken.size > 0 && !taken.has(cluster.group(to, nodes[0] as NodeId)))) continue
        const found = this.#placesOn(nodes.filter((node) => inSight.has(node)), ranks, parts, job, round)
        if (found !== undefined) return found
      }
    return to === top ? (this.#placesOn([...inSight], ranks, parts, job, round) ?? []) : []
  }

  /** By level from `lowest` up: its domains, the fullest first, in the order of those around them. */
  #sorted(lowest: number, fullness: Fullness): (readonly Ranked[])[] {
    const sorted: (readonly Ranked[])[] = []
    for (let level = this.#levels.length - 1; level >= lowest; level--) {
      const around = sorted[level + 1]?.map(({ domain }) => domain.inside) ?? [this.#levels[level] as readonly Domain[]]
      sorted[level] = around.flatMap((inside) => fullness.sorted(inside))
    }
    return sorted
  }

  /** By node: the rank of its preferred domain, in steps; the largest is that of the first. */
  #ranks(domains: readonly Ranked[]): Float64Array {
    const ranks = new Float64Array(this.#levels[0]?.length ?? 0)
    for (const [i, { domain }] of domains.entries()) for (const node of domain.nodes) ranks[node] = Math.floor(((domains.length - i) / domains.length) * STEPS)
    return ranks
  }

  /** The nodes on which the tasks go one after the other; `undefined` if one finds none. */
  #placesOn(nodes: readonly NodeId[], ranks: Float64Array | undefined, parts: readonly Part[], job: JobId, round: Round): readonly NodeId[] | undefined {
    const packing = new Packing(partsOf(job, round, parts), nodes, round.cluster, freeNow(round.cluster))
    const rank = (at: number): number => ranks?.[nodes[at] as NodeId] ?? 0
    const places: NodeId[] = []
    for (const [p, { shape, tasks }] of parts.entries()) {
      const valueOf = (at: number): number => (packing.room(p, at) > 0 ? this.#score(nodes[at] as NodeId, shape, round, packing.left(at)) : -Infinity)
      const values = nodes.map((_, at) => valueOf(at))
      for (let left = tasks; left > 0; left--) {
        let best = -1
        for (const [at, value] of values.entries()) {
          if (value === -Infinity) continue
          if (best < 0 || rank(at) > rank(best) || (rank(at) === rank(best) && value > (values[best] as number))) best = at
        }
        if (best < 0) return undefined
        packing.take(p, best, 1)
        values[best] = valueOf(best)
        places.push(nodes[best] as NodeId)
      }
    }
    return places
  }
}

/** How full tasks make domains: the largest part that they take of what is free of a resource. */
class Fullness {
  readonly #asked: readonly (readonly [resource: ResourceId, amount: number])[]
  readonly #inSight: ReadonlySet<NodeId>
  readonly #cluster: ClusterView

  constructor(parts: readonly Part[], inSight: ReadonlySet<NodeId>, { cluster, work }: Round) {
    const amounts = cluster.resources.map((_, r) => [r as ResourceId, parts.reduce((sum, { shape, tasks }) => sum + tasks * work.demand(shape, r as ResourceId), 0)] as const)
    this.#asked = amounts.filter(([, amount]) => amount > 0)
    this.#inSight = inSight
    this.#cluster = cluster
  }

  /** Domains, the fullest first, of equals the one of the lowest node. */
  sorted(domains: readonly Domain[]): Ranked[] {
    const all = domains.map((domain) => ({ domain, full: this.of(domain.nodes) }))
    return all.sort((a, b) => (a.full === b.full ? (a.domain.nodes[0] as number) - (b.domain.nodes[0] as number) : b.full - a.full))
  }

  /** Which part of what is free on these nodes the tasks take. */
  of(nodes: Iterable<NodeId>): number {
    let full = 0
    for (const [r, amount] of this.#asked) {
      let free = 0
      for (const node of nodes) if (this.#inSight.has(node)) free += this.#cluster.free(node, r)
      full = Math.max(full, amount / free)
    }
    return full
  }
}
