import { portableExp2 } from '@sched/core'
import { OF_PARENT, ratio, totalUsage, type Associations } from './factors.js'

/**
 * Fair tree over associations that may become more, but never change. Usage changes at the end of every period, and associations only when somebody comes, so
 * what follows from these alone is kept, as are siblings in their last order, which is nearly the next one.
 *
 * Source: Slurm, fair_tree (Cox and Morrison).
 */
export class FairTree {
  readonly #associations: Associations
  /** By association: its shares, that in which it counts (the nearest around it that has shares of its own; -1 for the root), and the shares of all that count in it. */
  readonly #shares: number[] = [1]
  readonly #homes: number[] = [-1]
  readonly #sums: number[] = [0]
  /** By association: the users and accounts that are ranked in it. */
  readonly #children: number[][] = [[]]
  #users = 0

  constructor(associations: Associations) {
    this.#associations = associations
  }

  /** Follows associations that have come. */
  #grow(): void {
    const { parent, shares, isUser } = this.#associations
    for (let id = this.#homes.length; id < parent.length; id++) {
      const above = parent[id] as number
      const own = shares[id] as number
      const home = above > 0 && this.#shares[above] === OF_PARENT ? (this.#homes[above] as number) : above
      this.#homes.push(home)
      this.#shares.push(own)
      this.#sums.push(0)
      this.#children.push([])
      if (own !== OF_PARENT) this.#sums[home] = (this.#sums[home] as number) + own
      if (isUser[id] === true || own !== OF_PARENT) this.#children[home]?.push(id)
      if (isUser[id] === true) this.#users++
    }
  }

  /**
   * Level fair share of every association: its part of the siblings' shares over its part of their usage. 1: it has used exactly its
   * share; more: it is under-served. `Infinity` without usage, or with the shares of its parent; 0 without shares.
   *
   * Source: Slurm, fair_tree: LF = S / U.
   */
  levels(usage: ArrayLike<number>): Float64Array {
    this.#grow()
    const total = totalUsage(this.#associations, usage)
    const levels = new Float64Array(total.length).fill(1) // of the root
    for (let id = 1; id < total.length; id++) levels[id] = this.#level(id, total)
    return levels
  }

  #level(id: number, total: Float64Array): number {
    const own = this.#shares[id] as number
    if (own === OF_PARENT) return Infinity
    const home = this.#homes[id] as number
    const share = ratio(own, this.#sums[home] as number)
    if (share === 0) return 0
    const used = ratio(total[id] as number, total[home] as number)
    return used === 0 ? Infinity : share / used
  }

  /**
   * A factor by rank, 1 for the first user and 1 / users for the last; 0 for accounts. The tree is visited from the root,
   * children by level fair share, largest first, so that all users of an account come before all of a sibling with a smaller value.
   * Users with equal values have the same rank, and users come before accounts of that value. An account with the same value as the sibling before it begins
   * with the rank of the last user so far: its first user has that rank, too. Users with the shares of their parent come first in it.
   *
   * Slurm's page says that accounts with equal values are merged; `_calc_tree_fs` visits them one after another, since `_count_tied_accounts` counts users alone.
   * Ties of accounts end in the lower id.
   */
  factors(usage: ArrayLike<number>): Float64Array {
    const levels = this.levels(usage)
    const { isUser } = this.#associations
    const users = this.#users
    const factors = new Float64Array(levels.length)
    let left = users
    let rank = users
    const visit = (siblings: number[], isFirstTied: boolean): void => {
      siblings.sort((a, b) => descending(levels[a] as number, levels[b] as number) || Number(isUser[b]) - Number(isUser[a]) || a - b)
      for (const [i, id] of siblings.entries()) {
        const isTied = i === 0 ? isFirstTied : levels[id] === levels[siblings[i - 1] as number]
        if (isUser[id] === true) {
          if (!isTied) rank = left
          factors[id] = rank / users
          left--
        } else visit(this.#children[id] as number[], isTied)
      }
    }
    visit(this.#children[0] as number[], false)
    return factors
  }
}

/** Fair tree: the factor of each user by rank, 1 for the first and 1 / users for the last; 0 for accounts. See `FairTree`, which keeps what a second call could use. */
export const fairTree = (associations: Associations, usage: ArrayLike<number>): Float64Array => new FairTree(associations).factors(usage)

/** The level fair share of every association, its part of the siblings' shares over its part of their usage: see `FairTree`. */
export const levelFairShare = (associations: Associations, usage: ArrayLike<number>): Float64Array => new FairTree(associations).levels(usage)

/**
 * 2^(-usage / shares / dampening) of every association, in [0, 1], both as fractions of those of its siblings. 1 without usage, or with the shares of its
 * parent; 0 without shares.
 *
 * Source: Slurm, `priority_p_calc_fs_factor` of what fair tree leaves in `usage_efctv` and `shares_norm`.
 */
export const siblingHalvings = (levels: Float64Array, dampening: number): Float64Array => levels.map((level) => (level === 0 ? 0 : portableExp2(-1 / level / dampening)))

const descending = (a: number, b: number) => (a === b ? 0 : a > b ? -1 : 1)
