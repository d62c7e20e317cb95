import { empty } from './empty.js'
import { compare } from './entries.js'
import type { Nodes } from './nodes.js'
import type { KueueSettings } from './options.js'
import type { PreemptionRule } from './preemption-rules.js'
import type { Protection } from './protection.js'
import { goesByUsage, type ClusterQueue } from './queues.js'
import type { QuotaNode } from './quota-node.js'
import type { Workload } from './workload.js'

/** A workload that looks for others to preempt, and what the search works with. */
export interface Preemptor {
  /** The workload that is to be admitted, with the flavor that it is to have. */
  readonly workload: Workload
  /** Columns that are short: others would have to give some of them back. */
  readonly short: readonly number[]
  /** Admitted workloads by queue. */
  readonly admitted: ReadonlyMap<ClusterQueue, Iterable<Workload>>
  readonly candidates: Candidates
  readonly fairSharing: KueueSettings['fairSharing']
  readonly protection: Protection
  /** By more than so many seconds one of equal priority must be newer to be preempted. */
  readonly buffer: number
  /** Rules of its queue beside those of `preemption`, and what they see of a workload. */
  readonly rules: readonly PreemptionRule[]
  readonly tagsOf: (workload: Workload) => Readonly<Record<string, string>>
  readonly classOf: (workload: Workload) => string | undefined
  readonly resources: number
  /** What the user of a workload has used lately, for queues that order by that. */
  readonly pastUsage: (workload: Workload) => number
  /** The nodes, if it must have some. */
  readonly nodes?: Nodes | undefined
}

/** Candidates of the workload's own queue: those that the queue's rules let it preempt and that use some of what is short. */
export function ownCandidates(preemptor: Preemptor): readonly Workload[] {
  const { workload, admitted, buffer } = preemptor
  const { withinClusterQueue = 'Never' } = workload.queue.settings.preemption ?? {}
  if (withinClusterQueue === 'Never') return []
  if (withinClusterQueue === 'LowerPriority') return preemptor.candidates.own(preemptor)
  const isNewer = (each: Workload): boolean => each.standing === workload.priority && each.queued > workload.queued + buffer
  const own = eligible(admitted.get(workload.queue), preemptor, (each) => each.standing < workload.priority || isNewer(each))
  return inOrder(own, preemptor)
}

/** Candidates of other queues, which must borrow. */
export const otherCandidates = (preemptor: Preemptor): Workload[] => reclaimable(preemptor).all.filter((each) => each.queue !== preemptor.workload.queue)

/** Candidates of all queues that borrow, by queue; where its own queue borrows, this includes workloads of that. */
export function reclaimable(preemptor: Preemptor): Found {
  const { queue, priority } = preemptor.workload
  const { reclaimWithinCohort = 'Never' } = queue.settings.preemption ?? {}
  if (reclaimWithinCohort === 'Never' || queue.root === queue) return NOBODY
  return preemptor.candidates.below(reclaimWithinCohort === 'Any' ? Infinity : priority, preemptor)
}

interface Found {
  readonly all: readonly Workload[]
  readonly byQueue: ReadonlyMap<ClusterQueue, readonly Workload[]>
  /** With fair sharing, the largest share of these queues and of the cohorts around them. */
  readonly most: number
}
const NOBODY: Found = { all: [], byQueue: new Map(), most: 0 }

/**
 * Workloads of queues that borrow, or of the preemptor's own queue, in the order in which they would be preempted. They are found once for all searches of
 * the same kind, until the usage of a queue changes.
 */
export class Candidates {
  readonly #found = new Map<QuotaNode, Map<string, Found>>()
  readonly #own = new Map<ClusterQueue, Map<string, readonly Workload[]>>()

  forget(): void {
    empty(this.#found)
    empty(this.#own)
  }

  /** Workloads of the preemptor's queue with a lower priority. */
  own(preemptor: Preemptor): readonly Workload[] {
    const { workload: { queue, priority, lane }, short, admitted } = preemptor
    const ofQueue = this.#own.get(queue) ?? new Map<string, readonly Workload[]>()
    this.#own.set(queue, ofQueue)
    const key = `${priority} ${lane} ${short.join()}`
    const known = ofQueue.get(key)
    if (known !== undefined) return known
    const found = inOrder(eligible(admitted.get(queue), preemptor, (each) => each.standing < priority), preemptor)
    ofQueue.set(key, found)
    return found
  }

  /** Such workloads in the preemptor's tree of cohorts with a priority below `priority`. */
  below(priority: number, preemptor: Preemptor): Found {
    const { workload, short } = preemptor
    const { root } = workload.queue
    const ofRoot = this.#found.get(root) ?? new Map<string, Found>()
    this.#found.set(root, ofRoot)
    const key = `${priority} ${workload.lane} ${short.join()}`
    const known = ofRoot.get(key)
    if (known !== undefined) return known
    const found: Workload[] = []
    for (const [queue, those] of preemptor.admitted) {
      if (!borrowsAny(queue, short) || queue.root !== root) continue
      for (const each of eligible(those, preemptor, (other) => other.standing < priority)) found.push(each)
    }
    const all = inOrder(found, preemptor)
    const byQueue = grouped(all)
    const ordered = { all, byQueue, most: preemptor.fairSharing === false ? 0 : largestShare(byQueue.keys(), preemptor.resources) }
    ofRoot.set(key, ordered)
    return ordered
  }
}

function largestShare(queues: Iterable<QuotaNode>, resources: number): number {
  let largest = 0
  for (const queue of queues) for (let node = queue; node.parent !== undefined; node = node.parent) largest = Math.max(largest, node.share(resources)) // the root has none
  return largest
}

/** Those that may go and use some of what is short. */
export function eligible(those: Iterable<Workload> = [], { workload, short }: Preemptor, isAllowed: (each: Workload) => boolean): Workload[] {
  const lacking = short.map((c) => c % workload.demand.length)
  const found: Workload[] = []
  for (const each of those)
    if (isAllowed(each) && each.lane === workload.lane && short.some((c, i) => takesOf(each, c, lacking[i] as number))) found.push(each)
  return found
}

/** Whether a workload takes some of column c, of resource r. The column is at index r, except where the parts of the workload have several flavors. */
const takesOf = (each: Workload, c: number, r: number): boolean => (each.columns[r] === c ? (each.amounts[r] as number) > 0 : each.parts !== undefined && each.columns.includes(c))

/** Lower priorities first, then the latest. */
const byPriority = (a: Workload, b: Workload): number => a.standing - b.standing || b.admission - a.admission

/** Sorts by priority; workloads of a queue that orders by past usage stand among each other by that, those whose user has used more first. */
export function inOrder(all: Workload[], { pastUsage }: Preemptor): Workload[] {
  if (!all.some(({ queue }) => goesByUsage(queue))) return all.sort(byPriority)
  const lists = [...grouped(all).values()]
  for (const list of lists) list.sort((a, b) => (goesByUsage(a.queue) ? compare(pastUsage(b), pastUsage(a)) : 0) || byPriority(a, b))
  return all.map(() => {
    const list = lists.filter(({ length }) => length > 0).reduce((best, other) => (byPriority(other[0] as Workload, best[0] as Workload) < 0 ? other : best))
    return list.shift() as Workload
  })
}

/** The workloads by queue, each list in the order given. */
export function grouped(all: readonly Workload[]): Map<ClusterQueue, Workload[]> {
  const ofQueue = new Map<ClusterQueue, Workload[]>()
  for (const each of all) {
    const list = ofQueue.get(each.queue)
    if (list === undefined) ofQueue.set(each.queue, [each])
    else list.push(each)
  }
  return ofQueue
}

export const borrowsAny = (node: QuotaNode, short: readonly number[]): boolean => short.some((c) => node.borrows(c))

/** Whether the queue borrows what is short, and every cohort between it and `shared`. */
export function gives(queue: ClusterQueue, shared: QuotaNode, short: readonly number[]): boolean {
  for (let node: QuotaNode | undefined = queue; node !== undefined; node = node.parent) {
    if (node === shared) return true
    if (!borrowsAny(node, short)) return false
  }
  return false
}

/** The innermost cohort that contains both. */
export function firstCommon(a: QuotaNode, b: QuotaNode): QuotaNode | undefined {
  for (let node: QuotaNode | undefined = b; node !== undefined; node = node.parent) if (isIn(a, node)) return node
  return undefined
}

/** The queue, or the cohort around it, that is a child of `shared`; the outermost cohort if `shared` is undefined. */
export function below(queue: QuotaNode, shared: QuotaNode | undefined): QuotaNode {
  let node = queue
  while (node.parent !== undefined && node.parent !== shared) node = node.parent
  return node
}

export function isIn(queue: QuotaNode, node: QuotaNode): boolean {
  let each: QuotaNode | undefined = queue
  while (each !== undefined && each !== node) each = each.parent
  return each === node
}
