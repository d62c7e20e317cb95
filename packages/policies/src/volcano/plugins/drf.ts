import { exceeds, largestPart, type Amounts } from '../amounts.js'
import type { VolcanoJob } from '../queue.js'
import type { Plugin, Session } from '../plugin.js'

/** The dominant share of an amount: the largest part that it is of all nodes. */
const dominantShare = (amounts: Amounts, { resources, whole }: Session): number => largestPart(amounts, whole, resources)

/**
 * Jobs by their dominant share, which take of jobs of their queue that have more even then. Deviation: parts are of all
 * nodes, also of those that are down.
 *
 * Source: Volcano, plugins/drf.
 */
export const drf = (session: Session): Plugin => ({
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
