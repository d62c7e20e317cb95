import { portableExp2 } from '@sched/core'
import { classicFairShare, depthObliviousFairShare, fairTree, levelFairShare, OF_PARENT, type Associations } from '@sched/policies'
import { describe, expect, it } from 'vitest'

type Tree = Readonly<Record<string, readonly [shares: number, inside: Tree | number]>>

/** Accounts with what lies in them, users with their usage. */
function associations(tree: Tree): { names: string[]; of: Associations; usage: number[] } {
  const names = ['root']
  const parent = [-1]
  const shares = [1]
  const isUser = [false]
  const usage = [0]
  const add = (inside: Tree, above: number): void => {
    for (const [name, [own, content]] of Object.entries(inside)) {
      names.push(name)
      parent.push(above)
      shares.push(own)
      isUser.push(typeof content === 'number')
      usage.push(typeof content === 'number' ? content : 0)
      if (typeof content !== 'number') add(content, names.length - 1)
    }
  }
  add(tree, 0)
  return { names, of: { parent, shares, isUser }, usage }
}
const named = (names: readonly string[], values: Float64Array) => Object.fromEntries(names.map((name, id) => [name, values[id]]).slice(1)) as Record<string, number>
const classic = (tree: Tree, dampening?: number) => {
  const { names, of, usage } = associations(tree)
  return named(names, classicFairShare(of, usage, dampening))
}
const depthOblivious = (tree: Tree, dampening?: number) => {
  const { names, of, usage } = associations(tree)
  return named(names, depthObliviousFairShare(of, usage, dampening))
}
const ranks = (tree: Tree) => {
  const { names, of, usage } = associations(tree)
  const factors = named(names, fairTree(of, usage))
  return Object.fromEntries(names.filter((_, id) => of.isUser[id] === true).map((name) => [name, factors[name]]))
}

describe('the classic fair-share factor', () => {
  // Slurm, classic_fair_share, figure 3: A 40 shares with B 30 and C 10, D 60 with E 25 and F 35; usage of the machine is
  // 0.2 of user 1 (in B), 0.25 of user 2 and 0 of user 3 (in C, a share each), 0.25 of user 4 (in E), 0 of user 5 (in F),
  // and 0.3 of it was not used. Effective usage: B 0.2 + (0.45 - 0.2) 30/40 = 0.3875, C 0.25 + (0.45 - 0.25) 10/40 = 0.3,
  // E 0.25, F 0.25 x 35/60 = 0.1458; users 0.3875, 0.25 + 0.05 / 2 = 0.275, 0.15, 0.25, 0.1458.
  const figure: Tree = {
    A: [40, { B: [30, { user1: [1, 0.2] }], C: [10, { user2: [1, 0.25], user3: [1, 0] }] }],
    D: [60, { E: [25, { user4: [1, 0.25] }], F: [35, { user5: [1, 0] }] }],
    idle: [0, 0.3],
  }
  it('is that of the worked example', () => {
    const factors = classic(figure)
    const published = { user1: 0.408479, user2: 0.022097, user3: 0.125, user4: 0.5, user5: 0.749154 }
    for (const [user, factor] of Object.entries(published)) expect(factors[user]).toBeCloseTo(factor, 3)
    expect(factors['user3']).toBeCloseTo(2 ** -3, 12) // 0.15 / 0.05
    expect(factors['user1']).toBeCloseTo(2 ** (-0.3875 / 0.3), 12)
  })

  it('is that of accounts, too, and 0 without shares (test24.1 of Slurm)', () => {
    const factors = classic({
      A: [40, { B: [30, { u1: [1, 20] }], C: [10, { u2: [1, 25], u3: [1, 0] }] }],
      D: [60, { E: [25, { u4: [1, 25] }], F: [35, { u5: [1, 0] }] }],
      G: [0, { u6: [0, 30] }],
    })
    const published = { A: 0.458502, B: 0.408479, u1: 0.408479, C: 0.125, u2: 0.022097, u3: 0.125, D: 0.749154, E: 0.5, u4: 0.5, F: 0.749154, u5: 0.749154, G: 0, u6: 0 }
    for (const [name, factor] of Object.entries(published)) expect(factors[name], name).toBeCloseTo(factor, 6)
  })

  it('is that of PBS, where everybody has used at least 1 (pbs_fairshare of OpenPBS)', () => {
    // groups of 40 and 60 shares with users of 50 and 50, 60 and 40; used were 100 and 100, nothing and 1000
    const factors = classic({ one: [40, { u0: [50, 100], u1: [50, 100] }], two: [60, { u2: [60, 0], u3: [40, 1000] }] })
    for (const [user, factor] of Object.entries({ u0: 0.6477, u1: 0.6477, u2: 0.3816, u3: 0.0902 })) expect(Math.abs((factors[user] as number) - factor), user).toBeLessThan(0.001)
  })

  it('is 1 without usage, 0 without shares, a half at just the share, and nearer to 1 with dampening', () => {
    const tree: Tree = { a: [1, 1], b: [1, 1], c: [0, 0] }
    expect(classic(tree)).toEqual({ a: 0.5, b: 0.5, c: 0 })
    expect(classic(tree, 2)['a']).toBeCloseTo(Math.SQRT1_2, 15)
    expect(classic({ a: [1, 0], b: [1, 0] })).toEqual({ a: 1, b: 1 })
  })
})

describe('the depth-oblivious fair-share factor', () => {
  it('is the part of the account around it times its own, which counts less where the two disagree', () => {
    // A has used 0.8 of all with half of the shares, R 1.6; u1 0.75 of that with half of the shares, 1.5; u2 0.25, 0.5
    const factors = depthOblivious({ A: [50, { u1: [1, 60], u2: [1, 20], u3: [OF_PARENT, 0] }], B: [50, { v: [1, 20], w: [1, 0] }] })
    expect(factors['A']).toBeCloseTo(2 ** -1.6, 12)
    expect(factors['u1']).toBeCloseTo(2 ** -(1.6 * 1.5), 12)
    expect(factors['u2']).toBeCloseTo(2 ** -(1.6 * 0.5 ** (1 / (1 + (5 * Math.log(1.6)) ** 2))), 12)
    expect(factors['u3']).toBe(factors['A'])
    expect(factors['v']).toBeCloseTo(2 ** -(0.4 * 2 ** (1 / (1 + (5 * Math.log(0.4)) ** 2))), 12)
    expect(factors['w']).toBe(1)
  })

  it('does not change with accounts around accounts, as the classic one does', () => {
    const users: Tree = { u: [1, 6], v: [1, 2] }
    const deep: Tree = { A: [1, { B: [1, { C: [1, users] }], D: [1, { x: [1, 4] }] }], E: [1, { y: [1, 12] }] }
    const flat: Tree = { A: [1, { B: [1, users], D: [1, { x: [1, 4] }] }], E: [1, { y: [1, 12] }] }
    for (const user of ['u', 'v', 'x', 'y']) expect(depthOblivious(deep)[user]).toBeCloseTo(depthOblivious(flat)[user] as number, 12)
    expect(depthOblivious({ a: [1, 1], b: [1, 1], c: [0, 0] }, 2)).toEqual({ a: expect.closeTo(Math.SQRT1_2, 15), b: expect.closeTo(Math.SQRT1_2, 15), c: 0 })
    expect(depthOblivious({ a: [1, 0], b: [1, { u: [1, 0] }] })).toEqual({ a: 1, b: 1, u: 1 })
  })
})

// The associations of Slurm's own test of the plug-in (testsuite test24.4, without aE and aF 24.3): one account with shares and without use, in which everything from
// two levels down shares the parent's; ties of users and accounts without use; an account as well served as the user beside it.
const shared: Tree = {
  D: [50, { d1: [OF_PARENT, 20], d2: [40, 20], d3: [50, 25], DA: [OF_PARENT, { da1: [OF_PARENT, 10], da2: [30, 10], da3: [50, 25] }] }],
}
const plain: Tree = {
  A: [40, { AA: [30, { aa1: [1, 20] }], AB: [10, { ab1: [1, 25], ab2: [1, 0] }] }],
  B: [60, { BA: [25, { ba1: [1, 25] }], BB: [35, { bb1: [1, 0] }] }],
  C: [0, { c1: [0, 30] }],
}
const tied: Tree = {
  E: [10, { e1: [10, 0], e2: [10, 0] }], u1: [10, 0], F: [20, { f1: [10, 0], f2: [20, 0] }],
  G: [8, { g1: [10, 10], GA: [10, { ga1: [20, 4], ga2: [20, 6] }] }], u2: [10, 10],
}

describe('shares of the parent', () => {
  it('give the factor of the account, and siblings above their place, in the classic way (test24.3 of Slurm)', () => {
    const factors = classic({ ...plain, ...shared })
    const published = {
      A: 0.572929, AA: 0.52755, aa1: 0.52755, AB: 0.226431, ab1: 0.065672, ab2: 0.226431, B: 0.813594, BA: 0.609507, ba1: 0.609507, BB: 0.813594, bb1: 0.813594, C: 0, c1: 0,
      D: 0.336475, d1: 0.336475, d2: 0.176777, d3: 0.185749, DA: 0.336475, da1: 0.336475, da2: 0.211966, da3: 0.185749,
    }
    for (const [name, factor] of Object.entries(published)) expect(factors[name], name).toBeCloseTo(factor, 6)
  })

  it('come first in the account under fair tree, beside ties of all kinds (test24.4 of Slurm)', () => {
    const rank = (n: number) => n / 21
    expect(ranks({ ...plain, ...shared, ...tied })).toEqual({
      e1: 1, e2: 1, u1: 1, f1: 1, f2: 1, // nothing used: users, and all of accounts that are tied with them
      bb1: rank(16), ba1: rank(15), u2: rank(14), aa1: rank(13), ab2: rank(12), ab1: rank(11),
      d1: rank(10), da1: rank(10), da2: rank(8), d3: rank(7), da3: rank(7), d2: rank(5), // d2 and d3 differ by rounding alone, as there
      g1: rank(4), ga1: rank(4), ga2: rank(2), c1: rank(1),
    })
  })

  it('of a user in no account are the whole, as the root has it', () => {
    expect(classic({ u: [OF_PARENT, 1], a: [1, { b: [1, 3] }] })).toEqual({ u: portableExp2(-0.25), a: portableExp2(-0.75), b: portableExp2(-0.75) })
  })
})

describe('fair tree', () => {
  it('compares siblings by shares over usage', () => {
    const { names, of, usage } = associations({ a: [3, 2], b: [1, 2], c: [4, 0], d: [0, 4] })
    // shares 3/8, 1/8, 4/8, 0 over usage 2/8, 2/8, 0, 4/8
    expect(named(names, levelFairShare(of, usage))).toEqual({ a: 1.5, b: 0.5, c: Infinity, d: 0 })
  })

  it('ranks all users of an account before all of a sibling that is served better', () => {
    // A has used 10 of 40 and has half of the shares: 0.5 / 0.25 = 2; B: 0.5 / 0.75
    const tree: Tree = { A: [1, { heavy: [1, 9], light: [1, 1] }], B: [1, { none: [1, 0], all: [1, 30] }] }
    expect(ranks(tree)).toEqual({ light: 1, heavy: 3 / 4, none: 2 / 4, all: 1 / 4 })
  })

  it('gives equal siblings one rank, and the next one the rank that is left', () => {
    expect(ranks({ a: [1, 2], b: [1, 2], c: [1, 4] })).toEqual({ a: 1, b: 1, c: 1 / 3 })
  })

  it('gives a user the rank of the highest in an account of the same value', () => {
    // u and A have used as much and have as many shares; inside A, x comes first
    expect(ranks({ u: [1, 4], A: [1, { x: [1, 1], y: [1, 3] }], z: [1, 8] })).toEqual({ u: 1, x: 1, y: 2 / 4, z: 1 / 4 })
  })

  it('visits accounts of the same value one after another, the first user of each with the rank of the last one before (sshare of Slurm 22.05.8)', () => {
    // all accounts have used 40; level fair shares inside: a (2, 2/3), b (1, 1), c (3, 1/3)
    const tree: Tree = { root: [1, 0], a: [1, { ann: [1, 30], bob: [1, 10] }], b: [1, { cat: [3, 30], dan: [1, 10] }], c: [1, { u5: [3, 10], u6: [1, 30] }] }
    expect(ranks(tree)).toEqual({ root: 1, bob: 6 / 7, ann: 5 / 7, cat: 5 / 7, dan: 5 / 7, u5: 5 / 7, u6: 1 / 7 })
  })
})
