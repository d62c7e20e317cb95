import { cycle, rootOf, type Head } from './kueue-cycle.js'
import { Snapshot, type Admitted, type Place } from './kueue-preemption.js'

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

interface Pending extends Head {
  readonly load: Load
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

/**
 * Kueue's scheduler without preemption and with one flavor, written anew from its sources (scheduler.go, cluster_queue.go, inadmissible_workloads.go, as of
 * 0.20): cycles follow each other until nothing happens any more; what has no room is set aside in a BestEffortFIFO queue, with all that ask alike, until
 * something ends in its tree. Returns who is admitted when, `time id`.
 */
export function play(places: readonly Place[], strict: ReadonlySet<Place>, loads: readonly Load[]): string[] {
  const snapshot = new Snapshot(places, [])
  const queues = new Map<Place, Queue>()
  const all = loads.map((load, rank): Pending => ({ ...load, load, rank, submitted: rank, hash: `${load.priority} ${load.pods} ${load.asks.join()}`, left: load.count }))
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
  const step = (now: number): boolean => {
    let hasMoved = false
    const heads = [...queues.values()].flatMap(({ active }) => [...active].sort(byAge).slice(0, 1))
    cycle(snapshot, heads, { rules: new Map(), strategies: undefined }, {
      isBarred: () => false,
      wouldPreempt: () => undefined,
      setAside: (each) => {
        hasMoved ||= !queues.get(each.queue)!.isStrict
        setAside(each)
      },
      admit: (each) => {
        hasMoved = true
        admit(each, now)
      },
    })
    return hasMoved
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
    while (step(now)) {
      // until nothing happens any more
    }
  }
  return starts
}

const byAge = (a: Pending, b: Pending): number => b.priority - a.priority || a.rank - b.rank
