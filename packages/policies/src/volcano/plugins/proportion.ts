import { exceeds, largestPart, staysWithin, type Amounts } from '../amounts.js'
import { boundBy, deserve, mostOf } from '../deserved.js'
import type { Queue, VolcanoJob } from '../queue.js'
import type { Plugin, Session, Victim } from '../plugin.js'

/**
 * What all nodes have is divided among queues by weight, to each no more than it asks and may have, and no less than it is
 * guaranteed. After queues of higher priority the one that has the smallest part of what it deserves comes first, none starts what would be more than that,
 * and those that have more of anything give it back.
 *
 * Source: Volcano, plugins/proportion.
 */
export function proportion(session: Session): Plugin {
  const { queues, resources } = session
  const mayAllocate = (queue: Queue, more: Amounts): boolean => queue.isOpen && queue.staysWithin('deserved', more)
  return {
    open: () => {
      const active = queues.all.filter(({ jobs }) => jobs.size > 0)
      boundBy(session, queues.all)
      deserve(session, active)
      for (const queue of active) queue.share = shareOf(queue, resources)
    },
    changed: (queue) => void (queue.share = shareOf(queue, resources)),
    most: (queue, r) => mostOf(queue, queues.all, session.whole[r] as number, r),
    queueOrder: (a, b) => b.priority - a.priority || a.share - b.share,
    mayEnqueue: ({ queue, minimum }) => queue.isOpen && mayHold(queue, minimum),
    isOverused: ({ deserved, allocated }) => resources.every((r) => !exceeds(deserved[r] as number, allocated[r] as number)),
    mayAllocate,
    couldAllocate: mayAllocate,
    reclaimable: (taker, candidates) => overDeserved(taker, candidates, resources),
  }
}

/** Whether the minimum of another job stays within what the queue may have, beside that of all that are in; what is beyond their minimum could be taken. */
export function mayHold({ allocated, inqueue, elastic, realCapability }: Queue, minimum: Amounts): boolean {
  const held = allocated.map((amount, r) => amount + (inqueue[r] as number) - (elastic[r] as number))
  return staysWithin(held, minimum, realCapability)
}

/** In steps so fine that shares which are equal but for rounding are equal: what a queue deserves is a fraction. */
const shareOf = ({ allocated, deserved }: Queue, resources: readonly number[]): number =>
  Math.round(STEPS * largestPart(allocated, deserved, resources)) / STEPS

const STEPS = 2 ** 24

/** Those of queues that have more than they deserve of anything, and no less than the taker asks of anything, as long as that is so. */
function overDeserved(taker: VolcanoJob, candidates: readonly Victim[], resources: readonly number[]): Victim[] {
  const left = new Map<Queue, Amounts>()
  return candidates.filter(({ job: { queue }, demand }) => {
    const has = left.get(queue) ?? queue.allocated
    if (resources.some((r) => (has[r] as number) < (taker.demand[r] as number))) return false
    if (!resources.some((r) => exceeds(has[r] as number, queue.deserved[r] as number))) return false
    left.set(queue, has.map((amount, r) => amount - (demand[r] as number)))
    return true
  })
}
