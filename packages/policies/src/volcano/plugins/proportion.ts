import { minus } from '../../shares/vectors.js'
import { exceeds, largestPart, staysWithin, type Amounts } from '../amounts.js'
import { boundBy, deserve, mostOf } from '../deserved.js'
import type { Queue, VolcanoJob } from '../queue.js'
import type { Plugin, Session, Victim } from '../plugin.js'

/**
 * The total of all nodes is divided among queues by weight; each deserves at most what it asks for and may have, and at least its
 * guarantee. Queues go by priority, then by the part that they have of what they deserve, the smallest first. No queue starts tasks beyond what it
 * deserves, and a queue that has more of any resource gives it back.
 *
 * Source: Volcano, plugins/proportion.
 */
export function proportion(session: Session): Plugin {
  const { queues, resources } = session
  const mayAllocate = (queue: Queue, more: Amounts): boolean => queue.isOpen && queue.staysWithin('deserved', more)
  return {
    bound: (unbound) => { boundBy(session, unbound, queues.guaranteed) },
    open: () => {
      const active = queues.live.filter(({ jobs }) => jobs.size > 0)
      deserve(session, active, (queue) => { queue.share = shareOf(queue, resources) })
    },
    changed: (queue) => void (queue.share = shareOf(queue, resources)),
    most: (queue, r) => mostOf(queue, queues.guaranteed, session.whole[r] as number, r),
    queueOrder: (a, b) => b.priority - a.priority || a.share - b.share,
    mayEnqueue: ({ queue, minimum }) => queue.isOpen && mayHold(queue, minimum),
    isOverused: ({ deserved, allocated }) => resources.every((r) => !exceeds(deserved[r] as number, allocated[r] as number)),
    mayAllocate,
    couldAllocate: mayAllocate,
    reclaimable: (taker, candidates) => overDeserved(taker, candidates, resources),
  }
}

/** Whether a queue may hold the minimum of another job, beside the minimums of all its enqueued jobs; what these have beyond their minimum could be taken. */
export function mayHold({ allocated, inqueue, elastic, realCapability }: Queue, minimum: Amounts): boolean {
  const held = allocated.map((amount, r) => amount + (inqueue[r] as number) - (elastic[r] as number))
  return staysWithin(held, minimum, realCapability)
}

/**
 * The part that a queue has of what it deserves, in steps so fine that parts which are equal but for rounding errors are equal; deserved amounts
 * are fractions.
 */
const shareOf = ({ allocated, deserved }: Queue, resources: readonly number[]): number =>
  Math.round(STEPS * largestPart(allocated, deserved, resources)) / STEPS

const STEPS = 2 ** 24

/**
 * The candidates that may be reclaimed: of queues that, until then, have more than they deserve of some resource, and of every resource at least
 * what the taker asks for.
 */
function overDeserved(taker: VolcanoJob, candidates: readonly Victim[], resources: readonly number[]): Victim[] {
  const left = new Map<Queue, Amounts>()
  return candidates.filter(({ job: { queue }, demand }) => {
    const has = left.get(queue) ?? queue.allocated
    if (resources.some((r) => (has[r] as number) < (taker.demand[r] as number))) return false
    if (!resources.some((r) => exceeds(has[r] as number, queue.deserved[r] as number))) return false
    left.set(queue, minus(has, demand))
    return true
  })
}
