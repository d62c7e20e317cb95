import { None, type JobId, type Savepoint } from '@sched/core'
import type { Moves } from './moves.js'
import type { Work } from './work.js'

/** What `Round.brokenGang` returns: where the last claims of the job begin of which a gang lacks tasks, with the evictions that made room for them. */
export function brokenGang({ tasks, count }: Moves, work: Work, job: JobId): Savepoint | undefined {
  let from = None
  for (let at = count - 1; at >= 0; at--) {
    const move = tasks[at] as number
    if (move < 0) continue
    const stage = work.taskStage[move] as number
    if (work.stageJob[stage] !== job) break
    // behind it there may be claims of an earlier stage that has opened since
    if ((work.stageLeast[stage] !== 1 || work.areGangJobs) && work.lacksTasks(stage)) from = at
  }
  if (from === None) return undefined
  while (from > 0 && (tasks[from - 1] as number) < 0) from-- // include the evictions before its claims: they were made for it
  return from as Savepoint
}

/** The gangs, numbered by `Work.gangWith`, that the evictions among the moves leave with too few tasks, although others of the moves start some. */
export function shortGangs({ tasks, count }: Moves, work: Work): Set<number> {
  const losing = new Set<number>()
  const starting = new Map<number, number>()
  for (let i = 0; i < count; i++) {
    const move = tasks[i] as number
    const stage = work.taskStage[move < 0 ? ~move : move] as number
    if (!work.isGang(stage)) continue
    if (move < 0) losing.add(stage)
    else starting.set(stage, (starting.get(stage) ?? 0) + 1)
  }
  return new Set([...losing].filter((stage) => work.stopsWithout(stage, 0, starting.get(stage))).map((stage) => work.gangWith(stage)))
}
