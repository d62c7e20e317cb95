import { largest } from './partial-admission.js'
import type { ResourceGroup } from './flavor-choices.js'
import type { Flavor } from './flavor.js'
import type { Nodes } from './nodes.js'
import { Spread, type CanHold } from './part-flavors.js'
import type { ClusterQueue } from './queues.js'
import { addTo, charge, discharge, settle, type Part, type ScanFrom, type Workload } from './workload.js'

/**
 * How a workload could be admitted. NoFit: not at all now. NoCandidates: only by preempting, but no workloads can be preempted. Preempt: by
 * preempting workloads of which some are of its own queue. Reclaim: by preempting workloads of other queues only. Fit: at once.
 */
export const Mode = { NoFit: 0, NoCandidates: 1, Preempt: 2, Reclaim: 3, Fit: 4 } as const
export type Mode = (typeof Mode)[keyof typeof Mode]

export interface Assignment {
  readonly mode: Mode
  /** Index of the flavor, or of the mix of flavors; -1: none. */
  readonly flavor: number
  /** The number of tasks with which it would be admitted. */
  readonly tasks: number
  /** How many levels up in the tree of cohorts it borrows; 0: it need not borrow. */
  readonly borrows: number
  /** Columns (flavor and resource) that are short: others would have to give some of them back. */
  readonly short: readonly number[]
  /** The workloads that it would preempt for that; none if even all candidates would not be enough. */
  readonly targets: readonly Workload[]
  /** Where the search goes on with flavors that were not looked at; empty: all were. */
  readonly next: ScanFrom
  /** Whether it has quota, or would get it by preempting, and lacks nodes for its topology. */
  readonly lacksNodes?: boolean
}

/** Finds the workloads that a workload would preempt to get what is short, and nodes if it must have these. */
export type Search = (workload: Workload, short: readonly number[], nodes?: Nodes) => readonly Workload[]

/** What a search for a flavor works with. */
interface Means {
  readonly fairSharing: boolean
  readonly search: Search
  /** By column: what the parts of the workload that have a flavor already take. */
  readonly before: ReadonlyMap<number, number>
  /** By number of a group, the flavor with which the search begins, by default the first; `firstGroup` is the number of the first group. */
  readonly from: ScanFrom
  readonly firstGroup: number
  readonly nodes: Nodes | undefined
}
/** The empty map, for `before`: nothing is taken; for `next`: all flavors were looked at. */
export const NOTHING: ReadonlyMap<number, number> = new Map()

type Fungibility = NonNullable<ClusterQueue['settings']['flavorFungibility']>
const usual: Fungibility = { whenCanBorrow: 'MayStopSearch', whenCanPreempt: 'TryNextFlavor', preference: 'BorrowingOverPreemption' }

/**
 * Finds the flavor of a workload, the number of its tasks and the workloads that it would preempt; sets flavor and tasks in the workload. A workload that
 * may be admitted in part is so if all of it neither fits nor finds anybody to preempt: with the most tasks that fit or find somebody.
 *
 * `nodes`: those of the cluster, if it must have some to be admitted.
 *
 * Source: Kueue, scheduler.go (nominate, getInitialAssignments).
 */
export function nominate(workload: Workload, fairSharing: boolean, search: Search, canHold: CanHold, from: ScanFrom = NOTHING, nodes?: Nodes): Assignment {
  const means = { fairSharing, search, before: NOTHING, from, firstGroup: 0, nodes }
  const attempt = (tasks: number): Assignment => {
    workload.tasks = tasks
    return withTasks(workload, means, canHold)
  }
  const whole = attempt(workload.most)
  if (workload.least === workload.most || comesIn(whole)) return whole
  const found = largest(workload.most, workload.least, (tasks) => [attempt(tasks)].find(comesIn)) ?? whole
  workload.tasks = found.tasks
  settle(workload, found.flavor)
  return found
}

/** Whether it would be admitted, if need be after preemption. */
export const comesIn = ({ mode, targets }: Assignment): boolean => mode === Mode.Fit || targets.length > 0

function withTasks(workload: Workload, means: Means, canHold: CanHold): Assignment {
  const { fairSharing, search, nodes } = means
  const found = workload.parts === undefined ? assign(workload, means, canHold) : assignParts(workload, workload.parts, means, canHold)
  settle(workload, found.flavor)
  const { mode, short, targets } = found
  if (mode === Mode.NoFit) return { ...found, targets: [] }
  if (nodes !== undefined) return onNodes(workload, found, search, nodes)
  // of a workload that asks for more the search of one column does not tell all: with fair sharing other resources change its share
  const isKnown = short.length === 0 || (short.length === 1 && (asksOne(workload) || (!fairSharing && targets.length === 0)))
  return isKnown ? found : { ...found, targets: search(workload, short) } // so far searched with one of its resources alone
}

/**
 * The assignment of a workload that must have nodes, too. If it lacks quota or nodes, all that it asks for counts as short: also who is only on its nodes may
 * have to go.
 *
 * Source: Kueue, flavorassigner.go (assignFlavors, updateModeForTASRequests). Deviation: for whom no nodes would do even if all were empty, that counts as one
 * that may preempt nobody; it only keeps no quota then.
 */
function onNodes(workload: Workload, found: Assignment, search: Search, nodes: Nodes): Assignment {
  if (found.mode === Mode.Fit && nodes.haveRoom([])) return found
  if (found.mode === Mode.Fit && nodes.isReplacing) return { ...found, mode: Mode.NoCandidates, lacksNodes: true }
  const short = Array.from(workload.columns).filter((_, i) => (workload.amounts[i] as number) > 0)
  const hasQuota = found.mode === Mode.Fit || ((found.mode > Mode.NoCandidates || !asksOne(workload)) && search(workload, short).length > 0)
  const targets = hasQuota ? search(workload, short, nodes) : NOBODY // who would get no quota gets none together with nodes either
  return { ...found, mode: modeWith(targets, workload.queue), short, targets, lacksNodes: hasQuota && targets.length === 0 }
}

/** Whether it asks for one column alone, so that the search for that stands for the workload. */
const asksOne = ({ amounts }: Workload): boolean => amounts.filter((amount) => amount > 0).length === 1

/** The mode of a workload that must preempt, and would preempt these. */
function modeWith(targets: readonly Workload[], queue: ClusterQueue): Mode {
  if (targets.length === 0) return Mode.NoCandidates
  return targets.some((each) => each.queue === queue) ? Mode.Preempt : Mode.Reclaim
}

/**
 * Finds a flavor for each part, one after another, beside what the parts before it take. A flavor is passed over if the parts after it could not all
 * have one then.
 *
 * Source: Kueue, flavorassigner.go (assignFlavors). Deviation: in Kueue the first part may take a flavor that only another one could have, and all wait.
 */
function assignParts(workload: Workload, parts: readonly Part[], means: Means, canHold: CanHold): Assignment {
  const { all: flavors } = workload.queue.choices
  const before = new Map<number, number>()
  const spread = new Spread(workload.queue, parts, canHold)
  let all: Assignment = { mode: Mode.Fit, flavor: -1, tasks: workload.tasks, borrows: 0, short: [], targets: NOBODY, next: NOTHING }
  for (const [p, { demand }] of parts.entries()) {
    const part: Workload = { ...workload, demand, amounts: demand, parts: undefined }
    const found = assign(part, { ...means, before, firstGroup: p * workload.queue.groups.length }, (choice) => canHold(choice, p) && spread.isPossible(choice))
    if (found.mode === Mode.NoFit) return { ...found, next: all.next }
    spread.take(found.flavor)
    addTo(before, demand, flavors[found.flavor] as Flavor)
    all = together(all, found)
  }
  return { ...all, flavor: workload.queue.choices.ofParts(spread.taken) }
}

/**
 * Finds the flavor of each resource group of which the workload asks something, one group after another; no flavor at all if one group has none.
 * Passes over flavors on whose nodes, together with the flavors of the groups before, the workload could never run.
 *
 * Source: Kueue, flavorassigner.go and preemption_oracle.go.
 */
function assign(workload: Workload, means: Means, canHold: CanHold): Assignment {
  const { queue, demand, tasks } = workload
  const [first] = queue.groups
  if (queue.groups.length === 1) return inGroup(workload, first as ResourceGroup, means.firstGroup, means, (flavor) => (canHold(flavor) ? flavor : -1))
  let left = queue.choicesFor(demand).filter((choice) => canHold(choice))
  let all: Assignment = { mode: Mode.Fit, flavor: -1, tasks, borrows: 0, short: [], targets: NOBODY, next: NOTHING }
  for (const [g, group] of queue.groups.entries()) {
    const asked = group.resources.find((r) => (demand[r] as number) > 0)
    if (asked === undefined) continue
    const columnIn = (choice: number): number => (queue.choices.all[choice] as Flavor).columns[asked] as number
    const found = inGroup(workload, group, means.firstGroup + g, means, (flavor) => left.find((choice) => columnIn(choice) === columnIn(flavor)) ?? -1)
    if (found.mode === Mode.NoFit) return found
    left = left.filter((choice) => columnIn(choice) === columnIn(found.flavor))
    all = together(all, found)
  }
  return { ...all, mode: left.length === 0 ? Mode.NoFit : all.mode, flavor: left[0] ?? -1 }
}

const together = (a: Assignment, b: Assignment): Assignment => ({
  ...b,
  mode: Math.min(a.mode, b.mode) as Mode,
  borrows: Math.max(a.borrows, b.borrows),
  short: [...new Set([...a.short, ...b.short])],
  targets: b.short.length > 0 ? b.targets : a.targets,
  next: a.next.size === 0 ? b.next : b.next.size === 0 ? a.next : new Map([...a.next, ...b.next]),
})

/**
 * The first flavor of the group at which the search may stop, or else the best. If the workload does not fit in a flavor, the search may stop there only if
 * it finds workloads to preempt. `choiceOf`: the flavor or mix with which the workload is tried for a flavor; -1: the flavor is passed over.
 */
function inGroup(workload: Workload, group: ResourceGroup, number: number, means: Means, choiceOf: (flavor: number) => number): Assignment {
  const { flavors } = group
  const rules = workload.queue.settings.flavorFungibility ?? usual
  let best: Assignment = { mode: Mode.NoFit, flavor: -1, tasks: workload.tasks, borrows: 0, short: [], targets: [], next: NOTHING }
  let bestWorst: Rank = best
  for (let i = means.from.get(number) ?? 0; i < flavors.length; i++) {
    const choice = choiceOf(flavors[i] as number)
    if (choice < 0) continue
    settle(workload, choice)
    const { found, worst } = inFlavor(workload, group, rules, means)
    const isEnough = worst.mode > Mode.NoCandidates && (worst.mode === Mode.Fit || rules.whenCanPreempt !== 'TryNextFlavor') && (worst.borrows === 0 || rules.whenCanBorrow !== 'TryNextFlavor')
    if (isEnough) return i === flavors.length - 1 ? found : { ...found, next: new Map([[number, i + 1]]) }
    if (!isBetter(worst, bestWorst, rules)) continue
    best = found
    bestWorst = worst
  }
  return best
}

type Rank = Pick<Assignment, 'mode' | 'borrows'>

/** Whether rank a is better than b, by the queue's preference between borrowing and preempting. */
function isBetter(a: Rank, b: Rank, { preference }: Fungibility): boolean {
  if (a.mode === Mode.NoFit || b.mode === Mode.NoFit) return a.mode > b.mode
  if ((a.mode === Mode.NoCandidates) !== (b.mode === Mode.NoCandidates)) return a.mode > b.mode
  const byMode = a.mode - b.mode
  const byBorrowing = b.borrows - a.borrows
  return (preference === 'PreemptionOverBorrowing' ? byBorrowing || byMode : byMode || byBorrowing) > 0
}

/**
 * The assignment of the workload in its flavor, and the rank of its worst resource; between one that borrows and one that preempts the queue's
 * preference decides.
 */
function inFlavor(workload: Workload, { resources }: ResourceGroup, rules: Fungibility, means: Means): { readonly found: Assignment; readonly worst: Rank } {
  const { demand, columns, flavor, tasks } = workload
  const short: number[] = []
  let worst: Rank = { mode: Mode.Fit, borrows: 0 }
  let mode: Mode = Mode.Fit
  let borrows = 0
  let targets = NOBODY
  for (const r of resources) {
    if (demand[r] === 0) continue
    const rank = ofColumn(workload, columns[r] as number, (demand[r] as number) * tasks, means)
    borrows = Math.max(borrows, rank.borrows)
    if (rank.mode < mode) mode = rank.mode
    if (rank.mode < Mode.Fit) {
      short.push(columns[r] as number)
      targets = rank.targets
    }
    if (isBetter(worst, rank, rules)) worst = rank
    if (rank.mode === Mode.NoFit) break
  }
  return { found: { mode, flavor, tasks, borrows, short, targets, next: NOTHING }, worst }
}

const NOBODY: readonly Workload[] = []

function ofColumn(workload: Workload, c: number, amount: number, { fairSharing, search, before }: Means): Rank & Pick<Assignment, 'targets'> {
  const { queue } = workload
  const asked = amount + (before.get(c) ?? 0)
  if (asked > queue.potential(c)) return { mode: Mode.NoFit, borrows: 0, targets: NOBODY }
  const { level, isInside } = queue.reach(c, asked)
  if (asked <= queue.available(c)) return { mode: Mode.Fit, borrows: level, targets: NOBODY }
  if (asked > (queue.subtree[c] as number) && !isInside && !preemptsWhileBorrowing(queue, fairSharing)) return { mode: Mode.NoFit, borrows: level, targets: NOBODY }
  const targets = !preempts(queue) ? NOBODY : search({ ...workload, columns: Int32Array.of(c), amounts: Float64Array.of(asked), tasks: 1 }, [c])
  const mode = modeWith(targets, queue)
  if (mode === Mode.NoCandidates) return { mode, borrows: level, targets }
  for (const each of targets) discharge(each, each.tasks)
  const borrows = queue.reach(c, asked).level
  for (const each of targets) charge(each, each.tasks)
  return { mode, borrows, targets }
}

/** Whether workloads of the queue may preempt any others. */
export const preempts = ({ settings: { preemption, preemptionConfig } }: ClusterQueue): boolean =>
  preemptionConfig !== undefined || (preemption !== undefined && (preemption.withinClusterQueue !== 'Never' || preemption.reclaimWithinCohort !== 'Never'))

function preemptsWhileBorrowing({ settings: { preemption, preemptionConfig } }: ClusterQueue, fairSharing: boolean): boolean {
  if (preemptionConfig !== undefined) return true
  if (preemption === undefined) return false
  return preemption.borrowWithinCohort.policy !== 'Never' || (fairSharing && preemption.reclaimWithinCohort !== 'Never')
}
