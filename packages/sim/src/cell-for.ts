import type { CellState, Draft, Work } from '@sched/cluster'
import { SchedError, type Cell, type Decision, type JobId, type LaneId, type NodeId, type Seconds, type Stock } from '@sched/core'
import { EventKind, type EventQueue } from './event-queue.js'

export interface CellParts {
  readonly state: CellState
  readonly work: Work
  /** By scheduler id. */
  readonly drafts: readonly Draft[]
  readonly queue: EventQueue
  readonly now: () => Seconds
  /** Something has changed that a pass should see. */
  readonly askForPass: () => void
  readonly abandon: (job: JobId) => void
  readonly decided: (decision: Decision) => void
}

/** What an architecture may do with the cluster, the work and the clock of a run. */
export function cellFor({ state, work, drafts, queue, now, askForPass, abandon, decided }: CellParts): Cell {
  return {
    cluster: state,
    work,
    nodes: Array.from({ length: state.nodes }, (_, node) => node as NodeId),
    now,
    draft: ({ id }, lane, visible, limits, on) => (drafts[id] as Draft).begin(now(), lane, visible, limits, on === undefined ? state : (on.cluster as CellState)),
    stock: () => stockOf(state),
    after: (delay, token) => {
      if (!(delay >= 0)) throw new SchedError('BROKEN_CONTRACT', `an architecture asked to be woken after ${delay} s`)
      queue.push(now() + delay, EventKind.Timer, token)
    },
    schedulerOf: (job) => work.jobOwner[job] as number,
    unplaced: (job) => {
      let count = 0
      for (let lane = 0 as LaneId; lane < work.lanes; lane++) count += work.unplaced(job, lane)
      return count
    },
    holdBack: (job) => work.holdBack(job),
    letGo: (job) => {
      work.letGo(job)
      askForPass()
    },
    abandon,
    decided,
  }
}

function stockOf(state: CellState): Stock {
  const cluster = state.stock()
  return {
    cluster,
    takeAll: () => state.moveAllTo(cluster),
    takeNode: (node, most) => state.moveNodeTo(cluster, node, most),
    giveBack: () => cluster.moveAllTo(state),
    nodes: () => cluster.filled(),
  }
}
