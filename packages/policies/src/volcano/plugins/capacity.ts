import { minus } from '../../shares/vectors.js'
import { exceeds, largestPart, type Amounts } from '../amounts.js'
import { boundBy, mostOf } from '../deserved.js'
import type { Plugin, Session, Victim } from '../plugin.js'
import { byName, type Queue } from '../queue.js'
import { mayHold } from './proportion.js'

/**
 * Queues with deserved amounts, which they may take back, and with a capability as a maximum. Queues go by priority, then by the part that they have of
 * what they deserve, the smallest first; queues that deserve nothing count as if they had exactly that. With
 * `enableHierarchy` queues form a tree: the capability of the queues around a queue binds it, too, and queues are compared where their paths part.
 *
 * Source: Volcano, plugins/capacity. Deviation: `ancestorReclaimLevel` is 0.
 */
export function capacity(session: Session, isTree: boolean): Plugin {
  const { queues, resources } = session
  const within = (queue: Queue): Iterable<Queue> => (isTree ? queue.path() : [queue])
  const compareShares = (a: Queue, b: Queue): number => a.share - b.share || Number(deservesNothing(a)) - Number(deservesNothing(b))
  const takesJobs = (queue: Queue): boolean => queue.isOpen && (!isTree || queue.children.length === 0)
  return {
    bound: (unbound) => {
      if (isTree) boundInside(queues.root, session)
      else {
        boundBy(session, unbound, queues.guaranteed)
        for (const queue of unbound) for (const r of resources) queue.deserved[r] = Math.max(Math.min(queue.ownDeserved[r] as number, queue.realCapability[r] as number), queue.guarantee[r] as number)
      }
      for (const queue of isTree ? queues.all : unbound) queue.share = shareOf(queue, resources)
    },
    changed: (queue) => {
      for (const each of within(queue)) each.share = shareOf(each, resources)
    },
    most: (queue, r) => (isTree ? mostInside(queue, r) : mostOf(queue, queues.guaranteed, session.whole[r] as number, r)),
    queueOrder: (a, b) => b.priority - a.priority || (isTree ? compareInTree(a, b, compareShares) : compareShares(a, b)),
    ordersTogether: isTree,
    ...(isTree && { victimQueueOrder: (a, b, taker) => common(b, taker) - common(a, taker) }),
    mayEnqueue: ({ queue, minimum }) => takesJobs(queue) && [...within(queue)].every((each) => mayHold(each, minimum)),
    mayAllocate: (queue, more) => takesJobs(queue) && [...within(queue)].every((each) => each.staysWithin('realCapability', more)),
    couldAllocate: (queue, more) => takesJobs(queue) && queue.staysWithin('realCapability', more),
    mayReclaim: (queue, more) => queue.isOpen && queue.staysWithin('realCapability', more) && resources.some((r) => (more[r] as number) > 0 && queue.isWithin('deserved', r, more[r] as number)),
    evictable: (kind, taker, candidates) => (kind === 'preempt' ? candidates : beyondDeserved(taker.demand, candidates, resources)),
    reclaimable: (taker, candidates) => beyondDeserved(taker.demand, candidates, resources),
  }
}

/** Sets bounds inside a queue: a queue may have what its parent may, less the guarantees of its siblings; it deserves at least its own guarantee. */
function boundInside(around: Queue, session: Session): void {
  if (around.parent === undefined) around.realCapability.set(around.capability)
  boundBy({ resources: session.resources, total: around.realCapability }, around.children, around.children)
  for (const { deserved, ownDeserved, guarantee } of around.children) for (const r of session.resources) deserved[r] = Math.max(ownDeserved[r] as number, guarantee[r] as number)
  for (const queue of around.children) boundInside(queue, session)
}

const mostInside = (queue: Queue, r: number): number => (queue.parent === undefined ? (queue.capability[r] as number) : mostOf(queue, queue.parent.children, mostInside(queue.parent, r), r))

const deservesNothing = ({ deserved }: Queue): boolean => deserved.every((amount) => amount === 0)

const shareOf = (queue: Queue, resources: readonly number[]): number => (deservesNothing(queue) ? 1 : largestPart(queue.allocated, queue.deserved, resources))

/**
 * Queues that hold jobs come before others; two of them are compared by the queues around them where their paths part. Deviation: ties
 * there go by name. In Volcano the queues with the jobs are compared in another way then, which can give a circular order.
 */
function compareInTree(a: Queue, b: Queue, compare: (a: Queue, b: Queue) => number): number {
  const [insideA, insideB] = [a.children.length > 0, b.children.length > 0]
  if (insideA !== insideB) return Number(insideA) - Number(insideB)
  const depth = common(a, b)
  const partA = insideA ? a : (a.way[depth] as Queue)
  const partB = insideB ? b : (b.way[depth] as Queue)
  return compare(partA, partB) || byName(partA, partB)
}

/** The number of queues around both that are the same, without the root. */
function common({ way: a }: Queue, { way: b }: Queue): number {
  const most = Math.min(a.length, b.length) - 1
  let depth = 0
  while (depth < most && a[depth] === b[depth]) depth++
  return depth
}

/**
 * The candidates that may be reclaimed. Without such a task its queue keeps its guarantee. With it the queue has more than it deserves of a resource that it
 * deserves and the task uses; a task that uses no deserved resource may always go.
 */
function beyondDeserved(asked: Amounts, candidates: readonly Victim[], resources: readonly number[]): Victim[] {
  const left = new Map<Queue, Amounts>()
  return candidates.filter(({ job: { queue }, demand }) => {
    if (!resources.some((r) => (demand[r] as number) > 0 && (asked[r] as number) > 0)) return false
    const { deserved, guarantee } = queue
    const has = left.get(queue) ?? queue.allocated
    const rest = minus(has, demand)
    if (resources.some((r) => exceeds(guarantee[r] as number, rest[r] as number))) return false
    const counted = resources.filter((r) => (demand[r] as number) > 0 && (deserved[r] as number) > 0)
    if (counted.length > 0 && !counted.some((r) => exceeds(has[r] as number, deserved[r] as number))) return false
    left.set(queue, rest)
    return true
  })
}
