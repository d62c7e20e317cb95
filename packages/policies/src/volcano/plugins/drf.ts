import { exceeds, largestPart, type Amounts } from '../amounts.js'
import type { VolcanoJob } from '../queue.js'
import type { Plugin, Session } from '../plugin.js'
import { DominantTree } from './dominant-tree.js'

/** The dominant share of an amount: the largest part that it is of all nodes. */
const dominantShare = (amounts: Amounts, { resources, whole }: Session): number => largestPart(amounts, whole, resources)

/**
 * Jobs by their dominant share, which take of jobs of their queue that have more even then. With `enableHierarchy` also queues by
 * theirs, which lie in others, and take back of one that would still be behind them. Deviation: parts of jobs are of all nodes, also
 * of those that are down.
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
      const rest = (left.get(job) ?? job.allocated).map((amount, r) => amount - (demand[r] as number))
      left.set(job, rest)
      return !exceeds(mine, dominantShare(rest, session) + TIE)
    })
  },
})

/** Shares that differ by less count as equal (Volcano, shareDelta). */
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
