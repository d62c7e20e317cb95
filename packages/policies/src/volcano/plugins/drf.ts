import { minus } from '../../shares/vectors.js'
import { exceeds, largestPart, type Amounts } from '../amounts.js'
import type { VolcanoJob } from '../queue.js'
import type { Plugin, Session } from '../plugin.js'
import { DominantTree } from './dominant-tree.js'

/** The dominant share of amounts: the largest part that they are of the total of all nodes. */
const dominantShare = (amounts: Amounts, { resources, whole }: Session): number => largestPart(amounts, whole, resources)

/**
 * Jobs go by their dominant share, and take from jobs of their queue that would still have the larger share after that. With `enableHierarchy`
 * queues, in a tree, also go by their shares, and take back from a queue that would still come after them. Deviation: shares of jobs are of all
 * nodes, including those that are down.
 *
 * Source: Volcano, plugins/drf.
 */
export const drf = (session: Session, isTree: boolean): Plugin => ({
  ...(isTree && ofQueues(new DominantTree(session))),
  jobKey: ({ allocated }) => dominantShare(allocated, session),
  preemptable: (taker, candidates) => {
    const mine = dominantShare(taker.allocated.map((amount, r) => amount + (taker.demand[r] as number)), session)
    const left = new Map<VolcanoJob, Amounts>()
    return candidates.filter(({ job, demand }) => {
      const rest = minus(left.get(job) ?? job.allocated, demand)
      left.set(job, rest)
      return !exceeds(mine, dominantShare(rest, session) + TIE)
    })
  },
})

/** Difference up to which shares count as equal (Volcano, shareDelta). */
const TIE = 1e-6

const ofQueues = (tree: DominantTree): Plugin => ({
  queueOrder: (a, b) => tree.compare(a, b),
  ordersTogether: true,
  reclaimable: (taker, candidates) => {
    tree.move(taker, taker.demand, 1)
    const named = candidates.filter(({ job, demand }) => {
      tree.move(job, demand, -1)
      const order = tree.compare(taker.queue, job.queue)
      tree.move(job, demand, 1)
      return order < 0
    })
    tree.move(taker, taker.demand, -1)
    return named
  },
})
