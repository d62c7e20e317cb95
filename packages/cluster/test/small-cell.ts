import type { JobId, JobSpec, LaneId, NodeId, TaskId } from '@sched/core'
import { buildCluster, CellState, Draft, Shapes, Work, type DraftSink } from '../src/index.js'

export const model = buildCluster({ nodes: [{ count: 3, slots: { slot: 2 } }] })
export const lane = 0 as LaneId
export const nodes = [0, 1, 2] as NodeId[]
export const [n0, n1, n2] = nodes as [NodeId, NodeId, NodeId]
export const task = (id: number) => id as TaskId
export const spec = (id: string, tasks: number): JobSpec => ({ id, submit: 0, stages: [{ name: 'work', tasks, demand: { slot: 1 }, duration: 1 }] })
/** How a round on the live state is committed. */
export const live = { conflict: 'none', atomic: false } as const

/** A sink of rounds that does nothing. */
export const quiet: DraftSink = { explained: false, start: () => undefined, kill: () => undefined, abandon: () => undefined, reserve: () => undefined, defer: () => undefined, wakeAt: () => undefined }

/** What a test of rounds works on. */
export interface SmallCell {
  readonly cell: CellState
  readonly work: Work
  readonly draft: Draft
  /** What rounds have made happen, and what listeners of the work were told. */
  readonly events: string[]
  readonly hooks: string[]
  readonly a: JobId
  readonly b: JobId
  /** Free slots by node. */
  free(): number[]
  /** Unplaced and running tasks of `a`, then of `b`. */
  counts(): number[]
}

/** A cell of three nodes with two slots; job a has tasks 0 to 3, job b tasks 4 and 5. */
export function smallCell(): SmallCell {
  const shapes = new Shapes(model)
  const cell = new CellState(model, shapes, { validate: true })
  const work = new Work(model, shapes)
  const events: string[] = []
  const hooks: string[] = []
  work.addListener({
    onClaim: (_job, _lane, task) => void hooks.push(`claim ${task}`),
    onRelease: (_job, _lane, task, _node, why) => void hooks.push(`${why} ${task}`),
  })
  const draft: Draft = new Draft(cell, work, {
    explained: true,
    start: (tasks, from) => {
      for (const task of tasks.slice(from)) {
        work.setRunStart(work.taskRun[task] as number, draft.now)
        events.push(`start ${task} on ${work.nodeOf(task)}`)
      }
    },
    kill: (task) => {
      events.push(`kill ${task}`)
      work.unclaim(task, 'evicted')
    },
    abandon: (job) => void events.push(`abandon ${job}`),
    reserve: (job, start) => void events.push(`reserve ${job} at ${start}`),
    defer: (job, _, reason) => void events.push(`defer ${job} for ${reason}`),
    wakeAt: (time) => void events.push(`wake at ${time}`),
  })
  const [a, b] = [work.submit(spec('a', 4), 0, 0), work.submit(spec('b', 2), 0, 0)]
  work.open(a)
  work.open(b)
  return {
    cell, work, draft, events, hooks, a, b,
    free: () => nodes.map((node) => cell.free(node, 0 as never)),
    counts: () => [work.unplaced(a, lane), work.running(a, lane), work.unplaced(b, lane), work.running(b, lane)],
  }
}
