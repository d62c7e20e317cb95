import type { Env, JobId, NodeId, ResourceId, Round, Seconds, TaskId } from '@sched/core'
import type { NegotiatorOptions } from '@sched/policies'
import { by } from './naive.js'

/** A task that ran when the cycle began. */
export interface Held {
  readonly task: TaskId
  readonly node: NodeId
  readonly job: JobId
  readonly user: string
  readonly since: Seconds
}

/** What a job may be matched with. */
export interface Slot {
  readonly node: NodeId
  readonly victims: readonly Held[]
  /** 2: nobody has to go, 1: by rank, 0: by priority. */
  readonly state: 0 | 1 | 2
  readonly amounts: readonly number[]
  readonly rank: number
  readonly preemptionRank: number
}

interface Asking {
  readonly name: string
  readonly job: JobId
  readonly priority: (name: string) => number
  /** The group of a user, '' without one. */
  readonly group: (name: string) => string
}

/** What nodes rank a user by. */
export const rankOf = (options: NegotiatorOptions, { cluster }: Env, node: NodeId, name: string): number =>
  (options.RANK ?? []).filter(({ users, accounts, nodes, labels = {} }) =>
    (users === undefined || users.includes(name)) && (accounts === undefined || accounts.some((account) => name.startsWith(`${account}.`)))
    && (nodes === undefined || nodes.includes(cluster.name(node))) && Object.entries(labels).every(([key, value]) => cluster.label(node, key) === value)).reduce((sum, { rank }) => sum + rank, 0)

/** All slots where somebody would have to go for the next task of a job, of those who ran when the cycle began and still do. */
export function claimedSlots(options: NegotiatorOptions, env: Env, held: readonly Held[], taken: (node: NodeId) => boolean, asking: Asking, round: Round): Slot[] {
  const { work, cluster } = env
  const { name, job, priority } = asking
  if (options.NEGOTIATOR_CONSIDER_PREEMPTION === false) return []
  const shape = work.shape(job, round.lane)
  const resources = cluster.resources.map((_, r) => r as ResourceId)
  const wants = resources.map((r) => work.demand(shape, r))
  const has = ({ task }: Held) => resources.map((r) => work.demand(work.shapeOf(task), r))
  const runTime = ({ task }: Held) => round.now - work.started(task)
  const worth = (each: Held) => priority(each.user) * 1_000_000 - runTime(each)
  const stateFor = (each: Held): 0 | 1 | undefined => {
    const [mine, its] = [rankOf(options, env, each.node, name), rankOf(options, env, each.node, each.user)]
    if (mine > its) return 1
    const { PREEMPTION_REQUIREMENTS: requires = false } = options
    const holds = typeof requires === 'boolean' ? requires
      : priority(each.user) > (requires.RemoteUserPrio ?? -1) * priority(name) && round.now - each.since > (requires.StateTimer ?? -1) && (requires.SameGroup !== true || asking.group(each.user) === asking.group(name))
    return mine === its && each.user !== name && holds ? 0 : undefined
  }
  const eligible = held.filter((each) => cluster.up(each.node) && work.mayRunOn(shape, each.node) && runTime(each) >= (options.MAXJOBRETIREMENTTIME ?? 0) && stateFor(each) !== undefined)
  const suffices = (amounts: readonly number[]) => amounts.every((amount, r) => amount >= (wants[r] as number))
  const slot = (node: NodeId, victims: readonly Held[], amounts: readonly number[], preemptionRank: number): Slot =>
    ({ node, victims, amounts, preemptionRank, rank: rankOf(options, env, node, name), state: victims.some((each) => stateFor(each) === 0) ? 0 : 1 })
  if (options.ALLOW_PSLOT_PREEMPTION !== true) return eligible.filter((each) => suffices(has(each))).map((each) => slot(each.node, [each], has(each), worth(each)))
  return round.nodes.filter((node) => !taken(node) && !round.fits(job, node)).flatMap((node) => {
    const inTurn = eligible.filter((each) => each.node === node).sort(by((each) => rankOf(options, env, node, each.user), (each) => -worth(each), (each) => work.rank(each.job), (each) => work.stageOf(each.task), (each) => work.indexOf(each.task)))
    for (let count = 1; count <= inTurn.length; count++) {
      const victims = inTurn.slice(0, count)
      const amounts = resources.map((r) => victims.reduce((sum, each) => sum + (has(each)[r] as number), cluster.free(node, r)))
      if (suffices(amounts)) return [slot(node, victims, amounts, 0)]
    }
    return []
  })
}

/** Slots with the best first. */
export function inOrder(slots: readonly Slot[], options: NegotiatorOptions, { work, cluster }: Env): Slot[] {
  const { NEGOTIATOR_PRE_JOB_RANK: weights } = options
  const isIdle = ({ state }: Slot) => Number(state === 2)
  const first = ({ victims }: Slot) => victims[0]
  const sum = (slot: Slot) => (weights?.Rank ?? 10_000_000) * slot.rank + (weights?.Unclaimed ?? 1_000_000) * isIdle(slot) + cluster.resources.reduce((all, name, r) => all + (weights?.free[name] ?? 0) * (slot.amounts[r] as number), 0)
  const oneByOne = [(slot: Slot) => -slot.rank, (slot: Slot) => -isIdle(slot), ...cluster.resources.map((_, r) => (slot: Slot) => slot.amounts[r] as number)]
  return [...slots].sort(by(
    ...(weights === undefined ? oneByOne : [(slot: Slot) => -sum(slot)]),
    (slot) => -isIdle(slot) * cluster.speed(slot.node),
    (slot) => -slot.state,
    (slot) => -slot.preemptionRank,
    ({ node }) => node,
    (slot) => { const each = first(slot); return each === undefined ? 0 : work.rank(each.job) },
    (slot) => { const each = first(slot); return each === undefined ? 0 : work.stageOf(each.task) },
    (slot) => { const each = first(slot); return each === undefined ? 0 : work.indexOf(each.task) },
  ))
}
