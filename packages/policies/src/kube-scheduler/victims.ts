import type { NodeId, Seconds, TaskId } from '@sched/core'
import { addTo, isWithin } from '../shares/vectors.js'

/** A unit of preemption: a running task, or a gang. */
export interface Unit {
  /** At least one, in the order of their ids. */
  readonly tasks: readonly TaskId[]
  /** Tasks that the gang can do without, which go with it. */
  readonly others: readonly TaskId[]
  readonly priority: number
  /** The submission sequence number of its job. */
  readonly rank: number
  /** When the first of them started, in seconds; NaN if one has just started, so that none may be preempted. */
  readonly started: Seconds
  /** Whether it is a gang or of one. */
  readonly isOfGang: boolean
  /** Only for a task that its gang can do without: the first task of that gang, with which it goes. */
  readonly needs?: TaskId
}

/** A unit that may be preempted, and the part of it on one node. */
export interface Victim extends Unit {
  /** What it holds there, by resource. */
  readonly amounts: ArrayLike<number>
}

/** A node, and the units that have to go for a task there. */
export interface Candidate {
  readonly node: NodeId
  /** At least one, the most important first. */
  readonly victims: readonly Unit[]
  /** The number of their tasks that violate disruption budgets. */
  readonly violations: number
}

/** The units that must go to make room, the most important first, and the number of their tasks that violate disruption budgets. */
export type Victims = Pick<Candidate, 'victims' | 'violations'>

/**
 * The most important unit first: of the higher priority, then of a gang, then with more tasks, then the one that has run for longer, then of the job
 * submitted first.
 * Source: kube-scheduler, `MoreImportantVictim`.
 */
export const byImportance = (a: Unit, b: Unit): number =>
  b.priority - a.priority || Number(b.isOfGang) - Number(a.isOfGang) || size(b) - size(a) || a.started - b.started || a.rank - b.rank || firstTask(a) - firstTask(b)

const size = ({ tasks, others }: Unit): number => tasks.length + others.length
const firstTask = ({ tasks }: Unit): TaskId => tasks[0] as TaskId

/** Whether the gang to which the task belongs is among the units that go. */
export const goesWith = ({ needs }: Unit, gone: readonly Unit[]): boolean => needs !== undefined && gone.some((other) => firstTask(other) === needs)

/** All tasks that go if these units go. */
export const allTasks = (units: readonly Unit[]): TaskId[] => [...new Set(units.flatMap(({ tasks, others }) => [...tasks, ...others]))]

/** Units in the order in which it is tried whether they may stay, and how many of their tasks would violate budgets. */
export interface Sorted<U> {
  readonly units: readonly U[]
  readonly violations: ReadonlyMap<U, number>
}

/** What counts besides room in a search for victims; absent parts do not exist. */
export interface Beside {
  /** Budgets, which decide the units for which it is tried first whether they may stay. */
  readonly budgets?: { sorted<U extends Unit>(units: readonly U[]): Sorted<U> } | undefined
  /** Whether rules about other tasks allow the task on the node once these have gone. */
  readonly allows?: ((without: readonly TaskId[]) => boolean) | undefined
}

/**
 * The units that have to go from a node for a task. It begins with all that may go, and lets those stay that have room beside the task after all
 * and are in the way of no rule, tried from the most important on, those first that violate budgets. `asked`: what the task asks for; `free`: what
 * the node has free. `undefined`: not even all of them make room.
 *
 * Source: kube-scheduler, `SelectVictimsOnNode`.
 */
export function victimsOn(asked: ArrayLike<number>, free: ArrayLike<number>, all: readonly Victim[], { budgets, allows }: Beside = {}): Victims | undefined {
  const room = Float64Array.from(free)
  for (const { amounts } of all) addTo(room, amounts)
  if (!isWithin(asked, room) || allows?.(allTasks(all)) === false) return undefined
  const sorted = [...all].sort(byImportance)
  const { units, violations } = budgets?.sorted(sorted) ?? { units: sorted, violations: undefined }
  const victims: Victim[] = []
  for (const [i, each] of units.entries()) {
    if (goesWith(each, victims)) continue
    addTo(room, each.amounts, -1)
    if (isWithin(asked, room) && allows?.(allTasks([...victims, ...units.slice(i + 1)])) !== false) continue
    addTo(room, each.amounts)
    victims.push(each)
  }
  if (violations === undefined || violations.size === 0) return { victims, violations: 0 }
  return { victims: victims.sort(byImportance), violations: victims.reduce((sum, victim) => sum + (violations.get(victim) ?? 0), 0) }
}

/**
 * The better node first: where fewer tasks violate disruption budgets; where the most important victim has the lower priority; where the priorities
 * of the victims have the smaller sum, each counted from the lowest priority there is; where fewer tasks go; where the earliest start among the
 * most important victims is later.
 *
 * Source: kube-scheduler, `pickOneNodeForPreemption`. Deviation: ties go to the lowest node, in kube-scheduler to any.
 */
export const byPreference = (a: Candidate, b: Candidate): number =>
  a.violations - b.violations || highest(a) - highest(b) || sum(a) - sum(b) || count(a) - count(b) || firstStart(b) - firstStart(a) || a.node - b.node

/** Priorities have 32 bits; with this added none is below 0. */
const LOWEST = 2 ** 31

const highest = ({ victims }: Candidate): number => (victims[0] as Unit).priority
const sum = ({ victims }: Candidate): number => victims.reduce((total, victim) => total + size(victim) * (victim.priority + LOWEST), 0)
const count = ({ victims }: Candidate): number => victims.reduce((total, victim) => total + size(victim), 0)
const firstStart = (candidate: Candidate): Seconds =>
  Math.min(...candidate.victims.filter(({ priority }) => priority === highest(candidate)).map(({ started }) => started))
