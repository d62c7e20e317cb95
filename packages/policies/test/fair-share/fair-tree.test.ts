import { OF_PARENT } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FairTree } from '../../src/fair-share/fair-tree.js'

interface Row {
  readonly above: number
  readonly own: number
  readonly isUser: boolean
  readonly usage: number
}

/** Associations as columns that become more. */
class Growing {
  readonly parent: number[] = [-1]
  readonly shares: number[] = [1]
  readonly isUser: boolean[] = [false]
  readonly usage: number[] = [0]

  /** A user or an account in one of the accounts that there are. */
  add({ above, own, isUser, usage }: Row): void {
    const accounts = this.parent.flatMap((_, id) => (this.isUser[id] === true ? [] : [id]))
    this.parent.push(accounts[above % accounts.length] as number)
    this.shares.push(own)
    this.isUser.push(isUser)
    this.usage.push(isUser ? usage : 0)
  }
}

/** Users in the order of the tree, visited from the root, with what lies in each association counted anew. */
function plainFactors({ parent, shares, isUser, usage }: Growing): number[] {
  const ids = [...parent.keys()]
  const home = (id: number): number => {
    const above = parent[id] as number
    return above > 0 && shares[above] === OF_PARENT ? home(above) : above
  }
  const used = (id: number): number => (usage[id] as number) + ids.filter((child) => parent[child] === id).reduce((sum, child) => sum + used(child), 0)
  const level = (id: number): number => {
    if (shares[id] === OF_PARENT) return Infinity
    const all = ids.filter((other) => other > 0 && home(other) === home(id) && shares[other] !== OF_PARENT).reduce((sum, other) => sum + (shares[other] as number), 0)
    if (shares[id] === 0) return 0
    return used(id) === 0 ? Infinity : (shares[id] as number) / all / (used(id) / used(home(id)))
  }
  const users = isUser.filter(Boolean).length
  const factors = ids.map(() => 0)
  let [left, rank] = [users, users]
  const visit = (around: number, isFirstTied: boolean): void => {
    const inside = ids.filter((id) => id > 0 && home(id) === around && (isUser[id] === true || shares[id] !== OF_PARENT)).map((id) => ({ id, value: level(id), account: Number(!isUser[id]) }))
    inside.sort((a, b) => (a.value === b.value ? a.account - b.account || a.id - b.id : a.value > b.value ? -1 : 1))
    for (const [i, { id, value, account }] of inside.entries()) {
      const isTied = i === 0 ? isFirstTied : value === inside[i - 1]?.value
      if (account === 1) visit(id, isTied)
      else {
        if (!isTied) rank = left
        factors[id] = rank / users
        left--
      }
    }
  }
  visit(0, false)
  return factors
}

describe('a fair tree that grows', () => {
  const oneOf = fc.constantFrom
  // whole numbers, whose sums are exact in any order
  const row = fc.record({ above: fc.nat(), own: oneOf(1, 1, 1, 2, 5, 0, OF_PARENT), isUser: oneOf(true, true, false), usage: oneOf(0, 0, 1, 2, 4, 12, 100) })

  it('ranks as one that is counted anew, when users and accounts have come and usage has changed', () => {
    let ranks = 0
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.array(row, { maxLength: 8, size: 'max' }), fc.array(fc.nat({ max: 30 }), { maxLength: 8 })), { maxLength: 8, size: 'max' }), (steps) => {
        const tree = new Growing()
        const kept = new FairTree(tree)
        for (const [come, used] of steps) {
          for (const each of come) tree.add(each)
          for (const [i, more] of used.entries()) {
            const id = (i * 5 + more) % tree.usage.length
            if (tree.isUser[id] === true) tree.usage[id] = more
          }
          const factors = [...kept.factors(tree.usage)]
          expect(factors).toEqual(plainFactors(tree))
          ranks = Math.max(ranks, new Set(factors).size)
        }
      }),
      { seed: 17, numRuns: 300 },
    )
    expect(ranks).toBeGreaterThan(10)
  })

  it('looks at the shares of those alone that have come since', () => {
    let looks = 0
    const tree = new Growing()
    const shares = new Proxy(tree.shares, { get: (column, at) => (looks++, Reflect.get(column, at) as unknown) })
    const kept = new FairTree({ parent: tree.parent, shares, isUser: tree.isUser })
    for (let i = 0; i < 500; i++) {
      tree.add({ above: 0, own: 1, isUser: true, usage: (i * 7) % 100 })
      kept.factors(tree.usage)
    }
    expect(looks).toBe(500)
  })
})
