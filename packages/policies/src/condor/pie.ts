import type { Accountant, Submitter } from './accountant.js'
import { bestFirst } from './best-first.js'

/** What is cut in slices: all or a part of the pool. */
export interface Pie {
  /** Slot weight of all slots of the pool. */
  readonly pool: number
  /** The least slot weight of any slot. */
  readonly leastSlot: number
  /** The group whose users negotiate: what it uses by now, and its quota; absent: nobody limits them. */
  readonly group?: { readonly used: () => number; readonly quota: number } | undefined
}

/** Limits of a submitter in a negotiation, in slot weight. */
export interface Slice {
  /** Once it has matched so much, it has had its turn. */
  readonly limit: number
  /** No match of what is free may bring it above this, but for the first. */
  readonly most: number
  /** Whether it may take places beyond the limit on nodes that rank its jobs higher. */
  readonly allowsRanks: boolean
}

type Share = Omit<Slice, 'allowsRanks'>

/** What came of a negotiation: the weight of what was matched, and whether more might be matched with another slice. */
export interface Negotiated {
  readonly matched: number
  readonly wantsMore: boolean
}

type Negotiate = (submitter: Submitter, slice: Slice) => Negotiated

/**
 * Spins the pie: submitters, best priority first, get slices of it in inverse proportion to their priorities, less what they use, and negotiate for them;
 * again and again, while anything is matched or a submitter has got all that it can get. `isOver`: whether nothing can be matched any more.
 *
 * Source: HTCondor, matchmaker.cpp (negotiateWithGroup, calculateSubmitterLimit, calculatePieLeft, calculateNormalizationFactor, submitterLessThan).
 * Deviations: submitters with equal priorities that use equal parts of what they may go by name; floors and ceilings of submitters are left out.
 */
export function spinPie(asking: readonly Submitter[], pie: Pie, accountant: Accountant, considersPreemption: boolean, negotiate: Negotiate, isOver: () => boolean): void {
  const { group } = pie
  let submitters = asking
  for (let spin = 1; ; spin++) {
    const heedsQuota = group !== undefined && (spin > 1 || !considersPreemption)
    if (heedsQuota && group.used() >= group.quota) return
    if (!considersPreemption) submitters = submitters.filter(({ isIdle }) => isIdle)
    const shares = cut(submitters, pie, accountant, considersPreemption)
    let left = shares.reduce((sum, { limit }) => sum + limit, 0)
    if (!considersPreemption && left <= 0) return
    const turns = spin === 1 ? inOrder(submitters, shares, accountant) : submitters.keys()
    const before = left
    const staying: Submitter[] = []
    for (const turn of turns) {
      if (isOver()) return // whoever comes later gets nothing, in this spin or in another one
      const each = submitters[turn] as Submitter
      const { limit, most } = shares[turn] as Share
      const rest = Math.min(limit, left)
      const isFull = heedsQuota && group.used() >= group.quota
      const isTooSmall = spin > 1 && rest < pie.leastSlot
      const { matched, wantsMore } = isFull || isTooSmall ? LATER : each.isIdle ? negotiate(each, { limit: rest, most, allowsRanks: spin === 1 && considersPreemption }) : NOTHING
      left -= matched
      if (wantsMore) staying.push(each)
    }
    if (staying.length === 0 || (left >= before && staying.length === submitters.length)) return
    submitters = staying
  }
}

const NOTHING: Negotiated = { matched: 0, wantsMore: false }
const LATER: Negotiated = { matched: 0, wantsMore: true }

function cut(submitters: readonly Submitter[], { pool, group }: Pie, accountant: Accountant, considersPreemption: boolean): readonly Share[] {
  const priorities = submitters.map((each) => accountant.priority(each))
  const worst = priorities.reduce((most, each) => Math.max(most, each), 0)
  const parts = priorities.reduce((sum, each) => sum + worst / each, 0)
  const total = Math.min(pool, group?.quota ?? Infinity)
  const room = group === undefined ? Infinity : Math.max(0, group.quota - group.used())
  return submitters.map((each, i) => {
    const share = worst / ((priorities[i] as number) * parts)
    const slice = Math.max(0, share * total - each.used)
    const most = Math.min(slice, room)
    return { limit: considersPreemption ? slice : most, most }
  })
}

/** In which order submitters have their turns: their places in the list. A cycle that sees one node is mostly over after the first. */
function inOrder(submitters: readonly Submitter[], shares: readonly Share[], accountant: Accountant): Iterable<number> {
  const priorities = submitters.map((each) => accountant.priority(each))
  const served = submitters.map(({ used }, i) => {
    const allowed = used + (shares[i] as Share).limit
    return allowed > 0 ? used / allowed : Infinity
  })
  const of = (values: readonly number[], i: number) => values[i] as number
  const name = (i: number) => (submitters[i] as Submitter).name
  return bestFirst(submitters.length, (a, b) => of(priorities, a) - of(priorities, b) || compare(of(served, a), of(served, b)) || (name(a) < name(b) ? -1 : 1))
}

const compare = (a: number, b: number) => (a < b ? -1 : Number(a > b))
