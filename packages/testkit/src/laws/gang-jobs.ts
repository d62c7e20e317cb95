import { isGangJob, leastTasks, type JobSpec, type StageSpec } from '@sched/core'
import type { Play } from './play.js'

/**
 * Of a job that is one gang at the end of every instant either nothing runs, or as many tasks of each of its stages run or have ended as must. The same
 * holds of each group of stages that the gang does without.
 */
export function gangJobs({ recorder, specs }: Play): string | undefined {
  const seen = new Map<string, Progress>()
  let now = 0
  for (const event of recorder.events) {
    if (event.kind !== 'launch' && event.kind !== 'end') continue
    if (event.time > now) {
      const wrong = inPart(seen, now)
      if (wrong !== undefined) return wrong
      now = event.time
    }
    const job = specs.get(event.job)
    if (job === undefined || !isGangJob(job)) continue
    const { running, ended } = seen.get(job.id) ?? open(job, seen)
    running[event.stage] = (running[event.stage] as number) + (event.kind === 'launch' ? 1 : -1)
    if (event.kind === 'end' && event.how === 'done') ended[event.stage] = (ended[event.stage] as number) + 1
  }
  return inPart(seen, now)
}

/** Tasks that run and that have ended, by stage, of those seen so far. */
interface Progress {
  readonly job: JobSpec
  readonly running: number[]
  readonly ended: number[]
}

function open(job: JobSpec, seen: Map<string, Progress>): Progress {
  const progress = { job, running: job.stages.map(() => 0), ended: job.stages.map(() => 0) }
  seen.set(job.id, progress)
  return progress
}

function inPart(seen: ReadonlyMap<string, Progress>, now: number): string | undefined {
  for (const { job, running, ended } of seen.values()) {
    if (running.every((count) => count === 0)) continue
    const runs = (group: string | undefined) => job.stages.some((each, i) => each.optionalGroup === group && (running[i] as number) > 0)
    const isNeeded = (each: StageSpec) => each.gang === true && (each.optionalGroup === undefined || runs(each.optionalGroup))
    const stage = job.stages.findIndex((each, i) => isNeeded(each) && (running[i] as number) + (ended[i] as number) < leastTasks(each))
    if (stage >= 0) return `job ${job.id} is one gang and runs at ${now} s with ${running[stage] ?? 0} tasks of stage ${stage}, of which ${ended[stage] ?? 0} have ended`
  }
  return undefined
}
