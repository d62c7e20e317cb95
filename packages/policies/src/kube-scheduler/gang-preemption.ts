import { None, type JobId, type NodeId, type Round, type Savepoint, type TaskId } from '@sched/core'
import { Gang, hasAmounts, startGang } from '../disciplines/gangs.js'
import { startNearest } from '../disciplines/start-nearest.js'
import type { DisruptionBudgets } from './disruption-budgets.js'
import { LeftRoom } from './left-room.js'
import type { VictimSearch } from './victim-search.js'
import { allTasks, goesWith, type Unit } from './victims.js'

type Pick = (job: JobId, round: Round) => NodeId | None

/**
 * Starts a gang in the place of others, on any nodes. It first places the gang, and as many more tasks of its job as there is room for, as if all
 * units of lower priority had gone. Then all of these stay that have room beside it, tried from the most important on, those first whose end
 * violates a disruption budget.
 *
 * Source: kube-scheduler, preemption/podgrouppreemption.go (selectVictimsOnDomain), behind the gates GenericWorkload and WorkloadAwarePreemption.
 */
export class GangPreemption {
  readonly #search: VictimSearch
  readonly #pick: Pick
  readonly #budgets: DisruptionBudgets | undefined

  constructor(search: VictimSearch, pick: Pick, budgets?: DisruptionBudgets) {
    this.#search = search
    this.#pick = pick
    this.#budgets = budgets
  }

  /** Starts the gang and returns the tasks that have gone for it; `undefined`, and nothing has changed, if it finds no room even then. */
  start(job: JobId, round: Round): TaskId[] | undefined {
    const units = this.#search.everywhere(round.work.priority(job), round)
    if (units.length === 0 || !hasAmounts(job, round, allTasks(units))) return undefined
    const sorted = this.#budgets?.sorted(units).units ?? units
    const before = round.savepoint()
    evict(units, round)
    const places = this.#startAll(job, round)
    if (places === undefined) {
      round.rollback(before)
      return undefined
    }
    const gone = whoMustGo(sorted, new LeftRoom(round))
    const startThere = () => places.every((node) => (!this.#search.confines(job, round) || this.#search.allows(job, node, [], round)) && startNearest(job, node, round.cluster.levels, round))
    const startWithout = (evicted: readonly Unit[]): boolean => {
      round.rollback(before)
      evict(evicted, round)
      return startThere()
    }
    let evicted = gone
    if (!startWithout(gone)) {
      // with devices that are shared tasks may find others taken than when all were gone, and rules may be about who stays
      round.rollback(before)
      evicted = [...gone, ...inTheWay(sorted, gone, startThere, round)]
      if (!startWithout(evicted)) startWithout((evicted = units))
    }
    return allTasks(evicted)
  }

  /** Starts tasks one after another and returns their nodes; `undefined` if too few start. */
  #startAll(job: JobId, round: Round): NodeId[] | undefined {
    const { work, lane } = round
    const places: NodeId[] = []
    const pick: Pick = (each, within) => {
      const node = this.#pick(each, within)
      if (node !== None) places.push(node)
      return node
    }
    if (work.together(job, lane) > 1 && startGang(job, round, pick) !== Gang.Started) return undefined
    while (work.unplaced(job, lane) > 0 && round.claimsLeft > 0) {
      const node = this.#pick(job, round)
      if (node === None || !startNearest(job, node, round.cluster.levels, round)) break
      places.push(node)
    }
    return places.length === 0 ? undefined : places
  }
}

/** The units that have no room in their places beside what has been claimed. */
function whoMustGo(units: readonly Unit[], room: LeftRoom): readonly Unit[] {
  const gone: Unit[] = []
  for (const unit of units) if (!goesWith(unit, gone) && !room.putBack(unit.tasks)) gone.push(unit)
  return gone
}

/**
 * Of the units that have room to stay, those beside which the gang may not start in its places, tried from the most important on. Each is tried while
 * all less important ones are gone: these are evicted first, the least important before all others, and come back one by one.
 */
function inTheWay(units: readonly Unit[], gone: readonly Unit[], startThere: () => boolean, round: Round): Unit[] {
  evict(gone, round)
  const left = new Set(allTasks(gone))
  const stay: { readonly unit: Unit; readonly tasks: readonly TaskId[]; readonly before: Savepoint }[] = []
  for (const unit of units.filter((each) => !gone.includes(each)).reverse()) {
    const tasks = allTasks([unit]).filter((task) => !left.has(task))
    stay.push({ unit, tasks, before: round.savepoint() })
    for (const task of tasks) {
      left.add(task)
      round.evict(task)
    }
  }
  const found: Unit[] = []
  for (const { unit, tasks, before } of stay.reverse()) {
    round.rollback(before)
    for (const task of tasks) left.delete(task)
    for (const task of allTasks(found)) if (!left.has(task)) round.evict(task)
    if (!startThere()) found.push(unit)
  }
  return found
}

function evict(units: readonly Unit[], round: Round): void {
  for (const task of allTasks(units)) round.evict(task)
}
