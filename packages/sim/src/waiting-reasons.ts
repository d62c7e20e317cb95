import { Draft, type CellState, type DraftSink, type Work } from '@sched/cluster'
import { Reason, type JobId, type LaneId, type NodeId, type Seconds } from '@sched/core'
import type { Schedulers } from './schedulers.js'

/** What a policy says of a job that waits; `limit` names the limit, or the rules, where these are the reason. */
export interface Told {
  readonly reason: Reason
  readonly limit: string | undefined
}

/** By job that waits: what its policy says of it; jobs of which it says nothing are not there. */
export type WaitingReasons = ReadonlyMap<JobId, Told>

/** The reason that counts of several for one job, first what is most its own. */
const WEIGHT: Readonly<Record<Reason, number>> = { [Reason.Limit]: 4, [Reason.NoRoom]: 3, [Reason.Locality]: 2, [Reason.Rule]: 2, [Reason.Reservation]: 1, [Reason.Order]: 0 }

/**
 * Asks all policies why work waits, in rounds as heartbeats or passes have them, of which nothing comes. To be called when nothing else will happen: jobs
 * that are held back are let go, and what is on offer is taken back.
 */
export function waitingReasons({ all, drafts }: Pick<Schedulers, 'all' | 'drafts'>, cell: CellState, work: Work, now: Seconds): WaitingReasons {
  const told = new Map<JobId, Told>()
  for (const job of work.jobs()) work.letGo(job)
  for (const { cluster } of drafts) if (cluster !== cell) cluster.moveAllTo(cell)
  for (const { id, policy } of all) {
    const own = drafts[id] as Draft
    const draft = new Draft(cell, work, listening(told), id)
    draft.serial = own.serial
    for (let lane = 0 as LaneId; lane < work.lanes; lane++) {
      if (work.pending(id, lane) === 0) continue
      for (const nodes of sightsOf(own, cell)) {
        policy.schedule(draft.begin(now, lane, nodes, { ...(own.reach !== undefined && { reach: own.reach }) }))
        draft.abandon()
      }
    }
  }
  return told
}

/** The nodes that its scheduler's rounds have in sight; all, where its last round was without any, or on what it had been offered. */
function sightsOf({ reach, nodes, cluster }: Draft, cell: CellState): readonly (readonly NodeId[])[] {
  if (reach !== undefined) return reach.map((node) => [node])
  return [nodes.length > 0 && cluster === cell ? nodes : Array.from({ length: cell.nodes }, (_, node) => node as NodeId)]
}

/** Nothing is started, killed or promised. */
const listening = (told: Map<JobId, Told>): DraftSink => ({
  explained: true,
  defer(job, _lane, reason, limit) {
    const known = told.get(job)
    if (known === undefined || WEIGHT[reason] > WEIGHT[known.reason] || (reason === known.reason && known.limit === undefined)) told.set(job, { reason, limit })
  },
  start: () => undefined,
  kill: () => undefined,
  abandon: () => undefined,
  reserve: () => undefined,
  wakeAt: () => undefined,
})
