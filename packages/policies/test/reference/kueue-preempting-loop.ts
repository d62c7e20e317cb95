import { cycle, rootOf, type Acts, type Head, type Settings } from './kueue-cycle.js'
import type { Load } from './kueue-loop.js'
import { Snapshot, type Admitted, type Place } from './kueue-preemption.js'

/** What is to be admitted of a job: all of it at once, or one pod after the other. */
interface Pending extends Head {
  readonly load: Load
  /** By submission, until it had to go for one that borrows. */
  rank: number
  submitted: number
  readonly first: number
  left: number
  /** What is admitted of it and has no node. */
  waits: Run | undefined
}

interface Run extends Admitted {
  readonly of: Pending
  /** In which call it got its node, -1: in none yet; and when it will end. */
  call: number
  end: number
}

const MOMENT = 0.001

/**
 * Cycles (`kueue-cycle.ts`) over what comes, ends and gives way, with what is not as in Kueue (docs/kueue.md): who is preempted is gone at once, and
 * comes back when nothing happens any more, and so does who was set aside where something was given back since. It preempts nobody at that instant, and
 * a moment later once. Who got a node in the same call has it until the next call, which comes at the same instant where anybody has gone who ran before,
 * otherwise a moment later; so long nobody else has it. Returns who starts, `time +id`, and who is preempted, `time -id`.
 */
export function play(places: readonly Place[], strict: ReadonlySet<Place>, settings: Settings, loads: readonly Load[]): string[] {
  const world = new World(places, strict, settings)
  const comes = loads.map((load, rank): Pending => ({ ...load, load, rank, submitted: rank, first: rank, left: load.count, waits: undefined }))
  for (;;) {
    const now = Math.min(world.next(), ...comes.slice(0, 1).map(({ load }) => load.submit))
    if (now === Infinity) return world.said
    world.at(now)
    while (comes[0]?.load.submit === now) world.come(comes.shift()!)
    while (world.call()) {
      // until nobody gives way any more
    }
  }
}

class World {
  readonly pending: Pending[] = []
  readonly said: string[] = []
  readonly #snapshot: Snapshot
  readonly #strict: ReadonlySet<Place>
  readonly #settings: Settings
  #now = NaN
  #admissions = 0
  #newest = -1
  #requeued = 0
  readonly #running = new Set<Run>()
  /** Preempted in the call in which they got their nodes. */
  readonly #leaving = new Set<Run>()
  readonly #wakes = new Set<number>()
  /** How often something was given back, by tree; of those that ask alike how often that was when they were set aside, and in which call. */
  readonly #returns = new Map<Place, number>()
  readonly #aside = new Map<string, { readonly returns: number; readonly call: number }>()
  /** When each was preempted since something last happened. */
  readonly #taken = new Map<Pending, Set<number>>()
  // ---- of a call ----
  #call = 0
  readonly #done = new Set<Pending>()
  /** Strict queues of which the first has no room. */
  readonly #closed = new Set<Place>()
  /** Who would preempt, and may not. */
  readonly #held = new Set<Pending>()
  #back: Pending[] = []
  #isUnsettled = false

  constructor(places: readonly Place[], strict: ReadonlySet<Place>, settings: Settings) {
    this.#snapshot = new Snapshot(places, [])
    this.#strict = strict
    this.#settings = settings
  }

  come(each: Pending): void {
    this.#newest = each.rank
    this.pending.push(each)
  }

  next(): number {
    return Math.min(...this.#wakes, ...[...this.#running].map(({ end }) => end))
  }

  at(now: number): void {
    this.#now = now
    if (!this.#wakes.delete(now)) this.#taken.clear()
    for (const run of this.#running) if (run.end === now) this.#end(run)
  }

  /** One look at everything; whether somebody has gone who ran. */
  call(): boolean {
    this.#call++
    for (const each of [this.#done, this.#closed, this.#held]) each.clear()
    this.#isUnsettled = false
    this.#back = [...this.#leaving].map((run) => this.#leave(run))
    this.#leaving.clear()
    for (const { waits } of this.pending) if (waits !== undefined) this.#start(waits)
    while (this.#cycle()) {
      // the next of each queue
    }
    if (this.#isUnsettled) this.#wakes.add(this.#now + MOMENT)
    for (const each of this.#back) each.left++
    return this.#back.length > 0
  }

  /** Whether anything has come of it. */
  #cycle(): boolean {
    let hasMoved = false
    const before = new Map(this.#returns)
    const acts: Acts<Pending> = {
      isBarred: (head) => this.#times(head).has(this.#now) || this.#times(head).size > 1,
      wouldPreempt: (head) => {
        this.#held.add(head)
        if (this.#times(head).size < 2) this.#isUnsettled = true
      },
      setAside: (head) => {
        if (!this.#passOver(head, before.get(rootOf(head.queue)) ?? 0)) return
        hasMoved = true
      },
      admit: (head, targets, outbid) => {
        hasMoved = true
        this.#admit(head, targets as readonly Run[], outbid as readonly Run[])
      },
      next: (queue) => {
        const heads = this.#heads()
        return heads.length > 1 || this.pending.some((each) => each.queue !== queue && each.left > 0 && each.waits === undefined) ? heads.find((each) => each.queue === queue) : undefined
      },
    }
    cycle(this.#snapshot, this.#heads(), this.#settings, acts)
    return hasMoved
  }

  #heads(): Pending[] {
    const waiting = this.pending.filter(({ left, waits }) => left > 0 && waits === undefined).sort((a, b) => b.priority - a.priority || a.rank - b.rank)
    return [...new Set(waiting.map(({ queue }) => queue))].flatMap((queue) => {
      const own = waiting.filter((each) => each.queue === queue)
      if (!this.#strict.has(queue)) return own.filter((each) => !this.#done.has(each) && !this.#isAside(each)).slice(0, 1)
      return own.slice(0, 1).filter((each) => this.#closed.has(queue) || !this.#done.has(each))
    })
  }

  #isAside(each: Pending): boolean {
    const found = this.#aside.get(kindOf(each))
    return found !== undefined && (found.call === this.#call || found.returns === (this.#returns.get(rootOf(each.queue)) ?? 0))
  }

  #times(each: Pending): ReadonlySet<number> {
    return this.#taken.get(each) ?? new Set()
  }

  /** In a strict queue it stays the first; who may not preempt waits for the next call. Whether that is news. */
  #passOver(head: Pending, returns: number): boolean {
    const isStrict = this.#strict.has(head.queue)
    if (!isStrict && !this.#held.has(head)) {
      this.#aside.set(kindOf(head), { returns, call: this.#call })
      return true
    }
    if (isStrict) this.#closed.add(head.queue)
    const isNews = !this.#done.has(head)
    this.#done.add(head)
    return isNews
  }

  #admit(head: Pending, targets: readonly Run[], outbid: readonly Run[]): void {
    this.#closed.delete(head.queue)
    if (targets.some(({ call }) => call === this.#call || call < 0)) this.#isUnsettled = true
    const areGone = targets.every(({ call }) => call !== this.#call)
    for (const each of targets) this.#preempt(each)
    if (this.#settings.byAgeAlone === true) for (const { of } of [...outbid].sort((a, b) => a.of.first - b.of.first)) of.rank = of.submitted = this.#newest + ++this.#requeued / 1e6
    head.rank = head.submitted = head.first
    const run: Run = { ...head, of: head, id: this.#admissions, admission: this.#admissions++, call: -1, end: Infinity }
    head.left--
    head.waits = run
    if (areGone && this.#fitsBeside(run)) this.#start(run)
    this.#snapshot.admitted.add(run)
  }

  /** Whether there is room beside those that have their nodes for a moment. */
  #fitsBeside({ asks, queue }: Run): boolean {
    for (const each of this.#leaving) this.#snapshot.admitted.add(each)
    const fits = asks.every((amount, r) => amount === 0 || amount <= this.#snapshot.available(queue, r))
    for (const each of this.#leaving) this.#snapshot.admitted.delete(each)
    return fits
  }

  #preempt(run: Run): void {
    this.#done.add(run.of)
    this.#taken.set(run.of, new Set([...this.#times(run.of), this.#now]))
    this.#free(run)
    if (run.call === this.#call) this.#leaving.add(run)
    else if (run.call >= 0) this.#back.push(this.#leave(run))
    else {
      run.of.left++
      run.of.waits = undefined
    }
  }

  #start(run: Run): void {
    this.said.push(`${this.#now} +${run.of.load.id}`)
    run.of.waits = undefined
    run.call = this.#call
    run.end = this.#now + run.of.load.duration
    this.#running.add(run)
  }

  #leave(run: Run): Pending {
    this.said.push(`${this.#now} -${run.of.load.id}`)
    this.#running.delete(run)
    return run.of
  }

  #end(run: Run): void {
    this.#running.delete(run)
    if (!this.#leaving.delete(run)) this.#free(run)
  }

  #free(run: Run): void {
    this.#snapshot.admitted.delete(run)
    const root = rootOf(run.queue)
    this.#returns.set(root, (this.#returns.get(root) ?? 0) + 1)
  }
}

const kindOf = ({ queue, load, priority }: Pending): string => `${queue.name} ${load.pods} ${load.asks.join()} ${priority}`
