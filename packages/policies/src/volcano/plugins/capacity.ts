import { exceeds, largestPart, type Amounts } from '../amounts.js'
import { boundBy, mostOf } from '../deserved.js'
import type { Plugin, Session, Victim } from '../plugin.js'
import { byName, type Queue } from '../queue.js'
import { mayHold } from './proportion.js'

/**
 * Queues with amounts that they deserve, which they may take back, up to a capability. That of the smallest part of what it
 * deserves comes first, after queues of higher priority; those that deserve nothing count as if they had just that. With
 * `enableHierarchy` queues lie in others, whose capability binds them too, and are compared where their paths part.
 *
 * Source: Volcano, plugins/capacity. Deviation: `ancestorReclaimLevel` is 0.
 */
export function capacity(session: Session, isTree: boolean): Plugin {
  const { queues, resources } = session
  const within = (queue: Queue): Iterable<Queue> => (isTree ? queue.path() : [queue])
  const compareShares = (a: Queue, b: Queue): number => a.share - b.share || Number(deservesNothing(a)) - Number(deservesNothing(b))
  const takesJobs = (queue: Queue): boolean => queue.isOpen && (!isTree || queue.children.length === 0)
  return {
    open: () => {
      if (isTree) boundInside(queues.root, session)
      else {
        boundBy(session, queues.all)
        for (const queue of queues.all) for (const r of resources) queue.deserved[r] = Math.max(Math.min(queue.ownDeserved[r] as number, queue.realCapability[r] as number), queue.guarantee[r] as number)
      }
      for (const queue of queues.all) queue.share = shareOf(queue, resources)
    },
    changed: (queue) => {
      for (const each of within(queue)) each.share = shareOf(each, resources)
    },
    most: (queue, r) => (isTree ? mostInside(queue, r) : mostOf(queue, queues.all, session.whole[r] as number, r)),
    queueOrder: (a, b) => b.priority - a.priority || (isTree ? compareInTree(a, b, compareShares) : compareShares(a, b)),
    ordersTogether: isTree,
    ...(isTree && { victimQueueOrder: (a, b, taker) => common(b, taker) - common(a, taker) }),
    mayEnqueue: ({ queue, minimum }) => takesJobs(queue) && [...within(queue)].every((each) => mayHold(each, minimum)),
    mayAllocate: (queue, more) => takesJobs(queue) && [...within(queue)].every((each) => each.staysWithin('realCapability', more)),
    couldAllocate: (queue, more) => takesJobs(queue) && queue.staysWithin('realCapability', more),
    mayReclaim: (queue, more) => queue.isOpen && queue.staysWithin('realCapability', more) && resources.some((r) => (more[r] as number) > 0 && queue.isWithin('deserved', r, more[r] as number)),
    reclaimable: (taker, candidates) => beyondDeserved(taker.demand, candidates, resources),
  }
}

/** Inside others a queue may have what they may, but for what those beside it are guaranteed; it deserves no less than it is guaranteed itself. */
function boundInside(around: Queue, session: Session): void {
  if (around.parent === undefined) around.realCapability.set(around.capability)
  boundBy({ resources: session.resources, total: around.realCapability }, around.children)
  for (const { deserved, ownDeserved, guarantee } of around.children) for (const r of session.resources) deserved[r] = Math.max(ownDeserved[r] as number, guarantee[r] as number)
  for (const queue of around.children) boundInside(queue, session)
}

const mostInside = (queue: Queue, r: number): number => (queue.parent === undefined ? (queue.capability[r] as number) : mostOf(queue, queue.parent.children, mostInside(queue.parent, r), r))

const deservesNothing = ({ deserved }: Queue): boolean => deserved.every((amount) => amount === 0)

const shareOf = (queue: Queue, resources: readonly number[]): number => (deservesNothing(queue) ? 1 : largestPart(queue.allocated, queue.deserved, resources))

/**
 * Queues that hold jobs come before others; two of them are compared by the queues around them where their paths part. Deviation: of
 * equals there the name decides. In Volcano the queues with the jobs are compared in some other way then, which can go round in a circle.
 */
function compareInTree(a: Queue, b: Queue, compare: (a: Queue, b: Queue) => number): number {
  const [insideA, insideB] = [a.children.length > 0, b.children.length > 0]
  if (insideA !== insideB) return Number(insideA) - Number(insideB)
  const depth = common(a, b)
  const partA = insideA ? a : (a.way[depth] as Queue)
  const partB = insideB ? b : (b.way[depth] as Queue)
  return compare(partA, partB) || byName(partA, partB)
}

/** How many queues around both are the same, the root left out. */
function common({ way: a }: Queue, { way: b }: Queue): number {
  const most = Math.min(a.length, b.length) - 1
  let depth = 0
  while (depth < most && a[depth] === b[depth]) depth++
  return depth
}

/** Those with which their queue keeps its guarantee, and has more than it deserves of something that it deserves and they ask, or that ask nothing of that. */
function beyondDeserved(asked: Amounts, candidates: readonly Victim[], resources: readonly number[]): Victim[] {
  const left = new Map<Queue, Amounts>()
  return candidates.filter(({ job: { queue }, demand }) => {
    if (!resources.some((r) => (demand[r] as number) > 0 && (asked[r] as number) > 0)) return false
    const { deserved, guarantee } = queue
    const has = left.get(queue) ?? queue.allocated
    const rest = has.map((amount, r) => amount - (demand[r] as number))
    if (resources.some((r) => exceeds(guarantee[r] as number, rest[r] as number))) return false
    const counted = resources.filter((r) => (demand[r] as number) > 0 && (deserved[r] as number) > 0)
    if (counted.length > 0 && !counted.some((r) => exceeds(has[r] as number, deserved[r] as number))) return false
    left.set(queue, rest)
    return true
  })
}
