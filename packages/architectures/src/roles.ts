import type { Ranking, Share } from './allocator-order.js'
import type { Framework } from './framework.js'

/** A role, or a framework in a role. */
export class Member implements Share {
  readonly name: string
  weight: number
  readonly held: Float64Array
  tasks = 0
  offers = 0
  served = -1
  readonly parent: Member | undefined
  readonly framework: Framework | undefined
  members: Member[] = []
  /** The role's guarantee and limit, by `ResourceId`. */
  guarantee: Float64Array | undefined
  limit: Float64Array | undefined
  /** Whether roles inside it share its guarantee and are kept to its limit. */
  isForInside = true
  /** What is free on nodes reserved in it, by `ResourceId`; absent if there are none. */
  spared: Float64Array | undefined

  constructor(name: string, weight: number, width: number, parent?: Member, framework?: Framework) {
    this.name = name
    this.weight = weight
    this.held = new Float64Array(width)
    this.parent = parent
    this.framework = framework
  }

  /** The member that holds the role's own frameworks, besides roles inside it; absent if there are none. */
  get own(): Member | undefined {
    return this.members.every(({ framework }) => framework !== undefined) ? this : this.members.find(({ name }) => name === HERE)
  }
}

/** Name of the virtual role that holds the frameworks of a role which also has roles inside, as in Mesos. */
const HERE = '.'

/**
 * Frameworks in a tree of roles (`a/b` lies in `a`). Siblings are ranked by the same rule at every level; a role holds what all frameworks inside it
 * hold and are offered. A framework without a role is a sibling of the outermost roles. Where they are drawn at random across levels, each role with
 * frameworks of its own has as weight its share of the whole: the product of its shares at every level.
 *
 * Source: Mesos, hierarchical allocator with hierarchical roles; RandomSorter::SortInfo::updateRelativeWeights.
 */
export class Roles {
  readonly #root: Member
  readonly #frameworks: Member[] = []
  readonly #byPath = new Map<string, Member>()
  readonly #weightOf: (path: string) => number
  readonly #rank: Ranking
  readonly #width: number
  /** Roles with frameworks of their own, and frameworks without a role; set only if they are drawn across levels. */
  readonly #drawn: readonly Member[] | undefined

  constructor(frameworks: readonly Framework[], width: number, weightOf: (path: string) => number, rank: Ranking) {
    this.#weightOf = weightOf
    this.#rank = rank
    this.#width = width
    this.#root = new Member('', 1, width)
    for (const framework of frameworks) {
      const parent = framework.role === undefined ? this.#root : this.role(framework.role)
      const member = new Member(framework.name, framework.weight, width, parent, framework)
      parent.members.push(member)
      this.#frameworks.push(member)
    }
    for (const role of this.#byPath.values()) this.#divide(role)
    if (rank.isAcrossLevels === true) this.#drawn = weighed(this.#root, 1)
  }

  get paths(): string[] {
    return [...this.#byPath.keys()]
  }

  /** Outermost roles and frameworks without a role, in no particular order. */
  get tops(): readonly Member[] {
    return this.#root.members
  }

  /** The role of a path; creates it, and the roles around it, if needed. */
  role(path: string): Member {
    const known = this.#byPath.get(path)
    if (known !== undefined) return known
    const end = path.lastIndexOf('/')
    const parent = end < 0 ? this.#root : this.role(path.slice(0, end))
    const made = new Member(path.slice(end + 1), this.#weightOf(path), this.#width, parent)
    parent.members.push(made)
    this.#byPath.set(path, made)
    return made
  }

  /** Whether the quota of its outermost role applies to the framework. */
  isBound(framework: Framework): boolean {
    const role = this.outermost(framework)
    return role.isForInside || role.framework === framework || this.#memberOf(framework).parent === role.own
  }

  /** The outermost role of a framework, or the framework itself if it has no role. */
  outermost(framework: Framework): Member {
    let member = this.#memberOf(framework)
    while (member.parent !== this.#root) member = member.parent as Member
    return member
  }

  /** Outermost roles and frameworks without a role, the next one first. */
  outer(): Member[] {
    return this.#rank(this.#root.members)
  }

  /** Waiting frameworks in a role, the next one first; default: in all roles. */
  waiting(role = this.#root): Framework[] {
    if (role.framework !== undefined) return role.framework.isWaiting && role.framework.hasWork ? [role.framework] : []
    return this.#rank(role === this.#root ? (this.#drawn ?? role.members) : role.members).flatMap((member) => this.waiting(member))
  }

  /** Recounts what everybody holds; with `offered`, including what is on offer to them. */
  count(offered: boolean): void {
    this.#clear(this.#root)
    for (const member of this.#frameworks) {
      const framework = member.framework as Framework
      this.#add(member, framework.held)
      if (offered) this.#add(member, framework.onOffer())
      for (let each: Member | undefined = member; each !== undefined; each = each.parent) each.tasks += framework.tasks
    }
  }

  /** Adds amounts that the framework is offered. */
  note(framework: Framework, amounts: ArrayLike<number>): void {
    this.#add(this.#memberOf(framework), amounts)
  }

  /** Records `count` consecutive offers to the framework, made after `offers` offers to all. */
  serve(framework: Framework, offers: number, count = 1): void {
    for (let each: Member | undefined = this.#memberOf(framework); each !== undefined; each = each.parent) {
      each.offers += count
      each.served = offers + count - 1
    }
  }

  #memberOf({ scheduler }: Framework): Member {
    return this.#frameworks[scheduler.id] as Member
  }

  #clear(member: Member): void {
    member.held.fill(0)
    member.tasks = 0
    for (const each of member.members) this.#clear(each)
  }

  #add(member: Member, amounts: ArrayLike<number>): void {
    for (let each: Member | undefined = member; each !== undefined; each = each.parent)
      for (let r = 0; r < amounts.length; r++) each.held[r] = (each.held[r] as number) + (amounts[r] as number)
  }

  /** If a role has frameworks of its own besides roles inside, moves its frameworks into a virtual role. */
  #divide(role: Member): void {
    const own = role.members.filter(({ framework }) => framework !== undefined)
    if (own.length === 0 || own.length === role.members.length) return
    const here = new Member(HERE, 1, this.#width, role)
    here.members = own.map(({ framework }) => {
      const { name, weight, scheduler } = framework as Framework
      return (this.#frameworks[scheduler.id] = new Member(name, weight, this.#width, here, framework))
    })
    role.members = [...role.members.filter(({ framework }) => framework === undefined), here]
  }
}

/** Sets the weight of everything below a role to its share of `whole`, by weight at every level, and lists what is drawn. */
function weighed(role: Member, whole: number): Member[] {
  const sum = role.members.reduce((total, { weight }) => total + weight, 0)
  return role.members.flatMap((member) => {
    member.weight *= whole / sum
    return member.framework !== undefined || member.own === member ? [member] : weighed(member, member.weight)
  })
}
