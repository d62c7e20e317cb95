import type { LaneId, NodeId, TaskId } from '@sched/core'
import { addTo, isWithin } from '../shares/vectors.js'
import { chosenBefore, type Chosen } from './chosen.js'
import type { Reservation } from './node-reservations.js'
import { demandOf, freeOn, tasksOnReserved, type Reserved } from './tasks-on-nodes.js'

/** The tasks that would be taken on a reserved node, and their cost: what they use as a part of what is reserved there. */
interface NodePlan {
  readonly node: NodeId
  readonly tasks: readonly TaskId[]
  readonly cost: number
}

/**
 * Chooses tasks on reserved nodes, so that the task for which a node is reserved can start: all that is missing on a node, or nothing. Nodes on
 * which the least is taken, as a part of what is reserved, come first. On a node the tasks of the job that was submitted last come first, its
 * newest first, as far as their leaves use more than they should.
 *
 * Source: Hadoop 3, ReservedContainerCandidatesSelector. Deviations: members of gangs are left alone; ties between nodes go by id; nodes for which nothing is
 * chosen in the end do not use up what the look may take.
 */
export class ReservedSelector {
  readonly #it: Reserved

  constructor(it: Reserved) {
    this.#it = it
  }

  /** `toObtain`: by pot, what leaves use more than they should; what is chosen is taken off it. */
  choose(lane: LaneId, toObtain: readonly Float64Array[], chosen: Chosen): void {
    const { reservations, work } = this.#it
    const before = chosenBefore(chosen)
    const running = tasksOnReserved(lane, this.#it)
    const rank = (task: TaskId) => work.rank(work.jobOf(task))
    const newest = (a: TaskId, b: TaskId) => rank(b) - rank(a) || work.started(b) - work.started(a) || b - a
    const plans = [...running].flatMap(([node, tasks]) => this.#plan(reservations.on(node, lane) as Reservation, tasks.sort(newest), toObtain, chosen, before, false) ?? [])
    for (const { node } of plans.sort((a, b) => a.cost - b.cost || a.node - b.node)) {
      const plan = this.#plan(reservations.on(node, lane) as Reservation, running.get(node) as TaskId[], toObtain, chosen, before, true)
      for (const task of plan?.tasks ?? []) chosen.tasks[chosen.count++] = task
    }
  }

  /**
   * `isFinal`: leaves give no more in total than they use too much, and what is chosen is taken off that. Otherwise each task is compared with it
   * alone, as in Hadoop.
   */
  #plan({ node, lane, shape }: Reservation, running: readonly TaskId[], toObtain: readonly Float64Array[], chosen: Chosen, before: ReadonlySet<TaskId>, isFinal: boolean): NodePlan | undefined {
    const { queues, work } = this.#it
    const pot = queues.pots.of(lane, node)
    const asked = demandOf(shape, lane, queues)
    const left = (toObtain[pot] as Float64Array).slice()
    const allowed = chosen.allowed.slice()
    const room = freeOn(node, lane, this.#it)
    for (const task of running) if (queues.killable?.has(task) === true) addTo(room, demandOf(work.shapeOf(task), lane, queues))
    if (isWithin(asked, room)) return undefined
    const tasks: TaskId[] = []
    const taken = asked.map(() => 0)
    for (const task of running) {
      const amount = demandOf(work.shapeOf(task), lane, queues)
      const from = queues.leafOf(work.jobOf(task)) * amount.length
      if (queues.killable?.has(task) === true || !isWithin(amount, left, from) || !isWithin(amount, allowed)) continue
      if (isFinal) addTo(left, amount, -1, from)
      if (isFinal) addTo(allowed, amount, -1)
      if (!before.has(task)) {
        tasks.push(task)
        addTo(taken, amount)
      }
      addTo(room, amount)
      if (!isWithin(asked, room)) continue
      if (isFinal) (toObtain[pot] as Float64Array).set(left)
      if (isFinal) chosen.allowed.set(allowed)
      return { node, tasks, cost: Math.max(...taken.map((each, i) => (asked[i] === 0 ? 0 : each / (asked[i] as number)))) }
    }
    return undefined
  }
}
