/**
 * Whom a workload preempts under Kueue, written anew from its sources (candidate_generator.go, hierarchical_preemption.go, classical_strategy.go,
 * fair_strategy.go, ordering.go; config/evaluator.go) over plain records: what a queue or a cohort uses is added up from who is admitted whenever it is asked.
 */

/** A queue, or a cohort; amounts by resource. */
export interface Place {
  readonly name: string
  readonly nominal: readonly number[]
  readonly borrowing: readonly number[]
  readonly lending: readonly number[]
  readonly weight: number
  readonly parent: Place | undefined
}

export interface Rules {
  readonly withinClusterQueue: 'Never' | 'LowerPriority' | 'LowerOrNewerEqualPriority'
  readonly reclaimWithinCohort: 'Never' | 'LowerPriority' | 'Any'
  readonly borrowWithinCohort: { readonly policy: 'Never' | 'LowerPriority'; readonly maxPriorityThreshold?: number | undefined }
}

export interface Asking {
  readonly queue: Place
  readonly priority: number
  /** The earlier, the older. */
  readonly submitted: number
  /** Of all its pods. */
  readonly asks: readonly number[]
}

export interface Admitted extends Asking {
  readonly id: number
  /** The later, the more recently. */
  readonly admission: number
  /** From which preemption by other queues it is spared; default none. */
  readonly spared?: readonly ('fairSharing' | 'reclaimWithinCohort')[]
}

/** All queues and cohorts, and who is admitted. */
export class Snapshot {
  readonly #children = new Map<Place, Place[]>()
  readonly admitted: Set<Admitted>

  constructor(places: readonly Place[], admitted: readonly Admitted[]) {
    this.admitted = new Set(admitted)
    for (const each of places) if (each.parent !== undefined) this.#children.set(each.parent, [...this.children(each.parent), each])
  }

  children(place: Place): readonly Place[] {
    return this.#children.get(place) ?? []
  }

  /** What its children lend it, and its own. */
  quota(place: Place, r: number): number {
    return this.children(place).reduce((sum, child) => sum + this.quota(child, r) - this.local(child, r), place.nominal[r]!)
  }

  /** What it never lends. */
  local(place: Place, r: number): number {
    return Math.max(0, this.quota(place, r) - place.lending[r]!)
  }

  usage(place: Place, r: number): number {
    const inside = this.children(place).reduce((sum, child) => sum + Math.max(0, this.usage(child, r) - this.local(child, r)), 0)
    return [...this.admitted].reduce((sum, { queue, asks }) => sum + (queue === place ? asks[r]! : 0), inside)
  }

  localAvailable(place: Place, r: number): number {
    return Math.max(0, this.local(place, r) - this.usage(place, r))
  }

  available(place: Place, r: number): number {
    if (place.parent === undefined) return this.quota(place, r) - this.usage(place, r)
    const stored = this.quota(place, r) - this.local(place, r) - Math.max(0, this.usage(place, r) - this.local(place, r))
    return this.localAvailable(place, r) + Math.min(stored + place.borrowing[r]!, this.available(place.parent, r))
  }

  /** What it could use if nobody used anything. */
  potential(place: Place, r: number): number {
    if (place.parent === undefined) return this.quota(place, r)
    return Math.min(this.quota(place, r) + place.borrowing[r]!, this.local(place, r) + this.potential(place.parent, r))
  }

  /** Dominant resource share, over the weight. */
  share(place: Place): number {
    const { parent, weight, nominal } = place
    if (parent === undefined) return 0
    const ratioOf = (borrowed: number, lendable: number) => (borrowed > 0 && lendable > 0 ? borrowed / lendable : 0)
    const ratios = nominal.map((_, r) => ratioOf(this.usage(place, r) - this.quota(place, r), this.potential(parent, r)))
    return Math.max(...ratios) / weight
  }

  isWithinNominal(place: Place, resources: readonly number[]): boolean {
    return resources.every((r) => this.usage(place, r) <= this.quota(place, r))
  }
}

const around = (queue: Place): Place[] => (queue.parent === undefined ? [] : [queue.parent, ...around(queue.parent)])
const asked = ({ asks }: Asking): number[] => asks.flatMap((amount, r) => (amount > 0 ? [r] : []))

const heightOf = (snapshot: Snapshot, place: Place): number => Math.max(0, ...snapshot.children(place).map((child) => 1 + heightOf(snapshot, child)))

/** The height of the lowest place around the queue that has room for so much within its quota, 0 for the queue itself; whether it is not all of the tree. */
export function heightAround(snapshot: Snapshot, queue: Place, r: number, amount: number): { readonly height: number; readonly isInside: boolean } {
  if (queue.parent === undefined || snapshot.usage(queue, r) + amount <= snapshot.quota(queue, r)) return { height: 0, isInside: queue.parent !== undefined }
  let left = amount - snapshot.localAvailable(queue, r)
  for (const place of around(queue)) {
    if (snapshot.usage(place, r) + left <= snapshot.quota(place, r)) return { height: heightOf(snapshot, place), isInside: place.parent !== undefined }
    left -= snapshot.localAvailable(place, r)
  }
  return { height: heightOf(snapshot, around(queue).at(-1)!), isInside: false }
}

export type Variant = 'within' | 'hierarchical' | 'without borrowing' | 'while borrowing'
interface Candidate {
  readonly load: Admitted
  readonly variant: Variant
  /** The cohort up to which all must borrow. */
  readonly lca: Place | undefined
}

const isSpared = ({ spared = [] }: Admitted, from: 'fairSharing' | 'reclaimWithinCohort'): boolean => spared.includes(from)

type Trigger = 'Always' | 'InsufficientQuota' | 'QuotaFeasibleAndInsufficientTopology'
/** What is off by default, or may be switched off. */
export interface Gates {
  /** Whom a PreemptionConfig selects for a trigger; undefined: there is none. */
  readonly selects?: (trigger: Trigger, load: Admitted) => boolean
  readonly reevaluates?: boolean
  readonly verifies?: boolean
  /** Whether strategies count even within the nominal quota. */
  readonly ignoresNominal?: boolean
  /** By how much one of equal priority must be newer. */
  readonly buffer?: number
}

/** Further candidates, trigger by trigger, until `take` says that there is room. */
function configured(snapshot: Snapshot, asking: Asking, short: readonly number[], { selects }: Gates, hasQuota: () => boolean, take: (load: Admitted) => boolean): boolean {
  if (selects === undefined) return false
  const rank = (load: Admitted) => Number(load.queue === asking.queue)
  const all = (trigger: Trigger): boolean =>
    [...snapshot.admitted].filter((load) => load.id >= 0 && short.some((r) => load.asks[r]! > 0) && selects(trigger, load))
      .sort((a, b) => rank(a) - rank(b) || a.priority - b.priority || b.admission - a.admission).some(take)
  return all('Always') || (!hasQuota() && all('InsufficientQuota')) || (hasQuota() && all('QuotaFeasibleAndInsufficientTopology'))
}

function allowed(load: Admitted, asking: Asking, rules: Rules, { buffer = 0 }: Gates): boolean {
  const isLower = asking.priority > load.priority
  if (load.queue !== asking.queue) return rules.reclaimWithinCohort === 'Any' || (rules.reclaimWithinCohort === 'LowerPriority' && isLower)
  if (rules.withinClusterQueue === 'LowerOrNewerEqualPriority') return isLower || (asking.priority === load.priority && asking.submitted + buffer < load.submitted)
  return rules.withinClusterQueue === 'LowerPriority' && isLower
}

function variantOf(load: Admitted, asking: Asking, { borrowWithinCohort: { policy, maxPriorityThreshold } }: Rules, hasAdvantage: boolean): Variant {
  if (load.queue === asking.queue) return 'within'
  if (hasAdvantage) return 'hierarchical'
  const isAbove = load.priority >= asking.priority || (maxPriorityThreshold !== undefined && load.priority > maxPriorityThreshold)
  return policy === 'Never' || isAbove ? 'without borrowing' : 'while borrowing'
}

/** Why each was found last. */
export const variants = new WeakMap<Admitted, Variant>()

/** Whether nodes have room beside those who are left. */
export type HaveRoom = (left: ReadonlySet<Admitted>) => boolean
const anywhere: HaveRoom = () => true

/** Whom the workload preempts for what is short, in the order of their admission; nobody where that makes no room. */
export function classicalTargets(snapshot: Snapshot, asking: Asking, short: readonly number[], rules: Rules, haveRoom: HaveRoom = anywhere, gates: Gates = {}): Admitted[] {
  const { queue } = asking
  const inQueue = (place: Place, lca: Place | undefined, hasAdvantage: boolean): Candidate[] =>
    [...snapshot.admitted].flatMap((load) =>
      load.queue === place && short.some((r) => load.asks[r]! > 0) && allowed(load, asking, rules, gates) && (place === queue || !isSpared(load, 'reclaimWithinCohort')) ? [{ load, variant: variantOf(load, asking, rules, hasAdvantage), lca }] : [],
    )
  /** Of all that lie in the cohort and are above their quota, as is everything between. */
  const inSubtree = (cohort: Place, lca: Place, skipped: Place | undefined, hasAdvantage: boolean): Candidate[] =>
    snapshot.children(cohort).flatMap((child) => {
      if (child === skipped || child === queue || snapshot.isWithinNominal(child, short)) return []
      return [...inQueue(child, lca, hasAdvantage), ...inSubtree(child, lca, skipped, hasAdvantage)]
    })

  const hierarchical: Candidate[] = []
  const byPriority: Candidate[] = []
  if (queue.parent !== undefined && rules.reclaimWithinCohort !== 'Never') {
    const left = [...asking.asks]
    const fitsInQuota = (place: Place): boolean => {
      const fits = asked(asking).every((r) => snapshot.usage(place, r) + left[r]! <= snapshot.quota(place, r))
      for (const r of asked(asking)) left[r] = Math.max(0, left[r]! - snapshot.localAvailable(place, r))
      return fits
    }
    let hasAdvantage = fitsInQuota(queue)
    let before: Place = queue
    for (const cohort of around(queue)) {
      ;(hasAdvantage ? hierarchical : byPriority).push(...inSubtree(cohort, cohort, before, hasAdvantage))
      const fits = fitsInQuota(cohort)
      hasAdvantage ||= fits
      before = cohort
    }
  }
  const sorted = (list: Candidate[]) => list.sort((a, b) => a.load.priority - b.load.priority || b.load.admission - a.load.admission)
  const all = [...sorted(hierarchical), ...sorted(byPriority), ...sorted(inQueue(queue, undefined, false))]

  const isForbidden = rules.borrowWithinCohort.policy === 'Never'
  const isUnderNominal = short.every((r) => snapshot.usage(queue, r) < queue.nominal[r]!)
  const noOthers = hierarchical.length + byPriority.length === 0
  const attempts = noOthers || (isForbidden && !isUnderNominal) ? [true] : isForbidden && hierarchical.length === 0 ? [false, true] : [true, false]
  for (const mayBorrow of attempts) {
    const hasQuota = () => asked(asking).every((r) => asking.asks[r]! <= snapshot.available(queue, r) && (mayBorrow || snapshot.usage(queue, r) + asking.asks[r]! <= snapshot.quota(queue, r)))
    const fits = () => hasQuota() && haveRoom(snapshot.admitted)
    const isValid = ({ load, variant, lca }: Candidate): boolean => {
      if (load.queue === queue) return true
      if (mayBorrow && variant === 'without borrowing') return false
      const path = [load.queue, ...around(load.queue)]
      return path.slice(0, path.indexOf(lca!)).every((place) => !snapshot.isWithinNominal(place, short))
    }
    const found = minimal(snapshot, all, isValid, fits, (take) => configured(snapshot, asking, short, gates, hasQuota, take))
    if (found.length > 0) return found
  }
  return []
}

/** Takes candidates away until there is room, and gives back, in the reverse order, who need not go. */
function minimal(snapshot: Snapshot, all: readonly Candidate[], isValid: (each: Candidate) => boolean, fits: () => boolean, further: (take: Take) => boolean): Admitted[] {
  const taken: Admitted[] = []
  const take = (load: Admitted): boolean => {
    snapshot.admitted.delete(load)
    taken.push(load)
    return fits()
  }
  for (const { load, variant } of all) variants.set(load, variant)
  const isDone = all.some((each) => isValid(each) && take(each.load)) || further(take)
  const found = isDone ? fillBack(snapshot, taken, fits) : []
  for (const load of taken) snapshot.admitted.add(load)
  return found
}

function fillBack(snapshot: Snapshot, taken: readonly Admitted[], fits: () => boolean): Admitted[] {
  const found = new Set(taken)
  for (const load of taken.slice(0, -1).reverse()) {
    snapshot.admitted.add(load)
    if (fits()) found.delete(load)
    else snapshot.admitted.delete(load)
  }
  return [...found].sort((a, b) => a.admission - b.admission)
}

/** The same with fair sharing, with the strategies in their order. */
export function fairTargets(snapshot: Snapshot, asking: Asking, short: readonly number[], rules: Rules, strategies: readonly Strategy[], haveRoom: HaveRoom = anywhere, gates: Gates = {}): Admitted[] {
  const { queue } = asking
  const isFromThere = (load: Admitted): boolean =>
    load.queue === queue ? rules.withinClusterQueue !== 'Never' : isTogether(load.queue, queue) && !snapshot.isWithinNominal(load.queue, short) && rules.reclaimWithinCohort !== 'Never'
  const candidates = [...snapshot.admitted].filter((load) => isFromThere(load) && short.some((r) => load.asks[r]! > 0) && allowed(load, asking, rules, gates))
  candidates.sort((a, b) => a.priority - b.priority || b.admission - a.admission)

  const incoming: Admitted = { ...asking, id: -1, admission: Infinity }
  const hasQuota = () => asked(asking).every((r) => asking.asks[r]! <= snapshot.available(queue, r))
  const fits = () => hasQuota() && haveRoom(snapshot.admitted)
  const taken: Admitted[] = []
  /** Whether there is room now; shares count the incoming one, what is available does not. */
  const take = (load: Admitted): boolean => {
    snapshot.admitted.delete(load)
    taken.push(load)
    snapshot.admitted.delete(incoming)
    const isRoom = fits()
    snapshot.admitted.add(incoming)
    return isRoom
  }
  snapshot.admitted.add(incoming)
  const isWithin = () => gates.ignoresNominal !== true && snapshot.isWithinNominal(queue, short)
  const reclaimed = new Set<Admitted>()
  const firstOf = (those: readonly Admitted[], orElse: (rest: readonly Admitted[]) => boolean) => {
    const isOwn = isWithin()
    return firstRule(snapshot, queue, those, isOwn, strategies[0]!, (load) => {
      if (isOwn) reclaimed.add(load)
      return take(load)
    }, orElse)
  }
  const byRule = (rest: readonly Admitted[]) => strategies.length > 1 && secondRule(snapshot, queue, rest, take)
  const again = (rest: readonly Admitted[]) => (gates.reevaluates === true && taken.some((load) => load.queue === queue) ? firstOf(rest, byRule) : byRule(rest))
  const isFound = firstOf(candidates, again)
  snapshot.admitted.delete(incoming)
  const byShare = taken.length
  const takeNow = (load: Admitted): boolean => {
    snapshot.admitted.delete(load)
    taken.push(load)
    return fits()
  }
  const isDone = isFound || configured(snapshot, asking, short, gates, hasQuota, takeNow)
  const chosen = taken.slice(0, byShare)
  const found = isDone ? fillBack(snapshot, taken, fits) : []
  const isFair = (load: Admitted): boolean => {
    const [mine, its] = almostCommon(queue, load.queue)
    const after = snapshot.share(its)
    snapshot.admitted.add(load)
    const before = snapshot.share(its)
    snapshot.admitted.delete(load)
    return strategies.some((each) => (each === 'LessThanInitialShare' ? snapshot.share(mine) < before : snapshot.share(mine) <= after))
  }
  snapshot.admitted.add(incoming) // and all that were found are gone
  const isRefused = gates.verifies === true && found.some((load) => chosen.includes(load) && load.queue !== queue && !(isWithin() && reclaimed.has(load)) && !isFair(load))
  snapshot.admitted.delete(incoming)
  for (const load of taken) snapshot.admitted.add(load)
  return isRefused ? [] : found
}

export type Strategy = 'LessThanOrEqualToFinalShare' | 'LessThanInitialShare'
type Take = (load: Admitted) => boolean

function firstRule(snapshot: Snapshot, own: Place, candidates: readonly Admitted[], isWithin: boolean, strategy: Strategy, take: Take, orElse: (rest: readonly Admitted[]) => boolean): boolean {
  const left = [...candidates]
  const rest: Admitted[] = []
  const pop = (queue: Place): Admitted => left.splice(left.findIndex((load) => load.queue === queue), 1)[0]!
  const out = new Set<Place>()
  for (let queue = nextQueue(snapshot, own, left, out); queue !== undefined; queue = nextQueue(snapshot, own, left, out)) {
    if (queue === own || isWithin) {
      const load = pop(queue)
      if ((queue === own || !isSpared(load, 'reclaimWithinCohort')) && take(load)) return true
      continue
    }
    const [mine, its] = almostCommon(own, queue)
    const before = snapshot.share(its)
    while (left.some((load) => load.queue === queue)) {
      const load = pop(queue)
      snapshot.admitted.delete(load)
      const after = snapshot.share(its)
      snapshot.admitted.add(load)
      if (strategy === 'LessThanInitialShare' ? snapshot.share(mine) < before : snapshot.share(mine) <= after) {
        if (isSpared(load, 'fairSharing')) continue
        if (take(load)) return true
        break
      }
      rest.push(load)
    }
  }
  return orElse(rest)
}

/** One of a queue at most, where the preemptor's share is less than the queue's. */
function secondRule(snapshot: Snapshot, own: Place, rest: readonly Admitted[], take: Take): boolean {
  const out = new Set<Place>()
  for (let queue = nextQueue(snapshot, own, rest, out); queue !== undefined; queue = nextQueue(snapshot, own, rest, out)) {
    const [mine, its] = almostCommon(own, queue)
    out.add(queue)
    const load = rest.find((each) => each.queue === queue && !isSpared(each, 'fairSharing'))
    if (load !== undefined && snapshot.share(mine) < snapshot.share(its) && take(load)) return true
  }
  return false
}

/** From the outermost cohort inwards the child with the largest share; a cohort before a queue, then by name. Who no longer borrows is out for good. */
function nextQueue(snapshot: Snapshot, own: Place, left: readonly Admitted[], out: Set<Place>): Place | undefined {
  const path = [own, ...around(own)]
  const root = path.at(-1)!
  if (root === own) return left.length > 0 && !out.has(own) ? own : undefined
  const inside = (cohort: Place): Place | undefined => {
    for (const child of snapshot.children(cohort)) {
      const isEmpty = snapshot.children(child).length === 0 && !left.some((load) => load.queue === child)
      if (isEmpty || (snapshot.share(child) === 0 && !path.includes(child))) out.add(child)
    }
    const open = snapshot.children(cohort).filter((child) => !out.has(child))
    const isQueue = (place: Place) => Number(snapshot.children(place).length === 0)
    open.sort((a, b) => snapshot.share(b) - snapshot.share(a) || isQueue(a) - isQueue(b) || (a.name < b.name ? -1 : 1))
    const [best] = open
    if (best === undefined) out.add(cohort)
    return best === undefined || isQueue(best) === 1 ? best : inside(best)
  }
  for (;;) {
    const found = inside(root)
    if (found !== undefined || out.has(root)) return found
  }
}

const isTogether = (a: Place, b: Place): boolean => around(a).some((place) => around(b).includes(place))

/** What lies just below the first cohort in common, around each. */
function almostCommon(a: Place, b: Place): [Place, Place] {
  const lca = around(b).find((place) => around(a).includes(place))!
  const below = (place: Place) => [place, ...around(place)].find(({ parent }) => parent === lca)!
  return [below(a), below(b)]
}
