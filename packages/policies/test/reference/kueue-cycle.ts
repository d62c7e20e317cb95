import { classicalTargets, fairTargets, heightAround, variants, type Admitted, type Asking, type Gates, type Place, type Rules, type Snapshot, type Strategy } from './kueue-preemption.js'

/** Who is first in a queue. */
export interface Head extends Asking {
  readonly rank: number
}

/** The rules of all queues. */
export interface Settings {
  readonly rules: ReadonlyMap<Place, Rules>
  /** Of fair sharing; undefined: without it. */
  readonly strategies: readonly Strategy[] | undefined
  /** How many may come into a cycle besides the first of each queue; with fair sharing alone. */
  readonly refill?: number
  /** Whether priorities do not count between queues. */
  readonly byAgeAlone?: boolean
  /** Whether shares alone decide who is first. */
  readonly bySharesAlone?: boolean
  readonly gates?: Gates
}

type Mode = 'no fit' | 'no candidates' | 'preempt' | 'fit'
interface Entry<H extends Head> {
  readonly head: H
  mode: Mode
  borrows: number
  targets: readonly Admitted[]
  /** Those of them that it takes by `borrowWithinCohort` alone. */
  outbid: readonly Admitted[]
  readonly isRefilled?: boolean
}

/** What comes of the cycle for each head. */
export interface Acts<H extends Head> {
  /** Whom the head preempts, if anybody. Afterwards these are no more admitted, and it is. */
  admit(head: H, targets: readonly Admitted[], outbid: readonly Admitted[]): void
  setAside(head: H): void
  /** Whether it may preempt nobody now. */
  isBarred(head: H): boolean
  /** It would preempt if it might. */
  wouldPreempt(head: H): void
  /** Who is next in a queue of which one has been admitted, if others wait, too. */
  next?(queue: Place): H | undefined
}

/**
 * One scheduling cycle with one flavor, written anew from Kueue's sources (scheduler.go, flavorassigner.go, preemption_oracle.go, fair_sharing_iterator.go,
 * as of 0.20): what each head could have is found for all of them, then they are gone through in order. Who is preempted is gone at once, and its
 * preemptor has the room; where one that a head would preempt has gone, that is found anew.
 */
export function cycle<H extends Head>(snapshot: Snapshot, heads: readonly H[], settings: Settings, acts: Acts<H>): void {
  const targetsOf = (head: H, asking: Asking, short: readonly number[]): readonly Admitted[] => {
    const rules = settings.rules.get(head.queue)
    if (rules === undefined) return []
    const found = settings.strategies === undefined ? classicalTargets(snapshot, asking, short, rules, undefined, settings.gates) : fairTargets(snapshot, asking, short, rules, settings.strategies, undefined, settings.gates)
    if (!acts.isBarred(head)) return found
    if (found.length > 0) acts.wouldPreempt(head)
    return []
  }
  const nominated = (head: H): Entry<H> => {
    const found = nominate(snapshot, head, settings, (asking, short) => targetsOf(head, asking, short))
    return { head, ...found, outbid: settings.strategies === undefined ? found.targets.filter((each) => variants.get(each) === 'while borrowing') : [] }
  }
  const left = heads.map(nominated)
  let budget = settings.refill ?? 0
  const kept: Admitted[] = []
  while (left.length > 0) {
    const entry = settings.strategies === undefined ? first(left, (a, b) => a.borrows - b.borrows || byAge(settings)(a, b)) : fairest(snapshot, left, settings)
    left.splice(left.indexOf(entry), 1)
    const { head } = entry
    if (entry.targets.some((each) => !snapshot.admitted.has(each))) Object.assign(entry, nominated(head))
    if (entry.isRefilled === true && entry.mode !== 'fit' && entry.mode !== 'no fit') continue // it comes again in the next cycle
    if (entry.mode === 'no fit' || entry.mode === 'no candidates') {
      if (entry.mode === 'no candidates' && settings.rules.get(head.queue)?.reclaimWithinCohort !== 'Any') {
        const load: Admitted = { ...head, asks: toReserve(snapshot, head, entry.borrows > 0), id: -1, admission: 0 }
        kept.push(load)
        snapshot.admitted.add(load)
      }
      acts.setAside(head)
      continue
    }
    for (const each of entry.targets) snapshot.admitted.delete(each)
    const isRoom = fits(snapshot, head)
    for (const each of entry.targets) snapshot.admitted.add(each)
    if (!isRoom) continue
    acts.admit(head, entry.targets, entry.outbid)
    const next = budget > 0 && entry.mode === 'fit' ? acts.next?.(head.queue) : undefined
    if (next === undefined) continue
    budget--
    left.push({ ...nominated(next), isRefilled: true })
  }
  for (const load of kept) snapshot.admitted.delete(load)
}

const fits = (snapshot: Snapshot, { asks, queue }: Asking): boolean => asks.every((amount, r) => amount === 0 || amount <= snapshot.available(queue, r))

/** The worst of what its resources come to, and how far up it borrows; of one that is to preempt, once those found for that resource have gone. */
function nominate(snapshot: Snapshot, head: Head, { rules, strategies }: Settings, search: (asking: Asking, short: readonly number[]) => readonly Admitted[]): Omit<Entry<Head>, 'head' | 'outbid'> {
  const { asks, queue } = head
  const own = rules.get(queue)
  const mayWhileBorrowing = own !== undefined && (own.borrowWithinCohort.policy !== 'Never' || (strategies !== undefined && own.reclaimWithinCohort !== 'Never'))
  let mode: Mode = 'fit'
  let borrows = 0
  const short: number[] = []
  for (const [r, amount] of asks.entries()) {
    if (amount === 0) continue
    if (amount > snapshot.potential(queue, r)) return { mode: 'no fit', borrows: 0, targets: [] }
    const { height, isInside } = heightAround(snapshot, queue, r, amount)
    if (amount <= snapshot.available(queue, r)) {
      borrows = Math.max(borrows, height)
      continue
    }
    if (amount > queue.nominal[r]! && !isInside && !mayWhileBorrowing) return { mode: 'no fit', borrows: 0, targets: [] }
    const found = search({ ...head, asks: asks.map((each, i) => (i === r ? each : 0)) }, [r])
    for (const each of found) snapshot.admitted.delete(each)
    borrows = Math.max(borrows, heightAround(snapshot, queue, r, amount).height)
    for (const each of found) snapshot.admitted.add(each)
    short.push(r)
    if (found.length === 0) mode = 'no candidates'
    else if (mode === 'fit') mode = 'preempt'
  }
  if (mode === 'fit') return { mode, borrows, targets: [] }
  const targets = search(head, short)
  return { mode: targets.length > 0 ? 'preempt' : 'no candidates', borrows, targets }
}

/** What is kept from others for the rest of the cycle. */
const toReserve = (snapshot: Snapshot, { asks, queue }: Head, borrows: boolean): number[] =>
  asks.map((amount, r) => Math.max(0, Math.min(amount, queue.nominal[r]! + (borrows ? queue.borrowing[r]! : 0) - snapshot.usage(queue, r))))

const first = <T>(all: readonly T[], compare: (a: T, b: T) => number): T => all.reduce((best, each) => (compare(each, best) < 0 ? each : best))
const byAge = ({ byAgeAlone }: Settings) => ({ head: a }: Entry<Head>, { head: b }: Entry<Head>): number => (byAgeAlone === true ? 0 : b.priority - a.priority) || a.rank - b.rank

/** At every cohort, of those that win inside, the one whose child would not borrow what it asks, then the one whose child would have the smallest share. */
function fairest<H extends Head>(snapshot: Snapshot, left: readonly Entry<H>[], settings: Settings): Entry<H> {
  const winner = (place: Place): Entry<H> | undefined => {
    const own = left.find(({ head }) => head.queue === place)
    if (own !== undefined) return own
    const inside = snapshot.children(place).flatMap((child) => {
      const entry = winner(child)
      if (entry === undefined) return []
      const load: Admitted = { ...entry.head, asks: entry.mode === 'no fit' ? entry.head.asks.map(() => 0) : entry.head.asks, id: -1, admission: 0 }
      snapshot.admitted.add(load)
      const borrows = settings.bySharesAlone !== true && entry.head.asks.some((amount, r) => amount > 0 && snapshot.usage(child, r) > snapshot.quota(child, r))
      const share = snapshot.share(child)
      snapshot.admitted.delete(load)
      return [{ entry, borrows, share }]
    })
    return inside.length === 0 ? undefined : first(inside, (a, b) => Number(a.borrows) - Number(b.borrows) || a.share - b.share || byAge(settings)(a.entry, b.entry)).entry
  }
  const roots = new Set(left.map(({ head }) => rootOf(head.queue)))
  return first([...roots].map((root) => winner(root)!), byAge(settings))
}

export const rootOf = (place: Place): Place => (place.parent === undefined ? place : rootOf(place.parent))
