import type { LaneId, Seconds, TaskId } from '@sched/core'
import { addTo, isWithin } from '../shares/vectors.js'
import { chosenBefore, type Chosen } from './chosen.js'
import { compareShares } from './comparing.js'
import type { Reservation } from './node-reservations.js'
import { demandOf, freeOn, tasksOnReserved, type Reserved } from './tasks-on-nodes.js'

export type AgesMemory = readonly (readonly [job: string, lane: LaneId, node: string, since: Seconds])[]

/**
 * Chooses tasks of leaves of lower priority on nodes that are reserved for a leaf of higher priority, even if their leaves do not use more than
 * their guarantees. It does so for reservations of leaves below their guarantee that are at least `delay` seconds old, and chooses all that is
 * missing on the node, or nothing; of the tasks those of leaves of higher priority come first, then the oldest. Leaves are compared by the queues
 * around them right below the innermost queue that holds both, if that one orders by priority. Queues that are protected from preemption give all
 * the same, as in Hadoop.
 *
 * Source: Hadoop 3, QueuePriorityContainerCandidateSelector. Deviations: members of gangs are left alone; reservations are not moved to better nodes.
 */
export class PrioritySelector {
  readonly #it: Reserved
  readonly #delay: Seconds
  readonly #since = new Map<Reservation, Seconds>()

  constructor(it: Reserved, delay: Seconds) {
    this.#it = it
    this.#delay = delay
  }

  /** A reservation was made (1) or given up (-1). */
  note(reservation: Reservation, sign: 1 | -1, now: Seconds): void {
    if (sign === 1) this.#since.set(reservation, now)
    else this.#since.delete(reservation)
  }

  /** Since when each reservation exists, by the names of its job and node. */
  memory(): AgesMemory {
    const { work, cluster } = this.#it
    return Array.from(this.#since, ([{ job, lane, node }, since]) => [work.name(job), lane, cluster.name(node), since] as const)
  }

  /** Restores the ages of reservations that have been made again before this call. */
  recall(memory: AgesMemory): void {
    const { work, cluster } = this.#it
    const ages = new Map(memory.map(([job, lane, node, since]) => [JSON.stringify([job, lane, node]), since]))
    for (const reservation of this.#since.keys()) {
      const since = ages.get(JSON.stringify([work.name(reservation.job), reservation.lane, cluster.name(reservation.node)]))
      if (since !== undefined) this.#since.set(reservation, since)
    }
  }

  choose(lane: LaneId, now: Seconds, chosen: Chosen): void {
    const { queues, work } = this.#it
    const reserved = [...this.#since.keys()].filter((each) => each.lane === lane).sort((a, b) => this.#byPriority(queues.leafOf(a.job), queues.leafOf(b.job)) || this.#age(a) - this.#age(b) || a.node - b.node)
    const ripe = reserved.filter((each) => now - this.#age(each) >= this.#delay)
    if (ripe.length === 0) return
    const running = tasksOnReserved(lane, this.#it)
    const leafOf = (task: TaskId) => queues.leafOf(work.jobOf(task))
    const rankOf = (task: TaskId) => work.rank(work.jobOf(task))
    const oldest = (a: TaskId, b: TaskId) => this.#byPriority(leafOf(a), leafOf(b)) || work.started(a) - work.started(b) || rankOf(a) - rankOf(b) || a - b
    /** What this look has found room for, by leaf and pot. */
    const found = new Map<number, number[]>()
    for (const each of ripe) {
      const asked = demandOf(each.shape, lane, queues)
      const at = queues.leafOf(each.job) * queues.pots.count + queues.pots.of(lane, each.node)
      const known = found.get(at) ?? asked.map(() => 0)
      if (this.#isServed(each, known) || !this.#chooseOn(each, (running.get(each.node) as TaskId[]).sort(oldest), chosen)) continue
      addTo(known, asked)
      found.set(at, known)
    }
  }

  #age(reservation: Reservation): Seconds {
    return this.#since.get(reservation) as Seconds
  }

  /** Whether the leaf has its guarantee, counting what this look has found room for, but not what is reserved. */
  #isServed({ job, lane, node }: Reservation, found: readonly number[]): boolean {
    const { queues } = this.#it
    const { pots, usage, quotas } = queues
    const pot = pots.of(lane, node)
    const leaf = queues.leafOf(job)
    const at = (leaf * pots.count + pot) * pots.width
    const has = Array.from(found, (each, i) => (usage.used[at + i] as number) + each)
    for (const each of this.#since.keys())
      if (each.lane === lane && queues.leafOf(each.job) === leaf && pots.of(lane, each.node) === pot) addTo(has, demandOf(each.shape, lane, queues), -1)
    return compareShares(has, 0, quotas.guaranteed, at, pots.totals, pot * pots.width, pots.width) >= 0
  }

  /** Chooses tasks for what is missing on a reserved node; false if leaves of lower priority do not use that much there. */
  #chooseOn({ job, lane, node, shape }: Reservation, running: readonly TaskId[], chosen: Chosen): boolean {
    const { queues, work } = this.#it
    const asked = demandOf(shape, lane, queues)
    const room = freeOn(node, lane, this.#it)
    const before = chosenBefore(chosen)
    for (const task of running) if (before.has(task) || queues.killable?.has(task) === true) addTo(room, demandOf(work.shapeOf(task), lane, queues))
    if (isWithin(asked, room)) return true
    const allowed = chosen.allowed.slice()
    const tasks: TaskId[] = []
    const { pots } = queues
    for (const task of running) {
      const amount = demandOf(work.shapeOf(task), lane, queues)
      if (before.has(task) || queues.killable?.has(task) === true || this.#byPriority(queues.leafOf(job), queues.leafOf(work.jobOf(task))) >= 0) continue
      if (compareShares(allowed, 0, amount, 0, pots.totals, pots.of(lane, node) * pots.width, pots.width) < 0) continue
      addTo(allowed, amount, -1)
      addTo(room, amount)
      tasks.push(task)
      if (!isWithin(asked, room)) continue
      chosen.allowed.set(allowed)
      for (const each of tasks) chosen.tasks[chosen.count++] = each
      return true
    }
    return false
  }

  /** Below 0: leaf a has priority over b; above 0: b over a; 0: neither has. */
  #byPriority(a: number, b: number): number {
    const { tree } = this.#it.queues
    const [down, other] = [a, b].map((leaf) => [...tree.chain(leaf)].reverse()) as [ReturnType<typeof tree.queue>[], ReturnType<typeof tree.queue>[]]
    const at = down.findIndex((queue, depth) => queue.id !== other[depth]?.id)
    const [one, two] = [down[at], other[at]]
    return one === undefined || two === undefined || tree.isByPriority[one.id] !== true ? 0 : two.priority - one.priority
  }
}
