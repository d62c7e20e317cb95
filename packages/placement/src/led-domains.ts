import type { NodeId, Slice } from '@sched/core'
import type { Domain } from './domain.js'
import type { Choice } from './domains.js'

/** What nodes have room for. */
export interface RoomBesideLeader {
  /** By node: for how many workers it has room without the leader. */
  readonly alone: ArrayLike<number>
  /** By node: for how many workers it has room beside the leader; below 0: it has no room for the leader. */
  readonly beside: ArrayLike<number>
}

/** Where a leader and its workers go: the workers' nodes by name, one entry for each. */
export interface LedPlaces {
  readonly leader: NodeId
  readonly workers: readonly NodeId[]
}

/** The levels at which one domain is searched for all of them, from the lowest up; with `isFirm` only in one domain. */
export interface Search {
  readonly from: number
  readonly to: number
  readonly isFirm: boolean
  readonly choice: Choice
}

/** A domain with the units for which it has room, without the leader and beside it: slices where these are whole, below that workers. */
interface Led {
  readonly domain: Domain
  readonly units: number
  /** Below 0: it has no room for the leader. */
  readonly beside: number
}

/** A domain that gets so many units, and the leader or not. */
interface Given {
  readonly domain: Domain
  readonly units: number
  readonly leads: boolean
}

/** What a domain holds of workers and of outermost slices, alone and beside the leader. */
interface Room {
  readonly tasks: number
  readonly slices: number
  readonly tasksBeside: number
  readonly slicesBeside: number
  readonly canLead: boolean
}

const TASK: Slice = { level: 0, size: 1 }

/**
 * Chooses domains for one leader and its workers, which may be in slices, level by level from the largest down: the leader goes where it takes the room of few
 * enough workers, so that what one domain holds of both in all is found again below.
 *
 * Source: Kueue, tas_flavor_snapshot.go (fillInCountsHelper, findLevelWithFitDomains, prioritizeLeaderDomain, consumeWithLeadersGeneric), with
 * TASGroupedPodSetSlicing. Deviations: a last slice with fewer workers needs the room of a whole one; nobody is shared evenly (TASBalancedPlacement).
 */
export class LedDomains {
  readonly #levels: readonly (readonly Domain[])[]
  readonly #rooms = new Map<Domain, Room>()
  #outer = TASK
  /** By level below that of the outermost slices: how many workers stay together in a domain. */
  #sizes: readonly number[] = []

  constructor(levels: readonly (readonly Domain[])[]) {
    this.#levels = levels
  }

  /** Places for the leader and so many workers; `undefined` if there are none. No level of the search is below that of the outermost slices. */
  place(workers: number, slices: readonly Slice[], room: RoomBesideLeader, search: Search): LedPlaces | undefined {
    const { choice } = search
    this.#fill(slices, room)
    const units = Math.ceil(workers / this.#outer.size)
    const found = this.#find(units, search)
    let chosen = found && sharedOut(found, units, choice)
    for (let level = found?.[0]?.domain.level ?? 0; level > this.#outer.level && chosen !== undefined; level--)
      chosen = sharedOut(this.#sorted(chosen.flatMap(({ domain }) => domain.inside), choice), units, choice)
    while ((chosen?.[0]?.domain.level ?? 0) > 0) chosen = chosen?.flatMap((each) => this.#inside(each, choice))
    if (chosen === undefined) return undefined
    const leader = (chosen.find(({ leads }) => leads) as Given).domain.group as NodeId
    const nodes = [...chosen].sort((a, b) => a.domain.rank - b.domain.rank).flatMap((each) => Array<NodeId>(this.#tasksOf(each)).fill(each.domain.group as NodeId))
    return { leader, workers: nodes.slice(0, workers) }
  }

  #fill(slices: readonly Slice[], { alone, beside }: RoomBesideLeader): void {
    const [outer = TASK] = slices
    this.#outer = outer
    const sizes = this.#levels.map(() => 1)
    for (const [i, { level, size }] of slices.entries()) if (i > 0) sizes.fill(size, level, slices[i - 1]?.level)
    this.#sizes = sizes
    for (const [level, domains] of this.#levels.entries())
      for (const domain of domains) {
        const { group, inside } = domain
        const canLead = level === 0 ? (beside[group] as number) >= 0 : inside.some((each) => this.#of(each).canLead)
        const tasks = level === 0 ? (alone[group] as number) : sum(inside.map((each) => this.#whole(each, this.#of(each).tasks)))
        const tasksBeside = level === 0 ? (beside[group] as number) : tasks - this.#cost(inside, (each) => this.#whole(each, this.#of(each).tasks) - this.#whole(each, this.#of(each).tasksBeside))
        const between = sum(inside.map((each) => this.#of(each).slices))
        const besideThem = between - this.#cost(inside, (each) => this.#of(each).slices - this.#of(each).slicesBeside)
        const isAbove = level > outer.level
        this.#rooms.set(domain, {
          tasks, canLead, tasksBeside: canLead ? tasksBeside : -1,
          slices: level === outer.level ? Math.floor(tasks / outer.size) : isAbove ? between : 0,
          slicesBeside: !canLead ? -1 : level === outer.level ? Math.floor(tasksBeside / outer.size) : isAbove ? besideThem : 0,
        })
      }
  }

  #of(domain: Domain): Room {
    return this.#rooms.get(domain) as Room
  }

  /** So many workers of a domain, as far as they are in whole inner slices. */
  #whole({ level }: Domain, tasks: number): number {
    return level < this.#outer.level ? tasks - (tasks % (this.#sizes[level] as number)) : tasks
  }

  /** What the leader takes of the domain where it takes least. */
  #cost(domains: readonly Domain[], costOf: (domain: Domain) => number): number {
    return domains.reduce((least, each) => (this.#of(each).canLead ? Math.min(least, costOf(each)) : least), Infinity)
  }

  #find(units: number, { from, to, isFirm, choice }: Search): readonly Led[] | undefined {
    for (let level = from; level <= to; level++) {
      const one = holdingAll(this.#leadersFirst(level, choice), units, choice)
      if (one !== undefined) return [one]
    }
    return isFirm ? undefined : this.#several(to, units, choice)
  }

  /** As few domains of a level as hold all together: one for the leader, then those with room for most, or fewest. */
  #several(level: number, units: number, choice: Choice): readonly Led[] | undefined {
    const [first, ...others] = leaderFirst(this.#leadersFirst(level, choice), units) ?? []
    if (first === undefined) return undefined
    const rest = withoutLeader(this.#sorted(others.map(({ domain }) => domain), choice), Math.max(0, units - first.beside), choice)
    return rest && [first, ...rest.map(({ domain }) => this.#led(domain))]
  }

  /** The domains of a level, those first that have room for the leader. */
  #leadersFirst(level: number, choice: Choice): readonly Led[] {
    const sign = choice === 'least-free-capacity' ? 1 : -1
    const all = (this.#levels[level] as readonly Domain[]).map((domain) => this.#led(domain))
    return all.sort((a, b) => Number(b.beside >= 0) - Number(a.beside >= 0) || sign * (a.beside - b.beside) || this.#of(a.domain).tasksBeside - this.#of(b.domain).tasksBeside || a.domain.rank - b.domain.rank)
  }

  #sorted(domains: readonly Domain[], choice: Choice): readonly Led[] {
    const sign = choice === 'least-free-capacity' ? 1 : -1
    const roomOf = ({ domain }: Led): Room => this.#of(domain)
    return domains.map((domain) => this.#led(domain)).sort((a, b) => sign * (roomOf(a).slices - roomOf(b).slices) || roomOf(a).tasks - roomOf(b).tasks || a.domain.rank - b.domain.rank)
  }

  #led(domain: Domain): Led {
    const { tasks, slices, tasksBeside, slicesBeside } = this.#of(domain)
    const size = this.#sizes[domain.level] as number
    return domain.level >= this.#outer.level ? { domain, units: slices, beside: slicesBeside } : { domain, units: Math.floor(tasks / size), beside: Math.floor(tasksBeside / size) }
  }

  /** The domains inside one to which go what it gets. */
  #inside(given: Given, choice: Choice): readonly Given[] {
    const { inside, level } = given.domain
    const units = this.#tasksOf(given) / (this.#sizes[level - 1] as number)
    const sorted = this.#sorted(inside, choice)
    return (given.leads ? sharedOut(sorted, units, choice) : withoutLeader(sorted, units, choice)) as readonly Given[]
  }

  #tasksOf({ domain, units }: Given): number {
    return units * (domain.level >= this.#outer.level ? this.#outer.size : (this.#sizes[domain.level] as number))
  }
}

const sum = (amounts: readonly number[]): number => amounts.reduce((all, each) => all + each, 0)

/** Of those that hold the leader and so many units beside it the one with the least to spare, or the first. */
function holdingAll(domains: readonly Led[], units: number, choice: Choice): Led | undefined {
  const holding = domains.filter(({ beside }) => beside >= Math.max(0, units))
  return choice === 'best-fit' ? holding.reduce<Led | undefined>((best, each) => (best === undefined || each.beside < best.beside ? each : best), undefined) : holding[0]
}

/** The domains with one first that can lead so that there is room for so many units in all; `undefined`: none can. */
function leaderFirst(domains: readonly Led[], units: number): readonly Led[] | undefined {
  const spare = sum(domains.map((each) => each.units)) - units
  const leader = domains.find((each) => each.beside >= 0 && each.units - each.beside <= spare)
  return leader && [leader, ...domains.filter((each) => each !== leader)]
}

/** Shares the leader and so many units out to domains in order, as few as they take; `undefined`: they are too small. */
function sharedOut(domains: readonly Led[], units: number, choice: Choice): readonly Given[] | undefined {
  const ordered = leaderFirst(domains, units)
  const [first, ...others] = ordered ?? []
  if (first === undefined) return undefined
  if (first.beside >= units) return [{ ...(choice === 'best-fit' ? (holdingAll(ordered as readonly Led[], units, choice) as Led) : first), units, leads: true }]
  const rest = withoutLeader(others, units - first.beside, choice)
  return rest && [{ domain: first.domain, units: first.beside, leads: true }, ...rest]
}

function withoutLeader(domains: readonly Led[], units: number, choice: Choice): readonly Given[] | undefined {
  const given: Given[] = []
  let left = units
  for (const [i, each] of domains.entries()) {
    if (left === 0) return given
    if (each.units >= left) {
      const last = choice === 'best-fit' ? domains.slice(i).reduce((best, other) => (other.units >= left && other.units < best.units ? other : best), each) : each
      return [...given, { domain: last.domain, units: left, leads: false }]
    }
    if (each.units > 0) given.push({ domain: each.domain, units: each.units, leads: false })
    left -= each.units
  }
  return left === 0 ? given : undefined
}
