import type { NodeId, Seconds, TaskId } from '@sched/core'

/** A task that runs and may be preempted. */
export interface Victim {
  readonly task: TaskId
  readonly priority: number
  /** When it started, seconds. */
  readonly started: Seconds
  /** What it holds, by resource. */
  readonly amounts: ArrayLike<number>
}

/** A node, and who has to go there. */
export interface Candidate {
  readonly node: NodeId
  /** At least one, the most important first. */
  readonly victims: readonly Victim[]
}

/** The most important first: the highest priority, then who has run for longest. Source: kube-scheduler, `MoreImportantPod`. */
const byImportance = (a: Victim, b: Victim): number => b.priority - a.priority || a.started - b.started || a.task - b.task

/**
 * Who has to go from a node with that free for a task that asks so much, the most important first: all who may go, but for those who have room
 * beside it after all, tried from the most important on. `undefined`: not even all of them make room.
 *
 * Source: kube-scheduler, `SelectVictimsOnNode`, without disruption budgets.
 */
export function victimsOn(asked: ArrayLike<number>, free: ArrayLike<number>, all: readonly Victim[]): Victim[] | undefined {
  const room = Float64Array.from(free)
  for (const { amounts } of all) change(room, amounts, 1)
  if (!fits(asked, room)) return undefined
  const victims: Victim[] = []
  for (const each of [...all].sort(byImportance)) {
    change(room, each.amounts, -1)
    if (fits(asked, room)) continue
    change(room, each.amounts, 1)
    victims.push(each)
  }
  return victims
}

/**
 * The better node first: where the most important who goes is of the lowest priority; where the priorities of those who go have the
 * smallest sum, each counted from the lowest priority there is; where fewer go; where the first started of the most important ones has started last.
 *
 * Source: kube-scheduler, `pickOneNodeForPreemption`. Deviation: of equally good nodes the lowest, there any.
 */
export const byPreference = (a: Candidate, b: Candidate): number =>
  highest(a) - highest(b) || sum(a) - sum(b) || a.victims.length - b.victims.length || firstStart(b) - firstStart(a) || a.node - b.node

/** Priorities have 32 bits: with this added none is below 0. */
const LOWEST = 2 ** 31

const highest = ({ victims }: Candidate): number => (victims[0] as Victim).priority
const sum = ({ victims }: Candidate): number => victims.reduce((total, { priority }) => total + priority + LOWEST, 0)
const firstStart = (candidate: Candidate): Seconds =>
  Math.min(...candidate.victims.filter(({ priority }) => priority === highest(candidate)).map(({ started }) => started))

function fits(asked: ArrayLike<number>, room: ArrayLike<number>): boolean {
  for (let r = 0; r < asked.length; r++) if ((asked[r] as number) > (room[r] as number)) return false
  return true
}

function change(room: Float64Array, amounts: ArrayLike<number>, sign: number): void {
  for (let r = 0; r < room.length; r++) room[r] = (room[r] as number) + sign * (amounts[r] as number)
}
