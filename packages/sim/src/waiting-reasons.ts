import { Draft, type CellState, type DraftSink, type Work } from '@sched/cluster'
import { Reason, type JobId, type LaneId, type NodeId, type Seconds, type ShapeId } from '@sched/core'
import type { Schedulers } from './schedulers.js'

/** What a policy says of a waiting job. `limit` names the limit or the placement rules, where one of these is the reason. */
export interface Told {
  readonly reason: Reason
  readonly limit: string | undefined
}

/** By waiting job: what its policy says of it; jobs of which it says nothing are missing. */
export type WaitingReasons = ReadonlyMap<JobId, Told>

/** If a policy gives several reasons for a job, the one with the largest weight counts: reasons within the job come before those of other jobs. */
const WEIGHT: Readonly<Record<Reason, number>> = { [Reason.Limit]: 4, [Reason.NoRoom]: 3, [Reason.Locality]: 2, [Reason.Rule]: 2, [Reason.Reservation]: 1, [Reason.Order]: 0 }

/**
 * Asks all policies why jobs wait, in rounds like those of heartbeats or passes whose results are dropped. To be called only when nothing else will
 * happen: jobs that are held back are let go, and offers are taken back.
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

/** Waiting jobs of which what starts together has too little room on the nodes that their scheduler sees. */
export function jobsWithoutRoom(drafts: Schedulers['drafts'], cell: CellState, work: Work): JobId[] {
  return work.jobs().filter((job) => {
    const sight = sightsOf(drafts[work.jobOwner[job] as number] as Draft, cell).flat()
    const lacksRoom = (shape: ShapeId, tasks: number) => sight.reduce((room, node) => room + cell.couldTake(shape, node), 0) < tasks
    return cell.lanes.some((_, lane) => work.parts(job, lane as LaneId).some(({ shape, tasks }) => lacksRoom(shape, tasks)))
  })
}

/** The lists of nodes that the scheduler's rounds see. All nodes, if its last round had none, or was about an offer. */
function sightsOf({ reach, nodes, cluster }: Draft, cell: CellState): readonly (readonly NodeId[])[] {
  if (reach !== undefined) return reach.map((node) => [node])
  return [nodes.length > 0 && cluster === cell ? nodes : Array.from({ length: cell.nodes }, (_, node) => node as NodeId)]
}

/** A sink that only records reasons: nothing is started, killed or promised. */
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
