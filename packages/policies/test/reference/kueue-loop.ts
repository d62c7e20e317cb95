import { heightAround, Snapshot, type Admitted, type Place } from './kueue-preemption.js'

/** What one asks to have at once. */
export interface Load {
  readonly id: string
  readonly queue: Place
  readonly submit: number
  readonly duration: number
  readonly priority: number
  /** All its pods together. */
  readonly asks: readonly number[]
  readonly pods: number
  /** How many come one after the other, each as soon as the one before is admitted. */
  readonly count: number
}

interface Pending {
  readonly load: Load
  /** By submission. */
  readonly rank: number
  readonly hash: string
  left: number
}

/** Workloads of a queue that are to be looked at, those that are set aside, and of which kind these are. */
interface Queue {
  readonly place: Place
  readonly isStrict: boolean
  readonly active: Set<Pending>
  readonly aside: Set<Pending>
  readonly hashes: Set<string>
}

type Mode = 'no fit' | 'no candidates' | 'fit'

/**
 * Kueue's scheduler without preemption and with one flavor, written anew from its sources (scheduler.go, cluster_queue.go, inadmissible_workloads.go, as of
 * 0.20): cycles follow each other until nothing happens any more; what has no room is set aside in a BestEffortFIFO queue, with all that ask alike, until
 * something ends in its tree. Returns who is admitted when, `time id`.
 */
export function play(places: readonly Place[], strict: ReadonlySet<Place>, loads: readonly Load[]): string[] {
  const snapshot = new Snapshot(places, [])
  const queues = new Map<Place, Queue>()
  const all = loads.map((load, rank): Pending => ({ load, rank, hash: `${load.priority} ${load.pods} ${load.asks.join()}`, left: load.count }))
  for (const { load } of all) queues.set(load.queue, { place: load.queue, isStrict: strict.has(load.queue), active: new Set(), aside: new Set(), hashes: new Set() })
  const ends: { readonly at: number; readonly load: Admitted }[] = []
  const starts: string[] = []
  const push = (each: Pending): void => {
    const { isStrict, hashes, active, aside } = queues.get(each.load.queue)!
    if (!isStrict && hashes.has(each.hash)) aside.add(each)
    else active.add(each)
  }
  const admit = (each: Pending, now: number): void => {
    const { id, duration } = each.load
    const load: Admitted = { ...each.load, id: starts.length, submitted: each.rank, admission: starts.length }
    starts.push(`${now} ${id}`)
    ends.push({ at: now + duration, load })
    snapshot.admitted.add(load)
    queues.get(each.load.queue)!.active.delete(each)
    if (--each.left > 0) push(each)
  }
  const setAside = (each: Pending): void => {
    const { isStrict, active, aside, hashes } = queues.get(each.load.queue)!
    if (isStrict) return
    hashes.add(each.hash)
    for (const other of [...active]) if (other.hash === each.hash && active.delete(other)) aside.add(other)
  }
  /** Whether anything has come of it. */
  const cycle = (now: number): boolean => {
    const before = starts.length + [...queues.values()].reduce((sum, { active }) => sum + active.size, 0) / 1e6
    const heads = [...queues.values()].flatMap(({ active }) => [...active].sort(byAge).slice(0, 1))
    const entries = heads.map((each) => ({ each, ...nominate(snapshot, each.load) }))
    entries.sort((a, b) => a.borrows - b.borrows || byAge(a.each, b.each))
    const kept: Admitted[] = []
    for (const { each, mode, borrows } of entries) {
      if (mode === 'no candidates') {
        const load: Admitted = { ...each.load, asks: toReserve(snapshot, each.load, borrows > 0), id: -1, submitted: 0, admission: 0 }
        kept.push(load)
        snapshot.admitted.add(load)
      }
      if (mode !== 'fit') setAside(each)
      else if (fits(snapshot, each.load)) admit(each, now)
    }
    for (const load of kept) snapshot.admitted.delete(load)
    return starts.length + [...queues.values()].reduce((sum, { active }) => sum + active.size, 0) / 1e6 !== before
  }
  const comes = [...all]
  while (comes.length + ends.length > 0) {
    const now = Math.min(...ends.map(({ at }) => at), ...comes.map(({ load }) => load.submit))
    for (const ended of ends.filter(({ at }) => at === now)) {
      ends.splice(ends.indexOf(ended), 1)
      snapshot.admitted.delete(ended.load)
      for (const { place, active, aside, hashes } of queues.values()) {
        if (rootOf(place) !== rootOf(ended.load.queue)) continue
        hashes.clear()
        for (const each of aside) active.add(each)
        aside.clear()
      }
    }
    while (comes[0]?.load.submit === now) push(comes.shift()!)
    while (cycle(now)) {
      // until nothing happens any more
    }
  }
  return starts
}

const rootOf = (place: Place): Place => (place.parent === undefined ? place : rootOf(place.parent))
const byAge = (a: Pending, b: Pending): number => b.load.priority - a.load.priority || a.rank - b.rank
const fits = (snapshot: Snapshot, { asks, queue }: Load): boolean => asks.every((amount, r) => amount === 0 || amount <= snapshot.available(queue, r))

/** The worst of what its resources come to, and how far up it borrows. */
function nominate(snapshot: Snapshot, { asks, queue }: Load): { readonly mode: Mode; readonly borrows: number } {
  const found = asks.flatMap((amount, r): { readonly mode: Mode; readonly borrows: number }[] => {
    if (amount === 0) return []
    if (amount > snapshot.potential(queue, r)) return [{ mode: 'no fit', borrows: 0 }]
    const { height, isInside } = heightAround(snapshot, queue, r, amount)
    if (amount <= snapshot.available(queue, r)) return [{ mode: 'fit', borrows: height }]
    return [{ mode: amount <= queue.nominal[r]! || isInside ? 'no candidates' : 'no fit', borrows: height }]
  })
  const isOf = (mode: Mode) => found.some((each) => each.mode === mode)
  if (isOf('no fit')) return { mode: 'no fit', borrows: 0 }
  return { mode: isOf('no candidates') ? 'no candidates' : 'fit', borrows: Math.max(0, ...found.map(({ borrows }) => borrows)) }
}

/** What is kept from others for the rest of the cycle. */
const toReserve = (snapshot: Snapshot, { asks, queue }: Load, borrows: boolean): number[] =>
  asks.map((amount, r) => Math.max(0, Math.min(amount, queue.nominal[r]! + (borrows ? queue.borrowing[r]! : 0) - snapshot.usage(queue, r))))
