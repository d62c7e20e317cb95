import { grown, type JobBlock, type JobId, type LaneId, type Round, type WorkView } from '@sched/core'
import { explainLimits } from './explain-limits.js'
import type { CapacityQueues } from './capacity-queues.js'
import { JobMerge } from './job-merge.js'
import type { Keys, SortedIds } from '../orders/sorted-ids.js'

const LARGEST = 32

/**
 * Reads the jobs of a pot that may be given a task now, most deserving first: down the tree in the order of queues, passing over
 * queues at their maximum and users at their limit. If the next job of a leaf is too large for what the queues around it
 * may still use, no more of the leaf is read, and what it could still use is kept from its siblings (Hadoop's blocked headroom).
 */
export class QueueReading {
  mustRelease = false
  readonly #queues: CapacityQueues
  readonly #work: WorkView
  /** Whether jobs may exceed limits if they give up reservations for it: by the options, and in the pot that is being read. */
  readonly #mayLookOn: boolean
  #looksOn = false
  readonly #block = { ids: new Int32Array(LARGEST), from: 0, to: 0 } satisfies JobBlock
  readonly #merge = new JobMerge()
  /** The path from the root down: the queues entered, and the position among the children of each. */
  readonly #path: number[] = []
  readonly #at: number[] = []
  readonly #isBlocked: boolean[] = []
  /** `[depth * width + i]`: what the queue at this depth may still use, and what of that is kept for children with jobs that were too large. */
  #room = new Float64Array(64)
  #kept = new Float64Array(64)
  #depth = -1
  #pot = 0
  #lane = 0 as LaneId
  #inLeaf = false
  /** The users of the leaf that is being read, and the position of the next one. */
  #users: SortedIds | undefined
  #next = 0
  #hasHolds = false
  #isMerged = false
  #isDone = false
  #chunk = 1

  constructor(queues: CapacityQueues, work: WorkView, looksOn: boolean) {
    this.#queues = queues
    this.#work = work
    this.#mayLookOn = looksOn
  }

  begin(round: Round, pot: number): void {
    this.#lane = round.lane
    this.#queues.refresh()
    if (round.explained) explainLimits(round, this.#queues)
    this.beginPot(pot)
  }

  beginPot(pot: number): void {
    this.#pot = pot
    this.#looksOn = this.#mayLookOn && this.#queues.pots.partitionOf(pot) === 0
    this.#depth = -1
    this.#inLeaf = false
    if (this.#queues.usage.isListed(0, pot)) this.#enter(0)
  }

  next(): JobBlock | undefined {
    const { tree, usage } = this.#queues
    while (this.#depth >= 0) {
      const depth = this.#depth
      if (this.#inLeaf) {
        if (this.#fill()) return this.#block
        this.#inLeaf = false
        this.#leaveTop()
        continue
      }
      const list = usage.children(this.#path[depth] as number, this.#pot)
      const at = this.#at[depth] as number
      if (at === list.size || (this.#isBlocked[depth] === true && this.#isSpent(depth))) this.#leaveTop()
      else {
        this.#at[depth] = at + 1
        const child = list.ids[at] as number
        if (this.#enter(child) && tree.isInner[child] === false) this.#startLeaf()
      }
    }
    return undefined
  }

  /** Enters a queue; false for one at its maximum, unless a reservation in it could be given up. */
  #enter(queue: number): boolean {
    const { pots, quotas, usage } = this.#queues
    const { width, count } = pots
    const depth = this.#depth + 1
    const at = queue * count + this.#pot
    this.#room = grown(this.#room, (depth + 1) * width)
    this.#kept = grown(this.#kept, (depth + 1) * width)
    const room = this.#room
    const kept = this.#kept
    const { most } = quotas
    const { used } = usage
    const free = this.#queues.tree.isInner[queue] === true ? this.#queues.killable?.amounts : undefined // a leaf does not count its own killable tasks as free
    let isFull = true
    for (let i = 0; i < width; i++) {
      const own = (most[at * width + i] as number) - (used[at * width + i] as number) + (free?.[at * width + i] ?? 0)
      const above = depth === 0 ? own : (room[(depth - 1) * width + i] as number) - (kept[(depth - 1) * width + i] as number)
      const left = own < above ? own : above
      room[depth * width + i] = left
      kept[depth * width + i] = 0
      if (left > 0) isFull = false
    }
    if (isFull && !(this.#looksOn && this.#queues.held.isAnyIn(queue, this.#pot))) return false
    this.#depth = depth
    this.#path[depth] = queue
    this.#at[depth] = 0
    this.#isBlocked[depth] = false
    return true
  }

  /** Whether all that a queue may still use is kept for children with jobs that were too large; then its other children are not read. */
  #isSpent(depth: number): boolean {
    const { pots: { width }, held } = this.#queues
    if (this.#looksOn && held.isAnyIn(this.#path[depth] as number, this.#pot)) return false
    for (let i = depth * width; i < (depth + 1) * width; i++) if ((this.#room[i] as number) > (this.#kept[i] as number)) return false
    return true
  }

  /** Leaves a queue; what is kept for queues inside it is also kept from its siblings. */
  #leaveTop(): void {
    const { width } = this.#queues.pots
    const depth = this.#depth--
    if (depth === 0 || this.#isBlocked[depth] !== true) return
    this.#isBlocked[depth - 1] = true
    for (let i = 0; i < width; i++) {
      const at = (depth - 1) * width + i
      this.#kept[at] = (this.#kept[at] as number) + (this.#kept[depth * width + i] as number)
    }
  }

  // ---- inside a leaf ----

  #startLeaf(): void {
    this.#inLeaf = true
    this.#users = undefined
    this.#isMerged = false
    this.#isDone = false
    this.#chunk = 1
  }

  /** Puts the next jobs of the leaf into the block: first a single one, since it is nearly always taken, then more. False: none is left. */
  #fill(): boolean {
    this.#block.to = 0
    if (this.#users === undefined) {
      if (this.#giveFirst()) return true
      if (this.#isDone) return false
    }
    if (!this.#isMerged) this.#mergeRest()
    const most = this.#hasHolds ? 1 : this.#chunk
    while (this.#block.to < most && !this.#isDone) {
      const job = this.#merge.next()
      if (job < 0) this.#isDone = true
      else this.#give(job)
    }
    if (this.#chunk < LARGEST) this.#chunk *= 2
    return this.#block.to > 0
  }

  /** Gives the first job in order whose user is below its limit. */
  #giveFirst(): boolean {
    const { pots, users, held } = this.#queues
    const leaf = this.#path[this.#depth] as number
    const waiting = this.#queues.waiting.of(leaf, this.#pot)
    this.#users = waiting
    this.#hasHolds = this.#looksOn && held.isAnyIn(leaf, this.#pot)
    for (let i = waiting.from; i < waiting.to; i++) {
      const pair = waiting.ids[i] as number
      if (!this.#mayAsk(pair)) continue
      const jobs = users.jobs[pair * pots.count + this.#pot] as SortedIds
      this.#next = i
      return this.#give(jobs.ids[jobs.from] as number)
    }
    this.#isDone = true
    return false
  }

  /** Merges the jobs of all users after the first job. */
  #mergeRest(): void {
    const { pots, users } = this.#queues
    const waiting = this.#users as SortedIds
    this.#isMerged = true
    this.#merge.begin(users.jobKeys[this.#pot] as Keys)
    for (let i = this.#next; i < waiting.to; i++) {
      const pair = waiting.ids[i] as number
      const jobs = users.jobs[pair * pots.count + this.#pot] as SortedIds
      const from = i === this.#next ? jobs.from + 1 : jobs.from
      if (from < jobs.to && this.#mayAsk(pair)) this.#merge.add(jobs, from)
    }
  }

  #mayAsk(pair: number): boolean {
    const queues = this.#queues
    return !queues.limits.isOver(pair, this.#pot) || (this.#looksOn && queues.held.isAnyOfPair(pair, this.#pot))
  }

  /** Puts a job into the block if limits allow it; a job that is too large for what is left ends the reading of the leaf. */
  #give(id: number): boolean {
    const job = id as JobId
    const queues = this.#queues
    const { pots } = queues
    const work = this.#work
    const held = this.#looksOn ? queues.held.of(job, this.#lane) : undefined
    const pair = queues.pairOf[job] as number
    const isOver = this.#hasHolds && queues.limits.isOver(pair, this.#pot)
    if (isOver && (held === undefined || queues.limits.isOver(pair, this.#pot, held))) return false
    const from = pots.demandAt(work.shape(job, this.#lane), this.#lane)
    const times = work.together(job, this.#lane)
    let mustRelease = isOver
    let isEnough = !isOver || !queues.limits.isOver(pair, this.#pot, pots.demands.subarray(from, from + pots.width))
    for (let i = 0; i < pots.width; i++) {
      const room = this.#room[this.#depth * pots.width + i] as number
      const asked = times * (pots.demands[from + i] as number)
      if (asked === 0 || asked <= room) continue
      if (held === undefined || asked > room + (held[i] as number)) return this.#tooLarge()
      mustRelease = true
      if (room < 0) isEnough = false
    }
    if (!isEnough) return false // giving up one reservation, which is as large as the task, is not enough
    this.mustRelease = mustRelease
    this.#block.ids[this.#block.to++] = id
    return true
  }

  /** Keeps what the leaf could still use from its siblings. */
  #tooLarge(): boolean {
    const { width } = this.#queues.pots
    const above = this.#depth - 1
    this.#isDone = true
    if (above < 0) return false
    this.#isBlocked[above] = true
    for (let i = 0; i < width; i++) this.#kept[above * width + i] = (this.#kept[above * width + i] as number) + Math.max(0, this.#room[this.#depth * width + i] as number)
    return false
  }
}
